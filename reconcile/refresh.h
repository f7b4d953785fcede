#ifndef TRUEUP_RECONCILE_REFRESH_H
#define TRUEUP_RECONCILE_REFRESH_H

#include "base/map.h"
#include "reconcile/loop.h"
#include "reconcile/resource.h"
#include "reconcile/sessions.h"

/* Something live that carries this stack's tags, and that no record names. */
struct stray {
	const struct live *live;
	const struct kind *kind;
	const struct session *session;
};

/* What may be there without being recorded, and nobody could look. */
struct unwatched {
	const struct watched *watched;
	struct slice reason;
	struct slice hint; /* or empty */
};

/*
 * Reads what is really there, in bulk: one listing a kind and place, and the details that
 * set or recorded fields need.
 */
struct refresh {
	struct loop *loop;
	const struct sessions *sessions;
	const struct kinds *kinds;
	const struct stack *stack;
	struct object *const *objects; /* with bodies */
	size_t object_count;
	struct arena *arena;
	/* What is listed for strays even where nothing of its kind is recorded. */
	const struct watched *watched;
	size_t watched_count;
	/* Read just these objects, by id, instead of listing all of a kind. */
	bool by_id;
	/* All that is recorded, where objects are but some of it; NULL: they are all. */
	struct object *const *recorded;
	size_t recorded_count;
	/* Kinds of which this has something that is not recorded are listed, before it is made; NULL: none are. */
	const struct stack *expected;
	/* With expected: all that is recorded is to go. What is expected and could not be listed would stay. */
	bool destroys;
	/* With expected: addresses that are looked for though they are recorded, for the plan is to make them anew or
	 * to let go of their record, and may have been carried out before; NULL: none. */
	const struct map *sought;
	/* With expected: nothing was ever recorded. The state is a new stack's, or another one was lost. */
	bool is_first;

	/* The answers, parallel to objects and to stack->resources; entries may be NULL: not asked. Of a resource that
	 * is recorded and gone: what has its name by now. */
	const struct live **live;
	const struct live **unrecorded;
	int64_t began_ms; /* boot clock: nothing was read earlier */
	/* Seen in the listings: they say nothing of kinds and places that were not listed. */
	struct stray *strays;
	size_t stray_count, stray_capacity;
	/* Of a first one: what another state of this stack made at addresses of the spec. */
	size_t lost_count;
	struct slice lost_address, lost_id; /* of one of them */
	/* And the kinds that could not be listed, so that nobody can tell of them; by place. Where it is no first one,
	 * the stack is what is expected, and it is to stay, what is unread of it is among unrecorded instead. */
	size_t unlisted_count;
	const struct kind *unlisted_kind; /* one of them */
	struct slice unlisted_reason;
	const struct kind *unknown_kind; /* one that its endpoint does not know at all, or NULL */
	struct slice unknown_reason;
	/* What is watched and could not be looked for. Where anything of its kind is recorded or expected, that is
	 * unread, and this is not told besides. */
	struct unwatched *unwatched;
	size_t unwatched_count, unwatched_capacity;
};

/* False where it was interrupted. What could not be read is marked as unread, not reported. */
__attribute__((warn_unused_result)) bool refresh_run(struct refresh *refresh, struct diagnostics *diagnostics);
/*
 * After refresh_run(), before another stack takes the place of the one that was read for: what was read of its
 * resources becomes parallel to those of the other one, which have the same addresses. Of any further one nothing was
 * read. stack: borrowed for the call. Without a refresh_run() before, there is nothing to do.
 */
void refresh_renumber(struct refresh *refresh, const struct stack *stack);

#endif
