#ifndef TRUEUP_RECONCILE_PLAN_H
#define TRUEUP_RECONCILE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/digest.h"
#include "base/value.h"
#include "reconcile/decide.h"
#include "reconcile/diff.h"
#include "reconcile/kind.h"
#include "reconcile/provider.h"
#include "reconcile/resolver.h"
#include "reconcile/resource.h"
#include "reconcile/run_secrets.h"
#include "reconcile/store.h"

/*
 * A plan is a value: what would be done to which object, and why. It can be shown, saved,
 * digested, compared and applied; making one asks nobody anything.
 */

struct action {
	enum operation operation;
	const char *reason;
	struct slice address;
	const struct kind *kind;
	struct position position; /* in the spec, or none */
	struct slice place;	  /* the same for people, "net/web.yaml:14:3"; filled in by whoever knows the files */
	struct slice provider;	  /* alias it goes through */
	struct identity identity;
	bool in_spec;
	/* The object that is there: empty for a create. */
	struct slice object_id;
	struct slice provider_id;
	enum object_role role;	/* that it has then: a take-back gives it one, and another to what it displaces */
	struct slice displaces; /* object id of what was the address's own until a take-back; empty: nothing was */
	int64_t generation;
	/* A replace makes the new object first and deletes the old one last. So does a run that finds the old one left
	 * behind, and nothing whole in its place: of the deletion of that one. */
	bool create_before_destroy;
	bool maybe;   /* a replace for a value that is not known yet, and may turn out equal */
	bool makes;   /* an update changes fields of the resource itself */
	bool settles; /* an update changes parts */
	bool protect; /* to be recorded */
	bool drifted;
	/* What it is to stand in for is still being deleted, by others or by a run that ended: it is waited for, not
	 * deleted, and then there is room for the new one. */
	bool awaits_gone;
	const struct slice *ignored; /* names of fields that are left alone, whatever they are */
	size_t ignored_count;
	/* LIST or null, see struct resource. */
	struct value left_to_others;
	struct value desired;	/* symbolic after-values; empty MAP for a delete */
	struct value known;	/* the same, resolved as far as the plan could */
	struct value released;	/* fields to be cleared, with their former values */
	struct value constants; /* fields no longer set that go back to a fixed value, with it */
	struct value live;	/* MAP as read for this plan, or null */
	/* The same, with what no read gives back of what it has to itself (unique_had()). */
	struct value had;
	/* LIST of the secrets within that, or null: whoever reads it again may know of them by this alone. */
	struct value hidden;
	struct value live_outputs;
	struct value live_uses;
	struct value running; /* LIST as read (provider.h), or null */
	struct value marks;   /* MAP: what the thing says of who it is (output.tells_apart), or said; or null */
	bool is_busy;	      /* it was still being made or changed when it was read: it is waited for first */
	struct change *changes;
	size_t change_count;
	/* What runs something by the object, itself or another one that refers to it: that may keep what the object
	 * but mentions. NULL: nothing does. */
	const struct kind *runs_by;
	const struct dependency *wanted; /* of the spec */
	size_t wanted_count;
	/* Addresses of what is made anew and lies beneath what this refers to, where that itself has nothing to do. */
	const struct slice *beneath;
	size_t beneath_count;
	const struct dependency *recorded; /* of the object that is there */
	size_t recorded_count;
	struct digest symbolic; /* resource_symbolic(), or zero */
	size_t takes_down;	/* objects that are deleted or replaced because this one is */
};

/* Whether what was there before is gone at its end, be it deleted or waited for. */
static inline bool action_ends_old(const struct action *action)
{
	return operation_ends(action->operation) || action->awaits_gone;
}

/* Whether nothing is to be set: the service is at it already, and its end is awaited. */
static inline bool action_only_waits(const struct action *action)
{
	return action->operation == OPERATION_UPDATE && action->role == OBJECT_CURRENT && action->change_count == 0;
}

/* A field or object that could not be read. */
struct unread {
	struct slice address;
	struct slice field; /* empty: the whole object */
	struct slice reason;
	struct slice hint;	  /* what to do about that, or empty */
	struct position position; /* of the resource in the spec, or none */
	struct slice place;	  /* the same for people; filled in by whoever knows the files */
};

/* For qsort(): the order in which a plan has them. */
int unread_compare(const void *a, const void *b);

/* What a plan that undoes a run cannot bring back. */
struct plan_note {
	struct slice address;
	struct slice what;
	bool stays; /* what the run did is left as it is; otherwise it is undone, and something is lost with that */
};

