#include "reconcile/plan_items.h"

/*
 * A replace that was cut off leaves the old object behind, and it is deleted by whichever run comes next: unless the
 * spec, or an undo, wants by then what that one is. Another of the same kind might not even be possible beside it,
 * because a service may tell things apart by their fields alone. So it becomes the address's own again, and what was
 * that meanwhile is left behind in its place.
 */

/* One that was left behind, as if it were the address's own. */
struct trial {
	struct item item;
	enum difference_class difference;
};

/* What recovery swept up was never this address's: nothing is recorded of what it was to be. */
static bool was_current(struct planning *planning, struct object *object)
{
	return plan_load_body(planning, object) && object->applied.count > 0;
}

static bool is_at_hand(const struct planning *planning, const struct object *object, const struct live *live)
{
	struct slice owner = live ? live->ownership.lineage : (struct slice){0};

	return live && live->presence == PRESENCE_PRESENT && live->readiness != READY_FAILED &&
	       object->provider_id.size > 0 &&
	       (owner.size == 0 || slice_equal(owner, planning->input->record->lineage));
}

/* What a service showed once, of this one, has made room for what it showed of the other. */
static bool was_shown(const struct item *item)
{
	return value_get_named(&item->resource->desired, SECRET_TO) != NULL;
}

static bool fits(struct planning *planning, const struct item *item, size_t index, struct trial *ret)
{
	struct object *object = planning->input->objects[index];
	const struct live *live = planning->input->live ? planning->input->live[index] : NULL;

	if (was_shown(item) || !is_at_hand(planning, object, live) || !item->identity ||
	    !identity_equal(&object->identity, item->identity) || !was_current(planning, object))
		return false;
	ret->item = *item;
	ret->item.object = object;
	ret->item.live = live;
	ret->item.fields = NULL;
	ret->item.marked = ret->item.moved = false;
	ret->difference = plan_item_compare(planning, &ret->item);
	return ret->difference == DIFFERENCE_NONE || ret->difference == DIFFERENCE_IN_PLACE;
}

/* One that needs no change before one that does, and the younger of two. */
static bool is_better(const struct trial *trial, const struct trial *best)
{
	if (!best->item.object || trial->difference != best->difference)
		return !best->item.object || trial->difference == DIFFERENCE_NONE;
	return trial->item.object->generation > best->item.object->generation;
}

/* What is taken back loses nothing, but what it displaces is deleted. */
static bool is_protected(struct planning *planning, struct item *item, const struct trial *best)
{
	if (item->operation != OPERATION_CONFLICT || !item->object || !item->object->protect)
		return false;
	item->reason = arena_string(
		planning->arena,
		arena_format(planning->arena,
			     "is protected, and to take back %.*s, which a replace left behind, would delete %.*s",
			     SLICE_ARGUMENTS(best->item.object->provider_id),
			     SLICE_ARGUMENTS(item->object->provider_id)));
	return true;
}

void plan_item_take_back(struct planning *planning, struct item *item, const struct decision *unprotected)
{
	const struct plan_input *input = planning->input;
	struct trial best = {0}, trial;

	for (size_t i = item->left_behind; i > 0 && i <= input->object_count; i++) {
		if (input->objects[i - 1]->role != OBJECT_DEPOSED ||
		    !slice_equal(input->objects[i - 1]->address, item->address))
			break;
		if (fits(planning, item, i - 1, &trial) && is_better(&trial, &best))
			best = trial;
	}
	if (!best.item.object)
		return;
	struct decision decision = decide_taking_back(unprotected, best.difference);
	if (decision.operation != OPERATION_TAKE_BACK || is_protected(planning, item, &best))
		return;
	best.item.displaced = item->object;
	best.item.displaced_live = item->live;
	best.item.operation = decision.operation;
	best.item.reason = decision.reason;
	best.item.hint = NULL;
	best.item.maybe = false;
	*item = best.item;
}

void plan_item_leave_behind(struct item *item)
{
	struct object *object = item->object;

	item->object = item->displaced;
	item->live = item->displaced_live;
	item->displaced = object;
	item->fields = item->parts = NULL;
}
