#include "providers/sim/sim_parts.h"

/* Routes: made by hand, local to the VPC, or learnt from a VPN gateway. */

static const char learnt_origin[] = "EnableVgwRoutePropagation";

/* Where a route leads: the parameter, its place in the route, and what to say of one that is not there. */
static const struct {
	const char *parameter, *name;
	enum sim_type_number type; /* SIM_TYPE_COUNT: nothing of that kind is simulated */
	const char *absent_code;
	bool by_part; /* it names a part of a thing of that type */
} targets[] = {
	{"GatewayId", "gatewayId", SIM_INTERNET_GATEWAY, "InvalidGatewayID.NotFound", false},
	{"InstanceId", "instanceId", SIM_INSTANCE, "InvalidInstanceID.NotFound", false},
	{"NatGatewayId", "natGatewayId", SIM_TYPE_COUNT, "InvalidNatGatewayID.NotFound", false},
	{"NetworkInterfaceId", "networkInterfaceId", SIM_INSTANCE, "InvalidNetworkInterfaceID.NotFound", true},
	{"TransitGatewayId", "transitGatewayId", SIM_TYPE_COUNT, "InvalidTransitGatewayID.NotFound", false},
	{"VpcPeeringConnectionId", "vpcPeeringConnectionId", SIM_TYPE_COUNT, "InvalidVpcPeeringConnectionID.NotFound",
	 false},
	{"EgressOnlyInternetGatewayId", "egressOnlyInternetGatewayId", SIM_TYPE_COUNT, "InvalidGatewayID.NotFound",
	 false},
	{"LocalGatewayId", "localGatewayId", SIM_TYPE_COUNT, "InvalidLocalGatewayID.NotFound", false},
	{"CarrierGatewayId", "carrierGatewayId", SIM_TYPE_COUNT, "InvalidCarrierGatewayID.NotFound", false},
	{"CoreNetworkArn", "coreNetworkArn", SIM_TYPE_COUNT, "InvalidCoreNetworkArn.NotFound", false},
	{"OdbNetworkArn", "odbNetworkArn", SIM_TYPE_COUNT, "InvalidOdbNetworkArn.NotFound", false},
	{"VpcEndpointId", "gatewayId", SIM_TYPE_COUNT, "InvalidVpcEndpointId.NotFound", false},
};

enum { TARGET_COUNT = sizeof(targets) / sizeof(targets[0]) };

struct destination {
	const char *name;  /* of the route's member */
	struct slice text; /* canonical */
	struct cidr range;
};

static bool read_destination(struct sim_call *call, struct destination *ret)
{
	bool ipv4 = sim_given(call, "DestinationCidrBlock"), ipv6 = sim_given(call, "DestinationIpv6CidrBlock");

	if (sim_given(call, "DestinationPrefixListId"))
		sim_fail(call, "InvalidPrefixListID.NotFound", "The prefix list ID '%.*s' does not exist",
			 SLICE_ARGUMENTS(sim_text(call, "DestinationPrefixListId")));
	else if (ipv4 == ipv6)
		sim_fail(call, ipv4 ? "InvalidParameterCombination" : "MissingParameter",
			 "The request must contain exactly one of destinationCidrBlock, destinationIpv6CidrBlock and "
			 "destinationPrefixListId");
	if (call->failed ||
	    !sim_range(call, ipv4 ? "DestinationCidrBlock" : "DestinationIpv6CidrBlock", ipv4 ? 4 : 6, &ret->range))
		return false;
	ret->name = ipv4 ? "destinationCidrBlock" : "destinationIpv6CidrBlock";
	ret->text = sim_range_text(call, &ret->range);
	return true;
}

static struct sim_object *find_gateway(struct sim_call *call, const struct sim_object *table, struct slice id)
{
	struct slice vpc_id = node_text(&table->body, "vpcId");
	struct sim_object *gateway = sim_find(call->region, SIM_TYPE_COUNT, id);

