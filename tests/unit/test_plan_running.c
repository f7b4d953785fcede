#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support_plan.h"

/* What a plan says of what objects run: jobs of t.user, of a version, that lie in a zone as a t.sub does. */

#define SUB(name, net, range, zone)                                                                                    \
	"\"t.sub." name "\":{\"net\":" REF("t.net." net ".id") ",\"range\":\"" range "\",\"zone\":\"" zone "\"}"
#define ZONED(name, id, range, zone)                                                                                   \
	REC("t.sub." name, id, "{\"net\":" REF("t.net.a.id") ",\"range\":\"" range "\",\"zone\":\"" zone "\"}",        \
	    "{\"net\":\"n1\",\"range\":\"" range "\",\"zone\":\"" zone "\"}",                                          \
	    "{\"net\":\"n1\",\"range\":\"" range "\",\"zone\":\"" zone "\"}")
#define RUNS(version, jobs)                                                                                            \
	"\"t.user.c\":{\"id\":\"u1\",\"applied\":{\"places\":[" REF("t.sub.b.id") "," REF(                             \
		"t.sub.d.id") "],\"version\":" version                                                                 \
			      "},\"resolved\":{\"places\":[\"s1\",\"s2\"],\"version\":" version                        \
			      "},\"live\":{\"places\":[\"s1\",\"s2\"],\"version\":" version "},\"running\":[" jobs     \
			      "]}"
#define USER(version) "\"t.user.c\":{\"places\":[" REF("t.sub.b.id") "," REF("t.sub.d.id") "],\"version\":" version "}"
#define USER_D "\"t.user.c\":{\"places\":[" REF("t.sub.d.id") "],\"version\":1}"
#define RUNS_IN_D(jobs)                                                                                                \
	"\"t.user.c\":{\"id\":\"u1\",\"applied\":{\"places\":[" REF(                                                   \
		"t.sub.d.id") "],\"version\":1},\"resolved\":{\"places\":[\"s2\"],\"version\":1},\"live\":{"           \
			      "\"places\":"                                                                            \
			      "[\"s2\"],\"version\":1},\"running\":[" jobs "]}"
#define SOURCED "\"t.user.c\":{\"zone\":" REF("t.net.a.zone") "}"
#define SOURCED_REC(jobs)                                                                                              \
	"\"t.user.c\":{\"id\":\"u1\",\"applied\":{\"zone\":" REF(                                                      \
		"t.net.a.zone") "},\"resolved\":{\"zone\":\"z\"},\"live\":{\"zone\":\"z\"},\"running\":[" jobs "]}"
#define JOB(version, zone) "{\"version\":" version ",\"zone\":\"" zone "\"}"
#define COUNTED(more) "{\"t.user.c\":{\"least\":1," more "}}"
#define COUNTED_REC(fields, jobs)                                                                                      \
	"{\"t.user.c\":{\"id\":\"u1\",\"applied\":{\"least\":1,\"most\":6},\"resolved\":{\"least\":1,\"most\":6},"     \
	"\"live\":{\"least\":1," fields "},\"running\":[" jobs "]}}"
#define STAYS "{\"zone\":\"x\",\"stays\":true}"
#define NET NET_REC("{\"range\":\"10\"}")
#define THERE NET "," ZONED("b", "s1", "10.1", "x") "," ZONED("d", "s2", "10.2", "y")
#define AS_IS SUB("b", "a", "10.1", "x") "," SUB("d", "a", "10.2", "y")

