#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/digest.h"
#include "reconcile/secret_marks.h"
#include "reconcile/secret_places.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

enum { PARTS_MOST = 8 };

static void fingerprint(void *context, struct slice secret, char ret[65])
{
	struct digest digest = digest_of(secret);

	(void)context;
	digest_hex(&digest, ret);
}

static const struct json_style style = {.fingerprint = fingerprint};

static const struct field text = {.type = FIELD_STRING};
static const struct field rule_fields[] = {
	{.name = "port", .type = FIELD_INTEGER, .flags = KEY},
	{.name = "about", .type = FIELD_STRING},
};
static const struct field rule = {.type = FIELD_OBJECT, .members = FIELDS(rule_fields)};
static const struct field fields[] = {
	{.name = "note", .type = FIELD_STRING},
	{.name = "tags", .type = FIELD_MAP, .item = &text},
	{.name = "rules", .type = FIELD_SET, .item = &rule},
	{.name = "names", .type = FIELD_SET, .item = &text},
	{.name = "lines", .type = FIELD_LIST, .item = &text},
};

/* A text with what stands between < and > secret. */
static struct value with_parts(struct arena *arena, struct slice whole)
{
	struct segment parts[PARTS_MOST];
	size_t count = 0;

	while (whole.size > 0) {
		parts[count++] = (struct segment){slice_cut(&whole, '<'), false};
		if (whole.size > 0)
			parts[count++] = (struct segment){slice_cut(&whole, '>'), true};
	}
	return value_segments(arena, parts, count);
}

static struct value with_secrets(struct arena *arena, const struct value *plain)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	if (plain->type == VALUE_STRING)
		return with_parts(arena, value_slice(plain));
	if (plain->type == VALUE_LIST) {
		for (uint32_t i = 0; i < plain->count; i++)
			value_builder_item(&builder, with_secrets(arena, &plain->items[i]));
		return value_builder_list(&builder, arena);
	}
	for (uint32_t i = 0; plain->type == VALUE_MAP && i < plain->count; i++)
		value_builder_member(&builder, value_slice(&plain->members[i].key),
				     with_secrets(arena, &plain->members[i].value));
	return plain->type == VALUE_MAP ? value_builder_map(&builder, arena) : *plain;
}

#define HIDDEN "{\"$secret\":\"\"}"

