#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support_plan.h"

/* What plans with targets are about. */

#define NET_CHANGED "\"t.net.a\":{\"range\":\"11\"}"
#define NET_B_REC REC("t.net.b", "n2", "{\"range\":\"12\"}", "{\"range\":\"12\"}", "{\"range\":\"12\"}")
#define RECORD "{" NET_REC("{\"range\":\"10\"}") "," NET_B_REC "," SUB_REC "," USER_REC "}"
#define SUB_ELSEWHERE "\"t.sub.b\":{\"net\":" REF("t.net.b.id") ",\"range\":\"10.1\"}"
#define NET_B "\"t.net.b\":{\"range\":\"12\"}"
#define NET_B_CHANGED "\"t.net.b\":{\"range\":\"12\",\"dns\":false}"
#define USER_C "\"t.user.c\":{\"sub\":" REF("t.sub.b.id") "}"

#define NET_LEFT                                                                                                       \
	"\"t.net.a/1\":{\"id\":\"n0\",\"applied\":{\"range\":\"9\"},\"role\":\"deposed\",\"live\":{\"range\":\"9\"}}"
#define NET_BACK "\"t.net.a\":{\"range\":\"9\"}"
#define RECORD_LEFT "{" NET_REC("{\"range\":\"10\"}") "," NET_LEFT "," NET_B_REC "," SUB_REC "," USER_REC "}"

#define SUB_LEFT                                                                                                       \
	"\"t.sub.b/1\":{\"id\":\"s0\",\"applied\":{\"net\":" REF(                                                      \
		"t.net.a.id") ",\"range\":\"10.1\"},"                                                                  \
			      "\"resolved\":{\"net\":\"n1\",\"range\":\"10.1\"},\"role\":\"deposed\",\"live\":{"       \
			      "\"net\":\"n1\",\"range\":\"10.1\"}}"
#define SUB_MADE                                                                                                       \
	REC("t.sub.b", "s1", "{\"net\":" REF("t.net.b.id") ",\"range\":\"10.1\"}",                                     \
	    "{\"net\":\"n2\",\"range\":\"10.1\"}", "{\"net\":\"n2\",\"range\":\"10.1\"}")
#define RECORD_AWAITED "{" NET_REC("{\"range\":\"10\"}") "," NET_B_REC "," SUB_LEFT

#define NET_DARK "\"t.net.a\":{\"range\":\"10\",\"dns\":false}"
#define USER_OF(output, id)                                                                                            \
	REC("t.user.c", "u1", "{\"" output "\":" REF("t.net.a." output) "}", "{\"" output "\":\"" id "\"}",            \
	    "{\"" output "\":\"" id "\"}")

#define PART(name, range) "\"t.sub." name "\":{\"net\":\"n1\",\"range\":\"" range "\"}"
#define WIDE "{\"range\":\"10\",\"further\":[\"10.0.0.0/16\"]}"
#define PART_REC(name, range)                                                                                          \
	REC("t.sub." name, "s-" name, "{\"net\":\"n1\",\"range\":\"" range "\"}",                                      \
	    "{\"net\":\"n1\",\"range\":\"" range "\"}", "{\"net\":\"n1\",\"range\":\"" range "\"}")

#define GROUP(name) "\"t.group.x\":{\"name\":\"" name "\"}"
#define GROUP_REC REC("t.group.x", "g1", "{\"name\":\"x\"}", "{\"name\":\"x\"}", "{\"name\":\"x\"}")
#define KEEP(name, field, value) "\"t.keep." name "\":{\"" field "\":" value "}"
#define KEEP_REC(name, field, value, id)                                                                               \
	REC("t.keep." name, "k-" name, "{\"" field "\":" value "}", "{\"" field "\":" id "}", "{\"" field "\":" id "}")
#define KEEP_BOTH(group) "{\"called\":" REF("t.group.x.id") ",\"group\":\"" group "\"}"
#define BOTH(group) "{\"called\":\"g1\",\"group\":\"" group "\"}"
#define VERSION_OF(address) "\"t.user.c\":{\"version\":" REF(address ".version") "}"
#define VERSION_REC(address)                                                                                           \
	REC("t.user.c", "u1", "{\"version\":" REF(address ".version") "}", "{\"version\":1}", "{\"version\":1}")

