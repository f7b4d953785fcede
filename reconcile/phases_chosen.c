#include "reconcile/phases_chosen.h"

#include "base/map.h"
#include "reconcile/scope.h"
#include "reconcile/unique.h"

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
	struct network **all;
	size_t count, capacity;
	bool is_choosing; /* else those that are named are looked for */
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
static struct slice text_of(const struct search *search, const struct field *address, const struct value *within)
{
	struct slice text = value_is(within, VALUE_DEFERRED) ? within->deferred->text : value_slice(within);

	return arena_format(search->arena, "%.*s\n%.*s\n%s",
			    SLICE_ARGUMENTS(identity_text(search->arena, &search->action->identity)),
			    SLICE_ARGUMENTS(text), address->taken_of ? address->taken_of : "");
}

static struct network *network_of(struct search *search, const struct field *address, const struct value *within)
{
	struct slice text = text_of(search, address, within);
	struct network *network = map_get(&search->networks, text);

	if (network)
		return network;
	network = arena_new(search->arena, struct network);
	*network = (struct network){0};
	map_set(&search->networks, text, network);
	search->all = arena_room(search->arena, search->all, search->count, &search->capacity, sizeof(*search->all));
	return search->all[search->count++] = network;
}

/* Of several that are told by a set none is the service's choice. */
static void note(struct search *search, const struct field *field, const struct field *address, bool is_named,
		 const struct scope *scope)
{
	const struct value *within = scope_nearest(scope, slice_of(unique_scope(field)));

	if (!within || is_named == search->is_choosing || (!is_named && field->item))
		return;
	struct network *network = network_of(search, address, within);
	if (is_named) {
		add(search, &network->named);
	} else if (is_last(&network->named, search->node)) {
		network->named.count--;
		add(search, &network->both);
	} else if (!is_last(&network->both, search->node)) {
		add(search, &network->chosen);
	}
}

static void look_at(struct search *search, const struct fields *fields, const struct scope *scope)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = field_at(fields, i);
		const struct field *each = field->item ? field->item : field;

		if (each->type != FIELD_ADDRESS && each->members.count == 0)
			continue;
		const struct value *value = value_if_set(value_get_named(scope->map, field->name));

		if (each->type == FIELD_ADDRESS && (each->flags & SOLE) && unique_scope(field))
			note(search, field, each, value && !(field->item && value->count == 0), scope);
		if (!value)
			continue;
		for (uint32_t k = 0; field->item && value->type == VALUE_LIST && k < value->count; k++)
			if (value_is(&value->items[k], VALUE_MAP))
				look_at(search, &each->members, &(struct scope){&value->items[k], scope});
		if (!field->item && value->type == VALUE_MAP)
			look_at(search, &field->members, &(struct scope){value, scope});
	}
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
	for (size_t i = 0; i < plan->action_count; i++) {
		const struct action *action = &plan->actions[i];

		search.action = action;
		search.node = phases_node(phases, i, PHASE_MAKE);
		if (!operation_makes(action->operation) || search.node == NO_NODE ||
		    !value_is(&action->known, VALUE_MAP))
			continue;
		search.is_choosing = false;
		look_at(&search, &action->kind->fields, &(struct scope){&action->known, NULL});
		search.is_choosing = true;
		look_at(&search, &action->kind->fields, &(struct scope){&action->known, NULL});
	}
	for (size_t i = 0; i < search.count; i++) {
		order(phases, &search.all[i]->named, &search.all[i]->both);
		order(phases, &search.all[i]->named, &search.all[i]->chosen);
		order(phases, &search.all[i]->both, &search.all[i]->chosen);
	}
	map_release(&search.networks);
}
