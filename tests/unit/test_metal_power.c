#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support_metal.h"

#include "base/json.h"

/* What is done to machines: their power, on a clock of its own, and nothing else. */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A machine whose power changes as a row says, on a clock of its own. */
struct power_row {
	const char *name;
	const char *before, *wanted; /* "Off"; "on" */
	int64_t graceful_ms;	     /* from asking gently until it is so; 0: never */
	int64_t firm_ms;	     /* from asking otherwise; 0: never */
	const char *types;	     /* JSON list of what it allows, or NULL */
	const char *info;	     /* what it says of the action on a page of its own, or NULL: it names none */
	int first_status;	     /* answers the first request, which then has no effect unless it is 204; 0: 204 */
	const char *refused;	     /* types that are always refused, each between blanks */
	int refused_status;	     /* how; 0: 400 */
	const char *body;	     /* of an answer that accepts; NULL: it has none */
	int deaf_status;	     /* answers looks for 20 s from the first request on; 0: 200 */
	bool absolute;		     /* its links name the controller too */
	bool lost;		     /* no answer to the first request, which has its effect */
	bool called_off;	     /* the first request was refused until it was too late for it */
	const char *then;	     /* outputs that tell who it is, or NULL: none */
	const char *since;	     /* what its page tells from the first request on, with a comma; NULL: as little */
	const char *read;	     /* outputs, where it is read as a whole; NULL: it cannot be */
	const char *model;	     /* that the spec describes, or NULL */
	int64_t begun_ms;	     /* a run before has asked, nothing is planned, and it ends in so long; 0: not so */
	const char *ends;	     /* as what, or NULL: as wanted */
	const char *asked;	     /* types that were asked for */
	bool done;
	const char *message; /* part of the first error */
};

#define DISABLED "{\"error\":{\"code\":\"Base.1.0.GeneralError\",\"message\":\"Power button disabled\"}}"

