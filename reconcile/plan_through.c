#include "reconcile/plan_items.h"

/*
 * What stays may have something by what is attached to the network around it: an instance its public address, by an
 * internet gateway. As long as it has that the attachment is not given up (output.through), which the service would say
 * only after a long wait for its end. Where another one takes its place, what this plan brings waits for that.
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
	struct map behind;	      /* addresses of what waits for one that gives it up */
	struct map taken_over;	      /* as given_up, to the action by which another one is attached there */
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

	if (action && now &&
	    (operation_ends(action->operation) ||
	     changes_end(action->changes, action->change_count, tie->attached, now)))
		map_set(&tie->given_up, value_slice(now), action);
}

/* What is done to an object, or NULL, and what is there of it, with its body. Of what is only made there is but the
 * action. */
struct subject {
	struct action *action;
	const struct object *object;
	const struct live *live;
};

/* A field after the plan: of what stays it is as it was, unless a change sets it. Where a read does not tell that, it
 * is as the last run left it. */
static const struct value *field_after(const struct subject *subject, const char *name)
{
	const struct action *action = subject->action;
	const struct value *now;

	if (!subject->object || operation_makes(action->operation) ||
	    changes_set(action->changes, action->change_count, slice_of(name)))
		return value_if_set(value_get_named(&action->known, name));
	now = plan_field_now(subject->object, subject->live, name);
	return value_is(now, VALUE_BOOL) ? now : value_if_set(value_get_named(&subject->object->resolved, name));
}

/* Whether the output is asked for, and nothing ends it. */
static bool is_asked_for(const struct subject *subject, const struct output *output)
{
	for (const char *const *name = output->ended_by; name && *name; name++) {
		const struct value *value = field_after(subject, *name);

		if (value_is(value, VALUE_BOOL) && !value->boolean)
			return false;
	}
	return value_is_true(field_after(subject, output->asked_by));
}

/* Whether the action brings the output, or ends it. */
static bool decides(const struct action *action, const struct output *output)
{
	if (operation_makes(action->operation))
		return true;
	for (const char *const *name = output->ended_by; name && *name; name++)
		if (changes_set(action->changes, action->change_count, slice_of(*name)))
			return true;
	return false;
}

