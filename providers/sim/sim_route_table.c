#include "providers/sim/sim_parts.h"

/* Route tables and their associations; routes are in sim_route.c. */

static const char *const references[] = {
	"vpcId",
	"associationSet.subnetId",
	"associationSet.gatewayId",
	"routeSet.gatewayId",
	"routeSet.instanceId",
	"propagatingVgwSet.gatewayId",
	NULL,
};
static const char *const parts[] = {"associationSet.routeTableAssociationId", NULL};

static bool is_main(const struct sim_object *table)
{
	const struct node *list = node_get(&table->body, "associationSet");

	for (uint32_t i = 0; list && i < list->count; i++)
		if (node_is(&list->items[i], "main", "true"))
			return true;
	return false;
}

static bool holds(const struct sim_object *table, const struct sim_object *target)
{
	return target->type->number == SIM_VPC && !is_main(table);
}

const struct sim_type sim_route_table_type = {
	.number = SIM_ROUTE_TABLE,
	.name = "route-table",
	.prefix = "rtb",
	.id_name = "routeTableId",
	.references = references,
	.parts = parts,
	.holds = holds,
	.absent_code = "InvalidRouteTableID.NotFound",
	.absent_message = "The routeTable ID '%s' does not exist",
	.malformed_code = "InvalidRouteTableId.Malformed",
};

static struct node *add_association(struct sim *sim, struct sim_object *table)
{
	struct node *item = node_append(node_list(&table->body, "associationSet"), NODE_MAP);
	char digits[18];

	sim_random_hex(sim, digits, 17);
	node_format(item, "routeTableAssociationId", "rtbassoc-%s", digits);
	node_put(item, "routeTableId", table->id);
	node_set(item, "main", "false");
	node_set(node_map(item, "associationState"), "state", "associated");
	return item;
}

struct local {
	struct sim_call *call;
	struct node *routes;
};

static bool add_local(void *context, const struct cidr *range)
{
	struct local *local = context;
	struct node *route = node_append(local->routes, NODE_MAP);

	node_put(route, range->family == 4 ? "destinationCidrBlock" : "destinationIpv6CidrBlock",
		 sim_range_text(local->call, range));
	node_set(route, "gatewayId", "local");
	node_set(route, "state", "active");
	node_set(route, "origin", "CreateRouteTable");
	return false;
}

static struct sim_object *new_table(struct sim_call *call, struct sim_object *vpc)
{
	struct sim_object *table = sim_create(call->sim, call->region, SIM_ROUTE_TABLE, (struct slice){NULL, 0});
	struct local local = {call, NULL};

	node_put(&table->body, "vpcId", vpc->id);
	node_format(&table->body, "ownerId", "%012lld", (long long)sim_setting(call->sim, SIM_SETTING_ACCOUNT));
	local.routes = node_list(&table->body, "routeSet");
	(void)sim_vpc_each_range(vpc, 4, add_local, &local);
	(void)sim_vpc_each_range(vpc, 6, add_local, &local);
	node_list(&table->body, "associationSet");
	node_list(&table->body, "propagatingVgwSet");
	node_list(&table->body, "tagSet");
	return table;
}

void sim_route_table_main(struct sim_call *call, struct sim_object *vpc)
{
	struct sim_object *table = new_table(call, vpc);

	node_set(add_association(call->sim, table), "main", "true");
}

static void create_route_table(struct sim_call *call)
{
	struct sim_object *vpc = sim_need(call, SIM_VPC, "VpcId"), *table;
	struct slice token = sim_text(call, "ClientToken");
	size_t cursor = 0;
	int64_t count = 0;

	if (!vpc)
		return;
	sim_tag_new(call, "route-table", NULL);
	if (call->failed)
		return;
	if (sim_token_fresh(call, token, &table)) {
		while (sim_referrer(vpc, SIM_ROUTE_TABLE, &cursor))
			count++;
		if (count >= sim_setting(call->sim, SIM_SETTING_ROUTE_TABLES_PER_VPC)) {
			sim_fail(call, "RouteTableLimitExceeded",
				 "The maximum number of route tables has been reached.");
			return;
		}
		table = new_table(call, vpc);
		sim_tag_new(call, "route-table", table);
		sim_token_record(call, token, table);
	}
	if (!table)
		return;
	sim_out_node(call, "routeTable", &table->body);
	sim_out_text(call, "clientToken", token);
}

