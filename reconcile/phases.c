#include "reconcile/phases.h"

#include "base/map.h"
#include "reconcile/handover.h"
#include "reconcile/named.h"
#include "reconcile/phases_chosen.h"
#include "reconcile/phases_circle.h"
#include "reconcile/phases_live.h"
#include "reconcile/shed.h"

struct building {
	struct phases *phases;
	const struct plan *plan;
	struct arena *arena;
	struct map by_address; /* of the address's own action: its index */
	struct map deposed;    /* of the first object left behind there, which any others follow: its index */
	struct handovers handovers;
	struct sheds sheds;
	struct namings namings;
};

static bool has_parts(const struct action *action, const struct value *fields)
{
	for (size_t i = 0; i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i);
		if ((field->flags & SETTLES) && value_get_named(fields, field->name))
			return true;
	}
	return false;
}

/* Which phases an operation consists of. */
static unsigned phases_of(const struct action *action)
{
	bool settles = has_parts(action, &action->desired) || has_parts(action, &action->constants);
	unsigned parts = settles ? 1u << PHASE_SETTLE : 0;
	switch (action->operation) {
	case OPERATION_CREATE:
		return (action->awaits_gone ? 1u << PHASE_DELETE : 0) | 1u << PHASE_MAKE | parts;
	case OPERATION_ADOPT:
		return 1u << PHASE_MAKE | parts;
	case OPERATION_UPDATE:
		if (action->role == OBJECT_INCOMPLETE)
			return 1u << PHASE_MAKE | parts;
		return (action->makes ? 1u << PHASE_MAKE : 0) | (action->settles ? 1u << PHASE_SETTLE : 0);
	case OPERATION_TAKE_BACK:
		if (action->role == OBJECT_INCOMPLETE)
			return 1u << PHASE_MAKE | parts;
		return 1u << PHASE_MAKE | (action->settles ? 1u << PHASE_SETTLE : 0);
	case OPERATION_REPLACE:
		return 1u << PHASE_UNSETTLE | 1u << PHASE_DELETE | 1u << PHASE_MAKE | parts;
	case OPERATION_DELETE:
		return 1u << PHASE_UNSETTLE | 1u << PHASE_DELETE;
	case OPERATION_FORGET:
	case OPERATION_RECORD:
		return 1u << PHASE_MAKE;
	case OPERATION_NONE:
	case OPERATION_CONFLICT:
	case OPERATION_INCOMPLETE:
		return 0;
	}
	return 0;
}

static void add_node(struct building *building, size_t action, enum phase phase)
{
	struct phases *phases = building->phases;
	phases->nodes[action * PHASE_COUNT + phase] = (uint32_t)phases->node_count;
	phases->actions[phases->node_count] = (uint32_t)action;
	phases->kinds[phases->node_count++] = (uint8_t)phase;
}

static void order_nodes(struct building *building, uint32_t before, uint32_t after)
{
	if (before != NO_NODE && after != NO_NODE)
		graph_add(&building->phases->graph, before, after);
}

/* The same, but it gives way where there would be no order. */
static void order_rather(struct building *building, uint32_t before, uint32_t after)
{
	if (before != NO_NODE && after != NO_NODE)
		graph_add_yielding(&building->phases->graph, before, after);
}

/* The phases of one action among themselves. */
static void order_own(struct building *building, size_t index)
{
	const struct action *action = &building->plan->actions[index];
	struct phases *phases = building->phases;
	uint32_t make = phases_node(phases, index, PHASE_MAKE);
	uint32_t settle = phases_node(phases, index, PHASE_SETTLE);
	uint32_t unsettle = phases_node(phases, index, PHASE_UNSETTLE);
	uint32_t delete = phases_node(phases, index, PHASE_DELETE);
	order_nodes(building, make, settle);
	order_nodes(building, unsettle, delete);
	if (operation_keeps(action->operation))
		order_nodes(building, unsettle, make);
	if (action->operation != OPERATION_REPLACE) {
		order_nodes(building, unsettle, settle);
		order_nodes(building, delete, make);
	} else if (action->create_before_destroy) {
		/* What is detached ahead of the rest still goes last, also where there are no parts to wait for. */
		order_nodes(building, make, building->handovers.vacates[index] ? delete : unsettle);
		order_nodes(building, unsettle, settle);
		order_nodes(building, settle, delete);
	} else {
		order_nodes(building, delete, make);
	}
}

