#ifndef TRUEUP_RECONCILE_KNOWN_IDS_H
#define TRUEUP_RECONCILE_KNOWN_IDS_H

#include "base/map.h"
#include "reconcile/provider.h"
#include "reconcile/resource.h"

/*
 * Things by what tells them apart: kind, place, whichever way leads there, and the service's id. An id alone does not:
 * that of some kinds is a name, which each place may have once.
 */
struct known_ids {
	struct map by_id; /* to the first struct known_id of that id */
	struct arena *arena;
};

/* most: how many there will be, about. */
void known_ids_init(struct known_ids *known, size_t most, struct arena *arena);
void known_ids_release(struct known_ids *known);
/* False where it is known already. What is given is borrowed. */
bool known_ids_add(struct known_ids *known, struct slice provider_id, struct slice kind,
		   const struct identity *identity);

/* For a map: the same for what two ways to one place show of one thing, down to its ownership tags. In arena. */
struct slice known_ids_key(struct arena *arena, struct slice kind, const struct live *live,
			   const struct identity *identity);

#endif
