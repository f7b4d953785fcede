#include "base/buffer.h"
#include "reconcile/scope.h"
#include "reconcile/unique.h"
#include "specs/kind_fields.h"
#include "specs/places.h"

/*
 * What can be had but once: a unique name, a target that takes one of a kind, and what either of two resources may say
 * but not both. That two resources claim it is known before anything is asked.
 */

enum { KEY_LARGEST_BYTES = 16 * 1024 };

struct claim {
	const struct resource *resource;
	const struct field *field;
	const struct value *value;
	const struct scope *around; /* while it is made */
};

struct claims {
	struct loading *loading;
	const struct map *places;
	struct map taken; /* from what is claimed to the first struct claim */
};

/* A reference's expression stands for what it will be; empty where nothing can be said. */
static struct slice text_of(const struct value *value)
{
	if (!value)
		return (struct slice){0};
	return value_is(value, VALUE_DEFERRED) ? value->deferred->text : value_slice(value);
}

/* Two providers may lead to one place; what leads to a place that is not known is a place of its own. */
static struct slice place_text(const struct claims *claims, const struct resource *resource)
{
	const struct place *place = (const struct place *)map_get(claims->places, resource->provider);

	if (place && place->known && place->identity.account.size > 0 && place->identity.region.size > 0)
		return identity_text(claims->loading->arena, &place->identity);
	return resource->provider;
}

static struct slice key_of(const struct claims *claims, const struct resource *resource, const char *what,
			   struct slice first, struct slice second)
{
	struct arena *arena = claims->loading->arena;
	BUFFER_AUTO key;

	buffer_init(&key, KEY_LARGEST_BYTES);
	buffer_format(&key, "%s\n%.*s\n%.*s\n%.*s", what, SLICE_ARGUMENTS(place_text(claims, resource)),
		      SLICE_ARGUMENTS(first), SLICE_ARGUMENTS(second));
	return key.full ? (struct slice){NULL, 0} : arena_copy(arena, buffer_slice(&key));
}

/* The claim that was there before, or NULL. */
static const struct claim *take(struct claims *claims, struct slice key, struct claim claim)
{
	const struct claim *earlier = key.size > 0 ? (const struct claim *)map_get(&claims->taken, key) : NULL;
	struct claim *kept;

	if (key.size == 0 || earlier)
		return earlier;
	kept = arena_new(claims->loading->arena, struct claim);
	*kept = claim;
	map_set(&claims->taken, key, kept);
	return NULL;
}

static void relate(struct claims *claims, const struct claim *claim, const struct claim *earlier, const char *hint)
{
	struct diagnostics *diagnostics = claims->loading->diagnostics;

	diag_address(diagnostics, claim->resource->address);
	diag_related(diagnostics, earlier->value->position, "the other one is here");
	diag_hint(diagnostics, "%s", hint);
}

/* What it can be had once in: of what the nearest object around it says; anywhere: where its field names none. */
static struct slice scope_of(const struct claim *claim, struct slice anywhere)
{
	const struct field *field = claim->field, *item = field->item;
	const char *scope = item && !field->unique_in ? item->unique_in : field->unique_in;

	return scope ? text_of(scope_nearest(claim->around, slice_of(scope))) : anywhere;
}

static void claim_name(struct claims *claims, struct claim claim)
{
	const char *scope = claim.field->unique_in;
	struct slice within = scope_of(&claim, SLICE("region"));
	struct slice name = text_of(claim.value);
	const struct claim *earlier;

	if (name.size == 0 || within.size == 0)
		return;
	/* Of an expression the letters tell what it refers to. */
	if (!value_is(claim.value, VALUE_DEFERRED))
		name = unique_letters(claim.field, name, claims->loading->arena);
	earlier = take(claims, key_of(claims, claim.resource, claim.resource->kind->name, within, name), claim);
	if (!earlier)
		return;
	diag_error(claims->loading->diagnostics, FAULT_USER, claim.value->position,
		   "'%.*s' and '%.*s' have the same '%s', which exists once in a %s",
		   SLICE_ARGUMENTS(earlier->resource->address), SLICE_ARGUMENTS(claim.resource->address),
		   claim.field->name, scope ? scope : "region");
	relate(claims, &claim, earlier, "give one of them another name");
}

