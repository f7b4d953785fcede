#include <jansson.h>
#include <threads.h>

#include "base/arena.h"
#include "base/json.h"

enum { JSON_DEPTH_MOST = 64 };

/* What reading one text needs on the way down. */
struct reading {
	struct arena *arena;
	bool symbolic;
	const char *what;
	struct diagnostics *diagnostics;
};

static bool read_value(const struct reading *reading, json_t *json, struct value *ret);

/*
 * Refuses nesting past JSON_DEPTH_MOST before anything is built from the text. A text that
 * is no JSON may be misjudged here only in ways that the parser refuses as well.
 */
static bool check_depth(const struct reading *reading, struct slice text)
{
	size_t depth = 0, line = 1, line_start = 0;
	bool quoted = false;

	for (size_t i = 0; i < text.size; i++) {
		switch (text.data[i]) {
		case '"':
			quoted = !quoted;
			break;
		case '\\':
			i += quoted ? 1 : 0;
			break;
		case '\n':
			line++;
			line_start = i + 1;
			break;
		case '[':
		case '{':
			if (quoted || ++depth <= JSON_DEPTH_MOST)
				break;
			diag_error(reading->diagnostics, FAULT_USER, NOWHERE,
				   "%s is nested more than %d levels deep at line %zu, column %zu", reading->what,
				   JSON_DEPTH_MOST, line, i - line_start + 1);
			diag_hint(reading->diagnostics, "make lists and maps within one another at most %d deep",
				  JSON_DEPTH_MOST);
			return false;
		case ']':
		case '}':
			depth -= !quoted && depth > 0 ? 1 : 0;
			break;
		default:
			break;
		}
	}
	return true;
}

/* In our words: what the parser says may repeat a piece of the text, and that may be a secret. */
static const char *syntax_problem(enum json_error_code code)
{
	static const struct {
		enum json_error_code code;
		const char *problem;
	} problems[] = {
		{json_error_invalid_utf8, "the text is not well-formed UTF-8"},
		{json_error_premature_end_of_input, "the text ends too early"},
		{json_error_end_of_input_expected, "something follows after the end"},
		{json_error_null_byte_in_key, "a key holds a NUL character"},
		{json_error_duplicate_key, "a key stands twice in one map"},
		{json_error_numeric_overflow, "a number is too large"},
		{json_error_stack_overflow, "it is nested too deep"},
	};

	for (size_t i = 0; i < sizeof(problems) / sizeof(problems[0]); i++) {
		if (problems[i].code == code)
			return problems[i].problem;
	}
	return "something here is no JSON";
}

static bool symbol_error(const struct reading *reading, const char *key, const char *problem)
{
	diag_error(reading->diagnostics, FAULT_USER, NOWHERE, "%s has a map with the key '%.80s', %s", reading->what,
		   key, problem);
	diag_hint(reading->diagnostics, "a key of your own that begins with '$' is written with a second '$' in front");
	return false;
}

static struct slice copy_string(const struct reading *reading, json_t *json)
{
	return arena_copy(reading->arena, (struct slice){json_string_value(json), json_string_length(json)});
}

static bool read_deferred(const struct reading *reading, json_t *json, struct value *ret)
{
	struct deferred *deferred;

	if (!json_is_string(json))
		return symbol_error(reading, "$deferred", "which must stand before a string");
	deferred = arena_new(reading->arena, struct deferred);
	deferred->text = copy_string(reading, json);
	*ret = value_deferred(deferred);
	return true;
}

/* With what the secret variables within its text hold. */
static bool read_deferred_secrets(const struct reading *reading, json_t *json, struct value *ret)
{
	json_t *held = json_object_get(json, "$secrets");
	struct value *secrets = arena_new(reading->arena, struct value);
	struct deferred *deferred;

	if (!json_is_object(held))
		return symbol_error(reading, "$secrets", "which must stand before a map");
	if (!read_deferred(reading, json_object_get(json, "$deferred"), ret) || !read_value(reading, held, secrets))
		return false;
	deferred = arena_new(reading->arena, struct deferred);
	*deferred = (struct deferred){.text = ret->deferred->text, .secrets = secrets};
	*ret = value_deferred(deferred);
	return true;
}

static bool read_unread(const struct reading *reading, json_t *json, struct value *ret)
{
	if (!json_is_true(json))
		return symbol_error(reading, "$unread", "which must stand before true");
	*ret = value_unread();
	return true;
}

static bool read_secret(const struct reading *reading, json_t *json, struct value *ret)
{
	if (!json_is_string(json))
		return symbol_error(reading, "$secret", "which must stand before a string");
	*ret = value_string(copy_string(reading, json));
	ret->secret = true;
	ret->style = VALUE_STYLE_SEALED;
	return true;
}

static bool read_segment(json_t *json, struct segment *ret)
{
	json_t *secret = json_object_size(json) == 1 ? json_object_get(json, "$secret") : NULL;
	json_t *text = secret ? secret : json;

	if (!json_is_string(text))
		return false;
	*ret = (struct segment){{json_string_value(text), json_string_length(text)}, secret != NULL};
	return true;
}

