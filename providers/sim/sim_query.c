#include <stdarg.h>
#include <stdio.h>

#include "providers/sim/sim_call.h"
#include "providers/sim/sim_query.h"

/* The EC2 and query protocols: a form in, the action run, XML out. */

static const struct {
	const char *version;
	const char *space;
} services[SIM_SERVICE_COUNT] = {
	[SIM_EC2] = {"2016-11-15", "http://ec2.amazonaws.com/doc/2016-11-15/"},
	[SIM_AUTOSCALING] = {"2011-01-01", "http://autoscaling.amazonaws.com/doc/2011-01-01/"},
	[SIM_STS] = {"2011-06-15", "https://sts.amazonaws.com/doc/2011-06-15/"},
};

/* EC2's errors are 400 but for these (its page "Error codes"); the query services name their own. */
static const struct {
	const char *code;
	int status;
} statuses[] = {
	{"AuthFailure", 401},
	{"UnauthorizedOperation", 403},
	{"AccessDenied", 403},
	{"InvalidClientTokenId", 403},
	{"SignatureDoesNotMatch", 403},
	{"MissingAuthenticationToken", 403},
	{"DryRunOperation", 412},
	{"RequestEntityTooLarge", 413},
	{"InternalError", 500},
	{"InternalFailure", 500},
	{"ResourceContention", 500},
	{"RequestLimitExceeded", 503},
	{"InsufficientInstanceCapacity", 500},
	{"ServiceUnavailable", 503},
	{"Unavailable", 503},
};

struct action_entry {
	const struct sim_action *action;
	const struct sim_shape *shape; /* read when first needed */
};

static struct slice entry_key(struct arena *arena, enum sim_service service, struct slice name)
{
	return arena_format(arena, "%d%.*s", (int)service, SLICE_ARGUMENTS(name));
}

void sim_actions_index(struct sim *sim)
{
	for (const struct sim_family *const *family = sim_families; *family; family++) {
		for (size_t i = 0; i < (*family)->count; i++) {
			struct action_entry *entry = arena_new(&sim->lasting, struct action_entry);

			entry->action = &(*family)->actions[i];
			map_set(&sim->actions,
				entry_key(&sim->lasting, (*family)->service, slice_of(entry->action->name)), entry);
		}
	}
}

void sim_fail(struct sim_call *call, const char *code, const char *format, ...)
{
	va_list arguments;

	if (call->failed)
		return;
	call->failed = true;
	call->code = code;
	va_start(arguments, format);
	(void)vsnprintf(call->message, sizeof(call->message), format, arguments);
	va_end(arguments);
}

bool sim_given(const struct sim_call *call, const char *name)
{
	return node_get(&call->request, name) != NULL;
}

struct slice sim_text(const struct sim_call *call, const char *name)
{
	return node_text(&call->request, name);
}

bool sim_truth(struct slice text)
{
	return slice_is(text, "true") || slice_is(text, "True") || slice_is(text, "1");
}

bool sim_flag(const struct sim_call *call, const char *name, bool otherwise)
{
	return sim_given(call, name) ? sim_truth(sim_text(call, name)) : otherwise;
}

int64_t sim_number(const struct sim_call *call, const char *name, int64_t otherwise)
{
	return node_integer(&call->request, name, otherwise);
}

void sim_fail_about(struct sim_call *call, const char *code, const char *message, struct slice what)
{
	const char *hole = strstr(message, "%s");

	sim_fail(call, code, "%.*s%.*s%s", (int)(hole ? hole - message : 0), message, SLICE_ARGUMENTS(what),
		 hole ? hole + 2 : message);
}

void sim_absent(struct sim_call *call, const struct sim_type *type, struct slice id)
{
	struct slice prefix = slice_of(type->prefix);
	bool well_formed = prefix.size == 0 ||
			   (slice_starts_with(id, prefix) && id.size > prefix.size + 1 && id.data[prefix.size] == '-');

	for (size_t i = prefix.size + 1; prefix.size > 0 && well_formed && i < id.size; i++)
		well_formed = strchr("0123456789abcdef", id.data[i]) != NULL;
	if (!well_formed && type->malformed_code) {
		sim_fail(call, type->malformed_code, "Invalid id: \"%.*s\" (expecting \"%s-...\")", SLICE_ARGUMENTS(id),
			 type->prefix);
		return;
	}
	sim_fail_about(call, type->absent_code, type->absent_message, id);
}

bool sim_is_unseen(const struct sim_call *call, const struct sim_object *object)
{
	enum { STALE_MS = 60 * 1000 };

	return call->stale && object->created_ms > call->sim->now_ms - STALE_MS;
}

struct sim_object *sim_need_id(struct sim_call *call, enum sim_type_number type, struct slice id)
{
	struct sim_object *object = sim_find(call->region, type, id);
	bool hidden = object && sim_setting(call->sim, SIM_SETTING_LAG_CALLS) && !object->dirty &&
		      !sim_listed(call->sim, object);

	if (object && !hidden && !sim_is_unseen(call, object))
		return object;
	sim_absent(call, sim_types[type], id);
	return NULL;
}

struct sim_object *sim_need(struct sim_call *call, enum sim_type_number type, const char *parameter)
{
	return sim_need_id(call, type, sim_text(call, parameter));
}

