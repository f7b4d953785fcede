#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pipe2(), F_SETPIPE_SZ */
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/world_output.h"

enum { PIPE_HOLDS_BYTES = 64 * 1024, LINE_BYTES = 64 };

/* A world of which only the interrupts count, and a pipe in the place of a stream. */
struct fixture {
	struct world world;
	struct output output;
	struct buffer read;
	int reader, saved, stream, interrupts;
};

static int interrupted(struct world *world)
{
	const struct fixture *fixture = world->context;

	return fixture->interrupts;
}

/* Nothing of the test's own may go to the stream until put_back(). Of a socket there is no other description. */
static void put_pipe(struct fixture *fixture, int stream, bool socket)
{
	int ends[2];

	*fixture = (struct fixture){.world = {.context = fixture, .interrupted = interrupted}, .stream = stream};
	buffer_init(&fixture->read, SIZE_MAX);
	output_open(&fixture->output);
	alarm(60);
	if (socket)
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	else
		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_true(socket || fcntl(ends[1], F_SETPIPE_SZ, PIPE_HOLDS_BYTES) == PIPE_HOLDS_BYTES);
	fixture->reader = ends[0];
	assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
	fixture->saved = dup(stream);
	assert_int_equal(dup2(ends[1], stream), stream);
	close(ends[1]);
}

/* All that is there to be read by now. */
static void read_some(struct fixture *fixture)
{
	char bytes[4096];
	ssize_t count;

	while ((count = read(fixture->reader, bytes, sizeof bytes)) > 0)
		buffer_append(&fixture->read, (struct slice){bytes, (size_t)count});
}

static bool put_back(struct fixture *fixture)
{
	/* Whoever shares it must still be able to wait for its reader. */
	bool good = (fcntl(fixture->stream, F_GETFL) & O_NONBLOCK) == 0;

	dup2(fixture->saved, fixture->stream);
	close(fixture->saved);
	close(fixture->reader);
	output_close(&fixture->output);
	return good;
}

static struct slice line(char text[LINE_BYTES + 1], size_t number)
{
	memset(text, '.', LINE_BYTES);
	text[snprintf(text, LINE_BYTES, "line %zu ", number)] = '.';
	text[LINE_BYTES - 1] = '\n';
	text[LINE_BYTES] = '\0';
	return (struct slice){text, LINE_BYTES};
}

/* Nothing was lost, and all in its order. */
static bool is_whole(const struct buffer *read, size_t from, size_t to, size_t *ret_at)
{
	char text[LINE_BYTES + 1];

	for (size_t i = from; i < to; i++, *ret_at += LINE_BYTES)
		if (read->size - *ret_at < LINE_BYTES ||
		    memcmp(read->data + *ret_at, line(text, i).data, LINE_BYTES) != 0)
			return false;
	return true;
}

static void test_telling_waits_for_nobody(void **state)
{
	enum { LINES = 16 * PIPE_HOLDS_BYTES / LINE_BYTES };

	(void)state;
	for (int socket = 0; socket <= 1; socket++) {
		struct fixture fixture;
		char text[LINE_BYTES + 1];
		bool good, kept = false;
		size_t at = 0;

		put_pipe(&fixture, STDERR_FILENO, socket);
		for (size_t i = 0; i < LINES; i++)
			kept |= !output_tell(&fixture.output, line(text, i));
		good = kept && !output_tell(&fixture.output, SLICE(""));
		do
			read_some(&fixture);
		while (!output_tell(&fixture.output, SLICE("")));
		read_some(&fixture);
		good &= put_back(&fixture);
		assert_true(good);
		assert_int_equal(fixture.read.size, LINES * LINE_BYTES);
		assert_true(is_whole(&fixture.read, 0, LINES, &at));
		buffer_release(&fixture.read);
	}
}

/* The oldest go, but for what was begun, and that is told in their place. */
static void test_too_much_is_dropped(void **state)
{
	enum { FIRST = PIPE_HOLDS_BYTES / LINE_BYTES + 1, LINES = FIRST + OUTPUT_KEPT_BYTES / LINE_BYTES + 1 };
	enum { LEFT = OUTPUT_KEPT_BYTES / 2 / LINE_BYTES, DROPPED = LINES - FIRST - LEFT };
	struct fixture fixture;
	char text[LINE_BYTES + 1], note[128];
	bool good;
	size_t at = 0;

	(void)state;
	put_pipe(&fixture, STDERR_FILENO, false);
	for (size_t i = 0; i < LINES; i++)
		output_tell(&fixture.output, line(text, i));
	do
		read_some(&fixture);
	while (!output_tell(&fixture.output, SLICE("")));
	read_some(&fixture);
	good = put_back(&fixture);
	assert_true(good);
	assert_true(is_whole(&fixture.read, 0, FIRST, &at));
	snprintf(note, sizeof note, "%d lines left out here: nobody read while they were told\n", (int)DROPPED);
	assert_memory_equal(fixture.read.data + at, note, strlen(note));
	at += strlen(note);
	assert_true(is_whole(&fixture.read, FIRST + DROPPED, LINES, &at));
	assert_int_equal(at, fixture.read.size);
	buffer_release(&fixture.read);
}

/* A reader that does not read is waited for no longer than nobody interrupts, and not at all after a second one. */
static void test_an_interrupt_ends_the_wait(void **state)
{
	static char text[2 * PIPE_HOLDS_BYTES];

	(void)state;
	memset(text, 'x', sizeof text);
	for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++) {
		for (int interrupts = 1; interrupts <= 2; interrupts++) {
			struct fixture fixture;
			bool written, again, back;

			put_pipe(&fixture, stream, false);
			fixture.interrupts = interrupts;
			written = output_write(&fixture.output, &fixture.world, stream,
					       (struct slice){text, sizeof text});
			/* The grace is one for all that is left to be written. */
			again = output_write(&fixture.output, &fixture.world, stream, SLICE("y"));
			read_some(&fixture);
			back = put_back(&fixture);
			assert_true(back);
			assert_false(written || again);
			assert_int_equal(fixture.output.waited_ms, interrupts == 1 ? OUTPUT_GRACE_MS : 0);
			assert_int_equal(fixture.read.size, PIPE_HOLDS_BYTES);
			buffer_release(&fixture.read);
		}
	}
}

/* Of one reader of both streams. */
static void test_what_was_told_comes_before_what_is_written(void **state)
{
	struct fixture fixture;
	bool good;
	int saved = dup(STDOUT_FILENO);

	(void)state;
	put_pipe(&fixture, STDERR_FILENO, false);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	output_tell(&fixture.output, SLICE("a "));
	good = output_write(&fixture.output, &fixture.world, 1, SLICE("b "));
	good &= output_tell(&fixture.output, SLICE("c "));
	good &= output_write(&fixture.output, &fixture.world, 2, SLICE("d"));
	read_some(&fixture);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	good &= put_back(&fixture);
	assert_true(good);
	assert_true(slice_is(buffer_slice(&fixture.read), "a b c d"));
	buffer_release(&fixture.read);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_telling_waits_for_nobody),
		cmocka_unit_test(test_too_much_is_dropped),
		cmocka_unit_test(test_an_interrupt_ends_the_wait),
		cmocka_unit_test(test_what_was_told_comes_before_what_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
