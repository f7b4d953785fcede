#include "providers/sim/sim_redfish.h"

#include <stdio.h>

#include "base/base64.h"
#include "base/json.h"
#include "providers/sim/sim_fault.h"
#include "providers/sim/sim_signature.h"
#include "providers/sim/sim_state.h"

/*
 * Baseboard controllers that speak Redfish (DMTF DSP0266, ComputerSystem schema): one
 * system each, "/redfish/v1/Systems/1". Reads are immediate; a change of power lands
 * seconds after it is accepted, as on real ones.
 */

enum {
	POWER_LEAST_MS = 1000,
	POWER_MOST_MS = 11 * 1000,
	SHUTDOWN_LEAST_MS = 10 * 1000, /* the operating system takes its time */
	SHUTDOWN_MOST_MS = 30 * 1000,
	BODY_MOST_BYTES = 64 << 10,
};

#define SYSTEMS "/redfish/v1/Systems"
#define SYSTEM SYSTEMS "/1"

static void tick(struct sim *sim, struct sim_object *machine)
{
	struct node *body = sim_edit(sim, machine);

	if (node_text(body, "_powerNext").size == 0)
		return;
	node_put(body, "power", node_text(body, "_powerNext"));
	node_drop(body, "_powerNext");
	/* A restart is two changes. */
	if (node_is(body, "_restart", "true")) {
		node_drop(body, "_restart");
		node_set(body, "_powerNext", "On");
		sim_schedule(sim, machine, sim_pace(sim, sim_random_between(sim, POWER_LEAST_MS, POWER_MOST_MS)));
	}
}

const struct sim_type sim_machine_type = {
	.number = SIM_MACHINE,
	.name = "machine",
	.tick = tick,
	.untagged = true,
	.worldwide = true,
};

struct exchange {
	struct sim *sim;
	struct sim_object *machine;
	struct arena *arena;
	const struct http_request *request;
	struct slice path; /* without a slash at its end */
	struct sim_answer *answer;
	struct buffer *out;
};

static void text_member(struct exchange *exchange, const char *name, struct slice text)
{
	(void)buffer_format(exchange->out, "\"%s\":", name);
	(void)json_write_string(exchange->out, text);
	(void)buffer_byte(exchange->out, ',');
}

static void fail(struct exchange *exchange, int status, const char *code, const char *message)
{
	exchange->answer->status = status;
	buffer_clear(exchange->out);
	(void)buffer_format(
		exchange->out,
		"{\"error\":{\"code\":\"Base.1.18.%s\",\"message\":\"%s\",\"@Message.ExtendedInfo\":[{"
		"\"@odata.type\":\"#Message.v1_2_1.Message\",\"MessageId\":\"Base.1.18.%s\",\"Message\":\"%s\","
		"\"Severity\":\"Critical\"}]}}",
		code, message, code, message);
}

static void get_versions(struct exchange *exchange)
{
	(void)buffer_string(exchange->out, "{\"v1\":\"/redfish/v1/\"}");
}

static void get_root(struct exchange *exchange)
{
	(void)buffer_string(exchange->out,
			    "{\"@odata.id\":\"/redfish/v1/\",\"@odata.type\":\"#ServiceRoot.v1_15_0.ServiceRoot\","
			    "\"Id\":\"RootService\",\"Name\":\"Root Service\",\"RedfishVersion\":\"1.15.0\","
			    "\"Systems\":{\"@odata.id\":\"" SYSTEMS "\"}}");
}

static void get_systems(struct exchange *exchange)
{
	(void)buffer_string(exchange->out, "{\"@odata.id\":\"" SYSTEMS "\",\"@odata.type\":\"#ComputerSystemCollection."
					   "ComputerSystemCollection\",\"Name\":\"Computer System Collection\","
					   "\"Members@odata.count\":1,\"Members\":[{\"@odata.id\":\"" SYSTEM "\"}]}");
}

