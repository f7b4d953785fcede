#include "reconcile/plan_items.h"

/*
 * What is to be made and what is to go may be one thing under another name: the spec has of the one what it had of the
 * other when that was last applied. To make it anew is what the spec says; whoever only renamed it learns here how to
 * keep it.
 */

/* Of one desired form. */
struct namesakes {
	const struct action *ends, *made;
	size_t end_count, made_count;
};

static struct namesakes *namesakes_of(struct map *forms, const struct digest *form, struct arena *arena)
{
	static const struct digest never = {0};
	struct slice key = {(const char *)form->bytes, DIGEST_BYTES};
	struct namesakes *found;

	if (digest_equal(form, &never))
		return NULL;
	found = map_get(forms, key);
	if (!found) {
		found = arena_new(arena, struct namesakes);
		*found = (struct namesakes){0};
		map_set(forms, key, found);
	}
	return found;
}

static void collect(struct planning *planning, struct map *forms)
{
	for (size_t i = 0; i < planning->action_count; i++) {
		const struct action *action = &planning->actions[i];
		bool ends = action->operation == OPERATION_DELETE && action->role == OBJECT_CURRENT && !action->in_spec;
		const size_t *number = ends ? plan_object_at(planning, action->address) : NULL;
		struct namesakes *form = NULL;

		if (number)
			form = namesakes_of(forms, &planning->input->objects[*number]->symbolic, planning->arena);
		else if (action->operation == OPERATION_CREATE && action->object_id.size == 0)
			form = namesakes_of(forms, &action->symbolic, planning->arena);
		if (!form)
			continue;
		*(number ? &form->ends : &form->made) = action;
		*(number ? &form->end_count : &form->made_count) += 1;
	}
}

static void warn(struct planning *planning, const struct namesakes *form)
{
	diag_add(planning->diagnostics, SEVERITY_WARNING, FAULT_CONFLICT, form->made->position,
		 "'%.*s' is to be made as '%.*s' was, which is to go", SLICE_ARGUMENTS(form->made->address),
		 SLICE_ARGUMENTS(form->ends->address));
	diag_address(planning->diagnostics, form->made->address);
	diag_hint(planning->diagnostics, "if it was only renamed, 'trueup state mv %.*s %.*s' keeps it",
		  SLICE_ARGUMENTS(form->ends->address), SLICE_ARGUMENTS(form->made->address));
}

void plan_tell_renamed(struct planning *planning)
{
	const struct plan_input *input = planning->input;
	struct map forms; /* by what is desired, to struct namesakes */

	if (input->scope.looks || input->scope.undoes.size > 0 || input->destroy)
		return;
	map_init(&forms);
	collect(planning, &forms);
	for (size_t i = 0; i < planning->action_count; i++) {
		const struct action *action = &planning->actions[i];
		const struct namesakes *form =
			map_get(&forms, (struct slice){(const char *)action->symbolic.bytes, DIGEST_BYTES});

		/* Of several that are alike nobody can tell which is which. */
		if (!form || form->made != action || form->made_count != 1 || form->end_count != 1 ||
		    !slice_equal(form->made->provider, form->ends->provider))
			continue;
		warn(planning, form);
	}
	map_release(&forms);
}
