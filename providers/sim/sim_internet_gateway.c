#include "providers/sim/sim_parts.h"

/* Internet gateways and their attachment. */

static const char *const references[] = {"attachmentSet.vpcId", NULL};

const struct sim_type sim_internet_gateway_type = {
	.number = SIM_INTERNET_GATEWAY,
	.name = "internet-gateway",
	.prefix = "igw",
	.id_name = "internetGatewayId",
	.references = references,
	.holds = sim_holds,
	.absent_code = "InvalidInternetGatewayID.NotFound",
	.absent_message = "The internetGateway ID '%s' does not exist",
	.malformed_code = "InvalidInternetGatewayId.Malformed",
};

bool sim_gateway_attached(const struct sim_object *gateway, struct slice vpc_id)
{
	bool vpn = gateway->type->number == SIM_VPN_GATEWAY;
	const struct node *list = node_get(&gateway->body, vpn ? "attachments" : "attachmentSet");

	for (uint32_t i = 0; list && i < list->count; i++)
		if (slice_equal(node_text(&list->items[i], "vpcId"), vpc_id) &&
		    (node_is(&list->items[i], "state", "available") || node_is(&list->items[i], "state", "attached") ||
		     node_is(&list->items[i], "state", "attaching")))
			return true;
	return false;
}

static void create_internet_gateway(struct sim_call *call)
{
	sim_tag_new(call, "internet-gateway", NULL);
	if (call->failed || !sim_within_quota(call, SIM_INTERNET_GATEWAY, SIM_SETTING_INTERNET_GATEWAYS,
					      "InternetGatewayLimitExceeded", "internet gateways"))
		return;
	struct sim_object *gateway = sim_create(call->sim, call->region, SIM_INTERNET_GATEWAY, (struct slice){NULL, 0});
	node_format(&gateway->body, "ownerId", "%012lld", (long long)sim_setting(call->sim, SIM_SETTING_ACCOUNT));
	node_list(&gateway->body, "attachmentSet");
	sim_tag_new(call, "internet-gateway", gateway);
	sim_out_node(call, "internetGateway", &gateway->body);
}

static void attach_internet_gateway(struct sim_call *call)
{
	struct sim_object *gateway = sim_need(call, SIM_INTERNET_GATEWAY, "InternetGatewayId");
	struct sim_object *vpc = sim_need(call, SIM_VPC, "VpcId");
	const struct node *held = gateway ? node_get(&gateway->body, "attachmentSet") : NULL;
	size_t cursor = 0;

	if (!gateway || !vpc)
		return;
	if (held && held->count > 0)
		sim_fail(call, "Resource.AlreadyAssociated", "resource %.*s is already attached to network %.*s",
			 SLICE_ARGUMENTS(gateway->id), SLICE_ARGUMENTS(node_text(&held->items[0], "vpcId")));
	else if (sim_referrer(vpc, SIM_INTERNET_GATEWAY, &cursor))
		sim_fail(call, "InvalidParameterValue", "Network %.*s already has an internet gateway attached",
			 SLICE_ARGUMENTS(vpc->id));
	if (call->failed)
		return;
	struct node *item = node_append(node_list(sim_edit(call->sim, gateway), "attachmentSet"), NODE_MAP);
	node_put(item, "vpcId", vpc->id);
	node_set(item, "state", "available");
	sim_routes_to(call->sim, gateway, true);
	sim_out_return(call);
}

static bool has_public_address(const struct sim_object *vpc)
{
	const struct sim_object *instance;
	size_t cursor = 0;

	while ((instance = sim_referrer(vpc, SIM_INSTANCE, &cursor)) != NULL)
		if (node_text(&instance->body, "ipAddress").size > 0)
			return true;
	return false;
}

static void detach_internet_gateway(struct sim_call *call)
{
	struct sim_object *gateway = sim_need(call, SIM_INTERNET_GATEWAY, "InternetGatewayId");
	struct sim_object *vpc = sim_need(call, SIM_VPC, "VpcId");

	if (!gateway || !vpc)
		return;
	if (!sim_gateway_attached(gateway, vpc->id))
		sim_fail(call, "Gateway.NotAttached", "resource %.*s is not attached to network %.*s",
			 SLICE_ARGUMENTS(gateway->id), SLICE_ARGUMENTS(vpc->id));
	else if (has_public_address(vpc))
		sim_fail(call, "DependencyViolation",
			 "Network %.*s has some mapped public address(es). Please unmap those before detaching the "
			 "gateway.",
			 SLICE_ARGUMENTS(vpc->id));
	if (call->failed)
		return;
	node_reset(node_list(sim_edit(call->sim, gateway), "attachmentSet"), NODE_LIST);
	sim_routes_to(call->sim, gateway, false);
	sim_out_return(call);
}

static void delete_internet_gateway(struct sim_call *call)
{
	struct sim_object *gateway = sim_need(call, SIM_INTERNET_GATEWAY, "InternetGatewayId");

	if (!gateway)
		return;
	if (node_count(&gateway->body, "attachmentSet") > 0) {
		sim_fail(call, "DependencyViolation",
			 "The internetGateway '%.*s' has dependencies and cannot be deleted.",
			 SLICE_ARGUMENTS(gateway->id));
		return;
	}
	sim_routes_to(call->sim, gateway, false);
	sim_delete(call->sim, gateway);
	sim_out_return(call);
}

static const struct sim_filter filters[] = {
	{"internet-gateway-id", "internetGatewayId", NULL},
	{"attachment.vpc-id", "attachmentSet.vpcId", NULL},
	{"attachment.state", "attachmentSet.state", NULL},
	{"owner-id", "ownerId", NULL},
};

static const struct sim_listing listing = {
	.type = SIM_INTERNET_GATEWAY,
	.set = "internetGatewaySet",
	.ids = "InternetGatewayId",
	.filters = filters,
	.filter_count = sizeof(filters) / sizeof(filters[0]),
	.page_least = 5,
	.page_most = 1000,
};

static const struct sim_action actions[] = {
	{"CreateInternetGateway", create_internet_gateway, "TagSpecification[]{ResourceType Tag[]{Key Value}}", NULL},
	{"DescribeInternetGateways", sim_describe, "Filter[]{Name Value[]} InternetGatewayId[] NextToken MaxResults:i",
	 &listing},
	{"AttachInternetGateway", attach_internet_gateway, "InternetGatewayId! VpcId!", NULL},
	{"DetachInternetGateway", detach_internet_gateway, "InternetGatewayId! VpcId!", NULL},
	{"DeleteInternetGateway", delete_internet_gateway, "InternetGatewayId!", NULL},
};

const struct sim_family sim_internet_gateway_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
