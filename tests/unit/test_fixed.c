#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "reconcile/diff.h"
#include "reconcile/plan.h"

/*
 * Kinds that are found, and facts of theirs that nothing can change (FIXED): what contradicts the
 * spec is told, and nothing is made, replaced or destroyed.
 */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct field text = {.name = "text", .type = FIELD_STRING};
static const struct field part_fields[] = {
	{.name = "count", .type = FIELD_INTEGER},
	{.name = "model", .type = FIELD_STRING},
};
static const struct field fields[] = {
	{.name = "place", .type = FIELD_STRING, .flags = REQUIRED | IMMUTABLE | WRITE_ONLY},
	{.name = "power", .type = FIELD_STRING, .when_unset = UNSET_RELEASE},
	{.name = "serial", .type = FIELD_STRING, .flags = FIXED},
	{.name = "parts", .type = FIELD_OBJECT, .flags = FIXED, .members = FIELDS(part_fields)},
	{.name = "ports", .type = FIELD_SET, .flags = FIXED, .item = &text},
};
static const struct output outputs[] = {{.name = "id"}};
static const struct kind box = {
	.name = "t.box", .version = 1, .fields = FIELDS(fields), .outputs = FIELDS(outputs), .found = true};
static const struct kind *const all_kinds[] = {&box};
static const struct kinds kinds = {all_kinds, 1};

struct fixture {
	struct arena arena;
	struct diagnostics diagnostics;
};

static struct value json(struct fixture *fixture, const char *source)
{
	struct value value = value_null();

	if (!json_read(&fixture->arena, slice_of(source), true, 1 << 20, "the test", &value, &fixture->diagnostics))
		fail_msg("bad JSON in the test: %s", source);
	return value;
}

static void begin(struct fixture *fixture)
{
	arena_init(&fixture->arena);
	diagnostics_init(&fixture->diagnostics, &fixture->arena);
}

static void end(struct fixture *fixture)
{
	diagnostics_release(&fixture->diagnostics);
	arena_release(&fixture->arena);
}

/* "serial conflict, power set": what each change comes to. */
static const char *effects(struct fixture *fixture, const struct difference *difference)
{
	static const char *const names[] = {
		[EFFECT_SET] = "set",	      [EFFECT_REPLACE] = "replace",   [EFFECT_REPLACE_UNLESS_EQUAL] = "maybe",
		[EFFECT_RELEASE] = "release", [EFFECT_SHOW] = "show",	      [EFFECT_RECORD] = "record",
		[EFFECT_UNREAD] = "unread",   [EFFECT_CONFLICT] = "conflict",
	};
	struct slice all = SLICE("");

	for (size_t i = 0; i < difference->count; i++)
		all = arena_format(&fixture->arena, "%.*s%s%.*s %s", SLICE_ARGUMENTS(all), i ? ", " : "",
				   SLICE_ARGUMENTS(difference->changes[i].path), names[difference->changes[i].effect]);
	return arena_string(&fixture->arena, all);
}

static const struct difference_row {
	const char *name, *wanted, *applied, *live; /* applied NULL: never completed */
	const char *effects;
	const char *message; /* the first one, or "" */
} difference_rows[] = {
	{"as described", "{\"serial\":\"A\"}", NULL, "{\"serial\":\"A\"}", "", ""},
	{"another one", "{\"serial\":\"A\"}", NULL, "{\"serial\":\"B\"}", "serial conflict",
	 "'t.box.a' has serial 'B', but the spec says 'A'"},
	{"another one than before", "{\"serial\":\"A\"}", "{\"serial\":\"A\"}", "{\"serial\":\"B\"}", "serial conflict",
	 "'t.box.a' has serial 'B', but the spec says 'A'"},
	{"the spec changed its mind", "{\"serial\":\"B\"}", "{\"serial\":\"A\"}", "{\"serial\":\"A\"}",
	 "serial conflict", "'t.box.a' has serial 'A', but the spec says 'B'"},
	{"both did", "{\"serial\":\"B\"}", "{\"serial\":\"A\"}", "{\"serial\":\"B\"}", "serial record", ""},
	{"one that a NUL parts", "{\"serial\":\"A\"}", NULL, "{\"serial\":\"A\\u0000B\\u0000\"}", "serial conflict",
	 "'t.box.a' has serial 'A\\x00B\\x00', but the spec says 'A'"},
	{"not there", "{\"serial\":\"A\"}", NULL, "{}", "serial conflict",
	 "'t.box.a' has no serial, but the spec says 'A'"},
	{"unread", "{\"serial\":\"A\"}", NULL, "{\"serial\":{\"$unread\":true}}", "serial unread", ""},
	{"unread, and the spec changed its mind", "{\"serial\":\"B\"}", "{\"serial\":\"A\"}",
	 "{\"serial\":{\"$unread\":true}}", "serial unread", ""},
	{"no longer described", "{}", "{\"serial\":\"A\"}", "{\"serial\":\"B\"}", "serial release", ""},
	{"not known yet", "{\"serial\":{\"$deferred\":\"${t.x.y.id}\"}}", NULL, "{\"serial\":\"A\"}", "serial set", ""},
	{"a member alone is compared", "{\"parts\":{\"count\":2}}", NULL, "{\"parts\":{\"count\":2,\"model\":\"M\"}}",
	 "", ""},
	{"a member differs", "{\"parts\":{\"count\":4}}", NULL, "{\"parts\":{\"count\":2}}", "parts conflict",
	 "'t.box.a' has parts {\"count\":2}, but the spec says {\"count\":4}"},
	{"an item too many", "{\"ports\":[\"a\"]}", NULL, "{\"ports\":[\"a\",\"b\"]}", "ports[b] conflict",
	 "'t.box.a' has ports[b], which the spec does not name"},
	{"an item too few", "{\"ports\":[\"a\",\"b\"]}", NULL, "{\"ports\":[\"b\"]}", "ports[a] conflict",
	 "'t.box.a' lacks ports[a], which the spec names"},
	{"beside what can change", "{\"power\":\"on\",\"serial\":\"A\"}", NULL, "{\"power\":\"off\",\"serial\":\"B\"}",
	 "power set, serial conflict", "'t.box.a' has serial 'B', but the spec says 'A'"},
	/* What no read gives back cannot be said to differ while nothing was completed. */
	{"an unfinished one", "{\"place\":\"p\"}", NULL, "{}", "", ""},
	{"elsewhere", "{\"place\":\"q\"}", "{\"place\":\"p\"}", "{}", "place replace", ""},
};

