#ifndef TRUEUP_RECONCILE_STORE_H
#define TRUEUP_RECONCILE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/slice.h"
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
	RECIPE_NONE,	 /* compare with the snapshot taken before the call */
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
	int64_t wall_ms;
	bool creates; /* would bring the object into being */
};

/* How a call ended. An intent without an outcome is unknown: the process died, or the
 * answer never came. */
enum outcome {
	OUTCOME_DONE,
	OUTCOME_FAILED, /* definitely not done */
	OUTCOME_ABSENT, /* nobody saw the answer, and what it would have made could not be found: it may yet come */
};

/* What is recorded of a call that has ended. */
struct past_call {
	bool known; /* there is such a call */
	enum outcome outcome;
	struct slice address; /* of the object it was about */
	int64_t sent_ms;      /* wall */
};

struct intent_close {
	struct slice id;
	enum outcome outcome;
	struct slice note; /* the service's request id or error code */
};

/* Made durable together, closes and objects before the intents that depend on them. */
struct commit {
	const struct object *const *upserts; /* head, and body where has_body is set */
	const struct slice *bodies;	     /* object_body_write() of each upsert; empty: keep the stored body */
	size_t upsert_count;
	const struct slice *removals; /* object ids */
	size_t removal_count;
	const struct intent_close *closes;
	size_t close_count;
	const struct intent *intents;
	size_t intent_count;
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
	struct slice plan_digest; /* approval digest, or empty */
};

struct stack_record {
	struct slice lineage;	      /* 32 hex digits: the stack's identity for its whole life */
	struct slice name;	      /* of the stack */
	int64_t serial;		      /* counts commits */
	struct slice fingerprint_key; /* 32 random bytes: secrets are shown and stored as its keyed hash */
};

struct store;

struct store_ops {
	void (*close)(struct store *store);
	const struct stack_record *(*record)(const struct store *store);
	/* All heads, sorted by address, then role, then object id. O(n log n). */
	bool (*heads)(struct store *store, struct arena *arena, struct object **ret, size_t *ret_count,
		      struct diagnostics *diagnostics);
	/* The stored bodies of some objects, as texts in the order given; an object that is not
	 * there gives an empty slice. One prepared statement or one scan, whichever is less. */
	bool (*bodies)(struct store *store, struct arena *arena, const struct object *const *objects, size_t count,
		       struct slice *ret, struct diagnostics *diagnostics);
	/* Intents without an outcome, oldest first. */
	bool (*intents)(struct store *store, struct arena *arena, struct intent **ret, size_t *ret_count,
			struct diagnostics *diagnostics);
	/* The ended call that was recorded under an intent's id; ret->known is false where there is none. */
	bool (*past)(struct store *store, struct arena *arena, struct slice intent, struct past_call *ret,
		     struct diagnostics *diagnostics);
	/* Takes the lease and opens the run; FAULT_LEASE with the holder's name where it is held. */
	bool (*begin)(struct store *store, const struct run *run, struct diagnostics *diagnostics);
	/* Ends the run and gives the lease back. outcome: "done", "partly", "interrupted", "failed". */
	bool (*end)(struct store *store, struct slice outcome, struct diagnostics *diagnostics);
	/* Keeps the lease alive; due every third of its term. False, FAULT_LEASE: it was lost. */
	bool (*heartbeat)(struct store *store, struct diagnostics *diagnostics);
	/* Milliseconds that the lease is still good for. */
	int64_t (*lease_left_ms)(const struct store *store);
	/* Starts a commit; nothing of it is visible unless all is. COMMIT_PENDING: poll until it
	 * is one of the others. The commit and all it points to live until then. */
	enum commit_state (*commit)(struct store *store, const struct commit *commit, struct diagnostics *diagnostics);
	enum commit_state (*poll)(struct store *store, int64_t deadline_ms, struct diagnostics *diagnostics);
};

struct store {
	const struct store_ops *ops;
};

#endif
