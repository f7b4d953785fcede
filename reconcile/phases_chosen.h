#ifndef TRUEUP_RECONCILE_PHASES_CHOSEN_H
#define TRUEUP_RECONCILE_PHASES_CHOSEN_H

#include "reconcile/phases.h"

/*
 * Where a spec names no address, the service chooses one of all that are free: it may be the one that something else in
 * the plan is to have, or lie in a range that is to be set apart. So whatever is made with a named address or range
 * comes before what is made with one of the service's choice in the same network, or comes to launch what gets such a
 * one there. Adds edges that only rank, some hundreds for each action at most. arena: for the work.
 */
void phases_order_chosen(struct phases *phases, const struct plan *plan, struct arena *arena);

#endif
