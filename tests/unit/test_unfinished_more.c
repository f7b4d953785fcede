#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "reconcile/unfinished.h"
#include "tests/unit/support_record.h"

/* What a later run is to set of an object that was begun, what is settled more than once, and what is noted as no
 * program of this version would: what the record takes of it. */

static const struct field rule_fields[] = {{.name = "port", .type = FIELD_INTEGER, .flags = REQUIRED | KEY},
					   {.name = "why", .type = FIELD_STRING}};
static const struct field rule = {.type = FIELD_OBJECT, .members = FIELDS(rule_fields)};
static const struct field tag = {.type = FIELD_STRING};
static const struct field net_fields[] = {
	{.name = "dns", .type = FIELD_BOOL, .when_unset = UNSET_CONSTANT, .unset_value = "true"},
	{.name = "label", .type = FIELD_STRING, .when_unset = UNSET_CLEAR},
	{.name = "password", .type = FIELD_STRING, .flags = SECRET | WRITE_ONLY, .when_unset = UNSET_CLEAR},
	{.name = "rules", .type = FIELD_SET, .item = &rule, .flags = SETTLES, .when_unset = UNSET_CLEAR},
	{.name = "tags", .type = FIELD_MAP, .item = &tag, .when_unset = UNSET_CLEAR},
};
static const struct kind net = {.name = "t.net", .version = 1, .fields = FIELDS(net_fields)};
static const struct run_secrets secrets = {0};

static const struct provider provider = {.name = "t", .needs_detail = needs_no_detail};

static void expect(const char *name, struct arena *arena, const struct value *is, const char *expected)
{
	struct slice text = json_canonical(arena, is, NULL);

	if (!slice_is(text, expected))
		fail_msg("%s: %.*s, not %s", name, SLICE_ARGUMENTS(text), expected);
}

