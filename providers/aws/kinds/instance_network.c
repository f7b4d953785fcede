#include "providers/aws/kinds/instance_network.h"

#include "providers/aws/kinds/launch_interfaces.h"
#include "reconcile/schema.h"

/*
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceNetworkInterfaceSpecification.html
 */

const struct aws_field aws_instance_address6 = {
	.field = {.name = "addresses6",
		  .type = FIELD_ADDRESS,
		  .flags = SOLE,
		  .range_parent = "subnet",
		  .taken_of = "subnet.ipv6_cidr",
		  .unique_in = "subnet"},
	.member = "Ipv6Address",
};

/* What an interface was made with goes with the instance. */
static const struct aws_field private_address_fields[] = {PRIVATE_ADDRESS_FIELDS(IMMUTABLE | SOLE, UNSET_RELEASE)};
static const struct aws_field private_address = {
	.field = {.name = "address", .type = FIELD_OBJECT, .members = FIELDS(private_address_fields)},
};
static const struct aws_field interface_group = {
	.field = {.name = "group",
		  .type = FIELD_REFERENCE,
		  .target = "aws.security_group",
		  .beside = "vpc",
		  .flags = PINS},
};
static const struct aws_field interface_address6 = {
	.field = {.name = "addresses6",
		  .type = FIELD_ADDRESS,
		  .flags = IMMUTABLE | SOLE,
		  .range_parent = "subnet",
		  .taken_of = "subnet.ipv6_cidr",
		  .unique_in = "subnet"},
	.member = "Ipv6Address",
};
static const struct aws_field interface_prefix4 = INTERFACE_PREFIX(4, IMMUTABLE | SOLE);
static const struct aws_field interface_prefix6 = INTERFACE_PREFIX(6, IMMUTABLE | SOLE);
static const struct aws_field interface_fields[] = {
	INTERFACE_FIELDS(IMMUTABLE | SOLE, PINS, SEEN, UNSET_RELEASE, interface_group, private_address,
			 interface_address6, interface_prefix4, interface_prefix6)};
const struct aws_field aws_instance_interface = {
	.field = {.name = "interface", .type = FIELD_OBJECT, .members = FIELDS(interface_fields)},
};

static const char *const interface_young[] = {"InvalidNetworkInterfaceID.NotFound", NULL};
/* One attribute a call
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyNetworkInterfaceAttribute.html).
 */
const struct aws_call aws_modify_interface = {
	.operation = "ModifyNetworkInterfaceAttribute",
	.id = "NetworkInterfaceId",
	.id_output = "interface",
	.recipe = RECIPE_CONVERGE,
	.settling = interface_young,
	.one_field = true,
};
/* Which of them is named by its own id: that of the item. */
const struct aws_each aws_instance_interfaces = {
	.change = {.operation = "ModifyNetworkInterfaceAttribute",
		   .recipe = RECIPE_CONVERGE,
		   .settling = interface_young,
		   .one_field = true},
	.name = "NetworkInterfaceId",
	.name_member = "interface",
};
const char aws_interface_brought_back[] = "attach an interface there again, or take it out of the spec";
#define ADDRESS6_CALL(name, settled_by)                                                                                \
	{                                                                                                              \
		.operation = (name), .id = "NetworkInterfaceId", .id_output = "interface", .recipe = (settled_by),     \
		.settling = interface_young                                                                            \
	}
/* https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssignIpv6Addresses.html */
const struct aws_part aws_instance_addresses6 = {
	.add = ADDRESS6_CALL("AssignIpv6Addresses", RECIPE_CONVERGE),
	.remove = ADDRESS6_CALL("UnassignIpv6Addresses", RECIPE_CONVERGE),
	.items = "Ipv6Addresses",
	.batch = 50,
	.inline_in_create = true,
};
const struct aws_amount aws_instance_address6_amount = {
	.more = ADDRESS6_CALL("AssignIpv6Addresses", RECIPE_SNAPSHOT),
	.number = "Ipv6AddressCount",
	.fewer = ADDRESS6_CALL("UnassignIpv6Addresses", RECIPE_CONVERGE),
	.named = "Ipv6Addresses",
	.names_output = "addresses6",
};

