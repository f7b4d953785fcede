#include <string.h>

#include "reconcile/schema.h"
#include "specs/kind_fields.h"
#include "specs/places.h"

/*
 * What can only be used within the thing that it lies in itself: a route table takes subnets and gateways of its own
 * VPC, an instance has its interfaces in one zone. The service refuses others, halfway: each of them was made by then,
 * and what is replaced is gone.
 */

/* Where all that is used together is found to lie, and by what. */
struct together {
	const struct resource *whole;	/* what all has to lie in; NULL: not known yet */
	const struct resource *witness; /* what is known to lie in it: the resource itself, or what it refers to */
};

/* One resource that is looked at. */
struct inside {
	struct loading *loading;
	const struct resource *resource;
	struct together all, its; /* of the resource, and apart from that of an item that lies somewhere by itself */
	const struct value *item; /* of which `its` tells; NULL: of none yet */
	bool looks_on;		  /* nothing is reported of this resource: its turn is another one */
	const struct value *same; /* what all has to have in the field of `alike`; NULL: not known yet */
	const struct resource *has_it;
};

static bool is_beside(const struct field *field)
{
	return field->beside || field->alike || field->through;
}

static bool is_through(const struct field *field)
{
	return field->beside_through;
}

static bool has_beside(const struct field *field)
{
	return field_any(field, is_beside);
}

static void report(const struct inside *inside, const struct together *together, const struct visited *visited,
		   const struct resource *target, const struct resource *whole)
{
	struct diagnostics *diagnostics = inside->loading->diagnostics;

	diag_error(diagnostics, FAULT_USER, visited->value->position,
		   "'%s' refers to '%.*s', which lies in '%.*s', but '%.*s' lies in '%.*s'", visited->name,
		   SLICE_ARGUMENTS(target->address), SLICE_ARGUMENTS(whole->address),
		   SLICE_ARGUMENTS(together->witness->address), SLICE_ARGUMENTS(together->whole->address));
	diag_address(diagnostics, inside->resource->address);
	diag_related(diagnostics, target->position, "it is declared here");
	diag_hint(diagnostics, "they can be used together only where both lie in the same one");
}

static void look_at(const struct inside *inside, struct together *together, const struct visited *visited)
{
	const char *beside = visited->field->beside;
	const struct resource *target = places_target_of(inside->loading, visited->value);
	const struct resource *whole = target ? places_target(inside->loading, &target->desired, beside) : NULL;

	const struct resource *const loose[] = {target, inside->resource};
	for (size_t i = 0; target && !inside->looks_on && i < sizeof(loose) / sizeof(loose[0]); i++) {
		const struct places_need need = {inside->resource, visited->name, visited->value, loose[i],
						 slice_of(beside)};

		if (places_lack(inside->loading, &need))
			break;
	}
	if (!whole)
		return;
	if (!together->whole)
		*together = (struct together){places_target(inside->loading, &inside->resource->desired, beside),
					      inside->resource};
	if (!together->whole)
		*together = (struct together){whole, target};
	if (whole != together->whole && !inside->looks_on)
		report(inside, together, visited, target, whole);
}

static bool is_left(const struct resource *resource, const char *name)
{
	return slice_is_among(name, resource->ignored, resource->ignored_count);
}

/* What is worked out, or not set, is not known here, and what is left to others may be otherwise by now. */
static const struct value *text_of(const struct resource *resource, const char *name)
{
	const struct value *value = value_get_named(&resource->desired, name);

	return value_is(value, VALUE_STRING) && !is_left(resource, name) ? value : NULL;
}

static void compare(struct inside *inside, const struct field *field, const char *name, const struct value *value)
{
	struct diagnostics *diagnostics = inside->loading->diagnostics;
	const struct resource *target = places_target_of(inside->loading, value);
	const struct value *there = target ? text_of(target, field->alike) : NULL;

	if (!inside->same) {
		inside->same = text_of(inside->resource, field->alike);
		inside->has_it = inside->resource;
	}
	if (!inside->same) {
		inside->same = there;
		inside->has_it = target;
	}
	if (!there || value_equal(there, inside->same))
		return;
	diag_error(diagnostics, FAULT_USER, value->position,
		   "'%s' refers to '%.*s', with '%s: %.*s', but '%.*s' has '%s: %.*s'", name,
		   SLICE_ARGUMENTS(target->address), field->alike, SLICE_ARGUMENTS(value_slice(there)),
		   SLICE_ARGUMENTS(inside->has_it->address), field->alike, SLICE_ARGUMENTS(value_slice(inside->same)));
	diag_address(diagnostics, inside->resource->address);
	diag_related(diagnostics, there->position, "it is said here");
	diag_hint(diagnostics, "they can be used together only where '%s' is the same", field->alike);
}

