#include "tests/simulate/flight.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "state/sqlite_store.h"

enum {
	PATIENCE_MS = 30000,
	LATE_MOST_MS = 120000,
	LATE_REQUEST_MOST_MS = 8 * 60 * 1000,
	/* Well within the grace, so that nothing is made a second time for it. */
	DELAYED_MOST_MS = 100000,
	SLOW_MOST_MS = 25000,
	TWICE_MOST_MS = 3000,
	SUSPENDED_MOST_MS = 120000,
	NIGHT_LEAST_MS = 61 * 60 * 1000,
	NIGHT_MOST_MS = 3 * 60 * 60 * 1000,
	LEASE_MS = STATE_LEASE_TERM_MS + 1000,
	CLOCK_MOST_MS = 4 * 60 * 1000,
};

static struct slice copy_text(char **to, struct slice text)
{
	struct slice copy = {*to, text.size};

	if (text.size > 0)
		memcpy(*to, text.data, text.size);
	*to += text.size;
	return copy;
}

static void copy_request(struct flight *flight, const struct http_request *request)
{
	size_t headers_bytes = request->header_count * sizeof(struct http_header);
	size_t size =
		headers_bytes + request->method.size + request->url.size + request->body.size + request->intent.size;
	struct http_header *headers;
	char *to;

	for (size_t i = 0; i < request->header_count; i++)
		size += request->headers[i].name.size + request->headers[i].value.size;
	flight->request_bytes = memory_get(size + 1);
	flight->request = *request;
	headers = (struct http_header *)(void *)flight->request_bytes;
	to = flight->request_bytes + headers_bytes;
	for (size_t i = 0; i < request->header_count; i++) {
		headers[i].name = copy_text(&to, request->headers[i].name);
		headers[i].value = copy_text(&to, request->headers[i].value);
	}
	flight->request.headers = headers;
	flight->request.method = copy_text(&to, request->method);
	flight->request.url = copy_text(&to, request->url);
	flight->request.body = copy_text(&to, request->body);
	flight->request.intent = flight->intent = copy_text(&to, request->intent);
	flight->request.endpoint = flight->request.ca_file = (struct slice){NULL, 0};
}

/* "Action=CreateVpc&..." */
static void find_operation(struct flight *flight)
{
	struct slice rest = flight->request.body;

	while (rest.size > 0) {
		struct slice part = slice_cut(&rest, '&');

		if (!slice_starts_with(part, SLICE("Action=")))
			continue;
		part = slice_from(part, sizeof("Action=") - 1);
		(void)snprintf(flight->operation, sizeof(flight->operation), "%.*s", SLICE_ARGUMENTS(part));
		return;
	}
	(void)snprintf(flight->operation, sizeof(flight->operation), "%.*s-request",
		       SLICE_ARGUMENTS(flight->request.method));
}

struct flight *flight_new(struct universe *universe, struct process *process, const struct http_request *request,
			  http_done *done, void *context)
{
	struct flight *flight = memory_get(sizeof(*flight));

	flight->universe = universe;
	flight->process = process;
	flight->number = ++universe->flight_count;
	flight->done = done;
	flight->context = context;
	copy_request(flight, request);
	find_operation(flight);
	return flight;
}

void flight_free(struct flight *flight)
{
	free(flight->request_bytes);
	free(flight->response_bytes);
	free(flight);
}

void flight_append(struct flight *flight)
{
	struct flight **link = &flight->universe->flights;

	while (*link)
		link = &(*link)->next;
	*link = flight;
}

static void set_silence(struct flight *flight, enum fault fault, const char *message)
{
	flight->response = (struct http_response){.fault = fault, .message = slice_of(message)};
}

void flight_silence(struct flight *flight)
{
	set_silence(flight, FAULT_AMBIGUOUS, "no answer within the time allowed");
}

/* An error as the service would word it. */
static void set_error(struct flight *flight, int status, const char *code)
{
	bool query = slice_contains(flight->request.url, SLICE("autoscaling"));
	char *text = memory_get(512);

	for (size_t i = 0; i < flight->request.header_count; i++)
		query |= slice_contains(flight->request.headers[i].value, SLICE("/autoscaling/")) ||
			 slice_contains(flight->request.headers[i].value, SLICE("/sts/"));
	(void)snprintf(text, 512,
		       query ? "<ErrorResponse><Error><Type>Receiver</Type><Code>%s</Code><Message>It was the "
			       "network's fate</Message></Error><RequestId>r-%" PRIu64 "</RequestId></ErrorResponse>"
			     : "<Response><Errors><Error><Code>%s</Code><Message>It was the network's fate</Message>"
			       "</Error></Errors><RequestID>r-%" PRIu64 "</RequestID></Response>",
		       code, flight->number);
	free(flight->response_bytes);
	flight->response_bytes = text;
	flight->headers[0] = (struct http_header){SLICE("Content-Type"), SLICE("text/xml;charset=UTF-8")};
	flight->response = (struct http_response){
		.answered = true,
		.status = status,
		.headers = flight->headers,
		.header_count = 1,
		.body = slice_of(text),
	};
}

