#include "cli/program_environment.h"

#include "reconcile/provider.h"

/* Whatever they are followed by: TRUEUP_VAR is --var, and TRUEUP_VAR_NAME one variable. */
static const char *const withheld[] = {"TRUEUP_SEALING_KEY", "TRUEUP_NEW_SEALING_KEY", "TRUEUP_VAR"};

static bool is_password(const struct stack *stack, struct slice name)
{
	for (size_t i = 0; stack && i < stack->provider_count; i++) {
		const struct value *variable = value_get_named(&stack->providers[i].settings, PASSWORD_VARIABLE);

		if (variable && slice_equal(value_slice(variable), name))
			return true;
	}
	return false;
}

static bool is_withheld(const struct stack *stack, struct slice name)
{
	for (size_t i = 0; i < sizeof(withheld) / sizeof(withheld[0]); i++)
		if (slice_starts_with(name, slice_of(withheld[i])))
			return true;
	return is_password(stack, name);
}

char *const *program_environment(const struct world *world, const struct stack *stack, struct arena *arena)
{
	char **kept;
	size_t count = 0;

	if (!world->variables)
		return NULL;
	while (world->variables[count])
		count++;
	kept = arena_new_array(arena, count + 1, char *);
	count = 0;
	for (size_t i = 0; world->variables[i]; i++) {
		struct slice rest = slice_of(world->variables[i]);

		if (!is_withheld(stack, slice_cut(&rest, '=')))
			kept[count++] = world->variables[i];
	}
	kept[count] = NULL;
	return kept;
}
