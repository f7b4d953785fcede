#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "reconcile/schema.h"
#include "tests/unit/support_kinds.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

struct bench {
	struct arena arena;
	struct diagnostics diagnostics;
};

static void bench_start(struct bench *bench)
{
	arena_init(&bench->arena);
	diagnostics_init(&bench->diagnostics, &bench->arena);
}

static void bench_end(struct bench *bench)
{
	diagnostics_release(&bench->diagnostics);
	arena_release(&bench->arena);
}

static struct value read_json(struct bench *bench, const char *text)
{
	struct value value;

	if (!json_read(&bench->arena, slice_of(text), true, 65536, "the row", &value, &bench->diagnostics))
		fail_msg("%s: %.*s", text, SLICE_ARGUMENTS(bench->diagnostics.items[0].message));
	return value;
}

static const char *write_json(struct bench *bench, const struct value *value)
{
	static const struct json_style style = {.clear = false};

	return arena_string(&bench->arena, json_canonical(&bench->arena, value, &style));
}

/* What a service answered for a field, and its canonical form. */
static const struct answer_row {
	const struct kind *kind;
	const char *field, *given, *canonical;
} answer_rows[] = {
	{&support_vpc, "cidr", "\"10.0.0.0/16\"", "\"10.0.0.0/16\""},
	{&support_vpc, "cidr", "\"10.0.0.1/16\"", "\"10.0.0.0/16\""},
	{&support_vpc, "cidr", "\"nonsense\"", "\"nonsense\""},
	{&support_vpc, "cidr", "\"auto/16\"", "\"auto/16\""},
	{&support_vpc, "cidr", "[1]", "[1]"},
	{&support_vpc, "cidr", "{\"$unread\":true}", "{\"$unread\":true}"},
	{&support_vpc, "cidr", "{\"$deferred\":\"${a.b.c}\"}", "{\"$deferred\":\"${a.b.c}\"}"},
	{&support_vpc, "cidr6", "\"FD00:0:0::/48\"", "\"fd00::/48\""},
	{&support_vpc, "ranges", "[\"fd00:0::/64\",\"10.1.0.0/16\",\"10.0.0.0/16\",\"fd00::/64\"]",
	 "[\"10.0.0.0/16\",\"10.1.0.0/16\",\"fd00::/64\"]"},
	{&support_vpc, "ranges", "[\"10.0.0.0/16\",{\"$unread\":true}]", "[\"10.0.0.0/16\",{\"$unread\":true}]"},
	{&support_vpc, "ranges", "\"10.0.0.0/16\"", "\"10.0.0.0/16\""},
	{&support_vpc, "dns", "\"true\"", "true"},
	{&support_vpc, "dns", "\"false\"", "false"},
	{&support_vpc, "dns", "\"maybe\"", "\"maybe\""},
	{&support_vpc, "tags", "{\"b\":\"1\",\"a\":null}", "{\"b\":\"1\"}"},
	{&support_subnet, "size", "\"42\"", "42"},
	{&support_subnet, "size", "4.0", "4"},
	{&support_subnet, "size", "4.5", "4.5"},
	{&support_subnet, "size", "7000", "7000"},
	{&support_subnet, "size", "\"0x10\"", "\"0x10\""},
	{&support_subnet, "weight", "\"0.5\"", "0.5"},
	{&support_subnet, "weight", "2.0", "2"},
	{&support_subnet, "weight", "3", "3"},
	{&support_subnet, "weight", "\"inf\"", "\"inf\""},
	{&support_subnet, "weight", "\"0x1p3\"", "\"0x1p3\""},
	{&support_subnet, "zone", "\"delta\"", "\"delta\""},
	{&support_group, "rules",
	 "[{\"protocol\":\"udp\",\"port\":\"53\",\"cidr\":\"FD00::/"
	 "8\",\"direction\":\"in\"},{\"protocol\":\"tcp\",\"note\":null}]",
	 "[{\"cidr\":\"fd00::/8\",\"port\":53,\"protocol\":\"udp\"},{\"protocol\":\"tcp\"}]"},
	{&support_gateway, "policy", "\"{ \\\"b\\\": 1, \\\"a\\\": [2] }\"", "\"{\\\"a\\\":[2],\\\"b\\\":1}\""},
	{&support_gateway, "policy", "{\"b\":1,\"a\":[2]}", "\"{\\\"a\\\":[2],\\\"b\\\":1}\""},
	{&support_gateway, "policy", "\"no json\"", "\"no json\""},
	{&support_gateway, "policy", "{\"a\":{\"$unread\":true}}", "{\"a\":{\"$unread\":true}}"},
	{&support_gateway, "address", "\"FD00:0::1\"", "\"fd00::1\""},
	{&support_gateway, "address", "\"10.0.0.1\"", "\"10.0.0.1\""},
	{&support_gateway, "password", "\"x\"", "{\"$secret\":\"\"}"},
	{&support_gateway, "password", "{\"$segments\":[\"x-\",{\"$secret\":\"y\"}]}",
	 "{\"$segments\":[\"x-\",{\"$secret\":\"y\"}]}"},
	{&support_gateway, "options", "{\"mode\":\"m\",\"secret\":\"s\",\"other\":1}",
	 "{\"mode\":\"m\",\"secret\":{\"$secret\":\"\"}}"},
	{&support_gateway, "subnets", "[\"subnet-2\",\"subnet-1\",\"subnet-2\"]",
	 "[\"subnet-2\",\"subnet-1\",\"subnet-2\"]"},
};

