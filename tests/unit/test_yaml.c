#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support_yaml.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
/* SLICE() for the rows of a table. */
#define TEXT(literal)                                                                                                  \
	{                                                                                                              \
		(literal), sizeof(literal) - 1                                                                         \
	}

/* Texts that are fine, and what they hold. */
static const struct good_row {
	const char *name, *text, *json;
} good_rows[] = {
	{"nothing", "", "null"},
	{"only a comment", "# nothing\n", "null"},
	{"only a marker", "---\n", "null"},
	{"a byte order mark",
	 "\xef\xbb\xbf"
	 "a: b\n",
	 "{\"a\":\"b\"}"},
	{"one document with both markers", "---\na: 1\n...\n", "{\"a\":1}"},
	{"a map", "a: b\nc: d\n", "{\"a\":\"b\",\"c\":\"d\"}"},
	{"flow", "{a: [1, two, {b: 3}], c: {}}", "{\"a\":[1,\"two\",{\"b\":3}],\"c\":{}}"},
	{"a list of maps", "- a: 1\n  b: 2\n- a: 3\n", "[{\"a\":1,\"b\":2},{\"a\":3}]"},
	{"nulls", "a: ~\nb: null\nc:\nd: Null\ne: NULL\n", "{\"a\":null,\"b\":null,\"c\":null,\"d\":null,\"e\":null}"},
	{"truths", "[true, True, TRUE, false, False, FALSE]", "[true,true,true,false,false,false]"},
	{"not quite truths", "[tRue, trues, nulls, ye, noo, of]",
	 "[\"tRue\",\"trues\",\"nulls\",\"ye\",\"noo\",\"of\"]"},
	{"integers", "[0, 1, -7, +7, 9223372036854775807, -9223372036854775808]",
	 "[0,1,-7,7,9223372036854775807,-9223372036854775808]"},
	{"other bases", "[0x1F, 0o17, 0xff]", "[31,15,255]"},
	{"almost other bases", "[0x, 0o8, 0b1, -0x1, 0xg]", "[\"0x\",\"0o8\",\"0b1\",\"-0x1\",\"0xg\"]"},
	{"floats", "[1.5, -0.25, .5, 2., 1e3, 1.5E-2, +.5]", "[1.5,-0.25,0.5,2.0,1000.0,0.015,0.5]"},
	{"almost floats", "[1.2.3, 1e, ., -, +, ..., 1_000, '1:30', 1.5x, e3]",
	 "[\"1.2.3\",\"1e\",\".\",\"-\",\"+\",\"...\",\"1_000\",\"1:30\",\"1.5x\",\"e3\"]"},
	{"ranges and dates are text", "[10.0.0.0/16, 2024-01-01, fd00::1, 1:30]",
	 "[\"10.0.0.0/16\",\"2024-01-01\",\"fd00::1\",\"1:30\"]"},
	{"quoted is text", "['1', \"true\", 'yes', \"~\", '', \"off\", '007']",
	 "[\"1\",\"true\",\"yes\",\"~\",\"\",\"off\",\"007\"]"},
	{"escapes", "\"a\\tb\\\"\\u00e9\\x41\\_\"",
	 "\"a\\tb\\\"\xc3\xa9"
	 "A\xc2\xa0\""},
	{"single quotes", "'it''s ${a} \"b\"'", "\"it's ${a} \\\"b\\\"\""},
	{"folded plain", "a: one\n  two\n  three\n", "{\"a\":\"one two three\"}"},
	{"same length when folded", "a: 'x\n  y'\n", "{\"a\":\"x y\"}"},
	{"block scalars", "a: |\n  x\n   y\nb: >-\n  p\n  q\nc: |\n  5\n",
	 "{\"a\":\"x\\n y\\n\",\"b\":\"p q\",\"c\":\"5\\n\"}"},
	{"a letter is text", "{y: n, N: [Y]}", "{\"N\":[\"Y\"],\"y\":\"n\"}"},
	{"keys are text", "1: a\ntrue: b\nyes: c\n2024-01-01: d\n",
	 "{\"1\":\"a\",\"2024-01-01\":\"d\",\"true\":\"b\",\"yes\":\"c\"}"},
	{"core tags", "[!!str 5, !!int '5', !!float 5, !!bool \"true\", !!null '', !!seq [a], !!map {a: b}, ! 5]",
	 "[\"5\",5,5.0,true,null,[\"a\"],{\"a\":\"b\"},\"5\"]"},
	{"anchors", "a: &x [1, 2]\nb: *x\nc: &s text\nd: *s\n",
	 "{\"a\":[1,2],\"b\":[1,2],\"c\":\"text\",\"d\":\"text\"}"},
	{"an anchor again", "- &x 1\n- *x\n- &x 2\n- *x\n", "[1,1,2,2]"},
	{"an anchored key", "&k a: 1\nb: *k\n", "{\"a\":1,\"b\":\"a\"}"},
	{"an alias as key", "- &k a\n- {*k : 1}\n", "[\"a\",{\"a\":1}]"},
	{"merge", "a: &d {x: 1, y: 2}\nb:\n  <<: *d\n  y: 3\n", "{\"a\":{\"x\":1,\"y\":2},\"b\":{\"x\":1,\"y\":3}}"},
	{"merge after own keys", "a: &d {x: 1, y: 2}\nb: {y: 3, <<: *d}\n",
	 "{\"a\":{\"x\":1,\"y\":2},\"b\":{\"x\":1,\"y\":3}}"},
	{"merge of several", "- &a {x: 1, y: 1}\n- &b {y: 2, z: 2}\n- <<: [*a, *b]\n  w: 0\n",
	 "[{\"x\":1,\"y\":1},{\"y\":2,\"z\":2},{\"w\":0,\"x\":1,\"y\":1,\"z\":2}]"},
	{"merge of a map in place", "{<<: {a: 1}, b: 2}", "{\"a\":1,\"b\":2}"},
	{"merge of merged", "- &a {x: 1}\n- &b {<<: *a, y: 2}\n- {<<: *b}\n",
	 "[{\"x\":1},{\"x\":1,\"y\":2},{\"x\":1,\"y\":2}]"},
	{"quoted << is a key", "{'<<': 1}", "{\"<<\":1}"},
	{"multibyte text", "\xc3\xa9: \xe2\x82\xac\n\xf0\x9f\x98\x80: [\xc3\xbc, 'x\xc3\xbcy']\n",
	 "{\"\xc3\xa9\":\"\xe2\x82\xac\",\"\xf0\x9f\x98\x80\":[\"\xc3\xbc\",\"x\xc3\xbcy\"]}"},
	{"CRLF", "a: 1\r\nb:\r\n  - x\r\n", "{\"a\":1,\"b\":[\"x\"]}"},
	{"a tab that is no indentation", "a:\t1\nb: [\t1,\t2 ]\t# x\n", "{\"a\":1,\"b\":[1,2]}"},
};

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(good_rows); i++) {
		struct reading reading;

		reading_start(&reading, slice_of(good_rows[i].text));
		if (!reading.good)
			fail_msg("%s: %.*s", good_rows[i].name, SLICE_ARGUMENTS(reading.diagnostics.items[0].message));
		assert_false(reading.tree.cut);
		if (strcmp(reading_json(&reading), good_rows[i].json) != 0)
			fail_msg("%s: %s", good_rows[i].name, reading_json(&reading));
		reading_end(&reading);
	}
}

