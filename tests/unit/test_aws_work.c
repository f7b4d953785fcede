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
/* How often it is looked at until no listing can lag any more: after a change that is waited for, and after a deletion.
 */
enum { LOOKS = 41, DOUBTS = 47 };

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
	 .message = "the outcome is unknown"},
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
	{.name = "what a create hands back and is another resource of this stack is called that",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .wanted = "{\"cidr\":\"10.0.0.0/16\"}",
	 .script = {CREATE_VPC(""),
		    LIST_VPC("available",
			     "{\"Key\":\"trueup:stack\",\"Value\":\"stack\"},{\"Key\":\"trueup:object\",\"Value\":"
			     "\"other\"},{\"Key\":\"trueup:address\",\"Value\":\"aws.x.twin\"}")},
	 .ends = STEP_FAILED,
	 .message = "which is 'aws.x.twin' of this stack",
	 .record_removed = true},
	{.name = "tags come and go by their keys",
	 .kind = &aws_vpc,
	 .phase = PHASE_MAKE,
	 .provider_id = "vpc-1",
	 .applied = "{\"cidr\":\"10.0.0.0/16\",\"tags\":{\"a\":\"1\",\"b\":\"2\"}}",
	 .wanted = "{\"cidr\":\"10.0.0.0/16\",\"tags\":{\"b\":\"3\",\"c\":\"4\"}}",
	 .script = {LIST_VPC("available", "{\"Key\":\"a\",\"Value\":\"1\"},{\"Key\":\"b\",\"Value\":\"2\"}," OURS),
		    {"CreateTags",
		     "{\"Resources\":[\"vpc-1\"],\"Tags\":[{\"Key\":\"b\",\"Value\":\"3\"},{\"Key\":\"c\",\"Value\":"
		     "\"4\"}]}",
		     "{}", NULL, 0},
		    {"DeleteTags", "{\"Resources\":[\"vpc-1\"],\"Tags\":[{\"Key\":\"a\",\"Value\":\"1\"}]}", "{}", NULL,
		     0},
		    LIST_VPC("available", "{\"Key\":\"b\",\"Value\":\"3\"},{\"Key\":\"c\",\"Value\":\"4\"}," OURS)},
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
	 .wanted = "{\"cidr\":\"10.0.0.0/16\",\"ipv6\":true}",
	 .script = {LIST_VPC("available", OURS),
		    REFUSED_RANGE("?"),
		    {"DescribeVpcs", NULL, VPC("available", OURS), NULL, LOOKS - 1},
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
	{.name = "a delete that is refused says why",
	 DELETING_VPC,
	 .script = {LIST_VPC("available", OURS), {"DeleteVpc", NULL, NULL, "DependencyViolation", 0}},
	 .ends = STEP_FAILED,
	 .message = "DependencyViolation"},
};

#define GROUP(rules)                                                                                                   \
	{                                                                                                              \
		"DescribeSecurityGroups", BY_ID("group-id", "sg-1"),                                                   \
			"{\"SecurityGroups\":[{\"GroupId\":\"sg-1\",\"GroupName\":\"g\",\"Description\":\"d\","        \
			"\"VpcId\":\"vpc-1\","                                                                         \
			"\"IpPermissions\":[" rules "]}]}",                                                            \
			NULL, 0                                                                                        \
	}
#define PERMISSION(port, cidr, description)                                                                            \
	"{\"IpProtocol\":\"tcp\",\"FromPort\":" port ",\"ToPort\":" port ",\"IpRanges\":[{\"CidrIp\":\"" cidr          \
	"\",\"Description\":\"" description "\"}]}"
#define RULE(port, cidr, description)                                                                                  \
	"{\"protocol\":\"tcp\",\"from_port\":" port ",\"to_port\":" port ",\"cidr\":\"" cidr                           \
	"\",\"description\":\"" description "\"}"
#define GROUP_FIELDS(rules) "{\"name\":\"g\",\"description\":\"d\",\"vpc\":\"vpc-1\",\"ingress\":[" rules "]}"

#define TABLE(rest)                                                                                                    \
	{                                                                                                              \
		"DescribeRouteTables", BY_ID("route-table-id", "rtb-1"),                                               \
			"{\"RouteTables\":[{\"RouteTableId\":\"rtb-1\",\"VpcId\":\"vpc-1\"," rest "}]}", NULL, 0       \
	}
#define ROUTES(gateway, other)                                                                                         \
	"\"Routes\":[{\"DestinationCidrBlock\":\"10.0.0.0/16\",\"GatewayId\":\"local\"},"                              \
	"{\"DestinationCidrBlock\":\"0.0.0.0/0\",\"GatewayId\":\"" gateway "\"}" other "]"
#define TWO_ASSOCIATED                                                                                                 \
	"\"Associations\":[{\"RouteTableAssociationId\":\"rtbassoc-1\",\"SubnetId\":\"subnet-1\","                     \
	"\"AssociationState\":{\"State\":\"associated\"}},{\"RouteTableAssociationId\":\"rtbassoc-2\","                \
	"\"SubnetId\":\"subnet-2\",\"AssociationState\":{\"State\":\"associated\"}}]"
#define RANGED(state, assigns)                                                                                         \
	{                                                                                                              \
		"DescribeSubnets", BY_ID("subnet-id", "subnet-1"),                                                     \
			"{\"Subnets\":[{\"SubnetId\":\"subnet-1\",\"State\":\"available\","                            \
			"\"AssignIpv6AddressOnCreation\":" assigns ",\"Ipv6CidrBlockAssociationSet\":[{"               \
			"\"AssociationId\":\"range-1\",\"Ipv6CidrBlock\":\"2001:db8:0:1::/64\","                       \
			"\"Ipv6CidrBlockState\":{\"State\":\"" state "\"}}]}]}",                                       \
			NULL, 0                                                                                        \
	}
#define ASSOCIATED                                                                                                     \
	"\"Associations\":[{\"RouteTableAssociationId\":\"rtbassoc-1\",\"SubnetId\":\"subnet-1\","                     \
	"\"AssociationState\":{\"State\":\"associated\"}}]"

static const struct scenario parts[] = {
	{.name = "a rule comes, one goes, one gets another description",
	 .kind = &aws_security_group,
	 .phase = PHASE_SETTLE,
	 .provider_id = "sg-1",
	 .applied = GROUP_FIELDS(RULE("22", "10.0.0.0/8", "a") "," RULE("80", "10.0.0.0/8", "b")),
	 .wanted = GROUP_FIELDS(RULE("22", "10.0.0.0/8", "c") "," RULE("443", "10.0.0.0/8", "b")),
	 .script = {GROUP(PERMISSION("22", "10.0.0.0/8", "a") "," PERMISSION("80", "10.0.0.0/8", "b")),
		    {"RevokeSecurityGroupIngress",
		     "{\"GroupId\":\"sg-1\",\"IpPermissions\":[" PERMISSION("80", "10.0.0.0/8", "b") "]}", "{}", NULL,
		     0},
		    {"AuthorizeSecurityGroupIngress",
		     "{\"GroupId\":\"sg-1\",\"IpPermissions\":[" PERMISSION("443", "10.0.0.0/8", "b") "]}", NULL,
		     "InvalidPermission.Duplicate", 0},
		    {"UpdateSecurityGroupRuleDescriptionsIngress",
		     "{\"GroupId\":\"sg-1\",\"IpPermissions\":[" PERMISSION("22", "10.0.0.0/8", "c") "]}", "{}", NULL,
		     0},
		    GROUP(PERMISSION("22", "10.0.0.0/8", "c") "," PERMISSION("443", "10.0.0.0/8", "b"))},
	 .ends = STEP_DONE},
	{.name = "a route changes its target in place and goes by its destination alone",
	 .kind = &aws_route_table,
	 .phase = PHASE_SETTLE,
	 .provider_id = "rtb-1",
	 .applied = "{\"vpc\":\"vpc-1\",\"routes\":[{\"destination\":\"0.0.0.0/0\",\"internet_gateway\":\"igw-1\"},"
		    "{\"destination\":\"192.168.0.0/24\",\"vpn_gateway\":\"vgw-1\"}]}",
	 .wanted = "{\"vpc\":\"vpc-1\",\"routes\":[{\"destination\":\"0.0.0.0/0\",\"internet_gateway\":\"igw-2\"}]}",
	 .script = {TABLE(ROUTES("igw-1", ",{\"DestinationCidrBlock\":\"192.168.0.0/24\",\"GatewayId\":\"vgw-1\"}")),
		    {"DeleteRoute", "{\"RouteTableId\":\"rtb-1\",\"DestinationCidrBlock\":\"192.168.0.0/24\"}", "{}",
		     NULL, 0},
		    {"ReplaceRoute",
		     "{\"RouteTableId\":\"rtb-1\",\"DestinationCidrBlock\":\"0.0.0.0/0\",\"GatewayId\":\"igw-2\"}",
		     "{}", NULL, 0},
		    TABLE(ROUTES("igw-2", ""))},
	 .ends = STEP_DONE},
	{.name = "unsettle takes away what names a leaving object, and no more",
	 .kind = &aws_route_table,
	 .phase = PHASE_UNSETTLE,
	 .provider_id = "rtb-1",
	 .leaving = "vgw-1",
	 .script = {TABLE(ROUTES(
			    "igw-1",
			    ",{\"DestinationCidrBlock\":\"192.168.0.0/24\",\"GatewayId\":\"vgw-1\"}") "," ASSOCIATED),
		    {"DeleteRoute", "{\"RouteTableId\":\"rtb-1\",\"DestinationCidrBlock\":\"192.168.0.0/24\"}", "{}",
		     NULL, 0},
		    TABLE(ROUTES("igw-1", "") "," ASSOCIATED)},
	 .ends = STEP_DONE},
	{.name = "whether it let go cannot be read: that is told",
	 .kind = &aws_route_table,
	 .phase = PHASE_UNSETTLE,
	 .provider_id = "rtb-1",
	 .leaving = "vgw-1",
	 .script = {{"DescribeRouteTables", NULL, NULL, "UnauthorizedOperation", 0}},
	 .ends = STEP_FAILED,
	 .message = "could not be read back"},
	{.name = "unsettle takes away what another one waits for, and no more",
	 .kind = &aws_route_table,
	 .phase = PHASE_UNSETTLE,
	 .provider_id = "rtb-1",
	 .yields = "{\"subnets\":[\"subnet-2\"]}",
	 .script = {TABLE(ROUTES("igw-1", "") "," TWO_ASSOCIATED),
		    {"DisassociateRouteTable", "{\"AssociationId\":\"rtbassoc-2\"}", "{}", NULL, 0},
		    TABLE(ROUTES("igw-1", "") "," ASSOCIATED)},
	 .ends = STEP_DONE},
	{.name = "a range that another one waits for is given up, with what rests on it, and is gone then",
	 .kind = &aws_subnet,
	 .phase = PHASE_UNSETTLE,
	 .provider_id = "subnet-1",
	 .applied = "{\"ipv6_cidr\":\"2001:db8:0:1::/64\",\"assign_ipv6_on_creation\":true}",
	 .yields = "{\"ipv6_cidr\":\"2001:db8:0:1::/64\"}",
	 .script = {RANGED("associated", "true"),
		    {"ModifySubnetAttribute",
		     "{\"SubnetId\":\"subnet-1\",\"AssignIpv6AddressOnCreation\":{\"Value\":false}}", "{}", NULL, 0},
		    {"DisassociateSubnetCidrBlock", "{\"AssociationId\":\"range-1\"}", "{}", NULL, 0},
		    RANGED("disassociating", "false"),
		    RANGED("disassociated", "false"),
		    RANGED("disassociated", "false")},
	 .ends = STEP_DONE},
	{.name = "another range than the one waited for stays",
	 .kind = &aws_subnet,
	 .phase = PHASE_UNSETTLE,
	 .provider_id = "subnet-1",
	 .yields = "{\"ipv6_cidr\":\"2001:db8:0:2::/64\"}",
	 .script = {RANGED("associated", "false")},
	 .ends = STEP_DONE},
	{.name = "before a deletion goes what would block it, by its own id",
	 .kind = &aws_route_table,
	 .phase = PHASE_UNSETTLE,
	 .provider_id = "rtb-1",
	 .unsettle_all = true,
	 .script = {TABLE(ROUTES("igw-1", "") "," ASSOCIATED),
		    {"DisassociateRouteTable", "{\"AssociationId\":\"rtbassoc-1\"}", "{}", NULL, 0},
		    TABLE(ROUTES("igw-1", ""))},
	 .ends = STEP_DONE},
	{.name = "nothing is unsettled of what is gone",
	 .kind = &aws_route_table,
	 .phase = PHASE_UNSETTLE,
	 .provider_id = "rtb-1",
	 .unsettle_all = true,
	 .script = {{"DescribeRouteTables", NULL, "{\"RouteTables\":[]}", NULL, 0}},
	 .ends = STEP_DONE},
};

#define GATEWAY(attachment)                                                                                            \
	{                                                                                                              \
		"DescribeVpnGateways", BY_ID("vpn-gateway-id", "vgw-1"),                                               \
			"{\"VpnGateways\":[{\"VpnGatewayId\":\"vgw-1\",\"State\":\"available\",\"VpcAttachments\":"    \
			"[" attachment "]}]}",                                                                         \
			NULL, 0                                                                                        \
	}
#define ATTACH                                                                                                         \
	{                                                                                                              \
		"AttachInternetGateway", NULL, "{}", NULL, 0                                                           \
	}
#define LOOSE(more)                                                                                                    \
	{                                                                                                              \
		"DescribeInternetGateways", NULL, "{\"InternetGateways\":[{\"InternetGatewayId\":\"igw-1\"}]}", NULL,  \
			more                                                                                           \
	}
#define ATTACHED(vpc, state) "{\"VpcId\":\"" vpc "\",\"State\":\"" state "\"}"

static const struct scenario attachments[] = {
	{.name = "detach, wait, attach, wait",
	 .kind = &aws_vpn_gateway,
	 .phase = PHASE_MAKE,
	 .provider_id = "vgw-1",
	 .applied = "{\"vpc\":\"vpc-1\"}",
	 .wanted = "{\"vpc\":\"vpc-2\"}",
	 .script = {GATEWAY(ATTACHED("vpc-1", "attached")),
		    {"DetachVpnGateway", "{\"VpnGatewayId\":\"vgw-1\",\"VpcId\":\"vpc-1\"}", "{}", NULL, 0},
		    GATEWAY(ATTACHED("vpc-1", "detaching")),
		    GATEWAY(ATTACHED("vpc-1", "detached")),
		    {"AttachVpnGateway", "{\"VpnGatewayId\":\"vgw-1\",\"VpcId\":\"vpc-2\"}", "{}", NULL, 0},
		    GATEWAY(ATTACHED("vpc-1", "detached") "," ATTACHED("vpc-2", "attaching")),
		    {"DescribeVpnGateways", NULL,
		     "{\"VpnGateways\":[{\"VpnGatewayId\":\"vgw-1\",\"State\":\"available\",\"VpcAttachments\":["
		     "{\"VpcId\":\"vpc-2\",\"State\":\"attached\"}]}]}",
		     NULL, 1}},
	 .ends = STEP_DONE,
	 .fields = "{\"vpc\":\"vpc-2\"}"},
	{.name = "a deletion detaches first",
	 .kind = &aws_vpn_gateway,
	 .phase = PHASE_DELETE,
	 .provider_id = "vgw-1",
	 .unsettle_all = true,
	 .script = {GATEWAY(ATTACHED("vpc-1", "attached")),
		    {"DetachVpnGateway", NULL, "{}", NULL, 0},
		    GATEWAY(ATTACHED("vpc-1", "detaching")),
		    GATEWAY(""),
		    {"DeleteVpnGateway", "{\"VpnGatewayId\":\"vgw-1\"}", "{}", NULL, 0},
		    {"DescribeVpnGateways", NULL,
		     "{\"VpnGateways\":[{\"VpnGatewayId\":\"vgw-1\",\"State\":\"deleted\"}]}", NULL, 0}},
	 .ends = STEP_DONE},
	{.name = "what somebody detaches each time is attached once more, not for ever",
	 .kind = &aws_internet_gateway,
	 .phase = PHASE_MAKE,
	 .provider_id = "igw-1",
	 .applied = "{}",
	 .wanted = "{\"vpc\":\"vpc-1\"}",
	 .script = {LOOSE(0), ATTACH, LOOSE(DOUBTS - 1), ATTACH, LOOSE(DOUBTS - 1)},
	 .ends = STEP_FAILED,
	 .message = "still shows its old 'vpc', though AttachInternetGateway was accepted"},
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

static void test_parts(void **state)
{
	(void)state;
	run_all(parts, COUNT(parts));
}

static void test_attachments(void **state)
{
	(void)state;
	run_all(attachments, COUNT(attachments));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vpcs),
		cmocka_unit_test(test_each_of_many_fields_is_sent_unseen),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_attachments),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
