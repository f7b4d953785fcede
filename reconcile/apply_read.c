#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "reconcile/apply_parts.h"
#include "reconcile/read.h"

/*
 * Waiting is shared: one listing serves every task that waits for an object of a kind in a
 * place. The answers are copied out, so that a batch leaves nothing behind.
 */
struct waiting {
	struct read_batch batch;
	struct arena arena;
	struct task **tasks;
};

static void on_read(struct read_batch *batch)
{
	struct waiting *waiting = batch->context;
	for (size_t i = 0; i < batch->count; i++) {
		struct node *node = (struct node *)waiting->tasks[i];
		node->work.now = live_copy(node->target->applying->apply->arena, batch->requests[i].live);
		target_mark(node->target, node->work.kind, &node->work.now);
		node->work.has_now = true;
		loop_wake(batch->loop, waiting->tasks[i], &node->work.now);
	}
	/* Nothing of the batch is used after it is done, its own tasks included. */
	arena_release(&waiting->arena);
	free(waiting->tasks);
	free(waiting);
}

/* The fields that the work is about: also those that it clears, or it would not see them stay. */
static const struct value *fields_of(const struct work *work, struct arena *arena)
{
	const struct object *object = work->task.object;
	if (!work->desired)
		return value_is(&object->resolved, VALUE_MAP) ? &object->resolved : NULL;
	if (!work->released || work->released->count == 0)
		return work->desired;
	struct value *fields = arena_new(arena, struct value);
	*fields = value_overlaid(work->desired, work->released, arena);
	return fields;
}

static void start_waiting(struct loop *loop, struct task **tasks, size_t count)
{
	const struct work *first = (const struct work *)tasks[0];
	struct waiting *waiting = memory_get(sizeof(*waiting));
	arena_init(&waiting->arena);
	waiting->tasks = memory_get(count * sizeof(struct task *));
	memcpy(waiting->tasks, tasks, count * sizeof(struct task *));
	waiting->batch = (struct read_batch){
		.loop = loop,
		.session = first->session,
		.kind = first->kind,
		.requests = arena_new_array(&waiting->arena, count, struct read_request),
		.count = count,
		.arena = &waiting->arena,
		.done = on_read,
		.context = waiting,
	};
	for (size_t i = 0; i < count; i++) {
		const struct work *work = (const struct work *)tasks[i];
		const struct object *object = work->task.object;
		if (work->task.remaining > waiting->batch.remaining)
			waiting->batch.remaining = work->task.remaining;
		const struct node *node = (const struct node *)tasks[i];
		const struct value *fields =
			node->looking ? node_look_fields(node, &waiting->arena) : fields_of(work, &waiting->arena);
		waiting->batch.requests[i] = (struct read_request){
			.id = work->kind->found ? object->address : object->provider_id,
			/* Nothing is compared of what leaves, nor of what is made before it is ready. */
			.matters = !node->looking && work->phase == PHASE_DELETE ? NULL : fields,
			.once_ready = !node->looking && work->desired,
			.wanted = work->desired ? work->desired : fields,
			.observed = &object->observed,
			.outputs = &object->outputs,
			/* The task itself reads again where it must: no proof of absence is needed here. */
			.age_ms = INT64_MAX,
		};
	}
	read_start(&waiting->batch);
}

/* By nothing that hangs on where things lie in memory: the same run asks in the same order. */
static int compare_work(const void *a, const void *b)
{
	const struct work *left = *(struct work *const *)a, *right = *(struct work *const *)b;
	if (left->session->number != right->session->number)
		return left->session->number < right->session->number ? -1 : 1;
	if (left->kind != right->kind)
		return strcmp(left->kind->name, right->kind->name);
	return left->task.loop.number < right->task.loop.number ? -1 : left->task.loop.number > right->task.loop.number;
}

void applying_read(struct loop *loop, struct task *const *tasks, size_t count)
{
	struct task **sorted = memory_get(count * sizeof(struct task *));
	memcpy(sorted, tasks, count * sizeof(struct task *));
	qsort(sorted, count, sizeof(struct task *), compare_work);
	for (size_t i = 0; i < count;) {
		const struct work *first = (const struct work *)sorted[i];
		size_t end = i + 1;
		while (end < count && ((const struct work *)sorted[end])->session == first->session &&
		       ((const struct work *)sorted[end])->kind == first->kind)
			end++;
		start_waiting(loop, sorted + i, end - i);
		i = end;
	}
	free(sorted);
}
