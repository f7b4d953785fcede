#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/digest.h"
#include "base/redaction.h"
#include "reconcile/object_secrets.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
#define WORD "hunter2"
#define HIDDEN "{\"$secret\":\"\"}"
#define WITH_OWN(own)                                                                                                  \
	"{\"applied\":{},\"dependencies\":[],\"ignored\":[],\"observed\":{},\"outputs\":{}" own ",\"resolved\":{}}"
#define RECORD(applied, resolved)                                                                                      \
	"{\"applied\":" applied                                                                                        \
	",\"dependencies\":[],\"ignored\":[],\"observed\":{},\"outputs\":{},\"resolved\":" resolved
#define BODY(fields) RECORD(fields, fields) "}"

static void fingerprint(void *context, struct slice secret, char ret[65])
{
	struct digest digest = digest_of(secret);

	(void)context;
	digest_hex(&digest, ret);
}

static const struct json_style style = {.fingerprint = fingerprint};

/* In a spec "!text" is a secret. */
static const struct {
	const char *name, *spec, *body, *hidden;
	bool tells; /* noted: the spec has it as a secret */
} rows[] = {
	{"a secret of the spec", "{\"a\":\"!" WORD "\"}", BODY("{\"a\":\"" WORD "\"}"), BODY("{\"a\":" HIDDEN "}"),
	 true},
	{"one that is too short to be searched for", "{\"a\":\"!abc\"}", BODY("{\"a\":\"abc\"}"),
	 BODY("{\"a\":" HIDDEN "}"), true},
	{"what the spec has no more", NULL, BODY("{\"a\":\"is " WORD "\"}"),
	 BODY("{\"a\":{\"$segments\":[\"is \"," HIDDEN "]}}"), true},
	{"what it never set", "{\"a\":\"!abc\"}", WITH_OWN(",\"own\":{\"b\":[\"" WORD "\"]}"),
	 WITH_OWN(",\"own\":{\"b\":[" HIDDEN "]}"), false},
	{"what the spec has in clear", "{\"a\":\"" WORD "\"}", BODY("{\"a\":\"" WORD "\"}"), NULL, false},
	{"the same beside a secret", "{\"a\":{\"b\":\"" WORD "\",\"c\":\"!abc\"}}",
	 BODY("{\"a\":{\"b\":\"" WORD "\",\"c\":\"abc\"}}"), BODY("{\"a\":{\"b\":\"" WORD "\",\"c\":" HIDDEN "}}"),
	 true},
	{"within a list", "{\"a\":[\"" WORD "\",\"!abc\"]}", BODY("{\"a\":[\"" WORD "\",\"abc\"]}"),
	 BODY("{\"a\":[\"" WORD "\"," HIDDEN "]}"), true},
	{"what nobody takes for one", "{\"a\":\"!abc\"}", BODY("{\"a\":\"abcd\"}"), NULL, false},
	{"an expression: its fingerprint stands for it", "{\"a\":\"!" WORD "\"}",
	 RECORD("{\"a\":{\"$deferred\":\"${aws.vpc.m.id}-" WORD "\"}}", "{\"a\":\"v-1-" WORD "\"}") "}",
	 RECORD("{\"a\":" HIDDEN "}", "{\"a\":{\"$segments\":[\"v-1-\"," HIDDEN "]}}") "}", true},
	{"one beside what refers to others", "{\"a\":[{\"x\":\"!" WORD "\"}]}",
	 RECORD("{\"a\":[{\"of\":{\"$deferred\":\"${aws.vpc.m.id}\"},\"x\":{\"$deferred\":\"${aws.vpc.m.id}-" WORD
		"\"}}]}",
		"{}") "}",
	 RECORD("{\"a\":[{\"of\":{\"$deferred\":\"${aws.vpc.m.id}\"},\"x\":" HIDDEN "}]}", "{}") "}", true},
	{"one of a secret too short to be looked for", "{\"a\":\"!abc\"}",
	 RECORD("{\"a\":{\"$deferred\":\"${aws.vpc.m.id}-abc\"}}", "{}") "}", RECORD("{\"a\":" HIDDEN "}", "{}") "}",
	 true},
	{"one that the spec has as it is", "{\"a\":{\"$deferred\":\"${aws.vpc.m.id}-" WORD "\"}}",
	 RECORD("{\"a\":{\"$deferred\":\"${aws.vpc.m.id}-" WORD "\"}}", "{}") "}", NULL, false},
	{"what a run began", NULL,
	 RECORD("{}", "{}") ",\"unfinished\":{\"before\":{\"a\":\"" WORD "\"},\"call\":{\"comes\":{\"a\":\"" WORD
			    "\"},\"goes\":{},\"operation\":\"CreateTags\"},\"leaves\":true}}",
	 RECORD("{}", "{}") ",\"unfinished\":{\"before\":{\"a\":" HIDDEN "},\"call\":{\"comes\":{\"a\":" HIDDEN
			    "},\"goes\":{},\"operation\":\"CreateTags\"},\"leaves\":true}}",
	 false},
	{"a body that cannot be read", NULL, "{\"applied\":\"" WORD "\"", NULL, false},
};

