#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "state/machine.h"
#include "state/sqlite_store.h"
#include "tests/unit/support_state_store.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define S(literal)                                                                                                     \
	{                                                                                                              \
		(literal), sizeof(literal) - 1                                                                         \
	}

enum { TERM = STATE_LEASE_TERM_MS };

static const struct state_options to_write = {.access = STATE_WRITE, .busy_timeout_ms = LOCKED_AT_MOST_MS};
static const struct run first_run = {.id = S("11111111111111111111111111111111"), .command = S("apply")};
static const struct run second_run = {.id = S("22222222222222222222222222222222"), .command = S("destroy")};

static struct store *open_state(struct state_fixture *fixture)
{
	struct store *store = NULL;

	if (!state_open(&fixture->world, fixture->path, &to_write, SLICE("lab"), &store, &fixture->diagnostics))
		fixture_give_up(fixture);
	return store;
}

static bool begin(struct state_fixture *fixture, struct store *store, const struct run *run)
{
	state_fixture_forget(fixture);
	return store->ops->begin(store, run, &fixture->diagnostics);
}

static enum commit_state put_object(struct state_fixture *fixture, struct store *store)
{
	static const struct object object = {.address = S("aws.vpc.a"),
					     .object_id = S("0123456789abcdef0123456789abcdef"),
					     .kind = S("aws.vpc"),
					     .identity = {.provider = S("aws")},
					     .provider = S("aws")};
	static const struct object *const upserts[] = {&object};

	return store->ops->commit(store, &(struct commit){.upserts = upserts, .upsert_count = 1},
				  &fixture->diagnostics);
}

static size_t count_objects(struct state_fixture *fixture, struct store *store)
{
	struct object *heads;
	size_t count = SIZE_MAX;

	if (!store->ops->heads(store, &fixture->arena, &heads, &count, &fixture->diagnostics))
		fail_msg("%s", state_fixture_told(fixture));
	return count;
}

/* How the holder ended, seen from the process that wants the lease next. */
enum ending {
	ALIVE,
	ENDED,	  /* by end() */
	KILLED,	  /* and gone */
	UNBURIED, /* killed, but its parent has not asked how it ended */
};

/* A child that takes the lease, says so, and then ends as told. Gives its process. */
static pid_t hold(struct state_fixture *fixture, enum ending ending, int64_t held_term_ms)
{
	int ready[2];
	char byte = 0;
	pid_t child;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		struct state_options options = {.access = STATE_WRITE, .lease_term_ms = held_term_ms};
		struct store *store;

		state_fixture_fork(fixture);
		if (!state_open(&fixture->world, fixture->path, &options, SLICE("lab"), &store,
				&fixture->diagnostics) ||
		    !store->ops->begin(store, &first_run, &fixture->diagnostics) ||
		    (ending == ENDED && !store->ops->end(store, SLICE("done"), &fixture->diagnostics)) ||
		    write(ready[1], "", 1) != 1)
			_exit(1);
		if (ending == KILLED || ending == UNBURIED)
			kill(getpid(), SIGKILL);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	if (ending == KILLED)
		waitpid(child, NULL, 0);
	if (ending == UNBURIED)
		waitid(P_PID, (id_t)child, &(siginfo_t){0}, WEXITED | WNOWAIT);
	return child;
}

