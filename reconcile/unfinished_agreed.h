#ifndef TRUEUP_RECONCILE_UNFINISHED_AGREED_H
#define TRUEUP_RECONCILE_UNFINISHED_AGREED_H

#include <stdbool.h>

#include "base/arena.h"
#include "reconcile/resource.h"

/*
 * Drops from let_go each field of which the spec now says what the deletion left: nobody wants back what it took out,
 * which is no more the object's own, and it refers to no more by that field than its resource does. True where there
 * was any. resource: NULL where the spec has none, or is not at hand.
 */
bool unfinished_agree(struct object *object, const struct resource *resource, struct arena *arena);

#endif
