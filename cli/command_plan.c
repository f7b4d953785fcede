#include "cli/command_list.h"
#include "cli/lost_state.h"
#include "cli/planning.h"
#include "cli/saved_plan.h"

static int status_of(const struct job *job)
{
	if (job->plan.unread_count + job->refresh.unlisted_count > 0)
		return STATUS_INCOMPLETE;
	if (arguments_has(job->invocation->arguments, FLAG_DETAILED_EXITCODE) &&
	    (!plan_is_empty(&job->plan) ||
	     job->intent_count + job->unfinished_count + job->stray_counts[STRAY_TWIN] + lost_state_count(job) > 0))
		return STATUS_CHANGES;
	return STATUS_FINE;
}

static int plan_once(struct job *job, const void *about)
{
	int status = STATUS_ERROR;
	bool destroy = arguments_has(job->invocation->arguments, FLAG_DESTROY);
	bool refresh = slice_is(arguments_text(job->invocation->arguments, FLAG_REFRESH, "full"), "full");

	(void)about;
	if (job_prepare(job, refresh, destroy ? AIM_DESTROY : AIM_MAKE)) {
		bool good = job_plan_as_asked(job, destroy);
		struct report report = job_report(job);

		good = good && job_within_budget(job) && saved_plan_write(job, &report);
		status = good ? status_of(job) : STATUS_ERROR;
		sinks_plan(job->invocation->sinks, &report);
		status = invocation_end(job->invocation, &report, status);
	} else if (!job->moved) {
		status = invocation_fail(job->invocation, status);
	}
	return status;
}

static int run_plan(struct invocation *invocation)
{
	return job_attempts(invocation, plan_once, NULL);
}

static const enum flag_id plan_flags[] = {
	FLAG_OUT, FLAG_DETAILED_EXITCODE, FLAG_REFRESH,	    FLAG_DESTROY, FLAG_TARGET,
	FLAG_VAR, FLAG_MAX_DELETE,	  FLAG_PARALLELISM, FLAG_GRACE,	  FLAG_FORCE_NETWORK_STATE,
};

const struct command command_plan = {
	.name = "plan",
	.about = "read what is there, compare it with the spec, and show what an apply would do",
	.operands = "",
	.details =
		"The signs: + made, ~ changed in place, ! replaced, - deleted, = recorded as the stack's own (and\n"
		"changed where fields are shown), < taken back after a replace that was cut off, * recorded anew\n"
		"without a call, x forgotten, # a conflict, ? unread: nothing is done. Ends with 0 also where there\n"
		"is something to do, but for --detailed-exitcode; with 3 where something could not be read.\n",
	.flags = plan_flags,
	.flag_count = sizeof(plan_flags) / sizeof(plan_flags[0]),
	.run = run_plan,
};
