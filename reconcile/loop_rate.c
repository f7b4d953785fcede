#include <stdio.h>

#include "reconcile/loop_parts.h"

/* How fast calls go out, and how many are spent on trying again. */

enum {
	/* A rate that was halved is back after so long without another refusal. */
	RECOVERY_S = 60,
	/* However often a service refuses, this part of what it documents is asked of it. */
	SLOWEST_PART = 8,
	/* While a rate is on its way back, nobody can tell when a turn comes: who waits looks again after so long. */
	LOOK_AGAIN_MS = 4096,
	/* Calls sent once more because the place failed, before a run gives that up... */
	RETRIES_MOST = 100,
	/* ...and calls that succeed for each one more that it gets. */
	SUCCESSES_A_RETRY = 10,
	/* Calls that wait for their turn go out together, for one commit of their intents: each may wait so much
	 * longer, as a part of its own wait and at most. */
	TOGETHER_PART = 16,
	TOGETHER_MOST_MS = 2048,
};

/* Who wants a token, and the tokens, are numbered: number n goes once token n is there. */
struct line {
	double tokens;
	int64_t places;
};

/*
 * A token bucket: one for each session and operation, adapted when the service throttles. What is sent once more has
 * a line of its own, which gets its tokens first; but not what waits for others, who may stand in the first line.
 * Nobody is told a time for good: a rate that changes is that of all who wait.
 */
struct bucket {
	struct line first, again;
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
		.first = {.tokens = limits.burst},
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

/* So many tokens are wanted and not there; negative: so many are there for whoever comes. */
static double lack(const struct line *line)
{
	return (double)line->places - line->tokens;
}

static double at_most(double number, double most)
{
	return number < most ? number : most;
}

static void fill(struct bucket *bucket, int64_t now_ms)
{
	double seconds = (double)(now_ms - bucket->filled_ms) / 1000.0;
	double tokens = seconds * bucket->per_second;
	double again = at_most(tokens, lack(&bucket->again));
	bucket->again.tokens += again;
	bucket->first.tokens += tokens - again;
	bucket->first.tokens = at_most(bucket->first.tokens, (double)bucket->first.places + bucket->burst);
	bucket->per_second =
		at_most(bucket->per_second + seconds * bucket->documented / RECOVERY_S, bucket->documented);
	bucket->filled_ms = now_ms;
}

static struct line *line_of(struct bucket *bucket, const struct task *task)
{
	return task->loop.again ? &bucket->again : &bucket->first;
}

static void take_place(struct bucket *bucket, struct task *task)
{
	struct line *line = line_of(bucket, task);
	double left = -lack(&bucket->first);
	task->loop.place = ++line->places;
	if (line == &bucket->again && left > 0) {
		bucket->again.tokens += at_most(left, 1.0);
		bucket->first.tokens -= at_most(left, 1.0);
	}
}

/* A time not before due_ms that others who wait as long share. */
static int64_t time_together(int64_t now_ms, int64_t due_ms)
{
	int64_t step_ms = 1;
	while (step_ms < TOGETHER_MOST_MS && step_ms * 2 * TOGETHER_PART <= due_ms - now_ms)
		step_ms *= 2;
	return due_ms + (step_ms - due_ms % step_ms) % step_ms;
}

/* Until its turn comes, or may have come. */
static void wait_for_turn(struct loop *loop, struct task *task, struct bucket *bucket)
{
	const struct line *line = line_of(bucket, task);
	int64_t now_ms = loop_now_ms(loop);
	double before = line == &bucket->first ? lack(&bucket->again) : 0;
	double missing = (double)task->loop.place - line->tokens + before;
	int64_t wait_ms = (int64_t)(missing * 1000.0 / bucket->per_second) + 1;
	if (bucket->per_second < bucket->documented && wait_ms > LOOK_AGAIN_MS)
		wait_ms = LOOK_AGAIN_MS;
	int64_t due_ms = time_together(now_ms, now_ms + wait_ms);
	task->held_ms += due_ms - now_ms;
	if (due_ms > loop->held_until_ms)
		loop->held_until_ms = due_ms;
	loop_sleep(loop, task, due_ms);
}

bool loop_admit(struct loop *loop, struct task *task, bool may_sleep)
{
	if (task->loop.admitted)
		return true;
	struct bucket *bucket = bucket_of(loop, task);
	if (bucket->documented > 0) {
		fill(bucket, loop_now_ms(loop));
		if (task->loop.place == 0) {
			if (lack(&bucket->first) > -1.0 && !may_sleep)
				return false;
			take_place(bucket, task);
		}
		if ((double)task->loop.place > line_of(bucket, task)->tokens) {
			wait_for_turn(loop, task, bucket);
			return false;
		}
	}
	task->loop.place = 0;
	task->loop.admitted = true;
	return true;
}

void loop_slow_down(struct loop *loop, const struct task *task, int64_t sent_ms)
{
	struct bucket *bucket = bucket_of(loop, task);
	/* Calls that went out side by side are refused side by side: that is one reason to slow down, not many. */
	if (bucket->documented <= 0 || (bucket->slowed_ms > 0 && sent_ms <= bucket->slowed_ms))
		return;
	fill(bucket, loop_now_ms(loop));
	bucket->first.tokens = at_most(bucket->first.tokens, (double)bucket->first.places);
	bucket->per_second /= 2;
	if (bucket->per_second < bucket->documented / SLOWEST_PART)
		bucket->per_second = bucket->documented / SLOWEST_PART;
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
