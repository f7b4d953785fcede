#include "reconcile/loop.h"

#include <stdlib.h>

#include "base/memory.h"
#include "reconcile/loop_parts.h"
#include "reconcile/task_queue.h"

enum {
	HEARTBEAT_MS = 8000,
	/* A read waits for others to share it: the longer, the more tasks there are. */
	GATHER_MS_A_TASK = 5,
	GATHER_MOST_MS = 1000,
};

int64_t loop_now_ms(const struct loop *loop)
{
	return loop->settings.world->boot_ms(loop->settings.world);
}

static bool more_behind(const struct task *a, const struct task *b)
{
	return a->remaining != b->remaining ? a->remaining > b->remaining : a->loop.number < b->loop.number;
}

static bool due_sooner(const struct task *a, const struct task *b)
{
	return a->loop.due_ms != b->loop.due_ms ? a->loop.due_ms < b->loop.due_ms : a->loop.number < b->loop.number;
}

void loop_init(struct loop *loop, const struct loop_settings *settings)
{
	*loop = (struct loop){.settings = *settings};
	map_init(&loop->buckets);
	map_init(&loop->budgets);
	arena_init(&loop->names);
	settings->world->random(settings->world, &loop->jitter, sizeof(loop->jitter));
	loop->heartbeat_ms = world_lease_ms(settings->world) + HEARTBEAT_MS;
}

void loop_release(struct loop *loop)
{
	loop_release_calls(loop);
	task_queue_release(&loop->ready);
	task_queue_release(&loop->sleeping);
	free(loop->committing);
	free(loop->reading);
	map_release(&loop->buckets);
	map_release(&loop->budgets);
	arena_release(&loop->names);
}

void loop_make_ready(struct loop *loop, struct task *task)
{
	task_queue_add(&loop->ready, task, more_behind);
}

void loop_add(struct loop *loop, struct task *task)
{
	arena_init(&task->scratch);
	task->loop.number = loop->added++;
	task->loop.previous = NULL;
	task->loop.next = loop->tasks;
	if (loop->tasks)
		loop->tasks->loop.previous = task;
	loop->tasks = task;
	loop->alive++;
	loop_make_ready(loop, task);
}

void loop_sleep(struct loop *loop, struct task *task, int64_t due_ms)
{
	task->loop.due_ms = due_ms;
	task_queue_add(&loop->sleeping, task, due_sooner);
}

void loop_end(struct loop *loop, struct task *task, bool done)
{
	bool is_open = task->in_doubt || (task->call.mutating && loop_is_in_flight(task));
	task->unanswered |= is_open;
	task->changed |= is_open;
	task->cut_short = !done && task->loop.wanted != STEP_FAILED;
	loop_drop_exchange(loop, task);
	arena_release(&task->scratch);
	if (task->loop.next)
		task->loop.next->loop.previous = task->loop.previous;
	*(task->loop.previous ? &task->loop.previous->loop.next : &loop->tasks) = task->loop.next;
	loop->alive--;
	if (task->ended)
		task->ended(task, done);
}

static void read_later(struct loop *loop, struct task *task)
{
	loop->reading =
		memory_room(loop->reading, loop->reading_count, &loop->reading_capacity, sizeof(*loop->reading));
	if (loop->reading_count == 0)
		loop->reading_since_ms = loop_now_ms(loop);
	loop->reading[loop->reading_count++] = task;
}

void loop_wake(struct loop *loop, struct task *task, const struct live *live)
{
	task->live = live;
	loop_make_ready(loop, task);
}

/* Whether the call waited for so long that what it was decided by may not hold any more. One that may have done its
 * work unseen is for recovery to judge. */
static bool is_too_late(const struct loop *loop, const struct task *task)
{
	return task->good_until_ms > 0 && !task->loop.unsure && loop_now_ms(loop) > task->good_until_ms;
}

/* Refused, and its wait is over: but what it would do by now is for its task to see. */
static bool needs_a_look(const struct task *task)
{
	return task->call.looked_after && task->loop.again && !task->loop.unsure;
}

/* The call is not sent, or not once more: it was refused each time, and its intent is closed so. */
static void call_off(struct loop *loop, struct task *task)
{
	if (task->loop.intent.size == 0) {
		loop_make_ready(loop, task);
		return;
	}
	task->loop.close =
		(struct intent_close){.id = task->loop.intent, .outcome = OUTCOME_FAILED, .note = task->loop.refusal};
	task->loop.has_close = true;
	task->loop.intent = (struct slice){0};
	task->loop.renewals = 0;
	task->loop.refused = task->call.definition;
	task->loop.refusals = task->loop.attempts;
	task->loop.refused_since_ms = task->loop.first_ms;
	task->loop.wanted = STEP_SLEEP;
	task->wake_ms = loop_now_ms(loop);
	loop_commit_later(loop, task);
}

