#ifndef TRUEUP_RECONCILE_LOOP_H
#define TRUEUP_RECONCILE_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vault.h"
#include "base/world.h"
#include "reconcile/provider.h"
#include "reconcile/store.h"
#include "reconcile/task.h"

/*
 * Runs tasks. One turn: step what is ready, commit what the steps left to be recorded and
 * the intents of the calls they asked for, send those calls, wait for the next answer or
 * the next clock. Nothing that changes the world is sent before its intent is durable. Where
 * nothing waits to be sent, what is to be recorded waits a few milliseconds for answers that
 * are about to come, so that they are committed together.
 */

struct loop;
struct exchange;
struct bucket;
struct budget;

/* Tasks that wait for one reason, ordered by a number: the least comes first. */
struct task_queue {
	struct task **items; /* owned; binary heap */
	size_t count;
	size_t capacity;
};

/* How long tasks wait for their turn: for a call in flight to end where no more may be, or for a rate limit. */
struct crowd {
	bool now;	   /* some task does */
	int64_t lasted_ms; /* so far, until the last wait began */
};

enum {
	/* So long after it was made or changed an object may still be unknown to some part of its service. */
	LOOP_SETTLING_MS = 5 * 60 * 1000,
	/* How long a service knows a token, where its documentation does not say. */
	LOOP_TOKEN_LIFE_MS = 60 * 60 * 1000,
	LOOP_SILENCE_MS = 30 * 1000,
};

struct loop_settings {
	struct world *world;
	struct store *store; /* NULL: nothing is recorded, so mutating calls are refused */
	/* Whose lease is kept alive meanwhile, also where nothing is recorded; NULL: none is held. */
	struct store *lease;
	struct slice lineage;
	size_t parallelism;		/* calls in flight at once */
	const struct json_style *style; /* for intents: gives fingerprints of secrets */
	const struct vault *vault;	/* seals the secrets of intents; NULL: their fingerprints must do */
	/* Reads an object again for tasks that wait for it (STEP_READ): adds tasks of its own
	 * and calls loop_wake() for each of `tasks`. NULL where no task asks for that. */
	void (*read)(struct loop *loop, struct task *const *tasks, size_t count);
	void *read_context;
	/* Told once, when an interrupt finds changing calls in flight that are waited for; or NULL. */
	void (*stopping)(void *context, size_t calls);
	void *stopping_context;
	/* Told of each call that was refused and is sent again, with what the service called that; or NULL. */
	void (*refused)(void *context, const struct task *task, struct slice code);
	void *refused_context;
	/* Told every LOOP_SILENCE_MS for which no call was answered well; or NULL. */
	void (*silence)(void *context, int64_t lasted_ms);
	void *silence_context;
	/* How long ago the newest of our objects was made or changed of which a call may be told that it is not there,
	 * in that message; INT64_MAX: it names none. NULL where that is not known: then a call is young for some
	 * minutes. */
	int64_t (*age_ms)(void *context, const struct call *call, struct slice message);
	void *age_context;
	/* Puts what task->shown is where task->shown_to says, asking watch where that takes long; false after a
	 * diagnostic of the task's. NULL where no task is shown anything. */
	bool (*give_shown)(void *context, const struct task *task, const struct watch *watch);
	void *give_context;
	struct crowd *crowd;		 /* kept here; or NULL */
	struct diagnostics *diagnostics; /* for what concerns no task: lease, commit */
};

struct loop {
	struct loop_settings settings;
	struct task_queue ready;    /* by remaining, greatest first */
	struct task_queue sleeping; /* by wake_ms */
	struct task **committing;   /* tasks whose record or intent is not durable yet */
	size_t committing_count, committing_capacity;
	int64_t committing_since_ms; /* since when the first of them waits */
	bool committing_calls;	     /* one of them waits to be sent */
	struct task **reading;	     /* tasks that wait for their object to be read */
	size_t reading_count, reading_capacity;
	int64_t reading_since_ms; /* since when the first of them waits */
	struct task *tasks;	  /* added and not ended, the newest first */
	size_t alive;		  /* how many */
	size_t in_flight;	  /* calls sent and not answered */
	size_t giving;		  /* answers that are being put where they are to go: at most one */
	struct exchange *idle_exchanges;
	struct map buckets; /* "session operation" to struct bucket */
	struct map budgets; /* "session" to struct budget */
	struct arena names; /* holds the keys of buckets, and what lives as long as the loop */
	size_t request_count;
	int64_t held_until_ms; /* until then some task waits for a rate limit */
	bool stopping;	       /* interrupted or broken: start nothing new */
	bool broken;	       /* nothing can be recorded any more: send nothing more at all */
	uint64_t jitter;       /* state of the generator that spreads retries */
	uint64_t added;
	int64_t heard_ms;     /* since when no call was answered well, */
	int64_t silence_ms;   /* and until when that was told */
	int64_t awaited_ms;   /* when a task last asked to see whether its object is ready, or gone */
	int64_t heartbeat_ms; /* when the lease is due for its next sign of life, by the clock of leases */
};

void loop_init(struct loop *loop, const struct loop_settings *settings);
void loop_release(struct loop *loop);
/* The task is ready for its first step. It must outlive its end. */
void loop_add(struct loop *loop, struct task *task);
/* A task that waited for a read goes on with it. live is good until its next step returns;
 * NULL: the read failed, as the task's diagnostics say. */
void loop_wake(struct loop *loop, struct task *task, const struct live *live);
/* Until no task is left, or stopping has drained what was in flight. False where it stopped early. */
__attribute__((warn_unused_result)) bool loop_run(struct loop *loop);
int64_t loop_now_ms(const struct loop *loop);

#endif
