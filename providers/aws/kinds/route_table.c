#include "providers/aws/kinds/kinds.h"
#include "providers/aws/kinds/propagation.h"

/* https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateRouteTable.html */

/* Routes that are AWS's own: local ones, those that a gateway propagates or a route server puts there (origin
 * Advertisement, https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Route.html), and those of a gateway
 * endpoint, which nobody else can change (https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html).
 * A local one that people have given another target
 * (https://docs.aws.amazon.com/vpc/latest/userguide/WorkWithRouteTables.html#replace-local-route-target) is theirs,
 * whatever its origin.
 */
static bool is_implicit(const struct value *route)
{
	struct slice origin = value_slice(value_get_named(route, "Origin"));
	if (slice_starts_with(value_slice(value_get_named(route, "GatewayId")), SLICE("vpce-")) &&
	    value_get_named(route, "DestinationPrefixListId"))
		return true;
	return slice_is(value_slice(value_get_named(route, "GatewayId")), "local") ||
	       slice_is(origin, "EnableVgwRoutePropagation") || slice_is(origin, "Advertisement");
}

/* An answer has several kinds of gateway under one name; the id tells which it is. */
static const struct gateway {
	const char *prefix;
	const char *field;
} gateways[] = {{"igw-", "internet_gateway"}, {"vgw-", "vpn_gateway"}, {"vpce-", "endpoint"}};

static const struct {
	const char *member;
	const char *field;
} route_members[] = {
	{"DestinationCidrBlock", "destination"},    {"DestinationIpv6CidrBlock", "destination6"},
	{"DestinationPrefixListId", "prefix_list"}, {"NatGatewayId", "nat_gateway"},
	{"TransitGatewayId", "transit_gateway"},    {"VpcPeeringConnectionId", "peering"},
	{"NetworkInterfaceId", "interface"},	    {"EgressOnlyInternetGatewayId", "egress_only_gateway"},
};

static struct value decode_route(const struct value *route, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (size_t i = 0; i < sizeof(route_members) / sizeof(route_members[0]); i++) {
		const struct value *value = value_get_named(route, route_members[i].member);
		if (value && value_slice(value).size)
			value_builder_member(&builder, slice_of(route_members[i].field), *value);
	}
	const struct value *gateway = value_get_named(route, "GatewayId");
	for (size_t i = 0; gateway && i < sizeof(gateways) / sizeof(gateways[0]); i++)
		if (slice_starts_with(value_slice(gateway), slice_of(gateways[i].prefix)))
			value_builder_member(&builder, slice_of(gateways[i].field), *gateway);
	return value_builder_map(&builder, arena);
}

static struct value decode_routes(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	const struct value *routes = value_get_named(item, "Routes");
	VALUE_BUILDER_AUTO builder;
	(void)field;
	value_builder_init(&builder);
	for (uint32_t i = 0; routes && value_is(routes, VALUE_LIST) && i < routes->count; i++)
		if (!is_implicit(&routes->items[i]))
			value_builder_item(&builder, decode_route(&routes->items[i], arena));
	return value_builder_list(&builder, arena);
}

/* "The blackhole state indicates that the route's target isn't available"
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Route.html). */
static struct value decode_dead_routes(const struct value *item, struct arena *arena)
{
	const struct value *routes = value_get_named(item, "Routes");
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; value_is(routes, VALUE_LIST) && i < routes->count; i++)
		if (!is_implicit(&routes->items[i]) &&
		    slice_is(value_slice(value_get_named(&routes->items[i], "State")), "blackhole"))
			value_builder_item(&builder, decode_route(&routes->items[i], arena));
	return value_builder_list(&builder, arena);
}

/* Whether it is there, or coming. */
static bool is_associated(const struct value *association)
{
	struct slice state = value_slice(value_path(association, "AssociationState.State"));
	return !slice_is(state, "disassociating") && !slice_is(state, "disassociated") && !slice_is(state, "failed");
}

static const struct value *association_target(const struct value *association)
{
	const struct value *subnet = is_associated(association) ? value_get_named(association, "SubnetId") : NULL;
	return subnet && value_slice(subnet).size ? subnet : NULL;
}

