#ifndef TRUEUP_RECONCILE_HANDOVER_H
#define TRUEUP_RECONCILE_HANDOVER_H

#include "reconcile/plan.h"

/* What one action must let go of before another one can take it, because it can exist but once. */
struct handover {
	size_t from, to;	  /* actions */
	enum phase lets_go;	  /* phase of `from` that comes before... */
	enum phase takes;	  /* ...this one of `to` */
	const struct field *held; /* in which both have it; NULL: in several fields together */
	bool overlaps;		  /* their ranges are not the same: neither is the other under another address */
	/* What `from` yields ahead of the rest of its change; NULL: what it lets go of is its own phase's matter. */
	const struct field *field;
	const struct value *value;
	size_t next; /* more that `from` yields: index + 1; 0: none */
};

struct handovers {
	struct handover *items;
	size_t count, capacity;
	/* For each action. vacates: it leaves what it is attached to before it is deleted. heirs: index + 1 of the
	 * action that waits for its deletion with something new, so that nothing that refers to it can wait for that
	 * new thing; 0: none does. */
	bool *vacates;
	size_t *heirs;
	/* What it lets go of in PHASE_UNSETTLE for others, as in struct work; null: nothing. */
	struct value *yields;
};

/* Whether what refers to an action's object in a part takes that out beforehand, and puts in the new one later. */
bool handovers_let_go(const struct handovers *handovers, const struct plan *plan, size_t target);

void handovers_find(const struct plan *plan, struct arena *arena, struct handovers *ret);

#endif
