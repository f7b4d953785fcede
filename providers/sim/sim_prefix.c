#include "providers/sim/sim_launch.h"
#include "providers/sim/sim_parts.h"

/*
 * Prefixes that an instance's interfaces start with: page "Prefix delegation for Amazon EC2 network interfaces" of the
 * user guide. One that is named is a /28 or a /80 of the subnet's range, and does not overlap with prefixes or
 * addresses of others.
 */

static const struct sort {
	const char *set, *member, *count; /* as an interface has them */
	const char *named, *counted;	  /* parameters */
	const char *prefixes, *addresses; /* paths of an instance's */
	uint8_t family, bits;
} sorts[] = {
	{"ipv4PrefixSet", "ipv4Prefix", "ipv4PrefixCount", "Ipv4Prefixes", "Ipv4PrefixCount",
	 "networkInterfaceSet.ipv4PrefixSet.ipv4Prefix", "networkInterfaceSet.privateIpAddressesSet.privateIpAddress",
	 4, 28},
	{"ipv6PrefixSet", "ipv6Prefix", "ipv6PrefixCount", "Ipv6Prefixes", "Ipv6PrefixCount",
	 "networkInterfaceSet.ipv6PrefixSet.ipv6Prefix", "networkInterfaceSet.ipv6AddressesSet.ipv6Address", 6, 80},
};

enum { SORTS = sizeof(sorts) / sizeof(sorts[0]), TRIED_MOST = 4096 };

struct search {
	const struct cidr *range;
	bool found;
};

static bool overlaps(void *context, struct slice text)
{
	struct search *search = context;
	struct cidr other;

	search->found =
		(cidr_read_address(text, &other) || cidr_read(text, &other)) && cidr_overlap(search->range, &other);
	return search->found;
}

static bool is_taken(const struct sim_object *subnet, const struct cidr *range, bool by_addresses)
{
	const struct sort *sort = range->family == 4 ? &sorts[0] : &sorts[1];
	struct search search = {.range = range};
	const struct sim_object *instance;
	size_t cursor = 0;

	while (!search.found && (instance = sim_referrer(subnet, SIM_INSTANCE, &cursor)) != NULL) {
		(void)node_walk(&instance->body, sort->prefixes, overlaps, &search);
		if (by_addresses && !search.found)
			(void)node_walk(&instance->body, sort->addresses, overlaps, &search);
	}
	return search.found;
}

bool sim_range_taken(const struct sim_object *subnet, const struct cidr *range)
{
	return is_taken(subnet, range, true);
}

bool sim_prefix_around(const struct sim_object *subnet, const struct cidr *address)
{
	return is_taken(subnet, address, false);
}

static void check_named(struct sim_call *call, const struct sort *sort, struct slice text,
			const struct sim_object *subnet)
{
	struct cidr range, prefix;

	if (!cidr_read(text, &prefix) || prefix.bits != sort->bits || prefix.host_bits ||
	    !sim_subnet_range(subnet, sort->family, &range) || !cidr_contains(&range, &prefix))
		sim_fail(call, "InvalidParameterValue", "Prefix %.*s is not a /%u of the subnet's range",
			 SLICE_ARGUMENTS(text), sort->bits);
	else if (sim_range_taken(subnet, &prefix))
		sim_fail(call, "InvalidParameterValue", "Prefix %.*s overlaps with what is assigned in the subnet",
			 SLICE_ARGUMENTS(text));
}

void sim_prefixes_check(struct sim_call *call, const struct node *interface, const struct sim_object *subnet)
{
	for (size_t i = 0; i < SORTS && !call->failed; i++) {
		const struct sort *sort = &sorts[i];
		const struct node *list = node_get(interface, sort->set);

		if (list && node_get(interface, sort->count))
			sim_fail(call, "InvalidParameterCombination",
				 "The parameters %s and %s may not be specified together", sort->named, sort->counted);
		for (uint32_t k = 0; list && k < list->count && !call->failed; k++)
			check_named(call, sort, node_text(&list->items[k], sort->member), subnet);
	}
}

bool sim_prefix_choose(struct sim_call *call, const struct sim_object *subnet, uint8_t family, uint64_t *below,
		       struct slice *ret)
{
	const struct sort *sort = family == 4 ? &sorts[0] : &sorts[1];
	struct cidr range, prefix;

	if (!sim_subnet_range(subnet, sort->family, &range) || range.bits >= sort->bits)
		return false;
	uint64_t last = ((uint64_t)1 << (sort->bits - range.bits)) - 1;
	/* In the first and in the last one are addresses that AWS keeps. */
	uint64_t number = *below > last ? last : *below;

	for (size_t tried = 0; --number > 0 && tried < TRIED_MOST; tried++) {
		if (!cidr_subnet(&range, sort->bits, number, &prefix) || sim_range_taken(subnet, &prefix))
			continue;
		*below = number;
		*ret = cidr_text(call->arena, &prefix);
		return true;
	}
	return false;
}

void sim_prefixes_give(struct sim_call *call, const struct node *given, const struct sim_object *subnet,
		       struct node *item)
{
	for (size_t i = 0; i < SORTS; i++) {
		const struct sort *sort = &sorts[i];
		struct node *list = node_list(item, sort->set);
		uint64_t below = UINT64_MAX;
		struct slice text;

		if (node_get(given, sort->set))
			node_copy(list, node_get(given, sort->set));
		/* What is not in the tree yet is not known to be taken. */
		for (int64_t k = 0; k < node_integer(given, sort->count, 0); k++)
			if (sim_prefix_choose(call, subnet, sort->family, &below, &text))
				node_put(node_append(list, NODE_MAP), sort->member, text);
	}
}
