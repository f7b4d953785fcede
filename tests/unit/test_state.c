#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state/sqlite_store.h"
#include "tests/unit/support_state_store.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define S(literal)                                                                                                     \
	{                                                                                                              \
		(literal), sizeof(literal) - 1                                                                         \
	}

static const struct state_options to_write = {.access = STATE_WRITE, .program = S("trueup 0.1.0")};
static const struct state_options to_read = {.access = STATE_READ};

static struct store *open_state(struct state_fixture *fixture, const struct state_options *options)
{
	struct store *store = NULL;

	if (!state_open(&fixture->world, fixture->path, options, SLICE("lab"), &store, &fixture->diagnostics))
		fixture_give_up(fixture);
	return store;
}

static unsigned mode_of(const char *path, const char *suffix)
{
	char whole[300];
	struct stat status;

	snprintf(whole, sizeof(whole), "%s%s", path, suffix);
	return stat(whole, &status) == 0 ? (unsigned)status.st_mode & 0777 : 0;
}

static void test_new_file(void **state)
{
	static const struct {
		const char *name;
		mode_t umask;
	} rows[] = {{"no umask", 0}, {"the usual umask", 022}, {"a strict umask", 077}, {"a mad umask", 0277}};
	struct state_fixture *fixture = (struct state_fixture *)*state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		mode_t before;
		struct store *store;
		char folder[128];

		snprintf(folder, sizeof(folder), "%s/%zu", fixture->folder, i);
		snprintf(fixture->path, sizeof(fixture->path), "%s/%zu/state.db", fixture->folder, i);
		if (rows[i].umask == 0277)
			assert_int_equal(mkdir(folder, 0700), 0);
		before = umask(rows[i].umask);
		store = open_state(fixture, &to_write);
		fixture_begin(fixture, store);
		umask(before);
		if (mode_of(folder, "") != 0700 || mode_of(fixture->path, "") != 0600 ||
		    mode_of(fixture->path, "-wal") != 0600 || mode_of(fixture->path, "-shm") != 0600)
			fail_msg("%s: modes %o %o %o %o", rows[i].name, mode_of(folder, ""), mode_of(fixture->path, ""),
				 mode_of(fixture->path, "-wal"), mode_of(fixture->path, "-shm"));
		store->ops->close(store);
	}
}

static void test_record(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &to_write);
	struct stack_record first = *store->ops->record(store), other;
	char lineage[33], key[32];

	assert_int_equal(first.lineage.size, 32);
	assert_int_equal(first.fingerprint_key.size, 32);
	assert_true(slice_is(first.name, "lab"));
	assert_int_equal(first.serial, 0);
	memcpy(lineage, first.lineage.data, 32);
	memcpy(key, first.fingerprint_key.data, 32);
	store->ops->close(store);
	assert_string_equal(fixture_names(fixture), "state.db ");

	store = open_state(fixture, &to_write);
	assert_memory_equal(store->ops->record(store)->lineage.data, lineage, 32);
	assert_memory_equal(store->ops->record(store)->fingerprint_key.data, key, 32);
	store->ops->close(store);

	snprintf(fixture->path, sizeof(fixture->path), "%s/other.db", fixture->folder);
	store = open_state(fixture, &to_write);
	other = *store->ops->record(store);
	assert_memory_not_equal(other.lineage.data, lineage, 32);
	assert_memory_not_equal(other.fingerprint_key.data, key, 32);
	store->ops->close(store);
}

