#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/source.h"

static void fill(struct sources *sources)
{
	sources_init(sources);
	assert_int_equal(sources_add(sources, SLICE("net/web.yaml"), SLICE("one\ntwo\r\n\nfour")), 0);
	assert_int_equal(sources_add(sources, SLICE("b.yaml"), SLICE("")), 1);
	assert_int_equal(sources_add(sources, SLICE("c.yaml"), SLICE("end\n")), 2);
}

static void test_place(void **state)
{
	static const struct {
		const char *name;
		struct position position;
		const char *place, *line;
	} rows[] = {
		{"nowhere", {0, 0, 0}, "", ""},
		{"nowhere, with a column", {0, 3, 0}, "", ""},
		{"first line", {1, 1, 0}, "net/web.yaml:1:1", "one"},
		{"line with a carriage return", {2, 3, 0}, "net/web.yaml:2:3", "two"},
		{"empty line", {3, 1, 0}, "net/web.yaml:3:1", ""},
		{"last line, no end", {4, 9, 0}, "net/web.yaml:4:9", "four"},
		{"past the last line", {5, 1, 0}, "net/web.yaml:5:1", ""},
		{"far past the last line", {4000000000, 1, 0}, "net/web.yaml:4000000000:1", ""},
		{"no column", {2, 0, 0}, "net/web.yaml:2", "two"},
		{"a column too far to count", {2, UINT16_MAX, 0}, "net/web.yaml:2", "two"},
		{"text not kept", {7, 2, 1}, "b.yaml:7:2", ""},
		{"line with its end", {1, 1, 2}, "c.yaml:1:1", "end"},
		{"behind the last end", {2, 1, 2}, "c.yaml:2:1", ""},
		{"no such file", {1, 1, 3}, "", ""},
		{"past all files", {1, 1, UINT16_MAX}, "", ""},
	};
	struct sources sources;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	fill(&sources);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct slice place = sources_place(&sources, rows[i].position, &arena);
		struct slice line = sources_line(&sources, rows[i].position);

		if (!slice_is(place, rows[i].place))
			fail_msg("%s: place '%.*s'", rows[i].name, SLICE_ARGUMENTS(place));
		if (!slice_is(line, rows[i].line))
			fail_msg("%s: line '%.*s'", rows[i].name, SLICE_ARGUMENTS(line));
	}
	sources_release(&sources);
	arena_release(&arena);
}

static void test_compare(void **state)
{
	static const struct {
		const char *name;
		struct position a, b;
		int order;
	} rows[] = {
		{"same", {3, 4, 1}, {3, 4, 1}, 0},
		{"by column", {3, 4, 1}, {3, 5, 1}, -1},
		{"by line before column", {3, 9, 1}, {4, 1, 1}, -1},
		{"by file before line", {9, 9, 1}, {1, 1, 2}, -1},
		{"no position last", {9, 9, 9}, {0, 0, 0}, -1},
		{"two without position", {0, 1, 2}, {0, 3, 4}, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int order = position_compare(rows[i].a, rows[i].b), back = position_compare(rows[i].b, rows[i].a);

		if ((order > 0) - (order < 0) != rows[i].order || (back > 0) - (back < 0) != -rows[i].order)
			fail_msg("%s: %d, %d", rows[i].name, order, back);
	}
}

static void test_most_files(void **state)
{
	struct sources sources;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	sources_init(&sources);
	for (unsigned i = 0; i < UINT16_MAX - 1; i++)
		assert_int_equal(sources_add(&sources, SLICE("a"), SLICE("x")), i);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(sources_add(&sources, SLICE("a"), SLICE("x")), UINT16_MAX);
	assert_int_equal(sources.count, UINT16_MAX - 1);
	assert_int_equal(sources_place(&sources, (struct position){1, 1, UINT16_MAX}, &arena).size, 0);
	sources_release(&sources);
	arena_release(&arena);
}

static void test_hiding(void **state)
{
	static const struct {
		const char *name;
		struct position position;
		const char *text; /* NULL: nothing begins there */
		unsigned hidden;  /* a bit for each span */
	} rows[] = {
		{"the first", {1, 4, 0}, "a", 1},
		{"the last", {3, 2, 0}, "e", 16},
		{"far right, where places are not told apart", {2, UINT16_MAX, 0}, "d", 12},
		{"before a span", {2, 1, 0}, NULL, 0},
		{"behind all", {4, 1, 0}, NULL, 0},
		{"nowhere", {0, 0, 0}, NULL, 0},
		{"in a file without spans", {1, 4, 1}, NULL, 0},
		{"in no file", {1, 4, UINT16_MAX}, NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct span spans[] = {
			{{1, 4, 0}, SLICE("a"), false},		 {{2, 2, 0}, SLICE("b"), false},
			{{2, UINT16_MAX, 0}, SLICE("c"), false}, {{2, UINT16_MAX, 0}, SLICE("d"), false},
			{{3, 2, 0}, SLICE("e"), false},
		};
		struct sources sources;
		struct slice text;
		unsigned hidden = 0;

		sources_init(&sources);
		sources_add(&sources, SLICE("a.yaml"), SLICE("text"));
		sources_add(&sources, SLICE("b.yaml"), SLICE("text"));
		sources.items[0].spans = spans;
		sources.items[0].span_count = sizeof(spans) / sizeof(spans[0]);
		text = sources_hide(&sources, rows[i].position);
		for (unsigned k = 0; k < sizeof(spans) / sizeof(spans[0]); k++)
			hidden |= spans[k].hidden ? 1U << k : 0;
		if (hidden != rows[i].hidden || !slice_is(text, rows[i].text ? rows[i].text : ""))
			fail_msg("%s: '%.*s', %u", rows[i].name, SLICE_ARGUMENTS(text), hidden);
		sources_release(&sources);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hiding),
		cmocka_unit_test(test_place),
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_most_files),
	};

	return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}
