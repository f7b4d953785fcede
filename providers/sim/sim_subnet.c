#include "providers/sim/sim_parts.h"
#include "providers/sim/sim_query.h"

/* Subnets: a range of a VPC in a zone. */

enum {
	SUBNET_READY_MS = 800,
	RANGE_READY_MS = 3000,
	RESERVED_ADDRESSES = 5,
};

static void tick(struct sim *sim, struct sim_object *subnet)
{
	struct node *body = sim_edit(sim, subnet);
	struct node *list = node_find(body, "ipv6CidrBlockAssociationSet");

	node_set(body, "state", "available");
	for (uint32_t i = list ? list->count : 0; i-- > 0;) {
		struct node *state = node_find(&list->items[i], "ipv6CidrBlockState");

		if (node_is(state, "state", "associating"))
			node_set(state, "state", "associated");
		else if (!node_is(state, "state", "associated"))
			node_remove(list, i);
	}
}

static const char *const references[] = {"vpcId", NULL};
static const char *const parts[] = {"ipv6CidrBlockAssociationSet.associationId", NULL};

const struct sim_type sim_subnet_type = {
	.number = SIM_SUBNET,
	.name = "subnet",
	.prefix = "subnet",
	.id_name = "subnetId",
	.range_path = "cidrBlock",
	.references = references,
	.parts = parts,
	.tick = tick,
	.holds = sim_holds,
	.absent_code = "InvalidSubnetID.NotFound",
	.absent_message = "The subnet ID '%s' does not exist",
	.malformed_code = "InvalidSubnetID.Malformed",
};

static bool subnet_range(struct sim_call *call, const struct sim_object *vpc, struct cidr *ret)
{
	const struct sim_object *other;
	struct slice text = sim_text(call, "CidrBlock");
	size_t cursor = 0;

	if (!sim_given(call, "CidrBlock")) {
		sim_fail(call, "MissingParameter", "Either 'cidrBlock' or 'ipv6CidrBlock' should be provided.");
		return false;
	}
	if (!sim_range(call, "CidrBlock", 4, ret))
		return false;
	if (ret->bits < 16 || ret->bits > 28 || !sim_vpc_contains(vpc, ret)) {
		sim_fail(call, "InvalidSubnet.Range", "The CIDR '%.*s' is invalid.", SLICE_ARGUMENTS(text));
		return false;
	}
	while ((other = sim_referrer(vpc, SIM_SUBNET, &cursor)) != NULL) {
		if (cidr_overlap(&other->range, ret)) {
			sim_fail(call, "InvalidSubnet.Conflict", "The CIDR '%.*s' conflicts with another subnet",
				 SLICE_ARGUMENTS(text));
			return false;
		}
	}
	return true;
}

bool sim_subnets_overlap_ipv6(const struct sim_object *vpc, const struct cidr *range)
{
	const struct sim_object *other;
	size_t cursor = 0;

	while ((other = sim_referrer(vpc, SIM_SUBNET, &cursor)) != NULL) {
		const struct node *list = node_get(&other->body, "ipv6CidrBlockAssociationSet");

		for (uint32_t i = 0; list && i < list->count; i++) {
			struct cidr held;

			if (node_is(node_get(&list->items[i], "ipv6CidrBlockState"), "state", "disassociating"))
				continue;
			if (cidr_read(node_text(&list->items[i], "ipv6CidrBlock"), &held) && cidr_overlap(&held, range))
				return true;
		}
	}
	return false;
}

/* /44 to /64 in steps of 4 (page "Subnet CIDR blocks"). */
static bool ipv6_range(struct sim_call *call, const struct sim_object *vpc, struct cidr *ret)
{
	struct slice text = sim_text(call, "Ipv6CidrBlock");

	if (!sim_range(call, "Ipv6CidrBlock", 6, ret))
		return false;
	if (ret->bits < 44 || ret->bits > 64 || ret->bits % 4 != 0 || !sim_vpc_contains(vpc, ret))
		sim_fail(call, "InvalidSubnet.Range", "The CIDR '%.*s' is invalid.", SLICE_ARGUMENTS(text));
	else if (sim_subnets_overlap_ipv6(vpc, ret))
		sim_fail(call, "InvalidSubnet.Conflict", "The CIDR '%.*s' conflicts with another subnet",
			 SLICE_ARGUMENTS(text));
	return !call->failed;
}

static struct node *add_ipv6(struct sim_call *call, struct sim_object *subnet, const struct cidr *range)
{
	struct node *item = node_append(node_list(&subnet->body, "ipv6CidrBlockAssociationSet"), NODE_MAP);
	char digits[18];

