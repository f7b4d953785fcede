#include "reconcile/phases_chosen.h"

#include <string.h>

#include "base/map.h"
#include "reconcile/diff.h"
#include "reconcile/schema.h"
#include "reconcile/scope.h"

/* Up to so many edges each is waited for by itself; else for the last of them, which waits for the others. */
enum { EDGES_MOST = 1 << 16 };

struct makers {
	uint32_t *nodes;
	size_t count, capacity;
};

/* In one network, of one family, by what they have of it: several that are named, or chosen, or some of each. */
struct network {
	struct makers named, chosen, both;
};

struct search {
	struct arena *arena;
	const struct action *action;
	uint32_t node;
	struct map networks; /* struct network, by what tells them apart */
	struct map starting; /* set of the addresses of what comes to run more */
	struct network **all;
	size_t count, capacity;
	bool is_choosing; /* else those that are named are looked for */
};

/* The fields of one MAP. */
struct look {
	const struct fields *fields;
	struct scope scope;
	const struct value *twin; /* a MAP that says the same of the same thing (field.own_item), or NULL */
	const struct value *own;  /* of the object: the item that is its own, or NULL */
	bool is_there;		  /* what it says is of a thing that is there already, and has its addresses */
};

static bool is_last(const struct makers *makers, uint32_t node)
{
	return makers->count > 0 && makers->nodes[makers->count - 1] == node;
}

static void add(struct search *search, struct makers *makers)
{
	if (is_last(makers, search->node))
		return;
	makers->nodes =
		arena_room(search->arena, makers->nodes, makers->count, &makers->capacity, sizeof(*makers->nodes));
	makers->nodes[makers->count++] = search->node;
}

/* By its id, or as it will be known: one that is made by the same plan is told by what refers to it. */
static struct network *network_of(struct search *search, const struct value *within, const char *range)
{
	struct slice id = value_is(within, VALUE_DEFERRED) ? within->deferred->text : value_slice(within);
	struct slice place = identity_text(search->arena, &search->action->identity);
	struct slice text =
		arena_format(search->arena, "%.*s\n%.*s\n%s", SLICE_ARGUMENTS(place), SLICE_ARGUMENTS(id), range);
	struct network *network = map_get(&search->networks, text);

	if (network)
		return network;
	network = arena_new(search->arena, struct network);
	*network = (struct network){0};
	map_set(&search->networks, text, network);
	search->all = arena_room(search->arena, search->all, search->count, &search->capacity, sizeof(*search->all));
	return search->all[search->count++] = network;
}

/* within: in what; range: the field of that which has the range. */
static void note(struct search *search, const struct value *within, const char *range, bool is_named)
{
	struct network *network = within ? network_of(search, within, range) : NULL;

	if (!network)
		return;
	if (is_named) {
		add(search, &network->named);
	} else if (is_last(&network->named, search->node)) {
		network->named.count--;
		add(search, &network->both);
	} else if (!is_last(&network->both, search->node)) {
		add(search, &network->chosen);
	}
}

/* Whether a thing has it alone: an address, or a range that is set apart for it, be it as an item of a set. */
static bool is_taken(const struct field *field)
{
	const struct field *each = field->item ? field->item : field;

	return field_lies_within(each) && (each->flags & SOLE) && each->taken_of && each->unique_in;
}

static void note_taken(struct search *search, const struct field *field, bool is_named, const struct scope *scope)
{
	const struct field *each = field->item ? field->item : field;

	if (is_named != search->is_choosing)
		note(search, scope_nearest(scope, slice_of(each->unique_in)), strchr(each->taken_of, '.') + 1,
		     is_named);
}

static bool is_none(const struct value *value)
{
	return !value || (value_is(value, VALUE_LIST) && value->count == 0);
}

/* Whether an item of a set in map tells which one it is: that is looked at by itself. */
static bool is_told_by_item(const struct field *field, const struct value *map)
{
	struct slice member = slice_of(field->first_of ? field->first_of : "");
	const struct value *items = value_get_given(map, slice_cut(&member, '.'));

	for (uint32_t i = 0; value_is(items, VALUE_LIST) && i < items->count; i++)
		if (value_is_true(value_get_given(&items->items[i], member)))
			return true;
	return false;
}

/* One that is left out is the service's choice, but for several that are told by a set, and of what is there already.
 */
static void look_at_taken(struct search *search, const struct field *field, const struct look *look)
{
	const struct value *value = value_if_set(value_get_named(look->scope.map, field->name));

	if (is_none(value) && !field->item)
		value = value_if_set(value_get_named(look->twin, field->name));
	if (is_none(value) && (is_told_by_item(field, look->scope.map) || is_told_by_item(field, look->twin)))
		return;
	if (!is_none(value) || (field->type == FIELD_ADDRESS && !look->is_there))
		note_taken(search, field, !is_none(value), &look->scope);
}

