#include "providers/metal/wire.h"

#include "base/json.h"
#include "providers/metal/address.h"

enum {
	CONNECT_TIMEOUT_MS = 10 * 1000,
	IDLE_TIMEOUT_MS = 30 * 1000, /* controllers are slow, and slower while their machine starts */
	TOTAL_TIMEOUT_MS = 60 * 1000,
	RESPONSE_LIMIT_BYTES = 1024 * 1024,
	BODY_LIMIT_BYTES = 4096,
	EXCERPT_BYTES = 300,
	MESSAGES_MOST = 3, /* of one answer */
	/* A controller that is busy is asked a dozen times, and must not hold up a run for longer than it starts. */
	RETRY_AFTER_MOST_MS = 20 * 1000,
};

/* The code of an answer that names another address: such answers have none of their own. */
#define REDIRECTED "redirected"

/* What a call is called in messages and intents, and how it is sent. */
struct metal_operation {
	const char *name;
	const char *doing;
	const char *method;
};

static const struct metal_operation get = {"Get", "read", "GET"};
static const struct metal_operation reset = {"ComputerSystem.Reset", "change the power through", "POST"};

static void set_call(struct task *task, struct session *session, const struct metal_operation *operation,
		     const struct value_member *members, size_t count)
{
	struct value_member *kept = arena_new_array(&task->scratch, count, struct value_member);
	struct value *parameters = arena_new(&task->scratch, struct value);

	memcpy(kept, members, count * sizeof(*kept));
	*parameters = value_map(kept, count);
	task->call = (struct call){
		.session = session,
		.operation = operation->name,
		.definition = operation,
		.parameters = parameters,
	};
}

void metal_call_get(struct task *task, struct session *session, struct slice base, struct slice path)
{
	const struct value_member members[] = {
		{value_text("controller"), value_string(base)},
		{value_text("path"), value_string(path)},
	};

	set_call(task, session, &get, members, 2);
}

void metal_call_reset(struct task *task, struct session *session, struct slice base, struct slice target,
		      const char *reset_type)
{
	struct value_member *body = arena_new(&task->scratch, struct value_member);
	const struct value_member members[] = {
		{value_text("controller"), value_string(base)},
		{value_text("path"), value_string(target)},
		{value_text("body"), value_map(body, 1)},
	};

	*body = (struct value_member){value_text("ResetType"), value_text(reset_type)};
	set_call(task, session, &reset, members, 3);
	/* Each reset that is sent names the state to be reached, not a step towards it. */
	task->call.mutating = true;
	task->call.recipe = RECIPE_CONVERGE;
	/* But a controller that takes one and fails to say so takes another for a second press of the button. */
	task->call.looked_after = true;
}

static bool check_target(const struct metal_session *session, struct slice base, struct slice path,
			 struct diagnostics *diagnostics)
{
	struct metal_address address;
	const char *problem;

	if (!metal_address_read(base, &address, &problem))
		return diag_error(diagnostics, FAULT_USER, NOWHERE, "the controller's address %s", problem);
	if (address.plain && !session->allow_plain) {
		diag_error(diagnostics, FAULT_USER, NOWHERE, "%.*s is not asked, because it has no TLS",
			   SLICE_ARGUMENTS(base));
		diag_hint(diagnostics, "write https://, or 'allow_plain: true' in the provider");
		return false;
	}
	if (!metal_link_is_sound(path, true))
		return diag_error(diagnostics, FAULT_INTERNAL, NOWHERE, "%.*s has no path to follow: '%.*s'",
				  SLICE_ARGUMENTS(base), SLICE_ARGUMENTS(path));
	return true;
}

