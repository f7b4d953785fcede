#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reconcile/diff.h"

/* What a list of changes says of one field: of two, "size" is changed as the row tells, and "name" is replaced. */

static const struct field size = {.name = "size"}, name = {.name = "name"};

static const struct row {
	const char *title;
	const struct field *field; /* of the first change */
	enum change_effect effect;
	const char *asked;
	bool sets;
} rows[] = {
	{"set", &size, EFFECT_SET, "size", true},
	{"shown alone", &size, EFFECT_SHOW, "size", false},
	{"another one is", &size, EFFECT_SET, "name", false},
	{"about no field", NULL, EFFECT_SET, "size", false},
	{"no name", &size, EFFECT_SET, "", false},
};

static void test_sets(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct change changes[] = {{.field = rows[i].field, .effect = rows[i].effect},
					   {.field = &name, .effect = EFFECT_REPLACE}};
		const struct difference difference = {.changes = changes, .count = 2};

		if (changes_set(changes, 2, slice_of(rows[i].asked)) != rows[i].sets ||
		    difference_sets(&difference, slice_of(rows[i].asked)) != rows[i].sets)
			fail_msg("%s", rows[i].title);
	}
	assert_false(difference_sets(NULL, SLICE("size")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_sets)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
