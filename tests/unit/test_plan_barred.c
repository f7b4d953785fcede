#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support_plan.h"

/* Plans that would do what the service itself keeps from being done. */

#define BOX(rest) "{\"type\":\"small\"" rest "}"
#define LARGE(rest) "{\"type\":\"large\"" rest "}"
#define HELD ",\"held\":true"
#define LOOSE_NOW ",\"held\":false"
#define RUNS ",\"running\":true"
#define STANDS ",\"running\":false"

static const struct plan_scope all, looking = {.looks = true}, undoing = {.undoes = {"run", 3}};

static const struct row {
	const char *name;
	const char *spec; /* NULL: it is to go */
	const char *was, *observed;
	const char *live; /* NULL: as observed */
	const char *ignored;
	const struct plan_scope *scope;
	const char *expected;
	const char *cause, *hint; /* NULL: nothing is told */
} rows[] = {
	{"a change that stops it", LARGE(HELD), BOX(HELD), BOX(HELD RUNS), NULL, NULL, &all,
	 "update t.box.a:type; refused", "the change of 'type' stops it",
	 "apply it once with 'held: false', alone or with that change"},
	{"and of what was not read, as it is recorded", LARGE(HELD), BOX(HELD), BOX(HELD RUNS), "null", NULL, &all,
	 "update t.box.a:type; refused", "the change of 'type' stops it", "apply it once with 'held: false'"},
	{"one that stops it for good", BOX(HELD STANDS), BOX(HELD RUNS), BOX(HELD RUNS), NULL, NULL, &all,
	 "update t.box.a:running; refused", "the change of 'running' stops it", "apply it once with 'held: false'"},
	{"one that stops nothing", BOX(HELD ",\"label\":\"l\""), BOX(HELD), BOX(HELD RUNS), NULL, NULL, &all,
	 "update t.box.a:label", NULL, NULL},
	{"what stands still", LARGE(HELD), BOX(HELD), BOX(HELD STANDS), NULL, NULL, &all, "update t.box.a:type", NULL,
	 NULL},
	{"what stands still and is to run", LARGE(HELD RUNS), BOX(HELD STANDS), BOX(HELD STANDS), NULL, NULL, &all,
	 "update t.box.a:type,running", NULL, NULL},
	{"what is held no more by the same plan", LARGE(LOOSE_NOW), BOX(HELD), BOX(HELD RUNS), NULL, NULL, &all,
	 "update t.box.a:type,held", NULL, NULL},
	{"what the spec no longer says to be held", LARGE(""), BOX(HELD), BOX(HELD RUNS), NULL, NULL, &all,
	 "update t.box.a:type,held", NULL, NULL},
	{"what is held by the same plan", LARGE(HELD), BOX(LOOSE_NOW), BOX(LOOSE_NOW RUNS), NULL, NULL, &all,
	 "update t.box.a:type,held", NULL, NULL},
	{"what somebody holds, of which the spec says nothing", LARGE(""), BOX(""), BOX(LOOSE_NOW RUNS), BOX(HELD RUNS),
	 NULL, &all, "update t.box.a:type,~held; refused", "the change of 'type' stops it",
	 "apply it once with 'held: false'"},
	{"what others may hold", LARGE(LOOSE_NOW), BOX(LOOSE_NOW), BOX(HELD RUNS), NULL, "held", &all,
	 "update t.box.a:type; refused", "the change of 'type' stops it",
	 "take 'held' out of 'lifecycle.ignore', and apply it once with 'held: false'; then it can be stopped"},
	{"and what the undoing of a run that did not set it leaves alone", LARGE(HELD), BOX(HELD), BOX(HELD RUNS), NULL,
	 "held", &undoing, "update t.box.a:type; refused", "the change of 'type' stops it",
	 "apply it once with 'held: false', alone or with that change"},
	{"what nobody knows to be held", LARGE(HELD), BOX(HELD), BOX(HELD RUNS),
	 BOX(",\"held\":{\"$unread\":true}" RUNS), NULL, &all, "update t.box.a:type,~held", NULL, NULL},
	{"what has moved", BOX(HELD), BOX(HELD), BOX(HELD RUNS), LARGE(HELD RUNS), NULL, &looking,
	 "update t.box.a:~type", NULL, NULL},
	{"what is to go", NULL, BOX(HELD), BOX(HELD RUNS), NULL, NULL, &all, "delete t.box.a; refused", "",
	 "apply it once with 'held: false'; then it can go"},
};

static void check_told(const struct row *row, const struct plan_fixture *fixture)
{
	const struct diag *told = fixture->diagnostics.items;

	if (fixture->diagnostics.count != (row->hint ? 1 : 0))
		fail_msg("%s: %zu diagnostics", row->name, fixture->diagnostics.count);
	if (!row->hint)
		return;
	if (!slice_is(told->cause, row->cause) || !slice_starts_with(told->hint, slice_of(row->hint)))
		fail_msg("%s: '%.*s', '%.*s'", row->name, SLICE_ARGUMENTS(told->cause), SLICE_ARGUMENTS(told->hint));
	assert_true(slice_is(told->address, "t.box.a"));
}

