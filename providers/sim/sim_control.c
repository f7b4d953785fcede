#include "base/memory.h"
#include "providers/sim/sim_convert.h"
#include "providers/sim/sim_file.h"
#include "providers/sim/sim_state.h"

/* The world as a whole, and changes by hand behind the API's back. */

static bool begin(struct sim *sim, struct diagnostics *diagnostics)
{
	if (!sim_file_begin(sim))
		return diag_error(diagnostics, FAULT_USER, NOWHERE, "%s", sim_file_problem(sim));
	sim_run_until(sim, sim->now_ms);
	sim->immediate = true;
	return true;
}

static bool end(struct sim *sim, struct diagnostics *diagnostics)
{
	sim_commit(sim);
	sim->immediate = false;
	sim_file_end(sim);
	if (sim_file_problem(sim))
		return diag_error(diagnostics, FAULT_USER, NOWHERE, "%s", sim_file_problem(sim));
	return true;
}

bool sim_pass(struct sim *sim, int64_t ms, struct diagnostics *diagnostics)
{
	sim_advance(sim, ms);
	if (sim_file_begin(sim))
		sim_file_append_time(sim);
	sim_file_end(sim);
	if (sim_file_problem(sim))
		return diag_error(diagnostics, FAULT_USER, NOWHERE, "%s", sim_file_problem(sim));
	return true;
}

static bool abandon(struct sim *sim)
{
	sim->immediate = false;
	sim_file_end(sim);
	return false;
}

static struct value show_table(struct arena *arena, const struct sim_table *table)
{
	VALUE_BUILDER_AUTO things;

	value_builder_init(&things);
	for (size_t i = 0; i < table->count; i++)
		if (!table->objects[i]->removed)
			value_builder_member(&things, arena_copy(arena, table->objects[i]->id),
					     sim_node_value(arena, &table->objects[i]->body));
	return value_builder_map(&things, arena);
}

static struct value show_region(struct arena *arena, const struct sim_region *region)
{
	VALUE_BUILDER_AUTO types;

	value_builder_init(&types);
	for (enum sim_type_number type = 0; type < SIM_TYPE_COUNT; type++)
		if (!sim_types[type]->hidden && sim_table_count(region, type) > 0)
			value_builder_member(&types, slice_of(sim_types[type]->name),
					     show_table(arena, &region->tables[type]));
	return value_builder_map(&types, arena);
}

bool sim_show(struct sim *sim, struct arena *arena, struct value *ret, struct diagnostics *diagnostics)
{
	VALUE_BUILDER_AUTO regions;

	value_builder_init(&regions);
	if (!begin(sim, diagnostics) || !end(sim, diagnostics))
		return false;
	for (size_t i = 0; i < sim->regions.count; i++) {
		const struct sim_region *region = sim->regions.entries[i].item;
		struct value types = show_region(arena, region);

		if (types.count > 0)
			value_builder_member(&regions, arena_copy(arena, region->name), types);
	}
	*ret = value_builder_map(&regions, arena);
	return true;
}

static bool find_type(struct slice name, const struct sim_type **ret, struct diagnostics *diagnostics)
{
	struct slice names[SIM_TYPE_COUNT];

	*ret = sim_type_named(name);
	if (*ret)
		return true;
	for (size_t i = 0; i < SIM_TYPE_COUNT; i++)
		names[i] = slice_of(sim_types[i]->name);
	(void)diag_error(diagnostics, FAULT_USER, NOWHERE, "the simulator has no type '%.*s'", SLICE_ARGUMENTS(name));
	if (!diag_suggest(diagnostics, name, names, SIM_TYPE_COUNT))
		diag_hint(diagnostics, "'trueup sim show' names the types of what is there");
	return false;
}

bool sim_type_check(struct slice name, struct diagnostics *diagnostics)
{
	const struct sim_type *type;

	return find_type(name, &type, diagnostics);
}

/* By id or by name; without a region, in whichever has it. */
static struct sim_object *find(struct sim *sim, struct slice region_name, const struct sim_type *type, struct slice id)
{
	for (size_t i = 0; i < sim->regions.count; i++) {
		const struct sim_region *region = sim->regions.entries[i].item;

		if (region_name.size > 0 && !slice_equal(region_name, region->name))
			continue;
		struct sim_object *object = sim_find(region, type->number, id);
		if (!object)
			object = sim_find_key(region, type->number, id);
		if (object)
			return object;
	}
	return NULL;
}

/* A step of a dotted name: the member, or the item with that index; made where make. */
static struct node *step(struct sim *sim, struct node *node, struct slice part, bool make)
{
	int64_t index;

	/* Nothing of the API's is named by a number: the first item of a list that is not there yet is. */
	if (node->type == NODE_TEXT && make)
		node_reset(node, slice_is(part, "0") ? NODE_LIST : NODE_MAP);
	if (node->type == NODE_LIST) {
		if (!slice_integer(part, &index) || index < 0 || index > node->count)
			return NULL;
		if (index < node->count)
			return &node->items[index];
		return make ? node_append(node, NODE_MAP) : NULL;
	}
	if (node->type != NODE_MAP)
		return NULL;
	for (uint32_t i = 0; i < node->count; i++)
		if (slice_is(part, sim_shown_name(node->items[i].name)))
			return &node->items[i];
	return make ? node_set(node, sim_intern(sim, part), "") : NULL;
}

static void drop(struct node *parent, struct slice part)
{
	int64_t index;

	for (uint32_t i = 0; i < parent->count; i++) {
		bool same = parent->type == NODE_MAP ? slice_is(part, sim_shown_name(parent->items[i].name))
						     : slice_integer(part, &index) && index == i;

		if (same) {
			node_remove(parent, i);
			return;
		}
	}
}

