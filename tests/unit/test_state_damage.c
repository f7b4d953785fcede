#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests/unit/support_state_file.h"
#include "tests/unit/support_rounds.h"

static void run_sql(const char *path, const char *sql)
{
	sqlite3 *handle = NULL;

	if (sqlite3_open(path, &handle) != SQLITE_OK || sqlite3_exec(handle, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(handle));
	sqlite3_close(handle);
}

static void write_text(struct state_fixture *fixture, struct slice text)
{
	/* The folder is there from state_file_make(). */
	assert_true(file_write(fixture->path, text));
}

static void make_folder(struct state_fixture *fixture)
{
	state_file_remove(fixture);
	assert_int_equal(mkdir(fixture->path, 0700), 0);
}

static void make_pipe(struct state_fixture *fixture)
{
	state_file_remove(fixture);
	assert_int_equal(mkfifo(fixture->path, 0600), 0);
}

static void make_dangling_link(struct state_fixture *fixture)
{
	state_file_remove(fixture);
	assert_int_equal(symlink("nowhere.db", fixture->path), 0);
}

static void make_empty(struct state_fixture *fixture)
{
	write_text(fixture, SLICE(""));
}

static void make_yaml(struct state_fixture *fixture)
{
	char text[5000];

	memset(text, '#', sizeof(text));
	memcpy(text, "stack: lab\n", 11);
	write_text(fixture, (struct slice){text, sizeof(text)});
}

static void make_short_garbage(struct state_fixture *fixture)
{
	write_text(fixture, SLICE("SQLite format 3"));
}

static void make_foreign(struct state_fixture *fixture)
{
	state_file_remove(fixture);
	run_sql(fixture->path, "PRAGMA application_id = 7; CREATE TABLE bookmarks (url TEXT)");
}

static void make_plain(struct state_fixture *fixture)
{
	state_file_remove(fixture);
	run_sql(fixture->path, "CREATE TABLE objects (address TEXT)");
}

static void make_tableless(struct state_fixture *fixture)
{
	state_file_remove(fixture);
	run_sql(fixture->path, "CREATE TABLE x (y); DROP TABLE x; VACUUM");
}

static void make_newer(struct state_fixture *fixture)
{
	run_sql(fixture->path, "PRAGMA user_version = 8; DROP TABLE stack; DROP TABLE lease;"
			       "INSERT INTO migrations VALUES (8, 'trueup 2.5.0', 0)");
}

static void make_newer_build(struct state_fixture *fixture)
{
	run_sql(fixture->path, "PRAGMA user_version = 8; INSERT INTO migrations VALUES (8, 'trueup 0.1.0', 0)");
}

static void make_newer_silent(struct state_fixture *fixture)
{
	run_sql(fixture->path, "PRAGMA user_version = 8; DROP TABLE migrations");
}

static void make_newer_rude(struct state_fixture *fixture)
{
	run_sql(fixture->path, "PRAGMA user_version = 8;"
			       "INSERT INTO migrations VALUES (8, 'x' || char(27) || '[2J', 0)");
}

static void make_format_zero(struct state_fixture *fixture)
{
	run_sql(fixture->path, "PRAGMA user_version = 0");
}

static void make_other_stack(struct state_fixture *fixture)
{
	run_sql(fixture->path, "UPDATE stack SET name = 'prod'");
}

static void drop_stack_row(struct state_fixture *fixture)
{
	run_sql(fixture->path, "DELETE FROM stack");
}

static void shorten_key(struct state_fixture *fixture)
{
	run_sql(fixture->path, "UPDATE stack SET fingerprint_key = x'00'");
}

static void shorten_lineage(struct state_fixture *fixture)
{
	run_sql(fixture->path, "UPDATE stack SET lineage = x''");
}

static void rename_a_column(struct state_fixture *fixture)
{
	run_sql(fixture->path, "ALTER TABLE stack RENAME COLUMN serial TO number");
}

static void cut_in_half(struct state_fixture *fixture)
{
	struct slice text = file_read(fixture, fixture->path);

	write_text(fixture, slice_first(text, text.size / 2));
}

static void cut_to_a_page(struct state_fixture *fixture)
{
	write_text(fixture, slice_first(file_read(fixture, fixture->path), 4096));
}

static void zero_the_start(struct state_fixture *fixture)
{
	struct slice text = file_read(fixture, fixture->path);
	char *changed = (char *)memory_get(text.size);

	memcpy(changed, text.data, text.size);
	memset(changed, 0, 4096);
	write_text(fixture, (struct slice){changed, text.size});
	free(changed);
}

/* What is no state for this program is refused in both modes, says why, and is not changed. */
static void test_refused(void **state)
{
	static const struct {
		const char *name;
		void (*prepare)(struct state_fixture *fixture);
		enum fault fault;
		const char *says;
		const char *hint;
		bool only_read; /* else there is one, made or blank */
	} rows[] = {
		{"missing", state_file_remove, FAULT_ABSENT, "there is no state file", "trueup plan", true},
		{"a folder", make_folder, FAULT_USER, "it is a folder", "move it away", false},
		{"a pipe", make_pipe, FAULT_USER, "no regular file", "move it away", false},
		{"a dangling link", make_dangling_link, FAULT_USER, "link to a file that does not exist", "", false},
		{"empty", make_empty, FAULT_USER, "is empty", "'trueup state rebuild'", false},
		{"a text", make_yaml, FAULT_USER, "no state file", "check that the path", false},
		{"a short text", make_short_garbage, FAULT_USER, "no state file", "check that the path", false},
		{"another program's", make_foreign, FAULT_USER, "another program (application_id 7)",
		 "move that file away", false},
		{"a plain database", make_plain, FAULT_USER, "another program", "move that file away", false},
		{"a database without tables", make_tableless, FAULT_USER, "no tables", "'trueup state rebuild'", false},
		{"newer", make_newer, FAULT_USER, "is of format 8", "use trueup 2.5.0 or newer", false},
		{"newer, by a build of the same version", make_newer_build, FAULT_USER, "is of format 8",
		 "use a newer build: trueup 0.1.0 wrote it", false},
		{"newer, by whom unknown", make_newer_silent, FAULT_USER, "is of format 8", "newer program", false},
		{"newer, by a name of control characters", make_newer_rude, FAULT_USER, "is of format 8",
		 "the newer program that wrote it", false},
		{"format 0", make_format_zero, FAULT_USER, "its format is 0", "'trueup state rebuild'", false},
		{"another stack", make_other_stack, FAULT_USER, "belongs to the stack 'prod', not to 'lab'",
		 "give this one a folder of its own (-C DIR)", false},
		{"no stack", drop_stack_row, FAULT_USER, "row of the stack is missing", "'trueup state rebuild'",
		 false},
		{"a short key", shorten_key, FAULT_USER, "1 bytes instead of 32", "'trueup state rebuild'", false},
		{"a short lineage", shorten_lineage, FAULT_USER, "0 bytes instead of 16", "'trueup state rebuild'",
		 false},
		{"a column less", rename_a_column, FAULT_USER, "no such column: serial", "'trueup state rebuild'",
		 false},
		{"half of it", cut_in_half, FAULT_USER, "it is damaged", "'trueup state rebuild'", false},
		{"a page of it", cut_to_a_page, FAULT_USER, "it is damaged", "'trueup state rebuild'", false},
		{"zeroed at the start", zero_the_start, FAULT_USER, "no state file", "'trueup state rebuild'", false},
	};
	static const enum state_access accesses[] = {STATE_READ, STATE_WRITE, STATE_WRITE_OR_READ, STATE_READ_OR_BLANK};
	struct state_fixture *fixture = (struct state_fixture *)*state;

	for (size_t i = 0; i < COUNT(rows) * COUNT(accesses); i++) {
		enum state_access access = accesses[i % COUNT(accesses)];
		size_t row = i / COUNT(accesses);
		struct store *store = NULL;
		struct slice before, after;

		if (rows[row].only_read && access != STATE_READ)
			continue;
		snprintf(fixture->path, sizeof(fixture->path), "%s/%zu.db", fixture->folder, i);
		state_file_make(fixture);
		rows[row].prepare(fixture);
		before = file_read(fixture, rows[row].prepare == make_pipe ? "/nowhere" : fixture->path);
		if (state_file_open(fixture, access, &store))
			fail_msg("%s: taken", rows[row].name);
		if (store || fixture->diagnostics.error_count != 1 ||
		    !state_fixture_said(fixture, rows[row].fault, rows[row].says) ||
		    !state_fixture_said(fixture, rows[row].fault, rows[row].hint) ||
		    !slice_contains(fixture->diagnostics.items[0].message, slice_of(fixture->path)))
			fail_msg("%s, mode %d: %s", rows[row].name, (int)access, state_fixture_told(fixture));
		after = file_read(fixture, rows[row].prepare == make_pipe ? "/nowhere" : fixture->path);
		if (!slice_equal(before, after))
			fail_msg("%s, mode %d: changed", rows[row].name, (int)access);
	}
}

/* Rows that SQLite takes and no state has. */
static void test_wrong_rows(void **state)
{
	static const struct {
		const char *name;
		const char *sql;
		const char *says;
	} rows[] = {
		{"role", "UPDATE objects SET role = 3 WHERE address = 'aws.subnet.s000007'",
		 "'aws.subnet.s000007' has role 3"},
		{"negative role", "UPDATE objects SET role = -1 WHERE address = 'aws.subnet.s000007'", "role -1"},
		{"kind version", "UPDATE objects SET kind_version = 4294967297 WHERE address = 'aws.subnet.s000007'",
		 "kind version 4294967297"},
		{"generation",
		 "UPDATE objects SET generation = 9223372036854775807 WHERE address = 'aws.subnet.s000007'",
		 "'aws.subnet.s000007' has the generation 9223372036854775807"},
		{"negative generation", "UPDATE objects SET generation = -1 WHERE address = 'aws.subnet.s000007'",
		 "'aws.subnet.s000007' has the generation -1"},
		{"time",
		 "UPDATE objects SET created_ms = -9223372036854775807 - 1 WHERE address = 'aws.subnet.s000007'",
		 "and was made at -9223372036854775808 ms"},
		{"identity", "UPDATE objects SET identity = 'aws' WHERE address = 'aws.subnet.s000007'",
		 "'aws.subnet.s000007' has no readable identity"},
		{"kind", "UPDATE objects SET kind = 'aws.vpc' WHERE address = 'aws.subnet.s000007'",
		 "'aws.subnet.s000007' is of kind 'aws.vpc'"},
		{"place of another provider",
		 "UPDATE objects SET identity = 'metal:::' WHERE address = 'aws.subnet.s000007'",
		 "'aws.subnet.s000007' is of kind 'aws.subnet' and lies at 'metal:::'"},
		{"symbolic", "UPDATE objects SET symbolic = x'00' WHERE address = 'aws.subnet.s000007'",
		 "digest of 1 bytes"},
		{"inputs", "UPDATE objects SET inputs = x'' WHERE address = 'aws.subnet.s000007'", "digest of 0 bytes"},
		{"outputs", "UPDATE objects SET outputs = zeroblob(33) WHERE address = 'aws.subnet.s000007'",
		 "digest of 33 bytes"},
		{"object id",
		 "PRAGMA foreign_keys = OFF; UPDATE objects SET object_id = x'0102' WHERE address = "
		 "'aws.subnet.s000007'",
		 "id of 2 bytes"},
	};
	struct state_fixture *fixture = (struct state_fixture *)*state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct store *store;
		struct object *heads = NULL;
		size_t count = 0;

		snprintf(fixture->path, sizeof(fixture->path), "%s/%zu.db", fixture->folder, i);
		state_file_make(fixture);
		run_sql(fixture->path, rows[i].sql);
		assert_true(state_file_open(fixture, STATE_READ, &store));
		if (store->ops->heads(store, &fixture->arena, &heads, &count, &fixture->diagnostics) || heads)
			fail_msg("%s: taken", rows[i].name);
		if (!state_fixture_said(fixture, FAULT_USER, rows[i].says) ||
		    !state_fixture_said(fixture, FAULT_USER, "it is damaged"))
			fail_msg("%s: %s", rows[i].name, state_fixture_told(fixture));
		store->ops->close(store);
	}
}