static const char *power_state(const struct node *body)
{
	bool next_on = node_is(body, "_powerNext", "On"), next_off = node_is(body, "_powerNext", "Off");

	if (node_is(body, "power", "On"))
		return next_off ? "PoweringOff" : "On";
	return next_on ? "PoweringOn" : "Off";
}

static void get_system(struct exchange *exchange)
{
	const struct node *body = &exchange->machine->body;
	int64_t processors = node_integer(body, "processors", 1);

	(void)buffer_string(exchange->out, "{\"@odata.id\":\"" SYSTEM
					   "\",\"@odata.type\":\"#ComputerSystem.v1_20_0.ComputerSystem\",\"Id\":\"1\","
					   "\"Name\":\"System\",\"SystemType\":\"Physical\",");
	text_member(exchange, "Manufacturer", node_text(body, "manufacturer"));
	text_member(exchange, "Model", node_text(body, "model"));
	text_member(exchange, "SerialNumber", node_text(body, "serial"));
	text_member(exchange, "HostName", node_text(body, "host_name"));
	text_member(exchange, "PowerState", slice_of(power_state(body)));
	(void)buffer_format(exchange->out,
			    "\"Status\":{\"State\":\"Enabled\",\"Health\":\"OK\"},"
			    "\"MemorySummary\":{\"TotalSystemMemoryGiB\":%lld,\"Status\":{\"State\":\"Enabled\","
			    "\"Health\":\"OK\"}},\"ProcessorSummary\":{\"Count\":%lld,\"LogicalProcessorCount\":%lld,",
			    (long long)node_integer(body, "memory_gib", 0), (long long)processors,
			    (long long)node_integer(body, "threads", processors));
	text_member(exchange, "Model", node_text(body, "processor_model"));
	(void)buffer_string(exchange->out,
			    "\"Status\":{\"State\":\"Enabled\",\"Health\":\"OK\"}},"
			    "\"EthernetInterfaces\":{\"@odata.id\":\"" SYSTEM "/EthernetInterfaces\"},"
			    "\"Actions\":{\"#ComputerSystem.Reset\":{\"target\":\"" SYSTEM
			    "/Actions/ComputerSystem.Reset\","
			    "\"ResetType@Redfish.AllowableValues\":[\"On\",\"ForceOff\",\"GracefulShutdown\","
			    "\"GracefulRestart\",\"ForceRestart\",\"PowerCycle\",\"ForceOn\",\"PushPowerButton\"]}}}");
}

static void get_interfaces(struct exchange *exchange)
{
	size_t count = node_count(&exchange->machine->body, "macs");

	(void)buffer_format(exchange->out,
			    "{\"@odata.id\":\"" SYSTEM
			    "/EthernetInterfaces\",\"@odata.type\":\"#EthernetInterfaceCollection."
			    "EthernetInterfaceCollection\",\"Name\":\"Ethernet Interface Collection\","
			    "\"Members@odata.count\":%zu,\"Members\":[",
			    count);
	for (size_t i = 0; i < count; i++)
		(void)buffer_format(exchange->out, "%s{\"@odata.id\":\"" SYSTEM "/EthernetInterfaces/%zu\"}",
				    i ? "," : "", i + 1);
	(void)buffer_string(exchange->out, "]}");
}

static void get_interface(struct exchange *exchange)
{
	const struct node *macs = node_get(&exchange->machine->body, "macs");
	struct slice number = slice_from(exchange->path, strlen(SYSTEM "/EthernetInterfaces/"));
	int64_t index;

	if (!macs || !slice_integer(number, &index) || index < 1 || index > macs->count) {
		fail(exchange, 404, "ResourceMissingAtURI", "There is no such interface");
		return;
	}
	struct slice mac = node_slice(&macs->items[index - 1]);
	(void)buffer_format(exchange->out,
			    "{\"@odata.id\":\"" SYSTEM
			    "/EthernetInterfaces/%lld\",\"@odata.type\":\"#EthernetInterface."
			    "v1_9_0.EthernetInterface\",\"Id\":\"%lld\",\"Name\":\"Ethernet Interface %lld\",",
			    (long long)index, (long long)index, (long long)index);
	text_member(exchange, "MACAddress", mac);
	text_member(exchange, "PermanentMACAddress", mac);
	(void)buffer_string(exchange->out, "\"InterfaceEnabled\":true,\"SpeedMbps\":25000,\"LinkStatus\":\"LinkUp\","
					   "\"Status\":{\"State\":\"Enabled\",\"Health\":\"OK\"}}");
}

