#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support_plan.h"

/* What a replace left behind: taken back where it is what is wanted again. */

#define NET(range) "\"t.net.a\":{\"range\":\"" range "\"}"
#define FIELDS_OF(range, more) "{\"range\":\"" range "\"" more "}"
#define OBJECT(address, id, applied, resolved, live, more)                                                             \
	"\"" address "\":{\"id\":\"" id "\",\"applied\":" applied ",\"resolved\":" resolved ",\"live\":" live more "}"
#define CURRENT(range) OBJECT("t.net.a", "n2", FIELDS_OF(range, ""), FIELDS_OF(range, ""), FIELDS_OF(range, ""), "")
#define LEFT ",\"role\":\"deposed\""
#define BEHIND_LIVE(range, live, more)                                                                                 \
	OBJECT("t.net.a/1", "n1", FIELDS_OF(range, ""), FIELDS_OF(range, ""), live, LEFT more)
#define BEHIND(range, more) BEHIND_LIVE(range, FIELDS_OF(range, ""), more)
#define SUB(net) "{\"net\":" net ",\"range\":\"10.1\"}"
#define SUB_OF(address, id, net, more)                                                                                 \
	OBJECT(address, id, SUB(REF("t.net.a.id")), SUB("\"" net "\""), SUB("\"" net "\""), more)
#define USER(address, id)                                                                                              \
	OBJECT(address, "u1", "{\"sub\":" REF("t.sub.b.id") "}", "{\"sub\":\"" id "\"}", "{\"sub\":\"" id "\"}", "")
#define GATE(net, number) "{\"net\":" net ",\"number\":" number "}"