static const struct row {
	const char *name;
	const char *spec;
	const char *record;
	const char *expected;
} rows[] = {
	{"as the spec says", "{" NET_A "," AS_IS "," USER("1") "}",
	 "{" THERE "," RUNS("1", JOB("1", "x") "," JOB("1", "y")) "}", ""},
	{"nothing runs", "{" NET_A "," AS_IS "," USER("2") "}", "{" THERE "," RUNS("1", "") "}", ""},
	{"another version", "{" NET_A "," AS_IS "," USER("2") "}",
	 "{" THERE "," RUNS("1", JOB("1", "x") "," JOB("1", "y")) "}",
	 "t.user.c keeps 2: 2 jobs keep version 1 until they are replaced"},
	{"a version that is not known yet",
	 "{\"t.net.a\":{\"range\":\"10\",\"dns\":false}," AS_IS "," USER(REF("t.net.a.version")) "}",
	 "{" NET_REC("{\"range\":\"10\",\"dns\":true}") "," ZONED("b", "s1", "10.1", "x") "," ZONED(
		 "d", "s2", "10.2", "y") "," RUNS("1", JOB("1", "x")) "}",
	 "t.user.c keeps 1: 1 job keeps version 1 until it is replaced"},
	{"several versions, and nothing to do", "{" NET_A "," AS_IS "," USER("3") "}",
	 "{" THERE "," RUNS("3", JOB("2", "x") "," JOB("3", "y") "," JOB("1", "y") "," JOB("2", "y")) "}",
	 "t.user.c keeps 1: 1 job keeps version 1 until it is replaced; "
	 "t.user.c keeps 2: 2 jobs keep version 2 until they are replaced"},
	{"a version that the spec says nothing of",
	 "{" NET_A "," AS_IS ",\"t.user.c\":{\"places\":[" REF("t.sub.b.id") "," REF("t.sub.d.id") "]}}",
	 "{" THERE ",\"t.user.c\":{\"id\":\"u1\",\"applied\":{\"places\":[" REF("t.sub.b.id") "," REF(
		 "t.sub.d.id") "]},\"resolved\":{\"places\":[\"s1\",\"s2\"]},\"live\":{\"places\":[\"s1\",\"s2\"],"
			       "\"version\":4},\"running\":[" JOB("1", "x") "]}}",
	 "t.user.c keeps 1: 1 job keeps version 1 until it is replaced"},
	{"a place in the same zone",
	 "{" NET_A "," SUB("b", "a", "10.3", "x") "," SUB("d", "a", "10.2", "y") "," USER("1") "}",
	 "{" THERE "," RUNS("1", JOB("1", "x") "," JOB("1", "x") "," JOB("1", "y")) "}",
	 "t.sub.b holds 2: cannot be deleted before 2 jobs of t.user.c are gone"},
	{"nothing runs in it",
	 "{" NET_A "," SUB("b", "a", "10.3", "x") "," SUB("d", "a", "10.2", "y") "," USER("1") "}",
	 "{" THERE "," RUNS("1", JOB("1", "y")) "}", ""},
	{"a place in another zone",
	 "{" NET_A "," SUB("b", "a", "10.3", "z") "," SUB("d", "a", "10.2", "y") "," USER("1") "}",
	 "{" THERE "," RUNS("1", JOB("1", "x")) "}", ""},
	{"the other zone is that of another place",
	 "{" NET_A "," SUB("b", "a", "10.3", "z") "," SUB("d", "a", "10.4", "x") "," USER("1") "}",
	 "{" THERE "," RUNS("1", JOB("1", "x") "," JOB("1", "y")) "}",
	 "t.sub.b holds 1: cannot be deleted before 1 job of t.user.c is gone"},
	{"a place that leaves the spec, while others come into its zone",
	 "{" NET_A "," SUB("d", "a", "10.4", "x") ",\"t.user.c\":{\"places\":[" REF("t.sub.d.id") "],\"version\":1}}",
	 "{" THERE "," RUNS("1", JOB("1", "x") "," JOB("1", "y")) "}",
	 "t.sub.b holds 1: cannot be deleted before 1 job of t.user.c is gone"},
	{"a place that leaves the spec with its zone",
	 "{" NET_A "," SUB("d", "a", "10.2", "y") ",\"t.user.c\":{\"places\":[" REF("t.sub.d.id") "],\"version\":1}}",
	 "{" THERE "," RUNS("1", JOB("1", "x") "," JOB("1", "y")) "}", ""},
	{"a place that leaves the spec with its zone, which not all can leave",
	 "{" NET_A "," SUB("d", "a", "10.2", "y") "," USER_D "}",
	 "{" THERE "," RUNS("1", STAYS "," JOB("1", "x") "," JOB("1", "y")) "}",
	 "t.sub.b holds 1: cannot be deleted before 1 job of t.user.c is gone"},
	{"a place in another zone, to which none goes",
	 "{" NET_A "," SUB("b", "a", "10.3", "z") "," SUB("d", "a", "10.2", "y") ",\"t.user.c\":{\"places\":[" REF(
		 "t.sub.b.id") "," REF("t.sub.d.id") "],\"version\":1,\"name\":\"n\"}}",
	 "{" THERE ",\"t.user.c\":{\"id\":\"u1\",\"applied\":{\"places\":[" REF("t.sub.b.id") "," REF(
		 "t.sub.d.id") "],\"version\":1,\"name\":\"n\"},\"resolved\":{\"places\":[\"s1\",\"s2\"],\"version\":1,"
			       "\"name\":\"n\"},\"live\":{\"places\":[\"s1\",\"s2\"],\"version\":1,\"name\":\"n\"},"
			       "\"running\":[" JOB("1", "x") "]}}",
	 "t.sub.b holds 1: cannot be deleted before 1 job of t.user.c is gone"},
	{"a place that left the spec earlier, and could not be deleted",
	 "{" NET_A "," SUB("d", "a", "10.2", "y") "," USER_D "}",
	 "{" THERE "," RUNS_IN_D(JOB("1", "x") "," JOB("1", "y")) "}",
	 "t.sub.b holds 1: may be held by 1 job of t.user.c until it is gone"},
	{"nothing runs in the zone of what left the spec earlier",
	 "{" NET_A "," SUB("d", "a", "10.2", "y") "," USER_D "}", "{" THERE "," RUNS_IN_D(JOB("1", "y")) "}", ""},
	{"of the version that their source has", "{" NET_A "," SOURCED "}", "{" NET "," SOURCED_REC(JOB("1", "x")) "}",
	 ""},
	{"of another version than their source", "{" NET_A "," SOURCED "}", "{" NET "," SOURCED_REC(JOB("0", "x")) "}",
	 "t.user.c keeps 1: 1 job keeps version 0 until it is replaced"},
	{"of another version than their source, which will have a third",
	 "{\"t.net.a\":{\"range\":\"10\",\"dns\":false}," SOURCED "}",
	 "{" NET_REC("{\"range\":\"10\",\"dns\":true}") "," SOURCED_REC(JOB("0", "x")) "}", ""},
	{"fewer, by the most that there may be", COUNTED("\"most\":2"),
	 COUNTED_REC("\"most\":6,\"count\":3", JOB("1", "x") "," JOB("1", "x") "," JOB("1", "x")),
	 "t.user.c ends 1: 1 job ends, as 'count' becomes 2"},
	{"fewer, and some do not end", COUNTED("\"most\":0"),
	 COUNTED_REC("\"most\":6,\"count\":3", STAYS "," JOB("1", "x") "," JOB("1", "x")),
	 "t.user.c ends 2: 2 jobs end, as 'count' becomes 0"},
	{"more than are wanted at the least", COUNTED("\"most\":2"),
	 COUNTED_REC("\"most\":6,\"count\":1", JOB("1", "x")), ""},
	{"more, by the spec itself", COUNTED("\"most\":6,\"count\":3"),
	 COUNTED_REC("\"most\":6,\"count\":1", JOB("1", "x")), "t.user.c starts 2: 2 jobs start, as 'count' becomes 3"},
	{"the first ones", "{\"t.user.c\":{\"least\":2,\"most\":6}}", COUNTED_REC("\"most\":6,\"count\":1", ""),
	 "t.user.c starts 1: 1 job starts, as 'count' becomes 2"},
	{"a number of something else", COUNTED("\"most\":0"),
	 COUNTED_REC("\"most\":6,\"count\":1,\"name\":\"n\"", JOB("1", "x")), ""},
	{"all goes with its net", "{\"t.net.a\":{\"range\":\"11\"}," AS_IS "," USER("1") "}",
	 "{" THERE "," RUNS("1", JOB("1", "x") "," JOB("1", "y")) "}", "t.user.c ends 2: 2 jobs end with it"},
	{"it goes", "{" NET_A "," AS_IS "}", "{" THERE "," RUNS("1", JOB("1", "x")) "}",
	 "t.user.c ends 1: 1 job ends with it"},
};

