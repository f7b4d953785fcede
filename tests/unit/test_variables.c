#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/unit/support_load.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
/* SLICE() for the rows of a table. */
#define TEXT(literal)                                                                                                  \
	{                                                                                                              \
		(literal), sizeof(literal) - 1                                                                         \
	}

#define A "=== a.yaml\nstack: s\n"

/* Values of variables from outside, strongest first: the command line, the environment, the default. */
static void test_variables(void **state)
{
	static const char files[] =
		A "vars: {s: {type: string, default: d}, n: {type: integer}, b: {type: bool, default: "
		  "false}, l: {type: list, default: []}, m: {type: map, default: {}}, f: {type: "
		  "number, default: 1.5}, x: {type: any, default: ~}}\n"
		  "outputs: {s: \"${var.s}\", n: \"${var.n}\", b: \"${var.b}\", l: \"${var.l}\", m: "
		  "\"${var.m}\", f: \"${var.f}\"}\n";
	static const struct {
		const char *name;
		struct load_variable given[4];
		size_t given_count;
		const char *environment[7];
		const char *expected;
	} variable_rows[] = {
		{"defaults",
		 {{TEXT("n"), TEXT("1")}, {TEXT("x"), TEXT("1")}},
		 2,
		 {NULL},
		 "output s \"d\"\noutput n 1\noutput b false\noutput l []\noutput m {}\noutput f 1.5\n"},
		{"the command line wins",
		 {{TEXT("n"), TEXT("9")}, {TEXT("n"), TEXT("2")}, {TEXT("s"), TEXT("yes: [")}, {TEXT("x"), TEXT("")}},
		 4,
		 {"TRUEUP_VAR_n", "3", "TRUEUP_VAR_s", "e", NULL},
		 "output s \"yes: [\"\noutput n 2\noutput b false\noutput l []\noutput m {}\noutput f 1.5\n"},
		{"the environment",
		 {{TEXT("f"), TEXT("3")}, {TEXT("m"), TEXT("{\"k\": [\"v\", 1]}")}},
		 2,
		 {"TRUEUP_VAR_n", "-7", "TRUEUP_VAR_l", "[\"a\", \"b\"]", "TRUEUP_VAR_b", "true", NULL},
		 "output s \"d\"\noutput n -7\noutput b true\noutput l [\"a\",\"b\"]\noutput m "
		 "{\"k\":[\"v\",1]}\noutput f 3\n"},
		{"wrong types",
		 {{TEXT("n"), TEXT("x")}, {TEXT("l"), TEXT("[")}},
		 2,
		 {"TRUEUP_VAR_b", "yes", NULL},
		 "a.yaml:2:39: the value of 'n' on the command line is not of its type, 'integer': found a text (a "
		 "whole number is given in digits, such as 15 or -1)\n"
		 "a.yaml:2:59: the value of 'b' in the environment is not of its type, 'bool': found a text (it is "
		 "given as true or false)\n"
		 "a.yaml:2:92: the value of 'l' on the command line is not of its type, 'list': found a text, which is "
		 "not valid JSON at line 1, column 1: the text ends too early (a list is given as JSON, such as "
		 "[\"a\", \"b\"])\n"},
		{"JSON of another type",
		 {{TEXT("n"), TEXT("1.5")}, {TEXT("l"), TEXT("{}")}, {TEXT("m"), TEXT("[a]")}},
		 3,
		 {"TRUEUP_VAR_f", "null", "TRUEUP_VAR_s", "a\xff", NULL},
		 "a.yaml:2:8: the value of 's' in the environment is not of its type, 'string': found bytes that are "
		 "not "
		 "UTF-8 (a value is text in UTF-8; what is none may be given in Base64)\n"
		 "a.yaml:2:39: the value of 'n' on the command line is not of its type, 'integer': found a number (a "
		 "whole number is given in digits, such as 15 or -1)\n"
		 "a.yaml:2:92: the value of 'l' on the command line is not of its type, 'list': found a map (a list is "
		 "given as JSON, such as [\"a\", \"b\"])\n"
		 "a.yaml:2:122: the value of 'm' on the command line is not of its type, 'map': found a text, which is "
		 "not valid JSON at line 1, column 2: something here is no JSON (a map is given as JSON, such as "
		 "{\"name\": \"value\"})\n"
		 "a.yaml:2:151: the value of 'f' in the environment is not of its type, 'number': found null (a number "
		 "is given in digits, such as 15 or 1.5)\n"},
		{"unknown",
		 {{TEXT("n"), TEXT("1")}, {TEXT("lmn"), TEXT("1")}, {TEXT("ss"), TEXT("1")}},
		 3,
		 {NULL},
		 "a value is given for 'lmn', but the stack has no such variable\n"
		 "a value is given for 'ss', but the stack has no such variable\n"},
	};
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(variable_rows); i++) {
		const struct load_options options = {.variables = variable_rows[i].given,
						     .variable_count = variable_rows[i].given_count};
		struct loaded loaded;
		struct folder folder;
		const char *text;

		folder_init(&folder, files);
		folder.environment = variable_rows[i].environment;
		loaded_start(&loaded, &folder, &options);
		text = loaded_text(&loaded);
		if (strcmp(text, variable_rows[i].expected) != 0) {
			print_error("%s:\n%s", variable_rows[i].name, text);
			wrong++;
		}
		loaded_end(&loaded);
	}
	assert_int_equal(wrong, 0);
}

