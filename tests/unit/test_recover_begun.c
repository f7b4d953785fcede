#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "reconcile/recover.h"
#include "reconcile/unfinished.h"
#include "tests/unit/support_record.h"

/*
 * What recovery makes of a change or a deletion that was begun and did not end: what it records of it, how long its
 * note stays, and what has become of the call that nobody saw answered.
 */

enum { BEGUN_MS = 1000, GRACE_MS = 120 * 1000 };

static const struct field net_fields[] = {
	{.name = "label", .type = FIELD_STRING, .when_unset = UNSET_CLEAR},
	{.name = "password", .type = FIELD_STRING, .flags = WRITE_ONLY, .when_unset = UNSET_CLEAR},
};
static const struct output net_outputs[] = {{.name = "id"}};
static const struct kind net = {
	.name = "t.net", .version = 1, .fields = FIELDS(net_fields), .outputs = FIELDS(net_outputs)};
static const struct kind *const kind_items[] = {&net};
static const struct kinds kinds = {kind_items, 1};

static bool takes_steps(const struct kind *kind, const struct field *field, const struct value *changed)
{
	(void)kind;
	(void)field;
	(void)changed;
	return false;
}

static const struct provider provider = {.name = "t", .needs_detail = needs_no_detail, .takes_steps = takes_steps};
static const struct provider *const provider_items[] = {&provider};
static const struct providers providers = {provider_items, 1};
static const struct json_style style = {.clear = true};
/* What is about to be deleted, and of which nothing could be read that a note can bring back. */
static const struct live bare = {.presence = PRESENCE_PRESENT};
static const struct unfinished_reading unseen = {.kind = &net, .live = &bare};

struct recorder {
	struct store store;
	size_t removals, upserts;
	bool noted; /* of what was recorded: its note is still there */
};

static enum commit_state note_commit(struct store *store, const struct commit *commit, struct diagnostics *diagnostics)
{
	struct recorder *recorder = (struct recorder *)store;

	(void)diagnostics;
	recorder->removals += commit->removal_count;
	recorder->upserts += commit->upsert_count;
	for (size_t i = 0; i < commit->upsert_count; i++)
		recorder->noted = unfinished_has_note(commit->upserts[i]);
	return COMMIT_DONE;
}

static const struct row {
	const char *name;
	bool deletes;
	enum presence presence;
	const char *label; /* as it is; it was "x", and was to be "y" */
	int64_t age_ms;
	size_t removals, upserts;
	bool noted;
} rows[] = {
	{"nothing of it shows, and it may still come", false, PRESENCE_PRESENT, "x", GRACE_MS - 1, 0, 0, true},
	{"nothing of it came", false, PRESENCE_PRESENT, "x", GRACE_MS, 0, 1, false},
	{"it came", false, PRESENCE_PRESENT, "y", 0, 0, 1, false},
	{"somebody set another", false, PRESENCE_PRESENT, "z", GRACE_MS - 1, 0, 0, true},
	{"it could not be read", false, PRESENCE_UNREAD, "x", GRACE_MS, 0, 0, true},
	{"somebody deletes it while it may still come", false, PRESENCE_LEAVING, "x", GRACE_MS - 1, 0, 0, true},
	{"somebody deletes it", false, PRESENCE_LEAVING, "x", GRACE_MS, 0, 1, false},
	{"somebody deletes what came a moment ago", false, PRESENCE_LEAVING, "y", 0, 0, 0, true},
	{"its deletion goes on", true, PRESENCE_LEAVING, "x", GRACE_MS, 0, 0, true},
	{"it is gone", true, PRESENCE_ABSENT, NULL, 0, 1, 0, true},
	{"its deletion may still come", true, PRESENCE_PRESENT, "x", GRACE_MS - 1, 0, 0, true},
	{"its deletion never came", true, PRESENCE_PRESENT, "x", GRACE_MS, 0, 1, false},
};

static struct value labelled(struct arena *arena, const char *label)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	if (label)
		value_builder_member(&builder, SLICE("label"), value_text(label));
	return value_builder_map(&builder, arena);
}

