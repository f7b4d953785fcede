#ifndef TRUEUP_SPECS_DEFAULT_TAGS_H
#define TRUEUP_SPECS_DEFAULT_TAGS_H

#include "specs/loading.h"

/* The fields given for a resource, with the default_tags of its provider among its tags. */
struct value default_tags_add(struct loading *loading, const struct resource *resource, const struct value *given);

#endif
