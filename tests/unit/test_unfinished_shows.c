#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "reconcile/unfinished.h"
#include "tests/unit/support_record.h"

/*
 * Whether a look shows what one call of an update was to do, given what its provider has told of that. The update sets
 * more than the call does: "other" is never as it is to be.
 */

static const struct field text = {.type = FIELD_STRING};
static const struct field rule_fields[] = {
	{.name = "port", .type = FIELD_INTEGER, .flags = REQUIRED | KEY},
	{.name = "note", .type = FIELD_STRING, .when_unset = UNSET_CLEAR},
};
static const struct field rule = {.type = FIELD_OBJECT, .members = FIELDS(rule_fields)};
static const struct field option_fields[] = {
	{.name = "mode", .type = FIELD_STRING, .when_unset = UNSET_CONSTANT, .unset_value = "\"off\""},
	{.name = "speed", .type = FIELD_INTEGER, .when_unset = UNSET_CLEAR},
};
static const struct field net_fields[] = {
	{.name = "dns", .type = FIELD_BOOL, .when_unset = UNSET_CONSTANT, .unset_value = "true"},
	{.name = "guests", .type = FIELD_SET, .item = &rule, .flags = WRITE_ONLY, .when_unset = UNSET_CLEAR},
	{.name = "label", .type = FIELD_STRING, .when_unset = UNSET_CLEAR},
	{.name = "options", .type = FIELD_OBJECT, .members = FIELDS(option_fields), .when_unset = UNSET_CLEAR},
	{.name = "other", .type = FIELD_STRING, .when_unset = UNSET_CLEAR},
	{.name = "password", .type = FIELD_STRING, .flags = WRITE_ONLY, .when_unset = UNSET_CLEAR},
	{.name = "rules", .type = FIELD_SET, .item = &rule, .flags = SETTLES, .when_unset = UNSET_CLEAR},
	{.name = "tags", .type = FIELD_MAP, .item = &text, .when_unset = UNSET_CLEAR},
};
static const struct kind net = {.name = "t.net", .version = 1, .fields = FIELDS(net_fields)};

static const struct provider provider = {.name = "t", .needs_detail = needs_no_detail};

static void fingerprint(void *context, struct slice secret, char ret[65])
{
	(void)context;
	memset(ret, secret.size > 0 ? secret.data[0] : '-', 64);
	ret[64] = 0;
}

static const struct json_style style = {.fingerprint = fingerprint};
static const struct run_secrets secrets = {.style = &style};

#define FOUR(letter) letter letter letter letter
#define SEALED(letter) "{\"$secret\":\"" FOUR(FOUR(FOUR(letter))) "\"}"

