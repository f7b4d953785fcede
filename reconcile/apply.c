#include "reconcile/apply.h"

#include "reconcile/apply_parts.h"

static void start(struct applying *applying, struct node *node);
static void on_ended(struct task *task, bool done);

static void tell(struct applying *applying, enum progress progress, const struct node *node)
{
	const struct apply *apply = applying->apply;
	if (apply->progress)
		apply->progress(apply->progress_context, progress, node->target->action, node->work.phase,
				progress == PROGRESS_STARTED ? 0 : loop_now_ms(&applying->loop) - node->started_ms);
}

static void node_forecast_end(struct node *node, bool done)
{
	const struct applying *applying = node->target->applying;
	if (applying->apply->forecast)
		forecast_end(applying->apply->forecast, (size_t)(node - applying->nodes), done,
			     loop_now_ms(&applying->loop), node->work.task.held_ms);
}

/* One unhappy branch stops only itself: all behind it is left for the next run. */
static void skip(struct applying *applying, struct node *node)
{
	if (node->state != NODE_WAITING)
		return;
	node->state = NODE_SKIPPED;
	node_forecast_end(node, false);
	tell(applying, PROGRESS_SKIPPED, node);
}

static void let_go_on(struct applying *applying, uint32_t number)
{
	struct node *follower = &applying->nodes[number];

	if (--follower->waits == 0 && follower->state == NODE_WAITING)
		start(applying, follower);
}

/* Breadth first over what needs, directly or not, a node that failed, or of which nobody knows. */
static void skip_followers(struct applying *applying, size_t failed)
{
	const struct graph *graph = &applying->phases.graph;
	size_t i = applying->given_up_count;
	applying->given_up[applying->given_up_count++] = (uint32_t)failed;
	for (; i < applying->given_up_count; i++) {
		uint32_t number = applying->given_up[i];
		for (uint32_t k = graph->first[number]; k < graph->first[number + 1]; k++) {
			struct node *follower = &applying->nodes[graph->successors[k]];
			if (graph->ranks[k])
				let_go_on(applying, graph->successors[k]);
			if (graph->ranks[k] || follower->state != NODE_WAITING)
				continue;
			skip(applying, follower);
			applying->given_up[applying->given_up_count++] = graph->successors[k];
		}
	}
}

static void on_refused(void *context, const struct task *task, struct slice code)
{
	const struct apply *apply = ((const struct applying *)context)->apply;

	/* What only reads is of no action. */
	if (apply->refused && task->ended == on_ended)
		apply->refused(apply->progress_context, ((const struct node *)task)->target->action, code);
}

static void on_ended(struct task *task, bool done)
{
	struct node *node = (struct node *)task;
	struct applying *applying = node->target->applying;
	const struct graph *graph = &applying->phases.graph;
	size_t index = (size_t)(node - applying->nodes);
	node_forecast_end(node, done);
	if (task->cut_short) {
		node->state = NODE_CUT;
		tell(applying,
		     task->unanswered ? PROGRESS_UNANSWERED
		     : task->changed  ? PROGRESS_UNFINISHED
				      : PROGRESS_LEFT,
		     node);
		return;
	}
	/* A call without an outcome is unknown, never failed. */
	node->state = done ? NODE_DONE : task->unanswered ? NODE_CUT : NODE_FAILED;
	tell(applying, done ? PROGRESS_DONE : task->unanswered ? PROGRESS_UNKNOWN : PROGRESS_FAILED, node);
	if (!done) {
		skip_followers(applying, index);
		return;
	}
	for (uint32_t k = graph->first[index]; k < graph->first[index + 1]; k++)
		let_go_on(applying, graph->successors[k]);
}

static void start(struct applying *applying, struct node *node)
{
	node->state = NODE_RUNNING;
	node->started_ms = loop_now_ms(&applying->loop);
	tell(applying, PROGRESS_STARTED, node);
	loop_add(&applying->loop, &node->work.task);
}