/* A shell can export no name that has a '-'. */
static void test_names_of_the_environment(void **state)
{
	static const struct {
		const char *name;
		const char *files;
		struct load_variable given;
		const char *environment[5];
		const char *expected;
	} rows[] = {
		{"with '_' for '-'",
		 A "vars: {a-b-c: {secret: true}, d: 1}\noutputs: {o: \"${var.d}\"}\n",
		 {TEXT("d"), TEXT("2")},
		 {"TRUEUP_VAR_a_b_c", "x", NULL},
		 "output o 2\n"},
		{"the name itself wins",
		 A "vars: {a-b: x, a_b: y}\noutputs: {o: \"${var.a-b}\", p: \"${var.a_b}\"}\n",
		 {TEXT("a_b"), TEXT("w")},
		 {"TRUEUP_VAR_a_b", "z", "TRUEUP_VAR_a-b", "v", NULL},
		 "output o \"v\"\noutput p \"w\"\n"},
		{"of two names",
		 A "vars: {a-b: x, d: 1, a_b: y}\n",
		 {TEXT("d"), TEXT("2")},
		 {"TRUEUP_VAR_a_b", "z", NULL},
		 "a.yaml:2:22: TRUEUP_VAR_a_b in the environment may be meant for 'a-b' and for 'a_b' (give one of "
		 "them another name, or a value with --var where that is no secret) <a.yaml:2:8>\n"},
		{"of two names with '-'",
		 A "vars: {d: 1, a_b-c: x, a-b_c: y}\n",
		 {TEXT("d"), TEXT("2")},
		 {"TRUEUP_VAR_a_b_c", "z", NULL},
		 "a.yaml:2:24: TRUEUP_VAR_a_b_c in the environment may be meant for 'a_b-c' and for 'a-b_c' (give "
		 "one of them another name, or a value with --var where that is no secret) <a.yaml:2:14>\n"},
		{"without a value",
		 A "vars: {a-b: {}, c-d: {secret: true}, e: 1}\n",
		 {TEXT("e"), TEXT("2")},
		 {"TRUEUP_VAR_a_c", "z", NULL},
		 "a.yaml:2:8: the variable 'a-b' has no value (give it a default, or run with --var a-b=VALUE or "
		 "TRUEUP_VAR_a_b=VALUE)\n"
		 "a.yaml:2:17: the variable 'c-d' has no value (it is secret: give it in the environment, as "
		 "TRUEUP_VAR_c_d)\n"},
	};
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct load_options options = {.variables = &rows[i].given, .variable_count = 1};
		struct loaded loaded;
		struct folder folder;
		const char *text;

		folder_init(&folder, rows[i].files);
		folder.environment = rows[i].environment;
		loaded_start(&loaded, &folder, &options);
		text = loaded_text(&loaded);
		if (strcmp(text, rows[i].expected) != 0) {
			print_error("%s:\n%s", rows[i].name, text);
			wrong++;
		}
		loaded_end(&loaded);
	}
	assert_int_equal(wrong, 0);
}

