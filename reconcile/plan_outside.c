#include "reconcile/plan_items.h"
#include "reconcile/ranges.h"

/*
 * What is made within a range of a network needs the network to have one around it. The spec is held against itself
 * when it is read; but where it leaves a network's ranges to others, or to the service, what was read tells which there
 * are. The service would say so when all that has to go for it is deleted.
 */

/* A range that comes by a change, or one that is not known yet. */
static bool may_come(const struct action *action, const struct field *field, const struct cidr *range)
{
	for (size_t i = 0; action && i < action->change_count; i++) {
		const struct change *change = &action->changes[i];

		if (change->field == field && change->effect == EFFECT_SET &&
		    (value_has_deferred(&change->after) || ranges_around(&change->after, range)))
			return true;
	}
	return false;
}

/* A network, as it was read, and what the plan does to it. */
struct network {
	struct object *object;
	const struct kind *kind;
	const struct live *live;
	const struct action *action; /* or NULL */
};

/* told: a MAP of what was read, or nothing. */
static bool any_around(const struct value *told, const struct cidr *range)
{
	for (uint32_t i = 0; value_is(told, VALUE_MAP) && i < told->count; i++)
		if (ranges_around(&told->members[i].value, range))
			return true;
	return false;
}

/* Where none of its ranges is around that one: the field by which others look after them; NULL: one is, or may be. */
static const struct field *lacking(struct planning *planning, const struct network *network, const struct cidr *range)
{
	const struct item *item = plan_item_at(planning, network->object->address);
	const struct value left =
		item && item->resource ? plan_left_to_others(planning, item->resource) : network->object->ignored;
	const struct field *lacks = NULL;

	for (size_t i = 0; i < network->kind->fields.count; i++) {
		const struct field *field = field_at(&network->kind->fields, i);
		const struct value *now =
			field->range == RANGE_DOMAIN ? value_get_named(&network->live->fields, field->name) : NULL;

		if (field->range != RANGE_DOMAIN)
			continue;
		if ((now && (value_has_unread(now) || ranges_around(now, range))) ||
		    may_come(network->action, field, range))
			return NULL;
		if (!lacks && ignored_has(&left, slice_of(field->name)))
			lacks = field;
	}
	/* One that the service chose is an output. */
	return any_around(&network->live->outputs, range) ? NULL : lacks;
}

static bool has_around(const struct network *network, const struct cidr *range)
{
	return any_around(&network->live->fields, range) || any_around(&network->live->outputs, range);
}

/* Ranges of IPv6 are nobody's but one network's: what lies in another one's does not lie in this one's. */
static const struct network *other_around(const struct map *networks, const struct network *own,
					  const struct cidr *range)
{
	if (range->family != 6 || has_around(own, range))
		return NULL;
	for (size_t i = 0; i < networks->count; i++) {
		const struct network *other = networks->entries[i].item;

		if (other != own && has_around(other, range))
			return other;
	}
	return NULL;
}

static void tell_other(struct planning *planning, const struct action *action, const struct field *field,
		       const struct network *own, const struct network *other)
{
	const struct value *value = value_get_named(&action->known, field->name);
	struct slice range = value_shown(value, SIZE_MAX);

	diag_error(planning->diagnostics, FAULT_CONFLICT, action->position,
		   "'%.*s' cannot have %.*s as its '%s': that lies in a range of '%.*s', and in none of '%.*s'",
		   SLICE_ARGUMENTS(action->address), SLICE_ARGUMENTS(range), field->name,
		   SLICE_ARGUMENTS(other->object->address), SLICE_ARGUMENTS(own->object->address));
	diag_address(planning->diagnostics, action->address);
	diag_hint(planning->diagnostics, "take it from the range of '%.*s'", SLICE_ARGUMENTS(own->object->address));
}

static bool sets(const struct action *action, const struct field *field)
{
	for (size_t i = 0; i < action->change_count; i++)
		if (action->changes[i].field == field && action->changes[i].effect == EFFECT_SET)
			return true;
	return operation_makes(action->operation);
}

static void look_at(struct planning *planning, const struct action *action, const struct map *networks)
{
	for (size_t i = 0; i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i);
		bool lies = field->range == RANGE_WITHIN && field->range_parent;
		const struct value *value = lies ? value_get_named(&action->known, field->name) : NULL;
		const struct value *within = value ? value_get_named(&action->known, field->range_parent) : NULL;
		const struct network *network =
			within && value_is(within, VALUE_STRING) ? map_get(networks, value_slice(within)) : NULL;
		const struct field *lacks;
		struct cidr range;

		if (!network || !value_is(value, VALUE_STRING) || !cidr_read(value_slice(value), &range) ||
		    !sets(action, field))
			continue;
		const struct network *other = other_around(networks, network, &range);
		if (other)
			tell_other(planning, action, field, network, other);
		lacks = operation_makes(action->operation) && !other ? lacking(planning, network, &range) : NULL;
		if (!lacks)
			continue;
		diag_error(planning->diagnostics, FAULT_CONFLICT, action->position,
			   "'%.*s' cannot have %.*s as its '%s': '%.*s' has no range around that, and leaves '%s' to "
			   "others",
			   SLICE_ARGUMENTS(action->address), SLICE_ARGUMENTS(value_shown(value, SIZE_MAX)), field->name,
			   SLICE_ARGUMENTS(network->object->address), lacks->name);
		diag_address(planning->diagnostics, action->address);
		diag_hint(planning->diagnostics,
			  "take '%s' out of 'lifecycle.ignore' of '%.*s', or add the range by hand first", lacks->name,
			  SLICE_ARGUMENTS(network->object->address));
	}
}

static bool has_ranges(const struct kind *kind)
{
	for (size_t i = 0; kind && i < kind->fields.count; i++)
		if (field_at(&kind->fields, i)->range == RANGE_DOMAIN)
			return true;
	return false;
}

/* By id, to struct network: those that were read. */
static void index_networks(struct planning *planning, struct map *networks)
{
	const struct plan_input *input = planning->input;
	struct map actions; /* by object id */

	map_init(&actions);
	for (size_t i = 0; i < planning->action_count; i++)
		if (planning->actions[i].object_id.size > 0)
			map_set(&actions, planning->actions[i].object_id, &planning->actions[i]);
	for (size_t i = 0; i < input->object_count; i++) {
		struct object *object = input->objects[i];
		const struct live *live = plan_around(planning)[i];
		const struct kind *kind = kinds_find(input->kinds, object->kind);
		struct network *network;

		if (!live || live->presence != PRESENCE_PRESENT || object->provider_id.size == 0 || !has_ranges(kind) ||
		    !plan_load_body(planning, object))
			continue;
		network = arena_new(planning->arena, struct network);
		*network = (struct network){object, kind, live, map_get(&actions, object->object_id)};
		map_set(networks, object->provider_id, network);
	}
	map_release(&actions);
}

void plan_tell_outside(struct planning *planning)
{
	struct map networks;
	bool is_indexed = false;

	if (planning->input->scope.looks || !plan_around(planning))
		return;
	map_init(&networks);
	for (size_t i = 0; i < planning->action_count; i++) {
		const struct action *action = &planning->actions[i];

		if (!action->kind || !(operation_makes(action->operation) || action->operation == OPERATION_UPDATE))
			continue;
		if (!is_indexed)
			index_networks(planning, &networks);
		is_indexed = true;
		look_at(planning, action, &networks);
	}
	map_release(&networks);
}
