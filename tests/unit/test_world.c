#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* posix_openpt(), pipe2() */
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/world.h"
#include "tests/unit/support_world.h"

enum { LARGE_BYTES = 3 * 1024 * 1024 };

static struct slice repeated(struct world_fixture *fixture, char byte, size_t size)
{
	char *text = arena_get(&fixture->arena, size);

	memset(text, byte, size);
	return (struct slice){text, size};
}

/* Puts a descriptor in the place of a standard stream; the result gives the old one back. */
static int redirect(int stream, int file)
{
	int saved = dup(stream);

	assert_true(saved >= 0);
	assert_true(dup2(file, stream) == stream);
	close(file);
	return saved;
}

static void redirect_back(int stream, int saved)
{
	assert_true(dup2(saved, stream) == stream);
	close(saved);
}

/* Reads to the end and takes its time; the process's status is 0 where all was as expected. */
__attribute__((noreturn)) static void read_slowly(int file, size_t size)
{
	char bytes[1000];
	ssize_t count;

	/* Its own copy of the other end would keep the end from coming. */
	close(STDOUT_FILENO);
	nanosleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
	while ((count = read(file, bytes, sizeof bytes)) > 0) {
		for (ssize_t i = 0; i < count; i++)
			if (bytes[i] != 'x')
				_exit(1);
		size -= (size_t)count;
	}
	_exit(size == 0 ? 0 : 2);
}

/* More than a pipe holds. */
static void test_write_waits_for_the_reader(void **state)
{
	static const int flags[] = {0, O_NONBLOCK};
	struct world_fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct world world;
		int ends[2];
		int status = 0;
		int saved;
		pid_t reader;
		bool fine;

		assert_true(real_world_open(&world, &fixture->diagnostics));
		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
		assert_int_equal(fcntl(ends[1], F_SETFL, flags[i]), 0);
		saved = redirect(STDOUT_FILENO, ends[1]);
		reader = fork();
		if (reader == 0)
			read_slowly(ends[0], LARGE_BYTES);
		close(ends[0]);
		fine = world.write(&world, 1, repeated(fixture, 'x', LARGE_BYTES));
		redirect_back(STDOUT_FILENO, saved);
		/* It has an end of the pipe of its own. */
		real_world_close(&world);
		assert_int_equal(waitpid(reader, &status, 0), reader);
		assert_true(fine);
		assert_int_equal(status, 0);
	}
}

static void test_write_fails(void **state)
{
	struct world_fixture *fixture = *state;
	int ends[2];
	int saved;
	bool fine;

	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	saved = redirect(STDERR_FILENO, ends[1]);
	fine = fixture->world.write(&fixture->world, 2, SLICE("nobody reads this")) ||
	       !fixture->world.has_no_reader(&fixture->world, 2);
	redirect_back(STDERR_FILENO, saved);
	if (fine)
		fail_msg("written to a pipe without a reader");
	saved = redirect(STDOUT_FILENO, open("/dev/full", O_WRONLY | O_CLOEXEC));
	fine = fixture->world.write(&fixture->world, 1, SLICE("no room for this")) ||
	       fixture->world.has_no_reader(&fixture->world, 1);
	redirect_back(STDOUT_FILENO, saved);
	if (fine)
		fail_msg("written to a full disk");
}

static void test_read_line(void **state)
{
	static const struct {
		const char *name;
		const char *typed;
		const char *lines[3];
		size_t count;
	} rows[] = {
		{"one line", "yes\n", {"yes"}, 1},
		{"two lines", "yes\nno\n", {"yes", "no"}, 2},
		{"no end of line", "yes", {"yes"}, 1},
		{"end of line of another system", "yes\r\nno\r\n", {"yes", "no"}, 2},
		{"empty lines", "\n\n", {"", ""}, 2},
		{"nothing", "", {NULL}, 0},
		{"spaces stay", " yes \n", {" yes "}, 1},
	};
	struct world_fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct slice line = {NULL, 0};
		size_t count = 0;
		int ends[2];
		int saved;

		assert_int_equal(pipe(ends), 0);
		assert_true(write(ends[1], rows[i].typed, strlen(rows[i].typed)) >= 0);
		close(ends[1]);
		saved = redirect(STDIN_FILENO, ends[0]);
		while (fixture->world.read_line(&fixture->world, &fixture->arena, &line)) {
			if (count >= rows[i].count || !slice_is(line, rows[i].lines[count]))
				fail_msg("%s: line %zu is '%.*s'", rows[i].name, count, SLICE_ARGUMENTS(line));
			count++;
		}
		redirect_back(STDIN_FILENO, saved);
		if (count != rows[i].count)
			fail_msg("%s: %zu lines", rows[i].name, count);
	}
}

