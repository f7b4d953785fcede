#ifndef TRUEUP_RECONCILE_RECOVER_H
#define TRUEUP_RECONCILE_RECOVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "reconcile/provider.h"
#include "reconcile/resource.h"
#include "reconcile/store.h"

/*
 * What became of calls whose outcome nobody saw, because the run that sent them died or
 * the answer was lost: judged from what has been read since.
 */

enum settlement {
	SETTLEMENT_NONE, /* not known yet: the intent stays open */
	SETTLEMENT_DONE,
	SETTLEMENT_FAILED, /* certainly without effect, or its effect is gone */
};

struct verdict {
	enum settlement settlement;
	const char *why; /* for the record, and for people where it stays open */
};

/* object: as recorded, NULL where it no longer is; live: as read after the run that sent
 * the call had ended, NULL where it was not read. Asks nobody anything. */
struct verdict recover_judge(const struct intent *intent, const struct object *object, const struct live *live);

struct recovery {
	const struct intent *intents;
	size_t intent_count;
	/* Heads, and live parallel to them or NULL. */
	struct object *const *objects;
	size_t object_count;
	const struct live *const *live;
	struct arena *arena;

	/* What came of it. */
	struct intent_close *closes;
	size_t close_count;
	const struct intent **open; /* those that stay open */
	const char **reasons;	    /* parallel to open */
	size_t open_count;
};

/* Judges every intent. */
void recover_all(struct recovery *recovery);
/* Records the verdicts. The lease is held. */
__attribute__((warn_unused_result)) bool recover_commit(const struct recovery *recovery, struct store *store,
							struct diagnostics *diagnostics);

#endif
