#ifndef TRUEUP_STATE_WATCHED_H
#define TRUEUP_STATE_WATCHED_H

#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "reconcile/store.h"
#include "state/database.h"

/* What may be there without being recorded; each function within the caller's transaction or snapshot. wall_ms: now. */

/* From now on: what the call was to make, if anything, where it is open still. */
__attribute__((warn_unused_result)) bool watched_add_intent(struct database *database, struct slice intent,
							    int64_t wall_ms, struct diagnostics *diagnostics);
/* The same of a call that was closed before. */
__attribute__((warn_unused_result)) bool watched_add_call(struct database *database, struct slice intent,
							  struct diagnostics *diagnostics);
/* The same of an object that is recorded still. */
__attribute__((warn_unused_result)) bool watched_add_object(struct database *database, struct slice object_id,
							    int64_t wall_ms, struct diagnostics *diagnostics);
/* No more: a call of ours has ended the object, or people let go of it. Also of one that is not watched. */
__attribute__((warn_unused_result)) bool watched_drop(struct database *database, struct slice object_id,
						      struct diagnostics *diagnostics);
/* Drops what was added longer ago than WATCHED_MS. */
__attribute__((warn_unused_result)) bool watched_prune(struct database *database, int64_t wall_ms,
						       struct diagnostics *diagnostics);
/* As store_ops.watched. */
__attribute__((warn_unused_result)) bool watched_read(struct database *database, struct arena *arena, int64_t wall_ms,
						      struct watched **ret, size_t *ret_count,
						      struct diagnostics *diagnostics);

#endif
