#include "specs/expression_function.h"

#include <stdio.h>

#include "base/json.h"

enum {
	FORMAT_WIDEST = 1024,
	FORMAT_MOST_DIGITS = 100,
	/* The greatest double has 309 digits before the point. */
	NUMBER_LONGEST_BYTES = 512,
};

bool scalar_text(struct arena *arena, const struct value *value, struct slice *ret)
{
	static const struct json_style plain = {.clear = true};
	BUFFER_AUTO buffer = {0};

	if (value->type == VALUE_STRING) {
		*ret = value_slice(value);
		return true;
	}
	if (((1U << value->type) & TAKES_SCALAR) == 0)
		return false;
	buffer_init(&buffer, NUMBER_LONGEST_BYTES);
	if (!json_write(&buffer, value, &plain))
		return false;
	*ret = arena_copy(arena, buffer_slice(&buffer));
	return true;
}

bool call_text(const struct call *call, const struct buffer *buffer, struct value *ret)
{
	if (buffer->full)
		return diag_error(call->diagnostics, FAULT_USER, call->position,
				  "the string that '%s' makes would be longer than %d bytes", call->function->name,
				  FUNCTION_LONGEST_BYTES);
	*ret = value_string(arena_copy(call->arena, buffer_slice(buffer)));
	return true;
}

bool call_is_text(const struct call *call, struct slice text, const char *what)
{
	size_t bad;

	if (slice_is_utf8(text, &bad) && !slice_contains(text, (struct slice){"", 1}))
		return true;
	return diag_error(call->diagnostics, FAULT_USER, argument_position(call, 0),
			  "%s is no text: it holds zero bytes or invalid UTF-8", what);
}

static bool change_case(const struct call *call, char first, char last, struct value *ret)
{
	struct slice text = value_slice(argument(call, 0));
	char *copy = (char *)arena_get(call->arena, text.size + 1);

	for (size_t i = 0; i < text.size; i++) {
		char byte = text.data[i];

		copy[i] = byte >= first && byte <= last ? (char)(byte ^ 0x20) : byte;
	}
	*ret = value_string((struct slice){copy, text.size});
	return true;
}

bool function_lower(const struct call *call, struct value *ret)
{
	return change_case(call, 'A', 'Z', ret);
}

bool function_upper(const struct call *call, struct value *ret)
{
	return change_case(call, 'a', 'z', ret);
}

bool function_trim(const struct call *call, struct value *ret)
{
	*ret = value_string(slice_trim(value_slice(argument(call, 0))));
	return true;
}

bool function_join(const struct call *call, struct value *ret)
{
	const struct value *list = argument(call, 1);
	struct slice separator = value_slice(argument(call, 0)), text;
	BUFFER_AUTO buffer = {0};

	buffer_init(&buffer, FUNCTION_LONGEST_BYTES);
	for (uint32_t i = 0; i < list->count; i++) {
		if (!scalar_text(call->arena, &list->items[i], &text))
			return diag_error(call->diagnostics, FAULT_USER, argument_position(call, 1),
					  "item %u of the list is %s, which cannot become part of a string", i,
					  value_type_name((enum value_type)list->items[i].type));
		if (i > 0)
			buffer_append(&buffer, separator);
		buffer_append(&buffer, text);
	}
	return call_text(call, &buffer, ret);
}

/* Offset of part in text from offset on; text.size where it is not. */
static size_t find(struct slice text, struct slice part, size_t offset)
{
	const char *at = text.data;

	while (text.size - offset >= part.size) {
		at = (const char *)memchr(text.data + offset, part.data[0], text.size - offset - part.size + 1);
		if (!at)
			return text.size;
		offset = (size_t)(at - text.data);
		if (memcmp(at, part.data, part.size) == 0)
			return offset;
		offset++;
	}
	return text.size;
}

/* An empty part stands between any two bytes, also within a character. */
static bool check_part(const struct call *call, size_t index)
{
	if (argument(call, index)->count > 0 && value_slice(argument(call, index)).size > 0)
		return true;
	return diag_error(call->diagnostics, FAULT_USER, argument_position(call, index),
			  "'%s' needs a text to look for, and this one is empty", call->function->name);
}

bool function_split(const struct call *call, struct value *ret)
{
	struct slice separator = value_slice(argument(call, 0)), text = value_slice(argument(call, 1));
	VALUE_BUILDER_AUTO builder = {0};
	size_t start = 0, end;

	if (!check_part(call, 0))
		return false;
	value_builder_init(&builder);
	do {
		end = find(text, separator, start);
		value_builder_item(&builder, value_string(slice_first(slice_from(text, start), end - start)));
		if (!call_allows(call, builder.count))
			return false;
		start = end + separator.size;
	} while (start <= text.size && end < text.size);
	*ret = value_builder_list(&builder, call->arena);
	return true;
}

