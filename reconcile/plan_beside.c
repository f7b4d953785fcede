#include <string.h>

#include "reconcile/plan_items.h"
#include "reconcile/visit.h"

/*
 * What can be referred to only within what both lie in (beside): the spec says so of both ends, but for a field that it
 * leaves to others, or where others have moved one since. A gateway that is attached nowhere, and that nothing in the
 * plan attaches, can be no route's target: the service would say so halfway, or not before a long wait for it. Where
 * two such wholes can be joined (beside_or_joined), nobody can have joined one that this plan only makes.
 */

struct place {
	bool is_known;
	struct slice of; /* id of what it lies in; empty: in nothing */
};

struct looking {
	struct planning *planning;
	struct map actions; /* by object id */
	struct map numbers; /* of input->objects, by id at the service */
	bool is_indexed;    /* both are filled: few plans need them */
	const struct action *action;
	const struct field *top; /* that refers */
	struct map told;	 /* of which end of which action it was told */
};

static struct place place_in(const struct value *value)
{
	bool is_known = !value || value_is(value, VALUE_STRING);

	return (struct place){is_known, value && is_known ? value_slice(value) : (struct slice){0}};
}

/* Where a thing lies after the plan. action: what is done to it, or NULL. What is only then made lies where its spec
 * says: others have had no time to put it anywhere. */
static struct place place_of(const struct action *action, const struct live *live, const char *beside)
{
	static const struct place unknown;

	if (action && operation_makes(action->operation))
		return place_in(value_if_set(value_get_named(&action->known, beside)));
	if (!live || live->presence != PRESENCE_PRESENT ||
	    (action && !operation_keeps(action->operation) && action->operation != OPERATION_RECORD))
		return unknown;
	const struct value *now = value_if_set(value_get_named(&live->fields, beside));
	for (size_t i = 0; action && i < action->change_count; i++) {
		const struct change *change = &action->changes[i];

		if (change->field && change->effect == EFFECT_SET && strcmp(change->field->name, beside) == 0)
			now = value_if_set(&change->after);
	}
	return place_in(now);
}

static bool is_left_to_others(struct planning *planning, struct slice address, const char *beside)
{
	const struct item *item = plan_item_at(planning, address);
	const struct value left = item && item->resource ? plan_left_to_others(planning, item->resource) : value_null();

	return ignored_has(&left, slice_of(beside));
}

/* What the plan makes at an address, and others are still to put where they will have it; NULL: it makes nothing. */
static const struct item *made_at(struct planning *planning, struct slice address)
{
	const struct item *item = plan_item_at(planning, address);
	return item && plan_is_to_be_made(item) ? item : NULL;
}

static void hint_at(struct planning *planning, struct slice address, const char *beside)
{
	if (made_at(planning, address))
		diag_hint(
			planning->diagnostics,
			"take '%s' out of 'lifecycle.ignore' of '%.*s' and set it, or make that alone first (--target "
			"%.*s) and see to it by hand",
			beside, SLICE_ARGUMENTS(address), SLICE_ARGUMENTS(address));
	else if (is_left_to_others(planning, address, beside))
		diag_hint(planning->diagnostics,
			  "see to it by hand first, or take '%s' out of 'lifecycle.ignore' of '%.*s'", beside,
			  SLICE_ARGUMENTS(address));
	else
		diag_hint(planning->diagnostics, "apply '%s' of '%.*s' first, or see to it by hand", beside,
			  SLICE_ARGUMENTS(address));
}

static bool is_told(struct looking *looking, struct slice address)
{
	struct slice both = arena_format(looking->planning->arena, "%.*s\n%.*s",
					 SLICE_ARGUMENTS(looking->action->address), SLICE_ARGUMENTS(address));

	return !map_mark(&looking->told, both);
}

static void report_nowhere(struct looking *looking, struct slice loose, const char *beside)
{
	const struct action *action = looking->action;

	if (is_told(looking, loose))
		return;
	diag_error(looking->planning->diagnostics, FAULT_CONFLICT, action->position,
		   "'%s' needs a '%s' of '%.*s', which has none now, and nothing in this plan gives it one",
		   looking->top->name, beside, SLICE_ARGUMENTS(loose));
	diag_address(looking->planning->diagnostics, action->address);
	hint_at(looking->planning, loose, beside);
}

