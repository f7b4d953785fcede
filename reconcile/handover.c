#include "reconcile/handover.h"

#include "base/cidr.h"
#include "base/map.h"
#include "reconcile/ranges.h"
#include "reconcile/shed.h"
#include "reconcile/unique.h"

/* Who lets go of something. */
struct giving {
	size_t index;		   /* of its action */
	const struct field *field; /* by which it has that: a top-level one, or a member of its items; NULL: several */
};

struct search {
	const struct plan *plan;
	struct arena *arena;
	struct handovers *result;
	struct map leaving; /* what is let go of: index in givings */
	struct giving *givings;
	size_t giving_count, giving_capacity;
	struct ranges ranges; /* what is let go of and what is taken, of which any part counts; by index */
	struct map widening;  /* ids of what gets further ranges of its own: likewise */
	struct map losing;    /* ids of what loses the range that it has within another's: likewise */
	size_t *yielded;      /* per action, the last handover by which it yields something: index + 1; 0: none */
};

static bool moves(const struct action *action)
{
	return action->operation == OPERATION_TAKE_BACK || (action->operation == OPERATION_UPDATE && action->makes);
}

/* field: NULL for what is told apart by several together. */
static struct slice text_of(const struct search *search, const struct action *action, const struct field *field,
			    const struct value *fields)
{
	/* What was read and what is wanted have their secrets in clear; those of a saved plan equal none. */
	const struct json_style clear = {.clear = true};
	if (!field)
		return unique_whole(action->kind, fields, &action->identity, &clear, search->arena);
	return unique_text(action->kind, field, fields, &action->identity, search->arena);
}

static struct handover *add(struct search *search, size_t from, size_t to, enum phase lets_go, const struct field *held)
{
	struct handovers *result = search->result;
	result->items =
		arena_room(search->arena, result->items, result->count, &result->capacity, sizeof(*result->items));
	struct handover *added = &result->items[result->count++];
	*added = (struct handover){.from = from, .to = to, .lets_go = lets_go, .takes = PHASE_MAKE, .held = held};
	return added;
}

/* What can be let go of ahead of the rest: an item of a set, or a value that is taken away before another is given. */
static bool is_yielded(const struct field *field)
{
	return unique_items(field) || (unique_field(field) && (field->flags & EXCHANGED));
}

static void yield(struct search *search, size_t from, size_t to, enum phase takes, const struct field *field,
		  const struct value *value)
{
	struct handover *added = add(search, from, to, PHASE_UNSETTLE, field);
	added->takes = takes;
	added->field = field;
	added->value = value;
	added->next = search->yielded[from];
	search->yielded[from] = search->result->count;
}

/* Of a range any part counts: it is looked at in meet(). False: it is none, or lies within nothing that is known. */
static bool note_range(struct search *search, size_t index, const struct field *field, const struct value *fields,
		       const struct value *value, bool taking)
{
	const struct action *action = &search->plan->actions[index];
	const struct ranged ranged = {.owner = index, .wanted = taking, .field = field, .value = value};
	return ranges_add(&search->ranges, action->kind, fields, &action->identity, ranged);
}

static bool note_range_of(struct search *search, size_t index, const struct field *field, const struct value *fields,
			  bool taking)
{
	return field && note_range(search, index, field, fields, value_get_named(fields, field->name), taking);
}

static void give(struct search *search, struct slice text, size_t index, const struct field *field)
{
	search->givings = arena_room(search->arena, search->givings, search->giving_count, &search->giving_capacity,
				     sizeof(*search->givings));
	search->givings[search->giving_count] = (struct giving){index, field};
	map_set_number(&search->leaving, text, search->giving_count++);
}

/* Who lets go of what the text tells; NULL: nobody. */
static const struct giving *giver_of(const struct search *search, struct slice text)
{
	size_t number = text.size > 0 ? map_number(&search->leaving, text) : SIZE_MAX;
	return number != SIZE_MAX ? &search->givings[number] : NULL;
}

static void note_leaving(struct search *search, size_t index, const struct field *field)
{
	const struct action *action = &search->plan->actions[index];
	if (note_range_of(search, index, field, &action->live, false))
		return;
	struct slice held = text_of(search, action, field, &action->live);
	if (held.size == 0)
		return;
	if (!action_ends_old(action) && slice_equal(held, text_of(search, action, field, &action->known)))
		return;
	give(search, held, index, field);
}