enum running_effect {
	RUNNING_KEEPS,	/* they stay as they were launched */
	RUNNING_ENDS,	/* they end with the object, or because there are to be fewer */
	RUNNING_STARTS, /* there are to be more */
	RUNNING_HOLDS,	/* what is to go cannot before they have ended */
};
extern const struct names running_effect_names;

/* What the plan means for what an object runs, as it is beside the object: nothing is done about it. */
struct running {
	struct slice address; /* of the object; of RUNNING_HOLDS, of what is held */
	enum running_effect effect;
	size_t count; /* of things that run */
	struct slice what;
};

/* Two actions that end what is there: of what runs something, and of what that may have been launched into. */
struct launched {
	size_t by, into;
};

struct plan {
	struct slice stack;
	struct slice spec; /* digest of the spec's files, where it was saved; or empty */
	struct slice lineage;
	int64_t serial;
	/* Sorted by address, then current before deposed before incomplete. No entry for what
	 * is unchanged; OPERATION_INCOMPLETE and OPERATION_RECORD are entries. */
	struct action *actions;
	size_t action_count;
	struct unread *unread; /* sorted by address, then field */
	size_t unread_count;
	struct running *running; /* sorted by address */
	size_t running_count;
	struct launched *launched; /* as far as no record says so */
	size_t launched_count;
	const struct provider_settings *providers; /* of the aliases that actions use */
	size_t provider_count;
	struct stack_output *outputs;
	size_t output_count;
	struct slice undoes; /* id of the run that the plan undoes, or empty */
	const struct plan_note *notes;
	size_t note_count;
	/* Of a plan that is saved: what refers to something that it ends, and is left as it is, each with what it
	 * refers to; and what has by the record what another is to have (saved_references.c). */
	const struct slice *uses;
	size_t use_count;
	size_t counts[OPERATION_COUNT];
	size_t drift_count;   /* actions with drift */
	size_t managed_count; /* objects looked at */
	size_t read_count;    /* of them, read from reality */
	bool refreshed;
	bool destroy;
	bool targeted; /* of what was chosen alone, and what goes with it */
	bool older;    /* made before what other runs have recorded since */
	/* The secrets that an apply needs, sealed (base/vault.h, place "plan") under the key of that id; whoever saves
	 * a plan fills them in. Empty and null where there are none. */
	struct slice sealing_key;
	struct value sealed;
	/* Of a plan that was read: of the file's content, and of that with the key of the state it was made on. */
	struct digest content, mark;
};

/* A run after the one that is undone, which stands in the way; empty: none is known. */
struct plan_blamed {
	struct slice run;  /* for the end of a message: " (apply, run 3f2a9c01)" */
	struct slice hint; /* what is to be done first about it */
};

/* Tells as of which later run a recorded object has what it has in that field. */
struct plan_blamer {
	struct plan_blamed (*blame)(void *context, struct slice address, const char *field);
	void *context;
};

/* What a plan is about. */
struct plan_scope {
	const struct slice *targets; /* addresses; none: everything */
	size_t target_count;
	bool exact;		     /* nothing beside them: they were chosen with all that goes with them */
	const struct slice *leaving; /* ids of recorded objects that go in addition, wherever their address stands */
	size_t leaving_count;
	/* Of what replaces have left behind nothing goes that is not among those, wherever the targets are. */
	bool left_behind_by_id;
	bool keeps_tags; /* ownership tags stay as they are, whatever address they name */
	/* Id of the run that is undone, or empty: what is not in the stack goes because that made it. */
	struct slice undoes;
	const struct plan_blamer *blamer; /* of a plan that undoes; else NULL */
	/* What was recorded stands for the spec, and nothing will be done: what has moved is all that is asked, and
	 * what would forbid to put it right is part of the answer, no error. */
	bool looks;
	const struct value
		*hidden; /* LIST of secrets that what is there may hold, beside those of the stack; or NULL */
};