static void begin(struct object *object, const struct row *row, struct arena *arena)
{
	const struct value wanted = labelled(arena, "y");
	const struct change change = {.field = &net_fields[0], .effect = EFFECT_SET};
	const struct unfinished_update update = {
		.changes = &change, .change_count = 1, .symbolic = &wanted, .resolved = &wanted};

	object->applied = object->resolved = object->observed = labelled(arena, "x");
	object->outputs = value_map(NULL, 0);
	if (row->deletes)
		assert_true(unfinished_note_delete(object, &unseen, BEGUN_MS, arena));
	else
		assert_true(unfinished_note_update(object, &update, BEGUN_MS, arena));
}

static void test_begun(void **state)
{
	static const struct store_ops ops = {.commit = note_commit};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct object object = {.address = SLICE("t.net.a"),
					.object_id = SLICE("one"),
					.kind = SLICE("t.net"),
					.provider_id = SLICE("net-1"),
					.has_body = true};
		struct object *objects = &object;
		struct live found = {.presence = rows[i].presence, .outputs = value_map(NULL, 0)};
		const struct live *live = &found;
		struct recorder recorder = {.store = {&ops}, .noted = true};
		struct stack stack = {0};
		struct diagnostics diagnostics;
		struct arena arena;

		arena_init(&arena);
		diagnostics_init(&diagnostics, &arena);
		begin(&object, &rows[i], &arena);
		found.fields = labelled(&arena, rows[i].label);
		const struct recovery recovery = {.objects = &objects,
						  .object_count = 1,
						  .live = &live,
						  .kinds = &kinds,
						  .providers = &providers,
						  .stack = &stack,
						  .now_ms = BEGUN_MS + 2 * GRACE_MS,
						  .looked_ms = BEGUN_MS + rows[i].age_ms,
						  .grace_ms = GRACE_MS,
						  .secrets = {.style = &style},
						  .arena = &arena};
		assert_true(recover_commit(&recovery, &recorder.store, &diagnostics));
		if (recorder.removals != rows[i].removals || recorder.upserts != rows[i].upserts ||
		    recorder.noted != rows[i].noted)
			fail_msg("%s: %zu removed, %zu recorded, note %d", rows[i].name, recorder.removals,
				 recorder.upserts, recorder.noted);
		diagnostics_release(&diagnostics);
		arena_release(&arena);
	}
}

/* What the record says of what was begun. */
enum note {
	NOTE_NONE,
	NOTE_CHANGE,
	NOTE_TAGS, /* the ownership tags are to follow its address, t.net.a, beside the change, if any */
	NOTE_DELETION,
	NOTE_CALL, /* what the last call does, alone */
};

#define X "{\"label\":\"x\"}"
#define Y "{\"label\":\"y\"}"
#define UNREAD "{\"label\":{\"$unread\":true}}"
#define CURRENT OBJECT_CURRENT
#define THERE PRESENCE_PRESENT

