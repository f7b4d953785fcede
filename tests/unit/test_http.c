#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/http.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static void test_endpoint(void **state)
{
	static const struct {
		const char *name, *endpoint;
		bool simulated;
		const char *file;
	} rows[] = {
		{"none", NULL, false, ""},
		{"in memory", "sim:", true, ""},
		{"in a file", "sim:world.json", true, "world.json"},
		{"a file with a colon", "sim:sim:a", true, "sim:a"},
		{"a beginning of it", "sim", false, ""},
		{"another case", "SIM:world.json", false, ""},
		{"a URL", "https://sim:80/", false, ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice endpoint = slice_of(rows[i].endpoint);

		if (endpoint_is_simulated(endpoint) != rows[i].simulated ||
		    !slice_is(endpoint_file(endpoint), rows[i].file))
			fail_msg("%s: '%.*s'", rows[i].name, SLICE_ARGUMENTS(endpoint_file(endpoint)));
	}
}

static void test_header_value(void **state)
{
	const struct http_header headers[] = {
		{SLICE("Retry-After"), SLICE(" 7\t")},
		{SLICE("retry-after"), SLICE("8")},
		{SLICE("X-Empty"), {NULL, 0}},
		{SLICE("X-Blank"), SLICE("  ")},
	};
	static const struct {
		const char *name, *header, *value; /* NULL: there is none */
	} rows[] = {
		{"the first of two, trimmed", "retry-after", "7"},
		{"in another case", "RETRY-AFTER", "7"},
		{"one without a value", "x-empty", ""},
		{"one of spaces", "x-blank", ""},
		{"one that is not there", "server", NULL},
		{"the beginning of one", "retry", NULL},
		{"nothing", "", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice value = http_header_value(headers, COUNT(headers), rows[i].header);

		if ((value.data != NULL) != (rows[i].value != NULL) || !slice_is(value, rows[i].value))
			fail_msg("%s: '%.*s'", rows[i].name, SLICE_ARGUMENTS(value));
	}
	assert_null(http_header_value(NULL, 0, "server").data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_endpoint),
		cmocka_unit_test(test_header_value),
	};

	return cmocka_run_group_tests_name("http", tests, NULL, NULL);
}
