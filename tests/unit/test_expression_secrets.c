#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "tests/unit/support_expression.h"

/* A text that waits tells the names of secret variables; what they hold goes beside it. */
static const struct {
	const char *name, *text, *secrets; /* NULL: none */
} rows[] = {
	{"no secret", "${aws.vpc.a.id}-${var.region}", NULL},
	{"one", "${aws.vpc.a.id}-${var.password}", "{\"var.password\":\"hunter2\"}"},
	{"one named twice", "${var.password}${aws.vpc.a.id}${var.password}", "{\"var.password\":\"hunter2\"}"},
	{"two", "${var.password}${aws.vpc.a.id}${var.code}", "{\"var.code\":7,\"var.password\":\"hunter2\"}"},
	{"what is made of one", "${aws.vpc.a.id}-${upper(\"${var.region}${var.password}\")}",
	 "{\"var.password\":\"hunter2\"}"},
	{"a condition", "${var.flag ? aws.vpc.a.id : var.n}", "{\"var.flag\":true}"},
	{"an index", "${[aws.vpc.a.id, 2, 2, 2, 2, 2, 2, aws.vpc.a.id][var.code]}", "{\"var.code\":7}"},
	{"logic", "${var.flag && aws.vpc.a.port == 1}", "{\"var.flag\":true}"},
};

static struct value evaluated(struct bench *bench, size_t row)
{
	struct value value = bench_evaluated(bench, rows[row].name, slice_of(rows[row].text));

	if (value.type != VALUE_DEFERRED)
		fail_msg("%s: does not wait", rows[row].name);
	return value;
}

static void test_named(void **state)
{
	static const struct json_style clear = {.clear = true};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct bench bench;

		bench_init(&bench);
		struct value value = evaluated(&bench, i);

		if (value_has_secret(&value) != (rows[i].secrets != NULL) ||
		    (value.deferred->secrets != NULL) != (rows[i].secrets != NULL))
			fail_msg("%s: secrets", rows[i].name);
		if (rows[i].secrets)
			check_slice(rows[i].name, json_canonical(&bench.arena, value.deferred->secrets, &clear),
				    rows[i].secrets);
		bench_release(&bench);
	}
}

/* The outputs of resources alone, as whoever has no spec knows them. */
static const struct value *outputs_only(void *context, struct slice address, struct slice output)
{
	const struct output_source *source = (const struct output_source *)context;

	return slice_is(address, "var") ? NULL : source->get(source->context, address, output);
}

/* Read back with its secrets and without a program, it comes to the same value with the same marks. */
static void test_resolved_alone(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct resolver resolver = expression_resolver(NULL);
		struct bench bench;
		struct value alone, result = value_null();

		bench_init(&bench);
		struct value value = evaluated(&bench, i);
		struct deferred deferred = {.text = value.deferred->text, .secrets = value.deferred->secrets};
		bench.everything = true;
		struct output_source all = bench_source(&bench), outputs = {&all, outputs_only};

		alone = value_deferred(&deferred);
		if (!resolver.resolve(&resolver, &value, &all, &bench.arena, &value, &bench.diagnostics) ||
		    !resolver.resolve(&resolver, &alone, &outputs, &bench.arena, &result, &bench.diagnostics))
			fail_msg("%s: %s", rows[i].name, bench_message(&bench));
		if (!value_equal(&value, &result) || value.secret != result.secret ||
		    value.segmented != result.segmented)
			fail_msg("%s: comes to another value", rows[i].name);
		bench_release(&bench);
	}
}

/* What it comes to is known as a secret before anybody has it, also where the text was read back. */
static void test_resolved_is_known(void **state)
{
	static const struct {
		const char *text;
		bool secret;
	} known_rows[] = {
		{"${upper(join(\"-\", [var.password, aws.vpc.a.id]))}", true},
		{"${var.password}-${aws.vpc.a.id}", true},
		{"${aws.vpc.a.id}-${var.region}", false},
	};

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(known_rows); i++) {
		const char *text = known_rows[i / 2].text;
		struct redaction secrets;
		struct resolver resolver = expression_resolver(&secrets);
		struct bench bench;

		bench_init(&bench);
		redaction_init(&secrets);
		struct value value = bench_evaluated(&bench, text, slice_of(text));
		struct deferred alone = {.text = value.deferred->text, .secrets = value.deferred->secrets};
		bench.everything = true;
		struct output_source all = bench_source(&bench);

		value = i % 2 ? value_deferred(&alone) : value;
		assert_true(resolver.resolve(&resolver, &value, &all, &bench.arena, &value, &bench.diagnostics));
		if (redaction_finds(&secrets, value_slice(&value)) != known_rows[i / 2].secret)
			fail_msg("%s: %zu forms", text, secrets.count);
		redaction_release(&secrets);
		bench_release(&bench);
	}
}

