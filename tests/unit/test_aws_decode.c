#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/json.h"
#include "providers/aws/aws.h"
#include "tests/unit/support_aws_kinds.h"

/* What an item of a listing says of an object, where that is more than a member of it. */

#define ROUTES(first) "{\"RouteTableId\":\"rtb-1\",\"Routes\":[" first "]}"
#define VPC(associations) "{\"VpcId\":\"vpc-1\",\"Ipv6CidrBlockAssociationSet\":[" associations "]}"
#define RANGE(id, state, rest) "{\"AssociationId\":\"" id "\",\"Ipv6CidrBlockState\":{\"State\":\"" state "\"}" rest "}"
#define SUBNET(state, ranges)                                                                                          \
	"{\"SubnetId\":\"subnet-1\",\"CidrBlock\":\"10.0.0.0/24\",\"State\":\"" state                                  \
	"\",\"Ipv6CidrBlockAssociationSet\":[" ranges "]}"
#define RANGE4(id, range, state)                                                                                       \
	"{\"AssociationId\":\"" id "\",\"CidrBlock\":\"" range "\",\"CidrBlockState\":{\"State\":\"" state "\"}}"
#define ASSOCIATION(subnet, state) "{\"SubnetId\":\"" subnet "\",\"AssociationState\":{\"State\":\"" state "\"}}"
#define AMAZONS ",\"Ipv6Pool\":\"Amazon\",\"Ipv6CidrBlock\":\"2600:1f14:0:100::/56\""
#define OWN ",\"Ipv6Pool\":\"ipv6pool-1\",\"Ipv6CidrBlock\":\"2001:db8::/56\""

