#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "providers/aws/errors.h"

static const char EC2_ERROR[] =
	"<?xml version=\"1.0\" "
	"encoding=\"UTF-8\"?>\n<Response><Errors><Error><Code>InvalidVpcID.NotFound</Code><Message>The "
	"vpc ID 'vpc-1' does not exist</Message></Error></Errors><RequestID>r-1</RequestID></Response>";
static const char QUERY_ERROR[] =
	"<ErrorResponse xmlns=\"http://autoscaling.amazonaws.com/doc/2011-01-01/\"><Error><Type>Sender</Type>\n"
	"<Code>AlreadyExists</Code><Message>a &amp; b</Message></Error><RequestId>r-2</RequestId></ErrorResponse>";
static const char PAGE[] = "<!doctype html>\n<html lang=en>\n<title>500 Internal Server Error</title>\n";

static const struct {
	const char *name;
	int status;
	const char *header_name;
	const char *header_value;
	const char *body;
	bool mutating;
	enum fault fault;
	const char *code;
	const char *message;
	const char *request_id;
} answers[] = {
	{"EC2", 400, "a", "b", EC2_ERROR, false, FAULT_ABSENT, "InvalidVpcID.NotFound",
	 "The vpc ID 'vpc-1' does not exist", "r-1"},
	{"query", 400, "a", "b", QUERY_ERROR, false, FAULT_CONFLICT, "AlreadyExists", "a & b", "r-2"},
	{"the first of two", 400, "a", "b",
	 "<Response><Errors><Error><Code>AuthFailure</Code><Message>m</Message></Error><Error><Code>Other</"
	 "Code>"
	 "<Message>n</Message></Error></Errors></Response>",
	 false, FAULT_AUTH, "AuthFailure", "m", ""},
	{"an id in a header", 403, "X-Amzn-RequestId", " r-3 ",
	 "<Response><Errors><Error><Code>UnauthorizedOperation</Code></Error></Errors></Response>", true, FAULT_AUTH,
	 "UnauthorizedOperation", "", "r-3"},
	{"cut within the message", 400, "a", "b",
	 "<Response><Errors><Error><Code>DependencyViolation</Code><Message>The vpc", false, FAULT_CONFLICT,
	 "DependencyViolation", "", ""},
	{"cut within the code", 400, "a", "b", "<Response><Errors><Error><Code>Dependency", false, FAULT_USER, "",
	 "HTTP 400 with an answer that is no AWS error: <Response><Errors><Error><Code>Dependency", ""},
	{"an unknown action elsewhere", 500, "Server", "Werkzeug", PAGE, false, FAULT_UNSUPPORTED, "",
	 "this endpoint does not know the operation (HTTP 500)", ""},
	{"of a change", 500, "Server", "Werkzeug/3.0.1 Python/3.11.7", PAGE, true, FAULT_UNSUPPORTED, "",
	 "this endpoint does not know the operation (HTTP 500)", ""},
	{"of a change, by whoever it is: it may have been made", 500, "Server", "nginx", PAGE, true, FAULT_AMBIGUOUS,
	 "",
	 "HTTP 500 with an answer that is no AWS error: <!doctype html>\\n<html lang=en>\\n<title>500 Internal "
	 "Server Error</title>\\n",
	 ""},
	{"a page of AWS", 500, "x-amzn-requestid", "r-4", PAGE, true, FAULT_AMBIGUOUS, "",
	 "HTTP 500 with an answer that is no AWS error: <!doctype html>\\n<html lang=en>\\n<title>500 Internal "
	 "Server Error</title>\\n",
	 "r-4"},
	{"a page of AWS, nothing changed", 500, "x-amzn-requestid", "r-4", PAGE, false, FAULT_TRANSIENT, "",
	 "HTTP 500 with an answer that is no AWS error: <!doctype html>\\n<html lang=en>\\n<title>500 Internal "
	 "Server Error</title>\\n",
	 "r-4"},
	{"a page of a proxy", 502, "a", "b", "<html>Bad gateway</html>", true, FAULT_AMBIGUOUS, "",
	 "HTTP 502 with an answer that is no AWS error: <html>Bad gateway</html>", ""},
	{"a page of a proxy, nothing changed", 502, "a", "b", "<html>Bad gateway</html>", false, FAULT_TRANSIENT, "",
	 "HTTP 502 with an answer that is no AWS error: <html>Bad gateway</html>", ""},
	{"no such path", 404, "Server", "Werkzeug/3.0.1", "404 page not found\n", false, FAULT_UNSUPPORTED, "",
	 "this endpoint does not know the operation (HTTP 404)", ""},
	{"no such path, by whoever it is: what the service knows nobody has said", 404, "a", "b",
	 "404 page not found\n", false, FAULT_USER, "",
	 "HTTP 404 with an answer that is no AWS error: 404 page not found\\n", ""},
	{"a page of a proxy that failed, nothing changed", 500, "Server", "squid", PAGE, false, FAULT_TRANSIENT, "",
	 "HTTP 500 with an answer that is no AWS error: <!doctype html>\\n<html lang=en>\\n<title>500 Internal "
	 "Server Error</title>\\n",
	 ""},
	{"not implemented, by whoever it is", 501, "a", "b", "<html>", false, FAULT_TRANSIENT, "",
	 "HTTP 501 with an answer that is no AWS error: <html>", ""},
	{"an answer that a filter held back, of a change", 403, "a", "b", "<html>Blocked</html>", true, FAULT_AMBIGUOUS,
	 "", "HTTP 403 with an answer that is no AWS error: <html>Blocked</html>", ""},
	{"no such path, of a change", 404, "a", "b", "<html>", true, FAULT_AMBIGUOUS, "",
	 "HTTP 404 with an answer that is no AWS error: <html>", ""},
	{"not implemented, of a change", 501, "a", "b", "<html>", true, FAULT_AMBIGUOUS, "",
	 "HTTP 501 with an answer that is no AWS error: <html>", ""},
	{"a redirect of a change", 302, "Location", "https://x/", "", true, FAULT_AMBIGUOUS, "",
	 "the endpoint points elsewhere (HTTP 302)", ""},
	{"a proxy that wants a password has passed nothing on", 407, "a", "b", "<html>", true, FAULT_AUTH, "",
	 "HTTP 407 with an answer that is no AWS error: <html>", ""},
	{"not implemented", 501, "a", "b",
	 "<Response><Errors><Error><Code>InternalFailure</Code><Message>not "
	 "yet</Message></Error></Errors></Response>",
	 true, FAULT_UNSUPPORTED, "InternalFailure", "not yet", ""},
	{"a redirect", 301, "Location", "https://x/", "", false, FAULT_USER, "",
	 "the endpoint points elsewhere (HTTP 301)", ""},
	{"nothing, of a changing call", 500, "a", "b", "", true, FAULT_AMBIGUOUS, "", "HTTP 500 with an empty answer",
	 ""},
	{"nothing, slow down", 429, "a", "b", "", true, FAULT_THROTTLED, "", "HTTP 429 with an empty answer", ""},
	{"entities", 400, "a", "b",
	 "<!DOCTYPE a [<!ENTITY b \"AuthFailure\">]><Response><Error><Code>&b;</Code></Error></Response>", false,
	 FAULT_USER, "",
	 "HTTP 400 with an answer that is no AWS error: <!DOCTYPE a [<!ENTITY b "
	 "\"AuthFailure\">]><Response><Error>"
	 "<Code>&b;</Code></Error></Response>",
	 ""},
	{"bytes that a terminal would obey", 400, "a", "b", "{\"a\":\x1b[31m\xc3\xa4}\n", false, FAULT_USER, "",
	 "HTTP 400 with an answer that is no AWS error: {\"a\":\\x1b[31m\\xc3\\xa4}\\n", ""},
	{"a code outside an error", 400, "a", "b", "<Response><Code>AuthFailure</Code></Response>", false, FAULT_USER,
	 "", "HTTP 400 with an answer that is no AWS error: <Response><Code>AuthFailure</Code></Response>", ""},
};

