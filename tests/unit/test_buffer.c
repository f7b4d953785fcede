#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

/* More than a buffer begins with: 300 bytes. */
#define TEXT_OF_60 "123456789012345678901234567890123456789012345678901234567890"
#define LONG_TEXT TEXT_OF_60 TEXT_OF_60 TEXT_OF_60 TEXT_OF_60 TEXT_OF_60

static bool append_slice(struct buffer *buffer, const char *text)
{
	return buffer_append(buffer, slice_of(text));
}

static bool append_bytes(struct buffer *buffer, const char *text)
{
	bool taken = true;

	for (; *text; text++)
		taken = buffer_byte(buffer, *text);
	return taken;
}

static bool append_formatted(struct buffer *buffer, const char *text)
{
	return buffer_format(buffer, "%s", text);
}

/* What is wiped on its way is whole all the same, and stays within the cap. */
static void test_wiped(void **state)
{
	struct buffer buffer;

	(void)state;
	buffer_init_wiped(&buffer, 700);
	assert_true(buffer_string(&buffer, "first ") && buffer_string(&buffer, LONG_TEXT));
	assert_true(slice_is(buffer_slice(&buffer), "first " LONG_TEXT));
	assert_true(buffer_string(&buffer, LONG_TEXT));
	assert_true(slice_is(buffer_slice(&buffer), "first " LONG_TEXT LONG_TEXT));
	assert_false(buffer_string(&buffer, LONG_TEXT));
	buffer_release(&buffer);
	assert_null(buffer.data);
	assert_true(buffer.wiped);
}

/* All ways of appending obey one cap. */
static void test_cap(void **state)
{
	static const struct {
		const char *name;
		bool (*append)(struct buffer *buffer, const char *text);
		size_t limit_bytes;
		const char *text;
		bool taken;
		const char *content;
	} rows[] = {
		{"slice within", append_slice, 10, "12345", true, "ab12345"},
		{"slice up to the cap", append_slice, 7, "12345", true, "ab12345"},
		{"slice past the cap", append_slice, 6, "12345", false, "ab"},
		{"string up to the cap", buffer_string, 7, "12345", true, "ab12345"},
		{"string past the cap", buffer_string, 6, "12345", false, "ab"},
		{"bytes up to the cap", append_bytes, 4, "12", true, "ab12"},
		{"bytes past the cap", append_bytes, 4, "123", false, "ab12"},
		{"format up to the cap", append_formatted, 7, "12345", true, "ab12345"},
		{"longer format up to the cap", append_formatted, 302, LONG_TEXT, true, "ab" LONG_TEXT},
		{"longer format past the cap", append_formatted, 301, LONG_TEXT, false, "ab"},
		{"format past the cap", append_formatted, 6, "12345", false, "ab"},
		{"nothing at the cap", append_slice, 2, "", true, "ab"},
		{"nothing formatted at the cap", append_formatted, 2, "", true, "ab"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		BUFFER_AUTO buffer;

		buffer_init(&buffer, rows[i].limit_bytes);
		assert_true(buffer_string(&buffer, "ab"));
		if (rows[i].append(&buffer, rows[i].text) != rows[i].taken || buffer.full == rows[i].taken)
			fail_msg("%s: taken or refused", rows[i].name);
		if (!slice_is(buffer_slice(&buffer), rows[i].content) || buffer.data[buffer.size] != '\0')
			fail_msg("%s: '%s'", rows[i].name, buffer.data);
		/* Once full, always full: not even what would fit is taken. */
		if (!rows[i].taken && (buffer_byte(&buffer, 'x') || buffer_string(&buffer, "") ||
				       !slice_is(buffer_slice(&buffer), rows[i].content)))
			fail_msg("%s: not full for good", rows[i].name);
		buffer_clear(&buffer);
		if (buffer.full || buffer_slice(&buffer).size != 0 || !buffer_string(&buffer, "ok"))
			fail_msg("%s: not cleared", rows[i].name);
	}
}

static void test_decimal(void **state)
{
	static const struct {
		uint64_t number;
		const char *text;
	} rows[] = {
		{0, "0"}, {9, "9"}, {10, "10"}, {4096, "4096"}, {UINT64_MAX, "18446744073709551615"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		BUFFER_AUTO buffer;

		buffer_init(&buffer, 20);
		if (!buffer_decimal(&buffer, rows[i].number) || !slice_is(buffer_slice(&buffer), rows[i].text))
			fail_msg("%s: '%s'", rows[i].text, buffer.data);
		assert_false(buffer_decimal(&buffer, UINT64_MAX));
	}
}

static void test_empty(void **state)
{
	BUFFER_AUTO buffer;

	(void)state;
	buffer_init(&buffer, 0);
	assert_null(buffer.data);
	assert_true(buffer_append(&buffer, slice_of(NULL)));
	assert_null(buffer.data);
	assert_false(buffer_byte(&buffer, 'x'));
	assert_true(buffer.full);
	assert_null(buffer.data);
	buffer_clear(&buffer);
	assert_false(buffer.full);
}

static void test_growth(void **state)
{
	enum { LINES = 20000 };
	BUFFER_AUTO buffer;
	int grown = 0;
	char *end;
	const char *next;

	(void)state;
	buffer_init(&buffer, SIZE_MAX / 4);
	for (int i = 0; i < LINES; i++) {
		size_t capacity = buffer.capacity;

		assert_true(buffer_format(&buffer, "%d\n", i));
		grown += buffer.capacity != capacity;
	}
	assert_true(grown < 12);
	assert_int_equal(strlen(buffer.data), buffer.size);
	next = buffer.data;
	for (int i = 0; i < LINES; i++) {
		assert_int_equal(strtol(next, &end, 10), i);
		assert_int_equal(*end, '\n');
		next = end + 1;
	}
	assert_true(buffer.capacity < 2 * buffer.size);
	buffer_release(&buffer);
	assert_null(buffer.data);
	assert_true(buffer_string(&buffer, "again"));
	assert_true(slice_is(buffer_slice(&buffer), "again"));
}

static void test_any_byte(void **state)
{
	BUFFER_AUTO buffer;

	(void)state;
	buffer_init(&buffer, 10);
	assert_true(buffer_append(&buffer, (struct slice){"a\0b", 3}));
	assert_true(buffer_byte(&buffer, '\0'));
	assert_true(slice_equal(buffer_slice(&buffer), (struct slice){"a\0b\0", 4}));
}

static void test_trim_end(void **state)
{
	static const struct {
		const char *name, *text, *wanted;
	} rows[] = {
		{"nothing", "", ""},	  {"blanks alone", "   ", ""},	       {"at the end", " a b  ", " a b"},
		{"none there", "a", "a"}, {"other white space", "a\t", "a\t"}, {"behind a line", "a \n", "a \n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		BUFFER_AUTO buffer;

		buffer_init(&buffer, 10);
		buffer_string(&buffer, rows[i].text);
		buffer_trim_end(&buffer);
		if (!slice_is(buffer_slice(&buffer), rows[i].wanted) ||
		    (buffer.data && buffer.data[buffer.size] != '\0'))
			fail_msg("%s: '%.*s'", rows[i].name, SLICE_ARGUMENTS(buffer_slice(&buffer)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cap),    cmocka_unit_test(test_decimal),	cmocka_unit_test(test_empty),
		cmocka_unit_test(test_growth), cmocka_unit_test(test_any_byte), cmocka_unit_test(test_trim_end),
		cmocka_unit_test(test_wiped),
	};

	return cmocka_run_group_tests_name("buffer", tests, NULL, NULL);
}