static const struct row {
	const char *name;
	const char *spec, *record;
	const char *expected; /* the plan, each action with the id of its object */
	const char *order;
} rows[] = {
	{"what was replaced and is wanted again", "{" NET("10") "}", "{" CURRENT("11") "," BEHIND("10", "") "}",
	 "take-back t.net.a n1, displaces n2; delete t.net.a n2",
	 "make t.net.a, unsettle t.net.a (deposed), delete t.net.a (deposed)"},
	{"with nothing in its place", "{" NET("10") "}", "{" BEHIND("10", "") "}", "take-back t.net.a n1",
	 "make t.net.a"},
	{"in place of what was made halfway", "{" NET("10") "}",
	 "{" BEHIND("10", "") ",\"t.net.a\":{\"id\":\"n2\",\"applied\":{\"range\":\"11\"},\"incomplete\":true,"
			      "\"live\":{\"range\":\"11\"}}}",
	 "take-back t.net.a n1, displaces n2; delete t.net.a n2",
	 "make t.net.a, unsettle t.net.a (deposed), delete t.net.a (deposed)"},
	{"in place of what was never made", "{" NET("10") "}",
	 "{" BEHIND("10", "") ",\"t.net.a\":{\"applied\":{\"range\":\"11\"},\"incomplete\":true}}",
	 "take-back t.net.a n1, displaces ; forget t.net.a", "make t.net.a, make t.net.a (deposed)"},
	{"in place of what somebody deleted", "{" NET("10") "}",
	 "{\"t.net.a\":{\"id\":\"n2\",\"applied\":{\"range\":\"11\"}}," BEHIND("10", "") "}",
	 "take-back t.net.a n1, displaces n2; forget t.net.a n2", "make t.net.a, make t.net.a (deposed)"},
	{"with what has to change in place", "{\"t.net.a\":{\"range\":\"10\",\"label\":\"x\"}}",
	 "{" CURRENT("11") "," BEHIND("10", "") "}", "take-back t.net.a n1 label, displaces n2; delete t.net.a n2",
	 "make t.net.a, unsettle t.net.a (deposed), delete t.net.a (deposed)"},
	{"one that was never finished is finished", "{" NET("10") "}",
	 "{" CURRENT("11") "," BEHIND("10", ",\"incomplete\":true") "}",
	 "delete t.net.a n2; take-back t.net.a n1, displaces n2, to be finished",
	 "make t.net.a, unsettle t.net.a (deposed), delete t.net.a (deposed)"},
	{"the one that needs no change", "{\"t.net.a\":{\"range\":\"10\",\"label\":\"x\"}}",
	 "{" CURRENT("11") "," BEHIND("10", "") "," OBJECT("t.net.a/2", "n3", FIELDS_OF("10", ",\"label\":\"x\""),
							   FIELDS_OF("10", ",\"label\":\"x\""),
							   FIELDS_OF("10", ",\"label\":\"x\""), LEFT) "}",
	 "take-back t.net.a n3, displaces n2; delete t.net.a n2; delete t.net.a n1", NULL},
	{"the one that fits, though the other comes first", "{\"t.net.a\":{\"range\":\"12\",\"label\":\"x\"}}",
	 "{" CURRENT("11") "," BEHIND("10", "") "," OBJECT("t.net.a/2", "n3", FIELDS_OF("12", ""), FIELDS_OF("12", ""),
							   FIELDS_OF("12", ""), LEFT) "}",
	 "take-back t.net.a n3 label, displaces n2; delete t.net.a n2; delete t.net.a n1", NULL},
	{"what is there stays where it is wanted still", "{" NET("11") "}", "{" CURRENT("11") "," BEHIND("10", "") "}",
	 "delete t.net.a n1", NULL},
	{"what does not fit goes", "{" NET("12") "}", "{" CURRENT("11") "," BEHIND("10", "") "}",
	 "replace t.net.a n2 range; delete t.net.a n1", NULL},
	{"what was changed by somebody does not fit", "{" NET("10") "}",
	 "{" CURRENT("11") "," BEHIND_LIVE("10", "{\"range\":\"12\"}", "") "}",
	 "replace t.net.a n2 range; delete t.net.a n1", NULL},
	{"what is gone is not taken back", "{" NET("10") "}",
	 "{" CURRENT("11") ",\"t.net.a/1\":{\"id\":\"n1\",\"applied\":{\"range\":\"10\"}" LEFT "}}",
	 "replace t.net.a n2 range; forget t.net.a n1", NULL},
	{"nor what could not be read", "{" NET("10") "}",
	 "{" CURRENT("11") "," BEHIND_LIVE("10", "{\"$unread\":true}", "") "}",
	 "replace t.net.a n2 range; unread t.net.a n1", NULL},
	{"nor what was not read", "{" NET("10") "}", "{" CURRENT("11") "," BEHIND_LIVE("10", "null", "") "}",
	 "replace t.net.a n2 range; delete t.net.a n1", NULL},
	{"nor what is elsewhere", "{" NET("10") "}", "{" CURRENT("11") "," BEHIND("10", ",\"region\":\"east\"") "}",
	 "replace t.net.a n2 range; delete t.net.a n1", NULL},
	{"nor what is somebody else's", "{" NET("10") "}",
	 "{" CURRENT("11") "," BEHIND("10", ",\"owner\":\"other\"") "}",
	 "replace t.net.a n2 range; conflict t.net.a n1; refused", NULL},
	{"nor a twin, which was never this address's", "{" NET("10") "}",
	 "{" CURRENT("11") "," OBJECT("t.net.a/1", "n1", "{}", "{}", FIELDS_OF("10", ""), LEFT) "}",
	 "replace t.net.a n2 range; delete t.net.a n1", NULL},
	{"what is protected keeps its place", "{" NET("10") "}",
	 "{" OBJECT("t.net.a", "n2", FIELDS_OF("11", ""), FIELDS_OF("11", ""), FIELDS_OF("11", ""),
		    ",\"protect\":true") "," BEHIND("10", "") "}",
	 "delete t.net.a n1; refused", NULL},
	{"what it refers to is taken back with it",
	 "{" NET("10") ",\"t.sub.b\":" SUB(REF("t.net.a.id")) ",\"t.user.c\":{\"sub\":" REF("t.sub.b.id") "}}",
	 "{" CURRENT("11") "," BEHIND("10", "") "," SUB_OF("t.sub.b", "s2", "n2", "") "," SUB_OF(
		 "t.sub.b/1", "s1", "n1", LEFT) "," USER("t.user.c", "s2") "}",
	 "take-back t.net.a n1, displaces n2; delete t.net.a n2; take-back t.sub.b s1, displaces s2; delete t.sub.b "
	 "s2; "
	 "update t.user.c u1 sub",
	 "make t.net.a, unsettle t.net.a (deposed), make t.sub.b, unsettle t.sub.b (deposed), make t.user.c, "
	 "delete t.sub.b (deposed), delete t.net.a (deposed)"},
	{"neither goes where what it needs could not be read",
	 "{" NET("10") ",\"t.user.c\":{\"version\":" REF("t.net.a.version") "}}",
	 "{\"t.net.a\":{\"id\":\"n2\",\"applied\":{\"range\":\"10\"},\"incomplete\":true,\"live\":{\"$unread\":true}},"
	 "\"t.user.c\":{\"id\":\"u2\",\"applied\":{\"version\":1}}," OBJECT(
		 "t.user.c/1", "u1", "{\"version\":1}", "{\"version\":1}", "{\"version\":1}", LEFT) "}",
	 "unread t.net.a n2; unread t.user.c u2", NULL},
	{"it stays where what is to take its place could not be read", "{" NET("12") "}",
	 "{" BEHIND("10", "") ",\"t.net.a\":{\"id\":\"n2\",\"applied\":{\"range\":\"11\"},\"incomplete\":true,"
			      "\"live\":{\"$unread\":true}}}",
	 "unread t.net.a n1; unread t.net.a n2", NULL},
	{"it goes where one that was finished took its place", "{" NET("11") "}",
	 "{" OBJECT("t.net.a", "n2", FIELDS_OF("11", ""), FIELDS_OF("11", ""), "{\"$unread\":true}",
		    "") "," BEHIND("10", "") "}",
	 "unread t.net.a n2; delete t.net.a n1", NULL},
	{"what it is attached to is free first",
	 "{\"t.net.a\":{\"range\":\"10\"},\"t.gate.g\":" GATE(REF("t.net.a.id"), "1") "}",
	 "{" OBJECT("t.gate.g", "g2", GATE(REF("t.net.a.id"), "2"), GATE("\"n1\"", "2"), GATE("\"n1\"", "2"),
		    "") "," OBJECT("t.gate.g/1", "g1", GATE(REF("t.net.a.id"), "1"), GATE("\"n1\"", "1"),
				   "{\"number\":1}", LEFT) "," OBJECT("t.net.a", "n1", FIELDS_OF("10", ""),
								      FIELDS_OF("10", ""), FIELDS_OF("10", ""), "") "}",
	 "take-back t.gate.g g1 net, displaces g2; delete t.gate.g g2",
	 "unsettle t.gate.g (deposed), make t.gate.g, delete t.gate.g (deposed)"},
};

