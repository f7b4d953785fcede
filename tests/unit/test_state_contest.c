#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "state/sqlite_store.h"
#include "tests/unit/support_state_store.h"

/*
 * Two processes on one state file: each takes the lease, reads a counter, commits it raised by
 * one, and ends. Now and then one of them believes that the other's lease is over and takes
 * it in the middle of the other's round. Whatever they do, no commit is lost and none is
 * made by a run that is not the holder.
 */

enum {
	PROCESSES = 2,
	ROUNDS = 1000,
	ROUNDS_SLOW = 60,
	THEFT_EVERY = 5,
	PATIENCE_MS = 5,
};

/* In memory that both share. */
struct contest {
	int64_t rounds;
	_Atomic int64_t begun;	   /* leases taken */
	_Atomic int64_t committed; /* commits that were said to be done */
	_Atomic int64_t fenced;	   /* commits refused because the lease was lost */
	_Atomic int64_t refused;   /* leases that another run held */
	_Atomic int64_t newest;	   /* highest counter that was committed */
};

static struct store *open_state(struct state_fixture *fixture)
{
	static const struct state_options to_write = {.access = STATE_WRITE, .busy_timeout_ms = LOCKED_AT_MOST_MS};
	struct store *store = NULL;

	if (!state_open(&fixture->world, fixture->path, &to_write, SLICE("lab"), &store, &fixture->diagnostics))
		fixture_give_up(fixture);
	return store;
}

static int64_t read_counter(struct state_fixture *fixture, struct store *store)
{
	struct slice body = fixture_body(fixture, store, 0);

	/* {"n":NUMBER} */
	return strtoll(arena_string(&fixture->arena, body) + strlen("{\"n\":"), NULL, 10);
}

static enum commit_state write_counter(struct state_fixture *fixture, struct store *store, int64_t counter)
{
	const struct object *upserts[] = {fixture_object(fixture, 0)};
	const struct slice bodies[] = {arena_format(&fixture->arena, "{\"n\":%" PRId64 "}", counter)};
	const struct commit commit = {.upserts = upserts, .bodies = bodies, .upsert_count = 1};

	return store->ops->commit(store, &commit, &fixture->diagnostics);
}

/* Lets the other one try, and come in where it can. */
static void await_the_other(const struct contest *contest)
{
	int64_t before = atomic_load(&contest->begun) + atomic_load(&contest->refused);

	for (int tries = 0; tries < PATIENCE_MS; tries++) {
		if (atomic_load(&contest->begun) + atomic_load(&contest->refused) != before)
			return;
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
}

/* Only one with the lease may come here; whether it has it still, the commit must find out. */
static void commit_one(struct state_fixture *fixture, struct store *store, struct contest *contest)
{
	int64_t counter = read_counter(fixture, store) + 1, before;

	await_the_other(contest);
	if (write_counter(fixture, store, counter) != COMMIT_DONE) {
		if (!state_fixture_said(fixture, FAULT_LEASE, "lost its lease"))
			fixture_give_up(fixture);
		atomic_fetch_add(&contest->fenced, 1);
		return;
	}
	before = atomic_load(&contest->newest);
	while (before < counter && !atomic_compare_exchange_weak(&contest->newest, &before, counter))
		;
	atomic_fetch_add(&contest->committed, 1);
}

/* One try; whoever does not get the lease, or loses it, leaves without a trace. */
static void try_round(struct state_fixture *fixture, struct contest *contest, int64_t number)
{
	struct store *store = open_state(fixture);
	/* As a machine that has slept for the length of a term believes. */
	fixture->boot_offset_ms = number % THEFT_EVERY == 0 ? STATE_LEASE_TERM_MS + 1 : 0;
	if (!fixture_try_begin(fixture, store)) {
		if (!state_fixture_said(fixture, FAULT_LEASE, "holds the stack"))
			fixture_give_up(fixture);
		atomic_fetch_add(&contest->refused, 1);
		store->ops->close(store);
		return;
	}
	atomic_fetch_add(&contest->begun, 1);
	fixture->boot_offset_ms = 0;
	commit_one(fixture, store, contest);
	state_fixture_forget(fixture);
	if (!store->ops->end(store, SLICE("done"), &fixture->diagnostics) &&
	    !state_fixture_said(fixture, FAULT_LEASE, "lost its lease"))
		fixture_give_up(fixture);
	store->ops->close(store);
}

static pid_t start(struct state_fixture *fixture, struct contest *contest)
{
	pid_t child = fork();

	if (child != 0)
		return child;
	state_fixture_fork(fixture);
	for (int64_t number = 1; atomic_load(&contest->begun) < contest->rounds; number++) {
		try_round(fixture, contest, number);
		diagnostics_release(&fixture->diagnostics);
		arena_reset(&fixture->arena);
		diagnostics_init(&fixture->diagnostics, &fixture->arena);
	}
	_exit(0);
}

static void judge(struct state_fixture *fixture, struct contest *contest)
{
	struct store *store = open_state(fixture);
	int64_t committed = atomic_load(&contest->committed), begun = atomic_load(&contest->begun);

	/* Each commit that was said to be done stands on the one before it: none is lost, none doubled. */
	assert_int_equal(read_counter(fixture, store), committed);
	assert_int_equal(atomic_load(&contest->newest), committed);
	/* The first commit is that of the set-up, and so is the first lease. */
	assert_int_equal(store->ops->record(store)->serial, committed + 1);
	assert_int_equal(fixture_ask(fixture, "SELECT fencing FROM lease"), begun + 1);
	assert_int_equal(fixture_ask(fixture, "SELECT count(*) FROM runs"), begun + 1);
	/* Who was fenced is recorded as lost, and nobody else is. */
	assert_int_equal(committed + atomic_load(&contest->fenced), begun);
	assert_true(fixture_ask(fixture, "SELECT count(*) FROM runs WHERE outcome = 'lost'") >=
		    atomic_load(&contest->fenced));
	assert_true(fixture_ask(fixture, "SELECT count(*) FROM runs WHERE outcome = 'done'") <= committed + 1);
	assert_int_equal(
		fixture_ask(fixture, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"), 0);
	store->ops->close(store);
}

static void test_contest(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct contest *contest = (struct contest *)mmap(NULL, sizeof(*contest), PROT_READ | PROT_WRITE,
							 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct store *store = open_state(fixture);

	assert_true(contest != MAP_FAILED);
	contest->rounds = state_fixture_is_slow() ? ROUNDS_SLOW : ROUNDS;
	fixture_begin(fixture, store);
	fixture_put(fixture, store, 0, 1);
	assert_true(store->ops->end(store, SLICE("done"), &fixture->diagnostics));
	store->ops->close(store);
	for (int i = 0; i < PROCESSES; i++)
		start(fixture, contest);
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		assert_true(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	judge(fixture, contest);
	print_message("# %" PRId64 " leases, %" PRId64 " refused, %" PRId64 " commits, %" PRId64 " fenced off\n",
		      atomic_load(&contest->begun), atomic_load(&contest->refused), atomic_load(&contest->committed),
		      atomic_load(&contest->fenced));
	/* Not a contest otherwise. */
	if (!state_fixture_is_slow())
		assert_true(atomic_load(&contest->refused) > 0 && atomic_load(&contest->fenced) > 0);
	munmap(contest, sizeof(*contest));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STATE_TEST(test_contest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
