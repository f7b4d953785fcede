#ifndef TRUEUP_RECONCILE_TASK_QUEUE_H
#define TRUEUP_RECONCILE_TASK_QUEUE_H

#include "reconcile/loop.h"

/* before(a, b): a comes out earlier than b. Equal ones come out in no fixed order, so
 * callers break ties by task->loop.number. */
typedef bool task_before(const struct task *a, const struct task *b);

void task_queue_add(struct task_queue *queue, struct task *task, task_before *before);
struct task *task_queue_take(struct task_queue *queue, task_before *before);
void task_queue_release(struct task_queue *queue);

#endif
