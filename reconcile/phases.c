#include "reconcile/phases.h"

#include "base/map.h"

struct building {
	struct phases *phases;
	const struct plan *plan;
	struct arena *arena;
	struct map by_address; /* of the address's own action: index + 1 */
	struct map deposed;    /* of an object left behind: index + 1 */
};

uint32_t phases_node(const struct phases *phases, size_t action, enum phase phase)
{
	return phases->nodes[action * PHASE_COUNT + phase];
}

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
	unsigned parts = has_parts(action, &action->desired) ? 1u << PHASE_SETTLE : 0;
	switch (action->operation) {
	case OPERATION_CREATE:
	case OPERATION_ADOPT:
		return 1u << PHASE_MAKE | parts;
	case OPERATION_UPDATE:
		if (action->role == OBJECT_INCOMPLETE)
			return 1u << PHASE_MAKE | parts;
		return (action->makes ? 1u << PHASE_MAKE : 0) | (action->settles ? 1u << PHASE_SETTLE : 0);
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

static size_t index_in(const struct map *map, struct slice address)
{
	const void *item = map_get(map, address);
	return item ? (size_t)(uintptr_t)item - 1 : SIZE_MAX;
}

static void put_index(struct map *map, struct slice address, size_t index)
{
	/* The map keeps pointers; a number fits into one. */
	map_set(map, address, (void *)(uintptr_t)(index + 1));
}

static void order_nodes(struct building *building, uint32_t before, uint32_t after)
{
	if (before != NO_NODE && after != NO_NODE)
		graph_add(&building->phases->graph, before, after);
}

static bool deletes(const struct action *action)
{
	return action->operation == OPERATION_DELETE || action->operation == OPERATION_REPLACE;
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
	if (action->operation != OPERATION_REPLACE) {
		order_nodes(building, unsettle, settle);
	} else if (action->create_before_destroy) {
		order_nodes(building, make, unsettle);
		order_nodes(building, unsettle, settle);
		order_nodes(building, settle, delete);
	} else {
		order_nodes(building, delete, make);
	}
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
		size_t target = index_in(&building->by_address, dependency->address);
		if (target == SIZE_MAX || target == index)
			continue;
		uint32_t made = phases_node(phases, target, PHASE_MAKE);
		uint32_t settled = phases_node(phases, target, PHASE_SETTLE);
		uint32_t first = make != NO_NODE ? make : settle;
		switch (dependency->binding) {
		case BINDS_SETTLE:
			order_nodes(building, made, settle);
			break;
		case BINDS_MAKE:
			order_nodes(building, made, first);
			break;
		case BINDS_WHOLE:
			order_nodes(building, made, first);
			order_nodes(building, settled, first);
			break;
		}
	}
}

/* A target is deleted only after all that was recorded as referring to it has let go. */
static void order_release(struct building *building, size_t index, const struct dependency *dependency, size_t target)
{
	const struct action *action = &building->plan->actions[index];
	const struct action *leaving = &building->plan->actions[target];
	struct phases *phases = building->phases;
	uint32_t gone = phases_node(phases, target, PHASE_DELETE);
	if (gone == NO_NODE || dependency->loose || target == index)
		return;
	if (deletes(action)) {
		bool in_part = dependency->binding == BINDS_SETTLE;
		order_nodes(building, phases_node(phases, index, in_part ? PHASE_UNSETTLE : PHASE_DELETE), gone);
		return;
	}
	bool destroy_first = leaving->operation == OPERATION_REPLACE && !leaving->create_before_destroy;
	if (destroy_first) {
		order_nodes(building, phases_node(phases, index, PHASE_UNSETTLE), gone);
		return;
	}
	order_nodes(building, phases_node(phases, index, PHASE_MAKE), gone);
	order_nodes(building, phases_node(phases, index, PHASE_SETTLE), gone);
}

static void order_recorded(struct building *building, size_t index)
{
	const struct action *action = &building->plan->actions[index];
	for (size_t i = 0; i < action->recorded_count; i++) {
		const struct dependency *dependency = &action->recorded[i];
		size_t own = index_in(&building->by_address, dependency->address);
		size_t left_behind = index_in(&building->deposed, dependency->address);
		if (own != SIZE_MAX)
			order_release(building, index, dependency, own);
		if (left_behind != SIZE_MAX)
			order_release(building, index, dependency, left_behind);
	}
}

