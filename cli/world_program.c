#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pipe2() */
#endif

#include "cli/world_program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

enum {
	LOOK_MS = 100,
	END_MS = 2000,
	/* By which it has ended by itself should we be stopped, and unable to end it. */
	ALARM_AFTER_MS = END_MS + 1000,
	/* As the shell has it. */
	NOT_RUN_STATUS = 127,
};

/* What it says on a stream: as much as it may, and one byte more. */
struct heard {
	int from; /* our end of the pipe, or -1 */
	char *text;
	size_t size;
};

struct running {
	const struct program *program;
	const char *name;
	pid_t process;
	int input; /* the end that the program has, too: what is left there it has not read; or -1 */
	struct heard output, errors;
};

/* Of the program, whatever the clock of the world is. */
static int64_t now_ms(void)
{
	struct timespec now = {0, 0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void heard_release(struct heard *heard, size_t limit_bytes)
{
	if (heard->from >= 0)
		close(heard->from);
	if (heard->text)
		memory_wipe(heard->text, limit_bytes + 1);
	free(heard->text);
}

static void running_release(struct running *running)
{
	if (running->input >= 0)
		close(running->input);
	heard_release(&running->output, running->program->limit_bytes);
	heard_release(&running->errors, running->program->limit_bytes);
}

/*
 * The end of a pipe that holds the input, all of it, so that nobody has to feed the program: what
 * a page holds always fits (pipe(7)). -1 after a diagnostic.
 */
static int open_input(const struct running *running, struct diagnostics *diagnostics)
{
	struct slice input = running->program->input;
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

/* The program's end of a pipe, or -1 after a diagnostic. */
static int open_heard(const struct running *running, struct heard *heard, struct diagnostics *diagnostics)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0) {
		diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot run '%s': %s", running->name, strerror(errno));
		return -1;
	}
	heard->from = ends[0];
	heard->text = memory_get(running->program->limit_bytes + 1);
	return ends[1];
}

/* In the child, which is the program then; comes back with errno set where it cannot be. errors: -1: as ours. */
static void become(const struct program *program, pid_t parent, int input, int output, int errors)
{
	/* What we ignore would stay ignored in it. */
	static const int ignored[] = {SIGPIPE, SIGXFSZ};

	for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
		signal(ignored[i], SIG_DFL);
	if (program->survives_interrupt && setpgid(0, 0) < 0)
		return;
	/* Nobody is left whom its work would serve, and another run may begin at once. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		return;
	/* Outlives execve(2). */
	alarm((unsigned)((program->timeout_ms + ALARM_AFTER_MS + 999) / 1000));
	if (dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
	    (errors >= 0 && dup2(errors, STDERR_FILENO) < 0))
		return;
	/* Connections, say. Where the kernel knows no such call (before 5.11) it keeps what libraries left open. */
	(void)close_range(STDERR_FILENO + 1, UINT_MAX, CLOSE_RANGE_CLOEXEC);
	if (program->folder && chdir(program->folder) < 0)
		return;
	execvpe(program->arguments[0], program->arguments, program->variables ? program->variables : environ);
}

/* Waits until it is the program; else why it is not. */
static int await_program(pid_t process, int from)
{
	int error = 0;
	ssize_t count;

	do
		count = read(from, &error, sizeof error);
	while (count < 0 && errno == EINTR);
	if (count <= 0)
		return 0;
	waitpid(process, NULL, 0);
	return error;
}

/* What posix_spawn(3) does, which cannot bind the life of the program to ours. Returns an error number, or 0. */
static int spawn(struct running *running, int input, int output, int errors)
{
	pid_t parent = getpid();
	int report[2], error;

	if (pipe2(report, O_CLOEXEC) < 0)
		return errno;
	running->process = fork();
	if (running->process == 0) {
		become(running->program, parent, input, output, errors);
		error = errno;
		_exit(write(report[1], &error, sizeof error) < 0 ? 1 : NOT_RUN_STATUS);
	}
	error = running->process < 0 ? errno : 0;
	close(report[1]);
	if (error == 0)
		error = await_program(running->process, report[0]);
	close(report[0]);
	return error;
}

static bool start(struct running *running, struct diagnostics *diagnostics)
{
	bool hears_errors = running->program->ret_errors != NULL, good;
	int output = (running->input = open_input(running, diagnostics)) < 0
			     ? -1
			     : open_heard(running, &running->output, diagnostics);
	int errors = output < 0 || !hears_errors ? -1 : open_heard(running, &running->errors, diagnostics);
	int error = 0;

	good = output >= 0 && (errors >= 0 || !hears_errors);
	if (good)
		error = spawn(running, running->input, output, errors);
	if (errors >= 0)
		close(errors);
	if (output >= 0)
		close(output);
	if (error != 0)
		diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot run '%s': %s", running->name, strerror(error));
	return good && error == 0;
}

enum course { COURSE_GOES_ON, COURSE_ENDED, COURSE_TOO_LATE, COURSE_TOO_MUCH, COURSE_INTERRUPTED, COURSE_CALLED_OFF };

/* Leaves its process number taken, so that nobody else's can have it. */
static bool has_ended(const struct running *running)
{
	siginfo_t information = {.si_pid = 0};

	return waitid(P_PID, (id_t)running->process, &information, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	       information.si_pid != 0;
}

/* What there is to be heard; nothing waits for the rest where it is too much. */
static void take(struct heard *heard, size_t limit_bytes)
{
	char unheard[512];
	size_t room = limit_bytes + 1 - heard->size;
	ssize_t count = room > 0 ? read(heard->from, heard->text + heard->size, room)
				 : read(heard->from, unheard, sizeof unheard);

	if (count < 0 && errno == EINTR)
		return;
	if (count <= 0) {
		close(heard->from);
		heard->from = -1;
	} else if (room > 0) {
		heard->size += (size_t)count;
	}
}

/*
 * What it says now, or after a short wait. Having closed its output it may still have something to do; and what it left
 * in the background (an agent) may hold that open for good.
 */
static enum course listen_to(struct running *running)
{
	struct pollfd ends[] = {
		{.fd = running->output.from, .events = POLLIN},
		{.fd = running->errors.from, .events = POLLIN},
	};
	size_t limit_bytes = running->program->limit_bytes;
	/* Asked first: what it said before it ended is there then. */
	bool ended = has_ended(running);

	if (poll(ends, sizeof ends / sizeof ends[0], ended ? 0 : LOOK_MS) < 0)
		return COURSE_GOES_ON;
	/* Of its errors a pipe holds no more than is taken at once. */
	if (ends[1].revents)
		take(&running->errors, limit_bytes);
	if (!ends[0].revents)
		return ended ? COURSE_ENDED : COURSE_GOES_ON;
	take(&running->output, limit_bytes);
	return running->output.size > limit_bytes ? COURSE_TOO_MUCH : COURSE_GOES_ON;
}

static enum course follow(struct running *running, struct world *world, int64_t deadline_ms)
{
	const struct program *program = running->program;

	if (world->interrupted(world) > (program->survives_interrupt ? 1 : 0))
		return COURSE_INTERRUPTED;
	if (program->watch.go_on && !program->watch.go_on(program->watch.context))
		return COURSE_CALLED_OFF;
	if (now_ms() >= deadline_ms)
		return COURSE_TOO_LATE;
	if (running->output.from >= 0 || running->errors.from >= 0)
		return listen_to(running);
	if (has_ended(running))
		return COURSE_ENDED;
	poll(NULL, 0, LOOK_MS / 10);
	return COURSE_GOES_ON;
}

/* With all that it has started, where it has a group of its own. */
static void end(const struct running *running)
{
	pid_t whom = running->program->survives_interrupt ? -running->process : running->process;
	int64_t deadline_ms = now_ms() + END_MS;

	kill(whom, SIGTERM);
	while (!has_ended(running) && now_ms() < deadline_ms)
		poll(NULL, 0, LOOK_MS / 10);
	kill(whom, SIGKILL);
}

/* What it was given may be there but once: a program that ends well and has left it has not kept it. */
static bool has_read_all(const struct running *running)
{
	int left = 0;

	return ioctl(running->input, FIONREAD, &left) == 0 && left == 0;
}

static bool judge(const struct running *running, enum course course, int status, struct diagnostics *diagnostics)
{
	static const char *const problems[] = {
		[COURSE_TOO_LATE] = "took too long",
		[COURSE_TOO_MUCH] = "said more than it was asked for",
		[COURSE_INTERRUPTED] = "was interrupted",
		[COURSE_CALLED_OFF] = "was called off",
	};

	if (course != COURSE_ENDED)
		diag_error(diagnostics, FAULT_USER, NOWHERE, "'%s' %s", running->name, problems[course]);
	else if (WIFSIGNALED(status))
		diag_error(diagnostics, FAULT_USER, NOWHERE, "'%s' was ended by signal %d", running->name,
			   WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		diag_error(diagnostics, FAULT_USER, NOWHERE, "'%s' failed with status %d", running->name,
			   WEXITSTATUS(status));
	else if (!has_read_all(running))
		diag_error(diagnostics, FAULT_USER, NOWHERE, "'%s' ended without reading what it was given",
			   running->name);
	else
		return true;
	return false;
}

/* No line is cut, by the limit or because the program was ended: who searches what it said for secrets would not find
 * what is left of one. */
static struct slice whole_lines(const struct heard *heard, size_t limit_bytes, bool ended)
{
	size_t size = heard->size;

	if (!heard->text)
		return (struct slice){NULL, 0};
	if (size > limit_bytes || !ended)
		while (size > 0 && heard->text[size - 1] != '\n')
			size--;
	return (struct slice){heard->text, size};
}

bool world_run_program(struct world *world, struct arena *arena, const struct program *program, struct slice *ret,
		       struct diagnostics *diagnostics)
{
	__attribute__((cleanup(running_release))) struct running running = {
		.program = program,
		.name = program->arguments[0],
		.input = -1,
		.output = {.from = -1},
		.errors = {.from = -1},
	};
	int64_t deadline_ms = now_ms() + program->timeout_ms;
	enum course course;
	int status = 0;

	if (!start(&running, diagnostics))
		return false;
	do
		course = follow(&running, world, deadline_ms);
	while (course == COURSE_GOES_ON);
	if (course != COURSE_ENDED)
		end(&running);
	while (waitpid(running.process, &status, 0) < 0 && errno == EINTR)
		;
	if (program->ret_errors)
		*program->ret_errors =
			arena_copy(arena, whole_lines(&running.errors, program->limit_bytes, course == COURSE_ENDED));
	if (!judge(&running, course, status, diagnostics))
		return false;
	*ret = arena_copy(arena, (struct slice){running.output.text, running.output.size});
	return true;
}

static bool is_executable(struct arena *arena, const char *folder, struct slice path)
{
	const char *file = path.data[0] == '/' ? arena_string(arena, path)
					       : arena_text(arena, "%s/%.*s", folder, SLICE_ARGUMENTS(path));
	struct stat status;

	return stat(file, &status) == 0 && S_ISREG(status.st_mode) && access(file, X_OK) == 0;
}

/* Looks as execvp(3) will. */
bool world_has_program(struct world *world, struct arena *arena, const char *folder, const char *name)
{
	const char *path = world->environment(world, "PATH");
	struct slice left = slice_of(path ? path : "/bin:/usr/bin");

	if (strchr(name, '/'))
		return is_executable(arena, folder, slice_of(name));
	do {
		struct slice place = slice_cut(&left, ':');

		if (is_executable(
			    arena, folder,
			    arena_format(arena, "%.*s%s%s", SLICE_ARGUMENTS(place), place.size > 0 ? "/" : "", name)))
			return true;
	} while (left.data);
	return false;
}
