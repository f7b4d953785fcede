#include "providers/sim/sim_launch.h"
#include "providers/sim/sim_parts.h"

/*
 * The network interfaces that an instance starts with: pages "RunInstances",
 * "InstanceNetworkInterfaceSpecification" and "InstanceNetworkInterface". Interfaces that are made
 * by themselves are not simulated.
 */

const struct node *sim_interface_first(const struct node *data)
{
	const struct node *list = node_get(data, "networkInterfaceSet");

	for (uint32_t i = 0; list && i < list->count; i++)
		if (node_integer(&list->items[i], "deviceIndex", 0) == 0 &&
		    node_integer(&list->items[i], "networkCardIndex", 0) == 0)
			return &list->items[i];
	return list && list->count > 0 ? &list->items[0] : NULL;
}

/* The address that the list of an interface calls the first. */
static struct slice primary_of(const struct node *interface)
{
	const struct node *list = node_get(interface, "privateIpAddressesSet");

	for (uint32_t i = 0; list && i < list->count; i++)
		if (node_is(&list->items[i], "primary", "true"))
			return node_text(&list->items[i], "privateIpAddress");
	return node_text(interface, "privateIpAddress");
}

struct slice sim_interface_wanted(const struct node *data)
{
	struct slice address = node_text(data, "_privateIpAddress");

	return address.size > 0 ? address : primary_of(sim_interface_first(data));
}

struct taken {
	struct slice address;
	bool found;
};

static bool is_that(void *context, struct slice address)
{
	struct taken *taken = context;

	taken->found |= slice_equal(address, taken->address);
	return taken->found;
}

static bool address_taken(const struct sim_object *subnet, struct slice address)
{
	struct taken taken = {.address = address};
	const struct sim_object *instance;
	struct cidr one;
	size_t cursor = 0;

	while (!taken.found && (instance = sim_referrer(subnet, SIM_INSTANCE, &cursor)) != NULL)
		(void)node_walk(&instance->body, "networkInterfaceSet.privateIpAddressesSet.privateIpAddress", is_that,
				&taken);
	return taken.found || (cidr_read_address(address, &one) && sim_prefix_around(subnet, &one));
}

/* Of IPv4: the first four and the last (page "Subnet CIDR blocks"). */
static bool is_reserved(const struct sim_object *subnet, const struct cidr *address)
{
	uint32_t size = (uint32_t)1 << (32 - subnet->range.bits), host = 0;

	for (size_t i = 0; i < 4; i++)
		host = host << 8 | address->bytes[i];
	host &= size - 1;
	return host < 4 || host == size - 1;
}

/* The next free address after the last one that was given out; the first four and the last are AWS's. */
bool sim_interface_address(struct sim_call *call, struct sim_object *subnet, struct slice wanted, struct slice *ret)
{
	bool has_ipv4 = subnet->range.family == 4;
	uint32_t size = has_ipv4 ? (uint32_t)1 << (32 - subnet->range.bits) : 0;
	uint32_t next = (uint32_t)node_integer(&subnet->body, "_nextHost", 4);
	struct cidr address;

	if (wanted.size > 0) {
		if (!cidr_read_address(wanted, &address) || !cidr_contains(&subnet->range, &address))
			sim_fail(call, "InvalidParameterValue",
				 "Address %.*s does not fall within the subnet's address range",
				 SLICE_ARGUMENTS(wanted));
		else if (has_ipv4 && is_reserved(subnet, &address))
			sim_fail(call, "InvalidParameterValue", "Address %.*s is in subnet's reserved address range",
				 SLICE_ARGUMENTS(wanted));
		else if (address_taken(subnet, wanted))
			sim_fail(call, "InvalidIPAddress.InUse", "Address %.*s is in use.", SLICE_ARGUMENTS(wanted));
		*ret = wanted;
		return !call->failed;
	}
	*ret = (struct slice){NULL, 0};
	if (!has_ipv4)
		return true;
	for (uint32_t tried = 0; tried < size; tried++, next++) {
		uint32_t host = next % size;

		if (host < 4 || host == size - 1)
			continue;
		address = subnet->range;
		for (size_t i = 0; i < 4; i++)
			address.bytes[i] = (uint8_t)(address.bytes[i] | (host >> (24 - 8 * i) & 0xff));
		*ret = cidr_address_text(call->arena, &address);
		if (address_taken(subnet, *ret))
			continue;
		node_number(sim_edit(call->sim, subnet), "_nextHost", (int64_t)host + 1);
		return true;
	}
	sim_fail(call, "InsufficientFreeAddressesInSubnet",
		 "There are not enough free addresses in subnet '%.*s' to satisfy the requested number of instances.",
		 SLICE_ARGUMENTS(subnet->id));
	return false;
}

