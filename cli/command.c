#include "cli/command.h"

#include "base/hex.h"
#include "base/time_text.h"
#include "cli/command_list.h"

/* Texts on a command line are short; what the kernel allows is bounded already. */
struct parsing {
	struct world *world;
	struct arena *arena;
	struct diagnostics *diagnostics;
	char *const *texts;
	size_t count;
	size_t next; /* text to be looked at */
	struct slice *values[FLAG_COUNT];
	struct slice *operands;
	struct arguments *arguments;
	struct slice group; /* first word of a command of two, or empty */
	bool only_operands; /* "--" was met */
};

static const enum flag_id global_flags[] = {FLAG_DIRECTORY, FLAG_OUTPUT, FLAG_COLOR, FLAG_HELP};

const struct command *command_named(struct slice name)
{
	for (size_t i = 0; i < commands.count; i++)
		if (slice_is(name, commands.items[i]->name))
			return commands.items[i];
	return NULL;
}

const struct command *command_of_run(struct slice recorded)
{
	for (size_t i = 0; i < commands.count; i++) {
		struct slice name = slice_of(commands.items[i]->name);

		if (slice_equal(recorded, name) ||
		    (slice_starts_with(recorded, name) && recorded.data[name.size] == ' '))
			return commands.items[i];
	}
	return NULL;
}

bool command_is_in_group(const struct command *command, struct slice group)
{
	return slice_starts_with(slice_of(command->name), group) && command->name[group.size] == ' ';
}

struct slice command_group_names(struct arena *arena, struct slice group)
{
	struct slice names = {NULL, 0};

	for (size_t i = 0; group.size > 0 && i < commands.count; i++)
		if (command_is_in_group(commands.items[i], group))
			names = arena_format(arena, "%.*s%s%s", SLICE_ARGUMENTS(names), names.size > 0 ? ", " : "",
					     commands.items[i]->name + group.size + 1);
	return names;
}

static bool is_among(const enum flag_id *list, size_t count, enum flag_id flag)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == flag)
			return true;
	return false;
}

bool command_takes(const struct command *command, enum flag_id flag)
{
	/* Before a command's name alone, where programs that look for a version ask. */
	return is_among(global_flags, sizeof(global_flags) / sizeof(global_flags[0]), flag) ||
	       (!command && flag == FLAG_VERSION) || (command && is_among(command->flags, command->flag_count, flag));
}

bool command_takes_variable(const struct command *command, enum flag_id flag)
{
	return command_takes(command, flag) &&
	       !(command && is_among(command->line_flags, command->line_flag_count, flag));
}

bool arguments_change(const struct arguments *arguments)
{
	const struct command *command = arguments->command;

	for (size_t i = 0; command && i < command->line_flag_count; i++)
		if (arguments_has(arguments, command->line_flags[i]))
			return false;
	return command_takes(command, FLAG_LEASE_TIMEOUT) || command_takes(command, FLAG_YES);
}

const char *flag_variable(const struct flag *flag, struct arena *arena)
{
	struct slice text = arena_format(arena, "TRUEUP_%s", flag->name);
	char *name = arena_get(arena, text.size + 1);

	for (size_t i = 0; i < text.size; i++) {
		char byte = text.data[i];

		name[i] = byte == '-' ? '_' : byte >= 'a' && byte <= 'z' ? (char)(byte - 'a' + 'A') : byte;
	}
	return name;
}

bool arguments_has(const struct arguments *arguments, enum flag_id flag)
{
	return arguments->options[flag].count > 0;
}

struct slice arguments_text(const struct arguments *arguments, enum flag_id flag, const char *otherwise)
{
	const struct option *option = &arguments->options[flag];

	return option->count > 0 ? option->values[option->count - 1] : slice_of(otherwise);
}

int64_t arguments_integer(const struct arguments *arguments, enum flag_id flag, int64_t otherwise)
{
	return arguments->options[flag].count > 0 ? arguments->options[flag].integer : otherwise;
}

static bool is_choice(const struct flag *flag, struct slice value)
{
	for (const char *const *choice = flag->choices; *choice; choice++)
		if (slice_is(value, *choice))
			return true;
	return false;
}

enum { DIGITS_LEAST = 8 };

/* As they are shown: any other text could never match. */
static bool are_digits(struct slice text, int most)
{
	return text.size >= DIGITS_LEAST && text.size <= (size_t)most && hex_is(text);
}