static void hand_over(struct search *search, size_t from, size_t to, const struct field *field)
{
	const struct action *giver = &search->plan->actions[from];
	if (moves(giver)) {
		add(search, from, to, PHASE_MAKE, field);
	} else if (field && unique_is_handed_on(field) && !giver->awaits_gone) {
		search->result->vacates[from] = from != to || giver->create_before_destroy;
		add(search, from, to, PHASE_UNSETTLE, field);
	} else if (from != to) {
		if (giver->operation == OPERATION_DELETE)
			search->result->heirs[from] = to + 1;
		add(search, from, to, PHASE_DELETE, field);
	}
}

static void note_taking(struct search *search, size_t index, const struct field *field)
{
	const struct action *action = &search->plan->actions[index];
	if (note_range_of(search, index, field, &action->known, true))
		return;
	struct slice wanted = text_of(search, action, field, &action->known);
	const struct giving *giving = giver_of(search, wanted);
	bool keeps = moves(action) && slice_equal(wanted, text_of(search, action, field, &action->live));
	if (giving && !keeps)
		hand_over(search, giving->index, index, giving->field);
}

/* One value, or one item, as the action lets go of it or takes it. fields: MAP that has what it is unique in. */
static void note_value(struct search *search, size_t index, const struct field *field, const struct value *value,
		       const struct value *fields, bool taking)
{
	const struct action *action = &search->plan->actions[index];
	struct slice text = unique_value(action->kind, field, value, fields, &action->identity, search->arena);
	const struct giving *giving = taking ? giver_of(search, text) : NULL;
	if (!taking && text.size > 0)
		give(search, text, index, field);
	if (!giving || giving->index == index)
		return;
	const struct field *held = giving->field;
	bool keeps = operation_keeps(search->plan->actions[giving->index].operation);
	if (held && is_yielded(held) && (unique_items(held) || keeps))
		yield(search, giving->index, index, field->flags & SETTLES ? PHASE_SETTLE : PHASE_MAKE, held, value);
	else
		hand_over(search, giving->index, index, held);
}

/* One value, or each item of a set. */
static void note_values(struct search *search, size_t index, const struct field *field, const struct value *value,
			bool taking)
{
	const struct action *action = &search->plan->actions[index];
	bool is_list = value && value_is(value, VALUE_LIST);
	/* What is let go of lies where its object did: a replace may have the next one elsewhere. */
	const struct value *fields = !taking && value_is(&action->live, VALUE_MAP) ? &action->live : &action->known;
	if (note_range(search, index, field, fields, value, taking))
		return;
	for (uint32_t i = 0; value && i < (is_list ? value->count : 1); i++)
		note_value(search, index, field, is_list ? &value->items[i] : value, fields, taking);
}

/* What changes in place, as the plan has it; of what comes or goes as a whole, the items of its sets. */
static void note_moving(struct search *search, size_t index, bool taking)
{
	const struct action *action = &search->plan->actions[index];
	enum operation operation = action->operation;
	if (taking ? operation_makes(action->operation) : action_ends_old(action)) {
		const struct value *fields = taking ? &action->known : &action->live;
		for (size_t i = 0; i < action->kind->fields.count; i++) {
			const struct field *field = field_at(&action->kind->fields, i);
			if (unique_items(field) && value_is(fields, VALUE_MAP))
				note_values(search, index, field, value_get_named(fields, field->name), taking);
		}
		return;
	}
	if (!operation_keeps(operation) && !(taking && operation == OPERATION_ADOPT))
		return;
	for (size_t i = 0; i < action->change_count; i++) {
		const struct change *change = &action->changes[i];
		if (change->field && change->effect == EFFECT_SET && is_yielded(change->field))
			note_values(search, index, change->field, taking ? &change->after : &change->before, taking);
	}
}

struct noting {
	struct search *search;
	size_t index;
	bool taking;
};

static void note_member(void *context, const struct field *field, const struct value *value, const struct value *fields)
{
	const struct noting *noting = context;
	struct search *search = noting->search;
	bool stays = unique_is_kept(field) && moves(&search->plan->actions[noting->index]);
	if (!stays && !note_range(search, noting->index, field, fields, value, noting->taking))
		note_value(search, noting->index, field, value, fields, noting->taking);
}

