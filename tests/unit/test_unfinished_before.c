#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "reconcile/unfinished.h"
#include "tests/unit/support_record.h"

/*
 * What the note of a deletion keeps, should the object stay: a row gives the fields when it began, as it left them, and
 * as they are now, in JSON; and what is to be set back then.
 */

static const struct field rule_fields[] = {{.name = "port", .type = FIELD_INTEGER, .flags = REQUIRED | KEY}};
static const struct field rule = {.type = FIELD_OBJECT, .members = FIELDS(rule_fields)};
static const struct field net_fields[] = {
	{.name = "home", .type = FIELD_REFERENCE, .target = "t.net", .when_unset = UNSET_CLEAR},
	{.name = "label", .type = FIELD_STRING, .when_unset = UNSET_CLEAR},
	{.name = "most", .type = FIELD_INTEGER},
	{.name = "rules", .type = FIELD_SET, .item = &rule, .flags = SETTLES, .when_unset = UNSET_CLEAR},
	{.name = "size", .type = FIELD_INTEGER, .flags = OBSERVED},
};
static const struct kind net = {.name = "t.net", .version = 1, .fields = FIELDS(net_fields)};

static const struct provider provider = {.name = "t", .needs_detail = needs_no_detail};

#define ALL "{\"home\":\"a\",\"label\":\"x\",\"most\":3,\"rules\":[{\"port\":1},{\"port\":2}],\"size\":2}"
#define EMPTIED "{\"label\":\"y\",\"most\":0,\"size\":0}"

static const struct row {
	const char *name;
	const char *ignored; /* by the spec; NULL: no spec is at hand */
	const char *left, *now;
	const char *before; /* NULL: nothing is to be set back */
} rows[] = {
	{"who scales it", "", EMPTIED, EMPTIED, "{\"size\":2}"},
	{"what the spec ignores", "most", EMPTIED, EMPTIED, "{\"most\":3,\"size\":2}"},
	{"what nobody knows", NULL, EMPTIED, EMPTIED,
	 "{\"home\":\"a\",\"most\":3,\"rules\":[{\"port\":1},{\"port\":2}],\"size\":2}"},
	{"nothing was moved", "most", ALL, ALL, NULL},
	{"set back", "most", EMPTIED, ALL, NULL},
	{"set back in part", "most", EMPTIED, "{\"most\":3,\"size\":0}", "{\"size\":2}"},
	{"filled by others", "most", EMPTIED, "{\"most\":9,\"size\":0}", "{\"size\":2}"},
	{"let go of, and taken by others", "home rules", "{\"size\":2}", "{\"home\":\"b\",\"size\":2}",
	 "{\"rules\":[{\"port\":1},{\"port\":2}]}"},
	{"one rule taken off", "rules", "{\"rules\":[{\"port\":2}],\"size\":2}",
	 "{\"rules\":[{\"port\":2}],\"size\":2}", "{\"rules\":[{\"port\":1},{\"port\":2}]}"},
	{"one rule of two put back", "rules", "{\"size\":2}", "{\"rules\":[{\"port\":2}],\"size\":2}",
	 "{\"rules\":[{\"port\":1},{\"port\":2}]}"},
	{"one put back beside one of others", "rules", "{\"size\":2}",
	 "{\"rules\":[{\"port\":2},{\"port\":7}],\"size\":2}", NULL},
	{"one put back, and what was left is gone", "rules", "{\"rules\":[{\"port\":2}],\"size\":2}",
	 "{\"rules\":[{\"port\":1}],\"size\":2}", NULL},
	{"the one that was left is gone", "rules", "{\"rules\":[{\"port\":2}],\"size\":2}", "{\"size\":2}", NULL},
	{"what others had put there is gone", "rules", "{\"rules\":[{\"port\":7}],\"size\":2}", "{\"size\":2}",
	 "{\"rules\":[{\"port\":1},{\"port\":2}]}"},
	{"rules of others since", "rules", "{\"size\":2}", "{\"rules\":[{\"port\":7}],\"size\":2}", NULL},
	{"not read at first", "", "{\"size\":{\"$unread\":true}}", "{\"size\":0}", "{\"size\":2}"},
	{"not read now", "", "{\"size\":0}", "{\"size\":{\"$unread\":true}}", "{\"size\":2}"},
};

static struct live live_of(struct arena *arena, const char *fields)
{
	return (struct live){
		.presence = PRESENCE_PRESENT, .fields = read_json(arena, fields), .outputs = value_map(NULL, 0)};
}

static struct object object_of(struct arena *arena, const char *fields)
{
	struct value recorded = read_json(arena, fields);

