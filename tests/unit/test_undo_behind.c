#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/support_undo.h"

/* What becomes of an address at which a replace had left one behind when the run began, because its successor was not
 * made yet. */

#define OLD "{\"range\":\"1\"}"
#define NEW "{\"range\":\"2\"}"
#define USER "{\"net\":" NET "}"

static const struct undo_row rows[] = {
	{"made in its place",
	 {{NULL, NEW, NEW}},
	 .behind = OLD,
	 .wanted = "{\"t.net.a\":" OLD "}",
	 .planned = "t.net.a"},
	{"made in its place, as an earlier run was to",
	 {{NEW, NEW, NEW}},
	 .unseen = "was",
	 .behind = OLD,
	 .wanted = "{\"t.net.a\":" OLD "}",
	 .planned = "t.net.a"},
	{"made in its place, and not finished",
	 {{NULL, NEW, NEW}},
	 .begun = true,
	 .behind = OLD,
	 .wanted = "{\"t.net.a\":" OLD "}",
	 .planned = "t.net.a"},
	{"made in its place, and something refers to it",
	 {{NULL, NEW, NEW}, {USER, USER, USER}},
	 .behind = OLD,
	 .wanted = "{\"t.net.a\":" OLD ",\"t.user.b\":" USER "}",
	 .planned = "t.net.a t.user.b"},
	{"made in its place, and its deletion was refused",
	 {{NULL, NEW, NEW}},
	 .behind = OLD,
	 .behind_is = BEHIND_TRIED,
	 .wanted = "{\"t.net.a\":" OLD "}",
	 .planned = "t.net.a"},
	{"made in its place, and alike", {{NULL, NEW, NEW}}, .behind = NEW, .wanted = "{}", .planned = "t.net.a"},
	{"made in its place, and another is left over",
	 {{NULL, NEW, NEW}},
	 .behind = OLD,
	 .left_over = true,
	 .leaving = "ee",
	 .wanted = "{\"t.net.a\":" OLD "}",
	 .planned = "t.net.a"},
	{"made in its place, and changed since",
	 {{NULL, NEW, "{\"range\":\"3\"}"}},
	 .behind = OLD,
	 .said = "'t.net.a' has changed again since: 'range'",
	 .fails = true},
	{"made, and it is deleted",
	 {{NULL, NEW, NEW}},
	 .behind = OLD,
	 .behind_is = BEHIND_DELETED,
	 .wanted = "{\"t.net.a\":" OLD "}",
	 .planned = "t.net.a"},
	{"made alike, and it is deleted",
	 {{NULL, NEW, NEW}},
	 .behind = NEW,
	 .behind_is = BEHIND_DELETED,
	 .wanted = "{\"t.net.a\":" NEW "}"},
	{"made, and a later run has deleted it",
	 {{NULL, NEW, NEW}},
	 .behind = OLD,
	 .behind_is = BEHIND_DELETED_LATER,
	 .wanted = "{\"t.net.a\":" OLD "}",
	 .planned = "t.net.a"},
	{"made, and it was deleted outside",
	 {{NULL, NEW, NEW}},
	 .behind = OLD,
	 .behind_is = BEHIND_LOST,
	 .gone = "",
	 .wanted = "{}",
	 .planned = "t.net.a"},
	{"made, and it was taken back since",
	 {{NULL, NEW, OLD}},
	 .behind = OLD,
	 .behind_is = BEHIND_BACK_LATER,
	 .wanted = "{\"t.net.a\":" OLD "}"},
	{"made, and an undoing that was cut off has taken it back",
	 {{NULL, NEW, OLD}},
	 .behind = OLD,
	 .behind_is = BEHIND_BACK_LATER,
	 .found = {NEW},
	 .left_over = true,
	 .leaving = "ee",
	 .wanted = "{\"t.net.a\":" OLD "}",
	 .planned = "t.net.a"},
	{"taken back", {{NULL, OLD, OLD}}, .behind = OLD, .behind_is = BEHIND_BACK, .wanted = "{\"t.net.a\":" OLD "}"},
	{"deleted",
	 {{NULL, NULL, NULL}},
	 .behind = OLD,
	 .behind_is = BEHIND_DELETED,
	 .wanted = "{\"t.net.a\":" OLD "}",
	 .planned = "t.net.a"},
	{"deleted with the record of what was sent for in vain",
	 {{NEW, NULL, NULL}},
	 .unseen = "was",
	 .behind = OLD,
	 .behind_is = BEHIND_DELETED,
	 .wanted = "{\"t.net.a\":" OLD "}",
	 .planned = "t.net.a"},
	{"its deletion was refused", {{NULL, NULL, NULL}}, .behind = OLD, .behind_is = BEHIND_TRIED, .wanted = "{}"},
	{"its successor was sent for in vain",
	 {{NULL, NEW, NEW}},
	 .unseen = "left now",
	 .behind = OLD,
	 .wanted = "{}",
	 .planned = "t.net.a"},
	{"another stood there",
	 {{NEW, "{\"range\":\"3\"}", "{\"range\":\"3\"}"}},
	 .behind = OLD,
	 .behind_is = BEHIND_DELETED,
	 .left_over = true,
	 .leaving = "ee",
	 .wanted = "{\"t.net.a\":" NEW "}",
	 .planned = "t.net.a"},
	{"another stood there, and it is there still",
	 {{"{\"dns\":true}", "{\"dns\":false}", "{\"dns\":false}"}},
	 .behind = OLD,
	 .wanted = "{\"t.net.a\":{\"dns\":true}}",
	 .planned = "t.net.a"},
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
