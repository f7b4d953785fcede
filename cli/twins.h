#ifndef TRUEUP_CLI_TWINS_H
#define TRUEUP_CLI_TWINS_H

#include "base/map.h"
#include "cli/job.h"

/*
 * Twins (recover_twin()) that no run has recorded yet. Who plans without a lease records nothing, and shows all the
 * same what is to be deleted: they are among the objects as if they were recorded. A saved plan that deletes them has
 * them recorded before that, as any apply does, and no others.
 */

/* After a refresh: has those that it found among the job's objects. */
__attribute__((warn_unused_result)) bool twins_foresee(struct job *job);

/* Before a saved plan's objects are read: has those that it deletes, as far as no run has recorded them since, among
 * the job's objects. ids gets what is to be read of that. */
void twins_of_saved(struct job *job, const struct plan *saved, struct map *ids);
/* After that: whether those that are there are twins still, or else a refusal. What is gone is no object any more. */
__attribute__((warn_unused_result)) bool twins_judge(struct job *job);
/* With the plan made, and found to be the saved one. False with job->moved where another run has been at work since. */
__attribute__((warn_unused_result)) bool twins_record(struct job *job);

#endif
