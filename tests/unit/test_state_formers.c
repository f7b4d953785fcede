#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include <sqlite3.h>
#include <stdio.h>
#include <time.h>

#include "tests/unit/support_state_file.h"

/* What a run found of each object that it changed, and what it left. */

struct store_user {
	struct state_fixture *fixture;
	struct store *store;
	struct slice runs[16];
	size_t run_count;
};

static struct store_user open_user(void **state)
{
	struct store_user user = {.fixture = (struct state_fixture *)*state};

	if (!state_file_open(user.fixture, STATE_WRITE, &user.store))
		fixture_give_up(user.fixture);
	return user;
}

static struct slice begin_as(struct store_user *user, const char *command, size_t number)
{
	struct slice id = fixture_id(user->fixture, number);
	struct run run = {.id = id, .command = slice_of(command)};

	if (!user->store->ops->begin(user->store, &run, &user->fixture->diagnostics))
		fixture_give_up(user->fixture);
	return id;
}

static void begin(struct store_user *user, const char *command)
{
	user->runs[user->run_count] = begin_as(user, command, 0xabc000 + user->run_count);
	user->run_count++;
}

static void end(struct store_user *user)
{
	if (!user->store->ops->end(user->store, SLICE("done"), &user->fixture->diagnostics))
		fixture_give_up(user->fixture);
}

/* Writes object 1 under another alias and body, so that its forms can be told apart. */
static void put(struct store_user *user, const char *alias)
{
	struct object *object = fixture_object(user->fixture, 1);
	const struct object *const objects[] = {object};
	const struct slice bodies[] = {arena_format(&user->fixture->arena, "{\"by\":\"%s\"}", alias)};
	struct commit commit = {.upserts = objects, .bodies = bodies, .upsert_count = 1};

	object->provider = arena_format(&user->fixture->arena, "aws.%s", alias);
	if (user->store->ops->commit(user->store, &commit, &user->fixture->diagnostics) != COMMIT_DONE)
		fixture_give_up(user->fixture);
}

static void take_out(struct store_user *user)
{
	const struct removal removal = {.object_id = fixture_id(user->fixture, 1)};
	struct commit commit = {.removals = &removal, .removal_count = 1};

	if (user->store->ops->commit(user->store, &commit, &user->fixture->diagnostics) != COMMIT_DONE)
		fixture_give_up(user->fixture);
}

/* What a call made is nobody's yet as long as it is not known what became of the call. */
static void expect_open(struct store_user *user, struct slice intent, bool wanted)
{
	const struct past_question question = {intent, SLICE("subnet-1"), SLICE("")};
	struct past_call past;

	if (!user->store->ops->past(user->store, &user->fixture->arena, &question, 1, &past,
				    &user->fixture->diagnostics))
		fixture_give_up(user->fixture);
	assert_true(past.known);
	assert_int_equal(past.is_open, wanted);
}

/* The call that made object 1 is sent and answered. */
static void call(struct store_user *user)
{
	struct intent intent = fixture_intent(user->fixture, 1);
	const struct intent_close close = {intent.id, OUTCOME_DONE, SLICE("")};
	struct commit open_it = {.intents = &intent, .intent_count = 1};
	struct commit close_it = {.closes = &close, .close_count = 1};

	if (user->store->ops->commit(user->store, &open_it, &user->fixture->diagnostics) != COMMIT_DONE)
		fixture_give_up(user->fixture);
	expect_open(user, intent.id, true);
	if (user->store->ops->commit(user->store, &close_it, &user->fixture->diagnostics) != COMMIT_DONE)
		fixture_give_up(user->fixture);
	expect_open(user, intent.id, false);
}

static void expect_past_id(struct store_user *user, const char *provider_id)
{
	const struct past_question question = {fixture_id(user->fixture, 1000001), SLICE("subnet-1"), SLICE("")};
	struct past_call past;

	if (!user->store->ops->past(user->store, &user->fixture->arena, &question, 1, &past,
				    &user->fixture->diagnostics))
		fixture_give_up(user->fixture);
	assert_true(past.known);
	assert_true(slice_is(past.provider_id, provider_id));
	assert_int_equal(past.was_recorded, provider_id[0] != '\0');
}