/* In a secret field the text tells no literal, and comes to the same value wherever it is read back. */
static const struct {
	const char *name, *text, *shown, *secrets;
} hidden_rows[] = {
	{"beside an output", "text-${aws.vpc.a.id}", "${var.literal-1}${aws.vpc.a.id}",
	 "{\"var.literal-1\":\"text-\"}"},
	{"the output alone", "${aws.vpc.a.id}", "${aws.vpc.a.id}", NULL},
	{"a variable that is none", "${var.region}-${aws.vpc.a.id}", "${var.literal-1}${aws.vpc.a.id}",
	 "{\"var.literal-1\":\"us-west-2-\"}"},
	{"a secret variable", "${var.password}${aws.vpc.a.id}x", "${var.password}${aws.vpc.a.id}${var.literal-1}",
	 "{\"var.literal-1\":\"x\",\"var.password\":\"hunter2\"}"},
	{"made of both", "${upper(\"a${var.password}\")}${aws.vpc.a.id}",
	 "${upper(\"${var.literal-1}${var.password}\")}${aws.vpc.a.id}",
	 "{\"var.literal-1\":\"a\",\"var.password\":\"hunter2\"}"},
	{"a choice", "${aws.vpc.a.port == 1 ? \"one\" : \"two\"}",
	 "${aws.vpc.a.port == var.literal-1 ? var.literal-2 : var.literal-3}",
	 "{\"var.literal-1\":1,\"var.literal-2\":\"one\",\"var.literal-3\":\"two\"}"},
	{"an argument", "${replace(aws.vpc.a.id, \"-\", \"\")}", "${replace(aws.vpc.a.id, var.literal-1, \"\")}",
	 "{\"var.literal-1\":\"-\"}"},
	{"a list of some", "${join(\"\", [\"a\", aws.vpc.a.id])}", "${join(\"\", [var.literal-1, aws.vpc.a.id])}",
	 "{\"var.literal-1\":\"a\"}"},
	{"the name of a member", "x${aws.vpc.a.tags.name}", "${var.literal-1}${aws.vpc.a.tags.name}",
	 "{\"var.literal-1\":\"x\"}"},
};

static void test_hidden(void **state)
{
	static const struct json_style clear = {.clear = true};
	struct resolver resolver = expression_resolver(NULL);

	(void)state;
	for (size_t i = 0; i < COUNT(hidden_rows); i++) {
		const char *name = hidden_rows[i].name, *secrets = hidden_rows[i].secrets;
		struct bench bench;
		struct value result = value_null();

		bench_init(&bench);
		struct value value = bench_evaluated(&bench, name, slice_of(hidden_rows[i].text)), hidden = value;

		assert_true(expression_hide(&bench.arena, &hidden, &bench.diagnostics));
		check_slice(name, hidden.deferred->text, hidden_rows[i].shown);
		if ((hidden.deferred->secrets != NULL) != (secrets != NULL))
			fail_msg("%s: secrets", name);
		if (secrets)
			check_slice(name, json_canonical(&bench.arena, hidden.deferred->secrets, &clear), secrets);
		struct deferred deferred = {.text = hidden.deferred->text, .secrets = hidden.deferred->secrets};
		struct value alone = value_deferred(&deferred);

		bench.everything = true;
		struct output_source all = bench_source(&bench), outputs = {&all, outputs_only};

		if (!resolver.resolve(&resolver, &value, &all, &bench.arena, &value, &bench.diagnostics) ||
		    !resolver.resolve(&resolver, &hidden, &outputs, &bench.arena, &hidden, &bench.diagnostics) ||
		    !resolver.resolve(&resolver, &alone, &outputs, &bench.arena, &result, &bench.diagnostics))
			fail_msg("%s: %s", name, bench_message(&bench));
		if (!value_equal(&value, &hidden) || !value_equal(&value, &result))
			fail_msg("%s: comes to another value", name);
		bench_release(&bench);
	}
}