/* Texts that YAML would cut, join, read as something else or not read at all. */
static void test_texts(void **state)
{
	static const char *const declared[] = {"{}",
					       "{secret: true}",
					       "{type: any, default: 5}",
					       "{type: string}",
					       "hello",
					       "{default: hello, secret: true}"};
	static const char *const texts[] = {
		"",
		" ",
		"#hunter2x",
		"hunter2x #two",
		"~",
		"&abc",
		"*abc",
		"!x",
		"@x",
		"%x",
		"`x`",
		"[a",
		"{a",
		"- a",
		"? a",
		"a: b",
		"{a: b}",
		"[a, b]",
		"yes",
		"NO",
		"True",
		"NULL",
		"\"quoted\"",
		"'quoted'",
		" lead",
		"trail ",
		" 5",
		"5\n",
		"007",
		"+5",
		"-0",
		"0x1f",
		"1.10",
		"12e3",
		"2e5",
		"1_000",
		".5",
		".inf",
		"1:30",
		"2026-01-02",
		"1e400",
		"99999999999999999999",
		"line one\nline two",
		"line\n\n\nline\n",
		"#!/bin/sh\necho hi\n",
		"ssh-rsa AAAA comment # host",
		"-----BEGIN KEY-----\nAAA=\n-----END KEY-----\n",
		"a\tb\r\nc",
		"---",
		"...",
		"a\n---\nb",
		"${var.v}",
		"$${v}",
		"{\"a\": 1, \"a\": 2}",
		"[1] # one",
		"[1,]",
		"true # yes",
		"\xc3\xa9\xe2\x82\xac",
	};
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(declared) * COUNT(texts); i++) {
		struct load_variable given = {TEXT("v"), slice_of(texts[i / COUNT(declared)])};
		const struct load_options options = {.variables = &given, .variable_count = 1};
		const char *how = declared[i % COUNT(declared)];
		struct loaded loaded;
		struct folder folder;
		char files[128];

		snprintf(files, sizeof(files), A "vars: {v: %s}\noutputs: {o: \"${var.v}\"}\n", how);
		folder_init(&folder, files);
		loaded_start(&loaded, &folder, &options);
		if (!loaded.good || !slice_equal(value_slice(&loaded.stack.outputs[0].value), given.value)) {
			print_error("%s '%s': %s\n", how, texts[i / COUNT(declared)], loaded_text(&loaded));
			wrong++;
		}
		loaded_end(&loaded);
	}
	assert_int_equal(wrong, 0);
}

/* What comes of a text by what is declared: its type, or else that of the default. */
static void test_meaning(void **state)
{
	static const struct {
		const char *declared, *text, *expected;
	} meaning_rows[] = {
		{"{}", "5", "output o 5\n"},
		{"{}", "-1.5", "output o -1.5\n"},
		{"{}", "true", "output o true\n"},
		{"{}", "null", "output o null\n"},
		{"{}", " [1, {\"a\": null}]\n", "output o [1,{\"a\":null}]\n"},
		{"{default: ~}", "{\"a\": [\"b\"]}", "output o {\"a\":[\"b\"]}\n"},
		{"{type: any, default: hello}", "5", "output o 5\n"},
		{"hello", "5", "output o \"5\"\n"},
		{"hello", "null", "output o \"null\"\n"},
		{"{default: 3}", "5", "output o 5\n"},
		{"3", "1.5", "output o 1.5\n"},
		{"1.5", "3", "output o 3\n"},
		{"false", "true", "output o true\n"},
		{"{default: [a]}", "[]", "output o []\n"},
		{"{default: {a: b}}", "{\"c\": 1}", "output o {\"c\":1}\n"},
		{"{default: false, secret: true}", "hunter2x",
		 "a.yaml:2:8: the value of 'v' on the command line is not of the type of its default, 'bool': found a "
		 "text (it is given as true or false; where it may be something else, declare 'type: any')\n"},
		{"3", "\"4\"",
		 "a.yaml:2:8: the value of 'v' on the command line is not of the type of its default, 'number': found "
		 "a "
		 "string (a number is given in digits, such as 15 or 1.5; where it may be something else, declare "
		 "'type: any')\n"},
	};
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(meaning_rows); i++) {
		struct load_variable given = {TEXT("v"), slice_of(meaning_rows[i].text)};
		const struct load_options options = {.variables = &given, .variable_count = 1};
		struct loaded loaded;
		struct folder folder;
		const char *text;
		char files[128];

		snprintf(files, sizeof(files), A "vars: {v: %s}\noutputs: {o: \"${var.v}\"}\n",
			 meaning_rows[i].declared);
		folder_init(&folder, files);
		loaded_start(&loaded, &folder, &options);
		text = loaded_text(&loaded);
		if (strcmp(text, meaning_rows[i].expected) != 0) {
			print_error("%s '%s':\n%s", meaning_rows[i].declared, meaning_rows[i].text, text);
			wrong++;
		}
		loaded_end(&loaded);
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_names_of_the_environment),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_meaning),
	};

	return cmocka_run_group_tests_name("variables", tests, NULL, NULL);
}
