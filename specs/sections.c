#include "specs/sections.h"

#include <inttypes.h>

#include "specs/references.h"
#include "specs/section_fields.h"

enum {
	STACK_NAME_LONGEST_BYTES = 63,
	SHOWN_BYTES = 80,
	CANDIDATES_MOST = 256,
};

typedef void section_read(struct loading *loading, const struct value *value);

static section_read read_stack;
static section_read read_settings;
static section_read read_outputs;
static section_read read_module;

/* In the order of reading: what comes first may be used in what follows. */
static const struct {
	const char *name;
	section_read *read;
	void (*finish)(struct loading *loading); /* after the last file, or NULL */
} sections[] = {
	{"stack", read_stack, NULL},
	{"vars", variables_read, variables_finish},
	{"settings", read_settings, NULL},
	{"providers", provider_blocks_read, NULL},
	{"address_space", address_space_read, NULL},
	{"outputs", read_outputs, NULL},
	{"module", read_module, NULL},
};

enum { SECTION_COUNT = sizeof(sections) / sizeof(sections[0]) };

bool sections_have(struct slice name)
{
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		if (slice_is(name, sections[i].name))
			return true;
	}
	return false;
}

/* Like a DNS label (RFC 1123, section 2.1), as it becomes part of names and tags everywhere. */
static bool is_stack_name(struct slice name)
{
	if (name.size == 0 || name.size > STACK_NAME_LONGEST_BYTES)
		return false;
	for (size_t i = 0; i < name.size; i++) {
		char byte = name.data[i];
		bool inside = i > 0 && i + 1 < name.size;

		if (!(byte >= 'a' && byte <= 'z') && !(byte >= '0' && byte <= '9') && !(byte == '-' && inside))
			return false;
	}
	return true;
}

/* Takes what may stand once in a stack. False after a diagnostic. */
static bool take_once(struct loading *loading, const char *what, struct value *kept, const struct value *value)
{
	if (kept->type == VALUE_NULL) {
		*kept = *value;
		return true;
	}
	diag_error(loading->diagnostics, FAULT_USER, value->position, "%s is given twice", what);
	diag_related(loading->diagnostics, kept->position, "it is given here as well");
	diag_hint(loading->diagnostics, "keep one of them");
	return false;
}

static void read_stack(struct loading *loading, const struct value *value)
{
	if (!take_once(loading, "'stack'", &loading->stack_name, value) || value->type == VALUE_UNREAD)
		return;
	if (value->type == VALUE_STRING && is_stack_name(value_slice(value)))
		return;
	if (value->type == VALUE_STRING)
		diag_error(loading->diagnostics, FAULT_USER, value->position, "'%.*s' cannot be the name of a stack",
			   SLICE_ARGUMENTS(slice_first(value_slice(value), SHOWN_BYTES)));
	else
		diag_error(loading->diagnostics, FAULT_USER, value->position, "'stack' expects a name, found %s",
			   value_type_name(value->type));
	diag_hint(loading->diagnostics,
		  "a name has up to %d lower-case letters, digits and, within, hyphens, such as research-west",
		  STACK_NAME_LONGEST_BYTES);
	/* It was given, so that it is not reported as missing too. */
	loading->stack_name.type = VALUE_UNREAD;
}

static void read_max_delete(struct loading *loading, const struct value *value)
{
	if (!take_once(loading, "'max_delete'", &loading->max_delete, value) || value->type == VALUE_UNREAD)
		return;
	if (value->type == VALUE_INTEGER && value->integer >= 0)
		return;
	if (value->type == VALUE_INTEGER)
		diag_error(loading->diagnostics, FAULT_USER, value->position, "'max_delete' cannot be %" PRId64,
			   value->integer);
	else
		diag_error(loading->diagnostics, FAULT_USER, value->position,
			   "'max_delete' expects a whole number, found %s", value_type_name(value->type));
	diag_hint(loading->diagnostics, "it is the largest number of resources that one run may delete");
}

static const struct {
	struct field field;
	section_read *read;
} settings[] = {
	{{.name = "max_delete",
	  .type = FIELD_INTEGER,
	  .about = "the largest number of resources that one run may delete"},
	 read_max_delete},
};
const struct fields settings_fields = FIELDS(settings);

static void read_settings(struct loading *loading, const struct value *value)
{
	const struct value *map = loading_map(loading, "'settings'", value);
	enum { COUNT = sizeof(settings) / sizeof(settings[0]) };

	for (size_t i = 0; map && i < map->count; i++) {
		const struct value_member *member = &map->members[i];
		struct value resolved;
		size_t row = 0;

		while (row < COUNT && !slice_is(value_slice(&member->key), settings[row].field.name))
			row++;
		if (row == COUNT) {
			diag_error(loading->diagnostics, FAULT_USER, member->key.position, "there is no setting '%.*s'",
				   SLICE_ARGUMENTS(slice_first(value_slice(&member->key), SHOWN_BYTES)));
			diag_hint(loading->diagnostics, "the only one is '%s'", settings[0].field.name);
			continue;
		}
		references_resolve_value(loading, "settings", &member->value, &resolved);
		if (resolved.type != VALUE_NULL)
			settings[row].read(loading, &resolved);
	}
}

