#include "specs/overlap.h"

#include "specs/overlap_parts.h"

static void add(struct overlaps *overlaps, uint64_t group, size_t index, enum range_class class)
{
	const struct range *range = &overlaps->collection->ranges[index];

	overlaps->records = (struct record *)arena_room(overlaps->arena, overlaps->records, overlaps->count,
							&overlaps->capacity, sizeof(*overlaps->records));
	overlaps->records[overlaps->count++] = (struct record){
		.start = address_number(&range->cidr),
		.key = 2 * group + (range->cidr.family == 6),
		.range = (uint32_t)index,
		.bits = range->cidr.bits,
		.class = (uint8_t) class,
	};
}

/* A range as one of its domain's, and where address_space has any range, against those. */
static void add_own(struct overlaps *overlaps, size_t index, bool has_space)
{
	struct collection *collection = overlaps->collection;
	uint32_t owner = owner_of(&collection->ranges[index]);
	uint32_t root = domain_of(collection, owner);
	const struct node *node = &collection->nodes[owner];
	bool is_beyond = collection->ranges[index].is_beyond;

	add(overlaps, group_of_domain(root), index, is_beyond ? CLASS_BEYOND : CLASS_OWN);
	if (has_space && !is_beyond)
		add(overlaps, GROUP_SPACE, index, collection->nodes[root].is_joined ? CLASS_JOINED : CLASS_ALONE);
	for (uint32_t i = 0; i < node->peering_count; i++)
		add(overlaps, group_of_domain(collection->peerings[node->first_peering + i].node), index, CLASS_END);
}

static void add_resources(struct overlaps *overlaps, size_t count, bool has_space)
{
	struct collection *collection = overlaps->collection;

	for (size_t i = 0; i < count; i++) {
		const struct range *range = &collection->ranges[i];
		uint32_t parent = parent_of(collection, range);
		bool is_open;

		if (range->assumed.size > 0) {
			add(overlaps, group_of_children(range->parent), i, CLASS_CHILD_OPEN);
			continue;
		}
		/* In both domains, where one thing is not in the spec: a pair that both have is told in the same words,
		 * and shown once. */
		if (range->by_id != NO_NODE)
			add(overlaps, group_of_domain(domain_of(collection, range->by_id)), i, CLASS_OWN);
		if (parent == NO_NODE) {
			add_own(overlaps, i, has_space);
			continue;
		}
		is_open = (collection->nodes[parent].open & family_bit(&range->cidr)) != 0;
		add(overlaps, group_of_children(parent), i, is_open ? CLASS_CHILD_OPEN : CLASS_CHILD);
	}
	for (size_t i = 0; i < collection->stack->resource_count; i++) {
		const struct node *node = &collection->nodes[i];

		for (uint32_t j = 0; node->has_children && j < node->range_count; j++)
			add(overlaps, group_of_children((uint32_t)i), node->first_range + j, CLASS_PARENT);
	}
}

static void add_space(struct overlaps *overlaps, size_t first, size_t count, enum range_class class)
{
	for (size_t i = first; i < first + count; i++) {
		add(overlaps, GROUP_SPACE, i, class);
		add(overlaps, GROUP_FIXED, i, CLASS_FIXED);
	}
}

/* A way beyond to just what address_space names is meant, also where a wider one leads there as well. */
static void mark_meant(struct collection *collection, size_t of_resources)
{
	struct map named;

	if (collection->range_count == of_resources)
		return;
	map_init(&named);
	for (size_t i = of_resources; i < collection->range_count; i++)
		map_mark(&named, cidr_text(collection->arena, &collection->ranges[i].cidr));
	for (size_t i = 0; i < of_resources; i++) {
		struct range *range = &collection->ranges[i];

		range->is_meant = range->is_beyond && map_has(&named, cidr_text(collection->arena, &range->cidr));
	}
	map_release(&named);
}

bool overlap_check(const struct stack *stack, const struct address_space *space, const struct sources *sources,
		   struct diagnostics *diagnostics)
{
	struct overlaps overlaps = {.diagnostics = diagnostics};
	struct collection collection;
	size_t of_resources, reserved, networks;
	struct arena arena;

	/* Positions are enough here; who shows the diagnostics has the sources. */
	(void)sources;
	arena_init(&arena);
	collection_init(&collection, stack, &arena, diagnostics);
	overlaps.collection = &collection;
	overlaps.arena = &arena;
	collect_resources(&collection);
	overlaps.reported = collection.reported;
	of_resources = collection.range_count;
	reserved = collect_named(&collection, &space->reserved);
	networks = collect_named(&collection, &space->networks);
	mark_meant(&collection, of_resources);
	/* Each once, and those that others lie within once more. */
	overlaps.capacity = collection.range_count + collection.range_count / 8 + 64;
	overlaps.records = arena_new_array(&arena, overlaps.capacity, struct record);
	add_resources(&overlaps, of_resources, collection.range_count > of_resources);
	add_space(&overlaps, reserved, networks - reserved, CLASS_RESERVED);
	add_space(&overlaps, networks, collection.range_count - networks, CLASS_NETWORK);
	overlaps_sweep(&overlaps);
	collection_release(&collection);
	arena_release(&arena);
	return overlaps.reported == 0;
}
