#include "specs/overlap_parts.h"

#include <stdlib.h>

#include "specs/expression.h"
#include "specs/kind_fields.h"

/* One resource while its fields are walked. */
struct walk {
	struct collection *collection;
	uint32_t node;
	bool is_beyond;
	const struct value *desired;
};

void collection_init(struct collection *collection, const struct stack *stack, struct arena *arena,
		     struct diagnostics *diagnostics)
{
	size_t count = stack->resource_count;

	*collection = (struct collection){
		.stack = stack,
		.node_count = count,
		.node_capacity = count,
		.arena = arena,
		.diagnostics = diagnostics,
	};
	map_init(&collection->spare);
	map_init(&collection->ids);
	collection->addresses = stack_addresses(stack, &collection->spare);
	collection->nodes = arena_new_array(arena, count + 1, struct node);
	/* Most resources that have ranges have one. */
	collection->range_capacity = count + 1;
	collection->ranges = arena_new_array(arena, collection->range_capacity, struct range);
	for (size_t i = 0; i < count; i++)
		collection->nodes[i] =
			(struct node){.name = stack->resources[i].address, .above = (uint32_t)i, .size = 1};
}

void collection_release(struct collection *collection)
{
	map_release(&collection->spare);
	map_release(&collection->ids);
}

static uint32_t find_node(struct collection *collection, struct slice name)
{
	const struct resource *resource = (const struct resource *)map_get(collection->addresses, name);
	size_t index;

	if (resource)
		return (uint32_t)(resource - collection->stack->resources);
	index = map_number(&collection->ids, name);
	if (index != SIZE_MAX)
		return (uint32_t)index;
	collection->nodes = (struct node *)arena_room(collection->arena, collection->nodes, collection->node_count,
						      &collection->node_capacity, sizeof(*collection->nodes));
	index = collection->node_count++;
	collection->nodes[index] = (struct node){.name = name, .above = (uint32_t)index, .size = 1};
	map_set_number(&collection->ids, name, index);
	return (uint32_t)index;
}

/* The node of an address or an id; made where it is new. Neighbours mostly name the same one. */
static uint32_t node_of(struct collection *collection, struct slice name)
{
	if (!collection->last_name.data || !slice_equal(name, collection->last_name)) {
		collection->last_node = find_node(collection, name);
		collection->last_name = name;
	}
	return collection->last_node;
}

uint32_t domain_of(struct collection *collection, uint32_t node)
{
	struct node *nodes = collection->nodes;

	while (nodes[node].above != node) {
		nodes[node].above = nodes[nodes[node].above].above;
		node = nodes[node].above;
	}
	return node;
}

static void join(struct collection *collection, uint32_t first, uint32_t second)
{
	struct node *nodes = collection->nodes;

	first = domain_of(collection, first);
	second = domain_of(collection, second);
	if (nodes[first].size < nodes[second].size) {
		uint32_t smaller = first;

		first = second;
		second = smaller;
	}
	nodes[first].is_joined = true;
	if (first == second)
		return;
	nodes[second].above = first;
	nodes[first].size += nodes[second].size;
}

static bool has_range(const struct field *field)
{
	return field->range != RANGE_NONE;
}

static bool is_joining(const struct field *field)
{
	return (field->flags & JOINS) != 0;
}

static bool is_of_peering(const struct field *field)
{
	return field->end_is != NULL;
}

static bool matters(const struct field *field)
{
	return has_range(field) || is_joining(field) || is_of_peering(field);
}

static bool has_what_matters(const struct field *field)
{
	return field_any(field, matters);
}

/* The nodes that a reference leads to, as many as its expression names. */
static void each_target(struct walk *walk, const struct value *value, void (*visit)(struct walk *, uint32_t target))
{
	const struct expression_reference *references;
	size_t count;

	if (value->type == VALUE_STRING)
		visit(walk, node_of(walk->collection, value_slice(value)));
	/* Only a deferred value without a program comes from a file, and a spec is no such. */
	if (value->type != VALUE_DEFERRED || !value->deferred->program)
		return;
	expression_references((const struct expression *)value->deferred->program, &references, &count);
	for (size_t i = 0; i < count; i++)
		visit(walk, node_of(walk->collection, references[i].address));
}

static void join_target(struct walk *walk, uint32_t target)
{
	join(walk->collection, walk->node, target);
}

