#ifndef TRUEUP_BASE_MEMBERS_H
#define TRUEUP_BASE_MEMBERS_H

#include <stddef.h>

#include "base/value.h"

/*
 * The members of a map in byte order of their keys, without touching the map. Most maps
 * are small, and many lie in order already, so neither costs an allocation.
 */
enum { MEMBERS_FEW = 32 };

struct members {
	const struct value_member **sorted; /* as many as the map has; points to few or to owned memory */
	const struct value_member *few[MEMBERS_FEW];
};

/* map is a VALUE_MAP and must outlive members. */
void members_sort(struct members *members, const struct value *map);
void members_release(struct members *members);
/* As slice_compare() of the keys. */
int members_compare(const struct value_member *a, const struct value_member *b);

#define MEMBERS_AUTO __attribute__((cleanup(members_release))) struct members

#endif
