#include "reconcile/graph.h"

#include <stdlib.h>

#include "base/memory.h"

void graph_init(struct graph *graph, size_t node_count)
{
	*graph = (struct graph){.node_count = node_count};
}

void graph_release(struct graph *graph)
{
	free(graph->edges);
	free(graph->first);
	free(graph->successors);
	free(graph->ranks);
	free(graph->waits);
	*graph = (struct graph){0};
}

static void add(struct graph *graph, size_t before, size_t after, bool yields, bool ranks)
{
	if (before == after)
		return;
	graph->edges = memory_room(graph->edges, graph->edge_count, &graph->edge_capacity, sizeof(*graph->edges));
	graph->edges[graph->edge_count++] = (struct graph_edge){(uint32_t)before, (uint32_t)after, yields, ranks};
	graph->yields |= yields;
}

void graph_add(struct graph *graph, size_t before, size_t after)
{
	add(graph, before, after, false, false);
}

void graph_add_yielding(struct graph *graph, size_t before, size_t after)
{
	add(graph, before, after, true, false);
}

void graph_add_ranking(struct graph *graph, size_t before, size_t after)
{
	add(graph, before, after, true, true);
}

/* A counting sort of the edges by their first node. */
static void sort_edges(struct graph *graph)
{
	graph->first = memory_get((graph->node_count + 2) * sizeof(uint32_t));
	graph->waits = memory_get((graph->node_count + 1) * sizeof(uint32_t));
	graph->successors = memory_get((graph->edge_count + 1) * sizeof(uint32_t));
	graph->ranks = memory_get((graph->edge_count + 1) * sizeof(bool));
	for (size_t i = 0; i < graph->edge_count; i++) {
		graph->first[graph->edges[i].before + 2]++;
		graph->waits[graph->edges[i].after]++;
	}
	for (size_t i = 2; i < graph->node_count + 2; i++)
		graph->first[i] += graph->first[i - 1];
	for (size_t i = 0; i < graph->edge_count; i++) {
		uint32_t at = graph->first[graph->edges[i].before + 1]++;

		graph->successors[at] = graph->edges[i].after;
		graph->ranks[at] = graph->edges[i].ranks;
	}
}

/* Takes, one after the other, what waits for nothing that is left. Both have room for every node; what is not taken,
 * because it lies on a cycle or behind one, waits for something at the end. */
static size_t take_in_order(const struct graph *graph, uint32_t *waits, uint32_t *order)
{
	size_t done = 0;
	for (size_t i = 0; i < graph->node_count; i++)
		if ((waits[i] = graph->waits[i]) == 0)
			order[done++] = (uint32_t)i;
	for (size_t taken = 0; taken < done; taken++)
		for (uint32_t k = graph->first[order[taken]]; k < graph->first[order[taken] + 1]; k++)
			if (--waits[graph->successors[k]] == 0)
				order[done++] = graph->successors[k];
	return done;
}

/* Tarjan's search for the strongly connected components: in one of those lies every edge of a cycle, and no other. */
struct search {
	const struct graph *graph;
	uint32_t *entered;   /* per node: as which one it was, from 1; 0: not yet */
	uint32_t *earliest;  /* per node: the first in its component to which there is a way, as far as is known */
	uint32_t *component; /* per node: from 1; 0: not known yet */
	uint32_t *next;	     /* per node: the next of its successors to look at */
	uint32_t *path, *open;
	size_t path_count, open_count;
	uint32_t entered_count, component_count;
};

static void enter(struct search *search, uint32_t node)
{
	search->entered[node] = search->earliest[node] = ++search->entered_count;
	search->next[node] = search->graph->first[node];
	search->path[search->path_count++] = node;
	search->open[search->open_count++] = node;
}

static void lower(struct search *search, uint32_t node, uint32_t earliest)
{
	if (earliest < search->earliest[node])
		search->earliest[node] = earliest;
}

/* From where there is no way back to an earlier node, all that is still open since is one component. */
static void leave(struct search *search, uint32_t node)
{
	search->path_count--;
	if (search->earliest[node] == search->entered[node]) {
		search->component_count++;
		while (!search->component[node])
			search->component[search->open[--search->open_count]] = search->component_count;
	} else {
		lower(search, search->path[search->path_count - 1], search->earliest[node]);
	}
}

static void search_from(struct search *search, uint32_t node)
{
	const struct graph *graph = search->graph;
	enter(search, node);
	while (search->path_count > 0) {
		node = search->path[search->path_count - 1];
		if (search->next[node] == graph->first[node + 1]) {
			leave(search, node);
			continue;
		}
		uint32_t after = graph->successors[search->next[node]++];
		if (!search->entered[after])
			enter(search, after);
		else if (!search->component[after])
			lower(search, node, search->entered[after]);
	}
}

