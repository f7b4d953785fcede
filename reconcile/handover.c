#include "reconcile/handover.h"

#include "base/map.h"
#include "reconcile/unique.h"

struct search {
	const struct plan *plan;
	struct arena *arena;
	struct handovers *result;
	struct map leaving; /* what is let go of: index of its action + 1 */
};

static bool ends_object(const struct action *action)
{
	return action->operation == OPERATION_DELETE || action->operation == OPERATION_REPLACE;
}

static bool moves(const struct action *action)
{
	return action->operation == OPERATION_TAKE_BACK || (action->operation == OPERATION_UPDATE && action->makes);
}

/* field: NULL for what is told apart by several together. */
static struct slice text_of(const struct search *search, const struct action *action, const struct field *field,
			    const struct value *fields)
{
	if (!field)
		return unique_whole(action->kind, fields, &action->identity, search->arena);
	return unique_text(action->kind, field, fields, &action->identity, search->arena);
}

static void add(struct search *search, size_t from, size_t to, enum phase lets_go)
{
	struct handovers *result = search->result;
	result->items =
		arena_room(search->arena, result->items, result->count, &result->capacity, sizeof(*result->items));
	result->items[result->count++] = (struct handover){from, to, lets_go};
}

static void note_leaving(struct search *search, size_t index, const struct field *field)
{
	const struct action *action = &search->plan->actions[index];
	struct slice held = text_of(search, action, field, &action->live);
	if (held.size == 0)
		return;
	if (!ends_object(action) && slice_equal(held, text_of(search, action, field, &action->known)))
		return;
	/* The map keeps pointers; a number fits into one. */
	map_set(&search->leaving, held, (void *)(uintptr_t)(index + 1));
}

static void hand_over(struct search *search, size_t from, size_t to, const struct field *field)
{
	const struct action *giver = &search->plan->actions[from];
	if (moves(giver)) {
		add(search, from, to, PHASE_MAKE);
	} else if (field && (field->flags & SOLE)) {
		search->result->vacates[from] = from != to || giver->create_before_destroy;
		add(search, from, to, PHASE_UNSETTLE);
	} else if (from != to) {
		search->result->goes_first[from] = giver->operation == OPERATION_DELETE;
		add(search, from, to, PHASE_DELETE);
	}
}

static void note_taking(struct search *search, size_t index, const struct field *field)
{
	const struct action *action = &search->plan->actions[index];
	struct slice wanted = text_of(search, action, field, &action->known);
	const void *giver = wanted.size ? map_get(&search->leaving, wanted) : NULL;
	bool keeps = moves(action) && slice_equal(wanted, text_of(search, action, field, &action->live));
	if (giver && !keeps)
		hand_over(search, (size_t)(uintptr_t)giver - 1, index, field);
}

/* What an update may let go of or take is only what it is attached to: names and ranges stay with their object. */
static bool concerns(const struct action *action, const struct field *field, bool taking)
{
	if (field ? !unique_field(field) : !action->kind->told_apart_by)
		return false;
	if (moves(action))
		return field && (field->flags & SOLE);
	if (action->operation == OPERATION_REPLACE)
		return true;
	return action->operation == (taking ? OPERATION_CREATE : OPERATION_DELETE);
}

void handovers_find(const struct plan *plan, struct arena *arena, struct handovers *ret)
{
	struct search search = {.plan = plan, .arena = arena, .result = ret};
	*ret = (struct handovers){
		.vacates = arena_new_array(arena, plan->action_count + 1, bool),
		.goes_first = arena_new_array(arena, plan->action_count + 1, bool),
	};
	map_init(&search.leaving);
	for (int taking = 0; taking < 2; taking++) {
		for (size_t i = 0; i < plan->action_count; i++) {
			const struct action *action = &plan->actions[i];
			for (size_t k = 0; k <= action->kind->fields.count; k++) {
				const struct field *field =
					k < action->kind->fields.count ? field_at(&action->kind->fields, k) : NULL;
				if (concerns(action, field, taking))
					(taking ? note_taking : note_leaving)(&search, i, field);
			}
		}
	}
	map_release(&search.leaving);
}