/* What has an address is one thing, however many stand for it: a device with a customer gateway in each region. An
 * address that is not known yet is the same where it is written the same. */
static void join_address(struct walk *walk, const struct value *value)
{
	if (value->type == VALUE_STRING)
		join_target(walk, node_of(walk->collection, value_slice(value)));
	if (value->type == VALUE_DEFERRED)
		join_target(walk, node_of(walk->collection, value->deferred->text));
}

/* The families that ranges in field may have; none where it holds something else, as the label
 * beside a range does. */
static uint8_t field_families(const struct field *field)
{
	if (field->type == FIELD_CIDR4)
		return 1;
	if (field->type == FIELD_CIDR6)
		return 2;
	return field->type == FIELD_CIDR || field->item || field->members.count > 0 || has_range(field) ? 3 : 0;
}

/* The node of what the field named parent refers to, or NO_NODE. */
static uint32_t parent_node(struct walk *walk, const char *parent)
{
	const struct value *value = parent ? value_get_named(walk->desired, parent) : NULL;
	const struct expression_reference *references;
	size_t count;

	if (!value)
		return NO_NODE;
	if (value->type == VALUE_STRING)
		return node_of(walk->collection, value_slice(value));
	if (value->type != VALUE_DEFERRED || !value->deferred->program)
		return NO_NODE;
	expression_references((const struct expression *)value->deferred->program, &references, &count);
	/* Of one that may be this or that nothing can be said. */
	return count == 1 ? node_of(walk->collection, references[0].address) : NO_NODE;
}

static struct range *range_new(struct collection *collection)
{
	collection->ranges = (struct range *)arena_room(collection->arena, collection->ranges, collection->range_count,
							&collection->range_capacity, sizeof(*collection->ranges));
	return &collection->ranges[collection->range_count++];
}

static void take_range(struct walk *walk, const struct field *ranged, const struct value *value)
{
	struct collection *collection = walk->collection;
	struct range range = {
		.role = (uint8_t)ranged->range,
		.is_beyond = walk->is_beyond && ranged->range == RANGE_DOMAIN,
		.is_apart = ranged->range_parent_id != NULL,
		.position = value->position,
		.node = walk->node,
		.parent = NO_NODE,
		.by_id = NO_NODE,
	};

	/* What is none was reported when the field was checked. */
	if (!cidr_read(value_slice(value), &range.cidr))
		return;
	/* The way to all the rest takes nothing from anybody. */
	if (range.is_beyond && range.cidr.bits == 0)
		return;
	range.cidr = cidr_network(range.cidr);
	if (ranged->range == RANGE_WITHIN) {
		range.parent = parent_node(walk, ranged->range_parent);
		range.by_id = parent_node(walk, ranged->range_parent_id);
		if (range.parent != NO_NODE)
			collection->nodes[range.parent].has_children = true;
	}
	collection->nodes[walk->node].known |= family_bit(&range.cidr);
	*range_new(collection) = range;
}

/* What lies within one parent can be compared there, though it is not known where that is. */
static void take_assumed(struct walk *walk, const struct field *ranged, const struct field *field,
			 const struct value *value)
{
	struct range range = {
		.role = (uint8_t)ranged->range,
		.position = value->position,
		.node = walk->node,
		.by_id = NO_NODE,
		.assumed = value->deferred->text,
	};

	if (ranged->range != RANGE_WITHIN || field_families(field) == 0 ||
	    !assume_range(walk->collection, walk->node, field, value, &range.cidr))
		return;
	range.cidr = cidr_network(range.cidr);
	range.parent = parent_node(walk, ranged->range_parent);
	if (range.parent != NO_NODE)
		*range_new(walk->collection) = range;
}

static void take_peering(struct walk *walk, const struct field *field, const struct value *value)
{
	struct collection *collection = walk->collection;
	uint32_t end = parent_node(walk, field->end_is);

	if (end == NO_NODE)
		return;
	collection->peerings =
		(struct peering *)arena_room(collection->arena, collection->peerings, collection->peering_count,
					     &collection->peering_capacity, sizeof(*collection->peerings));
	collection->peerings[collection->peering_count++] =
		(struct peering){end, node_of(collection, value_slice(value))};
}

