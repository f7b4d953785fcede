#include "reconcile/apply_parts.h"

/*
 * A plan may be old when its turn comes: the user thought it over, or what came before took long. So an
 * object that was read a minute ago or earlier is read again, together with all others whose turn it is,
 * and nothing is done to it where that would be another change than the plan has.
 */

enum { GOOD_FOR_MS = 60 * 1000 };

bool target_is_stale(const struct target *target)
{
	return loop_now_ms(&target->applying->loop) - target->read_ms > GOOD_FOR_MS;
}

bool node_must_be_as_planned(const struct node *node)
{
	const struct target *target = node->target;
	enum operation operation = target->action->operation;
	bool changes = operation == OPERATION_UPDATE || operation == OPERATION_REPLACE ||
		       operation == OPERATION_DELETE || operation == OPERATION_TAKE_BACK;
	/* What an earlier run began is not as anybody planned it, and is read by whoever finishes it. */
	return changes && target->old && target->old_session && value_is(&target->action->live, VALUE_MAP) &&
	       target->old->role != OBJECT_INCOMPLETE && target->action->role != OBJECT_INCOMPLETE;
}

bool node_must_look(const struct node *node)
{
	const struct target *target = node->target;
	return node_must_be_as_planned(node) && !target->begun && target_is_stale(target);
}

int64_t node_good_until_ms(const struct node *node)
{
	const struct task *task = &node->work.task;
	bool first = node->may_look_again && !task->changed && task->call.mutating && !task->call.is_recorded;
	return first ? node->target->read_ms + GOOD_FOR_MS : 0;
}

void node_begin_again(struct node *node)
{
	struct work *work = &node->work;
	node->begun = false;
	node->target->begun = false;
	work->stage = 0;
	work->cursor = 0;
	work->detail = NULL;
}

enum step node_look(struct node *node)
{
	struct target *target = node->target;
	const struct apply *apply = target->applying->apply;
	struct task *task = &node->work.task;
	if (!target->old->has_body && !apply->load_body(apply->load_context, target->old, task->diagnostics))
		return STEP_FAILED;
	node->looking = true;
	node->work.session = target->old_session;
	task->object = target->old;
	task->wake_ms = task->now_ms;
	return STEP_READ;
}

const struct value *node_look_fields(const struct node *node, struct arena *arena)
{
	const struct value *known = &node->target->action->known;
	const struct value *recorded = &node->target->old->resolved;
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; i < known->count; i++)
		value_builder_member(&builder, value_slice(&known->members[i].key), known->members[i].value);
	for (uint32_t i = 0; value_is(recorded, VALUE_MAP) && i < recorded->count; i++)
		if (!value_get(known, value_slice(&recorded->members[i].key)))
			value_builder_member(&builder, value_slice(&recorded->members[i].key),
					     recorded->members[i].value);
	struct value *fields = arena_new(arena, struct value);
	*fields = value_builder_map(&builder, arena);
	return fields;
}

/* What would be changed of an object that has these fields. */
static void differences(const struct target *target, const struct value *live, struct arena *arena,
			struct difference *ret)
{
	const struct json_style *style = target->applying->apply->style;
	const struct action *action = target->action;
	struct value sealed = value_null(), live_sealed = value_null();
	bool undoes = target->applying->apply->plan->undoes.size > 0;
	bool secret = value_has_secret(&action->known), live_secret = value_has_secret(live);
	if (secret)
		sealed = json_seal(arena, &action->known, style);
	if (live_secret)
		live_sealed = json_seal(arena, live, style);
	struct diff_input input = {
		.kind = action->kind,
		.wanted = &action->known,
		.sealed = secret ? &sealed : NULL,
		.applied = &target->old->resolved,
		.live = live,
		.live_sealed = live_secret ? &live_sealed : NULL,
		.restores = undoes ? &action->constants : NULL,
		.remakes = undoes && action->operation == OPERATION_REPLACE,
		.ignored = action->ignored,
		.ignored_count = action->ignored_count,
	};
	diff_resource(&input, arena, ret);
	if (operation_keeps(action->operation))
		diff_bounds(action->kind, live, arena, ret);
}

