#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/support_undo.h"

/* Which of two later runs is named where an undoing is refused. */

#define RULE(port, note) "{\"note\":\"" note "\",\"port\":" port "}"
#define RULES(items) "{\"rules\":[" items "]}"
#define TAGS(a, b) "{\"tags\":{\"a\":\"" a "\",\"b\":\"" b "\"}}"

static const struct undo_row rows[] = {
	{"a key that was changed since, by the second of two runs",
	 {{TAGS("1", "1"), TAGS("2", "1"), TAGS("3", "2")}},
	 .between = TAGS("2", "2"),
	 .said = "'t.net.a' has changed again since: 'tags.a' (apply, run 33333333)",
	 .fails = true},
	{"a key that was changed since, by the first of two runs",
	 {{TAGS("1", "1"), TAGS("2", "1"), TAGS("3", "2")}},
	 .between = TAGS("3", "1"),
	 .said = "'t.net.a' has changed again since: 'tags.a' (apply, run 22222222)",
	 .fails = true},
	{"an item that was changed since, by the second of two runs",
	 {{RULES(RULE("1", "a")), RULES(RULE("1", "b")), RULES(RULE("1", "c") "," RULE("2", "c"))}},
	 .between = RULES(RULE("1", "b") "," RULE("2", "c")),
	 .said = "'rules[1]' (apply, run 33333333)",
	 .fails = true},
	{"a field that was changed since, by the second of two runs",
	 {{"{\"label\":\"x\"}", "{\"label\":\"y\"}", "{\"dns\":true,\"label\":\"z\"}"}},
	 .between = "{\"dns\":true,\"label\":\"y\"}",
	 .said = "'label' (apply, run 33333333)",
	 .fails = true},
	{"a key that was changed since, and changed and set back after that",
	 {{TAGS("1", "1"), TAGS("2", "1"), TAGS("3", "1")}},
	 .between = TAGS("3", "2"),
	 .said = "'tags.a' (apply, run 22222222)",
	 .fails = true},
	{"made, and changed since by both",
	 {{NULL, TAGS("1", "1"), TAGS("2", "2")}},
	 .between = TAGS("2", "1"),
	 .said = "'t.net.a' has changed again since (apply, run 33333333)",
	 .fails = true},
	{"made, and changed since by the first, of which the second changed nothing but the record",
	 {{NULL, TAGS("1", "1"), TAGS("2", "2")}},
	 .between = TAGS("2", "1"),
	 .renames = true,
	 .said = "'t.net.a' has changed again since (apply, run 22222222)",
	 .fails = true},
	{"a field of which nothing but the record changed since",
	 {{"{\"label\":\"x\"}", "{\"label\":\"y\"}", "{\"label\":\"z\"}"}},
	 .between = "{\"label\":\"y\"}",
	 .renames = true,
	 .said = "'label' (state mv, run 33333333)",
	 .fails = true},
	{"removed, and there again otherwise",
	 {{TAGS("1", "1"), NULL, TAGS("2", "2")}},
	 .between = TAGS("2", "1"),
	 .said = "'t.net.a' is there again, and otherwise (apply, run 33333333)",
	 .fails = true},
	{"removed since, and changed before that",
	 {{TAGS("1", "1"), TAGS("2", "1"), NULL}},
	 .between = TAGS("3", "1"),
	 .said = "'t.net.a' is gone since (apply, run 33333333)",
	 .fails = true},
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