/* What each reset leads to. NULL: the other state than now. */
static const struct {
	const char *type, *power;
	bool restart, graceful;
} resets[] = {
	{"On", "On", false, false},	      {"ForceOn", "On", false, false},
	{"ForceOff", "Off", false, false},    {"GracefulShutdown", "Off", false, true},
	{"ForceRestart", "Off", true, false}, {"GracefulRestart", "Off", true, true},
	{"PowerCycle", "Off", true, false},   {"PushPowerButton", NULL, false, true},
};

static void set_power(struct exchange *exchange, size_t which)
{
	struct sim *sim = exchange->sim;
	struct node *body = sim_edit(sim, exchange->machine);
	bool on = node_is(body, "power", "On");
	const char *power = resets[which].power ? resets[which].power : on ? "Off" : "On";
	int64_t delay_ms = resets[which].graceful && on ? sim_random_between(sim, SHUTDOWN_LEAST_MS, SHUTDOWN_MOST_MS)
							: sim_random_between(sim, POWER_LEAST_MS, POWER_MOST_MS);

	exchange->answer->status = 204;
	node_drop(body, "_restart");
	node_drop(body, "_powerNext");
	if (node_is(body, "power", power) && !resets[which].restart)
		return;
	node_set(body, "_powerNext", power);
	if (resets[which].restart && on)
		node_set(body, "_restart", "true");
	else if (resets[which].restart)
		node_set(body, "_powerNext", "On");
	sim_schedule(sim, exchange->machine, sim_pace(sim, delay_ms));
}

static void post_reset(struct exchange *exchange)
{
	struct diagnostics diagnostics;
	struct value value = value_null();

	diagnostics_init(&diagnostics, exchange->arena);
	bool good = json_read(exchange->arena, exchange->request->body, false, BODY_MOST_BYTES, "the body", &value,
			      &diagnostics);
	diagnostics_release(&diagnostics);
	if (!good) {
		fail(exchange, 400, "MalformedJSON", "The request body is no valid JSON");
		return;
	}
	struct slice type = value_slice(value_get_named(&value, "ResetType"));
	for (size_t i = 0; i < sizeof(resets) / sizeof(resets[0]); i++) {
		if (slice_is(type, resets[i].type)) {
			set_power(exchange, i);
			return;
		}
	}
	fail(exchange, 400, type.size > 0 ? "ActionParameterNotSupported" : "ActionParameterMissing",
	     "The value of the parameter ResetType is not supported");
}

/* A path that ends in '/' stands for whatever follows it. */
static const struct {
	const char *method, *path;
	void (*run)(struct exchange *exchange);
	bool open; /* answers without a password */
} routes[] = {
	{"GET", "/redfish", get_versions, true},
	{"GET", "/redfish/v1", get_root, true},
	{"GET", SYSTEMS, get_systems, false},
	{"GET", SYSTEM, get_system, false},
	{"GET", SYSTEM "/EthernetInterfaces", get_interfaces, false},
	{"GET", SYSTEM "/EthernetInterfaces/", get_interface, false},
	{"POST", SYSTEM "/Actions/ComputerSystem.Reset", post_reset, false},
};

static bool path_fits(struct slice path, const char *wanted)
{
	size_t size = strlen(wanted);

	if (wanted[size - 1] == '/')
		return slice_starts_with(path, slice_of(wanted)) && path.size > size;
	return slice_is(path, wanted);
}

