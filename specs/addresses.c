#include "reconcile/ranges.h"
#include "specs/kind_fields.h"
#include "specs/places.h"

/*
 * Addresses that a spec fixes, and ranges set apart for a thing, lie where there is room for them, and those that it
 * only counts are taken of a range that is there: known before anything is made.
 */

/* One resource that is looked at. */
struct look {
	struct loading *loading;
	const struct resource *resource;
};

static void refuse(const struct look *look, const struct value *address, const struct resource *parent,
		   const struct value *range, bool is_inside)
{
	struct diagnostics *diagnostics = look->loading->diagnostics;

	diag_error(diagnostics, FAULT_USER, address->position,
		   is_inside ? "%.*s is one of the addresses in %.*s of '%.*s' that the service keeps for itself"
			     : "%.*s lies outside of %.*s of '%.*s'",
		   SLICE_ARGUMENTS(value_shown(address, SIZE_MAX)), SLICE_ARGUMENTS(value_shown(range, SIZE_MAX)),
		   SLICE_ARGUMENTS(parent->address));
	diag_address(diagnostics, look->resource->address);
	diag_related(diagnostics, range->position, "the range is given here");
	diag_hint(diagnostics,
		  is_inside ? "take another one: the first four and the last are kept" : "take one within the range");
}

/* What the nearest field of that name refers to. */
static const struct resource *parent_in(const struct look *look, const struct scope *scope, struct slice name)
{
	const struct value *nearest = scope_nearest(scope, name);

	return nearest ? places_target_of(look->loading, nearest) : NULL;
}

static void check(const struct look *look, const struct visited *visited)
{
	const struct field *field = visited->field;
	const struct value *value = visited->value;
	const struct resource *parent = parent_in(look, visited->scope, slice_of(field->range_parent));
	struct cidr address, range;

	if (!range_read(field, value, &address))
		return;
	for (size_t i = 0; parent && i < parent->kind->fields.count; i++) {
		const struct field *own = field_at(&parent->kind->fields, i);
		const struct value *given = value_get_named(&parent->desired, own->name);

		if (own->range == RANGE_NONE || !given || !value_is(given, VALUE_STRING) ||
		    !cidr_read(value_slice(given), &range) || range.family != address.family)
			continue;
		bool is_inside = cidr_contains(&range, &address);

		if (!is_inside ||
		    ((own->flags & KEEPS_ENDS) && field->type == FIELD_ADDRESS && range_keeps(&range, &address)))
			refuse(look, value, parent, given, is_inside);
	}
}

static bool asks_for_any(const struct value *value)
{
	return value_is(value, VALUE_STRING) || (value_is(value, VALUE_INTEGER) && value->integer > 0);
}

static void check_taken(const struct look *look, const struct visited *visited)
{
	struct slice range = slice_of(visited->field->taken_of);
	struct slice reference = slice_cut(&range, '.');
	const struct resource *parent = parent_in(look, visited->scope, reference);

	if (parent && asks_for_any(visited->value))
		(void)places_lack(look->loading,
				  &(struct places_need){look->resource, visited->name, visited->value, parent, range});
}

static void check_value(void *context, const struct visited *visited)
{
	const struct look *look = context;

	if (field_lies_within(visited->field))
		check(look, visited);
	if (visited->field->taken_of)
		check_taken(look, visited);
}

static bool is_concerned(const struct field *field)
{
	return field_lies_within(field) || field->taken_of;
}

/* Whether the field, or what is within it, is such an address, or a number of them. */
static bool has_concerned(const struct field *field)
{
	return field_any(field, is_concerned);
}

void addresses_check(struct loading *loading)
{
	struct kind_fields fixed = {.wanted = has_concerned};

	for (size_t i = 0; i < loading->resource_count; i++) {
		struct look look = {loading, &loading->resources[i]};

		kind_fields_visit(&fixed, look.resource, check_value, &look);
	}
}
