#ifndef TRUEUP_CLI_RECOVERY_H
#define TRUEUP_CLI_RECOVERY_H

#include "cli/job.h"

/*
 * Settles what calls of runs that were cut off came to, under a lease of its own: reads what
 * they were about, sends once more what has a token, waits for what may still come, and
 * records it. The job's objects and intents are those that are left then; nothing has been read
 * for the plan yet. No lease is taken where nothing is open. False where that failed or was
 * interrupted; what cannot be settled is told as a warning, and stays among job->intents.
 */
__attribute__((warn_unused_result)) bool job_recover(struct job *job);
/*
 * After a refresh: what our own calls made twice or late is recorded, so that the plan deletes it,
 * and everything is read again. What is left is told.
 */
__attribute__((warn_unused_result)) bool job_sweep(struct job *job);
/* After a refresh: tells as warnings what carries the stack's tags and is not recorded, and counts it. */
__attribute__((warn_unused_result)) bool job_tell_strays(struct job *job);
/* What recovery would do, by what was read; for plans and drift. NULL where nothing is open. */
const struct recovery *job_outlook(struct job *job);

#endif
