#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/buffer.h"
#include "base/json.h"
#include "reconcile/plan.h"
#include "reconcile/visit.h"

/* Which values of a resource are visited, in which order, by what name, and what is around each. */

static const struct field word = {.type = FIELD_STRING};
static const struct field part_fields[] = {
	{.name = "in", .type = FIELD_STRING},
	{.name = "names", .type = FIELD_LIST, .item = &word},
};
static const struct field part = {.type = FIELD_OBJECT, .members = FIELDS(part_fields)};
static const struct field fields[] = {
	{.name = "in", .type = FIELD_STRING},
	{.name = "parts", .type = FIELD_SET, .item = &part},
	{.name = "tags", .type = FIELD_MAP, .item = &word},
	{.name = "one", .type = FIELD_OBJECT, .members = FIELDS(part_fields)},
	{.name = "free", .type = FIELD_JSON},
};
static const struct kind kind = {.name = "t.net", .version = 1, .fields = FIELDS(fields)};

static struct value read(struct arena *arena, const char *text)
{
	struct diagnostics bugs;
	struct value value;

	diagnostics_init(&bugs, arena);
	if (!json_read(arena, slice_of(text), true, 4096, "test", &value, &bugs))
		fail_msg("bad JSON in the test: %s", text);
	diagnostics_release(&bugs);
	return value;
}

/* Of a text also what it is, what the nearest field `in` around it says, and within which item of what it stands. */
static void note(void *context, const struct visited *visited)
{
	const struct value *value = visited->value, *in = scope_nearest(visited->scope, SLICE("in"));

	buffer_format(context, " %s.%s", visited->top->name, visited->name);
	if (value_is(value, VALUE_STRING))
		buffer_format(context, "=%.*s/%.*s", SLICE_ARGUMENTS(value_slice(value)),
			      SLICE_ARGUMENTS(in ? value_slice(in) : SLICE("none")));
	if (value_is(value, VALUE_STRING) && visited->item)
		buffer_format(context, "^%s%s", visited->list->name, visited->item == value ? "" : "+");
}

static void check(const struct buffer *noted, const char *expected)
{
	struct slice text = buffer_slice(noted);

	if (!slice_is(text, expected))
		fail_msg("visited:%.*s, expected:%s", SLICE_ARGUMENTS(text), expected);
}

static const struct {
	const char *resource, *visited;
} rows[] = {
	{"{}", ""},
	{"{\"in\":null}", ""},
	{"{\"in\":\"a\"}", " in.in=a/a"},
	{"{\"in\":\"a\",\"one\":{\"in\":null,\"names\":[\"x\"]}}", " in.in=a/a one.one one.names one.names=x/a^names"},
	{"{\"in\":\"a\",\"parts\":[{\"in\":\"b\",\"names\":[\"x\",\"y\"]},{\"names\":[\"z\"]}]}",
	 " in.in=a/a parts.parts parts.parts parts.in=b/b^parts+ parts.names parts.names=x/b^parts+"
	 " parts.names=y/b^parts+ parts.parts parts.names parts.names=z/a^parts+"},
	{"{\"tags\":{\"k\":\"v\"}}", " tags.tags tags.tags=v/none^tags"},
	{"{\"one\":\"unknown\"}", " one.one=unknown/none"},
	{"{\"free\":{\"in\":\"x\",\"list\":[1]}}", " free.free"},
};

static void test_fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena arena;
		BUFFER_AUTO noted;

		arena_init(&arena);
		buffer_init(&noted, 4096);
		const struct value resource = read(&arena, rows[i].resource);
		for (size_t k = 0; k < kind.fields.count; k++)
			visit_field(field_at(&kind.fields, k), &resource, note, &noted);
		check(&noted, rows[i].visited);
		arena_release(&arena);
	}
}

/* Of what is made all that it is made with; of what stays what comes, be it one item of a set. */
static void test_action(void **state)
{
	struct arena arena;
	BUFFER_AUTO made;
	BUFFER_AUTO kept;
	BUFFER_AUTO gone;

	(void)state;
	arena_init(&arena);
	buffer_init(&made, 4096);
	buffer_init(&kept, 4096);
	buffer_init(&gone, 4096);
	struct change changes[] = {
		{.field = &fields[0], .effect = EFFECT_SET, .after = read(&arena, "\"b\"")},
		{.field = &fields[1], .effect = EFFECT_SET, .after = read(&arena, "{\"names\":[\"x\"]}")},
		{.field = &fields[1], .effect = EFFECT_SET, .after = read(&arena, "[{\"in\":\"y\"}]")},
		{.field = &fields[2], .effect = EFFECT_RELEASE, .after = read(&arena, "{\"k\":\"v\"}")},
		{.effect = EFFECT_SET, .after = read(&arena, "\"the owner\"")},
	};
	struct action action = {.kind = &kind,
				.operation = OPERATION_REPLACE,
				.known = read(&arena, rows[3].resource),
				.changes = changes,
				.change_count = sizeof(changes) / sizeof(changes[0])};

	visit_action(&action, note, &made);
	check(&made, rows[3].visited);
	action.operation = OPERATION_UPDATE;
	visit_action(&action, note, &kept);
	check(&kept, " in.in=b/none parts.parts parts.names parts.names=x/none^names parts.parts parts.parts"
		     " parts.in=y/y^parts+");
	action.operation = OPERATION_DELETE;
	visit_action(&action, note, &gone);
	check(&gone, "");
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields), cmocka_unit_test(test_action)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
