#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "providers/aws/kinds/kinds.h"
#include "tests/unit/support_aws.h"

/* What the driver sends for an object, call by call, and what it makes of the answers. */

#define OURS                                                                                                           \
	"{\"Key\":\"trueup:stack\",\"Value\":\"stack\"},{\"Key\":\"trueup:object\",\"Value\":\"object\"},"             \
	"{\"Key\":\"trueup:intent\",\"Value\":\"intent\"},{\"Key\":\"trueup:generation\",\"Value\":\"1\"},{\"Key\":"   \
	"\"trueup:address\",\"Value\":\"aws.x.test\"}"
#define OTHERS                                                                                                         \
	"{\"Key\":\"trueup:stack\",\"Value\":\"stack\"},{\"Key\":\"trueup:object\",\"Value\":\"other\"},"              \
	"{\"Key\":\"trueup:address\",\"Value\":\"aws.x.twin\"}"
#define BY_ID(filter, id) "{\"Filters\":[{\"Name\":\"" filter "\",\"Values\":[\"" id "\"]}]}"

/* A VPC as the listing shows it. */
#define VPC(state, tags)                                                                                               \
	"{\"Vpcs\":[{\"VpcId\":\"vpc-1\",\"CidrBlock\":\"10.0.0.0/16\",\"State\":\"" state "\",\"Tags\":[" tags "]}]}"
#define LIST_VPC(state, tags)                                                                                          \
	{                                                                                                              \
		"DescribeVpcs", BY_ID("vpc-id", "vpc-1"), VPC(state, tags), NULL, 0                                    \
	}
#define READ_HOSTNAMES(value)                                                                                          \
	{                                                                                                              \
		"DescribeVpcAttribute", "{\"VpcId\":\"vpc-1\",\"Attribute\":\"enableDnsHostnames\"}",                  \
			"{\"EnableDnsHostnames\":{\"Value\":" value "}}", NULL, 0                                      \
	}
#define DENIED_HOSTNAMES                                                                                               \
	{                                                                                                              \
		"DescribeVpcAttribute", "{\"VpcId\":\"vpc-1\",\"Attribute\":\"enableDnsHostnames\"}", NULL,            \
			"UnauthorizedOperation", 0                                                                     \
	}
#define DENIED_SUPPORT                                                                                                 \
	{                                                                                                              \
		"DescribeVpcAttribute", "{\"VpcId\":\"vpc-1\",\"Attribute\":\"enableDnsSupport\"}", NULL,              \
			"UnauthorizedOperation", 0                                                                     \
	}
#define CLEAR_SUPPORT                                                                                                  \
	{                                                                                                              \
		"ModifyVpcAttribute", "{\"VpcId\":\"vpc-1\",\"EnableDnsSupport\":{\"Value\":false}}", "{}", NULL, 0    \
	}
#define SET_HOSTNAMES                                                                                                  \
	{                                                                                                              \
		"ModifyVpcAttribute", "{\"VpcId\":\"vpc-1\",\"EnableDnsHostnames\":{\"Value\":true}}", "{}", NULL, 0   \
	}
#define CREATE_VPC(tags)                                                                                               \
	{                                                                                                              \
		"CreateVpc",                                                                                           \
			"{\"CidrBlock\":\"10.0.0.0/"                                                                   \
			"16\",\"TagSpecifications\":[{\"ResourceType\":\"vpc\",\"Tags\":[" tags OURS "]}]}",           \
			"{\"Vpc\":{\"VpcId\":\"vpc-1\"}}", NULL, 0                                                     \
	}

#define REFUSED_RANGE(after_silence)                                                                                   \
	{                                                                                                              \
		.operation = "AssociateVpcCidrBlock", .code = after_silence "CidrLimitExceeded"                        \
	}
#define WITH_RANGE                                                                                                     \
	{                                                                                                              \
		.operation = "DescribeVpcs",                                                                           \
		.answer = "{\"Vpcs\":[{\"VpcId\":\"vpc-1\",\"CidrBlock\":\"10.0.0.0/16\","                             \
			  "\"State\":\"available\",\"Tags\":[" OURS                                                    \
			  "],\"Ipv6CidrBlockAssociationSet\":[{\"Ipv6Pool\":\"Amazon\","                               \
			  "\"Ipv6CidrBlock\":\"fd00::/56\",\"Ipv6CidrBlockState\":{"                                   \
			  "\"State\":\"associated\"}}]}]}",                                                            \
		.repeat = 1                                                                                            \
	}
