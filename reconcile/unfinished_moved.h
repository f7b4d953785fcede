#ifndef TRUEUP_RECONCILE_UNFINISHED_MOVED_H
#define TRUEUP_RECONCILE_UNFINISHED_MOVED_H

#include <stdbool.h>

#include "base/arena.h"
#include "reconcile/kind.h"

/*
 * Whether a field is still as a deletion left it, which nobody meant to last, or a set has come back in part, by calls
 * of which a run sent the first ones. What others have made of it since is theirs. before, live: as it was then and is
 * now; left: MAP of the fields as the deletion left them, or NULL where that is not known. Any may be NULL: not set.
 */
bool unfinished_is_moved(const struct field *field, const struct value *before, const struct value *left,
			 const struct value *live, struct arena *arena);

#endif