static void test_round_trip(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &to_write);
	const struct object *head, *expected = fixture_object(fixture, 5);

	fixture_begin(fixture, store);
	fixture_put(fixture, store, 5, 1);
	assert_int_equal(store->ops->record(store)->serial, 1);
	store->ops->close(store);
	store = open_state(fixture, &to_write);
	assert_int_equal(store->ops->record(store)->serial, 1);
	head = fixture_heads(fixture, store, 1);
	assert_true(slice_equal(head->address, expected->address));
	assert_true(slice_equal(head->object_id, expected->object_id));
	assert_true(slice_equal(head->kind, expected->kind));
	assert_true(slice_equal(head->provider_id, expected->provider_id));
	assert_true(slice_equal(head->provider, expected->provider));
	assert_true(identity_equal(&head->identity, &expected->identity));
	assert_true(head->role == expected->role && head->kind_version == 3 && head->generation == 6);
	assert_true(head->protect && head->created_ms == expected->created_ms && !head->has_body);
	assert_true(digest_equal(&head->symbolic, &expected->symbolic));
	assert_true(digest_equal(&head->inputs, &expected->inputs));
	assert_true(digest_equal(&head->outputs_digest, &expected->outputs_digest));
	assert_true(slice_is(fixture_body(fixture, store, 5), "{\"n\":5}"));
	assert_int_equal(fixture_body(fixture, store, 6).size, 0);
	store->ops->close(store);
}

static enum commit_state commit(struct state_fixture *fixture, struct store *store, const struct commit *what)
{
	return store->ops->commit(store, what, &fixture->diagnostics);
}

/* A head without a body keeps the stored one; a removal takes both; roles and addresses move. */
static void test_changes(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &to_write);
	struct object *object = fixture_object(fixture, 1);
	const struct object *upserts[] = {object};
	const struct slice none[] = {{NULL, 0}}, body[] = {S("{\"n\":\"new\"}")};
	const struct removal removals[] = {{object->object_id, false}, {fixture_id(fixture, 77), true}};
	const struct object *head;

	fixture_begin(fixture, store);
	fixture_put(fixture, store, 1, 1);
	object->role = OBJECT_DEPOSED;
	object->address = SLICE("aws.subnet.moved");
	object->provider_id = SLICE("");
	assert_int_equal(
		commit(fixture, store, &(struct commit){.upserts = upserts, .bodies = none, .upsert_count = 1}),
		COMMIT_DONE);
	head = fixture_heads(fixture, store, 1);
	assert_true(head->role == OBJECT_DEPOSED && slice_is(head->address, "aws.subnet.moved") &&
		    head->provider_id.size == 0);
	assert_true(slice_is(fixture_body(fixture, store, 1), "{\"n\":1}"));
	assert_int_equal(
		commit(fixture, store, &(struct commit){.upserts = upserts, .bodies = body, .upsert_count = 1}),
		COMMIT_DONE);
	assert_true(slice_is(fixture_body(fixture, store, 1), "{\"n\":\"new\"}"));
	assert_int_equal(commit(fixture, store, &(struct commit){.removals = removals, .removal_count = 2}),
			 COMMIT_DONE);
	fixture_heads(fixture, store, 0);
	assert_int_equal(fixture_body(fixture, store, 1).size, 0);
	assert_int_equal(fixture_ask(fixture, "SELECT count(*) FROM bodies"), 0);
	/* Without bodies at all. */
	assert_int_equal(commit(fixture, store, &(struct commit){.upserts = upserts, .upsert_count = 1}), COMMIT_DONE);
	fixture_heads(fixture, store, 1);
	assert_int_equal(store->ops->record(store)->serial, 5);
	store->ops->close(store);
}

