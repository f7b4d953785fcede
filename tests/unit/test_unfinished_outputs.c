#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "reconcile/unfinished_outputs.h"
#include "tests/unit/support_record.h"

/* What is recorded of outputs before a call that they tell of, and of those that follow others after it. */

static const struct output outputs[] = {
	{.name = "addresses", .shows_work_of = "Assign"},
	{.name = "default_version", .follows = "latest_version"},
	{.name = "latest_version"},
	{.name = "range", .shows_work_of = "Associate"},
};
static const struct kind kind = {.name = "t.thing", .outputs = FIELDS(outputs)};
static const struct json_style style = {0};

static void expect(const char *name, const struct value *is, const char *wanted, struct arena *arena)
{
	struct slice text = json_canonical(arena, is, &style);

	if (!slice_is(text, wanted))
		fail_msg("%s: %.*s", name, SLICE_ARGUMENTS(text));
}

/* Before a call "Assign": what shows its work as it is, the rest as it was recorded. */
static void test_before(void **state)
{
	static const struct {
		const char *name, *recorded, *live, *before;
	} rows[] = {
		{"what it adds to", "{\"addresses\":[\"a\"]}", "{\"addresses\":[\"a\",\"b\"]}",
		 "{\"addresses\":[\"a\",\"b\"]}"},
		{"of which nothing is there", "{\"addresses\":[\"a\"]}", "{}", "{}"},
		{"what another call makes", "{\"range\":\"r\"}", "{\"range\":\"s\"}", "{\"range\":\"r\"}"},
		{"what shows no work", "{\"latest_version\":1}", "{\"latest_version\":2}", "{\"latest_version\":1}"},
		{"what no table has any more", "{\"former\":\"x\"}", "{\"addresses\":[\"a\"]}",
		 "{\"addresses\":[\"a\"],\"former\":\"x\"}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena arena;

		arena_init(&arena);
		const struct object object = {.outputs = read_json(&arena, rows[i].recorded)};
		const struct value live = read_json(&arena, rows[i].live);
		const struct value before = unfinished_outputs_before(&object, &kind, SLICE("Assign"), &live, &arena);
		expect(rows[i].name, &before, rows[i].before, &arena);
		arena_release(&arena);
	}
	/* What is being made has no outputs yet. */
	struct arena arena;
	arena_init(&arena);
	const struct object bare = {.outputs = value_null()};
	const struct value live = read_json(&arena, "{\"addresses\":[\"a\"]}");
	const struct value before = unfinished_outputs_before(&bare, &kind, SLICE("Assign"), &live, &arena);
	expect("nothing recorded", &before, "{\"addresses\":[\"a\"]}", &arena);
	arena_release(&arena);
}

static void test_follow(void **state)
{
	static const struct {
		const char *name, *recorded, *live, *taken;
		bool follow;
	} rows[] = {
		{"it has followed", "{\"default_version\":1}", "{\"default_version\":2,\"latest_version\":2}",
		 "{\"default_version\":2,\"latest_version\":2}", true},
		{"it has not yet", "{\"default_version\":1}", "{\"default_version\":3,\"latest_version\":4}",
		 "{\"default_version\":1,\"latest_version\":4}", false},
		{"it was never recorded", "{}", "{\"default_version\":1,\"latest_version\":2}",
		 "{\"default_version\":1,\"latest_version\":2}", false},
		{"it cannot be told", "{\"default_version\":1}", "{\"default_version\":2}", "{\"default_version\":2}",
		 true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena arena;

		arena_init(&arena);
		const struct object object = {.outputs = read_json(&arena, rows[i].recorded)};
		const struct live live = {.outputs = read_json(&arena, rows[i].live)};
		const struct value taken = unfinished_outputs(&object, &kind, &live.outputs, &arena);
		expect(rows[i].name, &taken, rows[i].taken, &arena);
		assert_int_equal(unfinished_outputs_follow(&kind, &live), rows[i].follow);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_before),
		cmocka_unit_test(test_follow),
	};

	return cmocka_run_group_tests_name("unfinished_outputs", tests, NULL, NULL);
}