static void test_answers(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(answer_rows); i++) {
		const struct answer_row *row = &answer_rows[i];
		const struct field *field = field_named(&row->kind->fields, slice_of(row->field));
		struct value given, canonical, again;
		struct bench bench;

		bench_start(&bench);
		given = read_json(&bench, row->given);
		canonical = schema_canonical(field, &given, &bench.arena);
		again = schema_canonical(field, &canonical, &bench.arena);
		if (strcmp(write_json(&bench, &canonical), row->canonical) != 0) {
			print_error("%s %s: %s\n", row->field, row->given, write_json(&bench, &canonical));
			wrong++;
		}
		/* Canonical is canonical. */
		assert_true(value_equal(&canonical, &again));
		bench_end(&bench);
	}
	assert_int_equal(wrong, 0);
}

static void test_answer_fields(void **state)
{
	struct value given, canonical;
	struct bench bench;

	(void)state;
	bench_start(&bench);
	given = read_json(&bench, "{\"cidr\":\"10.0.0.0/16\",\"state\":\"available\",\"dns\":\"true\",\"tags\":null,"
				  "\"ranges\":{\"$unread\":true}}");
	canonical = schema_canonical_fields(&support_vpc.fields, &given, &bench.arena);
	assert_string_equal(write_json(&bench, &canonical),
			    "{\"cidr\":\"10.0.0.0/16\",\"dns\":true,\"ranges\":{\"$unread\":true}}");
	given = read_json(&bench, "{\"$unread\":true}");
	canonical = schema_canonical_fields(&support_vpc.fields, &given, &bench.arena);
	assert_int_equal(canonical.type, VALUE_UNREAD);
	bench_end(&bench);
}

