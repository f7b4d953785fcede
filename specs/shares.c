#include <stdlib.h>

#include "reconcile/ranges.h"
#include "specs/kind_fields.h"
#include "specs/places.h"

/*
 * What is set apart for a thing within a network, a range, has in it no address of another thing's, nor a part of
 * another one's range. That two have the same, claims.c tells.
 */

/* An address, or a range, that a resource is to have for itself. */
struct share {
	const struct resource *resource;
	const struct field *field;
	const struct value *value;
	struct slice network; /* by its reference's expression, or its id */
	struct cidr cidr;
	size_t number; /* in the order of the spec */
};

struct shares {
	struct loading *loading;
	const struct resource *resource; /* that is looked at */
	struct share *items;
	size_t count, capacity;
};

static void note(void *context, const struct visited *visited)
{
	struct shares *shares = context;
	const struct field *field = visited->field;
	const struct value *value = visited->value;
	const struct value *within =
		field_is_share(field) ? scope_nearest(visited->scope, slice_of(field->range_parent)) : NULL;
	struct cidr cidr;

	if (!within || value_has_secret(value) || !range_read(field, value, &cidr))
		return;
	struct slice network = value_is(within, VALUE_DEFERRED) ? within->deferred->text : value_slice(within);
	shares->items = arena_room(shares->loading->arena, shares->items, shares->count, &shares->capacity,
				   sizeof(*shares->items));
	shares->items[shares->count] =
		(struct share){shares->resource, field, value, network, cidr_network(cidr), shares->count};
	shares->count++;
}

/* What holds another one comes before it; of equals, the one that comes first in the spec. */
static int compare(const void *a, const void *b)
{
	const struct share *first = a, *second = b;
	int order = slice_compare(first->network, second->network);

	if (order == 0)
		order = (first->cidr.family > second->cidr.family) - (first->cidr.family < second->cidr.family);
	if (order == 0)
		order = memcmp(first->cidr.bytes, second->cidr.bytes, sizeof(first->cidr.bytes));
	if (order == 0)
		order = (first->cidr.bits > second->cidr.bits) - (first->cidr.bits < second->cidr.bits);
	return order != 0 ? order : (first->number > second->number) - (first->number < second->number);
}

static void report(const struct shares *shares, const struct share *part, const struct share *whole)
{
	struct diagnostics *diagnostics = shares->loading->diagnostics;

	diag_error(diagnostics, FAULT_USER, part->value->position,
		   "'%.*s' cannot have %.*s as its '%s': it lies in %.*s, which '%.*s' has in its '%s'",
		   SLICE_ARGUMENTS(part->resource->address), SLICE_ARGUMENTS(value_shown(part->value, SIZE_MAX)),
		   part->field->name, SLICE_ARGUMENTS(value_shown(whole->value, SIZE_MAX)),
		   SLICE_ARGUMENTS(whole->resource->address), whole->field->name);
	diag_address(diagnostics, part->resource->address);
	diag_related(diagnostics, whole->value->position, "that is given here");
	diag_hint(diagnostics, "give one of them another one: of what is set apart for a thing no other has any part");
}

/* Ranges lie apart, or one in the other: those around the one at hand are at hand, too, the nearest last. */
static void compare_all(const struct shares *shares)
{
	const struct share **around = arena_new_array(shares->loading->arena, shares->count + 1, const struct share *);
	size_t depth = 0;

	for (size_t i = 0; i < shares->count; i++) {
		const struct share *next = &shares->items[i];

		while (depth > 0 && !(slice_equal(around[depth - 1]->network, next->network) &&
				      cidr_contains(&around[depth - 1]->cidr, &next->cidr)))
			depth--;
		if (depth > 0 && around[depth - 1]->resource != next->resource &&
		    around[depth - 1]->cidr.bits != next->cidr.bits)
			report(shares, next, around[depth - 1]);
		around[depth++] = next;
	}
}

static bool has_share(const struct field *field)
{
	return field_any(field, field_is_share);
}

void shares_check(struct loading *loading)
{
	struct kind_fields fields = {.wanted = has_share};
	struct shares shares = {.loading = loading};

	for (size_t i = 0; i < loading->resource_count; i++) {
		shares.resource = &loading->resources[i];
		kind_fields_visit(&fields, shares.resource, note, &shares);
	}
	if (shares.count > 1)
		qsort(shares.items, shares.count, sizeof(*shares.items), compare);
	compare_all(&shares);
}
