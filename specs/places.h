#ifndef TRUEUP_SPECS_PLACES_H
#define TRUEUP_SPECS_PLACES_H

#include "specs/loading.h"

/* Where the providers of a stack lead, as far as the spec and the environment tell. */
struct place {
	bool known;
	struct identity identity; /* as struct provider_schema's expect() gives it */
};

/* From the name of each of the stack's providers to its struct place. */
void places_find(const struct loading *loading, const struct stack *stack, struct map *ret);
/* Reports the references that lead from one place to another. */
void places_check(struct loading *loading, const struct map *places);
/* Reports the resources that would be one and the same thing (told_apart_by). */
void twins_check(struct loading *loading, const struct map *places);
/* Reports what two resources claim, and only one can have. */
void claims_check(struct loading *loading, const struct map *places);
/* Reports what lies in another region than its resource's provider. */
void regions_check(struct loading *loading, const struct map *places);
/* Reports ranges that must be apart from those of what their resource refers to, and are or lie within one
 * (apart_from). */
void routes_check(struct loading *loading);
/* What the field of that name in the MAP refers to, or NULL. Of one that may be this or that nothing can be said. */
const struct resource *places_target(const struct loading *loading, const struct value *map, const char *name);
/* Likewise, of that value of a reference field, which may be NULL. */
const struct resource *places_target_of(const struct loading *loading, const struct value *value);
/* A value of a resource, which is nothing without what a field of another one says, or of itself. */
struct places_need {
	const struct resource *resource;
	const char *name; /* of the value's field, as messages call it */
	const struct value *value;
	const struct resource *of;
	struct slice field; /* of that one */
};
/* Reports that the field is not set, and is not left to others; whether it is so. */
bool places_lack(struct loading *loading, const struct places_need *need);
/* Reports the references to what lies in another thing than the resource, or the rest of what it refers to, or in none.
 */
void beside_check(struct loading *loading);
/* addresses.c: fixed addresses that lie outside of the range of what they are in, or are not to be had there, and
 * those for which what they are in has no range. */
void addresses_check(struct loading *loading);
/* shares.c: addresses and ranges of one thing that are part of a range that is set apart for another one. */
void shares_check(struct loading *loading);

#endif
