#ifndef TRUEUP_STATE_PAST_CALLS_H
#define TRUEUP_STATE_PAST_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "reconcile/store.h"
#include "state/database.h"

/* As store_ops.past, within the caller's snapshot; an intent that is no id of ours is not known. Each table is read
 * once, however many questions there are: no index has what is asked for, because each commit would pay for that. */
__attribute__((warn_unused_result)) bool past_calls_find(struct database *database, struct arena *arena,
							 const struct past_question *questions, size_t count,
							 struct past_call *ret, struct diagnostics *diagnostics);
#endif
