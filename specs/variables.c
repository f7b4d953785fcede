#include "base/json.h"
#include "specs/sections.h"

enum { SHOWN_BYTES = 80 };

/* What a variable may hold, and how a text from outside becomes that. */
static const struct variable_type {
	const char *name;
	enum value_type type;
	const char *form; /* for hints: how it is given from outside; NULL: any text will do */
	bool any;
} types[] = {
	{.name = "string", .type = VALUE_STRING},
	{.name = "integer", .type = VALUE_INTEGER, .form = "a whole number is given in digits, such as 15 or -1"},
	{.name = "number", .type = VALUE_NUMBER, .form = "a number is given in digits, such as 15 or 1.5"},
	{.name = "bool", .type = VALUE_BOOL, .form = "it is given as true or false"},
	{.name = "list", .type = VALUE_LIST, .form = "a list is given as JSON, such as [\"a\", \"b\"]"},
	{.name = "map", .type = VALUE_MAP, .form = "a map is given as JSON, such as {\"name\": \"value\"}"},
	{.name = "any", .type = VALUE_NULL, .any = true},
};

enum { TYPE_COUNT = sizeof(types) / sizeof(types[0]) };

/* A declaration, while it is read. */
struct declaration {
	struct slice name;
	struct position position;
	const struct variable_type *type; /* while the declaration is read NULL: it names none */
	const struct value *fallback;	  /* the default, or NULL */
	bool type_of_default;
	bool secret;
};

/* A whole number is a number as it is: what it is used for may need a whole one. */
static bool type_fits(const struct variable_type *type, const struct value *value)
{
	return type->any || value->type == type->type || value->type == VALUE_UNREAD ||
	       (type->type == VALUE_NUMBER && value->type == VALUE_INTEGER);
}

static void refuse_type(struct loading *loading, const struct value *value)
{
	struct slice name = slice_first(value_slice(value), SHOWN_BYTES);
	struct slice names[TYPE_COUNT];

	for (size_t i = 0; i < TYPE_COUNT; i++)
		names[i] = slice_of(types[i].name);
	if (value->type == VALUE_STRING)
		diag_error(loading->diagnostics, FAULT_USER, value->position, "'%.*s' is no type of a variable",
			   SLICE_ARGUMENTS(name));
	else
		diag_error(loading->diagnostics, FAULT_USER, value->position,
			   "'type' expects the name of one, found %s", value_type_name(value->type));
	if (!diag_suggest(loading->diagnostics, name, names, TYPE_COUNT))
		diag_hint(loading->diagnostics, "it may be: string, integer, number, bool, list, map, any");
}

static const struct variable_type *type_named(struct loading *loading, const struct value *value)
{
	for (size_t i = 0; i < TYPE_COUNT; i++) {
		if (value->type == VALUE_STRING && slice_is(value_slice(value), types[i].name))
			return &types[i];
	}
	if (value->type == VALUE_UNREAD)
		return &types[TYPE_COUNT - 1];
	refuse_type(loading, value);
	return &types[TYPE_COUNT - 1];
}

static void read_member(struct loading *loading, const struct value_member *member, struct declaration *declaration)
{
	struct slice key = value_slice(&member->key);
	const struct value *value = &member->value;

	if (slice_is(key, "type")) {
		declaration->type = type_named(loading, value);
	} else if (slice_is(key, "default")) {
		declaration->fallback = value;
	} else if (slice_is(key, "secret")) {
		declaration->secret = value->type == VALUE_BOOL && value->boolean;
		if (value->type != VALUE_BOOL && value->type != VALUE_UNREAD)
			diag_error(loading->diagnostics, FAULT_USER, value->position,
				   "'secret' expects true or false, found %s", value_type_name(value->type));
	} else if (!slice_is(key, "about")) {
		diag_error(loading->diagnostics, FAULT_USER, member->key.position, "a variable has no '%.*s'",
			   SLICE_ARGUMENTS(slice_first(key, SHOWN_BYTES)));
		diag_hint(loading->diagnostics,
			  "it may have: type, default, secret, about; a map as its default is written "
			  "'%.*s: {default: {...}}'",
			  SLICE_ARGUMENTS(declaration->name));
	}
}

static bool has_expression(const struct value *value)
{
	bool found = value->type == VALUE_STRING && slice_contains(value_slice(value), SLICE("${"));

	for (size_t i = 0; value->type == VALUE_LIST && !found && i < value->count; i++)
		found = has_expression(&value->items[i]);
	for (size_t i = 0; value->type == VALUE_MAP && !found && i < value->count; i++)
		found = has_expression(&value->members[i].value);
	return found;
}

/* A declaration that names no type has that of its default. What is not there, or was refused, may be anything. */
static const struct variable_type *type_of_default(const struct value *fallback)
{
	enum value_type type = fallback ? fallback->type : VALUE_NULL;

	/* A whole number may as well be another one. */
	if (type == VALUE_INTEGER)
		type = VALUE_NUMBER;
	for (size_t i = 0; i < TYPE_COUNT; i++) {
		if (types[i].type == type)
			return &types[i];
	}
	return &types[TYPE_COUNT - 1];
}

