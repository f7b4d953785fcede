#include "reconcile/phases_circle.h"

#include "reconcile/unique.h"

/* What is told of steps that wait for each other: who holds up whom, and how it can be done in steps. */

/* What the cycle is about: something waits for what another one lets go of only after that, or in its own turn. */
static const struct handover *find_held_up(const struct circle *circle)
{
	const struct handovers *handovers = circle->handovers;
	for (size_t i = 0; i < handovers->count; i++) {
		const struct handover *handover = &handovers->items[i];
		uint32_t gone = phases_node(circle->phases, handover->from, handover->lets_go);
		uint32_t made = phases_node(circle->phases, handover->to, handover->takes);
		for (size_t k = 0; k < circle->count && handover->lets_go != PHASE_UNSETTLE; k++)
			if (circle->nodes[k] == gone && circle->nodes[(k + 1) % circle->count] == made)
				return handover;
	}
	return NULL;
}

/* The cycle's last step of another action before the deletion: whoever has to let go of it. */
static const struct action *user_in(const struct circle *circle, size_t from)
{
	size_t user = from;
	for (size_t i = 0, after = SIZE_MAX; i < 2 * circle->count && user == from; i++) {
		size_t at = circle->count - 1 - i % circle->count;
		if (circle->nodes[at] == phases_node(circle->phases, from, PHASE_DELETE))
			after = i;
		if (after != SIZE_MAX)
			user = circle->phases->actions[circle->nodes[at]];
	}
	return &circle->plan->actions[user];
}

static void report_held_up(const struct circle *circle, const struct handover *handover, const struct action *user,
			   struct diagnostics *diagnostics)
{
	const struct action *made = &circle->plan->actions[handover->to];
	const struct action *left = &circle->plan->actions[handover->from];
	diag_error(diagnostics, FAULT_CONFLICT, made->position,
		   "'%.*s' cannot be made while %.*s is there, which a replace of '%.*s' left behind, and '%.*s' still "
		   "uses that",
		   SLICE_ARGUMENTS(made->address), SLICE_ARGUMENTS(left->provider_id), SLICE_ARGUMENTS(left->address),
		   SLICE_ARGUMENTS(user->address));
	diag_address(diagnostics, made->address);
	diag_hint(diagnostics, "apply it once with another name or range: then the one left behind goes");
}

/* A step as whoever reads a plan would call it. */
static const char *step_word(const struct action *action, enum phase phase)
{
	static const char *const words[PHASE_COUNT] = {[PHASE_MAKE] = "make",
						       [PHASE_SETTLE] = "change",
						       [PHASE_UNSETTLE] = "detach",
						       [PHASE_DELETE] = "delete"};

	return phase == PHASE_MAKE && operation_keeps(action->operation) ? "change" : words[phase];
}

/* Each is to have what the other one has: with one of them elsewhere for a while there is nothing to wait for. */
static void hint_steps(const struct circle *circle, const struct handover *held_up, struct diagnostics *diagnostics)
{
	const struct action *made = held_up ? &circle->plan->actions[held_up->to] : NULL;
	struct slice names;

	if (circle->plan->undoes.size > 0) {
		diag_hint(diagnostics, "an undoing has no steps: change the spec back, as far as one apply can go at a "
				       "time, and apply that");
		return;
	}
	if (!made) {
		diag_hint(diagnostics, "apply the change in two steps");
		return;
	}
	if (held_up->held && unique_is_handed_on(held_up->held)) {
		diag_hint(diagnostics, "take '%s' out of '%.*s' and apply that; then put it in and apply again",
			  held_up->held->name, SLICE_ARGUMENTS(made->address));
		return;
	}
	names = held_up->held ? arena_format(circle->arena, "'%s'", held_up->held->name)
			      : unique_names(made->kind, &made->known, &made->known, circle->arena);
	if (!circle->plan->actions[held_up->from].in_spec)
		diag_hint(diagnostics, "apply it once with another %.*s of '%.*s', and then as it is now",
			  SLICE_ARGUMENTS(names), SLICE_ARGUMENTS(made->address));
	else
		diag_hint(diagnostics,
			  "give '%.*s' another %.*s, leave the rest as it was, and apply that; then have the rest as "
			  "it is now, and apply again; then '%.*s', too",
			  SLICE_ARGUMENTS(made->address), SLICE_ARGUMENTS(names), SLICE_ARGUMENTS(made->address));
}

void phases_report_circle(const struct circle *circle, struct diagnostics *diagnostics)
{
	struct buffer path;
	const struct handover *held_up = find_held_up(circle);
	bool left = held_up && held_up->lets_go == PHASE_DELETE &&
		    circle->plan->actions[held_up->from].role == OBJECT_DEPOSED;
	/* One that goes for one that comes; of two that stay each is to be what the other one was. */
	bool renamed = held_up && !left && !held_up->overlaps && !circle->plan->actions[held_up->from].in_spec;
	if (left) {
		report_held_up(circle, held_up, user_in(circle, held_up->from), diagnostics);
		return;
	}
	const struct action *first = &circle->plan->actions[circle->phases->actions[circle->nodes[0]]];
	buffer_init(&path, 8192);
	for (size_t i = 0; i <= circle->count; i++) {
		uint32_t node = circle->nodes[i % circle->count];
		const struct action *action = &circle->plan->actions[circle->phases->actions[node]];
		buffer_format(&path, "%s%s %.*s", i ? ", then " : "",
			      step_word(action, (enum phase)circle->phases->kinds[node]),
			      SLICE_ARGUMENTS(action->address));
	}
	diag_error(diagnostics, FAULT_CONFLICT, first->position, "these steps wait for each other: %.*s",
		   SLICE_ARGUMENTS(buffer_slice(&path)));
	if (renamed)
		diag_hint(diagnostics,
			  "where it is the same object under another address, say so with 'trueup state mv %.*s %.*s'",
			  SLICE_ARGUMENTS(circle->plan->actions[held_up->from].address),
			  SLICE_ARGUMENTS(circle->plan->actions[held_up->to].address));
	else
		hint_steps(circle, held_up, diagnostics);
	buffer_release(&path);
}
