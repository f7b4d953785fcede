#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/base64.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static void test_base64(void **state)
{
	/* RFC 4648, section 10. text NULL: refused. */
	static const struct {
		const char *name, *text, *base64;
		bool written;
	} rows[] = {
		{"nothing", "", "", true},
		{"one byte", "f", "Zg==", true},
		{"two bytes", "fo", "Zm8=", true},
		{"three bytes", "foo", "Zm9v", true},
		{"four bytes", "foob", "Zm9vYg==", true},
		{"five bytes", "fooba", "Zm9vYmE=", true},
		{"six bytes", "foobar", "Zm9vYmFy", true},
		{"the last digits", "\xfb\xef\xff", "++//", true},
		{"lines", "foobar", "Zm9v\r\n YmFy\n", false},
		{"space around padding", "f", "Zg = =\t", false},
		{"no padding", NULL, "Zg", false},
		{"half the padding", NULL, "Zg=", false},
		{"too much padding", NULL, "Zg===", false},
		{"padding of nothing", NULL, "====", false},
		{"padding of a whole group", NULL, "Zm9v=", false},
		{"padding of a whole group, 4", NULL, "Zm9v====", false},
		{"padding of one digit", NULL, "Z===", false},
		{"one digit and two", NULL, "Z==", false},
		{"one digit", NULL, "Z", false},
		{"a digit after padding", NULL, "Zg==Zg==", false},
		{"a digit within padding", NULL, "Zg=Z=", false},
		{"a digit for padding", NULL, "Zg=A", false},
		{"bits left over, two", NULL, "Zh==", false},
		{"bits left over, one", NULL, "Zm9=", false},
		{"the other alphabet", NULL, "--__", false},
		{"no digit", NULL, "Zm9*", false},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice text = SLICE("untouched");
		bool good = base64_decode(&arena, slice_of(rows[i].base64), &text);

		if (good != (rows[i].text != NULL))
			fail_msg("%s: taken or refused", rows[i].name);
		if (!slice_is(text, good ? rows[i].text : "untouched"))
			fail_msg("%s: read as '%.*s'", rows[i].name, SLICE_ARGUMENTS(text));
		if (rows[i].written && !slice_is(base64_encode(&arena, slice_of(rows[i].text)), rows[i].base64))
			fail_msg("%s: written otherwise", rows[i].name);
	}
	assert_false(base64_decode(&arena, (struct slice){"Zm9\0", 4}, &(struct slice){NULL, 0}));
	arena_release(&arena);
}

/* Every length and byte comes back. */
static void test_base64_back(void **state)
{
	struct arena arena;
	char bytes[256];

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 167);
	for (size_t size = 0; size <= sizeof(bytes); size++) {
		struct slice text = {bytes, size}, back;
		struct slice base64 = base64_encode(&arena, text);

		assert_int_equal(base64.size, (size + 2) / 3 * 4);
		assert_true(base64_decode(&arena, base64, &back));
		assert_true(slice_equal(back, text));
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base64),
		cmocka_unit_test(test_base64_back),
	};

	return cmocka_run_group_tests_name("base64", tests, NULL, NULL);
}
