#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/world.h"
#include "tests/unit/support_world.h"

/* What the real world promises of the programs that it runs. Each script runs in the test's own folder. */

enum { LIMIT_BYTES = 1000, LONG_MS = 20 * 1000, SHORT_MS = 300 };

struct program_row {
	const char *name;
	const char *script;
	const char *input;
	int64_t timeout_ms;
	bool survives_interrupt;
	int looks; /* that let it go on; 0: all */
	/* What is expected. */
	const char *says;    /* its standard output, or NULL where it fails */
	const char *problem; /* words of the diagnostic */
	bool late;	     /* it got so far as to make the file 'late' */
};

/* 'late' comes from a grandchild that asks nobody, and only the end of its whole group ends. */
#define LATER "(trap '' INT TERM; sleep 3; touch late) & "
/* A second signal that is no echo of the first, however late the first is noticed on a machine with much to do. */
#define ANOTHER(signal) "sleep 1; kill -" signal " $PPID; sleep 9"

static const struct program_row rows[] = {
	{"says what it was given", "cat; echo and more", "given ", LONG_MS, false, 0, "given and more\n", NULL, false},
	{"leaves what it was given", "true", "given", LONG_MS, false, 0, NULL,
	 "'sh' ended without reading what it was given", false},
	{"leaves some of it", "dd bs=1 count=2 2>/dev/null", "given", LONG_MS, false, 0, NULL,
	 "'sh' ended without reading what it was given", false},
	{"closes its input", "exec <&-; echo fine", "given", LONG_MS, false, 0, NULL,
	 "'sh' ended without reading what it was given", false},
	{"fails without reading", "exit 3", "given", LONG_MS, false, 0, NULL, "'sh' failed with status 3", false},
	{"fails", "echo no; exit 3", "", LONG_MS, false, 0, NULL, "'sh' failed with status 3", false},
	{"is ended by a signal", "kill -9 $$", "", LONG_MS, false, 0, NULL, "'sh' was ended by signal 9", false},
	{"says too much", "yes", "", LONG_MS, false, 0, NULL, "'sh' said more than it was asked for", false},
	{"takes too long", "sleep 9; touch late", "", SHORT_MS, false, 0, NULL, "'sh' took too long", false},
	{"takes too long with its output closed", "exec >&-; sleep 9; touch late", "", SHORT_MS, false, 0, NULL,
	 "'sh' took too long", false},
	{"will not be ended", "trap '' TERM; sleep 9 & wait; touch late", "", SHORT_MS, true, 0, NULL,
	 "'sh' took too long", false},
	{"finishes with its output closed", "exec >&-; sleep 1; touch late", "", LONG_MS, false, 0, "", NULL, true},
	{"ends before what it left in the background", "echo said; sleep 99 2>/dev/null &", "", LONG_MS, true, 0,
	 "said\n", NULL, false},
	{"what we ignore is not ignored in it", "kill -PIPE $$; echo on", "", LONG_MS, false, 0, NULL,
	 "'sh' was ended by signal 13", false},
	{"the first interrupt ends one", "kill -INT $PPID; sleep 9; touch late", "", LONG_MS, false, 0, NULL,
	 "'sh' was interrupted", false},
	{"the first interrupt lets one finish", "kill -INT $PPID; sleep 1; touch late; cat", "given", LONG_MS, true, 0,
	 "given", NULL, true},
	{"the second does not", "kill -INT $PPID; " ANOTHER("TERM") "; touch late", "", LONG_MS, true, 0, NULL,
	 "'sh' was interrupted", false},
	{"all that it started ends with it", LATER "kill -INT $PPID; " ANOTHER("INT"), "", LONG_MS, true, 0, NULL,
	 "'sh' was interrupted", false},
	{"the terminal's interrupt is another's", "trap 'touch late' INT; kill -INT 0; sleep 0.3; echo fine", "",
	 LONG_MS, true, 0, "fine\n", NULL, true},
	{"is called off", LATER "sleep 9", "", LONG_MS, true, 3, NULL, "'sh' was called off", false},
	{"is called off before it did a thing", "sleep 0.3; touch late", "", LONG_MS, true, 1, NULL,
	 "'sh' was called off", false},
};

static bool look(void *context)
{
	int *looks = context;

	return --*looks != 0;
}

static bool run(struct world_fixture *fixture, const struct program_row *row, struct slice *ret)
{
	struct slice script = arena_format(&fixture->arena, "cd %s; %s", fixture->folder, row->script);
	char *const arguments[] = {(char[]){"sh"}, (char[]){"-c"},
				   (char *)(uintptr_t)arena_string(&fixture->arena, script), NULL};
	int looks = row->looks;
	const struct program program = {
		.arguments = arguments,
		.input = slice_of(row->input),
		.limit_bytes = LIMIT_BYTES,
		.timeout_ms = row->timeout_ms,
		.survives_interrupt = row->survives_interrupt,
		.watch = {.go_on = look, .context = &looks},
	};

	return fixture->world.run_program(&fixture->world, &fixture->arena, &program, ret, &fixture->diagnostics);
}

