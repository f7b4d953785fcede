#include "reconcile/task_queue.h"

#include <stdlib.h>

#include "base/memory.h"

void task_queue_add(struct task_queue *queue, struct task *task, task_before *before)
{
	queue->items = memory_room(queue->items, queue->count, &queue->capacity, sizeof(*queue->items));
	size_t at = queue->count++;
	while (at > 0 && before(task, queue->items[(at - 1) / 2])) {
		queue->items[at] = queue->items[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	queue->items[at] = task;
}

struct task *task_queue_take(struct task_queue *queue, task_before *before)
{
	if (queue->count == 0)
		return NULL;
	struct task *first = queue->items[0];
	struct task *moved = queue->items[--queue->count];
	size_t at = 0;
	for (;;) {
		size_t child = at * 2 + 1;
		if (child >= queue->count)
			break;
		if (child + 1 < queue->count && before(queue->items[child + 1], queue->items[child]))
			child++;
		if (!before(queue->items[child], moved))
			break;
		queue->items[at] = queue->items[child];
		at = child;
	}
	queue->items[at] = moved;
	return first;
}

void task_queue_release(struct task_queue *queue)
{
	free(queue->items);
	*queue = (struct task_queue){0};
}
