#include "specs/overlap_parts.h"

static const struct range *range_of(const struct overlaps *overlaps, const struct record *record)
{
	return &overlaps->collection->ranges[record->range];
}

static struct slice node_name(const struct overlaps *overlaps, uint32_t node)
{
	return overlaps->collection->nodes[node].name;
}

/* "10.0.0.0/16 of 'aws.vpc.a'". */
static struct slice range_text(struct overlaps *overlaps, const struct record *record)
{
	const struct range *range = range_of(overlaps, record);
	struct slice cidr = cidr_text(overlaps->arena, &range->cidr);
	struct slice name = range->named ? range->named->name : node_name(overlaps, range->node);
	const char *what = record->class == CLASS_RESERVED ? "reserved" : "network";

	if (range->assumed.size > 0)
		return arena_format(overlaps->arena, "%.*s of '%.*s'", SLICE_ARGUMENTS(range->assumed),
				    SLICE_ARGUMENTS(name));
	if (range->named)
		return arena_format(overlaps->arena, "%.*s (%s '%.*s')", SLICE_ARGUMENTS(cidr), what,
				    SLICE_ARGUMENTS(name));
	return arena_format(overlaps->arena, "%.*s of '%.*s'", SLICE_ARGUMENTS(cidr), SLICE_ARGUMENTS(name));
}

/* Whether the error stands at the second: where a resource can move, or else where the later line is. */
static bool is_second_at_fault(const struct overlaps *overlaps, const struct record *first, const struct record *second)
{
	const struct range *a = range_of(overlaps, first), *b = range_of(overlaps, second);
	int order = position_compare(a->position, b->position);

	if ((a->named != NULL) != (b->named != NULL))
		return a->named != NULL;
	if (first->class == CLASS_RESERVED || second->class == CLASS_RESERVED)
		return first->class == CLASS_RESERVED;
	return order != 0 ? order < 0 : first->range < second->range;
}

/* Why the two must not overlap, as the end of a sentence. */
static struct slice reason(struct overlaps *overlaps, const struct record *record, const struct record *other)
{
	const struct range *a = range_of(overlaps, record), *b = range_of(overlaps, other);

	if (record->class == CLASS_CHILD || record->class == CLASS_CHILD_OPEN)
		return arena_format(overlaps->arena, ", both within '%.*s'",
				    SLICE_ARGUMENTS(node_name(overlaps, a->parent)));
	if (a->named || b->named || a->node == b->node)
		return SLICE("");
	if (record->class == CLASS_END)
		return SLICE(", and the two meet by peering");
	if (a->role == RANGE_WITHIN || b->role == RANGE_WITHIN)
		return SLICE(", and both are in one routing domain");
	return SLICE(", and the two meet by VPN or peering");
}

/* other: what it overlaps, or NULL. */
static void hint_free(struct overlaps *overlaps, const struct record *record, const struct record *other)
{
	const struct range *range = range_of(overlaps, record);
	struct cidr free_cidr;

	if (range->named)
		return;
	if (range->assumed.size > 0) {
		diag_hint(overlaps->diagnostics, "give one of the two another number");
		return;
	}
	if (range->is_beyond && other && range_of(overlaps, other)->is_beyond) {
		diag_hint(overlaps->diagnostics,
			  "both lead to the far end: keep the wider one if the same network lies behind both; if the "
			  "narrower one is one by itself, name it under 'reserved' in 'address_space'");
		return;
	}
	if (range->role == RANGE_WITHIN && parent_of(overlaps->collection, range) == NO_NODE) {
		diag_hint(overlaps->diagnostics,
			  range->is_apart
				  ? "give one of the two another range"
				  : "the ranges that it lies within are not known: take one that is free in them");
		return;
	}
	if (range->is_beyond) {
		diag_hint(overlaps->diagnostics,
			  "addresses on this side hide those at the far end: give one of the two another range");
		return;
	}
	if (nearest_free(overlaps, range, &free_cidr))
		diag_hint(overlaps->diagnostics, "the nearest free range of this size is %.*s",
			  SLICE_ARGUMENTS(cidr_text(overlaps->arena, &free_cidr)));
}

static void name_resource(struct overlaps *overlaps, const struct range *range)
{
	if (range->node != NO_NODE)
		diag_address(overlaps->diagnostics, node_name(overlaps, range->node));
}

void report_pair(struct overlaps *overlaps, const struct record *outer, const struct record *inner)
{
	bool second = is_second_at_fault(overlaps, outer, inner);
	const struct record *record = second ? inner : outer, *other = second ? outer : inner;
	struct slice text = range_text(overlaps, record), other_text = range_text(overlaps, other);

	diag_error(overlaps->diagnostics, FAULT_USER, range_of(overlaps, record)->position, "%.*s overlaps %.*s%.*s",
		   SLICE_ARGUMENTS(text), SLICE_ARGUMENTS(other_text),
		   SLICE_ARGUMENTS(reason(overlaps, record, other)));
	diag_related(overlaps->diagnostics, range_of(overlaps, other)->position, "%.*s", SLICE_ARGUMENTS(other_text));
	name_resource(overlaps, range_of(overlaps, record));
	hint_free(overlaps, record, other);
	overlaps->reported++;
}

void report_outside(struct overlaps *overlaps, const struct record *child)
{
	const struct range *range = range_of(overlaps, child), *of_parent = NULL;
	const struct node *parent = &overlaps->collection->nodes[range->parent];

	for (uint32_t i = 0; i < parent->range_count && !of_parent; i++) {
		of_parent = &overlaps->collection->ranges[parent->first_range + i];
		if (of_parent->cidr.family != range->cidr.family)
			of_parent = NULL;
	}
	diag_error(overlaps->diagnostics, FAULT_USER, range->position, "%.*s lies outside the ranges of '%.*s'",
		   SLICE_ARGUMENTS(range_text(overlaps, child)), SLICE_ARGUMENTS(node_name(overlaps, range->parent)));
	if (of_parent)
		diag_related(overlaps->diagnostics, of_parent->position, "%.*s of '%.*s'",
			     SLICE_ARGUMENTS(cidr_text(overlaps->arena, &of_parent->cidr)),
			     SLICE_ARGUMENTS(node_name(overlaps, range->parent)));
	name_resource(overlaps, range);
	hint_free(overlaps, child, NULL);
	overlaps->reported++;
}
