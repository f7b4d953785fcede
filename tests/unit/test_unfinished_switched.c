#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "reconcile/unfinished.h"
#include "tests/unit/support_record.h"

/* What calls of an update switch off beside what it sets: owed is what was on before them, whatever is recorded. */

static const struct field net_fields[] = {
	{.name = "gate", .type = FIELD_STRING, .when_unset = UNSET_CLEAR},
	{.name = "label", .type = FIELD_STRING, .when_unset = UNSET_CLEAR},
	{.name = "lights", .type = FIELD_BOOL, .when_unset = UNSET_RELEASE},
};
static const struct kind net = {.name = "t.net", .version = 1, .fields = FIELDS(net_fields)};
static const struct run_secrets secrets = {0};

/* The lights go out for as long as something passes the gate. */
static bool takes_steps(const struct kind *kind, const struct field *field, const struct value *changed)
{
	(void)kind;
	return strcmp(field->name, "lights") == 0 && value_get_named(changed, "gate");
}

static const struct provider provider = {.name = "t", .needs_detail = needs_no_detail, .takes_steps = takes_steps};

static void expect(const char *name, struct arena *arena, const struct value *is, const char *expected)
{
	struct slice text = is ? json_canonical(arena, is, NULL) : SLICE("nothing");

	if (!slice_is(text, expected))
		fail_msg("%s: %.*s, not %s", name, SLICE_ARGUMENTS(text), expected);
}

#define ON "{\"gate\":\"x\",\"lights\":true}"
#define OFF "{\"gate\":\"x\",\"lights\":false}"
#define UNSAID "{\"gate\":\"x\"}"
#define SWITCHES(to) "{\"lights\":" to "}"

/* A call: what it brings, NULL where nobody can tell, and what was known of the lights when it was sent. */
struct sent {
	const char *comes;
	const char *now; /* NULL: nothing was read */
};

static const struct row {
	const char *name;
	const char *recorded, *observed, *now;
	const char *owed, *resolved;
	struct sent sent[5];
	bool ignored;
} rows[] = {
	{"others had them off, though the record has them on", ON, ON, OFF, "nothing", ON,
	 .sent = {{"{\"gate\":\"y\"}", OFF}}},
	{"the same, and nothing says so", UNSAID, ON, OFF, "nothing", UNSAID, .sent = {{"{\"gate\":\"y\"}", OFF}}},
	{"others had them on, though the record has them off and leaves them to others", OFF, OFF, OFF,
	 SWITCHES("true"), OFF, .sent = {{SWITCHES("false"), ON}, {"{\"gate\":\"y\"}", OFF}}, .ignored = true},
	{"they were on", ON, ON, OFF, SWITCHES("true"), OFF, .sent = {{SWITCHES("false"), ON}}},
	{"they were on, and nothing says so", UNSAID, OFF, OFF, SWITCHES("true"), UNSAID,
	 .sent = {{SWITCHES("false"), ON}}},
	{"they are on again", ON, ON, ON, "nothing", ON, .sent = {{SWITCHES("false"), ON}}},
	{"they were on again, and others switched them off after that", ON, ON, OFF, "nothing", ON,
	 .sent = {{SWITCHES("false"), ON},
		  {"{\"gate\":\"y\"}", OFF},
		  {SWITCHES("true"), OFF},
		  {"{\"label\":\"y\"}", ON}}},
	{"what switches them on is not known to be done", ON, ON, OFF, SWITCHES("true"), OFF,
	 .sent = {{SWITCHES("false"), ON}, {SWITCHES("true"), OFF}, {"{\"label\":\"y\"}", OFF}}},
	{"a listing that lags shows them on", ON, ON, OFF, SWITCHES("true"), OFF,
	 .sent = {{SWITCHES("false"), ON}, {"{\"gate\":\"y\"}", ON}, {NULL, ON}}},
	{"nothing was read before", ON, ON, OFF, "nothing", ON, .sent = {{SWITCHES("false"), NULL}}},
	{"the note is of an older program", ON, ON, OFF, SWITCHES("true"), OFF, .sent = {{0}}},
	{"the note is of an older program, and nothing is recorded", UNSAID, ON, OFF, SWITCHES("true"), UNSAID,
	 .sent = {{0}}},
};

