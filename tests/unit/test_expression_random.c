#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/buffer.h"
#include "specs/expression_tree.h"
#include "tests/unit/support_expression.h"
#include "tests/unit/support_rounds.h"

/* Pseudo-random numbers that are the same in every run (Numerical Recipes' generator). */
struct random {
	uint64_t seed;
};

static unsigned pick(struct random *random, unsigned count)
{
	random->seed = random->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(random->seed >> 33) % count;
}

/*
 * Shapes of expressions by type of result: i a whole number, s a string, b a truth, l a list of
 * strings, m a map; a letter behind '#' stands for an expression of that type.
 */
static const struct shape {
	char type;
	const char *texts[12];
} shapes[] = {
	{'i',
	 {"var.n", "aws.vpc.a.port", "1", "-2", "#i + #i", "#i * #i", "(#i - #i)", "#b ? #i : #i", "length(#l)", "-#i",
	  "[#i, #i][0]", "#i - (#i + #i)"}},
	{'s',
	 {"var.region", "aws.vpc.a.id", "\"x\"", "\"a${#i}b\"", "\"${#s}-${#s}\"", "upper(#s)", "#b ? #s : #s",
	  "join(#s, #l)", "#l[0]", "#m.k", "\"$\"", "\"${#s}$\""}},
	{'b',
	 {"var.yes", "aws.vpc.a.on", "false", "#i < #i", "#s == #s", "!#b", "#b && #b", "#b || #b", "(#b ? #b : #b)",
	  "contains(#l, #s)", "var.flag", "#i != #i"}},
	{'l',
	 {"var.list", "aws.vpc.a.zones", "[#s, #s]", "concat(#l, #l)", "#b ? #l : #l", "[#m, #m].*.k", "sort(#l)",
	  "values(#m)", "[\"a\"]", "[var.password, #s]", "flatten([#l, #l])", "distinct(#l)"}},
	{'m',
	 {"{k: \"v\"}", "{k: #s, j: #i}", "merge({k: \"v\"}, #m)", "#b ? #m : #m", "{\"k\": #s, \"a ${#s}\": 1}",
	  "var.tags.team == #s ? #m : #m", "{k: #s}", "{k: #s, a: #l}", "{b: #i, k: #s}", "{k: var.password}",
	  "merge(#m, #m)", "{k: \"v\", x: aws.vpc.a.tags}"}},
};

static void make_expression(struct random *random, struct buffer *buffer, char type, unsigned depth)
{
	const struct shape *shape = shapes;
	const char *text;

	while (shape->type != type)
		shape++;
	text = shape->texts[pick(random, depth > 0 ? 12 : type == 'm' || type == 'l' ? 1 : 3)];
	for (; *text; text++) {
		if (*text != '#') {
			buffer_byte(buffer, *text);
			continue;
		}
		/* In parentheses only half the time, so that precedence is at work. */
		text++;
		if (pick(random, 2)) {
			make_expression(random, buffer, *text, depth - 1);
			continue;
		}
		buffer_byte(buffer, '(');
		make_expression(random, buffer, *text, depth - 1);
		buffer_byte(buffer, ')');
	}
}

static void check_print(const char *name, struct bench *bench, struct slice text)
{
	const struct expression *first = NULL, *second = NULL;

	if (!bench_compile(bench, text, &first))
		return;
	if (!bench_compile(bench, first->text, &second))
		fail_msg("%s: '%.*s' is refused: %s", name, SLICE_ARGUMENTS(first->text), bench_message(bench));
	if (!slice_equal(first->text, second->text))
		fail_msg("%s: '%.*s' becomes '%.*s' becomes '%.*s'", name, SLICE_ARGUMENTS(text),
			 SLICE_ARGUMENTS(first->text), SLICE_ARGUMENTS(second->text));
}