/* A fingerprint is never taken for what it stands for. */
static void test_fingerprints_wait(void **state)
{
	struct resolver resolver = expression_resolver(NULL);
	struct bench bench;
	struct value value, result;

	(void)state;
	bench_init(&bench);
	bench.everything = true;
	struct output_source all = bench_source(&bench), outputs = {&all, outputs_only};

	assert_true(json_read(&bench.arena,
			      SLICE("{\"$deferred\":\"${aws.vpc.a.id}-${var.password}\","
				    "\"$secrets\":{\"var.password\":{\"$secret\":\"9c1e\"}}}"),
			      true, 4096, "the test", &value, &bench.diagnostics));
	assert_true(resolver.resolve(&resolver, &value, &outputs, &bench.arena, &result, &bench.diagnostics));
	assert_int_equal(result.type, VALUE_DEFERRED);
	bench_release(&bench);
}

static const struct {
	const char *name, *text;
	bool waits;
} sealed_rows[] = {
	{"the output alone", "${aws.vpc.a.id}", false},
	{"within a text", "x-${aws.vpc.a.id}", true},
	{"given to a function", "${base64_encode(aws.vpc.a.id)}", true},
	{"compared", "${aws.vpc.a.id == \"9c1e\"}", true},
	{"decided by", "${aws.vpc.a.id == \"\" ? 1 : 2}", true},
	{"a list of which an item is one", "${join(\",\", aws.vpc.a.zones)}", true},
	{"the item of such a list", "${lower(aws.vpc.a.zones[1])}", true},
	{"another item of such a list", "${lower(aws.vpc.a.zones[0])}", false},
};

/* Of a secret output that was not read only the fingerprint is recorded: nothing is made of that. */
static void test_sealed_outputs(void **state)
{
	struct resolver resolver = expression_resolver(NULL);

	(void)state;
	for (size_t i = 0; i < COUNT(sealed_rows); i++) {
		struct bench bench;
		struct value result;

		bench_init(&bench);
		struct value value = bench_evaluated(&bench, sealed_rows[i].name, slice_of(sealed_rows[i].text));

		bench.everything = true;
		assert_true(json_read(&bench.arena, SLICE("{\"$secret\":\"9c1e\"}"), true, 4096, "the test",
				      bench_value(&bench, "aws.vpc.a", "id"), &bench.diagnostics));
		assert_true(json_read(&bench.arena, SLICE("[\"z1\",{\"$secret\":\"9c1e\"}]"), true, 4096, "the test",
				      bench_value(&bench, "aws.vpc.a", "zones"), &bench.diagnostics));
		struct output_source all = bench_source(&bench);

		if (!resolver.resolve(&resolver, &value, &all, &bench.arena, &result, &bench.diagnostics))
			fail_msg("%s: %s", sealed_rows[i].name, bench_message(&bench));
		if ((result.type == VALUE_DEFERRED) != sealed_rows[i].waits)
			fail_msg("%s: %s", sealed_rows[i].name, sealed_rows[i].waits ? "does not wait" : "waits");
		bench_release(&bench);
	}
}

/* The same text with another secret is another value, and is written so. */
static void test_compared(void **state)
{
	struct bench bench, other;

	(void)state;
	bench_init(&bench);
	bench_init(&other);
	*bench_value(&other, "var", "password") = value_secret(&other.arena, value_text("correct horse"));
	struct value one = evaluated(&bench, 1), same = evaluated(&bench, 1), another = evaluated(&other, 1);

	assert_true(slice_equal(one.deferred->text, another.deferred->text));
	assert_true(value_equal(&one, &same));
	assert_false(value_equal(&one, &another));
	assert_int_equal(value_compare(&one, &another), -value_compare(&another, &one));
	another = value_copy(&bench.arena, &one);
	assert_true(value_equal(&one, &another));
	assert_ptr_not_equal(one.deferred->secrets, another.deferred->secrets);
	bench_release(&other);
	bench_release(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_named),
		cmocka_unit_test(test_resolved_alone),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_fingerprints_wait),
		cmocka_unit_test(test_sealed_outputs),
		cmocka_unit_test(test_compared),
		cmocka_unit_test(test_resolved_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