static struct object begin(struct arena *arena, const struct row *row)
{
	static const struct change changes[] = {{.field = &net_fields[0], .effect = EFFECT_SET},
						{.field = &net_fields[1], .effect = EFFECT_SET}};
	const struct value recorded = read_json(arena, row->recorded);
	const struct value wanted = read_json(arena, "{\"gate\":\"y\",\"label\":\"y\"}");
	const struct unfinished_update update = {
		.changes = changes, .change_count = 2, .symbolic = &wanted, .resolved = &wanted};
	struct object object = {.role = OBJECT_CURRENT,
				.applied = recorded,
				.resolved = recorded,
				.observed = read_json(arena, row->observed),
				.outputs = value_map(NULL, 0),
				.has_body = true};

	assert_true(unfinished_note_update(&object, &update, 1000, arena));
	for (const struct sent *sent = row->sent; sent->comes || sent->now; sent++) {
		const struct value comes = sent->comes ? read_json(arena, sent->comes) : value_null();
		const struct value goes = value_map(NULL, 0), now = sent->now ? read_json(arena, sent->now) : goes;
		const struct call call = {.operation = "Call", .comes = sent->comes ? &comes : NULL, .goes = &goes};

		(void)unfinished_note_switched(&object, call.comes, sent->now ? &now : NULL, arena);
		assert_false(unfinished_note_switched(&object, NULL, NULL, arena));
		(void)unfinished_note_call(&object, &call, arena);
	}
	assert_int_equal(unfinished_switched(&object) != NULL, row->sent[0].comes != NULL);
	return object;
}

static void test_owed(void **state)
{
	static const struct slice lights[] = {{"lights", sizeof("lights") - 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct arena arena;

		arena_init(&arena);
		const struct object begun = begin(&arena, row);
		struct object object = stored(&arena, &begun);
		const struct resource resource = {.ignored = lights, .ignored_count = row->ignored};
		const struct live live = {.presence = PRESENCE_PRESENT,
					  .fields = read_json(&arena, row->now),
					  .outputs = value_map(NULL, 0)};
		const struct unfinished_reading reading = {&net, &provider, &live, &resource};

		/* Whoever looks next finds the same. */
		for (int time = 0; time < 2; time++) {
			struct unfinished_outcome outcome = unfinished_settle(&object, &reading, secrets, &arena);

			assert_int_equal(outcome.owes, strcmp(row->owed, "nothing") != 0);
			assert_true(time == 0 || !outcome.taken);
			expect(row->name, &arena, unfinished_owed(&object), row->owed);
			expect(row->name, &arena, &object.resolved, row->resolved);
			expect(row->name, &arena, &object.applied, row->resolved);
		}
		arena_release(&arena);
	}
}

/* What a run switches on again that is owed is to be so, whatever a spec says of it that leaves it to others. */
static void test_set_again(void **state)
{
	static const struct change change = {.field = &net_fields[2], .effect = EFFECT_SET};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	struct object object = begin(&arena, &rows[2]);
	const struct value wanted = read_json(&arena, OFF), constants = read_json(&arena, SWITCHES("true"));
	const struct unfinished_update update = {.changes = &change,
						 .change_count = 1,
						 .symbolic = &wanted,
						 .resolved = &wanted,
						 .constants = &constants};

	unfinished_owe(&object, SLICE("lights"), &(struct value){.type = VALUE_BOOL, .boolean = true}, &arena);
	assert_true(unfinished_note_update(&object, &update, 2000, &arena));
	expect("set again", &arena, unfinished_resolved(&object), SWITCHES("true"));
	arena_release(&arena);
}

/* Nor is anything noted of what is being deleted, or is not begun. */
static void test_nothing_to_note(void **state)
{
	static const char *const notes[] = {"null", "{\"applied\":{},\"leaves\":true,\"resolved\":{},\"since\":5}"};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	const struct value comes = read_json(&arena, SWITCHES("false")), now = read_json(&arena, ON);
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		struct object object = {.unfinished = read_json(&arena, notes[i]), .has_body = true};

		assert_false(unfinished_note_switched(&object, &comes, &now, &arena));
		assert_null(unfinished_switched(&object));
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owed),
		cmocka_unit_test(test_set_again),
		cmocka_unit_test(test_nothing_to_note),
	};

	return cmocka_run_group_tests_name("unfinished, and switched off", tests, NULL, NULL);
}