void loop_proceed(struct loop *loop, struct task *task)
{
	if (task->loop.wanted != STEP_DONE && loop->stopping) {
		loop_end(loop, task, false);
		return;
	}
	switch (task->loop.wanted) {
	case STEP_DONE:
	case STEP_FAILED:
		loop_end(loop, task, task->loop.wanted == STEP_DONE);
		break;
	case STEP_CALL:
		if (needs_a_look(task)) {
			call_off(loop, task);
			break;
		}
		if (!loop_admit(loop, task, true))
			break;
		if (is_too_late(loop, task))
			call_off(loop, task);
		else if (loop_lacks_intent(loop, task))
			loop_commit_later(loop, task);
		else
			loop_send(loop, task);
		break;
	case STEP_SLEEP:
		loop_sleep(loop, task, task->wake_ms);
		break;
	case STEP_READ:
		/* One whose own call is refused waits for others. */
		if (task->loop.refusals == 0)
			loop->awaited_ms = loop_now_ms(loop);
		if (task->wake_ms > loop_now_ms(loop))
			loop_sleep(loop, task, task->wake_ms);
		else
			read_later(loop, task);
		break;
	}
}

/* False where it may have taken long, so that the turn is over. */
static bool step_task(struct loop *loop, struct task *task)
{
	/* An answer that told what became of the call closes its intent. */
	bool is_unknown =
		task->loop.answer && task->call.mutating && task->loop.intent.size > 0 && !task->loop.has_close;
	bool gives;

	task->now_ms = loop_now_ms(loop);
	task->head_only = false;
	if (task->loop.answer && task->call.definition == task->loop.refused)
		task->loop.refusals = 0;
	task->loop.wanted = task->step(task, task->loop.answer);
	task->unanswered = (is_unknown || task->disowned) && task->loop.wanted == STEP_FAILED;
	gives = task->shown_to != NULL;
	if (gives)
		loop_give(loop, task);
	task->loop.answer = NULL;
	task->live = NULL;
	loop_drop_exchange(loop, task);
	task->loop.attempts = 0;
	task->loop.refusal = (struct slice){0};
	task->loop.again = task->loop.unsure = false;
	bool settles = task->settles && (task->loop.unsettled || task->loop.spent_token.size > 0);
	bool records = !task->in_doubt && (task->record_changed || task->record_removed || task->loop.has_close ||
					   task->loop.past_sending || settles);
	if (task->loop.wanted == STEP_CALL && !loop->stopping) {
		task->loop.intent = task->call.is_recorded ? task->call.intent : (struct slice){0};
		task->loop.intent_ms = task->call.intent_ms;
		task->loop.sent_ms = 0;
		/* What the step learned must not wait for a rate limit: it is committed first then. */
		if (!loop_admit(loop, task, !records) && !records)
			return !gives;
	}
	if (records)
		loop_commit_later(loop, task);
	else
		loop_proceed(loop, task);
	return !gives;
}

/* A sleeper whose time has come goes back to what it slept for. */
static void wake_sleepers(struct loop *loop)
{
	int64_t now_ms = loop_now_ms(loop);
	while (loop->sleeping.count > 0 && (loop->stopping || loop->sleeping.items[0]->loop.due_ms <= now_ms)) {
		struct task *task = task_queue_take(&loop->sleeping, due_sooner);
		if (loop->stopping)
			loop_end(loop, task, false);
		else if (task->loop.wanted == STEP_READ)
			read_later(loop, task);
		else if (task->loop.wanted == STEP_SLEEP)
			loop_make_ready(loop, task);
		else
			loop_proceed(loop, task);
	}
}

static int64_t reads_due_ms(const struct loop *loop)
{
	int64_t gather_ms = (int64_t)loop->alive * GATHER_MS_A_TASK;
	return loop->reading_since_ms + (gather_ms < GATHER_MOST_MS ? gather_ms : GATHER_MOST_MS);
}

static void start_reads(struct loop *loop)
{
	size_t count = loop->reading_count;
	if (count == 0 || (loop_now_ms(loop) < reads_due_ms(loop) && !loop->stopping))
		return;
	struct task **tasks = loop->reading;
	loop->reading = NULL;
	loop->reading_count = loop->reading_capacity = 0;
	if (loop->stopping) {
		for (size_t i = 0; i < count; i++)
			loop_end(loop, tasks[i], false);
	} else {
		loop->settings.read(loop, tasks, count);
	}
	free(tasks);
}

static bool is_full(const struct loop *loop)
{
	return loop->in_flight + loop->committing_count >= loop->settings.parallelism;
}

