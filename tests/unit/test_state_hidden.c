#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memmem() */
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/unit/support_state_file.h"

/* What is recorded, then and now, is rewritten where it tells what it may not tell any more. */

#define TOLD "told-in-clear"
#define HIDDEN "hidden"

static struct store *begun(struct state_fixture *fixture, size_t number)
{
	const struct run run = {.id = fixture_id(fixture, 0xabc000 + number), .command = SLICE("apply")};
	struct store *store;

	if (!state_file_open(fixture, STATE_WRITE, &store) || !store->ops->begin(store, &run, &fixture->diagnostics))
		fixture_give_up(fixture);
	return store;
}

static void put(struct state_fixture *fixture, struct store *store, const char *text)
{
	const struct object *const objects[] = {fixture_object(fixture, 1)};
	/* Longer than a page, so that there are others that are freed. */
	const struct slice bodies[] = {arena_format(&fixture->arena, "{\"a\":\"%06000d\",\"b\":\"%s\"}", 0, text)};
	const struct commit commit = {.upserts = objects, .bodies = bodies, .upsert_count = 1};

	if (store->ops->commit(store, &commit, &fixture->diagnostics) != COMMIT_DONE)
		fixture_give_up(fixture);
}

static struct slice hide(void *context, struct slice address, struct slice kind, struct slice body, struct arena *arena)
{
	const char *told = memmem(body.data, body.size, TOLD, strlen(TOLD));
	size_t *asked = context;

	assert_true(slice_starts_with(address, kind));
	++*asked;
	return told ? arena_format(arena, "%.*s" HIDDEN "\"}", (int)(told - body.data), body.data) : body;
}

static bool hide_in(struct state_fixture *fixture, struct store *store, size_t expected)
{
	size_t asked = 0;
	const struct store_hider hider = {hide, &asked};
	bool good = store->ops->hide(store, &hider, &fixture->diagnostics);

	assert_int_equal(asked, expected);
	return good;
}

static bool tells(struct state_fixture *fixture, const char *text)
{
	static const char *const files[] = {"", "-wal", "-shm"};
	bool told = false;

	for (size_t i = 0; i < COUNT(files); i++) {
		const char *path = arena_text(&fixture->arena, "%s%s", fixture->path, files[i]);
		struct slice file = file_read(fixture, path);

		told |= file.data && memmem(file.data, file.size, text, strlen(text));
	}
	return told;
}

static void end(struct state_fixture *fixture, struct store *store)
{
	if (!store->ops->end(store, SLICE("done"), &fixture->diagnostics))
		fixture_give_up(fixture);
	store->ops->close(store);
}

/* Both with the lease and without; what was there before is nowhere in the file. */
static void test_then_and_now(void **state)
{
	struct state_fixture *fixture = *state;
	struct store *store = begun(fixture, 1);

	put(fixture, store, TOLD "-1");
	end(fixture, store);
	store = begun(fixture, 2);
	put(fixture, store, TOLD "-2");
	end(fixture, store);
	assert_true(tells(fixture, TOLD "-1") && tells(fixture, TOLD "-2"));
	if (!state_file_open(fixture, STATE_WRITE, &store))
		fixture_give_up(fixture);
	assert_true(hide_in(fixture, store, 2));
	store->ops->close(store);
	assert_false(tells(fixture, TOLD));
	assert_true(tells(fixture, HIDDEN));

	store = begun(fixture, 3);
	put(fixture, store, TOLD "-3");
	assert_true(hide_in(fixture, store, 3));
	end(fixture, store);
	assert_false(tells(fixture, TOLD));
}

/* Whoever has nothing to hide may not even write. */
static void test_nothing_to_hide(void **state)
{
	struct state_fixture *fixture = *state;
	struct store *store = begun(fixture, 1);

	put(fixture, store, "nothing");
	end(fixture, store);
	struct slice before = file_read(fixture, fixture->path);
	if (!state_file_open(fixture, STATE_WRITE, &store))
		fixture_give_up(fixture);
	assert_true(hide_in(fixture, store, 1));
	store->ops->close(store);
	assert_true(slice_equal(file_read(fixture, fixture->path), before));
}

/* A run whose lease was taken away writes nothing. */
static void test_lost_lease(void **state)
{
	struct state_fixture *fixture = *state;
	struct store *store = begun(fixture, 1), *other;

	put(fixture, store, TOLD);
	if (!state_file_open(fixture, STATE_WRITE, &other) ||
	    !other->ops->take_away(other, fixture_id(fixture, 0xabc001), &fixture->diagnostics))
		fixture_give_up(fixture);
	assert_false(hide_in(fixture, store, 1));
	assert_true(state_fixture_said(fixture, FAULT_LEASE, "lease"));
	other->ops->close(other);
	store->ops->close(store);
	assert_true(tells(fixture, TOLD));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STATE_TEST(test_then_and_now),
		STATE_TEST(test_nothing_to_hide),
		STATE_TEST(test_lost_lease),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
