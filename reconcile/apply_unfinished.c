#include "reconcile/apply_parts.h"

#include <string.h>

#include "base/json.h"
#include "reconcile/unfinished.h"
#include "reconcile/unfinished_outputs.h"

/*
 * The record of what is changed or deleted says so with the first call's intent. What is being made needs no such
 * note: until it is whole its record is that of an incomplete object, with what it is made with. What the call does
 * that is sent next, the record says of both.
 */

static bool leaves(const struct node *node)
{
	return phase_leaves(node->work.phase) && !operation_keeps(node->target->action->operation);
}

static void add_dependencies(struct object *object, const struct action *action, struct arena *arena)
{
	struct dependency *all =
		arena_new_array(arena, object->dependency_count + action->wanted_count + 1, struct dependency);
	size_t count = object->dependency_count;

	if (count > 0)
		memcpy(all, object->dependencies, count * sizeof(*all));
	for (size_t i = 0; i < action->wanted_count; i++)
		if (!dependencies_have(object->dependencies, object->dependency_count, &action->wanted[i]))
			all[count++] = action->wanted[i];
	object->dependencies = all;
	object->dependency_count = count;
}

/* Of what is to be made whole; a deletion that was begun before that is over. */
static bool take_more(struct object *object, const struct unfinished_update *update, const struct target *target)
{
	struct arena *arena = target->applying->apply->arena;
	bool stays = unfinished_stay(object, arena);

	if (!unfinished_take_more(object, update, arena))
		return stays;
	add_dependencies(object, target->action, arena);
	return true;
}

static bool note(struct node *node)
{
	const struct target *target = node->target;
	const struct apply *apply = target->applying->apply;
	const struct action *action = target->action;
	struct object *object = node->work.task.object;
	/* What is taken off before is not resolved yet. */
	bool resolved = node->work.phase != PHASE_UNSETTLE;
	const struct unfinished_update update = {
		.changes = action->changes,
		.change_count = action->change_count,
		.symbolic = &action->desired,
		.resolved = resolved ? &target->desired : &action->known,
		.constants = &action->constants,
		.wanted = action->wanted,
		.wanted_count = action->wanted_count,
	};

	/* No call takes anything away before the object was read. */
	const struct unfinished_reading reading = {.kind = action->kind, .live = &node->work.now};

	if (leaves(node))
		return unfinished_note_delete(object, &reading, apply->world->wall_ms(apply->world), apply->arena);
	if (object != target->old)
		return false;
	if (object->role == OBJECT_INCOMPLETE)
		return take_more(object, &update, target);
	if (object->role != OBJECT_CURRENT)
		return false;
	return unfinished_note_update(object, &update, apply->world->wall_ms(apply->world), apply->arena);
}

/* A call that does as much again each time is told by what it makes. What was there when it is sent goes into the
 * record with its intent: the record is of the last run, and others may have changed it since. */
static bool note_before_call(struct node *node)
{
	const struct apply *apply = node->target->applying->apply;
	const struct task *task = &node->work.task;
	struct object *object = task->object;
	struct arena scratch;

	if (task->call.recipe != RECIPE_SNAPSHOT || !node->work.has_now)
		return false;
	const struct value before = unfinished_outputs_before(object, node->work.kind, slice_of(task->call.operation),
							      &node->work.now.outputs, apply->arena);
	if (value_equal(&before, &object->outputs))
		return false;
	arena_init(&scratch);
	object->outputs = before;
	object->outputs_digest = digest_of(json_canonical(&scratch, &before, apply->secrets.style));
	arena_release(&scratch);
	return true;
}

/* comes: of the call that is sent next, or NULL. */
static void note_switched(struct node *node, const struct value *comes)
{
	const struct value *now = node->work.has_now ? &node->work.now.fields : NULL;
	struct task *task = &node->work.task;

	if (!unfinished_note_switched(task->object, comes, now, node->target->applying->apply->arena))
		return;
	task->record_changed = true;
	task->head_only = false;
}

void node_note_unfinished(struct node *node)
{
	const struct apply *apply = node->target->applying->apply;
	struct task *task = &node->work.task;
	bool known = unfinished_has_note(task->object);

	if (!task->call.mutating)
		return;
	if (note_before_call(node))
		task->record_changed = true;
	bool is_new = note(node);
	note_switched(node, task->call.comes);
	if (unfinished_note_call(task->object, &task->call, apply->arena)) {
		task->record_changed = true;
		task->head_only = false;
	}
	if (!is_new) {
		task->record_changed |=
			unfinished_renew(task->object, apply->world->wall_ms(apply->world), apply->arena);
		return;
	}
	node->is_first_to_change = !known && unfinished_has_note(task->object);
	task->record_changed = true;
}

void node_withdraw_note(struct node *node)
{
	struct task *task = &node->work.task;

	if (!node->is_first_to_change || task->changed) {
		/* What others switch off after this run is theirs. */
		if (unfinished_switched(task->object))
			note_switched(node, NULL);
		return;
	}
	unfinished_end(task->object);
	task->record_changed = true;
}
