#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "providers/sim/sim_call.h"
#include "providers/sim/sim_node.h"

static void texts_of_every_size(void **state)
{
	(void)state;
	for (size_t size = 0; size < 40; size++) {
		struct node map = {.type = NODE_MAP};
		char text[40];

		memset(text, 'x', sizeof(text));
		node_put(&map, "a", (struct slice){text, size});
		node_set(&map, "b", "short");
		assert_int_equal(node_text(&map, "a").size, size);
		assert_memory_equal(node_text(&map, "a").data, text, size);
		/* Replaced by a shorter and a longer one. */
		node_put(&map, "a", (struct slice){text, size / 2});
		assert_int_equal(node_text(&map, "a").size, size / 2);
		node_put(&map, "a", (struct slice){text, 39});
		assert_int_equal(node_text(&map, "a").size, 39);
		assert_true(node_is(&map, "b", "short"));
		node_release(&map);
	}
}

/* A short text stands in the array of children, which moves when it grows; only the sanitizer sees each time. */
static void texts_of_the_same_map(void **state)
{
	static const char *const rows[] = {"", "On", "just below small", "a text that is not small at all"};
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};

	(void)state;
	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		struct node map = {.type = NODE_MAP};

		node_set(&map, names[0], rows[row]);
		for (size_t i = 1; i < sizeof(names) / sizeof(names[0]); i++) {
			node_put(&map, names[i], node_text(&map, names[i - 1]));
			if (!node_is(&map, names[i], rows[row]))
				fail_msg("'%s': child %zu is '%.*s'", rows[row], i,
					 SLICE_ARGUMENTS(node_text(&map, names[i])));
		}
		/* Onto itself. */
		node_put(&map, names[0], node_text(&map, names[0]));
		assert_true(node_is(&map, names[0], rows[row]));
		node_release(&map);
	}
}

static void lists_that_grow_and_shrink(void **state)
{
	struct node map = {.type = NODE_MAP};
	struct node *list = node_list(&map, "list");

	(void)state;
	for (int i = 0; i < 100; i++)
		node_number(node_append(list, NODE_MAP), "n", i);
	/* Every other one goes, so that the count passes the powers of two downwards and upwards again. */
	for (uint32_t i = 100; i-- > 0;)
		if (i % 2)
			node_remove(list, i);
	assert_int_equal(list->count, 50);
	for (uint32_t i = 0; i < 50; i++)
		assert_int_equal(node_integer(&list->items[i], "n", -1), i * 2);
	for (int i = 0; i < 30; i++)
		node_number(node_append(list, NODE_MAP), "n", 1000 + i);
	assert_int_equal(list->count, 80);
	assert_int_equal(node_integer(&list->items[79], "n", -1), 1029);
	assert_ptr_equal(node_item(list, "n", SLICE("1001")), &list->items[51]);
	assert_null(node_item(list, "n", SLICE("1")));
	node_drop(&map, "list");
	assert_null(node_get(&map, "list"));
	node_release(&map);
}

static void copies_are_apart(void **state)
{
	struct node one = {.type = NODE_MAP}, two = {.type = NODE_TEXT};

	(void)state;
	node_set(node_map(node_append(node_list(&one, "list"), NODE_MAP), "inner"), "text", "a text that is not small");
	node_copy(&two, &one);
	assert_int_equal(node_get(&two, "list")->count, 1);
	assert_true(node_is(node_get(&node_get(&two, "list")->items[0], "inner"), "text", "a text that is not small"));
	node_set(node_map(&node_find(&two, "list")->items[0], "inner"), "text", "other");
	assert_true(node_is(node_get(&node_get(&two, "list")->items[0], "inner"), "text", "other"));
	assert_true(node_is(node_get(&node_get(&one, "list")->items[0], "inner"), "text", "a text that is not small"));
	node_release(&one);
	node_release(&two);
}

static bool collect(void *context, struct slice text)
{
	char *to = context;
	size_t used = strlen(to);

	(void)snprintf(to + used, 64 - used, "%.*s;", SLICE_ARGUMENTS(text));
	return slice_is(text, "stop");
}

static void walks(void **state)
{
	static const struct {
		const char *path, *found;
		bool stopped;
	} rows[] = {
		{"id", "x;", false},
		{"list.name", "a;stop;", true},
		{"list.inner.deep", "1;2;", false},
		{"texts", "p;q;", false},
		{"list", "", false},
		{"nothing.at.all", "", false},
		{"id.more", "", false},
	};
	struct node map = {.type = NODE_MAP};
	static const char *const names[] = {"a", "stop", "b"};

	(void)state;
	node_set(&map, "id", "x");
	struct node *list = node_list(&map, "list");
	for (int i = 0; i < 3; i++) {
		struct node *item = node_append(list, NODE_MAP);

		node_set(item, "name", names[i]);
		if (i < 2)
			node_number(node_map(item, "inner"), "deep", i + 1);
	}
	node_assign(node_append(node_list(&map, "texts"), NODE_TEXT), SLICE("p"));
	node_assign(node_append(node_list(&map, "texts"), NODE_TEXT), SLICE("q"));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char found[64] = "";

		assert_int_equal(node_walk(&map, rows[i].path, collect, found), rows[i].stopped);
		assert_string_equal(found, rows[i].found);
	}
	node_release(&map);
}

