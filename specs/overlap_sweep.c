#include "specs/overlap_parts.h"

#include <stdlib.h>

#include "base/memory.h"

#define BIT(class) (1U << (class))

/* What is in more runs than that is sorted as if it were in no order at all. */
enum { MERGES_MOST = 3 };

/* Which classes must not hold the place of a record of each. A way beyond that is wider than an own range takes nothing
 * from that, for the longest prefix is taken ("Route priority" of Amazon VPC); of the same width, the own one is the
 * holder. */
static const unsigned conflicts[CLASSES] = {
	[CLASS_CHILD] = BIT(CLASS_CHILD) | BIT(CLASS_CHILD_OPEN),
	[CLASS_CHILD_OPEN] = BIT(CLASS_CHILD) | BIT(CLASS_CHILD_OPEN),
	[CLASS_OWN] = BIT(CLASS_OWN),
	[CLASS_BEYOND] = BIT(CLASS_OWN) | BIT(CLASS_BEYOND),
	[CLASS_RESERVED] = BIT(CLASS_NETWORK) | BIT(CLASS_JOINED) | BIT(CLASS_ALONE),
	[CLASS_NETWORK] = BIT(CLASS_NETWORK) | BIT(CLASS_RESERVED) | BIT(CLASS_JOINED),
	[CLASS_JOINED] = BIT(CLASS_RESERVED) | BIT(CLASS_NETWORK),
	[CLASS_ALONE] = BIT(CLASS_RESERVED),
	[CLASS_END] = BIT(CLASS_END),
};

/* Those of one class that hold the place at hand, the innermost last. */
struct holders {
	const struct record **items; /* owned */
	size_t count, capacity;
};

/* Most records meet holders of one class or two: only those are looked at. */
struct place {
	struct holders holders[CLASSES];
	unsigned held; /* BIT() of each class that has holders */
};

/* Takes the lowest class out of a set that is not empty. */
static inline size_t next_class(unsigned *classes)
{
	size_t class = (size_t)__builtin_ctz(*classes);

	*classes &= *classes - 1;
	return class;
}

static void holders_push(struct holders *holders, const struct record *record)
{
	holders->items = memory_room(holders->items, holders->count, &holders->capacity, sizeof(*holders->items));
	holders->items[holders->count++] = record;
}

static overlap_number record_end(const struct record *record)
{
	return last_address(record->start, key_width(record->key), record->bits);
}

static int record_compare(const void *a, const void *b)
{
	const struct record *first = (const struct record *)a, *second = (const struct record *)b;

	if (first->key != second->key)
		return first->key < second->key ? -1 : 1;
	if (first->start != second->start)
		return first->start < second->start ? -1 : 1;
	if (first->bits != second->bits)
		return first->bits < second->bits ? -1 : 1;
	if (first->class != second->class)
		return first->class < second->class ? -1 : 1;
	return (first->range > second->range) - (first->range < second->range);
}

static bool is_equal(const struct record *a, const struct record *b)
{
	return a->start == b->start && a->bits == b->bits;
}

/* Whether a pair of one peering was told already, for both are of one domain, which comes before. */
static bool is_told(const struct overlaps *overlaps, const struct record *a, const struct record *b)
{
	struct collection *collection = overlaps->collection;

	return a->class == CLASS_END && domain_of(collection, owner_of(&collection->ranges[a->range])) ==
						domain_of(collection, owner_of(&collection->ranges[b->range]));
}

/* The classes that record must not overlap. Those that hold its place are as wide or wider. */
static unsigned conflicts_of(const struct overlaps *overlaps, const struct record *record)
{
	unsigned classes = conflicts[record->class];

	/* Of two ways beyond the narrower one is taken. */
	if (record->class == CLASS_BEYOND && overlaps->collection->ranges[record->range].is_meant)
		classes &= ~BIT(CLASS_BEYOND);
	return classes;
}

/*
 * Reports record with each holder that it must not overlap. Every holder looked at is an
 * error, but for one at most, so that the limit on errors bounds the time as well.
 */