/* Whether a text that may be anything is meant as that value: 1.10 and 12e3 may be a version and a password, which the
 * number would not bring back. */
static bool is_meant(struct arena *arena, const struct value *value, struct slice text)
{
	if (value->type == VALUE_LIST || value->type == VALUE_MAP)
		return true;
	return value->type != VALUE_STRING && slice_equal(json_canonical(arena, value, NULL), text);
}

/*
 * A text from the command line or the environment: itself or JSON, and never YAML, where a '#' cuts a password and
 * lines become one. False: *ret_found says what it is instead.
 */
static bool read_text(struct loading *loading, const struct variable_type *type, struct slice text, struct value *ret,
		      struct slice *ret_found)
{
	struct diagnostics problems;
	struct value value;
	bool json, good;
	size_t bad;

	*ret_found = SLICE("bytes that are not UTF-8");
	if (!slice_is_utf8(text, &bad))
		return false;
	*ret = value_string(text);
	if (type->type == VALUE_STRING)
		return true;
	diagnostics_init(&problems, loading->arena);
	json = json_read(loading->arena, text, false, SIZE_MAX, "a text, which", &value, &problems);
	good = json && (type->any ? is_meant(loading->arena, &value, text) : type_fits(type, &value));
	if (good)
		*ret = value;
	*ret_found = json ? slice_of(value_type_name(value.type)) : SLICE("a text");
	if (!json && (type->type == VALUE_LIST || type->type == VALUE_MAP))
		*ret_found = problems.items[0].message;
	diagnostics_release(&problems);
	return good || type->any;
}

/* The name in the environment. exported: with '_' for '-', as a shell can export it. */
static struct slice environment_name(struct arena *arena, struct slice name, bool exported)
{
	struct slice prefix = SLICE("TRUEUP_VAR_");
	char *text = arena_new_array(arena, prefix.size + name.size + 1, char);

	memcpy(text, prefix.data, prefix.size);
	for (size_t i = 0; i < name.size; i++)
		text[prefix.size + i] = exported && name.data[i] == '-' ? '_' : name.data[i];
	text[prefix.size + name.size] = '\0';
	return (struct slice){text, prefix.size + name.size};
}

/* *ret_from: where the text came from, for messages. *ret_shared: whether that was a name which may be meant for
 * another variable, too. */
static bool find_text(const struct loading *loading, struct slice name, struct slice *ret, const char **ret_from,
		      bool *ret_shared)
{
	struct world *world = loading->world;
	const char *text;

	*ret_from = "on the command line";
	*ret_shared = false;
	/* Of several the last counts, as with other flags. */
	for (size_t i = loading->options ? loading->options->variable_count : 0; i > 0; i--) {
		if (slice_equal(loading->options->variables[i - 1].name, name)) {
			*ret = loading->options->variables[i - 1].value;
			return true;
		}
	}
	text = world->environment(world, environment_name(loading->arena, name, false).data);
	if (!text && slice_contains(name, SLICE("-"))) {
		text = world->environment(world, environment_name(loading->arena, name, true).data);
		*ret_shared = text != NULL;
	}
	*ret_from = "in the environment";
	*ret = slice_of(text);
	return text != NULL;
}

static void refuse_text(struct loading *loading, const struct declaration *declaration, const char *from,
			struct slice found)
{
	const struct variable_type *type = declaration->type;

	diag_error(loading->diagnostics, FAULT_USER, declaration->position,
		   "the value of '%.*s' %s is not of %s, '%s': found %.*s", SLICE_ARGUMENTS(declaration->name), from,
		   declaration->type_of_default ? "the type of its default" : "its type", type->name,
		   SLICE_ARGUMENTS(found));
	if (declaration->type_of_default && type->form)
		diag_hint(loading->diagnostics, "%s; where it may be something else, declare 'type: any'", type->form);
	else if (type->form)
		diag_hint(loading->diagnostics, "%s", type->form);
	else
		diag_hint(loading->diagnostics, "a value is text in UTF-8; what is none may be given in Base64");
}

static void refuse_without(struct loading *loading, const struct declaration *declaration)
{
	struct slice exported = environment_name(loading->arena, declaration->name, true);

	diag_error(loading->diagnostics, FAULT_USER, declaration->position, "the variable '%.*s' has no value",
		   SLICE_ARGUMENTS(declaration->name));
	/* A default is in the repository, and whoever is on the machine can read a command's arguments. */
	if (declaration->secret)
		diag_hint(loading->diagnostics, "it is secret: give it in the environment, as %.*s",
			  SLICE_ARGUMENTS(exported));
	else
		diag_hint(loading->diagnostics, "give it a default, or run with --var %.*s=VALUE or %.*s=VALUE",
			  SLICE_ARGUMENTS(declaration->name), SLICE_ARGUMENTS(exported));
}

