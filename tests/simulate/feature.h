#ifndef TRUEUP_TESTS_SIMULATE_FEATURE_H
#define TRUEUP_TESTS_SIMULATE_FEATURE_H

#include <stdbool.h>

#include "tests/simulate/species.h"

/*
 * What the spec of a seed says beside the usual of one thing: a field that is turned from one value to another, so
 * that the operations that nothing but such a field needs are sent. A stack has one of them or none.
 */

enum feature {
	FEATURE_NONE,
	FEATURE_RANGES,
	FEATURE_IPV6,
	FEATURE_DHCP,
	FEATURE_TENANCY,
	FEATURE_PUBLIC_SUBNET,
	FEATURE_SUBNET_IPV6,
	FEATURE_EGRESS,
	FEATURE_EGRESS_DESCRIPTION,
	FEATURE_CONNECTION_OPTIONS,
	FEATURE_TUNNELS,
	FEATURE_FIRST_TUNNELS,
	FEATURE_HOOKS,
	FEATURE_SUSPENDED,
	FEATURE_METRICS,
	FEATURE_TARGET_GROUPS,
	FEATURE_GROUP_TAGS,
	FEATURE_MAINTENANCE,
	FEATURE_PROFILE,
	FEATURE_OTHER_PROFILE,
	FEATURE_ADDRESSES6,
	FEATURE_DISK_END,
	FEATURE_USER_DATA,
	FEATURE_TYPE,
	FEATURE_METADATA,
	FEATURE_PLACEMENT,
	FEATURE_CPU,
	FEATURE_RECOVERY,
	FEATURE_WEIGHTING,
	FEATURE_CAPACITY,
	FEATURE_HOST_NAMES,
	FEATURE_CREDITS,
	FEATURE_RUNNING,
	FEATURE_PUBLIC_ADDRESS,
	FEATURE_COUNT,
};

/* One field of the first thing of a species. */
struct feature_piece {
	enum species species;
	const char *field;
	const char *values[2]; /* in the spec, before the turn and after it; NULL: not said; '#': a number that a
				* replacement changes */
};

enum { FEATURE_PIECES = 3 };

struct feature_row {
	struct feature_piece pieces[FEATURE_PIECES]; /* the last one is what it is about; ends with field NULL */
	/* Where the last one shows in the cloud: in the thing's body, or in those of a type whose owner it is. path
	 * NULL: its books do not show it, and the next plan, which reads it, tells. */
	const char *type, *owner;
	const char *path;    /* "tagSet.*.key": of any item of the list */
	const char *seen[2]; /* what, before the turn and after it; NULL: nothing */
	/* Where a call adds to a list what the cloud chooses: the list, and how many there may be at any time. */
	const char *list;
	unsigned most;
	bool is_blind;	/* no read gives it back */
	bool is_public; /* gives public addresses: the gateway to the internet cannot leave before they do */
};

extern const struct feature_row feature_rows[FEATURE_COUNT];

/* What it is about; NULL for FEATURE_NONE. */
const struct feature_piece *feature_subject(enum feature feature);

#endif