/* What a user gave: the canonical form, or every message in one line. */
static const struct given_row {
	const char *name;
	const struct kind *kind;
	const char *given, *result;
} given_rows[] = {
	{"canonical as it is", &support_vpc, "{\"cidr\":\"10.0.0.0/16\",\"tags\":{\"a\":\"b\"}}",
	 "{\"cidr\":\"10.0.0.0/16\",\"tags\":{\"a\":\"b\"}}"},
	{"null is unset", &support_vpc, "{\"cidr\":\"10.0.0.0/16\",\"dns\":null,\"tags\":{\"a\":null}}",
	 "{\"cidr\":\"10.0.0.0/16\",\"tags\":{}}"},
	{"what XML cannot carry", &support_vpc, "{\"cidr\":\"10.0.0.0/16\",\"tags\":{\"a\":\"x\\u0001\"}}",
	 "'tags' has a character that no service takes, 0x01 at byte 2; "},
	{"what XML cannot carry, in a key", &support_vpc, "{\"cidr\":\"10.0.0.0/16\",\"tags\":{\"\\uffff\":\"x\"}}",
	 "'tags' has a character that no service takes, 0xef at byte 1; "},
	{"tabs and line breaks", &support_vpc, "{\"cidr\":\"10.0.0.0/16\",\"tags\":{\"a\":\"\\t\\r\\n\"}}",
	 "{\"cidr\":\"10.0.0.0/16\",\"tags\":{\"a\":\"\\t\\r\\n\"}}"},
	{"a document escapes what it holds", &support_gateway, "{\"policy\":{\"a\":\"\\u0001\"}}",
	 "{\"policy\":\"{\\\"a\\\":\\\"\\\\u0001\\\"}\"}"},
	{"null is missing", &support_vpc, "{\"cidr\":null}", "net.vpc needs the field 'cidr'; "},
	{"deferred and unread pass", &support_subnet,
	 "{\"vpc\":{\"$deferred\":\"${x}\"},\"size\":{\"$deferred\":\"${z}\"},\"zone\":{\"$unread\":true}}",
	 "{\"size\":{\"$deferred\":\"${z}\"},\"vpc\":{\"$deferred\":\"${x}\"},\"zone\":{\"$unread\":true}}"},
	{"deferred items", &support_vpc,
	 "{\"cidr\":\"10.0.0.0/16\",\"ranges\":[{\"$deferred\":\"${x}\"},\"10.1.0.0/16\",{\"$deferred\":\"${x}\"}]}",
	 "{\"cidr\":\"10.0.0.0/16\",\"ranges\":[\"10.1.0.0/16\",{\"$deferred\":\"${x}\"}]}"},
	{"digits that are not quoted are a number", &support_subnet, "{\"vpc\":\"v\",\"size\":\"8\"}",
	 "{\"size\":8,\"vpc\":\"v\"}"},
	{"all messages", &support_subnet, "{\"size\":[],\"zone\":\"x\",\"tag\":{},\"cidr\":\"10.0.0.1/24\"}",
	 "'size' expects a whole number, found a list; 'zone' cannot be 'x'; net.subnet has no field 'tag'; "
	 "'cidr' has bits set beyond its length: '10.0.0.1/24'; net.subnet needs the field 'vpc'; "},
	{"no truth as text", &support_vpc, "{\"cidr\":\"10.0.0.0/16\",\"dns\":\"true\"}",
	 "'dns' expects true or false, found a string; "},
	{"bounds", &support_subnet, "{\"vpc\":\"v\",\"size\":1,\"weight\":1.5,\"label\":\"a\"}",
	 "'size' cannot be 1; 'weight' is out of bounds; 'label' cannot have 1 character; "},
	{"bounds reached", &support_subnet, "{\"vpc\":\"v\",\"size\":100,\"weight\":1,\"label\":\"abcdefgh\"}",
	 "{\"label\":\"abcdefgh\",\"size\":100,\"vpc\":\"v\",\"weight\":1}"},
	{"a lower bound alone", &support_gateway, "{\"subnets\":[]}", "'subnets' cannot have 0 items; "},
	{"a lower bound alone, reached", &support_gateway, "{\"subnets\":[\"s\"]}", "{\"subnets\":[\"s\"]}"},
	{"nested", &support_gateway, "{\"options\":{\"mod\":\"x\",\"secret\":[1]}}",
	 "'options' has no field 'mod'; 'secret' expects a string, found a list; "},
	{"a null item", &support_gateway, "{\"subnets\":[null]}",
	 "'subnets' expects a reference to 'net.subnet', found null; "},
	{"exclusive", &support_group, "{\"vpc\":\"v\",\"peer\":\"p\"}",
	 "net.group cannot have both 'vpc' and 'peer'; "},
	{"exclusive, one null", &support_group, "{\"vpc\":\"v\",\"peer\":null}", "{\"vpc\":\"v\"}"},
	{"one of each item", &support_group,
	 "{\"rules\":[{\"protocol\":\"tcp\"},{\"protocol\":\"udp\",\"cidr\":\"10.0.0.0/8\"},5]}",
	 "'rules' expects a map, found a whole number; 'rules' needs one of 'group', 'cidr'; "},
	{"items with one key", &support_group,
	 "{\"rules\":[{\"protocol\":\"tcp\",\"cidr\":\"fd00:0::/"
	 "8\",\"note\":\"a\"},{\"protocol\":\"tcp\",\"cidr\":\"fd00::/8\"}]}",
	 "'rules' has two different entries for 'tcp fd00::/8'; "},
	{"items with one key and one content", &support_group,
	 "{\"rules\":[{\"protocol\":\"tcp\",\"cidr\":\"fd00:0::/8\"},{\"protocol\":\"tcp\",\"cidr\":\"fd00::/8\"}]}",
	 "{\"rules\":[{\"cidr\":\"fd00::/8\",\"protocol\":\"tcp\"}]}"},
	{"no map", &support_vpc, "[1]", "net.vpc expects a map of fields, found a list; "},
	{"a secret is not shown", &support_gateway, "{\"password\":5}",
	 "'password' expects a string, found a whole number; "},
};

