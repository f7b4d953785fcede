#ifndef TRUEUP_RECONCILE_RECOVER_H
#define TRUEUP_RECONCILE_RECOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "reconcile/provider.h"
#include "reconcile/refresh.h"
#include "reconcile/resource.h"
#include "reconcile/run_secrets.h"
#include "reconcile/store.h"
#include "reconcile/unfinished.h"

/*
 * What became of calls whose outcome nobody saw, because the run that sent them died or the
 * answer was lost: judged from what has been read since. See docs/reliability.md.
 */

enum settlement {
	SETTLEMENT_NONE,   /* it cannot be told: the intent stays open */
	SETTLEMENT_WAIT,   /* what it does may not have come yet: look again */
	SETTLEMENT_RESEND, /* nothing is there yet; it is sent once more with its token: see recover_resend.h */
	SETTLEMENT_DONE,
	SETTLEMENT_ABSENT, /* looked for long enough: nothing came of it; what a create still makes is swept */
};

struct verdict {
	enum settlement settlement;
	const char *why; /* for the record and for people */
};

/* How long what an unanswered call may still do is looked for, where no flag says otherwise. */
enum { RECOVER_GRACE_MS = 2 * 60 * 1000 };

/*
 * kind: that of the object, where it was read; object: as recorded, NULL where it no longer is; live: as read after the
 * run that sent the call had ended, NULL where it was not read; shows: what that shows of the call, which is no create
 * (unfinished_shows()); may_come: what it does may still appear. Asks nobody anything.
 */
struct verdict recover_judge(const struct intent *intent, const struct kind *kind, const struct object *object,
			     const struct live *live, enum call_shown shows, bool may_come);

/*
 * Whether what was read is another thing than the recorded one, as a thing that is found tells who it is: what that
 * shows is nothing that was begun with the recorded one. style: with the fingerprints of secrets; arena: for scratch.
 */
bool recover_finds_another(const struct object *object, const struct kind *kind, const struct live *live,
			   const struct json_style *style, struct arena *arena);

struct recovery {
	const struct intent *intents;
	size_t intent_count;
	/* Heads, and live parallel to them; NULL, where nothing was read, for recover_all() alone. */
	struct object *const *objects;
	size_t object_count;
	const struct live *const *live;
	const struct kinds *kinds;
	const struct providers *providers;
	const struct stack *stack; /* for recover_commit(): as the spec has it; empty: it is not at hand */
	int64_t now_ms;		   /* wall */
	int64_t looked_ms;	   /* wall: when it was asked for what was read; an answer may take long to come */
	int64_t grace_ms;	   /* how long after it was sent a call's work may still appear */
	bool waited;		   /* for as long as that: nothing may any more */
	const struct vault *vault; /* opens the secrets of what is sent again; NULL, or without a key: it is not sent */
	bool lacks_key;		   /* there is a key, and it cannot be had now: what is sealed under it stays open */
	struct run_secrets secrets;
	/* Whether what the create of the object was to make is wanted as it was: only then may it be sent once more.
	 * NULL: nothing is. */
	bool (*is_wanted)(void *context, const struct object *object);
	void *context;
	struct arena *arena;

	/* What came of it: parallel to intents. */
	struct verdict *verdicts;
	struct object **subjects; /* what they are about, or NULL */
	struct value *parameters; /* of SETTLEMENT_RESEND: what it is sent with; secrets in clear */
	size_t waiting_count;	  /* of SETTLEMENT_WAIT */
	size_t resend_count;	  /* of SETTLEMENT_RESEND */
	size_t open_count;	  /* of SETTLEMENT_NONE */
};

/* Judges every intent. */
void recover_all(struct recovery *recovery);
/*
 * Of what was read, while calls are open that cannot be settled: an object that is not there, and that a create was to
 * make, counts as unread. It may come yet, so it is neither forgotten nor made a second time. So does one that is
 * there and was to be changed: only its record tells by what that change shows, and another change would overwrite it.
 * live is parallel to objects; NULL: it was not read.
 */
void recover_hold(const struct intent *intents, size_t intent_count, struct object *const *objects, size_t object_count,
		  const struct live **live, struct arena *arena);
/* Whether an earlier run began to change or to delete any of these and did not end; of those with a body. */
bool recover_has_unfinished(struct object *const *objects, size_t count);
/* Records the verdicts, the ids of objects that were found, and what came of what was begun. The lease is held. */
__attribute__((warn_unused_result)) bool recover_commit(const struct recovery *recovery, struct store *store,
							struct diagnostics *diagnostics);

/* What a thing is that carries the stack's tags, and that is not recorded. */
enum stray_origin {
	STRAY_LEFT,    /* let go of by people, or still on its way into or out of the record */
	STRAY_TWIN,    /* the work of one of our own calls, come late or done twice: it goes */
	STRAY_UNKNOWN, /* nobody can tell: people copy tags, and records get lost */
};

enum { STRAY_ORIGIN_COUNT = 3 };

/* What the store is to be asked of a stray; borrows its texts. */
struct past_question recover_ask(const struct stray *stray);

/*
 * A twin is the work of one of our own calls come late or done twice: one that was given up, or, for as long as a call
 * may be on its way, one without a token whose own object is recorded under another id, or was until a run deleted it.
 * Done twice it has made the same twice: what differs from that object where nothing can change bears tags that people
 * copied. recorded: the object that its tags name, with its body, or NULL; live: what was read of that, or NULL;
 * now_ms: wall, of a run that settled calls when it began to, for what it has settled it sweeps as well, however long
 * it slept in between; arena: for scratch.
 */
enum stray_origin recover_stray_origin(const struct past_call *past, const struct stray *stray,
				       const struct object *recorded, const struct live *live, int64_t now_ms,
				       struct arena *arena);
/*
 * recorded, with its body, may be NULL. The record under which a twin is deleted by the plan that comes next; in arena.
 * Its object id is made of what it is, so that a plan which only foresees that record means the same one as the run
 * that makes it.
 */
struct object *recover_twin(const struct past_call *past, const struct stray *stray, const struct object *recorded,
			    int64_t now_ms, struct arena *arena);

#endif
