#ifndef TRUEUP_TESTS_UNIT_SUPPORT_EXPRESSION_H
#define TRUEUP_TESTS_UNIT_SUPPORT_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/value.h"
#include "specs/expression.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/* What the tests of expressions share: names that stand for values, some of them known only later. */
enum { BENCH_NAMES = 28 };

struct bench {
	struct arena arena;
	struct diagnostics diagnostics;
	bool everything; /* what is known later is known now */
	size_t asked;
	struct value values[BENCH_NAMES]; /* in the order of the table in support_expression.c */
};

/* Where every text begins. */
static const struct position bench_start = {3, 10, 1};

void bench_init(struct bench *bench);
void bench_release(struct bench *bench);
struct output_source bench_source(struct bench *bench);
/* The value of a name of the table. */
struct value *bench_value(struct bench *bench, const char *address, const char *attribute);
const char *bench_message(const struct bench *bench);
bool bench_compile(struct bench *bench, struct slice text, const struct expression **ret);
bool bench_evaluate(struct bench *bench, const struct expression *expression, struct value *ret);
/* These fail the test, naming the row, where something is refused. */
const struct expression *bench_compiled(struct bench *bench, const char *name, struct slice text);
struct value bench_evaluated(struct bench *bench, const char *name, struct slice text);
struct value bench_resolved(struct bench *bench, const struct value *value);
void check_slice(const char *name, struct slice is, const char *wanted);

#endif