/* The first interface is in slot 0 of card 0, which is the one where no card is named. */
static bool is_first(const struct value *interface, const char *slot, const char *card)
{
	const struct value *slot_number = value_get_named(interface, slot);
	const struct value *card_number = value_get_named(interface, card);
	return value_is(slot_number, VALUE_INTEGER) && slot_number->integer == 0 &&
	       (!card_number || (value_is(card_number, VALUE_INTEGER) && card_number->integer == 0));
}

/* Fields of the instance that are of its first interface, and what says the same in 'interfaces'. */
static const char *const said_of_both[][2] = {
	{"public_ip", "public_address"},	{"subnet", "subnet"},
	{"security_groups", "security_groups"}, {"address", "address"},
	{"addresses6", "addresses6"},		{"addresses6", "address6_count"},
	{"address6_count", "addresses6"},	{"address6_count", "address6_count"},
	{"primary_ipv6", "primary_ipv6"},
};
static const char *const of_first[] = {"public_ip",  "subnet",	       "security_groups", "address",
				       "addresses6", "address6_count", "primary_ipv6",	  NULL};
static const char *const of_new[] = {"subnet",	"security_groups", "description",	  "public_address",
				     "address", "addresses",	   "secondary_addresses", NULL};
static const char *const of_addresses[] = {"public_address",
					   "carrier_address",
					   "address",
					   "addresses",
					   "secondary_addresses",
					   "addresses6",
					   "address6_count",
					   "primary_ipv6",
					   "prefixes",
					   "prefix_count",
					   "prefixes6",
					   "prefix6_count",
					   NULL};

static bool refuse(const struct value *map, const char *const *names, const char *of, const char *hint,
		   struct diagnostics *diagnostics)
{
	bool good = true;
	for (; *names; names++) {
		const struct value *member = value_get_named(map, *names);
		if (!member)
			continue;
		good = diag_error(diagnostics, FAULT_USER, member->position, "'%s' cannot be said of %s", *names, of);
		diag_hint(diagnostics, "%s", hint);
	}
	return good;
}

static bool is_efa_only(const struct value *interface)
{
	const struct value *type = value_get_named(interface, "type");
	return value_is(type, VALUE_STRING) && slice_is(value_slice(type), "efa-only");
}

static bool check_first(const struct value *desired, const struct value *first, struct diagnostics *diagnostics)
{
	bool good = true;
	if (value_get_named(first, "interface"))
		good = refuse(desired, of_first, "a first interface that is there already",
			      "leave it out: the interface has its own", diagnostics);
	for (size_t i = 0; good && i < sizeof(said_of_both) / sizeof(said_of_both[0]); i++) {
		const struct value *within = value_get_named(first, said_of_both[i][1]);
		if (!within || !value_get_named(desired, said_of_both[i][0]))
			continue;
		good = diag_error(diagnostics, FAULT_USER, within->position,
				  "'%s' is said of the first interface here, and '%s' of the instance",
				  said_of_both[i][1], said_of_both[i][0]);
		diag_hint(diagnostics, "say it in one of the two places");
	}
	if (is_efa_only(first)) {
		good = diag_error(diagnostics, FAULT_USER, value_get_named(first, "type")->position,
				  "the first interface cannot be 'efa-only', which has no address");
		diag_hint(diagnostics, "make it 'efa', or an 'interface' and the 'efa-only' one a further one");
	}
	return good;
}

static bool check_one(const struct value *interface, bool first, struct diagnostics *diagnostics)
{
	static const char *const public_address[] = {"public_address", NULL};
	if (value_get_named(interface, "interface"))
		return refuse(interface, of_new, "an interface that is there already",
			      "leave it out: the interface has its own", diagnostics);
	if (is_efa_only(interface) && !first)
		return refuse(interface, of_addresses, "an 'efa-only' interface",
			      "leave it out: such an interface has no address", diagnostics);
	return first ||
	       refuse(interface, public_address, "a further interface", "say it of the first one", diagnostics);
}

static bool check_several(const struct value *desired, const struct value *first, struct diagnostics *diagnostics)
{
	static const char *const of_instance[] = {"public_ip", NULL};
	static const char *const of_interface[] = {"public_address", NULL};
	const char *several = "an instance that starts with several interfaces";
	const char *later = "leave it out, and associate an elastic address later";
	bool good = refuse(desired, of_instance, several, later, diagnostics);
	return (!first || refuse(first, of_interface, several, later, diagnostics)) && good;
}