static void test_read_long_line(void **state)
{
	struct world_fixture *fixture = *state;
	struct slice line = {NULL, 0};
	struct slice next = {NULL, 0};
	int ends[2];
	int saved;
	bool fine;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], repeated(fixture, 'x', 9000).data, 9000), 9000);
	assert_int_equal(write(ends[1], "\nnext\n", 6), 6);
	close(ends[1]);
	saved = redirect(STDIN_FILENO, ends[0]);
	fine = fixture->world.read_line(&fixture->world, &fixture->arena, &line) &&
	       fixture->world.read_line(&fixture->world, &fixture->arena, &next);
	redirect_back(STDIN_FILENO, saved);
	assert_true(fine);
	assert_true(slice_equal(line, repeated(fixture, 'x', 4096)));
	assert_true(slice_is(next, "next"));
}

/* Runs act in a process of its own; what it returns is the exit status, a signal gives 1000 + its number. */
static int run_apart(int (*act)(struct world_fixture *fixture), struct world_fixture *fixture)
{
	int status = 0;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0)
		_exit(act(fixture));
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* A prompt on an interrupt: the line is not waited for. */
static int interrupt_a_prompt(struct world_fixture *fixture)
{
	struct timespec soon = {.tv_nsec = 200 * 1000 * 1000};
	struct slice line = {NULL, 0};
	int64_t before_ms = fixture->world.boot_ms(&fixture->world);
	int ends[2];
	pid_t sender;

	if (pipe(ends) < 0 || dup2(ends[0], STDIN_FILENO) < 0)
		return 2;
	sender = fork();
	if (sender == 0) {
		nanosleep(&soon, NULL);
		kill(getppid(), SIGINT);
		/* Holds the pipe open; then its end would end the prompt as well. */
		sleep(10);
		_exit(0);
	}
	close(ends[1]);
	if (fixture->world.read_line(&fixture->world, &fixture->arena, &line))
		return 3;
	kill(sender, SIGKILL);
	if (fixture->world.boot_ms(&fixture->world) - before_ms > 8000)
		return 4;
	return fixture->world.interrupted(&fixture->world) == 1 ? 0 : 5;
}

static void test_interrupted_prompt(void **state)
{
	assert_int_equal(run_apart(interrupt_a_prompt, *state), 0);
}

/* What comes sooner is the same request once more. */
static void pass_echo(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 350 * 1000 * 1000}, NULL);
}

/* The fixture's world is open already: what holds when a world opens needs another one. */

static int third_interrupt(struct world_fixture *fixture)
{
	struct world world;

	real_world_close(&fixture->world);
	if (!real_world_open(&world, &fixture->diagnostics))
		return 2;
	raise(SIGINT);
	pass_echo();
	raise(SIGTERM);
	if (world.interrupted(&world) != 2)
		return 3;
	raise(SIGHUP);
	return 4;
}

static int ignored_interrupt(struct world_fixture *fixture)
{
	struct world world;
	int count;

	real_world_close(&fixture->world);
	signal(SIGHUP, SIG_IGN);
	if (!real_world_open(&world, &fixture->diagnostics))
		return 2;
	raise(SIGHUP);
	if (world.interrupted(&world) != 0)
		return 3;
	raise(SIGINT);
	pass_echo();
	raise(SIGTERM);
	raise(SIGHUP);
	count = world.interrupted(&world);
	real_world_close(&world);
	return count == 2 ? 0 : 4;
}

/* A signal twice at once, what that counted as, and a third time later: false where the machine let so much time pass
 * between the two that they were two requests. */
static bool repeat_signal(struct world_fixture *fixture, int number)
{
	struct world world;
	int64_t began_ms, took_ms;
	int after_one, after_two;

	assert_true(real_world_open(&world, &fixture->diagnostics));
	assert_int_equal(world.interrupted(&world), 0);
	began_ms = world.boot_ms(&world);
	raise(number);
	after_one = world.interrupted(&world);
	raise(number);
	after_two = world.interrupted(&world);
	took_ms = world.boot_ms(&world) - began_ms;
	if (after_one != 1)
		fail_msg("signal %d was not counted", number);
	if (after_two == 1) {
		pass_echo();
		raise(number);
		assert_int_equal(world.interrupted(&world), 2);
	}
	real_world_close(&world);
	if (after_two != 1 && took_ms < 200)
		fail_msg("signal %d was counted twice", number);
	return after_two == 1;
}

static void test_interrupts(void **state)
{
	enum { TRIES = 100 };
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct world_fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		int tries = 0;

		while (!repeat_signal(fixture, signals[i]))
			assert_in_range(++tries, 1, TRIES);
	}
	assert_int_equal(run_apart(third_interrupt, fixture), 1000 + SIGHUP);
	assert_int_equal(run_apart(ignored_interrupt, fixture), 0);
}

