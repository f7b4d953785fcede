#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "state/sqlite_store.h"
#include "tests/unit/support_state_store.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define S(literal)                                                                                                     \
	{                                                                                                              \
		(literal), sizeof(literal) - 1                                                                         \
	}

/* Who holds the lease, what runs did, and the file as such. */

enum { TERM = STATE_LEASE_TERM_MS };

static const struct state_options to_write = {.access = STATE_WRITE, .program = S("trueup 0.1.0")};
static const struct state_options to_read = {.access = STATE_READ};
static const struct run first_run = {.id = S("11111111111111111111111111111111"), .command = S("apply")};
static const struct run second_run = {.id = S("22222222222222222222222222222222"), .command = S("destroy")};

static struct store *open_state(struct state_fixture *fixture, const struct state_options *options)
{
	struct store *store = NULL;

	if (!state_open(&fixture->world, fixture->path, options, SLICE("lab"), &store, &fixture->diagnostics))
		fixture_give_up(fixture);
	return store;
}

static bool begin(struct state_fixture *fixture, struct store *store, const struct run *run)
{
	state_fixture_forget(fixture);
	return store->ops->begin(store, run, &fixture->diagnostics);
}

static void end(struct state_fixture *fixture, struct store *store, const char *outcome)
{
	if (!store->ops->end(store, slice_of(outcome), &fixture->diagnostics))
		fixture_give_up(fixture);
}

static struct lease_holder look(struct state_fixture *fixture, struct store *store)
{
	struct lease_holder holder;

	if (!store->ops->holder(store, &fixture->arena, &holder, &fixture->diagnostics))
		fixture_give_up(fixture);
	return holder;
}

/* A process that takes the lease and is killed, or lives on until the test ends it. */
static pid_t hold(struct state_fixture *fixture, bool killed)
{
	int ready[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		state_fixture_fork(fixture);
		if (!begin(fixture, open_state(fixture, &to_write), &first_run) || write(ready[1], "", 1) != 1)
			_exit(1);
		if (killed)
			kill(getpid(), SIGKILL);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	if (killed)
		waitpid(child, NULL, 0);
	return child;
}

static void test_holder(void **state)
{
	static const struct {
		const char *name;
		bool killed;
		int64_t boot_ms; /* later */
		const char *boot_id;
		bool processes_hidden;
		enum process_sign sign;
		int64_t least_ms, most_ms; /* left */
		int64_t terms;		   /* of the wall clock, where nobody watches */
	} rows[] = {
		{"alive", false, 0, NULL, false, PROCESS_ALIVE, TERM - 5000, TERM, 1},
		{"alive, its term half over", false, TERM / 2, NULL, false, PROCESS_ALIVE, TERM / 2 - 5000, TERM / 2,
		 1},
		{"alive, and asleep for a term", false, TERM + 1, NULL, false, PROCESS_ALIVE, 0, 0, 0},
		{"killed", true, 0, NULL, false, PROCESS_GONE, 0, 0, 0},
		{"alive, in a hidden /proc", false, 0, NULL, true, PROCESS_UNKNOWN, TERM - 5000, TERM, 1},
		{"killed, in a hidden /proc", true, 0, NULL, true, PROCESS_GONE, 0, 0, 0},
		{"alive on another machine", false, 0, "other", false, PROCESS_UNKNOWN, TERM - 5000, TERM, 2},
		{"killed on another machine", true, 0, "other", false, PROCESS_UNKNOWN, TERM - 5000, TERM, 2},
		{"no boot id", false, 0, "", false, PROCESS_UNKNOWN, TERM - 5000, TERM, 2},
	};
	struct state_fixture *fixture = (struct state_fixture *)*state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct lease_holder holder;
		struct store *store;
		pid_t child;

		fixture->boot_offset_ms = 0;
		fixture->boot_id = NULL;
		fixture->processes_hidden = false;
		snprintf(fixture->path, sizeof(fixture->path), "%s/%zu.db", fixture->folder, i);
		child = hold(fixture, rows[i].killed);
		fixture->boot_offset_ms = rows[i].boot_ms;
		fixture->boot_id = rows[i].boot_id;
		fixture->processes_hidden = rows[i].processes_hidden;
		store = open_state(fixture, &to_read);
		holder = look(fixture, store);
		if (!holder.held || holder.sign != rows[i].sign || holder.left_ms < rows[i].least_ms ||
		    holder.left_ms > rows[i].most_ms)
			fail_msg("%s: held %d, sign %d, %lld ms left", rows[i].name, holder.held, (int)holder.sign,
				 (long long)holder.left_ms);
		/* A run that comes back after 90 s would be refused once more where another machine's is told so. */
		if (holder.unwatched_ms < holder.left_ms || holder.unwatched_ms > rows[i].terms * TERM ||
		    (rows[i].terms == 2 && holder.unwatched_ms < 2 * TERM - 5000))
			fail_msg("%s: %lld ms left for who comes only then", rows[i].name,
				 (long long)holder.unwatched_ms);
		assert_true(slice_equal(holder.run, first_run.id) && slice_is(holder.command, "apply") &&
			    slice_is(holder.host, "workbench") && holder.process == child && holder.fencing == 1 &&
			    holder.since_ms > 0 && holder.beat_ms >= holder.since_ms);
		store->ops->close(store);
		if (!rows[i].killed) {
			kill(child, SIGKILL);
			waitpid(child, NULL, 0);
		}
	}
}

