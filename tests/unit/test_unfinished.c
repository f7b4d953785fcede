#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "reconcile/unfinished.h"
#include "tests/unit/support_record.h"

/*
 * What came of an update or a deletion that was cut off. A row gives the fields as they were recorded, as they were to
 * become, and as they are, in JSON; and what is recorded then.
 */

static const struct field text = {.name = "text", .type = FIELD_STRING};
static const struct field rule_fields[] = {
	{.name = "port", .type = FIELD_INTEGER, .flags = REQUIRED | KEY},
	{.name = "note", .type = FIELD_STRING, .when_unset = UNSET_CLEAR},
};
static const struct field rule = {.type = FIELD_OBJECT, .members = FIELDS(rule_fields)};
static const struct field option_fields[] = {
	{.name = "mode", .type = FIELD_STRING, .when_unset = UNSET_CONSTANT, .unset_value = "\"off\""},
	{.name = "speed", .type = FIELD_INTEGER, .when_unset = UNSET_CLEAR},
};
/* Those from "gate" on take several calls. */
static const struct field net_fields[] = {
	{.name = "dns", .type = FIELD_BOOL, .when_unset = UNSET_CONSTANT, .unset_value = "true"},
	{.name = "label", .type = FIELD_STRING, .when_unset = UNSET_CLEAR},
	{.name = "list", .type = FIELD_LIST, .item = &text, .when_unset = UNSET_CLEAR},
	{.name = "options", .type = FIELD_OBJECT, .members = FIELDS(option_fields), .when_unset = UNSET_CLEAR},
	{.name = "password", .type = FIELD_STRING, .flags = SECRET | WRITE_ONLY, .when_unset = UNSET_CLEAR},
	{.name = "rules", .type = FIELD_SET, .item = &rule, .flags = SETTLES, .when_unset = UNSET_CLEAR},
	{.name = "tags", .type = FIELD_MAP, .item = &text, .when_unset = UNSET_CLEAR},
	{.name = "gate", .type = FIELD_STRING, .when_unset = UNSET_CLEAR},
	{.name = "guests", .type = FIELD_SET, .item = &rule, .flags = SETTLES, .when_unset = UNSET_CLEAR},
	{.name = "lights", .type = FIELD_BOOL, .when_unset = UNSET_RELEASE},
	{.name = "ways", .type = FIELD_LIST, .item = &text, .when_unset = UNSET_CLEAR},
	{.name = "exits", .type = FIELD_SET, .item = &rule, .flags = SETTLES, .when_unset = UNSET_RELEASE},
};
static const struct output net_outputs[] = {
	{.name = "id"}, {.name = "default_version", .follows = "latest_version"}, {.name = "latest_version"}};
static const struct kind net = {
	.name = "t.net", .version = 1, .fields = FIELDS(net_fields), .outputs = FIELDS(net_outputs)};

static bool needs_detail(const struct kind *kind, const struct value *matters)
{
	(void)kind;
	return value_get_named(matters, "dns") != NULL;
}

/* The lights go out for as long as something passes the gate. */
static bool takes_steps(const struct kind *kind, const struct field *field, const struct value *changed)
{
	bool is_lights = strcmp(field->name, "lights") == 0;

	(void)kind;
	return is_lights ? value_get_named(changed, "gate") != NULL
			 : strcmp(field->name, "gate") == 0 || strcmp(field->name, "guests") == 0 ||
				   strcmp(field->name, "ways") == 0;
}

static const struct provider provider = {.name = "t", .needs_detail = needs_detail, .takes_steps = takes_steps};

/* What is about to be deleted, and of which nothing could be read that a note can bring back. */
static const struct live bare = {.presence = PRESENCE_PRESENT};
static const struct unfinished_reading unseen = {.kind = &net, .live = &bare};

static void fingerprint(void *context, struct slice secret, char ret[65])
{
	(void)context;
	memset(ret, secret.size > 0 ? secret.data[0] : '-', 64);
	ret[64] = 0;
}

static const struct json_style style = {.fingerprint = fingerprint};
static const struct run_secrets secrets = {.style = &style};

