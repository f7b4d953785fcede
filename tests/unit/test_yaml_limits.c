#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "tests/unit/support_yaml.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

enum { TEXT_LARGEST_BYTES = 16 * 1024 * 1024 };

static void append_times(struct buffer *buffer, const char *text, size_t times)
{
	for (size_t i = 0; i < times; i++)
		assert_true(buffer_string(buffer, text));
}

/* Deeper than allowed, in every way to be deep; and just as deep as allowed. */
static void test_depth(void **state)
{
	static const struct {
		const char *open, *close;
		size_t levels;
		bool good;
	} rows[] = {
		{"[", "]", YAML_DEEPEST, true}, {"[", "]", YAML_DEEPEST + 1, false},
		{"[", "", 10000, false},	{"[", "]", 10000, false},
		{"{a: ", "}", 64, true},	{"{a: ", "}", 10000, false},
		{"- ", "", YAML_DEEPEST, true}, {"- ", "", 10000, false},
		{"[", "", 1000000, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct reading reading;
		BUFFER_AUTO text;

		buffer_init(&text, TEXT_LARGEST_BYTES);
		append_times(&text, rows[i].open, rows[i].levels);
		append_times(&text, "x", 1);
		append_times(&text, rows[i].close, rows[i].levels);
		reading_start(&reading, buffer_slice(&text));
		assert_int_equal(reading.good, rows[i].good);
		if (!rows[i].good) {
			assert_int_equal(reading.diagnostics.count, 1);
			assert_true(slice_is(reading.diagnostics.items[0].message,
					     "lists and maps are nested more than 64 levels deep"));
			assert_int_equal(reading.diagnostics.items[0].position.line, 1);
		}
		reading_end(&reading);
	}
}

/* Aliases may not carry values deeper than they could be written. */
static void test_depth_of_aliases(void **state)
{
	struct reading reading;
	BUFFER_AUTO text;

	(void)state;
	buffer_init(&text, TEXT_LARGEST_BYTES);
	buffer_string(&text, "- &a [");
	append_times(&text, "[", 38);
	append_times(&text, "]", 38);
	buffer_string(&text, "]\n- ");
	append_times(&text, "[", 30);
	buffer_string(&text, "*a");
	append_times(&text, "]", 30);
	reading_start(&reading, buffer_slice(&text));
	assert_false(reading.good);
	assert_true(slice_contains(reading.diagnostics.items[0].message, SLICE("64 levels deep")));
	reading_end(&reading);
}

/* Ten lists of ten aliases each: 10^10 values in 500 bytes. */
static void test_alias_bomb(void **state)
{
	static const char *const shapes[] = {"&l%zu [*l%zu,*l%zu,*l%zu,*l%zu,*l%zu,*l%zu,*l%zu,*l%zu,*l%zu,*l%zu]\n",
					     "&l%zu {a: *l%zu, b: *l%zu, c: *l%zu, d: *l%zu, e: *l%zu, f: *l%zu, g: "
					     "*l%zu, h: *l%zu, i: *l%zu, <<: {j: *l%zu}}\n"};

	(void)state;
	for (size_t shape = 0; shape < COUNT(shapes); shape++) {
		struct reading reading;
		BUFFER_AUTO text;

		buffer_init(&text, TEXT_LARGEST_BYTES);
		buffer_string(&text, "- &l0 [x]\n");
		for (size_t i = 1; i <= 10; i++) {
			size_t b = i - 1;

			buffer_string(&text, "- ");
			if (shape == 0)
				buffer_format(&text,
					      "&l%zu [*l%zu,*l%zu,*l%zu,*l%zu,*l%zu,*l%zu,*l%zu,*l%zu,*l%zu,*l%zu]\n",
					      i, b, b, b, b, b, b, b, b, b, b);
			else
				buffer_format(
					&text,
					"&l%zu {a: *l%zu, b: *l%zu, c: *l%zu, d: *l%zu, e: *l%zu, f: *l%zu, g: *l%zu, "
					"h: *l%zu, i: *l%zu, <<: {j: *l%zu}}\n",
					i, b, b, b, b, b, b, b, b, b, b);
		}
		reading_start(&reading, buffer_slice(&text));
		assert_false(reading.good);
		assert_int_equal(reading.diagnostics.count, 1);
		assert_true(slice_is(reading.diagnostics.items[0].message, "aliases repeat more than 10000000 values"));
		assert_true(reading.arena.used_bytes < 1024 * 1024);
		reading_end(&reading);
	}
}

/* Merge keys copy members, so they are counted too. */
static void test_merge_bomb(void **state)
{
	struct reading reading;
	BUFFER_AUTO text;

	(void)state;
	buffer_init(&text, TEXT_LARGEST_BYTES);
	buffer_string(&text, "- &m {");
	for (size_t i = 0; i < 10000; i++)
		buffer_format(&text, "k%zu: 1, ", i);
	buffer_string(&text, "}\n");
	append_times(&text, "- {<<: *m}\n", 700);
	reading_start(&reading, buffer_slice(&text));
	assert_false(reading.good);
	assert_true(slice_contains(reading.diagnostics.items[0].message, SLICE("aliases repeat")));
	reading_end(&reading);
}

/* Repeated keys are found in maps of every size, whatever the order of the keys. */
static void test_many_keys(void **state)
{
	static const size_t counts[] = {2, 11, 12, 13, 14, 100, 5000};

	(void)state;
	for (size_t c = 0; c < COUNT(counts); c++) {
		for (size_t shape = 0; shape < 24; shape++) {
			size_t count = counts[c], repeated = shape % 3 == 0   ? 0
							     : shape % 3 == 1 ? count / 2
									      : count - 1;
			bool falling = shape / 3 % 2 == 1, early = shape / 6 % 2 == 1;
			/* Numbered names ascend by length, padded ones in byte order. */
			int width = shape / 12 == 1 ? 1 : 6;
			struct reading reading;
			BUFFER_AUTO text;

			buffer_init(&text, TEXT_LARGEST_BYTES);
			for (size_t i = 0; i < count; i++) {
				buffer_format(&text, "k%0*zu: 1\n", width, falling ? count - i : i);
				/* In the middle of the map as well as behind its end. */
				if (early && i == repeated)
					buffer_format(&text, "k%0*zu: 2\n", width, falling ? count - i : i);
			}
			if (!early)
				buffer_format(&text, "k%0*zu: 2\n", width, falling ? count - repeated : repeated);
			buffer_string(&text, "another: 1\nyet another: 2\nanothe: 3\n");
			reading_start(&reading, buffer_slice(&text));
			assert_int_equal(reading.diagnostics.count, 1);
			assert_int_equal(reading.diagnostics.items[0].related.line, repeated + 1);
			assert_int_equal(reading.diagnostics.items[0].position.line, early ? repeated + 2 : count + 1);
			assert_int_equal(reading.tree.root.count, count + 3);
			reading_end(&reading);
		}
	}
}

/* A repeat just where keys begin to be hashed, and another one behind it. */
static void test_repeats_in_a_row(void **state)
{
	struct reading reading;

	(void)state;
	reading_start(&reading, SLICE("{a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 1, k: 1, l: 1,\n"
				      "a: 2,\nm: 1,\nm: 2,\nb: 2}"));
	assert_int_equal(reading.diagnostics.count, 3);
	assert_int_equal(reading.diagnostics.items[0].position.line, 2);
	assert_int_equal(reading.diagnostics.items[1].position.line, 4);
	assert_int_equal(reading.diagnostics.items[2].position.line, 5);
	assert_int_equal(reading.tree.root.count, 13);
	reading_end(&reading);
}

static const char sample[] = "stack: west # name\n"
			     "vars: {region: {type: string, default: \"us-west-2\"}, n: [1, 2.5, ~]}\n"
			     "aws.vpc:\n"
			     "  train: &v\n"
			     "    cidr: 10.0.0.0/16\n"
			     "    tags: {team: 'res''earch', \"a\\tb\": \"${var.region}\"}\n"
			     "  t\xc3\xa9st:\n"
			     "    <<: *v\n"
			     "    text: |\n"
			     "      one\n"
			     "      two\n"
			     "    list:\n"
			     "      - !!str 5\n"
			     "      - {a: [b, c], ? d : e}\n"
			     "...\n";

/* Whatever is read, every place in it lies within the text. */
static void check_places(const struct value *value, size_t lines)
{
	assert_in_range(value->position.line, 1, lines);
	for (uint32_t i = 0; value->type == VALUE_LIST && i < value->count; i++)
		check_places(&value->items[i], lines);
	for (uint32_t i = 0; value->type == VALUE_MAP && i < value->count; i++) {
		assert_int_equal(value->members[i].key.type, VALUE_STRING);
		check_places(&value->members[i].key, lines);
		check_places(&value->members[i].value, lines);
	}
}

static void read_hostile(struct slice text)
{
	struct reading reading;
	size_t lines = 1;

	for (size_t i = 0; i < text.size; i++)
		lines += text.data[i] == '\n' || text.data[i] == '\r' || (unsigned char)text.data[i] >= 0x80 ? 1 : 0;
	reading_start(&reading, text);
	if (reading.tree.root.type == VALUE_MAP || reading.tree.root.type == VALUE_LIST)
		check_places(&reading.tree.root, lines);
	for (size_t i = 0; i < reading.diagnostics.count; i++)
		assert_in_range(reading.diagnostics.items[i].position.line, 1, lines);
	reading_end(&reading);
}

/* The sample cut off at every byte. */
static void test_truncated(void **state)
{
	struct reading reading;

	(void)state;
	reading_start(&reading, slice_of(sample));
	assert_true(reading.good);
	reading_end(&reading);
	for (size_t size = 0; size < sizeof(sample) - 1; size++) {
		/* Memory of just that size, so that a byte read too far is noticed. */
		char *copy = (char *)malloc(size + 1);

		assert_non_null(copy);
		memcpy(copy + 1, sample, size);
		read_hostile((struct slice){copy + 1, size});
		free(copy);
	}
}

/* The sample with bytes changed, from a fixed seed. */
static void test_damaged(void **state)
{
	static const char spice[] = "\t\n :-[]{},&*!|>'\"%@`#?<\\\0\r\xff\xc3\x80~0123yn.";
	uint64_t seed = 42;

	(void)state;
	for (size_t round = 0; round < 3000; round++) {
		char *copy = (char *)malloc(sizeof(sample) - 1);

		assert_non_null(copy);
		memcpy(copy, sample, sizeof(sample) - 1);
		for (size_t i = 0; i <= round % 4; i++) {
			seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			copy[(seed >> 33) % (sizeof(sample) - 1)] = spice[(seed >> 20) % (sizeof(spice) - 1)];
		}
		read_hostile((struct slice){copy, sizeof(sample) - 1});
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_depth),	   cmocka_unit_test(test_depth_of_aliases),
		cmocka_unit_test(test_alias_bomb), cmocka_unit_test(test_merge_bomb),
		cmocka_unit_test(test_many_keys),  cmocka_unit_test(test_repeats_in_a_row),
		cmocka_unit_test(test_truncated),  cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests_name("yaml limits", tests, NULL, NULL);
}
