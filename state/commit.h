#ifndef TRUEUP_STATE_COMMIT_H
#define TRUEUP_STATE_COMMIT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "reconcile/store.h"
#include "state/database.h"
#include "state/formers.h"

/*
 * Writes all of a commit, within the caller's transaction. run_number: of the run that commits;
 * *ret_serial: of the stack from then on. formers: what the run is known to have kept.
 */
__attribute__((warn_unused_result)) bool commit_write(struct database *database, const struct commit *commit,
						      int64_t run_number, int64_t wall_ms,
						      const struct formers *formers, struct arena *scratch,
						      int64_t *ret_serial, struct diagnostics *diagnostics);
/* To be told once the transaction has ended well. */
void commit_note(const struct commit *commit, struct formers *formers);

#endif
