#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "state/sqlite_store.h"
#include "state/store_parts.h"
#include "tests/unit/support_state_store.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ANOTHER "00112233445566778899aabbccddeeff"

/* The key that secrets are sealed under, and what takes its place. */

static void check(const char *what, struct store *store, struct slice lineage, const char *key)
{
	const struct stack_record *record = store->ops->record(store);

	if (!slice_equal(record->lineage, lineage) || !slice_is(record->sealing_key, key) ||
	    (record->wrapped_key.size > 0) != (record->sealing_key.size > 0))
		fail_msg("%s: the key '%.*s' of the lineage %.*s", what, SLICE_ARGUMENTS(record->sealing_key),
			 SLICE_ARGUMENTS(record->lineage));
}

static struct store *open_state(struct state_fixture *fixture)
{
	const struct state_options options = {.access = STATE_WRITE, .program = SLICE("trueup 0.1.0")};
	struct store *store = NULL;

	if (!state_open(&fixture->world, fixture->path, &options, SLICE("lab"), &store, &fixture->diagnostics))
		fixture_give_up(fixture);
	return store;
}

/* A service opens a key for no lineage but that which it made it for, and a key's file is named after that one. */
static void test_key_of_another_lineage(void **state)
{
	static const struct {
		const char *what, *lineage, *key;
	} rows[] = {
		{"none, which is its own", "", "one"},
		{"its own", NULL, "one"},
		{"another", ANOTHER, ""},
		{"that one once more", ANOTHER, ""},
	};
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture), *reader;

	assert_true(store->ops->adopt_key(store, SLICE("one wrapped"), &fixture->diagnostics));
	fixture_begin(fixture, store);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice before = store->ops->record(store)->lineage;
		const struct commit commit = {.lineage = rows[i].lineage ? slice_of(rows[i].lineage) : before};

		assert_int_equal(store->ops->commit(store, &commit, &fixture->diagnostics), COMMIT_DONE);
		check(rows[i].what, store, commit.lineage.size > 0 ? commit.lineage : before, rows[i].key);
		reader = open_state(fixture);
		check(rows[i].what, reader, store->ops->record(store)->lineage, rows[i].key);
		reader->ops->close(reader);
	}
	/* The next one that is needed is made for it. */
	assert_true(store->ops->adopt_key(store, SLICE("two wrapped"), &fixture->diagnostics));
	check("a new key", store, SLICE(ANOTHER), "two");
	store->ops->close(store);
}

static bool rekey(struct state_fixture *fixture, struct store *store, const char *old_id, const char *new_id)
{
	struct intent intent = fixture_intent(fixture, 1);
	const struct rekey rekey = {slice_of(old_id), slice_of(new_id), &intent, 1};

	intent.sealed = slice_of(new_id);
	state_fixture_forget(fixture);
	return store->ops->rekey(store, &rekey, &fixture->diagnostics);
}

static void expect_key(struct state_fixture *fixture, struct store *store, const char *id, const char *sealed)
{
	assert_true(slice_is(store->ops->record(store)->sealing_key, id));
	assert_true(slice_is(fixture_intents(fixture, store, 1)[0].sealed, sealed));
}

/* A key replaces the one that it was made to replace, by whoever holds the stack, with all that is sealed under it. */
static void test_rekey(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture);
	struct intent intent = fixture_intent(fixture, 1);

	fixture_begin(fixture, store);
	intent.sealed = SLICE("one");
	assert_int_equal(store->ops->commit(store, &(struct commit){.intents = &intent, .intent_count = 1},
					    &fixture->diagnostics),
			 COMMIT_DONE);
	assert_true(store->ops->adopt_key(store, SLICE("one"), &fixture->diagnostics));
	assert_true(store->ops->adopt_key(store, SLICE("another"), &fixture->diagnostics));
	expect_key(fixture, store, "one", "one");
	assert_false(rekey(fixture, store, "another", "two"));
	assert_true(state_fixture_said(fixture, FAULT_STALE, "has replaced the sealing key"));
	expect_key(fixture, store, "one", "one");
	assert_true(rekey(fixture, store, "one", "two"));
	expect_key(fixture, store, "two", "two");
	fixture_script(fixture, "UPDATE lease SET fencing = fencing + 1");
	assert_false(rekey(fixture, store, "two", "three"));
	assert_true(state_fixture_said(fixture, FAULT_LEASE, "lost its lease"));
	expect_key(fixture, store, "two", "two");
	store->ops->close(store);
}

