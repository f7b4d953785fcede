#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "providers/aws/aws.h"
#include "providers/aws/shape.h"

/* How the requests of a session are made: where they go, how fast, and how long they may take. */

struct variables {
	const char *common;
	const char *ec2;
	const char *region; /* NULL: eu-central-1 */
	const char *autoscaling;
	const char *fips;
	const char *dual_stack;
};

static const char *environment(struct world *world, const char *name)
{
	const struct variables *variables = world->context;

	if (strcmp(name, "AWS_ENDPOINT_URL") == 0)
		return variables->common;
	if (strcmp(name, "AWS_ENDPOINT_URL_EC2") == 0)
		return variables->ec2;
	if (strcmp(name, "AWS_ENDPOINT_URL_AUTO_SCALING") == 0)
		return variables->autoscaling;
	if (strcmp(name, "AWS_USE_FIPS_ENDPOINT") == 0)
		return variables->fips;
	if (strcmp(name, "AWS_USE_DUALSTACK_ENDPOINT") == 0)
		return variables->dual_stack;
	if (strcmp(name, "AWS_REGION") == 0)
		return variables->region ? variables->region : "eu-central-1";
	return strstr(name, "_KEY") ? "key" : NULL;
}

static const struct row {
	const char *name;
	struct variables variables;
	const char *service;
	const char *operation;
	const char *url;
	double burst;
} rows[] = {
	{"AWS's own", {0}, "ec2", "DescribeVpcs", "https://ec2.eu-central-1.amazonaws.com/", 100},
	{"a change", {0}, "ec2", "CreateVpc", "https://ec2.eu-central-1.amazonaws.com/", 50},
	{"its own in China",
	 {.region = "cn-north-1"},
	 "ec2",
	 "DescribeVpcs",
	 "https://ec2.cn-north-1.amazonaws.com.cn/",
	 100},
	{"its own in the European sovereign cloud",
	 {.region = "eusc-de-east-1"},
	 "ec2",
	 "DescribeVpcs",
	 "https://ec2.eusc-de-east-1.amazonaws.eu/",
	 100},
	{"its own of the secret regions",
	 {.region = "us-isob-east-1"},
	 "sts",
	 "GetCallerIdentity",
	 "https://sts.us-isob-east-1.sc2s.sgov.gov/",
	 100},
	{"its own for the government",
	 {.region = "us-gov-west-1"},
	 "ec2",
	 "DescribeVpcs",
	 "https://ec2.us-gov-west-1.amazonaws.com/",
	 100},
	{"one that meets FIPS",
	 {.fips = "true"},
	 "sts",
	 "GetCallerIdentity",
	 "https://sts-fips.eu-central-1.amazonaws.com/",
	 100},
	{"one of the government that meets FIPS",
	 {.fips = "TRUE", .region = "us-gov-west-1"},
	 "ec2",
	 "DescribeVpcs",
	 "https://ec2.us-gov-west-1.amazonaws.com/",
	 100},
	{"one that need not", {.fips = "false"}, "ec2", "DescribeVpcs", "https://ec2.eu-central-1.amazonaws.com/", 100},
	{"one with IPv6",
	 {.dual_stack = "true", .region = "cn-north-1"},
	 "ec2",
	 "DescribeVpcs",
	 "https://ec2.cn-north-1.api.amazonwebservices.com.cn/",
	 100},
	{"one with both",
	 {.fips = "true", .dual_stack = "true", .region = "us-gov-west-1"},
	 "autoscaling",
	 "DescribeAutoScalingGroups",
	 "https://autoscaling-fips.us-gov-west-1.api.aws/",
	 100},
	{"a server for one whose name has two words",
	 {.autoscaling = "http://c/"},
	 "autoscaling",
	 "DescribeAutoScalingGroups",
	 "http://c/",
	 0},
	{"a server for all", {.common = "http://a"}, "ec2", "DescribeVpcs", "http://a/", 0},
	{"a server for one, asked", {.ec2 = "http://b/"}, "ec2", "DescribeVpcs", "http://b/", 0},
	{"AWS's own, by a name of the user's network",
	 {.ec2 = "https://vpce-1.ec2.eu-central-1.vpce.amazonaws.com:443"},
	 "ec2",
	 "DescribeVpcs",
	 "https://vpce-1.ec2.eu-central-1.vpce.amazonaws.com:443/",
	 100},
	{"one that has but a part of that name",
	 {.ec2 = "http://notamazonaws.com"},
	 "ec2",
	 "DescribeVpcs",
	 "http://notamazonaws.com/",
	 0},
	{"a server for one, another asked",
	 {.ec2 = "http://b/"},
	 "sts",
	 "GetCallerIdentity",
	 "https://sts.eu-central-1.amazonaws.com/",
	 100},
	{"its own before the common one",
	 {.common = "http://a", .ec2 = "http://b/"},
	 "ec2",
	 "DescribeVpcs",
	 "http://b/",
	 0},
};

