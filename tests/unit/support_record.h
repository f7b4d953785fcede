#ifndef TRUEUP_TESTS_UNIT_SUPPORT_RECORD_H
#define TRUEUP_TESTS_UNIT_SUPPORT_RECORD_H

#include "reconcile/kind.h"
#include "reconcile/resource.h"

/* What tests of records, and of what is taken into them, share. */

/* A value from the JSON of a row, in arena; the test fails where that cannot be read. */
struct value read_json(struct arena *arena, const char *json);
/* The object as it comes back from a store. */
struct object stored(struct arena *arena, const struct object *object);
/* Of a provider whose listings tell everything: provider.needs_detail. */
bool needs_no_detail(const struct kind *kind, const struct value *matters);

#endif