static void delete_route_table(struct sim_call *call)
{
	struct sim_object *table = sim_need(call, SIM_ROUTE_TABLE, "RouteTableId");

	if (!table)
		return;
	if (node_count(&table->body, "associationSet") > 0) {
		sim_fail(call, "DependencyViolation", "The routeTable '%.*s' has dependencies and cannot be deleted.",
			 SLICE_ARGUMENTS(table->id));
		return;
	}
	sim_delete(call->sim, table);
	sim_out_return(call);
}

/* The table that a subnet or gateway is associated with, other than as the main one, or NULL. */
static struct sim_object *association_of(const struct sim_object *target, const char *member)
{
	struct sim_object *table;
	size_t cursor = 0;

	while ((table = sim_referrer(target, SIM_ROUTE_TABLE, &cursor)) != NULL)
		if (node_item(node_find(&table->body, "associationSet"), member, target->id))
			return table;
	return NULL;
}

static struct sim_object *association_target(struct sim_call *call, const struct sim_object *table,
					     const char **ret_member)
{
	bool subnet = sim_given(call, "SubnetId");
	struct slice vpc_id = node_text(&table->body, "vpcId");
	struct sim_object *target;

	if (subnet == sim_given(call, "GatewayId")) {
		sim_fail(call, subnet ? "InvalidParameterCombination" : "MissingParameter",
			 "The request must contain exactly one of subnetId and gatewayId");
		return NULL;
	}
	*ret_member = subnet ? "subnetId" : "gatewayId";
	if (subnet)
		target = sim_need(call, SIM_SUBNET, "SubnetId");
	else if (slice_starts_with(sim_text(call, "GatewayId"), SLICE("vgw-")))
		target = sim_need(call, SIM_VPN_GATEWAY, "GatewayId");
	else
		target = sim_need(call, SIM_INTERNET_GATEWAY, "GatewayId");
	if (target && (subnet ? !slice_equal(node_text(&target->body, "vpcId"), vpc_id)
			      : !sim_gateway_attached(target, vpc_id))) {
		sim_fail(call, "InvalidParameterValue", "route table %.*s and %s %.*s belong to different networks",
			 SLICE_ARGUMENTS(table->id), subnet ? "subnet" : "network gateway",
			 SLICE_ARGUMENTS(target->id));
		return NULL;
	}
	return target;
}

static void write_state(struct sim_call *call)
{
	sim_out_open(call, "associationState");
	sim_out_string(call, "state", "associated");
	sim_out_close(call, "associationState");
}

static void associate_route_table(struct sim_call *call)
{
	struct sim_object *table = sim_need(call, SIM_ROUTE_TABLE, "RouteTableId");
	const char *member;
	struct sim_object *target = table ? association_target(call, table, &member) : NULL;

	if (!target)
		return;
	if (association_of(target, member)) {
		sim_fail(call, "Resource.AlreadyAssociated",
			 "the specified association for route table %.*s conflicts with an existing association",
			 SLICE_ARGUMENTS(table->id));
		return;
	}
	(void)sim_edit(call->sim, table);
	struct node *item = add_association(call->sim, table);
	node_put(item, member, target->id);
	sim_out_text(call, "associationId", node_text(item, "routeTableAssociationId"));
	write_state(call);
}

static struct sim_object *find_association(struct sim_call *call, struct node **ret_item)
{
	struct slice id = sim_text(call, "AssociationId");
	struct sim_object *table = sim_find_part(call->region, SIM_ROUTE_TABLE, id);

	if (table)
		*ret_item = node_item(node_find(&table->body, "associationSet"), "routeTableAssociationId", id);
	else
		sim_fail(call, "InvalidAssociationID.NotFound", "The association ID '%.*s' does not exist",
			 SLICE_ARGUMENTS(id));
	return table;
}

static void remove_association(struct sim *sim, struct sim_object *table, const char *member, struct slice id)
{
	struct node *list = node_list(sim_edit(sim, table), "associationSet");
	struct node *item = node_item(list, member, id);

	if (item)
		node_remove(list, (size_t)(item - list->items));
}