/* Whether it is said anywhere where the instance lies; else AWS takes the default VPC. */
static bool is_placed(const struct value *desired, const struct value *interfaces)
{
	bool placed = value_get_named(desired, "subnet") != NULL;
	for (uint32_t i = 0; !placed && i < interfaces->count; i++)
		placed = value_get_named(&interfaces->items[i], "subnet") ||
			 value_get_named(&interfaces->items[i], "interface");
	return placed;
}

/* "If you specify a network interface, you must specify any subnets as part of the network interface instead"
 * (API_RunInstances.html, SubnetId). */
static bool check_placed(const struct value *interface, struct diagnostics *diagnostics)
{
	if (value_get_named(interface, "subnet") || value_get_named(interface, "interface"))
		return true;
	diag_error(diagnostics, FAULT_USER, interface->position, "a further interface needs the field 'subnet'");
	diag_hint(diagnostics, "add it: the 'subnet' of the instance is that of its first interface alone");
	return false;
}

bool aws_instance_network_check(const struct kind *kind, const struct value *desired, struct diagnostics *diagnostics)
{
	const struct value *interfaces = value_get_named(desired, "interfaces"), *first = NULL;
	bool good = true;
	(void)kind;
	if (!value_is(interfaces, VALUE_LIST) || interfaces->count == 0)
		return true;
	bool placed = is_placed(desired, interfaces);
	for (uint32_t i = 0; i < interfaces->count; i++) {
		const struct value *one = &interfaces->items[i];
		bool is_the_first = is_first(one, "device_index", "network_card");
		good = check_one(one, is_the_first, diagnostics) && good;
		if (!is_the_first && placed)
			good = check_placed(one, diagnostics) && good;
		if (is_the_first && first)
			good = diag_error(diagnostics, FAULT_USER, one->position,
					  "two of 'interfaces' are in slot 0 of card 0");
		first = is_the_first ? one : first;
	}
	if (first)
		good = check_first(desired, first, diagnostics) && good;
	/* Where the first is not among them, it comes besides. */
	if (interfaces->count > 1 || !first)
		good = check_several(desired, first, diagnostics) && good;
	return good;
}

/* Where the request says it beside the interfaces, and the member of an interface that says the same. */
static const char *const places[][2] = {
	{INSTANCE_PUBLIC_ADDRESS, "AssociatePublicIpAddress"},
	{"SubnetId", "SubnetId"},
	{"SecurityGroupIds", "Groups"},
	{"PrivateIpAddress", "PrivateIpAddress"},
	{"Ipv6Addresses", "Ipv6Addresses"},
	{"Ipv6AddressCount", "Ipv6AddressCount"},
	{"EnablePrimaryIpv6", "PrimaryIpv6"},
};

static const char *place_within(const char *path)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (strcmp(places[i][0], path) == 0)
			return places[i][1];
	return NULL;
}

/* Takes out of the request what is said of interfaces: a list, or null; *ret_first gets what is of the first. */
static struct value take_interfaces(struct aws_parameters *parameters, struct aws_parameters *ret_first)
{
	struct value interfaces = value_null();
	size_t kept = 0;
	for (size_t i = 0; i < parameters->count; i++) {
		const struct aws_parameter *one = &parameters->items[i];
		const char *within = place_within(one->path);
		if (within)
			aws_parameter_add(ret_first, within, one->value);
		else if (strcmp(one->path, "NetworkInterfaces") == 0)
			interfaces = one->value;
		else
			parameters->items[kept++] = *one;
	}
	parameters->count = kept;
	return interfaces;
}

static bool says_of_interfaces(const struct aws_parameters *parameters)
{
	for (size_t i = 0; i < parameters->count; i++)
		if (slice_starts_with(slice_of(parameters->items[i].path), SLICE("NetworkInterfaces")))
			return true;
	return false;
}

