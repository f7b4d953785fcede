#include "reconcile/known_ids.h"

struct known_id {
	struct slice kind;
	const struct identity *identity;
	struct known_id *next; /* of the same id */
};

void known_ids_init(struct known_ids *known, size_t most, struct arena *arena)
{
	known->arena = arena;
	map_init(&known->by_id);
	map_reserve(&known->by_id, most);
}

void known_ids_release(struct known_ids *known)
{
	map_release(&known->by_id);
}

bool known_ids_add(struct known_ids *known, struct slice provider_id, struct slice kind,
		   const struct identity *identity)
{
	struct known_id *first = map_get(&known->by_id, provider_id), *added;

	for (const struct known_id *each = first; each; each = each->next)
		if (slice_equal(each->kind, kind) && identity_equal(each->identity, identity))
			return false;
	added = arena_new(known->arena, struct known_id);
	*added = (struct known_id){kind, identity, first};
	map_set(&known->by_id, provider_id, added);
	return true;
}
