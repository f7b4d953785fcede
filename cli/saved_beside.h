#ifndef TRUEUP_CLI_SAVED_BESIDE_H
#define TRUEUP_CLI_SAVED_BESIDE_H

#include "base/map.h"
#include "cli/job.h"

/*
 * What an action of a saved plan sets can only refer to what lies within the same thing (field.beside): a route leads
 * to a gateway that is attached to its table's VPC. Somebody may have attached it elsewhere since, or not at all.
 */

/* After the reading: false, with an error for each, where such a one that the plan leaves alone lies elsewhere.
 * touched: by address and by object id, what it does not leave alone. */
__attribute__((warn_unused_result)) bool saved_beside_check(struct job *job, const struct plan *saved,
							    const struct map *touched);

#endif