#define UNKNOWN_VPC                                                                                                    \
	{                                                                                                              \
		"DeleteVpc", "{\"VpcId\":\"vpc-1\"}", NULL, "InvalidVpcID.NotFound", 0                                 \
	}
#define DELETING_VPC .kind = &aws_vpc, .phase = PHASE_DELETE, .provider_id = "vpc-1", .unsettle_all = true
#define DELETE_VPC                                                                                                     \
	{                                                                                                              \
		"DeleteVpc", "{\"VpcId\":\"vpc-1\"}", "{}", NULL, 0                                                    \
	}
#define GONE_VPC                                                                                                       \
	{                                                                                                              \
		"DescribeVpcs", NULL, "{\"Vpcs\":[]}", NULL, 0                                                         \
	}
/* How often it is looked at until no listing can lag any more. */
enum { DOUBTS = 47 };

static const struct scenario vpcs[] = {
	{.name = "create, wait, set what the create call does not take, and see that it is so",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .wanted = "{\"cidr\":\"10.0.0.0/16\",\"dns_hostnames\":true,\"tags\":{\"a\":\"b\"}}",
	 .script = {CREATE_VPC("{\"Key\":\"a\",\"Value\":\"b\"},"), LIST_VPC("pending", OURS), READ_HOSTNAMES("false"),
		    LIST_VPC("available", "{\"Key\":\"a\",\"Value\":\"b\"}," OURS), READ_HOSTNAMES("false"),
		    SET_HOSTNAMES, LIST_VPC("available", "{\"Key\":\"a\",\"Value\":\"b\"}," OURS),
		    READ_HOSTNAMES("true")},
	 .ends = STEP_DONE,
	 .fields = "{\"dns_hostnames\":true,\"tags\":{\"a\":\"b\"}}"},
	{.name = "a new object may be missing from a listing for a while",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .wanted = "{\"cidr\":\"10.0.0.0/16\"}",
	 .script = {CREATE_VPC(""), {"DescribeVpcs", NULL, "{\"Vpcs\":[]}", NULL, 2}, LIST_VPC("available", OURS)},
	 .ends = STEP_DONE,
	 .fields = "{\"cidr\":\"10.0.0.0/16\"}"},
	{.name = "a refused create leaves no record",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .wanted = "{\"cidr\":\"10.0.0.0/16\"}",
	 .script = {{"CreateVpc", NULL, NULL, "VpcLimitExceeded", 0}},
	 .ends = STEP_FAILED,
	 .message = "VpcLimitExceeded",
	 .record_removed = true},
	{.name = "a create without a clear answer is remembered",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .wanted = "{\"cidr\":\"10.0.0.0/16\"}",
	 .script = {{"CreateVpc", NULL, NULL, "InternalError", 0}},
	 .ends = STEP_FAILED,
	 .message = "what came of the call to create aws.x.test is not known"},
	{.name = "a new object may be listed without its tags for a while",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .wanted = "{\"cidr\":\"10.0.0.0/16\",\"tags\":{\"a\":\"b\"}}",
	 .script = {CREATE_VPC("{\"Key\":\"a\",\"Value\":\"b\"},"),
		    {"DescribeVpcs", NULL, VPC("available", ""), NULL, 2},
		    LIST_VPC("available", "{\"Key\":\"a\",\"Value\":\"b\"}," OURS)},
	 .ends = STEP_DONE,
	 .fields = "{\"tags\":{\"a\":\"b\"}}"},
	{.name = "a new object that stays without its tags is kept, and tagged anew",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .wanted = "{\"cidr\":\"10.0.0.0/16\"}",
	 .script = {CREATE_VPC(""),
		    {"DescribeVpcs", NULL, VPC("available", ""), NULL, DOUBTS - 1},
		    {"CreateTags", "{\"Resources\":[\"vpc-1\"],\"Tags\":[" OURS "]}", "{}", NULL, 0},
		    LIST_VPC("available", OURS)},
	 .ends = STEP_DONE},
	{.name = "a new object that takes no tags is kept, and told of",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .wanted = "{\"cidr\":\"10.0.0.0/16\"}",
	 .script = {CREATE_VPC(""),
		    {"DescribeVpcs", NULL, VPC("available", ""), NULL, DOUBTS - 1},
		    {"CreateTags", NULL, "{}", NULL, 0},
		    {"DescribeVpcs", NULL, VPC("available", ""), NULL, DOUBTS - 1},
		    {"CreateTags", NULL, "{}", NULL, 0},
		    {"DescribeVpcs", NULL, VPC("available", ""), NULL, -1}},
	 .ends = STEP_FAILED,
	 .message = "still shows its old 'trueup:address', though CreateTags was accepted"},
	{.name = "a new object may be listed with another's tags for a while",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .wanted = "{\"cidr\":\"10.0.0.0/16\"}",
	 .script = {CREATE_VPC(""),
		    {"DescribeVpcs", NULL, VPC("available", OTHERS), NULL, 0},
		    LIST_VPC("available", OURS)},
	 .ends = STEP_DONE},
	{.name = "what a create is answered with and stays another resource of this stack is called that",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .wanted = "{\"cidr\":\"10.0.0.0/16\"}",
	 .script = {CREATE_VPC(""), {"DescribeVpcs", NULL, VPC("available", OTHERS), NULL, -1}},
	 .ends = STEP_FAILED,
	 .message = "which is 'aws.x.twin'",
	 .record_removed = true,
	 .disowned = true},
	{.name = "tags come and go by their keys",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .provider_id = "vpc-1",
	 .applied = "{\"cidr\":\"10.0.0.0/16\",\"tags\":{\"a\":\"1\",\"b\":\"2\"}}",
	 .wanted = "{\"cidr\":\"10.0.0.0/16\",\"tags\":{\"b\":\"3\",\"c\":\"4\"}}",
	 .script = {LIST_VPC("available", "{\"Key\":\"a\",\"Value\":\"1\"},{\"Key\":\"b\",\"Value\":\"2\"}," OURS),
		    {"DeleteTags", "{\"Resources\":[\"vpc-1\"],\"Tags\":[{\"Key\":\"a\",\"Value\":\"1\"}]}", "{}", NULL,
		     0},
		    {"CreateTags",
		     "{\"Resources\":[\"vpc-1\"],\"Tags\":[{\"Key\":\"b\",\"Value\":\"3\"},{\"Key\":\"c\",\"Value\":"
		     "\"4\"}]}",
		     "{}", NULL, 0},
		    LIST_VPC("available", "{\"Key\":\"b\",\"Value\":\"3\"},{\"Key\":\"c\",\"Value\":\"4\"}," OURS)},
	 .effects = {"{} {\"tags\":{\"a\":true}}", "{\"tags\":{\"b\":\"3\",\"c\":\"4\"}} {}"},
	 .ends = STEP_DONE,
	 .fields = "{\"tags\":{\"b\":\"3\",\"c\":\"4\"}}"},
	{.name = "what is refused because it was done unseen is done",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .provider_id = "vpc-1",
	 .applied = "{\"cidr\":\"10.0.0.0/16\"}",
	 .wanted = "{\"cidr\":\"10.0.0.0/16\",\"ipv6\":true}",
	 .script = {LIST_VPC("available", OURS), REFUSED_RANGE("?"), WITH_RANGE},
	 .ends = STEP_DONE},
	{.name = "what is refused and was not done is refused",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .provider_id = "vpc-1",
	 .applied = "{\"cidr\":\"10.0.0.0/16\"}",
	 .wanted = "{\"cidr\":\"10.0.0.0/16\",\"secondary_cidrs\":[\"10.1.0.0/16\"]}",
	 .script = {LIST_VPC("available", OURS),
		    REFUSED_RANGE("?"),
		    {"DescribeVpcs", NULL, VPC("available", OURS), NULL, DOUBTS - 1},
		    REFUSED_RANGE("")},
	 .ends = STEP_FAILED,
	 .message = "CidrLimitExceeded"},
	{.name = "an update sends nothing that was not planned",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .provider_id = "vpc-1",
	 .applied = "{\"cidr\":\"10.0.0.0/16\",\"dns_hostnames\":true,\"tags\":{}}",
	 .wanted = "{\"cidr\":\"10.0.0.0/16\",\"dns_hostnames\":true,\"tags\":{\"a\":\"1\"}}",
	 .script = {LIST_VPC("available", OURS),
		    READ_HOSTNAMES("false"),
		    {"CreateTags", NULL, "{}", NULL, 0},
		    LIST_VPC("available", "{\"Key\":\"a\",\"Value\":\"1\"}," OURS),
		    READ_HOSTNAMES("false")},
	 .ends = STEP_DONE},
	{.name = "what is no longer set goes back to its constant",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .provider_id = "vpc-1",
	 .applied = "{\"cidr\":\"10.0.0.0/16\",\"dns_hostnames\":true}",
	 .wanted = "{\"cidr\":\"10.0.0.0/16\"}",
	 .script = {LIST_VPC("available", OURS),
		    READ_HOSTNAMES("true"),
		    {"ModifyVpcAttribute", "{\"VpcId\":\"vpc-1\",\"EnableDnsHostnames\":{\"Value\":false}}", "{}", NULL,
		     0},
		    LIST_VPC("available", OURS),
		    READ_HOSTNAMES("false")},
	 .ends = STEP_DONE,
	 .fields = "{\"dns_hostnames\":false}"},
	{.name = "a field that may not be read is sent once, unseen",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .provider_id = "vpc-1",
	 .applied = "{\"cidr\":\"10.0.0.0/16\",\"dns_hostnames\":false}",
	 .wanted = "{\"cidr\":\"10.0.0.0/16\",\"dns_hostnames\":true}",
	 .script = {LIST_VPC("available", OURS), DENIED_HOSTNAMES, SET_HOSTNAMES, LIST_VPC("available", OURS),
		    DENIED_HOSTNAMES},
	 .ends = STEP_DONE,
	 .fields = "{\"dns_hostnames\":{\"$unread\":true}}"},
	{.name = "a listing that lags behind is waited for",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .provider_id = "vpc-1",
	 .applied = "{\"cidr\":\"10.0.0.0/16\",\"dns_hostnames\":false}",
	 .wanted = "{\"cidr\":\"10.0.0.0/16\",\"dns_hostnames\":true}",
	 .script = {LIST_VPC("available", OURS),
		    READ_HOSTNAMES("false"),
		    SET_HOSTNAMES,
		    LIST_VPC("available", OURS),
		    READ_HOSTNAMES("false"),
		    {"DescribeVpcs", NULL, "{\"Vpcs\":[]}", NULL, 0},
		    LIST_VPC("available", OURS),
		    READ_HOSTNAMES("true")},
	 .ends = STEP_DONE,
	 .fields = "{\"dns_hostnames\":true}"},
	{.name = "an object that is gone is not changed",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .provider_id = "vpc-1",
	 .applied = "{\"cidr\":\"10.0.0.0/16\",\"dns_hostnames\":false}",
	 .wanted = "{\"cidr\":\"10.0.0.0/16\",\"dns_hostnames\":true}",
	 .script = {{"DescribeVpcs", NULL, "{\"Vpcs\":[]}", NULL, 0}},
	 .ends = STEP_FAILED,
	 .message = "is not there any more"},
	{.name = "a range that others wait for comes with the object",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .provider_id = "vpc-1",
	 .applied = "{\"cidr\":\"10.0.0.0/16\",\"secondary_cidrs\":[]}",
	 .wanted = "{\"cidr\":\"10.0.0.0/16\",\"secondary_cidrs\":[\"10.1.0.0/16\"]}",
	 .script = {LIST_VPC("available", OURS),
		    {"AssociateVpcCidrBlock", "{\"VpcId\":\"vpc-1\",\"CidrBlock\":\"10.1.0.0/16\"}", "{}", NULL, 0},
		    {"DescribeVpcs", NULL,
		     "{\"Vpcs\":[{\"VpcId\":\"vpc-1\",\"CidrBlock\":\"10.0.0.0/16\",\"State\":\"available\","
		     "\"CidrBlockAssociationSet\":[{\"AssociationId\":\"a-1\",\"CidrBlock\":\"10.1.0.0/16\","
		     "\"CidrBlockState\":{\"State\":\"associated\"}}]}]}",
		     NULL, 0}},
	 .ends = STEP_DONE,
	 .fields = "{\"secondary_cidrs\":[\"10.1.0.0/16\"]}"},
	{.name = "delete",
	 DELETING_VPC,
	 .script = {LIST_VPC("available", OURS), DELETE_VPC, GONE_VPC},
	 .ends = STEP_DONE},
	{.name = "what the service takes its time to delete is waited for",
	 DELETING_VPC,
	 .script = {LIST_VPC("available", OURS), DELETE_VPC, LIST_VPC("deleting", OURS), GONE_VPC},
	 .ends = STEP_DONE},
	{.name = "whether it is gone cannot be read: that is told at once",
	 DELETING_VPC,
	 .script = {LIST_VPC("available", OURS), DELETE_VPC, {"DescribeVpcs", NULL, NULL, "UnauthorizedOperation", 0}},
	 .ends = STEP_FAILED,
	 .message = "could not be read back"},
	{.name = "delete what went in between",
	 DELETING_VPC,
	 .script = {LIST_VPC("available", OURS),
		    UNKNOWN_VPC,
		    {"DescribeVpcs", NULL, VPC("available", OURS), NULL, 1},
		    {"DescribeVpcs", NULL, "{\"Vpcs\":[]}", NULL, 2}},
	 .ends = STEP_DONE},
	{.name = "it is gone once listings miss it three times in a row",
	 DELETING_VPC,
	 .script = {LIST_VPC("available", OURS),
		    UNKNOWN_VPC,
		    {"DescribeVpcs", NULL, "{\"Vpcs\":[]}", NULL, 1},
		    LIST_VPC("available", OURS),
		    {"DescribeVpcs", NULL, "{\"Vpcs\":[]}", NULL, 2}},
	 .ends = STEP_DONE},
	{.name = "what is so young that the delete call does not know it is deleted all the same",
	 DELETING_VPC,
	 .script = {LIST_VPC("available", OURS),
		    UNKNOWN_VPC,
		    {"DescribeVpcs", NULL, VPC("available", OURS), NULL, DOUBTS - 1},
		    DELETE_VPC,
		    GONE_VPC},
	 .ends = STEP_DONE},
	{.name = "what is listed and never known to the delete call is not taken for gone",
	 DELETING_VPC,
	 .script = {LIST_VPC("available", OURS),
		    UNKNOWN_VPC,
		    {"DescribeVpcs", NULL, VPC("available", OURS), NULL, DOUBTS - 1},
		    UNKNOWN_VPC,
		    {"DescribeVpcs", NULL, VPC("available", OURS), NULL, DOUBTS - 1},
		    UNKNOWN_VPC,
		    {"DescribeVpcs", NULL, VPC("available", OURS), NULL, DOUBTS - 1},
		    UNKNOWN_VPC,
		    {"DescribeVpcs", NULL, VPC("available", OURS), NULL, DOUBTS - 1}},
	 .ends = STEP_FAILED,
	 .message = "is listed, though"},
	{.name = "delete what is gone",
	 DELETING_VPC,
	 .script = {{"DescribeVpcs", NULL, "{\"Vpcs\":[]}", NULL, 0},
		    UNKNOWN_VPC,
		    {"DescribeVpcs", NULL, "{\"Vpcs\":[]}", NULL, 1}},
	 .ends = STEP_DONE},
	{.name = "what a listing misses once and the delete call does not know either is deleted all the same",
	 DELETING_VPC,
	 .script = {{"DescribeVpcs", NULL, "{\"Vpcs\":[]}", NULL, 0},
		    UNKNOWN_VPC,
		    {"DescribeVpcs", NULL, VPC("available", OURS), NULL, DOUBTS - 1},
		    DELETE_VPC,
		    GONE_VPC},
	 .ends = STEP_DONE},
	{.name = "delete what a listing that lags does not show",
	 DELETING_VPC,
	 .script = {{"DescribeVpcs", NULL, "{\"Vpcs\":[]}", NULL, 0}, DELETE_VPC, GONE_VPC},
	 .ends = STEP_DONE},
	{.name = "a delete that is refused because it was done unseen is done",
	 DELETING_VPC,
	 .script = {LIST_VPC("available", OURS),
		    {"DeleteVpc", NULL, NULL, "?UnauthorizedOperation", 0},
		    GONE_VPC,
		    UNKNOWN_VPC,
		    {"DescribeVpcs", NULL, "{\"Vpcs\":[]}", NULL, 1}},
	 .ends = STEP_DONE},
	{.name = "a delete that is refused and was not done is refused",
	 DELETING_VPC,
	 .script = {LIST_VPC("available", OURS),
		    {"DeleteVpc", NULL, NULL, "?UnauthorizedOperation", 0},
		    LIST_VPC("available", OURS),
		    {"DeleteVpc", NULL, NULL, "UnauthorizedOperation", 0}},
	 .ends = STEP_FAILED,
	 .message = "UnauthorizedOperation"},
	{.name = "a delete that is refused each time after one that was not answered is not sent for ever",
	 DELETING_VPC,
	 .script = {LIST_VPC("available", OURS),
		    {"DeleteVpc", NULL, NULL, "?UnauthorizedOperation", 0},
		    LIST_VPC("available", OURS),
		    {"DeleteVpc", NULL, NULL, "?UnauthorizedOperation", 0},
		    LIST_VPC("available", OURS),
		    {"DeleteVpc", NULL, NULL, "?UnauthorizedOperation", 0},
		    LIST_VPC("available", OURS),
		    {"DeleteVpc", NULL, NULL, "?UnauthorizedOperation", 0},
		    LIST_VPC("available", OURS),
		    {"DeleteVpc", NULL, NULL, "?UnauthorizedOperation", 0}},
	 .ends = STEP_FAILED,
	 .message = "UnauthorizedOperation"},
	{.name = "a delete that is refused says why",
	 DELETING_VPC,
	 .script = {LIST_VPC("available", OURS), {"DeleteVpc", NULL, NULL, "DependencyViolation", 0}},
	 .ends = STEP_FAILED,
	 .message = "DependencyViolation"},
};