static struct value with_marks(struct arena *arena, struct value value)
{
	struct value_member *members = arena_new_array(arena, value.count, struct value_member);
	struct value *items = arena_new_array(arena, value.count, struct value);

	for (uint32_t i = 0; value.type == VALUE_MAP && i < value.count; i++)
		members[i] = (struct value_member){value.members[i].key, with_marks(arena, value.members[i].value)};
	for (uint32_t i = 0; value.type == VALUE_LIST && i < value.count; i++)
		items[i] = with_marks(arena, value.items[i]);
	if (value.type == VALUE_MAP)
		value.members = members;
	else if (value.type == VALUE_LIST)
		value.items = items;
	else if (value.type == VALUE_STRING && slice_starts_with(value_slice(&value), SLICE("!"))) {
		value = value_string(slice_from(value_slice(&value), 1));
		value.secret = true;
	}
	return value;
}

/* With fingerprints left out. */
static struct slice shown(struct arena *arena, struct slice body)
{
	const struct slice mark = SLICE("{\"$secret\":\"");
	BUFFER_AUTO text;

	buffer_init(&text, 4096);
	while (body.size > 0) {
		buffer_append(&text, slice_first(body, 1));
		bool ends = slice_ends_with(buffer_slice(&text), mark);
		body = slice_from(body, ends ? 1 + DIGEST_HEX : 1);
	}
	return arena_copy(arena, buffer_slice(&text));
}

static void check(size_t i, struct arena *arena, struct diagnostics *diagnostics)
{
	static const struct kind kind = {0};
	struct redaction known;
	struct value spec = value_null();
	struct object object = {0};

	redaction_init(&known);
	redaction_add(&known, SLICE(WORD));
	if (rows[i].spec)
		assert_true(json_read(arena, slice_of(rows[i].spec), true, 4096, "a test", &spec, diagnostics));
	spec = with_marks(arena, spec);
	const struct secrets_said said = {rows[i].spec ? &spec : NULL, NULL, {&style, &known}};
	struct slice body = slice_of(rows[i].body);
	struct slice hidden = object_body_hidden(body, &kind, &said, arena);

	if (!rows[i].hidden) {
		assert_true(slice_equal(hidden, body));
	} else {
		/* As often as it is looked at. */
		assert_true(slice_equal(object_body_hidden(hidden, &kind, &said, arena), hidden));
		hidden = shown(arena, hidden);
		if (!slice_is(hidden, rows[i].hidden))
			fail_msg("%s: %.*s", rows[i].name, SLICE_ARGUMENTS(hidden));
	}
	if (object_body_read(&object, body, arena, diagnostics))
		(void)object_hide_secrets(&object, &kind, &said, arena);
	if (object.tells_secret != rows[i].tells)
		fail_msg("%s: noted is %d", rows[i].name, object.tells_secret);
	redaction_release(&known);
}

static void test_what_is_hidden(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct diagnostics diagnostics;
		struct arena arena;

		arena_init(&arena);
		diagnostics_init(&diagnostics, &arena);
		check(i, &arena, &diagnostics);
		diagnostics_release(&diagnostics);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_is_hidden)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
