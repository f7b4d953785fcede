#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "cli/saved_comparison.h"
#include "tests/unit/support_rounds.h"

/* A saved plan beside what would be done now, of which a part cannot be read any more. */

struct fixture {
	struct arena arena;
	struct diagnostics diagnostics;
	struct job job;
	struct plan saved;
};

/* A plan that updates count objects; now nothing would be done to any, for of each a field is not read. */
static void fixture_init(struct fixture *fixture, size_t count)
{
	static struct change change = {.path = {"tags", 4}};

	*fixture = (struct fixture){.saved = {.action_count = count}};
	arena_init(&fixture->arena);
	diagnostics_init(&fixture->diagnostics, &fixture->arena);
	fixture->saved.actions = arena_new_array(&fixture->arena, count, struct action);
	fixture->job = (struct job){.arena = &fixture->arena, .diagnostics = &fixture->diagnostics};
	fixture->job.plan.unread = arena_new_array(&fixture->arena, count, struct unread);
	fixture->job.plan.unread_count = count;
	for (size_t i = 0; i < count; i++) {
		struct slice address = arena_format(&fixture->arena, "t.net.n%06zu", i);

		fixture->saved.actions[i] = (struct action){
			.address = address, .operation = OPERATION_UPDATE, .changes = &change, .change_count = 1};
		fixture->job.plan.unread[i] =
			(struct unread){.address = address, .field = SLICE("tags"), .reason = SLICE("denied")};
	}
}

static void fixture_release(struct fixture *fixture)
{
	diagnostics_release(&fixture->diagnostics);
	arena_release(&fixture->arena);
}

static void test_newly_unread(void **state)
{
	struct unread before[] = {{.address = SLICE("t.net.n000000"), .field = SLICE("range")},
				  {.address = SLICE("t.net.n000001"), .field = SLICE("range")},
				  {.address = SLICE("t.net.n000001"), .field = SLICE("tags")}};
	static const char *const expected[] = {"its 'tags' cannot be read now: denied",
					       "nothing is left to be done to it",
					       "its 'tags' cannot be read now: denied"};
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, 3);
	fixture.saved.unread = before;
	fixture.saved.unread_count = 3;
	assert_false(saved_plan_compare(&fixture.job, &fixture.saved, SLICE("")));
	assert_int_equal(fixture.diagnostics.count, 3);
	for (size_t i = 0; i < 3; i++) {
		struct slice message = fixture.diagnostics.items[i].message;

		if (!slice_contains(message, slice_of(expected[i])))
			fail_msg("%zu: '%.*s'", i, SLICE_ARGUMENTS(message));
	}
	fixture_release(&fixture);
}

/* Processor time of one comparison: the least of some, for a machine has other things to do. */
static clock_t least_time(size_t count)
{
	clock_t least = 0;

	for (int i = 0; i < 3; i++) {
		struct fixture fixture;

		fixture_init(&fixture, count);
		clock_t before = clock();
		assert_false(saved_plan_compare(&fixture.job, &fixture.saved, SLICE("")));
		clock_t taken = clock() - before;
		assert_int_equal(fixture.diagnostics.error_count, count);
		fixture_release(&fixture);
		least = i == 0 || taken < least ? taken : least;
	}
	return least;
}

/* Eight times as many take about eight times as long: by the square it would be sixty-four times. */
static void test_growth(void **state)
{
	enum { COUNT = 4000, FACTOR = 8, MOST = 24 };
	const size_t count = (size_t)rounds_of(COUNT);
	clock_t few = least_time(count), many = least_time(count * FACTOR);

	(void)state;
	if (many > few * MOST)
		fail_msg("%ld for %zu, and %ld for %zu", (long)few, count, (long)many, count * FACTOR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_newly_unread),
		cmocka_unit_test(test_growth),
	};

	return cmocka_run_group_tests_name("saved comparison", tests, NULL, NULL);
}
