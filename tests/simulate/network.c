#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/simulate/flight.h"
#include "tests/simulate/operation.h"
#include "tests/simulate/oracle.h"

/* The network between the machine and the cloud: how requests travel, and how they come to grief. */

static struct process *of_transport(struct transport *transport)
{
	return (struct process *)(void *)((char *)transport - offsetof(struct process, transport));
}

static int64_t now_ms(const struct universe *universe)
{
	return sim_boot_ms(universe->sim);
}

/* What the call was to bring is there, of one before it that asked the same. */
static bool is_there_already(struct slice body)
{
	static const char *const codes[] = {"<Code>RouteAlreadyExists</Code>",
					    "<Code>InvalidPermission.Duplicate</Code>"};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (slice_contains(body, slice_of(codes[i])))
			return true;
	return false;
}

static void on_answer(void *context, const struct http_response *response)
{
	struct flight *flight = context;

	if (flight->mishap == MISHAP_UNNAMED && (response->answered || response->fault != FAULT_INTERNAL))
		universe_fail(flight->universe, "refusal: the cloud takes %s without an intent", flight->operation);
	if (flight->was_done && response->status == 200)
		universe_fail(flight->universe, "early: %s counts as done before it came", flight->operation);
	if (operation_changes(flight->operation) && (response->status == 200 || is_there_already(response->body)))
		sent_came(&flight->universe->sent, flight->intent);
	if (strcmp(flight->operation, "AssignIpv6Addresses") == 0)
		oracle_number(flight->universe, FEATURE_ADDRESSES6);
	if (strcmp(flight->operation, "CreateKeyPair") == 0)
		shown_note(&flight->universe->shown, response->body);
	flight->stage = STAGE_ANSWERED;
	flight->at_ms = now_ms(flight->universe) + flight->delay_ms;
	if (!flight->process) {
		bool is_belated = response->status == 200 && flight_is_belated(flight);

		flight->universe->belated += is_belated && operation_changes(flight->operation);
		flight->universe->has_doubled |= is_belated && operation_creates(flight->operation);
		flight->stage = STAGE_OVER;
		return;
	}
	flight_answer(flight, response);
}

/* Whether nothing but its work tells that its call came: no other attempt has, and nobody else had a hand in it. */
static bool tells_by_itself(const struct flight *flight)
{
	return operation_adds(flight->operation, flight->request.body) ||
	       (operation_changes(flight->operation) && !flight->universe->is_meddled_with &&
		sent_is_missing(&flight->universe->sent, flight->intent));
}

static void embark(struct flight *flight)
{
	/* Mishaps that are the cloud's own. */
	static const struct {
		enum mishap mishap;
		enum sim_fault_kind kind;
	} faults[] = {
		{MISHAP_STALE, SIM_FAULT_STALE},
		{MISHAP_UNSEEN, SIM_FAULT_STALE},
		{MISHAP_FAILS_LATER, SIM_FAULT_FAILS_LATER},
		{MISHAP_LINGERS, SIM_FAULT_LINGERS},
	};
	struct transport *cloud = sim_transport(flight->universe->sim);

	flight->stage = STAGE_SENT;
	flight->was_done = !flight->process && !flight->is_copy && tells_by_itself(flight) &&
			   oracle_is_done(flight->universe, flight->intent);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (flight->mishap == faults[i].mishap)
			sim_fault(flight->universe->sim,
				  (struct sim_fault){slice_of(flight->operation), faults[i].kind, 1, 1});
	if (flight->mishap == MISHAP_UNNAMED)
		flight->request.intent = (struct slice){NULL, 0};
	cloud->start(cloud, &flight->request, on_answer, flight);
}

static void sweep(struct universe *universe)
{
	for (struct flight **link = &universe->flights; *link;) {
		struct flight *flight = *link;

		if (flight->stage != STAGE_OVER) {
			link = &flight->next;
			continue;
		}
		*link = flight->next;
		flight_free(flight);
	}
}