static bool is_assignment(struct slice text)
{
	struct slice value = text, name = slice_cut(&value, '=');

	return name.size > 0 && value.data;
}

/* What a message repeats of a word of the line: behind '=' may stand a secret. */
static struct slice shown(const struct parsing *parsing, struct slice word)
{
	struct slice value = word, name = slice_cut(&value, '=');

	return value.size > 0 ? arena_format(parsing->arena, "%.*s=...", SLICE_ARGUMENTS(name)) : word;
}

static bool check_value(struct parsing *parsing, enum flag_id id, const char *where, struct slice value)
{
	const struct flag *flag = &flags[id];
	int64_t *integer = &parsing->arguments->options[id].integer;

	if (flag->choices && !is_choice(flag, value)) {
		diag_error(parsing->diagnostics, FAULT_USAGE, NOWHERE, "%s cannot be '%.*s'", where,
			   SLICE_ARGUMENTS(value));
		diag_hint(parsing->diagnostics, "%s", flag->about);
		return false;
	}
	if (flag->integer && (!slice_integer(value, integer) || *integer < flag->least || *integer > flag->most))
		return diag_error(parsing->diagnostics, FAULT_USAGE, NOWHERE,
				  "%s takes a number from %lld to %lld, not '%.*s'", where, (long long)flag->least,
				  (long long)flag->most, SLICE_ARGUMENTS(value));
	if (flag->duration && !duration_read(value, integer))
		return diag_error(parsing->diagnostics, FAULT_USAGE, NOWHERE,
				  "%s takes a time such as 30s, 5m or 1h30m, not '%.*s'", where,
				  SLICE_ARGUMENTS(value));
	/* Without a name nobody knows whether it is secret. */
	if (flag->assignment && !is_assignment(value))
		return diag_error(parsing->diagnostics, FAULT_USAGE, NOWHERE,
				  "%s takes %s, and what it was given is none", where, flag->value);
	if (flag->digits && !are_digits(value, flag->digits)) {
		diag_error(parsing->diagnostics, FAULT_USAGE, NOWHERE,
			   "%s takes at least %d digits and at most %d, of 0-9 and a-f, not '%.*s'", where,
			   (int)DIGITS_LEAST, flag->digits, SLICE_ARGUMENTS(value));
		diag_hint(parsing->diagnostics, "%s", flag->shown);
		return false;
	}
	return true;
}

static bool keep_value(struct parsing *parsing, enum flag_id id, const char *where, struct slice value)
{
	struct option *option = &parsing->arguments->options[id];

	if (flags[id].value && !check_value(parsing, id, where, value))
		return false;
	if (!parsing->values[id])
		parsing->values[id] = arena_new_array(parsing->arena, parsing->count + 1, struct slice);
	if (!flags[id].repeatable)
		option->count = 0;
	parsing->values[id][option->count++] = value;
	option->values = parsing->values[id];
	return true;
}

/* What those who come from Terraform write, with one dash or two. */
static const struct {
	const char *name;
	enum flag_id same;
	const char *hint;
} flags_elsewhere[] = {
	{"auto-approve", FLAG_YES, "write --yes"},
	{"var-file", FLAG_VAR, "give each with --var NAME=VALUE, or in the environment as TRUEUP_VAR_NAME"},
};

static bool hint_at_flag_elsewhere(struct parsing *parsing, struct slice name)
{
	struct slice rest = name, first = slice_cut(&rest, '=');

	for (size_t i = 0; i < sizeof(flags_elsewhere) / sizeof(flags_elsewhere[0]); i++) {
		if (!slice_is(first, flags_elsewhere[i].name) ||
		    !command_takes(parsing->arguments->command, flags_elsewhere[i].same))
			continue;
		diag_hint(parsing->diagnostics, "%s", flags_elsewhere[i].hint);
		return true;
	}
	return false;
}

static void suggest_flag(struct parsing *parsing, struct slice name)
{
	struct slice names[FLAG_COUNT];
	enum flag_id ids[FLAG_COUNT];
	size_t count = 0;

	for (enum flag_id id = 0; id < FLAG_COUNT; id++) {
		if (!command_takes(parsing->arguments->command, id))
			continue;
		ids[count] = id;
		names[count++] = slice_of(flags[id].name);
	}
	int nearest = slice_nearest(name, names, count);
	if (nearest >= 0)
		diag_hint(parsing->diagnostics, "did you mean --%s?", flags[ids[nearest]].name);
	else if (parsing->arguments->command)
		diag_hint(parsing->diagnostics, "'trueup help %s' lists what it takes",
			  parsing->arguments->command->name);
	else
		diag_hint(parsing->diagnostics,
			  "flags of a command stand behind its name: 'trueup help' lists commands");
}