static void let_go(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void test_take(void **state)
{
	static const struct {
		const char *name;
		enum ending holder;
		int64_t boot_ms, wall_ms; /* later */
		const char *boot_id;	  /* of the one who wants it; NULL: the same */
		bool processes_hidden;
		bool taken;
		int64_t term_ms; /* of the holder; 0: the usual */
	} rows[] = {
		{"held", ALIVE, 0, 0, NULL, false, false, 0},
		{"held, just before the term ends", ALIVE, TERM - 5000, TERM - 5000, NULL, false, false, 0},
		{"held, and asleep for a term", ALIVE, TERM + 1, 0, NULL, false, true, 0},
		{"the wall clock alone means nothing here", ALIVE, 0, 100 * TERM, NULL, false, false, 0},
		{"the holder's own term counts", ALIVE, 2000, 2000, NULL, false, true, 1000},
		{"the holder's longer term counts", ALIVE, TERM + 1, TERM + 1, NULL, false, false, 3 * TERM},
		{"ended", ENDED, 0, 0, NULL, false, true, 0},
		{"killed", KILLED, 0, 0, NULL, false, true, 0},
		{"killed, and not buried", UNBURIED, 0, 0, NULL, false, true, 0},
		{"killed, in a hidden /proc", KILLED, 0, 0, NULL, true, true, 0},
		{"alive, in a hidden /proc", ALIVE, 0, 0, NULL, true, false, 0},
		{"killed on another machine", KILLED, 0, 0, "other", false, false, 0},
		{"another machine, its boot clock ahead", ALIVE, 100 * TERM, 0, "other", false, false, 0},
		{"another machine, one term", ALIVE, 0, TERM + 1, "other", false, false, 0},
		{"another machine, two terms", ALIVE, 0, 2 * TERM + 1, "other", false, true, 0},
		{"another machine, the wall clock set back", KILLED, 0, -100 * TERM, "other", false, false, 0},
		{"no boot id", KILLED, 0, 0, "", false, false, 0},
		{"no boot id, two terms", KILLED, 0, 2 * TERM + 1, "", false, true, 0},
	};
	struct state_fixture *fixture = (struct state_fixture *)*state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct store *store;
		pid_t holder;
		bool taken;

		fixture->boot_offset_ms = fixture->wall_offset_ms = 0;
		fixture->boot_id = NULL;
		fixture->processes_hidden = false;
		snprintf(fixture->path, sizeof(fixture->path), "%s/%zu.db", fixture->folder, i);
		holder = hold(fixture, rows[i].holder, rows[i].term_ms);
		fixture->boot_offset_ms = rows[i].boot_ms;
		fixture->wall_offset_ms = rows[i].wall_ms;
		fixture->boot_id = rows[i].boot_id;
		fixture->processes_hidden = rows[i].processes_hidden;
		store = open_state(fixture);
		taken = begin(fixture, store, &second_run);
		if (taken != rows[i].taken || (!taken && !state_fixture_said(fixture, FAULT_LEASE, "holds the stack")))
			fail_msg("%s: %s, %s", rows[i].name, taken ? "taken" : "refused", state_fixture_told(fixture));
		store->ops->close(store);
		/* The number of one that is buried may be somebody else's by now. */
		if (rows[i].holder != KILLED)
			let_go(holder);
	}
}

static bool read_stat(struct world *world, struct arena *arena, const char *path, size_t limit_bytes, struct slice *ret,
		      struct diagnostics *diagnostics)
{
	const char *text = (const char *)world->context;

	(void)limit_bytes;
	(void)diagnostics;
	assert_string_equal(path, "/proc/7/stat");
	*ret = arena_copy(arena, slice_of(text));
	return true;
}

/* A program may have any name (proc_pid_stat(5)). */
static void test_process_start(void **state)
{
#define REST " 1 7 7 0 -1 4194304 100 0 0 0 5 1 0 0 20 0 1 0 4242 1000 10"
	static const struct {
		const char *text, *start;
	} rows[] = {
		{"7 (trueup) S" REST, "4242"},	    {"7 (trueup) R" REST, "4242"},
		{"7 (true up) S" REST, "4242"},	    {"7 (true) Z (up) S" REST, "4242"},
		{"7 (true) S 1 2) S" REST, "4242"}, {"7 (trueup) Z" REST, "ended"},
		{"7 (trueup) X" REST, "ended"},	    {"", ""},
	};
#undef REST
	struct state_fixture *fixture = (struct state_fixture *)*state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct world world = {.context = (void *)(uintptr_t)rows[i].text, .read_file = read_stat};
		struct slice start = machine_process_start(&world, 7, &fixture->arena);

		if (!slice_is(start, rows[i].start))
			fail_msg("%s: '%.*s'", rows[i].text, SLICE_ARGUMENTS(start));
	}
}

/* A process number that was given out again is not the holder. */
static void test_process_number_reused(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture);

	assert_true(begin(fixture, store, &first_run));
	store->ops->close(store);
	store = open_state(fixture);
	assert_false(begin(fixture, store, &second_run));
	store->ops->close(store);
	fixture_ask(fixture, "UPDATE lease SET process_start = process_start || '1'");
	store = open_state(fixture);
	assert_true(begin(fixture, store, &second_run));
	store->ops->close(store);
}

/* A holder elsewhere that gives no sign for a term, as seen here, has ended, whatever the wall clock says. */
static void test_silence(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *holder, *store;

	fixture->boot_id = "there";
	holder = open_state(fixture);
	assert_true(begin(fixture, holder, &first_run));
	fixture->boot_id = "here";
	fixture->wall_offset_ms = -1000 * TERM;
	store = open_state(fixture);
	assert_false(begin(fixture, store, &second_run));
	fixture->boot_offset_ms += TERM - 5000;
	assert_false(begin(fixture, store, &second_run));
	assert_true(holder->ops->heartbeat(holder, &fixture->diagnostics));
	fixture->wall_offset_ms -= 1000 * TERM;
	fixture->boot_offset_ms += TERM - 5000;
	assert_false(begin(fixture, store, &second_run));
	fixture->boot_offset_ms += TERM + 1;
	assert_true(begin(fixture, store, &second_run));
	holder->ops->close(holder);
	store->ops->close(store);
}

