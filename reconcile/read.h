#ifndef TRUEUP_RECONCILE_READ_H
#define TRUEUP_RECONCILE_READ_H

#include "reconcile/loop.h"
#include "reconcile/provider.h"

/*
 * Reading many objects of one kind through one session: pages of a list, then what the
 * list leaves out of those that need it, then proof for those that seem to be missing.
 */

struct read_request {
	/* What to look for: the provider's id, or for kinds that are found the address. */
	struct slice id;
	const struct value *matters; /* MAP: fields that are set or recorded; NULL: none that takes a call of its own */
	bool once_ready;	     /* what is not ready is not asked for the fields that take a call of their own */
	const struct value *wanted;  /* MAP: what the spec says, for kinds that are found */
	const struct value *observed, *outputs; /* MAPs: as recorded, or NULL */
	int64_t age_ms;	   /* since it was made: a young one may be missing from a list for a while */
	struct live *live; /* the answer: never NULL once the batch is done; in the batch's arena */
	void *context;	   /* the caller's */
};

struct read_batch {
	struct loop *loop;
	struct session *session;
	const struct kind *kind;
	struct read_request *requests;
	size_t count;
	bool everything;      /* list all of the kind, not just those asked for */
	bool anyones;	      /* everything, also of a place where much is not this stack's */
	struct slice lineage; /* of everything: that of the tags to look for, or empty: the loop's */
	struct arena *arena;  /* for answers */
	int64_t remaining;    /* of whoever waits for it: see struct task */
	/* The first listing has come, as `found`: by it ids may be set that requests lacked, before more is read of
	 * them. NULL: nobody does. */
	void (*listed)(struct read_batch *batch);
	void (*done)(struct read_batch *batch);
	void *context;

	/* Its own. */
	struct reading listing;
	struct diagnostics findings;
	struct live *found; /* all that the first listing gave, for whoever wants more than it asked for */
	size_t found_count;
	struct slice unlisted_reason; /* why the first listing failed; empty: it did not */
	struct slice unlisted_hint;   /* what to do about it, or empty */
	enum fault unlisted_fault;
	size_t pending;
	int rounds;
	struct slice *missing;
};

/* Starts; the batch must live until done was called. */
void read_start(struct read_batch *batch);

#endif
