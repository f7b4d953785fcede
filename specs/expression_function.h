#ifndef TRUEUP_SPECS_EXPRESSION_FUNCTION_H
#define TRUEUP_SPECS_EXPRESSION_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/diag.h"
#include "base/value.h"
#include "specs/expression_tree.h"

/* Types of an argument, each a bit. */
enum takes {
	TAKES_NULL = 1 << VALUE_NULL,
	TAKES_BOOL = 1 << VALUE_BOOL,
	TAKES_INTEGER = 1 << VALUE_INTEGER,
	TAKES_NUMBER = 1 << VALUE_INTEGER | 1 << VALUE_NUMBER,
	TAKES_STRING = 1 << VALUE_STRING,
	TAKES_LIST = 1 << VALUE_LIST,
	TAKES_MAP = 1 << VALUE_MAP,
	TAKES_SCALAR = TAKES_BOOL | TAKES_NUMBER | TAKES_STRING,
	TAKES_ANY = TAKES_SCALAR | TAKES_NULL | TAKES_LIST | TAKES_MAP,
};

enum {
	FUNCTION_MOST_ARGUMENTS = 64,
	/* A list or a map that a function makes. */
	FUNCTION_MOST_ITEMS = 100000,
	FUNCTION_LONGEST_BYTES = EXPRESSION_LONGEST_BYTES,
};

/* One call; every argument is a literal of a type that the row takes. */
struct call {
	const struct function *function;
	struct position position;
	const struct node *const *arguments;
	size_t count;
	struct arena *arena;
	struct diagnostics *diagnostics;
};

/* Looks at nothing but its arguments. */
typedef bool function_body(const struct call *call, struct value *ret);

struct function {
	const char *name;
	const char *arguments; /* their names, for messages and documentation */
	unsigned takes[3];     /* of enum takes; the last that is not 0 holds for all that follow */
	uint8_t least, most;   /* how many arguments */
	/* The result is made of parts of the arguments, which keep their own secret marks;
	 * without it any secret in an argument makes the whole result secret. */
	bool keeps_marks;
	function_body *body;
	const char *about;
};

/* NULL where there is none. */
const struct function *function_find(struct slice name);
/* In order of the table; NULL past the end. */
const struct function *function_at(size_t index);
/* Checks the arguments' types and calls the body; secret marks are the caller's business. */
__attribute__((warn_unused_result)) bool function_call(const struct call *call, struct value *ret);

static inline const struct value *argument(const struct call *call, size_t index)
{
	return &call->arguments[index]->literal.value;
}

static inline struct position argument_position(const struct call *call, size_t index)
{
	return call->arguments[index]->position;
}

/* The text of a string, a number, true or false, as it stands within another string. False for the rest. */
bool scalar_text(struct arena *arena, const struct value *value, struct slice *ret);
/* A string from buffer; false after a diagnostic where the buffer's cap was passed. */
bool call_text(const struct call *call, const struct buffer *buffer, struct value *ret);
/* False after a diagnostic where a list or map of count items would be too long. */
bool call_allows(const struct call *call, size_t count);
/* Whether all of value is plain UTF-8 text for a string that function makes. */
bool call_is_text(const struct call *call, struct slice text, const char *what);

function_body function_lower, function_upper, function_trim, function_join, function_split, function_replace,
	function_format, function_tostring, function_tonumber;
function_body function_length, function_concat, function_merge, function_keys, function_values, function_contains,
	function_get, function_element, function_flatten, function_distinct, function_sort, function_range,
	function_coalesce;
function_body function_min, function_max, function_abs, function_floor, function_ceil;
function_body function_cidr_subnet, function_cidr_host, function_cidr_netmask, function_cidr_contains;
function_body function_json_encode, function_json_decode, function_base64_encode, function_base64_decode,
	function_sha256;

#endif