static const struct power_row power_rows[] = {
	{.name = "on", .before = "Off", .wanted = "on", .graceful_ms = 9000, .asked = "On ", .done = true},
	{.name = "on, by links with its own address",
	 .before = "Off",
	 .wanted = "on",
	 .graceful_ms = 9000,
	 .absolute = true,
	 .info = "{}",
	 .asked = "On ",
	 .done = true},
	{.name = "on already", .before = "On", .wanted = "on", .asked = "", .done = true},
	{.name = "off by itself",
	 .before = "On",
	 .wanted = "off",
	 .graceful_ms = 100000,
	 .asked = "GracefulShutdown ",
	 .done = true},
	{.name = "off by force",
	 .before = "On",
	 .wanted = "off",
	 .firm_ms = 1000,
	 .asked = "GracefulShutdown ForceOff ",
	 .done = true},
	{.name = "no kind way",
	 .before = "On",
	 .wanted = "off",
	 .firm_ms = 1000,
	 .types = "[\"On\",\"ForceOff\"]",
	 .asked = "ForceOff ",
	 .done = true},
	{.name = "no kind way, as a page of its own tells",
	 .before = "On",
	 .wanted = "off",
	 .firm_ms = 1000,
	 .info = "{\"Parameters\":[{\"Name\":\"Delay\",\"AllowableValues\":[\"GracefulShutdown\"]},"
		 "{\"Name\":\"ResetType\",\"AllowableValues\":[\"On\",\"ForceOff\"]}]}",
	 .asked = "ForceOff ",
	 .done = true},
	{.name = "a page that is none",
	 .before = "On",
	 .wanted = "off",
	 .graceful_ms = 1000,
	 .info = "[",
	 .asked = "GracefulShutdown ",
	 .done = true},
	{.name = "no way at all",
	 .before = "On",
	 .wanted = "off",
	 .types = "[\"On\"]",
	 .asked = "",
	 .done = false,
	 .message = "offers no way to turn it off"},
	{.name = "a lost answer",
	 .before = "Off",
	 .wanted = "on",
	 .graceful_ms = 5000,
	 .lost = true,
	 .asked = "On ",
	 .done = true},
	{.name = "a lost request",
	 .before = "Off",
	 .wanted = "on",
	 .graceful_ms = 5000,
	 .first_status = 500,
	 .asked = "On On ",
	 .done = true},
	{.name = "busy at first",
	 .before = "Off",
	 .wanted = "on",
	 .graceful_ms = 5000,
	 .first_status = 409,
	 .asked = "On On ",
	 .done = true},
	{.name = "deaf while it starts",
	 .before = "Off",
	 .wanted = "on",
	 .graceful_ms = 5000,
	 .deaf_status = 503,
	 .asked = "On ",
	 .done = true},
	{.name = "empty while it starts",
	 .before = "Off",
	 .wanted = "on",
	 .graceful_ms = 5000,
	 .deaf_status = 404,
	 .asked = "On ",
	 .done = true},
	{.name = "denied from then on",
	 .before = "Off",
	 .wanted = "on",
	 .graceful_ms = 5000,
	 .deaf_status = 401,
	 .asked = "On ",
	 .done = false,
	 .message = "HTTP 401"},
	{.name = "refused",
	 .before = "Off",
	 .wanted = "on",
	 .refused = " On ForceOn ",
	 .asked = "On On ForceOn ",
	 .done = false,
	 .message = "'metal.machine.m' was not turned on: HTTP 400"},
	{.name = "refused, and no other way",
	 .before = "On",
	 .wanted = "off",
	 .types = "[\"On\",\"GracefulShutdown\"]",
	 .refused = " GracefulShutdown ",
	 .asked = "GracefulShutdown ",
	 .done = false,
	 .message = "'metal.machine.m' was not turned off: HTTP 400"},
	{.name = "off by force, where the kind way is refused",
	 .before = "On",
	 .wanted = "off",
	 .firm_ms = 1000,
	 .refused = " GracefulShutdown ",
	 .asked = "GracefulShutdown GracefulShutdown GracefulShutdown GracefulShutdown GracefulShutdown ForceOff ",
	 .done = true},
	{.name = "off by itself, once its system hears",
	 .before = "On",
	 .wanted = "off",
	 .graceful_ms = 1000,
	 .first_status = 400,
	 .asked = "GracefulShutdown GracefulShutdown ",
	 .done = true},
	{.name = "denied",
	 .before = "Off",
	 .wanted = "on",
	 .first_status = 403,
	 .asked = "On ",
	 .done = false,
	 .message = "could not change the power through "
		    "https://10.0.0.5/redfish/v1/Systems/1/Actions/ComputerSystem.Reset: "
		    "HTTP 403"},
	{.name = "on its way", .before = "PoweringOff", .wanted = "off", .begun_ms = 60000, .asked = "", .done = true},
	{.name = "on its way, and deaf meanwhile",
	 .before = "PoweringOff",
	 .wanted = "off",
	 .begun_ms = 60000,
	 .deaf_status = 503,
	 .asked = "",
	 .done = true},
	{.name = "on its way, and back",
	 .before = "PoweringOff",
	 .wanted = "off",
	 .begun_ms = 60000,
	 .ends = "On",
	 .asked = "",
	 .message = "was not turned off: its controller still says On"},
	{.name = "on its way for ever",
	 .before = "PoweringOff",
	 .wanted = "off",
	 .begun_ms = INT64_MAX / 2,
	 .asked = "",
	 .message = "was not turned off: its controller still says PoweringOff"},
	{.name = "accepted with an error, and off by itself: not asked again",
	 .before = "On",
	 .wanted = "off",
	 .graceful_ms = 100000,
	 .body = DISABLED,
	 .asked = "GracefulShutdown ",
	 .done = true},
	{.name = "accepted with an error, and never",
	 .before = "Off",
	 .wanted = "on",
	 .body = DISABLED,
	 .message = "was not turned on: its controller still says Off; the last request came to: HTTP 200, and yet an "
		    "error: "
		    "Power button disabled"},
	{.name = "busy, and never",
	 .before = "Off",
	 .wanted = "on",
	 .refused = " On ForceOn ",
	 .refused_status = 409,
	 .message = "its controller still says Off; the last request came to: HTTP 409"},
	{.name = "called off",
	 .before = "Off",
	 .wanted = "on",
	 .graceful_ms = 5000,
	 .called_off = true,
	 .asked = "On On ",
	 .done = true},
	{.name = "called off, and another machine since",
	 .before = "Off",
	 .wanted = "on",
	 .graceful_ms = 5000,
	 .called_off = true,
	 .then = "{\"serial\":\"SN1\"}",
	 .since = "\"SerialNumber\":\"SN2\",",
	 .asked = "On ",
	 .message = "'metal.machine.m' was not turned on: another machine is in its place by now, whose 'serial' is "
		    "\"SN2\", not \"SN1\""},
	{.name = "refused, and another machine since",
	 .before = "Off",
	 .wanted = "on",
	 .graceful_ms = 5000,
	 .first_status = 400,
	 .then = "{\"serial\":\"SN1\",\"uuid\":\"u1\"}",
	 .since = "\"SerialNumber\":\"SN1\",\"UUID\":\"u2\",",
	 .asked = "On ",
	 .message = "another machine is in its place by now, whose 'uuid' is \"u2\", not \"u1\""},
	{.name = "taken, and another machine since",
	 .before = "On",
	 .wanted = "off",
	 .then = "{\"serial\":\"SN1\"}",
	 .since = "\"SerialNumber\":\"SN2\",",
	 .asked = "GracefulShutdown ",
	 .message = "another machine is in its place by now"},
	{.name = "another machine since, which is so",
	 .before = "Off",
	 .wanted = "on",
	 .graceful_ms = 1000,
	 .then = "{\"serial\":\"SN1\"}",
	 .since = "\"SerialNumber\":\"SN2\",",
	 .asked = "On ",
	 .message = "another machine is in its place by now"},
	{.name = "the same machine, in other letters",
	 .before = "Off",
	 .wanted = "on",
	 .graceful_ms = 1000,
	 .first_status = 409,
	 .then = "{\"uuid\":\"u1\"}",
	 .since = "\"UUID\":\"U1\",",
	 .asked = "On On ",
	 .done = true},
	{.name = "a page that tells it no more, and it is so",
	 .before = "Off",
	 .wanted = "on",
	 .graceful_ms = 1000,
	 .then = "{\"serial\":\"SN1\"}",
	 .asked = "On ",
	 .done = true},
	{.name = "a page that tells it no more, and the same machine",
	 .before = "Off",
	 .wanted = "on",
	 .graceful_ms = 1000,
	 .first_status = 409,
	 .then = "{\"macs\":[\"00:5c:52:31:3a:9c\"]}",
	 .read = "{\"macs\":[\"00:5c:52:31:3a:9c\"]}",
	 .asked = "On On ",
	 .done = true},
	{.name = "a page that tells it no more, and another machine",
	 .before = "Off",
	 .wanted = "on",
	 .graceful_ms = 1000,
	 .first_status = 409,
	 .then = "{\"macs\":[\"00:5c:52:31:3a:9c\"]}",
	 .read = "{\"macs\":[\"00:5c:52:31:3a:9d\"]}",
	 .asked = "On ",
	 .message = "another machine is in its place by now, whose 'macs' is [\"00:5c:52:31:3a:9d\"], not "
		    "[\"00:5c:52:31:3a:9c\"]"},
	{.name = "nothing tells it any more",
	 .before = "Off",
	 .wanted = "on",
	 .graceful_ms = 1000,
	 .first_status = 409,
	 .then = "{\"serial\":\"SN1\"}",
	 .read = "{}",
	 .asked = "On ",
	 .message = "was not turned on: nothing tells now that it is the same machine"},
	{.name = "it can be read no more",
	 .before = "Off",
	 .wanted = "on",
	 .graceful_ms = 1000,
	 .first_status = 409,
	 .then = "{\"serial\":\"SN1\"}",
	 .asked = "On ",
	 .message = "was not turned on: nothing tells now that it is the same machine"},
	{.name = "another model than is described, since",
	 .before = "Off",
	 .wanted = "on",
	 .graceful_ms = 1000,
	 .first_status = 409,
	 .since = "\"Model\":\"M2\",",
	 .model = "M1",
	 .asked = "On ",
	 .message = "has model 'M2', but the spec says 'M1'"},
	{.name = "never",
	 .before = "Off",
	 .wanted = "on",
	 .done = false,
	 .message = "was not turned on: its controller still says Off"},
};

