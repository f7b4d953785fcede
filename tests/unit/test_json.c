#define _GNU_SOURCE 1 /* memmem() */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

enum { LIMIT_BYTES = 1 << 20 };

/* Shows which secret was asked about and that the context is handed through. */
static void fake_fingerprint(void *context, struct slice secret, char ret[65])
{
	size_t size = secret.size < 60 ? secret.size : 60;
	const char *mark = (const char *)context;

	memset(ret, 0, 65);
	ret[0] = *mark;
	if (size > 0)
		memcpy(ret + 1, secret.data, size);
	/* What stands before a secret that is no string. */
	if (size > 0 && ret[1] == '\0')
		ret[1] = '!';
}

static char hash_mark[] = "#";
static const struct json_style marked = {.fingerprint = fake_fingerprint, .context = hash_mark};
static const struct json_style clear = {.clear = true};
static const struct json_style pretty = {.pretty = true};

static bool read_text(struct arena *arena, const char *text, bool symbolic, struct value *ret,
		      struct diagnostics *diagnostics)
{
	diagnostics_init(diagnostics, arena);
	return json_read(arena, slice_of(text), symbolic, LIMIT_BYTES, "the answer", ret, diagnostics);
}

/* What is read in one way is written in four. */
static void test_forms(void **state)
{
	static const struct {
		const char *name, *read, *canonical, *marked, *clear; /* the last two NULL: as canonical */
	} rows[] = {
		{"null", " null ", "null", NULL, NULL},
		{"true", "true", "true", NULL, NULL},
		{"false", "false", "false", NULL, NULL},
		{"integer", "-17", "-17", NULL, NULL},
		{"zero", "0", "0", NULL, NULL},
		{"smallest integer", "-9223372036854775808", "-9223372036854775808", NULL, NULL},
		{"largest integer", "9223372036854775807", "9223372036854775807", NULL, NULL},
		{"a whole number", "3.0", "3.0", NULL, NULL},
		{"a tenth", "0.1", "0.1", NULL, NULL},
		{"a large one", "1E2", "100.0", NULL, NULL},
		{"empty list", "[ ]", "[]", NULL, NULL},
		{"empty map", "{ }", "{}", NULL, NULL},
		{"list", "[1, \"a\", [2]]", "[1,\"a\",[2]]", NULL, NULL},
		{"sorted", "{\"b\": 1, \"a\": {\"d\": [], \"c\": 2}, \"B\": 3, \"\": 4}",
		 "{\"\":4,\"B\":3,\"a\":{\"c\":2,\"d\":[]},\"b\":1}", NULL, NULL},
		{"sorted by bytes", "{\"\\u00e9\": 1, \"z\": 2, \"aa\": 3, \"a\": 4}",
		 "{\"a\":4,\"aa\":3,\"z\":2,\"\xc3\xa9\":1}", NULL, NULL},
		{"deferred", "{\"$deferred\":\"${a.b}\"}", "{\"$deferred\":\"${a.b}\"}", NULL, "\"${a.b}\""},
		{"deferred with a secret", "{\"$secrets\":{\"var.b\":{\"$secret\":\"x\"}},\"$deferred\":\"${a.b}\"}",
		 "{\"$deferred\":\"${a.b}\",\"$secrets\":{\"var.b\":{\"$secret\":\"x\"}}}", NULL, "\"${a.b}\""},
		{"unread", "[{\"$unread\":true}]", "[{\"$unread\":true}]", NULL, "[null]"},
		{"secret, sealed as read", "{\"$secret\":\"key\"}", "{\"$secret\":\"key\"}", "{\"$secret\":\"key\"}",
		 "\"key\""},
		{"segments", "{\"$segments\":[\"a\",{\"$secret\":\"b\"},\"c\"]}",
		 "{\"$segments\":[\"a\",{\"$secret\":\"b\"},\"c\"]}",
		 "{\"$segments\":[\"a\",{\"$secret\":\"b\"},\"c\"]}", "\"abc\""},
		{"clear segments", "{\"$segments\":[\"a\",\"c\"]}", "\"ac\"", NULL, NULL},
		{"no segments", "{\"$segments\":[]}", "\"\"", NULL, NULL},
		{"a key with a dollar", "{\"$$secret\":\"a\"}", "{\"$$secret\":\"a\"}", NULL, "{\"$secret\":\"a\"}"},
		{"a key with two dollars", "{\"$$$\":\"a\"}", "{\"$$$\":\"a\"}", NULL, "{\"$$\":\"a\"}"},
		{"only a dollar", "{\"$$\":1,\"a$\":2}", "{\"$$\":1,\"a$\":2}", NULL, "{\"$\":1,\"a$\":2}"},
		{"dollars sorted", "{\"$$b\":1,\"%\":2,\"#\":3,\"$$\":4,\"$$$\":5}",
		 "{\"#\":3,\"$$\":4,\"$$$\":5,\"$$b\":1,\"%\":2}", NULL, "{\"#\":3,\"$\":4,\"$$\":5,\"$b\":1,\"%\":2}"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct arena arena;
		struct diagnostics diagnostics;
		struct value value;
		const char *expected[3] = {rows[i].canonical, rows[i].marked, rows[i].clear};
		const struct json_style *styles[3] = {NULL, &marked, &clear};

		arena_init(&arena);
		if (!read_text(&arena, rows[i].read, true, &value, &diagnostics))
			fail_msg("%s: %s", rows[i].name, diagnostics.items[0].message.data);
		for (size_t k = 0; k < 3; k++) {
			struct slice text = json_canonical(&arena, &value, styles[k]);

			if (!slice_is(text, expected[k] ? expected[k] : rows[i].canonical))
				fail_msg("%s: style %zu: %s", rows[i].name, k, text.data);
		}
		diagnostics_release(&diagnostics);
		arena_release(&arena);
	}
}

/* Secrets that are no strings do not show either. */
static void test_secret_scalars(void **state)
{
	struct value item = value_integer(5), list;
	const struct deferred deferred = {.text = SLICE("${a}")};
	const struct {
		const char *name;
		struct value value;
		const char *text;
	} rows[] = {
		{"integer", value_integer(1234), "{\"$secret\":\"#!1234\"}"},
		{"null", value_null(), "{\"$secret\":\"#!null\"}"},
		{"list", value_list(&item, 1), "{\"$secret\":\"#![5]\"}"},
		{"deferred", value_deferred(&deferred), "{\"$deferred\":\"${a}\"}"},
		{"unread", value_unread(), "{\"$unread\":true}"},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct value secret = rows[i].value;

		secret.secret = true;
		if (!slice_is(json_canonical(&arena, &secret, &marked), rows[i].text))
			fail_msg("%s: %s", rows[i].name, json_canonical(&arena, &secret, &marked).data);
	}
	item = value_text("s");
	item.secret = true;
	list = value_list(&item, 1);
	list.secret = true;
	assert_true(slice_is(json_canonical(&arena, &list, &marked), "{\"$secret\":\"#![\\\"s\\\"]\"}"));
	arena_release(&arena);
}

static void test_pretty(void **state)
{
	static const struct {
		const char *name, *read, *written;
	} rows[] = {
		{"scalar", "1", "1"},
		{"empty", "{\"a\":[],\"b\":{}}", "{\n  \"a\": [],\n  \"b\": {}\n}"},
		{"own order", "{\"b\":1,\"a\":[1,2]}", "{\n  \"b\": 1,\n  \"a\": [\n    1,\n    2\n  ]\n}"},
		{"secret", "[{\"$secret\":\"x\"}]", "[\n  {\"$secret\":\"x\"}\n]"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct arena arena;
		struct diagnostics diagnostics;
		struct value value;
		BUFFER_AUTO buffer;

		arena_init(&arena);
		buffer_init(&buffer, 1000);
		assert_true(read_text(&arena, rows[i].read, true, &value, &diagnostics));
		assert_true(json_write(&buffer, &value, &pretty));
		if (!slice_is(buffer_slice(&buffer), rows[i].written))
			fail_msg("%s: %s", rows[i].name, buffer.data);
		/* A canonical text is never pretty. */
		if (memchr(json_canonical(&arena, &value, &pretty).data, '\n',
			   json_canonical(&arena, &value, &pretty).size))
			fail_msg("%s: pretty canonical text", rows[i].name);
		diagnostics_release(&diagnostics);
		arena_release(&arena);
	}
}

static void test_strings(void **state)
{
	static const struct {
		const char *name, *text;
		size_t size;
		const char *written;
	} rows[] = {
		{"nothing", NULL, 0, "\"\""},
		{"plain", "a/b 'c'", 7, "\"a/b 'c'\""},
		{"short escapes", "\"\\\b\f\n\r\t", 7, "\"\\\"\\\\\\b\\f\\n\\r\\t\""},
		{"controls", "\0\x01\x1f", 3, "\"\\u0000\\u0001\\u001f\""},
		{"delete stands for itself", "\x7f", 1, "\"\x7f\""},
		{"UTF-8", "\xc3\xa9\xf0\x9f\x98\x80", 6, "\"\xc3\xa9\xf0\x9f\x98\x80\""},
		{"escapes between", "a\nb\xc3\xa9\nc", 7, "\"a\\nb\xc3\xa9\\nc\""},
		{"a bad byte",
		 "a\xff"
		 "b",
		 3,
		 "\"a\xef\xbf\xbd"
		 "b\""},
		{"bad bytes and good ones", "\x80\xc3\xa9\xc3", 4, "\"\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\""},
		{"good, bad, good", "\xc3\xa9\xff\xc3\xa9", 5, "\"\xc3\xa9\xef\xbf\xbd\xc3\xa9\""},
		{"a surrogate", "\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		BUFFER_AUTO buffer;

		buffer_init(&buffer, 1000);
		if (!json_write_string(&buffer, (struct slice){rows[i].text, rows[i].size}))
			fail_msg("%s: full", rows[i].name);
		if (!slice_is(buffer_slice(&buffer), rows[i].written))
			fail_msg("%s: %s", rows[i].name, buffer.data);
	}
}

/* Texts are copied in words: each byte in each place of texts that fill words and of those that do not. */
static void test_strings_of_words(void **state)
{
	struct buffer buffer;

	(void)state;
	buffer_init(&buffer, LIMIT_BYTES);
	for (size_t size = 1; size <= 20; size++) {
		for (size_t place = 0; place < size; place++) {
			for (int byte = 0; byte < 0x80; byte++) {
				bool plain = byte >= 0x20 && byte != '"' && byte != '\\';
				char text[20], expected[64];
				size_t length;

				memset(text, 'a', sizeof(text));
				text[place] = (char)byte;
				buffer_clear(&buffer);
				/* There is room, but for the first. */
				assert_true(json_write_string(&buffer, (struct slice){text, size}));
				length = (size_t)snprintf(expected, sizeof(expected), "\"%.*s\"", (int)size, text);
				if (plain != (buffer.size == length && memcmp(buffer.data, expected, length) == 0))
					fail_msg("0x%02x at %zu of %zu: %s", (unsigned)byte, place, size, buffer.data);
				if (buffer.data[0] != '"' || buffer.data[buffer.size - 1] != '"' ||
				    buffer.data[buffer.size] != '\0')
					fail_msg("0x%02x at %zu of %zu: ends", (unsigned)byte, place, size);
			}
		}
	}
	buffer_release(&buffer);
}

static const struct number_row {
	const char *name;
	double number;
	const char *written;
} numbers[] = {
	{"zero", 0, "0.0"},
	{"negative zero", -0.0, "0.0"},
	{"one", 1, "1.0"},
	{"minus a half", -0.5, "-0.5"},
	{"a tenth", 0.1, "0.1"},
	{"smallest of all", 5e-324, "4.94065645841247e-324"},
	{"17 digits", 0.1 + 0.2, "0.30000000000000004"},
	{"a third", 1.0 / 3, "0.3333333333333333"},
	{"whole, 15 digits", 123456789012345, "123456789012345.0"},
	{"large", 1e21, "1e+21"},
	{"largest", DBL_MAX, "1.7976931348623157e+308"},
	{"smallest normal", DBL_MIN, "2.2250738585072014e-308"},
	{"past the integers", 9007199254740993.0, "9007199254740992.0"},
	{"not a number", (double)NAN, "null"},
	{"infinite", (double)INFINITY, "null"},
};

static void check_numbers(void)
{
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT(numbers); i++) {
		struct value value = value_number(numbers[i].number), back;
		struct slice text = json_canonical(&arena, &value, NULL);
		struct diagnostics diagnostics;

		if (!slice_is(text, numbers[i].written))
			fail_msg("%s: %s", numbers[i].name, text.data);
		if (!read_text(&arena, text.data, true, &back, &diagnostics) ||
		    (isfinite(numbers[i].number) && !value_equal(&value, &back)))
			fail_msg("%s: not read back", numbers[i].name);
		diagnostics_release(&diagnostics);
	}
	arena_release(&arena);
}

static void test_numbers(void **state)
{
	(void)state;
	check_numbers();
}

/* The same with a comma for a point. */
static void test_numbers_elsewhere(void **state)
{
	static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8",
					      "de_DE",	     "nl_NL.UTF-8", "ps_AF"};
	bool found = false;

	(void)state;
	for (size_t i = 0; i < COUNT(locales) && !found; i++)
		found = setlocale(LC_NUMERIC, locales[i]) && strcmp(localeconv()->decimal_point, ".") != 0;
	if (!found)
		skip();
	check_numbers();
	assert_non_null(setlocale(LC_NUMERIC, "C"));
}

static const struct {
	const char *name, *text, *message;
	bool symbolic;
} refused[] = {
	{"nothing", "", "the answer is not valid JSON at line 1, column 0: the text ends too early", false},
	{"cut", "{\"a\":\n [1,", "the answer is not valid JSON at line 2, column 4: the text ends too early", false},
	{"no JSON", "{\"a\":\n hello}", "the answer is not valid JSON at line 2, column 6: something here is no JSON",
	 false},
	{"trailing text", "{} x", "the answer is not valid JSON at line 1, column 4: something follows after the end",
	 false},
	{"a key twice", "{\"a\":1,\n\"a\":2}",
	 "the answer is not valid JSON at line 2, column 3: a key stands twice in one map", false},
	{"trailing comma", "[1,]", NULL, false},
	{"leading zero", "01", NULL, false},
	{"comment", "// x\n1", NULL, false},
	{"single quotes", "'a'", NULL, false},
	{"NaN", "NaN", NULL, false},
	{"a control in a string", "\"a\nb\"", NULL, false},
	{"bad UTF-8", "\"a\xff\"", NULL, false},
	{"lone surrogate", "\"\\ud800\"", NULL, false},
	{"NUL in a key", "{\"a\\u0000\":1}", NULL, false},
	{"integer too large", "9223372036854775808", NULL, false},
	{"number too large", "1e999", NULL, false},
	{"a mark of bytes", "\xef\xbb\xbf{}", NULL, false},
	{"unknown form", "{\"$what\":1}", "the answer has a map with the key '$what', which this version does not know",
	 true},
	{"only a dollar", "{\"$\":1}", NULL, true},
	{"form with a neighbour", "{\"$unread\":true,\"a\":1}",
	 "the answer has a map with the key '$unread', which must be the only one of its map", true},
	{"neighbour with a form", "{\"a\":1,\"$unread\":true}", NULL, true},
	{"form deep down", "[{\"a\":[{\"$what\":1}]}]", NULL, true},
	{"deferred number", "{\"$deferred\":1}",
	 "the answer has a map with the key '$deferred', which must stand before a string", true},
	{"unread false", "{\"$unread\":false}", NULL, true},
	{"secret list", "{\"$secret\":[]}", NULL, true},
	{"segments string", "{\"$segments\":\"a\"}", NULL, true},
	{"segments map", "{\"$segments\":{}}", NULL, true},
	{"segments of numbers", "{\"$segments\":[1]}", NULL, true},
	{"segments of lists", "{\"$segments\":[[\"a\"]]}", NULL, true},
	{"segment with a neighbour", "{\"$segments\":[{\"$secret\":\"a\",\"b\":1}]}", NULL, true},
	{"segment of another form", "{\"$segments\":[{\"$deferred\":\"a\"}]}", NULL, true},
};

static void test_read_refuses(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++) {
		struct arena arena;
		struct diagnostics diagnostics;
		struct value value = value_text("untouched");

		arena_init(&arena);
		if (read_text(&arena, refused[i].text, refused[i].symbolic, &value, &diagnostics))
			fail_msg("%s: taken", refused[i].name);
		if (!slice_is(value_slice(&value), "untouched"))
			fail_msg("%s: changed what it refused", refused[i].name);
		if (diagnostics.count != 1 || diagnostics.error_count != 1)
			fail_msg("%s: %zu diagnostics", refused[i].name, diagnostics.count);
		if (!slice_starts_with(diagnostics.items[0].message, SLICE("the answer ")) ||
		    (refused[i].message && !slice_is(diagnostics.items[0].message, refused[i].message)))
			fail_msg("%s: %s", refused[i].name, diagnostics.items[0].message.data);
		diagnostics_release(&diagnostics);
		arena_release(&arena);
	}
}

