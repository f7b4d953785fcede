#include "reconcile/own_items.h"
#include "reconcile/plan_items.h"
#include "reconcile/unique.h"

/*
 * What somebody else has put into a set that HOLDS an object is not ours to take off, nor is the object to be taken out
 * of where somebody else has attached it; so it cannot be deleted, which is refused before anything is done. It goes
 * all the same where what it names goes too, and where another object is to have that. So it is with what somebody else
 * has put into an object that stays, and that PINS the one that is to go; and with what is the object's own there, in a
 * field that is ignored.
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

/* Adds what exists but once and the object is to have after the action. */
static void note_all_taken(struct moving *moving, struct action *action)
{
	for (size_t i = 0; action->kind && i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i);
		bool ignored = slice_is_among(field->name, action->ignored, action->ignored_count);
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

/* Of the refusal that was reported last: what is to end, and because of what. */
static void note_end(struct planning *planning, const struct action *action)
{
	diag_address(planning->diagnostics, action->address);
	if (action->operation == OPERATION_REPLACE)
		diag_cause(planning->diagnostics, SLICE("the change needs a new object, and the old one deleted"));
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
		note_end(planning, action);
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
	note_end(planning, action);
	diag_hint(planning->diagnostics, OTHERS_ITEMS_HINT);
}

/* An item that others may have put into an object that stays. by: what is done to that, or NULL. */
struct pinned {
	const struct field *set;
	const struct value *item;
	const struct action *by, *target;
};

/* Whether the plan leaves the set as it is: an undoing, which ignores whatever its run did not set, by the record. */
static bool is_left_alone(const struct planning *planning, const struct object *object, const struct pinned *pinned)
{
	const struct action *by = pinned->by;

	if (by && by->in_spec && !planning->input->scope.undoes)
		return slice_is_among(pinned->set->name, by->ignored, by->ignored_count);
	return ignored_has(&object->ignored, slice_of(pinned->set->name));
}

/* An item of an object that stays, and what is to go and is named by it. Its own it lets go of, unless that is left
 * alone. */
static void look_at_pin(struct planning *planning, size_t number, const struct pinned *pinned)
{
	struct object *object = planning->input->objects[number];
	const struct action *by = pinned->by;
	struct own_items own;

	if ((by && changes_end(by->changes, by->change_count, pinned->set, pinned->item)) ||
	    !plan_load_body(planning, object))
		return;
	own_items_init(&own, object, pinned->set, planning->arena);
	bool is_own = own_items_have(&own, pinned->item);
	own_items_release(&own);
	if (is_own && !is_left_alone(planning, object, pinned))
		return;
	struct slice path = diff_item_path(pinned->set, slice_of(pinned->set->name), pinned->item, planning->arena);
	diag_error(planning->diagnostics, FAULT_CONFLICT, pinned->target->position,
		   "'%.*s' cannot be deleted: %.*s of '%.*s' names it, which %s",
		   SLICE_ARGUMENTS(pinned->target->address), SLICE_ARGUMENTS(path), SLICE_ARGUMENTS(object->address),
		   is_own ? "is left to others" : "others have put there");
	note_end(planning, pinned->target);
	if (is_own)
		diag_hint(planning->diagnostics,
			  "take '%s' out of 'lifecycle.ignore' of '%.*s', or take that out by hand; then it can go",
			  pinned->set->name, SLICE_ARGUMENTS(object->address));
	else
		diag_hint(planning->diagnostics, OTHERS_ITEMS_HINT);
}

static void look_for_pins(struct planning *planning, size_t number, const struct action *by, const struct field *set,
			  const struct map *ending)
{
	const struct value *items = value_get_named(&planning->input->live[number]->fields, set->name);

	for (size_t i = 0; i < set->item->members.count; i++) {
		const struct field *member = field_at(&set->item->members, i);

		for (uint32_t k = 0; (member->flags & PINS) && value_is(items, VALUE_LIST) && k < items->count; k++) {
			const struct value *named = value_get_named(&items->items[k], member->name);
			const struct action *target =
				value_is(named, VALUE_STRING) ? map_get(ending, value_slice(named)) : NULL;

			if (target)
				look_at_pin(planning, number, &(struct pinned){set, &items->items[k], by, target});
		}
	}
}

/* by_object: what is done to each. */
static void look_within(struct planning *planning, size_t number, const struct map *by_object, const struct map *ending)
{
	const struct object *object = planning->input->objects[number];
	const struct live *live = planning->input->live ? planning->input->live[number] : NULL;
	const struct kind *kind = kinds_find(planning->input->kinds, object->kind);
	const struct action *by = map_get(by_object, object->object_id);

	if (!kind || !live || live->presence != PRESENCE_PRESENT || (by && operation_ends(by->operation)))
		return;
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);

		if (field->type == FIELD_SET && (field->flags & SETTLES))
			look_for_pins(planning, number, by, field, ending);
	}
}

static void tell_pinned(struct planning *planning)
{
	struct map by_object, ending;

	map_init(&by_object);
	map_init(&ending);
	for (size_t i = 0; i < planning->action_count; i++) {
		struct action *action = &planning->actions[i];

		map_set(&by_object, action->object_id, action);
		if (operation_ends(action->operation) && action->role != OBJECT_DEPOSED && action->provider_id.size > 0)
			map_set(&ending, action->provider_id, action);
	}
	for (size_t i = 0; ending.count > 0 && i < planning->input->object_count; i++)
		look_within(planning, i, &by_object, &ending);
	map_release(&by_object);
	map_release(&ending);
}

void plan_tell_others(struct planning *planning)
{
	struct moving moving = {.arena = planning->arena};

	if (planning->input->scope.looks)
		return;
	tell_pinned(planning);
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
