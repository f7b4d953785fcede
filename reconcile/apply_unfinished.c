#include "reconcile/apply_parts.h"
#include "reconcile/unfinished.h"

/*
 * The record of what is changed or deleted says so with the first call's intent. What is being made needs no such
 * note: until it is whole its record is that of an incomplete object.
 */

static bool leaves(const struct node *node)
{
	bool goes = node->work.phase == PHASE_DELETE || node->work.phase == PHASE_UNSETTLE;

	return goes && !operation_keeps(node->target->action->operation);
}

static bool note(struct node *node)
{
	const struct target *target = node->target;
	const struct apply *apply = target->applying->apply;
	const struct action *action = target->action;
	struct object *object = node->work.task.object;
	/* What is taken off before is not resolved yet. */
	bool resolved = node->work.phase != PHASE_UNSETTLE;
	const struct unfinished_update update = {action->changes, action->change_count, &action->desired,
						 resolved ? &target->desired : &action->known};

	if (leaves(node))
		return unfinished_note_delete(object, apply->world->wall_ms(apply->world), apply->arena);
	if (object->role != OBJECT_CURRENT || object != target->old)
		return false;
	return unfinished_note_update(object, &update, apply->world->wall_ms(apply->world), apply->arena);
}

void node_note_unfinished(struct node *node)
{
	struct task *task = &node->work.task;
	bool known = unfinished_is(task->object);

	if (!task->call.mutating || !note(node))
		return;
	node->is_first_to_change = !known;
	task->record_changed = true;
}

void node_take_back_note(struct node *node)
{
	struct task *task = &node->work.task;

	if (!node->is_first_to_change || task->changed)
		return;
	unfinished_end(task->object);
	task->record_changed = true;
}
