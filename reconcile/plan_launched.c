#include "reconcile/plan_items.h"

/*
 * What an object runs keeps what it was launched into to its end, though the object itself has let go of that since: no
 * record and no reading says which it is. It may be any of its kind that lies where the object does. Where both go, the
 * object goes first, and what it runs with it.
 *
 * They are paired within one place alone, which a service lets hold but so many of each.
 */

struct search {
	struct planning *planning;
	const struct kind *kind; /* of what runs something */
	const char *within;	 /* the field of what is held that says where it lies */
	struct map first;	 /* by what it lies in: index of the first action that ends what may be held there */
	size_t *next;		 /* per action: index of the next of those; SIZE_MAX: none */
};

static const char *place_of(const struct kind *kind)
{
	const char *within = NULL;

	for (size_t i = 0; !within && i < kind->fields.count; i++)
		within = field_stays_in(field_at(&kind->fields, i));
	return within;
}

/* Those of one kind come one after the other. */
static void search_for(struct search *search, const struct kind *kind)
{
	struct planning *planning = search->planning;

	if (search->kind)
		map_release(&search->first);
	map_init(&search->first);
	search->kind = kind;
	search->within = place_of(kind);
	search->next = arena_new_array(planning->arena, planning->action_count, size_t);
	for (size_t i = planning->action_count; search->within && i-- > 0;) {
		const struct action *action = &planning->actions[i];
		const struct value *place = value_get_named(&action->live, search->within);

		if (!action_ends_old(action) || !action->kind || !runs_hold(kind->runs, action->kind) ||
		    !value_is(place, VALUE_STRING))
			continue;
		search->next[i] = map_number(&search->first, value_slice(place));
		map_set_number(&search->first, value_slice(place), i);
	}
}

/* Whether one of the things lies where that does, as far as they tell. */
static bool has_one_in(const struct action *runner, const struct action *held)
{
	const char *lies_in = runner->kind->runs->lies_in;
	const struct value *here = lies_in ? value_if_set(value_get_named(&held->live, lies_in)) : NULL;
	bool found = !here;

	for (uint32_t i = 0; !found && i < runner->running.count; i++) {
		const struct value *there = value_get_named(&runner->running.items[i], lies_in);

		found = there && value_equal(there, here);
	}
	return found;
}

static void pair_with(struct search *search, size_t index, struct slice place)
{
	struct planning *planning = search->planning;
	struct plan *plan = planning->plan;
	const struct action *runner = &planning->actions[index];

	for (size_t next = map_number(&search->first, place); next != SIZE_MAX; next = search->next[next]) {
		const struct action *held = &planning->actions[next];

		if (!identity_equal(&held->identity, &runner->identity) || !has_one_in(runner, held))
			continue;
		plan->launched = arena_room(planning->arena, plan->launched, plan->launched_count,
					    &planning->launched_capacity, sizeof(*plan->launched));
		plan->launched[plan->launched_count++] = (struct launched){.by = index, .into = next};
	}
}

/* Where what it is recorded to refer to lies, each place once. */
static void look_around(struct search *search, size_t index)
{
	struct planning *planning = search->planning;
	const struct action *runner = &planning->actions[index];
	struct slice *places = arena_new_array(planning->arena, runner->recorded_count, struct slice);
	size_t count = 0;

	for (size_t i = 0; i < runner->recorded_count; i++) {
		const struct field *field = field_named(&runner->kind->fields, runner->recorded[i].field);
		const char *within = field ? field_stays_in(field) : NULL;
		const size_t *number = within ? plan_object_at(planning, runner->recorded[i].address) : NULL;
		struct object *object = number ? planning->input->objects[*number] : NULL;
		const struct value *place = object && plan_load_body(planning, object)
						    ? plan_field_now(object, planning->input->live[*number], within)
						    : NULL;
		bool seen = !value_is(place, VALUE_STRING);

		for (size_t k = 0; !seen && k < count; k++)
			seen = slice_equal(places[k], value_slice(place));
		if (seen)
			continue;
		places[count++] = value_slice(place);
		pair_with(search, index, value_slice(place));
	}
}

void plan_note_launched(struct planning *planning)
{
	struct search search = {.planning = planning};

	for (size_t i = 0; planning->input->live && i < planning->action_count; i++) {
		const struct action *action = &planning->actions[i];

		if (!action_ends_old(action) || !action->kind || !action->kind->runs ||
		    !value_is(&action->running, VALUE_LIST) || action->running.count == 0)
			continue;
		if (search.kind != action->kind)
			search_for(&search, action->kind);
		look_around(&search, i);
	}
	if (search.kind)
		map_release(&search.first);
}
