#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mkdtemp(), strsep() */
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "tests/unit/support_cloud.h"

enum { OUTPUT_MOST_BYTES = 16 * 1024 * 1024, WORDS_MOST = 16, LINE_MOST_BYTES = 1024 };

static const char REGION[] = "eu-central-1";

static struct cloud *of_world(struct world *world)
{
	return world->context;
}

static struct cloud *of_transport(const struct transport *transport)
{
	return (struct cloud *)(void *)((char *)(uintptr_t)transport - offsetof(struct cloud, transport));
}

static int64_t boot_ms(struct world *world)
{
	return sim_boot_ms(of_world(world)->sim);
}

static int64_t wall_ms(struct world *world)
{
	return sim_wall_ms(of_world(world)->sim);
}

static const char *environment(struct world *world, const char *name)
{
	static const char *const variables[][2] = {
		{"AWS_ENDPOINT_URL", "https://cloud.example"},
		{"AWS_REGION", REGION},
		{"AWS_ACCESS_KEY_ID", "sim"},
		{"AWS_SECRET_ACCESS_KEY", "sim"},
		{"NO_COLOR", "1"},
	};

	for (size_t i = of_world(world)->at_aws ? 1 : 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (strcmp(variables[i][0], name) == 0)
			return variables[i][1];
	return NULL;
}

static int interrupted(struct world *world)
{
	return of_world(world)->interrupts;
}

static int interrupting_signal(struct world *world)
{
	enum { SIGNAL_INTERRUPT = 2 };

	return of_world(world)->interrupts > 0 ? SIGNAL_INTERRUPT : 0;
}

static bool write_stream(struct world *world, int stream, struct slice text)
{
	(void)stream;
	return buffer_append(&of_world(world)->output, text);
}

static bool is_terminal(struct world *world, int stream)
{
	(void)world;
	return stream != 1;
}

static void happen(struct cloud *cloud)
{
	cloud->moment = NULL;
	cloud->happening(cloud, cloud->what);
}

static bool read_line(struct world *world, struct arena *arena, struct slice *ret)
{
	struct cloud *cloud = of_world(world);

	(void)arena;
	if (cloud->moment && strcmp(cloud->moment, "question") == 0)
		happen(cloud);
	*ret = SLICE("yes");
	return true;
}

static void start(struct transport *transport, const struct http_request *request, http_done *done, void *context)
{
	struct cloud *cloud = of_transport(transport);
	struct transport *simulated = sim_transport(cloud->sim);

	if (cloud->moment) {
		struct slice action = arena_format(&cloud->arena, "Action=%s&", cloud->moment);

		if (slice_contains(request->body, action))
			happen(cloud);
	}
	simulated->start(simulated, request, done, context);
}

static void wait_until(struct transport *transport, int64_t deadline_ms)
{
	struct transport *simulated = sim_transport(of_transport(transport)->sim);

	simulated->wait(simulated, deadline_ms);
}

static size_t pending(const struct transport *transport)
{
	const struct transport *simulated = sim_transport(of_transport(transport)->sim);

	return simulated->pending(simulated);
}

static void cancel(struct transport *transport, void *context)
{
	struct transport *simulated = sim_transport(of_transport(transport)->sim);

	simulated->cancel(simulated, context);
}

static void change(struct cloud *cloud, struct slice region, const char *type, struct slice id, const char *attribute,
		   const char *value)
{
	struct diagnostics diagnostics;
	struct value_member member = {.key = value_text(attribute)};
	struct value attributes = value_map(&member, 1);

	diagnostics_init(&diagnostics, &cloud->arena);
	assert_true(json_read(&cloud->arena, slice_of(value), false, LINE_MOST_BYTES, "the value", &member.value,
			      &diagnostics));
	if (!sim_change(cloud->sim, region, slice_of(type), id, &attributes, &diagnostics))
		fail_msg("%s %.*s cannot be changed", type, (int)id.size, id.data);
	diagnostics_release(&diagnostics);
}

void cloud_open(struct cloud *cloud, const struct world_fixture *fixture)
{
	struct world real = fixture->world;
	struct diagnostics diagnostics;

	*cloud = (struct cloud){
		.world = fixture->world,
		.transport = {.start = start, .wait = wait_until, .pending = pending, .cancel = cancel},
	};
	arena_init(&cloud->arena);
	diagnostics_init(&diagnostics, &cloud->arena);
	buffer_init(&cloud->output, OUTPUT_MOST_BYTES);
	(void)snprintf(cloud->folder, sizeof(cloud->folder), "%s/stack-XXXXXX", fixture->folder);
	assert_non_null(mkdtemp(cloud->folder));
	if (!sim_open("sim:", &real, &cloud->sim, &diagnostics))
		fail_msg("the simulator did not open");
	sim_seed(cloud->sim, 1);
	cloud->world.context = cloud;
	cloud->world.boot_ms = boot_ms;
	cloud->world.wall_ms = wall_ms;
	cloud->world.environment = environment;
	cloud->world.interrupted = interrupted;
	cloud->world.interrupting_signal = interrupting_signal;
	cloud->world.write = write_stream;
	cloud->world.tell = NULL;
	cloud->world.read_line = read_line;
	cloud->world.is_terminal = is_terminal;
	cloud->world.transport = &cloud->transport;
	/* All calls take the same time and show at once, so that how many are needed does not hang on chance. */
	change(cloud, SLICE(""), "settings", SLICE("settings"), "lag_ms", "0");
	change(cloud, SLICE(""), "settings", SLICE("settings"), "latency_spread_ms", "0");
	diagnostics_release(&diagnostics);
}

void cloud_close(struct cloud *cloud)
{
	sim_close(cloud->sim);
	buffer_release(&cloud->output);
	arena_release(&cloud->arena);
}

void cloud_write(struct cloud *cloud, const char *name, const char *text)
{
	struct slice path = arena_format(&cloud->arena, "%s/%s", cloud->folder, name);
	FILE *file = fopen(path.data, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

int cloud_run(struct cloud *cloud, const char *line)
{
	char text[LINE_MOST_BYTES];
	char *words[WORDS_MOST + 1];
	char *rest = text, *word;
	int count = 0;

	(void)snprintf(text, sizeof(text), "trueup -C %s %s", cloud->folder, line);
	while ((word = strsep(&rest, " ")) != NULL && count < WORDS_MOST)
		words[count++] = word;
	words[count] = NULL;
	buffer_clear(&cloud->output);
	cloud->interrupts = 0;
	return cli_run(&cloud->world, count, words);
}

void cloud_expect(struct cloud *cloud, const char *line, int status)
{
	int got = cloud_run(cloud, line);

	if (got != status)
		fail_msg("'%s' ended with %d, not %d:\n%.*s", line, got, status, (int)cloud->output.size,
			 cloud->output.data);
}

bool cloud_says(const struct cloud *cloud, const char *text)
{
	return slice_contains(buffer_slice(&cloud->output), slice_of(text));
}

/* Empty where there is none. */
static struct slice look_for(struct cloud *cloud, const char *type, const char *attribute, const char *value)
{
	struct diagnostics diagnostics;
	struct value *world = arena_new(&cloud->arena, struct value);

	diagnostics_init(&diagnostics, &cloud->arena);
	assert_true(sim_show(cloud->sim, &cloud->arena, world, &diagnostics));
	diagnostics_release(&diagnostics);
	const struct value *things = value_path(world, arena_text(&cloud->arena, "%s.%s", REGION, type));
	for (uint32_t i = 0; things && i < things->count; i++)
		if (slice_is(value_slice(value_path(&things->members[i].value, attribute)), value))
			return value_slice(&things->members[i].key);
	return (struct slice){0};
}

bool cloud_has(struct cloud *cloud, const char *type, const char *attribute, const char *value)
{
	return look_for(cloud, type, attribute, value).size > 0;
}

struct slice cloud_find(struct cloud *cloud, const char *type, const char *attribute, const char *value)
{
	struct slice id = look_for(cloud, type, attribute, value);

	if (id.size == 0)
		fail_msg("there is no %s whose %s is '%s'", type, attribute, value);
	return id;
}

void cloud_change(struct cloud *cloud, const char *type, struct slice id, const char *attribute, const char *value)
{
	change(cloud, slice_of(REGION), type, id, attribute, value);
}