#define LETTERS(letter) FOUR(FOUR(FOUR(letter)))
#define FOUR(letter) letter letter letter letter
#define SEALED(letter) "{\"$secret\":\"" LETTERS(letter) "\"}"

static const struct row {
	const char *name;
	const char *recorded;
	const char *intended; /* NULL: it was being deleted */
	const char *live;     /* NULL: nothing is there any more */
	const char *settled;
	bool taken, whole;
	const char *seen; /* as it was seen before; NULL: as it was recorded */
	/* Outputs: as they were recorded, as they are, and what is recorded then. */
	const char *recorded_versions, *versions, *settled_versions;
} rows[] = {
	{"nothing was done", "{\"label\":\"x\"}", "{\"label\":\"y\"}", "{\"label\":\"x\"}", "{\"label\":\"x\"}",
	 .taken = false},
	{"all was done", "{\"label\":\"x\"}", "{\"label\":\"y\"}", "{\"label\":\"y\"}", "{\"label\":\"y\"}",
	 .taken = true, .whole = true},
	{"somebody else set another value", "{\"label\":\"x\"}", "{\"label\":\"y\"}", "{\"label\":\"z\"}",
	 "{\"label\":\"x\"}", .taken = false},
	{"what others changed stays theirs", "{\"dns\":true,\"label\":\"x\"}", "{\"label\":\"y\"}",
	 "{\"dns\":false,\"label\":\"y\"}", "{\"dns\":true,\"label\":\"y\"}", .taken = true, .whole = true},
	{"one of two fields", "{\"dns\":true,\"label\":\"x\"}", "{\"dns\":false,\"label\":\"y\"}",
	 "{\"dns\":false,\"label\":\"x\"}", "{\"dns\":false,\"label\":\"x\"}", .taken = true},
	{"a field that was not set", "{}", "{\"label\":\"y\"}", "{\"label\":\"y\"}", "{\"label\":\"y\"}", .taken = true,
	 .whole = true},
	{"a field that was cleared", "{\"label\":\"x\"}", "{\"label\":null}", "{}", "{}", .taken = true, .whole = true},
	{"a field that was to be cleared", "{\"label\":\"x\"}", "{\"label\":null}", "{\"label\":\"x\"}",
	 "{\"label\":\"x\"}", .taken = false},
	{"a field that went back to its constant", "{\"dns\":false}", "{\"dns\":null}", "{\"dns\":true}", "{}",
	 .taken = true, .whole = true},
	{"a field that could not be read", "{\"label\":\"x\"}", "{\"label\":\"y\"}", "{\"label\":{\"$unread\":true}}",
	 "{\"label\":\"x\"}", .taken = false},
	{"a field that no read gives", "{\"password\":" SEALED("a") "}", "{\"password\":" SEALED("b") "}", "{}",
	 "{\"password\":{\"$unread\":true}}", .taken = true},
	{"a field that no read gives, and that stays", "{\"label\":\"x\",\"password\":" SEALED("a") "}",
	 "{\"label\":\"y\",\"password\":" SEALED("a") "}", "{\"label\":\"x\"}",
	 "{\"label\":\"x\",\"password\":" SEALED("a") "}", .taken = false},
	{"keys of a map", "{\"tags\":{\"a\":\"1\",\"gone\":\"1\",\"stays\":\"1\"}}",
	 "{\"tags\":{\"a\":\"2\",\"new\":\"2\",\"stays\":\"1\"}}",
	 "{\"tags\":{\"a\":\"2\",\"foreign\":\"9\",\"gone\":\"1\",\"new\":\"2\",\"stays\":\"8\"}}",
	 "{\"tags\":{\"a\":\"2\",\"gone\":\"1\",\"new\":\"2\",\"stays\":\"1\"}}", .taken = true},
	{"a key that was taken out", "{\"tags\":{\"a\":\"1\",\"gone\":\"1\"}}", "{\"tags\":{\"a\":\"2\"}}",
	 "{\"tags\":{\"a\":\"1\"}}", "{\"tags\":{\"a\":\"1\"}}", .taken = true},
	{"a map that could not be read", "{\"tags\":{\"a\":\"1\",\"gone\":\"1\"}}", "{\"tags\":{\"a\":\"2\"}}",
	 "{\"tags\":{\"$unread\":true}}", "{\"tags\":{\"a\":\"1\",\"gone\":\"1\"}}", .taken = false},
	{"all keys of a map that was to go", "{\"tags\":{\"a\":\"1\"}}", "{\"tags\":null}", "{\"tags\":{}}", "{}",
	 .taken = true, .whole = true},
	{"items of a set", "{\"rules\":[{\"port\":1},{\"port\":2}]}", "{\"rules\":[{\"port\":2},{\"port\":3}]}",
	 "{\"rules\":[{\"port\":1},{\"port\":2},{\"port\":3}]}", "{\"rules\":[{\"port\":1},{\"port\":2},{\"port\":3}]}",
	 .taken = true},
	{"an item that was taken out", "{\"rules\":[{\"port\":1},{\"port\":2}]}",
	 "{\"rules\":[{\"port\":2},{\"port\":3}]}", "{\"rules\":[{\"port\":2}]}", "{\"rules\":[{\"port\":2}]}",
	 .taken = true},
	{"an item that is another", "{\"rules\":[{\"note\":\"x\",\"port\":1},{\"port\":2}]}",
	 "{\"rules\":[{\"note\":\"y\",\"port\":1}]}", "{\"rules\":[{\"note\":\"y\",\"port\":1},{\"port\":2}]}",
	 "{\"rules\":[{\"note\":\"y\",\"port\":1},{\"port\":2}]}", .taken = true},
	{"all items of a set that would only be let go of", "{\"exits\":[{\"port\":1}]}", "{\"exits\":[{\"port\":2}]}",
	 "{\"exits\":[]}", "{\"exits\":[]}", .taken = true},
	{"all items of one that was not set", "{}", "{\"exits\":[{\"port\":2}]}", "{\"exits\":[]}", "{\"exits\":[]}",
	 .taken = true, .seen = "{\"exits\":[{\"port\":1}]}"},
	{"none of the items of one that was not set", "{}", "{\"exits\":[{\"port\":2}]}", "{\"exits\":[{\"port\":1}]}",
	 "{}", .taken = false, .seen = "{\"exits\":[{\"port\":1}]}"},
	{"one that was not set and had no items", "{}", "{\"exits\":[{\"port\":2}]}", "{\"exits\":[]}", "{}",
	 .taken = true, .seen = "{\"exits\":[]}"},
	{"one that was set to have no items", "{\"exits\":[]}", "{\"exits\":[{\"port\":2}]}", "{\"exits\":[]}",
	 "{\"exits\":[]}", .taken = false},
	{"a member of an object", "{\"options\":{\"mode\":\"a\",\"speed\":1}}",
	 "{\"options\":{\"mode\":\"b\",\"speed\":2}}", "{\"options\":{\"mode\":\"b\",\"speed\":1}}",
	 "{\"options\":{\"mode\":\"b\",\"speed\":1}}", .taken = true},
	{"a member that no table has any more", "{\"options\":{\"mode\":\"a\",\"shape\":\"x\"}}",
	 "{\"options\":{\"mode\":\"b\",\"shape\":\"y\",\"speed\":2}}", "{\"options\":{\"mode\":\"b\"}}",
	 "{\"options\":{\"mode\":\"b\"}}", .taken = true},
	{"a member that went back to its constant", "{\"options\":{\"mode\":\"a\",\"speed\":1}}",
	 "{\"options\":{\"speed\":1}}", "{\"options\":{\"mode\":\"off\",\"speed\":1}}", "{\"options\":{\"speed\":1}}",
	 .taken = true, .whole = true},
	{"a member that was to go back to its constant", "{\"options\":{\"mode\":\"a\",\"speed\":1}}",
	 "{\"options\":{\"speed\":1}}", "{\"options\":{\"mode\":\"a\",\"speed\":1}}",
	 "{\"options\":{\"mode\":\"a\",\"speed\":1}}", .taken = false},
	{"a list is one thing", "{\"list\":[\"a\"]}", "{\"list\":[\"b\",\"c\"]}", "{\"list\":[\"b\"]}",
	 "{\"list\":[\"a\"]}", .taken = false},
	{"a value that was not known yet", "{\"label\":\"x\"}", "{\"label\":{\"$deferred\":\"${t.net.b.id}\"}}",
	 "{\"label\":\"y\"}", "{\"label\":\"x\"}", .taken = false},
	{"an output that lags behind", "{\"label\":\"x\"}", "{\"label\":\"y\"}", "{\"label\":\"y\"}",
	 "{\"label\":\"y\"}", .taken = true, .recorded_versions = "{\"default_version\":1,\"latest_version\":1}",
	 .versions = "{\"default_version\":1,\"latest_version\":2}",
	 .settled_versions = "{\"default_version\":1,\"latest_version\":2}"},
	{"an output that has followed", "{\"label\":\"x\"}", "{\"label\":\"y\"}", "{\"label\":\"y\"}",
	 "{\"label\":\"y\"}", .taken = true, .whole = true,
	 .recorded_versions = "{\"default_version\":1,\"latest_version\":1}",
	 .versions = "{\"default_version\":2,\"latest_version\":2}",
	 .settled_versions = "{\"default_version\":2,\"latest_version\":2}"},
	{"an output that others moved", "{\"label\":\"x\"}", "{\"label\":\"y\"}", "{\"label\":\"y\"}",
	 "{\"label\":\"y\"}", .taken = true, .recorded_versions = "{\"default_version\":2,\"latest_version\":2}",
	 .versions = "{\"default_version\":1,\"latest_version\":3}",
	 .settled_versions = "{\"default_version\":2,\"latest_version\":3}"},
	{"between two values", "{\"gate\":\"x\"}", "{\"gate\":\"y\"}", "{}", "{}", .taken = true},
	{"between two values, the second not known yet", "{\"gate\":\"x\"}",
	 "{\"gate\":{\"$deferred\":\"${t.net.b.id}\"}}", "{}", "{}", .taken = true},
	{"neither value, nor between them", "{\"gate\":\"x\"}", "{\"gate\":\"y\"}", "{\"gate\":\"z\"}",
	 "{\"gate\":\"x\"}", .taken = false},
	{"nothing where one call changes it", "{\"label\":\"x\"}", "{\"label\":\"y\"}", "{}", "{\"label\":\"x\"}",
	 .taken = false},
	{"off as long as something else changes", "{\"gate\":\"x\",\"lights\":true}", "{\"gate\":\"y\"}",
	 "{\"gate\":\"x\",\"lights\":false}", "{\"gate\":\"x\",\"lights\":false}", .taken = true},
	{"still off when that has changed", "{\"gate\":\"x\",\"lights\":true}", "{\"gate\":\"y\"}",
	 "{\"gate\":\"y\",\"lights\":false}", "{\"gate\":\"y\",\"lights\":false}", .taken = true},
	{"off while another thing changes", "{\"label\":\"x\",\"lights\":true}", "{\"label\":\"y\"}",
	 "{\"label\":\"y\",\"lights\":false}", "{\"label\":\"y\",\"lights\":true}", .taken = true, .whole = true},
	{"switched on by somebody else", "{\"gate\":\"x\",\"lights\":false}", "{\"gate\":\"y\"}",
	 "{\"gate\":\"y\",\"lights\":true}", "{\"gate\":\"y\",\"lights\":false}", .taken = true, .whole = true},
	{"an item that makes room for another",
	 "{\"guests\":[{\"note\":\"x\",\"port\":1},{\"note\":\"x\",\"port\":2}]}",
	 "{\"guests\":[{\"note\":\"y\",\"port\":1},{\"note\":\"x\",\"port\":2}]}", "{\"guests\":[]}",
	 "{\"guests\":[{\"note\":\"x\",\"port\":2}]}", .taken = true},
	{"an item that goes with what it refers to",
	 "{\"rules\":[{\"note\":\"x\",\"port\":1},{\"note\":\"x\",\"port\":2}]}",
	 "{\"rules\":[{\"note\":{\"$deferred\":\"${t.net.b.id}\"},\"port\":1},{\"note\":\"y\",\"port\":2}]}",
	 "{\"rules\":[]}", "{\"rules\":[{\"note\":\"x\",\"port\":2}]}", .taken = true},
	{"items of a list that change one by one", "{\"ways\":[\"a\",\"b\",\"c\"]}", "{\"ways\":[\"x\",\"y\",\"z\"]}",
	 "{\"ways\":[\"x\",\"b\",\"other\"]}", "{\"ways\":[\"x\",\"b\",\"c\"]}", .taken = true},
	{"a list of another length", "{\"ways\":[\"a\",\"b\"]}", "{\"ways\":[\"x\",\"y\"]}", "{\"ways\":[\"x\"]}",
	 "{\"ways\":[\"a\",\"b\"]}", .taken = false},
	{"a list of which nothing is there", "{\"ways\":[\"a\",\"b\"]}", "{\"ways\":[\"x\",\"y\"]}", "{}",
	 "{\"ways\":[\"a\",\"b\"]}", .taken = false},
	{"a list that was recorded as a map", "{\"ways\":{\"a\":\"1\",\"b\":\"2\"}}", "{\"ways\":[\"x\",\"y\"]}",
	 "{\"ways\":[\"x\",\"z\"]}", "{\"ways\":{\"a\":\"1\",\"b\":\"2\"}}", .taken = false},
	{"it was deleted", "{\"label\":\"x\"}", NULL, NULL, "{\"label\":\"x\"}", .taken = true, .whole = true},
	{"it is gone while it was changed", "{\"label\":\"x\"}", "{\"label\":\"y\"}", NULL, "{\"label\":\"x\"}",
	 .whole = true},
	{"it was not deleted yet", "{\"dns\":false,\"label\":\"x\"}", NULL, "{\"dns\":false,\"label\":\"x\"}",
	 "{\"dns\":false,\"label\":\"x\"}", .taken = false},
	{"it was let go of before", "{\"dns\":false,\"label\":\"x\",\"rules\":[{\"port\":1},{\"port\":2}]}", NULL,
	 "{\"dns\":true,\"label\":\"x\",\"rules\":[{\"port\":1}]}", "{\"label\":\"x\",\"rules\":[{\"port\":1}]}",
	 .taken = true},
};

