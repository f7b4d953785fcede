#include "specs/expression_function.h"

static const struct function functions[] = {
	{"lower", "text", {TAKES_STRING}, 1, 1, false, function_lower, "A to Z become a to z"},
	{"upper", "text", {TAKES_STRING}, 1, 1, false, function_upper, "a to z become A to Z"},
	{"trim", "text", {TAKES_STRING}, 1, 1, false, function_trim, "text without white space at its ends"},
	{"join",
	 "separator, list",
	 {TAKES_STRING, TAKES_LIST},
	 2,
	 2,
	 false,
	 function_join,
	 "one string of all items, with separator between them"},
	{"split",
	 "separator, text",
	 {TAKES_STRING},
	 2,
	 2,
	 false,
	 function_split,
	 "a list of what stands between separators"},
	{"replace", "text, part, with", {TAKES_STRING}, 3, 3, false, function_replace, "text with every part replaced"},
	{"format",
	 "pattern, values...",
	 {TAKES_STRING, TAKES_SCALAR},
	 1,
	 FUNCTION_MOST_ARGUMENTS,
	 false,
	 function_format,
	 "pattern with %s, %d, %x, %f, %g filled in, with widths as in %05d and %-8s"},
	{"tostring", "value", {TAKES_SCALAR}, 1, 1, false, function_tostring, "a number, true or false as a string"},
	{"tonumber",
	 "text",
	 {TAKES_STRING | TAKES_NUMBER},
	 1,
	 1,
	 false,
	 function_tonumber,
	 "the number that text spells"},

	{"length",
	 "value",
	 {TAKES_STRING | TAKES_LIST | TAKES_MAP},
	 1,
	 1,
	 true,
	 function_length,
	 "characters of a string, items of a list, members of a map"},
	{"concat",
	 "lists...",
	 {TAKES_LIST},
	 1,
	 FUNCTION_MOST_ARGUMENTS,
	 true,
	 function_concat,
	 "the items of all lists in one"},
	{"merge",
	 "maps...",
	 {TAKES_MAP},
	 1,
	 FUNCTION_MOST_ARGUMENTS,
	 true,
	 function_merge,
	 "the members of all maps in one; the last of a name wins"},
	{"keys", "map", {TAKES_MAP}, 1, 1, true, function_keys, "the names of a map's members, sorted"},
	{"values", "map", {TAKES_MAP}, 1, 1, true, function_values, "the values of a map, sorted by their names"},
	{"contains",
	 "list, value",
	 {TAKES_LIST, TAKES_ANY},
	 2,
	 2,
	 false,
	 function_contains,
	 "whether an item of list equals value"},
	{"get",
	 "of, key, default",
	 {TAKES_MAP | TAKES_LIST, TAKES_STRING | TAKES_INTEGER, TAKES_ANY},
	 3,
	 3,
	 true,
	 function_get,
	 "the member or item of that key, or default where there is none"},
	{"element",
	 "list, number",
	 {TAKES_LIST, TAKES_INTEGER},
	 2,
	 2,
	 true,
	 function_element,
	 "the item of that number, from 0 on; wraps around past the end"},
	{"flatten", "list", {TAKES_LIST}, 1, 1, true, function_flatten, "the items of lists within lists, in one list"},
	{"distinct", "list", {TAKES_LIST}, 1, 1, true, function_distinct, "list without repeated items"},
	{"sort", "list", {TAKES_LIST}, 1, 1, true, function_sort, "strings by their bytes, or numbers by size"},
	{"range",
	 "from, to, step",
	 {TAKES_INTEGER},
	 1,
	 3,
	 false,
	 function_range,
	 "whole numbers from from, or 0, up to but without to, by step, or 1"},
	{"coalesce",
	 "values...",
	 {TAKES_ANY},
	 1,
	 FUNCTION_MOST_ARGUMENTS,
	 true,
	 function_coalesce,
	 "the first value that is not null"},

	{"min",
	 "numbers...",
	 {TAKES_NUMBER | TAKES_LIST},
	 1,
	 FUNCTION_MOST_ARGUMENTS,
	 false,
	 function_min,
	 "the smallest of the numbers, or of one list's items"},
	{"max",
	 "numbers...",
	 {TAKES_NUMBER | TAKES_LIST},
	 1,
	 FUNCTION_MOST_ARGUMENTS,
	 false,
	 function_max,
	 "the greatest of the numbers, or of one list's items"},
	{"abs", "number", {TAKES_NUMBER}, 1, 1, false, function_abs, "number without its sign"},
	{"floor",
	 "number",
	 {TAKES_NUMBER},
	 1,
	 1,
	 false,
	 function_floor,
	 "the largest whole number that is not above it"},
	{"ceil",
	 "number",
	 {TAKES_NUMBER},
	 1,
	 1,
	 false,
	 function_ceil,
	 "the smallest whole number that is not below it"},

	{"cidr_subnet",
	 "prefix, newbits, number",
	 {TAKES_STRING, TAKES_INTEGER},
	 3,
	 3,
	 false,
	 function_cidr_subnet,
	 "the part of prefix of that number, from 0 on, among those longer by newbits"},
	{"cidr_host",
	 "prefix, number",
	 {TAKES_STRING, TAKES_INTEGER},
	 2,
	 2,
	 false,
	 function_cidr_host,
	 "the address of that number in prefix; -1 is the last"},
	{"cidr_netmask",
	 "prefix",
	 {TAKES_STRING},
	 1,
	 1,
	 false,
	 function_cidr_netmask,
	 "the mask of an IPv4 prefix, as in 255.255.0.0"},
	{"cidr_contains",
	 "prefix, of",
	 {TAKES_STRING},
	 2,
	 2,
	 false,
	 function_cidr_contains,
	 "whether prefix holds all of another prefix or address"},

	{"json_encode", "value", {TAKES_ANY}, 1, 1, false, function_json_encode, "value as JSON text, names sorted"},
	{"json_decode", "text", {TAKES_STRING}, 1, 1, false, function_json_decode, "the value that JSON text spells"},
	{"base64_encode", "text", {TAKES_STRING}, 1, 1, false, function_base64_encode, "text in Base64"},
	{"base64_decode", "text", {TAKES_STRING}, 1, 1, false, function_base64_decode, "the text within Base64"},
	{"sha256", "text", {TAKES_STRING}, 1, 1, false, function_sha256, "SHA-256 of text, 64 hexadecimal digits"},
};

