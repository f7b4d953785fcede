#include "providers/sim/sim_interface.h"
#include "providers/sim/sim_launch.h"

/*
 * Addresses and prefixes that an instance's interfaces take and let go of: pages "AssignPrivateIpAddresses",
 * "AssignIpv6Addresses", "UnassignPrivateIpAddresses" and "UnassignIpv6Addresses".
 */

/* What a call takes of one sort: some that it names, or a number of AWS's choice. */
struct sort {
	const char *named, *number; /* parameters */
	const char *set, *member;   /* in the interface's tree */
	const char *answer;	    /* of what was assigned, */
	const char *let_go;	    /* and of what was not any more; NULL: the page has none */
	uint8_t family;
	uint8_t bits; /* of a prefix; 0: an address */
};

static const struct sort sorts4[] = {
	{"PrivateIpAddress", "SecondaryPrivateIpAddressCount", "privateIpAddressesSet", "privateIpAddress",
	 "assignedPrivateIpAddressesSet", NULL, 4, 0},
	{"Ipv4Prefix", "Ipv4PrefixCount", "ipv4PrefixSet", "ipv4Prefix", "assignedIpv4PrefixSet", NULL, 4, 28},
};
static const struct sort sorts6[] = {
	{"Ipv6Addresses", "Ipv6AddressCount", "ipv6AddressesSet", "ipv6Address", "assignedIpv6Addresses",
	 "unassignedIpv6Addresses", 6, 0},
	{"Ipv6Prefix", "Ipv6PrefixCount", "ipv6PrefixSet", "ipv6Prefix", "assignedIpv6PrefixSet",
	 "unassignedIpv6PrefixSet", 6, 80},
};

enum { SORTS = 2 };

/*
 * How many addresses, prefixes counted too, an interface holds of each family; roughly as the page "Maximum IP
 * addresses per network interface" of the user guide has it, by the size of the type.
 */
static int64_t room_of(const struct sim_object *instance)
{
	static const struct {
		const char *size;
		int64_t most;
	} sizes[] = {{".nano", 2}, {".micro", 2}, {".small", 4}, {".medium", 6}, {".large", 10}, {".xlarge", 15}};
	struct slice type = node_text(&instance->body, "instanceType");

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (slice_ends_with(type, slice_of(sizes[i].size)))
			return sizes[i].most;
	return 30;
}

static size_t asked_of(const struct sim_call *call, const struct sort *sort)
{
	size_t named = node_count(&call->request, sort->named);

	return named > 0 ? named : (size_t)sim_number(call, sort->number, 0);
}

static bool may_assign(struct sim_call *call, const struct sim_interface *interface, const struct sort *sorts)
{
	size_t asked = 0, held = 0;

	for (size_t i = 0; i < SORTS; i++) {
		if (sim_given(call, sorts[i].named) && sim_given(call, sorts[i].number))
			sim_fail(call, "InvalidParameterCombination",
				 "The parameters %s and %s may not be specified together", sorts[i].named,
				 sorts[i].number);
		asked += asked_of(call, &sorts[i]);
		held += node_count(interface->item, sorts[i].set);
	}
	if (asked == 0)
		sim_fail(call, "MissingParameter", "The request must contain the parameter %s or %s", sorts[0].named,
			 sorts[0].number);
	else if (node_is(interface->item, "interfaceType", "efa-only"))
		sim_fail(call, "InvalidParameterCombination",
			 "IP addresses cannot be assigned to an EFA-only network interface.");
	else if ((int64_t)(asked + held) > room_of(interface->instance))
		sim_fail(call, "PrivateIpAddressLimitExceeded", "Number of private addresses will exceed limit.");
	return !call->failed;
}

/* The interface of an instance in the subnet that holds it, or NULL. */
static struct node *holder_of(const struct sim_object *subnet, const struct sort *sort, struct slice text,
			      struct sim_object **ret_instance)
{
	struct sim_object *instance;
	size_t cursor = 0;

	while ((instance = sim_referrer(subnet, SIM_INSTANCE, &cursor)) != NULL) {
		struct node *list = node_find(&instance->body, "networkInterfaceSet");

		for (uint32_t i = 0; list && i < list->count; i++) {
			struct node *set = node_find(&list->items[i], sort->set);

			if (!set || !node_item(set, sort->member, text))
				continue;
			*ret_instance = instance;
			return &list->items[i];
		}
	}
	return NULL;
}

static void forget(struct node *set, const char *member, struct slice text)
{
	for (size_t i = set ? set->count : 0; i > 0; i--)
		if (slice_equal(node_text(&set->items[i - 1], member), text))
			node_remove(set, i - 1);
}