static bool takes_away(const struct action *action, const struct output *output)
{
	return action->operation == OPERATION_UPDATE &&
	       changes_take_away(action->changes, action->change_count, output);
}

static bool takes_any_away(const struct action *action)
{
	for (size_t i = 0; i < action->kind->outputs.count; i++)
		if (takes_away(action, output_at(&action->kind->outputs, i)))
			return true;
	return false;
}

/* What loses an output may have to wait until those that used it have let go: what changes in place, and was there
 * before, then needs nothing of that update. */
static bool needs_nothing_of(const struct action *action, const struct action *target)
{
	return action->operation == OPERATION_UPDATE && action->role == OBJECT_CURRENT && takes_any_away(target);
}

/* What was left behind goes after what it stands in for, but not where something new waits for that. */
static bool goes_last(const struct building *building, size_t index)
{
	return building->plan->actions[index].create_before_destroy && building->handovers.heirs[index] == 0;
}

/* The actions for an address, its own first, then those for what was left behind there; SIZE_MAX after the last. */
static size_t first_at(const struct building *building, struct slice address)
{
	size_t own = map_number(&building->by_address, address);
	return own != SIZE_MAX ? own : map_number(&building->deposed, address);
}

static size_t next_at(const struct building *building, struct slice address, size_t index)
{
	const struct plan *plan = building->plan;
	if (plan->actions[index].role != OBJECT_DEPOSED)
		return map_number(&building->deposed, address);
	bool more = index + 1 < plan->action_count && plan->actions[index + 1].role == OBJECT_DEPOSED &&
		    slice_equal(plan->actions[index + 1].address, address);
	return more ? index + 1 : SIZE_MAX;
}

/* Whether the action ends what lies in a range that is an output, and that the other one takes away. */
static bool ends_within(const struct action *action, const struct dependency *dependency, const struct action *loser)
{
	const struct field *field = field_named(&action->kind->fields, dependency->field);
	const struct output *output = output_named(&loser->kind->outputs, dependency->output);
	return operation_ends(action->operation) && field && field->range == RANGE_WITHIN && output &&
	       takes_away(loser, output);
}

static bool is_by_id(const struct building *building, const struct dependency *dependency, size_t target)
{
	const struct outputs *outputs = &building->plan->actions[target].kind->outputs;

	return slice_is(dependency->output, output_at(outputs, 0)->name);
}

/* So may what loses a range: a table that lets go of a subnet in it needs nothing of its VPC but the id. */
static bool needs_only_id(const struct building *building, size_t index, const struct dependency *dependency,
			  size_t target)
{
	const struct action *action = &building->plan->actions[index];

	return is_by_id(building, dependency, target) && action->operation == OPERATION_UPDATE &&
	       action->role != OBJECT_DEPOSED && sheds_spare(&building->sheds, index, target);
}

/* Whether it is the id of what but gives up a range: to wait for that is well, but not needed. */
static bool is_before_and_after(const struct building *building, const struct dependency *dependency, size_t target)
{
	const struct action *loser = &building->plan->actions[target];

	return is_by_id(building, dependency, target) && !changes_widen(loser->changes, loser->change_count) &&
	       (takes_any_away(loser) || building->sheds.owns[target]);
}

/* What the spec refers to is there before it is referred to. */
static void order_wanted(struct building *building, size_t index)
{
	const struct action *action = &building->plan->actions[index];
	struct phases *phases = building->phases;
	uint32_t make = phases_node(phases, index, PHASE_MAKE);
	uint32_t settle = phases_node(phases, index, PHASE_SETTLE);
	for (size_t i = 0; i < action->wanted_count; i++) {
		const struct dependency *dependency = &action->wanted[i];
		size_t target = map_number(&building->by_address, dependency->address);
		if (target == SIZE_MAX || target == index)
			continue;
		if (dependency->binding != BINDS_WHOLE && (needs_nothing_of(action, &building->plan->actions[target]) ||
							   needs_only_id(building, index, dependency, target)))
			continue;
		uint32_t made = phases_node(phases, target, PHASE_MAKE);
		uint32_t settled = phases_node(phases, target, PHASE_SETTLE);
		uint32_t first = make != NO_NODE ? make : settle;
		bool waits = !is_before_and_after(building, dependency, target);
		switch (dependency->binding) {
		case BINDS_SETTLE:
			(waits ? order_nodes : order_rather)(building, made, settle);
			break;
		case BINDS_MAKE:
			(waits ? order_nodes : order_rather)(building, made, first);
			break;
		case BINDS_WHOLE:
			order_nodes(building, made, first);
			order_nodes(building, settled, first);
			break;
		}
	}
}