/* Who holds it, where, since when, and what to do. */
static void test_refusal_tells(void **state)
{
	static const char *const parts[] = {"'lab'",	"'apply'",  "'workbench'",
					    "run 1111", "since 20", "ends by itself within "};
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *holder = open_state(fixture), *store = open_state(fixture);
	char process[32];

	assert_true(begin(fixture, holder, &first_run));
	assert_false(begin(fixture, store, &second_run));
	for (size_t i = 0; i < COUNT(parts); i++) {
		if (!state_fixture_said(fixture, FAULT_LEASE, parts[i]))
			fail_msg("not said: %s: %s", parts[i], state_fixture_told(fixture));
	}
	snprintf(process, sizeof(process), "process %d ", (int)getpid());
	assert_true(state_fixture_said(fixture, FAULT_LEASE, process));
	assert_int_equal(fixture->diagnostics.count, 1);
	state_fixture_forget(fixture);
	/* Whoever comes back after one term is refused once more, unless it watched. */
	fixture->boot_id = "other";
	assert_false(begin(fixture, store, &second_run));
	assert_true(state_fixture_said(fixture, FAULT_LEASE, " s for a run that waits for it"));
	fixture->boot_id = NULL;
	state_fixture_forget(fixture);
	/* Reading needs no lease, and there can be only one run for each store. */
	assert_int_equal(count_objects(fixture, store), 0);
	assert_false(begin(fixture, holder, &second_run));
	assert_true(state_fixture_said(fixture, FAULT_INTERNAL, "begun twice"));
	holder->ops->close(holder);
	store->ops->close(store);
}

/* A run that slept past its lease records nothing once another has taken it. */
static void test_fencing(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *old = open_state(fixture), *new = open_state(fixture);

	assert_true(begin(fixture, old, &first_run));
	fixture->boot_offset_ms = TERM + 1;
	assert_int_equal(old->ops->lease_left_ms(old), 0);
	assert_true(begin(fixture, new, &second_run));
	assert_int_equal(put_object(fixture, old), COMMIT_FAILED);
	assert_true(state_fixture_said(fixture, FAULT_LEASE, "'destroy'"));
	assert_true(state_fixture_said(fixture, FAULT_LEASE, "run 2222"));
	assert_int_equal(count_objects(fixture, new), 0);
	assert_int_equal(old->ops->lease_left_ms(old), 0);
	state_fixture_forget(fixture);
	assert_false(old->ops->heartbeat(old, &fixture->diagnostics));
	assert_true(state_fixture_said(fixture, FAULT_LEASE, "lost its lease"));
	state_fixture_forget(fixture);
	assert_false(old->ops->end(old, SLICE("done"), &fixture->diagnostics));
	assert_true(state_fixture_said(fixture, FAULT_LEASE, "lost its lease"));
	/* The new one is not disturbed. */
	assert_int_equal(put_object(fixture, new), COMMIT_DONE);
	assert_int_equal(count_objects(fixture, new), 1);
	assert_true(new->ops->end(new, SLICE("done"), &fixture->diagnostics));
	state_fixture_forget(fixture);
	assert_int_equal(put_object(fixture, old), COMMIT_FAILED);
	assert_true(state_fixture_said(fixture, FAULT_LEASE, "lost its lease"));
	assert_int_equal(fixture_ask(fixture, "SELECT count(*) FROM runs WHERE command = 'apply' AND outcome = 'lost'"),
			 1);
	assert_int_equal(
		fixture_ask(fixture, "SELECT count(*) FROM runs WHERE command = 'destroy' AND outcome = 'done'"), 1);
	assert_int_equal(fixture_ask(fixture, "SELECT fencing FROM lease"), 2);
	old->ops->close(old);
	new->ops->close(new);
}

/* Taken away with time left: nothing more is sent or recorded, and no new run begins on this store. */
static void test_taken_away(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture);

	assert_true(begin(fixture, store, &first_run));
	fixture_ask(fixture, "UPDATE lease SET run = NULL");
	assert_int_equal(put_object(fixture, store), COMMIT_FAILED);
	assert_true(state_fixture_said(fixture, FAULT_LEASE, "taken away"));
	assert_int_equal(store->ops->lease_left_ms(store), 0);
	assert_int_equal(count_objects(fixture, store), 0);
	assert_false(begin(fixture, store, &second_run));
	store->ops->close(store);
}

