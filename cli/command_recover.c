#include "cli/command_list.h"
#include "cli/job_record.h"
#include "cli/lost_state.h"
#include "cli/planning.h"
#include "cli/recovery.h"
#include "cli/strays.h"
#include "cli/unfinished.h"
#include "specs/load.h"

enum { TEXT_LIMIT_BYTES = 4 * 1024 * 1024 };

/* What nobody has recorded may be what a call made that no record knows of any more. */
static int status_of(const struct job *job)
{
	if (job->intent_count + job->stray_counts[STRAY_UNKNOWN] + job->refresh.lost_count > 0)
		return STATUS_PARTLY;
	if (job->refresh.unlisted_count + job->refresh.unwatched_count > 0 ||
	    sessions_silent(&job->sessions, 0) < job->sessions.count)
		return STATUS_INCOMPLETE;
	return STATUS_FINE;
}

/* Of an alias that was said when it was asked who answers. */
static void tell_silent(struct job *job)
{
	const struct sessions *sessions = &job->sessions;
	size_t i = sessions_silent(sessions, sessions->alias_count);

	for (; i < sessions->count; i = sessions_silent(sessions, i + 1)) {
		diag_add(job->diagnostics, SEVERITY_WARNING, FAULT_UNREAD, NOWHERE, "nobody answers for %.*s: %s",
			 SLICE_ARGUMENTS(job_name_place(job, &sessions->places[i])), sessions->reasons[i]);
		diag_hint(job->diagnostics, "see that it can be reached, and run this again");
	}
}

/* A saved plan may have been applied where only the state lies: with each object the place is recorded that it is in.
 */
static bool prepare_without_spec(struct job *job)
{
	job->aim = AIM_LOOK;
	if (!job_open_state(job, STATE_WRITE, (struct slice){NULL, 0}))
		return false;
	job->stack = (struct stack){.name = arena_copy(job->arena, job->record->name), .max_delete = -1};
	return job_load_bodies(job) && job_open_sessions(job) && job_recover(job) && job_load_bodies(job) &&
	       job_refresh(job) && job_sweep(job);
}

static bool prepare(struct job *job)
{
	if (job_has_store(job) && !stack_has_files(job->world, job->folder, job->arena))
		return prepare_without_spec(job);
	return job_prepare_to_act(job, AIM_LOOK);
}

/* What was sent is settled; what it began may still be going on, or be done in part. */
static struct slice all_settled(struct job *job)
{
	BUFFER_AUTO text;

	buffer_init(&text, TEXT_LIMIT_BYTES);
	job_list_half_made(job);
	buffer_string(&text, "nothing is open: every call that was sent is accounted for\n");
	for (size_t i = 0; i < job->unfinished_count; i++)
		buffer_format(&text, "'%.*s' is not finished yet: the next apply goes on with it\n",
			      SLICE_ARGUMENTS(job->unfinished[i].address));
	return arena_copy(job->arena, buffer_slice(&text));
}

static int recover_once(struct job *job, const void *about)
{
	int status = STATUS_ERROR;

	(void)about;
	if (prepare(job)) {
		struct report report = invocation_report(job->invocation);

		lost_state_warn(job);
		tell_silent(job);
		report.outlook = job_outlook(job);
		report.status = status_of(job);
		if (report.status == STATUS_FINE)
			report.text = all_settled(job);
		status = invocation_end(job->invocation, &report, report.status);
	} else if (!job->moved) {
		status = invocation_fail(job->invocation, job->unasked_count > 0 ? STATUS_PARTLY : STATUS_ERROR);
	}
	return status;
}

static int run_recover(struct invocation *invocation)
{
	return job_attempts(invocation, recover_once, NULL);
}

static const enum flag_id recover_flags[] = {FLAG_GRACE, FLAG_VAR, FLAG_PARALLELISM, FLAG_LEASE_TIMEOUT,
					     FLAG_FORCE_NETWORK_STATE};

const struct command command_recover = {
	.name = "recover",
	.about = "find out what became of the calls that a killed run left open; apply does this first",
	.operands = "",
	.details = "Reads what they were about, looks for what may still come, and records it. Sends nothing\n"
		   "that makes or changes anything: what is missing the next apply makes.\n"
		   "Ends with 7 where the outcome of a call cannot be told, or something of the stack is\n"
		   "there that is not recorded; the ids are named then. Ends with 3 where nobody answers for a\n"
		   "place, or what may have come late could not be looked for. Where no spec lies, it goes by\n"
		   "the places that are recorded.\n",
	.flags = recover_flags,
	.flag_count = sizeof(recover_flags) / sizeof(recover_flags[0]),
	.run = run_recover,
};
