#include <string.h>

#include "reconcile/made.h"
#include "reconcile/plan_items.h"

/*
 * What the service itself keeps from being deleted: an end of it would be refused at its turn, once what it stands on
 * and what stands on it is gone. So it is refused before anything is done; or warned of, where force would do it. So is
 * a change that stops what it keeps from being stopped.
 */

static bool is_barred_by(const struct field *field, const struct object *object, const struct live *live)
{
	const struct value *now = field->bars_deletion ? plan_field_now(object, live, field->name) : NULL;

	return now && value_reads(now, field->bars_deletion);
}

static void hint_at_ignored(struct planning *planning, const struct field *field, const char *what)
{
	diag_hint(planning->diagnostics,
		  "take '%s' out of 'lifecycle.ignore', and apply it once with '%s: %s'; then it can %s", field->name,
		  field->name, field->unset_value, what);
}

static void report(struct planning *planning, const struct action *action, const struct object *object,
		   const struct field *field)
{
	diag_error(planning->diagnostics, FAULT_CONFLICT, action->position,
		   "'%.*s' is protected from deletion: its '%s' is %s", SLICE_ARGUMENTS(action->address), field->name,
		   field->bars_deletion);
	plan_note_end(planning, action);
	if (plan_leaves_alone(planning, action, object, field))
		hint_at_ignored(planning, field, "go");
	else if (action->operation == OPERATION_REPLACE)
		diag_hint(planning->diagnostics, "apply '%s: %s' first, without what needs a new object; then the rest",
			  field->name, field->unset_value);
	else
		diag_hint(planning->diagnostics, "apply it once with '%s: %s'; then it can go", field->name,
			  field->unset_value);
}

/* What people have made of it, and no field says. */
static void tell_barred_by_output(struct planning *planning, const struct action *action, const struct object *object,
				  const struct live *live, const struct output *output)
{
	bool is_read = live && live->presence == PRESENCE_PRESENT;
	const struct value *outputs = is_read ? &live->outputs : &object->outputs;
	const struct value *has = output->bars_deletion ? value_if_set(value_get_named(outputs, output->name)) : NULL;

	if (!has || value_is(has, VALUE_UNREAD))
		return;
	diag_error(planning->diagnostics, FAULT_CONFLICT, action->position, "'%.*s' cannot be deleted: %s",
		   SLICE_ARGUMENTS(action->address), output->bars_deletion);
	plan_note_end(planning, action);
	diag_hint(planning->diagnostics, "%s; then it can go", output->unbarred_by);
}

/* The first change for which what runs now is stopped, or NULL. */
static const struct change *stopping_change(const struct action *action, const struct item *item)
{
	const char *name = action->kind->running;
	const struct value *now = name ? plan_field_now(item->object, item->live, name) : NULL;

	for (size_t i = 0; value_is_true(now) && i < action->change_count; i++) {
		const struct change *change = &action->changes[i];
		bool ends = change->field && strcmp(change->field->name, name) == 0;

		if (change->field && change->effect == EFFECT_SET && (ends || (change->field->flags & PAUSES)))
			return change;
	}
	return NULL;
}

/* Whether it is true and stays so: where it becomes false, it does before the stop. */
static bool stays_on(const struct action *action, const struct item *item, const struct field *field)
{
	return value_is_true(plan_field_now(item->object, item->live, field->name)) &&
	       !changes_set(action->changes, action->change_count, slice_of(field->name));
}