static void check(const struct row *row, struct arena *arena)
{
	struct variables variables = row->variables;
	struct world world = {.context = &variables, .environment = environment};
	struct value none = value_map(NULL, 0);
	struct session *session = NULL;
	struct diagnostics diagnostics;
	struct http_request request;

	diagnostics_init(&diagnostics, arena);
	assert_true(aws_open(&aws_provider, &world, SLICE("aws"), &none, arena, &session, &diagnostics));
	struct call call = {
		.session = session,
		.operation = row->operation,
		.definition = aws_operation(aws_service(slice_of(row->service)), slice_of(row->operation)),
		.parameters = &none,
		.mutating = strncmp(row->operation, "Create", 6) == 0,
	};
	assert_true(aws_prepare(&call, 0, arena, &request, &diagnostics));
	if (!slice_is(request.url, row->url))
		fail_msg("%s: goes to %.*s", row->name, SLICE_ARGUMENTS(request.url));
	if (aws_limits(&call).burst < row->burst || aws_limits(&call).burst > row->burst)
		fail_msg("%s: %f at once", row->name, aws_limits(&call).burst);
	/* However slowly it trickles in, it has an end. */
	if (request.total_timeout_ms <= 0 || request.total_timeout_ms > 60000)
		fail_msg("%s: may take %lld ms", row->name, (long long)request.total_timeout_ms);
	aws_close(session);
	diagnostics_release(&diagnostics);
}

static void test_requests(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena arena;

		arena_init(&arena);
		check(&rows[i], &arena);
		arena_release(&arena);
	}
}

/* What a message alone tells of an error. */
static const struct told {
	const char *code, *message, *finer;
} told[] = {
	{"ValidationError", "AutoScalingGroup name not found - g", "ValidationError.NotFound"},
	{"ValidationError", "You must use a valid fully-formed launch template. The key pair 'k' does not exist",
	 "ValidationError.LaunchTemplateNotFound"},
	{"ValidationError", "You must use a valid launch template. Invalid IAM Instance Profile name",
	 "ValidationError.IamInstanceProfile"},
	{"InvalidParameterValue",
	 "Value (p) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name",
	 "InvalidParameterValue.IamInstanceProfile"},
	{"InvalidGroup.NotFound", "You have specified two resources that belong to different networks.",
	 "InvalidGroup.OtherNetwork"},
	{"InvalidGroup.NotFound", "The security group 'sg-1' does not exist", "InvalidGroup.NotFound"},
	{"ValidationError",
	 "You must use a valid fully-formed launch template. The image id '[ami-0123456789abcdef0]' does not exist",
	 "ValidationError.InvalidAMIID"},
	{"SignatureDoesNotMatch",
	 "Signature expired: 20191029T154623Z is now earlier than 20191029T163344Z (20191029T164844Z - 15 min.)",
	 "SignatureDoesNotMatch.TooSkewed"},
	{"SignatureDoesNotMatch",
	 "Signature not yet current: 20190305T002809Z is still later than 20190304T214315Z (20190304T212815Z + 15 "
	 "min.)",
	 "SignatureDoesNotMatch.TooSkewed"},
	{"SignatureDoesNotMatch", "The request signature we calculated does not match", "SignatureDoesNotMatch"},
	{"InvalidParameterValue", "Value (p) for parameter x is invalid.", "InvalidParameterValue"},
};

