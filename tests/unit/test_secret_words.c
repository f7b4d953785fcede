#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/redaction.h"
#include "reconcile/secret_marks.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
#define HIDDEN "{\"$secret\":\"\"}"

/* Of a world with one secret, "word". */
static void fingerprint(void *context, struct slice secret, char ret[65])
{
	(void)context;
	ret[0] = slice_is(secret, "word") ? 'f' : '-';
	ret[1] = '\0';
}

static bool is_same_policy(struct slice wanted, struct slice live)
{
	return slice_equal(slice_trim(wanted), slice_trim(live));
}

static const struct field text = {.type = FIELD_STRING};
static const struct field rule_fields[] = {
	{.name = "port", .type = FIELD_INTEGER, .flags = KEY},
	{.name = "from", .type = FIELD_STRING, .flags = KEY},
	{.name = "about", .type = FIELD_STRING},
};
static const struct field rule = {.type = FIELD_OBJECT, .members = FIELDS(rule_fields)};
static const struct field fields[] = {
	{.name = "note", .type = FIELD_STRING},
	{.name = "policy", .type = FIELD_STRING, .same = is_same_policy},
	{.name = "tags", .type = FIELD_MAP, .item = &text},
	{.name = "rules", .type = FIELD_SET, .item = &rule},
	{.name = "names", .type = FIELD_SET, .item = &text},
	{.name = "lines", .type = FIELD_LIST, .item = &text},
	{.name = "called", .type = FIELD_STRING, .flags = IDENTIFIES},
};

/* "hunter2" and "swordfish" are the secrets. */
static const struct {
	const char *name, *spec, *record, *live;
	const char *hidden; /* live as canonical text with "" for each secret; NULL: as it is */
} rows[] = {
	{"none", NULL, NULL, "{\"note\":\"hunter\",\"tags\":{\"a\":\"b\"}}", NULL},
	{"all of a text", "{\"note\":\"plain\"}", NULL, "{\"note\":\"hunter2\"}", "{\"note\":" HIDDEN "}"},
	{"where nothing is said", NULL, NULL, "{\"note\":\"hunter2\"}", "{\"note\":" HIDDEN "}"},
	{"parts of one", NULL, NULL, "{\"note\":\"a hunter2 b swordfish\"}",
	 "{\"note\":{\"$segments\":[\"a \"," HIDDEN ",\" b \"," HIDDEN "]}}"},
	{"another form of it", NULL, NULL, "{\"note\":\"hunt%65r2!\"}",
	 "{\"note\":{\"$segments\":[" HIDDEN ",\"!\"]}}"},
	{"in a map", "{\"tags\":{\"a\":\"b\"}}", NULL, "{\"tags\":{\"a\":\"hunter2\",\"c\":\"d\"}}",
	 "{\"tags\":{\"a\":" HIDDEN ",\"c\":\"d\"}}"},
	{"in an item", "{\"rules\":[{\"port\":1,\"about\":\"plain\"}]}", NULL,
	 "{\"rules\":[{\"port\":1,\"about\":\"for hunter2\"},{\"port\":2,\"about\":\"other\"}]}",
	 "{\"rules\":[{\"about\":{\"$segments\":[\"for \"," HIDDEN "]},\"port\":1},{\"about\":\"other\",\"port\":2}]}"},
	{"said by the spec", "{\"note\":\"a hunter2 of old\"}", NULL, "{\"note\":\"a hunter2 of old\"}", NULL},
	{"said by the record", NULL, "{\"note\":\"a hunter2 of old\"}", "{\"note\":\"a hunter2 of old\"}", NULL},
	{"said of another item", "{\"rules\":[{\"port\":1,\"about\":\"hunter2\"}]}", NULL,
	 "{\"rules\":[{\"port\":1,\"about\":\"hunter2\"},{\"port\":2,\"about\":\"hunter2, too\"}]}",
	 "{\"rules\":[{\"about\":\"hunter2\",\"port\":1},{\"about\":{\"$segments\":[" HIDDEN
	 ",\", too\"]},\"port\":2}]}"},
	{"said of another field", "{\"policy\":\"hunter2\"}", NULL, "{\"note\":\"hunter2\"}", "{\"note\":" HIDDEN "}"},
	{"said in other words", "{\"policy\":\"hunter2\"}", NULL, "{\"policy\":\" hunter2\"}", NULL},
	{"in other words of another", "{\"policy\":\"swordfish\"}", NULL, "{\"policy\":\" hunter2\"}",
	 "{\"policy\":{\"$segments\":[\" \"," HIDDEN "]}}"},
	{"in the key of an item", NULL, NULL, "{\"rules\":[{\"port\":1,\"from\":\"hunter2\",\"about\":\"hunter2\"}]}",
	 "{\"rules\":[{\"about\":" HIDDEN ",\"from\":\"hunter2\",\"port\":1}]}"},
	{"items that are all key", NULL, NULL, "{\"names\":[\"hunter2\"]}", NULL},
	{"items of a list", NULL, NULL, "{\"lines\":[\"hunter2\"]}", "{\"lines\":[" HIDDEN "]}"},
	{"what the id is made of", NULL, NULL, "{\"called\":\"hunter2\"}", NULL},
	{"no text", NULL, NULL, "{\"note\":12}", NULL},
};

static struct value read(struct arena *arena, const char *json)
{
	struct value value = value_null();
	struct diagnostics diagnostics;

	diagnostics_init(&diagnostics, arena);
	assert_true(!json || json_read(arena, slice_of(json), true, 4096, "a test", &value, &diagnostics));
	diagnostics_release(&diagnostics);
	return value;
}