/* Whether it is what all subnets of the VPC go by that have no table of their own. */
static struct value decode_main(const struct value *item, struct arena *arena)
{
	const struct value *associations = value_get_named(item, "Associations");
	(void)arena;
	for (uint32_t i = 0; value_is(associations, VALUE_LIST) && i < associations->count; i++)
		if (is_associated(&associations->items[i]) &&
		    value_is_true(value_get_named(&associations->items[i], "Main")))
			return value_bool(true);
	return value_null();
}

static struct value decode_gateways(const struct value *item, struct arena *arena)
{
	const struct value *associations = value_get_named(item, "Associations");
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; value_is(associations, VALUE_LIST) && i < associations->count; i++) {
		const struct value *gateway = value_get_named(&associations->items[i], "GatewayId");
		if (is_associated(&associations->items[i]) && gateway && value_slice(gateway).size)
			value_builder_item(&builder, *gateway);
	}
	struct value list = value_builder_list(&builder, arena);
	return list.count > 0 ? list : value_null();
}

static struct value decode_subnets(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	const struct value *associations = value_get_named(item, "Associations");
	VALUE_BUILDER_AUTO builder;
	(void)field;
	value_builder_init(&builder);
	for (uint32_t i = 0; associations && value_is(associations, VALUE_LIST) && i < associations->count; i++) {
		const struct value *target = association_target(&associations->items[i]);
		if (target)
			value_builder_item(&builder, *target);
	}
	return value_builder_list(&builder, arena);
}

static struct value decode_association_ids(const struct value *item, struct arena *arena)
{
	const struct value *associations = value_get_named(item, "Associations");
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; associations && value_is(associations, VALUE_LIST) && i < associations->count; i++) {
		const struct value *target = association_target(&associations->items[i]);
		const struct value *id = value_get_named(&associations->items[i], "RouteTableAssociationId");
		if (target && id)
			value_builder_set(&builder, value_slice(target), *id);
	}
	return value_builder_map(&builder, arena);
}

static const char *const route_there[] = {"RouteAlreadyExists", NULL};
static const char *const route_gone[] = {"InvalidRoute.NotFound", "InvalidRouteTableID.NotFound", NULL};
/* The gateway's attachment or the target itself may be a moment behind. */
static const char *const route_young[] = {"InvalidGatewayID.NotFound",
					  "InvalidInternetGatewayID.NotFound",
					  "InvalidVpnGatewayID.NotFound",
					  "InvalidRouteTableID.NotFound",
					  "InvalidNatGatewayID.NotFound",
					  "InvalidTransitGatewayID.NotFound",
					  "InvalidNetworkInterfaceID.NotFound",
					  "Gateway.NotAttached",
					  NULL};

/* "Cannot remove local route": "[...] reset the local route to its default target"
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ReplaceRoute.html). */
static const char *const route_is_local[] = {"InvalidParameterValue", NULL};
static const char *const to_local[] = {"LocalTarget", "true", NULL};
static const struct aws_part routes = {
	.add = {.operation = "CreateRoute",
		.id = "RouteTableId",
		.recipe = RECIPE_NATURAL,
		.present = route_there,
		.settling = route_young},
	.remove = {.operation = "DeleteRoute", .id = "RouteTableId", .recipe = RECIPE_CONVERGE, .absent = route_gone},
	.change = {.operation = "ReplaceRoute",
		   .id = "RouteTableId",
		   .recipe = RECIPE_CONVERGE,
		   .settling = route_young},
	.not_ours = route_is_local,
	.set_back = {.operation = "ReplaceRoute",
		     .id = "RouteTableId",
		     .fixed = to_local,
		     .recipe = RECIPE_CONVERGE,
		     .settling = route_young},
};