static const struct open_call {
	const char *name;
	enum note note;
	enum object_role role;
	const char *was, *goal; /* fields; goal: of a change, or of a call */
	enum presence presence;
	const char *is;
	enum settlement soon, late; /* while it may come, and after that */
	const char *tag;	    /* of its address; NULL: t.net.a; empty: it bears none */
} calls[] = {
	{"a change shows", NOTE_CHANGE, CURRENT, X, Y, THERE, Y, SETTLEMENT_DONE, SETTLEMENT_DONE, NULL},
	{"a change does not show", NOTE_CHANGE, CURRENT, X, Y, THERE, X, SETTLEMENT_WAIT, SETTLEMENT_ABSENT, NULL},
	{"another value is there", NOTE_CHANGE, CURRENT, X, Y, THERE, "{\"label\":\"z\"}", SETTLEMENT_WAIT,
	 SETTLEMENT_ABSENT, NULL},
	{"what is to be cleared is there", NOTE_CHANGE, CURRENT, X, "{\"label\":null}", THERE, X, SETTLEMENT_WAIT,
	 SETTLEMENT_ABSENT, NULL},
	{"what is to be cleared is not there", NOTE_CHANGE, CURRENT, X, "{\"label\":null}", THERE, "{}",
	 SETTLEMENT_DONE, SETTLEMENT_DONE, NULL},
	{"it cannot be read", NOTE_CHANGE, CURRENT, X, Y, THERE, UNREAD, SETTLEMENT_NONE, SETTLEMENT_NONE, NULL},
	{"what its call does cannot be read", NOTE_CALL, OBJECT_INCOMPLETE, X, Y, THERE, UNREAD, SETTLEMENT_NONE,
	 SETTLEMENT_NONE, NULL},
	{"of what was begun one cannot be read, and one no read shows", NOTE_CHANGE, CURRENT, X,
	 "{\"label\":\"y\",\"password\":\"y\"}", THERE, UNREAD, SETTLEMENT_WAIT, SETTLEMENT_ABSENT, NULL},
	{"it cannot be read, and its tags do not follow", NOTE_TAGS, CURRENT, X, Y, THERE, UNREAD, SETTLEMENT_WAIT,
	 SETTLEMENT_ABSENT, "t.net.b"},
	{"what is to be deleted is there, and cannot be read whole", NOTE_DELETION, CURRENT, X, NULL, THERE, UNREAD,
	 SETTLEMENT_WAIT, SETTLEMENT_ABSENT, NULL},
	{"no read shows it", NOTE_CHANGE, CURRENT, "{}", "{\"password\":\"y\"}", THERE, "{}", SETTLEMENT_WAIT,
	 SETTLEMENT_ABSENT, NULL},
	{"no read shows all of it", NOTE_CHANGE, CURRENT, X, "{\"label\":\"y\",\"password\":\"y\"}", THERE, Y,
	 SETTLEMENT_WAIT, SETTLEMENT_ABSENT, NULL},
	{"what is changed is gone", NOTE_CHANGE, CURRENT, X, Y, PRESENCE_ABSENT, "{}", SETTLEMENT_ABSENT,
	 SETTLEMENT_ABSENT, NULL},
	{"what is changed goes", NOTE_CHANGE, CURRENT, X, Y, PRESENCE_LEAVING, X, SETTLEMENT_ABSENT, SETTLEMENT_ABSENT,
	 NULL},
	{"what is changed could not be read", NOTE_CHANGE, CURRENT, X, Y, PRESENCE_UNREAD, "{}", SETTLEMENT_NONE,
	 SETTLEMENT_NONE, NULL},
	{"its tags follow", NOTE_TAGS, CURRENT, "{}", "{}", THERE, "{}", SETTLEMENT_DONE, SETTLEMENT_DONE, NULL},
	{"its tags do not follow", NOTE_TAGS, CURRENT, "{}", "{}", THERE, "{}", SETTLEMENT_WAIT, SETTLEMENT_ABSENT,
	 "t.net.b"},
	{"a change shows, and its tags do not follow", NOTE_TAGS, CURRENT, X, Y, THERE, Y, SETTLEMENT_WAIT,
	 SETTLEMENT_ABSENT, "t.net.b"},
	{"its tags follow, and a change does not show", NOTE_TAGS, CURRENT, X, Y, THERE, X, SETTLEMENT_WAIT,
	 SETTLEMENT_ABSENT, NULL},
	{"tags tell nothing of a change alone", NOTE_CHANGE, CURRENT, X, Y, THERE, Y, SETTLEMENT_DONE, SETTLEMENT_DONE,
	 "t.net.b"},
	{"what is to be deleted is there", NOTE_DELETION, CURRENT, X, NULL, THERE, X, SETTLEMENT_WAIT,
	 SETTLEMENT_ABSENT, NULL},
	{"what was let go of before its deletion is there", NOTE_DELETION, CURRENT, X, NULL, THERE, "{}",
	 SETTLEMENT_WAIT, SETTLEMENT_ABSENT, NULL},
	{"what is to be deleted goes", NOTE_DELETION, CURRENT, X, NULL, PRESENCE_LEAVING, X, SETTLEMENT_DONE,
	 SETTLEMENT_DONE, NULL},
	{"what is to be deleted is gone", NOTE_DELETION, OBJECT_DEPOSED, X, NULL, PRESENCE_ABSENT, "{}",
	 SETTLEMENT_DONE, SETTLEMENT_DONE, NULL},
	{"without a note nothing tells", NOTE_NONE, CURRENT, X, NULL, THERE, X, SETTLEMENT_WAIT, SETTLEMENT_ABSENT,
	 NULL},
	{"nor does one of a change that sets nothing", NOTE_CHANGE, CURRENT, X, "{}", THERE, X, SETTLEMENT_WAIT,
	 SETTLEMENT_ABSENT, NULL},
	{"what is made is gone", NOTE_NONE, OBJECT_INCOMPLETE, X, NULL, PRESENCE_ABSENT, "{}", SETTLEMENT_ABSENT,
	 SETTLEMENT_ABSENT, NULL},
	{"what was whole is gone, and had no note", NOTE_NONE, CURRENT, X, NULL, PRESENCE_ABSENT, "{}", SETTLEMENT_DONE,
	 SETTLEMENT_DONE, NULL},
	{"what is made has all that it is made with: a later run may set it otherwise", NOTE_NONE, OBJECT_INCOMPLETE, X,
	 NULL, THERE, X, SETTLEMENT_WAIT, SETTLEMENT_ABSENT, NULL},
	{"what is made shows what its call does", NOTE_CALL, OBJECT_INCOMPLETE, X, Y, THERE, Y, SETTLEMENT_DONE,
	 SETTLEMENT_DONE, NULL},
	{"what is made does not show that", NOTE_CALL, OBJECT_INCOMPLETE, X, Y, THERE, X, SETTLEMENT_WAIT,
	 SETTLEMENT_ABSENT, NULL},
};