static void copy_response(struct flight *flight, const struct http_response *response)
{
	size_t size = response->body.size + response->message.size;
	size_t count = response->header_count < 8 ? response->header_count : 8;
	char *to;

	for (size_t i = 0; i < count; i++)
		size += response->headers[i].name.size + response->headers[i].value.size;
	to = flight->response_bytes = memory_get(size + 1);
	flight->response = *response;
	for (size_t i = 0; i < count; i++) {
		flight->headers[i].name = copy_text(&to, response->headers[i].name);
		flight->headers[i].value = copy_text(&to, response->headers[i].value);
	}
	flight->response.headers = flight->headers;
	flight->response.header_count = count;
	flight->response.body = copy_text(&to, response->body);
	flight->response.message = copy_text(&to, response->message);
}

void flight_answer(struct flight *flight, const struct http_response *response)
{
	copy_response(flight, response);
	switch ((int)flight->mishap) {
	case MISHAP_LOST_ANSWER:
		set_silence(flight, FAULT_AMBIGUOUS, "the connection was reset after the request was sent");
		break;
	case MISHAP_ERROR_DONE:
		set_error(flight, 500, "InternalError");
		break;
	case MISHAP_HALF_ANSWER:
		flight->response.body.size /= 2;
		break;
	default:
		break;
	}
}

/* Answered by the network itself. */
static void answer_now(struct flight *flight, int64_t after_ms)
{
	flight->stage = STAGE_ANSWERED;
	flight->at_ms = sim_boot_ms(flight->universe->sim) + after_ms;
}

static void send_again(struct flight *flight)
{
	struct flight *twin = flight_new(flight->universe, NULL, &flight->request, NULL, NULL);

	twin->is_copy = true;
	twin->stage = STAGE_HELD;
	twin->at_ms = sim_boot_ms(flight->universe->sim) + chance_between(&flight->universe->fate, 0, TWICE_MOST_MS);
	flight_append(twin);
}

/* What befalls the process rather than the request. */
static void befall_process(struct flight *flight)
{
	struct process *process = flight->process;
	struct universe *universe = process->universe;

	switch ((int)flight->mishap) {
	case MISHAP_INTERRUPT:
		process->interrupts = 1;
		break;
	case MISHAP_INTERRUPT_TWO:
		process->interrupts = 2;
		break;
	case MISHAP_RIVAL_LATER:
		network_pass(universe, sim_boot_ms(universe->sim) + LEASE_MS);
		universe->rival(universe);
		break;
	case MISHAP_RIVAL:
		universe->rival(universe);
		break;
	case MISHAP_OPERATOR:
		universe->operator(universe);
		break;
	case MISHAP_CLOCK:
		universe->wall_ahead_ms = chance_between(&universe->fate, -CLOCK_MOST_MS, CLOCK_MOST_MS);
		universe->is_clock_set = true;
		break;
	default:
		break;
	}
}

/* What the network answers in the cloud's place; false where it is none of these. */
static bool befall_refusal(struct flight *flight)
{
	static const struct {
		enum mishap mishap;
		int status;
		const char *code;
	} refusals[] = {
		{MISHAP_THROTTLED, 503, "RequestLimitExceeded"},  {MISHAP_ERROR, 500, "InternalError"},
		{MISHAP_UNAVAILABLE, 503, "ServiceUnavailable"},  {MISHAP_DENIED, 403, "UnauthorizedOperation"},
		{MISHAP_FAILED_CREATE, 400, "VcpuLimitExceeded"},
	};

	if (flight->mishap == MISHAP_REFUSED) {
		set_silence(flight, FAULT_TRANSIENT, "connection refused");
		answer_now(flight, 1);
		return true;
	}
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		if (refusals[i].mishap != flight->mishap)
			continue;
		set_error(flight, refusals[i].status, refusals[i].code);
		answer_now(flight, 30);
		return true;
	}
	return false;
}

/* With its machine, so that no connection is left when it wakes up. */
static void sleep_long(struct process *process)
{
	struct universe *universe = process->universe;
	int64_t night_ms = chance_between(&universe->fate, NIGHT_LEAST_MS, NIGHT_MOST_MS);

	network_pass(universe, sim_boot_ms(universe->sim) + night_ms);
	for (struct flight *each = universe->flights; each; each = each->next)
		if (each->process == process)
			each->given_up_ms = sim_boot_ms(universe->sim);
}