static void report_elsewhere(struct looking *looking, const struct object *target, const char *beside,
			     const struct place *own, const struct place *its)
{
	const struct action *action = looking->action;
	struct planning *planning = looking->planning;

	if (is_told(looking, target->address))
		return;
	diag_error(planning->diagnostics, FAULT_CONFLICT, action->position,
		   "'%s' refers to '%.*s', whose '%s' is %.*s, but that of '%.*s' is %.*s", looking->top->name,
		   SLICE_ARGUMENTS(target->address), beside, SLICE_ARGUMENTS(its->of), SLICE_ARGUMENTS(action->address),
		   SLICE_ARGUMENTS(own->of));
	diag_address(planning->diagnostics, action->address);
	hint_at(planning, is_left_to_others(planning, action->address, beside) ? action->address : target->address,
		beside);
}

static void index_all(struct looking *looking)
{
	struct planning *planning = looking->planning;
	const struct plan_input *input = planning->input;

	looking->is_indexed = true;
	map_init(&looking->actions);
	map_init(&looking->numbers);
	for (size_t i = 0; i < planning->action_count; i++)
		if (planning->actions[i].object_id.size > 0)
			map_set(&looking->actions, planning->actions[i].object_id, &planning->actions[i]);
	/* What a run that was cut off was making may yet be put where it is to be. */
	for (size_t i = 0; i < input->object_count; i++)
		if (input->objects[i]->provider_id.size > 0 && input->objects[i]->role == OBJECT_CURRENT)
			map_set_number(&looking->numbers, input->objects[i]->provider_id, i);
}

/* Of input->objects; SIZE_MAX: none has that id. */
static size_t number_of(struct looking *looking, struct slice provider_id)
{
	if (!looking->is_indexed)
		index_all(looking);
	return provider_id.size > 0 ? map_number(&looking->numbers, provider_id) : SIZE_MAX;
}

/* number: as above. */
static const struct live *live_at(const struct looking *looking, size_t number)
{
	return number != SIZE_MAX ? plan_around(looking->planning)[number] : NULL;
}

/* What is made by this plan has no id yet: the spec tells what the field refers to. */
static void look_at_made(struct looking *looking, const struct field *reference)
{
	const struct action *action = looking->action;

	for (size_t i = 0; i < action->wanted_count; i++) {
		const struct dependency *wanted = &action->wanted[i];
		bool is_of_field = slice_is(wanted->field, looking->top->name);
		const struct item *target = is_of_field ? made_at(looking->planning, wanted->address) : NULL;

		if (target && slice_is(slice_of(target->resource->kind->name), reference->target) &&
		    !value_if_set(value_get_named(&target->wanted, reference->beside)))
			report_nowhere(looking, target->address, reference->beside);
	}
}

static void look_at(struct looking *looking, const struct field *reference, const struct value *value)
{
	const char *beside = reference->beside;
	const struct plan_input *input = looking->planning->input;
	const struct action *action = looking->action;
	size_t number = value_is(value, VALUE_STRING) ? number_of(looking, value_slice(value)) : SIZE_MAX;
	const struct object *target = number != SIZE_MAX ? input->objects[number] : NULL;
	const bool lies = field_named(&action->kind->fields, slice_of(beside)) != NULL;
	const struct place own =
		lies ? place_of(action, live_at(looking, number_of(looking, action->provider_id)), beside)
		     : (struct place){0};
	const struct place its =
		target ? place_of(map_get(&looking->actions, target->object_id), live_at(looking, number), beside)
		       : (struct place){0};

	if (own.is_known && own.of.size == 0)
		report_nowhere(looking, action->address, beside);
	else if (value_is(value, VALUE_DEFERRED))
		look_at_made(looking, reference);
	else if (its.is_known && its.of.size == 0)
		report_nowhere(looking, target->address, beside);
	else if (own.is_known && its.is_known && !slice_equal(own.of, its.of))
		report_elsewhere(looking, target, beside, &own, &its);
}