static void test_nobody_holds(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &to_write);

	assert_false(look(fixture, store).held);
	assert_true(begin(fixture, store, &first_run));
	assert_true(look(fixture, store).held);
	end(fixture, store, "done");
	assert_false(look(fixture, store).held);
	store->ops->close(store);
}

/* The broken run records nothing more, and the stack is free at once. */
static void test_take_away(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *holder = open_state(fixture, &to_write), *other = open_state(fixture, &to_write);

	assert_true(begin(fixture, holder, &first_run));
	fixture_put(fixture, holder, 0, 1);
	assert_false(begin(fixture, other, &second_run));
	/* Another id than the holder's is refused, and nothing happens. */
	assert_false(other->ops->take_away(other, second_run.id, &fixture->diagnostics));
	assert_true(state_fixture_said(fixture, FAULT_ABSENT, "does not hold the stack 'lab'"));
	fixture_put(fixture, holder, 1, 1);
	state_fixture_forget(fixture);
	assert_true(other->ops->take_away(other, first_run.id, &fixture->diagnostics));
	assert_false(look(fixture, other).held);
	assert_int_equal(fixture_try_put(fixture, holder, 2, 1), COMMIT_FAILED);
	assert_true(state_fixture_said(fixture, FAULT_LEASE, "taken away"));
	assert_int_equal(holder->ops->lease_left_ms(holder), 0);
	fixture_heads(fixture, other, 2);
	/* Twice is once. */
	assert_false(other->ops->take_away(other, first_run.id, &fixture->diagnostics));
	assert_true(begin(fixture, other, &second_run));
	assert_int_equal(fixture_try_put(fixture, holder, 2, 1), COMMIT_FAILED);
	assert_int_equal(look(fixture, other).fencing, 3);
	end(fixture, other, "done");
	assert_int_equal(fixture_ask(fixture, "SELECT count(*) FROM runs WHERE command = 'apply' AND outcome = 'lost'"),
			 1);
	holder->ops->close(holder);
	other->ops->close(other);
}

/* A plan of another serial, or with another key, does not begin, and leaves neither a lease nor a run. */
static void test_planned_serial(void **state)
{
	static const struct {
		const char *name;
		bool is_planned;
		int64_t serial;
		const char *key;    /* that it seals under */
		const char *digest; /* of the plan; "": it only records what it has read */
		const char *since;  /* when, as it is told; NULL: it begins */
	} rows[] = {
		{"the serial of now", true, 2, "", "digest", NULL},
		{"an older one", true, 1, "", "digest", "since this plan was made"},
		{"one of a newer stack", true, 3, "", "digest", "since this plan was made"},
		{"the first of all", true, 0, "", "digest", "since this plan was made"},
		{"no plan", false, 0, "", "", NULL},
		{"the key of now", true, 2, "one", "digest", NULL},
		{"one that was replaced", true, 2, "another", "digest", "since this plan was made"},
		{"the serial that was read", true, 2, "", "", NULL},
		{"one before that", true, 1, "", "", "since this command read it"},
	};
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &to_write);
	int64_t run_count = 1;

	assert_true(begin(fixture, store, &first_run));
	fixture_put(fixture, store, 0, 1);
	fixture_put(fixture, store, 1, 1);
	end(fixture, store, "done");
	assert_true(store->ops->adopt_key(store, SLICE("one"), &fixture->diagnostics));
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct run run = {.id = fixture_id(fixture, i + 7),
				  .command = SLICE("apply"),
				  .plan_digest = slice_of(rows[i].digest),
				  .is_planned = rows[i].is_planned,
				  .serial = rows[i].serial,
				  .sealing_key = slice_of(rows[i].key)};
		bool begun = begin(fixture, store, &run);

		if (begun == (rows[i].since != NULL) ||
		    (!begun && !state_fixture_said(fixture, FAULT_STALE, rows[i].since)))
			fail_msg("%s: %s", rows[i].name, state_fixture_told(fixture));
		assert_int_equal(look(fixture, store).held, begun);
		if (begun)
			end(fixture, store, "done");
		run_count += begun;
		assert_int_equal(fixture_ask(fixture, "SELECT count(*) FROM runs"), run_count);
	}
	store->ops->close(store);
}

