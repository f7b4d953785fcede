#ifndef TRUEUP_RECONCILE_STORE_H
#define TRUEUP_RECONCILE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/slice.h"
#include "base/vault.h"
#include "reconcile/resource.h"

/*
 * What is recorded: objects, open intents, runs. Implemented by state. Texts are canonical
 * JSON whose secrets are fingerprints already: a store never sees a secret in clear.
 */

/* How an unknown outcome is settled; see docs/architecture.md. */
enum recipe {
	RECIPE_CONVERGE, /* read the object, send what is missing */
	RECIPE_TAG,	 /* look it up by the intent's tag */
	RECIPE_TOKEN,	 /* send again with the same token, then as tag */
	RECIPE_NATURAL,	 /* look it up by name or pair; ours only if tag or all fields match */
	RECIPE_DISCARD,	 /* what is shown once: delete the unreadable one, make another */
	RECIPE_SNAPSHOT, /* each time it does as much again: compare with what was recorded before it */
};

const char *recipe_name(enum recipe recipe);
/* RECIPE_CONVERGE for a name that is none. */
enum recipe recipe_named(struct slice name);

/* Written before a call that changes the world is sent. */
struct intent {
	struct slice id; /* 32 hex digits, random */
	struct slice object_id;
	struct slice address;
	struct slice kind;
	struct slice operation; /* "CreateVpc" */
	enum recipe recipe;
	struct slice parameters; /* canonical JSON, unsigned, secrets as fingerprints */
	struct slice identity;	 /* identity_text() */
	struct slice token;	 /* idempotency token, or empty */
	int64_t wall_ms;	 /* when the call was sent first: so old is its token */
	int64_t sent_ms;	 /* when it was sent once more, the last time; 0: never. See intent_sent_ms() */
	struct slice run;	 /* that sent the call: its id, as read from the store; not written */
	bool creates;		 /* would bring the object into being */
	/* It is open already, and the call is sent later than it was to be, or once more, or is not sent once more but
	 * looked for: times and recipe alone are recorded anew. */
	bool renewed;
	/* Canonical JSON of the secrets of parameters, sealed (base/vault.h, place "intent ID"); empty where it has
	 * none or no key was at hand. */
	struct slice sealed;
};

/* When the call was sent last: what it does may come for the grace from then on. */
int64_t intent_sent_ms(const struct intent *intent);
/* Where the sealed secrets of an intent belong: see base/vault.h. */
struct slice intent_place(struct arena *arena, struct slice id);

/*
 * The parameters of an intent, its secrets put back where they were sealed. vault may be NULL, or without a key:
 * then, and where they were not sealed, they stay fingerprints (value_has_fingerprint()), and the call cannot be
 * sent again. False after a diagnostic where they do not open, or are no parameters.
 */
__attribute__((warn_unused_result)) bool intent_parameters(const struct intent *intent, const struct vault *vault,
							   struct arena *arena, struct value *ret,
							   struct diagnostics *diagnostics);

/* How a call ended. An intent without an outcome is unknown: the process died, or the
 * answer never came. */
enum outcome {
	OUTCOME_DONE,
	OUTCOME_FAILED,	   /* definitely not done */
	OUTCOME_FORGOTTEN, /* nobody wants to know any more: what it may have made is left alone */
	OUTCOME_ABSENT,	   /* nobody saw the answer, nor, for long enough, what it was to do: it may yet come */
};

/* What is recorded of a call that has ended. */
struct past_call {
	bool known;	   /* there is such a call */
	bool is_open;	   /* it is not settled yet */
	bool was_recorded; /* what is asked about was an object that a run changed or let go of, however it was made */
	bool was_missed;   /* and no call about it was answered in the last one to do so: what that let go of it has not
			    * found */
	int64_t called_ms; /* wall: when the last call about it was answered, or read to be done; 0: there was none, or
			    * people let go of it */
	enum outcome outcome;
	struct slice address;	  /* of the object it was about */
	struct slice kind;	  /* of that; empty while it is open */
	struct slice provider_id; /* that the object had when a run last changed or deleted it; empty where none did */
	struct slice body;	  /* that it had then: object_body_write(), or empty */
	int64_t ended_ms;	  /* wall: when it was settled; 0 while it is open */
};

