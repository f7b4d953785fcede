#ifndef TRUEUP_CLI_VARIABLES_H
#define TRUEUP_CLI_VARIABLES_H

#include "base/diag.h"
#include "base/world.h"

/* Warns of each variable of the environment that is named like one of ours and is none: what it was
 * meant to set is not set. */
void variables_check(struct world *world, struct arena *arena, struct diagnostics *diagnostics);

#endif