/* Of an open call; what is reckoned with its time must not overflow. */
static void test_wrong_calls(void **state)
{
	static const struct {
		const char *times; /* wall_ms and sent_ms */
		const char *says;  /* NULL: it is taken */
	} rows[] = {
		{"0, 0", NULL},
		{"253402300799999, 253402300799999", NULL},
		{"253402300800000, 0", "a call about 'aws.vpc.a' was sent at 253402300800000 ms"},
		{"9223372036854775807, 0", "was sent at 9223372036854775807 ms"},
		{"-1, 0", "was sent at -1 ms"},
		{"0, 253402300800000", "was sent at 253402300800000 ms"},
		{"0, 9223372036854775807", "was sent at 9223372036854775807 ms"},
		{"0, -1", "was sent at -1 ms"},
	};
	struct state_fixture *fixture = (struct state_fixture *)*state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *sql = arena_text(
			&fixture->arena,
			"INSERT INTO intents (id, run, object_id, address, kind, operation, recipe, "
			"parameters, identity, token, wall_ms, sent_ms, creates, sealed) SELECT zeroblob(16), "
			"max(number), zeroblob(16), 'aws.vpc.a', 'aws.vpc', 'CreateVpc', 'tag', '', '', "
			"'', %s, 1, '' FROM runs",
			rows[i].times);
		struct intent *intents;
		size_t count;
		struct store *store;
		bool taken;

		snprintf(fixture->path, sizeof(fixture->path), "%s/%zu.db", fixture->folder, i);
		state_file_make(fixture);
		run_sql(fixture->path, sql);
		assert_true(state_file_open(fixture, STATE_READ, &store));
		taken = store->ops->intents(store, &fixture->arena, &intents, &count, &fixture->diagnostics);
		if (taken != !rows[i].says || (!taken && (!state_fixture_said(fixture, FAULT_USER, rows[i].says) ||
							  !state_fixture_said(fixture, FAULT_USER, "it is damaged"))))
			fail_msg("%s: %s", rows[i].times, state_fixture_told(fixture));
		store->ops->close(store);
	}
}

