#define _GNU_SOURCE 1 /* strtod_l() */
#include "specs/yaml_scalar.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

enum {
	/* The longest word that is more than text: "false". */
	WORD_LONGEST_BYTES = 5,
	NUMBER_LONGEST_BYTES = 400,
	SHOWN_BYTES = 60,
};

enum word {
	WORD_NULL,
	WORD_TRUE,
	WORD_FALSE,
	WORD_OLD_TRUE, /* means true in YAML 1.1 alone */
	WORD_OLD_FALSE,
	WORD_NO_NUMBER, /* infinity, not a number */
};

/* 'y' and 'n', which YAML 1.1 has for true and false, are none: hardly a program reads them so, and they are good
 * names. */
static const struct {
	const char *text;
	enum word word;
} words[] = {
	{"~", WORD_NULL},	   {"null", WORD_NULL},	      {"Null", WORD_NULL},	 {"NULL", WORD_NULL},
	{"true", WORD_TRUE},	   {"True", WORD_TRUE},	      {"TRUE", WORD_TRUE},	 {"false", WORD_FALSE},
	{"False", WORD_FALSE},	   {"FALSE", WORD_FALSE},     {"yes", WORD_OLD_TRUE},	 {"Yes", WORD_OLD_TRUE},
	{"YES", WORD_OLD_TRUE},	   {"on", WORD_OLD_TRUE},     {"On", WORD_OLD_TRUE},	 {"ON", WORD_OLD_TRUE},
	{"no", WORD_OLD_FALSE},	   {"No", WORD_OLD_FALSE},    {"NO", WORD_OLD_FALSE},	 {"off", WORD_OLD_FALSE},
	{"Off", WORD_OLD_FALSE},   {"OFF", WORD_OLD_FALSE},   {".inf", WORD_NO_NUMBER},	 {".Inf", WORD_NO_NUMBER},
	{".INF", WORD_NO_NUMBER},  {"+.inf", WORD_NO_NUMBER}, {"+.Inf", WORD_NO_NUMBER}, {"+.INF", WORD_NO_NUMBER},
	{"-.inf", WORD_NO_NUMBER}, {"-.Inf", WORD_NO_NUMBER}, {"-.INF", WORD_NO_NUMBER}, {".nan", WORD_NO_NUMBER},
	{".NaN", WORD_NO_NUMBER},  {".NAN", WORD_NO_NUMBER},
};

/* Whether text is as long as words are, and ends as one does: most names in a spec end in a digit, or are longer. */
static bool may_be_word(struct slice text)
{
	static const bool ends[256] = {
		['~'] = true, ['l'] = true, ['L'] = true, ['e'] = true, ['E'] = true, ['s'] = true, ['S'] = true,
		['n'] = true, ['N'] = true, ['o'] = true, ['O'] = true, ['f'] = true, ['F'] = true,
	};

	return text.size > 0 && text.size <= WORD_LONGEST_BYTES && ends[(unsigned char)text.data[text.size - 1]];
}

bool yaml_scalar_is_word(struct slice text)
{
	for (size_t i = 0; may_be_word(text) && i < sizeof(words) / sizeof(words[0]); i++)
		if (slice_is(text, words[i].text))
			return true;
	return false;
}

static struct slice shown(struct slice text)
{
	return slice_first(text, SHOWN_BYTES);
}

static bool word_read(enum word word, struct slice text, struct position position, struct value *ret,
		      struct diagnostics *diagnostics)
{
	switch (word) {
	case WORD_NULL:
		*ret = value_null();
		return true;
	case WORD_TRUE:
	case WORD_FALSE:
		*ret = value_bool(word == WORD_TRUE);
		return true;
	case WORD_OLD_TRUE:
	case WORD_OLD_FALSE:
		diag_error(diagnostics, FAULT_USER, position, "'%.*s' could mean %s or the text", SLICE_ARGUMENTS(text),
			   word == WORD_OLD_TRUE ? "true" : "false");
		diag_hint(diagnostics, "write %s, or \"%.*s\" in quotes if it is text or a name",
			  word == WORD_OLD_TRUE ? "true" : "false", SLICE_ARGUMENTS(text));
		return false;
	case WORD_NO_NUMBER:
		break;
	}
	diag_error(diagnostics, FAULT_USER, position, "'%.*s' is no number that can be used", SLICE_ARGUMENTS(text));
	diag_hint(diagnostics, "write a finite number, or put it in quotes if it is text");
	return false;
}

