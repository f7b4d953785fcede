#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "base/members.h"
#include "base/value.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/* The tree that a symbolic JSON text stands for. */
static struct value parsed(struct arena *arena, const char *text)
{
	struct diagnostics diagnostics;
	struct value value = value_null();

	diagnostics_init(&diagnostics, arena);
	if (!json_read(arena, slice_of(text), true, 1 << 20, "the test", &value, &diagnostics))
		fail_msg("'%s': %s", text, diagnostics.items[0].message.data);
	return value;
}

static int sign(int number)
{
	return (number > 0) - (number < 0);
}

static void test_size(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct value), 24);
}

static void test_compare(void **state)
{
	static const struct {
		const char *name, *a, *b;
		int order;
	} rows[] = {
		{"null", "null", "null", 0},
		{"by type", "null", "false", -1},
		{"integer and number", "1", "1.0", -1},
		{"string and integer", "1", "\"1\"", -1},
		{"bool", "false", "true", -1},
		{"integers", "-5", "3", -1},
		{"far integers", "-9223372036854775808", "9223372036854775807", -1},
		{"numbers", "-0.5", "0.25", -1},
		{"zeros", "0.0", "-0.0", 0},
		{"strings", "\"a\"", "\"b\"", -1},
		{"string and its start", "\"a\"", "\"ab\"", -1},
		{"strings with NUL", "\"a\\u0000a\"", "\"a\\u0000b\"", -1},
		{"empty lists", "[]", "[]", 0},
		{"list and its start", "[1]", "[1,0]", -1},
		{"lists by item", "[1,2,9]", "[1,3,0]", -1},
		{"lists in lists", "[[1],[2]]", "[[1],[3]]", -1},
		{"order of items counts", "[1,2]", "[2,1]", -1},
		{"empty maps", "{}", "{}", 0},
		{"order of members does not count", "{\"a\":1,\"b\":2,\"c\":3}", "{\"c\":3,\"b\":2,\"a\":1}", 0},
		{"nor deep down", "[{\"a\":{\"x\":1,\"y\":[2]},\"b\":2}]", "[{\"b\":2,\"a\":{\"y\":[2],\"x\":1}}]", 0},
		{"maps by key", "{\"a\":9,\"b\":1}", "{\"a\":9,\"c\":1}", -1},
		{"maps by value", "{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":2}", -1},
		{"map and its start", "{\"a\":1}", "{\"b\":1,\"a\":1}", -1},
		{"same keys in other order, other value", "{\"a\":1,\"b\":2}", "{\"b\":3,\"a\":1}", -1},
		{"empty list and map", "[]", "{}", -1},
		{"deferred by text", "{\"$deferred\":\"${a}\"}", "{\"$deferred\":\"${b}\"}", -1},
		{"deferred the same", "{\"$deferred\":\"${a}\"}", "{\"$deferred\":\"${a}\"}", 0},
		{"deferred and its text", "\"${a}\"", "{\"$deferred\":\"${a}\"}", -1},
		{"unread", "{\"$unread\":true}", "{\"$unread\":true}", 0},
		{"unread and null", "null", "{\"$unread\":true}", -1},
		{"secret marks do not count", "\"s\"", "{\"$secret\":\"s\"}", 0},
		{"segments do not count", "\"abc\"", "{\"$segments\":[\"a\",{\"$secret\":\"b\"},\"c\"]}", 0},
		{"a segmented string differs", "\"abd\"", "{\"$segments\":[\"a\",{\"$secret\":\"b\"},\"e\"]}", -1},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct value a = parsed(&arena, rows[i].a), b = parsed(&arena, rows[i].b);

		if (sign(value_compare(&a, &b)) != rows[i].order || sign(value_compare(&b, &a)) != -rows[i].order)
			fail_msg("%s: order %d", rows[i].name, value_compare(&a, &b));
		if (value_equal(&a, &b) != (rows[i].order == 0) || value_equal(&b, &a) != (rows[i].order == 0))
			fail_msg("%s: equal", rows[i].name);
		if (!value_equal(&a, &a) || value_compare(&b, &b) != 0)
			fail_msg("%s: not itself", rows[i].name);
	}
	arena_release(&arena);
}

/* What is no number is still ordered, and once. */
static void test_not_a_number(void **state)
{
	struct value none = value_number((double)NAN), same = value_number((double)NAN),
		     low = value_number((double)-INFINITY);

	(void)state;
	assert_true(value_equal(&none, &same));
	assert_int_equal(value_compare(&none, &same), 0);
	assert_true(value_compare(&none, &low) < 0);
	assert_true(value_compare(&low, &none) > 0);
	assert_false(value_equal(&none, &low));
}

