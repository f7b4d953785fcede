#include "tests/simulate/crew.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"

enum {
	LINES_MOST_BYTES = 1 << 20,
	SEED_MOST_S = 120, /* a seed takes a hundredth of a second */
	WORD_BYTES = 64,
};

/* One process that tells each jobs-th seed and writes lines about it. */
struct worker {
	pid_t process;
	int from;
	struct buffer lines; /* not taken in yet */
	uint64_t at;	     /* the seed that it was at last, counted from 0 */
	bool done;
};

/* A run of hours that is ended by hand has something to report. */
static volatile sig_atomic_t is_asked_to_end;

static void on_signal(int number)
{
	(void)number;
	is_asked_to_end = 1;
}

static void heed_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static bool has_time(const struct crew *crew)
{
	return !is_asked_to_end && (crew->seconds == 0 || time(NULL) < crew->end_s);
}

static void work(const struct crew *crew, uint64_t at, FILE *to)
{
	struct tally tally;

	for (; at < crew->count && has_time(crew); at += crew->jobs) {
		tally_init(&tally);
		alarm(SEED_MOST_S);
		fprintf(to, "seed %" PRIu64 "\n", at);
		fflush(to);
		crew->tell(crew->first + at, &tally, to);
		tally_write(&tally, to);
		tally_release(&tally);
	}
	fprintf(to, "done\n");
	fclose(to);
}

static void start(const struct crew *crew, struct worker *worker, uint64_t at)
{
	int ends[2];
	FILE *to;

	worker->at = at;
	fflush(NULL);
	if (pipe(ends) < 0 || (worker->process = fork()) < 0) {
		perror("simulate");
		exit(1);
	}
	if (worker->process > 0) {
		close(ends[1]);
		worker->from = ends[0];
		return;
	}
	close(ends[0]);
	to = fdopen(ends[1], "w");
	if (!to) {
		perror("simulate");
		exit(1);
	}
	work(crew, at, to);
	/* Not _exit(): what measures coverage writes at the end. */
	exit(0);
}

/* "SEED RATHER LONG: it is ..." up to the colon. */
static void take_broken(struct crew *crew, struct slice line)
{
	struct slice rest = line;
	char name[WORD_BYTES];

	crew->broken++;
	if (!crew->quiet)
		printf("seed %.*s\n", SLICE_ARGUMENTS(line));
	slice_cut(&rest, ' ');
	rest = slice_cut(&rest, ':');
	(void)snprintf(name, sizeof(name), "%.*s", SLICE_ARGUMENTS(rest));
	for (char *each = name; *each; each++)
		*each = *each == ' ' ? '-' : *each;
	tally_add(&crew->tally, TALLY_BROKEN, name, 1);
}

static void take_pair(struct crew *crew, struct slice line)
{
	char operation[WORD_BYTES], mishap[WORD_BYTES];
	struct slice first = slice_cut(&line, ' '), second = slice_cut(&line, ' ');
	int64_t count = 0;

	(void)snprintf(operation, sizeof(operation), "%.*s", SLICE_ARGUMENTS(first));
	(void)snprintf(mishap, sizeof(mishap), "%.*s", SLICE_ARGUMENTS(second));
	if (slice_integer(line, &count))
		tally_add(&crew->tally, operation, mishap, (uint64_t)count);
}

static void take_line(struct crew *crew, struct worker *worker, struct slice line)
{
	struct slice rest = line;
	struct slice word = slice_cut(&rest, ' ');
	int64_t at;

	if (slice_is(word, "seed") && slice_integer(rest, &at)) {
		worker->at = (uint64_t)at;
		crew->seeds++;
	} else if (slice_is(word, "broken"))
		take_broken(crew, rest);
	else if (slice_is(word, "pair"))
		take_pair(crew, rest);
	else if (slice_is(word, "done"))
		worker->done = true;
	else if (!crew->quiet)
		printf("%.*s\n", SLICE_ARGUMENTS(line));
}

/* The whole lines that have come. */
static void take_lines(struct crew *crew, struct worker *worker)
{
	struct slice rest = buffer_slice(&worker->lines);

	for (;;) {
		const char *end = rest.size > 0 ? memchr(rest.data, '\n', rest.size) : NULL;

		if (!end)
			break;
		take_line(crew, worker, slice_first(rest, (size_t)(end - rest.data)));
		rest = slice_from(rest, (size_t)(end - rest.data) + 1);
	}
	fflush(stdout);
	memmove(worker->lines.data, rest.data, rest.size);
	worker->lines.size = rest.size;
}

/* The process is gone: what it did not get to is for another. */
static void replace(struct crew *crew, struct worker *worker)
{
	char text[WORD_BYTES];
	int status = 0;

	close(worker->from);
	worker->from = -1;
	buffer_clear(&worker->lines);
	while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR)
		;
	if (worker->done)
		return;
	(void)snprintf(text, sizeof(text), "%" PRIu64 " ended the program: signal %d", crew->first + worker->at,
		       WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	take_broken(crew, slice_of(text));
	start(crew, worker, worker->at + crew->jobs);
}

static void listen_to(struct crew *crew, struct worker *worker)
{
	char bytes[4096];
	ssize_t count = read(worker->from, bytes, sizeof(bytes));

	if (count < 0 && errno == EINTR)
		return;
	if (count <= 0) {
		replace(crew, worker);
		return;
	}
	buffer_append(&worker->lines, (struct slice){bytes, (size_t)count});
	take_lines(crew, worker);
}

/* Those that a signal reached as well take no harm from another one. */
static void ask_to_end(const struct worker *workers, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		if (workers[i].from >= 0)
			kill(workers[i].process, SIGTERM);
}

static void dismiss(struct worker *workers, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		buffer_release(&workers[i].lines);
		if (workers[i].from < 0)
			continue;
		kill(workers[i].process, SIGKILL);
		close(workers[i].from);
		waitpid(workers[i].process, NULL, 0);
	}
}

void crew_run(struct crew *crew)
{
	struct worker workers[CREW_JOBS_MOST] = {0};
	struct pollfd waits[CREW_JOBS_MOST];
	bool any = true;

	/* Once for all: a process that takes another one's place has no more time than that. */
	crew->end_s = time(NULL) + (time_t)crew->seconds;
	heed_signals();
	for (uint64_t i = 0; i < crew->jobs; i++) {
		buffer_init(&workers[i].lines, LINES_MOST_BYTES);
		start(crew, &workers[i], i);
	}
	while (any && !(crew->until_broken && crew->broken > 0)) {
		for (uint64_t i = 0; i < crew->jobs; i++)
			waits[i] = (struct pollfd){.fd = workers[i].from, .events = POLLIN};
		if (is_asked_to_end)
			ask_to_end(workers, crew->jobs);
		if (poll(waits, crew->jobs, -1) < 0) {
			if (errno != EINTR)
				break;
			continue;
		}
		any = false;
		for (uint64_t i = 0; i < crew->jobs; i++) {
			if (workers[i].from >= 0 && (waits[i].revents & (POLLIN | POLLHUP)))
				listen_to(crew, &workers[i]);
			any |= workers[i].from >= 0;
		}
	}
	crew->stopped = is_asked_to_end;
	dismiss(workers, crew->jobs);
}