	if (!gateway || sim_is_unseen(call, gateway) ||
	    (gateway->type->number != SIM_INTERNET_GATEWAY && gateway->type->number != SIM_VPN_GATEWAY)) {
		sim_fail(call, "InvalidGatewayID.NotFound", "The gateway ID '%.*s' does not exist",
			 SLICE_ARGUMENTS(id));
		return NULL;
	}
	if (!sim_gateway_attached(gateway, vpc_id)) {
		sim_fail(call, "InvalidParameterValue",
			 "route table %.*s and network gateway %.*s belong to different networks",
			 SLICE_ARGUMENTS(table->id), SLICE_ARGUMENTS(id));
		return NULL;
	}
	return gateway;
}

/* By itself, or by one of its interfaces. */
static struct sim_object *find_instance(struct sim_call *call, const struct sim_object *table, size_t row)
{
	struct slice id = sim_text(call, targets[row].parameter);
	bool by_interface = targets[row].by_part;
	struct sim_object *instance =
		by_interface ? sim_find_part(call->region, SIM_INSTANCE, id) : sim_need_id(call, SIM_INSTANCE, id);
	bool is_unseen = instance && by_interface && sim_is_unseen(call, instance);

	if ((!instance || is_unseen) && !call->failed)
		sim_fail(call, targets[row].absent_code, "The %s '%.*s' does not exist", targets[row].name,
			 SLICE_ARGUMENTS(id));
	else if (instance && !slice_equal(node_text(&instance->body, "vpcId"), node_text(&table->body, "vpcId")))
		sim_fail(call, "InvalidParameterValue", "route table %.*s and %s %.*s belong to different networks",
			 SLICE_ARGUMENTS(table->id), by_interface ? "interface" : "instance", SLICE_ARGUMENTS(id));
	else if (instance && !by_interface && node_find(&instance->body, "networkInterfaceSet")->count > 1)
		sim_fail(call, "InvalidInstanceID",
			 "There are multiple interfaces attached to instance '%.*s'. Please specify an interface ID "
			 "for the operation instead.",
			 SLICE_ARGUMENTS(id));
	return call->failed ? NULL : instance;
}

/* The one target that was given: its row, and the thing. */
static bool find_target(struct sim_call *call, const struct sim_object *table, size_t *ret_row, struct sim_object **ret)
{
	size_t given = 0;

	for (size_t i = 0; i < TARGET_COUNT; i++) {
		if (sim_given(call, targets[i].parameter)) {
			given++;
			*ret_row = i;
		}
	}
	if (given != 1) {
		sim_fail(call, given ? "InvalidParameterCombination" : "MissingParameter",
			 "The request must contain exactly one of gatewayId, natGatewayId, networkInterfaceId, "
			 "vpcPeeringConnectionId, egressOnlyInternetGatewayId, transitGatewayId, localGatewayId, "
			 "carrierGatewayId, vpcEndpointId, coreNetworkArn or instanceId");
		return false;
	}
	struct slice id = sim_text(call, targets[*ret_row].parameter);
	if (targets[*ret_row].type == SIM_INTERNET_GATEWAY)
		*ret = find_gateway(call, table, id);
	else if (targets[*ret_row].type == SIM_INSTANCE)
		*ret = find_instance(call, table, *ret_row);
	else
		sim_fail(call, targets[*ret_row].absent_code, "The %s '%.*s' does not exist", targets[*ret_row].name,
			 SLICE_ARGUMENTS(id));
	return !call->failed;
}

static void drop_target(struct node *route)
{
	for (size_t i = 0; i < TARGET_COUNT; i++)
		node_drop(route, targets[i].name);
	node_drop(route, "instanceOwnerId");
}

/* What leads to an instance shows both it and the interface (page "Route"). */
static void set_target(struct sim_call *call, struct node *route, size_t row, const struct sim_object *target)
{
	drop_target(route);
	if (target->type->number == SIM_INSTANCE) {
		const struct node *interfaces = node_get(&target->body, "networkInterfaceSet");

		node_put(route, "instanceId", target->id);
		node_put(route, "instanceOwnerId", node_text(&target->body, "ownerId"));
		node_put(route, "networkInterfaceId", node_text(&interfaces->items[0], "networkInterfaceId"));
	}
	node_put(route, targets[row].name, sim_text(call, targets[row].parameter));
	node_set(route, "state", "active");
}

