#ifndef TRUEUP_RECONCILE_PHASES_H
#define TRUEUP_RECONCILE_PHASES_H

#include "reconcile/graph.h"
#include "reconcile/plan.h"

/*
 * The order of a plan: a graph over (action, phase). A reference inside a part binds only
 * the settle and unsettle phases, so two resources may name each other.
 */
struct phases {
	struct graph graph;
	/* nodes[action * PHASE_COUNT + phase]: number of the node, or NO_NODE. */
	uint32_t *nodes;
	/* Per node. */
	uint32_t *actions;
	uint8_t *kinds; /* enum phase */
	/* Per action: unsettling it also detaches it from what takes but one of its kind. */
	const bool *vacates;
	/* Per action: what unsettling it yields to others, as in struct work. */
	const struct value *yields;
	size_t node_count;
	int64_t *remaining;
};

#define NO_NODE UINT32_MAX

/* False after a diagnostic that shows the cycle as a path. */
__attribute__((warn_unused_result)) bool phases_build(struct phases *phases, const struct plan *plan,
						      struct arena *arena, struct diagnostics *diagnostics);
void phases_release(struct phases *phases);
/* NO_NODE where the action has no such phase. */
static inline uint32_t phases_node(const struct phases *phases, size_t action, enum phase phase)
{
	return phases->nodes[action * PHASE_COUNT + phase];
}

#endif
