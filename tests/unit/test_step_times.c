#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/unit/support_state_file.h"

/* How long steps took, as the state keeps it. */

struct user {
	struct state_fixture *fixture;
	struct store *store;
	size_t run_count;
};

static struct user open_user(void **state)
{
	struct user user = {.fixture = (struct state_fixture *)*state};

	if (!state_file_open(user.fixture, STATE_WRITE, &user.store))
		fixture_give_up(user.fixture);
	return user;
}

static void begin(struct user *user)
{
	struct run run = {.id = fixture_id(user->fixture, 0xabc000 + user->run_count++), .command = SLICE("apply")};

	if (!user->store->ops->begin(user->store, &run, &user->fixture->diagnostics))
		fixture_give_up(user->fixture);
}

static void end(struct user *user)
{
	if (!user->store->ops->end(user->store, SLICE("done"), &user->fixture->diagnostics))
		fixture_give_up(user->fixture);
}

/* A run with so many steps of one sort, which took first_ms, first_ms + 1 and so on. */
static void run(struct user *user, const char *kind, const char *operation, const char *phase, int64_t first_ms,
		size_t count)
{
	struct step_time *times = arena_new_array(&user->fixture->arena, count, struct step_time);

	for (size_t i = 0; i < count; i++)
		times[i] =
			(struct step_time){slice_of(kind), slice_of(operation), slice_of(phase), first_ms + (int64_t)i};
	begin(user);
	user->store->ops->note_times(user->store, times, count);
	end(user);
}

/* The times of one sort as "3,2,1". */
static struct slice kept(const struct user *user, const char *kind, const char *operation, const char *phase)
{
	struct state_fixture *fixture = user->fixture;
	struct slice text = SLICE("");
	struct step_time *times;
	size_t count;

	if (!user->store->ops->times(user->store, &fixture->arena, &times, &count, &fixture->diagnostics))
		fixture_give_up(fixture);
	for (size_t i = 0; i < count; i++) {
		if (slice_is(times[i].kind, kind) && slice_is(times[i].operation, operation) &&
		    slice_is(times[i].phase, phase))
			text = arena_format(&fixture->arena, "%.*s%s%lld", SLICE_ARGUMENTS(text), text.size ? "," : "",
					    (long long)times[i].took_ms);
	}
	return text;
}

static void test_kept(void **state)
{
	struct user user = open_user(state);
	struct slice times;

	run(&user, "a.b", "create", "make", 1, 3);
	run(&user, "a.b", "create", "make", 7, 2);
	times = kept(&user, "a.b", "create", "make");
	assert_true(slice_is(times, "8,7,3,2,1"));
	/* Others do not push them out, nor are they pushed out by them. */
	run(&user, "a.c", "create", "make", 100, STEP_TIMES_KEPT);
	run(&user, "a.b", "delete", "make", 200, STEP_TIMES_KEPT);
	run(&user, "a.b", "create", "settle", 300, STEP_TIMES_KEPT);
	assert_true(slice_equal(kept(&user, "a.b", "create", "make"), times));
	run(&user, "a.b", "create", "make", 10, STEP_TIMES_KEPT - 2);
	assert_true(slice_is(kept(&user, "a.b", "create", "make"),
			     "27,26,25,24,23,22,21,20,19,18,17,16,15,14,13,12,11,10,8,7"));
	assert_true(slice_is(kept(&user, "a.c", "create", "make"),
			     "119,118,117,116,115,114,113,112,111,110,109,108,107,106,105,104,103,102,101,100"));
	user.store->ops->close(user.store);
}

/* With the end of the run, and only of the run that noted them. */
static void test_recorded_at_the_end(void **state)
{
	const struct step_time time = {SLICE("a.b"), SLICE("create"), SLICE("make"), 5};
	struct user user = open_user(state);

	begin(&user);
	user.store->ops->note_times(user.store, &time, 1);
	assert_true(slice_is(kept(&user, "a.b", "create", "make"), ""));
	end(&user);
	assert_true(slice_is(kept(&user, "a.b", "create", "make"), "5"));
	begin(&user);
	end(&user);
	assert_true(slice_is(kept(&user, "a.b", "create", "make"), "5"));
	user.store->ops->close(user.store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STATE_TEST(test_kept),
		STATE_TEST(test_recorded_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