/* Texts with a problem: where, what is said, and what is read all the same. */
static const struct bad_row {
	const char *name;
	struct slice text;
	unsigned line, column;
	const char *message;
	const char *hint;      /* part of it; NULL: none is expected */
	unsigned related_line; /* 0: none */
	const char *json;      /* what is left */
	bool cut;
} bad_rows[] = {
	{"a key twice", TEXT("a: 1\nb: 2\na: 3\n"), 3, 1, "'a' is given twice", "remove one", 1, "{\"a\":1,\"b\":2}",
	 false},
	{"a key twice in flow", TEXT("{a: 1, a: [x, z]}"), 1, 8, "'a' is given twice", "remove one", 1, "{\"a\":1}",
	 false},
	{"<< twice", TEXT("{<<: {a: 1}, <<: {b: 1}}"), 1, 14, "'<<' is given twice", "remove one", 1, "{\"a\":1}",
	 false},
	{"yes", TEXT("a: yes\n"), 1, 4, "'yes' could mean true or the text", "write true, or \"yes\"", 0,
	 "{\"a\":{\"$unread\":true}}", false},
	{"OFF", TEXT("a: OFF\n"), 1, 4, "'OFF' could mean false or the text", "write false, or \"OFF\"", 0,
	 "{\"a\":{\"$unread\":true}}", false},
	{"On", TEXT("[On]"), 1, 2, "'On' could mean true or the text", "in quotes", 0, "[{\"$unread\":true}]", false},
	{"a leading zero", TEXT("a: 0755\n"), 1, 4, "the leading zero of '0755' may mean octal or decimal", "0o", 0,
	 "{\"a\":{\"$unread\":true}}", false},
	{"too large an integer", TEXT("a: 9223372036854775808\n"), 1, 4,
	 "the number '9223372036854775808' is too large", "quotes", 0, "{\"a\":{\"$unread\":true}}", false},
	{"too large in hex", TEXT("a: 0x8000000000000000\n"), 1, 4, "the number '0x8000000000000000' is too large",
	 "quotes", 0, "{\"a\":{\"$unread\":true}}", false},
	{"too large a float", TEXT("a: 1e999\n"), 1, 4, "the number '1e999' is too large", "quotes", 0,
	 "{\"a\":{\"$unread\":true}}", false},
	{"infinity", TEXT("a: -.inf\n"), 1, 4, "'-.inf' is no number that can be used", "finite", 0,
	 "{\"a\":{\"$unread\":true}}", false},
	{"an unknown tag", TEXT("a: !ref b\nc: d\n"), 1, 4, "the tag '!ref' means nothing here", "leave the tag out", 0,
	 "{\"a\":{\"$unread\":true},\"c\":\"d\"}", false},
	{"an unknown core tag", TEXT("a: !!binary b\n"), 1, 4, "the tag '!!binary' means nothing here", "leave", 0,
	 "{\"a\":{\"$unread\":true}}", false},
	{"an unknown tag of a map", TEXT("a: !x {b: 1}\n"), 1, 4, "the tag '!x' means nothing here", "leave", 0,
	 "{\"a\":{\"b\":1}}", false},
	{"a tag that does not fit", TEXT("a: !!int x\n"), 1, 4, "this value is not what its tag '!!int' says",
	 "correct", 0, "{\"a\":{\"$unread\":true}}", false},
	{"a map tagged as list", TEXT("a: !!seq {b: 1}\n"), 1, 4, "this value is not what its tag '!!seq' says",
	 "correct", 0, "{\"a\":{\"b\":1}}", false},
	{"an undeclared tag handle", TEXT("a: !e!x b\n"), 1, 4, "this tag means nothing here", "quotes", 0, "{}", true},
	{"a tab", TEXT("a:\n\tb: 1\n"), 2, 1, "a tab cannot be used as indentation", "spaces", 0, "{}", true},
	{"a tab after spaces", TEXT("a:\n  b: 1\n \tc: 2\n"), 3, 2, "a tab cannot be used as indentation", "spaces", 2,
	 "{\"a\":{}}", true},
	{"a tab in a text", TEXT("a: one\n\ttwo: 1\n"), 2, 1, "a tab cannot be used as indentation", "spaces", 1, "{}",
	 true},
	{"no end of a list", TEXT("a: [1, 2\nb: 3\n"), 2, 2, "a ',' or the closing ']' of this list is missing", NULL,
	 1, "{\"a\":[1]}", true},
	{"no end of a map", TEXT("a: {b: 1\n"), 1, 9, "a ',' or the closing '}' of this map is missing", NULL, 0,
	 "{\"a\":{}}", true},
	{"no end of a text", TEXT("a: 1\nb: \"text\nc: 3\n"), 2, 4, "the quoted text that begins here has no end",
	 "close", 0, "{\"a\":1}", true},
	{"no colon", TEXT("a: 1\nb\nc: 3\n"), 3, 1, "there is no ':' behind this key", "key: value", 2, "{\"a\":1}",
	 true},
	{"a colon too many", TEXT("a: b: c\n"), 1, 5, "a ':' is not expected here", "quotes", 0, "{\"a\":\"b\"}", true},
	{"indentation", TEXT("a:\n  b: 1\n c: 2\n"), 3, 2, "this line fits no map or list that is open here", "indent",
	 1, "{\"a\":{}}", true},
	{"an expression in a map in flow", TEXT("a: {b: ${x.y}}\n"), 1, 9,
	 "a ',' or the closing '}' of this map is missing", "single quotes: '${...}'", 0, "{\"a\":{}}", true},
	{"an expression in a list in flow", TEXT("a: [1, ${x}]\n"), 1, 9,
	 "a ',' or the closing ']' of this list is missing", "single quotes: '${...}'", 0, "{\"a\":[1]}", true},
	{"an expression with a choice", TEXT("a: ${x ? \"a\" : \"b\"}\n"), 1, 14, "a ':' is not expected here",
	 "single quotes: '${...}'", 0, "{\"a\":\"${x ? \\\"a\\\"\"}", true},
	{"an expression with quotes in quotes", TEXT("a: \"\\\"${x ? \"a\" : 1}\"\n"), 1, 14,
	 "this line fits no map or list that is open here", "single quotes: '${...}'", 0, "{\"a\":\"\\\"${x ? \"}",
	 true},
	{"an expression with a sign in quotes", TEXT("a: \"${x == \"@\"}\"\n"), 1, 13, "text cannot begin with '@'",
	 "single quotes: '${...}'", 0, "{\"a\":\"${x == \"}", true},
	{"behind expressions that are whole", TEXT("a: {b: 'it''s ${x}', c: \"${y}\" z}\n"), 1, 32,
	 "a ',' or the closing '}' of this map is missing", NULL, 0, "{\"a\":{\"b\":\"it's ${x}\"}}", true},
	{"behind a comment on expressions", TEXT("a: 'b' # not ${x}\n c: 2\n"), 2, 2,
	 "this line fits no map or list that is open here", "indent", 1, "{\"a\":\"b\"}", true},
	{"at the end of a comment on expressions", TEXT("a: [1 # not ${x}"), 1, 17,
	 "a ',' or the closing ']' of this list is missing", NULL, 0, "{\"a\":[]}", true},
	{"an item too many", TEXT("a: - b\n"), 1, 4, "a '- ' is not expected here", "line of its own", 0, "{}", true},
	{"no item", TEXT("- a\nb: c\n"), 2, 1, "this line is no item of the list that is open here", "- ", 1, "[\"a\"]",
	 true},
	{"a text that cannot begin so", TEXT("a: @b\n"), 1, 4, "text cannot begin with '@'", "quotes", 0, "{}", true},
	{"an unknown escape", TEXT("a: \"\\q\"\n"), 1, 5, "this escape after '\\' is not known", "single quotes", 0,
	 "{}", true},
	{"a bad escape", TEXT("a: \"\\xZZ\"\n"), 1, 7, "this escape lacks hexadecimal digits", "\\xNN", 0, "{}", true},
	{"a second document", TEXT("a: 1\n---\nb: 2\n"), 2, 1, "a second document begins here", "file of its own", 0,
	 "{\"a\":1}", false},
	{"no anchor", TEXT("a: *x\n"), 1, 4, "there is no anchor '&x' before this alias", "quotes", 0,
	 "{\"a\":{\"$unread\":true}}", false},
	{"an alias within its anchor", TEXT("a: &x [*x]\n"), 1, 8, "the alias '*x' stands within what it repeats", NULL,
	 0, "{\"a\":[{\"$unread\":true}]}", false},
	{"a merge of text", TEXT("a: {<<: b}\n"), 1, 9, "'<<' takes a map or a list of maps, found a string",
	 "<<: *name", 0, "{\"a\":{}}", false},
	{"a merge of a list of texts", TEXT("a: {<<: [b]}\n"), 1, 10,
	 "'<<' takes a map or a list of maps, found a string", "<<: *name", 0, "{\"a\":{}}", false},
	{"a map as key", TEXT("{a: 1}: b\n"), 1, 1, "a key must be text, not a map", "quotes", 0, "{\"$unread\":true}",
	 false},
	{"a list as key", TEXT("a: 1\n? [b]\n: c\n"), 2, 3, "a key must be text, not a list", "quotes", 0, "{\"a\":1}",
	 false},
	{"an alias of a list as key", TEXT("- &x [1]\n- {*x : 1}\n"), 2, 4, "a key must be text", NULL, 0,
	 "[[1],{\"$unread\":true}]", false},
	{"an empty key", TEXT("? ''\n: 1\n"), 1, 3, "a key cannot be empty", NULL, 0, "{\"$unread\":true}", false},
	{"a key that is not there", TEXT("a: 1\n?\n: 2\n"), 2, 2, "a key is missing in front of this ':'", NULL, 0,
	 "{\"a\":1}", false},
	{"no key", TEXT("{: 1}"), 1, 2, "a value is missing here", NULL, 0, "{}", true},
	{"a NUL", TEXT("a: 1\nb: x\0y\n"), 2, 5, "there is a NUL byte in the text", "remove it", 0, "null", true},
	{"no UTF-8", TEXT("a: 1\nb: \xff\n"), 2, 4, "the byte 0xff is not UTF-8 text", "UTF-8", 0, "null", true},
	{"half a character", TEXT("a: \xe2\x82"), 1, 4, "the byte 0xe2 is not UTF-8 text", "UTF-8", 0, "null", true},
	{"a surrogate", TEXT("\xed\xa0\x80: 1"), 1, 1, "the byte 0xed is not UTF-8 text", "UTF-8", 0, "null", true},
	{"UTF-16",
	 TEXT("\xff\xfe"
	      "a\0:\0"),
	 1, 1, "the byte 0xff is not UTF-8 text", "UTF-8", 0, "null", true},
	{"a control character", TEXT("a: 1\nb: x\x07y\n"), 2, 5, "there is a control character in the text", "\\xNN", 0,
	 "null", true},
	{"DEL", TEXT("b: \x7f\n"), 1, 4, "there is a control character in the text", "\\xNN", 0, "null", true},
	{"columns count bytes", TEXT("\xc3\xa9: \xe2\x82\xac\nb: ['\xc3\xbc', yes]\n"), 2, 11,
	 "'yes' could mean true or the text", "quotes", 0,
	 "{\"b\":[\"\xc3\xbc\",{\"$unread\":true}],\"\xc3\xa9\":\"\xe2\x82\xac\"}", false},
	{"what came before is kept", TEXT("a: 1\nb:\n  x: {p: 1}\n  y: {p: 2}\n  z: {p: @}\n"), 5, 10,
	 "text cannot begin with '@'", "quotes", 0, "{\"a\":1,\"b\":{\"x\":{\"p\":1},\"y\":{\"p\":2}}}", true},
	{"what may lack a part is not", TEXT("a: 1\nb:\n  x:\n    p: 1\n  y:\n    p: 1\n   q: 2\n"), 7, 4,
	 "this line fits no map or list that is open here", "indent", 3, "{\"a\":1,\"b\":{\"x\":{\"p\":1}}}", true},
	{"%YAML 2", TEXT("%YAML 2.0\n---\na: 1\n"), 1, 1, "this version of YAML is not supported", "%YAML", 0, "null",
	 true},
};

