#include "base/map.h"
#include "reconcile/refresh_parts.h"

static bool is_nameless(const struct refresh *refresh, size_t member)
{
	return member < refresh->object_count && refresh->objects[member]->provider_id.size == 0;
}

void refresh_match_tags(struct refresh *refresh, struct live *found, size_t found_count, const size_t *members,
			size_t member_count)
{
	struct slice lineage = refresh->loop->settings.lineage;
	struct map tagged;

	map_init(&tagged);
	for (size_t i = 0; i < found_count; i++)
		if (found[i].ownership.object_id.size && slice_equal(found[i].ownership.lineage, lineage) &&
		    found[i].presence == PRESENCE_PRESENT)
			map_set(&tagged, found[i].ownership.object_id, &found[i]);
	for (size_t i = 0; i < member_count; i++) {
		const struct live *live = is_nameless(refresh, members[i])
						  ? map_get(&tagged, refresh->objects[members[i]]->object_id)
						  : NULL;

		if (!live)
			continue;
		refresh->objects[members[i]]->provider_id = live->provider_id;
		refresh->objects[members[i]]->is_found = true;
		/* Nobody saw it made. */
		object_discard_shown(refresh->objects[members[i]], refresh->arena);
	}
	map_release(&tagged);
}
