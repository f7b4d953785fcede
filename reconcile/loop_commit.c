#include <inttypes.h>
#include <stdlib.h>

#include "base/id.h"
#include "base/memory.h"
#include "reconcile/loop_parts.h"

enum {
	HEARTBEAT_EVERY_MS = 8000,
	/* Answers that come within so long of each other are committed together. Killed meanwhile, they are as
	 * answers that never came: recovery finds out what they said. */
	RESULTS_GATHER_MS = 10,
	/* Small beside the time for which recovery looks for what a call may have made: what is sent again at once,
	 * refused or not answered, takes no further commit. */
	INTENT_FRESH_MS = 10 * 1000,
	/* Of an intent before one sending: a disk may take so long that none is ever fresh. */
	RENEWALS_MOST = 3,
};

/*
 * Whoever recovers counts from the last sending, as recorded, how long its work may take to show. So an intent that a
 * call is sent under long after that, since it was refused or not answered before, or the process was suspended
 * meanwhile, is recorded anew; and so is one of an earlier run, however young.
 */
static bool is_stale(const struct loop *loop, const struct task *task)
{
	struct world *world = loop->settings.world;
	bool is_fresh = task->loop.sent_ms > 0 && world->wall_ms(world) - task->loop.sent_ms <= INTENT_FRESH_MS;
	return task->loop.intent.size > 0 && task->loop.renewals < RENEWALS_MOST && !is_fresh;
}

/* A token that the service may know already is as old as it is, however often it is sent. */
static bool is_token_in_use(const struct task *task)
{
	return task->call.is_recorded || (task->call.recipe == RECIPE_TOKEN && task->loop.unsure);
}

bool loop_lacks_intent(const struct loop *loop, const struct task *task)
{
	return task->call.mutating && task->object && (task->loop.intent.size == 0 || is_stale(loop, task));
}

/* Admission comes before the intent, so that queued work leaves none unknown. */
static bool wants_intent(const struct loop *loop, const struct task *task)
{
	return task->loop.wanted == STEP_CALL && loop_lacks_intent(loop, task) && task->loop.admitted &&
	       !loop->stopping;
}

void loop_commit_later(struct loop *loop, struct task *task)
{
	if (loop->committing_count == 0) {
		loop->committing_since_ms = loop_now_ms(loop);
		loop->committing_calls = false;
	}
	loop->committing_calls |= wants_intent(loop, task);
	loop->committing = memory_room(loop->committing, loop->committing_count, &loop->committing_capacity,
				       sizeof(*loop->committing));
	loop->committing[loop->committing_count++] = task;
}

/* One commit under construction; everything in it lives in its arena. */
struct batch {
	struct arena arena;
	struct commit commit;
	const struct object **upserts;
	struct slice *bodies;
	struct removal *removals;
	struct intent_close *closes, *corrections;
	struct intent *intents;
};

static void add_upsert(struct batch *batch, const struct loop *loop, const struct object *object, bool head_only)
{
	batch->upserts[batch->commit.upsert_count] = object;
	batch->bodies[batch->commit.upsert_count++] =
		object->has_body && !head_only ? object_body_write(object, &batch->arena, loop->settings.style)
					       : (struct slice){0};
}

/* Calls that were not answered, whose outcome is known by now. */
static const struct unsettled *unsettled_of(const struct task *task)
{
	return task->settles ? task->loop.unsettled : NULL;
}

static size_t count_closes(struct task *const *tasks, size_t count)
{
	size_t closes = count;
	for (size_t i = 0; i < count; i++)
		for (const struct unsettled *call = unsettled_of(tasks[i]); call; call = call->before)
			closes++;
	return closes;
}

/* A task may depose or drop one object and write another, and others with them. */
static size_t count_upserts(struct task *const *tasks, size_t count)
{
	size_t upserts = count * 2;
	for (size_t i = 0; i < count; i++)
		upserts += tasks[i]->other_count;
	return upserts;
}

