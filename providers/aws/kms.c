#include "providers/aws/kms.h"

#include "base/base64.h"
#include "base/json.h"
#include "providers/aws/endpoints.h"
#include "providers/aws/errors.h"
#include "providers/aws/sign.h"

#define ALLOW "allow kms:GenerateDataKey and kms:Decrypt on that key, and see to it that it is enabled"
#define CREDENTIALS "get new credentials, or set the machine's clock, and run again"
#define NOT_KMS                                                                                                        \
	"what answers there is not KMS: check AWS_ENDPOINT_URL_KMS, or AWS_ENDPOINT_URL, and what proxy or filter is " \
	"on the way"

enum {
	/* Pauses that double: what is throttled or down gets 7.5 s, what cannot be reached at all 1.5 s. */
	ATTEMPTS = 5,
	ATTEMPTS_UNREACHED = 3,
	PAUSE_MS = 500,
	HTTP_OK = 200,
	CONNECT_TIMEOUT_MS = 10000,
	IDLE_TIMEOUT_MS = 30000,
	TOTAL_TIMEOUT_MS = 60000,
	WAIT_MS = 1000,
	ANSWER_LIMIT_BYTES = 64 * 1024,
	HEADERS = 3,
};

/* One call and its answer; all of it in an arena that is wiped. */
struct asking {
	struct world *world;
	struct arena *clear;
	const struct kms_key *key;
	const char *operation;
	const char *way_out; /* what can be done where it is refused for good */
	struct slice region;
	struct aws_credentials credentials;
	struct http_header headers[HEADERS + AWS_SIGNED_HEADERS_MOST];
	struct http_request request;
	bool done;
	bool answered;
	int status;
	struct slice text;	/* the answer */
	struct aws_error error; /* of a refusal, of no answer, or of one that is not KMS's */
	bool is_refusal;	/* by KMS itself, which names a code then */
	struct diagnostics *diagnostics;
};

static struct slice environment(const struct asking *asking, const char *name)
{
	return slice_of(asking->world->environment(asking->world, name));
}

/* arn:aws:kms:REGION:ACCOUNT:key/ID; otherwise that of the environment. */
static struct slice region_of(const struct asking *asking)
{
	struct slice rest = asking->key->name, region;

	if (slice_starts_with(rest, SLICE("arn:"))) {
		for (int i = 0; i < 3; i++)
			(void)slice_cut(&rest, ':');
		return slice_cut(&rest, ':');
	}
	region = environment(asking, "AWS_REGION");
	return region.size > 0 ? region : environment(asking, "AWS_DEFAULT_REGION");
}

static bool url_of(const struct asking *asking, struct slice *ret)
{
	struct slice endpoint = environment(asking, "AWS_ENDPOINT_URL_KMS");

	if (endpoint.size == 0)
		endpoint = environment(asking, "AWS_ENDPOINT_URL");
	if (endpoint_is_simulated(endpoint)) {
		diag_error(asking->diagnostics, FAULT_UNSUPPORTED, NOWHERE, "the simulator has no KMS");
		diag_hint(asking->diagnostics,
			  "set AWS_ENDPOINT_URL_KMS, or give the key itself in TRUEUP_SEALING_KEY");
		return false;
	}
	*ret = endpoint.size > 0 ? arena_format(asking->clear, "%.*s%s", SLICE_ARGUMENTS(endpoint),
						slice_ends_with(endpoint, SLICE("/")) ? "" : "/")
				 : aws_public_url(asking->world, SLICE("kms"), asking->region, asking->clear);
	return true;
}

