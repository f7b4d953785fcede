#ifndef TRUEUP_TESTS_UNIT_SUPPORT_LOOP_H
#define TRUEUP_TESTS_UNIT_SUPPORT_LOOP_H

#include "reconcile/loop.h"

/* A world for the loop alone: a clock that moves only while it waits, a service that answers by a script, and a
 * store that keeps nothing but a lease. */

enum { REPLIES_MOST = 256 };

/* What the service says to one request. */
struct reply {
	int64_t after_ms; /* negative: never */
	enum fault fault; /* code NULL: it is done */
	const char *code;
	const char *message;
	int repeat; /* so many times more; -1: for ever */
	int64_t retry_after_ms;
	bool doubted;
};

struct staged {
	struct world world;
	struct transport transport;
	struct store store;
	struct provider provider;
	struct session session;
	struct arena arena;
	struct diagnostics diagnostics;
	struct loop loop;
	int64_t now_ms;
	const struct reply *replies;
	int repeated;
	struct {
		const struct http_request *request;
		http_done *done;
		void *context;
		const struct reply *reply;
		int64_t due_ms;
	} pending[REPLIES_MOST];
	size_t pending_count;
	size_t sent_count;
	int64_t sent_ms; /* the latest */
	struct provider_limits limits;
	int64_t total_timeout_ms; /* of each request */
	int64_t interrupt_ms;	  /* when the first interrupt comes; 0: never */
	bool interrupted_twice;	  /* at once */
	size_t commits, closes;	  /* that were made durable */
	size_t intents;		  /* likewise */
	struct intent intent;	  /* the last of them; its texts are in the arena */
	struct slice note;	  /* of the last outcome */
	size_t failing_commit;	  /* its number, from 1 on; 0: none */
	size_t slow_commit;	  /* likewise: it takes a second */
	int64_t commit_ms;	  /* what each of them takes */
	struct crowd crowd;
	size_t told_calls; /* by an interrupt, that are waited for */
	int64_t age_ms;	   /* of what calls name, when the stage opens */
	int64_t lease_until_ms, lease_term_ms;
	bool lease_taken_away;
	bool cannot_beat; /* no sign of life can be recorded */
	int beats;
	int64_t suspended_ms; /* the machine, once something was sent: the clock of its boot does not tell */
};

/* A task that calls until it has all pages, or is refused. */
struct errand {
	struct task task;
	struct object object;
	struct staged *staged;
	int pages; /* 0: one */
	bool ended, done;
	int64_t ended_ms;
	enum fault fault; /* of the answer that it got */
	bool unsure;	  /* the same */
	bool answered;
};

void stage_open(struct staged *staged, const struct reply *replies);
void stage_close(struct staged *staged);
/* parameters: a MAP, or NULL. The task is not added yet. */
void errand_make(struct errand *errand, struct staged *staged, bool mutating, const struct value *parameters);

#endif