static void test_barred(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct slice ignored = slice_of(rows[i].ignored);
		struct plan_fixture fixture;
		char spec[256], record[512];

		snprintf(spec, sizeof(spec), "{%s%s}", rows[i].spec ? "\"t.box.a\":" : "",
			 rows[i].spec ? rows[i].spec : "");
		snprintf(record, sizeof(record),
			 "{\"t.box.a\":{\"id\":\"b1\",\"applied\":%s,\"resolved\":%s,\"observed\":%s,\"live\":%s}}",
			 rows[i].was, rows[i].was, rows[i].observed, rows[i].live ? rows[i].live : rows[i].observed);
		plan_fixture_load(&fixture, spec, record);
		fixture.scope = *rows[i].scope;
		fixture.resources[0].ignored = &ignored;
		fixture.resources[0].ignored_count = rows[i].ignored != NULL;
		plan_fixture_plan(&fixture, false);
		if (strcmp(plan_summary(&fixture), rows[i].expected) != 0)
			fail_msg("%s: '%s', not '%s'", rows[i].name, plan_summary(&fixture), rows[i].expected);
		check_told(&rows[i], &fixture);
		plan_fixture_release(&fixture);
	}
}

#define RECORDED(address, id, was, live)                                                                               \
	",\"" address "\":{\"id\":\"" id "\",\"applied\":" was ",\"resolved\":" was ",\"observed\":" was               \
	",\"live\":" live "}"

/* A gate that others have opened to a net of theirs: what is not recorded as its own it does not leave, to go. */
static void test_attached(void **state)
{
	static const struct {
		const char *spec, *was, *live;
		const char *expected;
		const char *beside; /* further records; NULL: none */
	} gates[] = {
		{"", "{\"net\":\"n1\"}", "{\"net\":\"n1\"}", "delete t.gate.a", NULL},
		{"", "{\"net\":\"n1\"}", "{}", "delete t.gate.a", NULL},
		{"", "{\"net\":\"n1\"}", "null", "delete t.gate.a", NULL},
		{"", "{\"net\":\"n1\"}", "{\"net\":\"n2\"}", "delete t.gate.a; refused", NULL},
		{"", "{}", "{\"net\":\"n2\"}", "delete t.gate.a; refused", NULL},
		{"", "{\"number\":1}", "{\"number\":1,\"net\":\"n2\"}", "delete t.gate.a; refused", NULL},
		{"\"t.gate.a\":{\"number\":2}", "{\"number\":1}", "{\"number\":1,\"net\":\"n2\"}",
		 "replace t.gate.a:~net,number; refused", NULL},
		{"\"t.gate.a\":{\"net\":\"n1\"}", "{\"net\":\"n1\"}", "{\"net\":\"n2\"}", "update t.gate.a:~net", NULL},
		/* With that net, and from where another gate is to be, it goes. */
		{"", "{\"net\":\"n1\"}", "{\"net\":\"n2\"}", "delete t.gate.a; delete t.net.n",
		 RECORDED("t.net.n", "n2", "{}", "{}")},
		{"\"t.gate.b\":{\"net\":\"n2\"}", "{\"net\":\"n1\"}", "{\"net\":\"n2\"}",
		 "delete t.gate.a; update t.gate.b:~net", RECORDED("t.gate.b", "g2", "{\"net\":\"n2\"}", "{}")},
		{"\"t.gate.b\":{\"net\":\"n3\"}", "{\"net\":\"n1\"}", "{\"net\":\"n2\"}",
		 "delete t.gate.a; update t.gate.b:~net,net; refused",
		 RECORDED("t.gate.b", "g2", "{\"net\":\"n2\"}", "{}")},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(gates) / sizeof(gates[0]); i++) {
		struct plan_fixture fixture;
		char spec[256], record[512];

		snprintf(spec, sizeof(spec), "{%s}", gates[i].spec);
		snprintf(record, sizeof(record),
			 "{\"t.gate.a\":{\"id\":\"g1\",\"applied\":%s,\"resolved\":%s,\"observed\":%s,\"live\":%s}%s}",
			 gates[i].was, gates[i].was, gates[i].was, gates[i].live,
			 gates[i].beside ? gates[i].beside : "");
		plan_fixture_load(&fixture, spec, record);
		plan_fixture_plan(&fixture, false);
		if (strcmp(plan_summary(&fixture), gates[i].expected) != 0)
			fail_msg("%zu: '%s', not '%s'", i, plan_summary(&fixture), gates[i].expected);
		if (strstr(gates[i].expected, "refused") &&
		    !slice_is(fixture.diagnostics.items[0].hint,
			      "detach it there first, or give it up: 'trueup state rm t.gate.a'"))
			fail_msg("%zu: '%.*s'", i, SLICE_ARGUMENTS(fixture.diagnostics.items[0].hint));
		plan_fixture_release(&fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_barred),
		cmocka_unit_test(test_attached),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