static bool is_there(const struct world_fixture *fixture)
{
	char path[sizeof(fixture->folder) + sizeof("/late")];

	(void)snprintf(path, sizeof path, "%s/late", fixture->folder);
	return access(path, F_OK) == 0;
}

static void let_pass(int milliseconds)
{
	struct timespec left = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};

	while (nanosleep(&left, &left) < 0)
		;
}

static void test_programs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct program_row *row = &rows[i];
		struct world_fixture *fixture;
		struct slice said = {NULL, 0};
		void *made;
		bool good, fits;

		assert_int_equal(world_fixture_set_up(&made), 0);
		fixture = made;
		good = run(fixture, row, &said);
		if (strstr(row->script, LATER))
			let_pass(3200);
		fits = good ? row->says && slice_is(said, row->says)
			    : row->problem && slice_is(fixture->diagnostics.items[0].message, row->problem);
		if (!fits || fixture->diagnostics.error_count != (good ? 0 : 1) || is_there(fixture) != row->late)
			fail_msg("%s: %s, '%.*s'%s", row->name, good ? "good" : "bad",
				 SLICE_ARGUMENTS(good ? said : fixture->diagnostics.items[0].message),
				 is_there(fixture) ? ", late" : "");
		world_fixture_tear_down(&made);
	}
}

static void test_standard_error(void **state)
{
	static const struct {
		const char *name, *script, *errors;
		bool good;
	} error_rows[] = {
		{"as it came", "echo out; echo one >&2; echo two >&2", "one\ntwo\n", true},
		{"of one that fails", "echo why >&2; exit 3", "why\n", false},
		{"with its output closed", "exec >&-; sleep 0.2; echo late >&2", "late\n", true},
		{"without an end of the line", "printf open >&2", "open", true},
		{"none", "echo out", "", true},
		{"whole lines of too much",
		 "i=0; echo first >&2; while [ $i -lt 300 ]; do printf 'on and on' >&2; i=$((i + 1)); done", "first\n",
		 true},
		{"of what is left in the background", "(while echo on >&2; do sleep 0.01; done) & sleep 0.1", NULL,
		 true},
	};
	struct world_fixture *fixture = *state;

	for (size_t i = 0; i < sizeof error_rows / sizeof error_rows[0]; i++) {
		char *const arguments[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(uintptr_t)error_rows[i].script,
					   NULL};
		struct slice said, errors = SLICE("not set");
		const struct program program = {
			.arguments = arguments,
			.limit_bytes = LIMIT_BYTES,
			.timeout_ms = LONG_MS,
			.ret_errors = &errors,
		};
		bool good = fixture->world.run_program(&fixture->world, &fixture->arena, &program, &said,
						       &fixture->diagnostics);

		if (good != error_rows[i].good || (error_rows[i].errors && !slice_is(errors, error_rows[i].errors)))
			fail_msg("%s: %s, '%.*s'", error_rows[i].name, good ? "good" : "bad", SLICE_ARGUMENTS(errors));
	}
}