static const char *check_given(struct bench *bench, const struct given_row *row)
{
	struct value given = read_json(bench, row->given);
	struct value canonical = value_text("untouched");
	BUFFER_AUTO text;

	buffer_init(&text, 65536);
	if (schema_check(row->kind, &given, &bench->arena, &canonical, &bench->diagnostics)) {
		assert_int_equal(bench->diagnostics.count, 0);
		return write_json(bench, &canonical);
	}
	assert_true(slice_is(value_slice(&canonical), "untouched"));
	for (size_t i = 0; i < bench->diagnostics.count; i++)
		buffer_format(&text, "%.*s; ", SLICE_ARGUMENTS(bench->diagnostics.items[i].message));
	return arena_string(&bench->arena, buffer_slice(&text));
}

static void test_given(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(given_rows); i++) {
		const char *result;
		struct bench bench;

		bench_start(&bench);
		result = check_given(&bench, &given_rows[i]);
		if (strcmp(result, given_rows[i].result) != 0) {
			print_error("%s: %s\n", given_rows[i].name, result);
			wrong++;
		}
		bench_end(&bench);
	}
	assert_int_equal(wrong, 0);
}

/* What a service keeps nothing for is the same as not to set the field, whoever says it. */
static const struct field empty_text = {.type = FIELD_STRING};
static const struct field empty_members[] = {
	{.name = "group", .type = FIELD_STRING, .when_unset = UNSET_CLEAR},
	{.name = "value", .type = FIELD_STRING, .flags = REQUIRED},
};
static const struct field empty_item = {.type = FIELD_OBJECT, .members = FIELDS(empty_members)};
static const struct field empty_object = {.type = FIELD_OBJECT,
					  .members = {empty_members, 1, sizeof(empty_members[0])}};
