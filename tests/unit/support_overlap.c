#include "tests/unit/support_overlap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/cidr.h"
#include "base/json.h"
#include "specs/expression.h"

/* Kinds of the test's own: a network, what lies in it, and what joins networks. */
static const struct field cidr_item = {.name = "range", .type = FIELD_CIDR};
static const struct field block_members[] = {
	{.name = "range", .type = FIELD_CIDR, .range = RANGE_WITHIN, .range_parent = "net"},
	{.name = "label", .type = FIELD_STRING},
};
static const struct field block_item = {.name = "block", .type = FIELD_OBJECT, .members = FIELDS(block_members)};
static const struct field pool_members[] = {
	{.name = "label", .type = FIELD_STRING},
	{.name = "cidrs", .type = FIELD_SET, .item = &cidr_item},
};
static const struct field pool_item = {.name = "pool", .type = FIELD_OBJECT, .members = FIELDS(pool_members)};
static const struct field net_fields[] = {
	{.name = "label", .type = FIELD_STRING},
	{.name = "cidr", .type = FIELD_CIDR4, .range = RANGE_DOMAIN},
	{.name = "more", .type = FIELD_SET, .item = &cidr_item, .range = RANGE_DOMAIN},
	{.name = "cidr6", .type = FIELD_CIDR6, .range = RANGE_DOMAIN},
	{.name = "pools", .type = FIELD_MAP, .item = &pool_item, .range = RANGE_DOMAIN},
};
/* Of the own range a length is known, and of any nothing. */
static const struct output net_outputs[] = {{.name = "id"}, {.name = "own", .prefix6_bits = 56}, {.name = "any"}};

static bool check_part(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	struct cidr range;

	return !cidr_read(value_slice(value), &range) || range.bits <= 64 ||
	       diag_error(diagnostics, FAULT_USER, value->position, "'%s' is longer than /64", field->name);
}

static const struct field subnet_fields[] = {
	{.name = "net", .type = FIELD_REFERENCE, .target = "test.net"},
	{.name = "cidr", .type = FIELD_CIDR, .range = RANGE_WITHIN, .range_parent = "net"},
	{.name = "part", .type = FIELD_CIDR6, .check = check_part, .range = RANGE_WITHIN, .range_parent = "net"},
	{.name = "blocks", .type = FIELD_LIST, .item = &block_item},
};
static const struct field gateway_fields[] = {
	{.name = "net", .type = FIELD_REFERENCE, .target = "test.net", .flags = JOINS},
};
static const struct field peering_item = {.name = "peering", .type = FIELD_STRING, .end_is = "net"};
static const struct field end_item = {.name = "end", .type = FIELD_REFERENCE, .target = "test.net"};
static const struct field peering_fields[] = {
	{.name = "ends", .type = FIELD_SET, .item = &end_item, .flags = JOINS},
};
static const struct field connection_fields[] = {
	{.name = "gateway", .type = FIELD_REFERENCE, .target = "test.gateway", .flags = JOINS},
	{.name = "customer", .type = FIELD_REFERENCE, .target = "test.customer", .flags = JOINS},
	{.name = "routes", .type = FIELD_SET, .item = &cidr_item, .range = RANGE_DOMAIN},
};
static const struct field table_fields[] = {
	{.name = "net", .type = FIELD_REFERENCE, .target = "test.net"},
	{.name = "peerings", .type = FIELD_SET, .item = &peering_item},
};
static const struct field customer_fields[] = {{.name = "address", .type = FIELD_ADDRESS, .flags = JOINS}};

static const struct kind kinds[] = {
	{.name = "test.net", .fields = FIELDS(net_fields), .outputs = FIELDS(net_outputs)},
	{.name = "test.subnet", .fields = FIELDS(subnet_fields)},
	{.name = "test.gateway", .fields = FIELDS(gateway_fields)},
	{.name = "test.peering", .fields = FIELDS(peering_fields)},
	{.name = "test.connection", .fields = FIELDS(connection_fields)},
	{.name = "test.customer", .fields = FIELDS(customer_fields)},
	{.name = "test.table", .fields = FIELDS(table_fields)},
};

