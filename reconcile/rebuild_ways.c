#include "reconcile/known_ids.h"
#include "reconcile/rebuild_parts.h"

/* Where the spec has it, the last, or else where it is recorded. */
enum way { WAY_ANY, WAY_RECORDED, WAY_OF_SPEC };

static enum way way_of(const struct inventory *inventory, const struct stack *stack, const struct map *resources,
		       const struct rebuild_past *past, const struct stray *stray)
{
	const struct live *live = stray->live;
	const struct resource *resource = map_get(resources, live->ownership.address);
	const struct session *session =
		resource ? sessions_of_alias(inventory->sessions, stack, resource->provider) : NULL;
	const struct object *known =
		map_get(&past->by_id, rebuild_id_key(inventory->arena, slice_of(stray->kind->name), live->provider_id));

	if (session && identity_equal(&session->identity, &stray->session->identity))
		return WAY_OF_SPEC;
	return known && identity_equal(&known->identity, &stray->session->identity) ? WAY_RECORDED : WAY_ANY;
}

void rebuild_join_ways(struct inventory *inventory, const struct stack *stack, const struct rebuild_past *past)
{
	struct map seen, spare;
	size_t count = 0;

	map_init(&seen);
	map_init(&spare);
	const struct map *resources = stack_addresses(stack, &spare);
	for (size_t i = 0; i < inventory->count; i++) {
		const struct stray stray = inventory->items[i];
		struct slice key = known_ids_key(inventory->arena, slice_of(stray.kind->name), stray.live,
						 &stray.session->identity);
		/* What has none of our tags may be another one of that name. */
		bool is_known = stray.live->ownership.object_id.size > 0;
		struct stray *same = is_known ? map_add(&seen, key, &inventory->items[count]) : NULL;

		if (!same)
			inventory->items[count++] = stray;
		else if (way_of(inventory, stack, resources, past, &stray) >
			 way_of(inventory, stack, resources, past, same))
			*same = stray;
	}
	inventory->count = count;
	map_release(&seen);
	map_release(&spare);
}
