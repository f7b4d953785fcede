#include "reconcile/graph.h"
#include "reconcile/plan_items.h"
#include "reconcile/ranges.h"
#include "reconcile/unique.h"

/*
 * What a plan with targets is about: those; what they refer to, as far down as it goes, so that it is there; what has
 * now what they are to have, and can be had but once, or a route to where one of them gets a range, which has to go
 * before; and what is recorded as referring to whatever ends, be it an
 * object or an output alone, however far away, for the service refuses to take away what is in use. Likewise what
 * refers to an output that becomes another one as its object lets go of that: the old one (a version) leads to it. And
 * what is to take the place of what goes.
 */

struct focusing {
	struct planning *planning;
	/* Of items, then of objects that stand alone, then of recorded fields that have to let go of something: from
	 * each to what it takes along. */
	struct graph graph;
	struct map by_address; /* to the first of input->objects at an address: they come sorted */
	size_t *fields;	       /* parallel to input->objects: the node of the first field that is recorded of each */
	bool *reached;
};

bool plan_is_named(const struct planning *planning, struct slice address)
{
	return map_has(&planning->named, address);
}

static void name_targets(struct planning *planning)
{
	const struct plan_scope *scope = &planning->input->scope;

	for (size_t i = 0; i < scope->target_count; i++)
		map_mark(&planning->named, scope->targets[i]);
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
static bool ends_for(const struct planning *planning, size_t node, struct slice name)
{
	if (ends(planning, node))
		return true;
	const struct item *item = &planning->items[node];
	if (item->operation != OPERATION_UPDATE || !item->fields)
		return false;
	const struct output *output = output_named(&item->resource->kind->outputs, name);
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

/* What a replace left behind goes together with the making of what it was to make way for. */
static void link_successors(struct focusing *focusing)
{
	struct planning *planning = focusing->planning;

	for (size_t i = 0; i < planning->input->object_count; i++)
		if (plan_awaits_successor(planning, i))
			graph_add(&focusing->graph, planning->item_count + i,
				  (size_t)(planning->of_objects[i] - planning->items));
}

/* The first of input->objects at an address; their count: there is none. */
static size_t first_at(const struct focusing *focusing, struct slice address)
{
	size_t first = map_number(&focusing->by_address, address);

	return first != SIZE_MAX ? first : focusing->planning->input->object_count;
}

static void link_users(struct focusing *focusing)
{
	struct planning *planning = focusing->planning;
	struct object *const *objects = planning->input->objects;
	size_t count = planning->input->object_count;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < objects[i]->dependency_count; k++) {
			const struct dependency *dependency = &objects[i]->dependencies[k];

			for (size_t t = first_at(focusing, dependency->address);
			     t < count && slice_equal(objects[t]->address, dependency->address); t++)
				if (ends_for(planning, node_of_object(planning, t), dependency->output))
					graph_add(&focusing->graph, node_of_object(planning, t),
						  node_of_object(planning, i));
		}
	}
}

/* A recorded field refers to an output: it has to let go of that where it ends, or where it becomes another one by a
 * field that has to let go of something itself. */
static void link_output(struct focusing *focusing, size_t target, struct slice name, size_t field)
{
	const struct planning *planning = focusing->planning;
	size_t node = node_of_object(planning, target);
	const struct value *applied = &planning->input->objects[target]->applied;

	if (ends_for(planning, node, name)) {
		graph_add(&focusing->graph, node, field);
		return;
	}
	const struct item *item = &planning->items[node];
	const struct output *output = output_named(&item->resource->kind->outputs, name);
	for (size_t i = 0; output && item->fields && i < item->fields->count; i++) {
		const struct change *change = &item->fields->changes[i];
		bool renews = change->field && changes_renew(change, 1, output);

		for (uint32_t k = 0; renews && value_is(applied, VALUE_MAP) && k < applied->count; k++)
			if (slice_is(value_slice(&applied->members[k].key), change->field->name))
				graph_add(&focusing->graph, focusing->fields[target] + k, field);
	}
}

struct referring {
	struct focusing *focusing;
	size_t field; /* its node */
};

/* Nothing that a field refers to is told: so it asks for all of it. */
static const struct value *meet(void *context, struct slice address, struct slice output)
{
	const struct referring *referring = context;
	const struct plan_input *input = referring->focusing->planning->input;

	for (size_t t = first_at(referring->focusing, address);
	     t < input->object_count && slice_equal(input->objects[t]->address, address); t++)
		link_output(referring->focusing, t, output, referring->field);
	return NULL;
}

