#include "cli/command_list.h"
#include "cli/invocation.h"

enum { HELP_LIMIT_BYTES = 1024 * 1024, NAME_COLUMN = 24 };

static void add_flag(struct buffer *text, enum flag_id id, const char *about)
{
	const struct flag *flag = &flags[id];
	size_t begin = text->size;

	if (flag->letter)
		buffer_format(text, "  -%c, --%s", flag->letter, flag->name);
	else
		buffer_format(text, "      --%s", flag->name);
	if (flag->value)
		buffer_format(text, " %s", flag->value);
	size_t width = text->size - begin;
	if (width >= NAME_COLUMN + 6)
		buffer_format(text, "\n%*s%s\n", NAME_COLUMN + 8, "", about);
	else
		buffer_format(text, "%*s%s\n", (int)(NAME_COLUMN + 8 - width), "", about);
}

static void add_global_flags(struct buffer *text)
{
	buffer_string(text, "\nflags of every command:\n");
	for (enum flag_id id = 0; id < FLAG_COUNT; id++)
		if (command_takes(&command_help, id))
			add_flag(text, id, flags[id].about);
	buffer_string(text, "\nEvery flag can be set in the environment too: --max-delete as TRUEUP_MAX_DELETE.\n");
}

static void add_line(struct buffer *text, const struct command *command)
{
	buffer_format(text, "  %-14s %s\n", command->name, command->about);
}

static void add_group(struct buffer *text, struct slice group)
{
	buffer_format(text, "usage: trueup [flags] %.*s COMMAND [...]\n\ncommands:\n", SLICE_ARGUMENTS(group));
	for (size_t i = 0; i < commands.count; i++)
		if (command_is_in_group(commands.items[i], group))
			add_line(text, commands.items[i]);
	buffer_format(text, "\n'trueup help %.*s COMMAND' tells more about one.\n", SLICE_ARGUMENTS(group));
}

static void add_overview(struct buffer *text)
{
	const char *about;
	int status = 0;

	buffer_string(text, "trueup makes infrastructure true to its spec.\n\nusage: trueup [flags] COMMAND [...]\n\n"
			    "commands:\n");
	for (size_t i = 0; i < commands.count; i++)
		add_line(text, commands.items[i]);
	add_global_flags(text);
	buffer_string(text, "\nexit status:\n");
	for (size_t row = 0; (about = exit_status_about(row, &status)) != NULL; row++)
		buffer_format(text, "  %-4d %s\n", status, about);
	buffer_string(text, "\n'trueup help COMMAND' tells more about one.\n");
}

static void add_command(struct buffer *text, const struct command *command)
{
	buffer_format(text, "trueup %s: %s\n\nusage: trueup [flags] %s [flags]%s%s\n", command->name, command->about,
		      command->name, command->operands[0] ? " " : "", command->operands);
	if (command->details)
		buffer_format(text, "\n%s", command->details);
	if (command->flag_count > 0)
		buffer_string(text, "\nflags:\n");
	for (size_t i = 0; i < command->flag_count; i++) {
		enum flag_id id = command->flags[i];

		add_flag(text, id, id == FLAG_FORCE && command->force ? command->force : flags[id].about);
	}
	add_global_flags(text);
}

static bool add_named(struct invocation *invocation, struct buffer *text)
{
	const struct arguments *arguments = invocation->arguments;
	struct slice name = arguments->operands[0];

	if (arguments->operand_count > 1)
		name = arena_format(invocation->arena, "%.*s %.*s", SLICE_ARGUMENTS(name),
				    SLICE_ARGUMENTS(arguments->operands[1]));
	const struct command *command = command_named(name);
	if (command) {
		add_command(text, command);
		return true;
	}
	if (command_group_names(invocation->arena, name).size > 0) {
		add_group(text, name);
		return true;
	}
	diag_error(invocation->diagnostics, FAULT_USAGE, NOWHERE, "there is no command '%.*s'", SLICE_ARGUMENTS(name));
	diag_hint(invocation->diagnostics, "'trueup help' lists the commands");
	return false;
}

static int run_help(struct invocation *invocation)
{
	const struct arguments *arguments = invocation->arguments;
	struct report report = invocation_report(invocation);
	BUFFER_AUTO text;

	buffer_init(&text, HELP_LIMIT_BYTES);
	if (arguments->operand_count == 0) {
		add_overview(&text);
	} else if (!add_named(invocation, &text)) {
		return STATUS_USAGE;
	}
	report.text = buffer_slice(&text);
	return invocation_end(invocation, &report, STATUS_FINE);
}

const struct command command_help = {
	.name = "help",
	.about = "tell what there is, or how one command is used",
	.operands = "[COMMAND]",
	.most_operands = 2,
	.run = run_help,
};