static bool is_subnet(const struct sim_object *vpc, const struct destination *destination)
{
	struct sim_object *subnet;
	size_t cursor = 0;

	while ((subnet = sim_referrer(vpc, SIM_SUBNET, &cursor)) != NULL)
		if (slice_equal(node_text(&subnet->body, "cidrBlock"), destination->text) ||
		    node_item(node_find(&subnet->body, "ipv6CidrBlockAssociationSet"), "ipv6CidrBlock",
			      destination->text))
			return true;
	return false;
}

static bool within_vpc(void *context, const struct cidr *range)
{
	return cidr_contains(range, context);
}

static bool is_range(void *context, const struct cidr *range)
{
	return cidr_contains(range, context) && cidr_contains(context, range);
}

/* Whether it is a local route, whatever people have it lead to. */
static bool is_local(struct sim_call *call, const struct sim_object *table, struct destination *destination)
{
	const struct sim_object *vpc = sim_find(call->region, SIM_VPC, node_text(&table->body, "vpcId"));

	return vpc && sim_vpc_each_range(vpc, destination->range.family, is_range, &destination->range);
}

/*
 * Inside the VPC only an instance or interface may take traffic over, and only all that is for one subnet (Amazon VPC
 * User Guide, page "Subnet route tables", rules and considerations). What the local route has exists already.
 */
static bool may_route(struct sim_call *call, const struct sim_object *table, struct destination *destination,
		      size_t row)
{
	const struct sim_object *vpc = sim_find(call->region, SIM_VPC, node_text(&table->body, "vpcId"));

	if (!vpc || !sim_vpc_each_range(vpc, destination->range.family, within_vpc, &destination->range))
		return true;
	if (targets[row].type != SIM_INSTANCE)
		sim_fail(call, "InvalidParameterValue",
			 "The destination CIDR block %.*s is equal to or more specific than one of this VPC's CIDR "
			 "blocks. This route can target only an interface or an instance.",
			 SLICE_ARGUMENTS(destination->text));
	else if (!is_subnet(vpc, destination) && !is_local(call, table, destination))
		sim_fail(call, "InvalidParameterValue",
			 "The destination CIDR block %.*s is within this VPC and is not that of one of its subnets.",
			 SLICE_ARGUMENTS(destination->text));
	return !call->failed;
}

static void create_route(struct sim_call *call)
{
	struct sim_object *table = sim_need(call, SIM_ROUTE_TABLE, "RouteTableId"), *target = NULL;
	struct destination destination;
	size_t row = 0;

	if (!table || !read_destination(call, &destination) || !find_target(call, table, &row, &target))
		return;
	struct node *routes = node_find(&table->body, "routeSet");
	struct node *present = node_item(routes, destination.name, destination.text);
	/* A learnt route gives way to one made by hand. */
	if (present && !node_is(present, "origin", learnt_origin)) {
		sim_fail(call, "RouteAlreadyExists", "The route identified by %.*s already exists.",
			 SLICE_ARGUMENTS(destination.text));
		return;
	}
	if (!may_route(call, table, &destination, row))
		return;
	if (routes && routes->count >= sim_setting(call->sim, SIM_SETTING_ROUTES_PER_TABLE)) {
		sim_fail(call, "RouteLimitExceeded", "The maximum number of routes has been reached.");
		return;
	}
	routes = node_list(sim_edit(call->sim, table), "routeSet");
	present = node_item(routes, destination.name, destination.text);
	struct node *route = present ? present : node_append(routes, NODE_MAP);
	node_put(route, destination.name, destination.text);
	set_target(call, route, row, target);
	node_set(route, "origin", "CreateRoute");
	sim_out_return(call);
}

static struct node *find_route(struct sim_call *call, struct sim_object *table, const struct destination *destination)
{
	struct node *route = node_item(node_find(&table->body, "routeSet"), destination->name, destination->text);

	if (!route || node_is(route, "origin", learnt_origin)) {
		sim_fail(call, "InvalidRoute.NotFound", "no route with destination-cidr-block %.*s in route table %.*s",
			 SLICE_ARGUMENTS(destination->text), SLICE_ARGUMENTS(table->id));
		return NULL;
	}
	return route;
}