/* A subnet's listing tells how many addresses are free, whatever prefixes there are. */
static void count_free(struct sim_call *call, const struct sim_interface *interface, const struct sort *sort,
		       int64_t more)
{
	if (sort->family == 4 && sort->bits == 0)
		node_number(sim_edit(call->sim, interface->subnet), "availableIpAddressCount",
			    node_integer(&interface->subnet->body, "availableIpAddressCount", 0) + more);
}

/* What is named is of the subnet, and nobody else's. */
static bool may_take(struct sim_call *call, const struct sim_interface *interface, const struct sort *sort,
		     struct slice text)
{
	struct cidr range, one;
	struct sim_object *instance = NULL;
	bool is_one = sort->bits ? cidr_read(text, &one) && one.bits == sort->bits && !one.host_bits
				 : cidr_read_address(text, &one);
	bool is_within =
		is_one && sim_subnet_range(interface->subnet, sort->family, &range) && cidr_contains(&range, &one);
	struct node *holder = is_within ? holder_of(interface->subnet, sort, text, &instance) : NULL;

	if (!is_within) {
		sim_fail(call, "InvalidParameterValue", "Address %.*s does not fall within the subnet's address range",
			 SLICE_ARGUMENTS(text));
	} else if (!holder && sim_range_taken(interface->subnet, &one)) {
		sim_fail(call, "InvalidParameterValue", "%.*s overlaps with what is assigned in the subnet",
			 SLICE_ARGUMENTS(text));
	} else if (holder && holder != interface->item) {
		struct slice other = node_text(holder, "networkInterfaceId");

		if (!sim_flag(call, "AllowReassignment", false))
			sim_fail(call, "InvalidParameterValue", "[%.*s] assigned to [%.*s], but move is not allowed.",
				 SLICE_ARGUMENTS(text), SLICE_ARGUMENTS(other));
		if (call->failed)
			return false;
		sim_edit(call->sim, instance);
		forget(node_find(holder, sort->set), sort->member, text);
		count_free(call, interface, sort, 1);
	}
	return !call->failed;
}

/* One that nobody has: addresses as a launch gives them, prefixes from the end of the range. */
static bool choose(struct sim_call *call, struct sim_interface *interface, const struct sort *sort, struct slice *ret)
{
	const struct slice any = {NULL, 0};
	struct cidr range;

	if (!sim_subnet_range(interface->subnet, sort->family, &range)) {
		sim_fail(call, "InvalidParameterValue", "The subnet '%.*s' has no CIDR block of that family",
			 SLICE_ARGUMENTS(interface->subnet->id));
		return false;
	}
	if (sort->bits == 0 && sort->family == 4)
		return sim_interface_address(call, interface->subnet, any, ret);
	if (sort->bits == 0) {
		*ret = sim_address6_any(call, range);
		return true;
	}
	uint64_t below = UINT64_MAX;
	if (sim_prefix_choose(call, interface->subnet, sort->family, &below, ret))
		return true;
	sim_fail(call, "InsufficientCidrBlocks", "There are not enough free cidr blocks in the specified subnet.");
	return false;
}

static void show_first(struct sim_interface *interface)
{
	const struct node *set = node_get(interface->item, "ipv6AddressesSet");

	if (!interface->is_first)
		return;
	if (set && set->count > 0)
		node_put(&interface->instance->body, "ipv6Address", node_text(&set->items[0], "ipv6Address"));
	else
		node_drop(&interface->instance->body, "ipv6Address");
}

static void add(struct sim_call *call, struct sim_interface *interface, const struct sort *sort, struct slice text)
{
	struct node *set = node_list(interface->item, sort->set);

	if (node_item(set, sort->member, text))
		return;
	struct node *one = node_append(set, NODE_MAP);
	node_put(one, sort->member, text);
	if (sort->bits == 0)
		node_set(one, sort->family == 4 ? "primary" : "isPrimaryIpv6", "false");
	count_free(call, interface, sort, -1);
}

static void write_texts(struct sim_call *call, const char *name, const struct sort *sort, const struct node *texts)
{
	/* IPv6 addresses and prefixes are texts there, what is of IPv4 structures. */
	sim_out_open(call, name);
	for (uint32_t i = 0; i < texts->count; i++) {
		if (sort->family == 6) {
			sim_out_node(call, "item", &texts->items[i]);
			continue;
		}
		sim_out_open(call, "item");
		sim_out_node(call, sort->member, &texts->items[i]);
		sim_out_close(call, "item");
	}
	sim_out_close(call, name);
}

