#include "reconcile/phases_live.h"

#include "base/map.h"
#include "reconcile/named.h"

/*
 * What others have put there names what goes just as well as what was recorded, and so does what a spec has dropped and
 * no call has taken away: the service deletes nothing that is named. Whatever goes too is deleted first, or lets go of
 * it where that is a part; and an update, which may take it out, comes first as well. So does what has launched what
 * may name it (plan_launched.c).
 */

struct search {
	const struct plan *plan;
	struct phases *phases;
	struct map ending; /* by id: index of the action + 1 */
	size_t index;	   /* of the action that is looked at, and the field of its object */
	const struct field *top;
};

static void order_nodes(struct search *search, size_t before, enum phase phase, size_t after)
{
	uint32_t first = phases_node(search->phases, before, phase);
	uint32_t gone = phases_node(search->phases, after, PHASE_DELETE);

	if (first != NO_NODE && gone != NO_NODE)
		graph_add_yielding(&search->phases->graph, first, gone);
}

static void order_found(void *context, const struct field *reference, struct slice text)
{
	struct search *search = context;
	const void *found = named_is_held(search->top, reference) ? map_get(&search->ending, text) : NULL;
	size_t target = (size_t)(uintptr_t)found - 1;
	const struct action *leaving = found ? &search->plan->actions[target] : NULL;
	const struct action *action = &search->plan->actions[search->index];

	if (!leaving || target == search->index || !slice_is(slice_of(leaving->kind->name), reference->target) ||
	    !identity_equal(&leaving->identity, &action->identity))
		return;
	if (action_ends_old(action)) {
		order_nodes(search, search->index, search->top->flags & SETTLES ? PHASE_UNSETTLE : PHASE_DELETE,
			    target);
	} else if (leaving->operation == OPERATION_DELETE) {
		order_nodes(search, search->index, PHASE_MAKE, target);
		order_nodes(search, search->index, PHASE_SETTLE, target);
	}
}

void phases_order_live(struct phases *phases, const struct plan *plan)
{
	struct search search = {.plan = plan, .phases = phases};

	map_init(&search.ending);
	for (size_t i = 0; i < plan->action_count; i++) {
		const struct action *action = &plan->actions[i];

		/* What goes by itself asks nobody to let go of it. The map keeps pointers; a number fits into one. */
		if (operation_ends(action->operation) && !action->awaits_gone && action->provider_id.size > 0)
			map_set(&search.ending, action->provider_id, (void *)(uintptr_t)(i + 1));
	}
	for (size_t i = 0; search.ending.count > 0 && i < plan->action_count; i++) {
		const struct fields *fields = &plan->actions[i].kind->fields;

		search.index = i;
		for (size_t k = 0; k < fields->count; k++) {
			search.top = field_at(fields, k);
			named_each(search.top, value_get_named(&plan->actions[i].live, search.top->name), order_found,
				   &search);
		}
	}
	map_release(&search.ending);
	for (size_t i = 0; i < plan->launched_count; i++)
		order_nodes(&search, plan->launched[i].by, PHASE_DELETE, plan->launched[i].into);
}
