#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "cli/providers.h"
#include "tests/unit/support_kinds.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
/* SLICE() for the rows of a table. */
#define TEXT(literal)                                                                                                  \
	{                                                                                                              \
		(literal), sizeof(literal) - 1                                                                         \
	}

/* As a provider does: the table's rows are larger than a field. */
struct wide_field {
	struct field field;
	const char *wire;
	int more[5];
};

static const struct wide_field wide_fields[] = {
	{{.name = "a", .type = FIELD_STRING}, "A", {0}},
	{{.name = "ab", .type = FIELD_BOOL}, "Ab", {0}},
	{{.name = "abc", .type = FIELD_INTEGER}, "Abc", {0}},
};

static void test_fields(void **state)
{
	static const struct fields fields = FIELDS(wide_fields);
	static const struct {
		struct slice name;
		const struct wide_field *field;
	} rows[] = {
		{TEXT("a"), &wide_fields[0]},
		{TEXT("ab"), &wide_fields[1]},
		{TEXT("abc"), &wide_fields[2]},
		{TEXT("abcd"), NULL},
		{TEXT("b"), NULL},
		{TEXT(""), NULL},
		{TEXT("ab\0"), NULL},
		{TEXT("\0"), NULL},
	};

	(void)state;
	assert_ptr_equal(field_at(&fields, 2), &wide_fields[2].field);
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_ptr_equal(field_named(&fields, rows[i].name), rows[i].field);
}

static void test_outputs(void **state)
{
	(void)state;
	assert_string_equal(kind_output(&support_vpc, NULL)->name, "id");
	assert_string_equal(kind_output(&support_vpc, "arn")->name, "arn");
	assert_null(kind_output(&support_vpc, "none"));
	assert_string_equal(output_named(&support_vpc.outputs, SLICE("version"))->name, "version");
	assert_null(output_named(&support_vpc.outputs, SLICE("versio")));
	assert_true(output_pattern_matches(kind_output(&support_vpc, NULL), SLICE("vpc-01234567")));
	assert_false(output_pattern_matches(kind_output(&support_vpc, NULL), SLICE("vpc-0123456")));
	assert_true(output_pattern_matches(kind_output(&support_vpc, "cidr"), SLICE("anything")));
	assert_true(slice_is(kind_provider(&support_vpc), "net"));
}

static void test_kinds(void **state)
{
	static const struct kind *const backwards[] = {&support_vpc, &support_subnet, &support_group, &support_machine};
	static const struct kinds unsorted = {backwards, COUNT(backwards)}, none = {NULL, 0};

	(void)state;
	for (size_t i = 0; i < support_kinds.count; i++)
		assert_ptr_equal(kinds_find(&support_kinds, slice_of(support_kinds.items[i]->name)),
				 support_kinds.items[i]);
	for (size_t i = 0; i < COUNT(backwards); i++)
		assert_ptr_equal(kinds_find(&unsorted, slice_of(backwards[i]->name)), backwards[i]);
	assert_null(kinds_find(&support_kinds, SLICE("net.vp")));
	assert_null(kinds_find(&support_kinds, SLICE("net.vpcs")));
	assert_null(kinds_find(&support_kinds, SLICE("")));
	assert_null(kinds_find(&none, SLICE("net.vpc")));
}

/* Prints every field that can be left out without the table saying what becomes of it; gives how many. */
static size_t undeclared(const struct field *field, const char *where, bool within)
{
	size_t count = 0;
	bool silent = field->when_unset == UNSET_UNDECLARED && !(field->flags & (REQUIRED | KEY));

	if (silent || (within && field->when_unset == UNSET_REPLACE)) {
		print_message("%s: '%s' %s\n", where, field->name,
			      silent ? "does not declare when_unset" : "cannot ask for a new object");
		count++;
	}
	for (size_t i = 0; i < field->members.count; i++)
		count += undeclared(field_at(&field->members, i), where, true);
	for (size_t i = 0; field->item && i < field->item->members.count; i++)
		count += undeclared(field_at(&field->item->members, i), where, true);
	return count;
}