/* Damage anywhere is an error that names the file, or does not matter; it never breaks the program. */
static void test_random_damage(void **state)
{
	enum { ROUNDS = 400 };
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct slice whole;
	uint32_t random = 12345;
	size_t failures = 0;
	int rounds = rounds_of(ROUNDS);

	state_file_make(fixture);
	whole = file_read(fixture, fixture->path);
	assert_true(whole.size > 40 * 1024);
	for (int round = 0; round < rounds; round++) {
		char *changed = (char *)memory_get(whole.size);
		const char *failed;

		memcpy(changed, whole.data, whole.size);
		for (int k = 0; k < 20; k++) {
			random = random * 1664525 + 1013904223;
			/* Every other change hits the schema and the roots of the trees. */
			changed[(random >> 4) % (k % 2 ? whole.size : 8192)] = (char)(random >> 24);
		}
		write_text(fixture, (struct slice){changed, whole.size});
		free(changed);
		failed = state_file_use(fixture, round % 2 ? STATE_WRITE : STATE_READ);
		failures += failed != NULL;
		if (failed && fixture->diagnostics.error_count == 0)
			fail_msg("round %d: %s failed without a word", round, failed);
		for (size_t i = 0; i < fixture->diagnostics.count; i++) {
			const struct diag *diag = &fixture->diagnostics.items[i];

			if (!slice_contains(diag->message, SLICE("state file")) || diag->hint.size == 0)
				fail_msg("round %d: %s", round, state_fixture_told(fixture));
		}
	}
	assert_true(failures > (size_t)rounds / 4);
}

