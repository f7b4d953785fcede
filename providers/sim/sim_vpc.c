#include "providers/sim/sim_parts.h"
#include "providers/sim/sim_query.h"

/* VPCs: their ranges and their DNS attributes. */

enum {
	VPC_READY_MS = 1000,
	RANGE_READY_MS = 3000,
	RANGE_GONE_MS = 30 * 1000,
};

#define DHCP_OPTIONS_DEFAULT "dopt-0d0e0f0a0b0c0d0e0"

/* Sets what is under way to its end; what has ended is shown for a while. */
static bool settle_ranges(struct node *list, const char *state_name)
{
	bool left = false;

	for (uint32_t i = list ? list->count : 0; i-- > 0;) {
		struct node *state = node_find(&list->items[i], state_name);

		if (node_is(state, "state", "associating")) {
			struct slice allotted = node_text(&list->items[i], "_allotted");

			node_set(state, "state", "associated");
			if (allotted.size > 0)
				node_put(&list->items[i], "ipv6CidrBlock", allotted);
		} else if (node_is(state, "state", "disassociating")) {
			node_set(state, "state", "disassociated");
			left = true;
		} else if (node_is(state, "state", "disassociated")) {
			node_remove(list, i);
		}
	}
	return left;
}

/* What is about to be told is local from then on. */
static void route_ipv6(struct sim *sim, struct sim_object *vpc)
{
	const struct node *list = node_get(&vpc->body, "ipv6CidrBlockAssociationSet");

	for (uint32_t i = 0; list && i < list->count; i++)
		if (node_is(node_get(&list->items[i], "ipv6CidrBlockState"), "state", "associating"))
			sim_route_tables_local(sim, vpc, node_text(&list->items[i], "_allotted"), true);
}

static void tick(struct sim *sim, struct sim_object *vpc)
{
	struct node *body = sim_edit(sim, vpc);

	route_ipv6(sim, vpc);
	bool ipv4 = settle_ranges(node_find(body, "cidrBlockAssociationSet"), "cidrBlockState");
	bool ipv6 = settle_ranges(node_find(body, "ipv6CidrBlockAssociationSet"), "ipv6CidrBlockState");

	node_set(body, "state", "available");
	if (ipv4 || ipv6)
		sim_schedule(sim, vpc, sim_pace(sim, RANGE_GONE_MS));
}

/* What a VPC brings along goes with it. */
static void leave(struct sim *sim, struct sim_object *vpc)
{
	struct sim_object *group;
	size_t cursor = 0;

	while ((group = sim_referrer(vpc, SIM_SECURITY_GROUP, &cursor)) != NULL)
		sim_delete_referrers(sim, group, SIM_SECURITY_GROUP_RULE);
	sim_delete_referrers(sim, vpc, SIM_SECURITY_GROUP);
	sim_delete_referrers(sim, vpc, SIM_ROUTE_TABLE);
}

static const char *const parts[] = {
	"cidrBlockAssociationSet.associationId",
	"ipv6CidrBlockAssociationSet.associationId",
	NULL,
};

const struct sim_type sim_vpc_type = {
	.number = SIM_VPC,
	.name = "vpc",
	.prefix = "vpc",
	.id_name = "vpcId",
	.range_path = "cidrBlock",
	.parts = parts,
	.tick = tick,
	.leave = leave,
	.absent_code = "InvalidVpcID.NotFound",
	.absent_message = "The vpc ID '%s' does not exist",
	.malformed_code = "InvalidVpcID.Malformed",
};

bool sim_range(struct sim_call *call, const char *parameter, uint8_t family, struct cidr *ret)
{
	struct slice text = sim_text(call, parameter);
	struct cidr range;

	if (!cidr_read(text, &range) || range.family != family) {
		sim_fail(call, "InvalidParameterValue",
			 "Value (%.*s) for parameter %s is invalid. This is not a valid CIDR block.",
			 SLICE_ARGUMENTS(text), parameter);
		return false;
	}
	*ret = cidr_network(range);
	return true;
}

struct slice sim_range_text(struct sim_call *call, const struct cidr *range)
{
	return cidr_text(call->arena, range);
}

