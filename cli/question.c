#include "cli/question.h"

#include "cli/sinks.h"

bool question_ask(struct invocation *invocation, const char *question, const char *what, const char *hint,
		  const struct report *about)
{
	struct world *world = invocation->world;
	struct slice answer = {NULL, 0};

	if (arguments_has(invocation->arguments, FLAG_YES))
		return true;
	if (!world->is_terminal(world, 0) || !world->is_terminal(world, 2)) {
		diag_error(invocation->diagnostics, FAULT_USAGE, NOWHERE, "nobody can be asked here whether to %s",
			   what);
		diag_hint(invocation->diagnostics, "%s", hint);
		return false;
	}
	if (about)
		sinks_plan_at_terminal(invocation->sinks, about, invocation->talk);
	if (!sinks_have_shown(invocation->sinks))
		return diag_error(invocation->diagnostics, FAULT_USER, NOWHERE,
				  "nothing was done: what is to be asked about could not be shown");
	/* Whoever types ahead has not read what is asked. */
	if (world->forget_typed)
		world->forget_typed(world);
	world->write(world, 2, arena_format(invocation->arena, "%s Only 'yes' will do: ", question));
	bool answered = world->read_line(world, invocation->arena, &answer);
	if (answered && slice_is(slice_trim(answer), "yes"))
		return true;
	if (answered)
		return diag_error(invocation->diagnostics, FAULT_USER, NOWHERE,
				  "nothing was done: the answer was not 'yes'");
	/* The cursor still stands behind the question. */
	world->write(world, 2, SLICE("\n"));
	return diag_error(invocation->diagnostics, FAULT_USER, NOWHERE,
			  world->interrupted(world) > 0 ? "nothing was done: interrupted"
							: "nothing was done: no answer");
}
