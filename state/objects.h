#ifndef TRUEUP_STATE_OBJECTS_H
#define TRUEUP_STATE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "reconcile/store.h"
#include "state/database.h"

/* The tables of objects; each function within the caller's transaction or snapshot. */

/* As store_ops.heads. */
__attribute__((warn_unused_result)) bool objects_heads(struct database *database, struct arena *arena,
						       struct object **ret, size_t *ret_count,
						       struct diagnostics *diagnostics);
/* As store_ops.bodies. */
__attribute__((warn_unused_result)) bool objects_bodies(struct database *database, struct arena *arena,
							const struct object *const *objects, size_t count,
							struct slice *ret, struct diagnostics *diagnostics);
/* What STATEMENT_HEADS calls. Gives SQLite's code. */
__attribute__((warn_unused_result)) int objects_add_functions(sqlite3 *handle);
/* A head from the columns that a statement has first. */
__attribute__((warn_unused_result)) bool objects_read_head(const struct query *query, struct arena *arena,
							   struct object *ret, struct diagnostics *diagnostics);
/* Writes the head, and the body where that is not empty. */
__attribute__((warn_unused_result)) bool objects_put(struct database *database, const struct object *object,
						     struct slice body, struct arena *scratch,
						     struct diagnostics *diagnostics);
/* Also one that is not there. */
__attribute__((warn_unused_result)) bool objects_remove(struct database *database, struct slice object_id,
							struct diagnostics *diagnostics);

#endif
