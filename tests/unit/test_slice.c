#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/slice.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static int sign(int number)
{
	return (number > 0) - (number < 0);
}

static void test_compare(void **state)
{
	static const struct {
		const char *name, *a, *b;
		int order;
	} rows[] = {
		{"both empty", "", "", 0},	  {"empty first", "", "a", -1},
		{"equal", "ab", "ab", 0},	  {"prefix first", "ab", "abc", -1},
		{"by byte", "abd", "abc", 1},	  {"bytes are unsigned", "\xff", "a", 1},
		{"size is second", "b", "aa", 1}, {"case counts", "B", "a", -1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice a = slice_of(rows[i].a), b = slice_of(rows[i].b);

		if (sign(slice_compare(a, b)) != rows[i].order || sign(slice_compare(b, a)) != -rows[i].order)
			fail_msg("%s", rows[i].name);
		if (slice_equal(a, b) != (rows[i].order == 0) || slice_is(a, rows[i].b) != (rows[i].order == 0))
			fail_msg("%s: equal", rows[i].name);
	}
	assert_int_equal(slice_compare(slice_of(NULL), SLICE("")), 0);
	assert_true(slice_compare((struct slice){"a\0b", 3}, (struct slice){"a\0c", 3}) < 0);
}

static void test_equal_caseless(void **state)
{
	static const struct {
		const char *name, *a, *b;
		bool equal;
	} rows[] = {
		{"both empty", "", "", true},
		{"one empty", "", "a", false},
		{"the whole alphabet", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", true},
		{"mixed", "Retry-After", "retry-aFTER", true},
		{"a prefix", "retry", "retry-after", false},
		{"another letter", "retry", "retrz", false},
		{"what lies 32 apart and is no letter", "@[", "`{", false},
		{"beyond ASCII", "\xc4", "\xe4", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice a = slice_of(rows[i].a), b = slice_of(rows[i].b);

		if (slice_equal_caseless(a, b) != rows[i].equal || slice_equal_caseless(b, a) != rows[i].equal)
			fail_msg("%s", rows[i].name);
	}
}

static void test_parts(void **state)
{
	static const struct {
		const char *name, *text, *part;
		bool starts, ends, contains;
	} rows[] = {
		{"nothing in nothing", "", "", true, true, true},
		{"nothing in something", "abc", "", true, true, true},
		{"something in nothing", "", "a", false, false, false},
		{"start", "abc", "ab", true, false, true},
		{"end", "abc", "bc", false, true, true},
		{"all", "abc", "abc", true, true, true},
		{"longer", "abc", "abcd", false, false, false},
		{"middle", "abc", "b", false, false, true},
		{"almost", "aab", "aaa", false, false, false},
		{"second try", "aaab", "aab", false, true, true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice text = slice_of(rows[i].text), part = slice_of(rows[i].part);

		if (slice_starts_with(text, part) != rows[i].starts)
			fail_msg("%s: starts", rows[i].name);
		if (slice_ends_with(text, part) != rows[i].ends)
			fail_msg("%s: ends", rows[i].name);
		if (slice_contains(text, part) != rows[i].contains)
			fail_msg("%s: contains", rows[i].name);
	}
	assert_true(slice_contains(slice_of(NULL), slice_of(NULL)));
}

static void test_among(void **state)
{
	const struct slice list[] = {SLICE("tags"), SLICE("tag"), {NULL, 0}};

	(void)state;
	assert_true(slice_is_among("tags", list, 3));
	assert_true(slice_is_among("tag", list, 3));
	assert_true(slice_is_among("", list, 3));
	assert_false(slice_is_among("tag", list, 1));
	assert_false(slice_is_among("ta", list, 3));
	assert_false(slice_is_among("tags", NULL, 0));
}

static void test_one_of(void **state)
{
	static const char *const names[] = {"available", "", "pending", NULL}, *const none[] = {NULL};
	static const struct {
		const char *name, *text;
		const char *const *names;
		bool found;
	} rows[] = {
		{"the first", "available", names, true},
		{"the last", "pending", names, true},
		{"nothing, which is a name as well", "", names, true},
		{"another case", "Pending", names, false},
		{"the beginning of one", "pend", names, false},
		{"an empty list", "pending", none, false},
		{"no list", "pending", NULL, false},
		{"nothing, and an empty list", "", none, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (slice_is_one_of(slice_of(rows[i].text), rows[i].names) != rows[i].found)
			fail_msg("%s", rows[i].name);
}

static void test_from_and_first(void **state)
{
	static const struct {
		const char *name, *text;
		size_t count;
		const char *from, *first;
	} rows[] = {
		{"none", "abc", 0, "abc", ""},
		{"some", "abc", 1, "bc", "a"},
		{"all", "abc", 3, "", "abc"},
		{"too many", "abc", 4, "", "abc"},
		{"far too many", "abc", SIZE_MAX, "", "abc"},
		{"of nothing", NULL, 5, "", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice text = slice_of(rows[i].text);

		if (!slice_is(slice_from(text, rows[i].count), rows[i].from))
			fail_msg("%s: from", rows[i].name);
		if (!slice_is(slice_first(text, rows[i].count), rows[i].first))
			fail_msg("%s: first", rows[i].name);
	}
}

static void test_trim(void **state)
{
	static const struct {
		const char *name, *text, *trimmed;
	} rows[] = {
		{"nothing", "", ""},
		{"only space", " \t\n\v\f\r ", ""},
		{"both ends", "\t a b \r\n", "a b"},
		{"no space", "ab", "ab"},
		{"not beyond ASCII",
		 "\xc2\xa0"
		 "a",
		 "\xc2\xa0"
		 "a"},
		{"not other controls",
		 "\x08"
		 "a\x0e",
		 "\x08"
		 "a\x0e"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (!slice_is(slice_trim(slice_of(rows[i].text)), rows[i].trimmed))
			fail_msg("%s", rows[i].name);
	}
}

static void test_cut(void **state)
{
	static const struct {
		const char *name, *text, *before, *rest; /* rest NULL: no separator */
	} rows[] = {
		{"none there", "abc", "abc", NULL}, {"in the middle", "a.b.c", "a", "b.c"},
		{"first", ".a", "", "a"},	    {"last", "a.", "a", ""},
		{"nothing", "", "", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice rest = slice_of(rows[i].text);

		if (!slice_is(slice_cut(&rest, '.'), rows[i].before))
			fail_msg("%s: before", rows[i].name);
		if ((rest.data != NULL) != (rows[i].rest != NULL) || !slice_equal(rest, slice_of(rows[i].rest)))
			fail_msg("%s: rest", rows[i].name);
	}
}

static void test_integer(void **state)
{
	static const struct {
		const char *name, *text;
		bool good;
		int64_t number;
	} rows[] = {
		{"zero", "0", true, 0},
		{"positive", "1234567890", true, 1234567890},
		{"negative", "-17", true, -17},
		{"largest", "9223372036854775807", true, INT64_MAX},
		{"one too large", "9223372036854775808", false, 0},
		{"smallest", "-9223372036854775808", true, INT64_MIN},
		{"one too small", "-9223372036854775809", false, 0},
		{"far too large", "99999999999999999999999", false, 0},
		{"nothing", "", false, 0},
		{"only a sign", "-", false, 0},
		{"plus", "+1", false, 0},
		{"two signs", "--1", false, 0},
		{"space before", " 1", false, 0},
		{"space after", "1 ", false, 0},
		{"hexadecimal", "0x1", false, 0},
		{"a fraction", "1.0", false, 0},
		{"below the digits", "1/", false, 0},
		{"above the digits", "1:", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int64_t number = 42;

		if (slice_integer(slice_of(rows[i].text), &number) != rows[i].good)
			fail_msg("%s: taken or refused", rows[i].name);
		if (number != (rows[i].good ? rows[i].number : 42))
			fail_msg("%s: %lld", rows[i].name, (long long)number);
	}
	{
		int64_t number = 42;

		assert_false(slice_integer((struct slice){"1\0", 2}, &number));
	}
}

static void test_utf8(void **state)
{
	static const struct {
		const char *name, *text;
		int bad; /* -1: none */
	} rows[] = {
		{"nothing", "", -1},
		{"ASCII", "plain text that is longer than a word", -1},
		{"two bytes", "\xc2\x80\xdf\xbf", -1},
		{"three bytes", "\xe0\xa0\x80\xef\xbf\xbf", -1},
		{"four bytes", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", -1},
		{"around the surrogates", "\xed\x9f\xbf\xee\x80\x80", -1},
		{"lone continuation", "ab\x80", 2},
		{"overlong slash", "\xc0\xaf", 0},
		{"overlong of two", "\xc1\xbf", 0},
		{"overlong of three", "x\xe0\x9f\xbf", 1},
		{"overlong of four", "\xf0\x8f\xbf\xbf", 0},
		{"surrogate", "\xed\xa0\x80", 0},
		{"last surrogate", "\xed\xbf\xbf", 0},
		{"past U+10FFFF", "\xf4\x90\x80\x80", 0},
		{"five bytes", "\xf8\x88\x80\x80\x80", 0},
		{"0xff", "\xff", 0},
		{"cut after one", "12345678\xe2", 8},
		{"cut after two", "12345678\xe2\x82", 8},
		{"cut after three", "\xf0\x90\x80", 0},
		{"third is none", "\xe2\x82x", 0},
		{"fourth is none", "\xf0\x90\x80x", 0},
		{"after a long run", "0123456789012345678901234567890\xffx", 31},
		{"in the eighth byte", "0123456\xff", 7},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t bad = 999;
		bool good = slice_is_utf8(slice_of(rows[i].text), &bad);

		if (good != (rows[i].bad < 0) || bad != (good ? 999 : (size_t)rows[i].bad))
			fail_msg("%s: %d at %zu", rows[i].name, good, bad);
	}
	assert_false(slice_is_utf8(SLICE("\xff"), NULL));
	assert_false(slice_is_utf8(slice_first(SLICE("\xe2\x82\xac"), 2), NULL));
	assert_true(slice_is_utf8((struct slice){"\0\0", 2}, NULL));
	assert_int_equal(slice_characters(SLICE("")), 0);
	assert_int_equal(slice_characters(SLICE("a\xc3\xa4\xe2\x82\xac\xf0\x90\x80\x80")), 4);
}

static void test_fits_xml(void **state)
{
	static const struct {
		const char *name;
		struct slice text;
		int bad; /* -1: none */
	} rows[] = {
		{"nothing", {"", 0}, -1},
		{"text", {"text of more than eight bytes \xc3\xa4", 32}, -1},
		{"what XML has of control characters", {"a\tb\nc\rd", 7}, -1},
		{"delete and C1", {"\x7f\xc2\x80", 3}, -1},
		{"NUL", {"a\0b", 3}, 1},
		{"U+0001", {"0123456789\x01", 11}, 10},
		{"U+001F", {"\x1f", 1}, 0},
		{"U+FFFD", {"\xef\xbf\xbd", 3}, -1},
		{"U+FFFE", {"a\xef\xbf\xbe", 4}, 1},
		{"U+FFFF", {"\xef\xbf\xbf", 3}, 0},
		{"U+1FFFF", {"\xf0\x9f\xbf\xbf", 4}, -1},
		{"no UTF-8", {"ab\xff", 3}, 2},
		{"a control character before what is no UTF-8", {"a\x02\xff", 3}, 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t bad = 999;
		bool good = slice_fits_xml(rows[i].text, &bad);

		if (good != (rows[i].bad < 0) || bad != (good ? 999 : (size_t)rows[i].bad))
			fail_msg("%s: %d at %zu", rows[i].name, good, bad);
	}
	assert_false(slice_fits_xml(SLICE("\x01"), NULL));
	/* Texts are looked at in words: each byte in each place of texts that fill words and of those that do not. */
	for (size_t size = 1; size <= 20; size++) {
		for (size_t place = 0; place < size; place++) {
			for (int byte = 0; byte < 0x80; byte++) {
				char text[20];
				size_t bad = size;
				bool fits = byte >= 0x20 || byte == '\t' || byte == '\n' || byte == '\r';

				memset(text, 'a', sizeof(text));
				text[place] = (char)byte;
				if (slice_fits_xml((struct slice){text, size}, &bad) != fits ||
				    bad != (fits ? size : place))
					fail_msg("0x%02x at %zu of %zu", (unsigned)byte, place, size);
			}
		}
	}
}

static void test_nearest(void **state)
{
	const struct slice names[] = {
		SLICE("cidr"), SLICE("availability_zone"), SLICE("tags"), SLICE("vpc"),
		SLICE("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")};
	static const struct {
		const char *name, *text;
		int nearest;
	} rows[] = {
		{"the very name", "cidr", 0},
		{"a letter missing", "cdr", 0},
		{"a letter too many", "cidrr", 0},
		{"neighbours swapped", "tasg", 2},
		{"another letter in three", "vpx", 3},
		{"two slips in a long name", "availabilty_zones", 1},
		{"too far", "tagging", -1},
		{"two letters of three", "xxc", -1},
		{"short names have no room", "vp", -1},
		{"half of it", "avail", -1},
		{"nothing", "", -1},
		{"past the cap", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", 4},
		{"far past the cap",
		 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
		 4},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int nearest = slice_nearest(slice_of(rows[i].text), names, COUNT(names));

		if (nearest != rows[i].nearest)
			fail_msg("%s: %d", rows[i].name, nearest);
	}
	assert_int_equal(slice_nearest(SLICE("cidr"), NULL, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compare),	 cmocka_unit_test(test_equal_caseless),
		cmocka_unit_test(test_parts),	 cmocka_unit_test(test_among),
		cmocka_unit_test(test_one_of),	 cmocka_unit_test(test_from_and_first),
		cmocka_unit_test(test_trim),	 cmocka_unit_test(test_cut),
		cmocka_unit_test(test_integer),	 cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_fits_xml), cmocka_unit_test(test_nearest),
	};

	return cmocka_run_group_tests_name("slice", tests, NULL, NULL);
}
