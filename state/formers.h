#ifndef TRUEUP_STATE_FORMERS_H
#define TRUEUP_STATE_FORMERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "reconcile/store.h"
#include "state/database.h"

/*
 * What each run found of the objects that it changed. What it left is what the next run found,
 * or what is recorded now: it is kept nowhere else. Within the caller's transaction or snapshot.
 */

/* The objects of which this run is known to have kept what it found, so that the file is asked once for each. */
struct formers {
	struct arena arena;
	struct map object_ids;
};

void formers_init(struct formers *formers);
void formers_release(struct formers *formers);
/* Keeps the object as it is recorded, before the run changes it; only the first time counts. */
__attribute__((warn_unused_result)) bool formers_keep(const struct formers *formers, struct database *database,
						      int64_t run_number, struct slice object_id, struct slice address,
						      struct diagnostics *diagnostics);
/* The same, before what a call of an earlier run came to is recorded: for the run that sent it. The intent is open. */
__attribute__((warn_unused_result)) bool formers_settle(struct database *database, struct slice intent,
							struct diagnostics *diagnostics);
/* To be told once a commit that kept it has ended well. */
void formers_note(struct formers *formers, struct slice object_id);
/* Drops what runs found that are both old and not among the newest: see FORMERS_KEPT_RUNS. */
__attribute__((warn_unused_result)) bool formers_prune(struct database *database, int64_t run_number, int64_t wall_ms,
						       struct diagnostics *diagnostics);
/* As store_ops.changed. */
__attribute__((warn_unused_result)) bool formers_of(struct database *database, struct arena *arena, struct slice run,
						    struct past_object **ret, size_t *ret_count,
						    struct diagnostics *diagnostics);
/* As store_ops.beside. */
__attribute__((warn_unused_result)) bool formers_beside(struct database *database, struct arena *arena,
							struct slice run, struct past_object **ret, size_t *ret_count,
							struct diagnostics *diagnostics);

#endif
