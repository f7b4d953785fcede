#ifndef TRUEUP_STATE_LEASE_H
#define TRUEUP_STATE_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/world.h"
#include "reconcile/store.h"
#include "state/database.h"
#include "state/sqlite_store.h"

/*
 * Who may write. The lease is a row: a run that takes it raises the fencing number, and
 * each of its commits proves within its transaction that the number is still its own. It
 * lasts one term after the last beat, by the boot clock; on another machine (or after a
 * restart) that clock means nothing, and two terms of the wall clock must pass, or one term
 * during which this process sees no beat. A holder on this machine whose process is gone
 * is followed at once.
 */
struct lease {
	bool held;
	bool lost; /* another run has it, or it was taken away: nothing more can be committed */
	int64_t term_ms;
	int64_t fencing;
	int64_t run_number; /* row of runs */
	struct slice run;   /* its id */
	int64_t beat_boot_ms;
	struct lease_sight *sight;
};

/* All within the caller's transaction; where that fails the caller puts *lease back as it
 * was, but for lost. stack: name for messages. */

/* Takes the lease for run and opens its row. ret->run is copied into arena. */
__attribute__((warn_unused_result)) bool lease_take(struct lease *lease, struct database *database, struct world *world,
						    struct slice stack, const struct run *run, struct arena *arena,
						    struct diagnostics *diagnostics);
/* Proves that the lease is still held, and makes it last a term from now. */
__attribute__((warn_unused_result)) bool lease_beat(struct lease *lease, struct database *database, struct world *world,
						    struct slice stack, struct diagnostics *diagnostics);
/* Ends the run and gives the lease back. */
__attribute__((warn_unused_result)) bool lease_end(struct lease *lease, struct database *database, struct world *world,
						   struct slice stack, struct slice outcome,
						   struct diagnostics *diagnostics);
/* Who has it. Within a snapshot, too. Texts go into arena. */
__attribute__((warn_unused_result)) bool lease_look(struct lease *lease, struct database *database, struct world *world,
						    struct arena *arena, struct lease_holder *ret,
						    struct diagnostics *diagnostics);
/* As store_ops.take_away. */
__attribute__((warn_unused_result)) bool lease_break(struct database *database, struct slice stack, struct slice run,
						     struct diagnostics *diagnostics);
/* 0 where it is not held, or lost. */
int64_t lease_left_ms(const struct lease *lease, struct world *world);

#endif