/* Silence must not mean that a field is let go of. */
static void test_every_optional_field_declares_when_unset(void **state)
{
	struct arena arena;
	size_t count = 0;

	(void)state;
	arena_init(&arena);
	struct kinds kinds = all_kinds(&arena);
	for (size_t i = 0; i < kinds.count; i++)
		for (size_t k = 0; k < kinds.items[i]->fields.count; k++)
			count += undeclared(field_at(&kinds.items[i]->fields, k), kinds.items[i]->name, false);
	assert_true(kinds.count > 0);
	assert_int_equal(count, 0);
	arena_release(&arena);
}

/* How many fields have a pattern without words, words without one, or words whose example does not match it. */
static size_t unworded(const struct field *field, const char *where)
{
	const char *example = field->in_words ? strstr(field->in_words, "such as ") : NULL;
	size_t count = 0;

	if (!field->pattern != !field->in_words ||
	    (example && !pattern_matches(field->pattern, slice_of(example + strlen("such as "))))) {
		print_message("%s: '%s' does not say in words what it takes\n", where, field->name);
		count++;
	}
	for (size_t i = 0; i < field->members.count; i++)
		count += unworded(field_at(&field->members, i), where);
	return count + (field->item ? unworded(field->item, where) : 0);
}

static size_t unworded_among(const struct fields *fields, const char *where)
{
	size_t count = 0;

	for (size_t i = 0; i < fields->count; i++)
		count += unworded(field_at(fields, i), where);
	return count;
}

/* A person who has got it wrong is told in words, and no pattern. */
static void test_every_pattern_is_put_into_words(void **state)
{
	struct arena arena;
	size_t count = 0;

	(void)state;
	arena_init(&arena);
	struct kinds kinds = all_kinds(&arena);
	for (size_t i = 0; i < kinds.count; i++)
		count += unworded_among(&kinds.items[i]->fields, kinds.items[i]->name);
	for (size_t i = 0; i < all_providers.count; i++)
		count += unworded_among(&all_providers.items[i]->settings, all_providers.items[i]->name);
	assert_int_equal(count, 0);
	arena_release(&arena);
}

static const struct {
	const char *pattern;
	struct slice text;
	bool matches;
} pattern_rows[] = {
	{"^subnet-[0-9a-f]{8,17}$", TEXT("subnet-01234567"), true},
	{"^subnet-[0-9a-f]{8,17}$", TEXT("subnet-0123456"), false},
	{"^subnet-[0-9a-f]{8,17}$", TEXT("subnet-01234567890123456"), true},
	{"^subnet-[0-9a-f]{8,17}$", TEXT("subnet-012345678901234567"), false},
	{"^subnet-[0-9a-f]{8,17}$", TEXT("subnet-0123456g"), false},
	{"^subnet-[0-9a-f]{8,17}$", TEXT("xsubnet-01234567"), false},
	{"subnet-[0-9a-f]+", TEXT("subnet-1\n"), false},
	{"^a$", TEXT("a\n"), false},
	{"^(igw|vgw)-[0-9]+$", TEXT("vgw-1"), true},
	{"^(igw|vgw)-[0-9]+$", TEXT("tgw-1"), false},
	{"a|bc", TEXT("bc"), true},
	{"a|bc", TEXT("abc"), false},
	{"a|[bc]{2}|", TEXT("cb"), true},
	{"a|[bc]{2}|", TEXT(""), true},
	{"^a$|^b|[|]$", TEXT("|"), true},
	{"^a$|^b|[|]$", TEXT("b|"), false},
	{"^[a-z]([a-z0-9-]*[a-z0-9])?$", TEXT("a-b"), true},
	{"^[a-z]([a-z0-9-]*[a-z0-9])?$", TEXT("a-"), false},
	{"^[a-z0-9-]*[a-z]$", TEXT("ab-c"), true},
	{"^.+$", TEXT("a\0b"), true},
	{"^.+$", TEXT("a\nb"), false},
	{"^.*$", TEXT(""), true},
	{"", TEXT(""), true},
	{"", TEXT("a"), false},
	{"^[^/]+/\\d+$", TEXT("eni/7"), true},
	{"^[\\w.-]+\\.example$", TEXT("a.b-c_d.example"), true},
	{"^[^a]+$", TEXT("\xc3\xa9"), true},
	{"(?i)ABC", TEXT("abc"), true},
	{"^(", TEXT("("), false},
};