/* Whether it is there after the plan. Of what nobody can tell, as the choice of a subnet, nothing is claimed. */
static bool will_have(const struct subject *subject, const struct output *output)
{
	const struct action *action = subject->action;
	bool has = subject->live && text_at(&subject->live->outputs, output->name);

	if (!action)
		return has;
	if (action->operation == OPERATION_CONFLICT)
		return false;
	if (decides(action, output))
		return is_asked_for(subject, output);
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

static void report(const struct tie *tie, struct slice address, const struct action *action)
{
	struct diagnostics *diagnostics = tie->planning->diagnostics;

	diag_error(diagnostics, FAULT_CONFLICT, action->position,
		   "'%.*s' cannot give up its '%s': after this plan '%.*s' has a '%s' through that",
		   SLICE_ARGUMENTS(action->address), tie->attached->name, SLICE_ARGUMENTS(address), tie->output->name);
	plan_note_end(tie->planning, action);
	diag_hint(diagnostics, "have '%.*s' go too, or give it '%s: false', or keep '%.*s' where it is",
		  SLICE_ARGUMENTS(address), tie->output->asked_by, SLICE_ARGUMENTS(action->address));
}

/* A service lets go of the attachment only once nothing has the output by it any more. */
static void report_waiting(const struct tie *tie, const struct action *its, const struct action *action)
{
	struct diagnostics *diagnostics = tie->planning->diagnostics;

	diag_error(diagnostics, FAULT_CONFLICT, action->position,
		   "'%.*s' cannot give up its '%s' before '%.*s' has let go of its '%s', and that waits for it",
		   SLICE_ARGUMENTS(action->address), tie->attached->name, SLICE_ARGUMENTS(its->address),
		   tie->output->name);
	diag_address(diagnostics, action->address);
	diag_related(diagnostics, its->position, "this one waits for it");
	diag_hint(diagnostics, "take that out of its 'depends_on', or have it let go of its '%s' and apply that first",
		  tie->output->name);
}

static void wait_for(const struct tie *tie, struct action *its, const struct action *taking)
{
	struct slice *beneath = arena_new_array(tie->planning->arena, its->beneath_count + 1, struct slice);

	for (size_t i = 0; i < its->beneath_count; i++)
		beneath[i] = its->beneath[i];
	beneath[its->beneath_count++] = taking->address;
	its->beneath = beneath;
}

/* Whether what it has goes only in a step that comes after all that it waits for. */
static bool has_until_late(const struct subject *subject, const struct output *output)
{
	const struct action *its = subject->action;

	return its && subject->live && text_at(&subject->live->outputs, output->name) &&
	       (operation_keeps(its->operation) || (operation_makes(its->operation) && its->create_before_destroy));
}

static void judge(const struct tie *tie, struct slice address, const struct subject *subject)
{
	struct action *its = subject->action;
	bool is_made = its && operation_makes(its->operation), has = will_have(subject, tie->output);
	const struct value *network = network_of(tie, is_made ? &its->known : &subject->live->fields);
	const struct action *action = network ? map_get(&tie->given_up, value_slice(network)) : NULL;
	/* What is made may have it though nothing asks. Beside the old object, which has it, there is no waiting. */
	bool is_brought = its && (is_made || (has && decides(its, tie->output))) && !its->create_before_destroy;
	const struct action *taking = action && is_brought ? map_get(&tie->taken_over, value_slice(network)) : NULL;

	if (taking)
		wait_for(tie, its, taking);
	else if (action && has)
		report(tie, address, action);
	else if (action && has_until_late(subject, tie->output) && map_has(&tie->behind, its->address))
		report_waiting(tie, its, action);
}

/* It has no id yet. */
static void note_made_around(struct tie *tie, struct action *action)
{
	const char *id = output_at(&action->kind->outputs, 0)->name;

	map_set(&tie->around_made,
		arena_format(tie->planning->arena, "${%.*s.%s}", SLICE_ARGUMENTS(action->address), id), action);
}

static void note_taken_over(struct tie *tie, struct action *action)
{
	const struct value *network = text_at(&action->known, tie->attached->name);
	bool attaches = operation_makes(action->operation) ||
			changes_set(action->changes, action->change_count, slice_of(tie->attached->name));

	if (network && attaches && map_has(&tie->given_up, value_slice(network)))
		map_set(&tie->taken_over, value_slice(network), action);
}

static void note_made(struct tie *tie, struct action *action)
{
	struct slice kind = slice_of(action->kind->name);

	if (slice_is(kind, tie->output->through))
		note_taken_over(tie, action);
	else if (slice_is(kind, tie->by->target) && operation_makes(action->operation))
		note_made_around(tie, action);
}

/* Each comes after what it depends on. */
static void note_behind(struct tie *tie)
{
	for (size_t i = 0; i < tie->given_up.count; i++) {
		const struct action *action = tie->given_up.entries[i].item;

		map_mark(&tie->behind, action->address);
	}
	for (size_t i = 0; i < tie->planning->order_count; i++) {
		const struct item *item = tie->planning->order[i];
		bool waits = false;

		for (size_t k = 0; k < item->resource->dependency_count && !waits; k++)
			waits = map_has(&tie->behind, item->resource->dependencies[k].address);
		if (waits)
			map_mark(&tie->behind, item->address);
	}
}

static void look_for(struct tie *tie)
{
	struct planning *planning = tie->planning;
	const struct plan_input *input = planning->input;

	for (size_t i = 0; i < input->object_count; i++) {
		const struct object *object = input->objects[i];

		if (slice_is(object->kind, tie->output->through))
			note_given_up(tie, object, live_of(tie, i));
		else if (slice_is(object->kind, tie->by->target) && object->provider_id.size > 0)
			map_set_number(&tie->around, object->provider_id, i);
	}
	if (tie->given_up.count == 0)
		return;
	note_behind(tie);
	for (size_t i = 0; i < planning->action_count; i++)
		note_made(tie, &planning->actions[i]);
	for (size_t i = 0; i < input->object_count; i++) {
		struct object *object = input->objects[i];
		const struct live *live = slice_is(object->kind, tie->kind->name) ? live_of(tie, i) : NULL;
		struct subject subject = {live ? map_get(&tie->actions, object->object_id) : NULL, object, live};

		if (live && (!subject.action || plan_load_body(planning, object)))
			judge(tie, object->address, &subject);
	}
	for (size_t i = 0; i < planning->action_count; i++)
		if (planning->actions[i].kind == tie->kind && planning->actions[i].operation == OPERATION_CREATE)
			judge(tie, planning->actions[i].address, &(struct subject){.action = &planning->actions[i]});
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
	map_init(&tie.taken_over);
	for (size_t i = 0; i < planning->action_count; i++)
		if (planning->actions[i].object_id.size > 0)
			map_set(&tie.actions, planning->actions[i].object_id, &planning->actions[i]);
	look_for(&tie);
	map_release(&tie.actions);
	map_release(&tie.around);
	map_release(&tie.around_made);
	map_release(&tie.given_up);
	map_release(&tie.behind);
	map_release(&tie.taken_over);
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
