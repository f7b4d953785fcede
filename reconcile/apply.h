#ifndef TRUEUP_RECONCILE_APPLY_H
#define TRUEUP_RECONCILE_APPLY_H

#include "base/map.h"
#include "reconcile/loop.h"
#include "reconcile/plan.h"
#include "reconcile/run_secrets.h"
#include "reconcile/sessions.h"
#include "reconcile/store.h"

/*
 * Carries out a plan: exactly its actions, in the order of its phases, side by side where
 * that order allows. One that fails stops only what depends on it.
 */

enum progress {
	PROGRESS_STARTED,
	PROGRESS_DONE,
	PROGRESS_FAILED,
	PROGRESS_UNKNOWN, /* no answer told what became of a call that changes something: the next run finds out */
	PROGRESS_SKIPPED,
	/* The run ended before the phase did: */
	PROGRESS_UNFINISHED, /* it had changed something */
	PROGRESS_UNANSWERED, /* with a call on its way that changes something */
	PROGRESS_LEFT,	     /* it had changed nothing */
};

/* What became of an action. */
enum ending {
	ENDING_NONE, /* there was nothing to carry out */
	ENDING_DONE,
	ENDING_FAILED,
	ENDING_SKIPPED,	   /* what it needs is not done, or the run ended before its turn */
	ENDING_UNFINISHED, /* begun, and the run ended, or nobody knows what became of a call of it */
};

/* One call a phase begins or ends; elapsed_ms by the boot clock, 0 at the start. */
typedef void apply_progress(void *context, enum progress progress, const struct action *action, enum phase phase,
			    int64_t elapsed_ms);

struct apply {
	struct world *world;
	struct store *store; /* the lease is held */
	const struct plan *plan;
	const struct kinds *kinds;
	const struct sessions *sessions;
	const struct stack *stack; /* for the aliases of the plan's providers */
	const struct resolver *resolver;
	/* All heads; objects that are changed are changed in place, new ones are not added. */
	struct object *const *objects;
	size_t object_count;
	/* Parallel to objects: as the plan has read them; NULL where refresh was left out. An entry may be NULL. */
	const struct live *const *live;
	bool (*load_body)(void *context, struct object *object, struct diagnostics *diagnostics);
	void *load_context;
	int64_t read_ms; /* boot clock: what the plan knows was read then or later */
	/* As in struct loop_settings. */
	bool (*give_shown)(void *context, const struct task *task, const struct watch *watch);
	/* Asked once all fields of a new object are known, and before anything of it is recorded or sent; false after a
	 * diagnostic where it must not be made. NULL: all may. */
	bool (*may_make)(void *context, const struct action *action, const struct value *desired,
			 struct diagnostics *diagnostics);
	void *give_context; /* of both */
	size_t parallelism;
	struct run_secrets secrets;
	const struct vault *vault; /* seals the secrets of intents, or NULL */
	int64_t grace_ms;	   /* how long after its answer a call's work may still appear, as in struct recovery */
	const struct map *resends; /* by object id: struct resend, see recover_resend.h; or NULL */
	bool force;		   /* deletion by force where a kind knows it */
	apply_progress *progress;
	void (*stopping)(void *context, size_t calls); /* as in struct loop_settings; NULL: nobody wants to know */
	/* Told of each call that was refused and is sent again, with what the service called that; or NULL. */
	void (*refused)(void *context, const struct action *action, struct slice code);
	void *progress_context;	   /* of all three */
	struct forecast *forecast; /* told what begins and ends; or NULL */
	struct arena *arena;

	/* What came of it. */
	enum ending *endings; /* parallel to the plan's actions, in arena */
	size_t done_count, failed_count, skipped_count, unfinished_count;
	size_t begun_count; /* of those that were not done: changed something, or may have */
	size_t request_count;
	bool interrupted;
	/* The record could not be written to the end, or the lease was lost: of what was done last it has no more than
	 * what was to be done. */
	bool unrecorded;
};

/* Whether anything was changed or recorded, or may have been, however little of it. */
bool apply_has_changed(const struct apply *apply);
/* False where anything failed, was skipped or interrupted; the diagnostics say what. */
__attribute__((warn_unused_result)) bool apply_run(struct apply *apply, struct diagnostics *diagnostics);

#endif
