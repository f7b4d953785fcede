#include "reconcile/shed.h"

#include "base/cidr.h"
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

static void note_owner(struct search *search, size_t index)
{
	const struct action *action = &search->plan->actions[index];
	bool removes = false;
	for (size_t i = 0; action->operation == OPERATION_UPDATE && !removes && i < action->change_count; i++)
		removes = is_removal(&action->changes[i]);
	/* The map keeps pointers; a number fits into one. */
	if (removes && action->provider_id.size > 0)
		map_set(&search->owners, action->provider_id, (void *)(uintptr_t)(index + 1));
}

static bool loses_range_around(const struct action *owner, const struct cidr *own)
{
	bool found = false;
	for (size_t i = 0; !found && i < owner->change_count; i++) {
		struct cidr range;
		found = is_removal(&owner->changes[i]) && cidr_read(value_slice(&owner->changes[i].before), &range) &&
			cidr_contains(&range, own);
	}
	return found;
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
		struct cidr own;
		if (found && cidr_read(value_slice(value), &own) &&
		    identity_equal(&search->plan->actions[owner].identity, &action->identity) &&
		    loses_range_around(&search->plan->actions[owner], &own))
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