static void note_change(struct object *object, const struct open_call *call, struct arena *arena)
{
	const struct value goal = read_json(arena, call->goal);
	struct change *changes = arena_new_array(arena, goal.count + 1, struct change);
	struct unfinished_update update = {.changes = changes, .symbolic = &goal, .resolved = &goal};

	for (uint32_t i = 0; i < goal.count; i++)
		changes[update.change_count++] = (struct change){
			.field = field_named(&net.fields, value_slice(&goal.members[i].key)), .effect = EFFECT_SET};
	if (call->note == NOTE_TAGS)
		changes[update.change_count++] = (struct change){.path = SLICE(ADDRESS_TAG), .effect = EFFECT_SET};
	assert_true(unfinished_note_update(object, &update, BEGUN_MS, arena));
	assert_true(unfinished_is_sound(&object->unfinished, arena));
	/* Once is enough. */
	assert_false(unfinished_note_update(object, &update, BEGUN_MS, arena));
}

static struct object recorded(const struct open_call *call, struct arena *arena)
{
	struct object object = {.address = SLICE("t.net.a"),
				.object_id = SLICE("one"),
				.kind = SLICE("t.net"),
				.role = call->role,
				.provider_id = SLICE("net-1"),
				.outputs = value_map(NULL, 0),
				.has_body = true};

	object.applied = object.resolved = object.observed = read_json(arena, call->was);
	if (call->note == NOTE_CHANGE || call->note == NOTE_TAGS)
		note_change(&object, call, arena);
	if (call->note == NOTE_DELETION)
		assert_true(unfinished_note_delete(&object, &unseen, BEGUN_MS, arena));
	if (call->note == NOTE_CALL) {
		const struct value comes = read_json(arena, call->goal), goes = value_map(NULL, 0);
		const struct call sent = {.operation = "Modify", .comes = &comes, .goes = &goes};

		assert_true(unfinished_note_call(&object, &sent, arena));
		assert_true(unfinished_is_sound(&object.unfinished, arena));
		assert_false(unfinished_has_note(&object));
	}
	return object;
}

