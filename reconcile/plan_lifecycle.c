#include "reconcile/plan_items.h"

/*
 * What the spec says of how an object is kept, beside what it is. No call sets it, and yet a destroy and each later
 * plan go by what is recorded of it: so whoever approves a plan is shown what becomes of that.
 */

static void add(struct difference *ret, const char *path, struct value before, struct value after)
{
	ret->changes[ret->count++] = (struct change){
		.path = slice_of(path),
		.cause = CAUSE_INTENT,
		.effect = EFFECT_LIFECYCLE,
		.before = before,
		.after = after,
	};
	ret->records = true;
}

struct value plan_left_to_others(const struct planning *planning, const struct resource *resource)
{
	return planning->input->scope.undoes.size > 0
		       ? resource->left_to_others
		       : ignored_write(resource->ignored, resource->ignored_count, planning->arena);
}

bool plan_leaves_alone(const struct planning *planning, const struct action *action, const struct object *object,
		       const struct field *field)
{
	if (action && action->in_spec && planning->input->scope.undoes.size == 0)
		return slice_is_among(field->name, action->ignored, action->ignored_count);
	return ignored_has(&object->ignored, slice_of(field->name));
}

struct difference *plan_item_lifecycle(struct planning *planning, const struct item *item)
{
	enum { CHANGES_MOST = 3 };
	struct arena *arena = planning->arena;
	const struct object *object = item->object;
	const struct resource *resource = item->resource;

	if (!object)
		return NULL;
	struct value left = plan_left_to_others(planning, resource);
	struct value waited = dependencies_explicit(object->dependencies, object->dependency_count, arena);
	struct value waits = dependencies_explicit(resource->dependencies, resource->dependency_count, arena);
	bool guards = object->protect != resource->protect, leaves = !ignored_equal(&object->ignored, &left);
	bool follows = !value_equal(&waited, &waits);
	if (!guards && !leaves && !follows)
		return NULL;
	struct difference *ret = arena_new(arena, struct difference);
	*ret = (struct difference){.changes = arena_new_array(arena, CHANGES_MOST, struct change)};
	if (guards)
		add(ret, "lifecycle.protect", value_bool(object->protect), value_bool(resource->protect));
	if (leaves)
		add(ret, "lifecycle.ignore", ignored_in_order(&object->ignored, arena), ignored_in_order(&left, arena));
	if (follows)
		add(ret, "depends_on", waited, waits);
	return ret;
}
