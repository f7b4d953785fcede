#include "specs/kind_fields.h"
#include "specs/places.h"

/*
 * What can only be used within the thing that it lies in itself: a route table takes subnets and gateways of its own
 * VPC. The service refuses others, halfway: each of them was made by then.
 */

/* Where one resource is found to lie, and by what. */
struct inside {
	struct loading *loading;
	const struct resource *resource;
	const struct resource *whole;	/* what all has to lie in; NULL: not known yet */
	const struct resource *witness; /* what is known to lie in it: the resource itself, or what it refers to */
};

static bool is_beside(const struct field *field)
{
	return field->beside != NULL;
}

static bool has_beside(const struct field *field)
{
	return field_any(field, is_beside);
}

static void report(const struct inside *inside, const char *name, const struct value *value,
		   const struct resource *target, const struct resource *whole)
{
	struct diagnostics *diagnostics = inside->loading->diagnostics;

	diag_error(diagnostics, FAULT_USER, value->position,
		   "'%s' refers to '%.*s', which lies in '%.*s', but '%.*s' lies in '%.*s'", name,
		   SLICE_ARGUMENTS(target->address), SLICE_ARGUMENTS(whole->address),
		   SLICE_ARGUMENTS(inside->witness->address), SLICE_ARGUMENTS(inside->whole->address));
	diag_address(diagnostics, inside->resource->address);
	diag_related(diagnostics, target->position, "it is declared here");
	diag_hint(diagnostics, "they can be used together only where both lie in the same one");
}

static void look_at(struct inside *inside, const struct field *field, const char *name, const struct value *value)
{
	const struct resource *target = places_target_of(inside->loading, value);
	const struct resource *whole = target ? places_target(inside->loading, &target->desired, field->beside) : NULL;

	const struct resource *const loose[] = {target, inside->resource};
	for (size_t i = 0; target && i < sizeof(loose) / sizeof(loose[0]); i++) {
		const struct places_need need = {inside->resource, name, value, loose[i], slice_of(field->beside)};

		if (places_lack(inside->loading, &need))
			break;
	}
	if (!whole)
		return;
	if (!inside->whole) {
		inside->whole = places_target(inside->loading, &inside->resource->desired, field->beside);
		inside->witness = inside->resource;
	}
	if (!inside->whole) {
		inside->whole = whole;
		inside->witness = target;
	}
	if (whole != inside->whole)
		report(inside, name, value, target, whole);
}

/* Name: what messages call it; the items of lists have no names that anybody writes. */
static void check(struct inside *inside, const struct field *field, const char *name, const struct value *value)
{
	if (!value)
		return;
	if (field->beside)
		look_at(inside, field, name, value);
	for (size_t i = 0; value_is(value, VALUE_MAP) && i < field->members.count; i++) {
		const struct field *member = field_at(&field->members, i);

		check(inside, member, member->name, value_get_named(value, member->name));
	}
	for (uint32_t i = 0; field->item && value_is(value, VALUE_LIST) && i < value->count; i++)
		check(inside, field->item, name, &value->items[i]);
}

void beside_check(struct loading *loading)
{
	struct kind_fields beside = {.wanted = has_beside};

	for (size_t i = 0; i < loading->resource_count; i++) {
		const struct resource *resource = &loading->resources[i];
		struct inside inside = {.loading = loading, .resource = resource};

		kind_fields_turn(&beside, resource->kind);
		for (size_t k = 0; k < beside.count; k++)
			check(&inside, beside.fields[k], beside.fields[k]->name,
			      value_get_named(&resource->desired, beside.fields[k]->name));
	}
}