/* What is asked of something that carries the stack's tags; of the ids in its tags none needs to be one of ours. */
struct past_question {
	struct slice intent;
	struct slice provider_id;
	struct slice
		object_id; /* in its tags, where the service gives its provider's id to others after it; else empty */
};

struct intent_close {
	struct slice id;
	enum outcome outcome;
	struct slice note; /* the service's request id or error code */
};

/* An address that is called otherwise from now on. */
struct renaming {
	struct slice from;
	struct slice to;
};

/* An object that is recorded no more. */
struct removal {
	struct slice object_id;
	bool missed; /* nobody found it: no answer says that a call of ours has ended it, nor did people let go of it */
};

/*
 * What may be there without being recorded: what was missed (struct removal) may show again, and a call that was given
 * up as OUTCOME_ABSENT may have come, and made something, since.
 */
struct watched {
	struct slice kind;
	bool has_identity;	  /* where it lies is known */
	struct identity identity; /* where */
	struct slice address;	  /* that it had, or was to have */
	struct slice provider_id; /* of what was missed; empty: a call was given up */
};

/* No listing is behind, and no call comes, so much later; and by then whoever looks has been told often enough. */
#define WATCHED_MS ((int64_t)90 * 24 * 60 * 60 * 1000)

/* Made durable together, closes and objects before the intents that depend on them. */
struct commit {
	const struct object *const *upserts; /* head, and body where has_body is set */
	const struct slice *bodies;	     /* object_body_write() of each upsert; empty: keep the stored body */
	size_t upsert_count;
	const struct removal *removals;
	size_t removal_count;
	const struct intent_close *closes;
	size_t close_count;
	/* Of calls that were closed before: what came of them is this instead. */
	const struct intent_close *corrections;
	size_t correction_count;
	const struct intent *intents;
	size_t intent_count;
	const struct renaming *renamings; /* of open intents; objects are renamed by their upsert */
	size_t renaming_count;
	/* That the stack has from now on, without the sealing key of another; empty: it keeps its own. */
	struct slice lineage;
	bool settles; /* what it records came of the closed calls, which earlier runs sent: it is their doing */
};

enum commit_state {
	COMMIT_DONE,
	COMMIT_PENDING,
	COMMIT_FAILED,
};

/* What a run is called while it holds the lease, and in history. */
struct run {
	struct slice id;	  /* 32 hex digits */
	struct slice command;	  /* "apply" */
	struct slice plan_digest; /* approval digest; empty: it carries out no plan */
	/* Planned, or read, on a serial: where the stack has another by now the run does not begin. */
	bool is_planned;
	int64_t serial;
	struct slice sealing_key; /* the id of the one that it seals under, or empty: likewise */
};

/* Whether the holder's process still runs, where that can be told: on its own machine. */
enum process_sign {
	PROCESS_UNKNOWN,
	PROCESS_ALIVE,
	PROCESS_GONE,
};

/* Who has the lease. */
struct lease_holder {
	bool held; /* also by a run that died: until the next one takes it */
	int64_t fencing;
	struct slice run;
	struct slice command;
	struct slice host;
	int64_t process;
	enum process_sign sign;
	int64_t since_ms;     /* wall */
	int64_t beat_ms;      /* wall: last sign of life */
	int64_t left_ms;      /* until another run may take it that watches it until then; 0: at once */
	int64_t unwatched_ms; /* the same of one that comes only then; never less */
};

/* What to do about a run that neither goes on nor ends, in arena. */
struct slice lease_break_text(struct arena *arena, struct slice run);
/* "its lease ends by itself within 90 s", and how it is taken away, in arena: run, left_ms and unwatched_ms as above.
 */
struct slice lease_end_text(struct arena *arena, struct slice run, int64_t left_ms, int64_t unwatched_ms);

/* So many digits of a run's id are shown where it is one word among others. */
enum { RUN_ID_SHORT = 8 };

/* A run as recorded. */
struct run_record {
	struct slice id;
	struct slice command;
	struct slice plan_digest;
	struct slice host;
	int64_t process;
	int64_t started_ms;   /* wall */
	int64_t ended_ms;     /* wall; of a lost run its last sign of life; 0: not ended */
	struct slice outcome; /* as of end(), or "lost"; empty: not ended */
	int64_t call_count;   /* that it sent, and the outcome of which is known */
	int64_t open_count;   /* that it sent, and nobody knows the outcome of */
};