static void test_rows(void **state)
{
	static const struct json_style shown = {0};
	const struct fields all = FIELDS(fields);
	struct redaction secrets;

	(void)state;
	redaction_init(&secrets);
	redaction_add(&secrets, SLICE("hunter2"));
	redaction_add(&secrets, SLICE("swordfish"));
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct arena arena;

		arena_init(&arena);
		const struct value spec = read(&arena, rows[i].spec), record = read(&arena, rows[i].record),
				   live = read(&arena, rows[i].live), *said[] = {&spec, NULL, &record};
		const struct value hidden = secret_marks_put(&arena, (struct run_secrets){&shown, &secrets}, &all,
							     &live, said, COUNT(said));
		struct slice told = json_canonical(&arena, &hidden, &shown);

		if (!slice_is(told, rows[i].hidden ? rows[i].hidden : rows[i].live))
			fail_msg("%s: %.*s", rows[i].name, SLICE_ARGUMENTS(told));
		if (!value_equal(&hidden, &live))
			fail_msg("%s: another value", rows[i].name);
		arena_release(&arena);
	}
	redaction_release(&secrets);
}

/* Where spec or record take it from a secret in one field, it is one there, and in others what they say in clear. */
static void test_beside_secret(void **state)
{
	static const struct {
		const char *name, *model, *live, *hidden;
	} beside[] = {
		{"in another field", "{\"note\":{\"$secret\":\"f\"},\"lines\":[\"word\"]}",
		 "{\"lines\":[\"word\",\"other\"],\"note\":\"word\"}",
		 "{\"lines\":[\"word\",\"other\"],\"note\":" HIDDEN "}"},
		{"said nowhere in clear", "{\"note\":{\"$secret\":\"f\"},\"lines\":[\"other\"]}",
		 "{\"lines\":[\"word\"]}", "{\"lines\":[" HIDDEN "]}"},
		{"in the same field", "{\"tags\":{\"a\":{\"$secret\":\"f\"},\"b\":\"word\"}}",
		 "{\"tags\":{\"a\":\"word\"}}", "{\"tags\":{\"a\":" HIDDEN "}}"},
		{"recorded in clear before it became one", "{\"note\":\"word\"}", "{\"note\":\"word\"}",
		 "{\"note\":\"word\"}"},
		{"in the key of an item", "{\"note\":{\"$secret\":\"f\"}}",
		 "{\"rules\":[{\"from\":\"word\",\"about\":\"word\"}]}",
		 "{\"rules\":[{\"about\":" HIDDEN ",\"from\":\"word\"}]}"},
		{"of what may stand anywhere", "[{\"$secret\":\"f\"}]", "{\"note\":\"word\"}", "{\"note\":" HIDDEN "}"},
	};
	static const struct json_style shown = {0}, style = {.fingerprint = fingerprint};
	const struct fields all = FIELDS(fields);

	(void)state;
	for (size_t i = 0; i < COUNT(beside); i++) {
		struct arena arena;

		arena_init(&arena);
		const struct value model = read(&arena, beside[i].model), live = read(&arena, beside[i].live),
				   *models[] = {&model};
		const struct value marked =
			secret_marks_put(&arena, (struct run_secrets){.style = &style}, &all, &live, models, 1);
		struct slice told = json_canonical(&arena, &marked, &shown);

		/* Fingerprints are no texts that could be hidden. */
		if (!slice_is(told, beside[i].hidden))
			fail_msg("%s: %.*s", beside[i].name, SLICE_ARGUMENTS(told));
		arena_release(&arena);
	}
}

static void test_outputs(void **state)
{
	static const struct output outputs[] = {{.name = "id"}, {.name = "arn"}, {.name = "title"}};
	static const struct kind kind = {.outputs = FIELDS(outputs)};
	static const struct json_style shown = {0}, style = {.fingerprint = fingerprint};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	const struct value model = read(&arena, "{\"tags\":{\"a\":{\"$secret\":\"f\"}}}"),
			   live = read(&arena, "{\"arn\":\"word\",\"id\":\"word\"}"),
			   said = read(&arena, "{\"note\":\"word\"}"), *models[] = {&model, &said};
	struct value marked = secret_marks_put_outputs(&arena, &style, &kind, &live, models, 1);
	assert_true(slice_is(json_canonical(&arena, &marked, &shown), "{\"arn\":" HIDDEN ",\"id\":\"word\"}"));
	marked = secret_marks_put_outputs(&arena, &style, &kind, &live, models, 2);
	assert_true(slice_is(json_canonical(&arena, &marked, &shown), "{\"arn\":\"word\",\"id\":\"word\"}"));
	arena_release(&arena);
}

/* What is marked already stays so where nothing is said, and without secrets nothing is. */
static void test_left_alone(void **state)
{
	static const struct run_secrets none = {0};
	const struct fields all = FIELDS(fields);
	struct redaction secrets;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	redaction_init(&secrets);
	const struct value live = read(&arena, "{\"note\":\"hunter2\"}");
	const struct run_secrets empty = {.known = &secrets}, known = {.known = &secrets};

	assert_ptr_equal(secret_marks_put(&arena, none, &all, &live, NULL, 0).members, live.members);
	assert_ptr_equal(secret_marks_put(&arena, empty, &all, &live, NULL, 0).members, live.members);
	redaction_add(&secrets, SLICE("hunter2"));
	const struct value hidden = secret_marks_put(&arena, known, &all, &live, NULL, 0);
	assert_true(value_has_secret(&hidden));
	assert_ptr_equal(secret_marks_put(&arena, known, &all, &hidden, NULL, 0).members, hidden.members);
	const struct value unread = value_unread();
	assert_int_equal(secret_marks_put(&arena, known, &all, &unread, NULL, 0).type, VALUE_UNREAD);
	redaction_release(&secrets);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_beside_secret),
		cmocka_unit_test(test_outputs),
		cmocka_unit_test(test_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