/* The next time at which something in flight moves by itself. */
static int64_t next_ms(const struct universe *universe, const struct process *process, int64_t until_ms)
{
	for (const struct flight *each = universe->flights; each; each = each->next) {
		bool awaited = process && each->process == process;
		bool moves = each->stage == STAGE_HELD || (awaited && each->stage == STAGE_ANSWERED);

		if (moves && each->at_ms < until_ms)
			until_ms = each->at_ms;
		if (awaited && each->given_up_ms > 0 && each->given_up_ms < until_ms)
			until_ms = each->given_up_ms;
	}
	return until_ms;
}

static void embark_due(struct universe *universe)
{
	for (struct flight *each = universe->flights; each; each = each->next)
		if (each->stage == STAGE_HELD && each->at_ms <= now_ms(universe))
			embark(each);
}

/* Whether nobody can know from the answer what was done. */
static bool is_unsure(const struct flight *flight)
{
	const struct http_response *response = &flight->response;

	return (!response->answered && response->fault == FAULT_AMBIGUOUS) || response->status == 500 ||
	       (flight->mishap == MISHAP_HALF_ANSWER && response->status == 200);
}

/* Hands over one answer, or the news that there will be none. */
static void deliver(struct flight *flight)
{
	struct process *process = flight->process;

	flight->process = NULL;
	if (flight->stage == STAGE_ANSWERED)
		flight->stage = STAGE_OVER;
	if (flight->mishap == MISHAP_CRASH_ANSWER) {
		process_suffer(process, flight->mishap, flight->operation);
		process_die(process, false);
		return;
	}
	if (operation_changes(flight->operation))
		sent_answer(&process->universe->sent, flight->intent, is_unsure(flight));
	flight->done(flight->context, &flight->response);
}

/* Everything that is due for the process at this instant. */
static bool deliver_due(struct process *process)
{
	struct universe *universe = process->universe;
	bool any = false;

	for (struct flight *each = universe->flights; each && !process->dead; each = each->next) {
		bool late = each->given_up_ms > 0 && each->given_up_ms <= now_ms(universe);

		if (each->process != process || (!late && each->stage != STAGE_ANSWERED) ||
		    (!late && each->at_ms > now_ms(universe)))
			continue;
		if (late)
			flight_silence(each);
		each->given_up_ms = 0;
		deliver(each);
		any = true;
	}
	sweep(universe);
	return any;
}

void network_pass(struct universe *universe, int64_t until_ms)
{
	struct transport *cloud = sim_transport(universe->sim);

	while (now_ms(universe) < until_ms) {
		embark_due(universe);
		cloud->wait(cloud, next_ms(universe, NULL, until_ms));
		sweep(universe);
	}
}

static void nobody_waits(struct process *process)
{
	enum { IDLE_MOST = 100000 };

	if (++process->idle_waits < IDLE_MOST)
		return;
	universe_fail(process->universe, "stuck: process %" PRId64 " waits without end (%s)", process->world.process_id,
		      process->dead ? "it is dead" : "it is alive");
	if (process->dead)
		abort();
	process_die(process, false);
}

static size_t on_pending(const struct transport *transport)
{
	const struct process *process =
		(const struct process *)(const void *)((const char *)transport - offsetof(struct process, transport));
	size_t count = 0;

	for (const struct flight *each = process->universe->flights; each; each = each->next)
		count += each->process == process;
	return count;
}

static void on_wait(struct transport *transport, int64_t deadline_ms)
{
	struct process *process = of_transport(transport);
	struct universe *universe = process->universe;
	struct transport *cloud = sim_transport(universe->sim);
	int64_t until_ms = deadline_ms > INT64_MAX / 2 ? INT64_MAX / 2 : deadline_ms + universe->booted_ms;
	int64_t began_ms = now_ms(universe);

	if (on_pending(transport) == 0 && ++process->waits == process->misfortune.sure_wait) {
		process->interrupts = 1;
		process_suffer(process, MISHAP_INTERRUPT, "waiting");
		return;
	}
	while (!process->dead) {
		embark_due(universe);
		if (deliver_due(process) || process->dead || now_ms(universe) >= until_ms || process->interrupts > 1)
			break;
		cloud->wait(cloud, next_ms(universe, process, until_ms));
	}
	if (process->dead || now_ms(universe) == began_ms)
		nobody_waits(process);
	else
		process->idle_waits = 0;
}