#define WIDE_NET "\"t.net.a\":" WIDE
#define LEADS(range) "{\"leads\":\"" range "\"}"
#define LED_FIELDS(name, rules) "{\"name\":\"" name "\",\"net\":\"n1\",\"rules\":[" rules "]}"
#define LED(name, rules) "\"t.group." name "\":" LED_FIELDS(name, rules)
#define LED_REC(name, rules)                                                                                           \
	REC("t.group." name, "g-" name, LED_FIELDS(name, rules), LED_FIELDS(name, rules), LED_FIELDS(name, rules))

static const struct row {
	const char *name;
	const char *spec, *record;
	bool destroy;
	bool exact;
	const char *target;
	const char *expected;
} rows[] = {
	{"nothing else", "{" NET_A "," NET_B_CHANGED "," SUB_B "," USER_C "}", RECORD, false, false, "t.net.a", ""},
	{"what it refers to", "{" NET_A "," NET_B "," SUB_B "}", "{}", false, false, "t.sub.b",
	 "create t.net.a; create t.sub.b"},
	{"removed, with those that refer to it", "{" NET_B "}", RECORD, false, false, "t.net.a",
	 "delete t.net.a; delete t.sub.b; delete t.user.c"},
	{"removed, and nothing that it refers to", "{}", RECORD, false, false, "t.user.c", "delete t.user.c"},
	{"removed, with what leaves it for another", "{" NET_B "," SUB_ELSEWHERE "," USER_C "}", RECORD, false, false,
	 "t.net.a", "delete t.net.a; replace-first t.sub.b:net; update t.user.c:sub"},
	{"and with what that one needs", "{" NET_B_CHANGED "," SUB_ELSEWHERE "," USER_C "}", RECORD, false, false,
	 "t.net.a", "delete t.net.a; update t.net.b:dns; replace-first t.sub.b:net; update t.user.c:sub"},
	{"replaced, with those that refer to it", "{" NET_CHANGED "," SUB_B "," USER_C "}", RECORD, false, false,
	 "t.net.a", "replace-first t.net.a:range; replace-first t.sub.b:net; update t.user.c:sub"},
	{"changed in place, without them", "{\"t.net.a\":{\"range\":\"10\",\"dns\":false}," NET_B "}", RECORD, false,
	 false, "t.net.a", "update t.net.a:dns"},
	{"changed in place, with those that use what it takes away", "{" NET_DARK "," NET_B_CHANGED ",\"t.user.c\":{}}",
	 "{" NET_REC("{\"range\":\"10\"}") "," NET_B_REC "," USER_OF("zone", "z1") "}", false, false, "t.net.a",
	 "update t.net.a:dns; update t.user.c:zone"},
	{"and without those that use what it gives another value", "{" NET_DARK ",\"t.user.c\":{}}",
	 "{" NET_REC("{\"range\":\"10\"}") "," NET_B_REC "," USER_OF("version", "1") "}", false, false, "t.net.a",
	 "update t.net.a:dns"},
	{"and because of what needs it", "{" NET_DARK ",\"t.sub.b\":{\"net\":" REF("t.net.a.id") "},\"t.user.c\":{}}",
	 "{" NET_REC("{\"range\":\"10\"}") "," USER_OF("zone", "z1") "}", false, false, "t.sub.b",
	 "update t.net.a:dns; create t.sub.b; update t.user.c:zone"},
	{"replaced, with those that refer to what another one gets by letting go of it",
	 "{" GROUP("y") "," KEEP("k", "group", REF("t.group.x.id")) "," VERSION_OF("t.keep.k") "}",
	 "{" GROUP_REC "," KEEP_REC("k", "group", REF("t.group.x.id"), "\"g1\"") "," VERSION_REC("t.keep.k") "}", false,
	 false, "t.group.x", "replace-first t.group.x:name; update t.keep.k:group; update t.user.c:version"},
	{"however far away",
	 "{" GROUP("y") "," KEEP("k", "group", REF("t.group.x.id")) "," KEEP(
		 "m", "group", REF("t.keep.k.version")) "," VERSION_OF("t.keep.m") "}",
	 "{" GROUP_REC "," KEEP_REC("k", "group", REF("t.group.x.id"), "\"g1\"") "," KEEP_REC(
		 "m", "group", REF("t.keep.k.version"), "1") "," VERSION_REC("t.keep.m") "}",
	 false, false, "t.group.x",
	 "replace-first t.group.x:name; update t.keep.k:group; update t.keep.m:group; update t.user.c:version"},
	{"of an output, too, that is taken away",
	 "{" NET_DARK "," KEEP("k", "group", "\"g9\"") "," VERSION_OF("t.keep.k") "}",
	 "{" KEEP_REC("k", "group", REF("t.net.a.zone"),
		      "\"z1\"") "," NET_REC("{\"range\":\"10\"}") "," VERSION_REC("t.keep.k") "}",
	 false, false, "t.net.a", "update t.keep.k:group; update t.net.a:dns; update t.user.c:version"},
	{"and without them where nothing of that is in it",
	 "{" GROUP("y") "," KEEP("k", "called", REF("t.group.x.id")) "," VERSION_OF("t.keep.k") "}",
	 "{" GROUP_REC "," KEEP_REC("k", "called", REF("t.group.x.id"), "\"g1\"") "," VERSION_REC("t.keep.k") "}",
	 false, false, "t.group.x", "replace-first t.group.x:name; update t.keep.k:called"},
	{"and where it gets that by another change",
	 "{" GROUP("y") ",\"t.keep.k\":" KEEP_BOTH("g8") "," VERSION_OF("t.keep.k") "}",
	 "{" GROUP_REC
	 "," REC("t.keep.k", "k1", KEEP_BOTH("g9"), BOTH("g9"), BOTH("g9")) "," VERSION_REC("t.keep.k") "}",
	 false, false, "t.group.x", "replace-first t.group.x:name; update t.keep.k:group,called"},
	{"given a part of what another one has, with that one",
	 "{" PART("a", "10.0.0.0/25") "," PART("b", "10.0.1.0/24") "," PART("e", "10.0.2.0/25") "}",
	 "{" PART_REC("b", "10.0.0.0/24") "," PART_REC("f", "10.0.2.0/24") "}", false, false, "t.sub.a",
	 "create t.sub.a; replace t.sub.b:range"},
	{"losing a range, with what lies in it and goes, however it does",
	 "{\"t.net.a\":{\"range\":\"10\",\"further\":[\"10.0.0.0/17\"]}," PART("b", "10.0.1.0/24") "," PART(
		 "d", "11.0.2.0/24") "}",
	 "{" REC("t.net.a", "n1", WIDE, WIDE, WIDE) "," PART_REC("b", "10.0.0.0/24") "," PART_REC(
		 "c", "10.0.9.0/24") "," PART_REC("d", "11.0.0.0/24") "}",
	 false, false, "t.net.a",
	 "update t.net.a:further[10.0.0.0/16],further[10.0.0.0/17]; replace t.sub.b:range; delete t.sub.c"},
	{"given a range, with what leads there and goes, and without what stays or leads elsewhere",
	 "{" WIDE_NET "," LED("x", "") "," LED("y", LEADS("11.0.0.0/24")) "," LED("z", LEADS("12.0.0.0/16")) "}",
	 "{" NET_REC("{\"range\":\"10\"}") "," LED_REC("v", LEADS("10.0.2.0/24")) "," LED_REC(
		 "x", LEADS("10.0.1.0/24")) "," LED_REC("y", LEADS("10.1.0.0/24")) "," LED_REC("z", "") "}",
	 false, false, "t.net.a",
	 "delete t.group.v; update t.group.x:rules[10.0.1.0/24]; update t.net.a:further[10.0.0.0/16]"},
	{"given all that two have, with both", "{" PART("a", "10.0.0.0/24") "," PART("e", "10.0.2.0/25") "}",
	 "{" PART_REC("b", "10.0.0.0/25") "," PART_REC("c", "10.0.0.128/25") "," PART_REC("f", "10.0.2.0/24") "}",
	 false, false, "t.sub.a", "create t.sub.a; delete t.sub.b; delete t.sub.c"},
	{"destroyed, with those that refer to it", "{" NET_A "," NET_B "," SUB_B "," USER_C "}", RECORD, true, false,
	 "t.sub.b", "delete t.sub.b; delete t.user.c"},
	{"taken back, with what it displaces and all that refers to that",
	 "{" NET_BACK "," NET_B_CHANGED "," SUB_B "," USER_C "}", RECORD_LEFT, false, false, "t.net.a",
	 "take-back t.net.a; delete t.net.a; replace-first t.sub.b:net; update t.user.c:sub"},
	{"taken back because something refers to it",
	 "{" NET_BACK "," NET_B "," SUB_B ",\"t.user.d\":{\"version\":" REF("t.net.a.version") "}}", RECORD_LEFT, false,
	 false, "t.user.d", "take-back t.net.a; delete t.net.a; replace t.sub.b:net; delete t.user.c; create t.user.d"},
	{"removed, with what is to take the place of what was left behind there, and what that needs",
	 "{" NET_B_CHANGED "," SUB_ELSEWHERE "}", RECORD_AWAITED "}", false, false, "t.net.a",
	 "delete t.net.a; update t.net.b:dns; create t.sub.b; delete t.sub.b"},
	{"and without that where it is there already", "{" NET_B_CHANGED "," SUB_ELSEWHERE "}",
	 RECORD_AWAITED "," SUB_MADE "}", false, false, "t.net.a", "delete t.net.a; delete t.sub.b"},
	{"chosen with what it displaces", "{" NET_BACK "," NET_B "," SUB_B "," USER_C "}", RECORD_LEFT, false, true,
	 "t.net.a", "take-back t.net.a; delete t.net.a"},
	{"chosen with all that goes with it", "{" NET_B "}", RECORD, false, true, "t.net.a", "delete t.net.a"},
	{"chosen so to be destroyed", "{}", RECORD, true, true, "t.net.a", "delete t.net.a"},
	{"chosen with what it refers to", "{" NET_A "," NET_B "," SUB_B "}", "{}", false, true, "t.sub.b",
	 "create t.sub.b"},
};