static bool mentions(const struct value *value, struct slice id)
{
	if (value_is(value, VALUE_STRING))
		return slice_contains(value_slice(value), id);
	for (uint32_t i = 0; value_is(value, VALUE_LIST) && i < value->count; i++)
		if (mentions(&value->items[i], id))
			return true;
	for (uint32_t i = 0; value_is(value, VALUE_MAP) && i < value->count; i++)
		if (mentions(&value->members[i].value, id))
			return true;
	return false;
}

/* Of several objects at the address that it refers to, an action's object may use another one than what was left
 * behind there. Where something waits for that one's deletion, this decides whether there is an order at all. */
static bool uses(const struct building *building, const struct action *action, const struct dependency *dependency,
		 size_t target)
{
	const struct action *leaving = &building->plan->actions[target];
	size_t heir = building->handovers.heirs[target];
	if (heir == 0 || leaving->role != OBJECT_DEPOSED || !value_is(&action->live, VALUE_MAP) ||
	    value_has_unread(&action->live))
		return true;
	if (slice_is(dependency->output, output_at(&leaving->kind->outputs, 0)->name))
		return mentions(&action->live, leaving->provider_id);
	/* A name, say: whoever takes it over at the address is who is meant from then on. */
	if (slice_equal(building->plan->actions[heir - 1].address, leaving->address))
		return false;
	/* The one that was left behind may have had it alone. */
	const struct value *output = value_is(&leaving->live_outputs, VALUE_MAP)
					     ? value_get(&leaving->live_outputs, dependency->output)
					     : NULL;
	return !output || !value_is(output, VALUE_STRING) || mentions(&action->live, value_slice(output));
}

/* Whether it is to refer to nothing that is changed in the same run: what it waits for might wait for its target. */
static bool waits_for_none(const struct building *building, const struct action *action)
{
	for (size_t i = 0; i < action->wanted_count; i++)
		if (map_number(&building->by_address, action->wanted[i].address) != SIZE_MAX)
			return false;
	return true;
}

/* A target is deleted only after all that was recorded as referring to it has let go. */
static void order_release(struct building *building, size_t index, const struct dependency *dependency, size_t target)
{
	const struct action *action = &building->plan->actions[index];
	struct phases *phases = building->phases;
	bool in_part = dependency->binding == BINDS_SETTLE;
	uint32_t gone = phases_node(phases, target, PHASE_DELETE);
	uint32_t unsettled = phases_node(phases, index, PHASE_UNSETTLE);
	/* What is made anew was gone, unless it is waited for: it holds nothing. */
	bool was_gone = action->operation == OPERATION_CREATE && !action->awaits_gone;
	/* What goes by itself asks nobody to let go of it. */
	bool is_awaited = building->plan->actions[target].awaits_gone;
	if (gone == NO_NODE || target == index || was_gone || is_awaited || !uses(building, action, dependency, target))
		return;
	if (in_part && building->handovers.vacates[target])
		order_nodes(building, unsettled, phases_node(phases, target, PHASE_UNSETTLE));
	const struct action *leaving = &building->plan->actions[target];
	/* What but mentions it keeps it from nothing, unless something runs by that; nor does what was only to be made
	 * after it, where each of two is recorded so of the other. */
	bool holds = in_part || named_pins(action->kind, dependency->field, leaving->kind->name) ||
		     (action->runs_by && runs_hold(action->runs_by->runs, leaving->kind));
	void (*order)(struct building *, uint32_t, uint32_t) = holds ? order_nodes : order_rather;
	if (action_ends_old(action)) {
		order(building, in_part ? unsettled : phases_node(phases, index, PHASE_DELETE), gone);
		return;
	}
	bool destroy_first = leaving->operation == OPERATION_REPLACE && !leaving->create_before_destroy;
	destroy_first &= dependency->binding != BINDS_MAKE || !waits_for_none(building, action);
	if (destroy_first || (in_part && handovers_let_go(&building->handovers, building->plan, target))) {
		order(building, unsettled, gone);
		return;
	}
	order(building, phases_node(phases, index, PHASE_MAKE), gone);
	order(building, phases_node(phases, index, PHASE_SETTLE), gone);
}