/* What was sent goes on without the one who sent it. */
static void on_cancel(struct transport *transport, void *context)
{
	struct process *process = of_transport(transport);

	for (struct flight *each = process->universe->flights; each; each = each->next) {
		if (each->process != process || each->context != context)
			continue;
		each->process = NULL;
		if (each->stage == STAGE_ANSWERED || each->stage == STAGE_LOST)
			each->stage = STAGE_OVER;
	}
}

void network_orphan(struct process *process)
{
	struct universe *universe = process->universe;
	struct transport *cloud = sim_transport(universe->sim);

	for (struct flight *each = universe->flights; each; each = each->next) {
		if (each->process != process)
			continue;
		each->process = NULL;
		if (each->stage == STAGE_ANSWERED || each->stage == STAGE_LOST)
			each->stage = STAGE_OVER;
		/* Packets that were still in the machine. */
		if (each->stage == STAGE_SENT && chance_one_in(&universe->fate, 4)) {
			cloud->cancel(cloud, each);
			each->stage = STAGE_OVER;
			/* Or those of its answer: nobody hears which. */
			sent_came(&universe->sent, each->intent);
		}
	}
}

void network_release(struct universe *universe)
{
	struct transport *cloud = universe->sim ? sim_transport(universe->sim) : NULL;

	for (struct flight *each = universe->flights; each; each = each->next) {
		if (each->stage == STAGE_SENT && cloud)
			cloud->cancel(cloud, each);
		each->stage = STAGE_OVER;
	}
	sweep(universe);
}

/* The promise at this door: nothing that changes the world goes out before its intent is on the disk. */
static void check_intent(struct process *process, const struct flight *flight)
{
	struct universe *universe = process->universe;
	struct slice intent = flight->request.intent;
	char tag[33] = "", token[FLIGHT_TOKEN_BYTES] = "";
	bool has_tag = flight_intent_tag(flight, tag), has_token = flight_token(flight, token);
	struct audit_intents recorded = {.count = -1};
	int same = 0;

	(void)audit_intents(&universe->audit, flight->operation, intent, slice_of(token), &recorded);
	sent_call(&universe->sent, flight->operation, flight->intent, flight->request.body, slice_of(recorded.makes),
		  universe_wall_ms(universe));
	if (!recorded.has_id)
		universe_fail(universe, "request %" PRIu64 ", %s, goes out with intent '%.*s', which is not recorded",
			      process->requests, flight->operation, SLICE_ARGUMENTS(intent));
	else if (!recorded.has_token || !recorded.has_parameters)
		universe_fail(universe, "request %" PRIu64 ", %s, goes out with %s that is not recorded",
			      process->requests, flight->operation, recorded.has_token ? "parameters" : "a token");
	else if (universe_wall_ms(universe) - recorded.sent_ms > SENT_RECORDED_MOST_MS)
		universe_fail(universe, "request %" PRIu64 ", %s, goes out %" PRId64 " ms after what is recorded",
			      process->requests, flight->operation, universe_wall_ms(universe) - recorded.sent_ms);
	if (has_tag && !slice_is(intent, tag))
		universe_fail(universe, "request %" PRIu64 ", %s, goes out with the tag of intent %s",
			      process->requests, flight->operation, tag);
	const char *against =
		has_token ? sent_token(&universe->sent, intent, slice_of(token), flight->request.body, now_ms(universe))
			  : NULL;

	if (against)
		universe_fail(universe, "token: request %" PRIu64 ", %s, goes out again %s", process->requests,
			      flight->operation, against);
	for (const struct flight *each = universe->flights; each; each = each->next)
		same += each->process == process && strcmp(each->operation, flight->operation) == 0;
	if (recorded.count < same)
		universe_fail(universe, "request %" PRIu64 ", %s, goes out with %d intents recorded for %d in flight",
			      process->requests, flight->operation, recorded.count, same);
	if (!flight->request.mutating)
		universe_fail(universe, "request %" PRIu64 ", %s, is not marked as one that changes something",
			      process->requests, flight->operation);
}