static struct call_record *read_calls(struct state_fixture *fixture, struct store *store, const struct run *first,
				      const struct run *last, size_t expected)
{
	struct call_record *calls;
	size_t count;

	assert_true(
		store->ops->calls(store, &fixture->arena, first->id, last->id, &calls, &count, &fixture->diagnostics));
	assert_int_equal(count, expected);
	return calls;
}

static void test_history(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &to_write);
	struct intent intents[] = {fixture_intent(fixture, 1), fixture_intent(fixture, 2), fixture_intent(fixture, 3)};
	struct intent last = fixture_intent(fixture, 4);
	const struct intent_close closes[] = {{intents[1].id, OUTCOME_FAILED, S("Denied")},
					      {intents[0].id, OUTCOME_DONE, S("")}};
	struct run_record *runs;
	struct call_record *calls;
	size_t count;

	assert_true(store->ops->runs(store, &fixture->arena, &runs, &count, &fixture->diagnostics));
	assert_int_equal(count, 0);
	assert_true(begin(fixture, store, &first_run));
	assert_int_equal(store->ops->commit(store, &(struct commit){.intents = intents, .intent_count = 3},
					    &fixture->diagnostics),
			 COMMIT_DONE);
	assert_int_equal(
		store->ops->commit(store, &(struct commit){.closes = closes, .close_count = 2}, &fixture->diagnostics),
		COMMIT_DONE);
	end(fixture, store, "partly");
	assert_true(begin(fixture, store, &second_run));
	assert_true(store->ops->runs(store, &fixture->arena, &runs, &count, &fixture->diagnostics));
	assert_int_equal(count, 2);
	assert_true(slice_equal(runs[0].id, second_run.id) && slice_is(runs[0].command, "destroy") &&
		    runs[0].ended_ms == 0 && runs[0].outcome.size == 0 && runs[0].call_count == 0);
	assert_true(slice_equal(runs[1].id, first_run.id) && slice_is(runs[1].outcome, "partly") &&
		    runs[1].ended_ms >= runs[1].started_ms && runs[1].call_count == 2 && runs[1].open_count == 1 &&
		    slice_is(runs[1].host, "workbench") && runs[1].process == getpid());
	calls = read_calls(fixture, store, &first_run, &first_run, 3);
	assert_true(slice_is(calls[0].outcome, "failed") && slice_is(calls[0].note, "Denied") &&
		    slice_equal(calls[0].object_id, intents[1].object_id) && calls[0].ended_ms > 0);
	assert_true(slice_is(calls[1].outcome, "done") && slice_is(calls[1].operation, "CreateVpc") &&
		    slice_is(calls[1].address, "aws.vpc.a") && slice_is(calls[1].kind, "aws.vpc") &&
		    calls[1].sent_ms == intents[0].wall_ms);
	assert_true(slice_is(calls[2].outcome, "unknown") && calls[2].ended_ms == 0 &&
		    slice_equal(calls[2].object_id, intents[2].object_id));
	read_calls(fixture, store, &second_run, &second_run, 0);
	/* Those of several runs at once, the newest run first. */
	assert_int_equal(
		store->ops->commit(store, &(struct commit){.intents = &last, .intent_count = 1}, &fixture->diagnostics),
		COMMIT_DONE);
	calls = read_calls(fixture, store, &first_run, &second_run, 4);
	assert_true(slice_equal(calls[0].run, second_run.id) && slice_equal(calls[0].object_id, last.object_id));
	assert_true(slice_equal(calls[1].run, first_run.id) && slice_is(calls[1].note, "Denied"));
	assert_true(slice_equal(calls[3].run, first_run.id) && slice_is(calls[3].outcome, "unknown"));
	read_calls(fixture, store, &first_run, &first_run, 3);
	store->ops->close(store);
}