/* Whether a text is in any byte of the file or of its journal. */
static bool rests(struct state_fixture *fixture, struct slice text)
{
	struct slice journal = arena_format(&fixture->arena, "%s-wal", fixture->path);

	return slice_contains(file_read(fixture, fixture->path), text) ||
	       slice_contains(file_read(fixture, arena_string(&fixture->arena, journal)), text);
}

/* Whoever comes by the old key later, and the file, has nothing of what was sealed under it. */
static void test_nothing_rests_under_the_old_key(void **state)
{
	static const struct {
		const char *name;
		size_t before, after; /* how large that is which is sealed; 0: it is no more */
	} rows[] = {
		{"as much under the new one", 40, 40},
		{"less", 400, 40},
		{"more", 40, 400},
		{"more than a page of it before", 9000, 40},
		{"more than a page of it after", 40, 9000},
		{"its call has ended", 400, 0},
	};
	struct state_fixture *fixture = (struct state_fixture *)*state;
	const struct slice mark = SLICE("under-the-old-key.");

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct store *store = open_state(fixture);
		struct intent intent = fixture_intent(fixture, i);
		struct slice old_id = arena_format(&fixture->arena, "key-%zu", i);
		struct slice new_id = arena_format(&fixture->arena, "key-%zu", i + 1);
		const struct rekey rekey = {old_id, new_id, &intent, 1};
		const struct intent_close close = {.id = intent.id, .outcome = OUTCOME_DONE};

		fixture_begin(fixture, store);
		assert_true(store->ops->adopt_key(store, old_id, &fixture->diagnostics));
		intent.sealed = arena_format(&fixture->arena, "%.*s%0*d%.*s", SLICE_ARGUMENTS(mark),
					     (int)rows[i].before, 0, SLICE_ARGUMENTS(mark));
		assert_int_equal(store->ops->commit(store, &(struct commit){.intents = &intent, .intent_count = 1},
						    &fixture->diagnostics),
				 COMMIT_DONE);
		assert_true(rests(fixture, mark));
		intent.sealed = arena_format(&fixture->arena, "%0*d", (int)rows[i].after, 1);
		if (rows[i].after == 0)
			assert_int_equal(store->ops->commit(store, &(struct commit){.closes = &close, .close_count = 1},
							    &fixture->diagnostics),
					 COMMIT_DONE);
		else
			assert_true(store->ops->rekey(store, &rekey, &fixture->diagnostics));
		assert_true(store->ops->end(store, SLICE("done"), &fixture->diagnostics));
		store->ops->close(store);
		if (rests(fixture, mark))
			fail_msg("%s", rows[i].name);
	}
}

/* Looks at the store's key when its file is closed. */
static void expect_wiped(void *context)
{
	const struct store *store = (const struct store *)context;
	static const char none[FINGERPRINT_KEY_BYTES];

	assert_memory_equal(store->ops->record(store)->fingerprint_key.data, none, sizeof(none));
}

static void do_nothing(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)context;
	(void)count;
	(void)values;
}

/* The memory it lay in is anybody's then. */
static void test_fingerprint_key_is_wiped(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture);
	sqlite3 *handle = sqlite_store_of(store)->file.database.handle;

	assert_int_equal(sqlite3_create_function_v2(handle, "looks", 0, SQLITE_UTF8, store, do_nothing, NULL, NULL,
						    expect_wiped),
			 SQLITE_OK);
	store->ops->close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STATE_TEST(test_key_of_another_lineage),
		STATE_TEST(test_rekey),
		STATE_TEST(test_nothing_rests_under_the_old_key),
		STATE_TEST(test_fingerprint_key_is_wiped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