static const struct field empty_fields[] = {
	{.name = "note", .type = FIELD_STRING, .when_unset = UNSET_CLEAR},
	{.name = "name",
	 .type = FIELD_STRING,
	 .when_unset = UNSET_RELEASE,
	 .pattern = "[a-z]+",
	 .in_words = "small letters"},
	{.name = "limit", .type = FIELD_INTEGER, .when_unset = UNSET_CLEAR, .none = "0"},
	{.name = "count", .type = FIELD_INTEGER, .when_unset = UNSET_CLEAR},
	{.name = "left_out", .type = FIELD_BOOL, .when_unset = UNSET_CLEAR, .none = "false"},
	{.name = "on", .type = FIELD_BOOL, .when_unset = UNSET_CLEAR},
	{.name = "list", .type = FIELD_LIST, .when_unset = UNSET_RELEASE, .item = &empty_text},
	{.name = "policies",
	 .type = FIELD_LIST,
	 .when_unset = UNSET_CONSTANT,
	 .unset_value = "[\"Default\"]",
	 .item = &empty_text},
	{.name = "routes", .type = FIELD_SET, .when_unset = UNSET_CONSTANT, .unset_value = "[]", .item = &empty_text},
	{.name = "rules", .type = FIELD_SET, .flags = SETTLES, .when_unset = UNSET_RELEASE, .item = &empty_item},
	{.name = "place",
	 .type = FIELD_OBJECT,
	 .members = {empty_members, 1, sizeof(empty_members[0])},
	 .when_unset = UNSET_CLEAR},
	{.name = "places", .type = FIELD_LIST, .when_unset = UNSET_CLEAR, .item = &empty_object},
	{.name = "tags", .type = FIELD_MAP, .when_unset = UNSET_CONSTANT, .unset_value = "{}", .item = &empty_text},
};
static const struct fields empty_table = FIELDS(empty_fields);
static const struct empty_row {
	const char *given, *canonical;
} empty_rows[] = {
	{"{\"note\":\"\"}", "{}"},
	{"{\"name\":\"\"}", "'name' cannot be ''"},
	{"{\"limit\":0}", "{}"},
	{"{\"count\":0}", "{\"count\":0}"},
	{"{\"left_out\":false}", "{}"},
	{"{\"left_out\":true}", "{\"left_out\":true}"},
	{"{\"on\":false}", "{\"on\":false}"},
	{"{\"list\":[]}", "{}"},
	{"{\"list\":[\"\"]}", "{\"list\":[\"\"]}"},
	{"{\"policies\":[]}", "{}"},
	{"{\"routes\":[]}", "{\"routes\":[]}"},
	{"{\"rules\":[]}", "{\"rules\":[]}"},
	{"{\"rules\":[{\"group\":\"\",\"value\":\"\"}]}", "{\"rules\":[{\"value\":\"\"}]}"},
	{"{\"place\":{}}", "{}"},
	{"{\"place\":{\"group\":\"\"}}", "{}"},
	{"{\"places\":[{\"group\":\"\"}]}", "{\"places\":[{}]}"},
	{"{\"tags\":{\"a\":\"\"}}", "{\"tags\":{\"a\":\"\"}}"},
	{"{\"tags\":{}}", "{\"tags\":{}}"},
};

static void test_empty(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(empty_rows); i++) {
		const struct empty_row *row = &empty_rows[i];
		bool refused = row->canonical[0] != '{';
		struct value given, canonical;
		struct bench bench;

		bench_start(&bench);
		given = read_json(&bench, row->given);
		if (schema_check_fields(&empty_table, "it", &given, &bench.arena, &canonical, &bench.diagnostics))
			assert_string_equal(write_json(&bench, &canonical), row->canonical);
		else
			assert_true(slice_is(bench.diagnostics.items[0].message, row->canonical));
		assert_int_equal(bench.diagnostics.error_count, refused);
		if (!refused) {
			canonical = schema_canonical_fields(&empty_table, &given, &bench.arena);
			assert_string_equal(write_json(&bench, &canonical), row->canonical);
		}
		bench_end(&bench);
	}
}

/* What is canonical already is not copied. */
static void test_sharing(void **state)
{
	struct value given, canonical;
	struct bench bench;
	size_t used;

	(void)state;
	bench_start(&bench);
	given = read_json(&bench, "{\"cidr\":\"10.0.0.0/16\",\"ranges\":[\"10.1.0.0/16\",\"10.2.0.0/16\"],\"dns\":true,"
				  "\"tags\":{\"a\":\"b\"}}");
	used = bench.arena.used_bytes;
	assert_true(schema_check(&support_vpc, &given, &bench.arena, &canonical, &bench.diagnostics));
	assert_ptr_equal(canonical.members, given.members);
	assert_int_equal(bench.arena.used_bytes, used);
	bench_end(&bench);
}

static void test_secrets(void **state)
{
	struct value given, canonical;
	struct bench bench;

	(void)state;
	bench_start(&bench);
	given = read_json(&bench, "{\"password\":\"hunter2\",\"options\":{\"mode\":\"m\",\"secret\":\"s\"}}");
	assert_true(schema_check(&support_gateway, &given, &bench.arena, &canonical, &bench.diagnostics));
	assert_true(value_get_named(&canonical, "password")->secret);
	assert_true(value_path(&canonical, "options.secret")->secret);
	assert_false(value_path(&canonical, "options.mode")->secret);
	/* What came in is not changed. */
	assert_false(value_get_named(&given, "password")->secret);
	bench_end(&bench);
}

