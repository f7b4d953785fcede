#ifndef TRUEUP_RECONCILE_PHASES_LIVE_H
#define TRUEUP_RECONCILE_PHASES_LIVE_H

#include "reconcile/handover.h"
#include "reconcile/phases.h"

/* The object of one action names what another one ends, as both were read. */
struct naming {
	size_t by, of;
	bool in_part;
	bool ends;	    /* it PINS that, and an update takes it away */
	bool lets_go_first; /* beforehand, as handovers_let_go() has it */
};

struct namings {
	struct naming *items;
	size_t count, capacity;
	bool *lets_go_first; /* for each action: whether it does so of anything */
};

void namings_find(const struct plan *plan, const struct handovers *handovers, struct arena *arena, struct namings *ret);

/* Adds to a graph that is not closed yet, for phases_build() alone: what goes is deleted after all that still named it
 * when it was read, though no record says so. Where that goes too, or nothing is known to take it away, the edges give
 * way to all others. */
void phases_order_live(struct phases *phases, const struct plan *plan, const struct namings *namings);
/* The same: what lies beneath what an action refers to (struct action) is made first. The edges give way to all others.
 * by_address: of each address's own action, its index. */
void phases_order_beneath(struct phases *phases, const struct plan *plan, const struct map *by_address);

#endif