static void expect_recorded(struct store_user *user, const char *provider_id, struct slice object_id, bool wanted)
{
	const struct past_question question = {SLICE(""), slice_of(provider_id), object_id};
	struct past_call past;

	if (!user->store->ops->past(user->store, &user->fixture->arena, &question, 1, &past,
				    &user->fixture->diagnostics))
		fixture_give_up(user->fixture);
	assert_false(past.known);
	if (past.was_recorded != wanted)
		fail_msg("%s of %.*s", provider_id, SLICE_ARGUMENTS(object_id));
}

static struct past_object *changed(struct store_user *user, size_t run, size_t expected)
{
	struct past_object *past;
	size_t count;

	if (!user->store->ops->changed(user->store, &user->fixture->arena, user->runs[run], &past, &count,
				       &user->fixture->diagnostics))
		fixture_give_up(user->fixture);
	assert_int_equal(count, expected);
	return past;
}

/* alias: NULL where there was nothing. */
static void expect_form(bool is, const struct object *object, struct slice body, const char *alias)
{
	char wanted[64];

	assert_int_equal(is, alias != NULL);
	if (!alias)
		return;
	snprintf(wanted, sizeof(wanted), "{\"by\":\"%s\"}", alias);
	assert_true(slice_is(slice_from(object->provider, sizeof("aws.") - 1), alias));
	assert_true(slice_is(object->address, "aws.subnet.s000001"));
	assert_true(slice_is(object->provider_id, "subnet-1"));
	assert_int_equal(object->generation, 2);
	assert_true(slice_is(body, wanted));
}

static void expect(struct store_user *user, size_t run, const char *before, const char *after, int next)
{
	const struct past_object *past = changed(user, run, 1);

	expect_form(past->was, &past->before, past->before_body, before);
	expect_form(past->is, &past->after, past->after_body, after);
	assert_true(slice_equal(past->before.object_id, fixture_id(user->fixture, 1)));
	if (next < 0)
		assert_int_equal(past->next_run.size, 0);
	else
		assert_true(slice_equal(past->next_run, user->runs[next]));
	assert_true(slice_is(past->next_command, next < 0 ? "" : "later"));
}

/* Three runs make, change twice and remove an object: each knows what it found at first and left at last. */
static void test_forms(void **state)
{
	struct store_user user = open_user(state);

	begin(&user, "first");
	put(&user, "made");
	put(&user, "settled");
	end(&user);
	expect(&user, 0, NULL, "settled", -1);
	begin(&user, "later");
	put(&user, "half");
	put(&user, "changed");
	end(&user);
	expect(&user, 0, NULL, "settled", 1);
	expect(&user, 1, "settled", "changed", -1);
	begin(&user, "later");
	take_out(&user);
	end(&user);
	expect(&user, 1, "settled", "changed", 2);
	expect(&user, 2, "changed", NULL, -1);
	user.store->ops->close(user.store);
}

static void run_sql(const char *path, const char *sql)
{
	sqlite3 *database = NULL;

	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(database);
}

static struct intent change(struct store_user *user)
{
	struct intent intent = fixture_intent(user->fixture, 1);

	intent.operation = SLICE("ModifySubnetAttribute");
	intent.recipe = RECIPE_CONVERGE;
	intent.creates = false;
	return intent;
}

static void send(struct store_user *user, const struct intent *intent)
{
	struct commit commit = {.intents = intent, .intent_count = 1};

	if (user->store->ops->commit(user->store, &commit, &user->fixture->diagnostics) != COMMIT_DONE)
		fixture_give_up(user->fixture);
}

/* What another run found out of the call is recorded: object 1 is as the call left it. */
static void settle(struct store_user *user, const struct intent *intent, const char *alias)
{
	struct object *object = fixture_object(user->fixture, 1);
	const struct object *const objects[] = {object};
	const struct removal removals[] = {{.object_id = object->object_id}};
	const struct intent_close close = {intent->id, OUTCOME_DONE, SLICE("read")};
	struct commit commit = {.closes = &close, .close_count = 1, .settles = true};
	struct slice body = alias ? arena_format(&user->fixture->arena, "{\"by\":\"%s\"}", alias) : SLICE("");

	if (alias) {
		object->provider = arena_format(&user->fixture->arena, "aws.%s", alias);
		commit.upserts = objects;
		commit.bodies = &body;
		commit.upsert_count = 1;
	} else {
		commit.removals = removals;
		commit.removal_count = 1;
	}
	if (user->store->ops->commit(user->store, &commit, &user->fixture->diagnostics) != COMMIT_DONE)
		fixture_give_up(user->fixture);
}

