#include <string.h>

#include "providers/aws/aws.h"
#include "providers/aws/errors.h"
#include "providers/aws/protocol.h"
#include "providers/aws/shape.h"

/* Ways to AWS: credentials, endpoints, requests and answers. */

enum {
	CONNECT_TIMEOUT_MS = 10000,
	IDLE_TIMEOUT_MS = 30000,
	TOTAL_TIMEOUT_MS = 60000,
	RESPONSE_LIMIT_BYTES = 256 * 1024 * 1024,
	CA_FILE_BYTES_MOST = 16 * 1024 * 1024,
};

static struct slice environment(struct world *world, const char *name)
{
	return slice_of(world->environment(world, name));
}

static struct slice region_of(struct world *world, const struct value *settings)
{
	struct slice region = value_slice(value_get_named(settings, "region"));
	if (region.size == 0)
		region = environment(world, "AWS_REGION");
	return region.size ? region : environment(world, "AWS_DEFAULT_REGION");
}

static bool read_credentials(struct aws_session *session, struct diagnostics *diagnostics)
{
	struct world *world = session->world;
	session->credentials = (struct aws_credentials){
		.access_key = environment(world, "AWS_ACCESS_KEY_ID"),
		.secret_key = environment(world, AWS_SECRET_KEY_VARIABLE),
		.session_token = environment(world, AWS_SESSION_TOKEN_VARIABLE),
	};
	if (session->credentials.access_key.size && session->credentials.secret_key.size)
		return true;
	if (endpoint_is_simulated(session->endpoints.place)) {
		/* The simulator knows this pair from the start. */
		session->credentials = (struct aws_credentials){.access_key = SLICE("sim"), .secret_key = SLICE("sim")};
		return true;
	}
	diag_error(diagnostics, FAULT_AUTH, NOWHERE, "provider '%.*s' has no AWS credentials",
		   SLICE_ARGUMENTS(session->session.name));
	diag_hint(diagnostics,
		  "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN where the credentials are "
		  "temporary; those of a profile, SSO or a role: eval \"$(aws configure export-credentials --format "
		  "env)\"");
	return false;
}

/* https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-envvars.html: AWS_CA_BUNDLE */
static bool find_authorities(struct aws_session *session, struct arena *arena, struct diagnostics *diagnostics)
{
	struct world *world = session->world;
	struct slice text;

	if (endpoint_is_simulated(session->endpoints.place))
		return true;
	session->ca_file = environment(world, "AWS_CA_BUNDLE");
	if (session->ca_file.size == 0 || world->read_file(world, arena, arena_string(arena, session->ca_file),
							   CA_FILE_BYTES_MOST, &text, diagnostics))
		return true;
	diag_hint(diagnostics, "AWS_CA_BUNDLE names it: a file of the authorities to trust, in PEM");
	return false;
}

static bool is_region(struct slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];
		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-')
			return false;
	}
	return text.size > 0;
}

static bool check_place(const struct aws_session *session, const struct value *settings,
			struct diagnostics *diagnostics)
{
	struct slice name = session->session.name;
	if (session->region.size == 0) {
		diag_error(diagnostics, FAULT_USER, NOWHERE, "provider '%.*s' has no region", SLICE_ARGUMENTS(name));
		diag_hint(diagnostics,
			  "write 'providers: {%.*s: {region: us-west-2}}' or set AWS_REGION or AWS_DEFAULT_REGION",
			  SLICE_ARGUMENTS(name));
		return false;
	}
	if (!is_region(session->region)) {
		diag_error(diagnostics, FAULT_USER, aws_setting_position(settings, "region"),
			   "'%.*s' is no region that provider '%.*s' can have", SLICE_ARGUMENTS(session->region),
			   SLICE_ARGUMENTS(name));
		diag_hint(diagnostics, "a region is named like us-west-2%s",
			  value_get_named(settings, "region")
				  ? ""
				  : ", and AWS_REGION or AWS_DEFAULT_REGION names this one");
		return false;
	}
	return true;
}

bool aws_open(const struct provider *provider, struct world *world, struct slice name, const struct value *settings,
	      struct arena *arena, struct session **ret, struct diagnostics *diagnostics)
{
	struct aws_session *session = arena_new(arena, struct aws_session);
	session->world = world;
	session->session.provider = provider;
	session->session.name = name;
	session->region = region_of(world, settings);
	if (!check_place(session, settings, diagnostics) ||
	    !aws_endpoints_read(&session->endpoints, world, name, settings, arena, diagnostics) ||
	    !find_authorities(session, arena, diagnostics) || !read_credentials(session, diagnostics))
		return false;
	session->session.identity = (struct identity){
		.provider = SLICE("aws"),
		.region = session->region,
		.endpoint = session->endpoints.place,
	};
	*ret = &session->session;
	return true;
}

