#ifndef TRUEUP_STATE_STORE_PARTS_H
#define TRUEUP_STATE_STORE_PARTS_H

#include "reconcile/store.h"
#include "state/formers.h"
#include "state/lease.h"
#include "state/stack_file.h"

/* What the two halves of the store share: sqlite_store.c opens, writes and closes, store_reads.c reads. */

enum { FINGERPRINT_KEY_BYTES = 32 };

struct sqlite_store {
	struct store store; /* first, so that one pointer serves both */
	struct stack_file file;
	struct stack_record record;
	char fingerprint_key[FINGERPRINT_KEY_BYTES];
	struct lease lease;
	struct lease_sight sight; /* where nobody else keeps it */
	struct formers formers;
	const struct step_time *times; /* noted, of this run; borrowed */
	size_t time_count;
	struct arena arena;   /* paths, and texts of record, options and lease */
	struct arena scratch; /* of one call */
};

static inline struct sqlite_store *sqlite_store_of(struct store *store)
{
	return (struct sqlite_store *)store;
}

static inline const struct sqlite_store *sqlite_store_of_const(const struct store *store)
{
	return (const struct sqlite_store *)store;
}

/* The operations of store_ops that only read; each sees one state of the file. */
bool store_heads(struct store *store, struct arena *arena, struct object **ret, size_t *ret_count,
		 struct diagnostics *diagnostics);
bool store_bodies(struct store *store, struct arena *arena, const struct object *const *objects, size_t count,
		  struct slice *ret, struct diagnostics *diagnostics);
bool store_intents(struct store *store, struct arena *arena, struct intent **ret, size_t *ret_count,
		   struct diagnostics *diagnostics);
bool store_past(struct store *store, struct arena *arena, const struct past_question *questions, size_t count,
		struct past_call *ret, struct diagnostics *diagnostics);
bool store_watched(struct store *store, struct arena *arena, struct watched **ret, size_t *ret_count,
		   struct diagnostics *diagnostics);
bool store_holder(struct store *store, struct arena *arena, struct lease_holder *ret, struct diagnostics *diagnostics);
bool store_runs(struct store *store, struct arena *arena, struct run_record **ret, size_t *ret_count,
		struct diagnostics *diagnostics);
bool store_calls(struct store *store, struct arena *arena, struct slice first, struct slice last,
		 struct call_record **ret, size_t *ret_count, struct diagnostics *diagnostics);
bool store_changed(struct store *store, struct arena *arena, struct slice run, struct past_object **ret,
		   size_t *ret_count, struct diagnostics *diagnostics);
bool store_beside(struct store *store, struct arena *arena, struct slice run, struct past_object **ret,
		  size_t *ret_count, struct diagnostics *diagnostics);
bool store_times(struct store *store, struct arena *arena, struct step_time **ret, size_t *ret_count,
		 struct diagnostics *diagnostics);
bool store_check(struct store *store, struct arena *arena, struct slice **ret, size_t *ret_count,
		 struct diagnostics *diagnostics);
bool store_backup(struct store *store, const char *path, bool replaces, struct diagnostics *diagnostics);

#endif