/* Recorded anew it is the same one, sent later. */
static void test_renewed_intent(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &to_write);
	struct intent intent = fixture_intent(fixture, 1), *open;
	const struct commit commit = {.intents = &intent, .intent_count = 1};
	int64_t before_ms = intent.wall_ms;

	assert_true(begin(fixture, store, &first_run));
	assert_int_equal(store->ops->commit(store, &commit, &fixture->diagnostics), COMMIT_DONE);
	intent.wall_ms += 60 * 1000;
	intent.renewed = true;
	assert_int_equal(store->ops->commit(store, &commit, &fixture->diagnostics), COMMIT_DONE);
	open = fixture_intents(fixture, store, 1);
	assert_int_equal(open[0].wall_ms, before_ms + 60 * 1000);
	assert_int_equal(intent_sent_ms(&open[0]), open[0].wall_ms);
	/* Its token is as old as it was. */
	intent.sent_ms = intent.wall_ms + 90 * 1000;
	assert_int_equal(store->ops->commit(store, &commit, &fixture->diagnostics), COMMIT_DONE);
	open = fixture_intents(fixture, store, 1);
	assert_int_equal(open[0].wall_ms, before_ms + 60 * 1000);
	assert_int_equal(intent_sent_ms(&open[0]), before_ms + 150 * 1000);
	assert_true(slice_equal(open[0].parameters, intent.parameters) && slice_equal(open[0].sealed, intent.sealed));
	assert_int_equal(
		store->ops->commit(store,
				   &(struct commit){.closes = &(struct intent_close){intent.id, OUTCOME_DONE, S("")},
						    .close_count = 1},
				   &fixture->diagnostics),
		COMMIT_DONE);
	assert_int_equal(store->ops->commit(store, &commit, &fixture->diagnostics), COMMIT_FAILED);
	store->ops->close(store);
}

/* Renamed with the object, in the same commit, and closed as forgotten. */
static void test_rename_intents(void **state)
{
	static const struct renaming renaming = {S("aws.vpc.a"), S("aws.vpc.z")};
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &to_write);
	struct intent intents[] = {fixture_intent(fixture, 1), fixture_intent(fixture, 2)}, *open;
	struct object *object = fixture_object(fixture, 5), *heads;
	const struct object *upserts[] = {object};

	intents[1].address = SLICE("aws.vpc.ab");
	assert_true(begin(fixture, store, &first_run));
	fixture_put(fixture, store, 5, 1);
	assert_int_equal(store->ops->commit(store, &(struct commit){.intents = intents, .intent_count = 2},
					    &fixture->diagnostics),
			 COMMIT_DONE);
	object->address = SLICE("aws.subnet.renamed");
	assert_int_equal(store->ops->commit(store,
					    &(struct commit){.upserts = upserts,
							     .upsert_count = 1,
							     .renamings = &renaming,
							     .renaming_count = 1},
					    &fixture->diagnostics),
			 COMMIT_DONE);
	open = fixture_intents(fixture, store, 2);
	assert_true(slice_is(open[0].address, "aws.vpc.z") && slice_is(open[1].address, "aws.vpc.ab"));
	heads = fixture_heads(fixture, store, 1);
	assert_true(slice_is(heads[0].address, "aws.subnet.renamed"));
	assert_true(slice_is(fixture_body(fixture, store, 5), "{\"n\":5}"));
	assert_int_equal(store->ops->commit(store,
					    &(struct commit){.closes = &(struct intent_close){intents[0].id,
											      OUTCOME_FORGOTTEN, S("")},
							     .close_count = 1},
					    &fixture->diagnostics),
			 COMMIT_DONE);
	assert_int_equal(fixture_ask(fixture, "SELECT count(*) FROM history WHERE outcome = 'forgotten'"), 1);
	store->ops->close(store);
}

