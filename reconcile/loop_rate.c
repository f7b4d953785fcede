#include <stdio.h>

#include "reconcile/loop_parts.h"

/* How fast calls go out, and how many are spent on trying again. */

enum {
	/* A rate that was halved is back after so long without another refusal. */
	RECOVERY_S = 60,
	/* Calls sent once more because the place failed, before a run gives that up... */
	RETRIES_MOST = 100,
	/* ...and calls that succeed for each one more that it gets. */
	SUCCESSES_A_RETRY = 10,
	/* Calls that wait for their turn go out together, for one commit of their intents: each may wait so much
	 * longer, as a part of its own wait and at most. */
	TOGETHER_PART = 16,
	TOGETHER_MOST_MS = 2048,
};

/* A token bucket: one for each session and operation, adapted when the service throttles. */
struct bucket {
	double tokens;
	double burst;
	double per_second; /* now */
	double documented; /* per second; 0: no limit is known */
	int64_t filled_ms;
	int64_t slowed_ms;
};

/* One for each session: where a place is down, asking it thousands of times helps nobody. */
struct budget {
	double retries;
};

static struct slice key_of(const struct task *task, const char *operation, char *text, size_t size)
{
	int length = snprintf(text, size, "%p %s", (const void *)task->call.session, operation);
	return (struct slice){text, length > 0 ? (size_t)length : 0};
}

static struct bucket *bucket_of(struct loop *loop, const struct task *task)
{
	char text[256];
	struct slice key = key_of(task, task->call.operation, text, sizeof(text));
	struct bucket *bucket = map_get(&loop->buckets, key);
	if (bucket)
		return bucket;
	struct provider_limits limits = task->call.session->provider->limits(&task->call);
	bucket = arena_new(&loop->names, struct bucket);
	*bucket = (struct bucket){
		.tokens = limits.burst,
		.burst = limits.burst,
		.per_second = limits.per_second,
		.documented = limits.per_second,
		.filled_ms = loop_now_ms(loop),
	};
	map_add(&loop->buckets, arena_copy(&loop->names, key), bucket);
	return bucket;
}

static struct budget *budget_of(struct loop *loop, const struct task *task)
{
	char text[64];
	struct slice key = key_of(task, "", text, sizeof(text));
	struct budget *budget = map_get(&loop->budgets, key);
	if (budget)
		return budget;
	budget = arena_new(&loop->names, struct budget);
	budget->retries = RETRIES_MOST;
	map_add(&loop->budgets, arena_copy(&loop->names, key), budget);
	return budget;
}

static void fill(struct bucket *bucket, int64_t now_ms)
{
	double seconds = (double)(now_ms - bucket->filled_ms) / 1000.0;
	bucket->tokens += seconds * bucket->per_second;
	if (bucket->tokens > bucket->burst)
		bucket->tokens = bucket->burst;
	bucket->per_second += seconds * bucket->documented / RECOVERY_S;
	if (bucket->per_second > bucket->documented)
		bucket->per_second = bucket->documented;
	bucket->filled_ms = now_ms;
}

/* A time not before due_ms that others who wait as long share. */
static int64_t time_together(int64_t now_ms, int64_t due_ms)
{
	int64_t step_ms = 1;
	while (step_ms < TOGETHER_MOST_MS && step_ms * 2 * TOGETHER_PART <= due_ms - now_ms)
		step_ms *= 2;
	return due_ms + (step_ms - due_ms % step_ms) % step_ms;
}

bool loop_admit(struct loop *loop, struct task *task, bool may_sleep)
{
	if (task->loop.admitted)
		return true;
	struct bucket *bucket = bucket_of(loop, task);
	int64_t now_ms = loop_now_ms(loop);
	if (bucket->documented > 0) {
		fill(bucket, now_ms);
		if (bucket->tokens < 1.0 && !may_sleep)
			return false;
		/* May fall below zero: then each further task waits for its own token, in order. */
		bucket->tokens -= 1.0;
	}
	task->loop.admitted = true;
	if (bucket->documented <= 0 || bucket->tokens >= 0)
		return true;
	int64_t due_ms = now_ms + (int64_t)(-bucket->tokens * 1000.0 / bucket->per_second) + 1;
	due_ms = time_together(now_ms, due_ms);
	task->held_ms += due_ms - now_ms;
	if (due_ms > loop->held_until_ms)
		loop->held_until_ms = due_ms;
	loop_sleep(loop, task, due_ms);
	return false;
}

void loop_slow_down(struct loop *loop, const struct task *task, int64_t sent_ms)
{
	struct bucket *bucket = bucket_of(loop, task);
	/* Calls that went out side by side are refused side by side: that is one reason to slow down, not many. */
	if (bucket->documented <= 0 || (bucket->slowed_ms > 0 && sent_ms <= bucket->slowed_ms))
		return;
	fill(bucket, loop_now_ms(loop));
	if (bucket->tokens > 0)
		bucket->tokens = 0;
	bucket->per_second /= 2;
	bucket->slowed_ms = loop_now_ms(loop);
}

void loop_note_success(struct loop *loop, const struct task *task)
{
	struct budget *budget = budget_of(loop, task);
	budget->retries += 1.0 / SUCCESSES_A_RETRY;
	if (budget->retries > RETRIES_MOST)
		budget->retries = RETRIES_MOST;
}

bool loop_spend_retry(struct loop *loop, const struct task *task)
{
	struct budget *budget = budget_of(loop, task);
	if (budget->retries < 1.0)
		return false;
	budget->retries -= 1.0;
	return true;
}
