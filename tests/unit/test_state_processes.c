#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "state/place.h"
#include "state/sqlite_store.h"
#include "tests/unit/support_state_store.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define S(literal)                                                                                                     \
	{                                                                                                              \
		(literal), sizeof(literal) - 1                                                                         \
	}

static const struct state_options to_write = {
	.access = STATE_WRITE, .program = S("trueup 0.1.0"), .busy_timeout_ms = LOCKED_AT_MOST_MS};
static const struct state_options to_read = {.access = STATE_READ, .busy_timeout_ms = LOCKED_AT_MOST_MS};

static struct store *open_state(struct state_fixture *fixture, const struct state_options *options)
{
	struct store *store = NULL;

	if (!state_open(&fixture->world, fixture->path, options, SLICE("lab"), &store, &fixture->diagnostics))
		fixture_give_up(fixture);
	return store;
}

/* Reading leaves the folder as it is, whatever lies there. */
static void test_read_leaves_nothing(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *writer = open_state(fixture, &to_write), *reader;
	struct slice before, after;
	const char *wal = arena_text(&fixture->arena, "%s-wal", fixture->path);

	fixture_begin(fixture, writer);
	fixture_put(fixture, writer, 0, 3);
	/* Beside a run: its commits are seen, and seen again when there are more. */
	reader = open_state(fixture, &to_read);
	fixture_heads(fixture, reader, 3);
	fixture_put(fixture, writer, 3, 1);
	fixture_heads(fixture, reader, 4);
	assert_string_equal(fixture_names(fixture), "state.db state.db-shm state.db-wal ");
	reader->ops->close(reader);
	before = file_read(fixture, wal);
	writer->ops->close(writer);
	assert_string_equal(fixture_names(fixture), "state.db ");

	/* Alone. */
	before = file_read(fixture, fixture->path);
	reader = open_state(fixture, &to_read);
	fixture_heads(fixture, reader, 4);
	assert_string_equal(fixture_names(fixture), "state.db ");
	/* A run that starts behind its back, works and ends. */
	fixture->boot_offset_ms = STATE_LEASE_TERM_MS;
	writer = open_state(fixture, &to_write);
	fixture_begin(fixture, writer);
	fixture_put(fixture, writer, 4, 2);
	writer->ops->close(writer);
	fixture_heads(fixture, reader, 6);
	reader->ops->close(reader);
	assert_string_equal(fixture_names(fixture), "state.db ");
	after = file_read(fixture, fixture->path);
	assert_false(slice_equal(before, after));
}

/* A child writes objects 0 .. count - 1, one commit each, and dies without closing. */
static void write_and_die(struct state_fixture *fixture, size_t count)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct store *store;

		state_fixture_fork(fixture);
		store = open_state(fixture, &to_write);
		fixture_begin(fixture, store);
		for (size_t i = 0; i < count; i++)
			fixture_put(fixture, store, i, 1);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
}

/* Reads in a process of a user who may not write: root may always. */
static int read_as_nobody(struct state_fixture *fixture, size_t expected)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct store *store;
		struct object *heads;
		size_t count = SIZE_MAX;

		if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
			_exit(2);
		if (!state_open(&fixture->world, fixture->path, &to_read, SLICE("lab"), &store,
				&fixture->diagnostics) ||
		    !store->ops->heads(store, &fixture->arena, &heads, &count, &fixture->diagnostics)) {
			fprintf(stderr, "%s", state_fixture_told(fixture));
			_exit(3);
		}
		store->ops->close(store);
		_exit(count == expected ? 0 : 4);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void set_modes(struct state_fixture *fixture, bool writable)
{
	static const char *const suffixes[] = {"", "-wal", "-shm"};
	const char *folder = arena_text(&fixture->arena, "%s/.trueup", fixture->folder);

	for (size_t i = 0; i < COUNT(suffixes); i++) {
		const char *path = arena_text(&fixture->arena, "%s%s", fixture->path, suffixes[i]);

		/* Not there is no failure. */
		(void)!chmod(path, writable ? 0600 : 0444);
	}
	assert_int_equal(chmod(folder, writable ? 0700 : 0555), 0);
	assert_int_equal(chmod(fixture->folder, writable ? 0700 : 0755), 0);
}