void plan_init(struct plan *plan)
{
	arena_init(&plan->arena);
	diagnostics_init(&plan->diagnostics, &plan->arena);
	plan->count = plan->reserved_count = plan->network_count = 0;
}

void plan_release(struct plan *plan)
{
	diagnostics_release(&plan->diagnostics);
	arena_release(&plan->arena);
}

static struct value compiled(struct plan *plan, struct slice text, struct position position)
{
	const struct expression *expression;
	struct value value = value_null();

	if (!expression_compile(&plan->arena, text, position, NULL, NULL, &expression, &plan->diagnostics) ||
	    !expression_evaluate(expression, NULL, &plan->arena, &value, &plan->diagnostics))
		fail_msg("'%.*s' is no expression", SLICE_ARGUMENTS(text));
	return value_at(value, position);
}

/* A copy whose scalars stand on a line, each in a column of its own, and whose expressions are compiled. */
static struct value placed(struct plan *plan, const struct value *value, uint32_t line, uint16_t *column)
{
	struct position position = {line, *column, 0};
	struct value copy = value_at(*value, position);
	VALUE_BUILDER_AUTO builder = {0};

	*column = (uint16_t)(*column + (value->type != VALUE_LIST && value->type != VALUE_MAP));
	if (value->type == VALUE_DEFERRED)
		return compiled(plan, value->deferred->text, position);
	if (value->type == VALUE_LIST) {
		for (uint32_t i = 0; i < value->count; i++)
			value_builder_item(&builder, placed(plan, &value->items[i], line, column));
		copy = value_builder_list(&builder, &plan->arena);
	}
	if (value->type == VALUE_MAP) {
		for (uint32_t i = 0; i < value->count; i++)
			value_builder_member(&builder, value_slice(&value->members[i].key),
					     placed(plan, &value->members[i].value, line, column));
		copy = value_builder_map(&builder, &plan->arena);
	}
	return copy;
}

const struct kind *plan_kind(const char *name)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	}
	fail_msg("no kind %s", name);
	return NULL;
}

void plan_add(struct plan *plan, const char *kind_name, const char *name, const char *desired)
{
	struct resource *resource = &plan->resources[plan->count++];
	struct value value;
	uint16_t column = 1;

	*resource = (struct resource){.name = slice_of(name), .kind = plan_kind(kind_name)};
	resource->address = arena_format(&plan->arena, "%s.%s", kind_name, name);
	if (!json_read(&plan->arena, slice_of(desired), true, 1024 * 1024, "the test", &value, &plan->diagnostics))
		fail_msg("'%s' is no JSON", desired);
	resource->position = (struct position){(uint32_t)plan->count, 0, 0};
	resource->desired = placed(plan, &value, (uint32_t)plan->count, &column);
}

bool plan_check(struct plan *plan)
{
	struct stack stack = {.resources = plan->resources, .resource_count = plan->count};
	struct address_space space = {
		.reserved = {plan->reserved, plan->reserved_count},
		.networks = {plan->networks, plan->network_count},
	};
	struct sources sources;
	bool passed;

	sources_init(&sources);
	for (size_t i = 0; i < plan->reserved_count; i++)
		plan->reserved[i].cidr.position = (struct position){(uint32_t)(101 + i), 1, 0};
	for (size_t i = 0; i < plan->network_count; i++)
		plan->networks[i].cidr.position = (struct position){(uint32_t)(201 + i), 1, 0};
	passed = overlap_check(&stack, &space, &sources, &plan->diagnostics);
	sources_release(&sources);
	diagnostics_sort(&plan->diagnostics);
	assert_int_equal(passed, plan->diagnostics.error_count == 0);
	return passed;
}