static const struct {
	const char *name, *spec, *record, *live;
	const char *clear; /* what is left in clear of live, as canonical text with "" for each secret; NULL: all */
} rows[] = {
	{"another whole text", "{\"note\":\"<hunter2>\"}", NULL, "{\"note\":\"rotated\"}", "{\"note\":" HIDDEN "}"},
	{"no text at all", "{\"note\":\"<hunter2>\"}", NULL, "{\"note\":12}", "{\"note\":" HIDDEN "}"},
	{"a former one with more around", "{\"note\":\"<hunter2>\"}", "{\"note\":\"<hunter2>\"}",
	 "{\"note\":\"hunter1x\"}", "{\"note\":" HIDDEN "}"},
	{"another part", "{\"note\":\"x-<hunter2>\"}", NULL, "{\"note\":\"x-hunter1-debug\"}",
	 "{\"note\":{\"$segments\":[\"x-\"," HIDDEN "]}}"},
	{"other parts, in order", "{\"note\":\"<one>-and-<two>.\"}", NULL, "{\"note\":\"three-and-four.\"}",
	 "{\"note\":{\"$segments\":[" HIDDEN ",\"-and-\"," HIDDEN ",\".\"]}}"},
	{"another text around another part", "{\"note\":\"x-<hunter2>\"}", NULL, "{\"note\":\"y-hunter1\"}",
	 "{\"note\":" HIDDEN "}"},
	{"the part taken away", "{\"note\":\"x-<hunter2>\"}", NULL, "{\"note\":\"x-\"}", NULL},
	{"written around", "{\"note\":\"x-<hunter2>\"}", "{\"note\":\"x-<hunter2>\"}", "{\"note\":\"y-hunter2-z\"}",
	 "{\"note\":{\"$segments\":[\"y-\"," HIDDEN ",\"-z\"]}}"},
	{"one of two written around", "{\"note\":\"<hunter2>:<another>\"}", NULL, "{\"note\":\"hunter2, former1\"}",
	 "{\"note\":" HIDDEN "}"},
	{"rotated in the spec", "{\"note\":\"x-<hunter3>\"}", "{\"note\":\"x-<hunter2>\"}", "{\"note\":\"x-hunter2\"}",
	 "{\"note\":{\"$segments\":[\"x-\"," HIDDEN "]}}"},
	{"in clear in the record", "{\"note\":\"<hunter2>\"}", "{\"note\":\"plain\"}", "{\"note\":\"plain\"}", NULL},
	{"in the record alone", NULL, "{\"note\":\"<hunter2>\"}", "{\"note\":\"rotated\"}", "{\"note\":" HIDDEN "}"},
	{"beside it", "{\"tags\":{\"a\":\"<hunter2>\"}}", NULL, "{\"tags\":{\"a\":\"rotated\",\"b\":\"blue\"}}",
	 "{\"tags\":{\"a\":" HIDDEN ",\"b\":\"blue\"}}"},
	{"of what is secret as one", "{\"tags\":\"<hunter2>\"}", NULL, "{\"tags\":{\"a\":\"rotated\"}}",
	 "{\"tags\":{\"a\":" HIDDEN "}}"},
	{"an item by its key", "{\"rules\":[{\"port\":1,\"about\":\"plain\"},{\"port\":2,\"about\":\"<hunter2>\"}]}",
	 NULL, "{\"rules\":[{\"port\":2,\"about\":\"rotated\"},{\"port\":1,\"about\":\"other\"}]}",
	 "{\"rules\":[{\"about\":" HIDDEN ",\"port\":2},{\"about\":\"other\",\"port\":1}]}"},
	{"items that are all key", "{\"names\":[\"<hunter2>\"]}", NULL, "{\"names\":[\"rotated\"]}", NULL},
	{"an item of a list", "{\"lines\":[\"one\",\"<hunter2>\"]}", NULL,
	 "{\"lines\":[\"two\",\"rotated\",\"three\"]}", "{\"lines\":[\"two\"," HIDDEN ",\"three\"]}"},
	{"no secrets", "{\"note\":\"plain\"}", NULL, "{\"note\":\"other\"}", NULL},
};

static struct value read(struct arena *arena, const char *json)
{
	struct value value = value_null();
	struct diagnostics diagnostics;

	diagnostics_init(&diagnostics, arena);
	assert_true(!json || json_read(arena, slice_of(json), false, 4096, "a test", &value, &diagnostics));
	diagnostics_release(&diagnostics);
	return with_secrets(arena, &value);
}

static struct value mark(struct arena *arena, const struct value *live, const struct value *const *models, size_t count)
{
	const struct fields all = FIELDS(fields);
	const struct value marked =
		secret_marks_put(arena, (struct run_secrets){.style = &style}, &all, live, models, count);

	return secret_places_hide(arena, &style, &all, &marked, models, count);
}

static void test_places(void **state)
{
	static const struct json_style hidden = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct arena arena;

		arena_init(&arena);
		struct value spec = read(&arena, rows[i].spec), record = read(&arena, rows[i].record),
			     live = read(&arena, rows[i].live);
		record = json_seal(&arena, &record, &style);
		const struct value *models[] = {&spec, NULL, &record};
		struct value marked = mark(&arena, &live, models, 3);
		if (!value_equal(&marked, &live))
			fail_msg("%s: another value", rows[i].name);
		struct slice shown = json_canonical(&arena, &marked, &hidden);
		if (!slice_is(shown, rows[i].clear ? rows[i].clear : rows[i].live))
			fail_msg("%s: %.*s", rows[i].name, SLICE_ARGUMENTS(shown));
		/* What was recorded of it is known again by that. */
		const struct value sealed = json_seal(&arena, &marked, &style), *recorded[] = {&sealed};
		struct value again = mark(&arena, &live, recorded, 1);
		again = json_seal(&arena, &again, &style);
		if (!value_equal(&again, &sealed))
			fail_msg("%s: not known again", rows[i].name);
		marked = mark(&arena, &sealed, models, 3);
		if (!value_equal(&marked, &sealed))
			fail_msg("%s: sealed twice", rows[i].name);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