/* An output is taken away only after all that was recorded as referring to it has let go. */
static void order_loss(struct building *building, size_t index, const struct dependency *dependency, size_t target)
{
	const struct action *action = &building->plan->actions[index], *loser = &building->plan->actions[target];
	const struct output *output = output_named(&loser->kind->outputs, dependency->output);
	bool updates = action->operation == OPERATION_UPDATE && action->role == OBJECT_CURRENT;
	bool goes_first = operation_ends(action->operation) &&
			  (!goes_last(building, index) || ends_within(action, dependency, loser));
	if (target == index || !output || !takes_away(loser, output) || (!updates && !goes_first))
		return;
	order_nodes(building, phases_node(building->phases, index, updates ? PHASE_MAKE : PHASE_DELETE),
		    phases_node(building->phases, target, PHASE_MAKE));
}

static void order_recorded(struct building *building, size_t index)
{
	const struct action *action = &building->plan->actions[index];
	for (size_t i = 0; i < action->recorded_count; i++) {
		const struct dependency *dependency = &action->recorded[i];
		struct slice address = dependency->address;
		for (size_t k = first_at(building, address); k != SIZE_MAX; k = next_at(building, address, k)) {
			order_release(building, index, dependency, k);
			order_loss(building, index, dependency, k);
		}
	}
}

/* An update lets go beforehand of what goes first and its part refers to, and of what another one waits for. */
static bool must_let_go(const struct building *building, size_t index)
{
	const struct action *action = &building->plan->actions[index];
	bool updates = operation_keeps(action->operation) && action->provider_id.size > 0;
	if (updates &&
	    (value_is(&building->handovers.yields[index], VALUE_MAP) || building->namings.lets_go_first[index]))
		return true;
	for (size_t i = 0; updates && i < action->recorded_count; i++) {
		const struct dependency *dependency = &action->recorded[i];
		struct slice address = dependency->address;
		if (dependency->binding != BINDS_SETTLE)
			continue;
		for (size_t k = first_at(building, address); k != SIZE_MAX; k = next_at(building, address, k))
			if (handovers_let_go(&building->handovers, building->plan, k))
				return true;
	}
	return false;
}

/* Whether a part refers to what is made in this run: it is resolved in a phase of its own then, also where others look
 * after it (lifecycle.ignore) and nothing of it is sent. */
static bool must_wait_for_parts(const struct building *building, size_t index)
{
	const struct action *action = &building->plan->actions[index];
	for (size_t i = 0; i < action->wanted_count; i++) {
		const struct dependency *dependency = &action->wanted[i];
		size_t target = map_number(&building->by_address, dependency->address);
		if (dependency->binding == BINDS_SETTLE && target != SIZE_MAX && target != index &&
		    operation_makes(building->plan->actions[target].operation))
			return true;
	}
	return false;
}

/* As bits. */
static unsigned phases_wanted(const struct building *building, size_t index)
{
	const struct action *action = &building->plan->actions[index];
	unsigned wanted = phases_of(action);
	if (must_let_go(building, index))
		wanted |= 1u << PHASE_UNSETTLE;
	if (!(wanted & 1u << PHASE_MAKE) || !must_wait_for_parts(building, index))
		return wanted;
	/* A record that follows has but one step. */
	return action->operation == OPERATION_RECORD ? 1u << PHASE_SETTLE : wanted | 1u << PHASE_SETTLE;
}

/* What was the address's own goes as the old one does in a replace, once its place is taken. So does what a replace
 * left behind. */
