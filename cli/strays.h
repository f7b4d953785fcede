#ifndef TRUEUP_CLI_STRAYS_H
#define TRUEUP_CLI_STRAYS_H

#include "cli/job.h"

/* What carries the stack's tags and is not recorded. */

typedef void stray_visit(void *context, enum stray_origin origin, const struct stray *stray,
			 const struct past_call *past, const struct object *recorded);

/* Calls visit for each, in their order, with what it is. After a refresh. */
__attribute__((warn_unused_result)) bool strays_visit(struct job *job, const struct stray *strays, size_t count,
						      stray_visit *visit, void *context);
/* Records what is to be deleted, or found; with the lease held. job->twins are the former then. */
__attribute__((warn_unused_result)) bool strays_record(struct job *job, struct object *const *swept, size_t count);
/*
 * After a refresh: what our own calls made twice or late is recorded, so that the plan deletes it,
 * and everything is read again. What is left is told. False with job->moved where another run has been at work: the
 * command is to begin anew.
 */
__attribute__((warn_unused_result)) bool job_sweep(struct job *job);
/* After a refresh: tells as warnings what carries the stack's tags and is not recorded, and counts it; and where nobody
 * could look for that. */
__attribute__((warn_unused_result)) bool job_tell_strays(struct job *job);

#endif