/* Once. */
static bool is_sure_first(struct misfortune *misfortune, const char *operation)
{
	if (!misfortune->sure_first || strcmp(misfortune->sure_first, operation) != 0)
		return false;
	misfortune->sure_first = NULL;
	return true;
}

static bool is_sure_look(const struct process *process)
{
	uint64_t look = process->misfortune.sure_look;

	return look > 0 && process->first_change > 0 && process->requests == process->first_change + look;
}

static enum mishap fate_of(struct process *process, const struct flight *flight, bool changes)
{
	struct misfortune *misfortune = &process->misfortune;
	struct chance *fate = &process->universe->fate;

	if (process->denied[0] && strcmp(process->denied, flight->operation) == 0 &&
	    (process->first_change > 0 || !misfortune->after_change))
		return MISHAP_DENIED;
	/* Of what comes before the first change, nothing is lost. */
	if (misfortune->aimed && process->universe->changes > 0 && !mishap_is_early(process->universe->target.mishap) &&
	    target_strikes(&process->universe->target, flight->operation, fate))
		return process->universe->target.mishap;
	if (is_sure_look(process) && misfortune->look_mishap != MISHAP_NONE)
		return misfortune->look_mishap;
	if ((changes && process->changes == misfortune->sure_change) || process->requests == misfortune->sure_request ||
	    is_sure_look(process) || is_sure_first(misfortune, flight->operation))
		return misfortune->sure_mishap != MISHAP_NONE ? misfortune->sure_mishap
							      : mishap_draw(fate, misfortune, flight->operation);
	if (misfortune->budget == 0 || !chance_one_in(fate, misfortune->odds))
		return MISHAP_NONE;
	misfortune->budget--;
	return mishap_draw(fate, misfortune, flight->operation);
}

/* No command of these stacks needs as many: it goes in circles. */
static bool is_runaway(struct process *process)
{
	enum { REQUESTS_MOST = 4000 };

	if (++process->requests < REQUESTS_MOST)
		return false;
	universe_fail(process->universe, "stuck: process %" PRId64 " has sent %d requests", process->world.process_id,
		      REQUESTS_MOST);
	process_die(process, false);
	return true;
}

/* Takes in what the process sends, and decides what becomes of it. */
static void on_start(struct transport *transport, const struct http_request *request, http_done *done, void *context)
{
	struct process *process = of_transport(transport);
	struct universe *universe = process->universe;
	struct flight *flight;
	bool changes;

	if (process->dead || is_runaway(process))
		return;
	flight = flight_new(universe, process, request, done, context);
	changes = operation_changes(flight->operation);
	process->changes += changes;
	if (changes && process->first_change == 0)
		process->first_change = process->requests;
	if (process->misfortune.locks_alone)
		process->steps_after = 0;
	universe->changes += changes;
	flight_append(flight);
	if (changes)
		check_intent(process, flight);
	flight->mishap = fate_of(process, flight, changes);
	if (flight->mishap == MISHAP_NONE)
		embark(flight);
	else
		flight_befall(flight, embark);
	trace_line(&universe->trace, "[%" PRId64 "] request %" PRIu64 " %s %s", process->world.process_id,
		   process->requests, flight->operation, mishap_name(flight->mishap));
}

void network_init(struct process *process)
{
	process->transport = (struct transport){
		.start = on_start,
		.wait = on_wait,
		.pending = on_pending,
		.cancel = on_cancel,
	};
	process->world.transport = &process->transport;
}