/* A call that changed something, or tried to. */
struct call_record {
	struct slice run;     /* id of the one that sent it */
	struct slice address; /* as it was then */
	struct slice object_id;
	struct slice kind;
	struct slice operation;
	struct slice outcome; /* "done", "failed", "forgotten", "absent", "unknown" */
	struct slice note;
	bool settled_later; /* by another run, from what that has read */
	int64_t sent_ms;    /* wall */
	int64_t ended_ms;   /* wall; 0: unknown */
};

/* How long one phase of an action took that was carried out, what it waited for its turn left out. */
struct step_time {
	struct slice kind;
	struct slice operation; /* operation_name() of the action */
	struct slice phase;	/* phase_name() */
	int64_t took_ms;
};

/* So many of each kind, operation and phase are kept. */
enum { STEP_TIMES_KEPT = 20 };

/* What a run found of the objects that it changed, or sent a call about, is kept as long as it is one of so many before
 * the present run, or began less than so long ago. */
enum { FORMERS_KEPT_RUNS = 100 };
#define FORMERS_KEPT_MS ((int64_t)90 * 24 * 60 * 60 * 1000)

/* An object that a run changed, made or forgot: what it found recorded of it, and what it left. */
struct past_object {
	bool was, is;
	struct object before, after; /* heads */
	struct slice before_body;    /* object_body_write(), or empty */
	struct slice after_body;
	struct slice next_run; /* id of the first run that changed it again, or empty */
	struct slice next_command;
};

/* Where it stood when the run found it; of what the run made, where it left it. */
static inline struct slice past_address(const struct past_object *past)
{
	return past->was ? past->before.address : past->after.address;
}

static inline struct slice past_object_id(const struct past_object *past)
{
	return past->was ? past->before.object_id : past->after.object_id;
}

struct stack_record {
	struct slice lineage;	      /* 32 hex digits: the stack's identity for its whole life */
	struct slice name;	      /* of the stack */
	int64_t serial;		      /* counts commits */
	struct slice fingerprint_key; /* 32 random bytes: secrets are shown and stored as its keyed hash */
	struct slice sealing_key;     /* seal_key_id() of the key that secrets are sealed under, or empty: none yet */
	struct slice wrapped_key; /* base64: that key as a service encrypted it, which alone can decrypt it; or empty */
};

/* Everything sealed under one key, sealed anew under another. */
struct rekey {
	struct slice old_id;	      /* must be the one recorded */
	struct slice new_id;	      /* as in adopt_key */
	const struct intent *intents; /* of which id and sealed count */
	size_t intent_count;
};

/* Finds in what is recorded what may not rest there in clear any more. */
struct store_hider {
	/* The text that is to take a body's place, in arena; body itself where that stays. */
	struct slice (*hide)(void *context, struct slice address, struct slice kind, struct slice body,
			     struct arena *arena);
	void *context;
};

struct store;