/* In a folder that cannot be written, a reader sees all: also what lies only in the -wal. */
static void test_read_only_folder(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &to_write);

	store->ops->close(store);
	write_and_die(fixture, 3);
	assert_string_equal(fixture_names(fixture), "state.db state.db-shm state.db-wal ");
	set_modes(fixture, false);
	assert_int_equal(read_as_nobody(fixture, 3), 0);
	assert_string_equal(fixture_names(fixture), "state.db state.db-shm state.db-wal ");
	set_modes(fixture, true);
	store = open_state(fixture, &to_write);
	fixture_heads(fixture, store, 3);
	store->ops->close(store);
	assert_string_equal(fixture_names(fixture), "state.db ");
	set_modes(fixture, false);
	assert_int_equal(read_as_nobody(fixture, 3), 0);
	set_modes(fixture, true);
}

/* The -wal file of a run that died is read, and not changed by it; without its -shm too. */
static void test_read_after_death(void **state)
{
	static const struct {
		const char *name;
		bool with_index;
	} rows[] = {{"as death left it", true}, {"without the -shm file", false}};
	struct state_fixture *fixture = (struct state_fixture *)*state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *wal, *index;
		struct slice before, wal_before, wal_after, after, index_before;
		struct store *store;

		snprintf(fixture->path, sizeof(fixture->path), "%s/.trueup/state%zu.db", fixture->folder, i);
		wal = arena_text(&fixture->arena, "%s-wal", fixture->path);
		index = arena_text(&fixture->arena, "%s-shm", fixture->path);
		write_and_die(fixture, 2);
		if (!rows[i].with_index)
			assert_int_equal(unlink(index), 0);
		before = file_read(fixture, fixture->path);
		wal_before = file_read(fixture, wal);
		index_before = file_read(fixture, index);
		store = open_state(fixture, &to_read);
		fixture_heads(fixture, store, 2);
		store->ops->close(store);
		after = file_read(fixture, fixture->path);
		wal_after = file_read(fixture, wal);
		if (wal_before.size == 0 || !slice_equal(before, after) || !slice_equal(wal_before, wal_after))
			fail_msg("%s: changed", rows[i].name);
		if (rows[i].with_index && !slice_equal(index_before, file_read(fixture, index)))
			fail_msg("%s: index changed", rows[i].name);
	}
}

/* A child dies in its first commit, when nothing but its header stands in a new -wal file. */
static void die_before_first_frame(struct state_fixture *fixture)
{
	const char *wal = arena_text(&fixture->arena, "%s-wal", fixture->path);
	pid_t child = fork();
	int status;

	if (child == 0) {
		sqlite3 *handle;

		/* A cache as small as that writes before the commit. */
		if (sqlite3_open(fixture->path, &handle) == SQLITE_OK)
			sqlite3_exec(handle,
				     "PRAGMA cache_size = 1; BEGIN IMMEDIATE; CREATE TABLE part (bytes);"
				     "INSERT INTO part VALUES (randomblob(1000000)); INSERT INTO part VALUES (1);",
				     NULL, NULL, NULL);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(truncate(wal, 32), 0);
}

static void test_read_after_death_at_first_frame(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &to_write);

	fixture_begin(fixture, store);
	fixture_put(fixture, store, 0, 3);
	store->ops->close(store);
	die_before_first_frame(fixture);
	store = open_state(fixture, &to_read);
	fixture_heads(fixture, store, 3);
	store->ops->close(store);
	assert_string_equal(fixture_names(fixture), "state.db state.db-shm state.db-wal ");
}

/* A file written a moment ago is read without locks only when its time can tell it from the next write. */
static void test_read_waits_until_settled(void **state)
{
	static const struct {
		const char *name;
		int64_t age_ms;
		bool waits;
	} rows[] = {{"just now", 0, true}, {"long ago", 60000, false}};
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &to_write);

	store->ops->close(store);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct timespec now, after, times[2];
		struct stamp stamp;
		int64_t waited_ms;

		clock_gettime(CLOCK_REALTIME, &now);
		times[0] = times[1] = now;
		times[0].tv_sec = times[1].tv_sec -= rows[i].age_ms / 1000;
		assert_int_equal(utimensat(AT_FDCWD, fixture->path, times, 0), 0);
		assert_int_equal(place_way_to_read(fixture->path, &stamp), DATABASE_READ_IMMUTABLE);
		clock_gettime(CLOCK_REALTIME, &after);
		waited_ms = (after.tv_sec - now.tv_sec) * 1000 + (after.tv_nsec - now.tv_nsec) / 1000000;
		if (rows[i].waits && waited_ms < 25)
			fail_msg("%s: waited %d ms", rows[i].name, (int)waited_ms);
		assert_false(place_moved(fixture->path, &stamp));
		times[1].tv_nsec ^= 1;
		assert_int_equal(utimensat(AT_FDCWD, fixture->path, times, 0), 0);
		assert_true(place_moved(fixture->path, &stamp));
	}
}