static bool refuse_flag(struct parsing *parsing, struct slice text, struct slice name)
{
	const struct command *command = parsing->arguments->command;

	diag_error(parsing->diagnostics, FAULT_USAGE, NOWHERE, "%s%s knows no flag '%.*s'", command ? "'" : "trueup",
		   command ? arena_text(parsing->arena, "trueup %s'", command->name) : "",
		   SLICE_ARGUMENTS(shown(parsing, text)));
	if (!hint_at_flag_elsewhere(parsing, name))
		suggest_flag(parsing, name);
	return false;
}

/* A flag at parsing->next, with its value in the same text behind a separator or in the next. */
static bool take_flag(struct parsing *parsing, enum flag_id id, const char *where, struct slice value, bool has_value)
{
	if (!flags[id].value) {
		if (has_value)
			return diag_error(parsing->diagnostics, FAULT_USAGE, NOWHERE, "%s takes no value", where);
		return keep_value(parsing, id, where, (struct slice){NULL, 0});
	}
	if (!has_value && parsing->next < parsing->count)
		value = slice_of(parsing->texts[parsing->next++]);
	if (value.size == 0)
		return diag_error(parsing->diagnostics, FAULT_USAGE, NOWHERE, "%s lacks its value: %s %s", where, where,
				  flags[id].value);
	return keep_value(parsing, id, where, value);
}

static bool take_long(struct parsing *parsing, struct slice text)
{
	struct slice value = slice_from(text, 2);
	struct slice name = slice_cut(&value, '=');

	for (enum flag_id id = 0; id < FLAG_COUNT; id++)
		if (slice_is(name, flags[id].name) && command_takes(parsing->arguments->command, id))
			return take_flag(parsing, id, arena_text(parsing->arena, "--%s", flags[id].name), value,
					 value.data != NULL);
	return refuse_flag(parsing, text, name);
}

static enum flag_id flag_of_letter(const struct parsing *parsing, char letter)
{
	enum flag_id id = 0;

	while (id < FLAG_COUNT && (flags[id].letter != letter || !command_takes(parsing->arguments->command, id)))
		id++;
	return id;
}

/* Letters behind each other, "-yC DIR" or "-yCDIR": behind one that takes a value stands that, as POSIX has it. */
static bool take_short(struct parsing *parsing, struct slice text)
{
	for (size_t i = 1; i < text.size; i++) {
		enum flag_id id = flag_of_letter(parsing, text.data[i]);
		struct slice rest = slice_from(text, i + 1);

		if (id == FLAG_COUNT)
			return refuse_flag(parsing, text, slice_from(text, 1));
		bool is_last = flags[id].value || slice_starts_with(rest, SLICE("="));
		if (!take_flag(parsing, id, arena_text(parsing->arena, "-%c", flags[id].letter), rest,
			       is_last && rest.size > 0))
			return false;
		if (is_last)
			break;
	}
	return true;
}

/* What those who come from Terraform look for. */
static const struct word_hint commands_elsewhere[] = {
	{"init", "there is nothing to initialise: begin with 'trueup plan'"},
	{"import", "nothing is imported: a field that refers to what exists takes its id"},
	{"fmt", "there is no formatter: a spec is YAML, which any formatter of YAML takes"},
	{NULL, NULL},
};

static bool refuse_command(struct parsing *parsing, struct slice name)
{
	struct slice *names = arena_new_array(parsing->arena, commands.count, struct slice);

	diag_error(parsing->diagnostics, FAULT_USAGE, NOWHERE, "there is no command '%.*s'",
		   SLICE_ARGUMENTS(shown(parsing, name)));
	for (size_t i = 0; i < commands.count; i++)
		names[i] = slice_of(commands.items[i]->name);
	if ((parsing->group.size == 0 && diag_hint_for_word(parsing->diagnostics, name, commands_elsewhere)) ||
	    diag_suggest(parsing->diagnostics, name, names, commands.count))
		return false;
	if (parsing->group.size > 0)
		diag_hint(parsing->diagnostics, "behind '%.*s' comes one of: %s", SLICE_ARGUMENTS(parsing->group),
			  command_group_names(parsing->arena, parsing->group).data);
	else
		diag_hint(parsing->diagnostics, "'trueup help' lists the commands");
	return false;
}