/* An update whose part refers to what is destroyed first lets go of it beforehand. */
static bool must_let_go(const struct building *building, const struct action *action)
{
	for (size_t i = 0; action->operation == OPERATION_UPDATE && i < action->recorded_count; i++) {
		const struct dependency *dependency = &action->recorded[i];
		size_t target = index_in(&building->by_address, dependency->address);
		if (target == SIZE_MAX || dependency->binding != BINDS_SETTLE || dependency->loose)
			continue;
		const struct action *leaving = &building->plan->actions[target];
		if (leaving->operation == OPERATION_REPLACE && !leaving->create_before_destroy)
			return true;
	}
	return false;
}

/* What makes an object unique, as a text; empty where it is not known. */
static struct slice unique_text(const struct action *action, const struct field *field, const struct value *fields,
				struct arena *arena)
{
	const struct value *value = value_get_named(fields, field->name);
	if (!value || !value_is(value, VALUE_STRING))
		return (struct slice){0};
	struct slice place = identity_text(arena, &action->identity);
	return arena_format(arena, "%s %s %.*s %.*s", action->kind->name, field->name, SLICE_ARGUMENTS(place),
			    SLICE_ARGUMENTS(value_slice(value)));
}

/* A resource that got another address makes its name or range free before it is taken again. */
static void order_unique(struct building *building)
{
	struct map leaving;
	map_init(&leaving);
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < building->plan->action_count; i++) {
			const struct action *action = &building->plan->actions[i];
			bool takes = action->operation == OPERATION_CREATE;
			if (pass == 0 ? action->operation != OPERATION_DELETE : !takes)
				continue;
			for (size_t k = 0; k < action->kind->fields.count; k++) {
				const struct field *field = field_at(&action->kind->fields, k);
				if (!(field->flags & NAMES) && field->range != RANGE_WITHIN)
					continue;
				struct slice text = unique_text(action, field, takes ? &action->known : &action->live,
								building->arena);
				if (text.size == 0)
					continue;
				size_t index = index_in(&leaving, text);
				if (pass == 0)
					put_index(&leaving, text, i);
				else if (index != SIZE_MAX)
					order_nodes(building, phases_node(building->phases, index, PHASE_DELETE),
						    phases_node(building->phases, i, PHASE_MAKE));
			}
		}
	}
	map_release(&leaving);
}

static bool report_cycle(const struct building *building, const uint32_t *cycle, size_t count,
			 struct diagnostics *diagnostics)
{
	struct buffer path;
	const struct action *first = &building->plan->actions[building->phases->actions[cycle[0]]];
	buffer_init(&path, 8192);
	for (size_t i = 0; i <= count; i++) {
		uint32_t node = cycle[i % count];
		const struct action *action = &building->plan->actions[building->phases->actions[node]];
		buffer_format(&path, "%s%s %.*s", i ? ", then " : "",
			      phase_name((enum phase)building->phases->kinds[node]), SLICE_ARGUMENTS(action->address));
	}
	diag_error(diagnostics, FAULT_CONFLICT, first->position, "these steps wait for each other: %.*s",
		   SLICE_ARGUMENTS(buffer_slice(&path)));
	diag_hint(diagnostics, "apply the change in two steps, or give the new object another name or range");
	buffer_release(&path);
	return false;
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
	for (size_t i = 0; i < plan->action_count; i++) {
		const struct action *action = &plan->actions[i];
		bool left_behind = action->role == OBJECT_DEPOSED;
		put_index(left_behind ? &building.deposed : &building.by_address, action->address, i);
	}
	for (size_t i = 0; i < plan->action_count; i++) {
		unsigned wanted = phases_of(&plan->actions[i]);
		if (must_let_go(&building, &plan->actions[i]))
			wanted |= 1u << PHASE_UNSETTLE;
		for (size_t phase = 0; phase < PHASE_COUNT; phase++) {
			phases->nodes[i * PHASE_COUNT + phase] = NO_NODE;
			if (wanted & (1u << phase))
				add_node(&building, i, (enum phase)phase);
		}
	}
	graph_init(&phases->graph, phases->node_count);
	for (size_t i = 0; i < plan->action_count; i++) {
		order_own(&building, i);
		order_wanted(&building, i);
		order_recorded(&building, i);
	}
	order_unique(&building);
	graph_close(&phases->graph);
	uint32_t *cycle = NULL;
	size_t cycle_count = 0;
	bool sound = graph_remaining(&phases->graph, NULL, phases->remaining, arena, &cycle, &cycle_count);
	if (!sound)
		sound = report_cycle(&building, cycle, cycle_count, diagnostics);
	map_release(&building.by_address);
	map_release(&building.deposed);
	return sound;
}

void phases_release(struct phases *phases)
{
	graph_release(&phases->graph);
}