static void test_patterns(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(pattern_rows); i++) {
		if (pattern_matches(pattern_rows[i].pattern, pattern_rows[i].text) != pattern_rows[i].matches)
			fail_msg("%s: %.*s", pattern_rows[i].pattern, SLICE_ARGUMENTS(pattern_rows[i].text));
	}
	assert_true(pattern_matches(NULL, SLICE("anything")));
}

/* A text that keeps a backtracking matcher busy for ever ends soon all the same. */
static void test_pattern_time(void **state)
{
	enum { LENGTH = 20000 };
	static char text[LENGTH];

	(void)state;
	memset(text, 'a', sizeof(text));
	assert_false(pattern_matches("^a*a*a*a*a*a*a*a*b$", (struct slice){text, sizeof(text)}));
	assert_true(pattern_matches("^a*a*a*a*$", (struct slice){text, sizeof(text)}));
}

static bool pcre_says(const char *pattern, struct slice text, bool *ret_valid)
{
	int error;
	PCRE2_SIZE offset;
	uint32_t options = PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_DOLLAR_ENDONLY;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, &error, &offset, NULL);
	pcre2_match_data *match;
	bool matches;

	*ret_valid = code != NULL;
	if (!code)
		return false;
	match = pcre2_match_data_create_from_pattern(code, NULL);
	matches = pcre2_match(code, (PCRE2_SPTR)text.data, text.size, 0, 0, match, NULL) >= 0;
	pcre2_match_data_free(match);
	pcre2_code_free(code);
	return matches;
}

/* Random patterns and texts, from a fixed seed: what is matched as it stands is what PCRE2 matches. */
static void test_patterns_against_pcre(void **state)
{
	static const char *const pieces[] = {
		"a",	   "b",		  "-",	  "[ab]", "[a-c]", "[^a]", "[0-9]", "\\d",    "\\.",	 "\\w",
		".",	   "[]a]",	  "[a-]", "[-a]", "]",	   "}",	   "[^]]",  "[\\d-]", "[a\\]b]", "\\-",
		"[a-b-c]", "[[:alpha:]]", "(a)",  "x",	  "|",	   "|^",   "$|",    "a|",
	};
	static const char *const repeats[] = {"",      "",     "",     "*", "+",  "?",	"{2}",
					      "{0,2}", "{1,}", "{,2}", "{", "*?", "++", "{3,1}"};
	static const char alphabet[] = "abcx-.09]\n";
	uint32_t seed = 1;
	size_t matched = 0;

	(void)state;
	for (size_t round = 0; round < 40000; round++) {
		char pattern[128] = "", text[12];
		char *end = pattern;
		size_t size;
		bool valid, expected;

		seed = seed * 1664525 + 1013904223;
		if (seed >> 31)
			end = stpcpy(end, "^");
		for (size_t i = 0; i < 1 + (seed >> 8) % 4; i++) {
			uint32_t dice = (seed ^ (uint32_t)(i * 2654435761U)) * 2246822519U;

			end = stpcpy(end, pieces[(dice >> 10) % COUNT(pieces)]);
			end = stpcpy(end, repeats[(dice >> 20) % COUNT(repeats)]);
		}
		if (seed >> 30 & 1)
			stpcpy(end, "$");
		size = (seed >> 12) % (sizeof(text) - 4);
		for (size_t i = 0; i < size; i++) {
			seed = seed * 1664525 + 1013904223;
			text[i] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
		}
		expected = pcre_says(pattern, (struct slice){text, size}, &valid);
		if (!valid)
			continue;
		matched += expected ? 1 : 0;
		if (pattern_matches(pattern, (struct slice){text, size}) != expected)
			fail_msg("%s: '%.*s' should be %d", pattern, (int)size, text, expected);
	}
	/* Or the rows above say nothing. */
	assert_true(matched > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_outputs),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_pattern_time),
		cmocka_unit_test(test_patterns_against_pcre),
		cmocka_unit_test(test_every_optional_field_declares_when_unset),
		cmocka_unit_test(test_every_pattern_is_put_into_words),
	};

	return cmocka_run_group_tests_name("kind", tests, NULL, NULL);
}
