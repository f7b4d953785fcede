#include "providers/sim/sim_fault.h"

#include <stdio.h>

#include "providers/sim/sim_file.h"

enum { LINGERING_MS = 40 * 60 * 1000 };

static const char *const kinds[] = {
	[SIM_FAULT_DENY] = "deny",
	[SIM_FAULT_THROTTLE] = "throttle",
	[SIM_FAULT_ERROR] = "error",
	[SIM_FAULT_UNAVAILABLE] = "unavailable",
	[SIM_FAULT_REFUSED] = "refused",
	[SIM_FAULT_LOST_REQUEST] = "lost_request",
	[SIM_FAULT_LOST_ANSWER] = "lost_answer",
	[SIM_FAULT_HALF_ANSWER] = "half_answer",
	[SIM_FAULT_HTML] = "html",
	[SIM_FAULT_STALE] = "stale",
	[SIM_FAULT_HUGE] = "huge",
	[SIM_FAULT_FAILS_LATER] = "fails_later",
	[SIM_FAULT_LINGERS] = "lingers",
	[SIM_FAULT_UNSUPPORTED] = "unsupported",
};

enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]) };

/* "GET /redfish/v1/Systems": requests to a machine have no names, so that any may come. */
static bool is_of_machine(struct slice action)
{
	static const char *const methods[] = {"GET ", "POST ", "PATCH ", "* "};

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (slice_starts_with(action, slice_of(methods[i])))
			return true;
	return false;
}

static bool check_action(struct slice wanted, struct diagnostics *diagnostics)
{
	enum { NAMES_MOST = 512 };
	struct slice names[NAMES_MOST];
	size_t count = 0;

	if (wanted.size == 0 || is_of_machine(wanted))
		return true;
	for (const struct sim_family *const *family = sim_families; *family; family++) {
		for (size_t i = 0; i < (*family)->count; i++) {
			struct slice name = slice_of((*family)->actions[i].name);

			if (sim_wildcard(wanted, name))
				return true;
			if (count < NAMES_MOST)
				names[count++] = name;
		}
	}
	(void)diag_error(diagnostics, FAULT_USER, NOWHERE, "the simulator has no call '%.*s'",
			 SLICE_ARGUMENTS(slice_first(wanted, 80)));
	if (!diag_suggest(diagnostics, wanted, names, count))
		diag_hint(diagnostics,
			  "write it like CreateVpc, Describe*, or 'GET /redfish/v1/Systems' for a machine");
	return false;
}

static bool check_kind(struct slice kind, struct diagnostics *diagnostics)
{
	struct slice names[KIND_COUNT];

	for (size_t i = 0; i < KIND_COUNT; i++) {
		names[i] = slice_of(kinds[i]);
		if (slice_equal(kind, names[i]))
			return true;
	}
	(void)diag_error(diagnostics, FAULT_USER, NOWHERE, "there is no kind of fault '%.*s'",
			 SLICE_ARGUMENTS(slice_first(kind, 80)));
	if (!diag_suggest(diagnostics, kind, names, KIND_COUNT))
		diag_hint(diagnostics, "'trueup help sim' lists them");
	return false;
}

static bool check_number(const struct sim_object *fault, const char *name, int64_t least,
			 struct diagnostics *diagnostics)
{
	if (!node_get(&fault->body, name) || node_integer(&fault->body, name, least - 1) >= least)
		return true;
	return diag_error(diagnostics, FAULT_USER, NOWHERE, "'%s' of a fault is a whole number from %lld on", name,
			  (long long)least);
}

static bool check(const struct sim_object *fault, struct diagnostics *diagnostics)
{
	return check_action(node_text(&fault->body, "action"), diagnostics) &&
	       check_kind(node_text(&fault->body, "kind"), diagnostics) &&
	       check_number(fault, "first", 1, diagnostics) && check_number(fault, "count", 0, diagnostics);
}

const struct sim_type sim_fault_type = {
	.number = SIM_FAULT,
	.name = "fault",
	.prefix = "fault",
	.check = check,
	.untagged = true,
	.worldwide = true,
};

void sim_fault(struct sim *sim, struct sim_fault fault)
{
	struct sim_object *object;

	if (!sim_file_begin(sim))
		return;
	object = sim_create(sim, sim_region(sim, SLICE("")), SIM_FAULT, (struct slice){NULL, 0});
	node_put(&object->body, "action", fault.action);
	node_set(&object->body, "kind", kinds[fault.kind]);
	node_number(&object->body, "first", fault.first);
	node_number(&object->body, "count", fault.count);
	sim_commit(sim);
	sim_file_end(sim);
}

uint64_t sim_requests(const struct sim *sim, struct slice action)
{
	const uint64_t *count = map_get(&sim->request_counts, action);

	return count ? *count : 0;
}

