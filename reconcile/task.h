#ifndef TRUEUP_RECONCILE_TASK_H
#define TRUEUP_RECONCILE_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/value.h"
#include "reconcile/resource.h"
#include "reconcile/store.h"

/*
 * One running operation as a small state machine. A task's step does a little, says what
 * it waits for, and is called again when that has come. Tasks never touch a transport, a
 * store or a clock: the loop (loop.h) owns those, and with them the order of a mutating
 * call: admission, commit of results and intent, signature, sending.
 */
struct session;
struct task;
struct live;
struct exchange;

enum step {
	STEP_CALL,  /* send task->call; the next step gets its answer */
	STEP_READ,  /* read task->object again, not before task->wake_ms; then task->live is set */
	STEP_SLEEP, /* nothing until task->wake_ms (boot clock) */
	STEP_DONE,
	STEP_FAILED, /* task->diagnostics says why */
};

/* A request in the provider's own terms: unsigned, and signed afresh at each sending. */
struct call {
	struct session *session;
	const char *operation;		/* "CreateVpc"; names the rate bucket and the intent */
	const void *definition;		/* the provider's own row for the operation */
	const struct value *parameters; /* MAP, complete, secrets in clear: never stored as such */
	bool mutating;
	bool creates; /* brings the object into being: its outcome decides whether there is one */
	/* Its task looks what is there before it asks again: unanswered, it is not sent again, and where nobody took
	 * it, the task is stepped after the wait, without an answer. */
	bool looked_after;
	enum recipe recipe; /* of a mutating call */
	/* What a change does to fields, where its provider can say, so that a look tells whether it came; both MAPs, or
	 * both NULL. comes: values, or null for what is not set any more; of a map the keys, and of a set the items,
	 * that it brings or makes others. goes: of a map the keys that it takes away, to anything, and of a set the
	 * items, by what tells them apart. */
	const struct value *comes, *goes;
	struct slice intent; /* id to commit it under, where parameters carry it as a tag; empty: a new one */
	bool is_recorded;    /* intent is durable already: a call of an earlier run, sent once more */
	int64_t intent_ms;   /* of is_recorded: when it was sent first, wall */
	struct slice token;  /* idempotency token within parameters, or empty */
	/* Paths within the answer's body, or NULL: where one is missing, nobody can tell what was made. */
	const char *tells[2];
	bool shows_once; /* its answer holds what nobody is to see, whatever it looks like: nothing of it is quoted */
	/* Codes that mean "not there yet" while what the call names is young: retried. */
	const char *const *settling; /* NULL-terminated, or NULL */
};

struct answer {
	bool ok;
	enum fault fault;  /* where not ok */
	struct slice code; /* the service's own: "InvalidVpcID.NotFound" */
	struct slice message;
	struct slice hint; /* what to do about it, or empty */
	struct slice request_id;
	struct value body;	/* where ok */
	int64_t retry_after_ms; /* what the service asked for, or 0 */
	bool doubted;		/* a server that failed may say the same by accident: it counts once it is said again */
	bool unsure;		/* set by the loop: refused, but an attempt before may have done its work unseen */
};

/* The intent of a call that was not answered; in the task's scratch. */
struct unsettled {
	struct slice intent;
	const struct unsettled *before; /* or NULL */
};

struct task {
	/* answer: of the call asked for last; NULL on the first step and after a sleep or read.
	 * It and task->live are good until the step returns. */
	enum step (*step)(struct task *task, const struct answer *answer);
	void (*ended)(struct task *task, bool done); /* called once, or NULL */
	void *context;				     /* of whoever added it */
	struct arena scratch;			     /* set up by loop_add(), given back when the task ends */
	struct diagnostics *diagnostics;	     /* where this task's findings go; set by whoever adds it */
	int64_t remaining;			     /* longest path behind it: greater starts first */

	struct call call;
	int64_t now_ms; /* boot clock at the start of the step */
	int64_t wake_ms;
	const struct live *live;
	/* Of a changing call that is asked for: until when, by the boot clock, it may be sent. One that waits longer,
	 * for a rate limit or after refusals, is not: the task is stepped instead, without an answer, and keeps its
	 * turn. 0: for ever. */
	int64_t good_until_ms;

	/* What the service shows this one time, and where it is to go: a field SECRET_TO. Given away
	 * before anything of the step is recorded; NULL: nothing is shown. */
	const struct value *shown_to;
	struct slice shown;

	/* The record that this task writes: NULL for a task that only reads. Whatever a step
	 * changes in it is made durable before what that step asked for is done. */
	struct object *object;
	bool record_changed;
	bool head_only; /* of record_changed: the body is as it was; of this step alone */
	bool record_removed;
	bool record_missed; /* with record_removed: see struct removal */
	/* What a create has answered with may be somebody else's: as long as this is set nothing of that is recorded,
	 * not even that it was answered. To whoever comes after this run it is a call that nobody saw answered. */
	bool in_doubt;
	/* With record_removed: what the create was answered with is another's, which no such create hands back. What it
	 * made, if anything, is yet to be found, and counts as an outcome that nobody has seen. */
	bool disowned;
	bool settles;		/* what its calls were to do was read to be so, also of those that were not answered */
	struct object *deposed; /* made durable with the next commit too, or NULL */
	struct object *gone;	/* missed: its record is dropped with the next commit; or NULL */
	bool answered;		/* set by the loop: its last changing call was answered, and was not refused */
	bool changed;		/* set by the loop: a call of it changed something, or may have */
	bool cut_short;		/* set by the loop: the run ended before the task did, or before that was durable */
	int64_t held_ms;	/* set by the loop: how long it waited for rate limits */
	bool unanswered;	/* set by the loop: it ended with a changing call that is on its way (cut_short), is in
				 * doubt or disowned, or of which no answer tells what became: its intent stays open */

	/* The records of others that change with the next commit, in the arena of whoever runs the task. */
	struct object **others;
	size_t other_count, other_capacity;

	/* Of the loop alone. */
	struct {
		struct task *next, *previous; /* of all that are alive */
		uint64_t number;	      /* in order of adding: breaks ties, so runs repeat exactly */
		enum step wanted;	      /* what the last step asked for */
		int64_t due_ms;		      /* of a sleep, a back-off or a rate limit */
		struct slice intent;	      /* id of the open intent of the call in flight */
		int64_t intent_ms;	      /* when it was sent first under that, as recorded: so old is its token */
		int64_t sent_ms;	      /* and last, by this run; 0: by an earlier one alone */
		int renewals;		      /* of the record of that, since a call was sent under it */
		bool admitted;		      /* by the rate limit; until a call is sent */
		int64_t place;		      /* among those who want a token of it; 0: none yet */
		bool again;		      /* it is sent once more, and waits for nothing that is to come */
		struct slice created; /* id of the intent of the create that was answered last; empty: none was */
		bool past_sending;    /* is_recorded: it was refused, and is not sent once more by anybody */
		bool has_close;
		struct intent_close close;	   /* goes with the next commit */
		struct slice spent_token;	   /* of the last change that was answered, if it has one */
		const struct unsettled *unsettled; /* the last of them, or NULL */
		int attempts;
		bool unsure;	      /* one of them may have done its work unseen */
		struct slice refusal; /* how the service named the last of them that was refused */
		int64_t first_ms;     /* of the first attempt */
		const void *refused;  /* the operation of a change that was called off */
		int refusals;	      /* attempts of it, until it is answered */
		int64_t refused_since_ms;
		int64_t waited_ms; /* for answers, in all its calls */
		struct exchange *exchange;
		const struct answer *answer; /* for the next step */
	} loop;
};

#endif