/* Whatever is set here is listed by the next answer. */
static bool fits_xml(const struct value *value)
{
	if (value_is(value, VALUE_STRING))
		return slice_fits_xml(value_slice(value), NULL);
	for (uint32_t i = 0; value_is(value, VALUE_LIST) && i < value->count; i++)
		if (!fits_xml(&value->items[i]))
			return false;
	for (uint32_t i = 0; value_is(value, VALUE_MAP) && i < value->count; i++)
		if (!fits_xml(&value->members[i].key) || !fits_xml(&value->members[i].value))
			return false;
	return true;
}

static bool set(struct sim *sim, struct node *body, const struct value_member *member, struct diagnostics *diagnostics)
{
	struct slice path = value_slice(&member->key), rest = path;
	bool removal = value_is(&member->value, VALUE_NULL);
	struct node *node = body;

	for (;;) {
		struct slice part = slice_cut(&rest, '.');

		if (!rest.data && removal) {
			if (node->type != NODE_TEXT)
				drop(node, part);
			return true;
		}
		node = step(sim, node, part, !removal);
		if (!node && removal)
			return true;
		if (!node)
			return diag_error(diagnostics, FAULT_USER, NOWHERE, "there is nothing at '%.*s' to set",
					  SLICE_ARGUMENTS(path));
		if (!rest.data)
			break;
	}
	sim_node_read(sim, node, &member->value);
	return true;
}

static bool set_all(struct sim *sim, struct node *body, const struct value *attributes, struct diagnostics *diagnostics)
{
	if (attributes && !fits_xml(attributes))
		return diag_error(diagnostics, FAULT_USER, NOWHERE,
				  "the API cannot hold a character that XML 1.0 cannot carry");
	for (uint32_t i = 0; attributes && value_is(attributes, VALUE_MAP) && i < attributes->count; i++)
		if (!set(sim, body, &attributes->members[i], diagnostics))
			return false;
	return true;
}

/* What lies in no region that a provider reaches would be there for nobody. */
static bool find_region(const struct sim_type *type, struct slice *region, struct diagnostics *diagnostics)
{
	if (type->worldwide)
		*region = SLICE("");
	if (type->worldwide || region->size > 0)
		return true;
	(void)diag_error(diagnostics, FAULT_USER, NOWHERE, "a thing of type '%s' lies in a region", type->name);
	diag_hint(diagnostics, "say in which: --region NAME, or AWS_REGION=NAME");
	return false;
}

bool sim_add(struct sim *sim, struct arena *arena, struct slice region, struct slice type, struct slice id,
	     const struct value *attributes, struct slice *ret_id, struct diagnostics *diagnostics)
{
	const struct sim_type *found;

	if (!find_type(type, &found, diagnostics) || !find_region(found, &region, diagnostics) ||
	    !begin(sim, diagnostics))
		return false;
	if (id.size == 0 && !found->prefix) {
		(void)diag_error(diagnostics, FAULT_USER, NOWHERE, "a thing of type '%s' needs a name", found->name);
		return abandon(sim);
	}
	if (id.size > 0 && sim_find(sim_region(sim, region), SIM_TYPE_COUNT, id)) {
		(void)diag_error(diagnostics, FAULT_USER, NOWHERE, "there is a thing named '%.*s' already",
				 SLICE_ARGUMENTS(id));
		return abandon(sim);
	}
	struct sim_object *object = sim_create(sim, sim_region(sim, region), found->number, id);
	if (!set_all(sim, &object->body, attributes, diagnostics) ||
	    (found->check && !found->check(object, diagnostics))) {
		sim_delete(sim, object);
		(void)end(sim, diagnostics);
		return false;
	}
	if (ret_id)
		*ret_id = arena_copy(arena, object->id);
	return end(sim, diagnostics);
}

static bool need(struct sim *sim, struct slice region, struct slice type_name, struct slice id, struct sim_object **ret,
		 struct diagnostics *diagnostics)
{
	const struct sim_type *type;

	if (!find_type(type_name, &type, diagnostics) || !begin(sim, diagnostics))
		return false;
	*ret = find(sim, region, type, id);
	if (*ret)
		return true;
	(void)diag_error(diagnostics, FAULT_ABSENT, NOWHERE, "the simulator has no %s '%.*s'", type->name,
			 SLICE_ARGUMENTS(id));
	return abandon(sim);
}

bool sim_change(struct sim *sim, struct slice region, struct slice type, struct slice id,
		const struct value *attributes, struct diagnostics *diagnostics)
{
	struct sim_object *object;

	/* The settings are a thing once one of them is set. */
	if (slice_is(type, "settings") && !find(sim, region, sim_types[SIM_SETTINGS], SLICE("settings")))
		return sim_add(sim, &sim->lasting, SLICE(""), type, SLICE("settings"), attributes, NULL, diagnostics);
	if (!need(sim, region, type, id, &object, diagnostics))
		return false;
	struct node changed = {.type = NODE_MAP};
	node_copy(&changed, &object->body);
	bool good = set_all(sim, &changed, attributes, diagnostics);
	if (good)
		node_copy(sim_edit(sim, object), &changed);
	node_release(&changed);
	return good ? end(sim, diagnostics) : abandon(sim);
}

bool sim_remove(struct sim *sim, struct slice region, struct slice type, struct slice id,
		struct diagnostics *diagnostics)
{
	struct sim_object *object;

	if (!need(sim, region, type, id, &object, diagnostics))
		return false;
	if (object->type->leave)
		object->type->leave(sim, object);
	sim_delete(sim, object);
	return end(sim, diagnostics);
}