static void refuse_beside(struct sim_call *call, const struct node *data)
{
	static const char *const names[][2] = {
		{"securityGroupIdSet", "security groups"},
		{"securityGroupSet", "security groups"},
		{"_subnetId", "subnet ID"},
		{"_privateIpAddress", "private IP address"},
		{"_ipv6", "IPv6 addresses"},
		{"_ipv6Count", "IPv6 address count"},
		{"_primaryIpv6", "primary IPv6 address"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (node_get(data, names[i][0]))
			sim_fail(call, "InvalidParameterCombination",
				 "Network interfaces and an instance-level %s may not be specified on the same request",
				 names[i][1]);
}

static bool is_efa_only(const struct node *interface)
{
	return node_is(interface, "interfaceType", "efa-only");
}

static bool asks_for_addresses(const struct node *interface)
{
	static const char *const names[] = {"associatePublicIpAddress",
					    "privateIpAddress",
					    "privateIpAddressesSet",
					    "secondaryPrivateIpAddressCount",
					    "ipv6AddressCount",
					    "ipv6AddressesSet",
					    "ipv4PrefixSet",
					    "ipv4PrefixCount",
					    "ipv6PrefixSet",
					    "ipv6PrefixCount"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (node_get(interface, names[i]))
			return true;
	return false;
}

static void check_one(struct sim_call *call, const struct node *interface, const struct sim_object *subnet, bool first)
{
	struct slice type = node_text(interface, "interfaceType");

	if (type.size > 0 && !slice_is(type, "interface") && !slice_is(type, "efa") && !slice_is(type, "efa-only"))
		sim_fail(call, "InvalidParameterValue", "Value (%.*s) for parameter interfaceType is invalid.",
			 SLICE_ARGUMENTS(type));
	else if (is_efa_only(interface) && first)
		sim_fail(call, "InvalidParameterCombination", "The primary network interface cannot be EFA-only.");
	else if (is_efa_only(interface) && asks_for_addresses(interface))
		sim_fail(call, "InvalidParameterCombination",
			 "IP addresses cannot be assigned to an EFA-only network interface.");
	else if (!first && node_is(interface, "associatePublicIpAddress", "true"))
		sim_fail(call, "InvalidParameterCombination",
			 "A public IP address can be assigned to the network interface with device index 0 alone.");
	if (!call->failed)
		sim_prefixes_check(call, interface, subnet);
}

bool sim_interfaces_check(struct sim_call *call, const struct node *data, const struct sim_object *subnet)
{
	const struct node *list = node_get(data, "networkInterfaceSet"), *first = sim_interface_first(data);

	if (!first)
		return true;
	refuse_beside(call, data);
	for (uint32_t i = 0; i < list->count && !call->failed; i++) {
		const struct node *one = &list->items[i];
		struct slice id = node_text(one, "networkInterfaceId");
		struct sim_object *own = NULL;

		if (list->count > 1 && node_get(one, "associatePublicIpAddress"))
			sim_fail(call, "InvalidParameterCombination",
				 "The associatePublicIPAddress parameter cannot be specified when launching with "
				 "multiple network interfaces.");
		else if (id.size > 0)
			sim_fail(call, "InvalidNetworkInterfaceID.NotFound",
				 "The networkInterface ID '%.*s' does not exist", SLICE_ARGUMENTS(id));
		else
			own = one == first ? sim_find(call->region, SIM_SUBNET, subnet->id)
					   : sim_need_id(call, SIM_SUBNET, node_text(one, "subnetId"));
		if (!own || call->failed)
			return false;
		check_one(call, one, own, one == first);
		if (one != first && !call->failed && sim_groups_check(call, node_get(one, "groupSet"), own))
			(void)sim_addresses6_check(call, NULL, one, own);
	}
	return !call->failed;
}

static void add_address(struct node *item, struct slice address, bool primary)
{
	struct node *one = node_append(node_list(item, "privateIpAddressesSet"), NODE_MAP);

	node_put(one, "privateIpAddress", address);
	node_set(one, "primary", primary ? "true" : "false");
}

/* What is not in the tree yet is not known to be taken. */
static bool next_address(struct sim_call *call, struct sim_object *subnet, struct slice first, struct slice *ret)
{
	const struct slice any = {NULL, 0};

	if (!sim_interface_address(call, subnet, any, ret))
		return false;
	return ret->size > 0 && (!slice_equal(*ret, first) || sim_interface_address(call, subnet, any, ret));
}

/* The further addresses: those that are given, and those of the service's choice. */
static void give_addresses(struct sim_call *call, const struct node *given, struct sim_object *subnet,
			   struct node *item)
{
	const struct node *list = node_get(given, "privateIpAddressesSet");
	struct slice first = arena_copy(call->arena, node_text(item, "privateIpAddress")), address;

	node_list(item, "privateIpAddressesSet");
	if (first.size > 0)
		add_address(item, first, true);
	for (uint32_t i = 0; list && i < list->count; i++)
		if (!slice_equal(node_text(&list->items[i], "privateIpAddress"), first))
			add_address(item, node_text(&list->items[i], "privateIpAddress"), false);
	for (int64_t i = 0; i < node_integer(given, "secondaryPrivateIpAddressCount", 0); i++)
		if (next_address(call, subnet, first, &address))
			add_address(item, address, false);
	node_number(sim_edit(call->sim, subnet), "availableIpAddressCount",
		    node_integer(&subnet->body, "availableIpAddressCount", 0) -
			    (int64_t)node_count(item, "privateIpAddressesSet"));
}

static void attach(struct sim_call *call, const struct node *given, struct node *item, const char *digits)
{
	struct node *attachment = node_map(item, "attachment");
	char now[32];

	sim_time_text(call->sim->now_ms, now);
	node_format(attachment, "attachmentId", "eni-attach-%s", digits);
	node_number(attachment, "deviceIndex", node_integer(given, "deviceIndex", 0));
	node_set(attachment, "status", "attached");
	node_set(attachment, "attachTime", now);
	node_number(attachment, "networkCardIndex", node_integer(given, "networkCardIndex", 0));
	node_set(attachment, "deleteOnTermination", node_is(given, "deleteOnTermination", "false") ? "false" : "true");
	if (node_get(given, "enaSrdSpecification"))
		node_put_copy(attachment, "enaSrdSpecification", node_get(given, "enaSrdSpecification"));
	if (node_get(given, "enaQueueCount"))
		node_put(attachment, "enaQueueCount", node_text(given, "enaQueueCount"));
}

static struct node *make_one(struct sim_call *call, struct sim_object *instance, struct sim_object *subnet,
			     const struct node *given, struct slice address)
{
	struct node *body = &instance->body, *item = node_append(node_list(body, "networkInterfaceSet"), NODE_MAP);
	struct slice type = node_text(given, "interfaceType");
	char digits[18];

	sim_random_hex(call->sim, digits, 17);
	node_format(item, "networkInterfaceId", "eni-%s", digits);
	node_put(item, "subnetId", subnet->id);
	node_put(item, "vpcId", node_text(&subnet->body, "vpcId"));
	node_put(item, "description", node_text(given, "description"));
	node_put(item, "ownerId", node_text(body, "_ownerId"));
	node_set(item, "status", "in-use");
	node_format(item, "macAddress", "02:%.2s:%.2s:%.2s:%.2s:%.2s", digits, digits + 2, digits + 4, digits + 6,
		    digits + 8);
	if (address.size > 0)
		node_put(item, "privateIpAddress", address);
	node_set(item, "sourceDestCheck", "true");
	node_put(item, "interfaceType", type.size > 0 ? type : SLICE("interface"));
	if (node_get(given, "connectionTrackingSpecification"))
		node_put_copy(item, "connectionTrackingConfiguration",
			      node_get(given, "connectionTrackingSpecification"));
	attach(call, given, item, digits);
	if (!is_efa_only(given))
		give_addresses(call, given, subnet, item);
	sim_prefixes_give(call, given, subnet, item);
	return item;
}

static void make_first(struct sim_call *call, struct sim_object *instance, struct sim_object *subnet,
		       const struct node *data)
{
	const struct node *given = sim_interface_first(data);
	struct node *body = &instance->body;
	struct slice address = arena_copy(call->arena, node_text(body, "privateIpAddress"));
	struct node *item = make_one(call, instance, subnet, given, address);
	const struct node *addresses6;

	node_put(item, "privateDnsName", node_text(body, "privateDnsName"));
	node_put_copy(item, "groupSet", node_get(body, "groupSet"));
	sim_addresses6_give(call, data, given, subnet, item);
	addresses6 = node_get(item, "ipv6AddressesSet");
	if (addresses6 && addresses6->count > 0)
		node_put(body, "ipv6Address", node_text(&addresses6->items[0], "ipv6Address"));
}

void sim_interfaces_make(struct sim_call *call, struct sim_object *instance, struct sim_object *subnet,
			 const struct node *data)
{
	const struct node *list = node_get(data, "networkInterfaceSet");

	make_first(call, instance, subnet, data);
	for (uint32_t i = 0; list && i < list->count && !call->failed; i++) {
		const struct node *one = &list->items[i];
		struct sim_object *own = sim_find(call->region, SIM_SUBNET, node_text(one, "subnetId"));
		struct slice address = {NULL, 0};

		if (one == sim_interface_first(data) || !own ||
		    (!is_efa_only(one) && !sim_interface_address(call, own, primary_of(one), &address)))
			continue;
		struct node *item = make_one(call, instance, own, one, address);
		sim_interface_groups(instance, node_get(one, "groupSet"), item);
		sim_addresses6_give(call, NULL, one, own, item);
	}
}

/* Their addresses are free again. */
void sim_interfaces_end(struct sim *sim, struct sim_object *instance)
{
	struct node *list = node_list(sim_edit(sim, instance), "networkInterfaceSet");

	for (uint32_t i = 0; i < list->count; i++) {
		const struct node *item = &list->items[i];
		struct sim_object *subnet = sim_find(instance->region, SIM_SUBNET, node_text(item, "subnetId"));

		if (subnet)
			node_number(sim_edit(sim, subnet), "availableIpAddressCount",
				    node_integer(&subnet->body, "availableIpAddressCount", 0) +
					    (int64_t)node_count(item, "privateIpAddressesSet"));
	}
	node_reset(list, NODE_LIST);
}