/* What came of a row, in the terms of the row; NULL: what it expects. */
static const char *judge(const struct bad_row *row, struct reading *reading)
{
	const struct diag *diag = &reading->diagnostics.items[0];
	struct position position = diag->position;

	if (reading->diagnostics.count != 1)
		return arena_text(&reading->arena, "%zu diagnostics", reading->diagnostics.count);
	if (position.line != row->line || position.column != row->column || position.file != READING_FILE)
		return arena_text(&reading->arena, "at %u:%u", position.line, (unsigned)position.column);
	if (!slice_is(diag->message, row->message))
		return arena_text(&reading->arena, "says: %.*s", SLICE_ARGUMENTS(diag->message));
	if (row->hint ? !slice_contains(diag->hint, slice_of(row->hint)) : diag->hint.size > 0)
		return arena_text(&reading->arena, "hints: %.*s", SLICE_ARGUMENTS(diag->hint));
	if (diag->related.line != row->related_line)
		return arena_text(&reading->arena, "related to line %u", diag->related.line);
	if (strcmp(reading_json(reading), row->json) != 0)
		return arena_text(&reading->arena, "leaves: %s", reading_json(reading));
	return reading->tree.cut == row->cut ? NULL : "cut or not";
}

static void test_bad(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(bad_rows); i++) {
		struct reading reading;
		const char *verdict;

		reading_start(&reading, bad_rows[i].text);
		verdict = judge(&bad_rows[i], &reading);
		if (verdict)
			print_error("%s: %s\n", bad_rows[i].name, verdict);
		wrong += verdict ? 1 : 0;
		reading_end(&reading);
	}
	assert_int_equal(wrong, 0);
}