static void prepare_target(struct applying *applying, struct target *target, const struct action *action,
			   const struct map *by_id)
{
	const struct apply *apply = applying->apply;
	struct slice reason;
	*target = (struct target){.applying = applying, .action = action};
	if (action->object_id.size)
		target->old = map_get(by_id, action->object_id);
	target->current = target->old;
	if (action->displaces.size)
		target->displaced = map_get(by_id, action->displaces);
	if (action->in_spec)
		target->session = sessions_of_alias(apply->sessions, apply->stack, action->provider);
	if (target->old)
		target->old_session =
			sessions_of_identity(apply->sessions, &target->old->identity, action->provider, &reason);
	/* What is made, is made where the alias reaches now: what stood in its place may have been elsewhere. */
	if (action->in_spec && target->old && !operation_makes(action->operation) && target->old_session)
		target->session = target->old_session;
	if (!target->session)
		target->session = target->old_session;
	/* What is only recorded is recorded as it was shown, whether or not it has come to rest by then. */
	if (value_is(&action->live, VALUE_MAP) && (!action->is_busy || action->operation == OPERATION_RECORD)) {
		target->now = (struct live){
			.presence = PRESENCE_PRESENT,
			.provider_id = action->provider_id,
			.fields = action->live,
			.outputs = action->live_outputs,
			.uses = action->live_uses,
		};
		target->has_now = true;
		if (action->kind)
			target_mark(target, action->kind, &target->now);
	}
	target->read_ms = target->compared_ms = apply->read_ms;
}

static const struct object *find_recorded(const struct work *work, struct slice provider_id)
{
	const struct node *node = (const struct node *)work;
	const struct object *object = map_get(&node->target->applying->ids, provider_id);
	bool is_other = object && slice_is(object->kind, work->kind->name) &&
			identity_equal(&object->identity, &work->session->identity) &&
			!slice_equal(object->object_id, work->task.object->object_id);
	return is_other ? object : NULL;
}

static void prepare_node(struct applying *applying, size_t index)
{
	struct node *node = &applying->nodes[index];
	size_t action = applying->phases.actions[index];
	struct target *target = &applying->targets[action];
	node->target = target;
	node->waits = applying->phases.graph.waits[index];
	node->work.kind = target->action->kind;
	node->work.phase = (enum phase)applying->phases.kinds[index];
	node->work.force = applying->apply->force;
	node->work.grace_ms = applying->apply->grace_ms;
	node->work.keep = applying->apply->arena;
	node->work.style = applying->apply->secrets.style;
	node->work.find_recorded = find_recorded;
	node->work.task.step = node_step;
	node->work.task.ended = on_ended;
	node->work.task.diagnostics = applying->diagnostics;
	node->work.task.remaining = applying->phases.remaining[index];
	node->work.session = node_session(node);
}

/* Objects by id, so that a plan of 100,000 actions finds its records in one pass. */
static void prepare(struct applying *applying)
{
	struct apply *apply = applying->apply;
	const struct plan *plan = apply->plan;
	struct map by_id;
	map_init(&by_id);
	map_reserve(&by_id, apply->object_count);
	map_reserve(&applying->objects, apply->object_count);
	struct recorded *recorded = arena_new_array(apply->arena, apply->object_count + 1, struct recorded);
	for (size_t i = 0; i < apply->object_count; i++) {
		recorded[i] = (struct recorded){apply->objects[i], apply->live ? apply->live[i] : NULL};
		map_set(&by_id, apply->objects[i]->object_id, apply->objects[i]);
		if (apply->objects[i]->role == OBJECT_CURRENT)
			map_set(&applying->objects, apply->objects[i]->address, &recorded[i]);
		applying_note_recorded(applying, apply->objects[i]);
	}
	applying->targets = arena_new_array(apply->arena, plan->action_count + 1, struct target);
	applying->nodes = arena_new_array(apply->arena, applying->phases.node_count + 1, struct node);
	applying->given_up = arena_new_array(apply->arena, applying->phases.node_count + 1, uint32_t);
	for (size_t i = 0; i < plan->action_count; i++) {
		prepare_target(applying, &applying->targets[i], &plan->actions[i], &by_id);
		bool left_behind = plan->actions[i].role == OBJECT_DEPOSED;
		/* The first of several is the one that stays. */
		map_add(left_behind ? &applying->deposed : &applying->by_address, plan->actions[i].address,
			&applying->targets[i]);
	}
	for (size_t i = 0; i < applying->phases.node_count; i++)
		prepare_node(applying, i);
	map_release(&by_id);
}

/* What became of an action is what became of the worst of its phases; those before may have changed something. */
static enum ending ending_of(const struct applying *applying, size_t action, bool *ret_changed)
{
	bool any = false, failed = false, skipped = false, cut = false, left = false, changed = false;