static void compare_through(const struct inside *inside, const struct together *together, const char *name,
			    const struct value *value, const struct resource *target);

/* What it is an output of lies where that itself refers to. */
static void look_at_output(const struct inside *inside, struct together *together, const struct visited *visited)
{
	const struct resource *target = places_target_of(inside->loading, visited->value);

	if (!target)
		return;
	if (!together->whole)
		*together = (struct together){
			places_target(inside->loading, &inside->resource->desired, visited->field->through),
			inside->resource};
	if (together->whole)
		compare_through(inside, together, visited->name, visited->value, target);
}

/* What lies somewhere by itself is compared with nothing outside of it, but in what is to be alike. */
static struct together *turn_to(struct inside *inside, const struct visited *visited)
{
	if (!visited->item || !schema_item_is_apart(visited->list, visited->item, inside->loading->arena))
		return &inside->all;
	if (inside->item != visited->item) {
		inside->item = visited->item;
		inside->its = (struct together){0};
	}
	return &inside->its;
}

static void check(void *context, const struct visited *visited)
{
	struct inside *inside = context;
	const struct field *field = visited->field;

	if (field->beside)
		look_at(inside, turn_to(inside, visited), visited);
	if ((!field->alike && !field->through) || inside->looks_on || is_left(inside->resource, visited->top->name))
		return;
	if (field->alike)
		compare(inside, field, visited->name, visited->value);
	if (field->through)
		look_at_output(inside, turn_to(inside, visited), visited);
}

/* Whether it is said which of the forms that the target had counts, and not the one that the spec has of it. */
static bool is_as_once(const struct inside *inside, const struct field *field, const struct resource *target)
{
	const struct resource *resource = inside->resource;

	for (size_t i = 0; i < resource->kind->fields.count; i++) {
		const struct field *other = field_at(&resource->kind->fields, i);
		const struct value *said = value_get_named(&resource->desired, other->name);

		if (other->follows && strcmp(other->follows, field->name) == 0 && said &&
		    places_target_of(inside->loading, said) != target)
			return true;
	}
	return false;
}

/* What the target refers to is used together with the rest of what this one refers to. */
static void compare_through(const struct inside *inside, const struct together *together, const char *name,
			    const struct value *value, const struct resource *target)
{
	struct diagnostics *diagnostics = inside->loading->diagnostics;
	struct inside theirs = {.loading = inside->loading, .resource = target, .looks_on = true};

	for (size_t i = 0; i < target->kind->fields.count; i++) {
		const struct field *other = field_at(&target->kind->fields, i);

		if (has_beside(other) && !is_left(target, other->name))
			visit_field(other, &target->desired, check, &theirs);
	}
	if (!theirs.all.whole || theirs.all.whole == together->whole)
		return;
	diag_error(diagnostics, FAULT_USER, value->position,
		   "'%s' refers to '%.*s' and so to '%.*s', which lies in '%.*s', but '%.*s' lies in '%.*s'", name,
		   SLICE_ARGUMENTS(target->address), SLICE_ARGUMENTS(theirs.all.witness->address),
		   SLICE_ARGUMENTS(theirs.all.whole->address), SLICE_ARGUMENTS(together->witness->address),
		   SLICE_ARGUMENTS(together->whole->address));
	diag_address(diagnostics, inside->resource->address);
	diag_related(diagnostics, theirs.all.witness->position, "it is declared here");
	diag_hint(diagnostics, "they can be used together only where both lie in the same one");
}

static void look_through(struct inside *inside, const struct field *field)
{
	const struct value *value = value_get_named(&inside->resource->desired, field->name);
	const struct resource *target = value ? places_target_of(inside->loading, value) : NULL;

	/* Where others look after a part of it, what is there may fit together all the same. */
	if (target && inside->all.whole && inside->resource->ignored_count == 0 && !is_as_once(inside, field, target))
		compare_through(inside, &inside->all, field->name, value, target);
}

void beside_check(struct loading *loading)
{
	struct kind_fields beside = {.wanted = has_beside}, through = {.wanted = is_through};

	for (size_t i = 0; i < loading->resource_count; i++) {
		const struct resource *resource = &loading->resources[i];
		struct inside inside = {.loading = loading, .resource = resource};

		kind_fields_visit(&beside, resource, check, &inside);
		kind_fields_turn(&through, resource->kind);
		for (size_t k = 0; k < through.count; k++)
			look_through(&inside, through.fields[k]);
	}
}
