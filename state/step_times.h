#ifndef TRUEUP_STATE_STEP_TIMES_H
#define TRUEUP_STATE_STEP_TIMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "reconcile/store.h"
#include "state/database.h"

/* How long steps took; each function within the caller's transaction or snapshot. */

/* As store_ops.times. */
__attribute__((warn_unused_result)) bool step_times_read(struct database *database, struct arena *arena,
							 struct step_time **ret, size_t *ret_count,
							 struct diagnostics *diagnostics);
/* Adds them, and drops those that are kept no longer. */
__attribute__((warn_unused_result)) bool step_times_write(struct database *database, const struct step_time *times,
							  size_t count, struct diagnostics *diagnostics);

#endif