static struct object begin(struct arena *arena, const struct row *row)
{
	struct value recorded = read_json(arena, row->recorded);
	struct object object = {
		.applied = recorded,
		.resolved = recorded,
		.observed = row->seen ? read_json(arena, row->seen) : recorded,
		.outputs = read_json(arena, row->recorded_versions ? row->recorded_versions : "{}"),
		.has_body = true,
	};

	memset(object.symbolic.bytes, 1, DIGEST_BYTES);
	if (!row->intended) {
		assert_true(unfinished_note_delete(&object, &unseen, 1000, arena));
		assert_false(unfinished_note_delete(&object, &unseen, 2000, arena));
		return object;
	}
	struct value intended = read_json(arena, row->intended);
	struct change *changes = arena_new_array(arena, intended.count + 1, struct change);
	for (uint32_t i = 0; i < intended.count; i++)
		changes[i] = (struct change){
			.field = field_named(&net.fields, value_slice(&intended.members[i].key)),
			.effect = EFFECT_SET,
		};
	/* What is only shown is no change of ours. */
	changes[intended.count] = (struct change){.field = &net_fields[0], .effect = EFFECT_SHOW};
	const struct unfinished_update update = {
		.changes = changes,
		.change_count = intended.count + 1,
		.symbolic = &intended,
		.resolved = &intended,
	};
	assert_true(unfinished_note_update(&object, &update, 1000, arena));
	assert_false(unfinished_note_update(&object, &update, 2000, arena));
	return object;
}