/* While stopping only what holds an answer is stepped, once, so that it is recorded. */
static void step_ready(struct loop *loop)
{
	while (loop->ready.count > 0) {
		if (!loop->stopping && is_full(loop))
			return;
		struct task *task = task_queue_take(&loop->ready, more_behind);
		if (loop->stopping && !task->loop.answer)
			loop_end(loop, task, false);
		else if (!step_task(loop, task))
			return;
	}
}

/* Until the deadline or an answer; while that goes on people may look at the crowd. */
static void wait_until(struct loop *loop, int64_t deadline_ms)
{
	struct crowd *crowd = loop->settings.crowd;
	int64_t began_ms = loop_now_ms(loop);
	if (crowd)
		crowd->now = loop->ready.count > 0 || loop->held_until_ms > began_ms;
	loop->settings.world->transport->wait(loop->settings.world->transport, deadline_ms);
	if (crowd && crowd->now)
		crowd->lasted_ms += loop_now_ms(loop) - began_ms;
}

static void tell_silence(struct loop *loop)
{
	int64_t now_ms = loop_now_ms(loop);
	if (!loop->settings.silence || now_ms - loop->silence_ms < LOOP_SILENCE_MS)
		return;
	loop->silence_ms = now_ms;
	loop->settings.silence(loop->settings.silence_context, now_ms - loop->heard_ms);
}

static void wait_for_something(struct loop *loop)
{
	int64_t deadline_ms = loop_now_ms(loop) + HEARTBEAT_MS;
	/* A lease that was lost, or cannot be kept, has no next sign of life. */
	if (loop->settings.lease && !loop->broken)
		deadline_ms += loop->heartbeat_ms - HEARTBEAT_MS - world_lease_ms(loop->settings.world);
	if (loop->sleeping.count > 0 && loop->sleeping.items[0]->loop.due_ms < deadline_ms)
		deadline_ms = loop->sleeping.items[0]->loop.due_ms;
	if (loop->reading_count > 0 && reads_due_ms(loop) < deadline_ms)
		deadline_ms = reads_due_ms(loop);
	if (loop->committing_count > 0 && loop_commit_due_ms(loop) < deadline_ms)
		deadline_ms = loop_commit_due_ms(loop);
	wait_until(loop, deadline_ms);
	if (loop->in_flight > 0 || loop->sleeping.count > 0)
		tell_silence(loop);
}

/* A bug, but one that must not hang: tasks are left and none of them can go on. */
static bool is_stuck(const struct loop *loop)
{
	return loop->alive > 0 && loop->ready.count == 0 && loop->sleeping.count == 0 && loop->reading_count == 0 &&
	       loop->committing_count == 0 && loop->in_flight == 0;
}

static bool must_commit(const struct loop *loop)
{
	return loop->committing_count > 0 && loop_commit_due_ms(loop) <= loop_now_ms(loop);
}

/* Ends everything at once: answers that are on their way find nobody. Their intents stay open. */
static bool abandon(struct loop *loop)
{
	loop->stopping = true;
	/* What waits for more to be recorded with it has come already. */
	loop_commit(loop);
	while (loop->tasks)
		loop_end(loop, loop->tasks, false);
	loop->ready.count = loop->sleeping.count = loop->committing_count = loop->reading_count = 0;
	return false;
}

/* What only reads is given up at once, however slow the server; a change that is out is waited for. */
void loop_stop(struct loop *loop)
{
	loop->stopping = true;
	for (struct task *task = loop->tasks, *next; task; task = next) {
		next = task->loop.next;
		if (!task->call.mutating && loop_is_in_flight(task))
			loop_end(loop, task, false);
	}
	if (loop->in_flight + loop->giving > 0 && loop->settings.stopping)
		loop->settings.stopping(loop->settings.stopping_context, loop->in_flight + loop->giving);
}

bool loop_run(struct loop *loop)
{
	loop->heard_ms = loop->silence_ms = loop_now_ms(loop);
	while (loop->alive > 0) {
		if (!loop->stopping && (loop->settings.world->interrupted(loop->settings.world) > 0 || loop->broken))
			loop_stop(loop);
		if (loop->settings.world->interrupted(loop->settings.world) > 1)
			return abandon(loop);
		loop_heartbeat(loop);
		wake_sleepers(loop);
		step_ready(loop);
		start_reads(loop);
		if (must_commit(loop))
			loop_commit(loop);
		if (is_stuck(loop)) {
			diag_error(loop->settings.diagnostics, FAULT_INTERNAL, NOWHERE,
				   "%zu tasks wait for something that will never come", loop->alive);
			return abandon(loop);
		}
		if (loop->alive > 0 && !must_commit(loop) && (loop->ready.count == 0 || is_full(loop)))
			wait_for_something(loop);
	}
	return !loop->stopping;
}