static void fill(struct state_fixture *fixture, size_t count)
{
	struct store *store = open_state(fixture, &to_write);

	assert_true(begin(fixture, store, &first_run));
	fixture_put(fixture, store, 0, count);
	end(fixture, store, "done");
	store->ops->close(store);
}

static void test_check(void **state)
{
	static const struct {
		const char *name;
		const char *damage;
		const char *finding; /* NULL: sound */
	} rows[] = {
		{"sound", "SELECT 1", NULL},
		{"an id twice",
		 "DROP INDEX objects_by_id; INSERT INTO objects SELECT address || 'x', 1, object_id, kind, "
		 "kind_version,"
		 " generation, provider_id, identity, provider, protect, symbolic, inputs, outputs, created_ms"
		 " FROM objects WHERE address = 'aws.subnet.s000001'",
		 "the id 00000000000000000000000000000001 is that of 2 objects"},
		{"two at one address", "UPDATE objects SET address = 'aws.subnet.s000001' WHERE address LIKE '%2'",
		 "two current objects are recorded at 'aws.subnet.s000001'"},
		{"no body", "DELETE FROM bodies WHERE body = '{\"n\":1}'",
		 "the object at 'aws.subnet.s000001' has no body"},
		{"a body of nothing", "DELETE FROM objects WHERE address LIKE '%1'",
		 "a row of the table bodies refers to a row of objects that is missing"},
		{"an intent of no run",
		 "INSERT INTO intents VALUES (1, zeroblob(16), 99, zeroblob(16), 'a', 'k', 'o', 'tag', '', '', '', 0, "
		 "0, '', 0)",
		 "a row of the table intents refers to a row of runs that is missing"},
		{"open and closed",
		 "INSERT INTO intents VALUES (1, zeroblob(16), 1, zeroblob(16), 'a', 'k', 'o', 'tag', '', '', '', 0, "
		 "0, '', 0);"
		 "INSERT INTO history VALUES (1, 1, zeroblob(16), zeroblob(16), 'a', 'k', 'o', 'done', '', 0, 0)",
		 "the intent 00000000000000000000000000000000 has an outcome and is open too"},
		{"a holder that is no run", "UPDATE lease SET run = zeroblob(16)",
		 "the lease is held by a run that is not recorded"},
		{"no lease", "DELETE FROM lease", "the row of the lease is missing"},
		{"an index that lacks a row",
		 "PRAGMA writable_schema = 1; DELETE FROM sqlite_schema WHERE name = 'objects_by_id'",
		 "the file is damaged: "},
		{"a column that reads know by another name", "ALTER TABLE watched RENAME COLUMN since_ms TO since_ns",
		 "the file is damaged: no such column: "},
		{"a column that writes know by another name", "ALTER TABLE step_times RENAME COLUMN kind TO king",
		 "the file is damaged: "},
	};
	struct state_fixture *fixture = (struct state_fixture *)*state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct store *store;
		struct slice *findings;
		size_t count = 0;

		snprintf(fixture->path, sizeof(fixture->path), "%s/%zu.db", fixture->folder, i);
		fill(fixture, 3);
		fixture_script(fixture, rows[i].damage);
		store = open_state(fixture, &to_read);
		if (!store->ops->check(store, &fixture->arena, &findings, &count, &fixture->diagnostics))
			fail_msg("%s: %s", rows[i].name, state_fixture_told(fixture));
		if (rows[i].finding ? count == 0 || !slice_starts_with(findings[0], slice_of(rows[i].finding))
				    : count > 0)
			fail_msg("%s: %zu findings, %.*s", rows[i].name, count, count > 0 ? (int)findings[0].size : 0,
				 count > 0 ? findings[0].data : "");
		store->ops->close(store);
	}
}

static const char *beside(struct state_fixture *fixture, const char *name)
{
	return arena_text(&fixture->arena, "%s/%s", fixture->folder, name);
}

