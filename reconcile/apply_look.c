#include "reconcile/apply_parts.h"

/*
 * A plan may be old when its turn comes: the user thought it over, or what came before took long, an earlier phase of
 * the same action too. So an object that was compared a minute ago or earlier is read again before a phase that changes
 * it, together with all others whose turn it is, and nothing is done to it where that would be another change than the
 * plan has.
 */

enum { GOOD_FOR_MS = 60 * 1000 };

static bool is_too_old(const struct target *target, int64_t since_ms)
{
	return loop_now_ms(&target->applying->loop) - since_ms > GOOD_FOR_MS;
}

bool target_is_stale(const struct target *target)
{
	return is_too_old(target, target->read_ms);
}

static bool was_begun(const struct target *target)
{
	return (target->old && target->old->role == OBJECT_INCOMPLETE) || target->action->role == OBJECT_INCOMPLETE;
}

static bool must_be_as_planned(const struct node *node)
{
	const struct target *target = node->target;
	enum operation operation = target->action->operation;
	bool changes = operation_keeps(operation) || operation_ends(operation);
	/* Until it is taken on nothing is recorded of it; after that it is as this run has left it. */
	if (operation == OPERATION_ADOPT)
		return !target->current && target->session && value_is(&target->action->live, VALUE_MAP);
	/* What an earlier run began is not as anybody planned it, and is read by whoever finishes it: only who it is
	 * was planned, of what tells that. */
	return changes && target->old && target->old_session && value_is(&target->action->live, VALUE_MAP) &&
	       (!was_begun(target) || value_is(&target->action->marks, VALUE_MAP));
}

bool node_changes_planned(const struct node *node)
{
	bool replaces = node->target->action->operation == OPERATION_REPLACE;
	return must_be_as_planned(node) && (phase_leaves(node->work.phase) || !replaces);
}

/* Nor is a new object made where the one that it is to replace is not as planned. What is found is not made: a plan
 * that read anything has read that itself. */
static bool begins_replacing(const struct node *node)
{
	const struct action *action = node->target->action;
	return node->work.phase == PHASE_MAKE && action->operation == OPERATION_REPLACE &&
	       (action->create_before_destroy || action->kind->found) && must_be_as_planned(node);
}

bool node_must_look(const struct node *node)
{
	return (node_changes_planned(node) || begins_replacing(node)) &&
	       is_too_old(node->target, node->target->compared_ms);
}

int64_t node_good_until_ms(const struct node *node)
{
	const struct task *task = &node->work.task;
	bool first = node->may_look_again && !task->changed && task->call.mutating && !task->call.is_recorded;
	return first ? node->target->compared_ms + GOOD_FOR_MS : 0;
}

void node_begin_again(struct node *node)
{
	struct work *work = &node->work;
	node->begun = false;
	work->stage = 0;
	work->cursor = 0;
	work->detail = NULL;
	work->sent = value_null();
}

/* What is to be taken on has no record yet that could be asked for. */
static struct object *unrecorded(const struct target *target)
{
	const struct action *action = target->action;
	struct object *object = arena_new(target->applying->apply->arena, struct object);
	*object = (struct object){
		.address = action->address,
		.kind = slice_of(action->kind->name),
		.identity = target->session->identity,
		.provider = action->provider,
		.provider_id = action->provider_id,
		.has_body = true,
		.outputs = value_map(NULL, 0),
		.resolved = value_map(NULL, 0),
		.observed = value_map(NULL, 0),
	};
	return object;
}

enum step node_look(struct node *node)
{
	struct target *target = node->target;
	const struct apply *apply = target->applying->apply;
	struct task *task = &node->work.task;
	struct object *object = target->old ? target->old : unrecorded(target);
	if (!object->has_body && !apply->load_body(apply->load_context, object, task->diagnostics))
		return STEP_FAILED;
	node->looking = true;
	node->work.session = target->old ? target->old_session : target->session;
	task->object = object;
	task->wake_ms = task->now_ms;
	return STEP_READ;
}

const struct value *node_look_fields(const struct node *node, struct arena *arena)
{
	/* No field of it is compared, nor needed to delete it. */
	if (node->work.phase == PHASE_DELETE && node->target->action->operation == OPERATION_DELETE)
		return NULL;
	const struct value *known = &node->target->action->known;
	const struct value *recorded = &node->work.task.object->resolved;
	struct value *fields = arena_new(arena, struct value);
	*fields = value_overlaid(recorded, known, arena);
	return fields;
}

