#ifndef TRUEUP_CLI_SAVED_COMPARISON_H
#define TRUEUP_CLI_SAVED_COMPARISON_H

#include "cli/job.h"

/* A saved plan beside the one that is made again before it is carried out. */

/* The action of a plan about the same object as another plan's, in the same role; NULL: it has none. */
const struct action *saved_plan_action(const struct plan *plan, const struct action *wanted);
/* Whether one of the plan's actions is carried out on what the address stands for. */
bool saved_plan_touches_own(const struct plan *saved, struct slice address);
/* Whether every action of either plan, the saved one and job->plan, is in the other and approves the same; else false,
 * with an error for each that is not, or one where a run has carried out the plan. digest: for its approval. */
__attribute__((warn_unused_result)) bool saved_plan_compare(struct job *job, const struct plan *saved,
							    struct slice digest);

#endif
