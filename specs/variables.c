#include "base/memory.h"
#include "specs/sections.h"
#include "specs/yaml.h"
#include "specs/yaml_scalar.h"

enum {
	SHOWN_BYTES = 80,
	ENVIRONMENT_NAME_BYTES = 96,
};

/* What a variable may hold, and how a text from outside becomes that. */
static const struct variable_type {
	const char *name;
	enum value_type type;
	bool any;
} types[] = {
	{"string", VALUE_STRING, false}, {"integer", VALUE_INTEGER, false}, {"number", VALUE_NUMBER, false},
	{"bool", VALUE_BOOL, false},	 {"list", VALUE_LIST, false},	    {"map", VALUE_MAP, false},
	{"any", VALUE_NULL, true},
};

enum { TYPE_COUNT = sizeof(types) / sizeof(types[0]) };

/* A declaration, while it is read. */
struct declaration {
	struct slice name;
	struct position position;
	const struct variable_type *type;
	const struct value *fallback; /* the default, or NULL */
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
	int nearest = slice_nearest(name, names, TYPE_COUNT);
	if (value->type == VALUE_STRING)
		diag_error(loading->diagnostics, FAULT_USER, value->position, "'%.*s' is no type of a variable",
			   SLICE_ARGUMENTS(name));
	else
		diag_error(loading->diagnostics, FAULT_USER, value->position,
			   "'type' expects the name of one, found %s", value_type_name(value->type));
	if (nearest >= 0)
		diag_hint(loading->diagnostics, "did you mean '%s'?", types[nearest].name);
	else
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
		diag_hint(loading->diagnostics, "it may have: type, default, secret, about");
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

/* A text from the command line or the environment. False after a diagnostic. */
static bool read_text(struct loading *loading, const struct declaration *declaration, struct slice text,
		      struct value *ret)
{
	size_t expansion_left = YAML_EXPANSION_MOST;
	struct diagnostics problems;
	struct yaml_tree tree;
	bool good;

	if (declaration->type->type == VALUE_STRING) {
		*ret = value_string(text);
		return true;
	}
	diagnostics_init(&problems, loading->arena);
	good = yaml_read(loading->arena, text, UINT16_MAX, &expansion_left, &tree, &problems);
	if (good)
		*ret = value_copy(loading->arena, &tree.root);
	diagnostics_release(&problems);
	return good && type_fits(declaration->type, ret);
}

/* *ret_from: where the text came from, for messages. */
static bool find_text(const struct loading *loading, struct slice name, struct slice *ret, const char **ret_from)
{
	char environment_name[ENVIRONMENT_NAME_BYTES] = "TRUEUP_VAR_";
	size_t start = strlen(environment_name);
	const char *text;

	*ret_from = "on the command line";
	/* Of several the last counts, as with other flags. */
	for (size_t i = loading->options ? loading->options->variable_count : 0; i > 0; i--) {
		if (slice_equal(loading->options->variables[i - 1].name, name)) {
			*ret = loading->options->variables[i - 1].value;
			return true;
		}
	}
	if (start + name.size >= sizeof(environment_name))
		return false;
	memcpy(environment_name + start, name.data, name.size);
	environment_name[start + name.size] = '\0';
	text = loading->world->environment(loading->world, environment_name);
	*ret_from = "in the environment";
	*ret = slice_of(text);
	return text != NULL;
}

static bool decide_value(struct loading *loading, const struct declaration *declaration, struct value *ret)
{
	const char *from;
	struct slice text;

	if (find_text(loading, declaration->name, &text, &from)) {
		if (read_text(loading, declaration, text, ret)) {
			*ret = value_at(*ret, declaration->position);
			return true;
		}
		diag_error(loading->diagnostics, FAULT_USER, declaration->position,
			   "the value of '%.*s' %s is not of its type, '%s'", SLICE_ARGUMENTS(declaration->name), from,
			   declaration->type->name);
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
	diag_error(loading->diagnostics, FAULT_USER, declaration->position, "the variable '%.*s' has no value",
		   SLICE_ARGUMENTS(declaration->name));
	diag_hint(loading->diagnostics, "give it a default, or run with --var %.*s=VALUE or TRUEUP_VAR_%.*s=VALUE",
		  SLICE_ARGUMENTS(declaration->name), SLICE_ARGUMENTS(declaration->name));
	return false;
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
	*variable = (struct variable){declaration->name, value_unread(), declaration->position};
	if (decide_value(loading, declaration, &value))
		variable->value = declaration->secret ? value_secret(loading->arena, value) : value;
	loading_redact(loading, &variable->value);
	map_set(&loading->variables, variable->name, variable);
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
		.type = &types[TYPE_COUNT - 1],
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