/* Not symbolic: every key is taken as it is. */
static void test_read_plain(void **state)
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{"forms", "{\"$deferred\":\"a\",\"$secret\":1}"},
		{"one form", "{\"$secret\":\"a\"}"},
		{"a dollar", "{\"$\":1}"},
		{"two dollars", "{\"$$a\":1}"},
		{"NUL in a string", "[\"a\\u0000b\"]"},
		{"unknown form", "{\"$what\":[1]}"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct arena arena;
		struct diagnostics diagnostics;
		struct value value;

		arena_init(&arena);
		if (!read_text(&arena, rows[i].text, false, &value, &diagnostics))
			fail_msg("%s: %s", rows[i].name, diagnostics.items[0].message.data);
		if (value_has_secret(&value) || !slice_is(json_canonical(&arena, &value, &clear), rows[i].text))
			fail_msg("%s: %s", rows[i].name, json_canonical(&arena, &value, &clear).data);
		diagnostics_release(&diagnostics);
		arena_release(&arena);
	}
}

static void test_limits(void **state)
{
	static const struct {
		const char *name, *open, *middle, *close;
		size_t times, limit_bytes;
		const char *message; /* NULL: taken */
	} rows[] = {
		{"64 lists", "[", "", "]", 64, 128, NULL},
		{"a byte too many", "[", "", "]", 64, 127,
		 "the answer has 128 bytes, more than the 127 that are allowed"},
		{"65 lists", "[", "", "]", 65, 1000,
		 "the answer is nested more than 64 levels deep at line 1, column 65"},
		{"32 of each", "{\"a\":[", "", "]}", 32, 1000, NULL},
		{"33 of each", "{\"a\":\n[", "", "]}", 33, 1000,
		 "the answer is nested more than 64 levels deep at line 33, column 2"},
		{"brackets in strings", "[\"[[[[[[{{{{\\\"[[\\\\\",", "1", "]", 60, 10000, NULL},
		{"neighbours", "[[[],[]],", "1", "]", 62, 10000, NULL},
		{"a million", "[", "", "", 1000000, 1000000,
		 "the answer is nested more than 64 levels deep at line 1, column 65"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct arena arena;
		struct diagnostics diagnostics;
		struct value value;
		bool good;
		BUFFER_AUTO text;

		arena_init(&arena);
		diagnostics_init(&diagnostics, &arena);
		buffer_init(&text, 2000000);
		for (size_t k = 0; k < rows[i].times; k++)
			buffer_string(&text, rows[i].open);
		buffer_string(&text, rows[i].middle);
		for (size_t k = 0; k < rows[i].times; k++)
			buffer_string(&text, rows[i].close);
		good = json_read(&arena, buffer_slice(&text), true, rows[i].limit_bytes, "the answer", &value,
				 &diagnostics);
		if (good != (rows[i].message == NULL))
			fail_msg("%s: %s", rows[i].name, good ? "taken" : diagnostics.items[0].message.data);
		if (!good && !slice_is(diagnostics.items[0].message, rows[i].message))
			fail_msg("%s: %s", rows[i].name, diagnostics.items[0].message.data);
		diagnostics_release(&diagnostics);
		arena_release(&arena);
	}
}

/* Whatever the cap, what is written is a start of the whole text, and the answer tells the truth. */
static void test_write_cap(void **state)
{
	static const char text[] =
		"{\"a\":[1,-2.5,\"x\\n\",null,true],\"b\":{\"$deferred\":\"${c}\"},\"c\":{\"$segments\":"
		"[\"d\",{\"$secret\":\"\"}]},\"e\":{\"$unread\":true}}";
	struct arena arena;
	struct diagnostics diagnostics;
	struct value value;

	(void)state;
	arena_init(&arena);
	assert_true(read_text(&arena, text, true, &value, &diagnostics));
	for (size_t limit_bytes = 0; limit_bytes <= sizeof(text); limit_bytes++) {
		BUFFER_AUTO buffer;

		buffer_init(&buffer, limit_bytes);
		assert_int_equal(json_write(&buffer, &value, NULL), limit_bytes >= sizeof(text) - 1);
		assert_true(buffer.size <= limit_bytes);
		assert_true(slice_starts_with(SLICE(text), buffer_slice(&buffer)));
		assert_false(buffer.full && json_write(&buffer, &value, NULL));
	}
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

/* A plan of 70,000 resources is longer than any record, and a secret may be as long. */
static void test_canonical_long(void **state)
{
	enum { SIZE = 65 * 1024 * 1024 };
	struct arena arena;
	struct value text, list;

	(void)state;
	arena_init(&arena);
	text = value_string((struct slice){arena_get(&arena, SIZE), SIZE});
	memset((void *)(uintptr_t)text.text, 'a', SIZE);
	list = value_list(&text, 1);
	assert_int_equal(json_canonical(&arena, &list, NULL).size, SIZE + sizeof("[\"\"]") - 1);
	text.secret = true;
	assert_int_equal(json_canonical(&arena, &list, NULL).size, sizeof("[{\"$secret\":\"\"}]") - 1);
	arena_release(&arena);
}

/* What is sealed in memory equals what is read back from the record, and sealing twice changes nothing. */
static void test_seal(void **state)
{
	struct arena arena;
	struct diagnostics diagnostics;
	struct value read;
	struct segment segments[] = {{SLICE("user:"), false}, {SLICE("key"), true}};

	(void)state;
	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	struct value secret = value_text("x");
	secret.secret = true;
	struct value number = value_integer(7);
	number.secret = true;
	struct value items[] = {value_text("clear"), secret, number, value_segments(&arena, segments, 2)};
	struct value list = value_list(items, COUNT(items));
	struct value sealed = json_seal(&arena, &list, &marked);
	struct value again = json_seal(&arena, &sealed, &marked);
	struct slice text = json_canonical(&arena, &list, &marked);
	assert_true(json_read(&arena, text, true, 4096, "test", &read, &diagnostics));
	assert_true(value_equal(&sealed, &read));
	assert_false(value_equal(&sealed, &list));
	assert_true(slice_equal(json_canonical(&arena, &sealed, &marked), text));
	assert_true(slice_equal(json_canonical(&arena, &again, &marked), text));
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

/* The bytes that malloc() has from the system where it takes them in one piece; false where it does not. */
static bool find_heap(const char **ret_start, size_t *ret_bytes)
{
	char maps[64 * 1024];
	int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	ssize_t size = file >= 0 ? read(file, maps, sizeof(maps) - 1) : -1;
	unsigned long start;
	char *mark, *line;

	if (file >= 0)
		close(file);
	maps[size > 0 ? size : 0] = '\0';
	mark = strstr(maps, "[heap]");
	if (!mark)
		return false;
	*mark = '\0';
	line = strrchr(maps, '\n');
	start = strtoul(line ? line + 1 : maps, &line, 16);
	*ret_start = (const char *)start; // NOLINT(performance-no-int-to-ptr)
	*ret_bytes = strtoul(line + 1, NULL, 16) - start;
	return true;
}

/* What is read may be a key: once its reader has wiped it, it is nowhere. */
static void test_nothing_left(void **state)
{
	static const char half[] = "no text like this one";
	struct diagnostics diagnostics;
	struct arena arena, unsaid;
	size_t heap_bytes;
	const char *heap;
	struct value read;
	char text[256], known[64];

	(void)state;
	snprintf(known, sizeof(known), "%s, twice: %s", half, half);
	snprintf(text, sizeof(text), "{\"%s\": [\"%s\", {\"a\": \"%s\"}]}", known, known, known);
	arena_init(&arena);
	arena_init(&unsaid);
	diagnostics_init(&diagnostics, &unsaid);
	assert_true(json_read(&arena, slice_of(text), false, LIMIT_BYTES, "test", &read, &diagnostics));
	/* Under valgrind or a sanitizer memory comes from elsewhere, and what is freed may not be looked at. */
	bool seen = find_heap(&heap, &heap_bytes) && (const char *)read.members >= heap &&
		    (const char *)read.members < heap + heap_bytes;
	bool there = seen && memmem(heap, heap_bytes, known, strlen(known));
	arena_wipe(&arena);
	bool left = seen && memmem(heap, heap_bytes, known, strlen(known));
	diagnostics_release(&diagnostics);
	arena_release(&unsaid);
	if (!seen)
		skip();
	assert_true(there);
	assert_false(left);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),	       cmocka_unit_test(test_secret_scalars),
		cmocka_unit_test(test_seal),	       cmocka_unit_test(test_pretty),
		cmocka_unit_test(test_strings),	       cmocka_unit_test(test_strings_of_words),
		cmocka_unit_test(test_numbers),	       cmocka_unit_test(test_numbers_elsewhere),
		cmocka_unit_test(test_read_refuses),   cmocka_unit_test(test_read_plain),
		cmocka_unit_test(test_limits),	       cmocka_unit_test(test_write_cap),
		cmocka_unit_test(test_canonical_long), cmocka_unit_test(test_nothing_left),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