static const char *const association_gone[] = {"InvalidAssociationID.NotFound", NULL};
/* Somebody has moved the subnet to another table, which nobody but a look by the subnet tells. */
static const char *const by_subnet[] = {"Filters.0.Name", "association.subnet-id", NULL};
static const struct value *find_association(const struct value *answer, const struct value *subnet)
{
	const struct value *tables = value_get_named(answer, "RouteTables");
	for (uint32_t i = 0; tables && value_is(tables, VALUE_LIST) && i < tables->count; i++) {
		const struct value *associations = value_get_named(&tables->items[i], "Associations");
		for (uint32_t k = 0; associations && value_is(associations, VALUE_LIST) && k < associations->count;
		     k++) {
			const struct value *target = association_target(&associations->items[k]);
			if (target && value_equal(target, subnet))
				return value_get_named(&associations->items[k], "RouteTableAssociationId");
		}
	}
	return NULL;
}
static const struct aws_lookup association_elsewhere = {
	.operation = "DescribeRouteTables",
	.id = "Filters.0.Values.0",
	.fixed = by_subnet,
	.find = find_association,
	.member = "AssociationId",
};
static const char *const associated[] = {"Resource.AlreadyAssociated", NULL};
static const char *const association_hints[] = {
	"Resource.AlreadyAssociated",
	"another route table has the subnet, which is not recorded as this one's: "
	"let go of it there, or leave it out here",
	NULL};
static const char *const association_young[] = {"InvalidRouteTableID.NotFound", "InvalidSubnetID.NotFound", NULL};
static const struct aws_part associations = {
	.add = {.operation = "AssociateRouteTable",
		.id = "RouteTableId",
		.recipe = RECIPE_NATURAL,
		.settling = association_young,
		.hints = association_hints},
	.remove = {.operation = "DisassociateRouteTable", .recipe = RECIPE_CONVERGE, .absent = association_gone},
	.taken = associated,
	.reclaim = {.operation = "DisassociateRouteTable",
		    .recipe = RECIPE_CONVERGE,
		    .absent = association_gone,
		    .lookup = &association_elsewhere},
	.removal_member = "AssociationId",
	.removal_output = "associations",
};

static const struct aws_part propagations = {
	.add = {.operation = "EnableVgwRoutePropagation",
		.id = "RouteTableId",
		.recipe = RECIPE_CONVERGE,
		.settling = aws_propagation_young},
	.remove = {.operation = "DisableVgwRoutePropagation",
		   .id = "RouteTableId",
		   .recipe = RECIPE_CONVERGE,
		   .absent = aws_propagation_gone},
};

static const struct aws_field association_item = {
	.field = {.name = "subnet",
		  .type = FIELD_REFERENCE,
		  .flags = SOLE | DEPARTS,
		  .target = "aws.subnet",
		  .beside = "vpc"},
	.member = "SubnetId",
};
static const struct aws_field propagation_item = {
	.field = {.name = "gateway",
		  .type = FIELD_REFERENCE,
		  .flags = DEPARTS,
		  .target = "aws.vpn_gateway",
		  .beside = "vpc"},
	.member = "GatewayId",
};

/* What takes over the traffic to one subnet of the VPC itself: "Subnet route tables" in the VPC user guide. */
static const char *const inner_targets[] = {"nat_gateway", "interface", "endpoint", NULL};