static void check_record(struct overlaps *overlaps, const struct place *place, const struct record *record)
{
	for (unsigned left = place->held & conflicts_of(overlaps, record); left != 0;) {
		size_t class = next_class(&left);
		const struct holders *these = &place->holders[class];

		for (size_t i = 0; i < these->count && overlaps->reported < DIAGNOSTICS_MOST; i++) {
			const struct record *holder = these->items[i];

			/* Two ways to one place beyond. */
			if ((class != CLASS_BEYOND || record->class != CLASS_BEYOND || !is_equal(holder, record)) &&
			    !is_told(overlaps, holder, record))
				report_pair(overlaps, holder, record);
		}
	}
	if (record->class == CLASS_CHILD && (place->held & BIT(CLASS_PARENT)) == 0 &&
	    overlaps->reported < DIAGNOSTICS_MOST)
		report_outside(overlaps, record);
}

/* Whether anything that takes place for itself holds the place at hand. */
static bool is_taken(const struct place *place)
{
	return (place->held & ~BIT(CLASS_PARENT)) != 0;
}

/* Drops what ended before record, or belongs to another group. */
static void place_leave(struct place *place, const struct record *record)
{
	for (unsigned left = place->held; left != 0;) {
		size_t class = next_class(&left);
		struct holders *these = &place->holders[class];

		while (these->count > 0) {
			const struct record *last = these->items[these->count - 1];

			if (last->key == record->key && record_end(last) >= record->start)
				break;
			these->count--;
		}
		if (these->count == 0)
			place->held &= ~BIT(class);
	}
}

static void place_enter(struct place *place, const struct record *record)
{
	struct holders *these = &place->holders[record->class];

	if (record->class == CLASS_BEYOND && these->count > 0 && is_equal(these->items[these->count - 1], record))
		return;
	holders_push(these, record);
	place->held |= BIT(record->class);
}

/* Walks the sorted records once; the visitor sees each with those that hold its place. */
static void walk_records(struct overlaps *overlaps,
			 void (*visit)(struct overlaps *, const struct place *, const struct record *))
{
	struct place place = {0};

	for (size_t i = 0; i < overlaps->count && overlaps->reported < DIAGNOSTICS_MOST; i++) {
		const struct record *record = &overlaps->records[i];

		place_leave(&place, record);
		visit(overlaps, &place, record);
		place_enter(&place, record);
	}
	for (size_t class = 0; class < CLASSES; class ++)
		free(place.holders[class].items);
}

static void note_taken(struct overlaps *overlaps, const struct place *place, const struct record *record)
{
	if (record->class != CLASS_PARENT && !is_taken(place))
		overlaps->taken[overlaps->taken_count++] = *record;
}

void overlaps_take(struct overlaps *overlaps)
{
	if (overlaps->taken)
		return;
	overlaps->taken = arena_new_array(overlaps->arena, overlaps->count + 1, struct record);
	walk_records(overlaps, note_taken);
}

/* Where the order that holds from first on ends. */
static size_t run_end(const struct record *records, size_t first, size_t count)
{
	size_t end = first + 1;

	while (end < count && record_compare(&records[end - 1], &records[end]) <= 0)
		end++;
	return end < count ? end : count;
}

/* Joins the run before middle and the one behind it, which is set aside. From behind, so that of the first run only
 * what has to give way is moved. */
static void merge(struct record *records, size_t middle, size_t count)
{
	size_t left = middle, right = count - middle, to = count;
	struct record *behind = (struct record *)memory_get(right * sizeof(*behind));

	memcpy(behind, records + middle, right * sizeof(*behind));
	while (right > 0) {
		if (left > 0 && record_compare(&records[left - 1], &behind[right - 1]) > 0)
			records[--to] = records[--left];
		else
			records[--to] = behind[--right];
	}
	free(behind);
}

/* Specs mostly have their ranges in order, and so each thing that is collected of them makes a run: what domains have,
 * children, and what those lie within. */
static void sort(struct overlaps *overlaps)
{
	struct record *records = overlaps->records;
	size_t end = run_end(records, 0, overlaps->count);

	for (int merges = 0; end < overlaps->count && merges < MERGES_MOST; merges++) {
		size_t next = run_end(records, end, overlaps->count);

		merge(records, end, next);
		end = next;
	}
	if (end < overlaps->count)
		qsort(records, overlaps->count, sizeof(*records), record_compare);
}

void overlaps_sweep(struct overlaps *overlaps)
{
	if (overlaps->count == 0)
		return;
	sort(overlaps);
	walk_records(overlaps, check_record);
}
