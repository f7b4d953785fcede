#ifndef TRUEUP_RECONCILE_MADE_H
#define TRUEUP_RECONCILE_MADE_H

#include "base/arena.h"
#include "base/value.h"
#include "reconcile/kind.h"

/*
 * What an object was made with, as far as no read gives it back (WRITE_ONLY) and no other than a new object can have it
 * otherwise (IMMUTABLE). It stays true as long as the object is there, also once the spec lets go of it
 * (UNSET_RELEASE): the record keeps it among what was observed, so that a spec which says it again finds it as it was
 * made. Members of its items may be SEEN all the same (kind.h).
 */

/* Whether a field at the top is such a one. */
bool made_is_kept(const struct field *field);
/*
 * All that is known of such a field: what was applied, and what the spec has let go of since. applied, observed: of
 * this field; NULL: not set. NULL where nothing is known; else it lives in arena or is shared.
 */
const struct value *made_known(const struct field *field, const struct value *applied, const struct value *observed,
			       struct arena *arena);
/* Whether a read has told of an item, as it is known: a program that did not look has recorded nothing that is SEEN. */
bool made_was_seen(const struct field *item, const struct value *known);
/* Whether the items of the field have a member that is SEEN. */
bool made_has_seen(const struct field *field);
/*
 * Such a field as it is now: what is known of it, with what a read tells of its items (live). An item that no record
 * knows is as it was read, where the spec wants it; one of which nothing is known but what is SEEN can be let go of.
 * Each is a LIST or NULL, and so is the result.
 */
const struct value *made_now(const struct field *field, const struct value *wanted, const struct value *known,
			     const struct value *live, struct arena *arena);
/*
 * Of what is known of such a field, what has not gone since: an item of which a read told once, and tells nothing now,
 * has. One that is said to be there stays among them all the same: that it is missing is not to be forgotten. Each is a
 * LIST or NULL, and so is the result: NULL where nothing is known.
 */
const struct value *made_left(const struct field *field, const struct value *said, const struct value *known,
			      const struct value *live, struct arena *arena);
/* Those that are said to be there and have gone so, as they are said. */
const struct value *made_lost(const struct field *field, const struct value *said, const struct value *known,
			      const struct value *live, struct arena *arena);
/* Whether what is now differs from what is wanted in what is SEEN alone, or comes in place (in_place_to), so that it
 * changes in place. */
bool made_changes_in_place(const struct field *field, const struct value *wanted, const struct value *now,
			   struct arena *arena);
/*
 * observed, with such fields as they are known after an update. former: what was known of them before it; resolved:
 * what is applied by it. All three are MAPs of fields.
 */
struct value made_observed(const struct kind *kind, const struct value *observed, const struct value *resolved,
			   const struct value *former, struct arena *arena);

#endif