bool metal_prepare(const struct call *call, int64_t wall_ms, struct arena *arena, struct http_request *ret,
		   struct diagnostics *diagnostics)
{
	static const struct json_style clear = {.clear = true};
	const struct metal_session *session = (const struct metal_session *)call->session;
	const struct metal_operation *operation = call->definition;
	const struct value *body = value_get_named(call->parameters, "body");
	struct slice base = value_slice(value_get_named(call->parameters, "controller"));
	struct slice path = value_slice(value_get_named(call->parameters, "path"));
	struct http_header *headers = arena_new_array(arena, 5, struct http_header);
	size_t count = 0;
	BUFFER_AUTO text;

	(void)wall_ms;
	buffer_init(&text, BODY_LIMIT_BYTES);
	if (!check_target(session, base, path, diagnostics))
		return false;
	if (body && !json_write(&text, body, &clear))
		return diag_error(diagnostics, FAULT_INTERNAL, NOWHERE, "the request to %.*s is too long",
				  SLICE_ARGUMENTS(base));
	headers[count++] = (struct http_header){SLICE("Accept"), SLICE("application/json")};
	headers[count++] = (struct http_header){SLICE("User-Agent"), SLICE("trueup")};
	headers[count++] = (struct http_header){SLICE("OData-Version"), SLICE("4.0")};
	if (session->authorization.size > 0)
		headers[count++] = (struct http_header){SLICE("Authorization"), session->authorization};
	if (body)
		headers[count++] = (struct http_header){SLICE("Content-Type"), SLICE("application/json")};
	*ret = (struct http_request){
		.method = slice_of(operation->method),
		.url = arena_format(arena, "%.*s%.*s", SLICE_ARGUMENTS(base), SLICE_ARGUMENTS(path)),
		.endpoint = session->endpoint,
		.headers = headers,
		.header_count = count,
		.body = arena_copy(arena, buffer_slice(&text)),
		.mutating = strcmp(operation->method, "GET") != 0,
		.connect_timeout_ms = CONNECT_TIMEOUT_MS,
		.idle_timeout_ms = IDLE_TIMEOUT_MS,
		.total_timeout_ms = TOTAL_TIMEOUT_MS,
		.response_limit_bytes = RESPONSE_LIMIT_BYTES,
		.ca_file = session->ca_file,
		.insecure = session->insecure,
	};
	return true;
}

/*
 * What a status means (DSP0266, 7.3 "Responses"; RFC 9110, 15). The first row that is not above the
 * status counts; changing: for a call that changes the world, where that is another fault. Who is busy asks to slow
 * down, be it for too many sessions or because it starts: that is no failure, of which a run has only so many to spend
 * on all controllers together.
 */
static const struct status {
	int from;
	enum fault fault, changing;
	const char *meaning;
} statuses[] = {
	{505, FAULT_TRANSIENT, FAULT_AMBIGUOUS, "the controller failed"},
	{504, FAULT_TRANSIENT, FAULT_AMBIGUOUS, "no answer came in time"},
	{503, FAULT_THROTTLED, FAULT_THROTTLED, "the controller is busy"},
	{502, FAULT_TRANSIENT, FAULT_AMBIGUOUS, "the controller failed"},
	{501, FAULT_UNSUPPORTED, FAULT_UNSUPPORTED, "the controller does not know that"},
	{500, FAULT_TRANSIENT, FAULT_AMBIGUOUS, "the controller failed"},
	{430, FAULT_USER, FAULT_USER, "the controller refuses that"},
	{429, FAULT_THROTTLED, FAULT_THROTTLED, "the controller asks to slow down"},
	{411, FAULT_USER, FAULT_USER, "the controller refuses that"},
	{410, FAULT_ABSENT, FAULT_ABSENT, "there is nothing at this address"},
	{409, FAULT_CONFLICT, FAULT_CONFLICT, "the machine's state does not allow that now"},
	{406, FAULT_USER, FAULT_USER, "the controller refuses that"},
	{405, FAULT_UNSUPPORTED, FAULT_UNSUPPORTED, "the controller does not know that"},
	{404, FAULT_ABSENT, FAULT_ABSENT, "there is nothing at this address"},
	{403, FAULT_AUTH, FAULT_AUTH, "the user may not do that"},
	{401, FAULT_AUTH, FAULT_AUTH, "the user or the password is not accepted"},
	{400, FAULT_USER, FAULT_USER, "the controller refuses that"},
	{300, FAULT_USER, FAULT_USER, "it points elsewhere, which is never followed"},
	{0, FAULT_INTERNAL, FAULT_INTERNAL, "that is no answer to this request"},
};

