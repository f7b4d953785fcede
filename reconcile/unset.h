#ifndef TRUEUP_RECONCILE_UNSET_H
#define TRUEUP_RECONCILE_UNSET_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/value.h"
#include "reconcile/kind.h"

/*
 * What becomes of the members of objects, however deep within a field, that the spec does not
 * set. Items of two lists belong together by their place, of two sets by their keys, of two
 * maps by their names.
 */

/* The value that a field goes back to by its table. */
struct value unset_constant(const struct field *field, struct arena *arena);

/*
 * `wanted` with what it means to leave out members that `applied` has: one with a constant has that, and
 * one that is to be cleared is there as null. *ret_dropped: it leaves out any, released ones
 * counted. Texts are shared with the input.
 */
struct value unset_complete(const struct field *field, const struct value *wanted, const struct value *applied,
			    struct arena *arena, bool *ret_dropped);
/* The same for a MAP of fields; those that `wanted` does not have at all stay out. */
struct value unset_complete_fields(const struct fields *fields, const struct value *wanted, const struct value *applied,
				   struct arena *arena);

/* What a field is to show in the end: wanted, completed, or, where that is NULL, what it goes back to by its table;
 * null: nothing. applied may be NULL. */
struct value unset_goal(const struct field *field, const struct value *wanted, const struct value *applied,
			struct arena *arena);

/* A member that is not wanted; NULL where a side does not have it. */
struct unset_member {
	const struct field *field;
	struct slice path; /* "tunnels[0].dpd_action", "hooks[drain].timeout_s" */
	const struct value *applied, *observed, *live;
	/* The object that it belongs to was there when it was observed, and is there now; of a SEEN one, a read told.
	 */
	bool recorded;
};

/* What stands in the same place in what was wanted, applied, observed and is live; NULL: nothing. */
struct unset_sides {
	const struct value *wanted, *applied, *observed, *live;
};

/* Calls `visit` for every member that is not wanted within what is. Paths live in arena. */
void unset_walk(const struct field *field, struct slice path, const struct unset_sides *sides, struct arena *arena,
		void (*visit)(void *context, const struct unset_member *member), void *context);

#endif
