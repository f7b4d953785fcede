#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "reconcile/forecast.h"

/* How long steps usually take, and how long what is left may take. */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { NOW_MS = 1000000, STEPS_MOST = 12, UNKNOWN = FORECAST_UNKNOWN };

/* Usual time, way to the end, and for how long a step runs. */
#define WAITS(usual, path)                                                                                             \
	{                                                                                                              \
		.usual_ms = (usual), .path_ms = (path), .state = FORECAST_WAITS                                        \
	}
#define RUNS(usual, path, elapsed)                                                                                     \
	{                                                                                                              \
		.usual_ms = (usual), .path_ms = (path), .began_ms = NOW_MS - (elapsed), .state = FORECAST_RUNS         \
	}
#define ENDED(state_of_it)                                                                                             \
	{                                                                                                              \
		.usual_ms = 100, .path_ms = 99999, .state = (state_of_it)                                              \
	}
#define DONE ENDED(FORECAST_DONE)
#define FREE(state_of_it)                                                                                              \
	{                                                                                                              \
		.usual_ms = 4, .path_ms = 4, .state = (state_of_it)                                                    \
	}
#define DROPPED ENDED(FORECAST_DROPPED)

static const struct left_row {
	const char *name;
	struct forecast_step steps[STEPS_MOST];
	size_t count;
	struct crowd crowd;
	int64_t left_ms;
} left_rows[] = {
	{"nothing to do", {{0}}, 0, {0}, 0},
	{"one that waits", {WAITS(500, 500)}, 1, {0}, 500},
	{"one at work", {RUNS(500, 500, 200)}, 1, {0}, 300},
	{"one that takes longer than usual", {RUNS(500, 500, 900)}, 1, {0}, 0},
	{"what comes behind that takes its time still", {RUNS(500, 800, 900), WAITS(300, 300)}, 2, {0}, 300},
	{"and behind one that has taken twice its time", {RUNS(500, 800, 31000), WAITS(300, 300)}, 2, {0}, 300},
	{"nobody knows when what takes so much longer ends", {RUNS(500, 900, 31001), WAITS(300, 300)}, 2, {0}, UNKNOWN},
	{"what takes longer still may count", {RUNS(500, 900, 31001), RUNS(90000, 90000, 0)}, 2, {0}, 90000},
	{"the longest way counts, not the sum", {RUNS(500, 500, 0), RUNS(400, 400, 0), RUNS(100, 100, 0)}, 3, {0}, 500},
	{"the way of one that has begun later", {RUNS(500, 500, 400), RUNS(300, 300, 100)}, 2, {0}, 200},
	{"what has ended counts no more", {DONE, DROPPED, RUNS(100, 100, 50)}, 3, {0}, 50},
	{"all has ended", {DONE, DROPPED}, 2, {0}, 0},
	{"nothing is known", {RUNS(UNKNOWN, 0, 10)}, 1, {0}, UNKNOWN},
	{"half of what is left is known", {RUNS(300, 300, 100), RUNS(UNKNOWN, 0, 10)}, 2, {0}, 200},
	{"less than half of it", {RUNS(300, 300, 100), RUNS(UNKNOWN, 0, 10), WAITS(UNKNOWN, 0)}, 3, {0}, UNKNOWN},
	{"what has ended does not make it known", {DONE, DONE, RUNS(UNKNOWN, 0, 10)}, 3, {0}, UNKNOWN},
	{"an unknown one takes no time of its way", {RUNS(UNKNOWN, 300, 100), WAITS(300, 300)}, 2, {0}, 300},
	{"steps wait for their turn, and nobody can tell how fast that goes",
	 {DONE, WAITS(100, 100)},
	 2,
	 {true, 4999},
	 UNKNOWN},
	{"they have waited, and wait no more", {DONE, WAITS(100, 100)}, 2, {false, 4999}, 100},
	{"as long again as half of them took", {DONE, DONE, WAITS(100, 100), WAITS(100, 100)}, 4, {true, 8000}, 8000},
	{"what was dropped took no turn", {DONE, DROPPED, WAITS(100, 100), WAITS(100, 100)}, 4, {true, 8000}, 16000},
	{"what makes no call takes no turn",
	 {DONE, FREE(FORECAST_DONE), FREE(FORECAST_DONE), WAITS(5, 5), FREE(FORECAST_WAITS)},
	 5,
	 {true, 8000},
	 8000},
	{"none has had its turn", {WAITS(100, 100)}, 1, {true, 8000}, 100},
	{"a way that is longer than that", {DONE, RUNS(60000, 60000, 0)}, 2, {true, 8000}, 60000},
};

