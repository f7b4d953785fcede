#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "reconcile/graph.h"

struct row {
	const char *name;
	size_t nodes;
	const char *edges;     /* "01 12?": node 0 before 1, 1 before 2, which yields */
	const char *remaining; /* a digit a node, or NULL for a cycle */
	size_t cycle;
};

static const struct row rows[] = {
	{"empty", 0, "", "", 0},
	{"alone", 1, "", "1", 0},
	{"itself", 1, "00", "1", 0},
	{"chain", 3, "01 12", "321", 0},
	{"chain backwards", 3, "21 10", "123", 0},
	{"diamond", 4, "01 02 13 23", "3221", 0},
	{"longer way counts", 4, "01 13 03", "3211", 0},
	{"twice the same edge", 2, "01 01", "21", 0},
	{"two", 2, "01 10", NULL, 2},
	{"three behind one", 4, "01 12 23 31", NULL, 3},
	{"what yields and need not", 3, "01? 12?", "321", 0},
	{"what yields on a cycle", 3, "01 12 20?", "321", 0},
	{"two that yield on one", 2, "01? 10?", "11", 0},
	{"what yields behind one", 4, "01 10? 12? 23?", "4321", 0},
	{"what yields between two", 4, "01 10? 12? 23 32?", "4321", 0},
	{"two that yield on each of two ways round", 4, "01 12? 03? 32 20?", "2112", 0},
	{"what yields ahead of one", 4, "01? 12 21? 23", "4321", 0},
	{"a cycle of others beside it", 3, "01 10 12? 20?", NULL, 2},
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct graph graph;
		struct arena arena;
		int64_t remaining[8] = {0};
		uint32_t *cycle = NULL;
		size_t cycle_count = 0;
		arena_init(&arena);
		graph_init(&graph, row->nodes);
		for (const char *edge = row->edges; *edge; edge += strcspn(edge, " "), edge += strspn(edge, " ")) {
			void (*add)(struct graph *, size_t, size_t) = edge[2] == '?' ? graph_add_yielding : graph_add;
			add(&graph, (size_t)(edge[0] - '0'), (size_t)(edge[1] - '0'));
		}
		graph_close(&graph);
		bool sound = graph_remaining(&graph, NULL, remaining, &arena, &cycle, &cycle_count);
		if (sound != (row->remaining != NULL))
			fail_msg("%s: a cycle was %s", row->name, sound ? "missed" : "seen");
		for (size_t k = 0; sound && row->remaining && k < row->nodes; k++)
			if (remaining[k] != row->remaining[k] - '0')
				fail_msg("%s: node %zu has %d behind it", row->name, k, (int)remaining[k]);
		assert_int_equal(cycle_count, row->cycle);
		graph_release(&graph);
		arena_release(&arena);
	}
}

/* Every reported cycle is made of edges. */
static void test_cycles_are_real(void **state)
{
	unsigned seed = 7;
	(void)state;
	for (int round = 0; round < 500; round++) {
		bool edges[12][12] = {{false}};
		struct graph graph;
		struct arena arena;
		int64_t remaining[12];
		uint32_t *cycle = NULL;
		size_t count = 0;
		arena_init(&arena);
		graph_init(&graph, 12);
		for (int k = 0; k < 16; k++) {
			seed = seed * 1103515245u + 12345u;
			size_t a = (seed >> 8) % 12, b = (seed >> 20) % 12;
			graph_add(&graph, a, b);
			edges[a][b] = true;
		}
		graph_close(&graph);
		if (!graph_remaining(&graph, NULL, remaining, &arena, &cycle, &count)) {
			assert_true(count >= 2);
			for (size_t k = 0; k < count; k++)
				assert_true(edges[cycle[k]][cycle[(k + 1) % count]]);
		}
		graph_release(&graph);
		arena_release(&arena);
	}
}

static bool is_behind(bool edges[12][12], size_t from, size_t to)
{
	bool seen[12] = {false};
	size_t queue[12], count = 0;
	seen[queue[count++] = from] = true;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < 12; k++)
			if (edges[queue[i]][k] && !seen[k])
				seen[queue[count++] = k] = true;
	return seen[to];
}

/* Whatever yields is left out where there is a way back, and nowhere else. */
static void test_yields_to_cycles_alone(void **state)
{
	unsigned seed = 11;
	(void)state;
	for (int round = 0; round < 2000; round++) {
		bool edges[12][12] = {{false}}, yielding[12][12] = {{false}}, kept[12][12] = {{false}};
		struct graph graph;
		graph_init(&graph, 12);
		for (int k = 0; k < 16; k++) {
			seed = seed * 1103515245u + 12345u;
			size_t a = (seed >> 8) % 12, b = (seed >> 20) % 12;
			if (a == b || edges[a][b])
				continue;
			edges[a][b] = true;
			yielding[a][b] = seed >> 30;
			(yielding[a][b] ? graph_add_yielding : graph_add)(&graph, a, b);
		}
		graph_close(&graph);
		for (size_t i = 0; i < graph.edge_count; i++)
			kept[graph.edges[i].before][graph.edges[i].after] = true;
		for (size_t a = 0; a < 12; a++)
			for (size_t b = 0; b < 12; b++)
				assert_int_equal(kept[a][b],
						 edges[a][b] && !(yielding[a][b] && is_behind(edges, b, a)));
		graph_release(&graph);
	}
}

static void test_reach(void **state)
{
	static const struct {
		const char *name, *from, *reached;
	} reach_rows[] = {
		{"nothing", "000000", "000000"},       {"its end", "000100", "000100"},
		{"all behind it", "100000", "111100"}, {"round a cycle", "000010", "000011"},
		{"of several", "010001", "010111"},
	};
	static const char *const edges[] = {"01", "02", "13", "23", "45", "54"};
	struct graph graph;

	(void)state;
	graph_init(&graph, 6);
	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
		graph_add(&graph, (size_t)(edges[i][0] - '0'), (size_t)(edges[i][1] - '0'));
	graph_close(&graph);
	for (size_t i = 0; i < sizeof(reach_rows) / sizeof(reach_rows[0]); i++) {
		bool reached[6];

		for (size_t k = 0; k < 6; k++)
			reached[k] = reach_rows[i].from[k] == '1';
		graph_reach(&graph, reached);
		for (size_t k = 0; k < 6; k++)
			if (reached[k] != (reach_rows[i].reached[k] == '1'))
				fail_msg("%s: %zu", reach_rows[i].name, k);
	}
	graph_release(&graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_reach),
		cmocka_unit_test(test_cycles_are_real),
		cmocka_unit_test(test_yields_to_cycles_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