	sim_random_hex(call->sim, digits, 17);
	node_format(item, "associationId", "subnet-cidr-assoc-%s", digits);
	node_put(item, "ipv6CidrBlock", sim_range_text(call, range));
	node_set(node_map(item, "ipv6CidrBlockState"), "state", "associating");
	node_set(item, "ipv6AddressAttribute", "public");
	node_set(item, "ipSource", "amazon");
	return item;
}

/* By name or by id; without either AWS picks one, here the first. */
static bool choose_zone(struct sim_call *call, char zone[48], char id[48])
{
	struct slice name = sim_text(call, "AvailabilityZone"), wanted_id = sim_text(call, "AvailabilityZoneId");

	for (size_t i = 0; sim_zone_name(call->region, i, zone); i++) {
		(void)sim_zone_id(call->region, slice_of(zone), id);
		if ((name.size == 0 || slice_is(name, zone)) && (wanted_id.size == 0 || slice_is(wanted_id, id)))
			return true;
	}
	sim_fail(call, "InvalidParameterValue",
		 "Value (%.*s) for parameter availabilityZone is invalid. Subnets can currently only be created in the "
		 "following availability zones: %.*sa, %.*sb, %.*sc, %.*sd.",
		 SLICE_ARGUMENTS(name.size > 0 ? name : wanted_id), SLICE_ARGUMENTS(call->region->name),
		 SLICE_ARGUMENTS(call->region->name), SLICE_ARGUMENTS(call->region->name),
		 SLICE_ARGUMENTS(call->region->name));
	return false;
}

