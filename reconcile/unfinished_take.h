#ifndef TRUEUP_RECONCILE_UNFINISHED_TAKE_H
#define TRUEUP_RECONCILE_UNFINISHED_TAKE_H

#include <stdbool.h>

#include "base/arena.h"
#include "reconcile/kind.h"

/* What an update or a deletion that was cut off has done of a field, part by part. */

/*
 * One field or a part of it; NULL: not set. What is recorded becomes `target` where what is there is the goal, and what
 * is there where the update passes through that.
 */
struct unfinished_part {
	const struct field *field;
	const struct value *recorded, *target;
	const struct value *former, *goal, *live; /* former: recorded, resolved */
	bool in_steps;				  /* provider.h */
};

/* Whether what is there is the goal. */
bool unfinished_has_arrived(const struct unfinished_part *part);
/* Switched off, to be given another value or to be switched on again. */
bool unfinished_is_between(const struct unfinished_part *part);
/* What is to be recorded; null: that it is not set. */
struct value unfinished_take(const struct unfinished_part *part, struct arena *arena);
/*
 * Whether the update has taken all out of a set that it did not come to fill again. observed: as it was seen before,
 * and taken: what is left of that. Unset it would count as never touched, and nothing would bring back what was there.
 */
bool unfinished_is_emptied(const struct unfinished_part *part, const struct value *observed, const struct value *taken);

#endif