static bool renews_any(const struct item *item)
{
	const struct outputs *outputs = &item->resource->kind->outputs;

	for (size_t i = 0; item->fields && item->fields->count > 0 && i < outputs->count; i++)
		if (changes_renew(item->fields->changes, item->fields->count, output_at(outputs, i)))
			return true;
	return false;
}

/* Whether an output becomes another one, of the object or of what it refers to. */
static bool is_concerned(struct planning *planning, size_t index)
{
	const struct object *object = planning->input->objects[index];
	size_t node = node_of_object(planning, index);
	bool concerned = node < planning->item_count && renews_any(&planning->items[node]);

	for (size_t i = 0; !concerned && i < object->dependency_count; i++) {
		const struct item *target = plan_item_at(planning, object->dependencies[i].address);
		concerned = target && renews_any(target);
	}
	return concerned;
}

/* A record of an earlier version has joined references to one address: its fields tell them apart. */
static void link_fields(struct focusing *focusing)
{
	struct planning *planning = focusing->planning;
	const struct resolver *resolver = planning->input->resolver;
	struct diagnostics unheard; /* nothing is to come of it */
	struct arena scratch;
	struct value resolved;

	arena_init(&scratch);
	diagnostics_init(&unheard, &scratch);
	for (size_t i = 0; i < planning->input->object_count; i++) {
		const struct value *applied = &planning->input->objects[i]->applied;

		if (!value_is(applied, VALUE_MAP) || !is_concerned(planning, i))
			continue;
		for (uint32_t k = 0; k < applied->count; k++) {
			struct referring referring = {focusing, focusing->fields[i] + k};
			struct output_source source = {&referring, meet};

			if (!value_has_deferred(&applied->members[k].value))
				continue;
			graph_add(&focusing->graph, referring.field, node_of_object(planning, i));
			(void)resolver->resolve(resolver, &applied->members[k].value, &source, &scratch, &resolved,
						&unheard);
		}
	}
	diagnostics_release(&unheard);
	arena_release(&scratch);
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
	size_t holder = takes && text.size > 0 ? map_number(kept, text) : SIZE_MAX;

	if (!takes && text.size > 0)
		map_set_number(kept, text, keeper->node);
	if (holder != SIZE_MAX && holder != keeper->node)
		graph_add(&focusing->graph, keeper->node, holder);
}

struct keeping {
	struct focusing *focusing;
	struct map *kept;
	struct ranges *ranges;
	const struct keeper *keeper;
	bool takes;
};

static void keep_one(void *context, const struct field *field, const struct value *value, const struct value *fields)
{
	const struct keeping *keeping = context;
	const struct keeper *keeper = keeping->keeper;
	const struct ranged ranged = {.owner = keeper->node, .wanted = keeping->takes, .field = field, .value = value};

	if (!ranges_add(keeping->ranges, keeper->kind, fields, keeper->place, ranged))
		keep_text(keeping->focusing, keeping->kept, keeper,
			  unique_value(keeper->kind, field, value, fields, keeper->place,
				       keeping->focusing->planning->arena),
			  keeping->takes);
}

static void keep_all(struct focusing *focusing, struct map *kept, struct ranges *ranges, const struct keeper *keeper,
		     bool takes)
{
	struct keeping keeping = {focusing, kept, ranges, keeper, takes};
	struct arena *arena = focusing->planning->arena;
	const struct json_style *style = focusing->planning->input->secrets.style;

	keep_text(focusing, kept, keeper, unique_whole(keeper->kind, keeper->fields, keeper->place, style, arena),
		  takes);
	for (size_t i = 0; i < keeper->kind->fields.count; i++)
		unique_each(field_at(&keeper->kind->fields, i), keeper->fields, keep_one, &keeping);
}

/* What an object has now, as far as it was read or is recorded; NULL: nothing is known of it. */
static const struct value *fields_of(struct planning *planning, size_t index)
{
	const struct live *live = planning->input->live ? planning->input->live[index] : NULL;
	struct object *object = planning->input->objects[index];

	if (live && live->presence == PRESENCE_ABSENT)
		return NULL;
	if (live && value_is(&live->fields, VALUE_MAP))
		return plan_had(planning, kinds_find(planning->input->kinds, object->kind), object, &live->fields);
	return plan_load_body(planning, object) && value_is(&object->observed, VALUE_MAP) ? &object->observed : NULL;
}

static void link_range(void *context, const struct ranged *had, const struct ranged *wanted)
{
	struct focusing *focusing = context;

	graph_add(&focusing->graph, wanted->owner, had->owner);
}

