#include "cli/variables.h"

#include "cli/command.h"

#define PREFIX "TRUEUP_"
/* TRUEUP_VAR_NAME sets the variable NAME of a spec, whatever that is called. */
#define OF_SPECS "VAR_"

/* Those that no flag has, behind the prefix. */
static const char *const others[] = {
	"METAL_ENDPOINT",
	"SEALING_KEY",
	"SEALING_KEY_COMMAND",
	"NEW_SEALING_KEY",
};

enum { OTHER_COUNT = sizeof(others) / sizeof(others[0]), KNOWN_COUNT = FLAG_COUNT + OTHER_COUNT };

static void list_known(struct arena *arena, struct slice known[KNOWN_COUNT])
{
	for (int i = 0; i < FLAG_COUNT; i++)
		known[i] = slice_from(slice_of(flag_variable(&flags[i], arena)), sizeof(PREFIX) - 1);
	for (int i = 0; i < OTHER_COUNT; i++)
		known[FLAG_COUNT + i] = slice_of(others[i]);
}

static void warn(struct slice name, const struct slice known[KNOWN_COUNT], struct diagnostics *diagnostics)
{
	int nearest = slice_nearest(name, known, KNOWN_COUNT);

	diag_add(diagnostics, SEVERITY_WARNING, FAULT_USAGE, NOWHERE,
		 "the environment sets " PREFIX "%.*s, and trueup knows no such variable", SLICE_ARGUMENTS(name));
	if (nearest >= 0)
		diag_hint(diagnostics, "did you mean " PREFIX "%.*s?", SLICE_ARGUMENTS(known[nearest]));
	else
		diag_hint(diagnostics, "'trueup help COMMAND' lists its flags; --max-delete is " PREFIX "MAX_DELETE");
}

void variables_check(struct world *world, struct arena *arena, struct diagnostics *diagnostics)
{
	struct slice known[KNOWN_COUNT];
	bool listed = false;

	for (char *const *variable = world->variables; variable && *variable; variable++) {
		struct slice name = slice_of(*variable);
		bool good = false;

		if (!slice_starts_with(name, SLICE(PREFIX)))
			continue;
		if (!listed)
			list_known(arena, known);
		listed = true;
		name = slice_from(slice_cut(&name, '='), sizeof(PREFIX) - 1);
		for (int i = 0; i < KNOWN_COUNT; i++)
			good |= slice_equal(name, known[i]);
		if (!good && !slice_starts_with(name, SLICE(OF_SPECS)))
			warn(name, known, diagnostics);
	}
}