void aws_close(struct session *session)
{
	aws_signing_keys_wipe(&((struct aws_session *)session)->keys);
}

struct value aws_settings_of(const struct identity *identity, struct arena *arena)
{
	struct value_member *members = arena_new_array(arena, 2, struct value_member);
	size_t count = 0;
	if (identity->region.size)
		members[count++] = (struct value_member){value_text("region"), value_string(identity->region)};
	if (identity->endpoint.size)
		members[count++] = aws_endpoint_setting(identity->endpoint, arena);
	return value_map(members, count);
}

bool aws_expect(struct world *world, const struct value *settings, struct arena *arena, struct identity *ret)
{
	struct aws_endpoints endpoints;
	struct diagnostics findings;
	diagnostics_init(&findings, arena);
	struct slice region = region_of(world, settings);
	/* Of what is none no zone could be told. */
	bool good = (region.size == 0 || is_region(region)) &&
		    aws_endpoints_read(&endpoints, world, SLICE("aws"), settings, arena, &findings);
	if (good)
		*ret = (struct identity){
			.provider = SLICE("aws"),
			.account = value_slice(value_get_named(settings, "account")),
			.region = region,
			.endpoint = endpoints.place,
		};
	diagnostics_release(&findings);
	return good;
}

static struct slice url_of(const struct aws_session *session, const struct aws_service_shape *service,
			   struct slice endpoint, struct arena *arena)
{
	if (endpoint.size && !endpoint_is_simulated(endpoint))
		return arena_format(arena, "%.*s%s", SLICE_ARGUMENTS(endpoint),
				    slice_ends_with(endpoint, SLICE("/")) ? "" : "/");
	return aws_public_url(session->world, service->endpoint_prefix, session->region, arena);
}

/* By its name, as AWS's own policies tell them apart, so that no table can call a change a read. */
static bool is_read(struct slice operation)
{
	static const char *const verbs[] = {"Describe", "Get", "List"};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (slice_starts_with(operation, slice_of(verbs[i])))
			return true;
	return false;
}

bool aws_prepare(const struct call *call, int64_t wall_ms, struct arena *arena, struct http_request *ret,
		 struct diagnostics *diagnostics)
{
	struct aws_session *session = (struct aws_session *)call->session;
	const struct aws_operation_shape *operation = call->definition;
	struct slice endpoint = aws_endpoint_of(&session->endpoints, operation->service);
	BUFFER_AUTO body;
	buffer_init(&body, 16 * 1024 * 1024);
	if (!aws_request_body(operation, call->parameters, &body, diagnostics))
		return false;
	struct http_header *headers = arena_new_array(arena, 2 + AWS_SIGNED_HEADERS_MOST, struct http_header);
	headers[0] =
		(struct http_header){SLICE("Content-Type"), SLICE("application/x-www-form-urlencoded; charset=utf-8")};
	headers[1] = (struct http_header){SLICE("User-Agent"), SLICE("trueup")};
	*ret = (struct http_request){
		.method = SLICE("POST"),
		.url = url_of(session, operation->service, endpoint, arena),
		.endpoint = endpoint_is_simulated(endpoint) ? endpoint : (struct slice){0},
		.headers = headers,
		.header_count = 2,
		.body = arena_copy(arena, buffer_slice(&body)),
		.mutating = !is_read(operation->name),
		.connect_timeout_ms = CONNECT_TIMEOUT_MS,
		.idle_timeout_ms = IDLE_TIMEOUT_MS,
		.total_timeout_ms = TOTAL_TIMEOUT_MS,
		.response_limit_bytes = RESPONSE_LIMIT_BYTES,
		.ca_file = session->ca_file,
	};
	struct aws_signing_options options = {
		.service = operation->service->signing_name,
		.region = session->region,
		.wall_ms = wall_ms,
	};
	struct aws_signing signing;
	if (!aws_sign(arena, ret, &session->credentials, &options, &session->keys, &signing, diagnostics))
		return false;
	for (size_t i = 0; i < signing.header_count; i++)
		headers[ret->header_count++] = signing.headers[i];
	return true;
}

