#include "specs/default_tags.h"

/*
 * default_tags of a provider: on everything that goes through it and can carry tags, as if each resource said so
 * itself. What it does say itself counts.
 */

static const char TAGS[] = "tags";

/* Neighbours mostly have the same provider. */
static const struct value *defaults_of(struct loading *loading, const struct resource *resource)
{
	const struct provider_settings *provider;
	const struct value *tags;

	if (loading->tags_of.data && slice_equal(loading->tags_of, resource->provider))
		return loading->default_tags;
	provider = map_get(&loading->providers, resource->provider);
	tags = provider ? value_get_named(&provider->settings, "default_tags") : NULL;
	loading->tags_of = resource->provider;
	loading->default_tags = tags && value_is(tags, VALUE_MAP) && tags->count > 0 ? tags : NULL;
	return loading->default_tags;
}

static struct value joined_map(struct loading *loading, const struct value *own, const struct value *defaults)
{
	uint32_t own_count = own ? own->count : 0, count = own_count;
	struct value_member *members =
		arena_new_array(loading->arena, own_count + defaults->count, struct value_member);

	for (uint32_t i = 0; i < own_count; i++)
		members[i] = own->members[i];
	for (uint32_t i = 0; i < defaults->count; i++)
		if (!own || !value_get(own, value_slice(&defaults->members[i].key)))
			members[count++] = defaults->members[i];
	return value_at(value_map(members, count), own ? own->position : defaults->position);
}

static bool has_item(const struct value *own, struct slice key)
{
	for (uint32_t i = 0; own && i < own->count; i++)
		if (value_is(&own->items[i], VALUE_MAP) &&
		    slice_equal(value_slice(value_get_named(&own->items[i], "key")), key))
			return true;
	return false;
}

/* A group's tags say of each whether new instances get it: these stay on the group. */
static struct value joined_set(struct loading *loading, const struct value *own, const struct value *defaults)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; own && i < own->count; i++)
		value_builder_item(&builder, own->items[i]);
	for (uint32_t i = 0; i < defaults->count; i++) {
		struct value_member *members = arena_new_array(loading->arena, 3, struct value_member);

		if (has_item(own, value_slice(&defaults->members[i].key)))
			continue;
		members[0] = (struct value_member){value_text("key"), defaults->members[i].key};
		members[1] = (struct value_member){value_text("value"), defaults->members[i].value};
		members[2] = (struct value_member){value_text("propagate"), value_bool(false)};
		value_builder_item(&builder, value_at(value_map(members, 3), defaults->position));
	}
	return value_at(value_builder_list(&builder, loading->arena), own ? own->position : defaults->position);
}

static struct value with_tags(struct loading *loading, const struct value *given, struct value tags)
{
	struct value_member *members = arena_new_array(loading->arena, given->count + 1, struct value_member);
	uint32_t count = 0;

	for (uint32_t i = 0; i < given->count; i++)
		if (!slice_is(value_slice(&given->members[i].key), TAGS))
			members[count++] = given->members[i];
	members[count++] = (struct value_member){value_at(value_text(TAGS), tags.position), tags};
	return value_at(value_map(members, count), given->position);
}

const struct field *default_tags_field(const struct kind *kind)
{
	return field_named(&kind->fields, slice_of(TAGS));
}

struct value default_tags_add(struct loading *loading, const struct resource *resource, const struct field *field,
			      const struct value *given)
{
	const struct value *defaults = defaults_of(loading, resource);
	const struct value *own;

	if (!defaults)
		return *given;
	own = value_get_named(given, TAGS);
	if (own && value_is(own, VALUE_NULL))
		own = NULL;
	if (own && !value_is(own, field->type == FIELD_MAP ? VALUE_MAP : VALUE_LIST)) {
		if (value_is(own, VALUE_DEFERRED))
			diag_error(loading->diagnostics, FAULT_USER, own->position,
				   "'tags' as a whole is known only after apply, and the provider has default_tags");
		return *given;
	}
	if (field->type == FIELD_MAP)
		return with_tags(loading, given, joined_map(loading, own, defaults));
	return field->type == FIELD_SET ? with_tags(loading, given, joined_set(loading, own, defaults)) : *given;
}
