#ifndef TRUEUP_RECONCILE_TAKEN_H
#define TRUEUP_RECONCILE_TAKEN_H

#include "base/map.h"
#include "reconcile/refresh.h"

/*
 * Names that exist once are looked for before they are given to something new: that somebody else
 * has one is better told by a plan than halfway through an apply.
 */

/* Whether the resource, which is not recorded, has such a name, as far as it is known. recorded: addresses to objects.
 */
bool taken_concerns(const struct refresh *refresh, const struct resource *resource, const struct map *recorded);

/*
 * Of the members (indexes as in struct refresh, from object_count on resources) of one kind, those whose name is that
 * of something found which is no object of this stack get it as what is there.
 */
void taken_find(struct refresh *refresh, const size_t *members, size_t count, const struct live *found,
		size_t found_count, const struct map *recorded);

#endif