/* *ret_shared: as of find_text(). */
static bool decide_value(struct loading *loading, const struct declaration *declaration, struct value *ret,
			 bool *ret_shared)
{
	struct slice text, found;
	const char *from;

	if (find_text(loading, declaration->name, &text, &from, ret_shared)) {
		if (read_text(loading, declaration->type, text, ret, &found)) {
			*ret = value_at(*ret, declaration->position);
			return true;
		}
		refuse_text(loading, declaration, from, found);
		return false;
	}
	if (declaration->fallback) {
		*ret = *declaration->fallback;
		/* A field that is set to a variable without a value is not set. */
		if (ret->type == VALUE_NULL || type_fits(declaration->type, ret))
			return true;
		diag_error(loading->diagnostics, FAULT_USER, ret->position, "the default is %s, but the type is '%s'",
			   value_type_name(ret->type), declaration->type->name);
		return false;
	}
	refuse_without(loading, declaration);
	return false;
}

/* Two that would have the same value, of which it was meant for one. */
static void check_shared(struct loading *loading, const struct variable *variable)
{
	struct slice name = environment_name(loading->arena, variable->name, true);
	const struct variable *earlier = map_add(&loading->exported, name, variable);

	if (!earlier || !(earlier->shared || variable->shared))
		return;
	diag_error(loading->diagnostics, FAULT_USER, variable->position,
		   "%.*s in the environment may be meant for '%.*s' and for '%.*s'", SLICE_ARGUMENTS(name),
		   SLICE_ARGUMENTS(earlier->name), SLICE_ARGUMENTS(variable->name));
	diag_hint(loading->diagnostics, "give one of them another name, or a value with --var where that is no secret");
	diag_related(loading->diagnostics, earlier->position, "the first of them is declared here");
}

static void declare(struct loading *loading, const struct declaration *declaration)
{
	struct variable *variable = arena_new(loading->arena, struct variable);
	struct value value;

	if (declaration->fallback && has_expression(declaration->fallback)) {
		diag_error(loading->diagnostics, FAULT_USER, declaration->fallback->position,
			   "the default of a variable cannot hold expressions");
		diag_hint(loading->diagnostics, "compute it where it is used");
	}
	*variable = (struct variable){declaration->name, value_unread(), declaration->position, false};
	if (decide_value(loading, declaration, &value, &variable->shared))
		variable->value = declaration->secret ? value_secret(loading->arena, value) : value;
	loading_redact(loading, &variable->value);
	map_set(&loading->variables, variable->name, variable);
	check_shared(loading, variable);
}

/* Whatever else is wrong with the declaration, and also where it is said in a way that is no boolean. */
static void redact_default(struct loading *loading, const struct value *declared)
{
	const struct value *secret = declared->type == VALUE_MAP ? value_get_named(declared, "secret") : NULL;
	const struct value *fallback = secret ? value_get_named(declared, "default") : NULL;

	if (!fallback || (secret->type == VALUE_BOOL && !secret->boolean))
		return;
	loading_hide(loading, fallback);
}

static void read_variable(struct loading *loading, const struct value_member *member)
{
	struct declaration declaration = {
		.name = value_slice(&member->key),
		.position = member->key.position,
	};
	const struct variable *earlier = (const struct variable *)map_get(&loading->variables, declaration.name);

	redact_default(loading, &member->value);
	if (!loading_is_name(declaration.name)) {
		diag_error(loading->diagnostics, FAULT_USER, declaration.position,
			   "'%.*s' cannot be the name of a variable",
			   SLICE_ARGUMENTS(slice_first(declaration.name, SHOWN_BYTES)));
		diag_hint(loading->diagnostics, LOADING_NAME_RULE);
		return;
	}
	if (earlier) {
		diag_error(loading->diagnostics, FAULT_USER, declaration.position,
			   "the variable '%.*s' is declared twice", SLICE_ARGUMENTS(declaration.name));
		diag_related(loading->diagnostics, earlier->position, "it is declared here as well");
		return;
	}
	/* "region: us-west-2" is short for a default. */
	if (member->value.type != VALUE_MAP && member->value.type != VALUE_NULL)
		declaration.fallback = &member->value;
	for (size_t i = 0; member->value.type == VALUE_MAP && i < member->value.count; i++)
		read_member(loading, &member->value.members[i], &declaration);
	if (!declaration.type) {
		declaration.type = type_of_default(declaration.fallback);
		declaration.type_of_default = !declaration.type->any;
	}
	declare(loading, &declaration);
}

void variables_read(struct loading *loading, const struct value *value)
{
	const struct value *map = loading_map(loading, "'vars'", value);

	for (size_t i = 0; map && i < map->count; i++)
		read_variable(loading, &map->members[i]);
}

void variables_finish(struct loading *loading)
{
	for (size_t i = 0; loading->options && i < loading->options->variable_count; i++) {
		struct slice name = loading->options->variables[i].name;

		if (map_get(&loading->variables, name) || loading->cut)
			continue;
		diag_error(loading->diagnostics, FAULT_USER, NOWHERE,
			   "a value is given for '%.*s', but the stack has no such variable",
			   SLICE_ARGUMENTS(slice_first(name, SHOWN_BYTES)));
		loading_suggest_key(loading, &loading->variables, name);
	}
}
