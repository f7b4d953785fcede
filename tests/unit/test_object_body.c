#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "reconcile/resource.h"
#include "reconcile/store.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define S(literal)                                                                                                     \
	{                                                                                                              \
		(literal), sizeof(literal) - 1                                                                         \
	}

static void fingerprint(void *context, struct slice secret, char ret[65])
{
	(void)context;
	snprintf(ret, 65, "f%zu", secret.size);
}

static const struct json_style style = {.fingerprint = fingerprint};

static int setup(void **state)
{
	static struct arena arena;

	arena_init(&arena);
	*state = &arena;
	return 0;
}

static int teardown(void **state)
{
	arena_release((struct arena *)*state);
	return 0;
}

static const char body_text[] =
	"{\"applied\":{\"cidr\":{\"$secret\":\"f8\"},\"vpc\":{\"$deferred\":\"${aws.vpc.a.id}\"},\"zone\":\"a\"},"
	"\"dependencies\":[{\"address\":\"aws.vpc.a\",\"binding\":\"make\",\"field\":\"vpc\",\"immutable\":true,"
	"\"output\":\"id\"},{\"address\":\"aws.gateway.g\",\"binding\":\"settle\",\"field\":\"routes\","
	"\"output\":\"id\"},{\"address\":\"aws.role.r\",\"binding\":\"whole\"}],"
	"\"ignored\":[\"tags\"],\"observed\":{\"cidr\":{\"$unread\":true},\"zone\":\"a\"},"
	"\"outputs\":{\"id\":\"subnet-1\"},"
	"\"resolved\":null}";

static struct object body_object(struct arena *arena)
{
	static const struct deferred deferred = {.text = S("${aws.vpc.a.id}")};
	static const struct dependency dependencies[] = {
		{.address = S("aws.vpc.a"), .output = S("id"), .field = S("vpc"), .immutable = true},
		{.address = S("aws.gateway.g"), .output = S("id"), .field = S("routes"), .binding = BINDS_SETTLE},
		{.address = S("aws.role.r"), .binding = BINDS_WHOLE},
	};
	struct object object = {.address = SLICE("aws.subnet.s"), .dependencies = dependencies, .dependency_count = 3};
	VALUE_BUILDER_AUTO builder;
	struct value secret = value_text("10.0.0.0");

	secret.secret = true;
	value_builder_init(&builder);
	value_builder_member(&builder, SLICE("vpc"), value_deferred(&deferred));
	value_builder_member(&builder, SLICE("zone"), value_text("a"));
	value_builder_member(&builder, SLICE("cidr"), secret);
	object.applied = value_builder_map(&builder, arena);
	object.ignored = ignored_write((const struct slice[]){SLICE("tags")}, 1, arena);
	value_builder_member(&builder, SLICE("cidr"), value_unread());
	value_builder_member(&builder, SLICE("zone"), value_text("a"));
	object.observed = value_builder_map(&builder, arena);
	value_builder_member(&builder, SLICE("id"), value_text("subnet-1"));
	object.outputs = value_builder_map(&builder, arena);
	return object;
}

static void test_body(void **state)
{
	struct arena *arena = (struct arena *)*state;
	struct object object = body_object(arena), back = {.address = object.address, .generation = 7};
	struct slice text = object_body_write(&object, arena, &style);
	struct diagnostics diagnostics;

	diagnostics_init(&diagnostics, arena);
	assert_string_equal(text.data, body_text);
	assert_true(object_body_read(&back, text, arena, &diagnostics));
	assert_int_equal(diagnostics.count, 0);
	assert_true(back.has_body);
	assert_int_equal(back.generation, 7);
	/* Of the secret only the fingerprint is left. */
	assert_true(value_is(&back.resolved, VALUE_NULL));
	assert_true(value_equal(&back.outputs, &object.outputs));
	assert_true(value_equal(value_get_named(&back.applied, "vpc"), value_get_named(&object.applied, "vpc")));
	assert_true(value_is(value_get_named(&back.observed, "cidr"), VALUE_UNREAD));
	assert_true(value_get_named(&back.applied, "cidr")->secret);
	assert_true(slice_is(value_slice(value_get_named(&back.applied, "cidr")), "f8"));
	assert_true(value_equal(&back.ignored, &object.ignored));
	assert_int_equal(back.dependency_count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct dependency *a = &object.dependencies[i], *b = &back.dependencies[i];

		assert_true(slice_equal(a->address, b->address) && slice_equal(a->output, b->output) &&
			    slice_equal(a->field, b->field) && a->binding == b->binding &&
			    a->immutable == b->immutable);
	}
	diagnostics_release(&diagnostics);
}