/* Evaluating at once and in two steps, the second from text, come to the same. */
static void check_two_steps(struct bench *bench, struct slice text, size_t *succeeded, size_t *waited)
{
	struct value at_once, left, later;
	const struct expression *expression = bench_compiled(bench, "random", text);

	bench->everything = true;
	if (!bench_evaluate(bench, expression, &at_once))
		return;
	++*succeeded;
	bench->everything = false;
	left = bench_evaluated(bench, "in two steps", text);
	*waited += left.type == VALUE_DEFERRED;
	/* As after a plan file: the text alone is left, and names are asked for again. */
	left = value_copy(&bench->arena, &left);
	if (left.type == VALUE_DEFERRED) {
		struct deferred *deferred = arena_new(&bench->arena, struct deferred);

		check_print("left over", bench, left.deferred->text);
		deferred->text = left.deferred->text;
		left.deferred = deferred;
	}
	bench->everything = true;
	later = bench_resolved(bench, &left);
	if (!value_equal(&at_once, &later))
		fail_msg("'%.*s' gives something else in two steps", SLICE_ARGUMENTS(text));
	if (at_once.secret != later.secret)
		fail_msg("'%.*s' has another mark in two steps", SLICE_ARGUMENTS(text));
}

static void test_random_expressions(void **state)
{
	struct random random = {42};
	size_t succeeded = 0, waited = 0;
	int tried = rounds_of(10000);

	(void)state;
	for (int round = tried; round > 0; round--) {
		struct buffer text;
		struct bench bench;

		bench_init(&bench);
		buffer_init(&text, 64 * 1024);
		if (pick(&random, 2))
			buffer_string(&text, "x$");
		buffer_string(&text, "${");
		make_expression(&random, &text, "isblm"[pick(&random, text.size > 2 ? 3 : 5)], pick(&random, 5));
		buffer_string(&text, "}");
		if (!text.full) {
			check_print("random", &bench, buffer_slice(&text));
			check_two_steps(&bench, buffer_slice(&text), &succeeded, &waited);
		}
		buffer_release(&text);
		bench_release(&bench);
	}
	/* The shapes are worth something only while most of them work and many have to wait. */
	if (succeeded < (size_t)tried * 9 / 10 || waited < (size_t)tried * 3 / 20)
		fail_msg("%zu succeeded, %zu waited", succeeded, waited);
}

static void check_anything(struct bench *bench, struct slice text)
{
	const struct expression *expression;
	struct value value;

	check_print("bytes", bench, text);
	bench->everything = !bench->everything;
	if (bench_compile(bench, text, &expression) && !bench_evaluate(bench, expression, &value) &&
	    bench->diagnostics.error_count == 0)
		fail_msg("fails without a word");
}

static void test_random_bytes(void **state)
{
	static const char alphabet[] = "${}[]().,:?\"\\+-*/%<>=!&|'  \n\tabcvar.aws.vpc.n0123456789e_\xc3\xa9\xff";
	static const char *const seeds[] = {
		"a ${upper(\"x${var.region}\")}-${aws.vpc.a.id}",
		"${var.nodes.*.disks[0].size == 1 ? {a: [1, 2.5e3]} : merge(var.tags, {\"b c\": -1})}",
		"${cidr_subnet(aws.vpc.a.cidr, 4, var.n % 2) != null && !var.yes || true}",
		"${format(\"%05d-%-3s\", length(split(\",\", \"a,b\")), join(\"\\u00e9\", sort(var.list)))}$${x}",
	};
	struct random random = {7};

	(void)state;
	for (int i = rounds_of(15000); i > 0; i--) {
		char text[256];
		size_t size = pick(&random, sizeof(text));
		struct bench bench;

		if (i % 2) {
			const char *seed = seeds[pick(&random, COUNT(seeds))];

			size = strlen(seed);
			memcpy(text, seed, size);
			for (unsigned j = 0; j <= pick(&random, 4); j++)
				text[pick(&random, (unsigned)size)] = alphabet[pick(&random, sizeof(alphabet) - 1)];
			size -= pick(&random, 3) == 0 ? pick(&random, (unsigned)size) : 0;
		} else {
			for (size_t j = 0; j < size; j++)
				text[j] = i % 4 ? alphabet[pick(&random, sizeof(alphabet) - 1)]
						: (char)pick(&random, 256);
		}
		bench_init(&bench);
		check_anything(&bench, (struct slice){text, size});
		bench_release(&bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_expressions),
		cmocka_unit_test(test_random_bytes),
	};

	return cmocka_run_group_tests_name("expression random", tests, NULL, NULL);
}
