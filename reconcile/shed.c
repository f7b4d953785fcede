#include "reconcile/shed.h"

#include "base/map.h"

struct search {
	const struct plan *plan;
	struct arena *arena;
	struct sheds *result;
	struct map owners; /* by id: index of the action that takes ranges away + 1 */
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
	/* The map keeps pointers; a number fits into one. */
	if (loses && action->provider_id.size > 0)
		map_set(&search->owners, action->provider_id, (void *)(uintptr_t)(index + 1));
}

static void add(struct search *search, size_t within, size_t owner)
{
	struct sheds *result = search->result;
	result->items =
		arena_room(search->arena, result->items, result->count, &result->capacity, sizeof(*result->items));
	result->items[result->count++] = (struct shed){within, owner};
	result->owns[owner] = true;
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
		const void *found = value && parent ? map_get(&search->owners, value_slice(parent)) : NULL;
		size_t owner = (size_t)(uintptr_t)found - 1;
		const struct action *loser = found ? &search->plan->actions[owner] : NULL;
		struct cidr own;
		if (loser && cidr_read(value_slice(value), &own) &&
		    identity_equal(&loser->identity, &action->identity) &&
		    shed_change(loser->changes, loser->change_count, &own))
			add(search, index, owner);
	}
}

void sheds_find(const struct plan *plan, struct arena *arena, struct sheds *ret)
{
	struct search search = {.plan = plan, .arena = arena, .result = ret};
	*ret = (struct sheds){.owns = arena_new_array(arena, plan->action_count + 1, bool)};
	map_init(&search.owners);
	for (size_t i = 0; i < plan->action_count; i++)
		note_owner(&search, i);
	for (size_t i = 0; search.owners.count > 0 && i < plan->action_count; i++)
		if (action_ends_old(&plan->actions[i]) && value_is(&plan->actions[i].live, VALUE_MAP))
			note_ending(&search, i);
	map_release(&search.owners);
}
