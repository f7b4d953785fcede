#ifndef TRUEUP_SPECS_RESOURCES_H
#define TRUEUP_SPECS_RESOURCES_H

#include "specs/loading.h"

/* Finds every resource of every file and gives it its address; nothing in it is looked at. */
void resources_collect(struct loading *loading);
/* Evaluates, checks and completes every one of them. */
void resources_complete(struct loading *loading);

/* What a resource says of itself beside its kind's fields ("depends_on", "lifecycle"):
 * false where there is no meta field of that name. */
bool meta_field_read(struct loading *loading, uint32_t entry, const struct value_member *member);

/* Sorts and merges what the resource refers to into its dependencies. */
void dependencies_finish(struct loading *loading, uint32_t entry);
/* Refuses a secret output in what tells the items of a set apart; the fields are evaluated. */
void secret_keys_check(struct loading *loading, uint32_t index);
/* Reports every circle in which resources wait for one another. */
void dependencies_check(struct loading *loading);
/* Reports every reference to an output that its resource does not have, as a field of it is not true. */
void needs_check(struct loading *loading);

#endif