/* "[...] or reset the local route to its default target" (page "ReplaceRoute"). */
static void reset_route(struct sim_call *call, struct sim_object *table, struct destination *destination)
{
	if (!is_local(call, table, destination)) {
		sim_fail(call, "InvalidParameterValue", "The route %.*s in route table %.*s is not a local route",
			 SLICE_ARGUMENTS(destination->text), SLICE_ARGUMENTS(table->id));
		return;
	}
	struct node *route =
		node_item(node_find(sim_edit(call->sim, table), "routeSet"), destination->name, destination->text);
	drop_target(route);
	node_set(route, "gatewayId", "local");
	node_set(route, "state", "active");
	sim_out_return(call);
}

/* A local one may be given another target, and stays what it is. */
static void replace_route(struct sim_call *call)
{
	struct sim_object *table = sim_need(call, SIM_ROUTE_TABLE, "RouteTableId"), *target = NULL;
	struct destination destination;
	size_t row = 0;

	if (!table || !read_destination(call, &destination) || !find_route(call, table, &destination))
		return;
	if (sim_flag(call, "LocalTarget", false)) {
		reset_route(call, table, &destination);
		return;
	}
	if (!find_target(call, table, &row, &target) || !may_route(call, table, &destination, row))
		return;
	struct node *routes = node_find(sim_edit(call->sim, table), "routeSet");
	struct node *route = node_item(routes, destination.name, destination.text);
	set_target(call, route, row, target);
	if (!is_local(call, table, &destination))
		node_set(route, "origin", "CreateRoute");
	sim_out_return(call);
}

static void delete_route(struct sim_call *call)
{
	struct sim_object *table = sim_need(call, SIM_ROUTE_TABLE, "RouteTableId");
	struct destination destination;
	struct node *route;

	if (!table || !read_destination(call, &destination) || !(route = find_route(call, table, &destination)))
		return;
	if (is_local(call, table, &destination)) {
		sim_fail(call, "InvalidParameterValue", "cannot remove local route %.*s in route table %.*s",
			 SLICE_ARGUMENTS(destination.text), SLICE_ARGUMENTS(table->id));
		return;
	}
	struct node *routes = node_find(sim_edit(call->sim, table), "routeSet");
	route = node_item(routes, destination.name, destination.text);
	node_remove(routes, (size_t)(route - routes->items));
	sim_out_return(call);
}

void sim_route_tables_local(struct sim *sim, struct sim_object *vpc, struct slice range, bool add)
{
	const char *name = slice_contains(range, SLICE(":")) ? "destinationIpv6CidrBlock" : "destinationCidrBlock";
	struct sim_object *table;
	size_t cursor = 0;

	while ((table = sim_referrer(vpc, SIM_ROUTE_TABLE, &cursor)) != NULL) {
		struct node *routes = node_list(sim_edit(sim, table), "routeSet");
		struct node *route = node_item(routes, name, range);

		if (add && !route) {
			route = node_append(routes, NODE_MAP);
			node_put(route, name, range);
			node_set(route, "gatewayId", "local");
			node_set(route, "state", "active");
			node_set(route, "origin", "CreateRouteTable");
		} else if (!add && route) {
			node_remove(routes, (size_t)(route - routes->items));
		}
	}
}

void sim_routes_to(struct sim *sim, struct sim_object *target, bool usable)
{
	const char *name = target->type->number == SIM_INSTANCE ? "instanceId" : "gatewayId";
	struct sim_object *table;
	size_t cursor = 0;

	while ((table = sim_referrer(target, SIM_ROUTE_TABLE, &cursor)) != NULL) {
		struct node *routes = node_list(sim_edit(sim, table), "routeSet");
		bool here = target->type->number == SIM_INSTANCE ||
			    sim_gateway_attached(target, node_text(&table->body, "vpcId"));

		for (uint32_t i = 0; i < routes->count; i++)
			if (slice_equal(node_text(&routes->items[i], name), target->id))
				node_set(&routes->items[i], "state", usable && here ? "active" : "blackhole");
	}
}

struct learning {
	struct node *routes;
	struct slice gateway_id;
};

static void learn(void *context, struct slice destination)
{
	struct learning *learning = context;
	struct node *route;

	/* What is local or made by hand wins over what is learnt. */
	if (node_item(learning->routes, "destinationCidrBlock", destination))
		return;
	route = node_append(learning->routes, NODE_MAP);
	node_put(route, "destinationCidrBlock", destination);
	node_put(route, "gatewayId", learning->gateway_id);
	node_set(route, "state", "active");
	node_set(route, "origin", learnt_origin);
}

