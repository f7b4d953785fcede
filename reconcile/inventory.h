#ifndef TRUEUP_RECONCILE_INVENTORY_H
#define TRUEUP_RECONCILE_INVENTORY_H

#include "reconcile/loop.h"
#include "reconcile/refresh.h"
#include "reconcile/sessions.h"

/*
 * All that is there, whoever made it: every kind that can be listed, in every place that a session
 * reaches, without details.
 */
struct unlisted {
	const struct kind *kind;
	const struct session *session;
	struct slice reason;
};

struct inventory {
	struct loop *loop;
	const struct sessions *sessions;
	struct arena *arena;

	struct stray *items; /* present ones, by kind and place, in the order of the answers */
	size_t count, capacity;
	struct unlisted *unlisted;
	size_t unlisted_count;
};

/* False where it was interrupted. */
__attribute__((warn_unused_result)) bool inventory_take(struct inventory *inventory, struct diagnostics *diagnostics);

#endif
