#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/digest.h"
#include "reconcile/secret_marks.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static void fingerprint(void *context, struct slice secret, char ret[65])
{
	struct digest digest = digest_of(secret);

	(void)context;
	digest_hex(&digest, ret);
}

static const struct json_style style = {.fingerprint = fingerprint};

static struct value secret_of(struct value value)
{
	value.secret = true;
	return value;
}

/* {"a": "hunter2", "b": "id-" + "t0ken" + "-end", "c": 123456, "d": ["first" + "-" + "second"]}, all but the clear
 * parts secret. */
static struct value model(struct arena *arena)
{
	static const struct segment one[] = {{{"id-", 3}, false}, {{"t0ken", 5}, true}, {{"-end", 4}, false}};
	static const struct segment two[] = {{{"first", 5}, true}, {{"-", 1}, false}, {{"second", 6}, true}};
	struct value *items = arena_new_array(arena, 1, struct value);
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	items[0] = value_segments(arena, two, 3);
	value_builder_member(&builder, SLICE("a"), secret_of(value_text("hunter2")));
	value_builder_member(&builder, SLICE("b"), value_segments(arena, one, 3));
	value_builder_member(&builder, SLICE("c"), secret_of(value_integer(123456)));
	value_builder_member(&builder, SLICE("d"), value_list(items, 1));
	return value_builder_map(&builder, arena);
}

static const struct {
	const char *name, *live;
	const char *clear; /* what is left in clear of it, as canonical text with "" for each secret */
	bool needs_value;  /* only where the secret itself is known */
} rows[] = {
	{"a whole text", "\"hunter2\"", "{\"$secret\":\"\"}", false},
	{"in another place", "{\"x\":[{\"y\":\"hunter2\"}]}", "{\"x\":[{\"y\":{\"$secret\":\"\"}}]}", false},
	{"a part", "\"id-t0ken-end\"", "{\"$segments\":[\"id-\",{\"$secret\":\"\"},\"-end\"]}", false},
	{"two parts", "\"first-second\"", "{\"$segments\":[{\"$secret\":\"\"},\"-\",{\"$secret\":\"\"}]}", false},
	{"a number", "123456", "{\"$secret\":\"\"}", false},
	{"another text", "\"hunter3\"", "\"hunter3\"", false},
	{"another part", "\"id-tOken-end\"", "\"id-tOken-end\"", false},
	{"a part with more around", "\"xid-t0ken-end\"", "\"xid-t0ken-end\"", false},
	{"another number", "123457", "123457", false},
	{"nothing", "null", "null", false},
	{"the empty text", "\"\"", "\"\"", false},
	{"within a longer text", "\"echo hunter2; echo hunter2\"",
	 "{\"$segments\":[\"echo \",{\"$secret\":\"\"},\"; echo \",{\"$secret\":\"\"}]}", true},
	{"a secret of a part within a longer text", "\"to the second\"",
	 "{\"$segments\":[\"to the \",{\"$secret\":\"\"}]}", true},
	{"many places to try", "\"first-first-first-first-second\"",
	 "{\"$segments\":[\"first-first-first-first-\",{\"$secret\":\"\"}]}", true},
};

/* live as a field that no table has. */
static struct value put(struct arena *arena, const struct value *live, const struct value *const *models, size_t count)
{
	static const struct fields none = {0};
	struct value_member *member = arena_new(arena, struct value_member);

	*member = (struct value_member){value_text("field"), *live};
	const struct value one = value_map(member, 1);
	return secret_marks_put(arena, (struct run_secrets){.style = &style}, &none, &one, models, count)
		.members[0]
		.value;
}

static void check(bool as_recorded)
{
	static const struct json_style hidden = {0};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct diagnostics diagnostics;
		struct value live, marked;
		struct arena arena;

		arena_init(&arena);
		diagnostics_init(&diagnostics, &arena);
		struct value value = model(&arena);
		if (as_recorded)
			value = json_seal(&arena, &value, &style);
		const struct value *models[] = {NULL, &value};
		assert_true(json_read(&arena, slice_of(rows[i].live), false, 4096, "a test", &live, &diagnostics));
		marked = put(&arena, &live, models, 2);
		if (!value_equal(&marked, &live))
			fail_msg("%s: another value", rows[i].name);
		struct slice text = json_canonical(&arena, &marked, &hidden);
		const char *wanted = rows[i].needs_value && as_recorded ? rows[i].live : rows[i].clear;
		if (!slice_is(text, wanted))
			fail_msg("%s: %.*s", rows[i].name, SLICE_ARGUMENTS(text));
		diagnostics_release(&diagnostics);
		arena_release(&arena);
	}
}