static bool read_settings(struct asking *asking)
{
	asking->region = region_of(asking);
	asking->credentials = (struct aws_credentials){
		.access_key = environment(asking, "AWS_ACCESS_KEY_ID"),
		.secret_key = slice_of(world_secret(asking->world, AWS_SECRET_KEY_VARIABLE, AWS_SECRET_LEAST_BYTES)),
		.session_token =
			slice_of(world_secret(asking->world, AWS_SESSION_TOKEN_VARIABLE, AWS_SECRET_LEAST_BYTES)),
	};
	if (asking->region.size == 0) {
		diag_error(asking->diagnostics, FAULT_USER, NOWHERE, "it is not known in which region the KMS key is");
		diag_hint(asking->diagnostics, "set AWS_REGION or AWS_DEFAULT_REGION, or name the key by its ARN");
		return false;
	}
	if (asking->credentials.access_key.size > 0 && asking->credentials.secret_key.size > 0)
		return true;
	diag_error(asking->diagnostics, FAULT_AUTH, NOWHERE, "there are no AWS credentials to ask KMS with");
	diag_hint(asking->diagnostics, "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
	return false;
}

static bool sign(struct asking *asking)
{
	struct aws_signing_options options = {
		.service = SLICE("kms"),
		.region = asking->region,
		.wall_ms = asking->world->wall_ms(asking->world),
	};
	struct aws_signing signing;

	asking->request.header_count = HEADERS;
	if (!aws_sign(asking->clear, &asking->request, &asking->credentials, &options, NULL, &signing,
		      asking->diagnostics))
		return false;
	for (size_t i = 0; i < signing.header_count; i++)
		asking->headers[asking->request.header_count++] = signing.headers[i];
	return true;
}

static struct slice member(const struct value *answer, const char *a, const char *b)
{
	const struct value *found = value_get_named(answer, a);

	return value_slice(found ? found : value_get_named(answer, b));
}

static bool is_passing(const struct asking *asking)
{
	return asking->error.fault == FAULT_THROTTLED || asking->error.fault == FAULT_TRANSIENT;
}

/* What KMS itself says: what no other try would change is a matter of policies, or of the key. */
static void read_refusal(struct asking *asking)
{
	struct diagnostics unsaid;
	struct value answer;
	struct slice code;

	diagnostics_init(&unsaid, asking->clear);
	if (json_read(asking->clear, asking->text, false, ANSWER_LIMIT_BYTES, "KMS's answer", &answer, &unsaid) &&
	    value_is(&answer, VALUE_MAP) && (code = member(&answer, "__type", "code")).size > 0 &&
	    aws_error_is_code(code)) {
		asking->is_refusal = true;
		asking->error = (struct aws_error){.code = code, .fault = aws_error_fault(code, asking->status, false)};
		if (!is_passing(asking))
			asking->error.fault = FAULT_AUTH;
	}
	diagnostics_release(&unsaid);
}

/* What was asked for may be in any answer, and of a key that is only made nobody knows that it is one. */
static void quote_nothing(struct asking *asking)
{
	struct aws_error *error = &asking->error;
	bool is_redirect = asking->status >= 300 && asking->status < 400;

	if (!aws_error_is_code(error->code))
		error->code = (struct slice){NULL, 0};
	if (error->code.size > 0)
		error->message = arena_format(
			asking->clear, "what it says (HTTP %d) is not quoted, as a key may be in it", asking->status);
	else if (asking->text.size > 0 && !is_redirect)
		error->message =
			arena_format(asking->clear, "HTTP %d with an answer that is no AWS error, and is not quoted",
				     asking->status);
}

/* Like a call of any other service: a page without a code, of a proxy or a filter on the way, is no refusal. */
static void read_failure(struct asking *asking, const struct http_response *response)
{
	asking->is_refusal = false;
	aws_error_read(response, false, NULL, asking->clear, &asking->error);
	if (!asking->answered)
		return;
	read_refusal(asking);
	quote_nothing(asking);
}

static void on_done(void *context, const struct http_response *response)
{
	struct asking *asking = context;

	asking->done = true;
	asking->answered = response->answered;
	asking->status = response->status;
	asking->text = arena_copy(asking->clear, response->body);
	if (!asking->answered || asking->status != HTTP_OK)
		read_failure(asking, response);
}

/* False where an interrupt came first. */
static bool send(struct asking *asking)
{
	struct world *world = asking->world;

	asking->done = false;
	world->transport->start(world->transport, &asking->request, on_done, asking);
	while (!asking->done) {
		if (world->interrupted(world) > 0) {
			world->transport->cancel(world->transport, asking);
			return diag_error(asking->diagnostics, FAULT_TRANSIENT, NOWHERE,
					  "interrupted while waiting for KMS");
		}
		world->transport->wait(world->transport, world->boot_ms(world) + WAIT_MS);
	}
	return true;
}

/* Of Decrypt, whose KeyId is that of the key that encrypted
 * (https://docs.aws.amazon.com/kms/latest/APIReference/API_Decrypt.html); AWS's JSON may say a namespace before it. */
static bool is_other_key(struct slice code)
{
	return slice_is(code, "IncorrectKeyException") || slice_ends_with(code, SLICE("#IncorrectKeyException"));
}

/* Of whoever asks, and of no key: who that is, or the time of the request, is not believed
 * (https://docs.aws.amazon.com/kms/latest/APIReference/CommonErrors.html). */
static bool is_about_credentials(struct slice code)
{
	static const char *const parts[] = {
		"Expired", "Signature", "ClientTokenId", "UnrecognizedClient", "AuthenticationToken", NULL};

	for (const char *const *part = parts; *part; part++)
		if (slice_contains(code, slice_of(*part)))
			return true;
	return false;
}

static const char *hint_of(const struct asking *asking)
{
	if (!asking->answered)
		return "see to it that KMS can be reached, and run again";
	if (is_passing(asking))
		return "KMS is throttled or down: run again later";
	if (!asking->is_refusal)
		return NOT_KMS;
	if (is_other_key(asking->error.code))
		return "name in TRUEUP_SEALING_KEY the key of KMS that the stack's key was made with; "
		       "'trueup state rekey' is how a stack gets another key";
	return is_about_credentials(asking->error.code) ? CREDENTIALS : asking->way_out;
}

static bool refused(struct asking *asking)
{
	const struct aws_error *error = &asking->error;
	const struct slice id = asking->key->id;
	struct slice code = asking->answered ? error->code : SLICE("no answer");

	diag_error(asking->diagnostics, error->fault, NOWHERE, "KMS did not do %s%s%.*s for the key '%.*s': %.*s%s%.*s",
		   asking->operation, id.size > 0 ? " of the stack's key " : "", SLICE_ARGUMENTS(id),
		   SLICE_ARGUMENTS(asking->key->name), SLICE_ARGUMENTS(code), code.size > 0 ? ": " : "",
		   SLICE_ARGUMENTS(error->message));
	diag_hint(asking->diagnostics, "%.*s",
		  SLICE_ARGUMENTS(error->hint.size > 0 ? error->hint : slice_of(hint_of(asking))));
	return false;
}

/* What stays as it is, as a wrong password of a proxy, is asked once: see curl_fault.c. */
static bool is_worth_repeating(const struct asking *asking, int attempt)
{
	return is_passing(asking) && attempt < (asking->answered ? ATTEMPTS : ATTEMPTS_UNREACHED);
}

static void pause_before_next(const struct asking *asking, int attempt)
{
	struct world *world = asking->world;
	int64_t until_ms = world->boot_ms(world) + ((int64_t)PAUSE_MS << (attempt - 1));

	while (world->boot_ms(world) < until_ms && world->interrupted(world) == 0)
		world->transport->wait(world->transport, until_ms);
}

/* False after a diagnostic. */
static bool send_until_done(struct asking *asking)
{
	for (int attempt = 1;; attempt++) {
		if (!sign(asking) || !send(asking))
			return false;
		if (asking->answered && asking->status == HTTP_OK)
			return true;
		if (!is_worth_repeating(asking, attempt))
			return refused(asking);
		pause_before_next(asking, attempt);
	}
}

/* Neither call changes anything, so both may be repeated. */
static bool ask(struct asking *asking, const struct value *input, struct value *ret)
{
	static const struct json_style plain = {.clear = true};
	struct slice url;

	if (!read_settings(asking) || !url_of(asking, &url))
		return false;
	asking->headers[0] = (struct http_header){SLICE("Content-Type"), SLICE("application/x-amz-json-1.1")};
	asking->headers[1] = (struct http_header){SLICE("X-Amz-Target"),
						  arena_format(asking->clear, "TrentService.%s", asking->operation)};
	asking->headers[2] = (struct http_header){SLICE("User-Agent"), SLICE("trueup")};
	asking->request = (struct http_request){
		.method = SLICE("POST"),
		.url = url,
		.headers = asking->headers,
		.body = json_canonical(asking->clear, input, &plain),
		.connect_timeout_ms = CONNECT_TIMEOUT_MS,
		.idle_timeout_ms = IDLE_TIMEOUT_MS,
		.total_timeout_ms = TOTAL_TIMEOUT_MS,
		.response_limit_bytes = ANSWER_LIMIT_BYTES,
		.asks_for_key = true,
		.ca_file = environment(asking, "AWS_CA_BUNDLE"),
	};
	if (!send_until_done(asking))
		return false;
	if (json_read(asking->clear, asking->text, false, ANSWER_LIMIT_BYTES, "KMS's answer", ret, asking->diagnostics))
		return true;
	diag_hint(asking->diagnostics, "%s", NOT_KMS);
	return false;
}

static struct value context_of(struct arena *arena, const struct kms_key *key)
{
	struct value_member *members = arena_new_array(arena, 1, struct value_member);

	members[0] = (struct value_member){value_string(key->purpose), value_string(key->context)};
	return value_map(members, 1);
}

static bool take_bytes(const struct asking *asking, const struct value *answer, const char *name, struct slice *ret)
{
	struct slice bytes = {NULL, 0};

	if (!base64_decode(asking->clear, value_slice(value_get_named(answer, name)), &bytes) || bytes.size == 0)
		return diag_error(asking->diagnostics, FAULT_INTERNAL, NOWHERE, "KMS's answer has no '%s'", name);
	*ret = bytes;
	return true;
}

bool kms_make(struct world *world, struct arena *clear, const struct kms_key *key, struct slice *ret,
	      struct slice *ret_wrapped, struct diagnostics *diagnostics)
{
	struct asking asking = {
		.world = world,
		.clear = clear,
		.key = key,
		.operation = "GenerateDataKey",
		.way_out = ALLOW,
		.diagnostics = diagnostics,
	};
	struct value_member members[] = {
		{value_text("EncryptionContext"), context_of(clear, key)},
		{value_text("KeyId"), value_string(key->name)},
		{value_text("KeySpec"), value_text("AES_256")},
	};
	struct value input = value_map(members, sizeof(members) / sizeof(members[0])), answer;
	struct slice bytes = {NULL, 0}, wrapped = {NULL, 0};

	if (!ask(&asking, &input, &answer) || !take_bytes(&asking, &answer, "Plaintext", &bytes) ||
	    !take_bytes(&asking, &answer, "CiphertextBlob", &wrapped))
		return false;
	*ret = bytes;
	*ret_wrapped = base64_encode(clear, wrapped);
	return true;
}

bool kms_open(struct world *world, struct arena *clear, const struct kms_key *key, struct slice wrapped,
	      struct slice *ret, struct diagnostics *diagnostics)
{
	struct asking asking = {
		.world = world,
		.clear = clear,
		.key = key,
		.operation = "Decrypt",
		.way_out =
			ALLOW ", and the one that the stack's key was made with; where it is gone for good, an apply "
			      "without TRUEUP_SEALING_KEY settles what is open, and "
			      "'trueup state rekey' then gives the stack another key",
		.diagnostics = diagnostics,
	};
	struct value_member members[] = {
		{value_text("CiphertextBlob"), value_string(wrapped)},
		{value_text("EncryptionContext"), context_of(clear, key)},
		{value_text("KeyId"), value_string(key->name)},
	};
	struct value input = value_map(members, sizeof(members) / sizeof(members[0])), answer;

	return ask(&asking, &input, &answer) && take_bytes(&asking, &answer, "Plaintext", ret);
}