/* Where nodes stand: a path as value_path() takes it, or one to the map and then a key. */
static void test_positions(void **state)
{
	static const char text[] = "a: 1\n"
				   "bb:\n"
				   "  - x\n"
				   "  - {c: 'd'}\n"
				   "ccc:   \"q\"\n"
				   "\xc3\xa9\xc3\xa9: {k: v}\n";
	static const struct {
		const char *path, *key;
		unsigned line, column;
	} rows[] = {
		{"a", NULL, 1, 4},
		{"bb", NULL, 3, 3},
		{"bb.0", NULL, 3, 5},
		{"bb.1", NULL, 4, 5},
		{"bb.1.c", NULL, 4, 9},
		{"bb.1", "c", 4, 6},
		{"ccc", NULL, 5, 8},
		{"\xc3\xa9\xc3\xa9.k", NULL, 6, 11},
		{"\xc3\xa9\xc3\xa9", "k", 6, 8},
	};
	struct reading reading;

	(void)state;
	reading_start(&reading, slice_of(text));
	assert_true(reading.good);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct value *value = value_path(&reading.tree.root, rows[i].path);

		assert_non_null(value);
		for (size_t k = 0; rows[i].key && k < value->count; k++) {
			if (slice_is(value_slice(&value->members[k].key), rows[i].key)) {
				value = &value->members[k].key;
				break;
			}
		}
		if (value->position.line != rows[i].line || value->position.column != rows[i].column ||
		    value->position.file != READING_FILE)
			fail_msg("%s %s: %u:%u", rows[i].path, rows[i].key ? rows[i].key : "", value->position.line,
				 (unsigned)value->position.column);
	}
	reading_end(&reading);
}