static void ignore_signal(int number)
{
	(void)number;
}

static int signals_after_close(struct world_fixture *fixture)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
	struct world world;
	struct sigaction action;

	real_world_close(&fixture->world);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], ignore_signal);
	if (!real_world_open(&world, &fixture->diagnostics))
		return 100;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &action) < 0 || action.sa_handler == ignore_signal)
			return signals[i];
	real_world_close(&world);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &action) < 0 || action.sa_handler != ignore_signal)
			return signals[i];
	return 0;
}

static void test_signals_are_given_back(void **state)
{
	assert_int_equal(run_apart(signals_after_close, *state), 0);
}

static int closed_streams(struct world_fixture *fixture)
{
	struct world world;
	bool fine;

	real_world_close(&fixture->world);
	for (int stream = 0; stream < 3; stream++)
		close(stream);
	if (!real_world_open(&world, &fixture->diagnostics))
		return 2;
	/* Neither is the next file opened one of them, nor is what nobody can read taken for written. */
	fine = open("/dev/null", O_RDONLY) > 2 && !world.write(&world, 1, SLICE("x")) &&
	       !world.has_no_reader(&world, 1);
	real_world_close(&world);
	return fine ? 0 : 3;
}

static void test_closed_streams(void **state)
{
	assert_int_equal(run_apart(closed_streams, *state), 0);
}

static void test_clocks(void **state)
{
	struct world_fixture *fixture = *state;
	struct world *world = &fixture->world;
	struct timespec now;
	int64_t wall_ms = world->wall_ms(world);
	int64_t boot_ms = world->boot_ms(world);

	assert_true(llabs(wall_ms - (int64_t)time(NULL) * 1000) < 5000);
	nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
	assert_in_range(world->boot_ms(world) - boot_ms, 19, 5000);
	clock_gettime(CLOCK_BOOTTIME, &now);
	assert_true(llabs(world->boot_ms(world) - ((int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000)) < 5000);
}

static void test_random(void **state)
{
	enum { PIECE = 100, SIZE = 1000 * PIECE };
	struct world_fixture *fixture = *state;
	unsigned char *bytes = arena_get(&fixture->arena, SIZE);
	static const unsigned char zeros[PIECE];
	uint64_t first = 0;
	uint64_t second = 0;

	fixture->world.random(&fixture->world, bytes, SIZE);
	for (size_t i = 0; i < SIZE; i += PIECE)
		if (memcmp(bytes + i, zeros, PIECE) == 0)
			fail_msg("no random bytes from %zu on", i);
	fixture->world.random(&fixture->world, &first, sizeof first);
	fixture->world.random(&fixture->world, &second, sizeof second);
	assert_true(first != second);
	fixture->world.random(&fixture->world, NULL, 0);
}

static void test_environment(void **state)
{
	struct world_fixture *fixture = *state;

	setenv("TEST_WORLD_IS_SET", "a value", 1);
	unsetenv("TEST_WORLD_IS_NOT");
	assert_string_equal(fixture->world.environment(&fixture->world, "TEST_WORLD_IS_SET"), "a value");
	assert_null(fixture->world.environment(&fixture->world, "TEST_WORLD_IS_NOT"));
}

static void test_is_terminal(void **state)
{
	struct world_fixture *fixture = *state;
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int ends[2];
	int saved;
	bool is;

	assert_true(terminal >= 0);
	saved = redirect(STDERR_FILENO, terminal);
	is = fixture->world.is_terminal(&fixture->world, 2);
	redirect_back(STDERR_FILENO, saved);
	assert_true(is);
	assert_int_equal(pipe(ends), 0);
	saved = redirect(STDERR_FILENO, ends[1]);
	is = fixture->world.is_terminal(&fixture->world, 2);
	redirect_back(STDERR_FILENO, saved);
	close(ends[0]);
	assert_false(is);
}

static void test_identity(void **state)
{
	struct world_fixture *fixture = *state;

	assert_true(strlen(fixture->world.host_name) > 0);
	assert_int_equal(fixture->world.process_id, getpid());
	assert_int_equal(fixture->world.transport->pending(fixture->world.transport), 0);
	assert_int_equal(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_write_waits_for_the_reader),
		WORLD_TEST(test_write_fails),
		WORLD_TEST(test_read_line),
		WORLD_TEST(test_read_long_line),
		WORLD_TEST(test_interrupted_prompt),
		WORLD_TEST(test_interrupts),
		WORLD_TEST(test_signals_are_given_back),
		WORLD_TEST(test_closed_streams),
		WORLD_TEST(test_clocks),
		WORLD_TEST(test_random),
		WORLD_TEST(test_environment),
		WORLD_TEST(test_is_terminal),
		WORLD_TEST(test_identity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