static size_t digits_at(struct slice text, size_t offset)
{
	size_t end = offset;

	while (end < text.size && slice_is_digit(text.data[end]))
		end++;
	return end - offset;
}

/* [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? */
static bool is_float(struct slice text)
{
	size_t at = text.size > 0 && (text.data[0] == '-' || text.data[0] == '+') ? 1 : 0;
	size_t whole = digits_at(text, at), exponent;

	at += whole;
	if (at < text.size && text.data[at] == '.') {
		size_t part = digits_at(text, at + 1);

		if (whole == 0 && part == 0)
			return false;
		at += 1 + part;
	} else if (whole == 0) {
		return false;
	}
	if (at == text.size)
		return true;
	if (text.data[at] != 'e' && text.data[at] != 'E')
		return false;
	at++;
	if (at < text.size && (text.data[at] == '-' || text.data[at] == '+'))
		at++;
	exponent = digits_at(text, at);
	return exponent > 0 && at + exponent == text.size;
}

static bool refuse_number(struct slice text, struct position position, struct diagnostics *diagnostics)
{
	diag_error(diagnostics, FAULT_USER, position, "the number '%.*s' is too large", SLICE_ARGUMENTS(shown(text)));
	diag_hint(diagnostics, "put it in quotes if it is text");
	return false;
}

/* The same in every locale: the decimal sign is a point. */
static bool float_read(struct slice text, struct position position, struct value *ret, struct diagnostics *diagnostics)
{
	char digits[NUMBER_LONGEST_BYTES + 1];
	locale_t plain;
	double number;

	if (text.size > NUMBER_LONGEST_BYTES)
		return refuse_number(text, position, diagnostics);
	memcpy(digits, text.data, text.size);
	digits[text.size] = '\0';
	plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	number = plain ? strtod_l(digits, NULL, plain) : strtod(digits, NULL);
	if (plain)
		freelocale(plain);
	if (!isfinite(number))
		return refuse_number(text, position, diagnostics);
	*ret = value_number(number);
	return true;
}

static bool decimal_read(struct slice text, struct position position, struct value *ret,
			 struct diagnostics *diagnostics)
{
	size_t sign = text.data[0] == '-' || text.data[0] == '+' ? 1 : 0;
	int64_t integer;

	if (text.size - sign > 1 && text.data[sign] == '0') {
		diag_error(diagnostics, FAULT_USER, position, "the leading zero of '%.*s' may mean octal or decimal",
			   SLICE_ARGUMENTS(shown(text)));
		diag_hint(diagnostics, "leave the zero out, write 0o for octal, or put it in quotes if it is text");
		return false;
	}
	if (!slice_integer(text.data[0] == '+' ? slice_from(text, 1) : text, &integer))
		return refuse_number(text, position, diagnostics);
	*ret = value_integer(integer);
	return true;
}

static int digit_of(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	if (byte >= 'a' && byte <= 'f')
		return byte - 'a' + 10;
	return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : 16;
}

/* "0x1f" and "0o17"; false where text is neither, and then nothing was said. */
static bool is_based(struct slice text, int *ret_base)
{
	if (text.size < 3 || text.data[0] != '0' || (text.data[1] != 'x' && text.data[1] != 'o'))
		return false;
	*ret_base = text.data[1] == 'x' ? 16 : 8;
	for (size_t i = 2; i < text.size; i++) {
		if (digit_of(text.data[i]) >= *ret_base)
			return false;
	}
	return true;
}

static bool based_read(struct slice text, int base, struct position position, struct value *ret,
		       struct diagnostics *diagnostics)
{
	int64_t integer = 0;

	for (size_t i = 2; i < text.size; i++) {
		if (__builtin_mul_overflow(integer, base, &integer) ||
		    __builtin_add_overflow(integer, digit_of(text.data[i]), &integer))
			return refuse_number(text, position, diagnostics);
	}
	*ret = value_integer(integer);
	return true;
}

