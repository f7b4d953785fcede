#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pipe2() */
#endif

#include "cli/world_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

/* The program's own interrupts and ours are the same: it is in our process group. */
enum { LOOK_MS = 100, END_MS = 2000 };

struct running {
	const char *name;
	pid_t process;
	int output; /* its standard output, or -1 */
	char *text;
	size_t size;
	size_t limit_bytes;
};

/* Of the program, whatever the clock of the world is. */
static int64_t now_ms(void)
{
	struct timespec now = {0, 0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void running_release(struct running *running)
{
	if (running->output >= 0)
		close(running->output);
	if (running->text)
		memory_wipe(running->text, running->limit_bytes + 1);
	free(running->text);
}

/*
 * The end of a pipe that holds the input, all of it, so that nobody has to feed the program: what
 * a page holds always fits (pipe(7)). -1 after a diagnostic.
 */
static int open_input(const struct running *running, struct slice input, struct diagnostics *diagnostics)
{
	int ends[2];
	ssize_t count;

	if (input.size > WORLD_INPUT_BYTES) {
		diag_error(diagnostics, FAULT_UNSUPPORTED, NOWHERE, "'%s' would get more than %d bytes", running->name,
			   WORLD_INPUT_BYTES);
		return -1;
	}
	if (pipe2(ends, O_CLOEXEC) < 0) {
		diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot run '%s': %s", running->name, strerror(errno));
		return -1;
	}
	count = input.size > 0 ? write(ends[1], input.data, input.size) : 0;
	close(ends[1]);
	if (count == (ssize_t)input.size)
		return ends[0];
	close(ends[0]);
	diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot give '%s' its input", running->name);
	return -1;
}

static bool start(struct running *running, char *const *arguments, struct slice input, struct diagnostics *diagnostics)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t usual;
	int ends[2], from = open_input(running, input, diagnostics);
	int error;

	if (from < 0)
		return false;
	if (pipe2(ends, O_CLOEXEC) < 0) {
		close(from);
		return diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot run '%s': %s", running->name,
				  strerror(errno));
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawnattr_init(&attributes);
	/* What we ignore would stay ignored in it. */
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	sigaddset(&usual, SIGXFSZ);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	error = posix_spawnp(&running->process, arguments[0], &actions, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	close(from);
	running->output = ends[0];
	return error == 0 ||
	       diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot run '%s': %s", running->name, strerror(error));
}

enum reading { READ_MORE, READ_END, READ_TOO_LATE, READ_TOO_MUCH, READ_INTERRUPTED };

/* What is there now, or after a short wait. */
static enum reading read_some(struct running *running, struct world *world, int64_t deadline_ms)
{
	struct pollfd output = {.fd = running->output, .events = POLLIN};
	ssize_t count;

	if (world->interrupted(world) > 0)
		return READ_INTERRUPTED;
	if (now_ms() >= deadline_ms)
		return READ_TOO_LATE;
	if (poll(&output, 1, LOOK_MS) <= 0)
		return READ_MORE;
	count = read(running->output, running->text + running->size, running->limit_bytes + 1 - running->size);
	if (count < 0)
		return errno == EINTR ? READ_MORE : READ_END;
	running->size += (size_t)count;
	if (running->size > running->limit_bytes)
		return READ_TOO_MUCH;
	return count == 0 ? READ_END : READ_MORE;
}

/* Waits for it to end until deadline_ms; false where it has not. */
static bool has_ended(const struct running *running, int64_t deadline_ms, int *ret_status)
{
	while (waitpid(running->process, ret_status, WNOHANG) == 0) {
		if (now_ms() >= deadline_ms)
			return false;
		poll(NULL, 0, LOOK_MS / 10);
	}
	return true;
}

static int end(const struct running *running)
{
	int status = 0;

	kill(running->process, SIGTERM);
	if (has_ended(running, now_ms() + END_MS, &status))
		return status;
	kill(running->process, SIGKILL);
	waitpid(running->process, &status, 0);
	return status;
}

static bool judge(const struct running *running, enum reading reading, int status, struct diagnostics *diagnostics)
{
	static const char *const problems[] = {
		[READ_TOO_LATE] = "took too long",
		[READ_TOO_MUCH] = "said more than it was asked for",
		[READ_INTERRUPTED] = "was interrupted",
	};

	if (problems[reading])
		diag_error(diagnostics, FAULT_USER, NOWHERE, "'%s' %s", running->name, problems[reading]);
	else if (WIFSIGNALED(status))
		diag_error(diagnostics, FAULT_USER, NOWHERE, "'%s' was ended by signal %d", running->name,
			   WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		diag_error(diagnostics, FAULT_USER, NOWHERE, "'%s' failed with status %d", running->name,
			   WEXITSTATUS(status));
	else
		return true;
	return false;
}

bool world_run_program(struct world *world, struct arena *arena, char *const *arguments, struct slice input,
		       size_t limit_bytes, int64_t timeout_ms, struct slice *ret, struct diagnostics *diagnostics)
{
	__attribute__((cleanup(running_release))) struct running running = {
		.name = arguments[0],
		.output = -1,
		.limit_bytes = limit_bytes,
	};
	int64_t deadline_ms = now_ms() + timeout_ms;
	enum reading reading;
	int status = 0;

	if (!start(&running, arguments, input, diagnostics))
		return false;
	running.text = memory_get(limit_bytes + 1);
	do
		reading = read_some(&running, world, deadline_ms);
	while (reading == READ_MORE);
	/* Having closed its output it may still have something to do, but not for ever. */
	if (reading == READ_END && !has_ended(&running, deadline_ms, &status))
		reading = READ_TOO_LATE;
	if (reading != READ_END)
		status = end(&running);
	if (!judge(&running, reading, status, diagnostics))
		return false;
	*ret = arena_copy(arena, (struct slice){running.text, running.size});
	return true;
}