#define NOTED(note)                                                                                                    \
	"{\"applied\":{},\"dependencies\":[],\"observed\":{},\"outputs\":{},\"resolved\":{},\"unfinished\":" note "}"

/* What older programs wrote does not say what was left to others. */
static void test_body_of_older_program(void **state)
{
	static const char text[] =
		"{\"applied\":{},\"dependencies\":[],\"observed\":{},\"outputs\":{},\"resolved\":{}}";
	struct object object = {.address = SLICE("aws.vpc.a")};
	struct arena *arena = (struct arena *)*state;
	struct diagnostics diagnostics;

	diagnostics_init(&diagnostics, arena);
	assert_true(object_body_read(&object, slice_of(text), arena, &diagnostics));
	assert_true(value_is(&object.ignored, VALUE_NULL));
	diagnostics_release(&diagnostics);
}

/* What a deletion that did not end took out is there only where there was one; so is what is its own besides. */
static void test_body_of_a_deletion(void **state)
{
	struct arena *arena = (struct arena *)*state;
	struct object object = body_object(arena), back = {.address = object.address};
	const struct value_member size = {value_text("size"), value_integer(2)};
	struct diagnostics diagnostics;

	diagnostics_init(&diagnostics, arena);
	object.let_go = value_map(&size, 1);
	assert_true(object_body_read(&back, object_body_write(&object, arena, &style), arena, &diagnostics));
	assert_true(value_equal(&back.let_go, &object.let_go));
	assert_true(value_is(&back.own, VALUE_NULL));
	object.own = object.let_go;
	assert_true(object_body_read(&back, object_body_write(&object, arena, &style), arena, &diagnostics));
	assert_true(value_equal(&back.own, &object.own));
	assert_true(value_is(&back.unfinished, VALUE_NULL));
	diagnostics_release(&diagnostics);
}

/* So is the token of a change. */
static void test_body_of_a_change(void **state)
{
	struct arena *arena = (struct arena *)*state;
	struct object object = body_object(arena), back = {.address = object.address, .spent_token = {{1}}};
	struct diagnostics diagnostics;

	diagnostics_init(&diagnostics, arena);
	struct slice without = object_body_write(&object, arena, &style);
	assert_false(slice_contains(without, SLICE("spent_token")));
	assert_true(object_body_read(&back, without, arena, &diagnostics));
	assert_true(digest_equal(&back.spent_token, &object.spent_token));
	object.spent_token = digest_of(SLICE("a token"));
	assert_true(object_body_read(&back, object_body_write(&object, arena, &style), arena, &diagnostics));
	assert_true(digest_equal(&back.spent_token, &object.spent_token));
	diagnostics_release(&diagnostics);
}

