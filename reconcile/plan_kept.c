#include "reconcile/own_items.h"
#include "reconcile/plan_items.h"

/*
 * What stays, and goes on naming what is to go, keeps that from being deleted. So do the fields that no call empties
 * (UNSET_RELEASE), as the groups of a machine whose spec names none any more, or leaves them to others; and what PINS
 * its target, as a rule that names a group, where somebody else has put it there, or it is in a field that is ignored.
 * That is refused before anything is done: the service would say so only after a long wait for whatever else might hold
 * it.
 */

/* An object that stays, and all that is to end, by its id at the service. */
struct kept {
	struct planning *planning;
	const struct map *ending; /* to const struct action */
	struct object *object;
	const struct action *by; /* what is done to the object, or NULL */
};

/* What a value names that is to end, though the action leaves the item there that it is in; or NULL. */
static const struct action *target_of(const struct kept *kept, const struct field *field, const struct value *item,
				      const struct value *value)
{
	const struct action *target = value_is(value, VALUE_STRING) ? map_get(kept->ending, value_slice(value)) : NULL;
	bool ends = target && kept->by && changes_end(kept->by->changes, kept->by->change_count, field, item);

	return ends ? NULL : target;
}

static void report_named(const struct kept *kept, const struct field *field, const struct action *target)
{
	struct diagnostics *diagnostics = kept->planning->diagnostics;

	diag_error(diagnostics, FAULT_CONFLICT, target->position,
		   "'%.*s' cannot be deleted: '%s' of '%.*s' names it, and stays as it is",
		   SLICE_ARGUMENTS(target->address), field->name, SLICE_ARGUMENTS(kept->object->address));
	plan_note_end(kept->planning, target);
	if (field->flags & IMMUTABLE)
		diag_hint(diagnostics, "only with '%.*s' it lets go of that: have that go too, or keep '%.*s'",
			  SLICE_ARGUMENTS(kept->object->address), SLICE_ARGUMENTS(target->address));
	else
		diag_hint(diagnostics,
			  "what a spec does not set, or ignores, is left alone: have '%.*s' set '%s' without that",
			  SLICE_ARGUMENTS(kept->object->address), field->name);
}

/* type: of the field, or of its items. */
static void look_at_named(const struct kept *kept, const struct field *field, const struct field *type,
			  const struct value *value)
{
	bool refers = type->type == FIELD_REFERENCE && !(type->flags & LOOSE) && !type->output;
	const struct action *target = refers ? target_of(kept, field, value, value) : NULL;

	for (uint32_t i = 0; type->item && value_is(value, VALUE_LIST) && i < value->count; i++)
		look_at_named(kept, field, type->item, &value->items[i]);
	if (target)
		report_named(kept, field, target);
}

static void report_pinned(const struct kept *kept, const struct field *set, const struct value *item, bool is_own,
			  const struct action *target)
{
	struct diagnostics *diagnostics = kept->planning->diagnostics;
	struct slice path = diff_item_path(set, slice_of(set->name), item, kept->planning->arena);

	diag_error(diagnostics, FAULT_CONFLICT, target->position,
		   "'%.*s' cannot be deleted: %.*s of '%.*s' names it, which %s", SLICE_ARGUMENTS(target->address),
		   SLICE_ARGUMENTS(path), SLICE_ARGUMENTS(kept->object->address),
		   is_own ? "is left to others" : "others have put there");
	plan_note_end(kept->planning, target);
	if (is_own)
		diag_hint(diagnostics,
			  "take '%s' out of 'lifecycle.ignore' of '%.*s', or take that out by hand; then it can go",
			  set->name, SLICE_ARGUMENTS(kept->object->address));
	else
		diag_hint(diagnostics, OTHERS_ITEMS_HINT);
}

/* Its own it lets go of, unless that is left alone. */
static void look_at_pin(const struct kept *kept, const struct field *set, const struct value *item,
			const struct action *target)
{
	struct own_items own;

	if (!plan_load_body(kept->planning, kept->object))
		return;
	own_items_init(&own, kept->object, set, kept->planning->arena);
	bool is_own = own_items_have(&own, item);
	own_items_release(&own);
	if (!is_own || plan_leaves_alone(kept->planning, kept->by, kept->object, set))
		report_pinned(kept, set, item, is_own, target);
}

static void look_for_pins(const struct kept *kept, const struct field *set, const struct value *items)
{
	for (size_t i = 0; i < set->item->members.count; i++) {
		const struct field *member = field_at(&set->item->members, i);

		for (uint32_t k = 0; (member->flags & PINS) && value_is(items, VALUE_LIST) && k < items->count; k++) {
			const struct value *item = &items->items[k];
			const struct action *target = target_of(kept, set, item, value_get_named(item, member->name));

			if (target)
				look_at_pin(kept, set, item, target);
		}
	}
}

static void look_within(const struct kept *kept, const struct live *live)
{
	const struct kind *kind = kinds_find(kept->planning->input->kinds, kept->object->kind);

	if (!kind || !live || live->presence != PRESENCE_PRESENT || (kept->by && action_ends_old(kept->by)))
		return;
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);
		const struct value *value = value_get_named(&live->fields, field->name);

		if (field->when_unset == UNSET_RELEASE)
			look_at_named(kept, field, field, value);
		if (field->type == FIELD_SET && (field->flags & SETTLES))
			look_for_pins(kept, field, value);
	}
}

void plan_tell_kept(struct planning *planning)
{
	const struct plan_input *input = planning->input;
	struct map by_object, ending;

	map_init(&by_object);
	map_init(&ending);
	for (size_t i = 0; i < planning->action_count; i++) {
		struct action *action = &planning->actions[i];

		map_set(&by_object, action->object_id, action);
		/* What a replace has left behind goes as soon as it can. */
		if (operation_ends(action->operation) && action->role != OBJECT_DEPOSED && action->provider_id.size > 0)
			map_set(&ending, action->provider_id, action);
	}
	for (size_t i = 0; ending.count > 0 && input->live && !input->scope.looks && i < input->object_count; i++) {
		const struct kept kept = {
			.planning = planning,
			.ending = &ending,
			.object = input->objects[i],
			.by = map_get(&by_object, input->objects[i]->object_id),
		};

		look_within(&kept, input->live[i]);
	}
	map_release(&by_object);
	map_release(&ending);
}
