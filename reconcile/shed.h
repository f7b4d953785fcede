#ifndef TRUEUP_RECONCILE_SHED_H
#define TRUEUP_RECONCILE_SHED_H

#include "base/cidr.h"
#include "reconcile/phases.h"
#include "reconcile/plan.h"

/* A range that an update takes away, and what lies in it until this plan ends that, or has it let go. */
struct shed {
	size_t within;	    /* action that ends what lies in the range, or has an address there */
	size_t owner;	    /* action that takes the range away */
	enum phase lets_go; /* phase of `within` that comes before that */
	bool is_guess;	    /* nobody knows whether it has an address there: no cycle may come of it */
};

struct sheds {
	struct shed *items;
	size_t count, capacity;
	bool *owns;    /* for each action: whether it is the owner of one that is a network's own */
	bool *empties; /* for each action: whether it loses the range that it has within another's, and gets no other */
	size_t *ahead; /* for each action: index + 1 of the owner that waits for what it changes in place; 0: none */
};

/* The change that takes a range with `within` in it away from its object; within: NULL: any range. NULL: no change
 * does. */
const struct change *shed_change(const struct change *changes, size_t count, const struct cidr *within);

/* Whether what only changes in place needs no more of such an owner than its id, and so does not wait for it. */
bool sheds_spare(const struct sheds *sheds, size_t index, size_t owner);

/* Likewise of a scalar range that its object has within another's. */
const struct change *shed_within(const struct change *changes, size_t count, const struct cidr *part);
/* The same of an action: what it takes away in place. NULL: nothing. */
const struct change *shed_loss(const struct action *action);

/* What tells a range or an address in a field, or in the items of a set, that lies in what another field refers to;
 * NULL: nothing does. */
const struct field *shed_part(const struct field *field);

/* The change that takes away the range in which a text of such a field lies, or one of a LIST of them; NULL: none does.
 */
const struct change *shed_meets(const struct change *changes, size_t count, const struct field *part,
				const struct value *value);
/* How many of what the service chooses by their number it takes away with these changes. */
int64_t shed_fewer(const struct change *changes, size_t count);

void sheds_find(const struct plan *plan, struct arena *arena, struct sheds *ret);

/* A range is taken away once nothing lies in it any more. */
void sheds_order(const struct sheds *sheds, struct phases *phases);

#endif
