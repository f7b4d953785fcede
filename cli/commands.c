#include "cli/command.h"
#include "cli/command_list.h"

static const char *const refresh_choices[] = {"full", "none", NULL};
static const char *const color_choices[] = {"auto", "always", "never", NULL};

const struct flag flags[FLAG_COUNT] = {
	[FLAG_DIRECTORY] = {.name = "directory",
			    .letter = 'C',
			    .value = "DIR",
			    .about = "folder of the stack, instead of the current one"},
	[FLAG_OUTPUT] = {.name = "output",
			 .value = "FORMAT[=PATH]",
			 .repeatable = true,
			 .about = "text or json, to standard output or to PATH; may be given several times"},
	[FLAG_COLOR] = {.name = "color",
			.value = "WHEN",
			.choices = color_choices,
			.about = "auto, always or never; auto heeds NO_COLOR, CLICOLOR_FORCE and TERM"},
	[FLAG_HELP] = {.name = "help", .letter = 'h', .about = "tell how the command is used"},
	[FLAG_VERSION] = {.name = "version", .about = "tell which version this is"},
	[FLAG_OUT] = {.name = "out", .value = "FILE", .about = "save the plan, to be applied exactly so"},
	[FLAG_DETAILED_EXITCODE] = {.name = "detailed-exitcode", .about = "end with 2 where there is anything to do"},
	[FLAG_REFRESH] = {.name = "refresh",
			  .value = "HOW",
			  .choices = refresh_choices,
			  .about = "full: read what is there; none: trust the record, without any call"},
	[FLAG_DESTROY] = {.name = "destroy", .about = "plan the removal of everything that is recorded"},
	[FLAG_TARGET] = {.name = "target",
			 .value = "ADDRESS",
			 .repeatable = true,
			 .about = "only this resource and what it needs; may be given several times"},
	[FLAG_VAR] = {.name = "var",
		      .value = "NAME=VALUE",
		      .repeatable = true,
		      .about = "value of a variable of the spec; may be given several times"},
	[FLAG_MAX_DELETE] = {.name = "max-delete",
			     .value = "N",
			     .integer = true,
			     .most = INT32_MAX,
			     .about = "refuse a plan that deletes or replaces more than N"},
	[FLAG_PARALLELISM] = {.name = "parallelism",
			      .value = "N",
			      .integer = true,
			      .least = 1,
			      .most = 1000,
			      .about = "calls in flight at once"},
	[FLAG_YES] = {.name = "yes", .letter = 'y', .about = "do not ask"},
	[FLAG_DIGEST] = {.name = "digest",
			 .value = "DIGEST",
			 .about = "refuse a plan whose approval digest does not begin so; at least 8 digits"},
	[FLAG_FORCE] = {.name = "force", .about = "delete by force where a kind knows how"},
	[FLAG_GRACE] = {.name = "grace",
			.value = "SECONDS",
			.integer = true,
			.most = 24 * 3600,
			.about = "how long to look for what a create of a run that was cut off may have made; 120"},
	[FLAG_REGION] = {.name = "region", .value = "NAME", .about = "region of the simulated world"},
};

static const struct command *const all[] = {
	&command_validate, &command_plan,  &command_show,   &command_apply, &command_destroy, &command_drift,
	&command_recover,  &command_state, &command_schema, &command_sim,   &command_version, &command_help,
};

const struct commands commands = {all, sizeof(all) / sizeof(all[0])};