static void test_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct http_header headers[] = {{slice_of(answers[i].header_name), slice_of(answers[i].header_value)}};
		struct http_response response = {
			.answered = true,
			.status = answers[i].status,
			.headers = headers,
			.header_count = 1,
			.body = slice_of(answers[i].body),
		};
		struct aws_error error;
		struct arena arena;

		arena_init(&arena);
		aws_error_read(&response, answers[i].mutating, NULL, &arena, &error);
		if (error.fault != answers[i].fault || error.status != answers[i].status)
			fail_msg("%s: fault %d", answers[i].name, (int)error.fault);
		/* Only the page that moto has for its own accidents as well. */
		if (error.doubted != (strcmp(answers[i].name, "an unknown action elsewhere") == 0))
			fail_msg("%s: doubted", answers[i].name);
		if (!slice_is(error.code, answers[i].code) || !slice_is(error.message, answers[i].message) ||
		    !slice_is(error.request_id, answers[i].request_id))
			fail_msg("%s: '%.*s' '%.*s' '%.*s'", answers[i].name, SLICE_ARGUMENTS(error.code),
				 SLICE_ARGUMENTS(error.message), SLICE_ARGUMENTS(error.request_id));
		arena_release(&arena);
	}
}

/* An excerpt is cut, and has escapes for what is not ASCII: no part of a secret is left. */
static void test_excerpt_without_secrets(void **state)
{
	static const struct {
		const char *name, *secret, *body, *shown;
	} rows[] = {
		{"whole", "correct-horse-battery", "you sent correct-horse-battery!", "you sent (secret)!"},
		{"cut in the middle", "correct-horse-battery",
		 "####################################################################################"
		 "correct-horse-battery, more than is shown",
		 "####################################################################################(secret), more t"
		 "..."},
		{"beyond ASCII", "Z\xc3\xbcrich-geheim", "Z\xc3\xbcrich-geheim", "(secret)"},
		{"with a backslash", "back\\slash-secret", "back\\slash-secret", "(secret)"},
		{"two lines", "line-one\nline-two", "line-one\nline-two", "(secret)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct http_response response = {.answered = true, .status = 502, .body = slice_of(rows[i].body)};
		struct redaction untold;
		struct aws_error error;
		struct arena arena;

		arena_init(&arena);
		redaction_init(&untold);
		redaction_add(&untold, slice_of(rows[i].secret));
		aws_error_read(&response, true, &untold, &arena, &error);
		if (!slice_ends_with(error.message, slice_of(rows[i].shown)))
			fail_msg("%s: '%.*s'", rows[i].name, SLICE_ARGUMENTS(error.message));
		redaction_release(&untold);
		arena_release(&arena);
	}
}

/* A message that repeats user data: cut at 16 KiB, never within a secret or a character. */
static void test_long_message(void **state)
{
	enum { MOST = 16 * 1024 };
	static const struct {
		const char *name;
		size_t before; /* bytes before what is told, which follows the same again */
		const char *told, *end;
	} rows[] = {
		{"not too long", MOST / 2 - 10, "", "xxx"},
		{"in one piece", MOST, "", "xxx..."},
		{"a line at a time", MOST - 1, "&#10;", "x\n..."},
		{"cut at a secret", MOST - 4, "correct-horse-battery", "xxx(sec..."},
		{"cut in a character", MOST - 2, "\xe2\x82\xac", "xxx..."},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct http_response response = {.answered = true, .status = 400};
		struct redaction untold;
		struct aws_error error;
		struct buffer body;
		struct arena arena;

		arena_init(&arena);
		buffer_init(&body, 4 * MOST);
		redaction_init(&untold);
		redaction_add(&untold, SLICE("correct-horse-battery"));
		buffer_string(&body, "<Response><Errors><Error><Code>C</Code><Message>");
		for (size_t k = 0; k < rows[i].before; k++)
			buffer_byte(&body, 'x');
		buffer_string(&body, rows[i].told);
		for (size_t k = 0; k < rows[i].before; k++)
			buffer_byte(&body, 'x');
		buffer_string(&body, "</Message></Error></Errors></Response>");
		response.body = buffer_slice(&body);
		aws_error_read(&response, true, &untold, &arena, &error);
		if (!slice_is(error.code, "C") || !slice_starts_with(error.message, SLICE("xxx")) ||
		    !slice_ends_with(error.message, slice_of(rows[i].end)) || error.message.size > MOST + 3)
			fail_msg("%s: %zu bytes", rows[i].name, error.message.size);
		redaction_release(&untold);
		buffer_release(&body);
		arena_release(&arena);
	}
}

static void test_no_answer(void **state)
{
	struct http_response response = {.fault = FAULT_AUTH, .message = SLICE("certificate has expired")};
	struct aws_error error;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	aws_error_read(&response, true, NULL, &arena, &error);
	assert_int_equal(error.fault, FAULT_AUTH);
	assert_true(slice_is(error.message, "certificate has expired"));
	assert_int_equal(error.status, 0);
	arena_release(&arena);
}

static void test_retry_after(void **state)
{
	static const struct {
		const char *value;
		int64_t wait_ms;
	} rows[] = {
		{"3", 3000},
		{"60", 60000},
		{"61", 60000},
		{" 0 ", 0},
		{"-1", 0},
		{"99999999999", 60000},
		{"Wed, 21 Oct 2015 07:28:00 GMT", 0},
		{"", 0},
		{"1.5", 0},
		{"x", 0},
		{"99999999999999999999", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct http_header headers[] = {{SLICE("Retry-After"), slice_of(rows[i].value)}};
		struct http_response response = {
			.answered = true, .status = 503, .headers = headers, .header_count = 1};
		struct aws_error error;
		struct arena arena;

		arena_init(&arena);
		aws_error_read(&response, false, NULL, &arena, &error);
		if (error.retry_after_ms != rows[i].wait_ms)
			fail_msg("%s: %lld ms", rows[i].value, (long long)error.retry_after_ms);
		arena_release(&arena);
	}
}

static const struct {
	const char *code;
	int status;
	bool mutating;
	enum fault fault;
} faults[] = {
	/* The first and last of the table, and what is near them. */
	{"AccessDenied", 403, false, FAULT_AUTH},
	{"Access", 400, false, FAULT_USER},
	{"VolumeInUse", 400, false, FAULT_CONFLICT},
	/* Every throttling code. */
	{"Throttling", 400, true, FAULT_THROTTLED},
	{"ThrottlingException", 400, true, FAULT_THROTTLED},
	{"ThrottledException", 400, true, FAULT_THROTTLED},
	{"RequestThrottled", 400, true, FAULT_THROTTLED},
	{"RequestThrottledException", 400, true, FAULT_THROTTLED},
	{"TooManyRequestsException", 429, true, FAULT_THROTTLED},
	{"RequestLimitExceeded", 503, true, FAULT_THROTTLED},
	{"EC2ThrottledException", 400, true, FAULT_THROTTLED},
	{"SlowDown", 503, true, FAULT_THROTTLED},
	{"BandwidthLimitExceeded", 400, true, FAULT_THROTTLED},
	{"PriorRequestNotComplete", 400, true, FAULT_THROTTLED},
	/* Credentials. */
	{"AuthFailure", 401, false, FAULT_AUTH},
	{"UnauthorizedOperation", 403, true, FAULT_AUTH},
	{"InvalidClientTokenId", 403, false, FAULT_AUTH},
	{"SignatureDoesNotMatch", 403, false, FAULT_AUTH},
	{"ExpiredToken", 403, false, FAULT_AUTH},
	{"RequestExpired", 400, false, FAULT_AUTH},
	{"OptInRequired", 403, false, FAULT_AUTH},
	{"IncompleteSignature", 400, false, FAULT_AUTH},
	{"MissingAuthenticationToken", 403, false, FAULT_AUTH},
	{"SomethingNew", 403, false, FAULT_AUTH},
	/* Operations the endpoint lacks. */
	{"InvalidAction", 400, true, FAULT_UNSUPPORTED},
	{"UnknownOperationException", 404, true, FAULT_UNSUPPORTED},
	{"Anything", 501, true, FAULT_UNSUPPORTED},
	/* Absent. */
	{"InvalidSubnetID.NotFound", 400, true, FAULT_ABSENT},
	{"InvalidInstanceID.Malformed", 400, true, FAULT_ABSENT},
	{"InvalidLaunchTemplateName.NotFoundException", 400, true, FAULT_ABSENT},
	{"InvalidLaunchTemplateId.VersionNotFound", 400, true, FAULT_ABSENT},
	{"Gateway.NotAttached", 400, true, FAULT_ABSENT},
	{"MalformedQueryString", 400, true, FAULT_USER},
	/* Conflicts and quotas. */
	{"DependencyViolation", 400, true, FAULT_CONFLICT},
	{"InvalidSubnet.Conflict", 400, true, FAULT_CONFLICT},
	{"CidrConflict", 400, true, FAULT_CONFLICT},
	{"InvalidPermission.Duplicate", 400, true, FAULT_CONFLICT},
	{"InvalidCustomerGateway.DuplicateIpAddress", 400, true, FAULT_CONFLICT},
	{"InvalidGroup.InUse", 400, true, FAULT_CONFLICT},
	{"RouteAlreadyExists", 400, true, FAULT_CONFLICT},
	{"Resource.AlreadyAssociated", 400, true, FAULT_CONFLICT},
	{"InvalidLaunchTemplateName.AlreadyExistsException", 400, true, FAULT_CONFLICT},
	{"VpcLimitExceeded", 400, true, FAULT_CONFLICT},
	{"InsufficientInstanceCapacity", 500, true, FAULT_CONFLICT},
	{"InsufficientFreeAddressesInSubnet", 400, true, FAULT_CONFLICT},
	/* The server's own faults: only a call that changes nothing is known not to have done anything. */
	{"InternalError", 500, true, FAULT_AMBIGUOUS},
	{"InternalError", 500, false, FAULT_TRANSIENT},
	{"ServiceUnavailable", 503, true, FAULT_AMBIGUOUS},
	{"Unavailable", 503, false, FAULT_TRANSIENT},
	{"SomethingNew", 500, true, FAULT_AMBIGUOUS},
	{"SomethingNew", 599, false, FAULT_TRANSIENT},
	{"ResourceContention", 500, true, FAULT_TRANSIENT},
	{"RequestTimeout", 400, true, FAULT_AMBIGUOUS},
	{"RequestTimeout", 400, false, FAULT_TRANSIENT},
	{"RequestTimeoutException", 400, false, FAULT_TRANSIENT},
	/* The rest of the table. */
	{"AccessDeniedException", 400, true, FAULT_AUTH},
	{"Blocked", 400, true, FAULT_AUTH},
	{"ConcurrentModification", 400, true, FAULT_TRANSIENT},
	{"ConcurrentTagAccess", 400, true, FAULT_TRANSIENT},
	{"ExpiredTokenException", 400, true, FAULT_AUTH},
	{"IdempotentParameterMismatch", 400, true, FAULT_CONFLICT},
	{"IncompleteSignatureException", 400, true, FAULT_AUTH},
	{"IncorrectInstanceState", 400, true, FAULT_CONFLICT},
	{"IncorrectState", 400, true, FAULT_CONFLICT},
	{"InternalFailure", 400, true, FAULT_AMBIGUOUS},
	{"InvalidAccessKeyId", 400, true, FAULT_AUTH},
	{"InvalidSignatureException", 400, true, FAULT_AUTH},
	{"MissingAuthenticationTokenException", 400, true, FAULT_AUTH},
	{"NoSuchEntity", 400, true, FAULT_ABSENT},
	{"NoSuchVersion", 400, true, FAULT_UNSUPPORTED},
	{"NotAuthorized", 400, true, FAULT_AUTH},
	{"NotImplemented", 400, true, FAULT_UNSUPPORTED},
	{"PendingVerification", 400, true, FAULT_AUTH},
	{"RequestTimeTooSkewed", 400, true, FAULT_AUTH},
	{"ResourceInUse", 400, true, FAULT_CONFLICT},
	{"ScalingActivityInProgress", 400, true, FAULT_CONFLICT},
	{"UnknownOperation", 400, true, FAULT_UNSUPPORTED},
	{"UnrecognizedClientException", 400, true, FAULT_AUTH},
	/* What nothing tells is the user's. */
	{"InvalidParameterValue", 400, true, FAULT_USER},
	{"ValidationError", 400, true, FAULT_USER},
	{"", 0, true, FAULT_USER},
};

static void test_fault(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		enum fault fault = aws_error_fault(slice_of(faults[i].code), faults[i].status, faults[i].mutating);

		if (fault != faults[i].fault)
			fail_msg("%s with %d: fault %d", faults[i].code, faults[i].status, (int)fault);
	}
}

/* Cut anywhere: the code and message of the whole, or none. */
static void test_cut(void **state)
{
	static const char *const bodies[] = {EC2_ERROR, QUERY_ERROR};
	static const char *const codes[] = {"InvalidVpcID.NotFound", "AlreadyExists"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		for (size_t size = 0; size <= strlen(bodies[i]); size++) {
			char *copy = malloc(size + (size == 0));
			struct http_response response = {.answered = true, .status = 400, .body = {copy, size}};
			struct aws_error error;
			struct arena arena;

			assert_non_null(copy);
			memcpy(copy, bodies[i], size);
			arena_init(&arena);
			aws_error_read(&response, false, NULL, &arena, &error);
			if (error.code.size > 0 && !slice_is(error.code, codes[i]))
				fail_msg("%zu bytes: %.*s", size, SLICE_ARGUMENTS(error.code));
			assert_true(size < strlen(bodies[i]) || error.code.size > 0);
			arena_release(&arena);
			free(copy);
		}
	}
}

static void test_hints(void **state)
{
	static const struct {
		const char *code;
		enum fault fault;
		const char *hint; /* a part of it, or NULL for none */
	} rows[] = {
		{"VpcLimitExceeded", FAULT_CONFLICT, "higher quota"},
		{"InsufficientInstanceCapacity", FAULT_CONFLICT, "another zone"},
		{"DependencyViolation", FAULT_CONFLICT, "still uses it"},
		{"InvalidGroup.Duplicate", FAULT_CONFLICT, "another name"},
		{"InvalidSubnet.Conflict", FAULT_CONFLICT, "choose another one"},
		{"InvalidParameterValue", FAULT_USER, "change them in the spec"},
		{"InvalidNextToken", FAULT_USER, "run again: the list is read from its beginning"},
		{"MissingParameter", FAULT_USER, "add it there"},
		{"ExpiredToken", FAULT_AUTH, "new credentials"},
		{"SignatureDoesNotMatch.TooSkewed", FAULT_AUTH, "set the machine's clock"},
		{"InternalError", FAULT_AMBIGUOUS, "the outcome is unknown"},
		{"", FAULT_AMBIGUOUS, "the outcome is unknown"},
		{"Throttling", FAULT_THROTTLED, "--parallelism"},
		{"Unavailable", FAULT_TRANSIENT, "what was done is recorded"},
		{"", FAULT_TRANSIENT, "can be reached"},
		{"InvalidSubnetID.NotFound", FAULT_ABSENT, "check the ids"},
		/* The caller names the operation. */
		{"UnauthorizedOperation", FAULT_AUTH, NULL},
		{"InvalidAction", FAULT_UNSUPPORTED, NULL},
		/* What is no error of the API says nothing of the spec. */
		{"", FAULT_USER, NULL},
		{"SomethingNew", FAULT_USER, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct slice hint = slice_of(aws_error_hint(slice_of(rows[i].code), rows[i].fault));

		if (rows[i].hint ? !slice_contains(hint, slice_of(rows[i].hint)) : hint.size > 0)
			fail_msg("%s, fault %d: '%.*s'", rows[i].code, (int)rows[i].fault, SLICE_ARGUMENTS(hint));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),	  cmocka_unit_test(test_excerpt_without_secrets),
		cmocka_unit_test(test_no_answer), cmocka_unit_test(test_retry_after),
		cmocka_unit_test(test_fault),	  cmocka_unit_test(test_hints),
		cmocka_unit_test(test_cut),	  cmocka_unit_test(test_long_message),
	};

	return cmocka_run_group_tests_name("providers/aws/errors", tests, NULL, NULL);
}
