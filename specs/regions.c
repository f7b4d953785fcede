#include "specs/kind_fields.h"
#include "specs/places.h"

static bool is_regional(const struct field *field)
{
	return (field->flags & REGIONAL) != 0;
}

static bool has_regional(const struct field *field)
{
	return field_any(field, is_regional);
}

/* A zone of another region is refused by the service, halfway. */
static void check_zone(struct loading *loading, const struct map *places, const struct resource *resource,
		       const struct field *field, const struct value *value)
{
	const struct place *place = (const struct place *)map_get(places, resource->provider);
	struct slice region = place && place->known ? place->identity.region : (struct slice){NULL, 0};

	bool is_region = region.size > 0 && slice_equal(value_slice(value), region);
	if (slice_starts_with(value_slice(value), region) && !is_region)
		return;
	diag_error(loading->diagnostics, FAULT_USER, value->position,
		   is_region ? "'%s' is %.*s, the whole region that provider '%.*s' reaches"
			     : "'%s' is not in region %.*s, which provider '%.*s' reaches",
		   field->name, SLICE_ARGUMENTS(region), SLICE_ARGUMENTS(resource->provider));
	diag_address(loading->diagnostics, resource->address);
	diag_hint(loading->diagnostics,
		  is_region ? "write the name of a zone of it, such as %.*sa"
			    : "write one that begins with %.*s, such as %.*sa, or correct 'provider' or its 'region'",
		  SLICE_ARGUMENTS(region), SLICE_ARGUMENTS(region));
}

static void check(struct loading *loading, const struct map *places, const struct resource *resource,
		  const struct field *field, const struct value *map)
{
	const struct value *value = value_get_named(map, field->name);

	if (!value || value->secret)
		return;
	for (size_t i = 0; field->type == FIELD_OBJECT && i < field->members.count; i++)
		check(loading, places, resource, field_at(&field->members, i), value);
	if (is_regional(field) && value_is(value, VALUE_STRING))
		check_zone(loading, places, resource, field, value);
}

void regions_check(struct loading *loading, const struct map *places)
{
	struct kind_fields regional = {.wanted = has_regional};

	for (size_t i = 0; i < loading->resource_count; i++) {
		const struct resource *resource = &loading->resources[i];

		kind_fields_turn(&regional, resource->kind);
		for (size_t k = 0; k < regional.count; k++)
			check(loading, places, resource, regional.fields[k], &resource->desired);
	}
}
