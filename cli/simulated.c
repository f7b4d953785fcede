#include "cli/simulated.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/proxy_secrets.h"
#include "cli/simulated_place.h"

enum {
	/* How long one wait may last while somebody shows progress. */
	TICK_MS = 1000,
	/* How long the network is waited for at once while simulated requests are in flight too. */
	MIXED_MS = 20,
};

static struct simulated *of_world(struct world *world)
{
	return (struct simulated *)(void *)world;
}

static struct simulated *of_transport(struct transport *transport)
{
	return (struct simulated *)(void *)((char *)transport - offsetof(struct simulated, transport));
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t boot_ms(struct world *world)
{
	const struct simulated *simulated = of_world(world);
	int64_t now_ms = INT64_MIN;

	if (!simulated->simulators)
		return simulated->real->boot_ms(simulated->real);
	for (const struct simulator *each = simulated->simulators; each; each = each->next)
		now_ms = later(now_ms, sim_boot_ms(each->sim) + each->boot_ahead_ms);
	return now_ms;
}

static int64_t lease_ms(struct world *world)
{
	return world_lease_ms(of_world(world)->real);
}

static int64_t lease_wall_ms(struct world *world)
{
	return world_lease_wall_ms(of_world(world)->real);
}

static int64_t wall_ms(struct world *world)
{
	const struct simulated *simulated = of_world(world);
	int64_t now_ms = INT64_MIN;

	if (!simulated->simulators)
		return simulated->real->wall_ms(simulated->real);
	for (const struct simulator *each = simulated->simulators; each; each = each->next)
		now_ms = later(now_ms, sim_wall_ms(each->sim));
	return now_ms;
}

/* NULL after a diagnostic. */
static struct simulator *open_simulator(struct simulated *simulated, struct slice endpoint,
					struct diagnostics *diagnostics)
{
	int64_t now_ms = boot_ms(&simulated->world);
	struct simulator *simulator = memory_get(sizeof(*simulator));
	char *name = slice_text(endpoint);
	struct arena scratch;

