#include "reconcile/graph.h"
#include "reconcile/plan_items.h"
#include "reconcile/unique.h"

/*
 * What a plan with targets is about: those; what they refer to, as far down as it goes, so that it is there; what has
 * now what they are to have, and can be had but once; and what is recorded as referring to whatever ends, be it an
 * object or an output alone, however far away, for the service refuses to take away what is in use.
 */

struct focusing {
	struct planning *planning;
	struct graph graph; /* of items, then of objects that stand alone: from each to what it takes along */
	bool *reached;
	uint32_t *queue;
	size_t count;
};

bool plan_is_named(const struct planning *planning, struct slice address)
{
	return map_get(&planning->named, address) != NULL;
}

static void name_targets(struct planning *planning)
{
	const struct plan_scope *scope = &planning->input->scope;

	for (size_t i = 0; i < scope->target_count; i++)
		/* The map keeps pointers; a number fits into one. */
		map_set(&planning->named, scope->targets[i], (void *)(uintptr_t)(i + 1));
}

static size_t node_of_object(const struct planning *planning, size_t index)
{
	const struct item *item = planning->of_objects[index];

	return item && item->object == planning->input->objects[index] ? (size_t)(item - planning->items)
								       : planning->item_count + index;
}

static bool ends(const struct planning *planning, size_t node)
{
	return node >= planning->item_count || planning->items[node].operation == OPERATION_REPLACE;
}

/* Whether what was referred to is no longer there after the plan, and so must be let go of before. */
static bool ends_for(const struct planning *planning, size_t node, const struct dependency *dependency)
{
	if (ends(planning, node))
		return true;
	const struct item *item = &planning->items[node];
	if (item->operation != OPERATION_UPDATE || !item->fields)
		return false;
	const struct output *output = output_named(&item->resource->kind->outputs, dependency->output);
	return output && changes_take_away(item->fields->changes, item->fields->count, output);
}

static void link_references(struct focusing *focusing)
{
	struct planning *planning = focusing->planning;

	for (size_t i = 0; i < planning->item_count; i++) {
		const struct resource *resource = planning->items[i].resource;

		for (size_t k = 0; k < resource->dependency_count; k++) {
			const struct item *target = plan_item_at(planning, resource->dependencies[k].address);

			if (target)
				graph_add(&focusing->graph, i, (size_t)(target - planning->items));
		}
	}
}

/* What is taken back and what it displaces go together. */
static void link_displaced(struct focusing *focusing)
{
	struct planning *planning = focusing->planning;

	for (size_t i = 0; i < planning->input->object_count; i++) {
		const struct item *item = planning->of_objects[i];

		if (!item || item->operation != OPERATION_TAKE_BACK || item->displaced != planning->input->objects[i])
			continue;
		graph_add(&focusing->graph, (size_t)(item - planning->items), planning->item_count + i);
		graph_add(&focusing->graph, planning->item_count + i, (size_t)(item - planning->items));
	}
}

static void link_users(struct focusing *focusing)
{
	struct planning *planning = focusing->planning;
	struct object *const *objects = planning->input->objects;
	size_t count = planning->input->object_count;
	struct map by_address; /* to the first at an address + 1: the objects come sorted */

	map_init(&by_address);
	for (size_t i = 0; i < count; i++)
		map_add(&by_address, objects[i]->address, (void *)(uintptr_t)(i + 1));
	for (size_t i = 0; i < count && plan_load_body(planning, objects[i]); i++) {
		for (size_t k = 0; k < objects[i]->dependency_count; k++) {
			struct slice address = objects[i]->dependencies[k].address;
			size_t first = (uintptr_t)map_get(&by_address, address);

			for (size_t t = first ? first - 1 : count;
			     t < count && slice_equal(objects[t]->address, address); t++)
				if (ends_for(planning, node_of_object(planning, t), &objects[i]->dependencies[k]))
					graph_add(&focusing->graph, node_of_object(planning, t),
						  node_of_object(planning, i));
		}
	}
	map_release(&by_address);
}

/* Whoever has something, or is to have it. */
struct keeper {
	size_t node;
	const struct kind *kind;
	const struct value *fields; /* MAP */
	const struct identity *place;
};

