#ifndef TRUEUP_RECONCILE_DIFF_PARTS_H
#define TRUEUP_RECONCILE_DIFF_PARTS_H

#include "reconcile/diff.h"

/* What diff*.c share; private to the comparison of one object. */

struct diffing {
	const struct diff_input *input;
	struct arena *arena;
	struct difference *result;
	size_t capacity;
	struct value_builder constants;
	struct value_builder released;
};

/* NULL: not set. */
static inline const struct value *diff_member(const struct value *map, const char *name)
{
	return value_if_set(value_get_named(map, name));
}

static inline bool diff_is_unread(const struct value *value)
{
	return value && value_is(value, VALUE_UNREAD);
}

/* before, after: NULL for what was not, or is not to be, set. field: NULL of an output. */
void diff_add(struct diffing *diffing, const struct field *field, struct slice path, enum change_cause cause,
	      enum change_effect effect, const struct value *before, const struct value *after);
/* After the fields: adds what is to be told of the outputs. */
void diff_judge_outputs(struct diffing *diffing);

#endif