/* What is in its items: what an update leaves as it was nobody else is to have. */
static void note_members(struct search *search, size_t index, bool taking)
{
	const struct action *action = &search->plan->actions[index];
	const struct value *fields = !taking && value_is(&action->had, VALUE_MAP) ? &action->had : &action->known;
	struct noting noting = {search, index, taking};
	if (!moves(action) && !(taking ? operation_makes(action->operation) : action_ends_old(action)))
		return;
	for (size_t i = 0; value_is(fields, VALUE_MAP) && i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i);
		if (unique_members(field))
			unique_each(field, fields, note_member, &noting);
	}
}

/* Whoever has a part of what another one is to have lets go of all that it has there, as it would of the same. */
static void meet(void *context, const struct ranged *had, const struct ranged *wanted)
{
	struct search *search = context;
	const struct action *giver = &search->plan->actions[had->owner], *taker = &search->plan->actions[wanted->owner];
	size_t first = search->result->count;
	if (is_yielded(had->field) && operation_keeps(giver->operation) && !operation_makes(taker->operation))
		yield(search, had->owner, wanted->owner, had->field->flags & SETTLES ? PHASE_SETTLE : PHASE_MAKE,
		      had->field, had->value);
	else
		hand_over(search, had->owner, wanted->owner, had->field);
	for (size_t i = first; i < search->result->count; i++)
		search->result->items[i].overlaps = ranges_differ(had->value, wanted->value);
}

static void note_widening(struct search *search, size_t index)
{
	const struct action *action = &search->plan->actions[index];
	if (action->operation == OPERATION_UPDATE && action->provider_id.size > 0 &&
	    changes_widen(action->changes, action->change_count))
		map_set_number(&search->widening, action->provider_id, index);
}

/* A network gets no range around where a route of its leads to: that route goes before the range comes. */
static void note_route(struct search *search, size_t index, const struct field *field, const struct value *route)
{
	const struct action *action = &search->plan->actions[index];
	for (size_t i = 0; i < field->item->members.count; i++) {
		const struct field *member = field_at(&field->item->members, i);
		const struct value *network =
			member->apart_from ? value_get_named(&action->live, member->apart_from) : NULL;
		size_t to = value_is(network, VALUE_STRING) ? map_number(&search->widening, value_slice(network))
							    : SIZE_MAX;
		const struct action *owner = to != SIZE_MAX ? &search->plan->actions[to] : NULL;
		struct cidr range;
		if (!owner || !cidr_read(value_slice(value_get_named(route, member->name)), &range) ||
		    !identity_equal(&owner->identity, &action->identity) ||
		    !changes_widen_around(owner->changes, owner->change_count, &range))
			continue;
		if (action_ends_old(action))
			add(search, index, to, PHASE_DELETE, field);
		else
			yield(search, index, to, PHASE_MAKE, field, route);
	}
}

static bool has_routes(const struct field *field)
{
	return field->type == FIELD_SET && field->item->type == FIELD_OBJECT;
}

/* Those that a change takes away, or that go with the object. */
static void note_routes(struct search *search, size_t index)
{
	const struct action *action = &search->plan->actions[index];
	const struct fields *fields = &action->kind->fields;
	bool ends = action_ends_old(action) && search->widening.count > 0 && value_is(&action->live, VALUE_MAP);
	bool updates = action->operation == OPERATION_UPDATE && search->widening.count > 0;
	for (size_t i = 0; ends && i < fields->count; i++) {
		const struct field *field = field_at(fields, i);
		const struct value *held = has_routes(field) ? value_get_named(&action->live, field->name) : NULL;
		for (uint32_t k = 0; value_is(held, VALUE_LIST) && k < held->count; k++)
			note_route(search, index, field, &held->items[k]);
	}
	for (size_t i = 0; !ends && updates && i < action->change_count; i++) {
		const struct change *change = &action->changes[i];
		if (change->field && has_routes(change->field) && change->effect == EFFECT_SET &&
		    value_is(&change->before, VALUE_MAP) && value_is(&change->after, VALUE_NULL))
			note_route(search, index, change->field, &change->before);
	}
}

static void note_losing(struct search *search, size_t index)
{
	const struct action *action = &search->plan->actions[index];

	if (shed_loss(action) && action->provider_id.size > 0)
		map_set_number(&search->losing, action->provider_id, index);
}