static void disassociate_route_table(struct sim_call *call)
{
	struct node *item = NULL;
	struct sim_object *table = find_association(call, &item);

	if (!table)
		return;
	if (node_is(item, "main", "true")) {
		sim_fail(call, "InvalidParameterValue", "cannot disassociate the main route table association %.*s",
			 SLICE_ARGUMENTS(sim_text(call, "AssociationId")));
		return;
	}
	remove_association(call->sim, table, "routeTableAssociationId", sim_text(call, "AssociationId"));
	sim_out_return(call);
}

static void replace_route_table_association(struct sim_call *call)
{
	struct sim_object *to = sim_need(call, SIM_ROUTE_TABLE, "RouteTableId");
	struct node *item = NULL;
	struct sim_object *from = to ? find_association(call, &item) : NULL;

	if (!from || !item)
		return;
	if (!slice_equal(node_text(&from->body, "vpcId"), node_text(&to->body, "vpcId"))) {
		sim_fail(call, "InvalidParameterValue",
			 "route table %.*s and route table %.*s belong to different networks",
			 SLICE_ARGUMENTS(from->id), SLICE_ARGUMENTS(to->id));
		return;
	}
	struct node moved = {.type = NODE_MAP};
	node_copy(&moved, item);
	remove_association(call->sim, from, "routeTableAssociationId", sim_text(call, "AssociationId"));
	(void)sim_edit(call->sim, to);
	struct node *fresh = add_association(call->sim, to);
	static const char *const kept[] = {"main", "subnetId", "gatewayId"};
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (node_get(&moved, kept[i]))
			node_put(fresh, kept[i], node_text(&moved, kept[i]));
	node_release(&moved);
	sim_out_text(call, "newAssociationId", node_text(fresh, "routeTableAssociationId"));
	write_state(call);
}

void sim_route_tables_forget_subnet(struct sim *sim, struct sim_object *subnet)
{
	struct sim_object *table = association_of(subnet, "subnetId");

	if (table)
		remove_association(sim, table, "subnetId", subnet->id);
}

static const struct sim_filter filters[] = {
	{"route-table-id", "routeTableId", NULL},
	{"vpc-id", "vpcId", NULL},
	{"owner-id", "ownerId", NULL},
	{"association.route-table-association-id", "associationSet.routeTableAssociationId", NULL},
	{"association.route-table-id", "associationSet.routeTableId", NULL},
	{"association.subnet-id", "associationSet.subnetId", NULL},
	{"association.gateway-id", "associationSet.gatewayId", NULL},
	{"association.main", "associationSet.main", NULL},
	{"route.destination-cidr-block", "routeSet.destinationCidrBlock", NULL},
	{"route.destination-ipv6-cidr-block", "routeSet.destinationIpv6CidrBlock", NULL},
	{"route.gateway-id", "routeSet.gatewayId", NULL},
	{"route.instance-id", "routeSet.instanceId", NULL},
	{"route.origin", "routeSet.origin", NULL},
	{"route.state", "routeSet.state", NULL},
};

static const struct sim_listing listing = {
	.type = SIM_ROUTE_TABLE,
	.set = "routeTableSet",
	.ids = "RouteTableId",
	.filters = filters,
	.filter_count = sizeof(filters) / sizeof(filters[0]),
	.page_least = 5,
	.page_most = 100,
};

static const struct sim_action actions[] = {
	{"CreateRouteTable", create_route_table, "VpcId! ClientToken TagSpecification[]{ResourceType Tag[]{Key Value}}",
	 NULL},
	{"DescribeRouteTables", sim_describe, "Filter[]{Name Value[]} RouteTableId[] NextToken MaxResults:i", &listing},
	{"DeleteRouteTable", delete_route_table, "RouteTableId!", NULL},
	{"AssociateRouteTable", associate_route_table, "RouteTableId! SubnetId GatewayId PublicIpv4Pool", NULL},
	{"DisassociateRouteTable", disassociate_route_table, "AssociationId!", NULL},
	{"ReplaceRouteTableAssociation", replace_route_table_association, "AssociationId! RouteTableId!", NULL},
};

const struct sim_family sim_route_table_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