static void read_outputs(struct loading *loading, const struct value *value)
{
	const struct value *map = loading_map(loading, "'outputs'", value);

	for (size_t i = 0; map && i < map->count; i++) {
		const struct value *key = &map->members[i].key;
		const struct stack_output *earlier;
		struct stack_output *output;

		if (!loading_is_name(value_slice(key))) {
			diag_error(loading->diagnostics, FAULT_USER, key->position,
				   "'%.*s' cannot be the name of an output",
				   SLICE_ARGUMENTS(slice_first(value_slice(key), SHOWN_BYTES)));
			diag_hint(loading->diagnostics, LOADING_NAME_RULE);
			continue;
		}
		earlier = (const struct stack_output *)map_get(&loading->outputs, value_slice(key));
		if (earlier) {
			diag_error(loading->diagnostics, FAULT_USER, key->position, "the output '%.*s' is given twice",
				   SLICE_ARGUMENTS(value_slice(key)));
			diag_related(loading->diagnostics, earlier->position, "it is given here as well");
			continue;
		}
		output = arena_new(loading->arena, struct stack_output);
		*output = (struct stack_output){value_slice(key), map->members[i].value, key->position};
		map_set(&loading->outputs, output->name, output);
	}
}

static void read_module(struct loading *loading, const struct value *value)
{
	diag_error(loading->diagnostics, FAULT_USER, value->position, "modules are not supported yet");
	diag_hint(loading->diagnostics, "write the resources themselves");
}

/* "aws.vpc.train:" where "aws.vpc:" and "train:" are meant; or NULL. */
static const char *kind_before_name(const struct loading *loading, struct slice key)
{
	for (size_t i = 0; i < loading->kinds->count; i++) {
		struct slice kind = slice_of(loading->kinds->items[i]->name);

		if (slice_starts_with(key, kind) && key.size > kind.size && key.data[kind.size] == '.')
			return kind.data;
	}
	return NULL;
}

static bool is_setting(struct slice name)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (slice_is(name, settings[i].field.name))
			return true;
	return false;
}

static void report_unknown_key(struct loading *loading, const struct value *key)
{
	struct slice candidates[CANDIDATES_MOST];
	struct slice name = value_slice(key);
	const char *kind = kind_before_name(loading, name);
	size_t count = 0;

	for (size_t i = 0; i < SECTION_COUNT; i++)
		candidates[count++] = slice_of(sections[i].name);
	for (size_t i = 0; i < loading->kinds->count && count < CANDIDATES_MOST; i++)
		candidates[count++] = slice_of(loading->kinds->items[i]->name);
	diag_error(loading->diagnostics, FAULT_USER, key->position, "'%.*s' is neither a kind nor a section",
		   SLICE_ARGUMENTS(slice_first(name, SHOWN_BYTES)));
	if (kind)
		diag_hint(loading->diagnostics, "write '%s:', and the name on a line of its own below it", kind);
	else if (is_setting(name))
		diag_hint(loading->diagnostics, "it belongs under 'settings:'");
	else if (!diag_suggest(loading->diagnostics, name, candidates, count))
		diag_hint(loading->diagnostics, "'trueup schema' lists the kinds and their fields");
}

/* Whoever refers to what stands there has made no mistake. */
static void note_strays(struct loading *loading, const struct value_member *member)
{
	for (size_t i = 0; member->value.type == VALUE_MAP && i < member->value.count; i++) {
		struct slice name = value_slice(&member->value.members[i].key);

		if (name.size > 0)
			map_mark(&loading->strays, name);
	}
}

void sections_read(struct loading *loading)
{
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		for (size_t k = 0; k < loading->root_count; k++) {
			const struct value *value = value_get_named(loading->roots[k].map, sections[i].name);

			if (value)
				sections[i].read(loading, value);
		}
		if (sections[i].finish)
			sections[i].finish(loading);
	}
	for (size_t k = 0; k < loading->root_count; k++) {
		for (size_t i = 0; i < loading->roots[k].map->count; i++) {
			const struct value_member *member = &loading->roots[k].map->members[i];
			struct slice key = value_slice(&member->key);

			if (sections_have(key) || kinds_find(loading->kinds, key))
				continue;
			report_unknown_key(loading, &member->key);
			note_strays(loading, member);
		}
	}
}

void sections_outputs(struct loading *loading, const struct stack_output **ret, size_t *ret_count)
{
	size_t count = loading->outputs.count;
	struct stack_output *outputs = arena_new_array(loading->arena, count, struct stack_output);

	for (size_t i = 0; i < count; i++) {
		const struct stack_output *written = (const struct stack_output *)loading->outputs.entries[i].item;

		outputs[i] = *written;
		references_resolve_value(loading, NULL, &written->value, &outputs[i].value);
	}
	*ret = outputs;
	*ret_count = count;
}