static const struct status *status_of(int status)
{
	const struct status *row = statuses;

	while (status < row->from)
		row++;
	return row;
}

struct slice metal_excerpt(struct arena *arena, const struct session *session, struct slice text)
{
	/* Nobody would find a secret of which the end is cut off. */
	struct slice told = redaction_shown(session->untold, text, arena);
	size_t size = told.size > EXCERPT_BYTES ? EXCERPT_BYTES : told.size;
	size_t bad = 0;
	char *copy;

	/* Not within a character. */
	if (!slice_is_utf8(slice_first(told, size), &bad))
		size = bad;
	copy = arena_get(arena, size + 1);
	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)told.data[i];

		copy[i] = byte < ' ' || byte == 0x7f ? ' ' : (char)byte;
	}
	return slice_trim((struct slice){copy, size});
}

/* DSP0266, "Error responses": an error object with a code, a message, and messages in detail. */
static void read_error(const struct session *session, struct slice body, struct arena *arena, struct slice *ret_code,
		       struct slice *ret_message)
{
	struct diagnostics unused;
	struct value json;
	BUFFER_AUTO text;

	buffer_init(&text, (size_t)MESSAGES_MOST * (EXCERPT_BYTES + 2));
	diagnostics_init(&unused, arena);
	bool good = json_read(arena, body, false, RESPONSE_LIMIT_BYTES, "the answer", &json, &unused);
	diagnostics_release(&unused);
	if (!good)
		return;
	const struct value *error = value_get_named(&json, "error");
	const struct value *details = value_get_named(error, "@Message.ExtendedInfo");
	for (uint32_t i = 0; value_is(details, VALUE_LIST) && i < details->count && i < MESSAGES_MOST; i++) {
		struct slice message = value_slice(value_get_named(&details->items[i], "Message"));

		if (i == 0)
			*ret_code = metal_excerpt(arena, session,
						  value_slice(value_get_named(&details->items[i], "MessageId")));
		if (message.size == 0)
			continue;
		if (text.size > 0)
			buffer_string(&text, "; ");
		buffer_append(&text, metal_excerpt(arena, session, message));
	}
	*ret_message = text.size > 0 ? arena_copy(arena, buffer_slice(&text))
				     : metal_excerpt(arena, session, value_slice(value_get_named(error, "message")));
	if (ret_code->size == 0)
		*ret_code = metal_excerpt(arena, session, value_slice(value_get_named(error, "code")));
}

/* In seconds; a date is left to our own patience. */
static int64_t retry_after_ms(const struct http_response *response)
{
	int64_t seconds;

	for (size_t i = 0; i < response->header_count; i++) {
		if (!slice_equal_caseless(response->headers[i].name, SLICE("retry-after")) ||
		    !slice_integer(response->headers[i].value, &seconds) || seconds < 0)
			continue;
		return seconds > RETRY_AFTER_MOST_MS / 1000 ? RETRY_AFTER_MOST_MS : seconds * 1000;
	}
	return 0;
}

static void refused(const struct call *call, const struct http_response *response, struct arena *arena,
		    struct answer *ret)
{
	const struct status *status = status_of(response->status);
	struct slice message = {NULL, 0};

	read_error(call->session, response->body, arena, &ret->code, &message);
	if (response->status >= 300 && response->status < 400)
		ret->code = SLICE(REDIRECTED);
	ret->fault = call->mutating ? status->changing : status->fault;
	ret->message = arena_format(arena, "HTTP %d, %s%s%.*s", response->status, status->meaning,
				    message.size > 0 ? ": " : "", SLICE_ARGUMENTS(message));
	ret->retry_after_ms = retry_after_ms(response);
}

