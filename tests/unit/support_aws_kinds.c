#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "providers/aws/kinds/kinds.h"
#include "tests/unit/support_aws_kinds.h"

#include "providers/aws/shape.h"

static const struct aws_kind *const kinds[] = {
#define KIND_ROW(name) &(name),
	AWS_KINDS(KIND_ROW)
#undef KIND_ROW
};
enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]) };

static int faults;
static void (*check_of_run)(const struct aws_kind *kind);

void kind_report(const struct aws_kind *kind, const char *format, ...)
{
	char text[1024];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	print_error("%s: %s\n", kind->kind.name, text);
	faults++;
}

const struct aws_kind *kinds_named(const char *name)
{
	for (size_t i = 0; i < KIND_COUNT; i++)
		if (strcmp(kinds[i]->kind.name, name) == 0)
			return kinds[i];
	return NULL;
}

static void test_kind(void **state)
{
	faults = 0;
	check_of_run(*state);
	assert_int_equal(faults, 0);
}

static void test_order(void **state)
{
	(void)state;
	for (size_t i = 1; i < KIND_COUNT; i++)
		assert_true(strcmp(kinds[i - 1]->kind.name, kinds[i]->kind.name) < 0);
}

int kinds_try(void (*check)(const struct aws_kind *kind))
{
	struct CMUnitTest tests[KIND_COUNT + 1] = {cmocka_unit_test(test_order)};
	check_of_run = check;
	for (size_t i = 0; i < KIND_COUNT; i++) {
		union {
			const struct aws_kind *constant;
			void *state;
		} kind = {kinds[i]};
		tests[i + 1] = (struct CMUnitTest){kinds[i]->kind.name, test_kind, NULL, NULL, kind.state};
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* One row leaves out at most so many members, beside the rows below, whose reason is one for all of them. */
enum { OMITTED_AT_ONCE = 4 };

static const char *const omitted_whole[] = {"BlockDeviceMappings", "SecondaryInterfaces",
					    "LaunchTemplateData.SecondaryInterfaces", "VpcEncryptionControl", NULL};

static size_t count_members(const struct aws_shape *shape)
{
	size_t count = 0;
	if (shape && shape->type == AWS_LIST)
		return count_members(shape->item);
	if (!shape || shape->member_count == 0)
		return 1;
	for (size_t i = 0; i < shape->member_count; i++)
		count += count_members(shape->members[i].shape);
	return count;
}

bool kind_may_omit(const char *path, const struct aws_shape *shape)
{
	for (const char *const *name = omitted_whole; *name; name++)
		if (strcmp(*name, path) == 0)
			return true;
	return count_members(shape) <= OMITTED_AT_ONCE;
}

bool kind_type_fits(const struct field *field, const struct aws_shape *shape)
{
	switch (field->type) {
	case FIELD_STRING:
	case FIELD_CIDR4:
	case FIELD_CIDR6:
	case FIELD_CIDR:
	case FIELD_ADDRESS:
	case FIELD_JSON:
	case FIELD_REFERENCE:
		return shape->type == AWS_STRING || shape->type == AWS_TIMESTAMP || shape->type == AWS_BLOB;
	case FIELD_INTEGER:
		return shape->type == AWS_INTEGER || shape->type == AWS_LONG;
	case FIELD_NUMBER:
		return shape->type == AWS_DOUBLE || shape->type == AWS_FLOAT;
	case FIELD_BOOL:
		return shape->type == AWS_BOOLEAN;
	case FIELD_OBJECT:
		return shape->type == AWS_STRUCTURE;
	case FIELD_LIST:
	case FIELD_SET:
	case FIELD_MAP:
		return shape->type == AWS_LIST;
	}
	return false;
}