static void test_body_refused(void **state)
{
	static const struct {
		const char *name;
		const char *text;
	} rows[] = {
		{"nothing", ""},
		{"cut", "{\"applied\":{},\"dependencies\":[],\"observed\":{},\"outp"},
		{"a list", "[]"},
		{"no applied", "{\"dependencies\":[],\"observed\":{},\"outputs\":{},\"resolved\":{}}"},
		{"no dependencies", "{\"applied\":{},\"observed\":{},\"outputs\":{},\"resolved\":{}}"},
		{"no observed", "{\"applied\":{},\"dependencies\":[],\"outputs\":{},\"resolved\":{}}"},
		{"no outputs", "{\"applied\":{},\"dependencies\":[],\"observed\":{},\"resolved\":{}}"},
		{"no resolved", "{\"applied\":{},\"dependencies\":[],\"observed\":{},\"outputs\":{}}"},
		{"outputs that are text",
		 "{\"applied\":{},\"dependencies\":[],\"observed\":{},\"outputs\":\"x\",\"resolved\":{}}"},
		{"a name that is a number",
		 "{\"applied\":{},\"dependencies\":[],\"ignored\":[1],\"observed\":{},\"outputs\":{},\"resolved\":{}}"},
		{"names that are a map",
		 "{\"applied\":{},\"dependencies\":[],\"ignored\":{},\"observed\":{},\"outputs\":{},\"resolved\":{}}"},
		{"dependencies that are a map",
		 "{\"applied\":{},\"dependencies\":{},\"observed\":{},\"outputs\":{},\"resolved\":{}}"},
		{"a dependency that is text",
		 "{\"applied\":{},\"dependencies\":[\"x\"],\"observed\":{},\"outputs\":{},\"resolved\":{}}"},
		{"a dependency on nothing",
		 "{\"applied\":{},\"dependencies\":[{\"binding\":\"make\"}],\"observed\":{},\"outputs\":{},"
		 "\"resolved\":{}}"},
		{"a dependency of no known binding",
		 "{\"applied\":{},\"dependencies\":[{\"address\":\"a\",\"binding\":\"glue\"}],\"observed\":{},"
		 "\"outputs\":{},\"resolved\":{}}"},
		{"a deletion that let go of text",
		 "{\"applied\":{},\"dependencies\":[],\"let_go\":\"x\",\"observed\":{},\"outputs\":{},"
		 "\"resolved\":{}}"},
		{"items of its own that are text",
		 "{\"applied\":{},\"dependencies\":[],\"observed\":{},\"outputs\":{},\"own\":\"x\",\"resolved\":{}}"},
		{"a token that is no digest",
		 "{\"applied\":{},\"dependencies\":[],\"observed\":{},\"outputs\":{},\"resolved\":{},"
		 "\"spent_token\":\"x\"}"},
		{"a token that is a number",
		 "{\"applied\":{},\"dependencies\":[],\"observed\":{},\"outputs\":{},\"resolved\":{},"
		 "\"spent_token\":7}"},
		{"a note that is text", NOTED("\"x\"")},
		{"a note of text in place of fields", NOTED("{\"owed\":\"abcdefgh\"}")},
		{"a note of a list in place of fields", NOTED("{\"before\":[1,2],\"leaves\":true}")},
		{"a note of a number in place of fields", NOTED("{\"resolved\":7}")},
		{"a note of a map in place of dependencies", NOTED("{\"dependencies\":{}}")},
		{"a note of a dependency on nothing", NOTED("{\"dependencies\":[{\"binding\":\"make\"}]}")},
		{"a note of text in place of yes and no", NOTED("{\"leaves\":\"true\"}")},
		{"a note of no time", NOTED("{\"since\":\"1\"}")},
		{"a note of before all times", NOTED("{\"since\":-9223372036854775808}")},
	};
	struct arena *arena = (struct arena *)*state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct object object = {.address = SLICE("aws.vpc.a")};
		struct diagnostics diagnostics;

		diagnostics_init(&diagnostics, arena);
		if (object_body_read(&object, slice_of(rows[i].text), arena, &diagnostics))
			fail_msg("%s: taken", rows[i].name);
		if (diagnostics.error_count != 1 || !slice_is(diagnostics.items[0].address, "aws.vpc.a"))
			fail_msg("%s: not one diagnostic that names the object", rows[i].name);
		if (object.has_body || object.dependencies)
			fail_msg("%s: output changed", rows[i].name);
		diagnostics_release(&diagnostics);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_body, setup, teardown),
		cmocka_unit_test_setup_teardown(test_body_of_older_program, setup, teardown),
		cmocka_unit_test_setup_teardown(test_body_of_a_deletion, setup, teardown),
		cmocka_unit_test_setup_teardown(test_body_of_a_change, setup, teardown),
		cmocka_unit_test_setup_teardown(test_body_refused, setup, teardown),
	};

	return cmocka_run_group_tests_name("object bodies", tests, NULL, NULL);
}
