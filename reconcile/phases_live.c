#include "reconcile/phases_live.h"

#include "base/map.h"
#include "reconcile/named.h"

/*
 * What others have put there names what goes just as well as what was recorded, and so does what a spec has dropped and
 * no call has taken away, or what no field tells (live.uses): the service deletes nothing that is named. Whatever goes
 * too is deleted first, or lets go of it where that is a part. So does what has launched what may name it
 * (plan_launched.c). And an update that takes it out comes first as well, or does that beforehand; for certain, as of
 * what is recorded, where it PINS what goes.
 */

struct search {
	const struct plan *plan;
	struct arena *arena;
	struct namings *result;
	const struct handovers *handovers;
	struct map ending; /* by id: index of the action */
	size_t index;	   /* of the action that is looked at, and the field of its object */
	const struct field *top;
};

static void add_naming(struct search *search, struct naming naming)
{
	struct namings *result = search->result;

	result->items =
		arena_room(search->arena, result->items, result->count, &result->capacity, sizeof(*result->items));
	result->items[result->count++] = naming;
	result->lets_go_first[naming.by] |= naming.lets_go_first;
}

static void note(struct search *search, const struct value *part, const struct field *reference, size_t target)
{
	const struct action *action = &search->plan->actions[search->index];
	bool in_part = search->top->flags & SETTLES;
	bool ends = operation_keeps(action->operation) && action->provider_id.size > 0 && (reference->flags & PINS) &&
		    changes_end(action->changes, action->change_count, search->top, part);
	bool first = ends && in_part && handovers_let_go(search->handovers, search->plan, target);

	add_naming(search, (struct naming){search->index, target, in_part, ends, first});
}

/* The action that ends another object, of the same place, that has this id at its service; SIZE_MAX: none does. */
static size_t find_ending(const struct search *search, struct slice id)
{
	size_t target = map_number(&search->ending, id);

	if (target == SIZE_MAX || target == search->index ||
	    !identity_equal(&search->plan->actions[target].identity, &search->plan->actions[search->index].identity))
		return SIZE_MAX;
	return target;
}

static void note_found(void *context, const struct value *part, const struct field *reference, struct slice text)
{
	struct search *search = context;
	size_t target = named_is_held(search->top, reference) ? find_ending(search, text) : SIZE_MAX;

	if (target != SIZE_MAX && slice_is(slice_of(search->plan->actions[target].kind->name), reference->target))
		note(search, part, reference, target);
}

/* Where what stays does not let go of that itself, the plan is refused (plan_kept.c). */
static void note_uses(struct search *search)
{
	const struct action *action = &search->plan->actions[search->index];
	const struct value *uses = &action->live_uses;

	for (uint32_t i = 0; value_is(uses, VALUE_LIST) && i < uses->count; i++) {
		size_t target = find_ending(search, value_slice(value_get_named(&uses->items[i], "id")));
		bool ends = operation_keeps(action->operation) &&
			    changes_end_use(action->changes, action->change_count, &uses->items[i]);

		if (target != SIZE_MAX && (ends || action_ends_old(action)))
			add_naming(search, (struct naming){.by = search->index, .of = target, .ends = ends});
	}
}

void namings_find(const struct plan *plan, const struct handovers *handovers, struct arena *arena, struct namings *ret)
{
	struct search search = {.plan = plan, .arena = arena, .result = ret, .handovers = handovers};

	*ret = (struct namings){.lets_go_first = arena_new_array(arena, plan->action_count + 1, bool)};
	map_init(&search.ending);
	for (size_t i = 0; i < plan->action_count; i++) {
		const struct action *action = &plan->actions[i];

		/* What goes by itself asks nobody to let go of it. */
		if (operation_ends(action->operation) && !action->awaits_gone && action->provider_id.size > 0)
			map_set_number(&search.ending, action->provider_id, i);
	}
	for (size_t i = 0; search.ending.count > 0 && i < plan->action_count; i++) {
		const struct fields *fields = &plan->actions[i].kind->fields;

		search.index = i;
		note_uses(&search);
		for (size_t k = 0; k < fields->count; k++) {
			search.top = field_at(fields, k);
			named_each_part(search.top, value_get_named(&plan->actions[i].live, search.top->name),
					note_found, &search);
		}
	}
	map_release(&search.ending);
}

typedef void add_edge(struct graph *graph, size_t before, size_t after);

static void order_nodes(struct phases *phases, size_t before, enum phase phase, size_t after, add_edge *add)
{
	uint32_t first = phases_node(phases, before, phase);
	uint32_t gone = phases_node(phases, after, PHASE_DELETE);

	if (first != NO_NODE && gone != NO_NODE)
		add(&phases->graph, first, gone);
}

static void order_naming(struct phases *phases, const struct plan *plan, const struct naming *naming)
{
	add_edge *add = naming->ends ? graph_add : graph_add_yielding;

	if (action_ends_old(&plan->actions[naming->by])) {
		order_nodes(phases, naming->by, naming->in_part ? PHASE_UNSETTLE : PHASE_DELETE, naming->of, add);
	} else if (naming->lets_go_first) {
		order_nodes(phases, naming->by, PHASE_UNSETTLE, naming->of, add);
	} else if (naming->ends || plan->actions[naming->of].operation == OPERATION_DELETE) {
		order_nodes(phases, naming->by, PHASE_MAKE, naming->of, add);
		order_nodes(phases, naming->by, PHASE_SETTLE, naming->of, add);
	}
}

void phases_order_live(struct phases *phases, const struct plan *plan, const struct namings *namings)
{
	for (size_t i = 0; i < namings->count; i++)
		order_naming(phases, plan, &namings->items[i]);
	for (size_t i = 0; i < plan->launched_count; i++)
		order_nodes(phases, plan->launched[i].by, PHASE_DELETE, plan->launched[i].into, graph_add_yielding);
}

void phases_order_beneath(struct phases *phases, const struct plan *plan, const struct map *by_address)
{
	for (size_t i = 0; i < plan->action_count; i++) {
		const struct action *action = &plan->actions[i];
		uint32_t make = phases_node(phases, i, PHASE_MAKE);
		uint32_t first = make != NO_NODE ? make : phases_node(phases, i, PHASE_SETTLE);

		for (size_t k = 0; first != NO_NODE && k < action->beneath_count; k++) {
			size_t target = map_number(by_address, action->beneath[k]);
			uint32_t made = target != SIZE_MAX ? phases_node(phases, target, PHASE_MAKE) : NO_NODE;

			if (made != NO_NODE)
				graph_add_yielding(&phases->graph, made, first);
		}
	}
}
