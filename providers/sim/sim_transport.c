#include "providers/sim/sim_transport.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "providers/sim/sim_file.h"
#include "providers/sim/sim_http.h"
#include "providers/sim/sim_state.h"

/*
 * The way to the simulated servers and back, on the virtual clock. A request arrives, is
 * executed, and its answer arrives later, so that a process that ends in between leaves
 * a request done whose answer nobody saw.
 */

struct sim_flight {
	const struct http_request *request;
	http_done *done;
	void *context;
	int64_t at_ms;	 /* of the next event: arrival, then answer */
	int64_t back_ms; /* how long the answer travels */
	uint64_t order;
	bool executed;
	struct arena arena;
	struct sim_answer answer;
};

static bool precedes(const struct sim_flight *a, const struct sim_flight *b)
{
	return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->order < b->order;
}

static void sift_up(struct sim *sim, size_t at, struct sim_flight *flight)
{
	while (at > 0 && precedes(flight, sim->flights[(at - 1) / 2])) {
		sim->flights[at] = sim->flights[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	sim->flights[at] = flight;
}

static void sift_down(struct sim *sim, size_t at, struct sim_flight *flight)
{
	for (;;) {
		size_t child = at * 2 + 1;

		if (child >= sim->flight_count)
			break;
		if (child + 1 < sim->flight_count && precedes(sim->flights[child + 1], sim->flights[child]))
			child++;
		if (!precedes(sim->flights[child], flight))
			break;
		sim->flights[at] = sim->flights[child];
		at = child;
	}
	sim->flights[at] = flight;
}

static void push(struct sim *sim, struct sim_flight *flight)
{
	sim->flights = memory_room(sim->flights, sim->flight_count, &sim->flight_capacity, sizeof(*sim->flights));
	flight->order = sim->flight_order++;
	sift_up(sim, sim->flight_count++, flight);
}

static void take_out(struct sim *sim, size_t at)
{
	struct sim_flight *last = sim->flights[--sim->flight_count];

	if (at == sim->flight_count)
		return;
	sift_down(sim, at, last);
	for (size_t i = at; at > 0 && i < sim->flight_count; i++) {
		if (sim->flights[i] == last) {
			sift_up(sim, i, last);
			break;
		}
	}
}

static void flight_free(struct sim_flight *flight)
{
	buffer_release(&flight->answer.body);
	arena_release(&flight->arena);
	free(flight);
}

static void start(struct transport *transport, const struct http_request *request, http_done *done, void *context)
{
	struct sim *sim = (struct sim *)(void *)transport;
	struct sim_flight *flight = memory_get(sizeof(*flight));
	int64_t least_ms = sim_setting(sim, SIM_SETTING_LATENCY_MS);
	int64_t whole_ms = least_ms + sim_random_between(sim, 0, sim_setting(sim, SIM_SETTING_LATENCY_SPREAD_MS));

	flight->request = request;
	flight->done = done;
	flight->context = context;
	flight->at_ms = sim->now_ms + whole_ms / 2;
	flight->back_ms = whole_ms - whole_ms / 2;
	arena_init(&flight->arena);
	buffer_init(&flight->answer.body, (size_t)256 << 20);
	push(sim, flight);
}

/* A request that gets no answer is given up after the caller's own time. */
static int64_t patience_ms(const struct http_request *request)
{
	int64_t idle_ms = request->idle_timeout_ms > 0 ? request->idle_timeout_ms : 60 * 1000;

	return request->total_timeout_ms > 0 && request->total_timeout_ms < idle_ms ? request->total_timeout_ms
										    : idle_ms;
}

static void limit_answer(struct sim_flight *flight)
{
	struct sim_answer *answer = &flight->answer;

	if (!answer->answered || flight->request->response_limit_bytes == 0 ||
	    answer->body.size <= flight->request->response_limit_bytes)
		return;
	answer->answered = false;
	answer->fault = FAULT_AMBIGUOUS;
	(void)snprintf(answer->message, sizeof(answer->message), "the answer is larger than the limit of %zu bytes",
		       flight->request->response_limit_bytes);
}

static void execute(struct sim *sim, struct sim_flight *flight)
{
	flight->executed = true;
	sim_http_execute(sim, &flight->arena, flight->request, &flight->answer);
	limit_answer(flight);
	/* As from a real one (providers/net): a read without an answer leaves nothing open. */
	if (flight->answer.fault == FAULT_AMBIGUOUS && !flight->request->mutating)
		flight->answer.fault = FAULT_TRANSIENT;
	if (flight->answer.silent)
		flight->back_ms = patience_ms(flight->request);
	flight->at_ms = sim->now_ms + flight->back_ms;
	push(sim, flight);
}

static void deliver(struct sim_flight *flight)
{
	const struct sim_answer *answer = &flight->answer;
	char length[24];
	struct http_header headers[4];
	size_t count = 0;

	(void)snprintf(length, sizeof(length), "%zu", answer->body.size);
	if (answer->answered) {
		headers[count++] = (struct http_header){SLICE("Content-Type"), slice_of(answer->content_type)};
		headers[count++] = (struct http_header){SLICE("Content-Length"), slice_of(length)};
		if (answer->request_id.size > 0)
			headers[count++] = (struct http_header){SLICE("x-amzn-requestid"), answer->request_id};
		if (answer->challenge)
			headers[count++] = (struct http_header){SLICE("WWW-Authenticate"), slice_of(answer->challenge)};
	}
	struct http_response response = {
		.answered = answer->answered,
		.status = answer->status,
		.headers = headers,
		.header_count = count,
		.body = answer->answered ? buffer_slice(&answer->body) : (struct slice){NULL, 0},
		.fault = answer->fault,
		.message = slice_of(answer->message),
	};
	flight->done(flight->context, &response);
	flight_free(flight);
}

static void wait(struct transport *transport, int64_t deadline_ms)
{
	struct sim *sim = (struct sim *)(void *)transport;
	int64_t until_ms = deadline_ms > INT64_MAX / 2 ? INT64_MAX / 2 : deadline_ms - sim->boot_offset_ms;
	bool delivered = false;

	while (sim->flight_count > 0) {
		struct sim_flight *flight = sim->flights[0];

		/* What arrives at the same instant is delivered together. */
		if (delivered ? flight->at_ms > sim->now_ms : flight->at_ms > until_ms)
			break;
		take_out(sim, 0);
		if (sim->now_ms < flight->at_ms)
			sim->now_ms = flight->at_ms;
		if (flight->executed) {
			deliver(flight);
			delivered = true;
		} else {
			execute(sim, flight);
		}
	}
	if (!delivered && until_ms > sim->now_ms && until_ms < INT64_MAX / 2)
		sim->now_ms = until_ms;
}

static size_t pending(const struct transport *transport)
{
	const struct sim *sim = (const struct sim *)(const void *)transport;

	return sim->flight_count;
}

/* The clock of a world that others use too may have moved on. */
static void reach(struct transport *transport, struct slice endpoint)
{
	struct sim *sim = (struct sim *)(void *)transport;

	(void)endpoint;
	if (sim_file_begin(sim))
		sim_file_end(sim);
}

static void cancel(struct transport *transport, void *context)
{
	struct sim *sim = (struct sim *)(void *)transport;

	for (size_t i = sim->flight_count; i-- > 0;) {
		struct sim_flight *flight = sim->flights[i];

		if (flight->context == context) {
			take_out(sim, i);
			flight_free(flight);
			i = sim->flight_count;
		}
	}
}

void sim_transport_init(struct sim *sim)
{
	sim->transport = (struct transport){
		.start = start,
		.wait = wait,
		.pending = pending,
		.reach = reach,
		.cancel = cancel,
	};
}

void sim_transport_release(struct sim *sim)
{
	while (sim->flight_count > 0) {
		struct sim_flight *flight = sim->flights[0];

		take_out(sim, 0);
		flight_free(flight);
	}
	free(sim->flights);
}