static void assign_sort(struct sim_call *call, struct sim_interface *interface, const struct sort *sort)
{
	const struct node *named = node_get(&call->request, sort->named);
	struct node given = {.type = NODE_LIST};

	for (uint32_t i = 0; named && i < named->count && !call->failed; i++)
		if (may_take(call, interface, sort, node_slice(&named->items[i])))
			node_assign(node_append(&given, NODE_TEXT), node_slice(&named->items[i]));
	for (int64_t i = 0; i < sim_number(call, sort->number, 0) && !call->failed; i++) {
		struct slice text;

		if (!choose(call, interface, sort, &text))
			break;
		node_assign(node_append(&given, NODE_TEXT), text);
		add(call, interface, sort, text);
	}
	for (uint32_t i = 0; i < given.count && !call->failed; i++)
		add(call, interface, sort, node_slice(&given.items[i]));
	if (given.count > 0 && !call->failed)
		write_texts(call, sort->answer, sort, &given);
	node_release(&given);
}

static void assign(struct sim_call *call)
{
	const struct sort *sorts = call->action->data;
	struct sim_interface interface;

	if (!sim_interface_need(call, &interface) || !interface.subnet || !may_assign(call, &interface, sorts))
		return;
	sim_edit(call->sim, interface.instance);
	sim_out_text(call, "networkInterfaceId", node_text(interface.item, "networkInterfaceId"));
	for (size_t i = 0; i < SORTS && !call->failed; i++)
		assign_sort(call, &interface, &sorts[i]);
	show_first(&interface);
}

static bool may_let_go(struct sim_call *call, const struct sim_interface *interface, const struct sort *sort)
{
	const struct node *named = node_get(&call->request, sort->named);
	struct node *set = node_find(interface->item, sort->set);

	for (uint32_t i = 0; named && i < named->count && !call->failed; i++) {
		const struct node *held = set ? node_item(set, sort->member, node_slice(&named->items[i])) : NULL;

		if (!held)
			sim_fail(call, "InvalidParameterValue",
				 "Some of the specified addresses are not assigned to interface %.*s",
				 SLICE_ARGUMENTS(node_text(interface->item, "networkInterfaceId")));
		else if (node_is(held, "primary", "true") || node_is(held, "isPrimaryIpv6", "true"))
			sim_fail(call, "InvalidParameterValue", "The primary address %.*s cannot be unassigned",
				 SLICE_ARGUMENTS(node_slice(&named->items[i])));
	}
	return !call->failed;
}

static void unassign(struct sim_call *call)
{
	const struct sort *sorts = call->action->data;
	struct sim_interface interface;

	if (!sim_interface_need(call, &interface) || !interface.subnet)
		return;
	if (!sim_given(call, sorts[0].named) && !sim_given(call, sorts[1].named))
		sim_fail(call, "MissingParameter", "The request must contain the parameter %s or %s", sorts[0].named,
			 sorts[1].named);
	for (size_t i = 0; i < SORTS && !call->failed; i++)
		(void)may_let_go(call, &interface, &sorts[i]);
	if (call->failed)
		return;
	sim_edit(call->sim, interface.instance);
	if (sorts[0].let_go)
		sim_out_text(call, "networkInterfaceId", node_text(interface.item, "networkInterfaceId"));
	for (size_t i = 0; i < SORTS; i++) {
		const struct node *named = node_get(&call->request, sorts[i].named);

		for (uint32_t k = 0; named && k < named->count; k++) {
			forget(node_find(interface.item, sorts[i].set), sorts[i].member, node_slice(&named->items[k]));
			count_free(call, &interface, &sorts[i], 1);
		}
		if (named && sorts[i].let_go)
			write_texts(call, sorts[i].let_go, &sorts[i], named);
	}
	if (!sorts[0].let_go)
		sim_out_return(call);
	show_first(&interface);
}

static const struct sim_action actions[] = {
	{"AssignPrivateIpAddresses", assign,
	 "NetworkInterfaceId! PrivateIpAddress[] SecondaryPrivateIpAddressCount:i Ipv4Prefix[] Ipv4PrefixCount:i "
	 "AllowReassignment:b",
	 sorts4},
	{"AssignIpv6Addresses", assign,
	 "NetworkInterfaceId! Ipv6Addresses[] Ipv6AddressCount:i Ipv6Prefix[] Ipv6PrefixCount:i", sorts6},
	{"UnassignPrivateIpAddresses", unassign, "NetworkInterfaceId! PrivateIpAddress[] Ipv4Prefix[]", sorts4},
	{"UnassignIpv6Addresses", unassign, "NetworkInterfaceId! Ipv6Addresses[] Ipv6Prefix[]", sorts6},
};

const struct sim_family sim_interface_address_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