static const struct row {
	const char *name, *kind, *item;
	const char *field, *wanted; /* a field or an output; wanted NULL: not set */
	enum readiness readiness;
} rows[] = {
	{"a route to an endpoint", "aws.route_table",
	 ROUTES("{\"Origin\":\"CreateRoute\",\"DestinationCidrBlock\":\"10.0.0.0/8\",\"GatewayId\":\"vpce-1\"}"),
	 "routes", "[{\"destination\":\"10.0.0.0/8\",\"endpoint\":\"vpce-1\"}]", READY},
	{"the route that a gateway endpoint brings along", "aws.route_table",
	 ROUTES("{\"Origin\":\"CreateRoute\",\"DestinationPrefixListId\":\"pl-1\",\"GatewayId\":\"vpce-1\"}"), "routes",
	 "[]", READY},
	{"a route that a route server brings along", "aws.route_table",
	 ROUTES("{\"Origin\":\"Advertisement\",\"DestinationCidrBlock\":\"10.0.0.0/8\",\"GatewayId\":\"igw-1\"}"),
	 "routes", "[]", READY},
	{"the local route, led to an appliance", "aws.route_table",
	 ROUTES("{\"Origin\":\"CreateRouteTable\",\"DestinationCidrBlock\":\"10.0.0.0/16\",\"NetworkInterfaceId\":"
		"\"eni-1\"}"),
	 "routes", "[{\"destination\":\"10.0.0.0/16\",\"interface\":\"eni-1\"}]", READY},
	{"a table that somebody has made the main one, and another no more", "aws.route_table",
	 "{\"RouteTableId\":\"rtb-1\",\"Associations\":[{\"Main\":true,\"AssociationState\":{\"State\":"
	 "\"disassociated\"}},{\"Main\":true,\"AssociationState\":{\"State\":\"associated\"}}]}",
	 "main", "true", READY},
	{"gateways that are associated, and one that goes", "aws.route_table",
	 "{\"RouteTableId\":\"rtb-1\",\"Associations\":[{\"GatewayId\":\"igw-1\",\"AssociationState\":{\"State\":"
	 "\"associated\"}},{\"GatewayId\":\"vgw-1\",\"AssociationState\":{\"State\":\"disassociating\"}}]}",
	 "gateways", "[\"igw-1\"]", READY},
	{"a table of subnets alone", "aws.route_table",
	 "{\"RouteTableId\":\"rtb-1\",\"Associations\":[" ASSOCIATION("subnet-1", "associated") "]}", "main", NULL,
	 READY},
	{"a route for a prefix list", "aws.route_table",
	 ROUTES("{\"Origin\":\"CreateRoute\",\"DestinationPrefixListId\":\"pl-1\",\"GatewayId\":\"igw-1\"}"), "routes",
	 "[{\"internet_gateway\":\"igw-1\",\"prefix_list\":\"pl-1\"}]", READY},
	{"a subnet that is associated, and one of which that failed", "aws.route_table",
	 "{\"RouteTableId\":\"rtb-1\",\"Associations\":[" ASSOCIATION("subnet-1", "associated") "," ASSOCIATION(
		 "subnet-2", "failed") "]}",
	 "subnets", "[\"subnet-1\"]", READY},
	{"a VPC without IPv6", "aws.vpc", VPC(""), "ipv6", "false", READY},
	{"a range that is not told yet", "aws.vpc",
	 VPC(RANGE("a", "associating", ",\"Ipv6Pool\":\"Amazon\",\"Ipv6CidrBlock\":\"\"")), "ipv6_cidr", NULL,
	 READY_PENDING},
	{"a range that comes counts", "aws.vpc",
	 VPC(RANGE("a", "associating", ",\"Ipv6Pool\":\"Amazon\",\"Ipv6CidrBlock\":\"\"")), "ipv6", "true",
	 READY_PENDING},
	{"a range", "aws.vpc", VPC(RANGE("a", "associated", AMAZONS)), "ipv6_cidr", "\"2600:1f14:0:100::/56\"", READY},
	{"a range that goes", "aws.vpc", VPC(RANGE("a", "disassociating", AMAZONS)), "ipv6", "false", READY_PENDING},
	{"a range that has gone", "aws.vpc", VPC(RANGE("a", "disassociated", AMAZONS)), "ipv6", "false", READY},
	{"one that failed", "aws.vpc", VPC(RANGE("a", "failed", AMAZONS)), "ipv6", "false", READY},
	{"a range of the user's own", "aws.vpc", VPC(RANGE("a", "associated", OWN)), "ipv6", "false", READY},
	{"both, and one that has gone", "aws.vpc",
	 VPC(RANGE("a", "disassociated", AMAZONS) "," RANGE("b", "associated", OWN) "," RANGE("c", "associated",
											      AMAZONS)),
	 "ipv6_association", "\"c\"", READY},
	{"the association of a range that goes", "aws.vpc",
	 "{\"VpcId\":\"vpc-1\",\"CidrBlock\":\"10.0.0.0/16\",\"CidrBlockAssociationSet\":[" RANGE4(
		 "a", "10.0.0.0/16", "associated") "," RANGE4("b", "10.1.0.0/16", "disassociating") "]}",
	 "range_associations", "{\"10.0.0.0/16\":\"a\"}", READY_PENDING},
	{"a further range that comes", "aws.vpc",
	 "{\"VpcId\":\"vpc-1\",\"CidrBlock\":\"10.0.0.0/16\",\"CidrBlockAssociationSet\":[" RANGE4(
		 "a", "10.0.0.0/16", "associated") "," RANGE4("b", "10.1.0.0/16", "associating") "]}",
	 "secondary_cidrs", "[\"10.1.0.0/16\"]", READY_PENDING},
	{"a BGP number of 32 bits", "aws.customer_gateway",
	 "{\"CustomerGatewayId\":\"cgw-1\",\"BgpAsn\":\"23456\",\"BgpAsnExtended\":\"4200000000\",\"State\":"
	 "\"available\"}",
	 "asn", "4200000000", READY},
	{"a tag that is told twice, which no record could hold", "aws.vpc",
	 "{\"VpcId\":\"vpc-1\",\"Tags\":[{\"Key\":\"a\",\"Value\":\"1\"},{\"Key\":\"b\",\"Value\":\"2\"},{\"Key\":"
	 "\"a\",\"Value\":\"3\"}]}",
	 "tags", "{\"a\":\"1\",\"b\":\"2\"}", READY},
	{"a subnet's range, of which no pool is told", "aws.subnet",
	 "{\"SubnetId\":\"subnet-1\",\"Ipv6CidrBlockAssociationSet\":[" RANGE(
		 "a", "associated", ",\"Ipv6CidrBlock\":\"2600:1F14:0:0100::/64\"") "]}",
	 "ipv6_cidr", "\"2600:1f14:0:100::/64\"", READY},
	{"a subnet that failed", "aws.subnet", SUBNET("failed", ""), "cidr", "\"10.0.0.0/24\"", READY_FAILED},
	{"one that is not to be had", "aws.subnet", SUBNET("unavailable", ""), "cidr", "\"10.0.0.0/24\"", READY_FAILED},
	{"one that failed before its range came", "aws.subnet",
	 SUBNET("failed-insufficient-capacity", RANGE("a", "associating", "")), "cidr", "\"10.0.0.0/24\"",
	 READY_FAILED},
};

static void test_decode(void **state)
{
	static const struct json_style clear = {.clear = true};
	const struct row *row = *state;
	const struct aws_kind *kind = kinds_named(row->kind);
	struct arena arena;
	struct live live;
	struct value item;
	struct diagnostics diagnostics;

	arena_init(&arena);
	assert_non_null(kind);
	diagnostics_init(&diagnostics, &arena);
	assert_true(json_read(&arena, slice_of(row->item), false, 65536, "the row", &item, &diagnostics));
	aws_decode_live(kind, &item, &arena, &live);
	const struct value *found = value_get_named(&live.fields, row->field);
	if (!found)
		found = value_get_named(&live.outputs, row->field);
	assert_int_equal(live.readiness, row->readiness);
	if (row->wanted) {
		assert_non_null(found);
		struct slice text = json_canonical(&arena, found, &clear);
		assert_int_equal(text.size, strlen(row->wanted));
		assert_memory_equal(text.data, row->wanted, text.size);
	} else {
		assert_null(found);
	}
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

int main(void)
{
	enum { COUNT = sizeof(rows) / sizeof(rows[0]) };
	struct CMUnitTest tests[COUNT];

	for (size_t i = 0; i < COUNT; i++)
		tests[i] = (struct CMUnitTest){
			.name = rows[i].name, .test_func = test_decode, .initial_state = (void *)(uintptr_t)&rows[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