static void expect(struct arena *arena, const struct row *row, const char *what, const struct value *is,
		   const char *settled)
{
	struct slice text_of_it = json_canonical(arena, is, &style);

	if (!slice_is(text_of_it, settled))
		fail_msg("%s: %s is %.*s", row->name, what, SLICE_ARGUMENTS(text_of_it));
}

static void test_settled(void **state)
{
	static const struct digest never = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct arena arena;

		arena_init(&arena);
		struct object begun = begin(&arena, row), object = stored(&arena, &begun);
		struct live live = {
			.presence = row->live ? PRESENCE_PRESENT : PRESENCE_ABSENT,
			.fields = read_json(&arena, row->live ? row->live : "{}"),
			.outputs = read_json(&arena, row->versions ? row->versions : "{}"),
		};

		assert_true(unfinished_has_note(&object));
		assert_int_equal(unfinished_is_deletion(&object), !row->intended);
		const struct unfinished_reading reading = {&net, &provider, &live, NULL};
		struct unfinished_outcome outcome = unfinished_settle(&object, &reading, secrets, &arena);
		if (outcome.taken != row->taken || outcome.whole != row->whole)
			fail_msg("%s: taken %d, whole %d", row->name, outcome.taken, outcome.whole);
		expect(&arena, row, "applied", &object.applied, row->settled);
		expect(&arena, row, "resolved", &object.resolved, row->settled);
		expect(&arena, row, "outputs", &object.outputs, row->settled_versions ? row->settled_versions : "{}");
		/* The digest is that of no spec any more. */
		bool moved = row->taken && row->live;
		assert_int_equal(memcmp(&object.symbolic, &never, sizeof(never)) == 0, moved);
		/* Once more is no more. */
		outcome = unfinished_settle(&object, &reading, secrets, &arena);
		assert_int_equal(outcome.taken, row->taken && !row->live);
		arena_release(&arena);
	}
}