static void test_left(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(left_rows); i++) {
		const struct left_row *row = &left_rows[i];
		int64_t left_ms = forecast_left_ms(row->steps, row->count, &row->crowd, NOW_MS);

		if (left_ms != row->left_ms)
			fail_msg("%s: %lld ms", row->name, (long long)left_ms);
	}
}

#define TIME(kind, operation, phase, took_ms)                                                                          \
	{                                                                                                              \
		{kind, sizeof(kind) - 1}, {operation, sizeof(operation) - 1}, {phase, sizeof(phase) - 1}, took_ms      \
	}
#define MADE(took_ms) TIME("t.a", "create", "make", took_ms)
#define FOUR(took_ms) MADE(took_ms), MADE(took_ms), MADE(took_ms), MADE(took_ms)

static const struct kind kind_a = {.name = "t.a"}, kind_b = {.name = "t.b"};

/*
 * A plan that creates a t.a in two phases and then a t.b in one. usual_ms: of the two actions; way_ms: of the first
 * step, over both.
 */
static const struct usual_row {
	const char *name;
	struct step_time times[24];
	size_t count;
	int64_t usual_ms[2];
	int64_t way_ms;
} usual_rows[] = {
	{"nothing is recorded", {MADE(5)}, 0, {UNKNOWN, UNKNOWN}, 0},
	{"one phase of two", {MADE(5)}, 1, {UNKNOWN, UNKNOWN}, 5},
	{"both", {MADE(5), TIME("t.a", "create", "settle", 7)}, 2, {12, UNKNOWN}, 12},
	{"and the other one", {TIME("t.b", "create", "make", 0)}, 1, {UNKNOWN, 0}, 0},
	{"the way goes over all", {MADE(5), TIME("t.b", "create", "make", 20)}, 2, {UNKNOWN, 20}, 25},
	{"the middle one of three", {MADE(9), MADE(1), MADE(5)}, 3, {UNKNOWN, UNKNOWN}, 5},
	{"the longer one of two", {MADE(1), MADE(5)}, 2, {UNKNOWN, UNKNOWN}, 5},
	{"the newest alone",
	 {FOUR(3), FOUR(3), FOUR(3), FOUR(3), FOUR(3), MADE(900), MADE(900), MADE(900)},
	 23,
	 {UNKNOWN, UNKNOWN},
	 3},
	{"another kind, operation or phase tells nothing",
	 {TIME("t.c", "create", "make", 1), TIME("t.a", "replace", "make", 1), TIME("t.a", "create", "delete", 1)},
	 3,
	 {UNKNOWN, UNKNOWN},
	 0},
	{"nor does what only another version knows",
	 {TIME("t.a", "conjure", "make", 1), TIME("t.a", "create", "polish", 1), TIME("", "", "", 1)},
	 3,
	 {UNKNOWN, UNKNOWN},
	 0},
	{"nor what cannot be", {MADE(-1), MADE(INT64_MAX)}, 2, {UNKNOWN, UNKNOWN}, 0},
};

