#ifndef TRUEUP_RECONCILE_PHASES_LIVE_H
#define TRUEUP_RECONCILE_PHASES_LIVE_H

#include "reconcile/phases.h"

/* Adds to a graph that is not closed yet, for phases_build() alone: what goes is deleted after all that still named it
 * when it was read, though no record says so. These edges give way to all others. */
void phases_order_live(struct phases *phases, const struct plan *plan);

#endif