enum { DEAF_MS = 20000 };

struct machine {
	const struct power_row *row;
	int64_t now_ms;
	int64_t lands_ms; /* 0: nothing is under way */
	int64_t hears_ms; /* deaf until then */
	size_t resets;
	char asked[512];
};

static const char *power_of(const struct machine *machine)
{
	if (machine->lands_ms && machine->now_ms >= machine->lands_ms)
		return machine->row->ends ? machine->row->ends : strcmp(machine->row->wanted, "on") == 0 ? "On" : "Off";
	return machine->row->before;
}

#define INFO_PATH "/redfish/v1/Systems/1/ResetActionInfo"

static struct http_response get_system(struct metal_fixture *fixture, const struct machine *machine)
{
	const char *types = machine->row->types;
	bool deaf = machine->row->deaf_status && machine->now_ms < machine->hears_ms;
	const char *base = machine->row->absolute ? "https://10.0.0.5" : "";
	struct slice info = arena_format(&fixture->arena, ",\"@Redfish.ActionInfo\":\"%s" INFO_PATH "\"", base);
	struct slice body =
		arena_format(&fixture->arena,
			     "{%s\"PowerState\":\"%s\",\"Actions\":{\"#ComputerSystem.Reset\":{\"target\":"
			     "\"%s/redfish/v1/Systems/1/Actions/ComputerSystem.Reset\"%s%s%s}}}",
			     machine->resets > 0 && machine->row->since ? machine->row->since : "", power_of(machine),
			     base, types ? ",\"ResetType@Redfish.AllowableValues\":" : "", types ? types : "",
			     machine->row->info ? info.data : "");