void aws_instance_network(struct aws_parameters *parameters, struct arena *arena)
{
	struct aws_parameters first = {.count = 0};
	VALUE_BUILDER_AUTO list;
	value_builder_init(&list);
	if (!says_of_interfaces(parameters))
		return;
	struct value interfaces = take_interfaces(parameters, &first);
	uint32_t count = value_is(&interfaces, VALUE_LIST) ? interfaces.count : 0, at = 0;
	while (at < count && !is_first(&interfaces.items[at], "DeviceIndex", "NetworkCardIndex"))
		at++;
	if (at == count)
		aws_parameter_add(&first, "DeviceIndex", value_integer(0));
	for (uint32_t i = 0; at < count && i < interfaces.items[at].count; i++) {
		const struct value_member *member = &interfaces.items[at].members[i];
		aws_parameter_add(&first, arena_string(arena, value_slice(&member->key)), member->value);
	}
	value_builder_item(&list, aws_parameters_value(&first, arena));
	for (uint32_t i = 0; i < count; i++)
		if (i != at)
			value_builder_item(&list, interfaces.items[i]);
	aws_parameter_add(parameters, "NetworkInterfaces", value_builder_list(&list, arena));
}

static const struct value *first_interface(const struct value *item)
{
	const struct value *list = value_get_named(item, "NetworkInterfaces");
	for (uint32_t i = 0; value_is(list, VALUE_LIST) && i < list->count; i++)
		if (list->count == 1 ||
		    is_first(value_get_named(&list->items[i], "Attachment"), "DeviceIndex", "NetworkCardIndex"))
			return &list->items[i];
	return NULL;
}

static struct value groups_of(const struct value *interface, struct arena *arena)
{
	const struct value *list = value_get_named(interface, "Groups");
	VALUE_BUILDER_AUTO groups;
	value_builder_init(&groups);
	for (uint32_t i = 0; value_is(list, VALUE_LIST) && i < list->count; i++)
		if (value_get_named(&list->items[i], "GroupId"))
			value_builder_item(&groups, *value_get_named(&list->items[i], "GroupId"));
	return value_builder_list(&groups, arena);
}

/* Whether an address of it stays with it; null where it has none, or is no interface. */
static struct value primary6_of(const struct value *interface)
{
	const struct value *list = value_get_named(interface, "Ipv6Addresses");
	bool has_one = false;
	if (!value_is(list, VALUE_LIST) || list->count == 0)
		return value_null();
	for (uint32_t i = 0; i < list->count; i++)
		has_one |= value_is_true(value_get_named(&list->items[i], "IsPrimaryIpv6"));
	return value_bool(has_one);
}

/* An interface as an item of the field; null where it is told by too little. */
static struct value told_of(const struct value *interface, struct arena *arena)
{
	const struct value *attachment = value_get_named(interface, "Attachment");
	const struct value *slot = value_get_named(attachment, "DeviceIndex");
	const struct value *card = value_get_named(attachment, "NetworkCardIndex");
	const struct value *id = value_get_named(interface, "NetworkInterfaceId");
	const struct value *description = value_get_named(interface, "Description");
	const struct value primary = primary6_of(interface);
	VALUE_BUILDER_AUTO item;
	value_builder_init(&item);
	if (!slot || !id)
		return value_null();
	value_builder_member(&item, SLICE("device_index"), *slot);
	if (card)
		value_builder_member(&item, SLICE("network_card"), *card);
	value_builder_member(&item, SLICE("interface"), *id);
	value_builder_member(&item, SLICE("security_groups"), groups_of(interface, arena));
	value_builder_member(&item, SLICE("description"), description ? *description : value_text(""));
	if (!value_is(&primary, VALUE_NULL))
		value_builder_member(&item, SLICE("primary_ipv6"), primary);
	return value_builder_map(&item, arena);
}

struct value aws_decode_interfaces(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	const struct value *list = value_get_named(item, field->member);
	VALUE_BUILDER_AUTO interfaces;
	value_builder_init(&interfaces);
	for (uint32_t i = 0; value_is(list, VALUE_LIST) && i < list->count; i++) {
		struct value told = told_of(&list->items[i], arena);
		if (value_is(&told, VALUE_MAP))
			value_builder_item(&interfaces, told);
	}
	struct value all = value_builder_list(&interfaces, arena);
	return all.count > 0 ? all : value_null();
}

struct value aws_decode_first_interface(const struct value *item, struct arena *arena)
{
	const struct value *id = value_get_named(first_interface(item), "NetworkInterfaceId");
	(void)arena;
	return id ? *id : value_null();
}

/* ModifyInstanceAttribute refuses both of an instance with several interfaces, whose own word for them is of no one. */
static struct value decode_of_first(const struct aws_field *field, const struct value *item, const char *path,
				    struct arena *arena)
{
	const struct value *list = value_get_named(item, "NetworkInterfaces");
	struct aws_field plain = *field;