/* How it travels. */
static void befall_journey(struct flight *flight, void (*embark)(struct flight *flight))
{
	struct universe *universe = flight->universe;
	int64_t now_ms = sim_boot_ms(universe->sim);

	switch ((int)flight->mishap) {
	case MISHAP_LOST_REQUEST:
		flight->stage = STAGE_LOST;
		flight->given_up_ms = now_ms + PATIENCE_MS;
		return;
	case MISHAP_LATE_ANSWER:
		flight->delay_ms = PATIENCE_MS + chance_between(&universe->fate, 1, LATE_MOST_MS);
		flight->given_up_ms = now_ms + PATIENCE_MS;
		break;
	case MISHAP_LATE_REQUEST:
		flight->stage = STAGE_HELD;
		flight->at_ms = now_ms + PATIENCE_MS + chance_between(&universe->fate, 1, LATE_REQUEST_MOST_MS);
		flight->given_up_ms = now_ms + PATIENCE_MS;
		return;
	case MISHAP_DELAYED:
		flight->stage = STAGE_HELD;
		flight->at_ms = now_ms + chance_between(&universe->fate, 1, DELAYED_MOST_MS);
		flight->given_up_ms = now_ms + PATIENCE_MS;
		return;
	case MISHAP_SUSPEND:
		if (chance_one_in(&universe->fate, 3)) {
			embark(flight);
			sleep_long(flight->process);
			return;
		}
		network_pass(universe, now_ms + chance_between(&universe->fate, 1000, SUSPENDED_MOST_MS));
		break;
	case MISHAP_SLOW:
		flight->delay_ms = chance_between(&universe->fate, 1000, SLOW_MOST_MS);
		break;
	case MISHAP_DUPLICATE:
		send_again(flight);
		break;
	default:
		break;
	}
	embark(flight);
}

/* What was done twice, or comes later, then has nobody who knows of it. */
static bool dies_with_it(const struct process *process)
{
	return !process->misfortune.gentle && chance_one_in(&process->universe->fate, 2);
}

void flight_befall(struct flight *flight, void (*embark)(struct flight *flight))
{
	struct process *process = flight->process;
	enum mishap mishap = flight->mishap;

	/* It is told when it happens. */
	if (mishap != MISHAP_CRASH_ANSWER)
		process_suffer(process, mishap, flight->operation);
	/* Rights that were given a moment ago are not known everywhere at once. */
	if (mishap == MISHAP_DENIED && chance_one_in(&process->universe->fate, 2))
		(void)snprintf(process->denied, sizeof(process->denied), "%s", flight->operation);
	if (mishap == MISHAP_CRASH_BEFORE) {
		flight->process = NULL;
		flight->stage = STAGE_OVER;
		process_die(process, false);
		return;
	}
	if (befall_refusal(flight))
		return;
	befall_process(flight);
	if (process->dead) {
		flight->process = NULL;
		flight->stage = STAGE_OVER;
		return;
	}
	befall_journey(flight, embark);
	if (mishap == MISHAP_CRASH_SENT ||
	    ((mishap == MISHAP_DUPLICATE || mishap == MISHAP_DELAYED) && dies_with_it(process)))
		process_die(process, false);
}

bool flight_is_belated(const struct flight *flight)
{
	return flight->is_copy || flight->mishap == MISHAP_LATE_REQUEST;
}

/* "TagSpecification.1.Tag.3.Key=trueup%3Aintent&TagSpecification.1.Tag.3.Value=..." */
bool flight_intent_tag(const struct flight *flight, char ret[33])
{
	struct slice rest = flight->request.body;
	bool found = false;

	while (rest.size > 0) {
		struct slice value = slice_cut(&rest, '&');
		struct slice name = slice_cut(&value, '=');

		if (found && slice_ends_with(name, SLICE(".Value")) && value.size == 32) {
			memcpy(ret, value.data, 32);
			ret[32] = '\0';
			return isxdigit((unsigned char)ret[0]) != 0;
		}
		found = slice_ends_with(name, SLICE("Key")) && slice_is(value, "trueup%3Aintent");
	}
	return false;
}

bool flight_token(const struct flight *flight, char ret[FLIGHT_TOKEN_BYTES])
{
	struct slice rest = flight->request.body;

	while (rest.size > 0) {
		struct slice value = slice_cut(&rest, '&');

		if (!slice_is(slice_cut(&value, '='), "ClientToken"))
			continue;
		(void)snprintf(ret, FLIGHT_TOKEN_BYTES, "%.*s", SLICE_ARGUMENTS(value));
		return true;
	}
	return false;
}