static void leave_out_yielding(struct graph *graph)
{
	uint32_t *room = memory_get((6 * graph->node_count + 1) * sizeof(uint32_t));
	struct search search = {.graph = graph};
	uint32_t **const lists[] = {&search.entered, &search.earliest, &search.component,
				    &search.next,    &search.path,     &search.open};
	size_t count = 0;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		*lists[i] = room + i * graph->node_count;
	for (size_t i = 0; i < graph->node_count; i++)
		if (!search.entered[i])
			search_from(&search, (uint32_t)i);
	for (size_t i = 0; i < graph->edge_count; i++) {
		const struct graph_edge *edge = &graph->edges[i];
		if (!edge->yields || search.component[edge->before] != search.component[edge->after])
			graph->edges[count++] = *edge;
	}
	graph->edge_count = count;
	free(room);
}

static bool has_cycle(const struct graph *graph)
{
	uint32_t *waits = memory_get((graph->node_count + 1) * sizeof(uint32_t));
	uint32_t *order = memory_get((graph->node_count + 1) * sizeof(uint32_t));
	bool found = take_in_order(graph, waits, order) < graph->node_count;
	free(waits);
	free(order);
	return found;
}

void graph_close(struct graph *graph)
{
	sort_edges(graph);
	if (!graph->yields || !has_cycle(graph))
		return;
	leave_out_yielding(graph);
	free(graph->first);
	free(graph->successors);
	free(graph->ranks);
	free(graph->waits);
	sort_edges(graph);
}

void graph_reach(const struct graph *graph, bool *reached)
{
	uint32_t *queue = memory_get((graph->node_count + 1) * sizeof(*queue));
	size_t count = 0;

	for (size_t i = 0; i < graph->node_count; i++)
		if (reached[i])
			queue[count++] = (uint32_t)i;
	for (size_t i = 0; i < count; i++) {
		for (uint32_t k = graph->first[queue[i]]; k < graph->first[queue[i] + 1]; k++) {
			uint32_t next = graph->successors[k];

			if (!reached[next])
				queue[count++] = next;
			reached[next] = true;
		}
	}
	free(queue);
}

/* Every node that is left waits for another that is left: walking backwards must come round. */
static void find_cycle(const struct graph *graph, const uint32_t *left, struct arena *arena, uint32_t **ret_cycle,
		       size_t *ret_count)
{
	uint32_t *before = arena_new_array(arena, graph->node_count, uint32_t);
	uint32_t *seen = arena_new_array(arena, graph->node_count, uint32_t);
	uint32_t *path = arena_new_array(arena, graph->node_count + 1, uint32_t);
	uint32_t node = 0;
	for (size_t i = 0; i < graph->edge_count; i++)
		if (left[graph->edges[i].before] && left[graph->edges[i].after]) {
			before[graph->edges[i].after] = graph->edges[i].before;
			node = graph->edges[i].after;
		}
	uint32_t length = 0;
	while (!seen[node]) {
		path[length] = node;
		seen[node] = ++length;
		node = before[node];
	}
	size_t start = seen[node] - 1;
	*ret_count = length - start;
	*ret_cycle = arena_new_array(arena, *ret_count, uint32_t);
	for (size_t i = 0; i < *ret_count; i++)
		(*ret_cycle)[i] = path[length - 1 - i];
}

bool graph_remaining(const struct graph *graph, const int64_t *weights, int64_t *ret_remaining, struct arena *arena,
		     uint32_t **ret_cycle, size_t *ret_cycle_count)
{
	uint32_t *waits = memory_get((graph->node_count + 1) * sizeof(uint32_t));
	uint32_t *order = memory_get((graph->node_count + 1) * sizeof(uint32_t));
	size_t done = take_in_order(graph, waits, order);
	for (size_t i = done; i-- > 0;) {
		uint32_t node = order[i];
		int64_t longest = 0;
		for (uint32_t k = graph->first[node]; k < graph->first[node + 1]; k++)
			if (ret_remaining[graph->successors[k]] > longest)
				longest = ret_remaining[graph->successors[k]];
		ret_remaining[node] = longest + (weights ? weights[node] : 1);
	}
	if (done < graph->node_count)
		find_cycle(graph, waits, arena, ret_cycle, ret_cycle_count);
	free(waits);
	free(order);
	return done == graph->node_count;
}