/*
 * Auto Scaling says ValidationError of everything that is wrong with a request, as EC2 says InvalidParameterValue; only
 * the message tells that what it names is not there (observed answers; the API's reference names no such code).
 */
static const struct finer_code {
	const char *code;
	const char *message_part;
	const char *beside; /* another part, or NULL */
	const char *finer;
} finer_codes[] = {
	/* No kind makes images: one that a template names and that is not there will not come. */
	{"ValidationError", "The image id '", NULL, "ValidationError.InvalidAMIID"},
	/* Also of a group that is there: its template, or what that names, is not. */
	{"ValidationError", "launch template", "not found", "ValidationError.LaunchTemplateNotFound"},
	{"ValidationError", "launch template", "does not exist", "ValidationError.LaunchTemplateNotFound"},
	{"ValidationError", "not found", NULL, "ValidationError.NotFound"},
	{"ValidationError", "does not exist", NULL, "ValidationError.NotFound"},
	{"ValidationError", "No Lifecycle Hook", NULL, "ValidationError.NotFound"},
	/* "Signature expired: 20260101T000000Z is now earlier than ...": STS says so of a clock that is wrong. */
	{"SignatureDoesNotMatch", "Signature expired", NULL, "SignatureDoesNotMatch.TooSkewed"},
	{"SignatureDoesNotMatch", "Signature not yet current", NULL, "SignatureDoesNotMatch.TooSkewed"},
	/* Of a profile that IAM knows, and they do not know yet. */
	{"ValidationError", "Invalid IAM Instance Profile", NULL, "ValidationError.IamInstanceProfile"},
	{"InvalidParameterValue", "Invalid IAM Instance Profile", NULL, "InvalidParameterValue.IamInstanceProfile"},
	/* Of groups that are there, both of them: that does not pass. */
	{"InvalidGroup.NotFound", "belong to different networks", NULL, "InvalidGroup.OtherNetwork"},
};

static struct slice finer_code(const struct aws_error *error)
{
	for (size_t i = 0; i < sizeof(finer_codes) / sizeof(finer_codes[0]); i++)
		if (slice_is(error->code, finer_codes[i].code) &&
		    slice_contains(error->message, slice_of(finer_codes[i].message_part)) &&
		    (!finer_codes[i].beside || slice_contains(error->message, slice_of(finer_codes[i].beside))))
			return slice_of(finer_codes[i].finer);
	return error->code;
}

/* Whether the body has all that the call's answer has to tell, as text that is not empty. */
static bool tells_all(const struct call *call, const struct value *body)
{
	for (size_t i = 0; i < sizeof(call->tells) / sizeof(call->tells[0]); i++) {
		const struct value *told = call->tells[i] ? value_path(body, call->tells[i]) : NULL;

		if (call->tells[i] && (!told || value_slice(told).size == 0))
			return false;
	}
	return true;
}

/* What was made may stand in any part of it, but in no word like "InvalidKeyPair.Duplicate", nor in a UUID. */
static void quote_nothing(struct answer *answer, int status, struct arena *arena)
{
	if (!aws_error_is_code(answer->code))
		answer->code = (struct slice){NULL, 0};
	if (!aws_error_is_request_id(answer->request_id))
		answer->request_id = (struct slice){NULL, 0};
	answer->message = arena_format(
		arena, "the answer (HTTP %d) is not quoted, as what is shown only once may be in it", status);
}

void aws_interpret(const struct call *call, const struct http_response *response, struct arena *arena,
		   struct answer *ret)
{
	const struct aws_operation_shape *operation = call->definition;
	struct diagnostics findings;
	*ret = (struct answer){0};
	if (!response->answered || response->status >= 300) {
		struct aws_error error;
		aws_error_read(response, call->mutating, call->session->untold, arena, &error);
		ret->code = finer_code(&error);
		ret->fault = slice_equal(ret->code, error.code)
				     ? error.fault
				     : aws_error_fault(ret->code, error.status, call->mutating);
		ret->doubted = error.doubted;
		ret->message = error.message;
		ret->hint = error.hint;
		ret->request_id = error.request_id;
		ret->retry_after_ms = error.retry_after_ms;
		if (call->shows_once && response->answered)
			quote_nothing(ret, response->status, arena);
		return;
	}
	diagnostics_init(&findings, arena);
	ret->ok = aws_response_read(operation, response->body, arena, &ret->body, &findings);
	if (!ret->ok) {
		/* It was answered, but nobody can tell how: a change may have been made. */
		const struct diag *first = diagnostics_first_error(&findings);
		ret->fault = call->mutating ? FAULT_AMBIGUOUS : FAULT_TRANSIENT;
		ret->message = first ? first->message : SLICE("the answer could not be read");
		ret->hint = first ? first->hint : (struct slice){0};
	} else if (!tells_all(call, &ret->body)) {
		ret->ok = false;
		ret->fault = FAULT_AMBIGUOUS;
		ret->message = SLICE("the answer does not say what was made");
	}
	diagnostics_release(&findings);
}

