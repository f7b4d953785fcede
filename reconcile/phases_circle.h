#ifndef TRUEUP_RECONCILE_PHASES_CIRCLE_H
#define TRUEUP_RECONCILE_PHASES_CIRCLE_H

#include "reconcile/handover.h"
#include "reconcile/phases.h"

/* Steps that wait for each other: each node before the next, and the last before the first. */
struct circle {
	const struct phases *phases;
	const struct plan *plan;
	const struct handovers *handovers;
	struct arena *arena;
	const uint32_t *nodes;
	size_t count;
};

/* Reports it as a path, with what to do. */
void phases_report_circle(const struct circle *circle, struct diagnostics *diagnostics);

#endif
