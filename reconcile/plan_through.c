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
	const struct field *by;	      /* the reference of that kind which says what an object lies in */
	const struct field *attached; /* and of the kind that is attached */
	struct map actions;	      /* by object id */
	struct map around;	      /* what the objects lie in, to where that is in input->objects, by id */
	struct map around_made;	      /* what is made for them to lie in, by reference, to const struct action */
	struct map given_up;	      /* by the id of what is attached to, to const struct action */
	struct map behind;	      /* addresses of what waits for another attachment to that, and of these */
};

static const struct live *live_of(const struct tie *tie, size_t number)
{
	const struct live *live = plan_around(tie->planning)[number];

	return live && live->presence == PRESENCE_PRESENT ? live : NULL;
}

static const struct value *text_at(const struct value *fields, const char *name)
{
	const struct value *value = value_get_named(fields, name);

	return value_is(value, VALUE_STRING) ? value : NULL;
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

/* Whether the spec asks for the output, and has nothing that ends it. */
static bool is_asked_for(const struct action *action, const struct output *output)
{
	for (const char *const *name = output->ended_by; name && *name; name++) {
		const struct value *value = value_if_set(value_get_named(&action->known, *name));

		if (value_is(value, VALUE_BOOL) && !value->boolean)
			return false;
	}
	return value_is_true(value_get_named(&action->known, output->asked_by));
}

/* Whether a change ends the output, or brings it. */
static bool is_decided(const struct action *action, const struct output *output)
{
	for (const char *const *name = output->ended_by; name && *name; name++)
		if (changes_set(action->changes, action->change_count, slice_of(*name)))
			return true;
	return false;
}

/* Whether it is there after the plan; has: there is one now. action: what is done to the object, or NULL. Of what
 * nobody can tell, as the choice of a subnet, nothing is claimed. */
static bool will_have(const struct action *action, const struct output *output, bool has)
{
	if (!action)
		return has;
	if (action->operation == OPERATION_CONFLICT)
		return false;
	if (operation_makes(action->operation) || is_decided(action, output))
		return is_asked_for(action, output);
	return has && !action_ends_old(action);
}

/* Where the object is to lie in the end; NULL: in nothing that is there. fields: of the object, as it is to be. */
static const struct value *network_of(const struct tie *tie, const struct value *fields)
{
	const struct value *within = value_get_named(fields, tie->by->name);

	if (value_is(within, VALUE_DEFERRED)) {
		const struct action *made = map_get(&tie->around_made, within->deferred->text);

		return made ? text_at(&made->known, tie->by->beside) : NULL;
	}
	size_t number = value_is(within, VALUE_STRING) ? map_number(&tie->around, value_slice(within)) : SIZE_MAX;
	const struct live *around = number != SIZE_MAX ? live_of(tie, number) : NULL;
	return around ? text_at(&around->fields, tie->by->beside) : NULL;
}

/* By which the attachment there is given up; NULL: it is not. */
static const struct action *given_up_around(const struct tie *tie, const struct value *fields)
{
	const struct value *network = network_of(tie, fields);

	return network ? map_get(&tie->given_up, value_slice(network)) : NULL;
}

/* Whether an object is made anew when another attachment has taken the place of the one that is given up. */
static bool is_made_behind(const struct tie *tie, const struct action *its)
{
	return operation_makes(its->operation) && !its->create_before_destroy && map_has(&tie->behind, its->address);
}

static void report(const struct tie *tie, struct slice address, const struct action *action)
{
	struct diagnostics *diagnostics = tie->planning->diagnostics;

	diag_error(diagnostics, FAULT_CONFLICT, action->position,
		   "'%.*s' cannot give up its '%s': after this plan '%.*s' has a '%s' through that",
		   SLICE_ARGUMENTS(action->address), tie->attached->name, SLICE_ARGUMENTS(address), tie->output->name);
	plan_note_end(tie->planning, action);
	diag_hint(diagnostics, "have '%.*s' go too, or be without a '%s', or keep '%.*s' where it is",
		  SLICE_ARGUMENTS(address), tie->output->name, SLICE_ARGUMENTS(action->address));
}

/* An object that is recorded, which may be replaced. */
static void look_at(const struct tie *tie, const struct object *object, const struct live *live)
{
	const struct action *its = map_get(&tie->actions, object->object_id);
	const struct action *action;

	if (!will_have(its, tie->output, text_at(&live->outputs, tie->output->name) != NULL) ||
	    (its && is_made_behind(tie, its)))
		return;
	action = given_up_around(tie, its && operation_makes(its->operation) ? &its->known : &live->fields);
	if (action)
		report(tie, object->address, action);
}

/* What is made where nothing is recorded. */
static void look_at_made(const struct tie *tie, const struct action *its)
{
	bool asks = its->kind == tie->kind && its->operation == OPERATION_CREATE && is_asked_for(its, tie->output);
	const struct action *action = asks && !is_made_behind(tie, its) ? given_up_around(tie, &its->known) : NULL;

	if (action)
		report(tie, its->address, action);
}

/* It has no id yet. */
static void note_made_around(struct tie *tie, struct action *action)
{
	const char *id = output_at(&action->kind->outputs, 0)->name;

	map_set(&tie->around_made,
		arena_format(tie->planning->arena, "${%.*s.%s}", SLICE_ARGUMENTS(action->address), id), action);
}

/* Each comes after what it refers to. */
static void note_behind(struct tie *tie)
{
	for (size_t i = 0; i < tie->planning->order_count; i++) {
		const struct item *item = tie->planning->order[i];
		const struct value *network = slice_is(slice_of(item->resource->kind->name), tie->output->through)
						      ? text_at(&item->wanted, tie->attached->name)
						      : NULL;
		bool is_behind = network && map_has(&tie->given_up, value_slice(network));

		for (size_t k = 0; k < item->resource->dependency_count && !is_behind; k++)
			is_behind = map_has(&tie->behind, item->resource->dependencies[k].address);
		if (is_behind)
			map_mark(&tie->behind, item->address);
	}
}

static void look_for(struct tie *tie)
{
	const struct plan_input *input = tie->planning->input;

	for (size_t i = 0; i < input->object_count; i++) {
		const struct object *object = input->objects[i];

		if (slice_is(object->kind, tie->output->through))
			note_given_up(tie, object, live_of(tie, i));
		else if (slice_is(object->kind, tie->by->target) && object->provider_id.size > 0)
			map_set_number(&tie->around, object->provider_id, i);
	}
	if (tie->given_up.count == 0)
		return;
	for (size_t i = 0; i < tie->planning->action_count; i++) {
		struct action *action = &tie->planning->actions[i];

		if (slice_is(slice_of(action->kind->name), tie->by->target) && operation_makes(action->operation))
			note_made_around(tie, action);
	}
	note_behind(tie);
	for (size_t i = 0; i < input->object_count; i++) {
		const struct object *object = input->objects[i];
		const struct live *live = slice_is(object->kind, tie->kind->name) ? live_of(tie, i) : NULL;

		if (live)
			look_at(tie, object, live);
	}
	for (size_t i = 0; i < tie->planning->action_count; i++)
		look_at_made(tie, &tie->planning->actions[i]);
}

/* Whether the plan does anything to what such outputs hang on: few plans do. */
static bool is_concerned(const struct planning *planning, const struct kind *through)
{
	for (size_t i = 0; i < planning->action_count; i++)
		if (planning->actions[i].kind == through)
			return true;
	return false;
}

static void look_for_output(struct planning *planning, const struct kind *kind, const struct output *output)
{
	const struct kind *through = kinds_find(planning->input->kinds, slice_of(output->through));
	const struct field *by = field_named(&kind->fields, slice_of(output->through_by));
	struct tie tie = {.planning = planning, .kind = kind, .output = output, .by = by};

	if (!is_concerned(planning, through))
		return;
	tie.attached = field_named(&through->fields, slice_of(by->beside));
	map_init(&tie.actions);
	map_init(&tie.around);
	map_init(&tie.around_made);
	map_init(&tie.given_up);
	map_init(&tie.behind);
	for (size_t i = 0; i < planning->action_count; i++)
		if (planning->actions[i].object_id.size > 0)
			map_set(&tie.actions, planning->actions[i].object_id, &planning->actions[i]);
	look_for(&tie);
	map_release(&tie.actions);
	map_release(&tie.around);
	map_release(&tie.around_made);
	map_release(&tie.given_up);
	map_release(&tie.behind);
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