/* Machines that both say nothing of themselves need not be the same. */
static void test_nameless_machines(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *holder, *store;

	fixture->boot_id = "";
	holder = open_state(fixture);
	store = open_state(fixture);
	assert_true(begin(fixture, holder, &first_run));
	fixture->boot_offset_ms = TERM + 1;
	assert_false(begin(fixture, store, &second_run));
	holder->ops->close(holder);
	store->ops->close(store);
}

/* Slept, but nobody came: the run goes on, and each beat and commit makes the lease last a term. */
static void test_renewal(void **state)
{
	static const struct {
		const char *name;
		bool commits;
	} rows[] = {{"heartbeat", false}, {"commit", true}};
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture), *other = open_state(fixture);

	assert_int_equal(store->ops->lease_left_ms(store), 0);
	assert_true(begin(fixture, store, &first_run));
	for (size_t i = 0; i < COUNT(rows); i++) {
		int64_t left_ms = store->ops->lease_left_ms(store);

		if (left_ms > TERM || left_ms < TERM - 5000)
			fail_msg("%s: %lld ms at first", rows[i].name, (long long)left_ms);
		fixture->boot_offset_ms += TERM / 3 * 2;
		left_ms = store->ops->lease_left_ms(store);
		if (left_ms > TERM / 3 || left_ms < TERM / 3 - 5000)
			fail_msg("%s: %lld ms after two thirds", rows[i].name, (long long)left_ms);
		fixture->boot_offset_ms += TERM / 3 * 2;
		if (store->ops->lease_left_ms(store) != 0)
			fail_msg("%s: not over", rows[i].name);
		if (rows[i].commits ? put_object(fixture, store) != COMMIT_DONE
				    : !store->ops->heartbeat(store, &fixture->diagnostics))
			fail_msg("%s: %s", rows[i].name, state_fixture_told(fixture));
		assert_false(begin(fixture, other, &second_run));
	}
	store->ops->close(store);
	other->ops->close(other);
}

/* A failed commit gives no more time than what stands in the file. */
static void test_failed_commit_renews_nothing(void **state)
{
	static const struct intent_close closes[] = {{S("0123456789abcdef0123456789abcdef"), OUTCOME_DONE, S("")}};
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture);

	assert_true(begin(fixture, store, &first_run));
	fixture->boot_offset_ms += TERM / 3 * 2;
	assert_int_equal(
		store->ops->commit(store, &(struct commit){.closes = closes, .close_count = 1}, &fixture->diagnostics),
		COMMIT_FAILED);
	assert_in_range(store->ops->lease_left_ms(store), 1, TERM / 3);
	store->ops->close(store);
}

/* After another store's run the serial goes on from there. */
static void test_serial_goes_on(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *a = open_state(fixture), *b = open_state(fixture);

	assert_true(begin(fixture, a, &first_run));
	assert_int_equal(put_object(fixture, a), COMMIT_DONE);
	assert_true(a->ops->end(a, SLICE("partly"), &fixture->diagnostics));
	assert_int_equal(b->ops->record(b)->serial, 0);
	assert_true(begin(fixture, b, &second_run));
	assert_int_equal(b->ops->record(b)->serial, 1);
	assert_int_equal(put_object(fixture, b), COMMIT_DONE);
	assert_int_equal(b->ops->record(b)->serial, 2);
	assert_true(b->ops->end(b, SLICE("done"), &fixture->diagnostics));
	/* And again by the first store, whose run has ended in order. */
	assert_true(begin(fixture, a,
			  &(struct run){.id = S("33333333333333333333333333333333"),
					.command = S("apply"),
					.plan_digest = S("abc")}));
	assert_true(a->ops->end(a, SLICE("done"), &fixture->diagnostics));
	assert_int_equal(fixture_ask(fixture, "SELECT count(*) FROM runs WHERE outcome = 'partly' AND command = 'apply'"
					      " AND ended_ms >= started_ms"),
			 1);
	assert_int_equal(fixture_ask(fixture, "SELECT count(*) FROM runs WHERE plan_digest = 'abc'"), 1);
	a->ops->close(a);
	b->ops->close(b);
}