bool sim_vpc_each_range(const struct sim_object *vpc, uint8_t family,
			bool (*visit)(void *context, const struct cidr *range), void *context)
{
	const struct node *list =
		node_get(&vpc->body, family == 4 ? "cidrBlockAssociationSet" : "ipv6CidrBlockAssociationSet");
	const char *name = family == 4 ? "cidrBlock" : "ipv6CidrBlock";
	const char *state_name = family == 4 ? "cidrBlockState" : "ipv6CidrBlockState";

	for (uint32_t i = 0; list && i < list->count; i++) {
		const struct node *state = node_get(&list->items[i], state_name);
		struct cidr range;

		if (node_is(state, "state", "disassociating") || node_is(state, "state", "disassociated") ||
		    !cidr_read(node_text(&list->items[i], name), &range))
			continue;
		if (visit(context, &range))
			return true;
	}
	return false;
}

static bool contains(void *context, const struct cidr *range)
{
	return cidr_contains(range, context);
}

bool sim_vpc_contains(const struct sim_object *vpc, const struct cidr *range)
{
	struct cidr inner = *range;

	return sim_vpc_each_range(vpc, range->family, contains, &inner);
}

static struct node *add_range(struct sim_call *call, struct sim_object *vpc, const struct cidr *range,
			      const char *state)
{
	struct node *list = node_list(&vpc->body, "cidrBlockAssociationSet");
	struct node *item = node_append(list, NODE_MAP);
	char digits[18];

	sim_random_hex(call->sim, digits, 17);
	node_format(item, "associationId", "vpc-cidr-assoc-%s", digits);
	node_put(item, "cidrBlock", sim_range_text(call, range));
	node_set(node_map(item, "cidrBlockState"), "state", state);
	return item;
}

/* Amazon's own ranges are /56 (page "VPC CIDR blocks"); which it is shows once it is associated (page "create-vpc" of
 * the command line, second example). */
static struct node *add_amazon_range(struct sim_call *call, struct sim_object *vpc)
{
	struct node *list = node_list(&vpc->body, "ipv6CidrBlockAssociationSet");
	struct node *item = node_append(list, NODE_MAP);
	struct cidr range = {.bytes = {0x26, 0x00, 0x1f, 0x14}, .bits = 56, .family = 6};
	char digits[18];

	range.bytes[4] = (uint8_t)sim_random_between(call->sim, 0, 255);
	range.bytes[5] = (uint8_t)sim_random_between(call->sim, 0, 255);
	range.bytes[6] = (uint8_t)sim_random_between(call->sim, 0, 255);
	sim_random_hex(call->sim, digits, 17);
	node_format(item, "associationId", "vpc-cidr-assoc-%s", digits);
	node_set(item, "ipv6CidrBlock", "");
	node_put(item, "_allotted", sim_range_text(call, &range));
	node_set(node_map(item, "ipv6CidrBlockState"), "state", "associating");
	node_put(item, "networkBorderGroup", call->region->name);
	node_set(item, "ipv6Pool", "Amazon");
	node_set(item, "ipv6AddressAttribute", "public");
	node_set(item, "ipSource", "amazon");
	return item;
}

static bool vpc_range(struct sim_call *call, struct cidr *ret)
{
	if (!sim_given(call, "CidrBlock")) {
		sim_fail(call, "MissingParameter", "The request must contain the parameter cidrBlock");
		return false;
	}
	if (!sim_range(call, "CidrBlock", 4, ret))
		return false;
	if (ret->bits < 16 || ret->bits > 28) {
		sim_fail(call, "InvalidVpc.Range", "The CIDR '%.*s' is invalid.",
			 SLICE_ARGUMENTS(sim_text(call, "CidrBlock")));
		return false;
	}
	return true;
}

