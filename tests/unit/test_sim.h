#ifndef TRUEUP_TESTS_UNIT_TEST_SIM_H
#define TRUEUP_TESTS_UNIT_TEST_SIM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "providers/sim/sim.h"

/* What the tests of the simulator share: a world whose clocks stand still, and requests to it. */

enum { START_MS = 1700000000 };

struct fixture {
	struct world world;
	struct arena arena;
	struct diagnostics diagnostics;
	struct sim *sim;
	char folder[64], endpoint[128];
	int64_t wall_ms, boot_ms;
	int64_t started_us;
};

static inline int64_t wall_ms(struct world *world)
{
	return ((struct fixture *)world->context)->wall_ms;
}

static inline int64_t boot_ms(struct world *world)
{
	return ((struct fixture *)world->context)->boot_ms;
}

static inline void fill_random(struct world *world, void *bytes, size_t size)
{
	(void)world;
	memset(bytes, 7, size);
}

static inline int64_t real_us(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static inline void set(struct fixture *fixture, const char *name, int64_t value)
{
	struct value_member member = {value_text(name), value_integer(value)};
	struct value settings = value_map(&member, 1);

	assert_true(sim_change(fixture->sim, SLICE(""), SLICE("settings"), SLICE("settings"), &settings,
			       &fixture->diagnostics));
}

static inline void open_world(struct fixture *fixture)
{
	assert_true(sim_open(fixture->endpoint, &fixture->world, &fixture->sim, &fixture->diagnostics));
	sim_seed(fixture->sim, 1);
	set(fixture, "signatures", 0);
	set(fixture, "lag_ms", 0);
}

static inline int set_up(void **state)
{
	struct fixture *fixture = memory_get(sizeof(*fixture));

	fixture->world =
		(struct world){.context = fixture, .wall_ms = wall_ms, .boot_ms = boot_ms, .random = fill_random};
	fixture->wall_ms = START_MS * (int64_t)1000;
	fixture->boot_ms = 5000;
	arena_init(&fixture->arena);
	diagnostics_init(&fixture->diagnostics, &fixture->arena);
	(void)snprintf(fixture->folder, sizeof(fixture->folder), "/tmp/test-sim-XXXXXX");
	if (!mkdtemp(fixture->folder))
		return -1;
	(void)snprintf(fixture->endpoint, sizeof(fixture->endpoint), "sim:");
	open_world(fixture);
	fixture->started_us = real_us();
	*state = fixture;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *fixture = *state;
	char path[128];

	sim_close(fixture->sim);
	(void)snprintf(path, sizeof(path), "%s/world", fixture->folder);
	(void)remove(path);
	(void)rmdir(fixture->folder);
	diagnostics_release(&fixture->diagnostics);
	arena_release(&fixture->arena);
	free(fixture);
	return 0;
}

static inline void use_file(struct fixture *fixture)
{
	sim_close(fixture->sim);
	(void)snprintf(fixture->endpoint, sizeof(fixture->endpoint), "sim:%s/world", fixture->folder);
	open_world(fixture);
}

struct exchange {
	struct http_request request;
	bool done, answered;
	int status;
	enum fault fault;
	int64_t done_ms;
	struct sim *sim;
	struct arena *arena;
	struct slice body;
	int *order, place;
};

static inline void done(void *context, const struct http_response *response)
{
	struct exchange *exchange = context;

	assert_false(exchange->done);
	exchange->done = true;
	exchange->answered = response->answered;
	exchange->status = response->status;
	exchange->fault = response->fault;
	exchange->done_ms = sim_boot_ms(exchange->sim);
	exchange->body = arena_copy(exchange->arena, response->body);
	if (exchange->order)
		exchange->place = ++*exchange->order;
}

__attribute__((format(printf, 3, 4))) static inline void start(struct fixture *fixture, struct exchange *exchange,
							       const char *format, ...)
{
	struct transport *transport = sim_transport(fixture->sim);
	va_list arguments;

	va_start(arguments, format);
	exchange->request.body = arena_vformat(&fixture->arena, format, arguments);
	va_end(arguments);
	exchange->request.method = SLICE("POST");
	exchange->request.url = SLICE("https://ec2.us-west-2.amazonaws.com/");
	exchange->request.idle_timeout_ms = 30000;
	exchange->sim = fixture->sim;
	exchange->arena = &fixture->arena;
	transport->start(transport, &exchange->request, done, exchange);
}

static inline void finish(struct fixture *fixture)
{
	struct transport *transport = sim_transport(fixture->sim);

	while (transport->pending(transport) > 0)
		transport->wait(transport, INT64_MAX);
}

#define ACTION(name) "Action=" name "&Version=2016-11-15"
#define MAKE ACTION("CreateVpc") "&CidrBlock=10.0.0.0/16"

static inline size_t count(struct slice text, const char *part)
{
	size_t found = 0, size = strlen(part);

	for (size_t i = 0; i + size <= text.size; i++)
		found += memcmp(text.data + i, part, size) == 0;
	return found;
}

static inline size_t vpcs(struct fixture *fixture)
{
	struct exchange exchange = {0};

	start(fixture, &exchange, ACTION("DescribeVpcs"));
	finish(fixture);
	assert_int_equal(exchange.status, 200);
	return count(exchange.body, "<vpcId>");
}

/* What stands in the first element of that name. */
static inline struct slice element(struct fixture *fixture, struct slice body, const char *name)
{
	struct slice open = arena_format(&fixture->arena, "<%s>", name);

	for (size_t i = 0; i + open.size <= body.size; i++) {
		if (memcmp(body.data + i, open.data, open.size) == 0) {
			struct slice rest = slice_from(body, i + open.size);

			return slice_cut(&rest, '<');
		}
	}
	fail_msg("no <%s> in %.*s", name, SLICE_ARGUMENTS(body));
	return (struct slice){NULL, 0};
}

#define SIM_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
