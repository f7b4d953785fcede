#ifndef TRUEUP_RECONCILE_PLAN_PUT_H
#define TRUEUP_RECONCILE_PLAN_PUT_H

#include <stdbool.h>

#include "base/value_put.h"

/* Members of a plan as a document, and of what is digested of it: what is not there leaves none. */

static inline void put_text(struct value_builder *builder, const char *key, struct slice text)
{
	if (text.size)
		put(builder, key, value_string(text));
}

static inline void put_true(struct value_builder *builder, const char *key, bool truth)
{
	if (truth)
		put(builder, key, value_bool(true));
}

#endif