static void count_request(struct sim *sim, struct slice action)
{
	uint64_t *count = map_get(&sim->request_counts, action);

	if (!count) {
		count = arena_new(&sim->lasting, uint64_t);
		map_set(&sim->request_counts, arena_copy(&sim->lasting, action), count);
	}
	++*count;
}

static bool hits(struct sim *sim, struct sim_object *fault, struct slice action)
{
	struct slice wanted = node_text(&fault->body, "action");

	if (fault->removed || (wanted.size > 0 && !sim_wildcard(wanted, action)))
		return false;
	int64_t seen = node_integer(&fault->body, "seen", 0) + 1;
	int64_t first = node_integer(&fault->body, "first", 1);
	int64_t count = node_integer(&fault->body, "count", 1);
	if (first < 1)
		first = 1;
	node_number(sim_edit(sim, fault), "seen", seen);
	return seen >= first && (count == 0 || seen < first + count);
}

bool sim_fault_take(struct sim *sim, struct slice action, enum sim_fault_kind *ret)
{
	const struct sim_table *table = &sim_region(sim, SLICE(""))->tables[SIM_FAULT];
	bool hit = false;

	count_request(sim, action);
	count_request(sim, SLICE("*"));
	for (size_t i = 0; i < table->count; i++) {
		if (!hits(sim, table->objects[i], action) || hit)
			continue;
		/* Not before: counting the hit may move the texts of the fault. */
		struct slice kind = node_text(&table->objects[i]->body, "kind");

		for (size_t at = 0; at < KIND_COUNT; at++) {
			if (slice_is(kind, kinds[at])) {
				*ret = (enum sim_fault_kind)at;
				hit = true;
			}
		}
	}
	return hit;
}

static void no_answer(struct sim_answer *answer, enum fault fault, const char *message)
{
	answer->answered = false;
	answer->status = 0;
	answer->fault = fault;
	(void)snprintf(answer->message, sizeof(answer->message), "%s", message);
}

static void html(struct sim_answer *answer)
{
	answer->answered = true;
	answer->status = 200;
	answer->content_type = "text/html";
	buffer_clear(&answer->body);
	(void)buffer_string(&answer->body, "<!DOCTYPE html>\n<html><head><title>Sign in</title><body>\n"
					   "<p>Please sign in to the network<br>\n</body></html>\n");
}

/* What each service says to one who may not, and to one who asks too often. */
static const struct {
	const char *denied, *throttled;
} codes[SIM_SERVICE_COUNT] = {
	[SIM_EC2] = {"UnauthorizedOperation", "RequestLimitExceeded"},
	[SIM_AUTOSCALING] = {"AccessDenied", "Throttling"},
	[SIM_STS] = {"AccessDenied", "Throttling"},
};

bool sim_fault_before(enum sim_fault_kind kind, struct sim_call *call, struct sim_answer *answer)
{
	switch (kind) {
	case SIM_FAULT_DENY:
		sim_fail(call, codes[call->service].denied, "You are not authorized to perform this operation.");
		return true;
	case SIM_FAULT_THROTTLE:
		sim_fail(call, codes[call->service].throttled, "Request limit exceeded.");
		return true;
	case SIM_FAULT_ERROR:
		sim_fail(call, call->service == SIM_EC2 ? "InternalError" : "InternalFailure",
			 "An internal error has occurred");
		return true;
	case SIM_FAULT_UNAVAILABLE:
		sim_fail(call, call->service == SIM_EC2 ? "Unavailable" : "ServiceUnavailable",
			 "The service is unavailable. Please try again shortly.");
		return true;
	case SIM_FAULT_UNSUPPORTED:
		sim_fail(call, "InvalidAction", "The action is not valid for this web service.");
		return true;
	case SIM_FAULT_REFUSED:
		no_answer(answer, FAULT_TRANSIENT, "connection refused");
		return true;
	case SIM_FAULT_LOST_REQUEST:
		no_answer(answer, FAULT_AMBIGUOUS, "no answer within the time allowed");
		answer->silent = true;
		return true;
	case SIM_FAULT_HTML:
		html(answer);
		return true;
	case SIM_FAULT_STALE:
		call->stale = true;
		return false;
	case SIM_FAULT_FAILS_LATER:
		call->fails_later = true;
		return false;
	case SIM_FAULT_LINGERS:
		call->lingers_ms = LINGERING_MS;
		return false;
	case SIM_FAULT_LOST_ANSWER:
	case SIM_FAULT_HALF_ANSWER:
	case SIM_FAULT_HUGE:
		return false;
	}
	return false;
}

void sim_fault_after(enum sim_fault_kind kind, struct sim_answer *answer)
{
	if (kind == SIM_FAULT_LOST_ANSWER)
		no_answer(answer, FAULT_AMBIGUOUS, "the connection was reset after the request was sent");
	if (kind == SIM_FAULT_HALF_ANSWER)
		answer->body.size /= 2;
	if (kind == SIM_FAULT_HUGE)
		no_answer(answer, FAULT_AMBIGUOUS, "the answer is larger than allowed");
}
