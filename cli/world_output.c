#include "cli/world_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of what is kept, a reader that takes little at a time is not offered all each time. */
enum { LOOK_MS = 100, PATH_BYTES = 32, NOTE_BYTES = 128, WRITE_MOST_BYTES = 64 * 1024 };

void output_open(struct output *output)
{
	*output = (struct output){.own = {-1, -1, -1}};
	buffer_init(&output->kept, SIZE_MAX);
}

void output_close(struct output *output)
{
	for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++)
		if (output->own[stream] >= 0)
			close(output->own[stream]);
	buffer_release(&output->kept);
}

/* Where a reader is waited for at all. A terminal of another user (su) does not open, and nothing without /proc. */
static int open_own(int stream)
{
	struct stat about;
	char path[PATH_BYTES];
	int flags = fcntl(stream, F_GETFL);

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(stream, &about) < 0 ||
	    !(S_ISFIFO(about.st_mode) || isatty(stream)))
		return -1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", stream);
	return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/*
 * As write(2) of a description that does not block. On the one that we were given no more is written than a pipe takes
 * that poll(2) says takes something (pipe(7)). A terminal may take less and keep us until it took all, but not one that
 * was stopped by Ctrl-S.
 */
static ssize_t put(struct output *output, int stream, struct slice text)
{
	struct pollfd asked = {.fd = stream, .events = POLLOUT};
	int *own = &output->own[stream];

	if (!output->looked[stream])
		*own = open_own(stream);
	output->looked[stream] = true;
	if (*own >= 0) {
		ssize_t count = write(*own, text.data, text.size < WRITE_MOST_BYTES ? text.size : WRITE_MOST_BYTES);

		if (count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR)))
			return count;
		/* What is wrong the stream itself will say. */
		close(*own);
		*own = -1;
	}
	if (poll(&asked, 1, 0) == 0) {
		errno = EAGAIN;
		return -1;
	}
	return write(stream, text.data, text.size < PIPE_BUF ? text.size : PIPE_BUF);
}

/* Whether to try once more. A signal that comes just before a wait does not end it: hence none is long. */
static bool await_reader(struct output *output, struct world *world, int stream)
{
	struct pollfd asked = {.fd = stream, .events = POLLOUT};
	int interrupts = world->interrupted(world);

	if (interrupts > 1 || (interrupts > 0 && output->waited_ms >= OUTPUT_GRACE_MS))
		return false;
	(void)poll(&asked, 1, LOOK_MS);
	output->waited_ms += interrupts > 0 ? LOOK_MS : 0;
	return true;
}

/* Writes until nothing is left, or nothing more is taken: at once where world is NULL, else after a wait. Returns how
 * much was; *ret_failed: no more ever will be. */
static size_t put_some(struct output *output, struct world *world, int stream, struct slice text, bool *ret_failed)
{
	size_t done = 0;

	while (done < text.size) {
		ssize_t count = put(output, stream, slice_from(text, done));

		if (count > 0) {
			done += (size_t)count;
			output->waited_ms = 0;
		} else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
			*ret_failed = true;
			break;
		} else if (!world || !await_reader(output, world, stream)) {
			break;
		}
	}
	return done;
}

/* The end of the line that begins at `from`, or in whose midst that is. */
static size_t line_end(const struct buffer *kept, size_t from)
{
	const char *end = memchr(kept->data + from, '\n', kept->size - from);

	return end ? (size_t)(end - kept->data) + 1 : kept->size;
}

static void cut(struct buffer *kept, size_t from, size_t to)
{
	/* With each line that is told and not taken, most of the time. */
	if (from == to)
		return;
	memmove(kept->data + from, kept->data + to, kept->size - to);
	kept->size -= to - from;
}

/* Never of what was begun: what comes behind it may go up over it. */
static void drop_oldest(struct output *output)
{
	struct buffer *kept = &output->kept;
	size_t first = output->begun_bytes, end = first;

	if (kept->size - first <= OUTPUT_KEPT_BYTES)
		return;
	/* More than has to be, or each further line would move all of it. */
	while (kept->size - end > OUTPUT_KEPT_BYTES / 2) {
		end = line_end(kept, end);
		output->dropped_lines++;
	}
	cut(kept, first, end);
}

/* Where the lines were. */
static void tell_dropped(struct output *output)
{
	struct buffer *kept = &output->kept;
	char note[NOTE_BYTES];
	BUFFER_AUTO rest;

	buffer_init(&rest, SIZE_MAX);
	buffer_append(&rest, buffer_slice(kept));
	snprintf(note, sizeof note, "%zu line%s left out here: nobody read while %s told\n", output->dropped_lines,
		 output->dropped_lines == 1 ? "" : "s", output->dropped_lines == 1 ? "it was" : "they were");
	buffer_clear(kept);
	buffer_string(kept, note);
	output->begun_bytes = kept->size;
	output->dropped_lines = 0;
	buffer_append(kept, buffer_slice(&rest));
}

/* As put_some() of all that is kept; false where some of it still is, or standard error fails. */
static bool put_kept(struct output *output, struct world *world)
{
	struct buffer *kept = &output->kept;
	bool failed = false;
	size_t size, done;

	do {
		if (output->dropped_lines > 0 && output->begun_bytes == 0)
			tell_dropped(output);
		size = output->dropped_lines > 0 ? output->begun_bytes : kept->size;
		done = put_some(output, world, STDERR_FILENO, (struct slice){kept->data, size}, &failed);
		if (done < output->begun_bytes)
			output->begun_bytes -= done;
		else if (done > 0)
			output->begun_bytes =
				done == kept->size || kept->data[done - 1] == '\n' ? 0 : line_end(kept, done) - done;
		cut(kept, 0, done);
	} while (done == size && (kept->size > 0 || output->dropped_lines > 0));
	if (failed) {
		/* Nobody will ever read it. */
		buffer_clear(kept);
		output->begun_bytes = output->dropped_lines = 0;
	}
	return !failed && kept->size == 0;
}

static void keep(struct output *output, struct slice text)
{
	if (output->kept.size == 0)
		output->begun_bytes = text.size;
	buffer_append(&output->kept, text);
}

bool output_tell(struct output *output, struct slice text)
{
	if (text.size == 0 && output->kept.size == 0)
		return true;
	keep(output, text);
	bool all = put_kept(output, NULL);

	drop_oldest(output);
	return all;
}

bool output_write(struct output *output, struct world *world, int stream, struct slice text)
{
	bool failed = false;

	if (stream == STDERR_FILENO)
		keep(output, text);
	/* A reader of both sees each line where it belongs. */
	if (output->kept.size > 0 && !put_kept(output, world) && stream == STDERR_FILENO)
		return false;
	return stream == STDERR_FILENO || put_some(output, world, stream, text, &failed) == text.size;
}