	return (struct http_response){.answered = true, .status = deaf ? machine->row->deaf_status : 200, .body = body};
}

static struct http_response post_reset(struct metal_fixture *fixture, struct machine *machine, struct slice body)
{
	const struct power_row *row = machine->row;
	struct value request = metal_json(fixture, arena_string(&fixture->arena, body));
	const char *type = arena_string(&fixture->arena, value_slice(value_get_named(&request, "ResetType")));
	bool firm = strcmp(type, "ForceOff") == 0 || strcmp(type, "ForceOn") == 0;
	int64_t takes_ms = firm ? row->firm_ms : row->graceful_ms;
	bool first = machine->resets++ == 0;

	size_t used = strlen(machine->asked);
	snprintf(machine->asked + used, sizeof(machine->asked) - used, "%s ", type);
	machine->hears_ms = machine->now_ms + DEAF_MS;
	const char *word = arena_text(&fixture->arena, " %s ", type);
	if (row->refused && strstr(row->refused, word))
		return (struct http_response){.answered = true,
					      .status = row->refused_status ? row->refused_status : 400,
					      .body = SLICE("{}")};
	if (first && row->first_status)
		return (struct http_response){.answered = true, .status = row->first_status, .body = SLICE("{}")};
	if (takes_ms)
		machine->lands_ms = machine->now_ms + takes_ms;
	if (first && row->lost)
		return (struct http_response){.fault = FAULT_AMBIGUOUS, .message = SLICE("cut off")};
	return (struct http_response){.answered = true, .status = row->body ? 200 : 204, .body = slice_of(row->body)};
}

static void read_whole(struct metal_fixture *fixture, struct work *work, const struct power_row *row)
{
	work->now = (struct live){.presence = PRESENCE_UNREAD, .unread_reason = SLICE("connection refused")};
	if (row->read)
		work->now = (struct live){.presence = PRESENCE_PRESENT,
					  .fields = metal_json(fixture, "{}"),
					  .outputs = metal_json(fixture, row->read)};
}

static enum step run_work(struct metal_fixture *fixture, struct work *work, struct machine *machine)
{
	enum step step = metal_advance(work, NULL);