static void expect_call(struct store_user *user, size_t run, const char *outcome, const char *note)
{
	struct call_record *calls;
	size_t count;

	if (!user->store->ops->calls(user->store, &user->fixture->arena, user->runs[run], user->runs[run], &calls,
				     &count, &user->fixture->diagnostics))
		fixture_give_up(user->fixture);
	assert_int_equal(count, outcome ? 1 : 0);
	if (!outcome)
		return;
	assert_true(slice_is(calls[0].outcome, outcome));
	assert_true(slice_is(calls[0].note, note));
	assert_int_equal(calls[0].settled_later, strchr(note, '(') != NULL);
}

/* A run that ended within a call has found what there was before it, and has done what another one finds out. */
static void test_cut_off(void **state)
{
	static const struct {
		const char *name;
		const char *left; /* NULL: the object is gone */
		const char *sql;  /* what is done to the file in between */
	} rows[] = {
		{"an update", "settled", NULL},
		{"a delete", NULL, NULL},
		{"an update by a version that kept nothing with intents", "settled",
		 "DELETE FROM formers WHERE run = 2"},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct store_user user = open_user(state);
		const struct intent intent = change(&user);

		begin(&user, "first");
		put(&user, "made");
		end(&user);
		begin(&user, "later");
		send(&user, &intent);
		end(&user);
		expect(&user, 0, NULL, "made", 1);
		expect(&user, 1, "made", "made", -1);
		expect_call(&user, 1, "unknown", "");
		if (rows[i].sql)
			run_sql(user.fixture->path, rows[i].sql);
		begin(&user, "recover");
		settle(&user, &intent, rows[i].left);
		end(&user);
		expect(&user, 1, "made", rows[i].left, -1);
		expect_call(&user, 1, "done", "read (recover 00000000)");
		changed(&user, 2, 0);
		expect_call(&user, 2, NULL, NULL);
		user.store->ops->close(user.store);
		state_file_remove(user.fixture);
	}
}

/* A call of the past says which id its object had before a run deleted it. */
static void test_id_of_past_call(void **state)
{
	struct store_user user = open_user(state);

	begin(&user, "first");
	call(&user);
	put(&user, "made");
	end(&user);
	expect_past_id(&user, "");
	begin(&user, "later");
	take_out(&user);
	end(&user);
	expect_past_id(&user, "subnet-1");
	user.store->ops->close(user.store);
}

/* As the script has it: the digits of the number as bytes. */
static struct slice id_of_digits(struct state_fixture *fixture, size_t number)
{
	char digits[17], id[33];

	(void)snprintf(digits, sizeof(digits), "%016zu", number);
	for (size_t i = 0; i < 16; i++)
		(void)snprintf(id + 2 * i, 3, "%02x", (unsigned)digits[i]);
	return arena_copy(&fixture->arena, slice_of(id));
}

/* After an older state was put back there may be as many as the stack has: not each costs a look through everything.
 * Those of even numbers were called for, each fourth of them by a call that failed; each third was recorded. */
static void test_many_at_once(void **state)
{
	enum { MANY = 20000, MOST_S = 10 };

	struct store_user user = open_user(state);
	struct past_question *questions = arena_new_array(&user.fixture->arena, MANY, struct past_question);
	struct past_call *past = arena_new_array(&user.fixture->arena, MANY, struct past_call);

	begin(&user, "apply");
	end(&user);
	run_sql(user.fixture->path,
		"CREATE TEMP TABLE numbers AS WITH RECURSIVE n(n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM n WHERE "
		"n < 19999) SELECT n, CAST(printf('%016d', n) AS BLOB) AS id FROM n;"
		"INSERT INTO history (run, intent, object_id, address, kind, operation, outcome, note, sent_ms, "
		"ended_ms)"
		" SELECT 1, id, id, 'a' || n, 'k', 'o', iif(n % 8, 'done', 'failed'), '', 0, n FROM numbers"
		" WHERE n % 2 = 0;"
		"INSERT INTO formers (run, object_id, address, role, provider_id)"
		" SELECT 1, id, 'a' || n, 0, 'p' || n FROM numbers WHERE n % 3 = 0;");
	for (size_t i = 0; i < MANY; i++)
		questions[i] = (struct past_question){
			.intent = id_of_digits(user.fixture, i),
			.provider_id = arena_format(&user.fixture->arena, "p%zu", i),
		};
	clock_t began = clock();
	assert_true(user.store->ops->past(user.store, &user.fixture->arena, questions, MANY, past,
					  &user.fixture->diagnostics));
	assert_true((clock() - began) / CLOCKS_PER_SEC < MOST_S);
	for (size_t i = 0; i < MANY; i++) {
		assert_int_equal(past[i].known, i % 2 == 0);
		assert_int_equal(past[i].was_recorded, i % 3 == 0);
		assert_int_equal(past[i].outcome, i % 8 == 0 ? OUTCOME_FAILED : OUTCOME_DONE);
		assert_int_equal(past[i].ended_ms, i % 2 == 0 ? i : 0);
		assert_int_equal(past[i].provider_id.size > 0, i % 6 == 0);
	}
	user.store->ops->close(user.store);
}