/* What libyaml alone takes for the end of a line does not count: an editor shows other numbers. */
static void test_false_breaks(void **state)
{
	static const struct {
		const char *name;
		struct slice text;
		unsigned line, column; /* of the one that is refused */
	} rows[] = {
		{"none", TEXT("a: x\nb: 1\nc: [2, yes]\n"), 3, 8},
		{"CRLF", TEXT("a: x\r\nb: 1\r\nc: [2, yes]\r\n"), 3, 8},
		{"LS in a text", TEXT("a: 'x\xe2\x80\xa8 y'\nb: 1\nc: [2, yes]\n"), 3, 8},
		{"PS in a text", TEXT("a: 'x\xe2\x80\xa9y'\nb: 1\nc: [2, yes]\n"), 3, 8},
		{"NEL in a comment", TEXT("a: x # \xc2\x85# z\nb: 1\nc: [2, yes]\n"), 3, 8},
		{"on the same line", TEXT("a: 'x\xe2\x80\xa8'\nc: ['\xe2\x80\xa8\xe2\x80\xa8', yes]\n"), 2, 15},
		{"lone CR", TEXT("a: x\rb: 1\nc: [2, yes]\n"), 2, 8},
		{"other characters before",
		 TEXT("# \xc3\xa9\xc3\xa9\nb: '\xe2\x82\xac'\nc: ['\xf0\x9f\x98\x80', yes]\n"), 3, 13},
		{"other characters in the line before", TEXT("a: \xc3\xa9\nb: '\xe2\x82\xac'\nc: [2, yes]\n"), 3, 8},
		{"a comment before", TEXT("a: 1 # \xc3\xa9\n# \xc3\xa9\nc: [2, yes] # \xc3\xa9\n"), 3, 8},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct reading reading;
		struct position position;

		reading_start(&reading, rows[i].text);
		assert_int_equal(reading.diagnostics.count, 1);
		position = reading.diagnostics.items[0].position;
		if (position.line != rows[i].line || position.column != rows[i].column)
			fail_msg("%s: %u:%u", rows[i].name, position.line, (unsigned)position.column);
		reading_end(&reading);
	}
}

