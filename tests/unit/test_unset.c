#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "reconcile/unset.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static struct value parsed(struct arena *arena, const char *text)
{
	struct diagnostics diagnostics;
	struct value value = value_null();

	diagnostics_init(&diagnostics, arena);
	assert_true(json_read(arena, slice_of(text), false, 4096, "test", &value, &diagnostics));
	diagnostics_release(&diagnostics);
	return value;
}

static void test_goal(void **state)
{
	static const struct field members[] = {
		{.name = "a", .type = FIELD_INTEGER},
		{.name = "b", .type = FIELD_INTEGER, .when_unset = UNSET_CONSTANT, .unset_value = "5"},
	};
	static const struct field whole = {.name = "f", .type = FIELD_OBJECT, .members = FIELDS(members)};
	static const struct field constant = {
		.name = "f", .type = FIELD_INTEGER, .when_unset = UNSET_CONSTANT, .unset_value = "7"};
	static const struct {
		const char *name;
		const struct field *field;
		const char *wanted, *applied, *goal; /* NULL: not set */
	} rows[] = {
		{"as it is wanted", &constant, "1", "2", "1"},
		{"back to its constant", &constant, NULL, "2", "7"},
		{"not set, and no constant", &whole, NULL, "{\"a\":1}", "null"},
		{"set for the first time", &whole, "{\"a\":1}", NULL, "{\"a\":1}"},
		{"a member back to its constant", &whole, "{\"a\":1}", "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":5}"},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct value wanted = parsed(&arena, rows[i].wanted ? rows[i].wanted : "null");
		struct value applied = parsed(&arena, rows[i].applied ? rows[i].applied : "null");
		struct value expected = parsed(&arena, rows[i].goal);
		struct value goal = unset_goal(rows[i].field, rows[i].wanted ? &wanted : NULL,
					       rows[i].applied ? &applied : NULL, &arena);

		if (!value_equal(&goal, &expected))
			fail_msg("%s", rows[i].name);
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_goal)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
