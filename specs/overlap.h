#ifndef TRUEUP_SPECS_OVERLAP_H
#define TRUEUP_SPECS_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/slice.h"
#include "base/source.h"
#include "base/value.h"
#include "reconcile/resource.h"

/* A range that the spec names; cidr is a VALUE_STRING in canonical form, with its position. */
struct named_range {
	struct slice name;
	struct value cidr;
};

struct named_ranges {
	const struct named_range *items;
	size_t count;
};

/* The section address_space. */
struct address_space {
	struct named_ranges pools;    /* to allocate from; they overlap what was allocated, so nothing is checked */
	struct named_ranges reserved; /* in use by others */
	struct named_ranges networks; /* bare metal */
};

/*
 * Reports every two ranges of the stack that must not overlap:
 *
 *   ranges of one routing domain (RANGE_DOMAIN). A domain is all resources that references
 *   flagged JOINS connect, directly or over others (a VPC, its VPN gateway, the connection,
 *   the customer gateway, others that stand for the same address, and what hangs on those);
 *   a resource without any is a domain alone
 *   ranges of the two ends of one peering (field.end_is): those alone, as peering is not passed on
 *   reserved ranges, and ranges of any resource
 *   networks, and ranges of any resource in a domain that anything joins
 *   networks and networks, networks and reserved ranges
 *   ranges within one parent (RANGE_WITHIN); and each must lie within one range of the
 *   parent, where the spec knows all of those of its family. Where it knows none, the range
 *   counts as one of the parent's own; so it does of a parent that is given by its id
 *
 * The ranges of a kind that itself joins others are what lies at the far end (static routes
 * of a VPN connection). They are there to lead to networks and reserved ranges, so they may
 * meet these; and each other where they are equal, which is a second way to one place (the
 * first stands for all of these in what is reported), or where the narrower one is just a network or reserved range, to
 * which it is the way that is taken. They must not meet the ranges of their domain's other resources, as those would
 * hide them.
 *
 * Deferred and unread ranges are skipped, but for parts of one parent that are expressions over a range whose length
 * alone is known (output.prefix6_bits): these are compared with each other, wherever that range will be. Every pair is
 * one error, with the place of the one and of the other, up to DIAGNOSTICS_MOST. O(n log n) over all ranges, both
 * families. False after a diagnostic.
 */
__attribute__((warn_unused_result)) bool overlap_check(const struct stack *stack, const struct address_space *space,
						       const struct sources *sources, struct diagnostics *diagnostics);

#endif
