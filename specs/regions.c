#include "specs/places.h"

/* A zone of another region is refused by the service, halfway. */
static void check(struct loading *loading, const struct resource *resource, struct slice region,
		  const struct fields *fields, const struct value *map)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = field_at(fields, i);
		const struct value *value = value_get_named(map, field->name);

		if (!value || value->secret)
			continue;
		if (field->type == FIELD_OBJECT && value_is(value, VALUE_MAP))
			check(loading, resource, region, &field->members, value);
		if (!(field->flags & REGIONAL) || !value_is(value, VALUE_STRING) ||
		    slice_starts_with(value_slice(value), region))
			continue;
		diag_error(loading->diagnostics, FAULT_USER, value->position,
			   "'%s' is not in region %.*s, which provider '%.*s' reaches", field->name,
			   SLICE_ARGUMENTS(region), SLICE_ARGUMENTS(resource->provider));
		diag_address(loading->diagnostics, resource->address);
		diag_hint(loading->diagnostics, "write one that begins with %.*s, such as %.*sa, or set 'provider'",
			  SLICE_ARGUMENTS(region), SLICE_ARGUMENTS(region));
	}
}

void regions_check(struct loading *loading, const struct map *places)
{
	for (size_t i = 0; i < loading->resource_count; i++) {
		const struct resource *resource = &loading->resources[i];
		const struct place *place = (const struct place *)map_get(places, resource->provider);

		if (place && place->known && place->identity.region.size > 0)
			check(loading, resource, place->identity.region, &resource->kind->fields, &resource->desired);
	}
}
