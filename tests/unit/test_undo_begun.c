#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/support_undo.h"

/* What becomes of something that a run had only begun to make, when it or a later run is undone. */

#define ALONE "{\"size\":1}"
#define WHOLE "{\"net\":" NET ",\"size\":1}"

static const struct undo_row rows[] = {
	{"finished, with what it refers to",
	 {{NULL, "{}", "{}"}, {WHOLE, WHOLE, WHOLE}},
	 .unfinished = "was",
	 .wanted = "{\"t.user.b\":" ALONE "}",
	 .planned = "t.net.a t.user.b"},
	{"finished without it",
	 {{NULL, "{}", "{}"}, {WHOLE, ALONE, ALONE}},
	 .unfinished = "was",
	 .wanted = "{\"t.user.b\":" ALONE "}",
	 .planned = "t.net.a"},
	{"finished without it, which never was there",
	 {{NULL, NULL, NULL}, {WHOLE, ALONE, ALONE}},
	 .unfinished = "was",
	 .wanted = "{\"t.user.b\":" ALONE "}"},
	{"finished without it, which was there",
	 {{"{}", "{}", "{}"}, {WHOLE, ALONE, ALONE}},
	 .unfinished = "was",
	 .wanted = "{\"t.net.a\":{},\"t.user.b\":" WHOLE "}",
	 .planned = "t.user.b"},
	{"removed",
	 {{NULL, NULL, NULL}, {WHOLE, NULL, NULL}},
	 .unfinished = "was",
	 .wanted = "{\"t.user.b\":" ALONE "}",
	 .planned = "t.user.b"},
	{"gone on with, and finished by a later run",
	 {{"{}", NULL, "{}"}, {WHOLE, WHOLE, WHOLE}},
	 .unfinished = "was left",
	 .wanted = "{\"t.net.a\":{},\"t.user.b\":" WHOLE "}"},
	{"begun, and finished by a later run",
	 {{"{}", NULL, "{}"}, {NULL, WHOLE, WHOLE}},
	 .unfinished = "left",
	 .wanted = "{\"t.net.a\":{}}",
	 .planned = "t.user.b"},
	{"begun, and finished without it",
	 {{NULL, NULL, NULL}, {NULL, WHOLE, ALONE}},
	 .unfinished = "left",
	 .wanted = "{}",
	 .planned = "t.user.b"},
	{"begun when it was there, and finished without it",
	 {{"{}", "{}", "{}"}, {NULL, WHOLE, ALONE}},
	 .unfinished = "left",
	 .said = "'t.user.b' has changed again since (apply, run 22222222)",
	 .fails = true},
	{"begun, and finished otherwise",
	 {{NULL, NULL, NULL}, {NULL, WHOLE, "{\"size\":2}"}},
	 .unfinished = "left",
	 .said = "'t.user.b' has changed again since (apply, run 22222222)",
	 .fails = true},
	{"begun in the place of another, and finished without it",
	 {{"{}", NULL, NULL}, {WHOLE, "{\"net\":" NET ",\"size\":2}", "{\"size\":2}"}},
	 .unfinished = "left",
	 .wanted = "{\"t.net.a\":{},\"t.user.b\":" WHOLE "}",
	 .planned = "t.user.b t.net.a"},
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		undo_check_row(&rows[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
