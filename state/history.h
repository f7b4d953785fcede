#ifndef TRUEUP_STATE_HISTORY_H
#define TRUEUP_STATE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "reconcile/store.h"
#include "state/database.h"

/* Runs and their calls as recorded; each function within the caller's transaction or snapshot. */

/* As store_ops.runs. */
__attribute__((warn_unused_result)) bool history_runs(struct database *database, struct arena *arena,
						      struct run_record **ret, size_t *ret_count,
						      struct diagnostics *diagnostics);
/* As store_ops.calls. */
__attribute__((warn_unused_result)) bool history_calls(struct database *database, struct arena *arena,
						       struct slice first, struct slice last, struct call_record **ret,
						       size_t *ret_count, struct diagnostics *diagnostics);

#endif
