#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "state/sqlite_store.h"
#include "tests/unit/support_state_store.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ANOTHER "00112233445566778899aabbccddeeff"

/* The key that secrets are sealed under, where the stack takes another lineage. */

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

int main(void)
{
	const struct CMUnitTest tests[] = {STATE_TEST(test_key_of_another_lineage)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