/* What it has is noted, or leads to who has it now. */
static void keep_text(struct focusing *focusing, struct map *kept, const struct keeper *keeper, struct slice text,
		      bool takes)
{
	/* The map keeps pointers; a number fits into one. */
	uintptr_t holder = takes && text.size > 0 ? (uintptr_t)map_get(kept, text) : 0;

	if (!takes && text.size > 0)
		map_set(kept, text, (void *)(uintptr_t)(keeper->node + 1));
	if (holder && holder - 1 != keeper->node)
		graph_add(&focusing->graph, keeper->node, holder - 1);
}

static void keep_all(struct focusing *focusing, struct map *kept, const struct keeper *keeper, bool takes)
{
	struct arena *arena = focusing->planning->arena;

	keep_text(focusing, kept, keeper, unique_whole(keeper->kind, keeper->fields, keeper->place, arena), takes);
	for (size_t i = 0; i < keeper->kind->fields.count; i++) {
		const struct field *field = field_at(&keeper->kind->fields, i);
		const struct value *value = value_get_named(keeper->fields, field->name);
		bool is_list = value && unique_items(field) && value_is(value, VALUE_LIST);

		if (!value || (!unique_field(field) && !is_list))
			continue;
		for (uint32_t k = 0; k < (is_list ? value->count : 1); k++)
			keep_text(focusing, kept, keeper,
				  unique_value(keeper->kind, field, is_list ? &value->items[k] : value, keeper->fields,
					       keeper->place, arena),
				  takes);
	}
}

/* What an object has now, as far as it was read or is recorded; NULL: nothing is known of it. */
static const struct value *fields_of(struct planning *planning, size_t index)
{
	const struct live *live = planning->input->live ? planning->input->live[index] : NULL;
	struct object *object = planning->input->objects[index];

	if (live && live->presence == PRESENCE_ABSENT)
		return NULL;
	if (live && value_is(&live->fields, VALUE_MAP))
		return &live->fields;
	return plan_load_body(planning, object) && value_is(&object->observed, VALUE_MAP) ? &object->observed : NULL;
}

/* Whoever is to have what can be had but once takes along who has it. */
static void link_givers(struct focusing *focusing)
{
	struct planning *planning = focusing->planning;
	const struct plan_input *input = planning->input;
	struct map kept; /* to the number of the node + 1 */

	map_init(&kept);
	for (size_t i = 0; i < input->object_count; i++) {
		const struct object *object = input->objects[i];
		struct keeper keeper = {node_of_object(planning, i), kinds_find(input->kinds, object->kind),
					fields_of(planning, i), &object->identity};

		if (keeper.kind && keeper.fields)
			keep_all(focusing, &kept, &keeper, false);
	}
	for (size_t i = 0; i < planning->item_count; i++) {
		const struct item *item = &planning->items[i];
		struct keeper keeper = {i, item->resource->kind, &item->wanted,
					item->object ? &item->object->identity : item->identity};

		if (keeper.place && value_is(keeper.fields, VALUE_MAP))
			keep_all(focusing, &kept, &keeper, true);
	}
	map_release(&kept);
}

static void reach(struct focusing *focusing, size_t node)
{
	if (focusing->reached[node])
		return;
	focusing->reached[node] = true;
	focusing->queue[focusing->count++] = (uint32_t)node;
}

static void reach_targets(struct focusing *focusing)
{
	const struct planning *planning = focusing->planning;
	const struct plan_scope *scope = &planning->input->scope;
	bool all = scope->target_count == 0 && !scope->exact;

	for (size_t i = 0; i < planning->item_count; i++)
		if (all || plan_is_named(planning, planning->items[i].address))
			reach(focusing, i);
	for (size_t i = 0; i < planning->input->object_count; i++)
		if (all || plan_is_named(planning, planning->input->objects[i]->address))
			reach(focusing, node_of_object(planning, i));
}

/* What nobody refers to, and what its address stands for stays out of it. */
static void reach_leaving(struct focusing *focusing)
{
	const struct planning *planning = focusing->planning;
	const struct plan_scope *scope = &planning->input->scope;
	struct map leaving;

	map_init(&leaving);
	for (size_t i = 0; i < scope->leaving_count; i++)
		map_set(&leaving, scope->leaving[i], (void *)(uintptr_t)(i + 1));
	for (size_t i = 0; scope->leaving_count > 0 && i < planning->input->object_count; i++)
		if (map_get(&leaving, planning->input->objects[i]->object_id))
			reach(focusing, node_of_object(planning, i));
	map_release(&leaving);
}