static const struct aws_field route_fields[] = {
	{.field = {.name = "destination",
		   .type = FIELD_CIDR4,
		   .flags = KEY,
		   .apart_from = "vpc",
		   .within_by = inner_targets,
		   .about = "IPv4 range it is for"},
	 .member = "DestinationCidrBlock"},
	{.field = {.name = "destination6",
		   .type = FIELD_CIDR6,
		   .flags = KEY,
		   .apart_from = "vpc",
		   .within_by = inner_targets,
		   .about = "IPv6 range it is for"},
	 .member = "DestinationIpv6CidrBlock"},
	{.field = {.name = "prefix_list",
		   .type = FIELD_STRING,
		   .flags = KEY,
		   .pattern = "pl-[0-9a-f]{8,17}",
		   .in_words = "an id such as pl-0123456789abcdef0",
		   .about = "managed prefix list it is for"},
	 .member = "DestinationPrefixListId"},
	{.field = {.name = "internet_gateway",
		   .type = FIELD_REFERENCE,
		   .target = "aws.internet_gateway",
		   .beside = "vpc",
		   .when_unset = UNSET_CLEAR,
		   .about = "target"},
	 .member = "GatewayId"},
	{.field = {.name = "vpn_gateway",
		   .type = FIELD_REFERENCE,
		   .target = "aws.vpn_gateway",
		   .beside = "vpc",
		   .when_unset = UNSET_CLEAR,
		   .about = "target"},
	 .member = "GatewayId"},
	{.field = {.name = "nat_gateway",
		   .type = FIELD_STRING,
		   .pattern = "nat-[0-9a-f]{8,17}",
		   .in_words = "an id such as nat-0123456789abcdef0",
		   .when_unset = UNSET_CLEAR,
		   .about = "target, by its id"},
	 .member = "NatGatewayId"},
	/* Two VPCs that lead to one transit gateway need not meet: its own route tables may keep them apart, and then
	 * their ranges may overlap. So this joins nothing. AWS refuses a peering of VPCs that overlap. */
	{.field = {.name = "transit_gateway",
		   .type = FIELD_STRING,
		   .pattern = "tgw-[0-9a-f]{8,17}",
		   .in_words = "an id such as tgw-0123456789abcdef0",
		   .when_unset = UNSET_CLEAR,
		   .about = "target, by its id"},
	 .member = "TransitGatewayId"},
	{.field = {.name = "peering",
		   .type = FIELD_STRING,
		   .pattern = "pcx-[0-9a-f]{8,17}",
		   .in_words = "an id such as pcx-0123456789abcdef0",
		   .end_is = "vpc",
		   .when_unset = UNSET_CLEAR,
		   .about = "target, by its id"},
	 .member = "VpcPeeringConnectionId"},
	{.field = {.name = "interface",
		   .type = FIELD_STRING,
		   .pattern = "eni-[0-9a-f]{8,17}",
		   .in_words = "an id such as eni-0123456789abcdef0",
		   .through = "vpc",
		   .when_unset = UNSET_CLEAR,
		   .about = "target, by its id"},
	 .member = "NetworkInterfaceId"},
	{.field = {.name = "egress_only_gateway",
		   .type = FIELD_STRING,
		   .pattern = "eigw-[0-9a-f]{8,17}",
		   .in_words = "an id such as eigw-0123456789abcdef0",
		   .when_unset = UNSET_CLEAR,
		   .about = "target, by its id"},
	 .member = "EgressOnlyInternetGatewayId"},
	{.field = {.name = "endpoint",
		   .type = FIELD_STRING,
		   .pattern = "vpce-[0-9a-f]{8,17}",
		   .in_words = "an id such as vpce-0123456789abcdef0",
		   .when_unset = UNSET_CLEAR,
		   .about = "target, a Gateway Load Balancer's endpoint, by its id"},
	 .member = "VpcEndpointId"},
};
static const struct aws_field route = {
	.field = {.name = "route", .type = FIELD_OBJECT, .members = FIELDS(route_fields)},
};

static const char *const destinations[] = {"destination", "destination6", "prefix_list", NULL};
static const char *const targets[] = {"internet_gateway",    "vpn_gateway", "nat_gateway",
				      "transit_gateway",     "peering",	    "interface",
				      "egress_only_gateway", "endpoint",    NULL};
static const struct exclusive exclusives[] = {{"routes", destinations, true}, {"routes", targets, true}};

static const struct aws_field fields[] = {
	{.field = {.name = "vpc",
		   .type = FIELD_REFERENCE,
		   .target = "aws.vpc",
		   .flags = REQUIRED | IMMUTABLE | PINS,
		   .about = "the VPC it belongs to"},
	 .member = "VpcId"},
	{.field = {.name = "routes",
		   .type = FIELD_SET,
		   .flags = SETTLES | COMPARED,
		   .item = &route.field,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "[]",
		   .dead = "leads nowhere, and what goes there is dropped: the service says 'blackhole' of it, as what "
			   "it names is gone, is not attached, or stands still",
		   .revived_by = "bring back or start what it names, give the route another target, or take it out",
		   .about = "routes besides the local ones"},
	 .decode = decode_routes,
	 .dead = decode_dead_routes,
	 .part = &routes},
	{.field = {.name = "subnets",
		   .type = FIELD_SET,
		   .flags = SETTLES | COMPARED | HOLDS,
		   .item = &association_item.field,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "[]",
		   .about = "subnets that it routes for"},
	 .decode = decode_subnets,
	 .part = &associations},
	{.field = {.name = "propagation",
		   .type = FIELD_SET,
		   .flags = SETTLES | MIRRORED | COMPARED, /* by a VPN gateway's propagate_to */
		   .item = &propagation_item.field,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "[]",
		   .about = "VPN gateways whose learned routes it takes in"},
	 .read = "PropagatingVgws",
	 .part = &propagations},
	AWS_TAGS_FIELD,
};

