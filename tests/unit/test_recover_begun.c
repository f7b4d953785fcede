#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "reconcile/recover.h"
#include "reconcile/unfinished.h"

/* What recovery records of a change or a deletion that was begun and did not end, and how long its note stays. */

enum { BEGUN_MS = 1000, GRACE_MS = 120 * 1000 };

static const struct field net_fields[] = {{.name = "label", .type = FIELD_STRING, .when_unset = UNSET_CLEAR}};
static const struct output net_outputs[] = {{.name = "id"}};
static const struct kind net = {
	.name = "t.net", .version = 1, .fields = FIELDS(net_fields), .outputs = FIELDS(net_outputs)};
static const struct kind *const kind_items[] = {&net};
static const struct kinds kinds = {kind_items, 1};

static bool needs_detail(const struct kind *kind, const struct value *matters)
{
	(void)kind;
	(void)matters;
	return false;
}

static bool takes_steps(const struct kind *kind, const struct field *field, const struct value *changed)
{
	(void)kind;
	(void)field;
	(void)changed;
	return false;
}

static const struct provider provider = {.name = "t", .needs_detail = needs_detail, .takes_steps = takes_steps};
static const struct provider *const provider_items[] = {&provider};
static const struct providers providers = {provider_items, 1};
static const struct json_style style = {.clear = true};

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
		recorder->noted = unfinished_is(commit->upserts[i]);
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
		assert_true(unfinished_note_delete(object, NULL, BEGUN_MS, arena));
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
						  .now_ms = BEGUN_MS + rows[i].age_ms,
						  .grace_ms = GRACE_MS,
						  .style = &style,
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