	for (int phase = 0; phase < PHASE_COUNT; phase++) {
		uint32_t number = phases_node(&applying->phases, action, (enum phase)phase);
		if (number == NO_NODE)
			continue;
		const struct node *node = &applying->nodes[number];
		any = true;
		failed |= node->state == NODE_FAILED;
		skipped |= node->state == NODE_SKIPPED;
		cut |= node->state == NODE_CUT;
		left |= node->state != NODE_DONE;
		/* What was adopted took no call, and is recorded. */
		changed |= node->work.task.changed || (phase == PHASE_MAKE && node->state == NODE_DONE);
	}
	*ret_changed = changed;
	if (failed)
		return ENDING_FAILED;
	/* What its own later phases need is not done where it was cut. */
	if (skipped && !(cut && changed))
		return ENDING_SKIPPED;
	if (left)
		return changed ? ENDING_UNFINISHED : ENDING_SKIPPED;
	return any ? ENDING_DONE : ENDING_NONE;
}

static void count_results(struct applying *applying)
{
	struct apply *apply = applying->apply;
	size_t counts[] = {[ENDING_NONE] = 0,
			   [ENDING_DONE] = 0,
			   [ENDING_FAILED] = 0,
			   [ENDING_SKIPPED] = 0,
			   [ENDING_UNFINISHED] = 0};

	for (size_t i = 0; i < apply->plan->action_count; i++) {
		bool changed;

		apply->endings[i] = ending_of(applying, i, &changed);
		counts[apply->endings[i]]++;
		apply->begun_count += apply->endings[i] > ENDING_DONE && changed;
	}
	apply->done_count = counts[ENDING_DONE];
	apply->failed_count = counts[ENDING_FAILED];
	apply->skipped_count = counts[ENDING_SKIPPED];
	apply->unfinished_count = counts[ENDING_UNFINISHED];
}

bool apply_has_changed(const struct apply *apply)
{
	return apply->done_count + apply->begun_count > 0;
}

/* Whoever carries out knows an address; where the spec has it, the plan knows. */
static void add_places(struct applying *applying)
{
	for (size_t i = 0; i < applying->diagnostics->count; i++) {
		struct diag *diag = &applying->diagnostics->items[i];
		const struct target *target = map_get(&applying->by_address, diag->address);

		if (!target || diag->position.line > 0)
			continue;
		diag->position = target->action->position;
		if (diag->position.line == 0)
			diag->place = target->action->place;
	}
}

bool apply_run(struct apply *apply, struct diagnostics *diagnostics)
{
	struct applying applying = {.apply = apply, .diagnostics = diagnostics};
	size_t errors = diagnostics->error_count;
	struct loop_settings settings = {
		.world = apply->world,
		.store = apply->store,
		.lease = apply->store,
		.lineage = apply->plan->lineage,
		.parallelism = apply->parallelism,
		.style = apply->secrets.style,
		.vault = apply->vault,
		.read = applying_read,
		.give_shown = apply->give_shown,
		.give_context = apply->give_context,
		.stopping = apply->stopping,
		.stopping_context = apply->progress_context,
		.refused = on_refused,
		.refused_context = &applying,
		.age_ms = applying_age_ms,
		.age_context = &applying,
		.crowd = apply->forecast ? &apply->forecast->crowd : NULL,
		.diagnostics = diagnostics,
	};
	apply->endings = arena_new_array(apply->arena, apply->plan->action_count + 1, enum ending);
	if (!phases_build(&applying.phases, apply->plan, apply->arena, diagnostics)) {
		phases_release(&applying.phases);
		return false;
	}
	if (apply->forecast)
		forecast_order(apply->forecast, &applying.phases);
	loop_init(&applying.loop, &settings);
	map_init(&applying.by_address);
	map_init(&applying.deposed);
	map_init(&applying.objects);
	map_init(&applying.fresh);
	map_init(&applying.ids);
	map_init(&applying.gone);
	map_init(&applying.namers);
	map_init(&applying.holders);
	prepare(&applying);
	for (size_t i = 0; i < applying.phases.node_count; i++)
		if (applying.nodes[i].waits == 0)
			start(&applying, &applying.nodes[i]);
	apply->interrupted = !loop_run(&applying.loop);
	apply->unrecorded = applying.loop.broken;
	apply->request_count = applying.loop.request_count;
	count_results(&applying);
	add_places(&applying);
	map_release(&applying.by_address);
	map_release(&applying.deposed);
	map_release(&applying.objects);
	map_release(&applying.fresh);
	map_release(&applying.ids);
	map_release(&applying.gone);
	map_release(&applying.namers);
	map_release(&applying.holders);
	loop_release(&applying.loop);
	phases_release(&applying.phases);
	return !apply->interrupted && apply->failed_count + apply->skipped_count + apply->unfinished_count == 0 &&
	       diagnostics->error_count == errors;
}
