#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "tests/unit/support_rounds.h"

/* What holds for every tree and every text, tried on random ones; the seeds are fixed. */

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

enum { LIMIT_BYTES = 1 << 20 };

static uint64_t random_next(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

/* At most 11 bytes a piece: five of them are shorter than a fingerprint may be. */
static struct slice random_text(struct arena *arena, uint64_t *random, unsigned pieces_most)
{
	static const char *const pieces[] = {"a",    "$",    "$$",	 "\"",	    "\\",	 "\n",
					     "\x01", "\x7f", "\xc3\xa9", "[{",	    "}],",	 "\xf0\x9f\x98\x80",
					     ".",    "key",  "10",	 "$secret", "$deferred", "longer text"};
	BUFFER_AUTO text;

	buffer_init(&text, 1000);
	for (uint64_t count = random_next(random) % (pieces_most + 1); count > 0; count--)
		buffer_string(&text, pieces[random_next(random) % COUNT(pieces)]);
	return arena_copy(arena, buffer_slice(&text));
}

static struct value random_scalar(struct arena *arena, uint64_t *random)
{
	struct deferred *deferred;
	struct segment segments[5];
	struct value value;
	uint64_t bits;
	double number;

	switch (random_next(random) % 9) {
	case 0:
		return value_null();
	case 1:
		return value_bool(random_next(random) % 2);
	case 2:
		return value_integer((int64_t)(random_next(random) >> random_next(random) % 64));
	case 3:
		bits = random_next(random);
		memcpy(&number, &bits, sizeof(number));
		return value_number(isfinite(number) ? number : (double)(bits % 1000) / 8);
	case 4:
		return value_unread();
	case 5:
		deferred = arena_new(arena, struct deferred);
		deferred->text = random_text(arena, random, 3);
		return value_deferred(deferred);
	case 6:
		for (size_t i = 0; i < COUNT(segments); i++)
			segments[i] = (struct segment){random_text(arena, random, 1), random_next(random) % 2};
		return value_segments(arena, segments, random_next(random) % (COUNT(segments) + 1));
	case 7:
		value = value_string(random_text(arena, random, 3));
		value.secret = true;
		return value;
	default:
		return value_string(random_text(arena, random, 3));
	}
}

static struct value random_tree(struct arena *arena, uint64_t *random, unsigned depth)
{
	uint64_t kind = random_next(random) % 5;
	uint64_t count = random_next(random) % 20 == 0 ? 50 : random_next(random) % 6;
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	if (depth == 0 || kind == 0)
		return random_scalar(arena, random);
	for (; count > 0; count--) {
		struct value item = random_tree(arena, random, depth - 1);

		if (kind < 3)
			value_builder_item(&builder, item);
		else
			value_builder_set(&builder, random_text(arena, random, 3), item);
	}
	return kind < 3 ? value_builder_list(&builder, arena) : value_builder_map(&builder, arena);
}

/* So that what is read back is the secret itself. */
static void same_fingerprint(void *context, struct slice secret, char ret[65])
{
	(void)context;
	memset(ret, 0, 65);
	if (secret.size > 0)
		memcpy(ret, secret.data, secret.size < 64 ? secret.size : 64);
}

static void test_random_trees(void **state)
{
	static const struct json_style styles[] = {{.fingerprint = same_fingerprint},
						   {.fingerprint = same_fingerprint, .pretty = true}};
	uint64_t random = UINT64_C(0x243f6a8885a308d3);

	(void)state;
	for (int round = rounds_of(800); round > 0; round--) {
		struct arena arena;
		struct value tree, back, copy;
		struct slice text;

		arena_init(&arena);
		tree = random_tree(&arena, &random, 5);
		text = json_canonical(&arena, &tree, &styles[0]);
		for (size_t i = 0; i < COUNT(styles); i++) {
			struct diagnostics diagnostics;
			BUFFER_AUTO buffer;

			diagnostics_init(&diagnostics, &arena);
			buffer_init(&buffer, LIMIT_BYTES);
			assert_true(json_write(&buffer, &tree, &styles[i]));
			if (!json_read(&arena, buffer_slice(&buffer), true, LIMIT_BYTES, "the text", &back,
				       &diagnostics))
				fail_msg("round %d: %s: %s", round, diagnostics.items[0].message.data, buffer.data);
			if (!value_equal(&tree, &back) || value_compare(&tree, &back) != 0)
				fail_msg("round %d: another tree: %s", round, buffer.data);
			if (value_has_secret(&tree) != value_has_secret(&back))
				fail_msg("round %d: the marks are lost: %s", round, buffer.data);
			if (!slice_equal(json_canonical(&arena, &back, &styles[0]), text))
				fail_msg("round %d: another text: %s", round, buffer.data);
			diagnostics_release(&diagnostics);
		}
		copy = value_copy(&arena, &back);
		if (!value_equal(&copy, &tree) || !slice_equal(json_canonical(&arena, &copy, &styles[0]), text))
			fail_msg("round %d: the copy differs: %s", round, text.data);
		arena_release(&arena);
	}
}

/* Equal trees have equal texts, others have not; the order is total. */
static void test_random_order(void **state)
{
	enum { TREES = 150 };
	uint64_t random = UINT64_C(0x13198a2e03707344);
	struct value trees[TREES];
	struct slice texts[TREES];
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < TREES; i++) {
		do
			trees[i] = random_tree(&arena, &random, 1);
		while (value_has_secret(&trees[i]));
		texts[i] = json_canonical(&arena, &trees[i], NULL);
	}
	for (size_t a = 0; a < TREES; a++) {
		for (size_t b = 0; b < TREES; b++) {
			int order = value_compare(&trees[a], &trees[b]);

			assert_int_equal(value_equal(&trees[a], &trees[b]), slice_equal(texts[a], texts[b]));
			assert_int_equal(order == 0, slice_equal(texts[a], texts[b]));
			assert_int_equal(order<0, value_compare(&trees[b], &trees[a])> 0);
			for (size_t c = 0; order < 0 && c < TREES; c++) {
				if (value_compare(&trees[b], &trees[c]) < 0)
					assert_true(value_compare(&trees[a], &trees[c]) < 0);
			}
		}
	}
	arena_release(&arena);
}