static bool is_authorised(const struct exchange *exchange)
{
	const struct node *body = &exchange->machine->body;
	struct slice given = sim_header(exchange->request, "Authorization"), decoded;

	if (!slice_starts_with(given, SLICE("Basic ")) ||
	    !base64_decode(exchange->arena, slice_from(given, 6), &decoded))
		return false;
	struct slice password = decoded, user = slice_cut(&password, ':');
	return slice_equal(user, node_text(body, "user")) && slice_equal(password, node_text(body, "password"));
}

static void route(struct exchange *exchange)
{
	bool known = false;

	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
		if (!path_fits(exchange->path, routes[i].path))
			continue;
		known = true;
		if (!routes[i].open && !is_authorised(exchange)) {
			exchange->answer->challenge = "Basic realm=\"Redfish\"";
			fail(exchange, 401, "NoValidSession",
			     "There is no valid session established with the implementation");
			return;
		}
		if (slice_is(exchange->request->method, routes[i].method)) {
			routes[i].run(exchange);
			return;
		}
	}
	if (known)
		fail(exchange, 405, "OperationNotAllowed", "The HTTP method is not allowed on this resource");
	else
		fail(exchange, 404, "ResourceMissingAtURI", "The resource at the URI was not found");
}

/* What a failed call of the fault table means here. */
static void fail_by_fault(struct exchange *exchange, enum sim_fault_kind kind)
{
	static const struct {
		enum sim_fault_kind kind;
		int status;
		const char *code;
	} table[] = {
		{SIM_FAULT_DENY, 403, "InsufficientPrivilege"},
		{SIM_FAULT_THROTTLE, 429, "ServiceTemporarilyUnavailable"},
		{SIM_FAULT_ERROR, 500, "InternalError"},
		{SIM_FAULT_UNAVAILABLE, 503, "ServiceTemporarilyUnavailable"},
		{SIM_FAULT_UNSUPPORTED, 501, "ActionNotSupported"},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].kind == kind)
			fail(exchange, table[i].status, table[i].code, "The request failed");
}

static struct sim_object *find_machine(struct sim *sim, struct slice host)
{
	struct sim_region *region = sim_region(sim, SLICE(""));
	struct slice rest = host, name;
	struct sim_object *machine = sim_find(region, SIM_MACHINE, host);

	if (machine)
		return machine;
	/* Without the port; a bracketed IPv6 address keeps its colons. */
	name = slice_starts_with(host, SLICE("[")) ? slice_cut(&rest, ']') : slice_cut(&rest, ':');
	return sim_find(region, SIM_MACHINE, name);
}

void sim_redfish_execute(struct sim *sim, struct arena *arena, const struct http_request *request, struct slice host,
			 struct slice path, struct sim_answer *answer)
{
	struct sim_object *machine = find_machine(sim, host);
	struct sim_call call = {.sim = sim};
	enum sim_fault_kind kind = SIM_FAULT_DENY;

	if (!machine) {
		answer->fault = FAULT_TRANSIENT;
		(void)snprintf(answer->message, sizeof(answer->message), "connection to %.*s refused",
			       (int)(host.size > 200 ? 200 : host.size), host.data);
		return;
	}
	while (path.size > 1 && slice_ends_with(path, SLICE("/")))
		path.size--;
	struct exchange exchange = {sim, machine, arena, request, path, answer, &answer->body};
	answer->answered = true;
	answer->status = 200;
	answer->content_type = "application/json";
	struct slice action = arena_format(arena, "%.*s %.*s", SLICE_ARGUMENTS(request->method), SLICE_ARGUMENTS(path));
	bool hit = sim_fault_take(sim, action, &kind);
	if (hit && sim_fault_before(kind, &call, answer)) {
		if (call.failed)
			fail_by_fault(&exchange, kind);
	} else {
		route(&exchange);
	}
	if (hit)
		sim_fault_after(kind, answer);
}
