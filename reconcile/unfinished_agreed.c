#include "reconcile/unfinished_agreed.h"

/* NULL also for a list of nothing, as which a spec may say what it does not want. */
static const struct value *wanted_of(const struct value *fields, struct slice field)
{
	const struct value *value = value_get_given(fields, field);

	return value_is(value, VALUE_LIST) && value->count == 0 ? NULL : value;
}

static bool is_agreed(const struct object *object, const struct resource *resource, struct slice field)
{
	const struct value *left = wanted_of(&object->applied, field);
	const struct value *wanted = wanted_of(&resource->desired, field);

	return wanted && left ? value_equal(wanted, left) : wanted == left;
}

static void refer_as(struct object *object, const struct resource *resource, struct slice field, struct arena *arena)
{
	struct dependency *kept = arena_new_array(arena, object->dependency_count + 1, struct dependency);
	size_t count = 0;

	for (size_t i = 0; i < object->dependency_count; i++)
		if (!slice_equal(object->dependencies[i].field, field) ||
		    dependencies_have(resource->dependencies, resource->dependency_count, &object->dependencies[i]))
			kept[count++] = object->dependencies[i];
	object->dependencies = kept;
	object->dependency_count = count;
}

/* Of a place; of a set it is what stands there beside what the spec says. */
static void disown(struct object *object, struct slice field, struct arena *arena)
{
	VALUE_BUILDER_AUTO kept;

	value_builder_init(&kept);
	for (uint32_t i = 0; value_is(&object->own, VALUE_MAP) && i < object->own.count; i++)
		if (!slice_equal(value_slice(&object->own.members[i].key), field) ||
		    !value_is(&object->own.members[i].value, VALUE_STRING))
			value_builder_member(&kept, value_slice(&object->own.members[i].key),
					     object->own.members[i].value);
	object->own = kept.count > 0 ? value_builder_map(&kept, arena) : value_null();
}

bool unfinished_agree(struct object *object, const struct resource *resource, struct arena *arena)
{
	const struct value let_go = object->let_go;

	if (!resource || !value_is(&let_go, VALUE_MAP))
		return false;
	VALUE_BUILDER_AUTO kept;
	value_builder_init(&kept);
	for (uint32_t i = 0; i < let_go.count; i++) {
		struct slice field = value_slice(&let_go.members[i].key);

		if (!is_agreed(object, resource, field)) {
			value_builder_member(&kept, field, let_go.members[i].value);
			continue;
		}
		refer_as(object, resource, field, arena);
		disown(object, field, arena);
	}
	object->let_go = value_builder_map(&kept, arena);
	return object->let_go.count < let_go.count;
}