static const struct row {
	const char *name;
	const char *recorded, *comes, *goes, *live;
	enum call_shown shows;
	const char *unsupported; /* a field; NULL: none */
} rows[] = {
	{"a field", "{\"label\":\"x\"}", "{\"label\":\"y\"}", "{}", "{\"label\":\"y\"}", SHOWS_DONE, NULL},
	{"a field that is as it was", "{\"label\":\"x\"}", "{\"label\":\"y\"}", "{}", "{\"label\":\"x\"}",
	 SHOWS_NOTHING, NULL},
	{"a field that cannot be read", "{\"label\":\"x\"}", "{\"label\":\"y\"}", "{}",
	 "{\"label\":{\"$unread\":true}}", SHOWS_UNREAD, NULL},
	{"a field that its endpoint cannot tell", "{\"label\":\"x\"}", "{\"label\":\"y\"}", "{}",
	 "{\"label\":{\"$unread\":true}}", SHOWS_NOTHING, "label"},
	{"a field that is cleared, and cannot be read", "{\"label\":\"x\"}", "{\"label\":null}", "{}",
	 "{\"label\":{\"$unread\":true}}", SHOWS_UNREAD, NULL},
	{"a field that goes back to its constant, and cannot be read", "{\"dns\":false}", "{\"dns\":null}", "{}",
	 "{\"dns\":{\"$unread\":true}}", SHOWS_UNREAD, NULL},
	{"another field cannot be read", "{\"label\":\"x\"}", "{\"label\":\"y\"}", "{}",
	 "{\"dns\":{\"$unread\":true},\"label\":\"x\"}", SHOWS_NOTHING, NULL},
	{"it is there, and another field cannot be read", "{\"label\":\"x\"}", "{\"label\":\"y\"}", "{}",
	 "{\"dns\":{\"$unread\":true},\"label\":\"y\"}", SHOWS_DONE, NULL},
	{"of two fields one is there, and one cannot be read", "{\"dns\":true,\"label\":\"x\"}",
	 "{\"dns\":false,\"label\":\"y\"}", "{}", "{\"dns\":{\"$unread\":true},\"label\":\"y\"}", SHOWS_UNREAD, NULL},
	{"of two fields one is not there, and one cannot be read", "{\"dns\":true,\"label\":\"x\"}",
	 "{\"dns\":false,\"label\":\"y\"}", "{}", "{\"dns\":{\"$unread\":true},\"label\":\"x\"}", SHOWS_NOTHING, NULL},
	{"of two fields one cannot be read, and one no read gives back", "{\"label\":\"x\"}",
	 "{\"label\":\"y\",\"password\":\"y\"}", "{}", "{\"label\":{\"$unread\":true}}", SHOWS_NOTHING, NULL},
	{"of two fields one cannot be read, and one its endpoint cannot tell", "{\"dns\":true,\"label\":\"x\"}",
	 "{\"dns\":false,\"label\":\"y\"}", "{}", "{\"dns\":{\"$unread\":true},\"label\":{\"$unread\":true}}",
	 SHOWS_NOTHING, "dns"},
	{"a member that cannot be read", "{\"options\":{\"mode\":\"a\",\"speed\":1}}",
	 "{\"options\":{\"mode\":\"b\",\"speed\":2}}", "{}", "{\"options\":{\"mode\":{\"$unread\":true},\"speed\":2}}",
	 SHOWS_UNREAD, NULL},
	{"a member that cannot be read, beside one that is as it was", "{\"options\":{\"mode\":\"a\",\"speed\":1}}",
	 "{\"options\":{\"mode\":\"b\",\"speed\":2}}", "{}", "{\"options\":{\"mode\":{\"$unread\":true},\"speed\":1}}",
	 SHOWS_NOTHING, NULL},
	{"a field that is not set any more", "{\"label\":\"x\"}", "{\"label\":null}", "{}", "{}", SHOWS_DONE, NULL},
	{"a field that is set still", "{\"label\":\"x\"}", "{\"label\":null}", "{}", "{\"label\":\"x\"}", SHOWS_NOTHING,
	 NULL},
	{"back to its constant", "{\"dns\":false}", "{\"dns\":null}", "{}", "{\"dns\":true}", SHOWS_DONE, NULL},
	{"not back to its constant", "{\"dns\":false}", "{\"dns\":null}", "{}", "{\"dns\":false}", SHOWS_NOTHING, NULL},
	{"one of two fields", "{\"dns\":true,\"label\":\"x\"}", "{\"dns\":false,\"label\":\"y\"}", "{}",
	 "{\"dns\":false,\"label\":\"x\"}", SHOWS_NOTHING, NULL},
	{"a member that goes unsaid", "{\"options\":{\"mode\":\"a\",\"speed\":1}}", "{\"options\":{\"speed\":1}}", "{}",
	 "{\"options\":{\"mode\":\"a\",\"speed\":1}}", SHOWS_NOTHING, NULL},
	{"a member that has gone", "{\"options\":{\"mode\":\"a\",\"speed\":1}}", "{\"options\":{\"speed\":1}}", "{}",
	 "{\"options\":{\"mode\":\"off\",\"speed\":1}}", SHOWS_DONE, NULL},
	{"what no read gives back", "{}", "{\"password\":\"y\"}", "{}", "{\"password\":\"y\"}", SHOWS_NOTHING, NULL},
	{"items that no read gives back, and that go", "{}", "{}", "{\"guests\":[{\"port\":1}]}", "{}", SHOWS_NOTHING,
	 NULL},
	{"a field that no table has any more", "{}", "{\"former\":\"y\"}", "{}", "{\"former\":\"y\"}", SHOWS_NOTHING,
	 NULL},
	{"keys of a field that no table has any more", "{}", "{}", "{\"former\":{\"a\":true}}", "{}", SHOWS_NOTHING,
	 NULL},
	{"a map that is not set any more, and is", "{\"tags\":{\"a\":\"1\"}}", "{\"tags\":null}", "{}",
	 "{\"tags\":{\"a\":\"1\"}}", SHOWS_NOTHING, NULL},
	{"a set that is not set any more, and is", "{\"rules\":[{\"port\":1}]}", "{\"rules\":null}", "{}",
	 "{\"rules\":[{\"port\":1}]}", SHOWS_NOTHING, NULL},
	{"keys, whatever else others have put there", "{\"tags\":{\"a\":\"1\"}}", "{\"tags\":{\"a\":\"2\"}}", "{}",
	 "{\"tags\":{\"a\":\"2\",\"b\":\"9\"}}", SHOWS_DONE, NULL},
	{"a key where there were none", "{}", "{\"tags\":{\"a\":\"2\"}}", "{}", "{}", SHOWS_NOTHING, NULL},
	{"one of two keys", "{\"tags\":{\"a\":\"1\"}}", "{\"tags\":{\"a\":\"2\",\"b\":\"2\"}}", "{}",
	 "{\"tags\":{\"a\":\"2\"}}", SHOWS_NOTHING, NULL},
	{"keys that cannot be read", "{\"tags\":{\"a\":\"1\"}}", "{}", "{\"tags\":{\"a\":true}}",
	 "{\"tags\":{\"$unread\":true}}", SHOWS_UNREAD, NULL},
	{"keys that come, and cannot be read", "{\"tags\":{\"a\":\"1\"}}", "{\"tags\":{\"a\":\"2\"}}", "{}",
	 "{\"tags\":{\"$unread\":true}}", SHOWS_UNREAD, NULL},
	{"a secret that cannot be read", "{\"tags\":{\"a\":\"1\"}}", "{\"tags\":{\"a\":" SEALED("y") "}}", "{}",
	 "{\"tags\":{\"$unread\":true}}", SHOWS_UNREAD, NULL},
	{"items that cannot be read", "{\"rules\":[{\"port\":1}]}", "{\"rules\":[{\"port\":2}]}",
	 "{\"rules\":[{\"port\":1}]}", "{\"rules\":{\"$unread\":true}}", SHOWS_UNREAD, NULL},
	{"a key that has gone", "{\"tags\":{\"a\":\"1\",\"b\":\"1\"}}", "{}", "{\"tags\":{\"a\":true}}",
	 "{\"tags\":{\"b\":\"1\"}}", SHOWS_DONE, NULL},
	{"the last key that has gone", "{\"tags\":{\"a\":\"1\"}}", "{}", "{\"tags\":{\"a\":true}}", "{}", SHOWS_DONE,
	 NULL},
	{"a key that is there", "{\"tags\":{\"a\":\"1\"}}", "{}", "{\"tags\":{\"a\":true}}",
	 "{\"tags\":{\"a\":\"other\"}}", SHOWS_NOTHING, NULL},
	{"a secret that comes back in clear", "{\"tags\":{\"a\":\"1\"}}", "{\"tags\":{\"a\":" SEALED("y") "}}", "{}",
	 "{\"tags\":{\"a\":\"y\"}}", SHOWS_DONE, NULL},
	{"another secret", "{\"tags\":{\"a\":\"1\"}}", "{\"tags\":{\"a\":" SEALED("y") "}}", "{}",
	 "{\"tags\":{\"a\":\"z\"}}", SHOWS_NOTHING, NULL},
	{"items, whatever else is there", "{\"rules\":[{\"port\":1}]}", "{\"rules\":[{\"port\":2}]}", "{}",
	 "{\"rules\":[{\"port\":1},{\"port\":2},{\"port\":9}]}", SHOWS_DONE, NULL},
	{"one of two items", "{\"rules\":[{\"port\":1}]}", "{\"rules\":[{\"port\":2},{\"port\":3}]}", "{}",
	 "{\"rules\":[{\"port\":1},{\"port\":2}]}", SHOWS_NOTHING, NULL},
	{"an item that is another", "{\"rules\":[{\"note\":\"x\",\"port\":1}]}",
	 "{\"rules\":[{\"note\":\"y\",\"port\":1}]}", "{}", "{\"rules\":[{\"note\":\"x\",\"port\":1}]}", SHOWS_NOTHING,
	 NULL},
	{"an item that has gone", "{\"rules\":[{\"port\":1},{\"port\":2}]}", "{}", "{\"rules\":[{\"port\":1}]}",
	 "{\"rules\":[{\"port\":2}]}", SHOWS_DONE, NULL},
	{"an item that is there", "{\"rules\":[{\"note\":\"x\",\"port\":1}]}", "{}", "{\"rules\":[{\"port\":1}]}",
	 "{\"rules\":[{\"note\":\"x\",\"port\":1}]}", SHOWS_NOTHING, NULL},
	{"one comes and one goes, and only that has come", "{\"rules\":[{\"port\":1}]}", "{\"rules\":[{\"port\":2}]}",
	 "{\"rules\":[{\"port\":1}]}", "{\"rules\":[{\"port\":1},{\"port\":2}]}", SHOWS_NOTHING, NULL},
};

