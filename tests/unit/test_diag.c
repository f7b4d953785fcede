#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/diag.h"

static void test_setters(void **state)
{
	struct arena arena;
	struct diagnostics diagnostics;
	char text[] = "aws.vpc.a";
	const struct diag *diag;

	(void)state;
	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	diag_hint(&diagnostics, "to nobody");
	diag_cause(&diagnostics, SLICE("nothing"));
	diag_address(&diagnostics, SLICE("nowhere"));
	diag_related(&diagnostics, NOWHERE, "to nothing");
	assert_int_equal(diagnostics.count, 0);

	assert_false(diag_error(&diagnostics, FAULT_AUTH, (struct position){1, 2, 3}, "no %s for %d", "key", 7));
	diag_hint(&diagnostics, "set '%s'", text);
	diag_cause(&diagnostics, slice_of(text));
	diag_address(&diagnostics, slice_of(text));
	diag_related(&diagnostics, (struct position){4, 5, 6}, "first %s", text);
	text[0] = 'X';
	diag = &diagnostics.items[0];
	assert_int_equal(diag->severity, SEVERITY_ERROR);
	assert_int_equal(diag->fault, FAULT_AUTH);
	assert_int_equal(diag->position.line, 1);
	assert_true(slice_is(diag->message, "no key for 7"));
	assert_true(slice_is(diag->hint, "set 'aws.vpc.a'"));
	assert_true(slice_is(diag->cause, "aws.vpc.a"));
	assert_true(slice_is(diag->address, "aws.vpc.a"));
	assert_int_equal(diag->related.line, 4);
	assert_true(slice_is(diag->related_message, "first aws.vpc.a"));

	assert_ptr_equal(diag_add(&diagnostics, SEVERITY_NOTE, FAULT_USER, NOWHERE, "%d%%", 5), &diagnostics.items[1]);
	diag_hint(&diagnostics, "second");
	assert_true(slice_is(diagnostics.items[0].hint, "set 'aws.vpc.a'"));
	assert_true(slice_is(diagnostics.items[1].hint, "second"));
	assert_int_equal(diagnostics.error_count, 1);
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

static void test_suggest(void **state)
{
	const struct slice candidates[] = {SLICE("protect"), SLICE("ignore_changes")};
	struct arena arena;
	struct diagnostics diagnostics;

	(void)state;
	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	diag_error(&diagnostics, FAULT_USER, NOWHERE, "there is no such thing");
	assert_false(diag_suggest(&diagnostics, SLICE("region"), candidates, 2));
	assert_false(diag_suggest(&diagnostics, SLICE("protect"), NULL, 0));
	assert_int_equal(diagnostics.items[0].hint.size, 0);
	assert_true(diag_suggest(&diagnostics, SLICE("ignore_change"), candidates, 2));
	assert_true(slice_is(diagnostics.items[0].hint, "did you mean 'ignore_changes'?"));
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

/* What is added; severity and message tell them apart. */
struct added {
	enum severity severity;
	int times;
	const char *message;
};

static void add_all(struct diagnostics *diagnostics, const struct added *added)
{
	for (; added->times > 0; added++) {
		for (int i = 0; i < added->times; i++) {
			assert_non_null(
				diag_add(diagnostics, added->severity, FAULT_USER, NOWHERE, "%s", added->message));
			diag_hint(diagnostics, "hint of %s", added->message);
		}
	}
}

static const struct {
	const char *name;
	struct added added[4];
	size_t count, error_count, dropped;
	const char *first_error, *last_hint;
} most_rows[] = {
	{"as many as are kept", {{SEVERITY_ERROR, 1000, "e"}}, 1000, 1000, 0, "e", "hint of e"},
	{"one error more", {{SEVERITY_ERROR, 1000, "e"}, {SEVERITY_ERROR, 1, "f"}}, 1000, 1001, 1, "e", "hint of e"},
	{"many more", {{SEVERITY_ERROR, 5000, "e"}}, 1000, 5000, 4000, "e", "hint of e"},
	{"a note too many", {{SEVERITY_NOTE, 1000, "n"}, {SEVERITY_NOTE, 1, "m"}}, 1000, 0, 1, NULL, "hint of n"},
	{"an error takes the place of a warning",
	 {{SEVERITY_WARNING, 1000, "w"}, {SEVERITY_ERROR, 1, "e"}},
	 1000,
	 1,
	 1,
	 "e",
	 "hint of e"},
	{"a warning dropped after that error",
	 {{SEVERITY_WARNING, 1000, "w"}, {SEVERITY_ERROR, 1, "e"}, {SEVERITY_WARNING, 1, "v"}},
	 1000,
	 1,
	 2,
	 "e",
	 "hint of e"},
	{"errors take the place of every warning",
	 {{SEVERITY_ERROR, 1, "d"}, {SEVERITY_WARNING, 999, "w"}, {SEVERITY_ERROR, 1500, "e"}},
	 1000,
	 1501,
	 1500,
	 "d",
	 "hint of e"},
};

static void test_most(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(most_rows) / sizeof(most_rows[0]); i++) {
		struct arena arena;
		struct diagnostics diagnostics;
		const struct diag *first;

		arena_init(&arena);
		diagnostics_init(&diagnostics, &arena);
		add_all(&diagnostics, most_rows[i].added);
		first = diagnostics_first_error(&diagnostics);
		if (diagnostics.count != most_rows[i].count || diagnostics.error_count != most_rows[i].error_count ||
		    diagnostics.dropped != most_rows[i].dropped)
			fail_msg("%s: %zu kept, %zu errors, %zu dropped", most_rows[i].name, diagnostics.count,
				 diagnostics.error_count, diagnostics.dropped);
		if ((first != NULL) != (most_rows[i].first_error != NULL) ||
		    (first && !slice_is(first->message, most_rows[i].first_error)))
			fail_msg("%s: first error", most_rows[i].name);
		if (!slice_is(diagnostics.items[diagnostics.count - 1].hint, most_rows[i].last_hint))
			fail_msg("%s: last hint", most_rows[i].name);
		diagnostics_release(&diagnostics);
		arena_release(&arena);
	}
}

/* Dropped ones need no memory. */
static void test_dropped_are_free(void **state)
{
	struct arena arena;
	struct diagnostics diagnostics;
	size_t used_bytes;

	(void)state;
	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	add_all(&diagnostics, (const struct added[]){{SEVERITY_ERROR, 1000, "e"}, {0}});
	used_bytes = arena.used_bytes;
	add_all(&diagnostics, (const struct added[]){{SEVERITY_ERROR, 1000, "e"}, {0}});
	assert_int_equal(arena.used_bytes, used_bytes);
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

struct sorted_row {
	const char *name;
	struct {
		struct position position;
		enum severity severity;
		const char *message, *hint;
	} added[5];
	const char *messages; /* after sorting, each of one letter */
	size_t error_count;
};

static const struct sorted_row sort_rows[] = {
	{"nothing", {{{0, 0, 0}, SEVERITY_ERROR, NULL, NULL}}, "", 0},
	{"by position",
	 {{{2, 1, 0}, SEVERITY_ERROR, "b", ""},
	  {{1, 1, 0}, SEVERITY_ERROR, "a", ""},
	  {{1, 1, 1}, SEVERITY_ERROR, "c", ""}},
	 "abc",
	 3},
	{"no position last", {{{0, 0, 0}, SEVERITY_ERROR, "b", ""}, {{9, 9, 9}, SEVERITY_ERROR, "a", ""}}, "ab", 2},
	{"stable",
	 {{{1, 1, 0}, SEVERITY_ERROR, "c", ""},
	  {{1, 1, 0}, SEVERITY_NOTE, "a", ""},
	  {{1, 1, 0}, SEVERITY_ERROR, "b", ""}},
	 "cab",
	 2},
	{"a repeat", {{{1, 1, 0}, SEVERITY_ERROR, "a", "h"}, {{1, 1, 0}, SEVERITY_ERROR, "a", "h"}}, "a", 1},
	{"repeats apart",
	 {{{1, 1, 0}, SEVERITY_ERROR, "a", ""},
	  {{1, 1, 0}, SEVERITY_ERROR, "b", ""},
	  {{1, 1, 0}, SEVERITY_ERROR, "a", ""},
	  {{1, 1, 0}, SEVERITY_ERROR, "b", ""}},
	 "ab",
	 2},
	{"repeats without position",
	 {{{0, 0, 0}, SEVERITY_NOTE, "a", ""},
	  {{1, 1, 0}, SEVERITY_NOTE, "b", ""},
	  {{0, 0, 0}, SEVERITY_NOTE, "a", ""}},
	 "ba",
	 0},
	{"another hint is no repeat",
	 {{{1, 1, 0}, SEVERITY_ERROR, "a", "g"}, {{1, 1, 0}, SEVERITY_ERROR, "a", "h"}},
	 "aa",
	 2},
	{"another severity is no repeat",
	 {{{1, 1, 0}, SEVERITY_ERROR, "a", ""}, {{1, 1, 0}, SEVERITY_NOTE, "a", ""}},
	 "aa",
	 1},
	{"another position is no repeat",
	 {{{1, 1, 0}, SEVERITY_ERROR, "a", ""}, {{1, 2, 0}, SEVERITY_ERROR, "a", ""}},
	 "aa",
	 2},
};

static void test_sort(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(sort_rows) / sizeof(sort_rows[0]); i++) {
		struct arena arena;
		struct diagnostics diagnostics;
		char messages[8] = "";

		arena_init(&arena);
		diagnostics_init(&diagnostics, &arena);
		for (size_t k = 0; k < 5 && sort_rows[i].added[k].message; k++) {
			diag_add(&diagnostics, sort_rows[i].added[k].severity, FAULT_USER,
				 sort_rows[i].added[k].position, "%s", sort_rows[i].added[k].message);
			diag_hint(&diagnostics, "%s", sort_rows[i].added[k].hint);
		}
		diagnostics_sort(&diagnostics);
		for (size_t k = 0; k < diagnostics.count; k++)
			messages[k] = diagnostics.items[k].message.data[0];
		if (!slice_is(slice_of(messages), sort_rows[i].messages) ||
		    diagnostics.error_count != sort_rows[i].error_count)
			fail_msg("%s: '%s', %zu errors", sort_rows[i].name, messages, diagnostics.error_count);
		diagnostics_release(&diagnostics);
		arena_release(&arena);
	}
}

/* Sorting a full collection makes room, and what then comes is kept. */
static void test_sort_full(void **state)
{
	struct arena arena;
	struct diagnostics diagnostics;

	(void)state;
	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	for (unsigned i = 0; i < 1010; i++)
		diag_error(&diagnostics, FAULT_USER, (struct position){2000 - i / 2, 1, 0}, "line");
	assert_int_equal(diagnostics.dropped, 10);
	diagnostics_sort(&diagnostics);
	assert_int_equal(diagnostics.count, 500);
	for (unsigned i = 0; i < 500; i++)
		assert_int_equal(diagnostics.items[i].position.line, 1501 + i);
	add_all(&diagnostics, (const struct added[]){{SEVERITY_ERROR, 501, "e"}, {0}});
	assert_int_equal(diagnostics.count, 1000);
	assert_int_equal(diagnostics.dropped, 11);
	assert_true(slice_is(diagnostics.items[999].hint, "hint of e"));
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

static void test_join(void **state)
{
	static const struct {
		const char *name;
		struct added to[2], from[2];
		size_t count, error_count, dropped;
		const char *last;
	} rows[] = {
		{"nothing to nothing", {{0}}, {{0}}, 0, 0, 0, NULL},
		{"behind", {{SEVERITY_ERROR, 1, "a"}}, {{SEVERITY_ERROR, 1, "b"}}, 2, 2, 0, "b"},
		{"more than are kept",
		 {{SEVERITY_ERROR, 600, "a"}},
		 {{SEVERITY_ERROR, 600, "b"}},
		 1000,
		 1200,
		 200,
		 "b"},
		{"what was dropped before",
		 {{SEVERITY_NOTE, 1, "a"}},
		 {{SEVERITY_ERROR, 1500, "b"}},
		 1000,
		 1500,
		 501,
		 "b"},
		{"notes to a full one", {{SEVERITY_ERROR, 1000, "a"}}, {{SEVERITY_NOTE, 7, "b"}}, 1000, 1000, 7, "a"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena to_arena, from_arena;
		struct diagnostics to, from;

		arena_init(&to_arena);
		arena_init(&from_arena);
		diagnostics_init(&to, &to_arena);
		diagnostics_init(&from, &from_arena);
		add_all(&to, rows[i].to);
		add_all(&from, rows[i].from);
		if (from.count > 0)
			diag_related(&from, (struct position){1, 2, 3}, "%s", rows[i].from[0].message);
		diagnostics_join(&to, &from);
		diagnostics_release(&from);
		arena_release(&from_arena);
		if (to.count != rows[i].count || to.error_count != rows[i].error_count || to.dropped != rows[i].dropped)
			fail_msg("%s: %zu kept, %zu errors, %zu dropped", rows[i].name, to.count, to.error_count,
				 to.dropped);
		if (rows[i].last && !slice_is(to.items[to.count - 1].message, rows[i].last))
			fail_msg("%s: the last is wrong", rows[i].name);
		if (rows[i].last && !slice_ends_with(to.items[to.count - 1].hint, slice_of(rows[i].last)))
			fail_msg("%s: the hint is lost", rows[i].name);
		diagnostics_release(&to);
		arena_release(&to_arena);
	}
}

static void test_hint_for_word(void **state)
{
	static const struct word_hint hints[] = {{"init", "begin with a plan"}, {"fmt", "none"}, {NULL, NULL}};
	struct arena arena;
	struct diagnostics diagnostics;

	(void)state;
	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	diag_error(&diagnostics, FAULT_USAGE, NOWHERE, "no such command");
	assert_false(diag_hint_for_word(&diagnostics, SLICE("ini"), hints));
	assert_int_equal(diagnostics.items[0].hint.size, 0);
	assert_true(diag_hint_for_word(&diagnostics, SLICE("init"), hints));
	assert_true(slice_is(diagnostics.items[0].hint, "begin with a plan"));
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hint_for_word),	 cmocka_unit_test(test_setters),
		cmocka_unit_test(test_suggest),		 cmocka_unit_test(test_most),
		cmocka_unit_test(test_dropped_are_free), cmocka_unit_test(test_sort),
		cmocka_unit_test(test_sort_full),	 cmocka_unit_test(test_join),
	};

	return cmocka_run_group_tests_name("diag", tests, NULL, NULL);
}
