#ifndef TRUEUP_RECONCILE_RELEASED_H
#define TRUEUP_RECONCILE_RELEASED_H

#include "reconcile/diff.h"
#include "reconcile/resource.h"

/*
 * What a spec set once and has let go of since (UNSET_RELEASE): the object keeps it, and a new one in its place comes
 * without. The record has the paths ("egress", "metadata.hop_limit"), for nothing else tells such a value from a
 * default of the service's.
 */

/* LIST of texts, or null: object.released once these changes are made. recorded: as it was; desired: MAP of what the
 * spec says by now. Items of sets are not followed. Texts of the changes are not copied. */
struct value released_after(const struct value *recorded, const struct change *changes, size_t count,
			    const struct value *desired, struct arena *arena);
/* Whether the spec says nothing at that path. */
bool released_is_unsaid(const struct value *desired, struct slice path, struct arena *arena);

#endif