	return (struct object){.applied = recorded,
			       .resolved = recorded,
			       .observed = recorded,
			       .outputs = value_map(NULL, 0),
			       .has_body = true};
}

static bool note_at(struct object *object, struct arena *arena, const char *fields)
{
	const struct live live = live_of(arena, fields);
	const struct unfinished_reading reading = {.kind = &net, .live = &live};

	return unfinished_note_delete(object, &reading, 1000, arena);
}

static struct unfinished_outcome settle_at(struct object *object, struct arena *arena, const char *fields,
					   const struct resource *resource)
{
	const struct run_secrets secrets = {0};
	const struct live live = live_of(arena, fields);
	const struct unfinished_reading reading = {&net, &provider, &live, resource};

	return unfinished_settle(object, &reading, secrets, arena);
}

static void expect_before(const char *name, const struct object *object, struct arena *arena, const char *before)
{
	const struct json_style style = {0};
	const struct value *kept = unfinished_before(object);
	struct slice text = kept ? json_canonical(arena, kept, &style) : SLICE("nothing");

	if (!slice_is(text, before ? before : "nothing"))
		fail_msg("%s: %.*s", name, SLICE_ARGUMENTS(text));
}

static void test_kept(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct slice ignored[4], rest = slice_of(row->ignored ? row->ignored : "");
		struct resource resource = {.ignored = ignored};
		struct arena arena;

		arena_init(&arena);
		while (rest.size > 0)
			ignored[resource.ignored_count++] = slice_cut(&rest, ' ');
		const struct resource *known = row->ignored ? &resource : NULL;
		struct object object = object_of(&arena, ALL);
		assert_true(note_at(&object, &arena, ALL));
		(void)settle_at(&object, &arena, row->left, known);
		bool owes = settle_at(&object, &arena, row->now, known).owes;
		expect_before(row->name, &object, &arena, row->before);
		assert_int_equal(owes, row->before != NULL);
		arena_release(&arena);
	}
}

/* What a first attempt has moved was otherwise before that, and what a second one moves is as it began. */
static void test_second_attempt(void **state)
{
	static const struct resource resource = {.ignored_count = 0};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	struct object object = object_of(&arena, ALL);
	assert_true(note_at(&object, &arena, ALL));
	assert_false(note_at(&object, &arena, ALL));
	assert_true(settle_at(&object, &arena, EMPTIED, &resource).taken);
	assert_true(note_at(&object, &arena, EMPTIED));
	assert_null(unfinished_left(&object));
	(void)settle_at(&object, &arena, EMPTIED, &resource);
	expect_before("again", &object, &arena, "{\"size\":2}");
	arena_release(&arena);
}

/* An update of what a deletion has moved is done when that is back as well. */
static void test_whole_once_set_back(void **state)
{
	static const struct resource resource = {.ignored_count = 0};
	static const struct change change = {.field = &net_fields[1], .effect = EFFECT_SET};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	const struct value wanted = read_json(&arena, "{\"label\":\"z\"}");
	const struct unfinished_update update = {
		.changes = &change, .change_count = 1, .symbolic = &wanted, .resolved = &wanted};
	struct object object = object_of(&arena, ALL);
	assert_true(note_at(&object, &arena, ALL));
	(void)settle_at(&object, &arena, EMPTIED, &resource);
	assert_true(unfinished_note_update(&object, &update, 2000, &arena));
	struct unfinished_outcome outcome =
		settle_at(&object, &arena, "{\"label\":\"z\",\"most\":0,\"size\":0}", &resource);
	assert_true(outcome.owes && !outcome.whole);
	outcome = settle_at(&object, &arena, "{\"label\":\"z\",\"most\":0,\"size\":2}", &resource);
	assert_true(outcome.whole && !outcome.owes);
	arena_release(&arena);
}

/*
 * What a deletion takes out of the record is kept as the spec had it when the first of them began, until an update has
 * set it again.
 */
