#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/memory.h"
#include "reconcile/kind.h"

/*
 * Patterns of the field tables. To compile one takes longer than to match it, and there is
 * no place to keep compiled ones: a table is constant and a check has no state. Nearly all
 * are rows of literals and classes with repeats ("^subnet-[0-9a-f]{8,17}$|all"), so those are
 * matched as they stand, and PCRE2 gets the rest. What both can match, both answer alike.
 */

enum {
	ELEMENTS_MOST = 32,
	/* A text that keeps the matcher longer than this is handed to PCRE2, which has limits of its own. */
	STEPS_MOST = 4096,
	REPEATS_MOST = 65535,
};

/* A set of bytes, and how often one of them comes. */
struct element {
	uint64_t bytes[4];
	unsigned least, most;
};

struct simple {
	struct element elements[ELEMENTS_MOST];
	size_t count;
	unsigned steps_left;
};

enum answer {
	ANSWER_NO,
	ANSWER_YES,
	ANSWER_UNKNOWN,
};

static void bytes_add(uint64_t bytes[4], unsigned char byte)
{
	bytes[byte / 64] |= UINT64_C(1) << (byte % 64);
}

static bool bytes_have(const uint64_t bytes[4], char byte)
{
	return (bytes[(unsigned char)byte / 64] >> ((unsigned char)byte % 64) & 1) != 0;
}

static void bytes_add_range(uint64_t bytes[4], char from, char to)
{
	for (unsigned byte = (unsigned char)from; byte <= (unsigned char)to; byte++)
		bytes_add(bytes, (unsigned char)byte);
}