static bool take_command(struct parsing *parsing, struct slice word)
{
	struct slice name = word;

	if (parsing->group.size > 0)
		name = arena_format(parsing->arena, "%.*s %.*s", SLICE_ARGUMENTS(parsing->group),
				    SLICE_ARGUMENTS(word));
	parsing->arguments->command = command_named(name);
	if (parsing->arguments->command)
		return true;
	if (parsing->group.size > 0 || command_group_names(parsing->arena, word).size == 0)
		return refuse_command(parsing, name);
	parsing->group = word;
	return true;
}

/* One text; what follows a wrong command cannot be judged, so that ends the parsing. */
static bool take(struct parsing *parsing, bool *ret_go_on)
{
	struct slice text = slice_of(parsing->texts[parsing->next++]);

	if (!parsing->only_operands && slice_is(text, "--")) {
		parsing->only_operands = true;
		return true;
	}
	if (!parsing->only_operands && slice_starts_with(text, SLICE("--")))
		return take_long(parsing, text);
	if (!parsing->only_operands && text.size > 1 && text.data[0] == '-')
		return take_short(parsing, text);
	if (!parsing->arguments->command) {
		*ret_go_on = take_command(parsing, text);
		return *ret_go_on;
	}
	parsing->operands[parsing->arguments->operand_count++] = text;
	return true;
}

static bool is_word_of(struct slice text, const char *const words[4])
{
	char lower[8];

	if (text.size >= sizeof(lower))
		return false;
	for (size_t i = 0; i < text.size; i++)
		lower[i] = text.data[i] >= 'A' && text.data[i] <= 'Z' ? (char)(text.data[i] + 'a' - 'A') : text.data[i];
	for (size_t i = 0; i < 4; i++)
		if (slice_is((struct slice){lower, text.size}, words[i]))
			return true;
	return false;
}

/* What is not plainly yes or no is no answer: TRUEUP_YES=off must not be taken for one. */
static bool read_switch(struct parsing *parsing, const char *name, struct slice text, bool *ret)
{
	static const char *const on[] = {"1", "true", "yes", "on"};
	static const char *const off[] = {"0", "false", "no", "off"};

	*ret = is_word_of(text, on);
	if (*ret || is_word_of(text, off))
		return true;
	diag_error(parsing->diagnostics, FAULT_USAGE, NOWHERE, "%s is '%.*s', which is neither yes nor no", name,
		   SLICE_ARGUMENTS(text));
	diag_hint(parsing->diagnostics, "say 1, true, yes or on; 0, false, no or off; or leave it unset");
	return false;
}

/* A switch that is off is as if it were not set. */
static bool take_variable(struct parsing *parsing, enum flag_id id, const char *name, struct slice value)
{
	bool is_on = true;

	if (!flags[id].value && !read_switch(parsing, name, value, &is_on))
		return false;
	if (!is_on)
		return true;
	parsing->arguments->options[id].from_environment = true;
	return keep_value(parsing, id, name, value);
}

/* A step before this one was to fill it, and did not: an approval that nobody gave approves nothing. */
static bool refuse_empty(struct parsing *parsing, const char *name)
{
	diag_error(parsing->diagnostics, FAULT_USAGE, NOWHERE, "the environment sets %s, and it is empty", name);
	diag_hint(parsing->diagnostics, "give it a value, or unset it where none is meant");
	return false;
}

/* What the line leaves out may stand in the environment. */
static bool take_environment(struct parsing *parsing)
{
	bool good = true;

	for (enum flag_id id = 0; id < FLAG_COUNT; id++) {
		const char *name = flag_variable(&flags[id], parsing->arena);
		const char *value = parsing->world->environment(parsing->world, name);

		if (id == FLAG_HELP || id == FLAG_VERSION || !value || arguments_has(parsing->arguments, id) ||
		    !command_takes_variable(parsing->arguments->command, id))
			continue;
		if (*value)
			good &= take_variable(parsing, id, name, slice_of(value));
		else if (flags[id].narrows)
			good = refuse_empty(parsing, name);
	}
	return good;
}