static bool read_segments(const struct reading *reading, json_t *json, struct value *ret)
{
	size_t count = json_array_size(json);
	struct segment *segments = arena_new_array(reading->arena, count, struct segment);

	for (size_t i = 0; i < count; i++) {
		if (!read_segment(json_array_get(json, i), &segments[i]))
			return symbol_error(reading, "$segments", "which may list only strings and secrets");
	}
	if (!json_is_array(json))
		return symbol_error(reading, "$segments", "which must stand before a list");
	*ret = value_segments(reading->arena, segments, count);
	ret->style = ret->secret ? VALUE_STYLE_SEALED : VALUE_STYLE_ANY;
	return true;
}

/* The forms of what JSON lacks; see json.h. */
static const struct symbol {
	const char *key;
	bool (*read)(const struct reading *reading, json_t *json, struct value *ret);
} symbols[] = {
	{"$deferred", read_deferred},
	{"$unread", read_unread},
	{"$secret", read_secret},
	{"$segments", read_segments},
};

static bool read_symbol(const struct reading *reading, const char *key, json_t *json, struct value *ret)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		if (strcmp(symbols[i].key, key) == 0)
			return symbols[i].read(reading, json, ret);
	}
	return symbol_error(reading, key, "which this version does not know");
}

static bool is_symbol(const struct reading *reading, const char *key)
{
	return reading->symbolic && key[0] == '$' && key[1] != '$';
}

static bool read_map(const struct reading *reading, json_t *json, struct value *ret)
{
	size_t count = json_object_size(json), i = 0;
	struct value_member *members = arena_new_array(reading->arena, count, struct value_member);

	for (void *next = json_object_iter(json); next; next = json_object_iter_next(json, next)) {
		const char *key = json_object_iter_key(next);
		json_t *item = json_object_iter_value(next);

		if (is_symbol(reading, key)) {
			if (count == 1)
				return read_symbol(reading, key, item, ret);
			if (count == 2 && json_object_get(json, "$deferred") && json_object_get(json, "$secrets"))
				return read_deferred_secrets(reading, json, ret);
			return symbol_error(reading, key, "which must be the only one of its map");
		}
		if (reading->symbolic && key[0] == '$')
			key++;
		members[i].key = value_string(arena_copy(reading->arena, slice_of(key)));
		if (!read_value(reading, item, &members[i].value))
			return false;
		i++;
	}
	*ret = value_map(members, i);
	return true;
}

static bool read_list(const struct reading *reading, json_t *json, struct value *ret)
{
	size_t count = json_array_size(json);
	struct value *items = arena_new_array(reading->arena, count, struct value);

	for (size_t i = 0; i < count; i++) {
		if (!read_value(reading, json_array_get(json, i), &items[i]))
			return false;
	}
	*ret = value_list(items, count);
	return true;
}

static bool read_value(const struct reading *reading, json_t *json, struct value *ret)
{
	switch (json_typeof(json)) {
	case JSON_OBJECT:
		return read_map(reading, json, ret);
	case JSON_ARRAY:
		return read_list(reading, json, ret);
	case JSON_STRING:
		*ret = value_string(copy_string(reading, json));
		return true;
	case JSON_INTEGER:
		*ret = value_integer(json_integer_value(json));
		return true;
	case JSON_REAL:
		*ret = value_number(json_real_value(json));
		return true;
	case JSON_TRUE:
	case JSON_FALSE:
		*ret = value_bool(json_is_true(json));
		return true;
	case JSON_NULL:
		*ret = value_null();
		return true;
	}
	return false;
}

/*
 * Where the parser builds what it reads. It asks for memory without saying for which text, hence one for each thread.
 * All of it goes at once: a service's answer may hold a key, so nothing is left on the heap, and to give it back piece
 * by piece took longer.
 */
static _Thread_local struct arena *parsed;

static void *parser_memory(size_t size_bytes)
{
	return arena_raw(parsed, size_bytes);
}

static void keep_until_read(void *bytes)
{
	(void)bytes;
}

static void give_memory(void)
{
	json_set_alloc_funcs(parser_memory, keep_until_read);
}

bool json_read(struct arena *arena, struct slice text, bool symbolic, size_t limit_bytes, const char *what,
	       struct value *ret, struct diagnostics *diagnostics)
{
	const size_t flags = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY;
	struct reading reading = {.arena = arena, .symbolic = symbolic, .what = what, .diagnostics = diagnostics};
	static once_flag once = ONCE_FLAG_INIT;
	json_error_t error;
	struct arena heap;
	struct value value;
	json_t *json;
	bool good;

	call_once(&once, give_memory);
	if (text.size > limit_bytes) {
		diag_error(diagnostics, FAULT_USER, NOWHERE, "%s has %zu bytes, more than the %zu that are allowed",
			   what, text.size, limit_bytes);
		return false;
	}
	if (!check_depth(&reading, text))
		return false;
	arena_init(&heap);
	parsed = &heap;
	json = json_loadb(text.size > 0 ? text.data : "", text.size, flags, &error);
	if (json)
		good = read_value(&reading, json, &value);
	else
		good = diag_error(diagnostics, FAULT_USER, NOWHERE, "%s is not valid JSON at line %d, column %d: %s",
				  what, error.line, error.column, syntax_problem(json_error_code(&error)));
	parsed = NULL;
	arena_wipe(&heap);
	if (good)
		*ret = value;
	return good;
}