static bool is_letter(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* What follows a backslash: a class of its own, or a byte without a meaning. */
static bool escape_read(char byte, uint64_t bytes[4])
{
	if (byte == 'd' || byte == 'w')
		bytes_add_range(bytes, '0', '9');
	if (byte == 'w') {
		bytes_add_range(bytes, 'a', 'z');
		bytes_add_range(bytes, 'A', 'Z');
		bytes_add(bytes, '_');
	}
	if (byte == 'd' || byte == 'w')
		return true;
	if (byte == '\0' || slice_is_digit(byte) || is_letter(byte) || (unsigned char)byte >= 0x80)
		return false;
	bytes_add(bytes, (unsigned char)byte);
	return true;
}

/* From behind '['; *text then stands behind ']'. */
static bool class_read(const char **text, uint64_t bytes[4])
{
	const char *at = *text;
	bool inverse = *at == '^';

	at += inverse ? 1 : 0;
	do {
		/* "[:alpha:]" and its like are left to PCRE2, and so is a range that ends in an escape. */
		if (*at == '\0' || *at == '[')
			return false;
		if (*at == '\\') {
			if (!escape_read(at[1], bytes) || at[2] == '-')
				return false;
			at += 2;
		} else if (at[1] == '-' && at[2] != ']') {
			if (at[2] == '\0' || at[2] == '\\' || at[2] == '[' || at[2] < at[0])
				return false;
			bytes_add_range(bytes, at[0], at[2]);
			at += 3;
		} else {
			bytes_add(bytes, (unsigned char)*at++);
		}
	} while (*at != ']');
	for (size_t i = 0; inverse && i < 4; i++)
		bytes[i] = ~bytes[i];
	*text = at + 1;
	return true;
}

static bool number_read(const char **text, unsigned *ret)
{
	const char *at = *text;
	unsigned number = 0;

	for (; slice_is_digit(*at) && number <= REPEATS_MOST; at++)
		number = number * 10 + (unsigned)(*at - '0');
	if (at == *text || number > REPEATS_MOST)
		return false;
	*text = at;
	*ret = number;
	return true;
}

static bool repeat_read(const char **text, struct element *element)
{
	const char *at = *text;
	char sign = *at;

	element->least = element->most = 1;
	if (sign == '*' || sign == '?')
		element->least = 0;
	if (sign == '*' || sign == '+')
		element->most = UINT32_MAX;
	if (sign == '*' || sign == '?' || sign == '+')
		at++;
	if (sign == '{') {
		at++;
		if (!number_read(&at, &element->least))
			return false;
		element->most = element->least;
		if (*at == ',') {
			at++;
			element->most = UINT32_MAX;
			if (*at != '}' && !number_read(&at, &element->most))
				return false;
		}
		if (*at++ != '}' || element->most < element->least)
			return false;
	}
	*text = at;
	/* Lazy and possessive repeats are PCRE2's. */
	return *at != '*' && *at != '+' && *at != '?' && *at != '{';
}

static bool element_read(const char **text, struct element *element)
{
	char byte = *(*text)++;

	if (byte == '[')
		return class_read(text, element->bytes) && repeat_read(text, element);
	if (byte == '\\')
		return escape_read(*(*text)++, element->bytes) && repeat_read(text, element);
	if (byte == '.') {
		bytes_add(element->bytes, '\n');
		for (size_t i = 0; i < 4; i++)
			element->bytes[i] = ~element->bytes[i];
		return repeat_read(text, element);
	}
	if (strchr("^$()|*+?{}", byte))
		return false;
	bytes_add(element->bytes, (unsigned char)byte);
	return repeat_read(text, element);
}

static bool is_end(char byte)
{
	return byte == '\0' || byte == '|';
}

/* One alternative; *pattern then stands at its end. False where it is more than a row of elements. */
static bool simple_read(const char **pattern, struct simple *ret)
{
	const char *at = **pattern == '^' ? *pattern + 1 : *pattern;

	ret->count = 0;
	while (!is_end(*at) && !(at[0] == '$' && is_end(at[1]))) {
		if (ret->count == ELEMENTS_MOST)
			return false;
		ret->elements[ret->count] = (struct element){0};
		if (!element_read(&at, &ret->elements[ret->count]))
			return false;
		ret->count++;
	}
	*pattern = *at == '$' ? at + 1 : at;
	ret->steps_left = STEPS_MOST;
	return true;
}

/* The elements from index on against all of text; at most ELEMENTS_MOST deep. */
static enum answer simple_match(struct simple *simple, size_t index, struct slice text)
{
	const struct element *element = &simple->elements[index];
	size_t taken = 0;

	if (index == simple->count)
		return text.size == 0 ? ANSWER_YES : ANSWER_NO;
	while (taken < text.size && taken < element->most && bytes_have(element->bytes, text.data[taken]))
		taken++;
	for (; taken >= element->least; taken--) {
		enum answer answer;

		if (simple->steps_left == 0)
			return ANSWER_UNKNOWN;
		simple->steps_left--;
		answer = simple_match(simple, index + 1, slice_from(text, taken));
		if (answer != ANSWER_NO)
			return answer;
		if (taken == 0)
			break;
	}
	return ANSWER_NO;
}

static bool pcre_matches(const char *pattern, struct slice text)
{
	uint32_t options = PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_DOLLAR_ENDONLY;
	pcre2_match_data *match = NULL;
	PCRE2_SIZE offset;
	pcre2_code *code;
	bool matches;
	int error;

	/* PCRE2 10.42 takes no NULL for an empty text. */
	if (text.size == 0)
		text = SLICE("");
	code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, &error, &offset, NULL);
	if (code)
		match = pcre2_match_data_create_from_pattern(code, NULL);
	if (match)
		error = pcre2_match(code, (PCRE2_SPTR)text.data, text.size, 0, 0, match, NULL);
	if (!match ? code || error == PCRE2_ERROR_HEAP_FAILED : error == PCRE2_ERROR_NOMEMORY)
		memory_exhausted("out of memory");
	matches = match && error >= 0;
	pcre2_match_data_free(match);
	pcre2_code_free(code);
	return matches;
}

bool pattern_matches(const char *pattern, struct slice text)
{
	enum answer answer = ANSWER_NO;
	const char *at = pattern;
	struct simple simple;

	if (!pattern)
		return true;
	do
		answer = simple_read(&at, &simple) ? simple_match(&simple, 0, text) : ANSWER_UNKNOWN;
	while (answer == ANSWER_NO && *at++ == '|');
	return answer == ANSWER_UNKNOWN ? pcre_matches(pattern, text) : answer == ANSWER_YES;
}
