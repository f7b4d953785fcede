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
/* The run that recovery is: what it finds and settles is recorded between the two. good: whether all went well. */
__attribute__((warn_unused_result)) bool job_begin_recovery(struct job *job);
__attribute__((warn_unused_result)) bool job_end_recovery(struct job *job, bool good);
/* What recovery would do, by what was read; for plans and drift. NULL where nothing is open. */
const struct recovery *job_outlook(struct job *job);

#endif
