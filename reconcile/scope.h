#ifndef TRUEUP_RECONCILE_SCOPE_H
#define TRUEUP_RECONCILE_SCOPE_H

#include "base/value.h"

/* Where a value stands: in a MAP, which stands in an outer one (NULL: in none). */
struct scope {
	const struct value *map;
	const struct scope *outer;
};

/* The value of the nearest field of that name; NULL: none around has one. */
static inline const struct value *scope_nearest(const struct scope *scope, struct slice name)
{
	while (scope && !value_get_given(scope->map, name))
		scope = scope->outer;
	return scope ? value_get(scope->map, name) : NULL;
}

#endif
