#include "reconcile/shed.h"

#include "base/map.h"
#include "reconcile/ranges.h"

struct search {
	const struct plan *plan;
	struct arena *arena;
	struct sheds *result;
	struct map owners; /* by id: index of the action that takes ranges away */
	struct map losers; /* likewise, of what loses the range that it has within another's */
	struct map places; /* the same by address */
};

static bool is_removal(const struct change *change)
{
	const struct field *field = change->field;
	return field && field->range == RANGE_DOMAIN && field->type == FIELD_SET && change->effect == EFFECT_SET &&
	       value_is(&change->before, VALUE_STRING) && value_is(&change->after, VALUE_NULL);
}

const struct change *shed_change(const struct change *changes, size_t count, const struct cidr *within)
{
	for (size_t i = 0; i < count; i++) {
		struct cidr range;
		if (is_removal(&changes[i]) &&
		    (!within || (cidr_read(value_slice(&changes[i].before), &range) && cidr_contains(&range, within))))
			return &changes[i];
	}
	return NULL;
}

static void note_owner(struct search *search, size_t index)
{
	const struct action *action = &search->plan->actions[index];
	bool loses = action->operation == OPERATION_UPDATE && shed_change(action->changes, action->change_count, NULL);
	if (loses && action->provider_id.size > 0)
		map_set_number(&search->owners, action->provider_id, index);
}

static void add(struct search *search, struct shed shed)
{
	struct sheds *result = search->result;
	result->items =
		arena_room(search->arena, result->items, result->count, &result->capacity, sizeof(*result->items));
	result->items[result->count++] = shed;
}

static void note_ending(struct search *search, size_t index)
{
	const struct action *action = &search->plan->actions[index];
	for (size_t i = 0; i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i);
		if (field->range != RANGE_WITHIN || !field->range_parent)
			continue;
		const struct value *value = value_get_named(&action->live, field->name);
		const struct value *parent = value_get_named(&action->live, field->range_parent);
		size_t owner = value && parent ? map_number(&search->owners, value_slice(parent)) : SIZE_MAX;
		const struct action *loser = owner != SIZE_MAX ? &search->plan->actions[owner] : NULL;
		struct cidr own;
		if (loser && cidr_read(value_slice(value), &own) &&
		    identity_equal(&loser->identity, &action->identity) &&
		    shed_change(loser->changes, loser->change_count, &own)) {
			add(search, (struct shed){.within = index, .owner = owner, .lets_go = PHASE_DELETE});
			search->result->owns[owner] = true;
		}
	}
}

const struct change *shed_within(const struct change *changes, size_t count, const struct cidr *part)
{
	for (size_t i = 0; i < count; i++) {
		const struct change *change = &changes[i];
		const struct field *field = change->field;
		struct cidr range;

		if (field && field->range == RANGE_WITHIN && field->type != FIELD_SET && change->effect == EFFECT_SET &&
		    value_is(&change->before, VALUE_STRING) && cidr_read(value_slice(&change->before), &range) &&
		    (!part || cidr_contains(&range, part)))
			return change;
	}
	return NULL;
}

const struct change *shed_loss(const struct action *action)
{
	if (action->operation != OPERATION_UPDATE || action->role == OBJECT_DEPOSED)
		return NULL;
	return shed_within(action->changes, action->change_count, NULL);
}

const struct field *shed_part(const struct field *field)
{
	const struct field *part = field->type == FIELD_SET && field->item ? field->item : field;

	return part->range_parent && part->range == RANGE_NONE ? part : NULL;
}

const struct change *shed_meets(const struct change *changes, size_t count, const struct field *part,
				const struct value *value)
{
	const struct change *met = NULL;
	struct cidr own;

	for (uint32_t i = 0; value_is(value, VALUE_LIST) && i < value->count && !met; i++)
		met = shed_meets(changes, count, part, &value->items[i]);
	return met || !range_read(part, value, &own) ? met : shed_within(changes, count, &own);
}

int64_t shed_fewer(const struct change *changes, size_t count)
{
	int64_t fewer = 0;

	for (size_t i = 0; i < count; i++) {
		const struct change *change = &changes[i];

		if (change->field && (change->field->flags & RESTATED) && change->effect == EFFECT_SET &&
		    value_is(&change->before, VALUE_INTEGER) && value_is(&change->after, VALUE_INTEGER) &&
		    change->after.integer < change->before.integer)
			fewer += change->before.integer - change->after.integer;
	}
	return fewer;
}

