#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/buffer.h"
#include "tests/unit/support_expression.h"

/* What is wrong, where: on line 3 + down, at column `column` (the text begins at 10 of line 3). */
static void test_refused(void **state)
{
	static const struct {
		const char *name, *text;
		uint32_t down;
		uint16_t column;
		const char *message, *hint;
	} rows[] = {
		{"never closed", "a ${var.n", 0, 12, "never closed", "$${"},
		{"closed by the text alone", "${", 0, 12, "expected a value", NULL},
		{"nothing within", "ab${ }", 0, 12, "holds no expression", "$${}"},
		{"two values", "${1 2}", 0, 14, "expected '}' or an operator, found '2'", NULL},
		{"operand missing", "${1 + }", 0, 16, "expected a value, found '}'", NULL},
		{"parenthesis missing", "${(1 + 2}", 0, 18, "expected ')'", NULL},
		{"bracket missing", "${[1, 2}", 0, 17, "expected ',' or ']'", NULL},
		{"argument list open", "${upper(\"a\"}", 0, 21, "expected ',' or ')'", NULL},
		{"string open", "${\"abc}", 0, 12, "the string is never closed", NULL},
		{"unknown escape", "${\"a\\q\"}", 0, 14, "no known escape", "\\n"},
		{"surrogate", "${\"\\ud800\"}", 0, 13, "no known escape", NULL},
		{"single quotes", "${'a'}", 0, 12, "has no meaning", "double quotes"},
		{"assignment", "${var.n = 1}", 0, 18, "has no meaning", "'=='"},
		{"a dollar within", "${$x}", 0, 12, "has no meaning", "by itself"},
		{"odd byte", "${1 \001}", 0, 14, "byte 0x01", NULL},
		{"invalid UTF-8", "abc\xff ${1}", 0, 13, "invalid UTF-8", NULL},
		{"number too large", "${9223372036854775808}", 0, 12, "too large", NULL},
		{"leading zero", "${007}", 0, 12, "no proper number", NULL},
		{"unknown name", "${truee}", 0, 12, "unknown name 'truee'", "did you mean 'true'?"},
		{"a shell's variable", "echo ${HOSTNAME}", 0, 17, "unknown name 'HOSTNAME'", "$${"},
		{"unknown function", "${uper(\"a\")}", 0, 12, "unknown function 'uper'", "did you mean 'upper'?"},
		{"a function of another language", "${zzz(1)}", 0, 12, "unknown function 'zzz'", "tonumber, length, "},
		{"too few arguments", "${join(\",\")}", 0, 12, "exactly 2 arguments, not 1", "join(separator, list)"},
		{"too many arguments", "${range(1, 2, 3, 4)}", 0, 12, "at most 3 arguments, not 4", "range("},
		{"a kind alone", "${aws.vpc}", 0, 12, "is a kind", "aws.vpc.NAME.id"},
		{"a resource alone", "${aws.vpc.a}", 0, 12, "does not say what", "aws.vpc.a.id"},
		{"a kind as others write it", "${aws_vpc.a.id}", 0, 12, "no kind", "did you mean 'aws.vpc.a.id'?"},
		{"a kind without its family", "${vpc.a.id}", 0, 12, "no kind", "as in aws.vpc.main.id"},
		{"a kind that nobody has", "${aws.vcp.a}", 0, 12, "no kind", "as in aws.vpc.main.id"},
		{"var alone", "${var}", 0, 12, "does not say what", "var.name"},
		{"an instance", "${aws.subnet.a[\"x\"].id}", 0, 24, "for_each is not supported yet", NULL},
		{"space in a name", "${var .n}", 0, 16, "without spaces", NULL},
		{"index behind a dot", "${var.list.0}", 0, 21, "no member is called '0'", "[0]"},
		{"a number as a key", "${{1: 2}}", 0, 13, "expected a name, a string or '}'", NULL},
		{"splat of resources without attribute", "${aws.subnet.a.*}", 0, 26, "an attribute", NULL},
		{"on another line", "a\nb\n  ${1 +}", 2, 8, "expected a value", NULL},
		{"behind an earlier line", "a\n${var.n} ${)}", 1, 12, "expected a value", NULL},

		{"division by zero", "${1 / (var.n - 3)}", 0, 23, "division by zero", NULL},
		{"remainder by zero", "${1 % var.zero}", 0, 16, "division by zero", NULL},
		{"sum too large", "${9223372036854775807 + 1}", 0, 32, "64 bits", NULL},
		{"difference too small", "${-9223372036854775807 - 2}", 0, 33, "64 bits", NULL},
		{"product too large", "${4611686018427387904 * 2}", 0, 32, "64 bits", NULL},
		{"quotient too large", "${-9223372036854775808 / -1}", 0, 33, "64 bits", NULL},
		{"negation too large", "${-(-9223372036854775808)}", 0, 12, "64 bits", NULL},
		{"number too large for a double", "${1e308 * 10}", 0, 18, "too large", NULL},
		{"sum with a string", "${1 + \"a\"}", 0, 16, "'+' needs a number here, not a string", "tonumber()"},
		{"remainder of a fraction", "${1.5 % 2}", 0, 12, "whole numbers", NULL},
		{"compared with another type", "${var.n == \"3\"}", 0, 18, "never equal", "tostring()"},
		{"order of lists", "${[1] < [2]}", 0, 12, "needs a number", NULL},
		{"and with a number", "${var.n && true}", 0, 12, "'&&' needs true or false", NULL},
		{"or with a string", "${false || \"a\"}", 0, 21, "'||' needs true or false", NULL},
		{"not of a number", "${!1}", 0, 13, "'!' needs true or false", NULL},
		{"condition", "${1 ? 2 : 3}", 0, 12, "the condition", NULL},
		{"index past the end", "${var.list[3]}", 0, 21, "3 items and no item 3", "element"},
		{"index below zero", "${var.list[-1]}", 0, 21, "no item -1", NULL},
		{"index of an open list", "${[aws.vpc.a.id][1]}", 0, 27, "1 item and no item 1", NULL},
		{"index by text", "${var.list.name}", 0, 21, "by a whole number", ".*.name"},
		{"unknown member", "${var.tags.teem}", 0, 21, "no member 'teem'", "did you mean 'team'?"},
		{"unknown member of an open map", "${{aa: aws.vpc.a.id}.ab}", 0, 31, "no member 'ab'", NULL},
		{"member by number", "${var.tags[0]}", 0, 21, "by its name", NULL},
		{"member of a string", "${var.region.x}", 0, 23, "no members", NULL},
		{"member of null", "${var.nothing.x}", 0, 24, "null has no members", NULL},
		{"splat over a string", "${var.region.*.x}", 0, 12, "'*' goes over a list", NULL},
		{"splat over resources", "${aws.subnet.a.*.id}", 0, 12, "for_each is not supported yet",
		 "[aws.subnet.a.id, ...]"},
		{"list in a string", "a${var.list}", 0, 13, "a list cannot become part", "join()"},
		{"null in a string", "a${var.nothing}", 0, 13, "null cannot become part", "coalesce()"},
		{"list in an open string", "${aws.vpc.a.id}${var.list}", 0, 27, "a list cannot become part", NULL},
		{"two members of a name", "${{a: 1, \"a\": 2}}", 0, 19, "two members called 'a'", NULL},
		{"two secret members of a name", "${{\"${upper(var.password)}\": 1, \"${upper(var.password)}\": 2}}", 0,
		 45, "two members of one name", NULL},
		{"wrong argument", "${upper(1)}", 0, 18, "argument 1 of 'upper' is a whole number, where a string",
		 "upper(text)"},
		{"a wrong later argument", "${min(1, [2])}", 0, 19, "needs numbers", NULL},
		{"item that is no text", "${join(\",\", [[]])}", 0, 22, "item 0", NULL},
		{"format asks too much", "${format(\"%s\")}", 0, 12, "asks for more", NULL},
		{"format has no place", "${format(\"a\", 1)}", 0, 24, "no place", NULL},
		{"format of another type", "${format(\"%d\", \"a\")}", 0, 25, "'%d' needs a whole number", NULL},
		{"format unknown", "${format(\"%q\", 1)}", 0, 19, "begins nothing known", "%s"},
		{"split by nothing", "${split(\"\", \"a\")}", 0, 18, "is empty", NULL},
		{"sort of a mixture", "${sort([1, \"a\"])}", 0, 17, "alone", NULL},
		{"sort of lists", "${sort([[1]])}", 0, 17, "alone", NULL},
		{"step of zero", "${range(0, 1, 0)}", 0, 24, "never ends", NULL},
		{"range too long", "${range(1000000)}", 0, 12, "more than 100000 items", NULL},
		{"range far too long", "${range(-9223372036854775807, 9223372036854775807)}", 0, 12, "more than", NULL},
		{"string too long", "${replace(format(\"%1024s\", \"\"), \" \", format(\"%1024s\", \"\"))}x", 0, 10,
		 "longer than", NULL},
		{"string of a function too long",
		 "${replace(format(\"%1024s\", \"\"), \" \", format(\"%1024sx\", \"\"))}", 0, 12, "longer than", NULL},
		{"empty element", "${element([], 0)}", 0, 20, "empty list", NULL},
		{"nothing to coalesce", "${coalesce(null)}", 0, 12, "is null", NULL},
		{"no number", "${tonumber(\"1x\")}", 0, 21, "'1x' is no number", NULL},
		{"no JSON", "${json_decode(\"{\")}", 0, 24, "no JSON", NULL},
		{"no Base64", "${base64_decode(\"*\")}", 0, 26, "no Base64", NULL},
		{"no text in Base64", "${base64_decode(\"/w==\")}", 0, 26, "is no text", NULL},
		{"no prefix", "${cidr_subnet(\"10.0.0.0\", 1, 1)}", 0, 24, "is no prefix", "10.0.0.0/16"},
		{"host bits", "${cidr_subnet(\"10.0.0.1/16\", 1, 1)}", 0, 24, "behind its length", "10.0.0.0/16"},
		{"subnet too small", "${cidr_subnet(\"10.0.0.0/16\", 17, 0)}", 0, 39, "by 0 to 16 bits", NULL},
		{"no such subnet", "${cidr_subnet(\"10.0.0.0/16\", 1, 2)}", 0, 42, "has no subnet", "from 0 to 1"},
		{"no such host", "${cidr_host(\"10.0.0.0/24\", 256)}", 0, 37, "has no address", NULL},
		{"no such host from the end", "${cidr_host(\"10.0.0.0/24\", -257)}", 0, 37, "has no address", NULL},
		{"mask of IPv6", "${cidr_netmask(\"fd00::/8\")}", 0, 25, "IPv4", NULL},
		{"abs too large", "${abs(-9223372036854775808)}", 0, 16, "64 bits", NULL},
		{"floor too large", "${floor(1e300)}", 0, 18, "64 bits", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct expression *expression = NULL;
		struct value value = value_text("untouched");
		const struct diag *diag;
		struct bench bench;

		bench_init(&bench);
		if (bench_compile(&bench, slice_of(rows[i].text), &expression) &&
		    bench_evaluate(&bench, expression, &value))
			fail_msg("%s: is accepted", rows[i].name);
		if (!slice_is(value_slice(&value), "untouched"))
			fail_msg("%s: the output was touched", rows[i].name);
		if (bench.diagnostics.count != 1)
			fail_msg("%s: %zu diagnostics", rows[i].name, bench.diagnostics.count);
		diag = &bench.diagnostics.items[0];
		if (!slice_contains(diag->message, slice_of(rows[i].message)))
			fail_msg("%s: says '%.*s'", rows[i].name, SLICE_ARGUMENTS(diag->message));
		if (rows[i].hint && !slice_contains(diag->hint, slice_of(rows[i].hint)))
			fail_msg("%s: hints '%.*s'", rows[i].name, SLICE_ARGUMENTS(diag->hint));
		if (diag->position.line != bench_start.line + rows[i].down || diag->position.column != rows[i].column ||
		    diag->position.file != bench_start.file)
			fail_msg("%s: at %u:%u", rows[i].name, diag->position.line, diag->position.column);
		if (diag->fault != FAULT_USER || diag->severity != SEVERITY_ERROR)
			fail_msg("%s: is no error of the user", rows[i].name);
		bench_release(&bench);
	}
}

/* A secret must not reach a message either. */
static void test_secret_messages(void **state)
{
	static const char *const texts[] = {
		"${tonumber(var.password)}",
		"${var.list[var.code]}",
		"${json_decode(var.password)}",
		"${cidr_host(var.password, 1)}",
		"${var.tags[var.password]}",
		"${element(var.password, 1)}",
		"${{\"${var.password}\": 1}.hunter3}",
		"${cidr_subnet(\"10.0.0.0/30\", var.code, 0)}",
		"${cidr_subnet(format(\"10.0.0.0/2%d\", var.code), 9, 0)}",
		"${cidr_subnet(\"10.0.0.0/30\", 1, var.code)}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		const struct expression *expression = NULL;
		struct value value;
		struct bench bench;

		bench_init(&bench);
		if (bench_compile(&bench, slice_of(texts[i]), &expression) &&
		    bench_evaluate(&bench, expression, &value))
			fail_msg("%s: is accepted", texts[i]);
		for (size_t j = 0; j < bench.diagnostics.count; j++) {
			const struct diag *diag = &bench.diagnostics.items[j];

			if (slice_contains(diag->message, SLICE("hunter2")) ||
			    slice_contains(diag->hint, SLICE("hunter2")) ||
			    slice_contains(diag->cause, SLICE("hunter2")) || slice_contains(diag->message, SLICE("7")))
				fail_msg("%s: '%.*s'", texts[i], SLICE_ARGUMENTS(diag->message));
		}
		bench_release(&bench);
	}
}

static void test_all_errors(void **state)
{
	const struct expression *expression = NULL;
	struct value value;
	struct bench bench;

	(void)state;
	bench_init(&bench);
	assert_true(bench_compile(&bench, SLICE("${[1 / 0, upper(1), var.list[9]]}"), &expression));
	assert_false(bench_evaluate(&bench, expression, &value));
	assert_int_equal(bench.diagnostics.count, 3);
	bench_release(&bench);
}

/* What is deep or long on purpose ends in one diagnostic. */
static void test_limits(void **state)
{
	static const struct {
		const char *name, *head, *repeated, *middle, *closed, *tail;
		size_t count;
		bool accepted;
		const char *message;
	} rows[] = {
		{"parentheses", "${", "(", "1", ")", "}", 63, true, NULL},
		{"too many parentheses", "${", "(", "1", ")", "}", 64, false, "nests deeper than"},
		{"lists", "${", "[", "", "]", "}", 64, true, NULL},
		{"too many lists", "${", "[", "", "]", "}", 65, false, "nests deeper than"},
		{"far too many lists", "${", "[", "", "]", "}", 60000, false, "nests deeper than"},
		{"strings", "${", "\"${", "1", "}\"", "}", 63, true, NULL},
		{"too many strings", "${", "\"a${", "1", "}\"", "}", 64, false, "nests deeper than"},
		{"not", "${", "!", "true", "", "}", 63, true, NULL},
		{"too many not", "${", "!", "true", "", "}", 10000, false, "nests deeper than"},
		{"splats", "${[]", ".*", "", "", "}", 63, true, NULL},
		{"too many splats", "${[]", ".*", "", "", "}", 64, false, "nests deeper than"},
		{"conditionals", "${1", "", "", " == 1 ? 2 : 1", "}", 63, true, NULL},
		{"too many conditionals", "${1", "", "", " == 1 ? 2 : 1", "}", 10000, false, "nests deeper than"},
		{"a chain", "${1", "", "", " + 1", "}", 998, true, NULL},
		{"too long a chain", "${1", "", "", " + 1", "}", 1000, false, "chains more than"},
		{"far too long a chain", "${1", "", "", " + 1", "}", 30000, false, "chains more than"},
		{"members", "${var.none", "", "", "[0]", "}", 998, true, NULL},
		{"too many members", "${var.none", "", "", "[0]", "}", 1000, false, "chains more than"},
		{"too many tokens", "${[", "", "", "1,", "]}", 40000, false, "words and signs"},
		{"names", "${var", "", "", ".a", "}", 31, true, NULL},
		{"too many names", "${var", "", "", ".a", "}", 32, false, "more than 32 parts"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct expression *expression = NULL;
		struct buffer text;
		struct bench bench;
		bool accepted;

		bench_init(&bench);
		buffer_init(&text, 1024 * 1024);
		buffer_string(&text, rows[i].head);
		for (size_t j = 0; j < rows[i].count; j++)
			buffer_string(&text, rows[i].repeated);
		buffer_string(&text, rows[i].middle);
		for (size_t j = 0; j < rows[i].count; j++)
			buffer_string(&text, rows[i].closed);
		buffer_string(&text, rows[i].tail);
		accepted = bench_compile(&bench, buffer_slice(&text), &expression);
		if (accepted != rows[i].accepted)
			fail_msg("%s: %s", rows[i].name, bench_message(&bench));
		if (!accepted && bench.diagnostics.count != 1)
			fail_msg("%s: %zu diagnostics", rows[i].name, bench.diagnostics.count);
		if (!accepted && rows[i].message && !strstr(bench_message(&bench), rows[i].message))
			fail_msg("%s: %s", rows[i].name, bench_message(&bench));
		buffer_release(&text);
		bench_release(&bench);
	}
}

/* Known values that would make what is left unreadable, or cost more than any honest text. */
static void test_growth(void **state)
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{"long text left over", "${format(\"%1000s\", aws.vpc.a.id)}${join(\"\", "
					"range(100000))}${join(\"\", range(99999))}${join(\"\", range(99998))}"},
		{"long list left over", "${concat(range(99999), [aws.vpc.a.id])}"},
		{"many long lists",
		 "${length(concat(range(99999))) + length(range(99999)) + length(range(99999)) + length(range(99999)) "
		 "+ "
		 "length(range(99999)) + length(range(99999)) + length(range(99999)) + length(range(99999)) + "
		 "length(range(99999)) + length(range(99999)) + length(range(99999)) + length(range(99999)) + "
		 "length(range(99999)) + length(range(99999)) + length(range(99999)) + length(range(99999)) + "
		 "length(range(99999)) + length(range(99999)) + length(range(99999)) + length(range(99999)) + "
		 "length(range(99999)) + length(range(99999)) + length(range(99999)) + length(range(99999)) + "
		 "length(range(99999)) + length(range(99999)) + length(range(99999)) + length(range(99999)) + "
		 "length(range(99999)) + length(range(99999)) + length(range(99999)) + length(range(99999))}"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct expression *expression;
		struct value value;
		struct bench bench;

		bench_init(&bench);
		expression = bench_compiled(&bench, rows[i].name, slice_of(rows[i].text));
		if (bench_evaluate(&bench, expression, &value))
			fail_msg("%s: is accepted", rows[i].name);
		if (bench.diagnostics.count != 1)
			fail_msg("%s: %zu diagnostics", rows[i].name, bench.diagnostics.count);
		bench_release(&bench);
	}
}

/* Each is fine alone; together they could not be read again. */
static void test_growth_in_depth(void **state)
{
	struct value levels[70], value;
	struct buffer text;
	struct bench bench;

	(void)state;
	bench_init(&bench);
	buffer_init(&text, 64 * 1024);
	levels[0] = value_integer(1);
	for (size_t i = 1; i < COUNT(levels); i++)
		levels[i] = value_list(&levels[i - 1], 1);
	*bench_value(&bench, "var", "list") = levels[COUNT(levels) - 1];
	assert_false(bench_evaluate(
		&bench, bench_compiled(&bench, "lists", SLICE("${concat(var.list, [aws.vpc.a.id])}")), &value));
	assert_int_equal(bench.diagnostics.count, 1);

	for (size_t i = 0; i < 900; i++)
		buffer_string(&text, " + 1");
	*bench_value(&bench, "var", "waits") = bench_evaluated(
		&bench, "a chain",
		arena_format(&bench.arena, "${aws.vpc.a.port%.*s}", SLICE_ARGUMENTS(buffer_slice(&text))));
	assert_false(bench_evaluate(
		&bench,
		bench_compiled(&bench, "two chains",
			       arena_format(&bench.arena, "${var.waits%.*s}", SLICE_ARGUMENTS(buffer_slice(&text)))),
		&value));
	assert_int_equal(bench.diagnostics.count, 2);
	buffer_release(&text);
	bench_release(&bench);
}

/* A list of lists of lists that share all their parts is small in memory and endless to walk. */
static void test_shared_parts(void **state)
{
	static const char *const texts[] = {"${length(var.list) + 1}", "${var.list}", "${[var.list, aws.vpc.a.id]}",
					    "${aws.vpc.a.on ? length(var.list) : 1}"};
	struct value levels[64][2];
	const struct expression *expression;
	struct value value;
	struct bench bench;

	(void)state;
	bench_init(&bench);
	levels[0][0] = levels[0][1] = value_integer(1);
	for (size_t i = 1; i < COUNT(levels); i++)
		levels[i][0] = levels[i][1] = value_list(levels[i - 1], 2);
	*bench_value(&bench, "var", "list") = value_list(levels[COUNT(levels) - 1], 2);
	for (size_t i = 0; i < COUNT(texts); i++) {
		expression = bench_compiled(&bench, texts[i], slice_of(texts[i]));
		assert_false(bench_evaluate(&bench, expression, &value));
		assert_int_equal(bench.diagnostics.count, i + 1);
	}
	bench_release(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),	     cmocka_unit_test(test_secret_messages),
		cmocka_unit_test(test_all_errors),   cmocka_unit_test(test_limits),
		cmocka_unit_test(test_growth),	     cmocka_unit_test(test_growth_in_depth),
		cmocka_unit_test(test_shared_parts),
	};

	return cmocka_run_group_tests_name("expression refused", tests, NULL, NULL);
}