/* An update of "other" was begun, or a deletion. */
static struct object begin(struct arena *arena, const char *recorded, bool deletes)
{
	struct object object = {.applied = read_json(arena, recorded), .has_body = true};
	const struct value goal = read_json(arena, "{\"other\":\"never\"}");
	const struct change change = {.field = field_named(&net.fields, SLICE("other")), .effect = EFFECT_SET};
	const struct unfinished_update update = {
		.changes = &change, .change_count = 1, .symbolic = &goal, .resolved = &goal};

	object.resolved = object.observed = object.applied;
	object.outputs = value_map(NULL, 0);
	const struct live bare = {.presence = PRESENCE_PRESENT};
	const struct unfinished_reading reading = {.kind = &net, .live = &bare};

	assert_true(deletes ? unfinished_note_delete(&object, &reading, 1, arena)
			    : unfinished_note_update(&object, &update, 1, arena));
	return object;
}

static enum call_shown shows_of(const struct object *object, const char *operation, const char *fields,
				const char *unsupported, struct arena *arena)
{
	struct value_member field = {value_text(unsupported ? unsupported : ""), value_bool(true)};
	const struct live live = {.presence = PRESENCE_PRESENT,
				  .fields = read_json(arena, fields),
				  .unsupported = value_map(&field, unsupported != NULL)};
	const struct unfinished_reading reading = {.kind = &net, .provider = &provider, .live = &live};

	return unfinished_shows(object, slice_of(operation), &reading, secrets, arena);
}

