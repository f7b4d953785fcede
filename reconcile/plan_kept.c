#include "reconcile/plan_items.h"

/*
 * What no call takes out of an object (UNSET_RELEASE), as the groups of a machine whose spec names none any more, or
 * leaves them to others, stays there and keeps what it names from being deleted. That is refused before anything is
 * done: the service would say so only after a long wait for whatever else might hold it.
 */

/* What is to end, by its id at the service, and a field of an object that stays. */
struct kept {
	struct planning *planning;
	const struct map *ending;
	const struct object *object;
	const struct action *by; /* what is done to that, or NULL */
	const struct field *field;
};

static void report(const struct kept *kept, const struct action *target)
{
	struct diagnostics *diagnostics = kept->planning->diagnostics;
	const char *name = kept->field->name;

	diag_error(diagnostics, FAULT_CONFLICT, target->position,
		   "'%.*s' cannot be deleted: '%s' of '%.*s' names it, and stays as it is",
		   SLICE_ARGUMENTS(target->address), name, SLICE_ARGUMENTS(kept->object->address));
	diag_address(diagnostics, target->address);
	if (kept->field->flags & IMMUTABLE)
		diag_hint(diagnostics, "only with '%.*s' it lets go of that: have that go too, or keep '%.*s'",
			  SLICE_ARGUMENTS(kept->object->address), SLICE_ARGUMENTS(target->address));
	else
		diag_hint(diagnostics,
			  "what a spec does not set, or ignores, is left alone: have '%.*s' set '%s' without that",
			  SLICE_ARGUMENTS(kept->object->address), name);
}

static void look_at(const struct kept *kept, const struct field *field, const struct value *value)
{
	bool refers = field->type == FIELD_REFERENCE && !(field->flags & LOOSE) && !field->output;
	const struct action *target =
		refers && value_is(value, VALUE_STRING) ? map_get(kept->ending, value_slice(value)) : NULL;

	for (uint32_t i = 0; field->item && value_is(value, VALUE_LIST) && i < value->count; i++)
		look_at(kept, field->item, &value->items[i]);
	if (target && !(kept->by && changes_end(kept->by->changes, kept->by->change_count, kept->field, value)))
		report(kept, target);
}

static void look_within(struct kept *kept, const struct live *live)
{
	const struct kind *kind = kinds_find(kept->planning->input->kinds, kept->object->kind);

	if (!kind || !live || live->presence != PRESENCE_PRESENT || (kept->by && action_ends_old(kept->by)))
		return;
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct value *value;

		kept->field = field_at(&kind->fields, i);
		value = kept->field->when_unset == UNSET_RELEASE ? value_get_named(&live->fields, kept->field->name)
								 : NULL;
		if (value)
			look_at(kept, kept->field, value);
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
		struct kept kept = {
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
