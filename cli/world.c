#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv() */
#endif

#include "cli/world.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/world_files.h"
#include "cli/world_output.h"
#include "cli/world_program.h"
#include "providers/net/curl_transport.h"

/* Room for what a stack of some 100,000 resources holds in one piece. */
enum { HEAP_KEPT_BYTES = 64 * 1024 * 1024 };
enum {
	HOST_NAME_BYTES = 256,
	LINE_BYTES_MOST = 4096,
	TYPING_CHECK_MS = 100,
	/* timeout(1) signals its child and then the group that it is in, and a shell whose terminal goes tells its jobs
	 * what the kernel has told them: what comes so soon is the same request once more. */
	ECHO_MS = 250,
};

/*
 * How many interrupts have come, at most 2. The only variables at file scope: a signal
 * handler is given nothing but a number, and may touch nothing but objects of this type.
 */
static volatile sig_atomic_t interrupts;
/* When the last one came that counted: milliseconds of this boot, as many bits as there is room for. */
static volatile sig_atomic_t interrupted_at;
/* The first of them, for the exit status. */
static volatile sig_atomic_t first_interrupt;

static const int interrupt_signals[] = {SIGINT, SIGTERM, SIGHUP};
/* They become EPIPE and EFBIG of the write that met them. */
static const int unwanted_signals[] = {SIGPIPE, SIGXFSZ};

enum {
	INTERRUPT_SIGNALS = sizeof interrupt_signals / sizeof interrupt_signals[0],
	UNWANTED_SIGNALS = sizeof unwanted_signals / sizeof unwanted_signals[0],
};

struct real_world {
	struct arena arena; /* of the transport */
	char host_name[HOST_NAME_BYTES];
	struct sigaction old_interrupts[INTERRUPT_SIGNALS];
	struct sigaction old_unwanted[UNWANTED_SIGNALS];
	struct sigaction old_child;
	/* Typed ahead: read from standard input and not yet asked for. */
	char typed[LINE_BYTES_MOST];
	size_t typed_size;
	size_t typed_used;
	struct output output;
};

static int64_t clock_ms(clockid_t clock)
{
	struct timespec now = {0, 0};

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t wall_ms(struct world *world)
{
	(void)world;
	return clock_ms(CLOCK_REALTIME);
}

static int64_t boot_ms(struct world *world)
{
	(void)world;
	return clock_ms(CLOCK_BOOTTIME);
}

static void fill_random(struct world *world, void *bytes, size_t size)
{
	unsigned char *next = bytes;

	(void)world;
	while (size > 0) {
		ssize_t count = getrandom(next, size, 0);

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0) {
			fputs("trueup: the system's source of random numbers does not work\n", stderr);
			_exit(1);
		}
		next += count;
		size -= (size_t)count;
	}
}

static const char *environment(struct world *world, const char *name)
{
	(void)world;
	return secure_getenv(name);
}

static int interrupted(struct world *world)
{
	(void)world;
	return interrupts;
}

static int interrupting_signal(struct world *world)
{
	(void)world;
	return first_interrupt;
}

/* After the second one the program has nothing left to do for a third: it gets the
 * system's own treatment, even where the program hangs. */
static void count_interrupt(int number)
{
	sig_atomic_t at = (sig_atomic_t)(clock_ms(CLOCK_BOOTTIME) & SIG_ATOMIC_MAX);

	if (interrupts > 0 && ((at - interrupted_at) & SIG_ATOMIC_MAX) < ECHO_MS)
		return;
	interrupted_at = at;
	if (interrupts == 0)
		first_interrupt = number;
	if (interrupts < 2)
		interrupts = interrupts + 1;
	if (interrupts < 2)
		return;
	for (size_t i = 0; i < INTERRUPT_SIGNALS; i++) {
		struct sigaction action = {.sa_handler = SIG_DFL};
		struct sigaction now;

		if (sigaction(interrupt_signals[i], NULL, &now) == 0 && now.sa_handler == count_interrupt)
			sigaction(interrupt_signals[i], &action, NULL);
	}
}

static void take_signals(struct real_world *real)
{
	/* Without SA_RESTART: whoever waits must learn that it is time to stop. */
	struct sigaction count = {.sa_handler = count_interrupt};
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction usual = {.sa_handler = SIG_DFL};

	interrupts = 0;
	for (size_t i = 0; i < INTERRUPT_SIGNALS; i++)
		sigaddset(&count.sa_mask, interrupt_signals[i]);
	for (size_t i = 0; i < INTERRUPT_SIGNALS; i++) {
		sigaction(interrupt_signals[i], NULL, &real->old_interrupts[i]);
		if (real->old_interrupts[i].sa_handler != SIG_IGN)
			sigaction(interrupt_signals[i], &count, NULL);
	}
	for (size_t i = 0; i < UNWANTED_SIGNALS; i++)
		sigaction(unwanted_signals[i], &ignore, &real->old_unwanted[i]);
	/* Whoever started us may ignore it: then nobody learns how a program ended (wait(2)). */
	sigaction(SIGCHLD, &usual, &real->old_child);
}

static void return_signals(const struct real_world *real)
{
	for (size_t i = 0; i < INTERRUPT_SIGNALS; i++)
		sigaction(interrupt_signals[i], &real->old_interrupts[i], NULL);
	for (size_t i = 0; i < UNWANTED_SIGNALS; i++)
		sigaction(unwanted_signals[i], &real->old_unwanted[i], NULL);
	sigaction(SIGCHLD, &real->old_child, NULL);
}

/* Waits until standard input, which somebody else made non-blocking, has bytes. */
static bool wait_for_input(void)
{
	struct pollfd wanted = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&wanted, 1, -1) > 0 || (errno == EINTR && interrupts == 0);
}