static struct past_call past_of(struct store_user *user)
{
	const struct past_question question = {SLICE(""), SLICE("subnet-1"), SLICE("")};
	struct past_call past;

	if (!user->store->ops->past(user->store, &user->fixture->arena, &question, 1, &past,
				    &user->fixture->diagnostics))
		fixture_give_up(user->fixture);
	assert_true(past.was_recorded);
	return past;
}

/* What no call ended, and nobody let go of, is not there as far as a listing showed: a state that was made anew has
 * lost what it did not find, and whoever found it gone has only missed it. */
static void test_missed(void **state)
{
	static const struct {
		const char *command;
		bool calls, wanted;
	} rows[] = {
		{"state rebuild", false, true}, {"state rm", false, false}, {"apply", false, true},
		{"destroy", false, true},	{"apply", true, false},	    {"state rm", false, false},
	};
	struct store_user user = open_user(state);

	for (size_t i = 0; i < COUNT(rows); i++) {
		begin(&user, "apply");
		put(&user, "made");
		end(&user);
		begin(&user, rows[i].command);
		if (rows[i].calls)
			call(&user);
		take_out(&user);
		end(&user);
		const struct past_call past = past_of(&user);
		bool has_called = rows[i].calls && strcmp(rows[i].command, "state rm") != 0;
		if (past.was_missed != rows[i].wanted || (past.called_ms > 0) != has_called)
			fail_msg("row %zu, %s: missed %d, called %d", i, rows[i].command, past.was_missed,
				 past.called_ms > 0);
	}
	user.store->ops->close(user.store);
}

/* Where names are used again, what had one before is not what has it now. */
static void test_name_used_again(void **state)
{
	static const struct {
		const char *id;
		unsigned object; /* in the tags; 0: any, as where no id is used again */
		bool wanted;
	} rows[] = {{"subnet-1", 0, true}, {"subnet-1", 1, true}, {"subnet-1", 2, false}, {"subnet-2", 1, false}};
	static const char *const no_ids[] = {"somebody's", "0123456789abcdef0123456789abcdefff"};
	struct store_user user = open_user(state);

	begin(&user, "first");
	put(&user, "made");
	end(&user);
	begin(&user, "later");
	take_out(&user);
	end(&user);
	for (size_t i = 0; i < COUNT(rows); i++)
		expect_recorded(&user, rows[i].id,
				rows[i].object ? fixture_id(user.fixture, rows[i].object) : SLICE(""), rows[i].wanted);
	for (size_t i = 0; i < COUNT(no_ids); i++)
		expect_recorded(&user, "subnet-1", slice_of(no_ids[i]), false);
	user.store->ops->close(user.store);
}

/* What was made and removed within one run is neither before nor after it. */
static void test_passing(void **state)
{
	struct store_user user = open_user(state);

	begin(&user, "first");
	put(&user, "made");
	take_out(&user);
	end(&user);
	expect(&user, 0, NULL, NULL, -1);
	begin(&user, "later");
	end(&user);
	changed(&user, 1, 0);
	user.store->ops->close(user.store);
}