struct plan_input {
	const struct stack *stack; /* for destroy: only name, providers and max_delete are used */
	const struct kinds *kinds;
	const struct stack_record *record;
	struct object *const *objects; /* heads as the store has them, in its order */
	size_t object_count;
	/* Live by object, parallel to objects; NULL where refresh was left out. An entry may be NULL. */
	const struct live *const *live;
	/* The same of what the plan is not about as well, in which what goes may be named; NULL: live is that. */
	const struct live *const *around;
	/* Live of resources that are not recorded, or what has the name of one that is gone, parallel to
	 * stack->resources; NULL or entries NULL. */
	const struct live *const *unrecorded;
	const struct resolver *resolver;
	struct run_secrets secrets;
	/* Identity each alias reaches, parallel to stack->providers; NULL where it is not known. */
	const struct identity *identities;
	/* Why nobody answers for an alias, parallel too; NULL or entries NULL: somebody does, or nobody was asked. What
	 * it is to have is unread, wherever it is recorded. */
	const char *const *silences;
	/* Where nobody was asked: sessions_expect(), parallel too. Else NULL. */
	const struct identity *expected;
	/* Loads the body of objects on demand (store bodies). */
	bool (*load_body)(void *context, struct object *object, struct diagnostics *diagnostics);
	void *context;
	bool destroy;
	struct plan_scope scope;
	struct arena *arena;
};

/* Whether every target is in the spec or the record. */
__attribute__((warn_unused_result)) bool plan_check_targets(const struct plan_scope *scope, const struct stack *stack,
							    struct object *const *objects, size_t object_count,
							    struct diagnostics *diagnostics);

/* False after errors: conflicts, an expression that fails, a cycle among deletions. *ret is
 * complete also then, so that the rest can be shown. */
__attribute__((warn_unused_result)) bool plan_make(const struct plan_input *input, struct plan *ret,
						   struct diagnostics *diagnostics);

/*
 * Digest over the outputs of what a resource refers to, for the proof that nothing changed.
 * outputs_of gives the digest of an address's outputs, or NULL.
 */
struct digest plan_inputs_digest(const struct dependency *dependencies, size_t count,
				 const struct digest *(*outputs_of)(void *context, struct slice address),
				 void *context);

/* Whether apply does or records anything for it: not for what was not read, and not for a conflict. */
bool action_is_carried_out(const struct action *action);
/* Whether there is anything that apply would do or record. */
bool plan_is_empty(const struct plan *plan);
/* Whether anything is to be called (not merely recorded). */
bool plan_changes_reality(const struct plan *plan);
/* How many objects it would delete, replaced ones included. */
size_t plan_deletions(const struct plan *plan);

/* What a thing that is found says of who it is (output.tells_apart): whoever approves a plan means that very thing,
 * whatever stands at its address by then. Null where it was not read. */
struct value plan_marks(const struct kind *kind, const struct live *live, struct arena *arena);
/* How it says another thing of that now, or nothing at all any more, in words; NULL: it does not. */
const char *plan_marks_moved(const struct value *then, const struct value *now, struct arena *arena,
			     const struct json_style *style);

/* The largest plan file: some 200,000 actions. */
enum { PLAN_FILE_MOST_MIB = 256, PLAN_FILE_MOST_BYTES = PLAN_FILE_MOST_MIB * 1024 * 1024 };

/*
 * The plan as one canonical JSON document, complete enough to apply without the spec's
 * folder, and back, where not a byte of it was changed since. style gives the fingerprints of secrets; key is the
 * stack's fingerprint_key (store.h). What would be a larger file than may be read is written as an empty text.
 */
struct slice plan_write(const struct plan *plan, struct slice key, struct arena *arena, const struct json_style *style);
__attribute__((warn_unused_result)) bool plan_read(struct slice text, const struct kinds *kinds, struct arena *arena,
						   struct plan *ret, struct diagnostics *diagnostics);
/* Whether a file that begins so is one that plan_write() made. */
bool plan_is_file(struct slice first);
/* Whether a plan that was read was written with this fingerprint_key, and not changed by anyone who has it not. */
bool plan_bears_mark(const struct plan *plan, struct slice key);
/*
 * The approval digest: lineage and, for each action, address, operation, protection, what is left to others, identity,
 * symbolic after-values, fingerprints of secrets, before-values of changed fields (and of protection and what is left
 * to others), and which fields are managed no more. No positions, times, counts or random ids: an edit that changes no
 * meaning keeps it. Of what is only recorded those are in it by which the spec changes what is protected, left to
 * others or managed; what was read anew is not.
 */
struct digest plan_approval(const struct plan *plan, struct arena *scratch, const struct json_style *style);
/* The same, and what the values that follow from others are as far as they are known: of two plans that show another
 * one to whoever is asked the digests differ. */
struct digest plan_shown(const struct plan *plan, struct arena *scratch, const struct json_style *style);
/* As plan_approval(), over one action, to tell which one no longer fits. */
struct digest action_approval(const struct action *action, struct arena *scratch, const struct json_style *style);

#endif
