#ifndef TRUEUP_BASE_SECRET_PARTS_H
#define TRUEUP_BASE_SECRET_PARTS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/slice.h"
#include "base/value.h"

/*
 * The secrets within a value, one by one, as each has a fingerprint of its own (see json_seal()): a string, the secret
 * parts of one, or whatever else is secret as a whole.
 */
typedef void secret_visit(void *context, const struct value *secret);

/* Calls visit with every secret within value that is here in clear; the part of a string comes as a string. */
void secret_parts_visit(const struct value *value, secret_visit *visit, void *context);

/* Gives what a fingerprint stands for in ret, NULL where that is not known. False after a diagnostic. */
typedef bool secret_find(void *context, struct slice fingerprint, const struct value **ret);

/*
 * value with every secret that find knows put back in place of its fingerprint, and marked secret; of the others, and
 * of a string of which not all is known, the fingerprints stay (see value_has_fingerprint()). False where find fails.
 */
__attribute__((warn_unused_result)) bool secret_parts_open(struct arena *arena, const struct value *value,
							   secret_find *find, void *context, struct value *ret);

#endif