/* What takes a call of its own is not read any more once nothing sets it: recorded as seen it would seem to go. */
static void test_seen(void **state)
{
	static const struct {
		const char *recorded, *intended, *live, *observed;
	} seen[] = {
		{"{\"dns\":true}", "{\"dns\":false}", "{\"dns\":false}", "{\"dns\":false}"},
		{"{\"dns\":false}", "{\"dns\":null}", "{\"dns\":true}", "{}"},
		{"{\"label\":\"x\"}", "{\"label\":\"y\"}", "{\"label\":\"y\"}", "{\"label\":\"y\"}"},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
		const struct row row = {
			.name = seen[i].intended, .recorded = seen[i].recorded, .intended = seen[i].intended};
		struct object begun = begin(&arena, &row), object = stored(&arena, &begun);
		struct live live = {.presence = PRESENCE_PRESENT,
				    .fields = read_json(&arena, seen[i].live),
				    .outputs = value_map(NULL, 0)};
		const struct unfinished_reading reading = {&net, &provider, &live, NULL};

		struct unfinished_outcome outcome = unfinished_settle(&object, &reading, secrets, &arena);
		assert_true(outcome.taken && !outcome.at_it);
		expect(&arena, &row, "observed", &object.observed, seen[i].observed);
		/* What the service still carries out is not over. */
		live.readiness = READY_PENDING;
		assert_true(unfinished_settle(&object, &reading, secrets, &arena).at_it);
	}
	arena_release(&arena);
}