/* Large maps in another order are compared by sorting, which gives the same as for small ones. */
static void test_large_maps(void **state)
{
	static const struct {
		const char *name;
		size_t count;
		size_t changed; /* which member of the second has another value; past the end: none */
		int order;
	} rows[] = {
		{"as many as need no memory", MEMBERS_FEW, SIZE_MAX, 0},
		{"one more", MEMBERS_FEW + 1, SIZE_MAX, 0},
		{"many", 20000, SIZE_MAX, 0},
		{"the first differs", 20000, 0, -1},
		{"the last differs", 20000, 19999, -1},
		{"the last of a few differs", MEMBERS_FEW, MEMBERS_FEW - 1, -1},
	};

	(void)state;
	for (size_t row = 0; row < COUNT(rows); row++) {
		size_t count = rows[row].count;
		struct arena arena;
		struct value a, b;
		VALUE_BUILDER_AUTO forth;
		VALUE_BUILDER_AUTO back;

		arena_init(&arena);
		value_builder_init(&forth);
		value_builder_init(&back);
		for (size_t i = 0; i < count; i++) {
			size_t other = count - 1 - i;

			value_builder_member(&forth, arena_format(&arena, "k%zu", i), value_integer((int64_t)i));
			value_builder_member(&back, arena_format(&arena, "k%zu", other),
					     value_integer((int64_t)other + (other == rows[row].changed)));
		}
		a = value_builder_map(&forth, &arena);
		b = value_builder_map(&back, &arena);
		if (sign(value_compare(&a, &b)) != rows[row].order || value_equal(&a, &b) != (rows[row].order == 0))
			fail_msg("%s: %d", rows[row].name, value_compare(&a, &b));
		arena_release(&arena);
	}
}

static void test_path(void **state)
{
	/* found NULL: there is nothing. */
	static const struct {
		const char *name, *value, *path, *found;
	} rows[] = {
		{"a member", "{\"a\":1,\"b\":2}", "b", "2"},
		{"a member of a member", "{\"a\":{\"b\":{\"c\":3}}}", "a.b.c", "3"},
		{"an item", "{\"a\":[5,6,7]}", "a.1", "6"},
		{"the last item", "[5,6,7]", "2", "7"},
		{"past the last item", "[5,6,7]", "3", NULL},
		{"an index with zeros in front", "[5,6,7]", "01", "6"},
		{"an index beyond all integers", "[5,6,7]", "99999999999999999999", NULL},
		{"a negative index", "[5,6,7]", "-1", NULL},
		{"a name in a list", "[5,6,7]", "a", NULL},
		{"digits in a map", "{\"0\":4}", "0", "4"},
		{"through a list", "{\"T\":[{\"K\":\"x\"}]}", "T.0.K", "\"x\""},
		{"no such member", "{\"a\":1}", "b", NULL},
		{"prefix of a key", "{\"ab\":1}", "a", NULL},
		{"same size, another key", "{\"ab\":1}", "ac", NULL},
		{"below a missing one", "{\"a\":1}", "b.c.d", NULL},
		{"below a scalar", "{\"a\":1}", "a.b", NULL},
		{"an empty key", "{\"\":{\"\":8}}", ".", "8"},
		{"empty part that is not there", "{\"a\":{\"b\":1}}", "a..b", NULL},
		{"a member that is null", "{\"a\":null}", "a", "null"},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct value value = parsed(&arena, rows[i].value);
		const struct value *found = value_path(&value, rows[i].path);
		struct value expected;

		if ((found != NULL) != (rows[i].found != NULL))
			fail_msg("%s: found or not", rows[i].name);
		if (!found)
			continue;
		expected = parsed(&arena, rows[i].found);
		if (!value_equal(found, &expected))
			fail_msg("%s: another one", rows[i].name);
	}
	assert_null(value_path(NULL, "a"));
	assert_null(value_get(NULL, SLICE("a")));
	assert_null(value_get_named(NULL, "a"));
	arena_release(&arena);
}

