#include "reconcile/plan_items.h"

/*
 * The ownership tags of what is recorded. What was renamed in the record is told by its tags, should that record be
 * lost, or an older one be put back. That rests on the tags: where somebody has taken them away, or has them say what
 * was never written here, they have drifted like any field. Another address of the same kind is what a renaming leaves.
 */

struct ownership_tag {
	const char *name;
	struct slice now, recorded;
	bool drifted;
};

static bool ignores_tags(const struct item *item)
{
	return slice_is_among("tags", item->ignored, item->ignored_count);
}

static void add_change(struct planning *planning, const struct ownership_tag *tag, struct difference *ret)
{
	const struct change change = {
		.path = slice_of(tag->name),
		.cause = tag->drifted ? CAUSE_DRIFT : CAUSE_INTENT,
		.effect = EFFECT_SET,
		.before = tag->now.size > 0 ? value_string(tag->now) : value_null(),
		.after = value_string(tag->recorded),
	};
	difference_add(ret, &change, planning->arena);
	ret->makes = true;
	ret->drifted |= tag->drifted;
}

void plan_follow_tags(struct planning *planning, const struct item *item, struct difference *ret)
{
	const struct plan_scope *scope = &planning->input->scope;
	const struct ownership *now = item->live ? &item->live->ownership : NULL;
	struct slice lineage = planning->input->record->lineage;

	if (!item->object || !now || item->resource->kind->found || ignores_tags(item) ||
	    item->live->presence != PRESENCE_PRESENT ||
	    (!now->is_stripped && (now->object_id.size == 0 || !slice_equal(now->lineage, lineage))))
		return;
	const struct ownership_tag tags[] = {
		{OWNERSHIP_PREFIX "stack", now->lineage, lineage, now->lineage.size == 0},
		{OWNERSHIP_PREFIX "object", now->object_id, item->object->object_id, true},
		{ADDRESS_TAG, now->address, slice_first(item->address, ADDRESS_TAG_MOST),
		 !address_is_of(now->address, slice_of(item->resource->kind->name))},
	};
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (!slice_equal(tags[i].now, tags[i].recorded) &&
		    (!scope->keeps_tags || (tags[i].drifted && scope->looks)))
			add_change(planning, &tags[i], ret);
}

const char *plan_tags_reason(const struct item *item)
{
	const char *reason = "was renamed, and its tags follow";

	for (size_t i = 0; item->fields && i < item->fields->count; i++) {
		const struct change *change = &item->fields->changes[i];

		if (change->effect != EFFECT_SET)
			continue;
		if (!change_is_of_tags(change))
			return NULL;
		if (change->cause == CAUSE_DRIFT)
			reason = "the tags that tell whose it is were changed";
	}
	return item->live->ownership.is_stripped ? "the tags that tell whose it is were taken away" : reason;
}
