#include "reconcile/own_items.h"
#include "reconcile/plan_items.h"
#include "reconcile/unique.h"

/*
 * What somebody else has put into a set that HOLDS an object is not ours to take off, nor is the object to be taken out
 * of where somebody else has attached it; so it cannot be deleted, which is refused before anything is done. It goes
 * all the same where what it names goes too, and where another object is to have that.
 */

/* What the plan makes free: to const struct action, whatever goes, by id; and by kind, field and value whoever takes
 * what exists but once. */
struct moving {
	struct map ending, taken;
	struct arena *arena;
};

/* One that is to be let go of, and for which action. */
struct held {
	const struct moving *moving;
	const struct action *action;
};

static struct slice taken_key(const struct kind *kind, const struct field *field, const struct value *value,
			      struct arena *arena)
{
	return arena_format(arena, "%s %s %.*s", kind->name, field->name, SLICE_ARGUMENTS(value_slice(value)));
}

static void note_taken(struct moving *moving, struct action *action, const struct field *field,
		       const struct value *value)
{
	if (value_is(value, VALUE_STRING))
		map_set(&moving->taken, taken_key(action->kind, field, value, moving->arena), action);
}

/* Adds what exists but once and the object is to have after the action. What is made has it also where that is left to
 * others. */
static void note_all_taken(struct moving *moving, struct action *action)
{
	for (size_t i = 0; action->kind && i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i);
		bool ignored = !operation_makes(action->operation) &&
			       slice_is_among(field->name, action->ignored, action->ignored_count);
		const struct value *value = ignored ? NULL : value_get_named(&action->known, field->name);

		if (own_is_attachment(field))
			note_taken(moving, action, field, value);
		for (uint32_t k = 0; unique_items(field) && value_is(value, VALUE_LIST) && k < value->count; k++)
			note_taken(moving, action, field, &value->items[k]);
	}
}

static bool goes(void *context, const struct field *field, const struct value *value)
{
	const struct held *held = context;
	const struct moving *moving = held->moving;

	if (!value_is(value, VALUE_STRING))
		return false;
	const struct action *taker =
		map_get(&moving->taken, taken_key(held->action->kind, field, value, moving->arena));
	return map_get(&moving->ending, value_slice(value)) || (taker && taker != held->action);
}

/* Where others have attached it: the service deletes nothing that is attached. */
static void look_at_places(struct planning *planning, const struct object *object, struct held *held)
{
	const struct action *action = held->action;

	for (size_t i = 0; i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i);
		const struct value *now = own_is_attachment(field) ? value_get_named(&action->live, field->name) : NULL;

		if (!value_is(now, VALUE_STRING) || own_place(object, field, now) || goes(held, field, now))
			continue;
		diag_error(planning->diagnostics, FAULT_CONFLICT, action->position,
			   "'%.*s' cannot be deleted: its '%s' is %.*s, which is not recorded as its own",
			   SLICE_ARGUMENTS(action->address), field->name, SLICE_ARGUMENTS(value_slice(now)));
		plan_note_end(planning, action);
		diag_hint(planning->diagnostics, "detach it there first, or give it up: 'trueup state rm %.*s'",
			  SLICE_ARGUMENTS(action->address));
	}
}

static void look_at(struct planning *planning, const struct action *action, const struct moving *moving)
{
	const size_t *number = plan_object_at(planning, action->address);
	struct object *object = number ? planning->input->objects[*number] : NULL;
	struct held held = {moving, action};

	if (!object || !action->kind || !slice_equal(object->object_id, action->object_id) ||
	    !value_is(&action->live, VALUE_MAP) || !plan_load_body(planning, object))
		return;
	look_at_places(planning, object, &held);
	struct slice others = others_items(object, action->kind, &action->live, goes, &held, planning->arena);
	if (others.size == 0)
		return;
	diag_error(planning->diagnostics, FAULT_CONFLICT, action->position,
		   "'%.*s' cannot be deleted: others have put %.*s there", SLICE_ARGUMENTS(action->address),
		   SLICE_ARGUMENTS(others));
	plan_note_end(planning, action);
	diag_hint(planning->diagnostics, OTHERS_ITEMS_HINT);
}

void plan_tell_others(struct planning *planning)
{
	struct moving moving = {.arena = planning->arena};

	if (planning->input->scope.looks)
		return;
	map_init(&moving.ending);
	map_init(&moving.taken);
	for (size_t i = 0; i < planning->action_count; i++) {
		struct action *action = &planning->actions[i];

		if (operation_ends(action->operation) && action->provider_id.size > 0)
			map_set(&moving.ending, action->provider_id, action);
		note_all_taken(&moving, action);
	}
	for (size_t i = 0; i < planning->action_count; i++) {
		const struct action *action = &planning->actions[i];

		/* What a replace has left behind goes as soon as it can: it keeps nothing else from being done. */
		if (operation_ends(action->operation) && action->role != OBJECT_DEPOSED)
			look_at(planning, action, &moving);
	}
	map_release(&moving.ending);
	map_release(&moving.taken);
}