static void test_targets(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct slice target = slice_of(rows[i].target);
		struct plan_fixture fixture;

		plan_fixture_load(&fixture, rows[i].spec, rows[i].record);
		fixture.scope = (struct plan_scope){.targets = &target, .target_count = 1, .exact = rows[i].exact};
		plan_fixture_plan(&fixture, rows[i].destroy);
		if (strcmp(plan_summary(&fixture), rows[i].expected) != 0)
			fail_msg("%s: '%s', not '%s'", rows[i].name, plan_summary(&fixture), rows[i].expected);
		assert_int_equal(fixture.plan.targeted, !rows[i].exact);
		plan_fixture_release(&fixture);
	}
}

/* One object of an address goes, and what the address stands for is left alone. */
static void test_leaving(void **state)
{
	static const struct {
		const char *name;
		const char *target; /* NULL: none */
		bool by_id, named;
		const char *expected;
	} beside[] = {
		{"beside another address", "t.net.b", false, true, "delete t.net.a; update t.net.b:dns"},
		{"alone", NULL, false, true, "delete t.net.a"},
		{"beside its own address, with that", "t.net.a", false, false, "replace t.net.a:range; delete t.net.a"},
		{"beside its own address, by its id", "t.net.a", true, true, "replace t.net.a:range; delete t.net.a"},
		{"beside its own address, and stays", "t.net.a", true, false, "replace t.net.a:range"},
	};
	const struct slice left_behind = SLICE("object-1");

	(void)state;
	for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
		const struct slice target = slice_of(beside[i].target);
		struct plan_fixture fixture;

		plan_fixture_load(&fixture, "{" NET_CHANGED "," NET_B_CHANGED "}", RECORD_LEFT);
		fixture.scope = (struct plan_scope){
			.targets = &target,
			.target_count = beside[i].target != NULL,
			.exact = true,
			.leaving = &left_behind,
			.leaving_count = beside[i].named,
			.left_behind_by_id = beside[i].by_id,
		};
		plan_fixture_plan(&fixture, false);
		if (strcmp(plan_summary(&fixture), beside[i].expected) != 0)
			fail_msg("%s: '%s', not '%s'", beside[i].name, plan_summary(&fixture), beside[i].expected);
		plan_fixture_release(&fixture);
	}
}

