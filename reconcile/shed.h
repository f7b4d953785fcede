#ifndef TRUEUP_RECONCILE_SHED_H
#define TRUEUP_RECONCILE_SHED_H

#include "base/cidr.h"
#include "reconcile/plan.h"

/* A range that an update takes away, and what lies in it until this plan ends that. */
struct shed {
	size_t within; /* action that ends what lies in the range */
	size_t owner;  /* action that takes the range away */
};

struct sheds {
	struct shed *items;
	size_t count, capacity;
	bool *owns; /* for each action: whether it is the owner of one */
};

/* The change that takes a range away from its object, within which that one lies; NULL for that one: any. NULL: none
 * does. */
const struct change *shed_change(const struct change *changes, size_t count, const struct cidr *within);

void sheds_find(const struct plan *plan, struct arena *arena, struct sheds *ret);

#endif
