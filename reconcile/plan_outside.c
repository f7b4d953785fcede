#include "reconcile/plan_items.h"
#include "reconcile/ranges.h"
#include "reconcile/visit.h"

/*
 * What is made within a range of a network needs the network to have one around it, and so do an address and a range
 * set apart for a thing. The spec is held against itself when it is read; but where it leaves a network's ranges to
 * others, or to the service, what was read tells which there are. The service would say so when all that has to go for
 * it is deleted.
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

/* A network, as it was read, and what the plan does to it; or one that the plan makes, as it is to be. */
struct network {
	struct slice address;
	const struct kind *kind;
	const struct value *fields;  /* MAP */
	const struct value *outputs; /* MAP, or NULL */
	struct object *object;	     /* or NULL: it is to be made */
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
	const struct item *item = plan_item_at(planning, network->address);

	if (!plan_load_body(planning, network->object))
		return NULL;
	const struct value left =
		item && item->resource ? plan_left_to_others(planning, item->resource) : network->object->ignored;
	const struct field *lacks = NULL;

	for (size_t i = 0; i < network->kind->fields.count; i++) {
		const struct field *field = field_at(&network->kind->fields, i);
		const struct value *now =
			field->range == RANGE_DOMAIN ? value_get_named(network->fields, field->name) : NULL;

		if (field->range != RANGE_DOMAIN)
			continue;
		if ((now && (value_has_unread(now) || ranges_around(now, range))) ||
		    may_come(network->action, field, range))
			return NULL;
		if (!lacks && ignored_has(&left, slice_of(field->name)))
			lacks = field;
	}
	/* One that the service chose is an output. */
	return any_around(network->outputs, range) ? NULL : lacks;
}

static bool has_around(const struct network *network, const struct cidr *range)
{
	return any_around(network->fields, range) || any_around(network->outputs, range);
}

/* Ranges of IPv6 are nobody's but one network's: what lies in another one's does not lie in this one's. */
static const struct network *other_around(const struct map *networks, const struct network *own,
					  const struct cidr *range)
{
	for (size_t i = 0; range->family == 6 && i < networks->count; i++) {
		const struct network *other = networks->entries[i].item;

		if (other != own && other->kind == own->kind && has_around(other, range))
			return other;
	}
	return NULL;
}

/* Of an action that has a value, in a field or deeper, which is to lie within a network. */
struct lying {
	const struct action *action;
	const struct field *field;
	const char *name; /* by which people know that */
	bool is_own;	  /* what it lies in may be only made by the plan */
	const struct value *value;
	const struct network *network;
	struct cidr range;
};

static void tell(struct planning *planning, const struct lying *lying, const char *why, const char *hint)
{
	struct position position = lying->value->position;

	diag_error(planning->diagnostics, FAULT_CONFLICT, position.line > 0 ? position : lying->action->position,
		   "'%.*s' cannot have %.*s as its '%s': %s", SLICE_ARGUMENTS(lying->action->address),
		   SLICE_ARGUMENTS(value_shown(lying->value, SIZE_MAX)), lying->name, why);
	diag_address(planning->diagnostics, lying->action->address);
	diag_hint(planning->diagnostics, "%s", hint);
}

static void tell_other(struct planning *planning, const struct lying *lying, const struct network *other)
{
	struct slice own = lying->network->address;

	tell(planning, lying,
	     arena_text(planning->arena, "that lies in a range of '%.*s', and in none of '%.*s'",
			SLICE_ARGUMENTS(other->address), SLICE_ARGUMENTS(own)),
	     arena_text(planning->arena, "take it from the range of '%.*s'", SLICE_ARGUMENTS(own)));
}

static bool sets(const struct action *action, const struct field *field)
{
	for (size_t i = 0; i < action->change_count; i++)
		if (action->changes[i].field == field && action->changes[i].effect == EFFECT_SET)
			return true;
	return operation_makes(action->operation);
}

/* Networks are looked for once something is to lie in one. */
struct look {
	struct planning *planning;
	struct map networks; /* by id, to struct network: those that were read */
	bool is_indexed;
	const struct action *action; /* that is looked at */
};

static bool has_ranges(const struct kind *kind)
{
	for (size_t i = 0; kind && i < kind->fields.count; i++)
		if (field_at(&kind->fields, i)->range != RANGE_NONE)
			return true;
	return false;
}

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

		if (!live || live->presence != PRESENCE_PRESENT || object->provider_id.size == 0 || !has_ranges(kind))
			continue;
		network = arena_new(planning->arena, struct network);
		*network = (struct network){.address = object->address,
					    .kind = kind,
					    .fields = &live->fields,
					    .outputs = &live->outputs,
					    .object = object,
					    .action = map_get(&actions, object->object_id)};
		map_set(networks, object->provider_id, network);
	}
	map_release(&actions);
}

/* The network that the plan makes at the end of a reference; NULL: that is none. */
static const struct network *made_at(struct planning *planning, const struct action *action,
				     const struct value *reference)
{
	for (size_t i = 0; i < action->wanted_count; i++) {
		const struct dependency *to = &action->wanted[i];
		struct slice text = arena_format(planning->arena, "${%.*s.%.*s}", SLICE_ARGUMENTS(to->address),
						 SLICE_ARGUMENTS(to->output));
		const struct item *item =
			slice_equal(reference->deferred->text, text) ? plan_item_at(planning, to->address) : NULL;
		struct network *network;

		if (!item || !plan_is_to_be_made(item))
			continue;
		network = arena_new(planning->arena, struct network);
		*network = (struct network){
			.address = item->address, .kind = item->resource->kind, .fields = &item->wanted};
		return network;
	}
	return NULL;
}

