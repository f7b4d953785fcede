#ifndef TRUEUP_RECONCILE_GRAPH_H
#define TRUEUP_RECONCILE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/*
 * A directed graph of numbered nodes, for ordering: an edge says which node comes first.
 * Adding is O(1) amortised; everything else is linear in nodes and edges.
 */
struct graph_edge {
	uint32_t before;
	uint32_t after;
	bool yields;
	bool ranks;
};

struct graph {
	size_t node_count;
	struct graph_edge *edges; /* owned */
	size_t edge_count, edge_capacity;
	bool yields; /* some edge does */
	/* Of graph_close(): the nodes after node i are successors[first[i] .. first[i + 1]). */
	uint32_t *first;
	uint32_t *successors;
	bool *ranks;	 /* per successor: by graph_add_ranking() */
	uint32_t *waits; /* how many nodes come before each */
};

void graph_init(struct graph *graph, size_t node_count);
void graph_release(struct graph *graph);
/* A node before itself is ignored; a repeated edge counts twice and does no harm. */
void graph_add(struct graph *graph, size_t before, size_t after);
/* The same, but the edge is left out where it would be part of a cycle. */
void graph_add_yielding(struct graph *graph, size_t before, size_t after);
/* A yielding edge for what needs nothing of what comes before it: where that fails, it goes on all the same. */
void graph_add_ranking(struct graph *graph, size_t before, size_t after);
/* No more edges: leaves out those that yield to others, and builds successors and waits. */
void graph_close(struct graph *graph);
/* Of a closed graph: sets for each node that comes, directly or not, after one for which it is set. */
void graph_reach(const struct graph *graph, bool *reached);
/* Length of the longest path from each node to an end, weights (NULL: 1 each) summed, for
 * deciding who starts first. False where there is a cycle; then *ret_cycle (in arena) is one,
 * each node before the next and the last before the first. */
__attribute__((warn_unused_result)) bool graph_remaining(const struct graph *graph, const int64_t *weights,
							 int64_t *ret_remaining, struct arena *arena,
							 uint32_t **ret_cycle, size_t *ret_cycle_count);

#endif