static void try_call(const struct open_call *call, enum recipe recipe, bool is_late)
{
	struct arena arena;

	arena_init(&arena);
	struct object object = recorded(call, &arena), *objects = &object;
	const struct value applied = object.applied, begun = object.unfinished;
	const struct intent intent = {
		.object_id = object.object_id, .operation = SLICE("Modify"), .recipe = recipe, .wall_ms = BEGUN_MS};
	struct slice tag = slice_of(call->tag ? call->tag : "t.net.a");
	const struct live found = {
		.presence = call->presence,
		.fields = read_json(&arena, call->is),
		.outputs = value_map(NULL, 0),
		.ownership = {.object_id = object.object_id, .address = tag, .is_stripped = tag.size == 0}};
	const struct live *live = &found;
	struct recovery recovery = {.intents = &intent,
				    .intent_count = 1,
				    .objects = &objects,
				    .object_count = 1,
				    .live = &live,
				    .kinds = &kinds,
				    .providers = &providers,
				    .now_ms = BEGUN_MS + 2 * GRACE_MS,
				    .looked_ms = BEGUN_MS + GRACE_MS - !is_late,
				    .grace_ms = GRACE_MS,
				    .secrets = {.style = &style},
				    .arena = &arena};
	enum settlement wanted = is_late ? call->late : call->soon;

	recover_all(&recovery);
	if (recovery.verdicts[0].settlement != wanted)
		fail_msg("%s (%s, %s): %d instead of %d", call->name, recipe_name(recipe), is_late ? "late" : "soon",
			 (int)recovery.verdicts[0].settlement, (int)wanted);
	/* To judge changes nothing in the record. */
	assert_true(value_equal(&object.applied, &applied) && value_equal(&object.unfinished, &begun));
	arena_release(&arena);
}

/* A call counts as done where what it was to do shows, and is looked for as long as it does not and may come. */
static void test_open_calls(void **state)
{
	static const enum recipe recipes[] = {RECIPE_CONVERGE, RECIPE_NATURAL, RECIPE_TOKEN};

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		for (size_t k = 0; k < sizeof(recipes) / sizeof(recipes[0]); k++) {
			try_call(&calls[i], recipes[k], false);
			try_call(&calls[i], recipes[k], true);
		}
}

/* As long as its call is open, the record has all by which that is told. */
static void test_open_is_kept(void **state)
{
	static const struct store_ops ops = {.commit = note_commit};
	static const struct open_call call = {
		"what its call does cannot be read", NOTE_NONE, CURRENT, X, Y, THERE, UNREAD, 0, 0, NULL};

	(void)state;
	for (int deletes = 0; deletes < 2; deletes++) {
		struct arena arena;

		arena_init(&arena);
		struct object object = recorded(&call, &arena), *objects = &object;
		const struct value label = read_json(&arena, Y), none = value_map(NULL, 0);
		const struct call sent = {.operation = "Modify", .comes = &label, .goes = &none};
		const struct row row = {.deletes = deletes};
		const struct intent intent = {
			.object_id = object.object_id, .operation = SLICE("Modify"), .wall_ms = BEGUN_MS};
		const struct live found = {.presence = PRESENCE_PRESENT, .fields = read_json(&arena, UNREAD)};
		const struct live *live = &found;
		struct recorder recorder = {.store = {&ops}};
		struct stack stack = {0};
		struct diagnostics diagnostics;

		diagnostics_init(&diagnostics, &arena);
		begin(&object, &row, &arena);
		assert_true(unfinished_note_call(&object, &sent, &arena));
		struct recovery recovery = {.intents = &intent,
					    .intent_count = 1,
					    .objects = &objects,
					    .object_count = 1,
					    .live = &live,
					    .kinds = &kinds,
					    .providers = &providers,
					    .stack = &stack,
					    .now_ms = BEGUN_MS + 2 * GRACE_MS,
					    .looked_ms = BEGUN_MS + GRACE_MS,
					    .grace_ms = GRACE_MS,
					    .secrets = {.style = &style},
					    .arena = &arena};
		recover_all(&recovery);
		assert_int_equal(recovery.verdicts[0].settlement, SETTLEMENT_NONE);
		assert_true(recover_commit(&recovery, &recorder.store, &diagnostics));
		assert_int_equal(recorder.upserts + recorder.removals, 0);
		recover_all(&recovery);
		assert_int_equal(recovery.verdicts[0].settlement, SETTLEMENT_NONE);
		diagnostics_release(&diagnostics);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begun),
		cmocka_unit_test(test_open_calls),
		cmocka_unit_test(test_open_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