static void order_left_behind(struct building *building, size_t index)
{
	const struct action *action = &building->plan->actions[index];
	struct phases *phases = building->phases;
	for (size_t k = action->role != OBJECT_DEPOSED ? map_number(&building->deposed, action->address) : SIZE_MAX;
	     k != SIZE_MAX; k = next_at(building, action->address, k)) {
		bool displaced = action->displaces.size > 0 &&
				 slice_equal(building->plan->actions[k].object_id, action->displaces);
		if (!displaced && !goes_last(building, k))
			continue;
		uint32_t make = phases_node(phases, index, PHASE_MAKE);
		uint32_t settle = phases_node(phases, index, PHASE_SETTLE);
		uint32_t unsettle = phases_node(phases, k, PHASE_UNSETTLE);
		uint32_t delete = phases_node(phases, k, PHASE_DELETE);
		if (!building->handovers.vacates[k])
			order_nodes(building, make, unsettle);
		order_nodes(building, unsettle, settle);
		order_nodes(building, settle, delete);
		order_nodes(building, make, delete);
		/* Its record alone. */
		order_nodes(building, make, phases_node(phases, k, PHASE_MAKE));
	}
}

/* What can exist but once is free before it is taken again. */
static void order_handovers(struct building *building)
{
	const struct handovers *handovers = &building->handovers;
	for (size_t i = 0; i < handovers->count; i++) {
		const struct handover *handover = &handovers->items[i];
		order_nodes(building, phases_node(building->phases, handover->from, handover->lets_go),
			    phases_node(building->phases, handover->to, handover->takes));
	}
}

bool phases_build(struct phases *phases, const struct plan *plan, struct arena *arena, struct diagnostics *diagnostics)
{
	struct building building = {.phases = phases, .plan = plan, .arena = arena};
	size_t most = plan->action_count * PHASE_COUNT;
	*phases = (struct phases){
		.nodes = arena_new_array(arena, most + 1, uint32_t),
		.actions = arena_new_array(arena, most + 1, uint32_t),
		.kinds = arena_new_array(arena, most + 1, uint8_t),
		.remaining = arena_new_array(arena, most + 1, int64_t),
	};
	map_init(&building.by_address);
	map_init(&building.deposed);
	handovers_find(plan, arena, &building.handovers);
	sheds_find(plan, arena, &building.sheds);
	namings_find(plan, &building.handovers, arena, &building.namings);
	phases->vacates = building.handovers.vacates;
	phases->yields = building.handovers.yields;
	for (size_t i = plan->action_count; i-- > 0;) {
		const struct action *action = &plan->actions[i];
		bool left_behind = action->role == OBJECT_DEPOSED;
		map_set_number(left_behind ? &building.deposed : &building.by_address, action->address, i);
	}
	for (size_t i = 0; i < plan->action_count; i++) {
		unsigned wanted = phases_wanted(&building, i);
		for (size_t phase = 0; phase < PHASE_COUNT; phase++) {
			phases->nodes[i * PHASE_COUNT + phase] = NO_NODE;
			if (wanted & (1u << phase))
				add_node(&building, i, (enum phase)phase);
		}
	}
	graph_init(&phases->graph, phases->node_count);
	phases_order_live(phases, plan, &building.namings);
	phases_order_beneath(phases, plan, &building.by_address);
	phases_order_chosen(phases, plan, arena);
	for (size_t i = 0; i < plan->action_count; i++) {
		order_own(&building, i);
		order_wanted(&building, i);
		order_recorded(&building, i);
		order_left_behind(&building, i);
	}
	order_handovers(&building);
	sheds_order(&building.sheds, phases);
	graph_close(&phases->graph);
	uint32_t *cycle = NULL;
	size_t cycle_count = 0;
	bool sound = graph_remaining(&phases->graph, NULL, phases->remaining, arena, &cycle, &cycle_count);
	if (!sound)
		phases_report_circle(&(struct circle){phases, plan, &building.handovers, arena, cycle, cycle_count},
				     diagnostics);
	map_release(&building.by_address);
	map_release(&building.deposed);
	return sound;
}

void phases_release(struct phases *phases)
{
	graph_release(&phases->graph);
}
