#include "cli/command_list.h"
#include "cli/drift.h"
#include "cli/uncompared.h"

static size_t unrecorded_count(const struct job *job)
{
	return job->stray_counts[STRAY_TWIN] + job->stray_counts[STRAY_UNKNOWN] + job->refresh.lost_count;
}

/* What may be there without being recorded, and nobody could look for. */
static size_t unlooked_count(const struct job *job)
{
	return job->refresh.unlisted_count + job->refresh.unwatched_count;
}

/* Whether nobody can tell of some call what it came to: it may still be on its way, or comes once it is sent again. */
static bool is_any_untold(const struct recovery *outlook)
{
	return outlook && outlook->waiting_count + outlook->resend_count + outlook->open_count > 0;
}

/* Nor can reading tell what a run leaves that is at work, or was while it was read. */
static int status_of(const struct job *job, const struct recovery *outlook)
{
	size_t unknown = unrecorded_count(job);
	size_t begun = job->intent_count + job->unfinished_count;
	bool is_fine = plan_is_empty(&job->plan) && unknown + begun == 0;

	if (job->plan.unread_count + unlooked_count(job) > 0 || is_any_untold(outlook) ||
	    ((job->at_work.held || job->overtaken) && !is_fine))
		return STATUS_INCOMPLETE;
	return is_fine ? STATUS_FINE : STATUS_CHANGES;
}

static int compare_once(struct job *job, const void *about)
{
	int status = STATUS_ERROR;

	(void)about;
	if (drift_prepare(job)) {
		bool good = drift_find(job);
		struct report report = job_report(job);

		report.is_drift = true;
		report.unrecorded_count = unrecorded_count(job);
		report.unlooked_count = unlooked_count(job);
		report.uncompared_count = uncompared_list(job, &report.uncompared);
		report.unasked_count = unasked_list(job, &report.unasked);
		status = good ? status_of(job, report.outlook) : STATUS_ERROR;
		sinks_plan(job->invocation->sinks, &report);
		status = invocation_end(job->invocation, &report, status);
	} else if (!job->moved) {
		status = invocation_fail(job->invocation, status);
	}
	return status;
}

static int run_drift(struct invocation *invocation)
{
	return job_attempts(invocation, compare_once, NULL);
}

static const enum flag_id drift_flags[] = {FLAG_VAR, FLAG_PARALLELISM, FLAG_GRACE};

const struct command command_drift = {
	.name = "drift",
	.about = "compare what is there with what is recorded; writes nothing, not even a lease",
	.operands = "",
	.details = "Ends with\n"
		   "  0  all is as recorded\n"
		   "  2  something was changed, is missing, carries the stack's tags without being\n"
		   "     recorded, or was begun by a run that did not end\n"
		   "  3  something could not be read or looked for ('unlisted' in JSON), or it is not\n"
		   "     known yet what became of a call of such a run ('open' in JSON)\n"
		   "  1  another error; what drift there is is shown all the same\n"
		   "Edits of the spec that were not applied yet are no drift, nor is what was never applied;\n"
		   "but a machine of the rack takes no tags, so one that is in the spec and not recorded\n"
		   "counts as unread. What no plan could put right (another machine in the place of one,\n"
		   "another owner in the tags) is drift. Fields that no read gives back, such as an\n"
		   "instance's spot market options, are not compared, and named.\n",
	.flags = drift_flags,
	.flag_count = sizeof(drift_flags) / sizeof(drift_flags[0]),
	.run = run_drift,
};
