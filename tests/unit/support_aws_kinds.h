#ifndef TRUEUP_TESTS_UNIT_SUPPORT_AWS_KINDS_H
#define TRUEUP_TESTS_UNIT_SUPPORT_AWS_KINDS_H

#include "providers/aws/kind.h"

/* Runs a check over every kind of AWS, each as a test of its own. */

/* Says what is wrong with a kind, and goes on: its test fails in the end. */
__attribute__((format(printf, 2, 3))) void kind_report(const struct aws_kind *kind, const char *format, ...);
/* NULL: there is none of that name. */
const struct aws_kind *kinds_named(const char *name);
/* What main() returns. */
int kinds_try(void (*check)(const struct aws_kind *kind));

struct aws_shape;
/* Whether one row may leave out what is under path: a few members, or what has one reason for all of it. */
bool kind_may_omit(const char *path, const struct aws_shape *shape);
/* Whether a value of the field can travel as that shape. */
bool kind_type_fits(const struct field *field, const struct aws_shape *shape);

#endif