static bool write_stream(struct world *world, int stream, struct slice text)
{
	struct real_world *real = world->context;

	return output_write(&real->output, world, stream, text);
}

static bool tell(struct world *world, struct slice text)
{
	struct real_world *real = world->context;

	return output_tell(&real->output, text);
}

static bool has_no_reader(struct world *world, int stream)
{
	struct pollfd asked = {.fd = stream, .events = POLLOUT};

	(void)world;
	return poll(&asked, 1, 0) > 0 && (asked.revents & (POLLERR | POLLHUP)) != 0;
}

/* Until something was typed, or an interrupt came. The wait is cut up, because a signal that
 * comes just before a wait does not end it. */
static void await_typing(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

	while (interrupts == 0 && poll(&input, 1, TYPING_CHECK_MS) == 0)
		;
}

/* The next byte typed; false at the end of input and on an interrupt. */
static bool next_typed(struct real_world *real, char *ret)
{
	if (real->typed_used == real->typed_size) {
		ssize_t count;

		await_typing();
		if (interrupts > 0)
			return false;
		do
			count = read(STDIN_FILENO, real->typed, sizeof real->typed);
		while (count < 0 && ((errno == EINTR && interrupts == 0) || (errno == EAGAIN && wait_for_input())));
		if (count <= 0)
			return false;
		real->typed_size = (size_t)count;
		real->typed_used = 0;
	}
	*ret = real->typed[real->typed_used++];
	return true;
}

/* What a line has beyond the limit is read and dropped. */
static bool read_line(struct world *world, struct arena *arena, struct slice *ret)
{
	struct real_world *real = world->context;
	char line[LINE_BYTES_MOST];
	size_t size = 0;
	char byte = '\0';
	bool any = false;

	while (next_typed(real, &byte)) {
		any = true;
		if (byte == '\n')
			break;
		if (size < sizeof line)
			line[size++] = byte;
	}
	/* An interrupt in the middle of a line: what was typed so far was not meant yet. */
	if (!any || (byte != '\n' && interrupts > 0))
		return false;
	if (size > 0 && line[size - 1] == '\r')
		size--;
	*ret = arena_copy(arena, (struct slice){line, size});
	return true;
}

static void forget_typed(struct world *world)
{
	struct real_world *real = world->context;

	real->typed_used = real->typed_size = 0;
	/* It fails where nobody types, and then nothing was. */
	(void)tcflush(STDIN_FILENO, TCIFLUSH);
}

static size_t terminal_rows(struct world *world, int stream)
{
	struct winsize size;

	(void)world;
	return ioctl(stream, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

static bool is_terminal(struct world *world, int stream)
{
	(void)world;
	return isatty(stream) == 1;
}

/* A standard stream that was closed would be the number of the next file opened, and messages would be written into it.
 * What is written to it fails, as it would have. */
static bool fill_standard_streams(void)
{
	for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
		if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
			return false;
	return true;
}

/* Neither the kernel nor what it hands a core to gets to see memory that may hold secrets. */
static void keep_memory_private(void)
{
	const struct rlimit none = {0, 0};

	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	setrlimit(RLIMIT_CORE, &none);
}

/*
 * What one step gives back serves the next: memory that is fetched from the system anew has to be cleared by it, page
 * by page, which takes longer than most of what is then done there. Else the end of the heap goes back after each
 * answer, and each large piece, a mapping of its own, when it is freed. Where malloc() refuses it goes on as it began.
 */
static void keep_heap(void)
{
	(void)mallopt(M_TRIM_THRESHOLD, HEAP_KEPT_BYTES);
	(void)mallopt(M_MMAP_THRESHOLD, HEAP_KEPT_BYTES);
}

static struct real_world *real_world_new(void)
{
	struct real_world *real = memory_get(sizeof *real);

	arena_init(&real->arena);
	output_open(&real->output);
	if (gethostname(real->host_name, sizeof real->host_name - 1) < 0)
		snprintf(real->host_name, sizeof real->host_name, "unknown");
	return real;
}

bool real_world_open(struct world *world, struct diagnostics *diagnostics)
{
	struct real_world *real;

	if (!fill_standard_streams())
		return diag_error(diagnostics, FAULT_USER, NOWHERE,
				  "a standard stream is closed and '/dev/null' is missing");
	keep_memory_private();
	keep_heap();
	real = real_world_new();
	take_signals(real);
	*world = (struct world){
		.context = real,
		.wall_ms = wall_ms,
		.boot_ms = boot_ms,
		.random = fill_random,
		.environment = environment,
		.variables = environ,
		.interrupted = interrupted,
		.interrupting_signal = interrupting_signal,
		.read_file = world_read_file,
		.write_file = world_write_file,
		.list_folder = world_list_folder,
		.make_folder = world_make_folder,
		.check_private = world_check_private,
		.remove_file = world_remove_file,
		.run_program = world_run_program,
		.has_program = world_has_program,
		.write = write_stream,
		.tell = tell,
		.has_no_reader = has_no_reader,
		.read_line = read_line,
		.forget_typed = forget_typed,
		.is_terminal = is_terminal,
		.terminal_rows = terminal_rows,
		.transport = curl_transport_open(&real->arena),
		.sqlite_vfs = NULL,
		.host_name = real->host_name,
		.process_id = (int64_t)getpid(),
	};
	return true;
}

void real_world_close(struct world *world)
{
	struct real_world *real = world->context;

	return_signals(real);
	curl_transport_close(world->transport);
	arena_release(&real->arena);
	output_close(&real->output);
	free(real);
	world->context = NULL;
}