/* Where something is to lie: what is there stays there, unless its alias reaches another region now. Where nobody was
 * asked what an alias reaches, it is taken for what it reached. */
static const struct identity *place_of(const struct item *item, const struct map *reached)
{
	if (item->object && !item->moved)
		return &item->object->identity;
	return item->identity ? item->identity : map_get(reached, item->resource->provider);
}

/* Whoever is to have what can be had but once, or a part of it, takes along who has it. */
static void link_givers(struct focusing *focusing)
{
	struct planning *planning = focusing->planning;
	const struct plan_input *input = planning->input;
	struct map kept;    /* to the number of the node + 1 */
	struct map reached; /* aliases to the place of what lies there */
	struct ranges ranges;

	map_init(&kept);
	map_init(&reached);
	ranges_init(&ranges, planning->arena);
	for (size_t i = 0; i < input->object_count; i++) {
		const struct object *object = input->objects[i];
		struct keeper keeper = {node_of_object(planning, i), kinds_find(input->kinds, object->kind),
					fields_of(planning, i), &object->identity};

		if (keeper.kind && keeper.fields)
			keep_all(focusing, &kept, &ranges, &keeper, false);
	}
	for (size_t i = 0; i < planning->item_count; i++)
		if (planning->items[i].object)
			map_add(&reached, planning->items[i].resource->provider, &planning->items[i].object->identity);
	for (size_t i = 0; i < planning->item_count; i++) {
		const struct item *item = &planning->items[i];
		struct keeper keeper = {i, item->resource->kind, &item->wanted, place_of(item, &reached)};

		if (keeper.place && value_is(keeper.fields, VALUE_MAP))
			keep_all(focusing, &kept, &ranges, &keeper, true);
	}
	ranges_meet(&ranges, link_range, focusing);
	map_release(&kept);
	map_release(&reached);
	ranges_release(&ranges);
}

/* What loses a range takes along what lies in it: that has to go before. */
static void link_shed(void *context, const struct plan_shed *shed)
{
	struct focusing *focusing = context;
	const struct planning *planning = focusing->planning;

	graph_add(&focusing->graph, (size_t)(shed->owner - planning->items), node_of_object(planning, shed->number));
}

/* Whether the item of a set is not there after the plan. */
static bool lets_go(const struct planning *planning, size_t node, const struct field *field, const struct value *part)
{
	if (ends(planning, node))
		return true;
	const struct difference *halves[] = {planning->items[node].fields, planning->items[node].parts};
	bool gone = false;
	for (size_t i = 0; i < sizeof(halves) / sizeof(halves[0]); i++)
		gone |= halves[i] && changes_end(halves[i]->changes, halves[i]->count, field, part);
	return gone;
}

/* field: a set, of a member of whose items a range is to be apart from what the object's fields refer to. */
static void link_route(struct focusing *focusing, const struct map *widening, size_t number, const struct field *field,
		       const struct value *fields)
{
	const struct planning *planning = focusing->planning;
	const struct value *held = value_get_named(fields, field->name);
	size_t node = node_of_object(planning, number);

	for (size_t i = 0; value_is(held, VALUE_LIST) && i < field->item->members.count; i++) {
		const struct field *member = field_at(&field->item->members, i);
		const struct value *network = member->apart_from ? value_get_named(fields, member->apart_from) : NULL;
		const struct item *owner =
			value_is(network, VALUE_STRING) ? map_get(widening, value_slice(network)) : NULL;
		struct cidr range;

		if (!owner || !identity_equal(&owner->object->identity, &planning->input->objects[number]->identity))
			continue;
		for (uint32_t k = 0; k < held->count; k++)
			if (cidr_read(value_slice(value_get_named(&held->items[k], member->name)), &range) &&
			    changes_widen_around(owner->fields->changes, owner->fields->count, &range) &&
			    lets_go(planning, node, field, &held->items[k]))
				graph_add(&focusing->graph, (size_t)(owner - planning->items), node);
	}
}