struct store_ops {
	void (*close)(struct store *store);
	const struct stack_record *(*record)(const struct store *store);
	/* All heads, sorted by address, then role, then object id. O(n log n). */
	bool (*heads)(struct store *store, struct arena *arena, struct object **ret, size_t *ret_count,
		      struct diagnostics *diagnostics);
	/* The stored bodies of some objects, as texts in the order given; an object that is not
	 * there gives an empty slice. A current one without a body is damage: false, after all others were given. One
	 * prepared statement or one scan, whichever is less. */
	bool (*bodies)(struct store *store, struct arena *arena, const struct object *const *objects, size_t count,
		       struct slice *ret, struct diagnostics *diagnostics);
	/* Intents without an outcome, oldest first. */
	bool (*intents)(struct store *store, struct arena *arena, struct intent **ret, size_t *ret_count,
			struct diagnostics *diagnostics);
	/* The calls that were recorded under intents, parallel; known is false where there is none. */
	bool (*past)(struct store *store, struct arena *arena, const struct past_question *questions, size_t count,
		     struct past_call *ret, struct diagnostics *diagnostics);
	/* What may be there without being recorded, since WATCHED_MS at most: for each kind and place
	 * one that was missed, and one that a call may have made. */
	bool (*watched)(struct store *store, struct arena *arena, struct watched **ret, size_t *ret_count,
			struct diagnostics *diagnostics);
	/* Takes the lease and opens the run; FAULT_LEASE with the holder's name where it is held,
	 * FAULT_STALE where the run was planned on another serial. */
	bool (*begin)(struct store *store, const struct run *run, struct diagnostics *diagnostics);
	/* What the run's steps took, the newest last: recorded with its end, and borrowed until then. */
	void (*note_times)(struct store *store, const struct step_time *times, size_t count);
	/* Ends the run and gives the lease back. outcome: "done", "partly", "interrupted", "failed". */
	bool (*end)(struct store *store, struct slice outcome, struct diagnostics *diagnostics);
	/* Records the id of the sealing key, behind it after a space its wrapped form if it has one, where none is
	 * recorded yet, without the lease: the first wins, and record() then says which that is. Where only the commit
	 * itself has failed, record() says what was to be recorded: nobody knows what comes of that. */
	bool (*adopt_key)(struct store *store, struct slice id, struct diagnostics *diagnostics);
	/* Replaces the key, and what is sealed, at once; under the lease. A commit that fails is as above. */
	bool (*rekey)(struct store *store, const struct rekey *rekey, struct diagnostics *diagnostics);
	/* Keeps the lease alive; due every third of its term. False, FAULT_LEASE: it was lost. */
	bool (*heartbeat)(struct store *store, struct diagnostics *diagnostics);
	/* Milliseconds that the lease is still good for. */
	int64_t (*lease_left_ms)(const struct store *store);
	/* Starts a commit; nothing of it is visible unless all is. COMMIT_PENDING: poll until it
	 * is one of the others. The commit and all it points to live until then. */
	enum commit_state (*commit)(struct store *store, const struct commit *commit, struct diagnostics *diagnostics);
	enum commit_state (*poll)(struct store *store, int64_t deadline_ms, struct diagnostics *diagnostics);
	/* Rewrites the bodies that are recorded, and those that runs have found, as the hider has them; all at once,
	 * and only what is as it was shown. It changes nothing of what the record says, so it takes no lease; a run
	 * that has one proves it. Where nothing is to be rewritten, nothing is written. */
	bool (*hide)(struct store *store, const struct store_hider *hider, struct diagnostics *diagnostics);

	/* Who has the lease, as far as this process can tell. */
	bool (*holder)(struct store *store, struct arena *arena, struct lease_holder *ret,
		       struct diagnostics *diagnostics);
	/* Takes the lease away from a run, which commits nothing more, and closes the run as lost.
	 * FAULT_ABSENT where that run does not have it. */
	bool (*take_away)(struct store *store, struct slice run, struct diagnostics *diagnostics);
	/* All runs, the newest first. */
	bool (*runs)(struct store *store, struct arena *arena, struct run_record **ret, size_t *ret_count,
		     struct diagnostics *diagnostics);
	/* The calls of the runs from one to another (of one alone: twice its id), run by run, the newest first; of each
	 * in the order of their outcomes, then those without one. It reads the whole history, however few they are. */
	bool (*calls)(struct store *store, struct arena *arena, struct slice first, struct slice last,
		      struct call_record **ret, size_t *ret_count, struct diagnostics *diagnostics);
	/* The objects that one run changed, by address and then in the order in which it did. */
	bool (*changed)(struct store *store, struct arena *arena, struct slice run, struct past_object **ret,
			size_t *ret_count, struct diagnostics *diagnostics);
	/* What replaces had left behind when a run began, and what else stood at such addresses, of what it did not
	 * change: `before` alone, by address. */
	bool (*beside)(struct store *store, struct arena *arena, struct slice run, struct past_object **ret,
		       size_t *ret_count, struct diagnostics *diagnostics);
	/* What steps of all kinds took of late, the newest first. */
	bool (*times)(struct store *store, struct arena *arena, struct step_time **ret, size_t *ret_count,
		      struct diagnostics *diagnostics);
	/* What is wrong with the file as such, a sentence each; what the records mean is not looked at. */
	bool (*check)(struct store *store, struct arena *arena, struct slice **ret, size_t *ret_count,
		      struct diagnostics *diagnostics);
	/* A whole, verified copy of one moment at path, mode 0600; replaces: a file that is there. */
	bool (*backup)(struct store *store, const char *path, bool replaces, struct diagnostics *diagnostics);
};

struct store {
	const struct store_ops *ops;
};

/* Commits, and waits until that is durable. The lease is held. False after a diagnostic. */
__attribute__((warn_unused_result)) bool store_make_durable(struct store *store, const struct commit *commit,
							    struct diagnostics *diagnostics);

#endif