static void test_finer_codes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		struct session session = {0};
		struct call call = {.session = &session, .mutating = true};
		struct answer answer;
		struct arena arena;

		arena_init(&arena);
		struct http_response response = {
			.answered = true,
			.status = 400,
			.body = arena_format(&arena,
					     "<Response><Errors><Error><Code>%s</Code><Message>%s</Message></Error>"
					     "</Errors></Response>",
					     told[i].code, told[i].message),
		};
		aws_interpret(&call, &response, &arena, &answer);
		if (!slice_is(answer.code, told[i].finer))
			fail_msg("%s: taken for %.*s", told[i].message, SLICE_ARGUMENTS(answer.code));
		arena_release(&arena);
	}
}

/* What an answer to a create has of what it has to tell. */
static const struct {
	const char *name, *body;
	bool ok;
} answers[] = {
	{"all", "<keyName>k</keyName><keyPairId>key-1</keyPairId><keyMaterial>m</keyMaterial>", true},
	{"no id", "<keyName>k</keyName><keyMaterial>m</keyMaterial>", false},
	{"an empty id", "<keyPairId/><keyMaterial>m</keyMaterial>", false},
	{"no key", "<keyName>k</keyName><keyPairId>key-1</keyPairId>", false},
	{"nothing", "", false},
};

/* One that does not say what was made is as none: what came of the call has to be found out. */
static void test_answers_tell(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct session session = {0};
		struct call call = {
			.session = &session,
			.definition = aws_operation(aws_service(SLICE("ec2")), SLICE("CreateKeyPair")),
			.mutating = true,
			.tells = {"KeyPairId", "KeyMaterial"},
		};
		struct answer answer;
		struct arena arena;

		arena_init(&arena);
		struct http_response response = {
			.answered = true,
			.status = 200,
			.body = arena_format(&arena, "<CreateKeyPairResponse>%s</CreateKeyPairResponse>",
					     answers[i].body),
		};
		aws_interpret(&call, &response, &arena, &answer);
		if (answer.ok != answers[i].ok || (!answer.ok && answer.fault != FAULT_AMBIGUOUS))
			fail_msg("%s: ok %d, fault %d", answers[i].name, answer.ok, (int)answer.fault);
		arena_release(&arena);
	}
}

/* A read has nothing of the call that was set before it. */
static void test_calls_set(void **state)
{
	static const struct aws_kind kind = {.service = "ec2"};
	static const struct aws_call change = {.operation = "CreateVpc", .recipe = RECIPE_SNAPSHOT};
	struct aws_parameters parameters = {.count = 0};
	struct task task = {0};

	(void)state;
	arena_init(&task.scratch);
	aws_call_set(&task, NULL, &kind, &change, &parameters);
	assert_true(task.call.mutating && task.call.recipe == RECIPE_SNAPSHOT);
	assert_string_equal(task.call.operation, "CreateVpc");
	aws_read_set(&task, NULL, &kind, "DescribeVpcs", &parameters);
	assert_false(task.call.mutating || task.call.recipe == RECIPE_SNAPSHOT);
	assert_ptr_equal(task.call.definition, aws_operation(aws_service(SLICE("ec2")), SLICE("DescribeVpcs")));
	arena_release(&task.scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_requests), cmocka_unit_test(test_finer_codes),
					   cmocka_unit_test(test_answers_tell), cmocka_unit_test(test_calls_set)};

	return cmocka_run_group_tests_name("aws session", tests, NULL, NULL);
}