bool function_replace(const struct call *call, struct value *ret)
{
	struct slice text = value_slice(argument(call, 0)), part = value_slice(argument(call, 1));
	BUFFER_AUTO buffer = {0};
	size_t start = 0;

	if (!check_part(call, 1))
		return false;
	buffer_init(&buffer, FUNCTION_LONGEST_BYTES);
	while (start < text.size && !buffer.full) {
		size_t end = find(text, part, start);

		buffer_append(&buffer, slice_first(slice_from(text, start), end - start));
		if (end < text.size)
			buffer_append(&buffer, value_slice(argument(call, 2)));
		start = end < text.size ? end + part.size : end;
	}
	return call_text(call, &buffer, ret);
}

bool function_tostring(const struct call *call, struct value *ret)
{
	struct slice text;

	if (!scalar_text(call->arena, argument(call, 0), &text))
		return diag_error(call->diagnostics, FAULT_USER, argument_position(call, 0),
				  "this value has no form as a string");
	*ret = value_string(text);
	return true;
}

bool function_tonumber(const struct call *call, struct value *ret)
{
	struct slice text = value_slice(argument(call, 0));
	struct diagnostics ignored;
	struct value value = *argument(call, 0);
	bool readable = true;
	int64_t integer;

	if (value.type == VALUE_STRING && slice_integer(text, &integer)) {
		value = value_integer(integer);
	} else if (value.type == VALUE_STRING) {
		diagnostics_init(&ignored, call->arena);
		/* JSON forgives white space around a value. */
		readable = text.size < NUMBER_LONGEST_BYTES && slice_trim(text).size == text.size &&
			   json_read(call->arena, text, false, NUMBER_LONGEST_BYTES, "the number", &value, &ignored) &&
			   value.type == VALUE_NUMBER;
		diagnostics_release(&ignored);
	}
	if (!readable && call->arguments[0]->secret)
		return diag_error(call->diagnostics, FAULT_USER, argument_position(call, 0), "the text is no number");
	if (!readable)
		return diag_error(call->diagnostics, FAULT_USER, argument_position(call, 0), "'%.*s' is no number",
				  SLICE_ARGUMENTS(slice_first(text, 64)));
	*ret = value;
	return true;
}

/* One "%" of a pattern. */
struct directive {
	bool left, zero, plus;
	size_t width;
	int precision; /* -1: none given */
	char letter;
};

/* The first count characters. */
static struct slice first_characters(struct slice text, size_t count)
{
	for (size_t i = 0; i < text.size; i++) {
		if (((unsigned char)text.data[i] & 0xc0) != 0x80 && count-- == 0)
			return slice_first(text, i);
	}
	return text;
}

static void append_padded(struct buffer *buffer, const struct directive *directive, struct slice text)
{
	size_t length = slice_characters(text);
	size_t padding = directive->width > length ? directive->width - length : 0;
	bool zeros = directive->zero && !directive->left && directive->letter != 's';

	if (zeros && text.size > 0 && (text.data[0] == '-' || text.data[0] == '+')) {
		buffer_byte(buffer, text.data[0]);
		text = slice_from(text, 1);
	}
	for (size_t i = 0; !directive->left && i < padding; i++)
		buffer_byte(buffer, zeros ? '0' : ' ');
	buffer_append(buffer, text);
	for (size_t i = 0; directive->left && i < padding; i++)
		buffer_byte(buffer, ' ');
}

static bool integer_text(const struct value *value, const struct directive *directive, char *text, size_t size)
{
	uint64_t magnitude = value->integer < 0 ? 0 - (uint64_t)value->integer : (uint64_t)value->integer;
	const char *sign = directive->plus ? "+" : "";

	if (value->type != VALUE_INTEGER)
		return false;
	if (value->integer < 0)
		sign = "-";
	if (directive->letter == 'x')
		snprintf(text, size, "%s%llx", sign, (unsigned long long)magnitude);
	else if (directive->letter == 'X')
		snprintf(text, size, "%s%llX", sign, (unsigned long long)magnitude);
	else
		snprintf(text, size, "%s%llu", sign, (unsigned long long)magnitude);
	return true;
}

static bool number_text(const struct value *value, const struct directive *directive, char *text, size_t size)
{
	int precision = directive->precision >= 0 ? directive->precision : 6;
	double number = value->type == VALUE_INTEGER ? (double)value->integer : value->number;
	const char *sign = directive->plus && number >= 0 ? "+" : "";

	if (value->type != VALUE_INTEGER && value->type != VALUE_NUMBER)
		return false;
	if (directive->letter == 'f')
		snprintf(text, size, "%s%.*f", sign, precision, number);
	else if (directive->letter == 'e')
		snprintf(text, size, "%s%.*e", sign, precision, number);
	else
		snprintf(text, size, "%s%.*g", sign, precision, number);
	return true;
}