/* What the plan is certain to make at the end of a reference; NULL: none of that is known. */
static const struct item *made_by(struct planning *planning, const struct value *reference,
				  const struct dependency *dependencies, size_t count)
{
	for (size_t i = 0; value_is(reference, VALUE_DEFERRED) && i < count; i++) {
		struct slice text =
			arena_format(planning->arena, "${%.*s.%.*s}", SLICE_ARGUMENTS(dependencies[i].address),
				     SLICE_ARGUMENTS(dependencies[i].output));
		const struct item *item = plan_item_at(planning, dependencies[i].address);

		if (slice_equal(reference->deferred->text, text))
			return plan_is_new_for_certain(item) && plan_is_to_be_made(item) ? item : NULL;
	}
	return NULL;
}

/* In what something lies after the plan. made: what that is, where it is made by the plan, or NULL. */
struct whole {
	struct place place;
	const struct item *made;
};

static struct whole whole_of_made(struct planning *planning, const struct value *fields, const char *name,
				  const struct dependency *dependencies, size_t count)
{
	const struct value *value = value_if_set(value_get_named(fields, name));

	return (struct whole){place_in(value), made_by(planning, value, dependencies, count)};
}

/* The same of what a reference has as its value; *ret_address: of that. */
static struct whole whole_of_target(struct looking *looking, const struct field *reference, const struct value *value,
				    struct slice *ret_address)
{
	struct planning *planning = looking->planning;
	const struct action *action = looking->action;
	const struct item *made = made_by(planning, value, action->wanted, action->wanted_count);
	size_t number = value_is(value, VALUE_STRING) ? number_of(looking, value_slice(value)) : SIZE_MAX;
	const struct object *target = number != SIZE_MAX ? planning->input->objects[number] : NULL;

	*ret_address = made ? made->address : target ? target->address : (struct slice){0};
	if (made)
		return whole_of_made(planning, &made->wanted, reference->beside_or_joined, made->resource->dependencies,
				     made->resource->dependency_count);
	if (!target)
		return (struct whole){0};
	return (struct whole){place_of(map_get(&looking->actions, target->object_id), live_at(looking, number),
				       reference->beside_or_joined),
			      NULL};
}

static struct slice whole_text(const struct whole *whole)
{
	return whole->made ? whole->made->address : whole->place.of;
}

static void look_at_joined(struct looking *looking, const struct field *reference, const struct value *value)
{
	const struct action *action = looking->action;
	struct diagnostics *diagnostics = looking->planning->diagnostics;
	struct slice target;
	const struct whole its = whole_of_target(looking, reference, value, &target);
	const struct whole own =
		operation_makes(action->operation)
			? whole_of_made(looking->planning, &action->known, reference->beside_or_joined, action->wanted,
					action->wanted_count)
			: (struct whole){place_of(action, live_at(looking, number_of(looking, action->provider_id)),
						  reference->beside_or_joined),
					 NULL};
	const struct item *made = own.made ? own.made : its.made;

	if (!made || whole_text(&own).size == 0 || whole_text(&its).size == 0 || own.made == its.made ||
	    is_told(looking, target))
		return;
	diag_error(diagnostics, FAULT_CONFLICT, action->position,
		   "'%s' refers to '%.*s', which lies in '%.*s', but '%.*s' lies in '%.*s', and nothing can have "
		   "joined '%.*s' with anything before this plan makes it",
		   looking->top->name, SLICE_ARGUMENTS(target), SLICE_ARGUMENTS(whole_text(&its)),
		   SLICE_ARGUMENTS(action->address), SLICE_ARGUMENTS(whole_text(&own)), SLICE_ARGUMENTS(made->address));
	diag_address(diagnostics, action->address);
	diag_hint(diagnostics, "have both lie in one, or apply it without that, join the two by hand, and add it then");
}

static void look_at_value(void *context, const struct visited *visited)
{
	struct looking *looking = context;

	looking->top = visited->top;
	if (visited->field->beside)
		look_at(looking, visited->field, visited->value);
	if (visited->field->beside_or_joined)
		look_at_joined(looking, visited->field, visited->value);
}

void plan_tell_beside(struct planning *planning)
{
	struct looking looking = {.planning = planning};

	if (planning->input->scope.looks || !planning->input->live)
		return;
	map_init(&looking.told);
	for (size_t i = 0; i < planning->action_count; i++) {
		const struct action *action = &planning->actions[i];

		looking.action = action;
		if (action->kind)
			visit_action(action, look_at_value, &looking);
	}
	map_release(&looking.told);
	if (!looking.is_indexed)
		return;
	map_release(&looking.actions);
	map_release(&looking.numbers);
}
