#include "reconcile/taken.h"

#include "reconcile/unique.h"

static const struct identity anywhere = {0};

/* The id that a reference field resolves to, as far as the record knows it. */
static struct slice recorded_target(const struct resource *resource, const char *field, const struct map *recorded)
{
	for (size_t i = 0; i < resource->dependency_count; i++) {
		const struct object *target = map_get(recorded, resource->dependencies[i].address);

		if (target && slice_is(resource->dependencies[i].field, field))
			return target->provider_id;
	}
	return (struct slice){0};
}

/* The name of a resource as unique_text() has it; what it is unique in may be a reference. */
static struct slice wanted_name(const struct refresh *refresh, const struct resource *resource,
				const struct field *field, const struct map *recorded)
{
	const char *scope = unique_scope(field);
	const struct value *name = value_get_named(&resource->desired, field->name);
	const struct value *within = scope ? value_get_named(&resource->desired, scope) : NULL;
	VALUE_BUILDER_AUTO fields;

	value_builder_init(&fields);
	if (name)
		value_builder_member(&fields, slice_of(field->name), *name);
	if (within && value_is(within, VALUE_DEFERRED))
		value_builder_member(&fields, slice_of(scope),
				     value_string(recorded_target(resource, scope, recorded)));
	else if (within)
		value_builder_member(&fields, slice_of(scope), *within);
	const struct value map = value_builder_map(&fields, refresh->arena);

	return unique_text(resource->kind, field, &map, &anywhere, refresh->arena);
}

bool taken_concerns(const struct refresh *refresh, const struct resource *resource, const struct map *recorded)
{
	for (size_t i = 0; i < resource->kind->fields.count; i++) {
		const struct field *field = field_at(&resource->kind->fields, i);

		if ((field->flags & NAMES) && wanted_name(refresh, resource, field, recorded).size > 0)
			return true;
	}
	return false;
}

/* names: to the number of the resource. */
static void take(struct refresh *refresh, const struct kind *kind, const struct live *live, const struct map *names)
{
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);

		if (!(field->flags & NAMES))
			continue;
		struct slice name = unique_text(kind, field, &live->fields, &anywhere, refresh->arena);
		size_t number = name.size > 0 ? map_number(names, name) : SIZE_MAX;

		if (number != SIZE_MAX)
			refresh->unrecorded[number] = live;
	}
}

static bool is_there(const struct live *live)
{
	return live->presence == PRESENCE_PRESENT || live->presence == PRESENCE_LEAVING;
}

static void note_names(struct refresh *refresh, size_t number, const struct map *recorded, struct map *names)
{
	const struct resource *resource = &refresh->stack->resources[number];

	for (size_t i = 0; i < resource->kind->fields.count; i++) {
		const struct field *field = field_at(&resource->kind->fields, i);
		struct slice name =
			field->flags & NAMES ? wanted_name(refresh, resource, field, recorded) : (struct slice){0};

		if (name.size > 0)
			map_set_number(names, name, number);
	}
}

void taken_find(struct refresh *refresh, const size_t *members, size_t count, const struct live *found,
		size_t found_count, const struct map *recorded)
{
	const struct kind *kind = NULL;
	struct slice lineage = refresh->loop->settings.lineage;
	struct map names, ours;

	map_init(&names);
	map_init(&ours);
	for (size_t i = 0; i < count; i++) {
		if (members[i] < refresh->object_count) {
			map_mark(&ours, refresh->objects[members[i]]->provider_id);
			continue;
		}
		kind = refresh->stack->resources[members[i] - refresh->object_count].kind;
		note_names(refresh, members[i] - refresh->object_count, recorded, &names);
	}
	for (size_t i = 0; kind && names.count > 0 && i < found_count; i++)
		if (is_there(&found[i]) && !slice_equal(found[i].ownership.lineage, lineage) &&
		    !map_has(&ours, found[i].provider_id))
			take(refresh, kind, &found[i], &names);
	map_release(&names);
	map_release(&ours);
}