static void test_by_value(void **state)
{
	(void)state;
	check(false);
}

static void test_by_fingerprint(void **state)
{
	(void)state;
	check(true);
}

/* What the service's model calls sensitive as a whole gets the parts that were set, or drift would be seen. */
static void test_sensitive_as_a_whole(void **state)
{
	static const struct json_style hidden = {0};

	(void)state;
	for (int recorded = 0; recorded < 2; recorded++) {
		struct value live = secret_of(value_text("id-t0ken-end")),
			     other = secret_of(value_text("id-tOken-end"));
		struct arena arena;

		arena_init(&arena);
		struct value value = model(&arena);
		if (recorded)
			value = json_seal(&arena, &value, &style);
		const struct value *models[] = {&value};
		live = put(&arena, &live, models, 1);
		other = put(&arena, &other, models, 1);
		assert_true(slice_is(json_canonical(&arena, &live, &hidden),
				     "{\"$segments\":[\"id-\",{\"$secret\":\"\"},\"-end\"]}"));
		assert_true(slice_is(json_canonical(&arena, &other, &hidden), "{\"$secret\":\"\"}"));
		arena_release(&arena);
	}
}

/* A service that echoes who asks it; what a list has is told apart by what it says. */
static void test_echoed(void **state)
{
	static const struct json_style hidden = {0};
	struct value item = value_text("correct horse"), live;
	struct value_member members[] = {
		{value_text("model"), value_text("by correct horse")},
		{value_text("basic"), value_text("b3BzOmNvcnJlY3QgaG9yc2U=")}, /* ops:correct horse */
		{value_text("serial"), value_text("correct")},
		{value_text("macs"), value_list(&item, 1)},
	};
	struct redaction secrets;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	redaction_init(&secrets);
	live = value_map(members, 4);
	assert_ptr_equal(secret_marks_echoed(&arena, &secrets, &live).members, members);
	redaction_add(&secrets, SLICE("correct horse"));
	live = secret_marks_echoed(&arena, &secrets, &live);
	assert_true(slice_is(json_canonical(&arena, &live, &hidden),
			     "{\"basic\":{\"$secret\":\"\"},\"macs\":[\"correct horse\"],\"model\":{\"$secret\":\"\"},"
			     "\"serial\":\"correct\"}"));
	redaction_release(&secrets);
	arena_release(&arena);
}

static void test_without_secrets(void **state)
{
	struct value live = value_text("hunter2"), plain = value_text("hunter2");
	const struct value *models[] = {&plain};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_false(put(&arena, &live, models, 1).secret);
	arena_release(&arena);
}

/* What the spec says in clear is none, whoever marked it: the service's own model, or what was wanted before. */
static void test_said_in_clear(void **state)
{
	static const struct segment parts[] = {{{"id-", 3}, false}, {{"t0ken", 5}, true}};
	const struct value text = value_text("id-t0ken");
	struct value_member clear = {value_text("field"), text}, secret = {value_text("field"), secret_of(text)};
	const struct value said = value_map(&clear, 1), hidden = value_map(&secret, 1);
	struct arena arena;

	(void)state;
	arena_init(&arena);
	struct value lives[] = {secret_of(text), value_segments(&arena, parts, 2)};
	for (size_t i = 0; i < COUNT(lives); i++) {
		const struct value *models[] = {&said, &hidden};
		struct value marked = put(&arena, &lives[i], models, 1);

		assert_true(value_equal(&marked, &lives[i]));
		assert_false(marked.secret);
		assert_true(put(&arena, &lives[i], models, 2).secret);
	}
	struct value other = secret_of(value_text("id-tOken"));
	const struct value *models[] = {&said};
	assert_true(put(&arena, &other, models, 1).secret);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_value),
		cmocka_unit_test(test_by_fingerprint),
		cmocka_unit_test(test_sensitive_as_a_whole),
		cmocka_unit_test(test_echoed),
		cmocka_unit_test(test_without_secrets),
		cmocka_unit_test(test_said_in_clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
