#include "reconcile/own_items.h"
#include "reconcile/plan_items.h"
#include "reconcile/unique.h"

/*
 * What somebody else has put into a set that HOLDS an object is not ours to take off, so the object cannot be deleted:
 * that is refused before anything is done. It goes all the same with what it names, and to another object that is to
 * have it.
 */

/* Adds what the sets of which each item exists but once are to have after the action. */
static void note_taken(struct map *moving, const struct action *action)
{
	for (size_t i = 0; action->kind && i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i);
		bool ignored = slice_is_among(field->name, action->ignored, action->ignored_count);
		const struct value *items =
			unique_items(field) && !ignored ? value_get_named(&action->known, field->name) : NULL;

		for (uint32_t k = 0; value_is(items, VALUE_LIST) && k < items->count; k++)
			if (value_is(&items->items[k], VALUE_STRING))
				map_set(moving, value_slice(&items->items[k]), moving);
	}
}

static bool goes(void *context, const struct field *set, const struct value *item)
{
	const struct map *moving = context;

	(void)set;
	return value_is(item, VALUE_STRING) && map_get(moving, value_slice(item));
}

static void look_at(struct planning *planning, const struct action *action, struct map *moving)
{
	const size_t *number = plan_object_at(planning, action->address);
	struct object *object = number ? planning->input->objects[*number] : NULL;

	if (!object || !action->kind || !slice_equal(object->object_id, action->object_id) ||
	    !value_is(&action->live, VALUE_MAP) || !plan_load_body(planning, object))
		return;
	struct slice others = others_items(object, action->kind, &action->live, goes, moving, planning->arena);
	if (others.size == 0)
		return;
	diag_error(planning->diagnostics, FAULT_CONFLICT, action->position,
		   "'%.*s' cannot be deleted: others have put %.*s there", SLICE_ARGUMENTS(action->address),
		   SLICE_ARGUMENTS(others));
	diag_address(planning->diagnostics, action->address);
	if (action->operation == OPERATION_REPLACE)
		diag_cause(planning->diagnostics, SLICE("the change needs a new object, and the old one deleted"));
	diag_hint(planning->diagnostics, "%s", OTHERS_ITEMS_HINT);
}

void plan_tell_others(struct planning *planning)
{
	struct map moving;

	map_init(&moving);
	for (size_t i = 0; i < planning->action_count; i++) {
		const struct action *action = &planning->actions[i];

		if (operation_ends(action->operation) && action->provider_id.size > 0)
			map_set(&moving, action->provider_id, &moving);
		note_taken(&moving, action);
	}
	for (size_t i = 0; !planning->input->scope.looks && i < planning->action_count; i++) {
		const struct action *action = &planning->actions[i];

		/* What a replace has left behind goes as soon as it can: it keeps nothing else from being done. */
		if (operation_ends(action->operation) && action->role != OBJECT_DEPOSED)
			look_at(planning, action, &moving);
	}
	map_release(&moving);
}