/* ranged, joining: the field at hand or the nearest one above it with that role, or NULL. */
static void walk_value(struct walk *walk, const struct field *field, const struct value *value,
		       const struct field *ranged, const struct field *joining)
{
	if (!value)
		return;
	ranged = has_range(field) ? field : ranged;
	joining = is_joining(field) ? field : joining;
	if (ranged && (value->type == VALUE_DEFERRED || value->type == VALUE_UNREAD))
		walk->collection->nodes[walk->node].open |= field_families(field);
	if (ranged && value->type == VALUE_DEFERRED)
		take_assumed(walk, ranged, field, value);
	if (field->end_is && value->type == VALUE_STRING)
		take_peering(walk, field, value);
	if (joining && field->type == FIELD_REFERENCE)
		each_target(walk, value, join_target);
	if (joining && field->type == FIELD_ADDRESS)
		join_address(walk, value);
	if (ranged && value->type == VALUE_STRING && field_families(field) != 0)
		take_range(walk, ranged, value);
	for (uint32_t i = 0; field->item && value->type == VALUE_LIST && i < value->count; i++)
		walk_value(walk, field->item, &value->items[i], ranged, joining);
	for (uint32_t i = 0; field->item && value->type == VALUE_MAP && i < value->count; i++)
		walk_value(walk, field->item, &value->members[i].value, ranged, joining);
	for (size_t i = 0; value->type == VALUE_MAP && i < field->members.count; i++) {
		const struct field *member = field_at(&field->members, i);

		walk_value(walk, member, value_get_named(value, member->name), ranged, joining);
	}
}

static int peering_compare(const void *a, const void *b)
{
	const struct peering *first = (const struct peering *)a, *second = (const struct peering *)b;

	if (first->end != second->end)
		return first->end < second->end ? -1 : 1;
	return (first->node > second->node) - (first->node < second->node);
}

/* By their ends. Several routes of one network mostly name the same peering. */
static void sort_peerings(struct collection *collection)
{
	struct peering *peerings = collection->peerings;
	size_t count = 0;

	if (collection->peering_count > 1)
		qsort(peerings, collection->peering_count, sizeof(*peerings), peering_compare);
	for (size_t i = 0; i < collection->peering_count; i++) {
		struct node *end = &collection->nodes[peerings[i].end];

		if (count > 0 && peering_compare(&peerings[count - 1], &peerings[i]) == 0)
			continue;
		if (end->peering_count++ == 0)
			end->first_peering = (uint32_t)count;
		peerings[count++] = peerings[i];
	}
	collection->peering_count = count;
}

void collect_resources(struct collection *collection)
{
	const struct stack *stack = collection->stack;
	struct kind_fields fields = {.wanted = has_what_matters};
	bool joins = false; /* whether the kind holds references or an address that join */

	for (size_t i = 0; i < stack->resource_count; i++) {
		const struct resource *resource = &stack->resources[i];
		struct walk walk = {.collection = collection, .node = (uint32_t)i, .desired = &resource->desired};

		if (fields.kind != resource->kind)
			joins = fields_any(&resource->kind->fields, is_joining);
		kind_fields_turn(&fields, resource->kind);
		walk.is_beyond = joins;
		collection->nodes[i].first_range = (uint32_t)collection->range_count;
		for (size_t j = 0; j < fields.count; j++)
			walk_value(&walk, fields.fields[j], value_get_named(&resource->desired, fields.fields[j]->name),
				   NULL, NULL);
		collection->nodes[i].range_count = (uint32_t)collection->range_count - collection->nodes[i].first_range;
	}
	sort_peerings(collection);
}

uint32_t parent_of(const struct collection *collection, const struct range *range)
{
	if (range->parent == NO_NODE || (collection->nodes[range->parent].known & family_bit(&range->cidr)) == 0)
		return NO_NODE;
	return range->parent;
}

size_t collect_named(struct collection *collection, const struct named_ranges *named)
{
	size_t first = collection->range_count;

	for (size_t i = 0; i < named->count; i++) {
		struct range range = {
			.position = named->items[i].cidr.position,
			.node = NO_NODE,
			.parent = NO_NODE,
			.by_id = NO_NODE,
			.named = &named->items[i],
		};

		if (!cidr_read(value_slice(&named->items[i].cidr), &range.cidr))
			continue;
		range.cidr = cidr_network(range.cidr);
		*range_new(collection) = range;
	}
	return first;
}
