#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sqlite3.h>
#include <unistd.h>

#include "tests/unit/support_state_file.h"

#define S(literal)                                                                                                     \
	{                                                                                                              \
		(literal), sizeof(literal) - 1                                                                         \
	}

static const struct state_options to_write = {
	.access = STATE_WRITE, .program = S("trueup 0.1.0"), .busy_timeout_ms = 50};
static const struct state_options to_read = {.access = STATE_READ, .program = S("trueup 0.1.0"), .busy_timeout_ms = 50};

bool state_file_open(struct state_fixture *fixture, enum state_access access, struct store **ret)
{
	state_fixture_forget(fixture);
	return state_open(&fixture->world, fixture->path, access == STATE_WRITE ? &to_write : &to_read, SLICE("lab"),
			  ret, &fixture->diagnostics);
}

void state_file_make(struct state_fixture *fixture)
{
	struct store *store;

	if (!state_file_open(fixture, STATE_WRITE, &store) || !fixture_try_begin(fixture, store) ||
	    fixture_try_put(fixture, store, 0, OBJECTS) != COMMIT_DONE ||
	    !store->ops->end(store, SLICE("done"), &fixture->diagnostics))
		fail_msg("%s", state_fixture_told(fixture));
	store->ops->close(store);
}

const char *state_file_use(struct state_fixture *fixture, enum state_access access)
{
	struct store *store;
	struct object *heads;
	struct intent *intents;
	size_t count = 0, intent_count = 0;
	const char *failed = NULL;

	if (!state_file_open(fixture, access, &store))
		return "open";
	if (!store->ops->heads(store, &fixture->arena, &heads, &count, &fixture->diagnostics)) {
		failed = "heads";
	} else {
		const struct object *objects[OBJECTS];
		struct slice bodies[OBJECTS];

		count = count < OBJECTS ? count : OBJECTS;
		for (size_t i = 0; i < count; i++)
			objects[i] = &heads[i];
		if (!store->ops->bodies(store, &fixture->arena, objects, count, bodies, &fixture->diagnostics) ||
		    !store->ops->bodies(store, &fixture->arena, objects, count / 5, bodies, &fixture->diagnostics))
			failed = "bodies";
	}
	if (!failed && !store->ops->intents(store, &fixture->arena, &intents, &intent_count, &fixture->diagnostics))
		failed = "intents";
	if (!failed && access == STATE_WRITE && !fixture_try_begin(fixture, store))
		failed = "begin";
	else if (!failed && access == STATE_WRITE && fixture_try_put(fixture, store, 0, 10) != COMMIT_DONE)
		failed = "commit";
	store->ops->close(store);
	return failed;
}

void state_file_remove(struct state_fixture *fixture)
{
	assert_int_equal(unlink(fixture->path), 0);
}

struct slice state_file_schema(struct state_fixture *fixture)
{
	struct slice schema;
	sqlite3 *database;
	sqlite3_stmt *statement;

	assert_int_equal(sqlite3_open(fixture->path, &database), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(database,
					    "SELECT group_concat(sql, char(10)) FROM"
					    " (SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name)",
					    -1, &statement, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	schema = arena_copy(&fixture->arena, slice_of((const char *)sqlite3_column_text(statement, 0)));
	sqlite3_finalize(statement);
	sqlite3_close(database);
	return schema;
}

void state_file_make_older(struct state_fixture *fixture, size_t steps)
{
	static const char *const back[FORMAT_STEPS] = {
		"DROP TABLE watched; CREATE INDEX history_given_up ON history (kind) WHERE outcome = 'absent'",
		"ALTER TABLE intents DROP COLUMN sent_ms",
		"DROP TABLE step_times",
		"DROP INDEX history_given_up",
		"DROP TABLE formers",
		"ALTER TABLE stack DROP COLUMN sealing_key; ALTER TABLE intents DROP COLUMN sealed",
	};
	const size_t format = 1 + FORMAT_STEPS - steps;

	for (size_t i = 0; i < steps; i++)
		fixture_script(fixture, back[i]);
	fixture_script(fixture, arena_text(&fixture->arena,
					   "DELETE FROM migrations WHERE version > %zu; PRAGMA user_version = %zu",
					   format, format));
}
