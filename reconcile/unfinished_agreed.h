#ifndef TRUEUP_RECONCILE_UNFINISHED_AGREED_H
#define TRUEUP_RECONCILE_UNFINISHED_AGREED_H

#include <stdbool.h>

#include "base/arena.h"
#include "reconcile/resource.h"

/*
 * Of what a deletion has taken out of the record that goes for good which the spec has by now as it was left: nobody
 * wants it back, nor does the object refer to more by that field than its resource. True where there was any. resource:
 * NULL where the spec has none, or is not at hand.
 */
bool unfinished_agree(struct object *object, const struct resource *resource, struct arena *arena);

#endif