/* What was recorded of the create, or was to be, is what nobody has seen. */
static void disown(struct batch *batch, struct task *task)
{
	struct intent_close unseen = {task->loop.created, OUTCOME_ABSENT, SLICE("answered with another's")};
	if (task->loop.has_close && slice_equal(task->loop.close.id, unseen.id))
		task->loop.close = unseen;
	else
		batch->corrections[batch->commit.correction_count++] = unseen;
}

/*
 * What is known to be done takes another token when it is to be done anew: not before a read has shown it, for as long
 * as listings lag the next run would take it for undone and do it twice. Whether the record has that to tell.
 */
static bool spend_token(struct task *task)
{
	if (!task->settles || task->loop.spent_token.size == 0)
		return false;
	task->object->spent_token = digest_of(task->loop.spent_token);
	return true;
}

static void add_record(struct batch *batch, const struct loop *loop, struct task *task)
{
	bool spent = spend_token(task);
	if (task->deposed)
		add_upsert(batch, loop, task->deposed, false);
	task->deposed = NULL;
	if (task->gone)
		batch->removals[batch->commit.removal_count++] = (struct removal){task->gone->object_id, true};
	task->gone = NULL;
	for (size_t i = 0; i < task->other_count; i++)
		add_upsert(batch, loop, task->others[i], false);
	task->other_count = 0;
	if (task->record_removed)
		batch->removals[batch->commit.removal_count++] =
			(struct removal){task->object->object_id, task->record_missed};
	else if (task->record_changed || spent)
		add_upsert(batch, loop, task->object, task->head_only && !spent);
	if (task->disowned && task->loop.created.size > 0)
		disown(batch, task);
	if (task->loop.has_close)
		batch->closes[batch->commit.close_count++] = task->loop.close;
	if (task->loop.past_sending)
		batch->intents[batch->commit.intent_count++] = (struct intent){.id = task->call.intent,
									       .object_id = task->object->object_id,
									       .creates = task->call.creates,
									       .recipe = RECIPE_TAG,
									       .wall_ms = task->loop.intent_ms,
									       .sent_ms = task->loop.sent_ms,
									       .renewed = true};
	for (const struct unsettled *call = unsettled_of(task); call; call = call->before)
		batch->closes[batch->commit.close_count++] = (struct intent_close){
			.id = call->intent,
			.outcome = OUTCOME_DONE,
			.note = SLICE("settled by reading"),
		};
}

/* The secrets that the call would be sent with again, or nothing. */
static struct slice seal_parameters(struct batch *batch, const struct loop *loop, const struct task *task,
				    struct slice intent)
{
	const struct vault *vault = loop->settings.vault;
	struct vault_filling filling;

	if (!vault || !vault->key || !value_has_secret(task->call.parameters))
		return (struct slice){"", 0};
	vault_fill(&filling, vault, intent_place(&batch->arena, intent), &batch->arena);
	vault_add(&filling, task->call.parameters);
	struct value sealed = vault_filled(&filling);
	return json_canonical(&batch->arena, &sealed, loop->settings.style);
}

static void add_intent(struct batch *batch, struct loop *loop, struct task *task)
{
	struct world *world = loop->settings.world;
	int64_t now_ms = world->wall_ms(world);
	struct slice id = task->loop.intent;
	bool renewed = id.size > 0, again = is_token_in_use(task);

	if (renewed)
		task->loop.renewals++;
	else
		id = task->call.intent.size > 0 ? task->call.intent : id_new(world, &task->scratch);
	task->loop.intent = id;
	task->loop.intent_ms = again ? task->loop.intent_ms : now_ms;
	task->loop.sent_ms = now_ms;
	batch->intents[batch->commit.intent_count++] = (struct intent){
		.id = id,
		.object_id = task->object->object_id,
		.address = task->object->address,
		.kind = task->object->kind,
		.operation = slice_of(task->call.operation),
		.recipe = task->call.recipe,
		.parameters = json_canonical(&batch->arena, task->call.parameters, loop->settings.style),
		.identity = identity_text(&batch->arena, &task->object->identity),
		.token = task->call.token,
		.wall_ms = task->loop.intent_ms,
		.sent_ms = again ? now_ms : 0,
		.creates = task->call.creates,
		.renewed = renewed,
		.sealed = renewed ? (struct slice){"", 0} : seal_parameters(batch, loop, task, id),
	};
}

