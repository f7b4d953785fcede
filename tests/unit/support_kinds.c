#include "tests/unit/support_kinds.h"

static const struct field text = {.type = FIELD_STRING};

static const struct field range = {.type = FIELD_CIDR};

static bool check_even(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	if (value->integer % 2 == 0)
		return true;
	return diag_error(diagnostics, FAULT_USER, value->position, "'%s' must be even", field->name);
}

static const struct field vpc_fields[] = {
	{.name = "cidr",
	 .type = FIELD_CIDR4,
	 .flags = REQUIRED | IMMUTABLE,
	 .about = "the range of the network",
	 .range = RANGE_DOMAIN},
	{.name = "cidr6", .type = FIELD_CIDR6},
	{.name = "ranges", .type = FIELD_SET, .item = &range},
	{.name = "dns", .type = FIELD_BOOL},
	{.name = "tags", .type = FIELD_MAP, .item = &text},
};

static const char *const renews_version[] = {"tags", NULL};

static const struct output vpc_outputs[] = {
	{.name = "id", .pattern = "^vpc-[0-9a-f]{8,17}$"},
	{.name = "arn", .pattern = "^arn:(a|b):[a-z]+$"},
	{.name = "cidr"},
	{.name = "version", .renewed_by = renews_version},
};

static const char *const zones[] = {"alpha", "beta", "gamma", NULL};

static const struct field subnet_fields[] = {
	{.name = "vpc", .type = FIELD_REFERENCE, .flags = REQUIRED | IMMUTABLE | JOINS, .target = "net.vpc"},
	{.name = "cidr", .type = FIELD_CIDR4, .flags = IMMUTABLE, .range = RANGE_WITHIN, .range_parent = "vpc"},
	{.name = "zone", .type = FIELD_STRING, .choices = zones},
	{.name = "size", .type = FIELD_INTEGER, .least = 2, .most = 100, .check = check_even},
	{.name = "weight", .type = FIELD_NUMBER, .least = 0, .most = 1},
	{.name = "label",
	 .type = FIELD_STRING,
	 .pattern = "^[a-z][a-z0-9-]*$",
	 .in_words = "small letters",
	 .least = 2,
	 .most = 8},
	{.name = "tags", .type = FIELD_MAP, .item = &text},
};

static const struct output subnet_outputs[] = {{.name = "id", .pattern = "^subnet-[0-9a-f]{8,17}$"}};

static const char *const protocols[] = {"tcp", "udp", NULL};

static const struct field rule_fields[] = {
	{.name = "protocol", .type = FIELD_STRING, .flags = REQUIRED | KEY, .choices = protocols},
	{.name = "port", .type = FIELD_INTEGER, .flags = KEY, .least = 0, .most = 65535},
	{.name = "group", .type = FIELD_REFERENCE, .flags = KEY, .target = "net.group"},
	{.name = "cidr", .type = FIELD_CIDR, .flags = KEY},
	{.name = "note", .type = FIELD_STRING},
};

static const struct field rule = {.type = FIELD_OBJECT, .members = FIELDS(rule_fields)};

static const struct field group_fields[] = {
	{.name = "vpc", .type = FIELD_REFERENCE, .flags = IMMUTABLE, .target = "net.vpc"},
	{.name = "about", .type = FIELD_STRING},
	{.name = "peer", .type = FIELD_REFERENCE, .target = "net.group"},
	{.name = "rules", .type = FIELD_SET, .flags = SETTLES, .item = &rule},
};

static const struct output group_outputs[] = {{.name = "id", .pattern = "^sg-[0-9a-f]{8,17}$"}};

static const char *const peer_of_rule[] = {"group", "cidr", NULL};

static const char *const vpc_or_peer[] = {"vpc", "peer", NULL};

static const struct exclusive group_exclusives[] = {
	{.field = "rules", .members = peer_of_rule, .needs_one = true},
	{.members = vpc_or_peer},
};

static const struct field subnet_reference = {.type = FIELD_REFERENCE, .target = "net.subnet"};

static const struct field option_fields[] = {
	{.name = "mode", .type = FIELD_STRING, .flags = REQUIRED},
	{.name = "secret", .type = FIELD_STRING, .flags = SECRET},
	{.name = "vpc", .type = FIELD_REFERENCE, .target = "net.vpc"},
};

static const struct field gateway_fields[] = {
	{.name = "vpc", .type = FIELD_REFERENCE, .target = "net.vpc"},
	{.name = "subnets", .type = FIELD_LIST, .item = &subnet_reference, .least = 1},
	{.name = "options", .type = FIELD_OBJECT, .members = FIELDS(option_fields)},
	{.name = "policy", .type = FIELD_JSON},
	{.name = "password", .type = FIELD_STRING, .flags = SECRET},
	{.name = "address", .type = FIELD_ADDRESS},
	{.name = "owner", .type = FIELD_REFERENCE, .target = "net.vpc", .output = "arn"},
	{.name = "count", .type = FIELD_INTEGER},
};

static const struct output gateway_outputs[] = {{.name = "id", .pattern = "^gw-[0-9]+$"}};

static const struct field machine_fields[] = {
	{.name = "address", .type = FIELD_ADDRESS, .flags = REQUIRED},
	{.name = "slot", .type = FIELD_INTEGER},
	{.name = "note", .type = FIELD_STRING},
};

static const struct output machine_outputs[] = {{.name = "serial"}};

/* A rule across fields. */
static bool check_vpc(const struct kind *kind, const struct value *desired, struct diagnostics *diagnostics)
{
	const struct value *ranges = value_get_named(desired, "ranges");

	if (!ranges || value_get_named(desired, "dns"))
		return true;
	return diag_error(diagnostics, FAULT_USER, ranges->position, "an %s with 'ranges' needs 'dns'", kind->name);
}

const struct kind support_vpc = {
	.name = "net.vpc",
	.version = 1,
	.fields = FIELDS(vpc_fields),
	.outputs = FIELDS(vpc_outputs),
	.check = check_vpc,
};

const struct kind support_subnet = {
	.name = "net.subnet",
	.version = 1,
	.fields = FIELDS(subnet_fields),
	.outputs = FIELDS(subnet_outputs),
};

const struct kind support_group = {
	.name = "net.group",
	.version = 1,
	.fields = FIELDS(group_fields),
	.outputs = FIELDS(group_outputs),
	.exclusives = group_exclusives,
	.exclusive_count = sizeof(group_exclusives) / sizeof(group_exclusives[0]),
};

const struct kind support_gateway = {
	.name = "net.gateway",
	.version = 1,
	.fields = FIELDS(gateway_fields),
	.outputs = FIELDS(gateway_outputs),
};

static const char *const which_machine[] = {"address", "slot", NULL};

const struct kind support_machine = {
	.name = "box.machine",
	.told_apart_by = which_machine,
	.version = 1,
	.fields = FIELDS(machine_fields),
	.outputs = FIELDS(machine_outputs),
};

static const struct kind *const all[] = {&support_machine, &support_gateway, &support_group, &support_subnet,
					 &support_vpc};

const struct kinds support_kinds = {all, sizeof(all) / sizeof(all[0])};