/* What would be changed of an object that has these fields. */
static void differences(const struct target *target, const struct value *live, struct arena *arena,
			struct difference *ret)
{
	const struct action *action = target->action;
	bool undoes = target->applying->apply->plan->undoes.size > 0;
	struct diff_input input = {
		.kind = action->kind,
		.style = target->applying->apply->secrets.style,
		.wanted = &action->known,
		.applied = target->old ? &target->old->resolved : NULL,
		.live = live,
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

void node_note_sent(const struct node *node)
{
	struct target *target = node->target;
	struct arena *arena = target->applying->apply->arena;
	if (!node_changes_planned(node) || !value_is(&node->work.sent, VALUE_MAP))
		return;
	const struct value sent = value_copy(arena, &node->work.sent);
	target->sent = value_overlaid(&target->sent, &sent, arena);
}

/* What both ends say (MIRRORED) another action of this plan lets go of at its own end, of what makes way for another.
 */
static bool is_let_go_of_elsewhere(const struct node *node, const struct change *change)
{
	bool makes_way = node->target->action->operation == OPERATION_REPLACE && phase_leaves(node->work.phase);
	return makes_way && change->field && (change->field->flags & MIRRORED) && value_is(&change->before, VALUE_NULL);
}

/* The first change that the plan does not have, nor this action has made, or NULL. What has come true already is none.
 */
static const struct change *find_unplanned(const struct node *node, struct arena *arena)
{
	const struct target *target = node->target;
	struct difference then, now;
	struct map planned;
	const struct change *unplanned = NULL;
	const struct value left = value_overlaid(&target->action->live, &target->sent, arena);
	differences(target, &left, arena, &then);
	differences(target, &node->work.now.fields, arena, &now);
	map_init(&planned);
	for (size_t i = 0; i < then.count; i++)
		if (is_change(&then.changes[i]))
			map_set(&planned, then.changes[i].path, &then.changes[i]);
	for (size_t i = 0; i < now.count && !unplanned; i++) {
		const struct change *change = &now.changes[i];
		const struct change *known = map_get(&planned, change->path);
		if (is_change(change) && !is_let_go_of_elsewhere(node, change) &&
		    (!known || known->effect != change->effect || !value_equal(&known->before, &change->before)))
			unplanned = change;
	}
	map_release(&planned);
	return unplanned;
}

static const char *what_was_done(const struct node *node)
{
	return node->target->begun ? "it was left as it is now" : "nothing was done to it";
}

static bool refuse(const struct node *node, const char *what)
{
	struct diagnostics *diagnostics = node->work.task.diagnostics;
	diag_error(diagnostics, FAULT_STALE, NOWHERE, "'%.*s' has changed since the plan was made: %s",
		   SLICE_ARGUMENTS(node->target->action->address), what);
	diag_address(diagnostics, node->target->action->address);
	diag_hint(diagnostics, "%s: plan again, and review that", what_was_done(node));
	return false;
}

static bool refuse_unread(const struct node *node, struct slice reason)
{
	struct diagnostics *diagnostics = node->work.task.diagnostics;
	diag_error(diagnostics, FAULT_TRANSIENT, NOWHERE, "'%.*s' could not be read again before its change: %.*s",
		   SLICE_ARGUMENTS(node->target->action->address), SLICE_ARGUMENTS(reason));
	diag_address(diagnostics, node->target->action->address);
	diag_hint(diagnostics, "%s: run again", what_was_done(node));
	return false;
}

static bool has_planned_fields(struct node *node)
{
	struct arena *scratch = &node->work.task.scratch;
	const struct change *change = find_unplanned(node, scratch);
	if (!change)
		return true;
	if (change->effect == EFFECT_UNREAD)
		return refuse_unread(node, node->work.now.unread_reason);
	return refuse(node, arena_text(scratch, "other values are there now (%.*s)", SLICE_ARGUMENTS(change->path)));
}

static bool is_as_planned(struct node *node)
{
	const struct target *target = node->target;
	const struct live *now = &node->work.now;
	bool leaves = target->action->operation == OPERATION_DELETE;
	/* Of a replace that has begun the old object goes in any case. */
	bool may_be_gone = leaves || (target->begun && phase_leaves(node->work.phase));
	switch (now->presence) {
	case PRESENCE_UNREAD:
		return refuse_unread(node, now->unread_reason);
	case PRESENCE_ABSENT:
		return may_be_gone ||
		       refuse(node, now->is_displaced ? "another one is in its place" : "it is not there any more");
	case PRESENCE_LEAVING:
		return may_be_gone || refuse(node, "it is being deleted");
	case PRESENCE_PRESENT:
		break;
	}
	if (!slice_equal(now->provider_id, target->action->provider_id))
		return refuse(node, "another one is in its place");
	struct arena *scratch = &node->work.task.scratch;
	const struct value marks = plan_marks(target->action->kind, now, scratch);
	const char *another =
		plan_marks_moved(&target->action->marks, &marks, scratch, target->applying->apply->secrets.style);
	if (another)
		return refuse(node, another);
	if (now->ownership.lineage.size > 0 &&
	    !slice_equal(now->ownership.lineage, target->applying->apply->plan->lineage))
		return refuse(node, "its tags name another owner");
	return leaves || was_begun(target) || has_planned_fields(node);
}

bool node_has_looked(struct node *node)
{
	struct target *target = node->target;
	node->looking = false;
	node->work.has_now = node->work.now.readiness == READY;
	target->compared_ms = loop_now_ms(&target->applying->loop);
	if (target->current == target->old) {
		target->now = node->work.now;
		target->has_now = node->work.has_now;
		target->read_ms = target->compared_ms;
	}
	return is_as_planned(node);
}