static void test_has(void **state)
{
	static const struct {
		const char *name, *value;
		bool deferred, unread, secret;
	} rows[] = {
		{"scalar", "1", false, false, false},
		{"empty", "[{},[],\"\"]", false, false, false},
		{"deferred", "{\"$deferred\":\"${a}\"}", true, false, false},
		{"deferred in a list", "[1,{\"$deferred\":\"${a}\"}]", true, false, false},
		{"unread in a map", "{\"a\":1,\"b\":{\"c\":{\"$unread\":true}}}", false, true, false},
		{"secret deep down", "{\"a\":[[{\"b\":{\"$secret\":\"s\"}}]]}", false, false, true},
		{"a secret segment", "[{\"$segments\":[\"a\",{\"$secret\":\"b\"}]}]", false, false, true},
		{"clear segments", "[{\"$segments\":[\"a\",\"b\"]}]", false, false, false},
		{"all", "[{\"$unread\":true},{\"$secret\":\"\"},{\"$deferred\":\"\"}]", true, true, true},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct value value = parsed(&arena, rows[i].value);

		if (value_has_deferred(&value) != rows[i].deferred)
			fail_msg("%s: deferred", rows[i].name);
		if (value_has_unread(&value) != rows[i].unread)
			fail_msg("%s: unread", rows[i].name);
		if (value_has_secret(&value) != rows[i].secret)
			fail_msg("%s: secret", rows[i].name);
	}
	assert_false(value_has_deferred(NULL));
	arena_release(&arena);
}

static void test_segments(void **state)
{
	const struct {
		const char *name;
		struct segment segments[4];
		size_t count, merged;
		const char *whole;
		bool secret;
	} rows[] = {
		{"none", {{{NULL, 0}, false}}, 0, 0, "", false},
		{"one clear", {{SLICE("a"), false}}, 1, 0, "a", false},
		{"one secret", {{SLICE("a"), true}}, 1, 0, "a", true},
		{"two clear", {{SLICE("a"), false}, {SLICE("b"), false}}, 2, 0, "ab", false},
		{"two secret", {{SLICE("a"), true}, {SLICE("b"), true}}, 2, 0, "ab", true},
		{"clear and secret", {{SLICE("ab"), false}, {SLICE("c"), true}}, 2, 2, "abc", true},
		{"neighbours merge",
		 {{SLICE("a"), false}, {SLICE("b"), false}, {SLICE("c"), true}, {SLICE("d"), true}},
		 4,
		 2,
		 "abcd",
		 true},
		{"around a secret", {{SLICE("a"), false}, {SLICE("b"), true}, {SLICE("c"), false}}, 3, 3, "abc", true},
		{"empty clear goes", {{SLICE("a"), true}, {SLICE(""), false}, {SLICE("b"), true}}, 3, 0, "ab", true},
		{"empty secret stays", {{SLICE("a"), false}, {SLICE(""), true}, {SLICE("b"), false}}, 3, 3, "ab", true},
		{"only an empty secret", {{SLICE(""), true}}, 1, 0, "", true},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct value value = value_segments(&arena, rows[i].segments, rows[i].count);
		size_t offset = 0;

		if (!slice_is(value_slice(&value), rows[i].whole) || value.count != value_slice(&value).size)
			fail_msg("%s: '%.*s'", rows[i].name, SLICE_ARGUMENTS(value_slice(&value)));
		if (value.secret != rows[i].secret || value.segmented != (rows[i].merged > 0))
			fail_msg("%s: marks", rows[i].name);
		if (!value.segmented)
			continue;
		if (value.segments->count != rows[i].merged)
			fail_msg("%s: %zu segments", rows[i].name, value.segments->count);
		for (size_t k = 0; k < value.segments->count; k++) {
			struct slice text = value.segments->segments[k].text;

			if (!slice_equal(text, slice_first(slice_from(slice_of(rows[i].whole), offset), text.size)))
				fail_msg("%s: segment %zu", rows[i].name, k);
			if (k > 0 && value.segments->segments[k].secret == value.segments->segments[k - 1].secret)
				fail_msg("%s: segment %zu is not merged", rows[i].name, k);
			offset += text.size;
		}
		if (offset != value.count)
			fail_msg("%s: segments are not the whole", rows[i].name);
	}
	arena_release(&arena);
}

