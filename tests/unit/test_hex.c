#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/hex.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_every_byte_is_a_digit_or_none(void **state)
{
	static const char digits[] = "0123456789abcdefABCDEF";

	(void)state;
	for (int byte = 0; byte < 256; byte++) {
		const char *found = memchr(digits, byte, sizeof(digits) - 1);
		int value = !found ? -1 : (int)(found - digits) - (found - digits >= 16 ? 6 : 0);

		if (hex_digit((char)byte) != value)
			fail_msg("byte %d: %d", byte, hex_digit((char)byte));
	}
}

static void test_written(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_true(slice_is(hex_encode(&arena, (struct slice){"\x00\x7f\x80\xff", 4}), "007f80ff"));
	assert_true(slice_is(hex_encode(&arena, slice_of(NULL)), ""));
	arena_release(&arena);
}

static void test_read(void **state)
{
	/* bytes NULL: refused. */
	static const struct {
		const char *name, *text, *bytes;
	} rows[] = {
		{"every digit", "0123456789abcdef", "\x01\x23\x45\x67\x89\xab\xcd\xef"},
		{"upper case", "0123456789ABCDEF", NULL},
		{"a digit less", "0123456789abcde", NULL},
		{"a digit more", "0123456789abcdef0", NULL},
		{"a byte less", "0123456789abcd", NULL},
		{"a byte more", "0123456789abcdef00", NULL},
		{"no digit at the end", "0123456789abcdeg", NULL},
		{"a space", "0123456 89abcdef", NULL},
		{"nothing", "", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint8_t bytes[8] = "untouch";

		if (hex_read(slice_of(rows[i].text), bytes, sizeof(bytes)) != (rows[i].bytes != NULL))
			fail_msg("%s: taken or refused", rows[i].name);
		if (memcmp(bytes, rows[i].bytes ? rows[i].bytes : "untouch", sizeof(bytes)) != 0)
			fail_msg("%s: other bytes", rows[i].name);
	}
	assert_true(hex_read(slice_of(""), NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_byte_is_a_digit_or_none),
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_read),
	};

	return cmocka_run_group_tests_name("base/hex", tests, NULL, NULL);
}