static bool check_operands(struct parsing *parsing)
{
	const struct arguments *arguments = parsing->arguments;
	const struct command *command = arguments->command;

	if (arguments->operand_count >= command->least_operands && arguments->operand_count <= command->most_operands)
		return true;
	if (arguments->operand_count > command->most_operands)
		diag_error(parsing->diagnostics, FAULT_USAGE, NOWHERE,
			   "'trueup %s' does not know what to do with '%.*s'", command->name,
			   SLICE_ARGUMENTS(shown(parsing, arguments->operands[command->most_operands])));
	else
		diag_error(parsing->diagnostics, FAULT_USAGE, NOWHERE, "'trueup %s' lacks an argument", command->name);
	diag_hint(parsing->diagnostics, "usage: trueup %s%s%s", command->name, command->operands[0] ? " " : "",
		  command->operands);
	return false;
}

/* Nothing was asked for: where that passed for well, "trueup -C drift" would tell a scheduler every night that there is
 * no drift. */
static bool lacks_command(struct parsing *parsing)
{
	struct slice folder = arguments_text(parsing->arguments, FLAG_DIRECTORY, "");

	if (parsing->group.size > 0) {
		diag_error(parsing->diagnostics, FAULT_USAGE, NOWHERE, "'trueup %.*s' lacks its second word",
			   SLICE_ARGUMENTS(parsing->group));
		diag_hint(parsing->diagnostics, "one of: %s", command_group_names(parsing->arena, parsing->group).data);
		return false;
	}
	diag_error(parsing->diagnostics, FAULT_USAGE, NOWHERE, "there is no command on the line");
	if (command_named(folder) || command_group_names(parsing->arena, folder).size > 0)
		diag_hint(parsing->diagnostics, "'%.*s' was taken for the folder of -C: write 'trueup -C DIR %.*s'",
			  SLICE_ARGUMENTS(folder), SLICE_ARGUMENTS(folder));
	else
		diag_hint(parsing->diagnostics, "'trueup help' lists the commands");
	return false;
}

/* "trueup plan --help" is "trueup help plan". */
static void ask_for_help(struct parsing *parsing)
{
	struct arguments *arguments = parsing->arguments;
	struct slice name = arguments->command ? slice_of(arguments->command->name) : parsing->group;

	if (arguments->command == &command_help)
		return;
	parsing->operands[0] = name;
	arguments->operand_count = name.size > 0;
	arguments->command = &command_help;
}

/* How whoever asked wants to hear what is wrong with the line, where that ended the parsing. */
static void find_output(struct parsing *parsing)
{
	struct slice name = SLICE("--output");
	struct slice variable = slice_of(parsing->world->environment(parsing->world, "TRUEUP_OUTPUT"));

	while (parsing->next < parsing->count) {
		struct slice value = slice_of(parsing->texts[parsing->next++]);
		struct slice word = slice_cut(&value, '=');

		if (slice_is(word, "--"))
			break;
		if (!slice_equal(word, name))
			continue;
		if (!value.data && parsing->next < parsing->count)
			value = slice_of(parsing->texts[parsing->next++]);
		(void)keep_value(parsing, FLAG_OUTPUT, "--output", value);
	}
	if (!arguments_has(parsing->arguments, FLAG_OUTPUT) && variable.size > 0)
		(void)keep_value(parsing, FLAG_OUTPUT, "TRUEUP_OUTPUT", variable);
}

bool arguments_parse(struct world *world, int count, char *const *texts, struct arena *arena, struct arguments *ret,
		     struct diagnostics *diagnostics)
{
	struct parsing parsing = {
		.world = world,
		.arena = arena,
		.diagnostics = diagnostics,
		.texts = texts,
		.count = count > 0 ? (size_t)count : 0,
		.next = 1,
		.arguments = ret,
	};
	bool good = true;
	bool go_on = true;

	*ret = (struct arguments){0};
	parsing.operands = arena_new_array(arena, parsing.count + 1, struct slice);
	ret->operands = parsing.operands;
	while (go_on && parsing.next < parsing.count)
		good &= take(&parsing, &go_on);
	if (go_on)
		good &= take_environment(&parsing);
	else
		find_output(&parsing);
	if (!good)
		return false;
	if (arguments_has(ret, FLAG_VERSION)) {
		ret->command = &command_version;
		ret->operand_count = 0;
		return true;
	}
	if (!ret->command && !arguments_has(ret, FLAG_HELP))
		return lacks_command(&parsing);
	if (arguments_has(ret, FLAG_HELP))
		ask_for_help(&parsing);
	return check_operands(&parsing);
}
