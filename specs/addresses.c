#include "base/cidr.h"
#include "reconcile/ranges.h"
#include "reconcile/scope.h"
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

static void check(const struct look *look, const struct scope *scope, const struct field *field,
		  const struct value *value)
{
	const struct resource *parent = parent_in(look, scope, slice_of(field->range_parent));
	struct cidr address, range;

	if (!value_is(value, VALUE_STRING) ||
	    !(field->type == FIELD_ADDRESS ? cidr_read_address(value_slice(value), &address)
					   : cidr_read(value_slice(value), &address)))
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

static void check_taken(const struct look *look, const struct scope *scope, const struct field *field, const char *name,
			const struct value *value)
{
	struct slice range = slice_of(field->taken_of);
	struct slice reference = slice_cut(&range, '.');
	const struct resource *parent = parent_in(look, scope, reference);

	if (parent && asks_for_any(value))
		(void)places_lack(look->loading, &(struct places_need){look->resource, name, value, parent, range});
}

/* Name: what messages call it; the items of lists have no names that anybody writes. */
static void check_value(const struct look *look, const struct scope *scope, const struct field *field, const char *name,
			const struct value *value)
{
	if (field_lies_within(field))
		check(look, scope, field, value);
	if (field->taken_of)
		check_taken(look, scope, field, name, value);
	for (uint32_t i = 0; field->item && value_is(value, VALUE_LIST) && i < value->count; i++)
		check_value(look, scope, field->item, name, &value->items[i]);
	if (field->type != FIELD_OBJECT || !value_is(value, VALUE_MAP))
		return;
	const struct scope within = {value, scope};
	for (size_t i = 0; i < field->members.count; i++) {
		const struct field *member = field_at(&field->members, i);
		const struct value *held = value_get_named(value, member->name);

		if (held)
			check_value(look, &within, member, member->name, held);
	}
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
		const struct resource *resource = &loading->resources[i];
		const struct look look = {loading, resource};
		const struct scope scope = {&resource->desired, NULL};

		kind_fields_turn(&fixed, resource->kind);
		for (size_t k = 0; k < fixed.count; k++) {
			const struct value *value = value_get_named(&resource->desired, fixed.fields[k]->name);

			if (value)
				check_value(&look, &scope, fixed.fields[k], fixed.fields[k]->name, value);
		}
	}
}