/* Any change of a byte is refused or read, and nothing else happens. */
static void test_damaged(void **state)
{
	static const char text[] = "{\"a\":[1,-2.5e3,\"x\\n\\u00e9\",null,true,false],\"b\":{\"$deferred\":\"${c}\"},"
				   "\"c\":{\"$segments\":[\"d\",{\"$secret\":\"e\"}]},\"$$f\":{\"$unread\":true}}";
	uint64_t random = UINT64_C(0xa4093822299f31d0);

	(void)state;
	for (int round = rounds_of(5000); round > 0; round--) {
		struct arena arena;
		struct diagnostics diagnostics;
		struct value value = value_null();
		char damaged[sizeof(text)];
		size_t size = sizeof(text) - 1;

		memcpy(damaged, text, sizeof(text));
		for (uint64_t times = 1 + random_next(&random) % 3; times > 0; times--)
			damaged[random_next(&random) % size] = random_next(&random) % 2
								       ? (char)random_next(&random)
								       : text[random_next(&random) % size];
		if (random_next(&random) % 4 == 0)
			size = random_next(&random) % size;
		arena_init(&arena);
		diagnostics_init(&diagnostics, &arena);
		if (json_read(&arena, (struct slice){damaged, size}, round % 2, LIMIT_BYTES, "the text", &value,
			      &diagnostics))
			assert_int_equal(diagnostics.count, 0);
		else
			assert_int_equal(diagnostics.error_count, 1);
		assert_true(json_canonical(&arena, &value, NULL).size > 0);
		diagnostics_release(&diagnostics);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_trees),
		cmocka_unit_test(test_random_order),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests_name("json_random", tests, NULL, NULL);
}