static void test_copy(void **state)
{
	static const struct {
		const char *name, *value;
	} rows[] = {
		{"scalars", "[null,true,1,-2.5,\"text\",\"\"]"},
		{"nested", "{\"a\":[{\"b\":[[]]},{}],\"c\":\"d\"}"},
		{"what JSON lacks", "[{\"$deferred\":\"${a}\"},{\"$unread\":true},{\"$secret\":\"s\"}]"},
		{"segments", "{\"$segments\":[\"a\",{\"$secret\":\"b\"},\"c\"]}"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct arena from_arena, to_arena;
		struct value from, copy, again;
		struct slice text;

		arena_init(&from_arena);
		arena_init(&to_arena);
		from = value_at(parsed(&from_arena, rows[i].value), (struct position){7, 8, 9});
		copy = value_copy(&to_arena, &from);
		text = json_canonical(&to_arena, &from, NULL);
		/* Whatever the copy still shared is gone, and the memory checkers tell. */
		arena_release(&from_arena);
		arena_init(&from_arena);
		again = parsed(&from_arena, rows[i].value);
		if (!value_equal(&copy, &again) || !slice_equal(json_canonical(&to_arena, &copy, NULL), text))
			fail_msg("%s: differs", rows[i].name);
		if (value_has_secret(&copy) != value_has_secret(&again) || copy.position.line != 7)
			fail_msg("%s: marks", rows[i].name);
		arena_release(&from_arena);
		arena_release(&to_arena);
	}
}

/* How many values in the tree are marked, value among them. */
static size_t marks_in(const struct value *value)
{
	size_t count = value->secret;

	for (uint32_t i = 0; value->type == VALUE_LIST && i < value->count; i++)
		count += marks_in(&value->items[i]);
	for (uint32_t i = 0; value->type == VALUE_MAP && i < value->count; i++)
		count += marks_in(&value->members[i].value);
	return count;
}

static void test_secret(void **state)
{
	static const struct {
		const char *name, *value;
		size_t marks, marks_if_unset;
	} rows[] = {
		{"a text", "\"text\"", 1, 1},
		{"unset", "null", 0, 1},
		{"unread", "{\"$unread\":true}", 0, 1},
		{"an empty map", "{}", 1, 1},
		{"nested", "{\"a\":[1,null,{\"b\":true}],\"c\":null}", 5, 7},
		{"marked in part", "[{\"$secret\":\"a\"},\"b\"]", 3, 3},
		{"segments become one", "{\"$segments\":[\"a\",{\"$secret\":\"b\"},\"c\"]}", 1, 1},
		{"not known yet", "{\"$deferred\":\"${a}\"}", 1, 1},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct value from = value_at(parsed(&arena, rows[i].value), (struct position){7, 8, 9});
		struct value secret = value_secret(&arena, from), if_unset = value_secret_if_unset(&arena, from);

		if (marks_in(&secret) != rows[i].marks || marks_in(&if_unset) != rows[i].marks_if_unset)
			fail_msg("%s: %zu and %zu marks", rows[i].name, marks_in(&secret), marks_in(&if_unset));
		if (secret.segmented || secret.position.line != 7 || !value_equal(&secret, &if_unset))
			fail_msg("%s: differs", rows[i].name);
	}
	arena_release(&arena);
}

static void test_copy_program(void **state)
{
	static const int program = 1;
	const struct deferred deferred = {.text = SLICE("${a}"), .program = &program};
	struct value from = value_deferred(&deferred), copy;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	copy = value_copy(&arena, &from);
	assert_ptr_not_equal(copy.deferred, &deferred);
	assert_ptr_not_equal(copy.deferred->text.data, deferred.text.data);
	assert_ptr_equal(copy.deferred->program, &program);
	arena_release(&arena);
}

static void test_builder(void **state)
{
	struct arena arena;
	struct value map, list, expected;
	VALUE_BUILDER_AUTO builder;

	(void)state;
	arena_init(&arena);
	value_builder_init(&builder);
	list = value_builder_list(&builder, &arena);
	assert_true(value_is(&list, VALUE_LIST) && list.count == 0);
	for (int i = 0; i < 100; i++)
		value_builder_item(&builder, value_integer(i));
	list = value_builder_list(&builder, &arena);
	assert_int_equal(list.count, 100);
	for (int i = 0; i < 100; i++)
		assert_int_equal(list.items[i].integer, i);

	value_builder_member(&builder, SLICE("a"), value_integer(1));
	value_builder_set(&builder, SLICE("b"), value_integer(2));
	value_builder_set(&builder, SLICE("a"), value_integer(3));
	value_builder_set(&builder, SLICE("b"), list);
	value_builder_set(&builder, SLICE("b"), value_text("x"));
	map = value_builder_map(&builder, &arena);
	expected = parsed(&arena, "{\"a\":3,\"b\":\"x\"}");
	assert_true(value_equal(&map, &expected));
	assert_true(slice_is(value_slice(&map.members[0].key), "a"));
	map = value_builder_map(&builder, &arena);
	assert_true(value_is(&map, VALUE_MAP) && map.count == 0);
	arena_release(&arena);
}

static void test_overlaid(void **state)
{
	static const struct {
		const char *name;
		const char *map, *over; /* NULL: none */
		const char *expected;
	} rows[] = {
		{"none of both", NULL, NULL, "{}"},
		{"none below", NULL, "{\"a\":1}", "{\"a\":1}"},
		{"none above", "{\"a\":1}", NULL, "{\"a\":1}"},
		{"no map below", "[1]", "{\"a\":1}", "{\"a\":1}"},
		{"no map above", "{\"a\":1}", "[1]", "{\"a\":1}"},
		{"apart", "{\"a\":1}", "{\"b\":2}", "{\"a\":1,\"b\":2}"},
		{"of both", "{\"a\":1,\"b\":1}", "{\"b\":2,\"c\":2}", "{\"a\":1,\"b\":2,\"c\":2}"},
		{"whole members", "{\"a\":{\"b\":1}}", "{\"a\":{\"c\":2}}", "{\"a\":{\"c\":2}}"},
		{"null above", "{\"a\":1}", "{\"a\":null}", "{\"a\":null}"},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct value map = rows[i].map ? parsed(&arena, rows[i].map) : value_null();
		struct value over = rows[i].over ? parsed(&arena, rows[i].over) : value_null();
		struct value expected = parsed(&arena, rows[i].expected);
		struct value all = value_overlaid(rows[i].map ? &map : NULL, rows[i].over ? &over : NULL, &arena);

		if (!value_is(&all, VALUE_MAP) || !value_equal(&all, &expected))
			fail_msg("%s", rows[i].name);
	}
	struct value map = parsed(&arena, "{\"a\":1,\"b\":1}"), expected = parsed(&arena, "{\"a\":1,\"b\":2}");
	struct value with = value_with(&map, SLICE("b"), value_integer(2), &arena);
	assert_true(value_equal(&with, &expected));
	assert_int_equal(map.members[1].value.integer, 1);
	arena_release(&arena);
}

static void test_makers(void **state)
{
	static const struct deferred deferred = {.text = {"${a}", 4}};
	const struct {
		const char *name;
		struct value value;
		enum value_type type;
		const char *type_name, *text;
	} rows[] = {
		{"null", value_null(), VALUE_NULL, "null", ""},
		{"bool", value_bool(true), VALUE_BOOL, "true or false", ""},
		{"integer", value_integer(5), VALUE_INTEGER, "a whole number", ""},
		{"number", value_number(0.5), VALUE_NUMBER, "a number", ""},
		{"string", value_string(SLICE("ab")), VALUE_STRING, "a string", "ab"},
		{"text", value_text("ab"), VALUE_STRING, "a string", "ab"},
		{"no text", value_text(NULL), VALUE_STRING, "a string", ""},
		{"list", value_list(NULL, 0), VALUE_LIST, "a list", ""},
		{"map", value_map(NULL, 0), VALUE_MAP, "a map", ""},
		{"deferred", value_deferred(&deferred), VALUE_DEFERRED, "a value known only later", ""},
		{"unread", value_unread(), VALUE_UNREAD, "a value that could not be read", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct value value = value_at(rows[i].value, (struct position){1, 2, 3});

		for (int type = VALUE_NULL; type <= VALUE_UNREAD; type++) {
			if (value_is(&value, (enum value_type)type) != (type == (int)rows[i].type))
				fail_msg("%s: type %d", rows[i].name, type);
		}
		if (!slice_is(slice_of(value_type_name(rows[i].type)), rows[i].type_name))
			fail_msg("%s: type name", rows[i].name);
		if (!slice_is(value_slice(&value), rows[i].text) || !value_slice(&value).data)
			fail_msg("%s: text", rows[i].name);
		if (value.position.line != 1 || value.position.column != 2 || value.position.file != 3 || value.secret)
			fail_msg("%s: position", rows[i].name);
	}
	assert_false(value_is(NULL, VALUE_NULL));
	assert_int_equal(value_slice(NULL).size, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size),	     cmocka_unit_test(test_compare),
		cmocka_unit_test(test_not_a_number), cmocka_unit_test(test_large_maps),
		cmocka_unit_test(test_path),	     cmocka_unit_test(test_has),
		cmocka_unit_test(test_segments),     cmocka_unit_test(test_copy),
		cmocka_unit_test(test_secret),	     cmocka_unit_test(test_copy_program),
		cmocka_unit_test(test_builder),	     cmocka_unit_test(test_overlaid),
		cmocka_unit_test(test_makers),
	};

	return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
