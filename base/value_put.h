#ifndef TRUEUP_BASE_VALUE_PUT_H
#define TRUEUP_BASE_VALUE_PUT_H

#include "base/value.h"

/* Adds a member to a map that is being built, as documents have dozens of them: its name outlives the map. */
static inline void put(struct value_builder *builder, const char *name, struct value value)
{
	value_builder_member(builder, slice_of(name), value);
}

#endif