static bool is_change(const struct change *change)
{
	return change->effect == EFFECT_SET || change->effect == EFFECT_REPLACE ||
	       change->effect == EFFECT_REPLACE_UNLESS_EQUAL || change->effect == EFFECT_CONFLICT ||
	       change->effect == EFFECT_UNREAD || change->effect == EFFECT_BOUND;
}

/* The first change that the plan does not have, or NULL. What has come true already is none. */
static const struct change *find_unplanned(const struct target *target, struct arena *arena)
{
	struct difference then, now;
	struct map planned;
	const struct change *unplanned = NULL;
	differences(target, &target->action->live, arena, &then);
	differences(target, &target->now.fields, arena, &now);
	map_init(&planned);
	for (size_t i = 0; i < then.count; i++)
		if (is_change(&then.changes[i]))
			map_set(&planned, then.changes[i].path, &then.changes[i]);
	for (size_t i = 0; i < now.count && !unplanned; i++) {
		const struct change *change = &now.changes[i];
		const struct change *known = map_get(&planned, change->path);
		if (is_change(change) &&
		    (!known || known->effect != change->effect || !value_equal(&known->before, &change->before)))
			unplanned = change;
	}
	map_release(&planned);
	return unplanned;
}

static bool refuse(const struct node *node, const char *what)
{
	struct diagnostics *diagnostics = node->work.task.diagnostics;
	diag_error(diagnostics, FAULT_STALE, NOWHERE, "'%.*s' has changed since the plan was made: %s",
		   SLICE_ARGUMENTS(node->target->action->address), what);
	diag_address(diagnostics, node->target->action->address);
	diag_hint(diagnostics, "nothing was done to it: plan again, and review that");
	return false;
}

static bool refuse_unread(const struct node *node, struct slice reason)
{
	struct diagnostics *diagnostics = node->work.task.diagnostics;
	diag_error(diagnostics, FAULT_TRANSIENT, NOWHERE, "'%.*s' could not be read again before its change: %.*s",
		   SLICE_ARGUMENTS(node->target->action->address), SLICE_ARGUMENTS(reason));
	diag_address(diagnostics, node->target->action->address);
	diag_hint(diagnostics, "nothing was done to it: run again");
	return false;
}

static bool has_planned_fields(struct node *node)
{
	struct target *target = node->target;
	struct arena *scratch = &node->work.task.scratch;
	const struct change *change = find_unplanned(target, scratch);
	if (!change)
		return true;
	if (change->effect == EFFECT_UNREAD)
		return refuse_unread(node, target->now.unread_reason);
	struct slice text = arena_format(scratch, "other values are there now (%.*s)", SLICE_ARGUMENTS(change->path));
	return refuse(node, arena_string(scratch, text));
}

static bool is_as_planned(struct node *node)
{
	struct target *target = node->target;
	const struct live *now = &target->now;
	bool leaves = target->action->operation == OPERATION_DELETE;
	switch (now->presence) {
	case PRESENCE_UNREAD:
		return refuse_unread(node, now->unread_reason);
	case PRESENCE_ABSENT:
		return leaves ||
		       refuse(node, now->is_displaced ? "another one is in its place" : "it is not there any more");
	case PRESENCE_LEAVING:
		return leaves || refuse(node, "it is being deleted");
	case PRESENCE_PRESENT:
		break;
	}
	if (!slice_equal(now->provider_id, target->action->provider_id))
		return refuse(node, "another one is in its place");
	struct arena *scratch = &node->work.task.scratch;
	const struct value marks = plan_marks(target->action->kind, now, scratch);
	const char *another = plan_marks_moved(&target->action->marks, &marks, scratch, target->applying->apply->style);
	if (another)
		return refuse(node, another);
	if (now->ownership.lineage.size > 0 &&
	    !slice_equal(now->ownership.lineage, target->applying->apply->plan->lineage))
		return refuse(node, "its tags name another owner");
	return leaves || has_planned_fields(node);
}

bool node_has_looked(struct node *node)
{
	struct target *target = node->target;
	node->looking = false;
	target->now = node->work.now;
	target->has_now = target->now.readiness == READY;
	target->read_ms = loop_now_ms(&target->applying->loop);
	return is_as_planned(node);
}
