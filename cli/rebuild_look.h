#ifndef TRUEUP_CLI_REBUILD_LOOK_H
#define TRUEUP_CLI_REBUILD_LOOK_H

#include "cli/job.h"
#include "reconcile/rebuild.h"

/* What a rebuild makes its records of: all that is there, as far as it can be looked at. */

/* past: what is recorded. False, after saying so, where a kind could not be listed of which the spec has something, or
 * the record in that place. */
__attribute__((warn_unused_result)) bool job_take_inventory(struct job *job, const struct rebuild_past *past,
							    struct inventory *ret);
/* Reads by id what was found; job->objects are the new records from here on. */
__attribute__((warn_unused_result)) bool job_read_rebuilt(struct job *job, const struct rebuilding *rebuilding);
/* Kinds without tags: what the spec names is there, or it is not. */
void job_add_found(struct job *job, struct rebuilding *rebuilding);

#endif