/* A network that gets a range takes along the routes that have to go before. */
static void link_routes(struct focusing *focusing)
{
	struct planning *planning = focusing->planning;
	const struct plan_input *input = planning->input;
	struct map widening; /* ids to items */

	map_init(&widening);
	for (size_t i = 0; i < planning->item_count; i++) {
		struct item *item = &planning->items[i];

		if (item->operation == OPERATION_UPDATE && item->object && item->fields &&
		    item->object->provider_id.size > 0 && changes_widen(item->fields->changes, item->fields->count))
			map_set(&widening, item->object->provider_id, item);
	}
	for (size_t i = 0; widening.count > 0 && i < input->object_count; i++) {
		const struct kind *kind = kinds_find(input->kinds, input->objects[i]->kind);
		const struct value *fields = kind ? fields_of(planning, i) : NULL;

		for (size_t k = 0; fields && k < kind->fields.count; k++) {
			const struct field *field = field_at(&kind->fields, k);

			if (field->type == FIELD_SET && field->item->type == FIELD_OBJECT)
				link_route(focusing, &widening, i, field, fields);
		}
	}
	map_release(&widening);
}

static void reach_targets(struct focusing *focusing)
{
	const struct planning *planning = focusing->planning;
	const struct plan_scope *scope = &planning->input->scope;
	bool all = scope->target_count == 0 && !scope->exact;

	for (size_t i = 0; i < planning->item_count; i++)
		if (all || plan_is_named(planning, planning->items[i].address))
			focusing->reached[i] = true;
	for (size_t i = 0; i < planning->input->object_count; i++) {
		const struct object *object = planning->input->objects[i];
		bool named = plan_is_named(planning, object->address) &&
			     !(scope->left_behind_by_id && object->role == OBJECT_DEPOSED);

		if (all || named)
			focusing->reached[node_of_object(planning, i)] = true;
	}
}

/* What nobody refers to, and what its address stands for stays out of it. */
static void reach_leaving(struct focusing *focusing)
{
	const struct planning *planning = focusing->planning;
	const struct plan_scope *scope = &planning->input->scope;
	struct map leaving;

	map_init(&leaving);
	for (size_t i = 0; i < scope->leaving_count; i++)
		map_mark(&leaving, scope->leaving[i]);
	for (size_t i = 0; scope->leaving_count > 0 && i < planning->input->object_count; i++)
		if (map_has(&leaving, planning->input->objects[i]->object_id))
			focusing->reached[node_of_object(planning, i)] = true;
	map_release(&leaving);
}

static void reach_along(struct focusing *focusing)
{
	link_references(focusing);
	link_users(focusing);
	link_fields(focusing);
	link_displaced(focusing);
	link_successors(focusing);
	link_givers(focusing);
	plan_each_shed(focusing->planning, link_shed, focusing);
	link_routes(focusing);
	graph_close(&focusing->graph);
	graph_reach(&focusing->graph, focusing->reached);
}

/* The fields that are recorded get their nodes, behind the others; returns how many there are then. */
static size_t number_fields(struct focusing *focusing, size_t node_count)
{
	struct planning *planning = focusing->planning;
	struct object *const *objects = planning->input->objects;
	size_t count = planning->input->object_count;

	focusing->fields = arena_new_array(planning->arena, count + 1, size_t);
	for (size_t i = 0; i < count; i++)
		map_add_number(&focusing->by_address, objects[i]->address, i);
	for (size_t i = 0; i < count && plan_load_body(planning, objects[i]); i++) {
		focusing->fields[i] = node_count;
		node_count += value_is(&objects[i]->applied, VALUE_MAP) ? objects[i]->applied.count : 0;
	}
	return node_count;
}

void plan_focus(struct planning *planning)
{
	const struct plan_scope *scope = &planning->input->scope;
	size_t object_count = planning->input->object_count;
	size_t node_count = planning->item_count + object_count;
	bool takes_along = scope->target_count > 0 && !scope->exact;
	struct focusing focusing = {.planning = planning};

	map_init(&focusing.by_address);
	if (takes_along)
		node_count = number_fields(&focusing, node_count);
	focusing.reached = arena_new_array(planning->arena, node_count + 1, bool);
	name_targets(planning);
	graph_init(&focusing.graph, node_count);
	reach_targets(&focusing);
	reach_leaving(&focusing);
	if (takes_along)
		reach_along(&focusing);
	graph_release(&focusing.graph);
	map_release(&focusing.by_address);
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
		map_mark(&recorded, objects[i]->address);
	absent = arena_new_array(diagnostics->arena, scope->target_count, struct slice);
	/* What the spec alone has may have been destroyed already, by a run that did not get to its end. */
	for (size_t i = 0; i < scope->target_count; i++)
		if (!map_has(&recorded, scope->targets[i]) && !map_get(in_spec, scope->targets[i]))
			absent[absent_count++] = scope->targets[i];
	bool good = absent_count == 0 || report_absent(stack, &recorded, absent, absent_count, diagnostics);
	map_release(&spare);
	map_release(&recorded);
	return good;
}
