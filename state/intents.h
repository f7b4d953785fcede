#ifndef TRUEUP_STATE_INTENTS_H
#define TRUEUP_STATE_INTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/names.h"
#include "reconcile/store.h"
#include "state/database.h"

/* Open intents, and the history that they become; within the caller's transaction or snapshot. */

/* Of enum outcome, as history has them. */
extern const struct names outcome_names;

/* As store_ops.intents. */
__attribute__((warn_unused_result)) bool intents_open(struct database *database, struct arena *arena,
						      struct intent **ret, size_t *ret_count,
						      struct diagnostics *diagnostics);
/* run_number: row of runs. Of one that is renewed times and recipe alone are written; FAULT_INTERNAL where it is not
 * open. */
__attribute__((warn_unused_result)) bool intents_add(struct database *database, const struct intent *intent,
						     int64_t run_number, struct diagnostics *diagnostics);
/* Replaces what is sealed of an open intent; only its id and sealed count. */
__attribute__((warn_unused_result)) bool intents_reseal(struct database *database, const struct intent *intent,
							struct diagnostics *diagnostics);
/* Moves an open intent into the history of the run that sent it; where another one learned the outcome, run_number,
 * the note names it. One that is not open is FAULT_INTERNAL: an outcome is recorded once. */
__attribute__((warn_unused_result)) bool intents_close(struct database *database, const struct intent_close *close,
						       int64_t run_number, int64_t wall_ms,
						       struct diagnostics *diagnostics);
/* The same of one that was closed before: that was not what came of it. */
__attribute__((warn_unused_result)) bool intents_correct(struct database *database, const struct intent_close *close,
							 int64_t wall_ms, struct diagnostics *diagnostics);
/* Gives the open intents of one address another. */
__attribute__((warn_unused_result)) bool intents_rename(struct database *database, const struct renaming *renaming,
							struct diagnostics *diagnostics);

#endif