	for (int i = 0; i < 10000 && (step == STEP_CALL || step == STEP_SLEEP || step == STEP_READ); i++) {
		struct http_request request;
		struct http_response response;
		struct answer answer;

		if (step == STEP_SLEEP) {
			assert_true(work->task.wake_ms > machine->now_ms);
			machine->now_ms = work->task.now_ms = work->task.wake_ms;
			step = metal_advance(work, NULL);
			continue;
		}
		if (step == STEP_READ) {
			read_whole(fixture, work, machine->row);
			step = metal_advance(work, NULL);
			continue;
		}
		assert_true(metal_prepare(&work->task.call, 0, &fixture->arena, &request, &fixture->diagnostics));
		if (slice_is(request.method, "GET")) {
			assert_false(work->task.call.mutating);
			bool asks_info = slice_is(request.url, "https://10.0.0.5" INFO_PATH);
			assert_true(asks_info || slice_is(request.url, "https://10.0.0.5/redfish/v1/Systems/1"));
			response = get_system(fixture, machine);
			if (asks_info)
				response.body = slice_of(machine->row->info);
		} else {
			assert_true(work->task.call.mutating);
			assert_int_equal(work->task.call.recipe, RECIPE_CONVERGE);
			response = post_reset(fixture, machine, request.body);
			if (machine->row->called_off && machine->resets == 1) {
				machine->lands_ms = 0;
				step = metal_advance(work, NULL);
				continue;
			}
		}
		metal_interpret(&work->task.call, &response, &fixture->arena, &answer);
		step = metal_advance(work, &answer);
	}
	return step;
}

static const struct json_style style = {.clear = false};

/* The work of a machine that is to be `wanted`; its record is object. */
static struct work work_of(struct metal_fixture *fixture, struct object *object, const struct value *desired,
			   const struct change *changes, size_t change_count)
{
	*object = (struct object){.address = SLICE("metal.machine.m")};
	return (struct work){
		.session = &fixture->session.session,
		.kind = &metal_machine,
		.phase = PHASE_MAKE,
		.desired = desired,
		.changes = changes,
		.change_count = change_count,
		.keep = &fixture->arena,
		.style = &style,
		.deadline_ms = 30 * 60 * 1000,
		.has_now = true,
		.now = {.presence = PRESENCE_PRESENT,
			.provider_id = SLICE("https://10.0.0.5/redfish/v1/Systems/1"),
			.fields = metal_json(fixture, "{\"serial\":\"SN1\",\"power\":\"off\"}"),
			.outputs = metal_json(fixture, "{\"system\":\"/redfish/v1/Systems/1\",\"power\":\"off\"}")},
		.task = {.diagnostics = &fixture->diagnostics, .object = object, .now_ms = 1000},
	};
}

static void test_power(void **state)
{
	struct metal_fixture *fixture = *state;
	const struct change change = {.field = field_named(&metal_machine.fields, SLICE("power")),
				      .effect = EFFECT_SET};

	for (size_t i = 0; i < COUNT(power_rows); i++) {
		const struct power_row *row = &power_rows[i];
		struct machine machine = {.row = row, .now_ms = 1000};
		struct value_member members[] = {
			{value_text("controller"), value_text("https://10.0.0.5")},
			{value_text("power"), value_text(row->wanted)},
			{value_text("model"), value_text(row->model ? row->model : "")},
		};
		struct value desired = value_map(members, row->model ? 3 : 2);
		struct object object;
		struct work work = work_of(fixture, &object, &desired, &change, row->begun_ms ? 0 : 1);

		if (row->begun_ms) {
			machine.lands_ms = machine.now_ms + row->begun_ms;
			machine.hears_ms = machine.now_ms + DEAF_MS;
			work.now.readiness = READY_PENDING;
		}
		if (row->model)
			work.now.fields =
				value_with(&work.now.fields, SLICE("model"), value_text(row->model), &fixture->arena);
		if (row->then) {
			const struct value then = metal_json(fixture, row->then);
			work.now.outputs = value_overlaid(&work.now.outputs, &then, &fixture->arena);
		}
		arena_init(&work.task.scratch);
		enum step step = run_work(fixture, &work, &machine);
		arena_release(&work.task.scratch);
		if (step != (row->done ? STEP_DONE : STEP_FAILED) ||
		    (row->asked && strcmp(machine.asked, row->asked) != 0))
			fail_msg("%s: step %d, asked %s, '%s'", row->name, (int)step, machine.asked,
				 metal_first_message(fixture));
		if (row->message && !strstr(metal_first_message(fixture), row->message))
			fail_msg("%s: '%s'", row->name, metal_first_message(fixture));
		if (row->done) {
			assert_true(slice_is(value_slice(value_get_named(&work.now.fields, "power")), row->wanted));
			assert_true(slice_is(value_slice(value_get_named(&work.now.outputs, "power")), row->wanted));
			assert_true(slice_is(object.provider_id, "https://10.0.0.5/redfish/v1/Systems/1"));
			assert_true(work.task.record_changed);
		}
		assert_true(machine.now_ms <= work.deadline_ms + 60000);
		metal_forget(fixture);
	}
}