/* Opens, commits and closes until it is killed; each close moves the -wal into the file. */
static pid_t start_restless_writer(struct state_fixture *fixture)
{
	pid_t child = fork();

	if (child == 0) {
		state_fixture_fork(fixture);
		for (;;) {
			struct store *store = open_state(fixture, &to_write);

			fixture_begin(fixture, store);
			fixture_put(fixture, store, 0, 20);
			if (!store->ops->end(store, SLICE("done"), &fixture->diagnostics))
				_exit(1);
			store->ops->close(store);
			arena_reset(&fixture->arena);
			diagnostics_init(&fixture->diagnostics, &fixture->arena);
		}
	}
	return child;
}

/* However a writer and a reader meet, the reader gets a whole state. */
static void test_read_beside_writer(void **state)
{
	enum { READS = 400 };
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &to_write);
	pid_t writer;

	fixture_begin(fixture, store);
	fixture_put(fixture, store, 0, 20);
	assert_true(store->ops->end(store, SLICE("done"), &fixture->diagnostics));
	store->ops->close(store);
	writer = start_restless_writer(fixture);
	for (int i = 0; i < READS; i++) {
		struct arena arena;
		struct object *heads;
		size_t count = 0;
		bool read;

		arena_init(&arena);
		store = open_state(fixture, &to_read);
		read = store->ops->heads(store, &arena, &heads, &count, &fixture->diagnostics);
		store->ops->close(store);
		arena_release(&arena);
		if (!read || count != 20) {
			kill(writer, SIGKILL);
			waitpid(writer, NULL, 0);
			fail_msg("read %d: %zu objects, %s", i, count, state_fixture_told(fixture));
		}
	}
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
}

/* A child commits objects and tells each that is done; it is killed at some moment. */
static void run_until_killed(struct state_fixture *fixture, int acknowledge, size_t first)
{
	struct store *store;

	state_fixture_fork(fixture);
	store = open_state(fixture, &to_write);
	fixture_begin(fixture, store);
	for (size_t i = first;; i++) {
		const struct intent intents[] = {fixture_intent(fixture, i)};
		const struct object *upserts[] = {fixture_object(fixture, i)};
		const struct slice bodies[] = {arena_format(&fixture->arena, "{\"n\":%zu}", i)};
		const struct intent_close closes[] = {{fixture_id(fixture, 1000000 + i - 1), OUTCOME_DONE, S("")}};
		const struct commit all = {
			.upserts = upserts,
			.bodies = bodies,
			.upsert_count = 1,
			.closes = closes,
			.close_count = i > first,
			.intents = intents,
			.intent_count = 1,
		};

		if (store->ops->commit(store, &all, &fixture->diagnostics) != COMMIT_DONE ||
		    write(acknowledge, &i, sizeof(i)) != sizeof(i))
			_exit(1);
	}
}

/* Last number acknowledged, or before where there was none. */
static size_t last_of(int acknowledged, size_t before)
{
	size_t number;

	while (read(acknowledged, &number, sizeof(number)) == sizeof(number))
		before = number;
	return before;
}

