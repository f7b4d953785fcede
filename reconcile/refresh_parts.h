#ifndef TRUEUP_RECONCILE_REFRESH_PARTS_H
#define TRUEUP_RECONCILE_REFRESH_PARTS_H

#include "base/map.h"
#include "reconcile/read.h"
#include "reconcile/refresh.h"

/* Within refresh alone. */

/* All objects of one kind in one place. */
struct group {
	struct refreshing *refreshing;
	struct session *session;
	const struct kind *kind;
	size_t *members; /* indexes into objects, or, from object_count on, resources */
	size_t count, capacity;
	struct slice lineage;	       /* as in struct read_batch */
	const struct watched *watched; /* that it is listed for, or NULL */
	bool seeks;		       /* it is looked through for what is to be there without being recorded */
	struct read_batch batch;
};

struct refreshing {
	struct refresh *refresh;
	struct map groups;	      /* "session kind" to struct group */
	struct map recorded;	      /* addresses to struct object: the address's own */
	const struct map *by_address; /* of the stack: see stack_addresses() */
	struct map spare;
	int64_t wall_ms;
};

/* That of the kind there, made where there is none yet. */
struct group *refresh_group(struct refreshing *refreshing, struct session *session, const struct kind *kind);
/* Has the kinds of what is watched listed where it may lie. */
void refresh_gather_watched(struct refreshing *refreshing);
/* After the reads: what could not be looked for, of kinds that were listed for nothing else. Whatever else is unread
 * tells so itself. */
void refresh_find_unwatched(struct refreshing *refreshing);

/*
 * An object whose create was not answered has no id yet: its tag tells it apart, and from then on the id
 * that it has. found: what a listing gave; members: indexes into refresh->objects of those that were looked for in it,
 * and from object_count on of what is of no matter here.
 */
void refresh_match_tags(struct refresh *refresh, struct live *found, size_t found_count, const size_t *members,
			size_t member_count);

#endif