static bool unsupported(struct sim_call *call)
{
	static const char *const names[] = {"OutpostArn", "Ipv4IpamPoolId", "Ipv6IpamPoolId"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (sim_given(call, names[i]))
			sim_fail(call, "InvalidParameterValue", "The resource named by %s does not exist", names[i]);
	return call->failed;
}

static void fill(struct sim_call *call, struct sim_object *subnet, const struct sim_object *vpc,
		 const struct cidr *range, const char *zone, const char *zone_id)
{
	long long account = (long long)sim_setting(call->sim, SIM_SETTING_ACCOUNT);
	struct node *body = &subnet->body, *names;

	node_format(body, "subnetArn", "arn:aws:ec2:%.*s:%012lld:subnet/%.*s", SLICE_ARGUMENTS(call->region->name),
		    account, SLICE_ARGUMENTS(subnet->id));
	node_format(body, "ownerId", "%012lld", account);
	node_set(body, "state", "pending");
	node_put(body, "vpcId", vpc->id);
	if (range) {
		node_put(body, "cidrBlock", sim_range_text(call, range));
		node_number(body, "availableIpAddressCount", ((int64_t)1 << (32 - range->bits)) - RESERVED_ADDRESSES);
	} else {
		node_number(body, "availableIpAddressCount", 0);
	}
	node_set(body, "availabilityZone", zone);
	node_set(body, "availabilityZoneId", zone_id);
	node_set(body, "defaultForAz", "false");
	node_set(body, "mapPublicIpOnLaunch", "false");
	node_set(body, "mapCustomerOwnedIpOnLaunch", "false");
	node_set(body, "assignIpv6AddressOnCreation", range ? "false" : "true");
	node_set(body, "ipv6Native", range ? "false" : "true");
	node_set(body, "enableDns64", "false");
	names = node_map(body, "privateDnsNameOptionsOnLaunch");
	node_set(names, "hostnameType", range ? "ip-name" : "resource-name");
	node_set(names, "enableResourceNameDnsARecord", "false");
	node_set(names, "enableResourceNameDnsAAAARecord", "false");
	node_list(body, "ipv6CidrBlockAssociationSet");
}

static void create_subnet(struct sim_call *call)
{
	struct sim_object *vpc = sim_need(call, SIM_VPC, "VpcId");
	bool native = sim_flag(call, "Ipv6Native", false);
	char zone[48], zone_id[48];
	struct cidr range, range6;
	size_t cursor = 0;
	int64_t count = 0;

	if (!vpc || unsupported(call))
		return;
	sim_tag_new(call, "subnet", NULL);
	if (native && (sim_given(call, "CidrBlock") || !sim_given(call, "Ipv6CidrBlock")))
		sim_fail(call, "InvalidParameterCombination",
			 "An IPv6-native subnet takes 'ipv6CidrBlock' and no 'cidrBlock'");
	if (call->failed || (!native && !subnet_range(call, vpc, &range)) ||
	    (sim_given(call, "Ipv6CidrBlock") && !ipv6_range(call, vpc, &range6)) || !choose_zone(call, zone, zone_id))
		return;
	while (sim_referrer(vpc, SIM_SUBNET, &cursor))
		count++;
	if (count >= sim_setting(call->sim, SIM_SETTING_SUBNETS_PER_VPC)) {
		sim_fail(call, "SubnetLimitExceeded", "The maximum number of subnets has been reached.");
		return;
	}
	struct sim_object *subnet = sim_create(call->sim, call->region, SIM_SUBNET, (struct slice){NULL, 0});
	fill(call, subnet, vpc, native ? NULL : &range, zone, zone_id);
	if (sim_given(call, "Ipv6CidrBlock"))
		(void)add_ipv6(call, subnet, &range6);
	sim_tag_new(call, "subnet", subnet);
	sim_schedule(call->sim, subnet, sim_pace(call->sim, SUBNET_READY_MS));
	sim_out_node(call, "subnet", &subnet->body);
}

static void delete_subnet(struct sim_call *call)
{
	struct sim_object *subnet = sim_need(call, SIM_SUBNET, "SubnetId");

	if (!subnet)
		return;
	if (sim_is_held(subnet)) {
		sim_fail(call, "DependencyViolation", "The subnet '%.*s' has dependencies and cannot be deleted.",
			 SLICE_ARGUMENTS(subnet->id));
		return;
	}
	sim_route_tables_forget_subnet(call->sim, subnet);
	sim_delete(call->sim, subnet);
	sim_out_return(call);
}

/* Each can be changed alone; where it stands in the tree; whether it is a boolean in a Value. */
static const struct {
	const char *parameter, *parent, *name;
	bool boolean;
} attributes[] = {
	{"AssignIpv6AddressOnCreation", NULL, "assignIpv6AddressOnCreation", true},
	{"MapPublicIpOnLaunch", NULL, "mapPublicIpOnLaunch", true},
	{"MapCustomerOwnedIpOnLaunch", NULL, "mapCustomerOwnedIpOnLaunch", true},
	{"CustomerOwnedIpv4Pool", NULL, "customerOwnedIpv4Pool", false},
	{"EnableDns64", NULL, "enableDns64", true},
	{"PrivateDnsHostnameTypeOnLaunch", "privateDnsNameOptionsOnLaunch", "hostnameType", false},
	{"EnableResourceNameDnsARecordOnLaunch", "privateDnsNameOptionsOnLaunch", "enableResourceNameDnsARecord", true},
	{"EnableResourceNameDnsAAAARecordOnLaunch", "privateDnsNameOptionsOnLaunch", "enableResourceNameDnsAAAARecord",
	 true},
	{"EnableLniAtDeviceIndex", NULL, "enableLniAtDeviceIndex", false},
	{"DisableLniAtDeviceIndex", NULL, "enableLniAtDeviceIndex", true},
};

enum { ATTRIBUTE_COUNT = sizeof(attributes) / sizeof(attributes[0]) };

/* A range that goes is no longer of use. */
static bool has_ipv6(const struct sim_object *subnet)
{
	const struct node *list = node_get(&subnet->body, "ipv6CidrBlockAssociationSet");

	for (uint32_t i = 0; list && i < list->count; i++)
		if (!node_is(node_get(&list->items[i], "ipv6CidrBlockState"), "state", "disassociating"))
			return true;
	return false;
}

static bool attribute_allowed(struct sim_call *call, const struct sim_object *subnet, size_t which, struct slice text)
{
	const char *name = attributes[which].parameter;
	bool ipv6 = has_ipv6(subnet), native = node_is(&subnet->body, "ipv6Native", "true");
	bool on = sim_truth(text);

	if (!ipv6 && on && strcmp(name, "AssignIpv6AddressOnCreation") == 0)
		sim_fail(call, "InvalidParameterValue",
			 "Invalid value '%.*s' for assign-ipv6-address-on-creation. Cannot set "
			 "assign-ipv6-address-on-creation to true unless the subnet (%.*s) has an IPv6 CIDR block "
			 "associated with it.",
			 SLICE_ARGUMENTS(text), SLICE_ARGUMENTS(subnet->id));
	if (!ipv6 && on &&
	    (strcmp(name, "EnableDns64") == 0 || strcmp(name, "EnableResourceNameDnsAAAARecordOnLaunch") == 0))
		sim_fail(call, "InvalidParameterValue",
			 "Invalid value '%.*s' for %s: the subnet '%.*s' has no IPv6 CIDR block", SLICE_ARGUMENTS(text),
			 attributes[which].name, SLICE_ARGUMENTS(subnet->id));
	if (strcmp(name, "PrivateDnsHostnameTypeOnLaunch") == 0 && !slice_is(text, "ip-name") &&
	    !slice_is(text, "resource-name"))
		sim_fail(call, "InvalidParameterValue", "Invalid value '%.*s' for hostnameType", SLICE_ARGUMENTS(text));
	/* Pages "IPv6-only subnets" and "EC2 instance hostname types". */
	if (native && ((strcmp(name, "PrivateDnsHostnameTypeOnLaunch") == 0 && slice_is(text, "ip-name")) ||
		       (on && (strcmp(name, "MapPublicIpOnLaunch") == 0 ||
			       strcmp(name, "EnableResourceNameDnsARecordOnLaunch") == 0))))
		sim_fail(call, "InvalidParameterValue", "Invalid value '%.*s' for %s: the subnet '%.*s' is IPv6-only",
			 SLICE_ARGUMENTS(text), attributes[which].name, SLICE_ARGUMENTS(subnet->id));
	if (strcmp(name, "MapCustomerOwnedIpOnLaunch") == 0 || strcmp(name, "CustomerOwnedIpv4Pool") == 0)
		sim_fail(call, "InvalidParameterValue", "The subnet '%.*s' is not on an Outpost",
			 SLICE_ARGUMENTS(subnet->id));
	return !call->failed;
}

static void modify_subnet_attribute(struct sim_call *call)
{
	struct sim_object *subnet = sim_need(call, SIM_SUBNET, "SubnetId");
	size_t given = 0, which = 0;

	for (size_t i = 0; i < ATTRIBUTE_COUNT; i++) {
		if (sim_given(call, attributes[i].parameter)) {
			given++;
			which = i;
		}
	}
	if (given != 1)
		sim_fail(call, "InvalidParameterCombination",
			 given > 1 ? "Only one subnet attribute can be modified at a time"
				   : "No attributes specified.");
	if (!subnet || call->failed)
		return;
	const struct node *given_node = node_get(&call->request, attributes[which].parameter);
	struct slice text = attributes[which].boolean ? node_text(given_node, "Value") : node_slice(given_node);
	if (!attribute_allowed(call, subnet, which, text))
		return;
	struct node *map = sim_edit(call->sim, subnet);
	if (attributes[which].parent)
		map = node_map(map, attributes[which].parent);
	if (attributes[which].boolean)
		text = sim_truth(text) ? SLICE("true") : SLICE("false");
	node_put(map, attributes[which].name, text);
	sim_out_return(call);
}

static void associate_subnet_cidr_block(struct sim_call *call)
{
	struct sim_object *subnet = sim_need(call, SIM_SUBNET, "SubnetId");
	struct sim_object *vpc = subnet ? sim_need_id(call, SIM_VPC, node_text(&subnet->body, "vpcId")) : NULL;
	struct cidr range;

	if (!vpc || unsupported(call))
		return;
	if (!sim_given(call, "Ipv6CidrBlock")) {
		sim_fail(call, "MissingParameter", "The request must contain the parameter ipv6CidrBlock");
		return;
	}
	if (node_count(&subnet->body, "ipv6CidrBlockAssociationSet") > 0) {
		sim_fail(call, "SubnetCidrBlockLimitExceeded", "The subnet '%.*s' has an IPv6 CIDR block already",
			 SLICE_ARGUMENTS(subnet->id));
		return;
	}
	if (!ipv6_range(call, vpc, &range))
		return;
	(void)sim_edit(call->sim, subnet);
	sim_out_text(call, "subnetId", subnet->id);
	sim_out_node(call, "ipv6CidrBlockAssociation", add_ipv6(call, subnet, &range));
	sim_schedule(call->sim, subnet, sim_pace(call->sim, RANGE_READY_MS));
}

/* "You must detach or delete all gateways and resources that are associated with the CIDR block" (page
 * "DisassociateSubnetCidrBlock"). */
static bool gives_ipv6(const struct sim_object *subnet)
{
	const struct sim_object *instance;
	size_t cursor = 0;

	while ((instance = sim_referrer(subnet, SIM_INSTANCE, &cursor)) != NULL)
		if (node_text(&instance->body, "ipv6Address").size > 0 &&
		    !node_is(node_get(&instance->body, "instanceState"), "name", "terminated"))
			return true;
	return false;
}

static void disassociate_subnet_cidr_block(struct sim_call *call)
{
	struct slice id = sim_text(call, "AssociationId");
	struct sim_object *subnet = sim_find_part(call->region, SIM_SUBNET, id);

	if (!subnet) {
		sim_fail(call, "InvalidSubnetCidrBlockAssociationID.NotFound",
			 "The subnet CIDR block association ID '%.*s' does not exist", SLICE_ARGUMENTS(id));
		return;
	}
	if (node_is(&subnet->body, "assignIpv6AddressOnCreation", "true")) {
		sim_fail(call, "InvalidCidrBlock.InUse",
			 "The subnet IPv6 CIDR block with association ID %.*s may not be disassociated, because its "
			 "subnet has assign-ipv6-address-on-creation set to true.",
			 SLICE_ARGUMENTS(id));
		return;
	}
	if (gives_ipv6(subnet)) {
		sim_fail(call, "InvalidCidrBlock.InUse",
			 "The subnet IPv6 CIDR block with association ID %.*s may not be disassociated, because it "
			 "contains one or more in-use IPv6 addresses.",
			 SLICE_ARGUMENTS(id));
		return;
	}
	struct node *list = node_list(sim_edit(call->sim, subnet), "ipv6CidrBlockAssociationSet");
	struct node *item = node_item(list, "associationId", id);
	if (item)
		node_set(node_map(item, "ipv6CidrBlockState"), "state", "disassociating");
	sim_out_text(call, "subnetId", subnet->id);
	if (item)
		sim_out_node(call, "ipv6CidrBlockAssociation", item);
	sim_schedule(call->sim, subnet, sim_pace(call->sim, RANGE_READY_MS));
}

static const struct sim_filter filters[] = {
	{"subnet-id", "subnetId", NULL},
	{"vpc-id", "vpcId", NULL},
	{"state", "state", NULL},
	{"cidr", "cidrBlock", NULL},
	{"cidr-block", "cidrBlock", NULL},
	{"cidrBlock", "cidrBlock", NULL},
	{"availability-zone", "availabilityZone", NULL},
	{"availabilityZone", "availabilityZone", NULL},
	{"availability-zone-id", "availabilityZoneId", NULL},
	{"available-ip-address-count", "availableIpAddressCount", NULL},
	{"default-for-az", "defaultForAz", NULL},
	{"map-public-ip-on-launch", "mapPublicIpOnLaunch", NULL},
	{"ipv6-native", "ipv6Native", NULL},
	{"owner-id", "ownerId", NULL},
	{"subnet-arn", "subnetArn", NULL},
	{"ipv6-cidr-block-association.ipv6-cidr-block", "ipv6CidrBlockAssociationSet.ipv6CidrBlock", NULL},
	{"ipv6-cidr-block-association.association-id", "ipv6CidrBlockAssociationSet.associationId", NULL},
};

static const struct sim_listing listing = {
	.type = SIM_SUBNET,
	.set = "subnetSet",
	.ids = "SubnetId",
	.filters = filters,
	.filter_count = sizeof(filters) / sizeof(filters[0]),
	.page_least = 5,
	.page_most = 1000,
};

static const struct sim_action actions[] = {
	{"CreateSubnet", create_subnet,
	 "VpcId! CidrBlock Ipv6CidrBlock AvailabilityZone AvailabilityZoneId OutpostArn Ipv6Native:b Ipv4IpamPoolId "
	 "Ipv4NetmaskLength:i Ipv6IpamPoolId Ipv6NetmaskLength:i TagSpecification[]{ResourceType Tag[]{Key Value}}",
	 NULL},
	{"DescribeSubnets", sim_describe, "Filter[]{Name Value[]} SubnetId[] NextToken MaxResults:i", &listing},
	{"DeleteSubnet", delete_subnet, "SubnetId!", NULL},
	{"ModifySubnetAttribute", modify_subnet_attribute,
	 "SubnetId! AssignIpv6AddressOnCreation{Value:b} MapPublicIpOnLaunch{Value:b} "
	 "MapCustomerOwnedIpOnLaunch{Value:b} "
	 "CustomerOwnedIpv4Pool EnableDns64{Value:b} PrivateDnsHostnameTypeOnLaunch "
	 "EnableResourceNameDnsARecordOnLaunch{Value:b} EnableResourceNameDnsAAAARecordOnLaunch{Value:b} "
	 "EnableLniAtDeviceIndex:i DisableLniAtDeviceIndex{Value:b}",
	 NULL},
	{"AssociateSubnetCidrBlock", associate_subnet_cidr_block,
	 "SubnetId! Ipv6CidrBlock Ipv6IpamPoolId Ipv6NetmaskLength:i", NULL},
	{"DisassociateSubnetCidrBlock", disassociate_subnet_cidr_block, "AssociationId!", NULL},
};

const struct sim_family sim_subnet_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