/* What no change in place can do, as the thing was made so. */
static void tell_unstoppable(struct planning *planning, const struct action *action, const struct item *item,
			     const struct change *change)
{
	const char *name = action->kind->launched_as;
	const struct field *field = name ? field_named(&action->kind->fields, slice_of(name)) : NULL;
	const struct object *object = item->object;
	const struct value *made = field && object->has_body
					   ? made_known(field, value_get_named(&object->resolved, name),
							value_get_named(&object->observed, name), planning->arena)
					   : NULL;
	const char *why = made ? action->kind->unstoppable(made) : NULL;

	if (!why)
		return;
	diag_error(planning->diagnostics, FAULT_CONFLICT, action->position, "'%.*s' cannot be stopped: %s",
		   SLICE_ARGUMENTS(action->address), why);
	diag_address(planning->diagnostics, action->address);
	diag_cause(planning->diagnostics,
		   arena_format(planning->arena, "the change of '%s' stops it", change->field->name));
	diag_hint(planning->diagnostics,
		  "for a new one of all that the spec says, 'trueup destroy --target %.*s', then apply",
		  SLICE_ARGUMENTS(action->address));
}

static void tell_barred_stop(struct planning *planning, const struct action *action)
{
	const struct item *item = plan_item_at(planning, action->address);
	const struct change *change = item && item->object ? stopping_change(action, item) : NULL;

	if (change)
		tell_unstoppable(planning, action, item, change);
	for (size_t i = 0; change && i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i);

		if (!field->bars_stop || !stays_on(action, item, field))
			continue;
		diag_error(planning->diagnostics, FAULT_CONFLICT, action->position,
			   "'%.*s' is protected from being stopped: its '%s' is true", SLICE_ARGUMENTS(action->address),
			   field->name);
		diag_address(planning->diagnostics, action->address);
		diag_cause(planning->diagnostics,
			   arena_format(planning->arena, "the change of '%s' stops it", change->field->name));
		if (plan_leaves_alone(planning, action, item->object, field))
			hint_at_ignored(planning, field, "be stopped");
		else
			diag_hint(planning->diagnostics,
				  "apply it once with '%s: %s', alone or with that change; then set it again",
				  field->name, field->unset_value);
	}
}

/* What it runs may be ended by force all the same: whoever applies the plan may say so. */
static void warn_of_running(struct planning *planning, const struct action *action, const struct live *live)
{
	const struct runs *runs = action->kind->runs;
	const char *hint = NULL;
	const char *why =
		runs && runs->stay && live && live->presence == PRESENCE_PRESENT && value_is(&live->running, VALUE_LIST)
			? runs->stay(&live->fields, &live->running, &hint)
			: NULL;

	if (!why)
		return;
	diag_add(planning->diagnostics, SEVERITY_WARNING, FAULT_CONFLICT, action->position, "'%.*s' %s",
		 SLICE_ARGUMENTS(action->address), why);
	diag_address(planning->diagnostics, action->address);
	diag_hint(planning->diagnostics, "%s", hint);
}

/* Whether it can go as far as its fields tell; what keeps it is said. */
static void tell_barred_end(struct planning *planning, const struct action *action, struct object *object,
			    const struct live *live)
{
	if (!plan_load_body(planning, object))
		return;
	for (size_t i = 0; i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i);

		if (is_barred_by(field, object, live))
			report(planning, action, object, field);
	}
	for (size_t i = 0; i < action->kind->outputs.count; i++)
		tell_barred_by_output(planning, action, object, live, output_at(&action->kind->outputs, i));
	warn_of_running(planning, action, live);
}

void plan_tell_barred(struct planning *planning)
{
	const struct plan_input *input = planning->input;

	for (size_t i = 0; !input->scope.looks && i < planning->action_count; i++) {
		const struct action *action = &planning->actions[i];
		/* What a replace has left behind goes as soon as it can: it keeps nothing else from being done. */
		bool ends = operation_ends(action->operation) && action->role != OBJECT_DEPOSED && action->kind;
		const size_t *number = ends ? plan_object_at(planning, action->address) : NULL;
		struct object *object = number ? input->objects[*number] : NULL;
		const struct live *live = number && input->live ? input->live[*number] : NULL;

		if (action->kind && operation_keeps(action->operation))
			tell_barred_stop(planning, action);
		if (object && slice_equal(object->object_id, action->object_id))
			tell_barred_end(planning, action, object, live);
	}
}