/*
 * Documented request buckets of EC2, each for one action, account and region
 * (https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html); Auto Scaling and STS
 * are held to the same. The first that the operation begins with counts: a longer prefix stands before the one that
 * begins it.
 */
static const struct rate {
	const char *prefix;
	struct provider_limits limits;
} rates[] = {
	{"DescribeInstances", {50, 10}},
	{"DescribeNetworkInterfaces", {50, 10}},
	{"DescribeSecurityGroups", {50, 10}},
	{"DescribeVolumes", {50, 10}},
	{"Describe", {100, 20}},
	{"Get", {100, 20}},
	{"List", {100, 20}},
	{"RunInstances", {5, 2}},
	{"TerminateInstances", {100, 5}},
	{"StartInstances", {5, 2}},
	{"CreateTags", {100, 10}},
	{"", {50, 5}},
};

struct provider_limits aws_limits(const struct call *call)
{
	/* Buckets are AWS's, by whichever of its names it is asked; an endpoint of the user's own has its own mind. */
	const struct aws_session *own = (const struct aws_session *)call->session;
	const struct aws_operation_shape *operation = call->definition;
	struct slice endpoint = aws_endpoint_of(&own->endpoints, operation->service);
	if (endpoint.size && !endpoint_is_simulated(endpoint) && !aws_is_public(endpoint))
		return (struct provider_limits){0};
	for (size_t i = 0;; i++)
		if (slice_starts_with(operation->name, slice_of(rates[i].prefix)))
			return rates[i].limits;
}

void aws_read_set(struct task *task, struct session *session, const struct aws_kind *kind, const char *operation,
		  const struct aws_parameters *parameters)
{
	struct value *value = arena_new(&task->scratch, struct value);
	*value = aws_parameters_value(parameters, &task->scratch);
	task->call = (struct call){
		.session = session,
		.operation = operation,
		.definition = aws_operation(aws_service(slice_of(kind->service)), slice_of(operation)),
		.parameters = value,
	};
}

void aws_call_set(struct task *task, struct session *session, const struct aws_kind *kind, const struct aws_call *call,
		  const struct aws_parameters *parameters)
{
	aws_read_set(task, session, kind, call->operation, parameters);
	task->call.mutating = true;
	task->call.recipe = call->recipe;
	task->call.settling = call->settling;
}

void aws_hint_at(struct diagnostics *diagnostics, const struct answer *answer, const char *operation)
{
	const char *hint = aws_error_hint(answer->code, answer->fault);
	if (answer->hint.size > 0 && answer->fault != FAULT_AMBIGUOUS)
		diag_hint(diagnostics, "%.*s", SLICE_ARGUMENTS(answer->hint));
	else if (hint)
		diag_hint(diagnostics, "%s", hint);
	else if (answer->fault == FAULT_AUTH)
		diag_hint(diagnostics, "check the credentials and what their policies allow: %s", operation);
	else if (answer->fault == FAULT_UNSUPPORTED)
		diag_hint(diagnostics, "the endpoint does not know %s", operation);
}

void aws_call_failed(struct task *task, const struct answer *answer, const char *doing, struct slice what)
{
	bool coded = answer->code.size > 0;
	bool unknown = task->call.mutating && answer->fault == FAULT_AMBIGUOUS;
	diag_error(task->diagnostics, answer->fault, NOWHERE, "%s %s %.*s%s: %s%s%.*s: %.*s",
		   unknown ? "what came of the call to" : "could not", doing, SLICE_ARGUMENTS(what),
		   unknown ? " is not known" : "", task->call.operation, coded ? " answered " : "",
		   SLICE_ARGUMENTS(answer->code), SLICE_ARGUMENTS(answer->message));
	if (answer->request_id.size)
		diag_cause(task->diagnostics,
			   arena_format(&task->scratch, "request id %.*s", SLICE_ARGUMENTS(answer->request_id)));
	aws_hint_at(task->diagnostics, answer, task->call.operation);
}
