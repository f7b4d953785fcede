#ifndef TRUEUP_RECONCILE_LINEAGE_H
#define TRUEUP_RECONCILE_LINEAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/id.h"
#include "base/world.h"

/*
 * The id of one state's history, which all that is made under it carries in its tags. Its end is a mark of the
 * stack's name, so that what another state of the same stack made can be told from what other stacks did.
 */
void lineage_new(struct world *world, struct slice stack_name, uint8_t ret[ID_BYTES]);
/* Whether a lineage, as tags have it, belongs to a stack of that name. */
bool lineage_is_of(struct slice lineage, struct slice stack_name);
/* What a service's filter takes for any lineage of such a stack, * standing for whatever it likes. */
struct slice lineage_pattern(struct slice stack_name, struct arena *arena);

#endif