bool sim_within_quota(struct sim_call *call, enum sim_type_number type, enum sim_setting quota, const char *code,
		      const char *noun)
{
	const struct sim_table *table = &call->region->tables[type];
	int64_t count = (int64_t)sim_table_count(call->region, type), most = sim_setting(call->sim, quota);

	if (count < most)
		return true;
	for (size_t i = 0; sim_types[type]->gone && i < table->count; i++)
		count -= !table->objects[i]->removed && sim_types[type]->gone(table->objects[i]);
	if (count < most)
		return true;
	sim_fail(call, code, "The maximum number of %s has been reached.", noun);
	return false;
}

static void make_request_id(struct sim_call *call)
{
	static const char form[] = "xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx";
	char digits[33];
	size_t next = 0;

	_Static_assert(sizeof(form) == sizeof(call->id), "a request id has that form");
	sim_random_hex(call->sim, digits, 32);
	memcpy(call->id, form, sizeof(form));
	for (size_t i = 0; form[i]; i++) {
		if (form[i] == 'x')
			call->id[i] = digits[next];
		next += form[i] != '-';
	}
}

static void begin_answer(struct sim_call *call, const char *suffix)
{
	(void)buffer_string(call->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<");
	(void)buffer_string(call->out, call->action->name);
	(void)buffer_string(call->out, suffix);
	(void)buffer_string(call->out, " xmlns=\"");
	(void)buffer_string(call->out, services[call->service].space);
	(void)buffer_string(call->out, "\">");
}

static void run_action(struct sim_call *call)
{
	const char *name = call->action->name;

	begin_answer(call, "Response");
	if (call->service == SIM_EC2) {
		sim_out_string(call, "requestId", call->id);
		call->action->run(call);
	} else {
		(void)buffer_format(call->out, "<%sResult>", name);
		call->action->run(call);
		(void)buffer_format(call->out, "</%sResult>", name);
		sim_out_open(call, "ResponseMetadata");
		sim_out_string(call, "RequestId", call->id);
		sim_out_close(call, "ResponseMetadata");
	}
	(void)buffer_string(call->out, "</");
	(void)buffer_string(call->out, name);
	(void)buffer_string(call->out, "Response>");
}

static struct action_entry *find_action(struct sim_call *call, struct slice name)
{
	struct action_entry *entry = map_get(&call->sim->actions, entry_key(call->arena, call->service, name));

	if (!entry) {
		sim_fail(call, "InvalidAction", "The action %.*s is not valid for this web service.",
			 (int)(name.size > 100 ? 100 : name.size), name.data);
		return NULL;
	}
	if (!entry->shape)
		entry->shape = sim_shape_read(&call->sim->lasting, entry->action->parameters, call->service);
	return entry;
}

void sim_query(struct sim_call *call, struct slice form)
{
	make_request_id(call);
	sim_form_read(call, form);
	struct slice name = arena_copy(call->arena, sim_text(call, "Action"));
	struct slice version = sim_text(call, "Version");
	if (!call->failed && name.size == 0)
		sim_fail(call, "MissingAction", "The request is missing an action parameter.");
	if (!call->failed && !slice_is(version, services[call->service].version))
		sim_fail(call, call->service == SIM_EC2 ? "NoSuchVersion" : "InvalidAction",
			 "The requested version (%.*s) of service is not valid",
			 SLICE_ARGUMENTS(slice_first(version, 50)));
	struct action_entry *entry = call->failed ? NULL : find_action(call, name);
	if (!entry)
		return;
	call->action = entry->action;
	call->shape = entry->shape;
	node_drop(&call->request, "Action");
	node_drop(&call->request, "Version");
	bool dry = call->service == SIM_EC2 && sim_flag(call, "DryRun", false);
	if (call->service == SIM_EC2)
		node_drop(&call->request, "DryRun");
	sim_shape_check(call);
	if (dry)
		sim_fail(call, "DryRunOperation", "Request would have succeeded, but DryRun flag is set.");
	if (!call->failed)
		run_action(call);
}

int sim_query_status(const struct sim_call *call)
{
	if (!call->failed)
		return 200;
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (strcmp(statuses[i].code, call->code) == 0)
			return statuses[i].status;
	return 400;
}

void sim_query_error(struct sim_call *call)
{
	bool ours = sim_query_status(call) < 500;

	if (call->id[0] == '\0')
		make_request_id(call);
	buffer_clear(call->out);
	if (call->service == SIM_EC2) {
		(void)buffer_string(call->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Response><Errors><Error>");
		sim_out_string(call, "Code", call->code);
		sim_out_string(call, "Message", call->message);
		(void)buffer_string(call->out, "</Error></Errors>");
		sim_out_string(call, "RequestID", call->id);
		(void)buffer_string(call->out, "</Response>");
		return;
	}
	(void)buffer_format(call->out, "<ErrorResponse xmlns=\"%s\"><Error>", services[call->service].space);
	sim_out_string(call, "Type", ours ? "Sender" : "Receiver");
	sim_out_string(call, "Code", call->code);
	sim_out_string(call, "Message", call->message);
	(void)buffer_string(call->out, "</Error>");
	sim_out_string(call, "RequestId", call->id);
	(void)buffer_string(call->out, "</ErrorResponse>");
}