/* No range is taken away under an address: that goes before, and those that come in its place may need the next one. */
static void note_addresses(struct search *search, size_t index)
{
	const struct action *action = &search->plan->actions[index];
	bool updates = action->operation == OPERATION_UPDATE && search->losing.count > 0;

	for (size_t i = 0; updates && i < action->change_count; i++) {
		const struct change *change = &action->changes[i];
		const struct field *part = change->field && change->field->type == FIELD_SET &&
							   change->effect == EFFECT_SET &&
							   value_is(&change->after, VALUE_NULL)
						   ? shed_part(change->field)
						   : NULL;
		const struct value *parent = part ? value_get_named(&action->live, part->range_parent) : NULL;
		size_t to =
			value_is(parent, VALUE_STRING) ? map_number(&search->losing, value_slice(parent)) : SIZE_MAX;
		const struct action *loser = to != SIZE_MAX ? &search->plan->actions[to] : NULL;

		if (loser && identity_equal(&loser->identity, &action->identity) &&
		    shed_meets(loser->changes, loser->change_count, part, &change->before))
			yield(search, index, to, search->yielded[to] ? PHASE_UNSETTLE : PHASE_MAKE, change->field,
			      &change->before);
	}
}

/* For each action that yields something, by field. */
static void gather_yields(struct search *search)
{
	const struct handovers *result = search->result;
	for (size_t i = 0; i < search->plan->action_count; i++) {
		const struct fields *fields = &search->plan->actions[i].kind->fields;
		VALUE_BUILDER_AUTO all;
		value_builder_init(&all);
		for (size_t k = 0; search->yielded[i] && k < fields->count; k++) {
			const struct field *field = field_at(fields, k);
			const struct handover *one;
			VALUE_BUILDER_AUTO items;
			value_builder_init(&items);
			for (size_t next = search->yielded[i]; next; next = one->next) {
				one = &result->items[next - 1];
				if (one->field == field && field->type == FIELD_SET)
					value_builder_item(&items, *one->value);
				else if (one->field == field)
					value_builder_set(&all, slice_of(field->name), *one->value);
			}
			struct value list = value_builder_list(&items, search->arena);
			if (list.count)
				value_builder_member(&all, slice_of(field->name), list);
		}
		if (search->yielded[i])
			result->yields[i] = value_builder_map(&all, search->arena);
	}
}

static bool concerns(const struct action *action, const struct field *field, bool taking)
{
	if (field ? !unique_field(field) : !action->kind->told_apart_by)
		return false;
	/* What several fields tell together can be let go of in place, and is not waited for there: of two that
	 * exchange it neither had to be first. */
	if (moves(action))
		return field ? unique_is_handed_on(field) : !taking;
	return taking ? operation_makes(action->operation) : action_ends_old(action);
}

bool handovers_let_go(const struct handovers *handovers, const struct plan *plan, size_t target)
{
	const struct action *leaving = &plan->actions[target];
	return (leaving->operation == OPERATION_REPLACE && !leaving->create_before_destroy) ||
	       handovers->vacates[target] || handovers->heirs[target] > 0;
}

void handovers_find(const struct plan *plan, struct arena *arena, struct handovers *ret)
{
	struct search search = {.plan = plan, .arena = arena, .result = ret};
	*ret = (struct handovers){
		.vacates = arena_new_array(arena, plan->action_count + 1, bool),
		.heirs = arena_new_array(arena, plan->action_count + 1, size_t),
		.yields = arena_new_array(arena, plan->action_count + 1, struct value),
	};
	search.yielded = arena_new_array(arena, plan->action_count + 1, size_t);
	map_init(&search.leaving);
	map_init(&search.widening);
	map_init(&search.losing);
	ranges_init(&search.ranges, arena);
	for (int taking = 0; taking < 2; taking++) {
		for (size_t i = 0; i < plan->action_count; i++) {
			const struct action *action = &plan->actions[i];
			for (size_t k = 0; k <= action->kind->fields.count; k++) {
				const struct field *field =
					k < action->kind->fields.count ? field_at(&action->kind->fields, k) : NULL;
				if (concerns(action, field, taking))
					(taking ? note_taking : note_leaving)(&search, i, field);
			}
			note_moving(&search, i, taking);
			note_members(&search, i, taking);
		}
	}
	ranges_meet(&search.ranges, meet, &search);
	for (size_t i = 0; i < plan->action_count; i++)
		note_widening(&search, i);
	for (size_t i = 0; i < plan->action_count; i++)
		note_routes(&search, i);
	for (size_t i = 0; i < plan->action_count; i++)
		note_losing(&search, i);
	for (size_t i = 0; i < plan->action_count; i++)
		note_addresses(&search, i);
	gather_yields(&search);
	map_release(&search.leaving);
	map_release(&search.widening);
	map_release(&search.losing);
	ranges_release(&search.ranges);
}
