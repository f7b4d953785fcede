#ifndef TRUEUP_CLI_RECOVERY_H
#define TRUEUP_CLI_RECOVERY_H

#include "base/map.h"
#include "cli/job.h"

/*
 * Settles what calls of runs that were cut off came to, under a lease of its own: reads what they were about, waits for
 * what may still come, and records it. What has a token, and may be sent once more by the plan that comes next, is left
 * to that: job->resend_ids says which. The job's objects and intents are those that are left then; nothing has been
 * read for the plan yet. No lease is taken where nothing is open. False where that failed or was interrupted; what
 * cannot be settled is told as a warning, and stays among job->intents.
 */
__attribute__((warn_unused_result)) bool job_recover(struct job *job);
/*
 * After a refresh, before what was begun is taken over for the plan: notes by what job_outlook() judges. What a call
 * that recovery cannot settle may have made, or changed, counts as unread, but for a drift; not what is left to the
 * plan. False, after a diagnostic, where nobody may look for the sealing key any longer that this takes.
 */
__attribute__((warn_unused_result)) bool job_note_open(struct job *job);
/*
 * Whether the plan makes all that recovery has left to it. Otherwise job->moved, without a diagnostic: the command is
 * to begin anew, and looks then for what the calls may have made.
 */
bool job_plan_has_resends(struct job *job);
/* With a plan that is to be carried out: adds what of it is sent once more, as recover_resends(). False as
 * job_plan_has_resends(), where a token has become too old meanwhile. */
__attribute__((warn_unused_result)) bool job_take_resends(struct job *job, struct map *ret);
/* After an apply: of job->intents those stay that are still open. */
__attribute__((warn_unused_result)) bool job_drop_settled(struct job *job);
/*
 * The run that recovery is: what it finds and settles is recorded between the two. read_serial: of the stack when that
 * was read, or NULL, where it is read anew. Where another run has changed the stack since, what that left open is to be
 * settled first, and nothing begins: job->moved, without a diagnostic. good: whether all went well.
 */
__attribute__((warn_unused_result)) bool job_begin_recovery(struct job *job, const int64_t *read_serial);
__attribute__((warn_unused_result)) bool job_end_recovery(struct job *job, bool good);
/* What recovery would do, by what was read and, where it makes something, by the plan. NULL where nothing is open. */
const struct recovery *job_outlook(struct job *job);
/* Where nobody can be asked: which calls of earlier runs are open, as warnings; job->unasked_count of them. */
void job_tell_unasked(struct job *job);

#endif