/* A copy is a state file of its own, and tells the same. */
static void test_backup(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	const char *path = beside(fixture, "copy.db");
	struct store *writer, *reader, *copy;
	struct stat status;

	fill(fixture, 20);
	/* Beside a run whose commits lie in the -wal file still. */
	writer = open_state(fixture, &to_write);
	assert_true(begin(fixture, writer, &second_run));
	fixture_put(fixture, writer, 20, 5);
	reader = open_state(fixture, &to_read);
	if (!reader->ops->backup(reader, path, false, &fixture->diagnostics))
		fixture_give_up(fixture);
	reader->ops->close(reader);
	fixture_put(fixture, writer, 25, 5);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_null(file_read(fixture, beside(fixture, "copy.db-wal")).data);
	snprintf(fixture->path, sizeof(fixture->path), "%s", path);
	copy = open_state(fixture, &to_read);
	fixture_heads(fixture, copy, 25);
	assert_true(slice_is(fixture_body(fixture, copy, 24), "{\"n\":24}"));
	assert_true(slice_equal(copy->ops->record(copy)->lineage, writer->ops->record(writer)->lineage));
	assert_int_equal(copy->ops->record(copy)->serial, 2);
	copy->ops->close(copy);
	end(fixture, writer, "done");
	writer->ops->close(writer);
	/* Put back, it goes on where it stopped, once the run that it was copied beside has ended. */
	copy = open_state(fixture, &to_write);
	fixture->boot_offset_ms = TERM + 1;
	assert_true(begin(fixture, copy, &(struct run){.id = fixture_id(fixture, 77), .command = SLICE("apply")}));
	fixture_put(fixture, copy, 25, 1);
	end(fixture, copy, "done");
	copy->ops->close(copy);
}

static void test_backup_refused(void **state)
{
	static const struct {
		const char *name;
		const char *file; /* in the fixture's folder */
		bool replaces;
		const char *said; /* NULL: it is written */
	} rows[] = {
		{"a new file", "new.db", false, NULL},
		{"a new file, by force", "newer.db", true, NULL},
		{"one that is there", "there.db", false, "there is a file of that name"},
		{"one that is there, by force", "there.db", true, NULL},
		{"the state itself", ".trueup/state.db", false, "is the state file itself"},
		{"the state itself, by force", ".trueup/state.db", true, "is the state file itself"},
		{"a link to the state, by force", "link.db", true, "is the state file itself"},
		{"a folder, by force", ".trueup", true, "it is a folder"},
		{"in a folder that is not there", "no/copy.db", false, "cannot create the copy '"},
		{"behind a file", "there.db/copy.db", false, "cannot create the copy '"},
	};
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store;

	fill(fixture, 3);
	assert_true(file_write(beside(fixture, "there.db"), SLICE("keep me")));
	assert_int_equal(symlink(".trueup/state.db", beside(fixture, "link.db")), 0);
	store = open_state(fixture, &to_read);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *path = beside(fixture, rows[i].file);
		bool done;

		state_fixture_forget(fixture);
		done = store->ops->backup(store, path, rows[i].replaces, &fixture->diagnostics);
		if (done != (rows[i].said == NULL) ||
		    (!done && !state_fixture_said(fixture, FAULT_USER, rows[i].said) &&
		     !state_fixture_said(fixture, FAULT_ABSENT, rows[i].said)))
			fail_msg("%s: %d, %s", rows[i].name, done, state_fixture_told(fixture));
		if (!done && !rows[i].replaces && strcmp(rows[i].file, "there.db") == 0)
			assert_true(slice_is(file_read(fixture, path), "keep me"));
	}
	fixture_heads(fixture, store, 3);
	store->ops->close(store);
	/* Nothing is left over under a temporary name. */
	assert_string_equal(fixture_names(fixture), "state.db ");
}

/* A copy of something damaged is not called a backup. */
static void test_backup_of_damage(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	const char *path = beside(fixture, "copy.db");
	struct store *store;

	fill(fixture, 3);
	fixture_script(fixture, "DELETE FROM objects WHERE address LIKE '%1'");
	store = open_state(fixture, &to_read);
	assert_false(store->ops->backup(store, path, false, &fixture->diagnostics));
	assert_true(state_fixture_said(fixture, FAULT_USER, "is not sound: a row of the table bodies"));
	assert_null(file_read(fixture, path).data);
	store->ops->close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STATE_TEST(test_holder),	   STATE_TEST(test_nobody_holds),
		STATE_TEST(test_take_away),	   STATE_TEST(test_planned_serial),
		STATE_TEST(test_history),	   STATE_TEST(test_renewed_intent),
		STATE_TEST(test_rename_intents),   STATE_TEST(test_check),
		STATE_TEST(test_backup),	   STATE_TEST(test_backup_refused),
		STATE_TEST(test_backup_of_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
