#ifndef TRUEUP_RECONCILE_UNFINISHED_OUTPUTS_H
#define TRUEUP_RECONCILE_UNFINISHED_OUTPUTS_H

#include <stdbool.h>

#include "base/arena.h"
#include "reconcile/kind.h"
#include "reconcile/provider.h"
#include "reconcile/resource.h"

/* The outputs of an object that a run has begun to change. */

/* Whether what the kind makes equal to another of its outputs is so. */
bool unfinished_outputs_follow(const struct kind *kind, const struct live *live);

/*
 * Outputs as they are to be recorded. What follows another one stays as it was recorded until it has followed: anything
 * else it was moved to by others.
 */
struct value unfinished_outputs(const struct object *object, const struct kind *kind, const struct value *live,
				struct arena *arena);

/* Recorded outputs, but those that show the work of the operation as they are live: before it is sent. */
struct value unfinished_outputs_before(const struct object *object, const struct kind *kind, struct slice operation,
				       const struct value *live, struct arena *arena);

#endif