/* What runs found is kept while they are among the newest, or young: without gaps, the oldest goes first. */
static void test_pruning(void **state)
{
	enum { DAY_S = 24 * 60 * 60, KEPT_DAYS = 90 };
	static const struct {
		const char *name;
		int runs;    /* that come after the first two, at once */
		int days;    /* then pass before the last */
		size_t kept; /* of what the first found, and the second */
	} rows[] = {
		{"old, but among the last", FORMERS_KEPT_RUNS - 2, KEPT_DAYS + 1, 2},
		{"young, but not among the last", FORMERS_KEPT_RUNS + 10, KEPT_DAYS - 1, 2},
		{"old, the first one too many", FORMERS_KEPT_RUNS - 1, KEPT_DAYS + 1, 1},
		{"old and too many", FORMERS_KEPT_RUNS + 10, KEPT_DAYS + 1, 0},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct store_user user = open_user(state);

		begin(&user, "first");
		put(&user, "made");
		end(&user);
		begin(&user, "later");
		put(&user, "changed");
		end(&user);
		for (int k = 0; k <= rows[i].runs; k++) {
			if (k == rows[i].runs)
				user.fixture->wall_offset_ms += (int64_t)rows[i].days * DAY_S * 1000;
			begin_as(&user, "another", 0xdef000 + (size_t)k);
			end(&user);
		}
		if (rows[i].kept < 2)
			changed(&user, 0, 0);
		else
			expect(&user, 0, NULL, "made", 1);
		if (rows[i].kept < 1)
			changed(&user, 1, 0);
		else
			expect(&user, 1, "made", "changed", -1);
		user.store->ops->close(user.store);
		state_file_remove(user.fixture);
	}
}

/* A file of a format of before becomes as a new one is when it is opened to write, and keeps all that it has. */
static void test_older_formats(void **state)
{
	enum { STEPS_OF_FORMERS = 5 };

	for (size_t steps = 1; steps <= FORMAT_STEPS; steps++) {
		struct store_user user = open_user(state);
		const struct intent intent = fixture_intent(user.fixture, 1);
		const struct commit commit = {.intents = &intent, .intent_count = 1};
		struct slice schema;

		begin(&user, "first");
		put(&user, "made");
		assert_int_equal(user.store->ops->commit(user.store, &commit, &user.fixture->diagnostics), COMMIT_DONE);
		end(&user);
		user.store->ops->close(user.store);
		schema = state_file_schema(user.fixture);
		state_file_make_older(user.fixture, steps);
		assert_false(state_file_open(user.fixture, STATE_READ, &user.store));
		assert_true(state_fixture_said(user.fixture, FAULT_USER, "is of an older format"));
		assert_true(state_file_open(user.fixture, STATE_WRITE, &user.store));
		changed(&user, 0, steps < STEPS_OF_FORMERS);
		assert_int_equal(intent_sent_ms(fixture_intents(user.fixture, user.store, 1)), intent.wall_ms);
		begin(&user, "second");
		put(&user, "changed");
		end(&user);
		expect(&user, 1, "made", "changed", -1);
		user.store->ops->close(user.store);
		assert_true(slice_equal(state_file_schema(user.fixture), schema));
		state_file_remove(user.fixture);
	}
}

/* Damage is told, not believed. */
static void test_damage(void **state)
{
	static const struct {
		const char *name;
		const char *sql;
		const char *told;
	} rows[] = {
		{"a role that there is not", "UPDATE formers SET role = 9 WHERE role IS NOT NULL", "has role 9"},
		{"a place that is none", "UPDATE formers SET identity = 'x' WHERE role IS NOT NULL",
		 "no readable identity"},
		{"a digest cut short", "UPDATE formers SET inputs = x'00' WHERE role IS NOT NULL",
		 "a digest of 1 bytes"},
		{"an id cut short", "UPDATE formers SET object_id = x'00'", "an id of 1 bytes"},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct store_user user = open_user(state);
		struct past_object *past;
		size_t count;

		begin(&user, "first");
		put(&user, "made");
		end(&user);
		begin(&user, "second");
		put(&user, "changed");
		end(&user);
		user.store->ops->close(user.store);
		run_sql(user.fixture->path, rows[i].sql);
		assert_true(state_file_open(user.fixture, STATE_READ, &user.store));
		if (user.store->ops->changed(user.store, &user.fixture->arena, user.runs[1], &past, &count,
					     &user.fixture->diagnostics))
			fail_msg("%s: read", rows[i].name);
		if (!state_fixture_said(user.fixture, FAULT_USER, rows[i].told))
			fail_msg("%s: %s", rows[i].name, state_fixture_told(user.fixture));
		user.store->ops->close(user.store);
		state_file_remove(user.fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STATE_TEST(test_forms),	  STATE_TEST(test_cut_off),	    STATE_TEST(test_id_of_past_call),
		STATE_TEST(test_passing), STATE_TEST(test_pruning),	    STATE_TEST(test_older_formats),
		STATE_TEST(test_damage),  STATE_TEST(test_name_used_again), STATE_TEST(test_many_at_once),
		STATE_TEST(test_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