/* What is behind a mistake is read, too. */
static void test_all_are_told(void **state)
{
	static const struct {
		const char *name;
		struct slice text;
		size_t count;
		struct {
			unsigned line, column;
		} places[6];
	} rows[] = {
		{"a list as key", TEXT("? [a, no]\n: {b: yes}\nc: on\n"), 4, {{1, 3}, {1, 7}, {2, 7}, {3, 4}}},
		{"a map as key in flow", TEXT("a: {{x}: yes, b: on}\n"), 3, {{1, 5}, {1, 10}, {1, 18}}},
		{"keys within keys", TEXT("? {[a]: 1}\n: 2\n{b}: yes\n"), 3, {{1, 3}, {3, 1}, {3, 6}}},
		{"a template", TEXT("a: {{x}}\nb: off\n"), 2, {{1, 5}, {2, 4}}},
		{"an end within a key", TEXT("a: yes\n? [b, no\n"), 4, {{1, 4}, {2, 3}, {2, 7}, {2, 9}}},
		{"an anchor in a key", TEXT("? [&a b]\n: 1\nc: *a\n"), 1, {{1, 3}}},
		{"bytes that are none", TEXT("a: \xff\nb: \xe4\xe4x\n\0: 1\n"), 3, {{1, 4}, {2, 4}, {3, 1}}},
		{"the first of many",
		 TEXT("\xff.\xff.\0.\xff.\0.\xff.\0"),
		 5,
		 {{1, 1}, {1, 3}, {1, 5}, {1, 7}, {1, 9}}},
		{"half a character before another", TEXT("a: \xe2\x82\xc3\xa9\xc3"), 2, {{1, 4}, {1, 8}}},
		{"many as one", TEXT("a: \xff\xfe\xfd\0\0\0\xc3\xc3"), 1, {{1, 4}}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct reading reading;

		reading_start(&reading, rows[i].text);
		for (size_t k = 0; k < reading.diagnostics.count && k < rows[i].count; k++) {
			struct position place = reading.diagnostics.items[k].position;

			if (place.line != rows[i].places[k].line || place.column != rows[i].places[k].column)
				fail_msg("%s: number %zu is at %u:%u", rows[i].name, k + 1, place.line,
					 (unsigned)place.column);
		}
		if (reading.diagnostics.count != rows[i].count)
			fail_msg("%s: %zu diagnostics", rows[i].name, reading.diagnostics.count);
		reading_end(&reading);
	}
}

/* Texts point into the source; what had to be unescaped does not. */
static void test_no_copies(void **state)
{
	static const char text[] = "plain: 'quoted'\nescaped: \"a\\tb\"\n\xc3\xa9: z\n";
	struct reading reading;
	const struct value *value;

	(void)state;
	reading_start(&reading, slice_of(text));
	value = value_get_named(&reading.tree.root, "plain");
	assert_ptr_equal(value->text, text + 8);
	assert_int_equal(value->style, VALUE_STYLE_QUOTED);
	value = value_get_named(&reading.tree.root, "\xc3\xa9");
	assert_ptr_equal(value->text, strchr(text, 'z'));
	assert_int_equal(value->style, VALUE_STYLE_ANY);
	value = value_get_named(&reading.tree.root, "escaped");
	assert_true(value->text < text || value->text > text + sizeof(text));
	assert_false(reading.tree.shared);
	reading_end(&reading);
	reading_start(&reading, SLICE("- &a x\n- *a\n"));
	assert_true(reading.tree.shared);
	reading_end(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),	     cmocka_unit_test(test_bad),
		cmocka_unit_test(test_positions),    cmocka_unit_test(test_false_breaks),
		cmocka_unit_test(test_all_are_told), cmocka_unit_test(test_no_copies),
	};

	return cmocka_run_group_tests_name("yaml", tests, NULL, NULL);
}