/* Whether there is anything to judge: a known value to be within a network. within: the reference to it, or NULL. */
static bool find(struct look *look, struct lying *lying, const struct value *within)
{
	if (!within || !range_read(lying->field, lying->value, &lying->range))
		return false;
	if (!look->is_indexed)
		index_networks(look->planning, &look->networks);
	look->is_indexed = true;
	if (value_is(within, VALUE_STRING))
		lying->network = map_get(&look->networks, value_slice(within));
	else if (lying->is_own && value_is(within, VALUE_DEFERRED))
		lying->network = made_at(look->planning, lying->action, within);
	return lying->network != NULL;
}

static void look_at_range(struct look *look, struct lying *lying)
{
	struct planning *planning = look->planning;
	const struct network *other;
	const struct field *lacks;

	if (!find(look, lying, value_get_named(&lying->action->known, lying->field->range_parent)))
		return;
	struct slice own = lying->network->address;
	other = has_around(lying->network, &lying->range)
			? NULL
			: other_around(&look->networks, lying->network, &lying->range);
	if (other)
		tell_other(planning, lying, other);
	lacks = operation_makes(lying->action->operation) && !other ? lacking(planning, lying->network, &lying->range)
								    : NULL;
	if (!lacks)
		return;
	tell(planning, lying,
	     arena_text(planning->arena, "'%.*s' has no range around that, and leaves '%s' to others",
			SLICE_ARGUMENTS(own), lacks->name),
	     arena_text(planning->arena,
			"take '%s' out of 'lifecycle.ignore' of '%.*s', or add the range by hand first", lacks->name,
			SLICE_ARGUMENTS(own)));
}

/* What a network has in the field after the plan; NULL: nothing. */
static const struct value *has_then(const struct network *network, const struct field *field)
{
	const struct action *action = network->action;

	for (size_t i = 0; action && i < action->change_count; i++)
		if (action->changes[i].field == field && action->changes[i].effect == EFFECT_SET)
			return value_if_set(&action->changes[i].after);
	return value_if_set(value_get_named(network->fields, field->name));
}

/* Whether it lies in a range that its network has after the plan, or may; *ret_kept is the range of which the
 * service keeps it for itself, or NULL. */
static bool lies_within(const struct lying *lying, const struct value **ret_kept)
{
	bool is_within = false;

	*ret_kept = NULL;
	for (size_t i = 0; i < lying->network->kind->fields.count; i++) {
		const struct field *field = field_at(&lying->network->kind->fields, i);
		const struct value *range = field->range != RANGE_NONE ? has_then(lying->network, field) : NULL;
		struct cidr whole;

		if (!range ||
		    !(value_has_deferred(range) || value_has_unread(range) || ranges_around(range, &lying->range)))
			continue;
		is_within = true;
		if ((field->flags & KEEPS_ENDS) && lying->field->type == FIELD_ADDRESS &&
		    value_is(range, VALUE_STRING) && cidr_read(value_slice(range), &whole) &&
		    range_keeps(&whole, &lying->range))
			*ret_kept = range;
	}
	return is_within;
}

static void look_at_own(struct look *look, struct lying *lying, const struct value *within)
{
	struct arena *arena = look->planning->arena;
	const struct network *other;
	const struct value *kept;

	if (!find(look, lying, within))
		return;
	struct slice own = lying->network->address;
	if (lies_within(lying, &kept)) {
		if (kept)
			tell(look->planning, lying,
			     arena_text(arena, "it is one of those in %.*s of '%.*s' that the service keeps for itself",
					SLICE_ARGUMENTS(value_shown(kept, SIZE_MAX)), SLICE_ARGUMENTS(own)),
			     "take another one: the first four and the last are kept");
		return;
	}
	other = other_around(&look->networks, lying->network, &lying->range);
	if (other)
		tell_other(look->planning, lying, other);
	else
		tell(look->planning, lying, arena_text(arena, "that lies in no range of '%.*s'", SLICE_ARGUMENTS(own)),
		     arena_text(arena, "take it from the range of '%.*s'", SLICE_ARGUMENTS(own)));
}

static void look_at_value(void *context, const struct visited *visited)
{
	struct look *look = context;
	const struct field *field = visited->field;

	if (field_is_share(field))
		look_at_own(look,
			    &(struct lying){.action = look->action,
					    .field = field,
					    .name = visited->name,
					    .is_own = true,
					    .value = visited->value},
			    scope_nearest(visited->scope, slice_of(field->range_parent)));
}

static void look_at(struct look *look)
{
	const struct action *action = look->action;

	for (size_t i = 0; i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i);
		const struct value *value = value_get_named(&action->known, field->name);

		if (!value || !sets(action, field))
			continue;
		if (field->range == RANGE_WITHIN && field->range_parent)
			look_at_range(
				look,
				&(struct lying){.action = action, .field = field, .name = field->name, .value = value});
		visit_field(field, &action->known, look_at_value, look);
	}
}

void plan_tell_outside(struct planning *planning)
{
	struct look look = {.planning = planning};

	if (planning->input->scope.looks || !plan_around(planning))
		return;
	map_init(&look.networks);
	for (size_t i = 0; i < planning->action_count; i++) {
		const struct action *action = &planning->actions[i];

		look.action = action;
		if (action->kind && (operation_makes(action->operation) || action->operation == OPERATION_UPDATE))
			look_at(&look);
	}
	map_release(&look.networks);
}
