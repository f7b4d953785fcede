#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "cli/command.h"
#include "cli/exit_status.h"
#include "cli/line_diff.h"
#include "cli/progress.h"
#include "cli/render.h"

enum { LIMIT_BYTES = 65536 };

static void check(const char *name, const struct buffer *got, const char *wanted)
{
	if (!slice_is(buffer_slice(got), wanted))
		fail_msg("%s: '%.*s' instead of '%s'", name, (int)got->size, got->data, wanted);
}

static void test_safe(void **state)
{
	/* Not as literals: those would be taken for an attempt to mislead whoever reads this file. */
	static const char override[] = {'\xe2', '\x80', '\xae', '\0'};
	static const char isolate[] = {'\xe2', '\x81', '\xa6', '\0'};
	static const struct {
		const char *name, *text, *wanted;
	} rows[] = {
		{"plain", "a b", "a b"},
		{"UTF-8", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
		{"escape", "\033[31m", "\\x1b[31m"},
		{"line end", "a\nb\r\tc", "a\\nb\\r\\tc"},
		{"delete", "\x7f", "\\x7f"},
		{"C1 control",
		 "\xc2\x9b"
		 "31m",
		 "\\xc2\\x9b31m"},
		{"no-break space is none", "\xc2\xa0", "\xc2\xa0"},
		{"right to left override", override, "\\xe2\\x80\\xae"},
		{"isolate", isolate, "\\xe2\\x81\\xa6"},
		{"line separator", "\xe2\x80\xa8", "\\xe2\\x80\\xa8"},
		{"no width",
		 "a\xe2\x80\x8b"
		 "b",
		 "a\\xe2\\x80\\x8b"
		 "b"},
		{"byte order mark",
		 "\xef\xbb\xbf"
		 "a",
		 "\\xef\\xbb\\xbf"
		 "a"},
		{"soft hyphen", "a\xc2\xad", "a\\xc2\\xad"},
		{"word joiner", "\xe2\x81\xa0", "\\xe2\\x81\\xa0"},
		{"Arabic letter mark", "\xd8\x9c", "\\xd8\\x9c"},
		{"tag", "\xf3\xa0\x81\xa1", "\\xf3\\xa0\\x81\\xa1"},
		{"joined emoji", "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80",
		 "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80"},
		{"en dash is none", "\xe2\x80\x93", "\xe2\x80\x93"},
		{"no UTF-8", "\xff\xc3", "\\xff\\xc3"},
		{"surrogate", "\xed\xa0\x80", "\\xed\\xa0\\x80"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		BUFFER_AUTO buffer;

		buffer_init(&buffer, LIMIT_BYTES);
		print_safe(&buffer, slice_of(rows[i].text));
		check(rows[i].name, &buffer, rows[i].wanted);
	}
}

static void test_words(void **state)
{
	static const char turned[] = {'a', '\xe2', '\x80', '\xae', 'b', '\0'};
	static const struct {
		const char *name, *text, *wanted;
	} rows[] = {
		{"plain", "../a/p-1.plan", "../a/p-1.plan"},
		{"UTF-8", "\xc3\x9f", "\xc3\x9f"},
		{"empty", "", "''"},
		{"space", "a b", "'a b'"},
		{"home", "~/p", "'~/p'"},
		{"dollar", "$(id)", "'$(id)'"},
		{"quote", "it's", "'it'\\''s'"},
		{"quotes alone", "''", "''\\'''\\'''"},
		{"backslash", "a\\b", "'a\\b'"},
		{"escape", "a\033[0m", "$'a\\033[0m'"},
		{"escape before a digit", "\0331", "$'\\0331'"},
		{"end of line", "x\ny", "$'x\\ny'"},
		{"end of line, quote and backslash", "it's\n\\n", "$'it\\'s\\n\\\\n'"},
		{"half a character", "a\xc3'", "$'a\\303\\''"},
		{"turned around", turned, "$'a\\342\\200\\256b'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		BUFFER_AUTO buffer;

		buffer_init(&buffer, LIMIT_BYTES);
		print_word(&buffer, slice_of(rows[i].text));
		check(rows[i].name, &buffer, rows[i].wanted);
	}
}

static void fingerprint(void *context, struct slice secret, char ret[65])
{
	(void)context;
	(void)secret;
	(void)snprintf(ret, 65, "0123456789abcdef");
}

static const struct json_style style = {.fingerprint = fingerprint};

static void test_values(void **state)
{
	struct deferred deferred = {.text = SLICE("${aws.vpc.a.id}")};
	struct arena arena;
	struct value secret = value_text("hidden");
	struct value number = value_integer(4711);
	struct segment segments[] = {{SLICE("key="), false}, {SLICE("hidden"), true}};

	(void)state;
	arena_init(&arena);
	secret.secret = true;
	number.secret = true;
	struct value sealed = json_seal(&arena, &secret, &style);
	struct value items[] = {value_text("a b"), value_deferred(&deferred), secret, value_null()};
	struct value_member members[] = {{value_text("a: b"), value_text("c,d")}, {value_text("n"), value_integer(1)}};
	const struct {
		const char *name;
		struct value value;
		const char *wanted;
	} rows[] = {
		{"unset", value_null(), "unset"},
		{"bool", value_bool(true), "true"},
		{"integer", value_integer(-3), "-3"},
		{"text", value_text("10.0.0.0/8"), "10.0.0.0/8"},
		{"empty text", value_text(""), "\"\""},
		{"space at the end", value_text("a "), "\"a \""},
		{"quotes", value_text("a \"b\" \\"), "\"a \\\"b\\\" \\\\\""},
		{"escape", value_text("\033[0m"), "\"\\x1b[0m\""},
		{"deferred", value_deferred(&deferred), "known after apply: ${aws.vpc.a.id}"},
		{"unread", value_unread(), "unread"},
		{"secret", secret, "secret~01234567"},
		{"secret number", number, "secret~01234567"},
		{"sealed", sealed, "secret~01234567"},
		{"partly secret", value_segments(&arena, segments, 2), "\"key=secret~01234567\""},
		{"list", value_list(items, 4),
		 "[\"a b\", (known after apply: ${aws.vpc.a.id}), secret~01234567, unset]"},
		{"map", value_map(members, 2), "{\"a: b\": \"c,d\", n: 1}"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		BUFFER_AUTO buffer;

		buffer_init(&buffer, LIMIT_BYTES);
		render_value(&buffer, &rows[i].value, &style);
		check(rows[i].name, &buffer, rows[i].wanted);
	}
	arena_release(&arena);
}

static void emit(void *context, enum line_kind kind, struct slice line)
{
	static const char signs[] = {[LINE_SAME] = ' ', [LINE_GONE] = '-', [LINE_NEW] = '+', [LINE_CUT] = '.'};

	buffer_format(context, "%c%.*s|", signs[kind], SLICE_ARGUMENTS(line));
}

static void test_lines(void **state)
{
	static const struct {
		const char *name, *before, *after, *wanted;
	} rows[] = {
		{"both empty", "", "", ""},
		{"new", "", "a\nb\n", "+a|+b|"},
		{"gone", "a\nb", "", "-a|-b|"},
		{"same", "a\nb\n", "a\nb\n", ".|"},
		{"last line without its end", "a", "a\n", ".|"},
		{"one of three", "a\nb\nc\n", "a\nB\nc\n", " a|-b|+B| c|"},
		{"insertion", "a\nc\n", "a\nb\nc\n", " a|+b| c|"},
		{"two same lines around it", "1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\nx\n5\n6\n7\n",
		 ".| 2| 3|-4|+x| 5| 6|.|"},
		{"far apart", "a\n1\n2\n3\n4\n5\nb\n", "A\n1\n2\n3\n4\n5\nB\n", "-a|+A| 1| 2|.| 4| 5|-b|+B|"},
		{"moved", "a\nb\nc\n", "c\na\nb\n", "+c| a| b|-c|"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		BUFFER_AUTO buffer;

		buffer_init(&buffer, LIMIT_BYTES);
		line_diff(slice_of(rows[i].before), slice_of(rows[i].after), emit, &buffer);
		check(rows[i].name, &buffer, rows[i].wanted);
	}
}

static void count_lines(void *context, enum line_kind kind, struct slice line)
{
	(void)line;
	((size_t *)context)[kind]++;
}

/* Texts whose every line differs take no table of all pairs. */
static void test_many_lines(void **state)
{
	enum { LINES = 100000 };
	size_t counts[4] = {0};
	BUFFER_AUTO before;
	BUFFER_AUTO after;

	(void)state;
	buffer_init(&before, SIZE_MAX);
	buffer_init(&after, SIZE_MAX);
	for (int i = 0; i < LINES; i++) {
		buffer_format(&before, "a%d\n", i);
		buffer_format(&after, "b%d\n", i);
	}
	line_diff(buffer_slice(&before), buffer_slice(&after), count_lines, counts);
	assert_int_equal(counts[LINE_GONE], LINES);
	assert_int_equal(counts[LINE_NEW], LINES);
	assert_int_equal(counts[LINE_SAME], 0);
}

static void test_durations(void **state)
{
	static const struct {
		int64_t ms;
		const char *wanted;
	} rows[] = {
		{0, "0.0 s"},	   {999, "0.9 s"},	  {9999, "9.9 s"},	   {10000, "10 s"},
		{119999, "119 s"}, {120000, "2 min 0 s"}, {3600000, "60 min 0 s"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		BUFFER_AUTO buffer;

		buffer_init(&buffer, LIMIT_BYTES);
		print_duration(&buffer, rows[i].ms);
		check(rows[i].wanted, &buffer, rows[i].wanted);
	}
}

static void test_estimates(void **state)
{
	static const struct {
		int64_t ms;
		const char *wanted;
	} rows[] = {
		{FORECAST_UNKNOWN, ""},
		{0, ""},
		{1, ", about 10 s left"},
		{10000, ", about 10 s left"},
		{10001, ", about 20 s left"},
		{90000, ", about 90 s left"},
		{90001, ", about 2 min left"},
		{149999, ", about 2 min left"},
		{150000, ", about 3 min left"},
		{90 * 60000, ", about 90 min left"},
		{90 * 60000 + 1, ", about 2 h left"},
		{100 * 3600000, ", about 100 h left"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		BUFFER_AUTO buffer;

		buffer_init(&buffer, LIMIT_BYTES);
		print_estimate(&buffer, rows[i].ms);
		check(rows[i].wanted, &buffer, rows[i].wanted);
	}
}

static void test_exit_status(void **state)
{
	static const struct {
		const char *name;
		enum fault faults[3];
		int count, otherwise, wanted;
	} rows[] = {
		{"no error", {0}, 0, STATUS_FINE, STATUS_FINE},
		{"no error, changes", {0}, 0, STATUS_CHANGES, STATUS_CHANGES},
		{"an error", {FAULT_AUTH}, 1, STATUS_FINE, STATUS_ERROR},
		{"an error outranks incomplete", {FAULT_AUTH}, 1, STATUS_INCOMPLETE, STATUS_ERROR},
		{"partly stays", {FAULT_AUTH}, 1, STATUS_PARTLY, STATUS_PARTLY},
		{"stale", {FAULT_USER, FAULT_STALE}, 2, STATUS_ERROR, STATUS_REFUSED},
		{"lease goes first", {FAULT_BUDGET, FAULT_STALE, FAULT_LEASE}, 3, STATUS_PARTLY, STATUS_LEASE},
		{"budget", {FAULT_BUDGET}, 1, STATUS_ERROR, STATUS_BUDGET},
		{"stale goes before unread", {FAULT_UNREAD, FAULT_STALE}, 2, STATUS_ERROR, STATUS_REFUSED},
		{"unread", {FAULT_UNREAD}, 1, STATUS_ERROR, STATUS_INCOMPLETE},
		{"usage", {FAULT_USAGE, FAULT_USER}, 2, STATUS_ERROR, STATUS_USAGE},
		{"usage goes before unread", {FAULT_UNREAD, FAULT_USAGE}, 2, STATUS_FINE, STATUS_USAGE},
		{"lease goes before stale", {FAULT_STALE, FAULT_LEASE}, 2, STATUS_ERROR, STATUS_LEASE},
		{"stale goes before budget", {FAULT_BUDGET, FAULT_STALE}, 2, STATUS_ERROR, STATUS_REFUSED},
		{"what is stale is partly applied", {FAULT_STALE}, 1, STATUS_PARTLY, STATUS_PARTLY},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena arena;
		struct diagnostics diagnostics;

		arena_init(&arena);
		diagnostics_init(&diagnostics, &arena);
		for (int k = 0; k < rows[i].count; k++)
			diag_error(&diagnostics, rows[i].faults[k], NOWHERE, "mistake %d", k);
		/* A warning asks for nothing. */
		diag_add(&diagnostics, SEVERITY_WARNING, FAULT_LEASE, NOWHERE, "a warning");
		int got = exit_status_of(&diagnostics, rows[i].otherwise);
		if (got != rows[i].wanted)
			fail_msg("%s: %d instead of %d", rows[i].name, got, rows[i].wanted);
		diagnostics_release(&diagnostics);
		arena_release(&arena);
	}
}

/* A form that is in the table alone would be found by nobody. */
static void test_help_names_each_form(void **state)
{
	const struct renderer *renderer;

	(void)state;
	assert_non_null(renderer_at(1));
	for (size_t i = 0; (renderer = renderer_at(i)) != NULL; i++) {
		assert_ptr_equal(renderer_named(slice_of(renderer->name)), renderer);
		assert_true(slice_contains(slice_of(flags[FLAG_OUTPUT].about), slice_of(renderer->name)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_safe),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_many_lines),
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_exit_status),
		cmocka_unit_test(test_estimates),
		cmocka_unit_test(test_help_names_each_form),
	};

	return cmocka_run_group_tests_name("render", tests, NULL, NULL);
}
