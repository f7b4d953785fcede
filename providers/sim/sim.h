#ifndef TRUEUP_PROVIDERS_SIM_H
#define TRUEUP_PROVIDERS_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/http.h"
#include "base/slice.h"
#include "base/value.h"
#include "base/world.h"

/*
 * A simulated AWS (EC2, Auto Scaling, STS) and simulated baseboard controllers (Redfish).
 * It answers HTTP requests at the wire, on a clock of its own that is moved instead of
 * waited for. Written from the API's documentation, not from the provider's tables.
 */
struct sim;

/*
 * endpoint: "sim:" keeps everything in memory; "sim:FILE" keeps it in FILE, which several
 * processes may use, at once too. world is borrowed: its random seeds the simulator, and
 * its clocks are read here once and not again.
 */
__attribute__((warn_unused_result)) bool sim_open(const char *endpoint, struct world *world, struct sim **ret,
						  struct diagnostics *diagnostics);
/* Whether the file of such an endpoint is there, or it needs none; sim_open() makes one that is not. */
bool sim_is_there(const char *endpoint);
/* Whether a file that begins so is a simulated world, of whatever version. */
bool sim_is_world(struct slice first);
/* NULL is fine. Requests in flight are dropped without an answer. */
void sim_close(struct sim *sim);
/* For tests: everything random from here on follows from seed. */
void sim_seed(struct sim *sim, uint64_t seed);

/* Lives as long as sim. start() answers after a latency; wait() moves the clock. */
struct transport *sim_transport(struct sim *sim);

/* The virtual clocks, as in struct world. */
int64_t sim_boot_ms(const struct sim *sim);
int64_t sim_wall_ms(const struct sim *sim);
/* Moves both on; what falls due on the way happens. */
void sim_advance(struct sim *sim, int64_t ms);
/* The same by hand; false after a diagnostic where the file does not take it. */
__attribute__((warn_unused_result)) bool sim_pass(struct sim *sim, int64_t ms, struct diagnostics *diagnostics);

/*
 * The whole world: {region: {type: {id: {attribute: value}}}}, in order of creation;
 * what belongs to no region (machines, access keys, faults, settings) stands under "".
 * Attributes are named as the API's answers name them. Empty regions are left out.
 */
__attribute__((warn_unused_result)) bool sim_show(struct sim *sim, struct arena *arena, struct value *ret,
						  struct diagnostics *diagnostics);

/* Whether things of such a type can be; false after a diagnostic. */
__attribute__((warn_unused_result)) bool sim_type_check(struct slice name, struct diagnostics *diagnostics);

/*
 * By hand, behind the API's back: no checks, no lag, effective at once. region: empty for
 * what belongs to none, or where the id alone says which one is meant.
 *
 * sim_add:    a thing of type with these attributes, in a region unless its type belongs to none; id empty: one is made
 *             up, and given back in arena.
 * sim_change: sets attributes (a dotted name reaches inside: "tagSet.0.value"; null removes it).
 * sim_remove: takes it away without a trace.
 *
 * Types are named as in tag specifications: "vpc", "subnet", "internet-gateway", "route-table", "security-group",
 * "security-group-rule", "vpn-gateway", "customer-gateway", "vpn-connection", "key-pair", "launch-template",
 * "launch-template-version", "instance", "volume", "auto-scaling-group", "lifecycle-hook", "image"; an id may also be
 * the name of a key pair, a launch template or a group. Types beside the API's own: "machine" (id: its host name;
 * serial, model, manufacturer, power, memory_gib, processors, user, password, macs: a list), "access_key" (id; secret),
 * "fault" (action, kind, first, count: see struct sim_fault), "settings" (id "settings"; names in sim_setting.c).
 */
__attribute__((warn_unused_result)) bool sim_add(struct sim *sim, struct arena *arena, struct slice region,
						 struct slice type, struct slice id, const struct value *attributes,
						 struct slice *ret_id, struct diagnostics *diagnostics);
__attribute__((warn_unused_result)) bool sim_change(struct sim *sim, struct slice region, struct slice type,
						    struct slice id, const struct value *attributes,
						    struct diagnostics *diagnostics);
__attribute__((warn_unused_result)) bool sim_remove(struct sim *sim, struct slice region, struct slice type,
						    struct slice id, struct diagnostics *diagnostics);

/* What goes wrong, in the words that "kind" of a fault takes. */
enum sim_fault_kind {
	SIM_FAULT_DENY,		/* "deny": UnauthorizedOperation, AccessDenied */
	SIM_FAULT_THROTTLE,	/* "throttle": RequestLimitExceeded, Throttling */
	SIM_FAULT_ERROR,	/* "error": HTTP 500 InternalError */
	SIM_FAULT_UNAVAILABLE,	/* "unavailable": HTTP 503 ServiceUnavailable */
	SIM_FAULT_REFUSED,	/* "refused": the connection is refused, nothing was sent */
	SIM_FAULT_LOST_REQUEST, /* "lost_request": sent, never executed, no answer */
	SIM_FAULT_LOST_ANSWER,	/* "lost_answer": executed, no answer */
	SIM_FAULT_HALF_ANSWER,	/* "half_answer": executed, the body breaks off but looks complete */
	SIM_FAULT_HTML,		/* "html": not executed, a proxy's HTML page with status 200 */
	SIM_FAULT_STALE,	/* "stale": a call that does not see what was made in the last minute */
	SIM_FAULT_HUGE,		/* "huge": an answer past the caller's limit */
	SIM_FAULT_FAILS_LATER,	/* "fails_later": accepted, and given up before it is ready: RunInstances and
				 * CreateVpnConnection */
	SIM_FAULT_LINGERS,	/* "lingers": accepted, and ready 40 minutes later than usual: the same two */
	SIM_FAULT_UNSUPPORTED,	/* "unsupported": the endpoint does not know the action */
};

struct sim_fault {
	struct slice action; /* "CreateVpc"; "GET /redfish/v1/Systems" for a machine; "*" for all */
	enum sim_fault_kind kind;
	uint32_t first; /* from this occurrence on, counted from 1 after the fault is set */
	uint32_t count; /* so many occurrences; 0: for ever */
};

void sim_fault(struct sim *sim, struct sim_fault fault);
/* Requests of that action executed or refused so far ("*": all). */
uint64_t sim_requests(const struct sim *sim, struct slice action);

#endif