static void test_let_go(void **state)
{
	static const struct {
		const char *name, *left, *let_go;
	} stages[] = {
		{"begun", ALL, "nothing"},
		{"a rule taken off", "{\"home\":\"a\",\"label\":\"x\",\"most\":3,\"rules\":[{\"port\":2}]}",
		 "{\"rules\":[{\"port\":1},{\"port\":2}]}"},
		{"emptied", EMPTIED,
		 "{\"home\":\"a\",\"label\":\"x\",\"most\":3,\"rules\":[{\"port\":1},{\"port\":2}]}"},
	};
	const struct json_style style = {0};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	const struct resource resource = {.desired = read_json(&arena, ALL)};
	struct object object = object_of(&arena, ALL);
	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
		(void)note_at(&object, &arena, stages[i].left);
		(void)settle_at(&object, &arena, stages[i].left, &resource);
		struct slice text = json_canonical(&arena, &object.let_go, &style);
		if (!slice_is(object.let_go.count > 0 ? text : SLICE("nothing"), stages[i].let_go))
			fail_msg("%s: %.*s", stages[i].name, SLICE_ARGUMENTS(text));
	}
	const struct value most = read_json(&arena, "{\"most\":5}");
	const struct change change = {.field = &net_fields[2], .effect = EFFECT_SET, .after = value_integer(5)};
	const struct unfinished_update update = {
		.changes = &change, .change_count = 1, .symbolic = &most, .resolved = &most};
	assert_true(unfinished_note_update(&object, &update, 2000, &arena));
	(void)settle_at(&object, &arena, "{\"label\":\"y\",\"most\":5}", &resource);
	assert_null(value_get_named(&object.let_go, "most"));
	assert_non_null(value_get_named(&object.let_go, "home"));
	arena_release(&arena);
}

#define NONE_LEFT "{\"home\":\"a\",\"label\":\"x\",\"most\":3}"
#define ONE_LEFT "{\"home\":\"a\",\"label\":\"x\",\"most\":3,\"rules\":[{\"port\":2}]}"

/* But for what the spec has by then as the deletion left it: nobody wants that back, nor what it referred to. */
static void test_agreed(void **state)
{
	static const struct {
		const char *name, *desired, *left, *let_go;
		size_t referred; /* how many dependencies of the rules are left, of two */
	} specs[] = {
		{"as it was", ALL, ONE_LEFT, "{\"rules\":[{\"port\":1},{\"port\":2}]}", 2},
		{"otherwise", "{\"rules\":[{\"port\":3}]}", ONE_LEFT, "{\"rules\":[{\"port\":1},{\"port\":2}]}", 2},
		{"as it is left", "{\"rules\":[{\"port\":2}]}", ONE_LEFT, "{}", 1},
		{"without any, as it is left", "{}", NONE_LEFT, "{}", 1},
		{"with a list of none, as it is left", "{\"rules\":[]}", NONE_LEFT, "{}", 1},
		{"without any, and one is left", "{}", ONE_LEFT, "{\"rules\":[{\"port\":1},{\"port\":2}]}", 2},
	};
	const struct dependency dependencies[] = {
		{.address = SLICE("t.net.one"), .field = SLICE("rules")},
		{.address = SLICE("t.net.two"), .field = SLICE("rules")},
		{.address = SLICE("t.net.home"), .field = SLICE("home")},
	};
	const struct json_style style = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct arena arena;

		arena_init(&arena);
		const struct resource resource = {.desired = read_json(&arena, specs[i].desired),
						  .dependencies = &dependencies[1],
						  .dependency_count = 2};
		struct object object = object_of(&arena, ALL);

		object.dependencies = dependencies;
		object.dependency_count = 3;
		(void)note_at(&object, &arena, ALL);
		(void)settle_at(&object, &arena, specs[i].left, &resource);
		struct slice text = json_canonical(&arena, &object.let_go, &style);
		if (!slice_is(text, specs[i].let_go) || object.dependency_count != specs[i].referred + 1)
			fail_msg("%s: %.*s, %zu dependencies", specs[i].name, SLICE_ARGUMENTS(text),
				 object.dependency_count);
		arena_release(&arena);
	}
}

/* What was read has no marks: nothing is noted of a field that is recorded with a secret. */
static void test_no_secret(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	struct value_member size = {value_text("size"), value_integer(2)};
	size.value.secret = true;
	const struct value secret = value_map(&size, 1), nothing = value_map(NULL, 0);
	struct object objects[] = {
		{.applied = secret, .resolved = nothing, .observed = nothing, .has_body = true},
		{.applied = nothing, .resolved = secret, .observed = nothing, .has_body = true},
		{.applied = nothing, .resolved = nothing, .observed = secret, .has_body = true},
	};
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		assert_true(note_at(&objects[i], &arena, "{\"most\":3,\"size\":2}"));
		expect_before("secret", &objects[i], &arena, "{\"most\":3}");
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),	  cmocka_unit_test(test_second_attempt),
		cmocka_unit_test(test_let_go),	  cmocka_unit_test(test_agreed),
		cmocka_unit_test(test_no_secret), cmocka_unit_test(test_whole_once_set_back),
	};

	return cmocka_run_group_tests_name("unfinished_before", tests, NULL, NULL);
}