static void test_secret(void **state)
{
	struct arena arena;
	const struct row row = {.recorded = "{\"label\":" SEALED("a") "}", .intended = "{\"label\":" SEALED("b") "}"};

	(void)state;
	arena_init(&arena);
	struct object begun = begin(&arena, &row), object = stored(&arena, &begun);
	struct live live = {.presence = PRESENCE_PRESENT,
			    .fields = read_json(&arena, "{\"label\":\"bravo\"}"),
			    .outputs = value_map(NULL, 0)};
	const struct unfinished_reading reading = {&net, &provider, &live, NULL};
	assert_true(unfinished_settle(&object, &reading, secrets, &arena).whole);
	struct slice body = object_body_write(&object, &arena, &style);
	assert_false(slice_contains(body, SLICE("bravo")));
	assert_true(slice_contains(json_canonical(&arena, &object.resolved, &style), SLICE(LETTERS("b"))));
	arena_release(&arena);
}

/* What no spec sets, and the update switched off: as it is, and what it was is kept until it is so again. */
static void test_owed(void **state)
{
	static const struct {
		const char *live;
		const char *owed; /* NULL: nothing */
		bool whole;
	} steps[] = {
		{"{\"gate\":\"x\",\"lights\":false}", "{\"lights\":true}", false},
		{"{\"gate\":\"y\",\"lights\":false}", "{\"lights\":true}", false},
		{"{\"gate\":\"y\",\"lights\":true}", NULL, true},
	};
	const struct row row = {.recorded = "{\"gate\":\"x\"}", .intended = "{\"gate\":\"y\"}"};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	struct object object = begin(&arena, &row);
	object.observed = read_json(&arena, "{\"gate\":\"x\",\"lights\":true}");
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct live live = {.presence = PRESENCE_PRESENT,
				    .fields = read_json(&arena, steps[i].live),
				    .outputs = value_map(NULL, 0)};
		const struct unfinished_reading reading = {&net, &provider, &live, NULL};
		struct unfinished_outcome outcome = unfinished_settle(&object, &reading, secrets, &arena);
		const struct value *owed = unfinished_owed(&object);

		if (outcome.whole != steps[i].whole || outcome.owes != (steps[i].owed != NULL) ||
		    (owed != NULL) != outcome.owes)
			fail_msg("step %zu: whole %d, owes %d", i, outcome.whole, outcome.owes);
		if (owed)
			expect(&arena, &row, "owed", owed, steps[i].owed);
		expect(&arena, &row, "observed", &object.observed, steps[i].live);
		assert_null(value_get_named(&object.resolved, "lights"));
	}
	arena_release(&arena);
}

