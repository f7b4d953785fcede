#include "reconcile/apply_parts.h"
#include "reconcile/unique.h"

/*
 * What the service chooses for one object another cannot be given by name. The plan tells of all that is there; of what
 * the same run makes, and has to make first, the service says only that something has it.
 */

static struct slice text_of(const struct node *node, const struct field *field, const struct value *value,
			    const struct value *fields)
{
	const struct target *target = node->target;

	return unique_is_kept(field) ? unique_value(target->action->kind, field, value, fields,
						    &target->current->identity, target->applying->apply->arena)
				     : (struct slice){0};
}

static void note(void *context, const struct field *field, const struct value *value, const struct value *fields)
{
	const struct node *node = context;
	struct slice text = text_of(node, field, value, fields);

	if (text.size > 0)
		map_set(&node->target->applying->holders, text, node->target->current);
}

void node_note_holder(struct node *node)
{
	const struct kind *kind = node->target->action->kind;
	bool is_made = node->work.phase == PHASE_MAKE && node->work.creating && node->work.has_now;

	for (size_t i = 0; is_made && i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);

		if (!value_if_set(value_get_named(&node->target->desired, field->name)))
			unique_each(field, &node->work.now.fields, note, node);
	}
}

static void tell(void *context, const struct field *field, const struct value *value, const struct value *fields)
{
	const struct node *node = context;
	const struct action *action = node->target->action;
	struct diagnostics *diagnostics = node->work.task.diagnostics;
	struct slice text = text_of(node, field, value, fields);
	const struct object *holder = text.size > 0 ? map_get(&node->target->applying->holders, text) : NULL;

	if (!holder)
		return;
	diag_add(diagnostics, SEVERITY_WARNING, FAULT_CONFLICT, action->position,
		 "the service chose '%.*s' for '%.*s', which was made before '%.*s'",
		 SLICE_ARGUMENTS(value_shown(value, SIZE_MAX)), SLICE_ARGUMENTS(holder->address),
		 SLICE_ARGUMENTS(action->address));
	diag_address(diagnostics, action->address);
	diag_hint(diagnostics, "give '%.*s' another '%s', or '%.*s' one of its own, with which it is made anew",
		  SLICE_ARGUMENTS(action->address), field->name, SLICE_ARGUMENTS(holder->address));
}

void node_tell_holder(struct node *node, const struct answer *answer)
{
	const struct kind *kind = node->target->action->kind;
	bool is_refused = node->work.phase == PHASE_MAKE && node->work.creating && answer && !answer->ok &&
			  answer->fault == FAULT_CONFLICT;

	for (size_t i = 0; is_refused && i < kind->fields.count; i++)
		unique_each(field_at(&kind->fields, i), &node->target->desired, tell, node);
}
