#ifndef TRUEUP_RECONCILE_SHED_H
#define TRUEUP_RECONCILE_SHED_H

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

void sheds_find(const struct plan *plan, struct arena *arena, struct sheds *ret);

#endif