/* Of a password that is secret in part all of it is. */
static void test_secret_in_part(void **state)
{
	static const struct segment parts[] = {{{"x-", 2}, false}, {{"y", 1}, true}};
	struct value given, canonical;
	struct value_member member;
	struct bench bench;

	(void)state;
	bench_start(&bench);
	member = (struct value_member){value_text("password"), value_segments(&bench.arena, parts, 2)};
	given = value_map(&member, 1);
	assert_true(schema_check(&support_gateway, &given, &bench.arena, &canonical, &bench.diagnostics));
	assert_string_equal(write_json(&bench, &canonical), "{\"password\":{\"$secret\":\"\"}}");
	assert_true(slice_is(value_slice(value_get_named(&canonical, "password")), "x-y"));
	bench_end(&bench);
}

static void test_fields_of_others(void **state)
{
	static const struct field fields[] = {
		{.name = "region", .type = FIELD_STRING, .flags = REQUIRED},
	};
	static const struct fields table = FIELDS(fields);
	struct value given, canonical;
	struct bench bench;

	(void)state;
	bench_start(&bench);
	given = read_json(&bench, "{\"regoin\":\"r\"}");
	assert_false(
		schema_check_fields(&table, "provider 'aws'", &given, &bench.arena, &canonical, &bench.diagnostics));
	assert_int_equal(bench.diagnostics.count, 1);
	assert_true(slice_is(bench.diagnostics.items[0].message, "provider 'aws' has no field 'regoin'"));
	assert_true(slice_is(bench.diagnostics.items[0].hint, "did you mean 'region'?"));
	bench_end(&bench);
}

