#ifndef TRUEUP_CLI_STRAYS_H
#define TRUEUP_CLI_STRAYS_H

#include "cli/job.h"

/* What carries the stack's tags and is not recorded. */

/*
 * After a refresh: what our own calls made twice or late is recorded, so that the plan deletes it,
 * and everything is read again. What is left is told.
 */
__attribute__((warn_unused_result)) bool job_sweep(struct job *job);
/* After a refresh: tells as warnings what carries the stack's tags and is not recorded, and counts it. */
__attribute__((warn_unused_result)) bool job_tell_strays(struct job *job);

#endif