static void note_loser(struct search *search, size_t index)
{
	const struct action *action = &search->plan->actions[index];
	const struct change *loss = shed_loss(action);

	if (!loss || action->provider_id.size == 0)
		return;
	map_set_number(&search->losers, action->provider_id, index);
	map_set_number(&search->places, action->address, index);
	search->result->empties[index] = value_is(&loss->after, VALUE_NULL);
}

/* What has an address in the range, as it was read: it ends, or gives up some. What it names it yields (handover.c). */
static void note_addressed(struct search *search, size_t index)
{
	const struct action *action = &search->plan->actions[index];
	bool ends = action_ends_old(action);

	bool gives_up = action->operation == OPERATION_UPDATE && action->role != OBJECT_DEPOSED &&
			shed_fewer(action->changes, action->change_count) > 0;

	if (!ends && !gives_up)
		return;
	for (size_t i = 0; i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i), *part = shed_part(field);
		const struct value *parent = part ? value_get_named(&action->live, part->range_parent) : NULL;
		const struct value *held = parent ? value_get_named(&action->live, field->name) : NULL;
		size_t owner = held && value_is(parent, VALUE_STRING) ? map_number(&search->losers, value_slice(parent))
								      : SIZE_MAX;
		const struct action *loser = owner != SIZE_MAX ? &search->plan->actions[owner] : NULL;

		if (!loser || !identity_equal(&loser->identity, &action->identity) ||
		    !shed_meets(loser->changes, loser->change_count, part, held))
			continue;
		add(search,
		    (struct shed){.within = index, .owner = owner, .lets_go = ends ? PHASE_DELETE : PHASE_MAKE});
		if (!ends)
			search->result->ahead[index] = owner + 1;
	}
}

/* No read tells of all that has one: a group's machines, and interfaces beside the first. */
static void note_referring(struct search *search, size_t index)
{
	const struct action *action = &search->plan->actions[index];

	for (size_t i = 0; i < action->recorded_count; i++) {
		size_t owner = map_number(&search->places, action->recorded[i].address);

		if (owner != SIZE_MAX && owner != index)
			add(search,
			    (struct shed){.within = index, .owner = owner, .lets_go = PHASE_DELETE, .is_guess = true});
	}
}

bool sheds_spare(const struct sheds *sheds, size_t index, size_t owner)
{
	return sheds->owns[owner] || sheds->empties[owner] || sheds->ahead[index] == owner + 1;
}

static void order(const struct shed *shed, struct phases *phases, enum phase phase)
{
	uint32_t gone = phases_node(phases, shed->within, shed->lets_go);
	uint32_t taken = phases_node(phases, shed->owner, phase);

	if (gone == NO_NODE || taken == NO_NODE)
		return;
	if (shed->is_guess)
		graph_add_yielding(&phases->graph, gone, taken);
	else
		graph_add(&phases->graph, gone, taken);
}

void sheds_order(const struct sheds *sheds, struct phases *phases)
{
	for (size_t i = 0; i < sheds->count; i++) {
		/* Where somebody waits for the range, it goes ahead of the rest of its owner's change. */
		order(&sheds->items[i], phases, PHASE_UNSETTLE);
		order(&sheds->items[i], phases, PHASE_MAKE);
	}
}

static void find_within(struct search *search)
{
	map_init(&search->losers);
	map_init(&search->places);
	for (size_t i = 0; i < search->plan->action_count; i++)
		note_loser(search, i);
	for (size_t i = 0; search->losers.count > 0 && i < search->plan->action_count; i++) {
		const struct action *action = &search->plan->actions[i];

		if (value_is(&action->live, VALUE_MAP))
			note_addressed(search, i);
		if (action_ends_old(action) && !action->create_before_destroy)
			note_referring(search, i);
	}
	map_release(&search->losers);
	map_release(&search->places);
}

void sheds_find(const struct plan *plan, struct arena *arena, struct sheds *ret)
{
	struct search search = {.plan = plan, .arena = arena, .result = ret};
	*ret = (struct sheds){
		.owns = arena_new_array(arena, plan->action_count + 1, bool),
		.empties = arena_new_array(arena, plan->action_count + 1, bool),
		.ahead = arena_new_array(arena, plan->action_count + 1, size_t),
	};
	map_init(&search.owners);
	for (size_t i = 0; i < plan->action_count; i++)
		note_owner(&search, i);
	for (size_t i = 0; search.owners.count > 0 && i < plan->action_count; i++)
		if (action_ends_old(&plan->actions[i]) && value_is(&plan->actions[i].live, VALUE_MAP))
			note_ending(&search, i);
	find_within(&search);
	map_release(&search.owners);
}