static void test_targets_that_are_not_there(void **state)
{
	static const struct {
		const char *target;
		const char *message; /* NULL: it is there */
		const char *hint;
	} found[] = {
		{"t.net.a", NULL, NULL},
		/* In the spec alone, as what was destroyed already. */
		{"t.net.b", NULL, NULL},
		{"t.net.bb", "there is no 't.net.bb' in the spec or the record", "did you mean 't.net.b'?"},
		{"net", "there is no 'net' in the spec or the record", "a target is an address, like aws.vpc.main"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(found) / sizeof(found[0]); i++) {
		const struct slice target = slice_of(found[i].target);
		const struct plan_scope scope = {.targets = &target, .target_count = 1};
		struct plan_fixture fixture;

		plan_fixture_load(&fixture, "{" NET_B "}", "{" NET_REC("{\"range\":\"10\"}") "}");
		struct stack stack = {.resources = fixture.resources, .resource_count = fixture.resource_count};
		bool good = plan_check_targets(&scope, &stack, fixture.object_list, fixture.object_count,
					       &fixture.diagnostics);
		assert_int_equal(good, !found[i].message);
		assert_int_equal(fixture.diagnostics.count, !good);
		if (!good && !slice_is(fixture.diagnostics.items[0].message, found[i].message))
			fail_msg("'%.*s'", SLICE_ARGUMENTS(fixture.diagnostics.items[0].message));
		if (!good && !slice_is(fixture.diagnostics.items[0].hint, found[i].hint))
			fail_msg("'%.*s'", SLICE_ARGUMENTS(fixture.diagnostics.items[0].hint));
		plan_fixture_release(&fixture);
	}
}

/* A list from before everything was renamed: each address of it is told, and looked for as long as that is quick. */
static void test_many_targets_that_are_not_there(void **state)
{
	enum { OBJECTS = 50000, TARGETS = 100, COMPARED_MOST = 1000000 };
	/* One in the record alone, one in the spec alone; the others are too long to be compared byte by byte. */
	struct object near = {.address = SLICE("t.net.a")}, far = {.address = SLICE("t.net.of-another-name")};
	struct resource resource = {.address = SLICE("t.net.b")};
	const struct stack stack = {.resources = &resource, .resource_count = 1};
	static struct object *objects[OBJECTS];
	struct slice targets[TARGETS];
	struct diagnostics diagnostics;
	struct arena arena;
	size_t hinted = 0;

	(void)state;
	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	objects[0] = &near;
	for (size_t i = 1; i < OBJECTS; i++) {
		objects[i] = arena_new(&arena, struct object);
		*objects[i] = far;
		objects[i]->address = arena_format(&arena, "%.*s-%zu", SLICE_ARGUMENTS(far.address), i);
	}
	for (size_t i = 0; i < TARGETS; i++)
		targets[i] = arena_format(&arena, "t.net.%c%02zu", i % 2 ? 'a' : 'b', i);
	const struct plan_scope scope = {.targets = targets, .target_count = TARGETS};
	assert_false(plan_check_targets(&scope, &stack, objects, OBJECTS, &diagnostics));
	assert_int_equal(diagnostics.count, TARGETS);
	for (size_t i = 0; i < TARGETS; i++) {
		bool is_near = slice_starts_with(diagnostics.items[i].hint, SLICE("did you mean 't.net."));

		assert_true(!is_near || hinted == i);
		assert_true(is_near || slice_starts_with(diagnostics.items[i].hint, SLICE("a target is an address")));
		hinted += is_near;
	}
	assert_in_range(hinted, 1, COMPARED_MOST / OBJECTS);
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_leaving),
		cmocka_unit_test(test_targets_that_are_not_there),
		cmocka_unit_test(test_many_targets_that_are_not_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