static void look_at_number(struct search *search, const struct field *field, const struct look *look)
{
	const struct value *value = value_if_set(value_get_named(look->scope.map, field->name));
	const struct field *of = field_named(look->fields, slice_of(field->number_of));

	if (value && of && is_taken(of) && !(value_is(value, VALUE_INTEGER) && value->integer <= 0))
		note_taken(search, of, false, &look->scope);
}

/* Whether the object comes to run more, or others, where the field says. */
static bool launches(const struct search *search, const struct field *field)
{
	const struct action *action = search->action;

	return operation_makes(action->operation) || map_has(&search->starting, action->address) ||
	       changes_set(action->changes, action->change_count, slice_of(field->name));
}

static void look_at_launches(struct search *search, const struct field *field, const struct value *value)
{
	for (uint32_t i = 0; search->is_choosing && value_is(value, VALUE_LIST) && i < value->count; i++)
		note(search, &value->items[i], field->item->launches_of, false);
}

static void look_at(struct search *search, const struct look *look);

/* The item that is the object's own says the same of the same thing as the object. */
static void look_at_items(struct search *search, const struct field *set, const struct value *items,
			  const struct look *around)
{
	for (uint32_t i = 0; value_is(items, VALUE_LIST) && i < items->count; i++) {
		const struct value *item = &items->items[i];
		const struct look look = {.fields = &set->item->members,
					  .scope = {item, &around->scope},
					  .twin = item == around->own ? around->scope.map : NULL,
					  .is_there = set->part_id && value_get_given(item, slice_of(set->part_id))};

		if (value_is(item, VALUE_MAP))
			look_at(search, &look);
	}
}

static void look_at(struct search *search, const struct look *look)
{
	for (size_t i = 0; i < look->fields->count; i++) {
		const struct field *field = field_at(look->fields, i);
		const struct value *value = value_if_set(value_get_named(look->scope.map, field->name));

		if (field->item && field->item->launches_of && value && launches(search, field))
			look_at_launches(search, field, value);
		else if (!operation_makes(search->action->operation))
			continue;
		else if (is_taken(field))
			look_at_taken(search, field, look);
		else if (field->number_of)
			look_at_number(search, field, look);
		else if (field->item && field->item->members.count > 0 && value)
			look_at_items(search, field, value, look);
		else if (field->members.count > 0 && value_is(value, VALUE_MAP))
			look_at(search, &(struct look){.fields = &field->members, .scope = {value, &look->scope}});
	}
}

/* NULL: no item is the object's own. */
static const struct value *own_item_of(const struct search *search, const struct fields *fields,
				       const struct value *map)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = field_at(fields, i);
		const struct value *items = field->own_item ? value_get_named(map, field->name) : NULL;

		for (uint32_t k = 0; value_is(items, VALUE_LIST) && k < items->count; k++)
			if (value_is(&items->items[k], VALUE_MAP) &&
			    slice_is(schema_item_name(field->item, &items->items[k], search->arena), field->own_item))
				return &items->items[k];
	}
	return NULL;
}

static void look_at_action(struct search *search)
{
	const struct fields *fields = &search->action->kind->fields;
	const struct value *own = own_item_of(search, fields, &search->action->known);
	const struct look look = {.fields = fields, .scope = {&search->action->known, NULL}, .twin = own, .own = own};

	search->is_choosing = false;
	look_at(search, &look);
	search->is_choosing = true;
	look_at(search, &look);
}

static void note_starting(struct search *search, const struct plan *plan)
{
	map_init(&search->starting);
	for (size_t i = 0; i < plan->running_count; i++)
		if (plan->running[i].effect == RUNNING_STARTS)
			(void)map_mark(&search->starting, plan->running[i].address);
}

static void order(struct phases *phases, const struct makers *before, const struct makers *after)
{
	bool is_each = after->count == 0 || before->count <= EDGES_MOST / after->count;
	size_t first = is_each ? 0 : before->count - 1;

	for (size_t i = 0; i < first; i++)
		graph_add_ranking(&phases->graph, before->nodes[i], before->nodes[first]);
	for (size_t i = 0; i < after->count; i++)
		for (size_t k = first; k < before->count; k++)
			graph_add_ranking(&phases->graph, before->nodes[k], after->nodes[i]);
}

void phases_order_chosen(struct phases *phases, const struct plan *plan, struct arena *arena)
{
	struct search search = {.arena = arena};

	map_init(&search.networks);
	note_starting(&search, plan);
	for (size_t i = 0; i < plan->action_count; i++) {
		const struct action *action = &plan->actions[i];

		search.action = action;
		search.node = phases_node(phases, i, PHASE_MAKE);
		if (search.node != NO_NODE && value_is(&action->known, VALUE_MAP))
			look_at_action(&search);
	}
	for (size_t i = 0; i < search.count; i++) {
		order(phases, &search.all[i]->named, &search.all[i]->both);
		order(phases, &search.all[i]->named, &search.all[i]->chosen);
		order(phases, &search.all[i]->both, &search.all[i]->chosen);
	}
	map_release(&search.networks);
	map_release(&search.starting);
}