static void test_no_such_program(void **state)
{
	struct world_fixture *fixture = *state;
	char *const arguments[] = {(char[]){"no-such-program"}, NULL};
	const struct program program = {.arguments = arguments, .limit_bytes = LIMIT_BYTES, .timeout_ms = LONG_MS};
	struct slice said;

	assert_false(
		fixture->world.run_program(&fixture->world, &fixture->arena, &program, &said, &fixture->diagnostics));
	assert_true(slice_is(fixture->diagnostics.items[0].message,
			     "cannot run 'no-such-program': No such file or directory"));
	/* Nothing of it is left to be waited for. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* It is looked for as it will be when it is run. */
static void test_which_are_there(void **state)
{
	static const struct {
		const char *path, *name;
		bool there;
	} places[] = {
		{"/bin:/usr/bin", "sh", true},
		{"/bin:/usr/bin", "put", false},
		{"/nowhere:tools", "put", true},
		{"/nowhere:tools/", "put", true},
		{"tools", "./put", false},
		{"tools", "tools/put", true},
		{"/nowhere", "tools/put", true},
		{":/nowhere", "own", true},
		{"/nowhere:", "own", true},
		{"", "own", true},
		{"/nowhere", "own", false},
		{"/nowhere", "./own", true},
		{"/nowhere::/nowhere", "own", true},
		{"tools", "plain", false},
		{"tools", "./tools/plain", false},
		{"/nowhere", "./tools", false},
		{"", "tools", false},
		{NULL, "sh", true},
		{NULL, "own", false},
		{"tools", "/bin/sh", true},
		{"tools", "/bin/no-such", false},
	};
	struct world_fixture *fixture = *state;
	char *const arguments[] = {(char[]){"/bin/sh"}, (char[]){"-c"},
				   (char[]){"mkdir tools && echo : | tee own tools/plain > tools/put && chmod +x own "
					    "tools/put"},
				   NULL};
	const struct program makes = {
		.arguments = arguments, .folder = fixture->folder, .limit_bytes = LIMIT_BYTES, .timeout_ms = LONG_MS};
	const char *before = fixture->world.environment(&fixture->world, "PATH");
	struct slice kept = arena_copy(&fixture->arena, slice_of(before)), said;

	assert_true(fixture->world.run_program(&fixture->world, &fixture->arena, &makes, &said, &fixture->diagnostics));
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		const char *name = places[i].name, *path = places[i].path;
		char *const words[] = {(char *)(uintptr_t)name, NULL};
		struct program runs = {.arguments = words,
				       .folder = fixture->folder,
				       .limit_bytes = LIMIT_BYTES,
				       .timeout_ms = LONG_MS};
		bool there, ran;

		assert_int_equal(path ? setenv("PATH", path, 1) : unsetenv("PATH"), 0);
		there = fixture->world.has_program(&fixture->world, &fixture->arena, fixture->folder, name);
		ran = fixture->world.run_program(&fixture->world, &fixture->arena, &runs, &said, &fixture->diagnostics);
		assert_int_equal(setenv("PATH", arena_string(&fixture->arena, kept), 1), 0);
		if (there != places[i].there || ran != there)
			fail_msg("'%s' in '%s': %s, %s", name, path ? path : "(unset)", there ? "there" : "not there",
				 ran ? "ran" : "did not run");
	}
}

/* Connections are made by libraries, and not all of them close theirs over execve(2). */
static void test_no_other_files(void **state)
{
	static const struct program_row looks = {
		.script = "test -e /proc/self/fd/77 && echo there; true", .input = "", .timeout_ms = LONG_MS};
	struct world_fixture *fixture = *state;
	struct slice said;

	assert_int_equal(dup2(STDERR_FILENO, 77), 77);
	assert_true(run(fixture, &looks, &said));
	assert_int_equal(said.size, 0);
	assert_int_equal(close(77), 0);
}

/* What happens to whoever runs it. */
static void test_outlives_nobody(void **state)
{
	static const struct {
		int number;
		struct program_row row;
		int wait_ms;
	} ends[] = {
		{SIGKILL, {.script = "sleep 1; touch late", .input = "", .timeout_ms = LONG_MS}, 1300},
		{SIGKILL,
		 {.script = "sleep 1; touch late", .input = "", .timeout_ms = LONG_MS, .survives_interrupt = true},
		 1300},
		/* Nobody is there to see that it takes too long. */
		{SIGSTOP,
		 {.script = "sleep 5; touch late", .input = "", .timeout_ms = SHORT_MS, .survives_interrupt = true},
		 5300},
	};
	struct world_fixture *fixture = *state;

	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		pid_t runner = fork();
		struct slice said;

		if (runner == 0)
			_exit(run(fixture, &ends[i].row, &said) ? 0 : 1);
		let_pass(200);
		assert_int_equal(kill(runner, ends[i].number), 0);
		let_pass(ends[i].wait_ms);
		if (is_there(fixture))
			fail_msg("end %zu: it went on", i);
		kill(runner, SIGKILL);
		assert_int_equal(waitpid(runner, NULL, 0), runner);
	}
}

/* A signal that is ignored stays ignored over execve(2): then the kernel itself takes away what ends, and its status.
 */
static void test_started_with_ended_children_ignored(void **state)
{
	static const struct program_row fails = {.script = "exit 3", .input = "", .timeout_ms = LONG_MS};
	struct world_fixture *fixture = *state;
	struct slice said;

	real_world_close(&fixture->world);
	assert_true(signal(SIGCHLD, SIG_IGN) != SIG_ERR);
	assert_true(real_world_open(&fixture->world, &fixture->diagnostics));
	assert_false(run(fixture, &fails, &said));
	assert_true(slice_is(fixture->diagnostics.items[0].message, "'sh' failed with status 3"));
	real_world_close(&fixture->world);
	assert_true(signal(SIGCHLD, SIG_DFL) == SIG_IGN);
	assert_true(real_world_open(&fixture->world, &fixture->diagnostics));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),
		WORLD_TEST(test_standard_error),
		WORLD_TEST(test_started_with_ended_children_ignored),
		WORLD_TEST(test_no_such_program),
		WORLD_TEST(test_which_are_there),
		WORLD_TEST(test_no_other_files),
		WORLD_TEST(test_outlives_nobody),
	};

	return cmocka_run_group_tests_name("world_program", tests, NULL, NULL);
}
