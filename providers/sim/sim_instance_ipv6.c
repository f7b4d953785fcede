#include "providers/sim/sim_launch.h"
#include "providers/sim/sim_parts.h"

/*
 * The IPv6 addresses that an instance's interfaces start with: pages "RunInstances" and
 * "InstanceNetworkInterfaceSpecification".
 */

/* What is asked for, of the instance or of its interface. */
struct wanted {
	const struct node *addresses; /* list, or NULL */
	int64_t count;
	bool primary;
};

static struct wanted wanted_of(const struct node *data, const struct node *interface)
{
	const struct node *addresses = node_get(data, "_ipv6");

	return (struct wanted){
		.addresses = addresses && addresses->count > 0 ? addresses : node_get(interface, "ipv6AddressesSet"),
		.count = node_integer(data, "_ipv6Count", node_integer(interface, "ipv6AddressCount", 0)),
		.primary = node_is(data, "_primaryIpv6", "true") || node_is(interface, "primaryIpv6", "true"),
	};
}

bool sim_subnet_range6(const struct sim_object *subnet, struct cidr *ret)
{
	const struct node *list = node_get(&subnet->body, "ipv6CidrBlockAssociationSet");

	for (uint32_t i = 0; list && i < list->count; i++)
		if (!node_is(node_get(&list->items[i], "ipv6CidrBlockState"), "state", "disassociating") &&
		    cidr_read(node_text(&list->items[i], "ipv6CidrBlock"), ret))
			return true;
	return false;
}

bool sim_subnet_range(const struct sim_object *subnet, uint8_t family, struct cidr *ret)
{
	*ret = subnet->range;
	return family == 4 ? subnet->range.family == 4 : sim_subnet_range6(subnet, ret);
}

bool sim_addresses6_check(struct sim_call *call, const struct node *data, const struct node *interface,
			  const struct sim_object *subnet)
{
	struct wanted wanted = wanted_of(data, interface);
	uint32_t given = wanted.addresses ? wanted.addresses->count : 0;
	struct cidr range, address;

	if (given > 0 && wanted.count > 0)
		sim_fail(call, "InvalidParameterCombination",
			 "The parameters Ipv6AddressCount and Ipv6Addresses may not be specified together");
	else if ((given > 0 || wanted.count > 0) && !sim_subnet_range6(subnet, &range))
		sim_fail(call, "InvalidParameterValue", "The subnet '%.*s' has no IPv6 CIDR block associated with it",
			 SLICE_ARGUMENTS(subnet->id));
	for (uint32_t i = 0; i < given && !call->failed; i++) {
		struct slice text = node_text(&wanted.addresses->items[i], "ipv6Address");

		if (!cidr_read_address(text, &address) || !cidr_contains(&range, &address))
			sim_fail(call, "InvalidParameterValue",
				 "Address %.*s does not fall within the subnet's address range", SLICE_ARGUMENTS(text));
		else if (sim_range_taken(subnet, &address))
			sim_fail(call, "InvalidIPAddress.InUse", "Address %.*s is in use.", SLICE_ARGUMENTS(text));
	}
	return !call->failed;
}

/* Any of the range's; two of 2^64 do not meet. */
struct slice sim_address6_any(struct sim_call *call, struct cidr range)
{
	for (size_t i = 8; i < sizeof(range.bytes); i++)
		range.bytes[i] = (uint8_t)sim_random_between(call->sim, 1, 255);
	return cidr_address_text(call->arena, &range);
}

void sim_addresses6_give(struct sim_call *call, const struct node *data, const struct node *interface,
			 const struct sim_object *subnet, struct node *item)
{
	struct wanted wanted = wanted_of(data, interface);
	struct node *list = node_list(item, "ipv6AddressesSet");
	uint32_t given = wanted.addresses ? wanted.addresses->count : 0;
	struct cidr range;

	if (!sim_subnet_range6(subnet, &range))
		return;
	if (given == 0 && wanted.count == 0 && node_is(&subnet->body, "assignIpv6AddressOnCreation", "true"))
		wanted.count = 1;
	for (int64_t i = 0; i < (given > 0 ? given : wanted.count); i++) {
		struct slice address = given > 0 ? node_text(&wanted.addresses->items[i], "ipv6Address")
						 : sim_address6_any(call, range);
		struct node *one = node_append(list, NODE_MAP);

		node_put(one, "ipv6Address", address);
		node_set(one, "isPrimaryIpv6", wanted.primary && i == 0 ? "true" : "false");
	}
}
