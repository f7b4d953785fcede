#ifndef TRUEUP_RECONCILE_RANGES_H
#define TRUEUP_RECONCILE_RANGES_H

#include "base/cidr.h"
#include "base/map.h"
#include "reconcile/kind.h"
#include "reconcile/resource.h"

/*
 * Ranges within one thing (RANGE_WITHIN), of which no two may overlap: what some have now beside what others are to
 * have. Whoever is to have a range waits for all that has any part of it.
 */
struct ranged {
	size_t owner; /* whose it is, or is to be: a number of the caller's */
	bool wanted;  /* it is to be; else it is now */
	const struct field *field;
	const struct value *value;
	/* Filled in by ranges_add(). */
	size_t scope;	  /* number of what it lies within */
	struct cidr cidr; /* without host bits */
};

struct ranges {
	struct arena *arena;
	struct map scopes; /* to their numbers */
	struct ranged *items;
	size_t count, capacity;
};

void ranges_init(struct ranges *ranges, struct arena *arena);
void ranges_release(struct ranges *ranges);
/* False, and nothing is added, where the value is no such range, or it is not known yet within what. fields: MAP that
 * has that. */
bool ranges_add(struct ranges *ranges, const struct kind *kind, const struct value *fields,
		const struct identity *place, struct ranged ranged);

typedef void ranges_visit(void *context, const struct ranged *had, const struct ranged *wanted);
/* Calls visit for every two of different owners that overlap, of which one is had and the other one wanted: by the
 * owner of that, then by the other one's. O(n log n), where neither what is had nor what is wanted overlaps itself. */
void ranges_meet(struct ranges *ranges, ranges_visit *visit, void *context);
/* What a field has as its value, an address by itself or a range; false: neither, or not known. value may be NULL. */
bool range_read(const struct field *field, const struct value *value, struct cidr *ret);
/* Of a range of which the service keeps the ends (KEEPS_ENDS): whether it keeps that address. */
bool range_keeps(const struct cidr *range, const struct cidr *address);
/* Whether both are ranges that overlap, and are not equal. */
bool ranges_differ(const struct value *a, const struct value *b);

/* Whether a range, or one of a LIST of them, is around that one. Other values are around none. */
bool ranges_around(const struct value *value, const struct cidr *part);

#endif
