#ifndef TRUEUP_SPECS_DEFAULT_TAGS_H
#define TRUEUP_SPECS_DEFAULT_TAGS_H

#include "specs/loading.h"

/* The fields given for a resource, with the default_tags of its provider among its tags. */
/* The field that tags stand in, or NULL where the kind has none. */
const struct field *default_tags_field(const struct kind *kind);
/* field: default_tags_field(), not NULL. */
struct value default_tags_add(struct loading *loading, const struct resource *resource, const struct field *field,
			      const struct value *given);

#endif