static void reach_along(struct focusing *focusing)
{
	struct graph *graph = &focusing->graph;

	link_references(focusing);
	link_users(focusing);
	link_displaced(focusing);
	link_givers(focusing);
	graph_close(graph);
	for (size_t i = 0; i < focusing->count; i++)
		for (uint32_t k = graph->first[focusing->queue[i]]; k < graph->first[focusing->queue[i] + 1]; k++)
			reach(focusing, graph->successors[k]);
}

void plan_focus(struct planning *planning)
{
	const struct plan_scope *scope = &planning->input->scope;
	size_t object_count = planning->input->object_count;
	size_t node_count = planning->item_count + object_count;
	struct focusing focusing = {
		.planning = planning,
		.reached = arena_new_array(planning->arena, node_count + 1, bool),
		.queue = arena_new_array(planning->arena, node_count + 1, uint32_t),
	};

	name_targets(planning);
	graph_init(&focusing.graph, node_count);
	reach_targets(&focusing);
	reach_leaving(&focusing);
	if (scope->target_count > 0 && !scope->exact)
		reach_along(&focusing);
	graph_release(&focusing.graph);
	planning->leaves = focusing.reached + planning->item_count;
	for (size_t i = 0; i < planning->item_count; i++)
		planning->items[i].in_focus = focusing.reached[i];
}

/* Each address of the record and of the spec, once. */
static struct slice *known_addresses(const struct stack *stack, const struct map *recorded, struct arena *arena,
				     size_t *ret_count)
{
	struct slice *known = arena_new_array(arena, recorded->count + stack->resource_count + 1, struct slice);
	size_t count = 0;

	for (size_t i = 0; i < recorded->count; i++)
		known[count++] = recorded->entries[i].key;
	for (size_t i = 0; i < stack->resource_count; i++)
		if (!map_get(recorded, stack->resources[i].address))
			known[count++] = stack->resources[i].address;
	*ret_count = count;
	return known;
}

/* A list from before everything was renamed may have been given. */
static bool report_absent(const struct stack *stack, const struct map *recorded, const struct slice *absent,
			  size_t absent_count, struct diagnostics *diagnostics)
{
	size_t known_count, compared = 0;
	struct arena scratch;

	arena_init(&scratch);
	const struct slice *known = known_addresses(stack, recorded, &scratch, &known_count);
	for (size_t i = 0; i < absent_count; i++) {
		int nearest = slice_nearest_within(absent[i], known, known_count, &compared);

		diag_error(diagnostics, FAULT_USER, NOWHERE, "there is no '%.*s' in the spec or the record",
			   SLICE_ARGUMENTS(absent[i]));
		if (nearest >= 0)
			diag_hint(diagnostics, "did you mean '%.*s'?", SLICE_ARGUMENTS(known[nearest]));
		else
			diag_hint(diagnostics, "a target is an address, like aws.vpc.main");
	}
	arena_release(&scratch);
	return false;
}

bool plan_check_targets(const struct plan_scope *scope, const struct stack *stack, struct object *const *objects,
			size_t object_count, struct diagnostics *diagnostics)
{
	const struct map *in_spec;
	struct map spare, recorded;
	struct slice *absent;
	size_t absent_count = 0;

	if (scope->target_count == 0)
		return true;
	map_init(&spare);
	map_init(&recorded);
	in_spec = stack_addresses(stack, &spare);
	for (size_t i = 0; i < object_count; i++)
		map_add(&recorded, objects[i]->address, objects[i]);
	absent = arena_new_array(diagnostics->arena, scope->target_count, struct slice);
	/* What the spec alone has may have been destroyed already, by a run that did not get to its end. */
	for (size_t i = 0; i < scope->target_count; i++)
		if (!map_get(&recorded, scope->targets[i]) && !map_get(in_spec, scope->targets[i]))
			absent[absent_count++] = scope->targets[i];
	bool good = absent_count == 0 || report_absent(stack, &recorded, absent, absent_count, diagnostics);
	map_release(&spare);
	map_release(&recorded);
	return good;
}
