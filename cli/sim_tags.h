#ifndef TRUEUP_CLI_SIM_TAGS_H
#define TRUEUP_CLI_SIM_TAGS_H

#include "base/value.h"

/*
 * A tag by its name, as sim_change() wants it: EC2 keeps tags as a list, so the tag of that
 * name is looked for in thing (which may be NULL), and added behind the others where it is
 * not. *added counts those. The value "null" takes it away.
 */
void attribute_of_tag(struct value_builder *attributes, const struct value *thing, struct slice name,
		      struct slice value, size_t *added, struct arena *arena);

#endif
