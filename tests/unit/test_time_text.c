#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/time_text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_time(void **state)
{
	static const struct {
		const char *name;
		int64_t wall_ms;
		const char *text;
	} rows[] = {
		{"the beginning", 0, "1970-01-01T00:00:00Z"},
		{"milliseconds are cut", 1763727195999, "2025-11-21T12:13:15Z"},
		{"a leap day", INT64_C(1709164800000), "2024-02-29T00:00:00Z"},
		{"the year 9999", INT64_C(253402300799999), "9999-12-31T23:59:59Z"},
		{"the last of all", INT64_MAX, "292278994-08-17T07:12:55Z"},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice text = time_text(&arena, rows[i].wall_ms);

		if (!slice_is(text, rows[i].text))
			fail_msg("%s: %.*s", rows[i].name, SLICE_ARGUMENTS(text));
	}
	arena_release(&arena);
}

static void test_duration(void **state)
{
	static const struct {
		const char *text;
		int64_t ms; /* -1: refused */
	} rows[] = {
		{"0", 0},
		{"0s", 0},
		{"30s", 30000},
		{"5m", 300000},
		{"250ms", 250},
		{"1h30m", 5400000},
		{"1d2h3m4s5ms", 93784005},
		{"10000d", INT64_C(864000000000)},
		{"", -1},
		{"5", -1},
		{"s", -1},
		{"-5s", -1},
		{"5 s", -1},
		{"5S", -1},
		{"1.5s", -1},
		{"3s1h", -1},
		{"3s3s", -1},
		{"10001d", -1},
		{"10000d1ms", -1},
		{"99999999999999999999s", -1},
		{"9223372036854775807m", -1},
		{"5sx", -1},
		{"5mss", -1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int64_t ms = -1;
		bool read = duration_read(slice_of(rows[i].text), &ms);

		if (read != (rows[i].ms >= 0) || ms != rows[i].ms)
			fail_msg("'%s': %d, %lld ms", rows[i].text, (int)read, (long long)ms);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_duration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
