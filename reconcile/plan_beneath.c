#include "reconcile/plan_items.h"

/*
 * What is made anew and keeps its name changes nothing of what refers to it by that: a template whose key pair is
 * replaced has nothing to do. But whoever uses the template needs the key, and waits for it.
 */

/* Whether the item hands on that the target is made anew. One that acts waits for its own targets anyway. */
static bool hands_on(const struct item *item, const struct item *target)
{
	return !plan_item_acts(item) && operation_makes(target->operation);
}

static size_t most_beneath(struct planning *planning, const struct item *item)
{
	size_t most = 0;

	for (size_t i = 0; i < item->resource->dependency_count; i++) {
		const struct item *target = plan_item_at(planning, item->resource->dependencies[i].address);

		if (target)
			most += plan_item_acts(target) ? hands_on(item, target) : target->beneath_count;
	}
	return most;
}

static void gather(struct planning *planning, struct item *item, size_t most)
{
	struct slice *all = arena_new_array(planning->arena, most, struct slice);
	struct map known;
	size_t count = 0;

	map_init(&known);
	for (size_t i = 0; i < item->resource->dependency_count; i++) {
		struct item *target = plan_item_at(planning, item->resource->dependencies[i].address);

		if (!target)
			continue;
		for (size_t k = 0; !plan_item_acts(target) && k < target->beneath_count; k++)
			if (map_mark(&known, target->beneath[k]))
				all[count++] = target->beneath[k];
		if (hands_on(item, target) && map_mark(&known, target->address))
			all[count++] = target->address;
	}
	map_release(&known);
	item->beneath = all;
	item->beneath_count = count;
}

void plan_find_beneath(struct planning *planning)
{
	bool any = false;

	for (size_t i = 0; i < planning->order_count && !any; i++)
		any = operation_makes(planning->order[i]->operation);
	for (size_t i = 0; any && i < planning->order_count; i++) {
		size_t most = most_beneath(planning, planning->order[i]);

		if (most > 0)
			gather(planning, planning->order[i], most);
	}
}