/* The run that comes next, and is cut off too, has noted it as well. */
static void test_owed_still(void **state)
{
	const struct row row = {.recorded = "{\"gate\":\"x\"}", .intended = "{\"gate\":\"y\"}"};
	const struct value nothing = value_map(NULL, 0);
	const struct unfinished_update update = {.symbolic = &nothing, .resolved = &nothing};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	struct object object = begin(&arena, &row);
	object.observed = read_json(&arena, "{\"gate\":\"x\",\"lights\":true}");
	struct live live = {.presence = PRESENCE_PRESENT,
			    .fields = read_json(&arena, "{\"gate\":\"x\",\"lights\":false}"),
			    .outputs = nothing};
	const struct unfinished_reading reading = {&net, &provider, &live, NULL};
	assert_true(unfinished_settle(&object, &reading, secrets, &arena).owes);
	assert_true(unfinished_note_update(&object, &update, 3000, &arena));
	assert_true(unfinished_settle(&object, &reading, secrets, &arena).owes);
	arena_release(&arena);
}

/* A field that is not set any more, and goes back to what its own rule does not say. */
static void test_goes_back(void **state)
{
	static const struct {
		const char *live, *settled;
	} ends[] = {{"{\"label\":\"y\"}", "{}"}, {"{\"label\":\"x\"}", "{\"label\":\"x\"}"}};
	static const struct change change = {.field = &net_fields[1], .effect = EFFECT_SET};
	const struct row row = {.name = "goes back"};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const struct value recorded = read_json(&arena, "{\"label\":\"x\"}"), nothing = value_map(NULL, 0);
		const struct value constants = read_json(&arena, "{\"label\":\"y\"}");
		struct object object = {.applied = recorded,
					.resolved = recorded,
					.observed = recorded,
					.outputs = nothing,
					.has_body = true};
		const struct unfinished_update update = {.changes = &change,
							 .change_count = 1,
							 .symbolic = &nothing,
							 .resolved = &nothing,
							 .constants = &constants};
		struct live live = {
			.presence = PRESENCE_PRESENT, .fields = read_json(&arena, ends[i].live), .outputs = nothing};
		const struct unfinished_reading reading = {&net, &provider, &live, NULL};

		assert_true(unfinished_note_update(&object, &update, 1000, &arena));
		assert_int_equal(unfinished_settle(&object, &reading, secrets, &arena).whole, i == 0);
		expect(&arena, &row, "applied", &object.applied, ends[i].settled);
		expect(&arena, &row, "resolved", &object.resolved, ends[i].settled);
		expect(&arena, &row, "observed", &object.observed, ends[i].live);
	}
	arena_release(&arena);
}