static struct slice id_of(const struct plan_fixture *fixture, struct slice object_id)
{
	for (size_t i = 0; i < fixture->object_count; i++)
		if (slice_equal(fixture->objects[i].object_id, object_id))
			return fixture->objects[i].provider_id;
	return (struct slice){0};
}

static const char *summary(struct plan_fixture *fixture)
{
	BUFFER_AUTO out;

	buffer_init(&out, 1 << 16);
	for (size_t i = 0; i < fixture->plan.action_count; i++) {
		const struct action *action = &fixture->plan.actions[i];
		bool takes_back = action->operation == OPERATION_TAKE_BACK;

		buffer_format(&out, "%s%s %.*s", i ? "; " : "", operation_name(action->operation),
			      SLICE_ARGUMENTS(action->address));
		buffer_format(&out, "%s%.*s", action->provider_id.size ? " " : "",
			      SLICE_ARGUMENTS(action->provider_id));
		for (size_t k = 0; k < action->change_count; k++)
			buffer_format(&out, " %.*s", SLICE_ARGUMENTS(action->changes[k].path));
		if (action->displaces.size > 0)
			buffer_format(&out, ", displaces %.*s", SLICE_ARGUMENTS(id_of(fixture, action->displaces)));
		if (takes_back && action->role == OBJECT_INCOMPLETE)
			buffer_string(&out, ", to be finished");
	}
	if (!fixture->sound)
		buffer_string(&out, "; refused");
	return arena_string(&fixture->arena, buffer_slice(&out));
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan_fixture fixture;

		plan_from_texts(&fixture, rows[i].spec, rows[i].record, false);
		if (strcmp(summary(&fixture), rows[i].expected) != 0)
			fail_msg("%s: '%s', not '%s'", rows[i].name, summary(&fixture), rows[i].expected);
		if (rows[i].order && strcmp(plan_order(&fixture), rows[i].order) != 0)
			fail_msg("%s: '%s', not '%s'", rows[i].name, plan_order(&fixture), rows[i].order);
		plan_fixture_release(&fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
	};
	return cmocka_run_group_tests_name("plan_take_back", tests, NULL, NULL);
}