	plain.decode = NULL;
	if (!value_is(list, VALUE_LIST) || list->count < 2)
		return aws_decode(&plain, item, arena);
	plain.read = path;
	return first_interface(item) ? aws_decode(&plain, first_interface(item), arena) : value_null();
}

struct value aws_decode_groups(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	return decode_of_first(field, item, "Groups", arena);
}

struct value aws_decode_source_check(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	return decode_of_first(field, item, "SourceDestCheck", arena);
}

/* An address of its own is lent by Amazon, "amazon" by name, and an elastic one is its owner's: page
 * "InstanceNetworkInterfaceAssociation". */
struct value aws_decode_public_ip(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	const struct value *first = first_interface(item), *association = value_get_named(first, "Association");
	bool has_one = value_slice(value_get_named(association, "PublicIp")).size > 0;
	struct slice owner = value_slice(value_get_named(association, "IpOwnerId"));
	(void)field;
	(void)arena;
	if (!first || !slice_is(value_slice(value_path(item, "State.Name")), "running") ||
	    (has_one && !slice_is(owner, "amazon")) || (!has_one && value_get_named(item, "PublicIpAddress")))
		return value_null();
	return value_bool(has_one);
}

struct value aws_decode_addresses6_output(const struct value *item, struct arena *arena)
{
	const struct value *list = value_get_named(first_interface(item), "Ipv6Addresses");
	VALUE_BUILDER_AUTO addresses;
	value_builder_init(&addresses);
	for (int primary = 1; primary >= 0; primary--)
		for (uint32_t i = 0; value_is(list, VALUE_LIST) && i < list->count; i++)
			if (value_is_true(value_get_named(&list->items[i], "IsPrimaryIpv6")) == primary &&
			    value_get_named(&list->items[i], "Ipv6Address"))
				value_builder_item(&addresses, *value_get_named(&list->items[i], "Ipv6Address"));
	struct value all = value_builder_list(&addresses, arena);
	return all.count > 0 ? all : value_null();
}

struct value aws_decode_addresses6(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	(void)field;
	return aws_decode_addresses6_output(item, arena);
}

struct value aws_decode_primary_ipv6(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	(void)field;
	(void)arena;
	return primary6_of(first_interface(item));
}

struct value aws_decode_address6_count(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	struct value all = aws_decode_addresses6_output(item, arena);
	(void)field;
	return value_integer(value_is(&all, VALUE_LIST) ? all.count : 0);
}

static void add_use(struct value_builder *uses, const struct value *id, const struct value *interface,
		    const char *member, struct arena *arena)
{
	struct slice own_id = value_slice(value_get_named(interface, "NetworkInterfaceId"));
	struct slice by = arena_format(arena, "network interface '%.*s'", SLICE_ARGUMENTS(own_id));
	VALUE_BUILDER_AUTO use;

	value_builder_init(&use);
	value_builder_member(&use, SLICE("id"), *id);
	value_builder_member(&use, SLICE("by"), value_string(by));
	if (member) {
		struct value told = told_of(interface, arena);
		struct slice name = schema_item_name(&aws_instance_interface.field, &told, arena);
		struct slice path = arena_format(arena, "interfaces[%.*s]", SLICE_ARGUMENTS(name));

		value_builder_member(&use, SLICE("path"), value_string(path));
		value_builder_member(&use, SLICE("member"), value_text(member));
	}
	value_builder_item(uses, value_builder_map(&use, arena));
}

struct value aws_instance_uses(const struct value *item, struct arena *arena)
{
	const struct value *list = value_get_named(item, "NetworkInterfaces"), *first = first_interface(item);
	VALUE_BUILDER_AUTO uses;

	value_builder_init(&uses);
	for (uint32_t i = 0; first && i < list->count; i++) {
		const struct value *one = &list->items[i], *subnet = value_get_named(one, "SubnetId");
		struct value groups = groups_of(one, arena);

		if (one != first && value_is(subnet, VALUE_STRING))
			add_use(&uses, subnet, one, NULL, arena);
		for (uint32_t g = 0; one != first && g < groups.count; g++)
			add_use(&uses, &groups.items[g], one, "security_groups", arena);
	}
	return value_builder_list(&uses, arena);
}