/* A lease row that damage or malice has written must not lock the stack for ever. */
static void test_mad_rows(void **state)
{
	static const struct {
		const char *name;
		const char *sql;
		int64_t later_ms;
		bool taken;
	} rows[] = {
		{"a beat in the future", "UPDATE lease SET beat_boot_ms = 9223372036854775807", 0, true},
		{"a term without end", "UPDATE lease SET term_ms = 9223372036854775807", 10 * 60 * 1000 + 1, true},
		{"a term of nothing", "UPDATE lease SET term_ms = -9223372036854775807", 2, true},
		{"a process that cannot be", "UPDATE lease SET process = -1, process_start = 'x'", 0, false},
		{"a huge process", "UPDATE lease SET process = 9223372036854775807, process_start = 'x'", 0, false},
		{"a run's id that is none", "UPDATE lease SET run = x'00'", 0, true},
		{"the beginning of time",
		 "UPDATE lease SET since_ms = -9223372036854775808, beat_wall_ms = -9223372036854775808", 0, false},
		{"the end of time",
		 "UPDATE lease SET since_ms = 9223372036854775807, beat_wall_ms = 9223372036854775807", 0, false},
		{"no row", "DELETE FROM lease", 0, false},
		{"the last number", "UPDATE lease SET fencing = 9223372036854775807, run = NULL", 0, false},
	};
	struct state_fixture *fixture = (struct state_fixture *)*state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct store *holder, *store;

		fixture->boot_offset_ms = 0;
		snprintf(fixture->path, sizeof(fixture->path), "%s/%zu.db", fixture->folder, i);
		holder = open_state(fixture);
		store = open_state(fixture);
		assert_true(begin(fixture, holder, &first_run));
		fixture_ask(fixture, rows[i].sql);
		fixture->boot_offset_ms = rows[i].later_ms;
		if (begin(fixture, store, &second_run) != rows[i].taken)
			fail_msg("%s: %s", rows[i].name, state_fixture_told(fixture));
		if (!rows[i].taken && fixture->diagnostics.error_count != 1)
			fail_msg("%s: %s", rows[i].name, state_fixture_told(fixture));
		holder->ops->close(holder);
		store->ops->close(store);
	}
}

/* Tries once the other end of go is closed, answers w(on), l(ost) or ?, and stays. */
static _Noreturn void contend(struct state_fixture *fixture, int round, int go, int done)
{
	char id[33], byte, answer = '?';
	struct run run = {.id = {id, 32}, .command = SLICE("apply")};
	struct store *store;

	state_fixture_fork(fixture);
	snprintf(id, sizeof(id), "%016x%016x", (unsigned)round, (unsigned)getpid());
	store = open_state(fixture);
	(void)!read(go, &byte, 1);
	if (begin(fixture, store, &run))
		answer = put_object(fixture, store) == COMMIT_DONE ? 'w' : '?';
	else if (state_fixture_said(fixture, FAULT_LEASE, "holds the stack"))
		answer = 'l';
	(void)!write(done, &answer, 1);
	for (;;)
		pause();
}

/* Of many processes that want it at once exactly one gets it, round after round. */
static void test_contest(void **state)
{
	enum { ROUNDS = 15, PROCESSES = 6 };
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture);

	store->ops->close(store);
	for (int round = 0; round < ROUNDS; round++) {
		int winners = 0, losers = 0, go[2], done[2];
		pid_t contestants[PROCESSES];

		assert_int_equal(pipe(go), 0);
		assert_int_equal(pipe(done), 0);
		for (int i = 0; i < PROCESSES; i++) {
			contestants[i] = fork();
			if (contestants[i] == 0) {
				close(go[1]);
				contend(fixture, round, go[0], done[1]);
			}
		}
		close(go[0]);
		close(go[1]);
		close(done[1]);
		for (int i = 0; i < PROCESSES; i++) {
			char answer = '?';

			assert_int_equal(read(done[0], &answer, 1), 1);
			winners += answer == 'w';
			losers += answer == 'l';
		}
		close(done[0]);
		for (int i = 0; i < PROCESSES; i++)
			let_go(contestants[i]);
		assert_int_equal(winners, 1);
		assert_int_equal(losers, PROCESSES - 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STATE_TEST(test_take),
		STATE_TEST(test_process_start),
		STATE_TEST(test_process_number_reused),
		STATE_TEST(test_silence),
		STATE_TEST(test_refusal_tells),
		STATE_TEST(test_fencing),
		STATE_TEST(test_taken_away),
		STATE_TEST(test_nameless_machines),
		STATE_TEST(test_renewal),
		STATE_TEST(test_failed_commit_renews_nothing),
		STATE_TEST(test_serial_goes_on),
		STATE_TEST(test_mad_rows),
		STATE_TEST(test_contest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
