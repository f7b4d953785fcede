#ifndef TRUEUP_STATE_HIDDEN_H
#define TRUEUP_STATE_HIDDEN_H

#include "base/arena.h"
#include "base/diag.h"
#include "reconcile/store.h"
#include "state/database.h"

/* Bodies that are to be rewritten, for they have in clear what is a secret by now: store_ops.hide. */
struct hidden {
	struct database *database;
	const struct store_hider *hider;
	struct arena arena; /* of what was found */
	struct hidden_body *bodies;
	size_t count;
	size_t capacity;
};

void hidden_init(struct hidden *hidden, struct database *database, const struct store_hider *hider);
void hidden_release(struct hidden *hidden);
/* Looks through all that is recorded; hidden: a struct hidden. Within the caller's snapshot. */
__attribute__((warn_unused_result)) bool hidden_find(void *hidden, struct diagnostics *diagnostics);
/* Rewrites what was found, but what is another by now. Within the caller's transaction. */
__attribute__((warn_unused_result)) bool hidden_write(const struct hidden *hidden, struct database *database,
						      struct diagnostics *diagnostics);

#endif
