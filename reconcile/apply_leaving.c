#include "reconcile/apply_parts.h"
#include "reconcile/named.h"
#include "reconcile/own_items.h"

/* What a node that leaves lets go of, for it goes itself, or another object is to have it. */

/* Adds an id, or, without ids, counts it. */
static void note_id(struct node *node, struct slice id, struct slice *ids)
{
	if (ids)
		ids[node->work.leaving_count] = id;
	node->work.leaving_count++;
}

static void note_leaving(struct node *node, const struct target *other, struct slice *ids)
{
	const struct applying *applying = node->target->applying;
	size_t action = (size_t)(other - applying->targets);
	if (!other->old || phases_node(&applying->phases, action, PHASE_DELETE) == NO_NODE)
		return;
	note_id(node, other->old->provider_id, ids);
}

/* Of what was left behind at an address, NULL first: the next one; NULL: there are no more. */
static const struct target *next_deposed(const struct applying *applying, struct slice address,
					 const struct target *last)
{
	const struct target *next = last ? last + 1 : map_get(&applying->deposed, address);
	const struct target *end = applying->targets + applying->apply->plan->action_count;
	return next && next < end && slice_equal(next->action->address, address) ? next : NULL;
}

/* What is done to an object, or NULL. */
static const struct target *target_of(const struct applying *applying, const struct object *object)
{
	const struct target *target = map_get(&applying->by_address, object->address);
	if (target && target->old == object)
		return target;
	target = next_deposed(applying, object->address, NULL);
	while (target && target->old != object)
		target = next_deposed(applying, object->address, target);
	return target;
}

/* The live fields of a node's object, looked through for what leaves. */
struct search {
	struct node *node;
	struct slice *ids;
	const struct field *top;
};

/* What others have put into a set that holds the object, or attached it to, is let go of where that goes too. So is
 * what keeps that from going: two that name each other wait for each other otherwise. Of an object that stays, the
 * provider lets go of what the plan takes away. */
static void note_found(void *context, const struct field *reference, struct slice text)
{
	const struct search *search = context;
	const struct applying *applying = search->node->target->applying;
	const struct field *top = search->top;
	bool pins = (top->flags & SETTLES) && (reference->flags & PINS);
	bool ends = operation_ends(search->node->target->action->operation);
	bool lets_go = pins || (ends && ((top->flags & HOLDS) || own_is_attachment(top)));
	const struct object *object = lets_go ? map_get(&applying->ids, text) : NULL;
	const struct target *target = object ? target_of(applying, object) : NULL;
	if (target && target != search->node->target)
		note_leaving(search->node, target, search->ids);
}

static void note_held_leaving(struct node *node, struct slice *ids)
{
	const struct applying *applying = node->target->applying;
	const struct action *action = node->target->action;
	struct search search = {.node = node, .ids = ids};
	bool ends = operation_ends(action->operation);
	for (size_t i = 0; (ends || node->work.phase == PHASE_UNSETTLE) && i < action->kind->fields.count; i++) {
		search.top = field_at(&action->kind->fields, i);
		const struct value *now = value_get_named(&action->live, search.top->name);
		named_each(search.top, now, note_found, &search);
		/* For another object to have. */
		if (ends && own_is_attachment(search.top) && value_is(now, VALUE_STRING) &&
		    applying->phases.vacates[node->target - applying->targets])
			note_id(node, value_slice(now), ids);
	}
}

static void note_all_leaving(struct node *node, struct slice *ids)
{
	const struct applying *applying = node->target->applying;
	const struct action *action = node->target->action;
	node->work.leaving_count = 0;
	for (size_t i = 0; i < action->recorded_count; i++) {
		struct slice address = action->recorded[i].address;
		const struct target *own = map_get(&applying->by_address, address);
		if (own)
			note_leaving(node, own, ids);
		const struct target *other = NULL;
		while ((other = next_deposed(applying, address, other)))
			note_leaving(node, other, ids);
	}
	note_held_leaving(node, ids);
}

void node_list_leaving(struct node *node)
{
	note_all_leaving(node, NULL);
	struct slice *ids =
		arena_new_array(node->target->applying->apply->arena, node->work.leaving_count + 1, struct slice);
	note_all_leaving(node, ids);
	node->work.leaving_ids = ids;
}
