#ifndef TRUEUP_STATE_CHECK_H
#define TRUEUP_STATE_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/slice.h"
#include "state/database.h"

/* As store_ops.check: pages and indexes, references between tables, and what holds one table to
 * another; within the caller's snapshot. */
__attribute__((warn_unused_result)) bool check_file(struct database *database, struct arena *arena, struct slice **ret,
						    size_t *ret_count, struct diagnostics *diagnostics);

#endif
