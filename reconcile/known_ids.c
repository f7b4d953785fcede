#include "reconcile/known_ids.h"

#include "base/buffer.h"

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
		if (slice_equal(each->kind, kind) && identity_same_place(each->identity, identity))
			return false;
	added = arena_new(known->arena, struct known_id);
	*added = (struct known_id){kind, identity, first};
	map_set(&known->by_id, provider_id, added);
	return true;
}

struct slice known_ids_key(struct arena *arena, struct slice kind, const struct live *live,
			   const struct identity *identity)
{
	const struct ownership *own = &live->ownership;
	struct identity place = identity_any_way(identity);
	const struct slice parts[] = {kind,	   live->provider_id, own->lineage, own->object_id,
				      own->intent, own->generation,   own->address, identity_text(arena, &place)};
	BUFFER_AUTO key;

	buffer_init(&key, SIZE_MAX);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		buffer_format(&key, "%zu %.*s ", parts[i].size, SLICE_ARGUMENTS(parts[i]));
	return arena_copy(arena, buffer_slice(&key));
}
