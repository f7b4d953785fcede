#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "providers/aws/kinds/kinds.h"
#include "tests/unit/support_aws.h"

/* What the driver sends for what belongs to an object and has calls of its own: parts, and attachments. */

#define BY_ID(filter, id) "{\"Filters\":[{\"Name\":\"" filter "\",\"Values\":[\"" id "\"]}]}"
/* How often it is looked at until no listing can lag any more, after a deletion. */
enum { DOUBTS = 47 };

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
	 .effects =
		 {"{} {\"ingress\":[{\"cidr\":\"10.0.0.0/8\",\"from_port\":80,\"protocol\":\"tcp\",\"to_port\":80}]}",
		  "{\"ingress\":[{\"cidr\":\"10.0.0.0/"
		  "8\",\"description\":\"b\",\"from_port\":443,\"protocol\":\"tcp\",\"to_port\":443}]} {}",
		  "{\"ingress\":[{\"cidr\":\"10.0.0.0/"
		  "8\",\"description\":\"c\",\"from_port\":22,\"protocol\":\"tcp\",\"to_port\":22}]} {}"},
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
	 .applied = "{\"vpc\":\"vpc-1\",\"routes\":[{\"destination\":\"192.168.0.0/24\",\"vpn_gateway\":\"vgw-1\"}]}",
	 .leaving = "vgw-1",
	 .script = {TABLE(ROUTES(
			    "igw-1",
			    ",{\"DestinationCidrBlock\":\"192.168.0.0/24\",\"GatewayId\":\"vgw-1\"}") "," ASSOCIATED),
		    {"DeleteRoute", "{\"RouteTableId\":\"rtb-1\",\"DestinationCidrBlock\":\"192.168.0.0/24\"}", "{}",
		     NULL, 0},
		    TABLE(ROUTES("igw-1", "") "," ASSOCIATED)},
	 .ends = STEP_DONE},
	{.name = "but not what others have put there",
	 .kind = &aws_route_table,
	 .phase = PHASE_UNSETTLE,
	 .provider_id = "rtb-1",
	 .applied = "{\"vpc\":\"vpc-1\"}",
	 .observed = "{\"routes\":[{\"destination\":\"192.168.0.0/24\",\"vpn_gateway\":\"vgw-1\"}]}",
	 .leaving = "vgw-1",
	 .script = {TABLE(ROUTES("igw-1", ",{\"DestinationCidrBlock\":\"192.168.0.0/24\",\"GatewayId\":\"vgw-1\"}"))},
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
	 .applied = "{\"ipv6_cidr\":\"2001:db8:0:1::/64\",\"assign_ipv6_on_creation\":true,\"dns64\":true}",
	 .yields = "{\"ipv6_cidr\":\"2001:db8:0:1::/64\"}",
	 .script = {RANGED("associated", "true,\"EnableDns64\":true"),
		    {"ModifySubnetAttribute",
		     "{\"SubnetId\":\"subnet-1\",\"AssignIpv6AddressOnCreation\":{\"Value\":false}}", "{}", NULL, 0},
		    {"ModifySubnetAttribute", "{\"SubnetId\":\"subnet-1\",\"EnableDns64\":{\"Value\":false}}", "{}",
		     NULL, 0},
		    {"DisassociateSubnetCidrBlock", "{\"AssociationId\":\"range-1\"}", "{}", NULL, 0},
		    RANGED("disassociating", "false"),
		    RANGED("disassociated", "false"),
		    RANGED("disassociated", "false")},
	 .effects = {"{\"assign_ipv6_on_creation\":false} {}", "{\"dns64\":false} {}", "{\"ipv6_cidr\":null} {}"},
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
	 .applied = "{\"vpc\":\"vpc-1\",\"subnets\":[\"subnet-1\"]}",
	 .unsettle_all = true,
	 .script = {TABLE(ROUTES("igw-1", "") "," ASSOCIATED),
		    {"DisassociateRouteTable", "{\"AssociationId\":\"rtbassoc-1\"}", "{}", NULL, 0},
		    TABLE(ROUTES("igw-1", ""))},
	 .ends = STEP_DONE},
	{.name = "what others have put there keeps it from being deleted: nothing is taken off",
	 .kind = &aws_route_table,
	 .phase = PHASE_UNSETTLE,
	 .provider_id = "rtb-1",
	 .applied = "{\"vpc\":\"vpc-1\",\"subnets\":[\"subnet-1\"]}",
	 .observed = "{\"subnets\":[\"subnet-1\",\"subnet-2\"]}",
	 .unsettle_all = true,
	 .script = {{"DescribeRouteTables", NULL,
		     "{\"RouteTables\":[{\"RouteTableId\":\"rtb-1\",\"VpcId\":\"vpc-1\"," ROUTES(
			     "igw-1", "") "," TWO_ASSOCIATED "}]}",
		     NULL, -1}},
	 .ends = STEP_FAILED,
	 .message = "others have put subnets[subnet-2] there"},
	{.name = "so does what was only left to others",
	 .kind = &aws_route_table,
	 .phase = PHASE_UNSETTLE,
	 .provider_id = "rtb-1",
	 .applied = "{\"vpc\":\"vpc-1\",\"subnets\":[\"subnet-1\"]}",
	 .observed = "{\"subnets\":[]}",
	 .unsettle_all = true,
	 .script = {{"DescribeRouteTables", NULL,
		     "{\"RouteTables\":[{\"RouteTableId\":\"rtb-1\",\"VpcId\":\"vpc-1\"," ROUTES(
			     "igw-1", "") "," ASSOCIATED "}]}",
		     NULL, -1}},
	 .ends = STEP_FAILED,
	 .message = "others have put subnets[subnet-1] there"},
	{.name = "but what was never finished has its own, though its record has no ids of them",
	 .kind = &aws_route_table,
	 .phase = PHASE_UNSETTLE,
	 .provider_id = "rtb-1",
	 .unfinished = true,
	 .applied = "{\"vpc\":\"vpc-1\",\"subnets\":[{\"$deferred\":\"${aws.subnet.a.id}\"}]}",
	 .unsettle_all = true,
	 .script = {TABLE(ROUTES("igw-1", "") "," ASSOCIATED),
		    {"DisassociateRouteTable", "{\"AssociationId\":\"rtbassoc-1\"}", "{}", NULL, 0},
		    TABLE(ROUTES("igw-1", ""))},
	 .ends = STEP_DONE},
	{.name = "it goes with what it names, where that goes too",
	 .kind = &aws_route_table,
	 .phase = PHASE_UNSETTLE,
	 .provider_id = "rtb-1",
	 .applied = "{\"vpc\":\"vpc-1\"}",
	 .observed = "{\"subnets\":[]}",
	 .leaving = "subnet-1",
	 .unsettle_all = true,
	 .script = {TABLE(ROUTES("igw-1", "") "," ASSOCIATED),
		    {"DisassociateRouteTable", "{\"AssociationId\":\"rtbassoc-1\"}", "{}", NULL, 0},
		    TABLE(ROUTES("igw-1", ""))},
	 .ends = STEP_DONE},
	{.name = "and to another table that waits for it",
	 .kind = &aws_route_table,
	 .phase = PHASE_UNSETTLE,
	 .provider_id = "rtb-1",
	 .applied = "{\"vpc\":\"vpc-1\"}",
	 .observed = "{\"subnets\":[]}",
	 .yields = "{\"subnets\":[\"subnet-1\"]}",
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
#define INTERNET_GATEWAY(attachment)                                                                                   \
	{                                                                                                              \
		"DescribeInternetGateways", NULL,                                                                      \
			"{\"InternetGateways\":[{\"InternetGatewayId\":\"igw-1\",\"Attachments\":[" attachment "]}]}", \
			NULL, 0                                                                                        \
	}

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
	 .effects = {"{\"vpc\":null} {}", "{\"vpc\":\"vpc-2\"} {}"},
	 .ends = STEP_DONE,
	 .fields = "{\"vpc\":\"vpc-2\"}"},
	{.name = "a deletion detaches first",
	 .kind = &aws_vpn_gateway,
	 .phase = PHASE_DELETE,
	 .provider_id = "vgw-1",
	 .unsettle_all = true,
	 .applied = "{\"vpc\":\"vpc-1\"}",
	 .script = {GATEWAY(ATTACHED("vpc-1", "attached")),
		    {"DetachVpnGateway", NULL, "{}", NULL, 0},
		    GATEWAY(ATTACHED("vpc-1", "detaching")),
		    GATEWAY(""),
		    {"DeleteVpnGateway", "{\"VpnGatewayId\":\"vgw-1\"}", "{}", NULL, 0},
		    {"DescribeVpnGateways", NULL,
		     "{\"VpnGateways\":[{\"VpnGatewayId\":\"vgw-1\",\"State\":\"deleted\"}]}", NULL, 0}},
	 .ends = STEP_DONE},
	{.name = "a detachment that is refused because it was done unseen is done",
	 .kind = &aws_vpn_gateway,
	 .phase = PHASE_MAKE,
	 .provider_id = "vgw-1",
	 .applied = "{\"vpc\":\"vpc-1\"}",
	 .wanted = "{\"vpc\":\"vpc-2\"}",
	 .script = {GATEWAY(ATTACHED("vpc-1", "attached")),
		    {"DetachVpnGateway", NULL, NULL, "?UnauthorizedOperation", 0},
		    GATEWAY(""),
		    {"AttachVpnGateway", NULL, "{}", NULL, 0},
		    {"DescribeVpnGateways", NULL,
		     "{\"VpnGateways\":[{\"VpnGatewayId\":\"vgw-1\",\"State\":\"available\",\"VpcAttachments\":["
		     "{\"VpcId\":\"vpc-2\",\"State\":\"attached\"}]}]}",
		     NULL, 1}},
	 .ends = STEP_DONE,
	 .fields = "{\"vpc\":\"vpc-2\"}"},
	{.name = "a gateway that is being detached is waited for, and attached again",
	 .kind = &aws_internet_gateway,
	 .phase = PHASE_MAKE,
	 .provider_id = "igw-1",
	 .applied = "{}",
	 .wanted = "{\"vpc\":\"vpc-1\"}",
	 .script = {INTERNET_GATEWAY(ATTACHED("vpc-1", "detaching")), INTERNET_GATEWAY(""), ATTACH,
		    INTERNET_GATEWAY(ATTACHED("vpc-1", "available")), INTERNET_GATEWAY(ATTACHED("vpc-1", "available"))},
	 .ends = STEP_DONE,
	 .fields = "{\"vpc\":\"vpc-1\"}"},
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

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void run_all(const struct scenario *scenarios, size_t count)
{
	for (size_t i = 0; i < count; i++)
		scenario_run(&scenarios[i]);
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
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_attachments),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