static struct slice yet_an_error(const struct http_response *response, struct slice message, struct arena *arena)
{
	return arena_format(arena, "HTTP %d, and yet an error: %.*s", response->status, SLICE_ARGUMENTS(message));
}

/*
 * An action is accepted by its status; what it led to is read afterwards. Whoever sees that nothing came of it is told
 * what the controller has said. Some have an error object also where all is well: its code says so.
 */
static void accepted(const struct call *call, const struct http_response *response, struct arena *arena,
		     struct answer *ret)
{
	struct slice code = {NULL, 0}, message = {NULL, 0};

	ret->ok = true;
	read_error(call->session, response->body, arena, &code, &message);
	if (message.size > 0 && !slice_ends_with(code, SLICE(".Success")))
		ret->message = yet_an_error(response, message, arena);
}

/* What was asked for, or why it is not there. */
static void take_body(const struct call *call, const struct http_response *response, struct arena *arena,
		      struct answer *ret)
{
	struct diagnostics findings;
	struct slice message = {NULL, 0};

	diagnostics_init(&findings, arena);
	ret->ok = json_read(arena, response->body, false, RESPONSE_LIMIT_BYTES, "the answer", &ret->body, &findings) &&
		  value_is(&ret->body, VALUE_MAP);
	/* Controllers say such things while they start. */
	if (!ret->ok) {
		const struct diag *first = diagnostics_first_error(&findings);
		ret->fault = FAULT_TRANSIENT;
		ret->message = first ? first->message : SLICE("the answer is no JSON object");
	} else if (value_is(value_get_named(&ret->body, "error"), VALUE_MAP) &&
		   !value_get_named(&ret->body, "@odata.id")) {
		/* No resource, which would name itself: a machine of which nothing is told must not come of it. */
		read_error(call->session, response->body, arena, &ret->code, &message);
		ret->ok = false;
		ret->fault = FAULT_TRANSIENT;
		ret->message = yet_an_error(response, message, arena);
	}
	diagnostics_release(&findings);
}

void metal_interpret(const struct call *call, const struct http_response *response, struct arena *arena,
		     struct answer *ret)
{
	*ret = (struct answer){0};
	if (!response->answered) {
		ret->fault = response->fault;
		ret->message = metal_excerpt(arena, call->session, response->message);
		ret->hint = arena_copy(arena, response->hint);
		return;
	}
	if (response->status < 200 || response->status >= 300) {
		refused(call, response, arena, ret);
		return;
	}
	if (call->mutating)
		accepted(call, response, arena, ret);
	else
		take_body(call, response, arena, ret);
}

bool metal_points_elsewhere(const struct answer *answer)
{
	return !answer->ok && slice_is(answer->code, REDIRECTED);
}

void metal_call_failed(struct task *task, const struct answer *answer, enum severity severity)
{
	const struct metal_operation *operation = task->call.definition;
	struct slice base = value_slice(value_get_named(task->call.parameters, "controller"));
	struct slice path = value_slice(value_get_named(task->call.parameters, "path"));

	diag_add(task->diagnostics, severity, answer->fault, NOWHERE, "could not %s %.*s%.*s: %.*s", operation->doing,
		 SLICE_ARGUMENTS(base), SLICE_ARGUMENTS(path), SLICE_ARGUMENTS(answer->message));
	if (answer->fault == FAULT_AUTH && answer->hint.size > 0)
		diag_hint(task->diagnostics, "%.*s; 'ca_file' of the provider names another bundle",
			  SLICE_ARGUMENTS(answer->hint));
	else if (answer->fault == FAULT_AUTH)
		diag_hint(task->diagnostics, "check 'user', 'password_env' and 'ca_file' of the provider");
}