static void test_heads_order(void **state)
{
	static const struct {
		const char *address;
		enum object_role role;
		size_t number;
	} rows[] = {
		/* In the order in which they are expected. */
		{"aws.subnet.a", OBJECT_CURRENT, 9},	    {"aws.subnet.a", OBJECT_DEPOSED, 2},
		{"aws.subnet.a", OBJECT_DEPOSED, 7},	    {"aws.subnet.a", OBJECT_INCOMPLETE, 1},
		{"aws.subnet.a[\"b\"]", OBJECT_CURRENT, 4}, {"aws.subnet.aa", OBJECT_CURRENT, 3},
		{"aws.subnet.\xc3\xa4", OBJECT_CURRENT, 8}, {"aws.vpc.a", OBJECT_CURRENT, 5},
	};
	static const size_t written[] = {3, 0, 7, 5, 1, 6, 4, 2};
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &to_write);
	const struct object *upserts[COUNT(rows)];
	const struct object *heads;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct object *object = fixture_object(fixture, rows[written[i]].number);

		object->address = slice_of(rows[written[i]].address);
		object->role = rows[written[i]].role;
		if (slice_starts_with(object->address, SLICE("aws.vpc.")))
			object->kind = SLICE("aws.vpc");
		/* One that differs lies between those that are alike. */
		if (rows[written[i]].number == 4) {
			object->provider = SLICE("aws.west");
			object->identity.account = SLICE("2");
		}
		upserts[i] = object;
	}
	fixture_begin(fixture, store);
	assert_int_equal(commit(fixture, store, &(struct commit){.upserts = upserts, .upsert_count = COUNT(rows)}),
			 COMMIT_DONE);
	heads = fixture_heads(fixture, store, COUNT(rows));
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (!slice_is(heads[i].address, rows[i].address) || heads[i].role != rows[i].role ||
		    !slice_equal(heads[i].object_id, fixture_id(fixture, rows[i].number)))
			fail_msg("row %zu: %.*s", i, SLICE_ARGUMENTS(heads[i].address));
	}
	/* What repeats is kept once. */
	assert_ptr_equal(heads[0].kind.data, heads[6].kind.data);
	assert_ptr_equal(heads[0].identity.account.data, heads[7].identity.account.data);
	assert_ptr_equal(heads[0].provider.data, heads[7].provider.data);
	assert_true(slice_is(heads[4].provider, "aws.west") && slice_is(heads[4].identity.account, "2"));
	store->ops->close(store);
}

/* Whether by look-ups or by a scan, with missing and repeated objects, in the order asked. */
static void test_bodies(void **state)
{
	enum { STORED = 60 };
	static const struct {
		const char *name;
		size_t count;
		size_t step;
	} rows[] = {{"none", 0, 1},	{"one", 1, 1},	 {"few", 5, 13},
		    {"a third", 20, 7}, {"most", 50, 3}, {"all twice, and some that are not there", 200, 1}};
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &to_write);

	fixture_begin(fixture, store);
	fixture_put(fixture, store, 0, STORED);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct object *objects[200];
		struct slice bodies[200];

		for (size_t k = 0; k < rows[i].count; k++)
			objects[k] = fixture_object(fixture, k * rows[i].step % (STORED + 20));
		if (!store->ops->bodies(store, &fixture->arena, objects, rows[i].count, bodies, &fixture->diagnostics))
			fail_msg("%s: %s", rows[i].name, state_fixture_told(fixture));
		for (size_t k = 0; k < rows[i].count; k++) {
			size_t number = k * rows[i].step % (STORED + 20);
			struct slice expected = arena_format(&fixture->arena, "{\"n\":%zu}", number);

			if (number >= STORED ? bodies[k].size != 0 : !slice_equal(bodies[k], expected))
				fail_msg("%s: body %zu is '%.*s'", rows[i].name, k, SLICE_ARGUMENTS(bodies[k]));
		}
	}
	store->ops->close(store);
}