static bool append_directive(const struct call *call, size_t index, const struct directive *directive,
			     struct buffer *buffer)
{
	const struct value *value = argument(call, index);
	char text[NUMBER_LONGEST_BYTES];
	struct slice string;
	bool fits;

	if (directive->letter == 's') {
		if (!scalar_text(call->arena, value, &string))
			return false;
		if (directive->precision >= 0)
			string = first_characters(string, (size_t)directive->precision);
		append_padded(buffer, directive, string);
		return true;
	}
	fits = memchr("dxX", directive->letter, 3) ? integer_text(value, directive, text, sizeof(text))
						   : number_text(value, directive, text, sizeof(text));
	if (!fits)
		return diag_error(call->diagnostics, FAULT_USER, argument_position(call, index),
				  "'%%%c' needs a %snumber, not %s", directive->letter,
				  memchr("dxX", directive->letter, 3) ? "whole " : "",
				  value_type_name((enum value_type)value->type));
	append_padded(buffer, directive, slice_of(text));
	return true;
}

/* Digits from *offset on as a number of at most most. */
static bool read_digits(struct slice text, size_t *offset, size_t most, size_t *ret)
{
	size_t number = 0;

	while (*offset < text.size && text.data[*offset] >= '0' && text.data[*offset] <= '9') {
		number = number * 10 + (size_t)(text.data[(*offset)++] - '0');
		if (number > most)
			return false;
	}
	*ret = number;
	return true;
}

/* What stands behind "%" at *offset. False where it is nothing known. */
static bool read_directive(struct slice pattern, size_t *offset, struct directive *ret)
{
	struct directive directive = {.precision = -1};
	size_t precision;

	for (; *offset < pattern.size; (*offset)++) {
		char flag = pattern.data[*offset];

		if (flag != '-' && flag != '0' && flag != '+')
			break;
		directive.left = directive.left || flag == '-';
		directive.zero = directive.zero || flag == '0';
		directive.plus = directive.plus || flag == '+';
	}
	if (!read_digits(pattern, offset, FORMAT_WIDEST, &directive.width))
		return false;
	if (*offset < pattern.size && pattern.data[*offset] == '.') {
		(*offset)++;
		if (!read_digits(pattern, offset, FORMAT_MOST_DIGITS, &precision))
			return false;
		directive.precision = (int)precision;
	}
	if (*offset == pattern.size || !memchr("sdxXfeg", pattern.data[*offset], 7))
		return false;
	directive.letter = pattern.data[(*offset)++];
	*ret = directive;
	return true;
}

/* Takes the directive at *offset, behind its "%". *used: values taken so far, the pattern among them. */
static bool take_directive(const struct call *call, struct slice pattern, size_t *offset, size_t *used,
			   struct buffer *buffer)
{
	struct directive directive;

	if (*offset < pattern.size && pattern.data[*offset] == '%') {
		(*offset)++;
		buffer_byte(buffer, '%');
		return true;
	}
	if (!read_directive(pattern, offset, &directive)) {
		diag_error(call->diagnostics, FAULT_USER, argument_position(call, 0),
			   "the pattern has a '%%' that begins nothing known");
		diag_hint(call->diagnostics,
			  "known are %%s %%d %%x %%X %%f %%e %%g with widths up to %d and up to %d "
			  "digits, and %%%% for a percent sign",
			  FORMAT_WIDEST, FORMAT_MOST_DIGITS);
		return false;
	}
	if (*used == call->count)
		return diag_error(call->diagnostics, FAULT_USER, call->position,
				  "the pattern asks for more than the %zu value%s given", call->count - 1,
				  call->count == 2 ? "" : "s");
	return append_directive(call, (*used)++, &directive, buffer);
}

bool function_format(const struct call *call, struct value *ret)
{
	struct slice pattern = value_slice(argument(call, 0));
	size_t used = 1, offset = 0;
	BUFFER_AUTO buffer = {0};

	buffer_init(&buffer, FUNCTION_LONGEST_BYTES);
	while (offset < pattern.size && !buffer.full) {
		char byte = pattern.data[offset++];

		if (byte != '%')
			buffer_byte(&buffer, byte);
		else if (!take_directive(call, pattern, &offset, &used, &buffer))
			return false;
	}
	if (!buffer.full && used < call->count)
		return diag_error(call->diagnostics, FAULT_USER, argument_position(call, used),
				  "the pattern has no place for this value");
	return call_text(call, &buffer, ret);
}