static void test_rows(void **state)
{
	const struct row *row = *state;
	struct plan_fixture fixture;
	struct buffer said;

	plan_from_texts(&fixture, row->spec, row->record, false);
	buffer_init(&said, 1 << 16);
	for (size_t i = 0; i < fixture.plan.running_count; i++) {
		const struct running *running = &fixture.plan.running[i];
		buffer_format(&said, "%s%.*s %s %zu: %.*s", i ? "; " : "", SLICE_ARGUMENTS(running->address),
			      running_effect_names.words[running->effect], running->count,
			      SLICE_ARGUMENTS(running->what));
	}
	if (!slice_is(buffer_slice(&said), row->expected))
		fail_msg("'%.*s', not '%s' (%s)", SLICE_ARGUMENTS(buffer_slice(&said)), row->expected,
			 plan_summary(&fixture));
	buffer_release(&said);
	plan_fixture_release(&fixture);
}

/* What was not read is not said. */
static void test_unread(void **state)
{
	struct plan_fixture fixture;

	(void)state;
	plan_fixture_load(&fixture, rows[2].spec, rows[2].record);
	fixture.read = false;
	plan_fixture_plan(&fixture, false);
	assert_int_equal(fixture.plan.running_count, 0);
	plan_fixture_release(&fixture);
}

int main(void)
{
	enum { COUNT = sizeof(rows) / sizeof(rows[0]) };
	struct CMUnitTest tests[COUNT + 1];

	for (size_t i = 0; i < COUNT; i++)
		tests[i] = (struct CMUnitTest){rows[i].name, test_rows, NULL, NULL, (void *)(uintptr_t)&rows[i]};
	tests[COUNT] = (struct CMUnitTest)cmocka_unit_test(test_unread);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