/* Whatever was said to be done is there, whole, and at most one commit more. */
static void test_kill(void **state)
{
	enum { ROUNDS = 25 };
	struct state_fixture *fixture = (struct state_fixture *)*state;
	size_t done = 0;

	for (int round = 0; round < ROUNDS; round++) {
		int ends[2];
		pid_t child;
		struct store *store;
		struct object *heads;
		struct intent *intents;
		size_t count = 0, open_count = 0, acknowledged;

		assert_int_equal(pipe(ends), 0);
		child = fork();
		if (child == 0)
			run_until_killed(fixture, ends[1], done + 1);
		close(ends[1]);
		acknowledged = done;
		/* Two of three children get so far as to commit something, however slow the machine is. */
		if (round % 3 > 0)
			assert_int_equal(read(ends[0], &acknowledged, sizeof(acknowledged)), sizeof(acknowledged));
		nanosleep(&(struct timespec){.tv_nsec = 1000000L * (round * 37 % 60)}, NULL);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		acknowledged = last_of(ends[0], acknowledged);
		close(ends[0]);
		store = open_state(fixture, &to_write);
		assert_true(store->ops->heads(store, &fixture->arena, &heads, &count, &fixture->diagnostics));
		assert_true(store->ops->intents(store, &fixture->arena, &intents, &open_count, &fixture->diagnostics));
		if (count < acknowledged || count > acknowledged + 1 ||
		    store->ops->record(store)->serial != (int64_t)count)
			fail_msg("round %d: %zu acknowledged, %zu found", round, acknowledged, count);
		/* Each commit opened the intent of its own object and closed the one before, so each
		 * round leaves at most one. */
		assert_in_range(open_count, 0, round + 1);
		if (count > done)
			assert_true(slice_equal(intents[open_count - 1].object_id, fixture_id(fixture, count)));
		for (size_t i = done + 1; i <= count; i++)
			assert_true(slice_equal(fixture_body(fixture, store, i),
						arena_format(&fixture->arena, "{\"n\":%zu}", i)));
		store->ops->close(store);
		done = count;
	}
	assert_int_equal(
		fixture_ask(fixture, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"), 0);
	assert_true(done >= ROUNDS / 3 * 2);
}

/* Several processes make the same file at once: one state comes of it. */
static void test_creation_race(void **state)
{
	enum { PROCESSES = 8 };
	struct state_fixture *fixture = (struct state_fixture *)*state;
	int ends[2];
	char lineages[PROCESSES][32];

	assert_int_equal(pipe(ends), 0);
	for (int i = 0; i < PROCESSES; i++) {
		if (fork() == 0) {
			struct store *store;

			state_fixture_fork(fixture);
			store = open_state(fixture, &to_write);
			if (write(ends[1], store->ops->record(store)->lineage.data, 32) != 32)
				_exit(1);
			store->ops->close(store);
			_exit(0);
		}
	}
	close(ends[1]);
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		assert_true(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
		assert_int_equal(read(ends[0], lineages[i], 32), 32);
		assert_memory_equal(lineages[i], lineages[0], 32);
	}
	close(ends[0]);
	assert_null(strstr(fixture_names(fixture), ".new-"));
}

static double since_ms(struct timespec start)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	return (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) / 1e6;
}

/* Shows figures; a time never fails a test. */
static void test_speed(void **state)
{
	enum { COMMITS = 100 };
	const size_t objects = state_fixture_is_slow() ? 2000 : 100000;
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store = open_state(fixture, &to_write);
	const struct object **wanted = (const struct object **)memory_get(objects * sizeof(struct object *));
	struct slice *bodies = (struct slice *)memory_get(objects * sizeof(*bodies));
	struct object *heads;
	struct timespec start;
	struct arena arena;
	double write_ms, heads_ms, all_ms, few_ms;

	fixture_begin(fixture, store);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (size_t i = 0; i < COMMITS; i++)
		fixture_put(fixture, store, i * (objects / COMMITS), objects / COMMITS);
	write_ms = since_ms(start);
	store->ops->close(store);
	store = open_state(fixture, &to_read);
	arena_init(&arena);
	clock_gettime(CLOCK_MONOTONIC, &start);
	heads = fixture_heads(fixture, store, objects);
	heads_ms = since_ms(start);
	for (size_t i = 0; i < objects; i++)
		wanted[i] = &heads[objects - 1 - i];
	clock_gettime(CLOCK_MONOTONIC, &start);
	assert_true(store->ops->bodies(store, &arena, wanted, objects, bodies, &fixture->diagnostics));
	all_ms = since_ms(start);
	assert_true(slice_equal(bodies[0], arena_format(&arena, "{\"n\":%zu}", objects - 1)));
	assert_true(slice_is(bodies[objects - 1], "{\"n\":0}"));
	clock_gettime(CLOCK_MONOTONIC, &start);
	assert_true(store->ops->bodies(store, &arena, wanted, objects / 10, bodies, &fixture->diagnostics));
	few_ms = since_ms(start);
	print_message(
		"# %zu objects: written in %d commits %.0f ms; heads %.0f ms; all bodies %.0f ms; a tenth %.0f ms\n",
		objects, COMMITS, write_ms, heads_ms, all_ms, few_ms);
	arena_release(&arena);
	store->ops->close(store);
	free(wanted);
	free(bodies);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STATE_TEST(test_read_leaves_nothing),
		STATE_TEST(test_read_only_folder),
		STATE_TEST(test_read_after_death),
		STATE_TEST(test_read_after_death_at_first_frame),
		STATE_TEST(test_read_waits_until_settled),
		STATE_TEST(test_read_beside_writer),
		STATE_TEST(test_kill),
		STATE_TEST(test_creation_race),
		STATE_TEST(test_speed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