/* A deletion that came to nothing: what the update before it had switched off is still to be switched on. */
static void test_owed_and_left(void **state)
{
	static const struct {
		const char *live;
		bool owes;
	} ends[] = {{"{\"gate\":\"y\",\"lights\":false}", true}, {"{\"gate\":\"y\",\"lights\":true}", false}};
	const struct row row = {.recorded = "{\"gate\":\"x\"}", .intended = "{\"gate\":\"y\"}"};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct object object = begin(&arena, &row);
		struct live live = {.presence = PRESENCE_PRESENT,
				    .fields = read_json(&arena, "{\"gate\":\"x\",\"lights\":false}"),
				    .outputs = value_map(NULL, 0)};
		const struct unfinished_reading reading = {&net, &provider, &live, NULL};

		object.observed = read_json(&arena, "{\"gate\":\"x\",\"lights\":true}");
		assert_true(unfinished_settle(&object, &reading, secrets, &arena).owes);
		assert_true(unfinished_note_delete(&object, &unseen, 3000, &arena));
		live.fields = read_json(&arena, ends[i].live);
		assert_int_equal(unfinished_settle(&object, &reading, secrets, &arena).owes, ends[i].owes);
	}
	arena_release(&arena);
}

/* What a deletion took off is off the record in both its forms; the rest stays in both. */
static void test_left_with_references(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	struct object object = {
		.applied = read_json(
			&arena, "{\"rules\":[{\"port\":1},{\"note\":{\"$deferred\":\"${t.net.x.id}\"},\"port\":2}]}"),
		.resolved = read_json(&arena, "{\"rules\":[{\"port\":1},{\"note\":\"x\",\"port\":2}]}"),
		.outputs = value_map(NULL, 0),
		.has_body = true,
	};
	struct live live = {.presence = PRESENCE_PRESENT,
			    .fields = read_json(&arena, "{\"rules\":[{\"port\":1}]}"),
			    .outputs = value_map(NULL, 0)};
	const struct unfinished_reading reading = {&net, &provider, &live, NULL};
	const struct row row = {.name = "left"};

	object.observed = object.resolved;
	assert_true(unfinished_note_delete(&object, &unseen, 1000, &arena));
	assert_true(unfinished_settle(&object, &reading, secrets, &arena).taken);
	expect(&arena, &row, "resolved", &object.resolved, "{\"rules\":[{\"port\":1}]}");
	expect(&arena, &row, "applied", &object.applied, "{\"rules\":[{\"port\":1}]}");
	arena_release(&arena);
}

static void test_age(void **state)
{
	static const struct {
		const char *name;
		int64_t now_ms;
		bool young;
	} ages[] = {{"at once", 1000, true},
		    {"within the time", 2999, true},
		    {"after it", 3000, false},
		    {"by a clock that was set back", 999, false}};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	struct object object = begin(&arena, &rows[0]);
	for (size_t i = 0; i < sizeof(ages) / sizeof(ages[0]); i++)
		if (unfinished_is_young(&object, ages[i].now_ms, 2000) != ages[i].young)
			fail_msg("%s", ages[i].name);
	assert_true(slice_is(unfinished_names(unfinished_resolved(&object), &arena), "label"));
	/* What goes on with it renews the time, not with each of many quick calls. */
	assert_false(unfinished_renew(&object, 2000, &arena));
	assert_true(unfinished_renew(&object, 2001, &arena));
	assert_false(unfinished_renew(&object, 2002, &arena));
	assert_true(unfinished_is_young(&object, 4000, 2000) && !unfinished_is_young(&object, 4001, 2000));
	assert_true(unfinished_renew(&object, 500, &arena) && unfinished_is_young(&object, 600, 2000));
	assert_true(slice_is(unfinished_names(unfinished_resolved(&object), &arena), "label"));
	unfinished_end(&object);
	assert_false(unfinished_renew(&object, 9000, &arena));
	assert_false(unfinished_has_note(&object) || unfinished_is_deletion(&object));
	assert_false(slice_contains(object_body_write(&object, &arena, &style), SLICE("unfinished")));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settled),	      cmocka_unit_test(test_seen),
		cmocka_unit_test(test_secret),	      cmocka_unit_test(test_owed),
		cmocka_unit_test(test_owed_still),    cmocka_unit_test(test_goes_back),
		cmocka_unit_test(test_owed_and_left), cmocka_unit_test(test_left_with_references),
		cmocka_unit_test(test_age),
	};

	return cmocka_run_group_tests_name("unfinished", tests, NULL, NULL);
}