static void test_differences(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(difference_rows); i++) {
		const struct difference_row *row = &difference_rows[i];
		struct fixture fixture;
		struct difference difference;
		const char *message = "";

		begin(&fixture);
		struct value wanted = json(&fixture, row->wanted), live = json(&fixture, row->live);
		struct value applied = row->applied ? json(&fixture, row->applied) : value_null();
		struct diff_input input = {
			.kind = &box, .wanted = &wanted, .applied = row->applied ? &applied : NULL, .live = &live};
		diff_resource(&input, &fixture.arena, &difference);
		diff_report_conflicts(&difference, SLICE("t.box.a"), NOWHERE, &fixture.diagnostics);
		if (fixture.diagnostics.count > 0)
			message = arena_string(&fixture.arena, fixture.diagnostics.items[0].message);
		if (strcmp(effects(&fixture, &difference), row->effects) != 0)
			fail_msg("%s: %s", row->name, effects(&fixture, &difference));
		if (strcmp(message, row->message) != 0 || difference.conflicts != (row->message[0] != '\0'))
			fail_msg("%s: '%s'", row->name, message);
		if (difference.replaces && difference.conflicts)
			fail_msg("%s: a fact was to be replaced", row->name);
		end(&fixture);
	}
}

static void test_a_secret_fact_is_not_shown(void **state)
{
	struct fixture fixture;
	struct change change = {.path = SLICE("serial"), .field = &fields[2], .effect = EFFECT_CONFLICT};
	struct difference difference = {.changes = &change, .count = 1, .conflicts = true};

	(void)state;
	begin(&fixture);
	change.before = value_text("B");
	change.after = value_at(value_text("A"), (struct position){1, 7, 3});
	change.after.secret = true;
	diff_report_conflicts(&difference, SLICE("t.box.a"), (struct position){1, 2, 2}, &fixture.diagnostics);
	assert_int_equal(fixture.diagnostics.items[0].position.line, change.after.position.line);
	assert_string_equal(arena_string(&fixture.arena, fixture.diagnostics.items[0].message),
			    "'t.box.a' has serial 'B', but the spec says a secret");
	end(&fixture);
}

/* A plan over one address. */
static bool resolve(const struct resolver *resolver, const struct value *value, const struct output_source *source,
		    struct arena *arena, struct value *ret, struct diagnostics *diagnostics)
{
	(void)resolver;
	(void)source;
	(void)arena;
	(void)diagnostics;
	*ret = *value;
	return true;
}

static bool load_body(void *context, struct object *object, struct diagnostics *diagnostics)
{
	(void)context;
	(void)object;
	(void)diagnostics;
	return true;
}