static void test_intents(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &to_write);
	/* Ids in falling order: the oldest stands first all the same. */
	const struct intent added[] = {fixture_intent(fixture, 9), fixture_intent(fixture, 8),
				       fixture_intent(fixture, 7)};
	const struct intent later[] = {fixture_intent(fixture, 1)};
	const struct intent_close closes[] = {{added[0].id, OUTCOME_DONE, S("request-1")},
					      {added[2].id, OUTCOME_FAILED, S("VpcLimitExceeded")}};
	const struct intent *open;

	fixture_begin(fixture, store);
	assert_int_equal(commit(fixture, store, &(struct commit){.intents = added, .intent_count = 3}), COMMIT_DONE);
	store->ops->close(store);
	store = open_state(fixture, &to_read);
	open = fixture_intents(fixture, store, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_true(slice_equal(open[i].id, added[i].id) && slice_equal(open[i].object_id, added[i].object_id));
		assert_true(slice_equal(open[i].address, added[i].address) &&
			    slice_equal(open[i].kind, added[i].kind) &&
			    slice_equal(open[i].operation, added[i].operation));
		assert_true(open[i].recipe == RECIPE_TOKEN && open[i].creates && open[i].wall_ms == added[i].wall_ms);
		assert_true(slice_equal(open[i].parameters, added[i].parameters) &&
			    slice_equal(open[i].identity, added[i].identity) &&
			    slice_equal(open[i].token, added[i].token));
	}
	store->ops->close(store);
	fixture->boot_offset_ms = STATE_LEASE_TERM_MS;
	store = open_state(fixture, &to_write);
	fixture_begin(fixture, store);
	assert_int_equal(
		commit(fixture, store,
		       &(struct commit){.closes = closes, .close_count = 2, .intents = later, .intent_count = 1}),
		COMMIT_DONE);
	open = fixture_intents(fixture, store, 2);
	assert_true(slice_equal(open[0].id, added[1].id) && slice_equal(open[1].id, later[0].id));
	/* Of the run that sent the calls, which another one settled. */
	assert_int_equal(fixture_ask(fixture, "SELECT count(*) FROM history WHERE run = 1"), 2);
	assert_int_equal(fixture_ask(fixture,
				     "SELECT count(*) FROM history WHERE operation = 'CreateVpc' AND outcome = 'done'"
				     " AND note LIKE 'request-1 (apply ________)' AND sent_ms = 1700000000001"
				     " AND ended_ms > 1700000000001"),
			 1);
	assert_int_equal(fixture_ask(fixture, "SELECT count(*) FROM history WHERE outcome = 'failed'"
					      " AND note LIKE 'VpcLimitExceeded (apply ________)'"),
			 1);
	store->ops->close(store);
}

/* A commit that is wrong in one thing does nothing of the rest. */
static void test_all_or_nothing(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &to_write);
	const struct intent good[] = {fixture_intent(fixture, 1)};
	struct intent again[] = {fixture_intent(fixture, 2), fixture_intent(fixture, 2)},
		      bad_id[] = {fixture_intent(fixture, 3)};
	const struct intent_close unknown[] = {{fixture_id(fixture, 555), OUTCOME_DONE, S("")}};
	struct object *object = fixture_object(fixture, 1), *bad_object = fixture_object(fixture, 2);
	const struct object *upserts[] = {object}, *bad_upserts[] = {object, bad_object};
	const struct removal bad_removal[] = {{.object_id = S("0123")}};
	const struct {
		const char *name;
		struct commit commit;
	} rows[] = {
		{"a close of no open intent",
		 {.upserts = upserts, .upsert_count = 1, .closes = unknown, .close_count = 1}},
		{"an intent twice", {.upserts = upserts, .upsert_count = 1, .intents = again, .intent_count = 2}},
		{"an intent's id that is none",
		 {.upserts = upserts, .upsert_count = 1, .intents = bad_id, .intent_count = 1}},
		{"an object's id that is none", {.upserts = bad_upserts, .upsert_count = 2}},
		{"a removal's id that is none",
		 {.upserts = upserts, .upsert_count = 1, .removals = bad_removal, .removal_count = 1}},
		{"an intent that is open already",
		 {.upserts = upserts, .upsert_count = 1, .intents = good, .intent_count = 1}},
	};

	bad_id[0].id = SLICE("0123456789abcdef0123456789ABCDEF");
	bad_object->object_id = SLICE("");
	fixture_begin(fixture, store);
	assert_int_equal(commit(fixture, store, &(struct commit){.intents = good, .intent_count = 1}), COMMIT_DONE);
	for (size_t i = 0; i < COUNT(rows); i++) {
		state_fixture_forget(fixture);
		if (commit(fixture, store, &rows[i].commit) != COMMIT_FAILED)
			fail_msg("%s: taken", rows[i].name);
		if (fixture->diagnostics.error_count != 1 || fixture->diagnostics.items[0].fault != FAULT_INTERNAL)
			fail_msg("%s: %s", rows[i].name, state_fixture_told(fixture));
		fixture_heads(fixture, store, 0);
		fixture_intents(fixture, store, 1);
		assert_int_equal(store->ops->record(store)->serial, 1);
	}
	/* And the store goes on. */
	fixture_put(fixture, store, 1, 1);
	fixture_heads(fixture, store, 1);
	assert_int_equal(store->ops->record(store)->serial, 2);
	store->ops->close(store);
}