/* The plan of those rows, and its order. */
struct planned {
	struct arena arena;
	struct action actions[2];
	struct plan plan;
	uint32_t actions_of_nodes[3];
	uint8_t kinds_of_nodes[3];
	struct phases phases;
};

static void plan_two(struct planned *planned)
{
	*planned = (struct planned){
		.actions = {{.operation = OPERATION_CREATE, .kind = &kind_a},
			    {.operation = OPERATION_CREATE, .kind = &kind_b}},
		.actions_of_nodes = {0, 0, 1},
		.kinds_of_nodes = {PHASE_MAKE, PHASE_SETTLE, PHASE_MAKE},
	};
	arena_init(&planned->arena);
	planned->plan.actions = planned->actions;
	planned->plan.action_count = 2;
	planned->phases.actions = planned->actions_of_nodes;
	planned->phases.kinds = planned->kinds_of_nodes;
	planned->phases.node_count = 3;
	graph_init(&planned->phases.graph, 3);
	graph_add(&planned->phases.graph, 0, 1);
	graph_add(&planned->phases.graph, 1, 2);
	graph_close(&planned->phases.graph);
}

static void release(struct planned *planned)
{
	graph_release(&planned->phases.graph);
	arena_release(&planned->arena);
}

static void test_usual(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(usual_rows); i++) {
		const struct usual_row *row = &usual_rows[i];
		struct forecast forecast;
		struct planned planned;

		plan_two(&planned);
		forecast_init(&forecast, &planned.plan, row->times, row->count, &planned.arena);
		assert_int_equal(forecast_usual_ms(&forecast, 0), FORECAST_UNKNOWN);
		forecast_order(&forecast, &planned.phases);
		for (size_t k = 0; k < 2; k++)
			if (forecast_usual_ms(&forecast, k) != row->usual_ms[k])
				fail_msg("%s: action %zu: %lld ms", row->name, k,
					 (long long)forecast_usual_ms(&forecast, k));
		if (forecast.steps[0].path_ms != row->way_ms)
			fail_msg("%s: a way of %lld ms", row->name, (long long)forecast.steps[0].path_ms);
		release(&planned);
	}
}

/* What a run tells the next: what was done, less its waits for a rate limit. */
static void test_times(void **state)
{
	static const struct step_time before[] = {MADE(5000)};
	struct forecast forecast;
	struct planned planned;
	struct step_time *times;
	size_t count;

	(void)state;
	plan_two(&planned);
	forecast_init(&forecast, &planned.plan, before, 1, &planned.arena);
	forecast_order(&forecast, &planned.phases);
	forecast_begin(&forecast, 0, NOW_MS);
	forecast_end(&forecast, 0, true, NOW_MS + 700, 200);
	forecast_begin(&forecast, 1, NOW_MS + 700);
	forecast_end(&forecast, 1, false, NOW_MS + 800, 0);
	forecast_end(&forecast, 2, false, NOW_MS + 800, 0);
	forecast_times(&forecast, &times, &count);
	assert_int_equal(count, 1);
	assert_true(slice_is(times[0].kind, "t.a") && slice_is(times[0].operation, "create") &&
		    slice_is(times[0].phase, "make") && times[0].took_ms == 500);
	assert_int_equal(forecast.steps[0].state, FORECAST_DONE);
	assert_int_equal(forecast.steps[2].state, FORECAST_DROPPED);
	/* Of many only the last, in their order. */
	for (int64_t i = 1; i <= STEP_TIMES_KEPT + 2; i++) {
		forecast_begin(&forecast, 2, NOW_MS);
		forecast_end(&forecast, 2, true, NOW_MS + i, 0);
	}
	forecast_times(&forecast, &times, &count);
	assert_int_equal(count, 1 + STEP_TIMES_KEPT);
	for (size_t i = 1; i < count; i++)
		assert_int_equal(times[i].took_ms, i + 2);
	release(&planned);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_left),
		cmocka_unit_test(test_usual),
		cmocka_unit_test(test_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
