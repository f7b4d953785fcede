#include "base/cidr.h"
#include "specs/expression.h"
#include "specs/places.h"

/* What a network routes by itself is there before anybody asks for it, and stays as it is. */

static bool is_apart(const struct field *field)
{
	return field->apart_from != NULL;
}

const struct resource *places_target_of(const struct loading *loading, const struct value *value)
{
	const struct expression_reference *references;
	size_t count;

	if (!value || !value_is(value, VALUE_DEFERRED) || !value->deferred->program)
		return NULL;
	expression_references((const struct expression *)value->deferred->program, &references, &count);
	return count == 1 ? (const struct resource *)map_get(loading->addresses, references[0].address) : NULL;
}

const struct resource *places_target(const struct loading *loading, const struct value *map, const char *name)
{
	return places_target_of(loading, value_get_named(map, name));
}

/* The range within the value that is, or holds, the other; NULL: there is none. */
static const struct value *find_around(const struct value *value, const struct cidr *range)
{
	const struct value *found = NULL;
	struct cidr own;

	if (value->type == VALUE_STRING)
		return cidr_read(value_slice(value), &own) && cidr_contains(&own, range) ? value : NULL;
	for (uint32_t i = 0; !found && value->type == VALUE_LIST && i < value->count; i++)
		found = find_around(&value->items[i], range);
	for (uint32_t i = 0; !found && value->type == VALUE_MAP && i < value->count; i++)
		found = find_around(&value->members[i].value, range);
	return found;
}

static void report(struct loading *loading, const struct resource *resource, const struct resource *target,
		   const struct value *range, const struct value *around)
{
	bool same = slice_equal(value_slice(around), value_slice(range));

	diag_error(loading->diagnostics, FAULT_USER, range->position,
		   same ? "%.*s is the range of '%.*s' itself, for which there is a route already"
			: "%.*s lies within '%.*s' itself, where such a target takes nothing over",
		   SLICE_ARGUMENTS(value_slice(range)), SLICE_ARGUMENTS(target->address));
	diag_address(loading->diagnostics, resource->address);
	diag_related(loading->diagnostics, around->position, "the range is given here");
	diag_hint(loading->diagnostics, "take the route out: within its range a network routes by itself");
}

static bool may_lie_within(const struct field *field, const struct value *map)
{
	for (const char *const *name = field->within_by; name && *name; name++) {
		if (value_if_set(value_get_named(map, *name)))
			return true;
	}
	return false;
}

static void check_range(struct loading *loading, const struct resource *resource, const struct field *field,
			const struct value *map, const struct value *given)
{
	const struct resource *target = places_target(loading, &resource->desired, field->apart_from);
	struct cidr range;

	if (!cidr_read(value_slice(given), &range))
		return;
	for (size_t i = 0; target && i < target->kind->fields.count; i++) {
		const struct field *own = field_at(&target->kind->fields, i);
		const struct value *value = value_get_named(&target->desired, own->name);
		const struct value *around = own->range == RANGE_DOMAIN && value ? find_around(value, &range) : NULL;

		if (!around || (may_lie_within(field, map) && !slice_equal(value_slice(around), value_slice(given))))
			continue;
		report(loading, resource, target, given, around);
		return;
	}
}

static void check(struct loading *loading, const struct resource *resource, const struct fields *fields,
		  const struct value *map)
{
	for (size_t i = 0; value_is(map, VALUE_MAP) && i < fields->count; i++) {
		const struct field *field = field_at(fields, i);
		const struct value *value = value_get_named(map, field->name);

		if (!value)
			continue;
		if (field->apart_from && value_is(value, VALUE_STRING))
			check_range(loading, resource, field, map, value);
		for (uint32_t k = 0; field->item && value_is(value, VALUE_LIST) && k < value->count; k++)
			check(loading, resource, &field->item->members, &value->items[k]);
	}
}

void routes_check(struct loading *loading)
{
	const struct kind *kind = NULL;
	bool concerned = false;

	for (size_t i = 0; i < loading->resource_count; i++) {
		const struct resource *resource = &loading->resources[i];

		/* Those of one kind mostly stand together. */
		if (resource->kind != kind) {
			kind = resource->kind;
			concerned = fields_any(&kind->fields, is_apart);
		}
		if (concerned)
			check(loading, resource, &kind->fields, &resource->desired);
	}
}