static void run_all(const struct scenario *scenarios, size_t count)
{
	for (size_t i = 0; i < count; i++)
		scenario_run(&scenarios[i]);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_vpcs(void **state)
{
	(void)state;
	run_all(vpcs, COUNT(vpcs));
}

enum { MANY_FIELDS = 9 + 64, NO_BIT_APART = 64 };

/* A VPC with fields that nobody sets between two that may not be read. */
static struct aws_kind with_many_fields(struct aws_field fields[MANY_FIELDS])
{
	const struct aws_field *first = aws_vpc.kind.fields.first;
	const struct aws_field *hostnames =
		(const struct aws_field *)field_named(&aws_vpc.kind.fields, SLICE("dns_hostnames"));
	const struct aws_field *support =
		(const struct aws_field *)field_named(&aws_vpc.kind.fields, SLICE("dns_support"));
	struct aws_kind kind = aws_vpc;
	assert_int_equal(aws_vpc.kind.fields.count, MANY_FIELDS - NO_BIT_APART);
	for (size_t i = 0; i < MANY_FIELDS; i++)
		fields[i] = (struct aws_field){.field = {.name = "unset", .type = FIELD_STRING}, .read = "-"};
	memcpy(fields, first, aws_vpc.kind.fields.count * sizeof(fields[0]));
	fields[hostnames - first + NO_BIT_APART] = *support;
	fields[support - first] = fields[MANY_FIELDS - 1];
	kind.kind.fields.first = fields;
	kind.kind.fields.count = MANY_FIELDS;
	return kind;
}

static void test_each_of_many_fields_is_sent_unseen(void **state)
{
	static struct aws_field fields[MANY_FIELDS];
	struct aws_kind kind = with_many_fields(fields);
	struct scenario scenario = {
		.name = "two of many fields",
		.kind = &kind,
		.phase = PHASE_MAKE,
		.provider_id = "vpc-1",
		.applied = "{\"cidr\":\"10.0.0.0/16\",\"dns_hostnames\":false,\"dns_support\":true}",
		.wanted = "{\"cidr\":\"10.0.0.0/16\",\"dns_hostnames\":true,\"dns_support\":false}",
		.script = {LIST_VPC("available", OURS), DENIED_HOSTNAMES, DENIED_SUPPORT, SET_HOSTNAMES, CLEAR_SUPPORT,
			   LIST_VPC("available", OURS), DENIED_HOSTNAMES, DENIED_SUPPORT},
		.ends = STEP_DONE,
	};
	(void)state;
	scenario_run(&scenario);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vpcs),
		cmocka_unit_test(test_each_of_many_fields_is_sent_unseen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