const struct function *function_at(size_t index)
{
	return index < sizeof(functions) / sizeof(functions[0]) ? &functions[index] : NULL;
}

const struct function *function_find(struct slice name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (slice_is(name, functions[i].name))
			return &functions[i];
	}
	return NULL;
}

/* "a string or a list" for TAKES_STRING | TAKES_LIST. */
static void describe_types(struct buffer *buffer, unsigned takes)
{
	static const struct {
		unsigned takes;
		const char *name;
	} names[] = {
		{TAKES_STRING, "a string"},    {TAKES_NUMBER, "a number"}, {TAKES_INTEGER, "a whole number"},
		{TAKES_BOOL, "true or false"}, {TAKES_LIST, "a list"},	   {TAKES_MAP, "a map"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if ((takes & names[i].takes) != names[i].takes)
			continue;
		buffer_format(buffer, "%s%s", buffer->size > 0 ? " or " : "", names[i].name);
		takes &= ~names[i].takes;
	}
}

bool function_call(const struct call *call, struct value *ret)
{
	const struct function *function = call->function;
	unsigned takes = 0;
	bool fits = true;

	for (size_t i = 0; i < call->count; i++) {
		const struct value *value = argument(call, i);
		BUFFER_AUTO types = {0};

		if (i < sizeof(function->takes) / sizeof(function->takes[0]) && function->takes[i] != 0)
			takes = function->takes[i];
		if (takes & (1U << value->type))
			continue;
		buffer_init(&types, 128);
		describe_types(&types, takes);
		fits = diag_error(call->diagnostics, FAULT_USER, argument_position(call, i),
				  "argument %zu of '%s' is %s, where %s is needed", i + 1, function->name,
				  value_type_name((enum value_type)value->type), types.data);
		diag_hint(call->diagnostics, "%s(%s): %s", function->name, function->arguments, function->about);
	}
	return fits && function->body(call, ret);
}