/* An object that was begun is recorded with what a later run is to set of it: else nobody ever asked for that. */
static void test_take_more(void **state)
{
	static const struct {
		const char *name, *recorded, *wanted, *taken;
	} mores[] = {
		{"a field that it was not made with", "{\"dns\":true}", "{\"dns\":true,\"label\":\"a\"}",
		 "{\"dns\":true,\"label\":\"a\"}"},
		{"another value of one that it was", "{\"label\":\"a\"}", "{\"label\":\"b\"}", NULL},
		{"what it was made with", "{\"label\":\"a\"}", "{\"label\":\"a\"}", NULL},
		{"what is cleared", "{\"dns\":true}", "{\"label\":null}", NULL},
		{"another value of what no read gives back", "{\"password\":\"a\"}", "{\"password\":\"b\"}",
		 "{\"password\":{\"$unread\":true}}"},
		{"a secret in place of a text", "{\"label\":\"a\"}", "{\"label\":{\"$secret\":\"b\"}}",
		 "{\"label\":{\"$secret\":\"b\"}}"},
		{"another secret", "{\"label\":{\"$secret\":\"a\"}}", "{\"label\":{\"$secret\":\"b\"}}",
		 "{\"label\":{\"$secret\":\"b\"}}"},
		{"the same secret", "{\"label\":{\"$secret\":\"a\"}}", "{\"label\":{\"$secret\":\"a\"}}", NULL},
		{"an item with a secret, before those that it was made with", "{\"rules\":[{\"port\":1},{\"port\":3}]}",
		 "{\"rules\":[{\"port\":2,\"why\":{\"$secret\":\"b\"}}]}",
		 "{\"rules\":[{\"port\":1},{\"port\":2,\"why\":{\"$secret\":\"b\"}},{\"port\":3}]}"},
		{"a second secret beside the first one",
		 "{\"rules\":[{\"port\":1,\"why\":{\"$secret\":\"a\"}},{\"port\":2,\"why\":\"c\"}]}",
		 "{\"rules\":[{\"port\":1,\"why\":{\"$secret\":\"a\"}},{\"port\":2,\"why\":{\"$secret\":\"b\"}}]}",
		 "{\"rules\":[{\"port\":1,\"why\":{\"$secret\":\"a\"}},{\"port\":2,\"why\":{\"$secret\":\"b\"}}]}"},
		{"items with a secret beside those that it was made with",
		 "{\"rules\":[{\"port\":1,\"why\":\"a\"},{\"port\":2}]}",
		 "{\"rules\":[{\"port\":1,\"why\":{\"$secret\":\"b\"}}]}",
		 "{\"rules\":[{\"port\":1,\"why\":{\"$secret\":\"b\"}},{\"port\":2}]}"},
		{"keys with a secret beside those that it was made with", "{\"tags\":{\"a\":\"1\",\"b\":\"2\"}}",
		 "{\"tags\":{\"a\":{\"$secret\":\"3\"}}}", "{\"tags\":{\"a\":{\"$secret\":\"3\"},\"b\":\"2\"}}"},
		{"what no read gives back", "{}", "{\"password\":\"a\"}", "{\"password\":{\"$unread\":true}}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(mores) / sizeof(mores[0]); i++) {
		struct arena arena;

		arena_init(&arena);
		struct value recorded = read_json(&arena, mores[i].recorded);
		struct value wanted = read_json(&arena, mores[i].wanted);
		struct object object = {.role = OBJECT_INCOMPLETE, .applied = recorded, .resolved = recorded};
		struct change *changes = arena_new_array(&arena, wanted.count, struct change);
		for (uint32_t k = 0; k < wanted.count; k++)
			changes[k] = (struct change){
				.field = field_named(&net.fields, value_slice(&wanted.members[k].key)),
				.effect = EFFECT_SET,
			};
		const struct unfinished_update update = {
			.changes = changes, .change_count = wanted.count, .symbolic = &wanted, .resolved = &wanted};
		if (unfinished_take_more(&object, &update, &arena) != (mores[i].taken != NULL))
			fail_msg("%s", mores[i].name);
		const char *expected = mores[i].taken ? mores[i].taken : mores[i].recorded;
		expect(mores[i].name, &arena, &object.applied, expected);
		expect(mores[i].name, &arena, &object.resolved, expected);
		assert_false(unfinished_take_more(&object, &update, &arena));
		arena_release(&arena);
	}
}

/* Nor is what the spec refers to, and what comes to nothing, anything that was asked for. */
static void test_take_nothing(void **state)
{
	static const struct change change = {.field = &net_fields[1], .effect = EFFECT_SET};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	const struct value wanted = read_json(&arena, "{\"label\":{\"$deferred\":\"${t.net.b.label}\"}}");
	const struct value nothing = read_json(&arena, "{\"label\":null}");
	const struct unfinished_update update = {
		.changes = &change, .change_count = 1, .symbolic = &wanted, .resolved = &nothing};
	struct object object = {
		.role = OBJECT_INCOMPLETE, .applied = value_map(NULL, 0), .resolved = value_map(NULL, 0)};

	assert_false(unfinished_take_more(&object, &update, &arena));
	assert_null(value_get_named(&object.applied, "label"));
	arena_release(&arena);
}

#define FIRST "{\"port\":1}"
#define REFERRING(name) "{\"port\":{\"$deferred\":\"${t.net." name ".port}\"}}"
#define RULES(items) "{\"rules\":[" items "]}"

/* An item that is told apart by what it refers to: taken off, and the one in its place never put on. It is settled by
 * whatever reads it, the run after next too. */
static void test_settled_again(void **state)
{
	static const struct change change = {.field = &net_fields[3], .effect = EFFECT_SET};
	static const struct {
		const char *name, *live, *applied, *resolved;
	} ends[] = {
		{"nothing was done", RULES(FIRST ",{\"port\":2}"), RULES(FIRST "," REFERRING("a")),
		 RULES(FIRST ",{\"port\":2}")},
		{"the one was taken off", RULES(FIRST), RULES(FIRST), RULES(FIRST)},
		{"all was done", RULES(FIRST ",{\"port\":3}"), RULES(FIRST "," REFERRING("b")),
		 RULES(FIRST ",{\"port\":3}")},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	const struct value symbolic = read_json(&arena, RULES(FIRST "," REFERRING("b")));
	const struct value resolved = read_json(&arena, RULES(FIRST ",{\"port\":3}"));
	const struct unfinished_update update = {
		.changes = &change, .change_count = 1, .symbolic = &symbolic, .resolved = &resolved};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const struct value was = read_json(&arena, RULES(FIRST ",{\"port\":2}"));
		struct object object = {.applied = read_json(&arena, RULES(FIRST "," REFERRING("a"))),
					.resolved = was,
					.observed = was,
					.outputs = value_map(NULL, 0),
					.has_body = true};
		struct live live = {.presence = PRESENCE_PRESENT,
				    .fields = read_json(&arena, ends[i].live),
				    .outputs = value_map(NULL, 0)};
		const struct unfinished_reading reading = {&net, &provider, &live, NULL};

		assert_true(unfinished_note_update(&object, &update, 1000, &arena));
		for (int time = 0; time < 3; time++) {
			(void)unfinished_settle(&object, &reading, secrets, &arena);
			expect(ends[i].name, &arena, &object.applied, ends[i].applied);
			expect(ends[i].name, &arena, &object.resolved, ends[i].resolved);
		}
	}
	arena_release(&arena);
}

/* What was begun to be deleted is made whole by a later run: of the deletion stays what that has taken off. */
static void test_stay(void **state)
{
	static const struct {
		const char *name, *note, *left;
	} notes[] = {
		{"no note", "null", NULL},
		{"an update", "{\"applied\":{},\"leaves\":false,\"resolved\":{}}", NULL},
		{"a deletion", "{\"applied\":{},\"leaves\":true,\"resolved\":{},\"since\":5}", "null"},
		{"a deletion that has taken something off",
		 "{\"applied\":{},\"before\":{\"label\":\"a\"},\"leaves\":true,\"left\":{},\"resolved\":{},\"since\":"
		 "5}",
		 "{\"before\":{\"label\":\"a\"},\"leaves\":false,\"left\":{},\"since\":5}"},
		{"one of what is to be switched on again", "{\"leaves\":true,\"owed\":{\"dns\":true},\"since\":5}",
		 "{\"leaves\":false,\"owed\":{\"dns\":true},\"since\":5}"},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		struct object object = {
			.role = OBJECT_INCOMPLETE, .unfinished = read_json(&arena, notes[i].note), .has_body = true};

		if (unfinished_stay(&object, &arena) != (notes[i].left != NULL))
			fail_msg("%s", notes[i].name);
		expect(notes[i].name, &arena, &object.unfinished, notes[i].left ? notes[i].left : notes[i].note);
		assert_false(unfinished_is_deletion(&object));
		assert_false(unfinished_stay(&object, &arena));
	}
	arena_release(&arena);
}

/* What a field refers to is recorded with it: what goes first, or has to follow, is found by that. */
static void test_dependencies(void **state)
{
	static const struct dependency former = {.address = {"t.net.former", sizeof("t.net.former") - 1},
						 .field = {"rules", sizeof("rules") - 1},
						 .output = {"id", sizeof("id") - 1}},
				       latter = {.address = {"t.net.latter", sizeof("t.net.latter") - 1},
						 .field = {"rules", sizeof("rules") - 1},
						 .output = {"id", sizeof("id") - 1}};
	static const struct {
		const char *name, *live;
		bool former, latter;
	} ends[] = {
		{"nothing was done", "{\"rules\":[{\"port\":1}]}", true, false},
		{"a part was done", "{\"rules\":[{\"port\":1},{\"port\":2}]}", true, true},
		{"all was done", "{\"rules\":[{\"port\":2}]}", false, true},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct value recorded = read_json(&arena, "{\"rules\":[{\"port\":1}]}");
		struct value intended = read_json(&arena, "{\"rules\":[{\"port\":2}]}");
		const struct change change = {.field = field_named(&net.fields, SLICE("rules")), .effect = EFFECT_SET};
		const struct unfinished_update update = {.changes = &change,
							 .change_count = 1,
							 .symbolic = &intended,
							 .resolved = &intended,
							 .wanted = &latter,
							 .wanted_count = 1};
		struct object begun = {.applied = recorded,
				       .resolved = recorded,
				       .observed = recorded,
				       .outputs = value_map(NULL, 0),
				       .dependencies = &former,
				       .dependency_count = 1,
				       .has_body = true};
		assert_true(unfinished_note_update(&begun, &update, 1000, &arena));
		struct object object = stored(&arena, &begun);
		struct live live = {.presence = PRESENCE_PRESENT,
				    .fields = read_json(&arena, ends[i].live),
				    .outputs = value_map(NULL, 0)};
		const struct unfinished_reading reading = {&net, &provider, &live, NULL};
		(void)unfinished_settle(&object, &reading, secrets, &arena);
		if (dependencies_have(object.dependencies, object.dependency_count, &former) != ends[i].former ||
		    dependencies_have(object.dependencies, object.dependency_count, &latter) != ends[i].latter)
			fail_msg("%s", ends[i].name);
	}
	arena_release(&arena);
}

/* A record is read as what it is, but for what no table has any more, and what is noted by halves. */
static void test_strange_notes(void **state)
{
	static const struct {
		const char *name, *note;
	} notes[] = {
		{"an update of a field that no table has any more",
		 "{\"applied\":{\"shape\":\"x\"},\"leaves\":false,\"resolved\":{\"shape\":\"x\"},\"since\":5}"},
		{"a field that no table has any more, to be switched on again",
		 "{\"applied\":{},\"leaves\":false,\"owed\":{\"shape\":\"x\"},\"resolved\":{},\"since\":5}"},
		{"a field that no table has any more, to be set back",
		 "{\"applied\":{},\"before\":{\"shape\":\"x\"},\"leaves\":true,\"resolved\":{},\"since\":5}"},
	};
	const struct live live = {
		.presence = PRESENCE_PRESENT, .fields = value_map(NULL, 0), .outputs = value_map(NULL, 0)};
	const struct unfinished_reading reading = {&net, &provider, &live, NULL};
	const struct value nothing = value_map(NULL, 0);
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		struct object object = {.applied = nothing,
					.resolved = nothing,
					.observed = nothing,
					.outputs = nothing,
					.unfinished = read_json(&arena, notes[i].note),
					.has_body = true};

		assert_true(unfinished_is_sound(&object.unfinished, &arena));
		if (unfinished_settle(&object, &reading, secrets, &arena).owes)
			fail_msg("%s: owes", notes[i].name);
		expect(notes[i].name, &arena, &object.resolved, "{}");
		assert_null(unfinished_owed(&object));
		assert_null(unfinished_before(&object));
	}
	arena_release(&arena);
}

/* What it is said to refer to cannot be read, and nobody knows when it was begun: neither is taken for anything. */
static void test_halves(void **state)
{
	const struct dependency *wanted = NULL;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	struct object object = {.unfinished = read_json(&arena, "{\"dependencies\":[\"x\"],\"leaves\":false}")};
	assert_int_equal(unfinished_wanted(&object, &arena, &wanted), 0);
	assert_null(wanted);
	assert_false(unfinished_is_young(&object, 1000, 2000));
	assert_true(unfinished_renew(&object, 1000, &arena));
	assert_true(unfinished_is_young(&object, 1000, 2000));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_take_more),     cmocka_unit_test(test_take_nothing),
		cmocka_unit_test(test_settled_again), cmocka_unit_test(test_stay),
		cmocka_unit_test(test_dependencies),  cmocka_unit_test(test_strange_notes),
		cmocka_unit_test(test_halves),
	};

	return cmocka_run_group_tests_name("unfinished, and more wanted", tests, NULL, NULL);
}