static void wildcards(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool fits;
	} rows[] = {
		{"", "", true},		 {"", "a", false},	 {"a", "a", true},	   {"a", "b", false},
		{"*", "", true},	 {"*", "abc", true},	 {"a*", "abc", true},	   {"*c", "abc", true},
		{"a*c", "abc", true},	 {"a*c", "abcd", false}, {"*b*", "abc", true},	   {"a**c", "ac", true},
		{"?", "a", true},	 {"?", "", false},	 {"a?c", "abc", true},	   {"a?", "a", false},
		{"\\*", "*", true},	 {"\\*", "a", false},	 {"a\\?b", "a?b", true},   {"a\\?b", "axb", false},
		{"*a*b", "xaxxb", true}, {"*ab", "aab", true},	 {"*ab*ab", "abab", true}, {"*ab*ab", "aba", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (sim_wildcard(slice_of(rows[i].pattern), slice_of(rows[i].text)) != rows[i].fits)
			fail_msg("'%s' against '%s'", rows[i].pattern, rows[i].text);
}

/* A form against a table of parameters: what is kept, or the code of what is wrong. */
static void requests(void **state)
{
	static const char table[] = "Name! Count:i On:b Id[] Tag[]{Key! Value} Options{Deep{Size:i} Mode=theMode}";
	static const struct {
		const char *form, *code;
	} rows[] = {
		{"Name=a", NULL},
		{"Name=", NULL},
		{"Count=1", "MissingParameter"},
		{"Name=a&Colour=red", "UnknownParameter"},
		{"Name=a&Name.1=b", "MalformedQueryString"},
		{"Name.1=b", "UnknownParameter"},
		{"Name=a&Count=x", "InvalidParameterValue"},
		{"Name=a&Count=-7", NULL},
		{"Name=a&On=true&On=false", NULL},
		{"Name=a&On=yes", "InvalidParameterValue"},
		{"Name=a&Id.2=y&Id.1=x", NULL},
		{"Name=a&Id.5=y", NULL},
		{"Name=a&Id=y", "UnknownParameter"},
		{"Name=a&Id.0=y", "MalformedQueryString"},
		{"Name=a&Id.999999=y", "MalformedQueryString"},
		{"Name=a&Tag.1.Value=x", "MissingParameter"},
		{"Name=a&Tag.1.Key=x&Tag.1.Other=y", "UnknownParameter"},
		{"Name=a&Options.Deep.Size=3&Options.Mode=m", NULL},
		{"Name=a&Options.Deep.Size=big", "InvalidParameterValue"},
		{"Name=a&Options=x", "UnknownParameter"},
		{"Name=%zz", "MalformedQueryString"},
		{"Name=%01", "InvalidParameterValue"},
		{"Name=%ff", "InvalidParameterValue"},
		{"Name=a%", "MalformedQueryString"},
		{"Name=a&Options..Mode=m", "MalformedQueryString"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena arena;
		struct sim_call call = {.arena = &arena, .service = SIM_EC2};

		arena_init(&arena);
		sim_form_read(&call, slice_of(rows[i].form));
		call.shape = sim_shape_read(&arena, table, SIM_EC2);
		if (!call.failed)
			sim_shape_check(&call);
		if (call.failed != (rows[i].code != NULL) || (call.failed && strcmp(call.code, rows[i].code) != 0))
			fail_msg("'%s': %s (%s)", rows[i].form, call.failed ? call.code : "accepted", call.message);
		node_release(&call.request);
		arena_release(&arena);
	}
}

static void requests_become_answers(void **state)
{
	static const char table[] = "Tag=tagSet[]{Key Value} Size:i Options{Deep{Mode=theMode}} Other";
	struct arena arena;
	struct sim_call call = {.arena = &arena, .service = SIM_EC2};
	struct node body = {.type = NODE_MAP};

	(void)state;
	arena_init(&arena);
	sim_form_read(&call, SLICE("Tag.2.Key=b&Tag.10.Key=c&Tag.1.Key=a+%26&Size=3&Options.Deep.Mode=m"));
	sim_copy_members(sim_shape_read(&arena, table, SIM_EC2), &call.request, &body);
	const struct node *tags = node_get(&body, "tagSet");
	assert_int_equal(tags->count, 3);
	assert_true(node_is(&tags->items[0], "key", "a &"));
	assert_true(node_is(&tags->items[1], "key", "b"));
	assert_true(node_is(&tags->items[2], "key", "c"));
	assert_true(node_is(&body, "size", "3"));
	assert_true(node_is(node_get(node_get(&body, "options"), "deep"), "theMode", "m"));
	assert_null(node_get(&body, "other"));
	node_release(&body);
	node_release(&call.request);
	arena_release(&arena);
}

/* A world that somebody edited lacks what one of our own making has. */
static void copies_of_what_is_not_there(void **state)
{
	struct node map = {.type = NODE_MAP};
	struct node *disks = node_list(&map, "disks");

	(void)state;
	node_append(disks, NODE_MAP);
	node_copy(disks, NULL);
	assert_ptr_equal(node_get(&map, "disks"), disks);
	assert_int_equal(disks->type, NODE_LIST);
	assert_int_equal(disks->count, 0);
	node_release(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_of_every_size),
		cmocka_unit_test(texts_of_the_same_map),
		cmocka_unit_test(lists_that_grow_and_shrink),
		cmocka_unit_test(copies_are_apart),
		cmocka_unit_test(copies_of_what_is_not_there),
		cmocka_unit_test(walks),
		cmocka_unit_test(wildcards),
		cmocka_unit_test(requests),
		cmocka_unit_test(requests_become_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
