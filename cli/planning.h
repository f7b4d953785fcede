#ifndef TRUEUP_CLI_PLANNING_H
#define TRUEUP_CLI_PLANNING_H

#include "cli/job.h"

/* What plan, apply and destroy do alike before there is a plan: spec, state, a check of --target for what is to be
 * made or destroyed, and, with refresh, a look at everything recorded. */
__attribute__((warn_unused_result)) bool job_prepare(struct job *job, bool refresh, enum job_aim aim);
/* The same for a command that changes something: calls of runs that were cut off are settled
 * before anything is planned. */
__attribute__((warn_unused_result)) bool job_prepare_to_act(struct job *job, enum job_aim aim);
/* job_plan() of the spec with --target as given. */
__attribute__((warn_unused_result)) bool job_plan_as_asked(struct job *job, bool destroy);

#endif