static bool number_read(struct slice text, struct position position, struct value *ret, struct diagnostics *diagnostics)
{
	size_t sign = text.data[0] == '-' || text.data[0] == '+' ? 1 : 0;
	size_t digits = digits_at(text, sign);
	int base;

	if (digits > 0 && sign + digits == text.size)
		return decimal_read(text, position, ret, diagnostics);
	if (is_based(text, &base))
		return based_read(text, base, position, ret, diagnostics);
	if (is_float(text))
		return float_read(text, position, ret, diagnostics);
	*ret = value_string(text);
	return true;
}

bool yaml_scalar_plain(struct slice text, struct position position, struct value *ret, struct diagnostics *diagnostics)
{
	struct value value = text.size > 0 ? value_string(text) : value_null();
	char first = text.size > 0 ? text.data[0] : '~';

	for (size_t i = 0; may_be_word(text) && i < sizeof(words) / sizeof(words[0]); i++) {
		if (first != words[i].text[0] || !slice_is(text, words[i].text))
			continue;
		if (!word_read(words[i].word, text, position, &value, diagnostics))
			return false;
		*ret = value_at(value, position);
		return true;
	}
	if (text.size > 0 && (slice_is_digit(first) || first == '-' || first == '+' || first == '.') &&
	    !number_read(text, position, &value, diagnostics))
		return false;
	*ret = value_at(value, position);
	return true;
}

static const char core_prefix[] = "tag:yaml.org,2002:";

/* The types that a tag of the core schema allows; a list or map has none here. */
static const struct {
	const char *name;
	enum value_type type;
} core_tags[] = {
	{"null", VALUE_NULL},  {"bool", VALUE_BOOL}, {"int", VALUE_INTEGER}, {"float", VALUE_NUMBER},
	{"str", VALUE_STRING}, {"seq", VALUE_LIST},  {"map", VALUE_MAP},
};

/* False after a diagnostic. */
static bool tag_read(const char *tag, struct position position, enum value_type *ret, struct diagnostics *diagnostics)
{
	bool core = strncmp(tag, core_prefix, sizeof(core_prefix) - 1) == 0;

	for (size_t i = 0; core && i < sizeof(core_tags) / sizeof(core_tags[0]); i++) {
		if (strcmp(tag + sizeof(core_prefix) - 1, core_tags[i].name) != 0)
			continue;
		*ret = core_tags[i].type;
		return true;
	}
	if (core)
		diag_error(diagnostics, FAULT_USER, position, "the tag '!!%.60s' means nothing here",
			   tag + sizeof(core_prefix) - 1);
	else
		diag_error(diagnostics, FAULT_USER, position, "the tag '%.60s' means nothing here", tag);
	diag_hint(diagnostics, "leave the tag out: values are read as they are written, and ${...} computes others");
	return false;
}

static bool refuse_tagged(const char *tag, struct position position, struct diagnostics *diagnostics)
{
	diag_error(diagnostics, FAULT_USER, position, "this value is not what its tag '!!%.60s' says",
		   tag + sizeof(core_prefix) - 1);
	diag_hint(diagnostics, "leave the tag out, or correct the value");
	return false;
}

bool yaml_scalar_tagged(const char *tag, struct slice text, struct position position, struct value *ret,
			struct diagnostics *diagnostics)
{
	struct value value;
	enum value_type type;

	/* The non-specific tag: as if quoted. */
	if (strcmp(tag, "!") == 0) {
		*ret = value_at(value_string(text), position);
		return true;
	}
	if (!tag_read(tag, position, &type, diagnostics))
		return false;
	if (type == VALUE_STRING) {
		*ret = value_at(value_string(text), position);
		return true;
	}
	if (!yaml_scalar_plain(text, position, &value, diagnostics))
		return false;
	if (type == VALUE_NUMBER && value.type == VALUE_INTEGER)
		value = value_at(value_number((double)value.integer), position);
	if (value.type != type)
		return refuse_tagged(tag, position, diagnostics);
	*ret = value;
	return true;
}

bool yaml_collection_tag(const char *tag, enum value_type type, struct position position,
			 struct diagnostics *diagnostics)
{
	enum value_type tagged;

	if (!tag || strcmp(tag, "!") == 0)
		return true;
	if (!tag_read(tag, position, &tagged, diagnostics))
		return false;
	return tagged == type || refuse_tagged(tag, position, diagnostics);
}
