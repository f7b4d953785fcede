#ifndef TRUEUP_RECONCILE_REFRESH_PARTS_H
#define TRUEUP_RECONCILE_REFRESH_PARTS_H

#include "reconcile/refresh.h"

/* Within refresh alone. */

/*
 * An object whose create was not answered has no id yet: its tag tells it apart, and from then on the id
 * that it has. found: what a listing gave; members: indexes into refresh->objects of those that were looked for in it,
 * and from object_count on of what is of no matter here.
 */
void refresh_match_tags(struct refresh *refresh, struct live *found, size_t found_count, const size_t *members,
			size_t member_count);

#endif