static void propagate_into(struct sim *sim, struct sim_object *table, const struct sim_object *gateway)
{
	struct node *body = sim_edit(sim, table);
	struct node *routes = node_list(body, "routeSet");
	bool wanted = node_item(node_find(body, "propagatingVgwSet"), "gatewayId", gateway->id) != NULL;

	for (uint32_t i = routes->count; i-- > 0;)
		if (node_is(&routes->items[i], "origin", learnt_origin) &&
		    slice_equal(node_text(&routes->items[i], "gatewayId"), gateway->id))
			node_remove(routes, i);
	if (wanted && sim_gateway_attached(gateway, node_text(body, "vpcId")))
		sim_vpn_gateway_routes(gateway, learn, &(struct learning){routes, gateway->id});
}

void sim_routes_propagate(struct sim *sim, struct sim_object *vpn_gateway)
{
	struct sim_object *table;
	size_t cursor = 0;

	while ((table = sim_referrer(vpn_gateway, SIM_ROUTE_TABLE, &cursor)) != NULL)
		propagate_into(sim, table, vpn_gateway);
}

/* Which tables list a gateway that is no more no page says: a DisableVgwRoutePropagation could not name it. */
void sim_routes_forget(struct sim *sim, struct sim_object *vpn_gateway)
{
	struct sim_object *table;
	size_t cursor = 0;

	while ((table = sim_referrer(vpn_gateway, SIM_ROUTE_TABLE, &cursor)) != NULL) {
		struct node *list = node_list(sim_edit(sim, table), "propagatingVgwSet");
		struct node *item = node_item(list, "gatewayId", vpn_gateway->id);

		if (item)
			node_remove(list, (size_t)(item - list->items));
		propagate_into(sim, table, vpn_gateway);
	}
	sim_routes_to(sim, vpn_gateway, false);
}

static void change_propagation(struct sim_call *call, bool enable)
{
	struct sim_object *table = sim_need(call, SIM_ROUTE_TABLE, "RouteTableId");
	struct sim_object *gateway = table ? sim_need(call, SIM_VPN_GATEWAY, "GatewayId") : NULL;

	if (!gateway)
		return;
	if (enable && !sim_gateway_attached(gateway, node_text(&table->body, "vpcId"))) {
		sim_fail(call, "Gateway.NotAttached", "resource %.*s is not attached to network %.*s",
			 SLICE_ARGUMENTS(gateway->id), SLICE_ARGUMENTS(node_text(&table->body, "vpcId")));
		return;
	}
	struct node *list = node_list(sim_edit(call->sim, table), "propagatingVgwSet");
	struct node *item = node_item(list, "gatewayId", gateway->id);
	if (enable && !item)
		node_put(node_append(list, NODE_MAP), "gatewayId", gateway->id);
	else if (!enable && item)
		node_remove(list, (size_t)(item - list->items));
	propagate_into(call->sim, table, gateway);
	sim_out_return(call);
}

static void enable_vgw_route_propagation(struct sim_call *call)
{
	change_propagation(call, true);
}

static void disable_vgw_route_propagation(struct sim_call *call)
{
	change_propagation(call, false);
}

#define TARGETS                                                                                                        \
	"GatewayId InstanceId NatGatewayId NetworkInterfaceId TransitGatewayId VpcPeeringConnectionId "                \
	"EgressOnlyInternetGatewayId LocalGatewayId CarrierGatewayId CoreNetworkArn OdbNetworkArn VpcEndpointId "
#define DESTINATIONS "DestinationCidrBlock DestinationIpv6CidrBlock DestinationPrefixListId "

static const struct sim_action actions[] = {
	{"CreateRoute", create_route, "RouteTableId! " DESTINATIONS TARGETS, NULL},
	{"ReplaceRoute", replace_route, "RouteTableId! LocalTarget:b " DESTINATIONS TARGETS, NULL},
	{"DeleteRoute", delete_route, "RouteTableId! " DESTINATIONS, NULL},
	{"EnableVgwRoutePropagation", enable_vgw_route_propagation, "GatewayId! RouteTableId!", NULL},
	{"DisableVgwRoutePropagation", disable_vgw_route_propagation, "GatewayId! RouteTableId!", NULL},
};

const struct sim_family sim_route_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