static void fill(struct batch *batch, struct loop *loop, struct task **tasks, size_t count)
{
	size_t upserts = count_upserts(tasks, count);
	batch->upserts = arena_new_array(&batch->arena, upserts, const struct object *);
	batch->bodies = arena_new_array(&batch->arena, upserts, struct slice);
	batch->removals = arena_new_array(&batch->arena, count * 2, struct removal);
	batch->closes = arena_new_array(&batch->arena, count_closes(tasks, count), struct intent_close);
	batch->corrections = arena_new_array(&batch->arena, count, struct intent_close);
	batch->intents = arena_new_array(&batch->arena, count * 2, struct intent);
	for (size_t i = 0; i < count; i++) {
		add_record(batch, loop, tasks[i]);
		if (wants_intent(loop, tasks[i]))
			add_intent(batch, loop, tasks[i]);
	}
	batch->commit.upserts = batch->upserts;
	batch->commit.bodies = batch->bodies;
	batch->commit.removals = batch->removals;
	batch->commit.closes = batch->closes;
	batch->commit.corrections = batch->corrections;
	batch->commit.intents = batch->intents;
}

static bool make_durable(struct loop *loop, const struct commit *commit)
{
	struct store *store = loop->settings.store;
	if (!store) {
		diag_error(loop->settings.diagnostics, FAULT_INTERNAL, NOWHERE,
			   "a record was to be written without a store");
		return false;
	}
	return store_make_durable(store, commit, loop->settings.diagnostics);
}

int64_t loop_commit_due_ms(const struct loop *loop)
{
	/* Nothing that could join it is on its way, or somebody waits for it to be durable. */
	if (loop->committing_calls || loop->stopping || loop->in_flight == 0)
		return loop->committing_since_ms;
	return loop->committing_since_ms + RESULTS_GATHER_MS;
}

void loop_commit(struct loop *loop)
{
	size_t count = loop->committing_count;
	if (count == 0)
		return;
	struct batch batch = {0};
	arena_init(&batch.arena);
	struct task **tasks = loop->committing;
	loop->committing = NULL;
	loop->committing_count = loop->committing_capacity = 0;
	fill(&batch, loop, tasks, count);
	bool durable = make_durable(loop, &batch.commit);
	loop->broken |= !durable;
	for (size_t i = 0; i < count; i++) {
		struct task *task = tasks[i];
		if (!durable) {
			loop_end(loop, task, false);
			continue;
		}
		task->record_changed = task->record_removed = task->record_missed = false;
		task->disowned = task->loop.has_close = false;
		task->loop.past_sending = false;
		if (task->settles) {
			task->loop.unsettled = NULL;
			task->loop.spent_token = (struct slice){NULL, 0};
		}
		loop_proceed(loop, task);
	}
	free(tasks);
	arena_release(&batch.arena);
	if (!durable && !loop->stopping)
		loop_stop(loop);
}

bool loop_beat(struct loop *loop)
{
	struct store *store = loop->settings.lease;
	loop->heartbeat_ms = world_lease_ms(loop->settings.world) + HEARTBEAT_EVERY_MS;
	if (!store->ops->heartbeat(store, loop->settings.diagnostics))
		loop->broken = true;
	return !loop->broken;
}

void loop_heartbeat(struct loop *loop)
{
	if (loop->settings.lease && !loop->broken && world_lease_ms(loop->settings.world) >= loop->heartbeat_ms)
		(void)loop_beat(loop);
}

const char *loop_break_reason(const struct loop *loop, enum fault *ret)
{
	struct store *store = loop->settings.lease;
	bool lost = store && store->ops->lease_left_ms(store) <= 0;
	*ret = lost ? FAULT_LEASE : FAULT_USER;
	return lost ? "the lease on the stack was lost" : "the record cannot be written";
}