static void claim_target(struct claims *claims, struct claim claim)
{
	struct slice within = scope_of(&claim, SLICE("target"));
	struct slice target = text_of(claim.value);
	const struct claim *earlier;

	if (target.size == 0 || within.size == 0)
		return;
	earlier = take(claims, key_of(claims, claim.resource, claim.resource->kind->name, within, target), claim);
	if (!earlier)
		return;
	const struct unique_words words = unique_words(claim.field);
	if (earlier->resource == claim.resource)
		diag_error(claims->loading->diagnostics, FAULT_USER, claim.value->position,
			   "'%.*s' has the same %s twice in '%s', which %s", SLICE_ARGUMENTS(claim.resource->address),
			   words.what, claim.field->name, words.why);
	else
		diag_error(claims->loading->diagnostics, FAULT_USER, claim.value->position,
			   "'%.*s' and '%.*s' have the same %s in '%s', which %s",
			   SLICE_ARGUMENTS(earlier->resource->address), SLICE_ARGUMENTS(claim.resource->address),
			   words.what, claim.field->name, words.why);
	relate(claims, &claim, earlier, "leave it to one of them");
}

/* A reference to the resource itself, as others write it. */
static struct slice own_reference(const struct claims *claims, const struct resource *resource)
{
	return arena_format(claims->loading->arena, "${%.*s.%s}", SLICE_ARGUMENTS(resource->address),
			    output_at(&resource->kind->outputs, 0)->name);
}

/* Both ends may say that they belong together. */
static void claim_pair(struct claims *claims, struct claim claim)
{
	struct slice own = own_reference(claims, claim.resource), other = text_of(claim.value);
	bool swap = slice_compare(own, other) > 0;
	const struct claim *earlier;

	if (other.size == 0)
		return;
	earlier = take(claims, key_of(claims, claim.resource, "", swap ? other : own, swap ? own : other), claim);
	if (!earlier || earlier->field == claim.field)
		return;
	diag_error(claims->loading->diagnostics, FAULT_USER, claim.value->position,
		   "'%s' of '%.*s' says the same as '%s' of '%.*s'", claim.field->name,
		   SLICE_ARGUMENTS(claim.resource->address), earlier->field->name,
		   SLICE_ARGUMENTS(earlier->resource->address));
	relate(claims, &claim, earlier,
	       "keep one of them: what was taken out of one alone would be undone by it, and "
	       "missed by the other");
}

static void claim_items(struct claims *claims, struct claim claim)
{
	const struct value *list = claim.value;
	void (*each)(struct claims * claims, struct claim claim) =
		claim.field->flags & MIRRORED ? claim_pair : claim_target;

	for (uint32_t i = 0; value_is(list, VALUE_LIST) && i < list->count; i++) {
		claim.value = &list->items[i];
		each(claims, claim);
	}
}

static bool items_claim(const struct field *field)
{
	return (field->flags & MIRRORED) || (field->item && (field->item->flags & SOLE));
}

static bool is_claim(const struct field *field)
{
	return items_claim(field) || (field->flags & (NAMES | SOLE));
}

static void claim_value(struct claims *claims, const struct claim *claim);

static void claim_members(struct claims *claims, const struct claim *claim)
{
	const struct fields *members = &claim->field->members;
	const struct scope around = {claim->value, claim->around};

	for (size_t i = 0; value_is(claim->value, VALUE_MAP) && i < members->count; i++) {
		const struct field *field = field_at(members, i);
		const struct value *value = value_get_named(claim->value, field->name);

		if (value)
			claim_value(claims, &(struct claim){claim->resource, field, value, &around});
	}
}

static void claim_value(struct claims *claims, const struct claim *claim)
{
	const struct field *item = claim->field->item;

	if (items_claim(claim->field))
		claim_items(claims, *claim);
	else if (claim->field->flags & SOLE)
		claim_target(claims, *claim);
	/* What more than one field tells apart is looked at as a whole. */
	else if ((claim->field->flags & NAMES) && !claim->resource->kind->told_apart_by)
		claim_name(claims, *claim);
	claim_members(claims, claim);
	for (uint32_t i = 0; item && value_is(claim->value, VALUE_LIST) && i < claim->value->count; i++)
		claim_members(claims, &(struct claim){claim->resource, item, &claim->value->items[i], claim->around});
}

static bool has_claim(const struct field *field)
{
	return field_any(field, is_claim);
}

void claims_check(struct loading *loading, const struct map *places)
{
	struct kind_fields claiming = {.wanted = has_claim};
	struct claims claims = {.loading = loading, .places = places};

	map_init(&claims.taken);
	for (size_t i = 0; i < loading->resource_count; i++) {
		const struct resource *resource = &loading->resources[i];
		const struct scope around = {&resource->desired, NULL};

		kind_fields_turn(&claiming, resource->kind);
		for (size_t k = 0; k < claiming.count; k++) {
			const struct field *field = claiming.fields[k];
			const struct value *value = value_get_named(&resource->desired, field->name);

			if (value)
				claim_value(&claims, &(struct claim){resource, field, value, &around});
		}
	}
	map_release(&claims.taken);
}
