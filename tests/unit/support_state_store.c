#include "tests/unit/support_state_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

void fixture_give_up(struct state_fixture *fixture)
{
	state_fixture_end_child(fixture);
	fail_msg("%s", state_fixture_told(fixture));
}

bool fixture_try_begin(struct state_fixture *fixture, struct store *store)
{
	char id[33];
	struct run run = {.id = {id, 32}, .command = SLICE("apply"), .plan_digest = SLICE("d1")};
	uint64_t random[2];

	fixture->world.random(&fixture->world, random, sizeof(random));
	snprintf(id, sizeof(id), "%016llx%016llx", (unsigned long long)random[0], (unsigned long long)random[1]);
	return store->ops->begin(store, &run, &fixture->diagnostics);
}

void fixture_begin(struct state_fixture *fixture, struct store *store)
{
	if (!fixture_try_begin(fixture, store))
		fixture_give_up(fixture);
}

struct slice fixture_id(struct state_fixture *fixture, size_t number)
{
	return arena_format(&fixture->arena, "%032zx", number);
}

struct object *fixture_object(struct state_fixture *fixture, size_t number)
{
	struct object *object = arena_new(&fixture->arena, struct object);

	object->address = arena_format(&fixture->arena, "aws.subnet.s%06zu", number);
	object->object_id = fixture_id(fixture, number);
	object->kind = SLICE("aws.subnet");
	object->kind_version = 3;
	object->generation = (int64_t)number + 1;
	object->provider_id = arena_format(&fixture->arena, "subnet-%zu", number);
	object->identity =
		(struct identity){SLICE("aws"), SLICE("aws"), SLICE("123456789012"), SLICE("us-west-2"), SLICE("sim:")};
	object->provider = SLICE("aws.east");
	object->protect = number % 2 == 1;
	memset(object->symbolic.bytes, (int)number, DIGEST_BYTES);
	memset(object->inputs.bytes, (int)number + 1, DIGEST_BYTES);
	memset(object->outputs_digest.bytes, (int)number + 2, DIGEST_BYTES);
	object->created_ms = 1700000000000 + (int64_t)number;
	return object;
}

struct intent fixture_intent(struct state_fixture *fixture, size_t number)
{
	return (struct intent){
		.id = fixture_id(fixture, 1000000 + number),
		.object_id = fixture_id(fixture, number),
		.address = SLICE("aws.vpc.a"),
		.kind = SLICE("aws.vpc"),
		.operation = SLICE("CreateVpc"),
		.recipe = RECIPE_TOKEN,
		.parameters = SLICE("{\"CidrBlock\":\"10.0.0.0/16\"}"),
		.identity = SLICE("aws:1:us-west-2"),
		.token = SLICE("token"),
		.wall_ms = 1700000000001,
		.creates = true,
	};
}

enum commit_state fixture_try_put(struct state_fixture *fixture, struct store *store, size_t first, size_t count)
{
	const struct object **objects = (const struct object **)memory_get((count + 1) * sizeof(struct object *));
	struct slice *bodies = (struct slice *)memory_get((count + 1) * sizeof(*bodies));
	struct commit commit = {.upserts = objects, .bodies = bodies, .upsert_count = count};
	enum commit_state done;

	for (size_t i = 0; i < count; i++) {
		objects[i] = fixture_object(fixture, first + i);
		bodies[i] = arena_format(&fixture->arena, "{\"n\":%zu}", first + i);
	}
	done = store->ops->commit(store, &commit, &fixture->diagnostics);
	free(objects);
	free(bodies);
	return done;
}

void fixture_put(struct state_fixture *fixture, struct store *store, size_t first, size_t count)
{
	if (fixture_try_put(fixture, store, first, count) != COMMIT_DONE)
		fixture_give_up(fixture);
}

struct object *fixture_heads(struct state_fixture *fixture, struct store *store, size_t expected)
{
	struct object *heads;
	size_t count;

	if (!store->ops->heads(store, &fixture->arena, &heads, &count, &fixture->diagnostics))
		fixture_give_up(fixture);
	assert_int_equal(count, expected);
	return heads;
}

struct intent *fixture_intents(struct state_fixture *fixture, struct store *store, size_t expected)
{
	struct intent *intents;
	size_t count;

	if (!store->ops->intents(store, &fixture->arena, &intents, &count, &fixture->diagnostics))
		fixture_give_up(fixture);
	assert_int_equal(count, expected);
	return intents;
}

struct slice fixture_body(struct state_fixture *fixture, struct store *store, size_t number)
{
	const struct object *object = fixture_object(fixture, number);
	struct slice body = SLICE("untouched");

	if (!store->ops->bodies(store, &fixture->arena, &object, 1, &body, &fixture->diagnostics))
		fixture_give_up(fixture);
	return body;
}

int64_t fixture_ask(const struct state_fixture *fixture, const char *sql)
{
	sqlite3 *handle = NULL;
	sqlite3_stmt *statement = NULL;
	int64_t answer = 0;

	if (sqlite3_open(fixture->path, &handle) != SQLITE_OK ||
	    sqlite3_prepare_v2(handle, sql, -1, &statement, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(handle));
	if (sqlite3_step(statement) == SQLITE_ROW)
		answer = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(handle);
	return answer;
}

void fixture_script(const struct state_fixture *fixture, const char *sql)
{
	sqlite3 *handle = NULL;

	if (sqlite3_open(fixture->path, &handle) != SQLITE_OK ||
	    sqlite3_exec(handle, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(handle));
	sqlite3_close(handle);
}

const char *fixture_names(struct state_fixture *fixture)
{
	char folder[128];
	struct dirent **entries;
	struct slice joined = {NULL, 0};
	int count;

	snprintf(folder, sizeof(folder), "%s/.trueup", fixture->folder);
	count = scandir(folder, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.')
			joined = arena_format(&fixture->arena, "%.*s%s ", SLICE_ARGUMENTS(joined), entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return joined.size > 0 ? joined.data : "";
}
