#ifndef TRUEUP_RECONCILE_UNDO_H
#define TRUEUP_RECONCILE_UNDO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/map.h"
#include "reconcile/plan.h"
#include "reconcile/resolver.h"
#include "reconcile/resource.h"
#include "reconcile/store.h"

/*
 * Undoing a run: of what it found, what it left and what is recorded now a stack is made
 * that an ordinary plan then brings about. As with a merge of three texts, only what the run
 * itself changed goes back; what later runs changed elsewhere stays.
 */

/* Where an earlier undoing of the same run was the last to change something; it may have been cut off. */
struct undo_touched {
	struct slice address;
	const struct object *found; /* what stood there before the first of these undoings, with its body; or NULL */
};

/* A run after the one that is undone. */
struct undo_since {
	struct slice run, command;
	/* It undid that one, or a run that undid it, and so on: what it did is no later change, but a part of this. */
	bool undoes;
	bool records_only;		 /* it changed nothing but the record, and cannot be undone */
	bool forgets;			 /* of those: it took objects out of it, as it was asked to */
	bool renames;			 /* of those: it gave objects other addresses */
	const struct undo_since *undone; /* what it undid, where that is another of these; or NULL */
	const struct past_object *past;	 /* what it changed, with bodies read */
	size_t past_count;
};

struct undo_input {
	struct slice run;
	bool is_undoing; /* of another run */
	/* What came after it, the oldest first: asked for only where one of these is to be named. False where that
	 * cannot be told; NULL: likewise. */
	bool (*later)(void *context, const struct undo_since **ret, size_t *ret_count);
	/* The last run before it after which that field of what is at an address was another one; NULL: none is known.
	 */
	const struct undo_since *(*earlier)(void *context, struct slice address, const char *field);
	void *context;
	/* What the run changed, with bodies read; its kinds are known. */
	const struct past_object *past;
	size_t past_count;
	const struct call_record *calls; /* that the run sent */
	size_t call_count;
	/* What replaces had left behind when it began, and what else stood there, of what it did not change: `before`,
	 * with its body. */
	const struct past_object *beside;
	size_t beside_count;
	const struct undo_touched *touched; /* see undo_again.h */
	size_t touched_count;
	struct object *const *objects; /* as recorded now, in the order of the store, with bodies */
	size_t object_count;
	const struct live *const *live; /* of these, parallel; NULL, also of one alone: it was not read yet */
	const struct kinds *kinds;
	const struct resolver *resolver;
	/* The stack as the spec has it: its settings, and secrets, where they are still the same. */
	const struct stack *spec;
	const struct provider_settings *providers; /* of the spec, and of places that it no longer names */
	size_t provider_count;
	const struct identity *identities; /* that these reach, parallel; one that is not known is empty */
	const struct json_style *style;
	const struct slice *targets; /* addresses; none: all that the run changed */
	size_t target_count;
	struct arena *arena;
};

struct undoing {
	struct stack stack; /* what should be there */
	/* What is to be planned: what goes back, and all that refers to it. */
	struct slice *addresses;
	size_t address_count;
	/* Of what replaces have left behind there, object ids of what goes. */
	struct slice *leaving;
	size_t leaving_count;
	struct plan_note *notes; /* what cannot be undone, by address */
	size_t note_count, note_capacity;
	struct map made;  /* addresses that get another object in place of one that is gone, to their cases */
	struct map cases; /* all of them, by address */
};

/* False after diagnostics: later runs have changed the same, or need what would go. *ret lies in the arena of the
 * input. */
__attribute__((warn_unused_result)) bool undo_make(const struct undo_input *input, struct undoing *ret,
						   struct diagnostics *diagnostics);
/* For the plan of it: names later runs in the plan's own errors. In the arena of the input, which has to stay. */
const struct plan_blamer *undo_blamer(const struct undo_input *input);
/*
 * What was planned from it says so: the reasons, and what is lost for good. False after a diagnostic
 * where an action would need a secret of which the history holds the fingerprint alone.
 */
__attribute__((warn_unused_result)) bool undo_finish(struct undoing *undoing, const struct undo_input *input,
						     struct plan *plan, struct diagnostics *diagnostics);
/* Whether some of what the run did is left as it is, whatever becomes of the plan's actions. */
bool undo_leaves(const struct plan *plan);

#endif