	arena_init(&scratch);
	bool opened = sim_open(simulated_place_open(simulated->folder, endpoint, &scratch), simulated->real,
			       &simulator->sim, diagnostics);
	arena_release(&scratch);
	if (!opened) {
		free(name);
		free(simulator);
		return NULL;
	}
	simulator->endpoint = name;
	simulator->boot_ahead_ms = now_ms - sim_boot_ms(simulator->sim);
	simulator->next = simulated->simulators;
	simulated->simulators = simulator;
	return simulator;
}

static struct simulator *find_simulator(const struct simulated *simulated, struct slice endpoint)
{
	for (struct simulator *each = simulated->simulators; each; each = each->next)
		if (slice_is(endpoint, each->endpoint))
			return each;
	return NULL;
}

static void refuse(struct simulated *simulated, http_done *done, void *context, const struct diag *reason)
{
	struct refused *refused = memory_get(sizeof(*refused));

	*refused = (struct refused){
		.done = done,
		.context = context,
		.message = slice_text(reason ? reason->message : SLICE("the simulator did not open")),
		.hint = slice_text(reason ? reason->hint : (struct slice){NULL, 0}),
		.next = simulated->refused,
	};
	simulated->refused = refused;
}

static void refused_free(struct refused *refused)
{
	free(refused->message);
	free(refused->hint);
	free(refused);
}

/* One that does not open says so when the first request comes. */
static void reach(struct transport *transport, struct slice endpoint)
{
	struct simulated *simulated = of_transport(transport);
	struct arena arena;
	struct diagnostics findings;

	if (!endpoint_is_simulated(endpoint) || find_simulator(simulated, endpoint))
		return;
	arena_init(&arena);
	diagnostics_init(&findings, &arena);
	open_simulator(simulated, endpoint, &findings);
	diagnostics_release(&findings);
	arena_release(&arena);
}

static void start_simulated(struct simulated *simulated, const struct http_request *request, http_done *done,
			    void *context)
{
	struct simulator *simulator = find_simulator(simulated, request->endpoint);

	if (!simulator) {
		struct arena arena;
		struct diagnostics findings;

		arena_init(&arena);
		diagnostics_init(&findings, &arena);
		simulator = open_simulator(simulated, request->endpoint, &findings);
		if (!simulator)
			refuse(simulated, done, context, diagnostics_first_error(&findings));
		diagnostics_release(&findings);
		arena_release(&arena);
	}
	if (simulator) {
		struct transport *transport = sim_transport(simulator->sim);

		transport->start(transport, request, done, context);
	}
}

static void start(struct transport *transport, const struct http_request *request, http_done *done, void *context)
{
	struct simulated *simulated = of_transport(transport);

	if (endpoint_is_simulated(request->endpoint))
		start_simulated(simulated, request, done, context);
	else
		simulated->real->transport->start(simulated->real->transport, request, done, context);
}

static struct slice name(struct transport *transport, struct slice endpoint, struct arena *arena)
{
	return simulated_place_name(of_transport(transport)->folder, endpoint, arena);
}

static bool answer_refused(struct simulated *simulated)
{
	struct refused *refused = simulated->refused;

	if (!refused)
		return false;
	simulated->refused = NULL;
	while (refused) {
		struct refused *next = refused->next;
		struct http_response response = {
			.fault = FAULT_USER,
			.message = slice_of(refused->message),
			.hint = slice_of(refused->hint),
		};

		refused->done(refused->context, &response);
		refused_free(refused);
		refused = next;
	}
	return true;
}

/* Moves every simulator to until_ms, or to where the first of them had an answer. */
static void move_simulators(struct simulated *simulated, int64_t until_ms)
{
	for (struct simulator *each = simulated->simulators; each; each = each->next) {
		struct transport *transport = sim_transport(each->sim);

		if (sim_boot_ms(each->sim) + each->boot_ahead_ms >= until_ms)
			continue;
		transport->wait(transport, until_ms - each->boot_ahead_ms);
		int64_t reached_ms = sim_boot_ms(each->sim) + each->boot_ahead_ms;
		if (reached_ms < until_ms)
			until_ms = reached_ms;
	}
}

static size_t simulated_pending(const struct simulated *simulated)
{
	size_t count = 0;

	for (const struct simulator *each = simulated->simulators; each; each = each->next) {
		const struct transport *transport = sim_transport(each->sim);

		count += transport->pending(transport);
	}
	return count;
}

/* With requests on the network in flight the virtual clock keeps step with the real one. */
static void wait_for_both(struct simulated *simulated, int64_t now_ms, int64_t deadline_ms)
{
	struct world *real = simulated->real;
	int64_t began_ms = real->boot_ms(real);
	int64_t left_ms = deadline_ms > now_ms ? deadline_ms - now_ms : 0;

	if (simulated_pending(simulated) > 0 && left_ms > MIXED_MS)
		left_ms = MIXED_MS;
	real->transport->wait(real->transport, began_ms + left_ms);
	int64_t passed_ms = real->boot_ms(real) - began_ms;
	move_simulators(simulated, now_ms + (passed_ms > 0 ? passed_ms : 1));
}

static void wait(struct transport *transport, int64_t deadline_ms)
{
	struct simulated *simulated = of_transport(transport);
	struct world *real = simulated->real;
	int64_t now_ms = boot_ms(&simulated->world);

	(void)world_has_told(real);
	if (simulated->tick) {
		simulated->tick(simulated->tick_context);
		if (deadline_ms - now_ms > TICK_MS)
			deadline_ms = now_ms + TICK_MS;
	}
	if (answer_refused(simulated))
		return;
	if (!simulated->simulators)
		real->transport->wait(real->transport, deadline_ms);
	else if (real->transport->pending(real->transport) > 0)
		wait_for_both(simulated, now_ms, deadline_ms);
	else
		move_simulators(simulated, deadline_ms);
}

static size_t pending(const struct transport *transport)
{
	const struct simulated *simulated =
		(const struct simulated *)(const void *)((const char *)transport -
							 offsetof(struct simulated, transport));
	const struct transport *network = simulated->real->transport;
	size_t count = simulated_pending(simulated) + network->pending(network);

	for (const struct refused *each = simulated->refused; each; each = each->next)
		count++;
	return count;
}

static void cancel(struct transport *transport, void *context)
{
	struct simulated *simulated = of_transport(transport);
	struct transport *network = simulated->real->transport;

	for (struct simulator *each = simulated->simulators; each; each = each->next)
		sim_transport(each->sim)->cancel(sim_transport(each->sim), context);
	for (struct refused **link = &simulated->refused; *link;) {
		struct refused *refused = *link;

		if (refused->context != context) {
			link = &refused->next;
			continue;
		}
		*link = refused->next;
		refused_free(refused);
	}
	network->cancel(network, context);
}

/* Whoever wrote the text, and whatever it quotes. */
static bool write_redacted(struct world *world, int stream, struct slice text)
{
	const struct simulated *simulated = of_world(world);
	struct world *real = simulated->real;
	BUFFER_AUTO shown;

	buffer_init(&shown, SIZE_MAX);
	if (simulated->redaction.count == 0)
		return real->write(real, stream, text);
	redaction_apply(&simulated->redaction, text, &shown);
	return real->write(real, stream, buffer_slice(&shown));
}

static bool tell_redacted(struct world *world, struct slice text)
{
	const struct simulated *simulated = of_world(world);
	struct world *real = simulated->real;
	BUFFER_AUTO shown;

	buffer_init(&shown, SIZE_MAX);
	if (simulated->redaction.count == 0)
		return real->tell(real, text);
	redaction_apply(&simulated->redaction, text, &shown);
	return real->tell(real, buffer_slice(&shown));
}

static void keep_secret(struct world *world, struct slice secret)
{
	redaction_add(&of_world(world)->redaction, secret);
}

void simulated_open(struct simulated *simulated, struct world *real)
{
	*simulated = (struct simulated){
		.world = *real,
		.transport = {.start = start,
			      .wait = wait,
			      .pending = pending,
			      .cancel = cancel,
			      .reach = reach,
			      .name = name},
		.real = real,
		.folder = ".",
	};
	simulated->world.boot_ms = boot_ms;
	simulated->world.lease_ms = lease_ms;
	simulated->world.lease_wall_ms = lease_wall_ms;
	simulated->world.wall_ms = wall_ms;
	simulated->world.transport = &simulated->transport;
	simulated->world.write = write_redacted;
	simulated->world.tell = real->tell ? tell_redacted : NULL;
	simulated->world.keep_secret = keep_secret;
	redaction_init(&simulated->redaction);
	simulated->world.untold = &simulated->redaction;
	proxy_secrets_keep(&simulated->world);
}

void simulated_close(struct simulated *simulated)
{
	redaction_release(&simulated->redaction);
	while (simulated->simulators) {
		struct simulator *simulator = simulated->simulators;

		simulated->simulators = simulator->next;
		sim_close(simulator->sim);
		free(simulator->endpoint);
		free(simulator);
	}
	while (simulated->refused) {
		struct refused *refused = simulated->refused;

		simulated->refused = refused->next;
		refused_free(refused);
	}
}
