#ifndef TRUEUP_CLI_SAVED_PLAN_H
#define TRUEUP_CLI_SAVED_PLAN_H

#include "cli/job.h"

/* Saves job->plan where --out says, and notes that in the report; at once true without --out. */
__attribute__((warn_unused_result)) bool saved_plan_write(struct job *job, struct report *report);
/* Reads a plan file into job->plan, with its digest; the state need not be open. */
__attribute__((warn_unused_result)) bool saved_plan_read(struct job *job, struct slice path);

/*
 * Makes the plan of a file ready to be carried out: opens the state that it was made for,
 * reads again the objects that its actions touch, plans the same once more, and compares.
 * Where anything differs it says which object has changed, and nothing is called. The
 * folder of the spec is not needed, but for secrets that were not sealed, or without the key.
 */
__attribute__((warn_unused_result)) bool saved_plan_prepare(struct job *job);

#endif
