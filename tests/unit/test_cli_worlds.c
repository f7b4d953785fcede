#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/exit_status.h"
#include "providers/net/curl_transport.h"
#include "tests/unit/support_world.h"

/* Two commands in one process, each in a world of its own, at the same time. */

enum { ROUNDS = 5, OUTPUT_MOST_BYTES = 16 * 1024 * 1024 };

struct separate {
	struct world world;
	struct arena arena;
	const char *folder;
	const char *endpoint;
	const char *prefix;
	struct buffer output;
	bool good;
};

static const char *environment(struct world *world, const char *name)
{
	const struct separate *separate = world->context;

	if (strcmp(name, "AWS_ENDPOINT_URL") == 0)
		return separate->endpoint;
	return strcmp(name, "AWS_REGION") == 0 ? "eu-central-1" : NULL;
}

static bool write_stream(struct world *world, int stream, struct slice text)
{
	struct separate *separate = world->context;

	return stream != 1 || buffer_append(&separate->output, text);
}

static bool is_terminal(struct world *world, int stream)
{
	(void)world;
	(void)stream;
	return false;
}

static int interrupted(struct world *world)
{
	(void)world;
	return 0;
}

static void write_spec(struct separate *separate, int subnets)
{
	struct diagnostics diagnostics;
	char path[256];
	BUFFER_AUTO text;

	buffer_init(&text, OUTPUT_MOST_BYTES);
	diagnostics_init(&diagnostics, &separate->arena);
	buffer_format(&text, "stack: %s\naws.vpc: {main: {cidr: 10.0.0.0/16}}\naws.subnet:\n", separate->prefix);
	for (int i = 0; i < subnets; i++)
		buffer_format(&text, "  %s%d: {vpc: main, cidr: 10.0.%d.0/24}\n", separate->prefix, i, i);
	(void)snprintf(path, sizeof(path), "%s/spec.yaml", separate->folder);
	assert_true(separate->world.write_file(&separate->world, path, buffer_slice(&text), 0600, &diagnostics));
	diagnostics_release(&diagnostics);
}

static void open_separate(struct separate *separate, const struct world_fixture *fixture, const char *prefix)
{
	struct diagnostics diagnostics;

	*separate = (struct separate){.world = fixture->world, .prefix = prefix};
	arena_init(&separate->arena);
	diagnostics_init(&diagnostics, &separate->arena);
	buffer_init(&separate->output, OUTPUT_MOST_BYTES);
	separate->folder = arena_text(&separate->arena, "%s/%s", fixture->folder, prefix);
	separate->endpoint = arena_text(&separate->arena, "sim:%s/%s-world", fixture->folder, prefix);
	separate->world.context = separate;
	separate->world.environment = environment;
	separate->world.write = write_stream;
	separate->world.tell = NULL;
	separate->world.is_terminal = is_terminal;
	separate->world.interrupted = interrupted;
	separate->world.transport = curl_transport_open(&separate->arena);
	assert_true(separate->world.make_folder(&separate->world, separate->folder, 0700, &diagnostics));
	diagnostics_release(&diagnostics);
}

static void close_separate(struct separate *separate)
{
	curl_transport_close(separate->world.transport);
	buffer_release(&separate->output);
	arena_release(&separate->arena);
}

static int run(struct separate *separate, const char *command, const char *flag)
{
	char *arguments[6];
	char *words[] = {(char *)memory_get(8), (char *)memory_get(4), (char *)memory_get(256), (char *)memory_get(32),
			 (char *)memory_get(32)};

	(void)snprintf(words[0], 8, "trueup");
	(void)snprintf(words[1], 4, "-C");
	(void)snprintf(words[2], 256, "%s", separate->folder);
	(void)snprintf(words[3], 32, "%s", command);
	(void)snprintf(words[4], 32, "%s", flag);
	memcpy(arguments, words, sizeof(words));
	arguments[5] = NULL;
	buffer_clear(&separate->output);
	int status = cli_run(&separate->world, flag[0] ? 5 : 4, arguments);
	for (size_t i = 0; i < 5; i++)
		free(words[i]);
	return status;
}

static bool says(const struct separate *separate, const char *text)
{
	return slice_contains(buffer_slice(&separate->output), slice_of(text));
}

/* No assertions in here: a failed one would jump across threads. */
static void *live_a_life(void *context)
{
	struct separate *separate = context;

	separate->good = true;
	for (int round = 0; round < ROUNDS && separate->good; round++) {
		separate->good = run(separate, "plan", "--detailed-exitcode") == STATUS_CHANGES &&
				 says(separate, separate->prefix) && run(separate, "apply", "--yes") == STATUS_FINE &&
				 says(separate, " 0 failed") &&
				 run(separate, "plan", "--detailed-exitcode") == STATUS_FINE &&
				 says(separate, "nothing to do") && run(separate, "drift", "") == STATUS_FINE &&
				 run(separate, "destroy", "--yes") == STATUS_FINE;
	}
	return NULL;
}

static void test_two_worlds(void **state)
{
	struct world_fixture *fixture = *state;
	struct separate worlds[2];
	pthread_t threads[2];

	open_separate(&worlds[0], fixture, "first");
	open_separate(&worlds[1], fixture, "second");
	write_spec(&worlds[0], 3);
	write_spec(&worlds[1], 40);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, live_a_life, &worlds[i]), 0);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	for (size_t i = 0; i < 2; i++)
		if (!worlds[i].good)
			fail_msg("%s: %.*s", worlds[i].prefix, (int)worlds[i].output.size, worlds[i].output.data);
	assert_false(says(&worlds[0], "second"));
	assert_false(says(&worlds[1], "first"));
	for (size_t i = 0; i < 2; i++)
		close_separate(&worlds[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_two_worlds),
	};

	return cmocka_run_group_tests_name("cli worlds", tests, NULL, NULL);
}
