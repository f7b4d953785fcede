#include "reconcile/plan_items.h"

/*
 * What stays may have something by what is attached to the network around it: an instance its public address, by an
 * internet gateway. As long as it has that the attachment is not given up (output.through), which the service would say
 * only after a long wait for its end.
 */

/* An output, and the ends of what it hangs on. */
struct tie {
	struct planning *planning;
	const struct kind *kind; /* that has the output */
	const struct output *output;
	const struct kind *through;
	const struct field *attached; /* the reference of that */
	struct map actions;	      /* by object id */
	struct map around;	      /* what the objects lie in, to where that is in input->objects, by id */
	struct map given_up;	      /* by the id of what is attached to, to const struct action */
};

static const struct live *live_of(const struct tie *tie, size_t number)
{
	const struct live *live = plan_around(tie->planning)[number];

	return live && live->presence == PRESENCE_PRESENT ? live : NULL;
}

static const struct value *text_at(const struct value *fields, const char *name)
{
	const struct value *value = value_get_named(fields, name);

	return value && value_is(value, VALUE_STRING) ? value : NULL;
}

static void note_given_up(struct tie *tie, const struct object *object, const struct live *live)
{
	struct action *action = map_get(&tie->actions, object->object_id);
	const struct value *now = live ? text_at(&live->fields, tie->attached->name) : NULL;

	if (action && now && action->operation != OPERATION_CONFLICT &&
	    (operation_ends(action->operation) ||
	     changes_end(action->changes, action->change_count, tie->attached, now)))
		map_set(&tie->given_up, value_slice(now), action);
}

/* Whether the object has the output after the plan, too: a change that may end it is taken to do so. */
static bool stays(const struct action *action, const struct output *output)
{
	if (!action)
		return true;
	for (const char *const *name = output->ended_by; name && *name; name++)
		if (changes_set(action->changes, action->change_count, slice_of(*name)))
			return false;
	return !action_ends_old(action) && action->operation != OPERATION_CONFLICT;
}

/* By which what the object lies in is given up; NULL: it is not. */
static const struct action *given_up_around(const struct tie *tie, const struct live *live)
{
	const struct field *by = field_named(&tie->kind->fields, slice_of(tie->output->through_by));
	const struct value *within = text_at(&live->fields, by->name);
	size_t number = within ? map_number(&tie->around, value_slice(within)) : SIZE_MAX;
	const struct live *around = number != SIZE_MAX ? live_of(tie, number) : NULL;
	const struct value *network = around ? text_at(&around->fields, by->beside) : NULL;

	return network ? map_get(&tie->given_up, value_slice(network)) : NULL;
}

static void look_at(const struct tie *tie, const struct object *object, const struct live *live)
{
	struct diagnostics *diagnostics = tie->planning->diagnostics;
	const struct value *has = text_at(&live->outputs, tie->output->name);
	const struct action *action = has ? given_up_around(tie, live) : NULL;

	if (!action || !stays(map_get(&tie->actions, object->object_id), tie->output))
		return;
	diag_error(diagnostics, FAULT_CONFLICT, action->position,
		   "'%.*s' cannot give up its '%s': '%.*s', which stays, has its '%s' %.*s through that",
		   SLICE_ARGUMENTS(action->address), tie->attached->name, SLICE_ARGUMENTS(object->address),
		   tie->output->name, SLICE_ARGUMENTS(value_shown(has, SIZE_MAX)));
	plan_note_end(tie->planning, action);
	diag_hint(diagnostics, "have '%.*s' go too, or be without a '%s', or keep '%.*s' where it is",
		  SLICE_ARGUMENTS(object->address), tie->output->name, SLICE_ARGUMENTS(action->address));
}

static void look_for(struct tie *tie)
{
	const struct plan_input *input = tie->planning->input;
	const struct field *by = field_named(&tie->kind->fields, slice_of(tie->output->through_by));

	tie->through = kinds_find(input->kinds, slice_of(tie->output->through));
	tie->attached = field_named(&tie->through->fields, slice_of(by->beside));
	for (size_t i = 0; i < input->object_count; i++) {
		const struct object *object = input->objects[i];

		if (slice_is(object->kind, tie->through->name))
			note_given_up(tie, object, live_of(tie, i));
		else if (slice_is(object->kind, by->target) && object->provider_id.size > 0)
			map_set_number(&tie->around, object->provider_id, i);
	}
	for (size_t i = 0; tie->given_up.count > 0 && i < input->object_count; i++) {
		const struct object *object = input->objects[i];
		const struct live *live = slice_is(object->kind, tie->kind->name) ? live_of(tie, i) : NULL;

		if (live)
			look_at(tie, object, live);
	}
}

static void look_for_output(struct planning *planning, const struct kind *kind, const struct output *output)
{
	struct tie tie = {.planning = planning, .kind = kind, .output = output};

	map_init(&tie.actions);
	map_init(&tie.around);
	map_init(&tie.given_up);
	for (size_t i = 0; i < planning->action_count; i++)
		if (planning->actions[i].object_id.size > 0)
			map_set(&tie.actions, planning->actions[i].object_id, &planning->actions[i]);
	look_for(&tie);
	map_release(&tie.actions);
	map_release(&tie.around);
	map_release(&tie.given_up);
}

void plan_tell_through(struct planning *planning)
{
	const struct plan_input *input = planning->input;

	if (input->scope.looks || !plan_around(planning) || planning->action_count == 0)
		return;
	for (size_t i = 0; i < input->kinds->count; i++) {
		const struct kind *kind = input->kinds->items[i];

		for (size_t k = 0; k < kind->outputs.count; k++)
			if (output_at(&kind->outputs, k)->through)
				look_for_output(planning, kind, output_at(&kind->outputs, k));
	}
}
