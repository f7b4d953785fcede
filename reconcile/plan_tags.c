#include "reconcile/plan_items.h"

/*
 * The ownership tags of what is recorded. What was renamed in the record is told by its tags, should that record be
 * lost, or an older one be put back. That rests on the tags: where somebody has taken them away, they have drifted like
 * any field.
 */

static bool ignores_tags(const struct resource *resource)
{
	return slice_is_among("tags", resource->ignored, resource->ignored_count);
}

void plan_follow_tags(struct planning *planning, const struct item *item, struct difference *ret)
{
	const struct plan_scope *scope = &planning->input->scope;
	struct slice address = slice_first(item->address, ADDRESS_TAG_MOST);
	const struct ownership *tags = item->live ? &item->live->ownership : NULL;
	bool stripped = tags && tags->is_stripped && item->live->presence == PRESENCE_PRESENT;

	if (!item->object || !tags || item->resource->kind->found || ignores_tags(item->resource) ||
	    (scope->keeps_tags && !(stripped && scope->looks)))
		return;
	if (!stripped && (tags->address.size == 0 || slice_equal(tags->address, address) ||
			  !slice_equal(tags->lineage, planning->input->record->lineage)))
		return;
	struct change *changes = arena_new_array(planning->arena, ret->count + 1, struct change);
	for (size_t i = 0; i < ret->count; i++)
		changes[i] = ret->changes[i];
	changes[ret->count++] = (struct change){
		.path = SLICE(ADDRESS_TAG),
		.cause = stripped ? CAUSE_DRIFT : CAUSE_INTENT,
		.effect = EFFECT_SET,
		.before = tags->address.size > 0 ? value_string(tags->address) : value_null(),
		.after = value_string(address),
	};
	ret->changes = changes;
	ret->makes = true;
	ret->drifted |= stripped;
}