static bool shows(const struct object *object, const char *operation, const char *fields, struct arena *arena)
{
	return shows_of(object, operation, fields, NULL, arena) == SHOWS_DONE;
}

static void test_shows(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i / 2];
		struct arena arena;

		arena_init(&arena);
		const struct value comes = read_json(&arena, row->comes), goes = read_json(&arena, row->goes);
		const struct call call = {.operation = "Modify", .comes = &comes, .goes = &goes};
		struct object begun = begin(&arena, row->recorded, i % 2);
		assert_true(unfinished_note_call(&begun, &call, &arena));
		assert_true(unfinished_is_sound(&begun.unfinished, &arena));
		struct object object = stored(&arena, &begun);

		if (shows_of(&object, "Modify", row->live, row->unsupported, &arena) != row->shows)
			fail_msg("%s (%s)", row->name, i % 2 ? "before a deletion" : "of an update");
		/* Of another call nothing is told by it. */
		assert_int_equal(shows_of(&object, "Delete", row->live, row->unsupported, &arena), SHOWS_NOTHING);
		arena_release(&arena);
	}
}

/* The note tells of the call that is sent next, and of no other one. */
static void test_told_anew(void **state)
{
	const struct call untold = {.operation = "Modify"};
	const struct value *told, *taken;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	const struct value comes = read_json(&arena, "{\"label\":\"y\"}"), goes = value_map(NULL, 0);
	const struct call call = {.operation = "Modify", .comes = &comes, .goes = &goes};
	struct object object = begin(&arena, "{\"label\":\"x\"}", false);

	assert_false(unfinished_note_call(&object, &untold, &arena));
	assert_true(unfinished_note_call(&object, &call, &arena));
	assert_true(shows(&object, "Modify", "{\"label\":\"y\"}", &arena));
	assert_true(unfinished_note_call(&object, &untold, &arena));
	assert_false(shows(&object, "Modify", "{\"label\":\"y\"}", &arena));
	/* What is told by halves is not told. */
	object.unfinished =
		read_json(&arena, "{\"call\":{\"comes\":{\"label\":\"y\"},\"operation\":\"Modify\"},\"leaves\":false}");
	assert_true(unfinished_is_sound(&object.unfinished, &arena));
	assert_false(unfinished_effect(&object, SLICE("Modify"), &told, &taken));
	/* Where nothing was begun there is no note. */
	unfinished_end(&object);
	assert_false(unfinished_note_call(&object, &call, &arena));
	assert_false(unfinished_has_note(&object));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shows),
		cmocka_unit_test(test_told_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
