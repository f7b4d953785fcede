#include "reconcile/ranges.h"

#include <stdlib.h>

#include "reconcile/unique.h"

enum {
	/* https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html */
	KEPT_AT_THE_START = 4,
};

void ranges_init(struct ranges *ranges, struct arena *arena)
{
	*ranges = (struct ranges){.arena = arena};
	map_init(&ranges->scopes);
}

void ranges_release(struct ranges *ranges)
{
	map_release(&ranges->scopes);
}

static size_t number_of(struct ranges *ranges, struct slice scope)
{
	size_t next = ranges->scopes.count;
	size_t number = map_add_number(&ranges->scopes, scope, next);

	return number != SIZE_MAX ? number : next;
}

bool range_read(const struct field *field, const struct value *value, struct cidr *ret)
{
	if (!value_is(value, VALUE_STRING))
		return false;
	return field->type == FIELD_ADDRESS ? cidr_read_address(value_slice(value), ret)
					    : cidr_read(value_slice(value), ret);
}

bool ranges_add(struct ranges *ranges, const struct kind *kind, const struct value *fields,
		const struct identity *place, struct ranged ranged)
{
	if (ranged.field->range != RANGE_WITHIN || !range_read(ranged.field, ranged.value, &ranged.cidr))
		return false;
	struct slice scope = unique_within(kind, ranged.field, fields, place, ranges->arena);
	if (scope.size == 0)
		return false;
	ranged.scope = number_of(ranges, scope);
	ranged.cidr = cidr_network(ranged.cidr);
	ranges->items =
		arena_room(ranges->arena, ranges->items, ranges->count, &ranges->capacity, sizeof(*ranges->items));
	ranges->items[ranges->count++] = ranged;
	return true;
}

/* What holds another one comes before it. */
static int compare(const void *a, const void *b)
{
	const struct ranged *first = a, *second = b;
	int order;

	if (first->scope != second->scope)
		return first->scope < second->scope ? -1 : 1;
	if (first->cidr.family != second->cidr.family)
		return first->cidr.family < second->cidr.family ? -1 : 1;
	order = memcmp(first->cidr.bytes, second->cidr.bytes, sizeof(first->cidr.bytes));
	if (order != 0)
		return order;
	if (first->cidr.bits != second->cidr.bits)
		return first->cidr.bits < second->cidr.bits ? -1 : 1;
	if (first->wanted != second->wanted)
		return first->wanted ? 1 : -1;
	return (first->owner > second->owner) - (first->owner < second->owner);
}

/* Those of one side that hold the place at hand, the innermost last. */
struct holders {
	const struct ranged **items;
	size_t count;
};

static void leave(struct holders *holders, const struct ranged *next)
{
	while (holders->count > 0) {
		const struct ranged *last = holders->items[holders->count - 1];

		if (last->scope == next->scope && cidr_contains(&last->cidr, &next->cidr))
			return;
		holders->count--;
	}
}

struct pair {
	const struct ranged *had, *wanted;
};

struct pairs {
	struct arena *arena;
	struct pair *items;
	size_t count, capacity;
};

static void note_pairs(struct pairs *pairs, const struct holders *others, const struct ranged *next)
{
	for (size_t i = 0; i < others->count; i++) {
		const struct ranged *other = others->items[i];

		if (other->owner == next->owner)
			continue;
		pairs->items =
			arena_room(pairs->arena, pairs->items, pairs->count, &pairs->capacity, sizeof(*pairs->items));
		pairs->items[pairs->count++] = next->wanted ? (struct pair){other, next} : (struct pair){next, other};
	}
}

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *first = a, *second = b;

	if (first->wanted->owner != second->wanted->owner)
		return first->wanted->owner < second->wanted->owner ? -1 : 1;
	if (first->had->owner != second->had->owner)
		return first->had->owner < second->had->owner ? -1 : 1;
	return compare(first->had, second->had);
}

void ranges_meet(struct ranges *ranges, ranges_visit *visit, void *context)
{
	struct pairs pairs = {.arena = ranges->arena};
	struct holders sides[2]; /* had, wanted */

	if (ranges->count == 0)
		return;
	qsort(ranges->items, ranges->count, sizeof(*ranges->items), compare);
	for (size_t i = 0; i < 2; i++)
		sides[i] = (struct holders){arena_new_array(ranges->arena, ranges->count, const struct ranged *), 0};
	for (size_t i = 0; i < ranges->count; i++) {
		const struct ranged *next = &ranges->items[i];
		struct holders *own = &sides[next->wanted], *others = &sides[!next->wanted];

		leave(own, next);
		leave(others, next);
		note_pairs(&pairs, others, next);
		own->items[own->count++] = next;
	}
	if (pairs.count > 1)
		qsort(pairs.items, pairs.count, sizeof(*pairs.items), compare_pairs);
	for (size_t i = 0; i < pairs.count; i++)
		visit(context, pairs.items[i].had, pairs.items[i].wanted);
}

/* The first four of the range, and its last. */
bool range_keeps(const struct cidr *range, const struct cidr *address)
{
	unsigned free_bits = (unsigned)address->bits - range->bits;
	uint64_t last = free_bits < 64 ? (UINT64_C(1) << free_bits) - 1 : UINT64_MAX;
	struct cidr kept;

	for (uint64_t i = 0; i < KEPT_AT_THE_START; i++)
		if (cidr_subnet(range, address->bits, i, &kept) && cidr_contains(&kept, address))
			return true;
	return cidr_subnet(range, address->bits, last, &kept) && cidr_contains(&kept, address);
}

bool ranges_differ(const struct value *a, const struct value *b)
{
	struct cidr first, second;

	return value_is(a, VALUE_STRING) && value_is(b, VALUE_STRING) && cidr_read(value_slice(a), &first) &&
	       cidr_read(value_slice(b), &second) && cidr_overlap(&first, &second) && first.bits != second.bits;
}

bool ranges_around(const struct value *value, const struct cidr *part)
{
	struct cidr range;

	for (uint32_t i = 0; value_is(value, VALUE_LIST) && i < value->count; i++)
		if (ranges_around(&value->items[i], part))
			return true;
	return value_is(value, VALUE_STRING) && cidr_read(value_slice(value), &range) && cidr_contains(&range, part);
}