/* What a hostile schema plants does not run. */
static void test_hostile_schema(void **state)
{
	static const struct {
		const char *name;
		const char *sql;
	} rows[] = {
		{"a trigger on objects",
		 "CREATE TRIGGER t AFTER INSERT ON objects BEGIN DELETE FROM intents; DELETE FROM stack; END"},
		{"a trigger on the stack",
		 "CREATE TRIGGER t AFTER UPDATE ON stack BEGIN UPDATE stack SET name = 'stolen'; END"},
	};
	struct state_fixture *fixture = (struct state_fixture *)*state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct store *store;

		snprintf(fixture->path, sizeof(fixture->path), "%s/%zu.db", fixture->folder, i);
		state_file_make(fixture);
		run_sql(fixture->path, rows[i].sql);
		if (!state_file_open(fixture, STATE_WRITE, &store) || !fixture_try_begin(fixture, store) ||
		    fixture_try_put(fixture, store, OBJECTS, 1) != COMMIT_DONE)
			fail_msg("%s: %s", rows[i].name, state_fixture_told(fixture));
		store->ops->close(store);
		if (state_file_use(fixture, STATE_READ))
			fail_msg("%s: it ran: %s", rows[i].name, state_fixture_told(fixture));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STATE_TEST(test_refused),	STATE_TEST(test_wrong_rows),	 STATE_TEST(test_wrong_calls),
		STATE_TEST(test_random_damage), STATE_TEST(test_hostile_schema),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
