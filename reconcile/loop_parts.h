#ifndef TRUEUP_RECONCILE_LOOP_PARTS_H
#define TRUEUP_RECONCILE_LOOP_PARTS_H

#include "reconcile/loop.h"

/* What loop.c, loop_call.c and loop_commit.c share; private to the loop. */

/* A call on its way: request and answer live in its arena. */
struct exchange {
	struct exchange *next; /* in the list of idle ones */
	struct loop *loop;
	struct task *task;
	bool in_flight;
	int64_t sent_ms;
	struct arena arena;
	struct http_request request;
	struct answer answer;
};

/* The next thing for a task whose step has returned and whose record is durable. */
void loop_proceed(struct loop *loop, struct task *task);
void loop_sleep(struct loop *loop, struct task *task, int64_t due_ms);
void loop_end(struct loop *loop, struct task *task, bool done);
/* Starts nothing new from here on, and ends what only reads. */
void loop_stop(struct loop *loop);
void loop_make_ready(struct loop *loop, struct task *task);

/* Whether the rate bucket of the task's call lets it go now. If not, it sleeps until then,
 * or, where it may not sleep, nothing is done and it has to ask again. */
bool loop_admit(struct loop *loop, struct task *task, bool may_sleep);
/* The service refused a call for coming too fast. */
void loop_slow_down(struct loop *loop, const struct task *task, int64_t sent_ms);
/* The budget of retries that all tasks of a session share: false where it is spent. */
bool loop_spend_retry(struct loop *loop, const struct task *task);
void loop_note_success(struct loop *loop, const struct task *task);
void loop_send(struct loop *loop, struct task *task);
/* Whether its call was sent and is not answered. */
bool loop_is_in_flight(const struct task *task);
void loop_drop_exchange(struct loop *loop, struct task *task);
void loop_release_calls(struct loop *loop);

/* Puts away what the task's step was shown, where the stack is still ours; the step has failed where it cannot be. */
void loop_give(struct loop *loop, struct task *task);

/* Whether an intent is to be recorded, or recorded anew, before the task's call is sent. */
bool loop_lacks_intent(const struct loop *loop, const struct task *task);
/* Takes the task into the next commit. */
void loop_commit_later(struct loop *loop, struct task *task);
/* When what was taken is to be committed, at the latest. */
int64_t loop_commit_due_ms(const struct loop *loop);
/* Commits all that was taken, then lets those tasks proceed. */
void loop_commit(struct loop *loop);
/* Makes the lease last for another term; false, and sets loop->broken, where that cannot be recorded. */
bool loop_beat(struct loop *loop);
/* The same where it is time for it. */
void loop_heartbeat(struct loop *loop);
/* Why nothing can be recorded any more: somebody else may have the stack by now, or the disk is full. */
const char *loop_break_reason(const struct loop *loop, enum fault *ret);

#endif