static void test_nothing_unplanned_is_done(void **state)
{
	static const struct {
		const char *name, *desired;
		enum phase phase;
		bool has_now, creating;
		enum step step;
		const char *message; /* NULL: none */
		const char *ignored; /* a field, or NULL */
	} rows[] = {
		{"power that was not planned", "{\"controller\":\"https://10.0.0.5\",\"power\":\"on\"}", PHASE_MAKE,
		 true, false, STEP_DONE, NULL, NULL},
		{"not read yet", "{\"controller\":\"https://10.0.0.5\"}", PHASE_MAKE, false, false, STEP_READ, NULL,
		 NULL},
		{"the machine described", "{\"controller\":\"https://10.0.0.5\",\"serial\":\"SN1\"}", PHASE_MAKE, true,
		 true, STEP_DONE, NULL, NULL},
		{"another machine", "{\"controller\":\"https://10.0.0.5\",\"serial\":\"SN2\"}", PHASE_MAKE, true, true,
		 STEP_FAILED, "'metal.machine.m' has serial 'SN1', but the spec says 'SN2'", NULL},
		{"another machine, which is of no matter", "{\"controller\":\"https://10.0.0.5\",\"serial\":\"SN2\"}",
		 PHASE_MAKE, true, true, STEP_DONE, NULL, "serial"},
		{"deleted", "{}", PHASE_DELETE, true, false, STEP_DONE, NULL, NULL},
		{"unsettled", "{}", PHASE_UNSETTLE, false, false, STEP_DONE, NULL, NULL},
	};
	struct metal_fixture *fixture = *state;
	/* Another machine in its place has another id: a change of an output, and of no field. */
	const struct change moved = {.path = SLICE("id"), .effect = EFFECT_SHOW};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct value desired = metal_json(fixture, rows[i].desired);
		struct slice ignored = slice_of(rows[i].ignored);
		struct object object;
		struct work work = work_of(fixture, &object, &desired, &moved, 1);

		work.phase = rows[i].phase;
		work.has_now = rows[i].has_now;
		work.creating = rows[i].creating;
		/* Somebody has turned it off a moment ago: that is not waited for either. */
		work.now.readiness = READY_PENDING;
		work.ignored = &ignored;
		work.ignored_count = rows[i].ignored ? 1 : 0;
		arena_init(&work.task.scratch);
		enum step step = metal_advance(&work, NULL);
		arena_release(&work.task.scratch);
		if (step != rows[i].step || (rows[i].message != NULL) != (fixture->diagnostics.count > 0))
			fail_msg("%s: step %d, '%s'", rows[i].name, (int)step, metal_first_message(fixture));
		if (rows[i].message && !strstr(metal_first_message(fixture), rows[i].message))
			fail_msg("%s: '%s'", rows[i].name, metal_first_message(fixture));
		if (work.task.record_removed != (step == STEP_FAILED && rows[i].creating))
			fail_msg("%s: the record", rows[i].name);
		metal_forget(fixture);
	}
}

static void test_an_unread_machine_is_left_alone(void **state)
{
	struct metal_fixture *fixture = *state;
	struct value desired = metal_json(fixture, METAL_AT);
	struct object object;
	struct work work = work_of(fixture, &object, &desired, NULL, 0);

	work.now = (struct live){.presence = PRESENCE_UNREAD, .unread_reason = SLICE("connection refused")};
	assert_int_equal(metal_advance(&work, NULL), STEP_FAILED);
	assert_string_equal(metal_first_message(fixture), "'metal.machine.m' could not be read: connection refused");
	assert_false(work.task.record_removed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		METAL_TEST(test_power),
		METAL_TEST(test_nothing_unplanned_is_done),
		METAL_TEST(test_an_unread_machine_is_left_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
