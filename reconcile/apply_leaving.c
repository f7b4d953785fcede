#include "reconcile/apply_parts.h"
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

static void note_leaving_id(struct node *node, const struct value *id, struct slice *ids)
{
	const struct applying *applying = node->target->applying;
	const struct object *object = value_is(id, VALUE_STRING) ? map_get(&applying->ids, value_slice(id)) : NULL;
	const struct target *target = object ? map_get(&applying->by_address, object->address) : NULL;
	if (target && target->old == object)
		note_leaving(node, target, ids);
}

/* What others have put into a set that holds the object, or attached it to, is let go of where that goes too, or is for
 * another object to have. */
static void note_held_leaving(struct node *node, struct slice *ids)
{
	const struct applying *applying = node->target->applying;
	const struct action *action = node->target->action;
	for (size_t i = 0; operation_ends(action->operation) && i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i);
		bool holds = (field->flags & HOLDS) || own_is_attachment(field);
		const struct value *now = holds ? value_get_named(&action->live, field->name) : NULL;
		for (uint32_t k = 0; value_is(now, VALUE_LIST) && k < now->count; k++)
			note_leaving_id(node, &now->items[k], ids);
		note_leaving_id(node, now, ids);
		if (value_is(now, VALUE_STRING) && applying->phases.vacates[node->target - applying->targets])
			note_id(node, value_slice(now), ids);
	}
}

static void note_all_leaving(struct node *node, struct slice *ids)
{
	struct applying *applying = node->target->applying;
	const struct target *end = applying->targets + applying->apply->plan->action_count;
	const struct action *action = node->target->action;
	node->work.leaving_count = 0;
	for (size_t i = 0; i < action->recorded_count; i++) {
		struct slice address = action->recorded[i].address;
		const struct target *own = map_get(&applying->by_address, address);
		if (own)
			note_leaving(node, own, ids);
		const struct target *other = map_get(&applying->deposed, address);
		for (; other && other < end && slice_equal(other->action->address, address); other++)
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
