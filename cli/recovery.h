#ifndef TRUEUP_CLI_RECOVERY_H
#define TRUEUP_CLI_RECOVERY_H

#include "cli/job.h"

/* What of what has a token is sent once more. */
enum resending {
	RESEND_NOTHING, /* what it may have made is looked for alone */
	RESEND_WANTED,	/* what the spec asks for as it did then, at once */
	RESEND_PLANNED, /* what the plan makes as it was to be made, once that is approved: job_send_again() */
};

/*
 * Settles what calls of runs that were cut off came to, under a lease of its own: reads what
 * they were about, sends once more what has a token, waits for what may still come, and
 * records it. What may be sent once more by a plan is left to that, as job->left_count says. The job's objects and
 * intents are those that are left then; nothing has been read for the plan yet. No lease is taken where nothing is
 * open. False where that failed or was interrupted; what cannot be settled is told as a warning, and stays among
 * job->intents.
 */
__attribute__((warn_unused_result)) bool job_recover(struct job *job, enum resending resending);
/* RESEND_PLANNED, but where the command has begun anew because a plan did not make all that was left to it. */
enum resending job_resends_planned(const struct job *job);
/* After a refresh: what may have been made, and was not settled, counts as unread; but what is left to the plan. */
void job_hold_unknown(struct job *job);
/*
 * Whether the plan makes all that recovery has left to it. Otherwise job->moved, without a diagnostic: the command is
 * to begin anew, and looks then for what the calls may have made.
 */
bool job_plan_takes_left(struct job *job);
/*
 * With a plan that is to be carried out: sends once more what was left to it, and settles that, so that the plan goes
 * on with what has been made. False where that failed or cannot be told, or as job_begin_run(); job->left_count is 0
 * once the run that does so has begun.
 */
__attribute__((warn_unused_result)) bool job_send_again(struct job *job);
/* The run that recovery is: what it finds and settles is recorded between the two. good: whether all went well. */
__attribute__((warn_unused_result)) bool job_begin_recovery(struct job *job);
__attribute__((warn_unused_result)) bool job_end_recovery(struct job *job, bool good);
/* What recovery would do, by what was read and, but for AIM_LOOK, by the plan. NULL where nothing is open. */
const struct recovery *job_outlook(struct job *job);
/* Where nobody can be asked: which calls of earlier runs are open, as warnings. */
void job_tell_unasked(struct job *job);

#endif