static const struct plan_row {
	const char *name, *wanted, *applied; /* NULL: not in the spec, not recorded */
	enum presence presence;
	const char *live;
	bool protect;
	const char *operations; /* of the plan */
	const char *message;	/* the first one, or "" */
} plan_rows[] = {
	{"found", "{\"place\":\"p\",\"serial\":\"A\"}", NULL, PRESENCE_PRESENT, "{\"serial\":\"A\"}", false, "adopt",
	 ""},
	{"found, and to be changed", "{\"place\":\"p\",\"power\":\"on\"}", NULL, PRESENCE_PRESENT,
	 "{\"power\":\"off\"}", false, "adopt power", ""},
	{"found, another one", "{\"place\":\"p\",\"serial\":\"A\",\"power\":\"on\"}", NULL, PRESENCE_PRESENT,
	 "{\"serial\":\"B\"}", false, "", "'t.box.a' has serial 'B', but the spec says 'A'"},
	{"not read", "{\"place\":\"p\"}", NULL, PRESENCE_UNREAD, "{}", false, "unread", ""},
	{"swapped", "{\"place\":\"p\",\"serial\":\"A\"}", "{\"place\":\"p\",\"serial\":\"A\"}", PRESENCE_PRESENT,
	 "{\"serial\":\"B\"}", false, "", "'t.box.a' has serial 'B', but the spec says 'A'"},
	{"moved and another one", "{\"place\":\"q\",\"serial\":\"A\"}", "{\"place\":\"p\"}", PRESENCE_PRESENT,
	 "{\"serial\":\"B\"}", false, "", "'t.box.a' has serial 'B', but the spec says 'A'"},
	{"no longer in the spec", NULL, "{\"place\":\"p\"}", PRESENCE_PRESENT, "{}", false, "forget", ""},
	{"no longer in the spec, unread", NULL, "{\"place\":\"p\"}", PRESENCE_UNREAD, "{}", false, "forget", ""},
	{"no longer in the spec, protected", NULL, "{\"place\":\"p\"}", PRESENCE_PRESENT, "{}", true, "conflict",
	 "'t.box.a' is protected and no longer in the spec"},
};

static const char *operations(struct fixture *fixture, const struct plan *plan)
{
	struct slice all = SLICE("");

	for (size_t i = 0; i < plan->action_count; i++) {
		const struct action *action = &plan->actions[i];

		all = arena_format(&fixture->arena, "%.*s%s%s", SLICE_ARGUMENTS(all), i ? ", " : "",
				   operation_name(action->operation));
		for (size_t k = 0; k < action->change_count; k++)
			all = arena_format(&fixture->arena, "%.*s %.*s", SLICE_ARGUMENTS(all),
					   SLICE_ARGUMENTS(action->changes[k].path));
	}
	return arena_string(&fixture->arena, all);
}

static void test_plans(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(plan_rows); i++) {
		const struct plan_row *row = &plan_rows[i];
		const struct resolver resolver = {.resolve = resolve};
		const struct stack_record record = {.lineage = SLICE("l")};
		struct fixture fixture;
		struct plan plan;
		const char *message = "";

		begin(&fixture);
		struct live live = {.presence = row->presence,
				    .provider_id = SLICE("b-1"),
				    .fields = json(&fixture, row->live),
				    .outputs = value_map(NULL, 0)};
		const struct live *lives[] = {&live};
		struct resource resource = {.address = SLICE("t.box.a"), .name = SLICE("a"), .kind = &box};
		struct object object = {.address = SLICE("t.box.a"),
					.object_id = SLICE("o-1"),
					.kind = SLICE("t.box"),
					.kind_version = 1,
					.provider_id = SLICE("b-1"),
					.protect = row->protect,
					.has_body = true,
					.outputs = value_map(NULL, 0)};
		struct object *objects[] = {&object};
		if (row->wanted)
			resource.desired = json(&fixture, row->wanted);
		if (row->applied)
			object.applied = object.resolved = json(&fixture, row->applied);
		object.observed = live.fields;
		struct stack stack = {.name = SLICE("s"),
				      .resources = &resource,
				      .resource_count = row->wanted ? 1 : 0,
				      .max_delete = -1};
		struct plan_input input = {
			.stack = &stack,
			.kinds = &kinds,
			.record = &record,
			.objects = objects,
			.object_count = row->applied ? 1 : 0,
			.live = lives,
			.unrecorded = row->applied ? NULL : lives,
			.resolver = &resolver,
			.load_body = load_body,
			.arena = &fixture.arena,
		};
		bool sound = plan_make(&input, &plan, &fixture.diagnostics);
		if (fixture.diagnostics.count > 0)
			message = arena_string(&fixture.arena, fixture.diagnostics.items[0].message);
		if (strcmp(operations(&fixture, &plan), row->operations) != 0 || strcmp(message, row->message) != 0 ||
		    sound != (row->message[0] == '\0'))
			fail_msg("%s: '%s', '%s'", row->name, operations(&fixture, &plan), message);
		if (plan_deletions(&plan) > 0)
			fail_msg("%s: something would be destroyed", row->name);
		end(&fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_differences),
		cmocka_unit_test(test_a_secret_fact_is_not_shown),
		cmocka_unit_test(test_plans),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
