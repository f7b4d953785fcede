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

static const struct value *place_of(struct planning *planning, struct object *object)
{
	const struct value *place =
		plan_load_body(planning, object) ? value_get_named(&object->resolved, SECRET_TO) : NULL;

	return place && !value_has_deferred(place) ? place : NULL;
}

static bool is_left_behind(const struct planning *planning, const struct item *item, size_t index)
{
	const struct object *object = planning->input->objects[index];

	return object->role == OBJECT_DEPOSED && slice_equal(object->address, item->address);
}

/* Whether what a service showed once, of this one, may have made room for what it showed of a later one. */
static bool is_shown_no_more(struct planning *planning, const struct item *item, struct object *object)
{
	const struct plan_input *input = planning->input;
	const struct value *mine, *other;

	if (!value_get_named(&item->resource->desired, SECRET_TO))
		return false;
	mine = place_of(planning, object);
	other = item->object ? place_of(planning, item->object) : NULL;
	if (!mine || !other || value_equal(mine, other))
		return true;
	for (size_t i = item->left_behind; i > 0 && i <= input->object_count; i++) {
		if (!is_left_behind(planning, item, i - 1))
			break;
		if (input->objects[i - 1]->generation <= object->generation)
			continue;
		other = place_of(planning, input->objects[i - 1]);
		if (!other || value_equal(mine, other))
			return true;
	}
	return false;
}

static bool fits(struct planning *planning, const struct item *item, size_t index, struct trial *ret)
{
	struct object *object = planning->input->objects[index];
	const struct live *live = planning->input->live ? planning->input->live[index] : NULL;

	if (!is_at_hand(planning, object, live) || !item->identity ||
	    !identity_equal(&object->identity, item->identity) || !was_current(planning, object) ||
	    is_shown_no_more(planning, item, object))
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
	item->reason = arena_text(
		planning->arena, "is protected, and to take back %.*s, which a replace left behind, would delete %.*s",
		SLICE_ARGUMENTS(best->item.object->provider_id), SLICE_ARGUMENTS(item->object->provider_id));
	return true;
}

void plan_item_take_back(struct planning *planning, struct item *item, const struct decision *unprotected)
{
	const struct plan_input *input = planning->input;
	struct trial best = {0}, trial;

	for (size_t i = item->left_behind; i > 0 && i <= input->object_count; i++) {
		if (!is_left_behind(planning, item, i - 1))
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

void plan_item_cancel_take_back(struct item *item)
{
	struct object *object = item->object;

	item->object = item->displaced;
	item->live = item->displaced_live;
	item->displaced = object;
	item->fields = item->parts = NULL;
}