static const struct aws_output outputs[] = {
	{.output = {.name = "id", .pattern = "rtb-[0-9a-f]{8,17}", .about = "id of the table"}, .read = "RouteTableId"},
	{.output = {.name = "associations", .keyed_by = "subnets", .about = "id of the association of each subnet"},
	 .decode = decode_association_ids},
	/* "You can't delete the main route table."
	 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteRouteTable.html) */
	{.output = {.name = "main",
		    .bars_deletion = "it is the main route table of its VPC",
		    .unbarred_by = "make another table the main one by hand (ReplaceRouteTableAssociation)",
		    .about = "true where it is its VPC's main one, as somebody has made it"},
	 .decode = decode_main},
	{.output = {.name = "gateways",
		    .bars_deletion = "it routes what comes in by gateways",
		    .unbarred_by = "take its associations with gateways off by hand (DisassociateRouteTable)",
		    .about = "gateways whose incoming traffic it routes, as somebody has associated them"},
	 .decode = decode_gateways},
};

static const char *const absent[] = {"InvalidRouteTableID.NotFound", NULL};
static const char *const held[] = {"DependencyViolation", NULL};
static const char *const young[] = {"InvalidVpcID.NotFound", NULL};

#define BOTH(path, reason)                                                                                             \
	{"CreateRoute", path, reason},                                                                                 \
	{                                                                                                              \
		"ReplaceRoute", path, reason                                                                           \
	}

static const struct aws_omission omitted[] = {
	BOTH("CarrierGatewayId", "Wavelength zones are not managed"),
	BOTH("CoreNetworkArn", "Cloud WAN is not managed"),
	BOTH("InstanceId", "an interface names the target exactly; an instance may have several"),
	BOTH("LocalGatewayId", "Outposts are not managed"),
	BOTH("OdbNetworkArn", "Oracle Database@AWS is not managed"),
	{"AssociateRouteTable", "GatewayId",
	 "what comes in by a gateway is routed by its VPC, unless to appliances, which are not managed"},
	{"AssociateRouteTable", "PublicIpv4Pool", "public pools are not managed"},
	{"EnableRouteServerPropagation", NULL, "route servers are not managed"},
	{"DisableRouteServerPropagation", NULL, "route servers are not managed"},
	{"ReplaceRouteTableAssociation", NULL, "a subnet that moves is let go of by one table and taken by the other"},
};

const struct aws_kind aws_route_table = {
	.kind = {.name = "aws.route_table",
		 .about = "routes of subnets",
		 .version = 1,
		 .fields = FIELDS(fields),
		 .outputs = FIELDS(outputs),
		 .exclusives = exclusives,
		 .exclusive_count = sizeof(exclusives) / sizeof(exclusives[0])},
	.service = "ec2",
	.create = {.operation = "CreateRouteTable",
		   .recipe = RECIPE_TOKEN,
		   .tagged = "route-table",
		   .token = "ClientToken",
		   .result = "RouteTable.RouteTableId",
		   .settling = young},
	.delete = {.operation = "DeleteRouteTable",
		   .id = "RouteTableId",
		   .recipe = RECIPE_CONVERGE,
		   .absent = absent,
		   .settling = held},
	.list = {.operation = "DescribeRouteTables", .items = "RouteTables", .page = 100, .filter = "route-table-id"},
	.tags_member = "Tags",
	.omitted = omitted,
	.omitted_count = sizeof(omitted) / sizeof(omitted[0]),
};
