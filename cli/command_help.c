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
	buffer_string(
		text,
		"\nEvery flag but --help can be set in the environment too: --max-delete as TRUEUP_MAX_DELETE.\n");
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

static const char *flag_about(const struct command *command, enum flag_id id)
{
	const char *here = id == FLAG_FORCE ? command->force : id == FLAG_TARGET ? command->target : NULL;

	return here ? here : flags[id].about;
}

static void add_command(struct buffer *text, const struct command *command)
{
	buffer_format(text, "trueup %s: %s\n\nusage: trueup [flags] %s [flags]%s%s\n", command->name, command->about,
		      command->name, command->operands[0] ? " " : "", command->operands);
	if (command->details)
		buffer_format(text, "\n%s", command->details);
	if (command->flag_count > 0)
		buffer_string(text, "\nflags:\n");
	for (size_t i = 0; i < command->flag_count; i++)
		add_flag(text, command->flags[i], flag_about(command, command->flags[i]));
	add_global_flags(text);
}

static void put(struct value_builder *builder, const char *name, const char *text)
{
	value_builder_member(builder, slice_of(name), text ? value_text(text) : value_null());
}

static struct value flag_value(struct arena *arena, const struct command *command, enum flag_id id, const char *about)
{
	const struct flag *flag = &flags[id];
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	put(&builder, "name", flag->name);
	put(&builder, "letter", flag->letter ? arena_text(arena, "%c", flag->letter) : NULL);
	put(&builder, "value", flag->value);
	put(&builder, "variable", command_takes_variable(command, id) ? flag_variable(flag, arena) : NULL);
	put(&builder, "about", about);
	return value_builder_map(&builder, arena);
}

static struct value flags_value(struct arena *arena, const struct command *command)
{
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (size_t i = 0; i < command->flag_count; i++)
		value_builder_item(
			&list, flag_value(arena, command, command->flags[i], flag_about(command, command->flags[i])));
	return value_builder_list(&list, arena);
}

static struct value command_value(struct arena *arena, const struct command *command)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	put(&builder, "name", command->name);
	put(&builder, "about", command->about);
	put(&builder, "operands", command->operands);
	put(&builder, "details", command->details);
	value_builder_member(&builder, SLICE("flags"), flags_value(arena, command));
	return value_builder_map(&builder, arena);
}

static struct value global_flags_value(struct arena *arena)
{
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (enum flag_id id = 0; id < FLAG_COUNT; id++)
		if (command_takes(&command_help, id))
			value_builder_item(&list, flag_value(arena, &command_help, id, flags[id].about));
	return value_builder_list(&list, arena);
}

static struct value statuses_value(struct arena *arena)
{
	const char *about;
	int status = 0;
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (size_t row = 0; (about = exit_status_about(row, &status)) != NULL; row++) {
		VALUE_BUILDER_AUTO builder;

		value_builder_init(&builder);
		value_builder_member(&builder, SLICE("status"), value_integer(status));
		put(&builder, "about", about);
		value_builder_item(&list, value_builder_map(&builder, arena));
	}
	return value_builder_list(&list, arena);
}

/* The same for programs: the command of that name, or the group's, or, without a name, all. */
static struct value help_value(struct arena *arena, struct slice name)
{
	VALUE_BUILDER_AUTO all;
	VALUE_BUILDER_AUTO list;

	value_builder_init(&all);
	value_builder_init(&list);
	for (size_t i = 0; i < commands.count; i++)
		if (name.size == 0 || slice_is(name, commands.items[i]->name) ||
		    command_is_in_group(commands.items[i], name))
			value_builder_item(&list, command_value(arena, commands.items[i]));
	value_builder_member(&all, SLICE("commands"), value_builder_list(&list, arena));
	value_builder_member(&all, SLICE("flags"), global_flags_value(arena));
	value_builder_member(&all, SLICE("exit_statuses"), statuses_value(arena));
	return value_builder_map(&all, arena);
}

/* The command or the group that help was asked for; empty: none. */
static struct slice wanted_name(const struct invocation *invocation)
{
	const struct arguments *arguments = invocation->arguments;

	if (arguments->operand_count == 0)
		return (struct slice){NULL, 0};
	if (arguments->operand_count == 1)
		return arguments->operands[0];
	return arena_format(invocation->arena, "%.*s %.*s", SLICE_ARGUMENTS(arguments->operands[0]),
			    SLICE_ARGUMENTS(arguments->operands[1]));
}

static bool add_named(struct invocation *invocation, struct buffer *text, struct slice name)
{
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
	struct slice name = wanted_name(invocation);
	struct report report = invocation_report(invocation);
	BUFFER_AUTO text;

	buffer_init(&text, HELP_LIMIT_BYTES);
	if (name.size == 0)
		add_overview(&text);
	else if (!add_named(invocation, &text, name))
		return invocation_fail(invocation, STATUS_USAGE);
	report.text = buffer_slice(&text);
	report.data = help_value(invocation->arena, name);
	return invocation_end(invocation, &report, STATUS_FINE);
}

const struct command command_help = {
	.name = "help",
	.about = "tell what there is, or how one command is used",
	.operands = "[COMMAND]",
	.most_operands = 2,
	.run = run_help,
};
