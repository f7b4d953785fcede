#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support_plan.h"

/* Which two plans are approved with one digest, and which are not. */

/* A net with a label, recorded with what else is said of it, and as it is now. */
#define NET(rest) "{\"t.net.a\":{\"range\":\"10\"" rest "}}"
#define LABEL ",\"label\":\"x\""
#define TAGS(team) ",\"tags\":{\"team\":\"" team "\"}"
#define PROTECT(on) ",\"lifecycle\":{\"protect\":" on "}"
#define IGNORE(names) ",\"lifecycle\":{\"ignore\":[" names "]}"
#define HAD(applied, rest, live)                                                                                       \
	"{\"t.net.a\":{\"id\":\"n1\",\"applied\":{\"range\":\"10\"" applied "}" rest                                   \
	",\"live\":{\"range\":\"10\"" live "}}}"
#define PROTECTED ",\"protect\":true,\"ignored\":[]"
#define OPEN ",\"ignored\":[]"
#define LEFT(names) ",\"ignored\":[" names "]"

struct side {
	const char *spec, *record;
	const char *summary; /* of its plan */
};

#define NOTHING                                                                                                        \
	{                                                                                                              \
		NET(""), HAD("", OPEN, ""), ""                                                                         \
	}

static const struct row {
	const char *name;
	struct side one, other;
	bool same;
} rows[] = {
	/* Nothing is called, and yet the spec decides something. */
	{"protection taken off", NOTHING, {NET(""), HAD("", PROTECTED, ""), "record t.net.a:lifecycle.protect"}, false},
	{"protection put on",
	 NOTHING,
	 {NET(PROTECT("true")), HAD("", OPEN, ""), "record t.net.a:lifecycle.protect"},
	 false},
	{"protection put on, and taken off",
	 {NET(PROTECT("true")), HAD("", OPEN, ""), "record t.net.a:lifecycle.protect"},
	 {NET(""), HAD("", PROTECTED, ""), "record t.net.a:lifecycle.protect"},
	 false},
	{"left to others",
	 NOTHING,
	 {NET(IGNORE("\"tags\"")), HAD("", OPEN, ""), "record t.net.a:lifecycle.ignore"},
	 false},
	{"left to others no more",
	 NOTHING,
	 {NET(""), HAD("", LEFT("\"tags\""), ""), "record t.net.a:lifecycle.ignore"},
	 false},
	{"another one is left to others",
	 {NET(IGNORE("\"tags\"")), HAD("", OPEN, ""), "record t.net.a:lifecycle.ignore"},
	 {NET(IGNORE("\"label\"")), HAD("", OPEN, ""), "record t.net.a:lifecycle.ignore"},
	 false},
	{"not managed any more", NOTHING, {NET(""), HAD(LABEL, OPEN, LABEL), "record t.net.a:label"}, false},
	{"managed from now on", NOTHING, {NET(LABEL), HAD("", OPEN, LABEL), "record t.net.a:label"}, false},
	/* The same beside a change. */
	{"an update, and protection taken off",
	 {NET(TAGS("b")), HAD(TAGS("a"), OPEN, TAGS("a")), "update t.net.a:tags.team"},
	 {NET(TAGS("b")), HAD(TAGS("a"), PROTECTED, TAGS("a")), "update t.net.a:tags.team,lifecycle.protect"},
	 false},
	{"an update, and one field is left to others",
	 {NET(TAGS("b")), HAD(TAGS("a"), OPEN, TAGS("a")), "update t.net.a:tags.team"},
	 {NET(TAGS("b") IGNORE("\"dns\"")), HAD(TAGS("a"), OPEN, TAGS("a")),
	  "update t.net.a:tags.team,lifecycle.ignore"},
	 false},
	{"an update, and one is managed no more",
	 {NET(TAGS("b")), HAD(TAGS("a"), OPEN, TAGS("a")), "update t.net.a:tags.team"},
	 {NET(TAGS("b")), HAD(TAGS("a") LABEL, OPEN, TAGS("a") LABEL), "update t.net.a:label,tags.team"},
	 false},
	{"a new one that leaves a field to others",
	 {NET(""), "{}", "create t.net.a"},
	 {NET(IGNORE("\"label\"")), "{}", "create t.net.a"},
	 false},
	/* Nobody decides anything. */
	{"an output that is read anew",
	 NOTHING,
	 {NET(""), HAD("", OPEN ",\"outputs\":{\"version\":2}", ""), "record t.net.a:~version"},
	 true},
	{"a move of what was never set", NOTHING, {NET(""), HAD("", OPEN, LABEL), "record t.net.a:~label"}, true},
	{"what an older program's record does not say", NOTHING, {NET(IGNORE("\"label\"")), HAD("", "", ""), ""}, true},
	{"the same names in another order",
	 {NET(IGNORE("\"label\",\"tags\"")), HAD("", OPEN, ""), "record t.net.a:lifecycle.ignore"},
	 {NET(IGNORE("\"tags\",\"label\",\"tags\"")), HAD("", OPEN, ""), "record t.net.a:lifecycle.ignore"},
	 true},
	{"recorded in another order",
	 {NET(IGNORE("\"label\",\"tags\"")), HAD("", LEFT("\"tags\",\"label\""), ""), ""},
	 NOTHING,
	 true},
	{"what is kept as it is moved meanwhile",
	 {NET(""), HAD(LABEL, OPEN, LABEL), "record t.net.a:label"},
	 {NET(""), HAD(LABEL, OPEN, ",\"label\":\"y\""), "record t.net.a:label"},
	 true},
};

static struct digest approval_of(const struct row *row, const struct side *side)
{
	static const struct json_style style = {.clear = false};
	struct plan_fixture fixture;

	plan_from_texts(&fixture, side->spec, side->record, false);
	if (strcmp(plan_summary(&fixture), side->summary) != 0)
		fail_msg("%s: '%s', not '%s'", row->name, plan_summary(&fixture), side->summary);
	struct digest digest = plan_approval(&fixture.plan, &fixture.arena, &style);
	plan_fixture_release(&fixture);
	return digest;
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct digest one = approval_of(&rows[i], &rows[i].one);
		struct digest other = approval_of(&rows[i], &rows[i].other);

		if (digest_equal(&one, &other) != rows[i].same)
			fail_msg("%s: %s", rows[i].name, rows[i].same ? "two digests" : "one digest");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests_name("plan approval", tests, NULL, NULL);
}