static void test_read_only_refuses(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &to_write);
	const struct run run = {.id = fixture_id(fixture, 1), .command = SLICE("apply")};
	const struct commit nothing = {0};

	/* Without a run. */
	assert_int_equal(commit(fixture, store, &nothing), COMMIT_FAILED);
	assert_true(state_fixture_said(fixture, FAULT_INTERNAL, "no run was begun"));
	assert_false(store->ops->heartbeat(store, &fixture->diagnostics));
	assert_false(store->ops->end(store, SLICE("done"), &fixture->diagnostics));
	assert_int_equal(store->ops->poll(store, 0, &fixture->diagnostics), COMMIT_DONE);
	store->ops->close(store);

	store = open_state(fixture, &to_read);
	state_fixture_forget(fixture);
	assert_false(store->ops->begin(store, &run, &fixture->diagnostics));
	assert_false(store->ops->heartbeat(store, &fixture->diagnostics));
	assert_false(store->ops->end(store, SLICE("done"), &fixture->diagnostics));
	assert_int_equal(commit(fixture, store, &nothing), COMMIT_FAILED);
	assert_int_equal(fixture->diagnostics.error_count, 4);
	assert_true(state_fixture_said(fixture, FAULT_INTERNAL, "reading only"));
	store->ops->close(store);
}

/* Where there is none it is as if a new one were there, and none is. */
static void test_blank(void **state)
{
	static const struct state_options options = {.access = STATE_READ_OR_BLANK, .program = S("trueup 0.1.0")};
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &options);
	struct object *heads;
	const struct run run = {.id = fixture_id(fixture, 1), .command = SLICE("apply")};
	struct lease_holder holder;
	size_t count = 1;

	assert_true(slice_is(store->ops->record(store)->name, "lab"));
	assert_int_equal(store->ops->record(store)->serial, 0);
	assert_int_equal(store->ops->record(store)->lineage.size, 32);
	assert_true(store->ops->heads(store, &fixture->arena, &heads, &count, &fixture->diagnostics));
	assert_int_equal(count, 0);
	assert_true(store->ops->holder(store, &fixture->arena, &holder, &fixture->diagnostics));
	assert_false(holder.held);
	assert_false(store->ops->begin(store, &run, &fixture->diagnostics));
	assert_true(state_fixture_said(fixture, FAULT_INTERNAL, "reading only"));
	store->ops->close(store);
	assert_int_equal(mode_of(fixture->path, ""), 0);

	store = open_state(fixture, &to_write);
	fixture_begin(fixture, store);
	fixture_put(fixture, store, 5, 1);
	store->ops->close(store);
	store = open_state(fixture, &options);
	assert_int_equal(store->ops->record(store)->serial, 1);
	store->ops->close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STATE_TEST(test_new_file), STATE_TEST(test_record),	    STATE_TEST(test_round_trip),
		STATE_TEST(test_changes),  STATE_TEST(test_heads_order),    STATE_TEST(test_bodies),
		STATE_TEST(test_intents),  STATE_TEST(test_all_or_nothing), STATE_TEST(test_read_only_refuses),
		STATE_TEST(test_blank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