/* What is said of a value that breaks a rule, and what to do; of a secret nothing of what it holds. */
static void test_messages(void **state)
{
	static const char *const choices[] = {"red", "green", NULL};
	static const struct field text = {.type = FIELD_STRING};
	static const struct field fields[] = {
		{.name = "colour", .type = FIELD_STRING, .choices = choices},
		{.name = "key", .type = FIELD_STRING, .flags = SECRET, .choices = choices},
		{.name = "code", .type = FIELD_STRING, .pattern = "^[a-z]+$", .in_words = "small letters"},
		{.name = "token",
		 .type = FIELD_STRING,
		 .flags = SECRET,
		 .pattern = "^[a-z]+$",
		 .in_words = "small letters"},
		{.name = "pair", .type = FIELD_LIST, .item = &text, .least = 2, .most = 2},
		{.name = "labels", .type = FIELD_MAP, .item = &text, .least = 2, .most = 4},
		{.name = "one", .type = FIELD_LIST, .item = &text, .least = 1, .most = 1},
		{.name = "size", .type = FIELD_INTEGER, .least = 2, .most = -1},
		{.name = "range", .type = FIELD_CIDR4},
		{.name = "title", .type = FIELD_STRING, .flags = IDENTIFIES, .most = 4},
	};
	static const struct fields table = FIELDS(fields);
	static const struct {
		const char *name, *given, *message, *hint; /* hint: NULL for none */
	} rows[] = {
		{"a choice", "{\"colour\":\"blue\"}", "'colour' cannot be 'blue'", "it may be: red, green"},
		{"a choice, secret", "{\"key\":\"blue\"}", "'key' is none of the values that it may have",
		 "it may be: red, green"},
		{"a pattern", "{\"code\":\"A1\"}", "'code' cannot be 'A1'", "write small letters"},
		{"a pattern, secret", "{\"token\":\"A1\"}",
		 "'token' does not have the form that it needs; it is a secret and not shown", "write small letters"},
		{"a line break in what is quoted", "{\"code\":\"a\\nb\\u007f\"}", "'code' cannot be 'a\\x0ab\\x7f'",
		 "write small letters"},
		{"one item", "{\"pair\":[\"a\"]}", "'pair' cannot have 1 item", "it takes exactly 2 items"},
		{"one entry", "{\"labels\":{\"a\":\"b\"}}", "'labels' cannot have 1 entry",
		 "it takes from 2 to 4 entries"},
		{"no item", "{\"one\":[]}", "'one' cannot have 0 items", "it takes exactly 1 item"},
		{"a lower bound", "{\"size\":1}", "'size' cannot be 1", "it must be at least 2"},
		{"text that is no range", "{\"range\":\"10.0\\t\"}",
		 "'range' expects an IPv4 range such as 10.0.0.0/16, found '10.0\\x09'", NULL},
		{"an id that is a secret", "{\"title\":{\"$secret\":\"9c1e\"}}",
		 "'title' cannot hold a secret: ids and places are made of it, and are recorded and shown in clear",
		 "write what anybody may see, or take it from a variable that is not secret"},
		{"an id that is to hold a secret",
		 "{\"title\":{\"$deferred\":\"${aws.vpc.a.id}-${var.password}\","
		 "\"$secrets\":{\"var.password\":{\"$secret\":\"9c1e\"}}}}",
		 "'title' cannot hold a secret: ids and places are made of it, and are recorded and shown in clear",
		 "write what anybody may see, or take it from a variable that is not secret"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct value given, canonical;
		struct bench bench;

		bench_start(&bench);
		given = read_json(&bench, rows[i].given);
		assert_false(schema_check_fields(&table, "it", &given, &bench.arena, &canonical, &bench.diagnostics));
		const struct diag *said = &bench.diagnostics.items[0];
		if (!slice_is(said->message, rows[i].message) ||
		    !slice_is(said->hint, rows[i].hint ? rows[i].hint : ""))
			fail_msg("%s: %.*s (%.*s)", rows[i].name, SLICE_ARGUMENTS(said->message),
				 SLICE_ARGUMENTS(said->hint));
		bench_end(&bench);
	}
}

/* What tells the items of a set apart cannot be secret, whether its value is known or not. */
static void test_secret_item_keys(void **state)
{
	static const struct {
		const struct kind *kind;
		const char *given;
		size_t count; /* of what is refused */
	} rows[] = {
		{&support_group,
		 "{\"vpc\":\"vpc-12345678\",\"rules\":[{\"protocol\":\"tcp\",\"cidr\":{\"$secret\":\"9c1e\"}}]}", 1},
		{&support_group,
		 "{\"vpc\":\"vpc-12345678\",\"rules\":[{\"protocol\":\"tcp\",\"port\":{\"$secret\":\"01\"},"
		 "\"cidr\":{\"$deferred\":\"${var.a}/${a.b.c}\",\"$secrets\":{\"var.a\":{\"$secret\":\"9c1e\"}}}}]}",
		 2},
		/* Of two that are the same no more is said. */
		{&support_group,
		 "{\"vpc\":\"vpc-12345678\",\"rules\":[{\"protocol\":\"tcp\",\"cidr\":{\"$secret\":\"9c1e\"}},"
		 "{\"protocol\":\"tcp\",\"cidr\":{\"$secret\":\"9c1e\"},\"note\":\"x\"}]}",
		 2},
		{&support_group, "{\"vpc\":\"vpc-12345678\",\"rules\":[{\"$secret\":\"9c1e\"}]}", 1},
		{&support_group, "{\"vpc\":\"vpc-12345678\",\"rules\":{\"$secret\":\"9c1e\"}}", 1},
		{&support_group,
		 "{\"vpc\":\"vpc-12345678\",\"rules\":[{\"protocol\":\"tcp\",\"cidr\":\"10.0.0.0/8\","
		 "\"note\":{\"$secret\":\"9c1e\"}}]}",
		 0},
		{&support_vpc,
		 "{\"cidr\":\"10.0.0.0/16\",\"ranges\":[\"10.1.0.0/16\",{\"$secret\":\"9c1e\"},{\"$secret\":\"01\"}]}",
		 2},
		{&support_vpc,
		 "{\"cidr\":\"10.0.0.0/16\",\"ranges\":{\"$deferred\":\"${split(var.a, a.b.c)}\","
		 "\"$secrets\":{\"var.a\":{\"$secret\":\"9c1e\"}}}}",
		 1},
		{&support_vpc, "{\"cidr\":{\"$secret\":\"9c1e\"},\"ranges\":[\"10.1.0.0/16\"]}", 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct value given, canonical;
		struct bench bench;

		bench_start(&bench);
		given = read_json(&bench, rows[i].given);
		assert_int_equal(schema_check(rows[i].kind, &given, &bench.arena, &canonical, &bench.diagnostics),
				 rows[i].count == 0);
		if (bench.diagnostics.count != rows[i].count)
			fail_msg("row %zu has %zu diagnostics", i, bench.diagnostics.count);
		for (size_t k = 0; k < rows[i].count; k++)
			assert_non_null(strstr(arena_string(&bench.arena, bench.diagnostics.items[k].message),
					       "cannot hold a secret: what tells the items of a list apart"));
		/* A service gives what it gives. */
		canonical = schema_canonical_fields(&rows[i].kind->fields, &given, &bench.arena);
		assert_int_equal(canonical.count, given.count);
		bench_end(&bench);
	}
}

/* What is recorded of a secret is as long as any fingerprint, and a text whatever it stands for. */
static void test_fingerprints_fit(void **state)
{
	static const struct field fields[] = {
		{.name = "token", .type = FIELD_STRING, .flags = SECRET, .pattern = "^[g-z]+$"},
		{.name = "size", .type = FIELD_INTEGER, .least = 2},
	};
	static const struct fields table = FIELDS(fields);
	struct value given, canonical;
	struct bench bench;

	(void)state;
	bench_start(&bench);
	given = read_json(&bench, "{\"size\":{\"$secret\":\"9c1e\"},\"token\":{\"$secret\":\"0c1e\"}}");
	assert_true(schema_check_fields(&table, "it", &given, &bench.arena, &canonical, &bench.diagnostics));
	assert_true(value_is_sealed(value_get_named(&canonical, "size")));
	assert_true(value_equal(&given, &canonical));
	bench_end(&bench);
}

static void test_item_keys(void **state)
{
	static const struct {
		const struct kind *kind;
		const char *field, *item, *key;
	} rows[] = {
		{&support_vpc, "ranges", "\"10.0.0.0/16\"", "10.0.0.0/16"},
		{&support_vpc, "ranges", "{\"$deferred\":\"${a.b.c}\"}", "${a.b.c}"},
		{&support_group, "rules", "{\"protocol\":\"tcp\",\"port\":80,\"cidr\":\"10.0.0.0/8\",\"note\":\"x\"}",
		 "tcp 80 - 10.0.0.0/8"},
		{&support_group, "rules", "{\"protocol\":\"tcp\",\"group\":{\"$deferred\":\"${a.b.c}\"},\"port\":null}",
		 "tcp - ${a.b.c} -"},
		{&support_group, "rules", "{\"protocol\":\"t c\",\"cidr\":\"\"}", "\"t c\" - - \"\""},
		{&support_group, "rules", "{\"protocol\":\"\\\"t\"}", "\"\\\"t\" - - -"},
		{&support_gateway, "subnets", "7", "7"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct field *field = field_named(&rows[i].kind->fields, slice_of(rows[i].field));
		struct bench bench;
		struct value item;

		bench_start(&bench);
		item = read_json(&bench, rows[i].item);
		assert_string_equal(arena_string(&bench.arena, schema_item_key(field->item, &item, &bench.arena)),
				    rows[i].key);
		bench_end(&bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_answer_fields),
		cmocka_unit_test(test_given),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_sharing),
		cmocka_unit_test(test_secrets),
		cmocka_unit_test(test_secret_in_part),
		cmocka_unit_test(test_fields_of_others),
		cmocka_unit_test(test_secret_item_keys),
		cmocka_unit_test(test_fingerprints_fit),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_item_keys),
	};

	return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