static void no_pools(struct sim_call *call)
{
	static const char *const names[] = {"Ipv6Pool", "Ipv6CidrBlock", "Ipv4IpamPoolId", "Ipv6IpamPoolId"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (sim_given(call, names[i]))
			sim_fail(call, "InvalidPoolID.NotFound", "The pool named by %s does not exist", names[i]);
}

static bool valid_tenancy(struct sim_call *call, struct slice tenancy)
{
	if (slice_is(tenancy, "default") || slice_is(tenancy, "dedicated"))
		return true;
	sim_fail(call, "InvalidParameterValue", "Value (%.*s) for parameter instanceTenancy is invalid.",
		 SLICE_ARGUMENTS(tenancy));
	return false;
}

static bool valid_encryption(struct sim_call *call)
{
	struct slice mode = node_text(node_get(&call->request, "VpcEncryptionControl"), "Mode");

	if (!sim_given(call, "VpcEncryptionControl") || slice_is(mode, "monitor") || slice_is(mode, "enforce"))
		return true;
	sim_fail(call, "InvalidParameterValue", "Value (%.*s) for parameter mode is invalid.", SLICE_ARGUMENTS(mode));
	return false;
}

static void encryption_control(struct sim_call *call, struct sim_object *vpc)
{
	struct node *control = node_map(&vpc->body, "encryptionControl");
	char digits[18];

	sim_random_hex(call->sim, digits, 17);
	node_put(control, "vpcId", vpc->id);
	node_format(control, "vpcEncryptionControlId", "vpcec-%s", digits);
	node_put(control, "mode", node_text(node_get(&call->request, "VpcEncryptionControl"), "Mode"));
	node_set(control, "state", "available");
}

static void create_vpc(struct sim_call *call)
{
	struct slice tenancy =
		sim_given(call, "InstanceTenancy") ? sim_text(call, "InstanceTenancy") : SLICE("default");
	struct cidr range;

	no_pools(call);
	sim_tag_new(call, "vpc", NULL);
	if (!valid_tenancy(call, tenancy) || !valid_encryption(call) || !vpc_range(call, &range) ||
	    !sim_within_quota(call, SIM_VPC, SIM_SETTING_VPCS, "VpcLimitExceeded", "VPCs") || call->failed)
		return;
	struct sim_object *vpc = sim_create(call->sim, call->region, SIM_VPC, (struct slice){NULL, 0});
	struct node *body = &vpc->body;
	node_format(body, "ownerId", "%012lld", (long long)sim_setting(call->sim, SIM_SETTING_ACCOUNT));
	node_set(body, "state", "pending");
	node_put(body, "cidrBlock", sim_range_text(call, &range));
	(void)add_range(call, vpc, &range, "associated");
	if (sim_flag(call, "AmazonProvidedIpv6CidrBlock", false))
		(void)add_amazon_range(call, vpc);
	node_set(body, "dhcpOptionsId", DHCP_OPTIONS_DEFAULT);
	if (sim_given(call, "VpcEncryptionControl"))
		encryption_control(call, vpc);
	node_put(body, "instanceTenancy", tenancy);
	node_set(body, "isDefault", "false");
	node_set(body, "_enableDnsSupport", "true");
	node_set(body, "_enableDnsHostnames", "false");
	node_set(body, "_enableNetworkAddressUsageMetrics", "false");
	sim_tag_new(call, "vpc", vpc);
	sim_schedule(call->sim, vpc, sim_pace(call->sim, VPC_READY_MS));
	sim_security_group_default(call, vpc);
	sim_route_table_main(call, vpc);
	sim_out_node(call, "vpc", body);
}

static void delete_vpc(struct sim_call *call)
{
	struct sim_object *vpc = sim_need(call, SIM_VPC, "VpcId");

	if (!vpc)
		return;
	if (sim_is_held(vpc)) {
		sim_fail(call, "DependencyViolation", "The vpc '%.*s' has dependencies and cannot be deleted.",
			 SLICE_ARGUMENTS(vpc->id));
		return;
	}
	leave(call->sim, vpc);
	sim_delete(call->sim, vpc);
	sim_out_return(call);
}

/* One attribute a call; hostnames need support (page "ModifyVpcAttribute"). */
static const struct {
	const char *parameter, *name, *own;
} dns[] = {
	{"EnableDnsSupport", "enableDnsSupport", "_enableDnsSupport"},
	{"EnableDnsHostnames", "enableDnsHostnames", "_enableDnsHostnames"},
	{"EnableNetworkAddressUsageMetrics", "enableNetworkAddressUsageMetrics", "_enableNetworkAddressUsageMetrics"},
};

enum { DNS_COUNT = sizeof(dns) / sizeof(dns[0]) };

static void modify_vpc_attribute(struct sim_call *call)
{
	struct sim_object *vpc = sim_need(call, SIM_VPC, "VpcId");
	size_t given = 0, which = 0;

	for (size_t i = 0; i < DNS_COUNT; i++) {
		if (sim_given(call, dns[i].parameter)) {
			given++;
			which = i;
		}
	}
	if (given > 1)
		sim_fail(call, "InvalidParameterCombination", "You may only modify one attribute at a time.");
	else if (given == 0)
		sim_fail(call, "InvalidParameterCombination", "No attributes specified.");
	if (!vpc || call->failed)
		return;
	bool on = sim_truth(node_text(node_get(&call->request, dns[which].parameter), "Value"));
	if (which == 0 && !on && node_is(&vpc->body, "_enableDnsHostnames", "true"))
		node_set(sim_edit(call->sim, vpc), "_enableDnsHostnames", "false");
	if (which == 1 && on && !node_is(&vpc->body, "_enableDnsSupport", "true")) {
		sim_fail(call, "InvalidParameterValue",
			 "The parameter enableDnsHostnames cannot be set without DNS support");
		return;
	}
	node_set(sim_edit(call->sim, vpc), dns[which].own, on ? "true" : "false");
	sim_out_return(call);
}

static void describe_vpc_attribute(struct sim_call *call)
{
	struct slice id = sim_text(call, "VpcId"), attribute = sim_text(call, "Attribute");
	struct sim_object *vpc = sim_find_listed(call->sim, call->region, SIM_VPC, id);

	if (!vpc) {
		sim_absent(call, &sim_vpc_type, id);
		return;
	}
	for (size_t i = 0; i < DNS_COUNT; i++) {
		if (!slice_is(attribute, dns[i].name))
			continue;
		sim_out_text(call, "vpcId", id);
		sim_out_open(call, dns[i].name);
		sim_out_text(call, "value", node_text(sim_listed(call->sim, vpc), dns[i].own));
		sim_out_close(call, dns[i].name);
		return;
	}
	sim_fail(call, "InvalidParameterValue", "Value (%.*s) for parameter attribute is invalid. Unknown attribute.",
		 SLICE_ARGUMENTS(attribute));
}

static void modify_vpc_tenancy(struct sim_call *call)
{
	struct sim_object *vpc = sim_need(call, SIM_VPC, "VpcId");

	if (!vpc)
		return;
	if (!slice_is(sim_text(call, "InstanceTenancy"), "default")) {
		sim_fail(call, "InvalidParameterValue", "Value (%.*s) for parameter instanceTenancy is invalid.",
			 SLICE_ARGUMENTS(sim_text(call, "InstanceTenancy")));
		return;
	}
	node_set(sim_edit(call->sim, vpc), "instanceTenancy", "default");
	sim_out_string(call, "returnValue", "true");
}

/* The options that every account has are the only ones. */
static void associate_dhcp_options(struct sim_call *call)
{
	struct sim_object *vpc = sim_need(call, SIM_VPC, "VpcId");
	struct slice id = sim_text(call, "DhcpOptionsId");

	if (!vpc)
		return;
	if (!slice_is(id, "default") && !slice_is(id, DHCP_OPTIONS_DEFAULT)) {
		sim_fail(call, "InvalidDhcpOptionID.NotFound", "The dhcpOption ID '%.*s' does not exist",
			 SLICE_ARGUMENTS(id));
		return;
	}
	node_put(sim_edit(call->sim, vpc), "dhcpOptionsId", id);
	sim_out_return(call);
}

/* One association a network border group, of which a region's zones are one (page "AssociateVpcCidrBlock"). */
static bool has_amazon_range(void *context, struct slice state)
{
	(void)context;
	return slice_is(state, "associating") || slice_is(state, "associated");
}

static void associate_vpc_cidr_block(struct sim_call *call)
{
	struct sim_object *vpc = sim_need(call, SIM_VPC, "VpcId");
	bool amazon = sim_flag(call, "AmazonProvidedIpv6CidrBlock", false);
	struct cidr range;

	no_pools(call);
	if (!vpc || call->failed)
		return;
	if (amazon && sim_given(call, "CidrBlock")) {
		sim_fail(call, "InvalidParameterCombination",
			 "Only one of CidrBlock and AmazonProvidedIpv6CidrBlock may be given");
		return;
	}
	if (amazon &&
	    node_walk(&vpc->body, "ipv6CidrBlockAssociationSet.ipv6CidrBlockState.state", has_amazon_range, NULL)) {
		sim_fail(call, "CidrLimitExceeded",
			 "This network '%.*s' has met its maximum number of allowed CIDRs: 1",
			 SLICE_ARGUMENTS(vpc->id));
		return;
	}
	if (!amazon && (!vpc_range(call, &range) || !sim_vpc_may_join(call, vpc, &range)))
		return;
	(void)sim_edit(call->sim, vpc);
	struct node *item = amazon ? add_amazon_range(call, vpc) : add_range(call, vpc, &range, "associating");
	sim_out_text(call, "vpcId", vpc->id);
	sim_out_node(call, amazon ? "ipv6CidrBlockAssociation" : "cidrBlockAssociation", item);
	if (!amazon)
		sim_route_tables_local(call->sim, vpc, sim_range_text(call, &range), true);
	sim_schedule(call->sim, vpc, sim_pace(call->sim, RANGE_READY_MS));
}

static bool range_in_use(const struct sim_object *vpc, const struct cidr *range)
{
	const struct sim_object *subnet;
	size_t cursor = 0;

	while ((subnet = sim_referrer(vpc, SIM_SUBNET, &cursor)) != NULL)
		if (cidr_overlap(&subnet->range, range))
			return true;
	return false;
}

static void disassociate_ipv4(struct sim_call *call, struct sim_object *vpc, struct node *item)
{
	struct slice id = node_text(item, "associationId"), text = node_text(item, "cidrBlock");
	struct cidr range;

	if (slice_equal(text, node_text(&vpc->body, "cidrBlock")))
		sim_fail(call, "OperationNotPermitted",
			 "The vpc CIDR block with association ID %.*s may not be disassociated. It is the primary IPv4 "
			 "CIDR "
			 "block of the VPC",
			 SLICE_ARGUMENTS(id));
	else if (cidr_read(text, &range) && range_in_use(vpc, &range))
		sim_fail(call, "InvalidCidr.InUse", "The vpc currently has a subnet within CIDR block %.*s",
			 SLICE_ARGUMENTS(text));
	if (call->failed)
		return;
	node_set(node_map(item, "cidrBlockState"), "state", "disassociating");
	sim_route_tables_local(call->sim, vpc, text, false);
	sim_out_text(call, "vpcId", vpc->id);
	sim_out_node(call, "cidrBlockAssociation", item);
}

static void disassociate_ipv6(struct sim_call *call, struct sim_object *vpc, struct node *item)
{
	struct slice text = node_text(item, "ipv6CidrBlock");
	struct cidr range;

	if (cidr_read(text, &range) && sim_subnets_overlap_ipv6(vpc, &range)) {
		sim_fail(call, "InvalidCidrBlock.InUse", "The vpc %.*s currently has a subnet within CIDR block %.*s",
			 SLICE_ARGUMENTS(vpc->id), SLICE_ARGUMENTS(text));
		return;
	}
	node_set(node_map(item, "ipv6CidrBlockState"), "state", "disassociating");
	sim_route_tables_local(call->sim, vpc, text, false);
	sim_out_text(call, "vpcId", vpc->id);
	sim_out_node(call, "ipv6CidrBlockAssociation", item);
}

static void disassociate_vpc_cidr_block(struct sim_call *call)
{
	struct slice id = sim_text(call, "AssociationId");
	struct sim_object *vpc = sim_find_part(call->region, SIM_VPC, id);
	struct node *item = NULL, *item6 = NULL;

	if (vpc) {
		struct node *body = sim_edit(call->sim, vpc);

		item = node_item(node_find(body, "cidrBlockAssociationSet"), "associationId", id);
		item6 = node_item(node_find(body, "ipv6CidrBlockAssociationSet"), "associationId", id);
	}
	if (item) {
		disassociate_ipv4(call, vpc, item);
	} else if (item6) {
		disassociate_ipv6(call, vpc, item6);
	} else {
		sim_fail(call, "InvalidVpcCidrBlockAssociationID.NotFound",
			 "The vpc CIDR block association ID '%.*s' does not exist", SLICE_ARGUMENTS(id));
	}
	if (!call->failed)
		sim_schedule(call->sim, vpc, sim_pace(call->sim, RANGE_READY_MS));
}

static const struct sim_filter filters[] = {
	{"vpc-id", "vpcId", NULL},
	{"cidr", "cidrBlock", NULL},
	{"state", "state", NULL},
	{"owner-id", "ownerId", NULL},
	{"is-default", "isDefault", NULL},
	{"dhcp-options-id", "dhcpOptionsId", NULL},
	{"cidr-block-association.association-id", "cidrBlockAssociationSet.associationId", NULL},
	{"cidr-block-association.cidr-block", "cidrBlockAssociationSet.cidrBlock", NULL},
	{"cidr-block-association.state", "cidrBlockAssociationSet.cidrBlockState.state", NULL},
	{"ipv6-cidr-block-association.association-id", "ipv6CidrBlockAssociationSet.associationId", NULL},
	{"ipv6-cidr-block-association.ipv6-cidr-block", "ipv6CidrBlockAssociationSet.ipv6CidrBlock", NULL},
	{"ipv6-cidr-block-association.state", "ipv6CidrBlockAssociationSet.ipv6CidrBlockState.state", NULL},
};

static const struct sim_listing listing = {
	.type = SIM_VPC,
	.set = "vpcSet",
	.ids = "VpcId",
	.filters = filters,
	.filter_count = sizeof(filters) / sizeof(filters[0]),
	.page_least = 5,
	.page_most = 1000,
};

static const struct sim_action actions[] = {
	{"CreateVpc", create_vpc,
	 "CidrBlock Ipv6Pool Ipv6CidrBlock Ipv4IpamPoolId Ipv4NetmaskLength:i Ipv6IpamPoolId Ipv6NetmaskLength:i "
	 "Ipv6CidrBlockNetworkBorderGroup InstanceTenancy AmazonProvidedIpv6CidrBlock:b "
	 "VpcEncryptionControl{Mode! InternetGatewayExclusion EgressOnlyInternetGatewayExclusion NatGatewayExclusion "
	 "VirtualPrivateGatewayExclusion VpcPeeringExclusion LambdaExclusion VpcLatticeExclusion "
	 "ElasticFileSystemExclusion GlobalAcceleratorExclusion ApiGatewayV2Exclusion} "
	 "TagSpecification[]{ResourceType Tag[]{Key Value}}",
	 NULL},
	{"DescribeVpcs", sim_describe, "Filter[]{Name Value[]} VpcId[] NextToken MaxResults:i", &listing},
	{"DeleteVpc", delete_vpc, "VpcId!", NULL},
	{"ModifyVpcAttribute", modify_vpc_attribute,
	 "VpcId! EnableDnsHostnames{Value:b} EnableDnsSupport{Value:b} EnableNetworkAddressUsageMetrics{Value:b}",
	 NULL},
	{"DescribeVpcAttribute", describe_vpc_attribute, "Attribute! VpcId!", NULL},
	{"ModifyVpcTenancy", modify_vpc_tenancy, "VpcId! InstanceTenancy!", NULL},
	{"AssociateDhcpOptions", associate_dhcp_options, "DhcpOptionsId! VpcId!", NULL},
	{"AssociateVpcCidrBlock", associate_vpc_cidr_block,
	 "VpcId! CidrBlock AmazonProvidedIpv6CidrBlock:b Ipv6CidrBlockNetworkBorderGroup Ipv6Pool Ipv6CidrBlock "
	 "Ipv4IpamPoolId Ipv4NetmaskLength:i Ipv6IpamPoolId Ipv6NetmaskLength:i",
	 NULL},
	{"DisassociateVpcCidrBlock", disassociate_vpc_cidr_block, "AssociationId!", NULL},
};

const struct sim_family sim_vpc_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
