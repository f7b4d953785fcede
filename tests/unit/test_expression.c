#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/json.h"
#include "specs/expression_tree.h"
#include "tests/unit/support_expression.h"

struct row {
	const char *name, *text, *wanted;
};

/* The value, as canonical JSON; what is known later is not known. */
static void check_values(const struct row *rows, size_t count)
{
	static const struct json_style style = {0};

	for (size_t i = 0; i < count; i++) {
		struct bench bench;
		struct value value;

		bench_init(&bench);
		value = bench_evaluated(&bench, rows[i].name, slice_of(rows[i].text));
		check_slice(rows[i].name, json_canonical(&bench.arena, &value, &style), rows[i].wanted);
		bench_release(&bench);
	}
}

static void test_literals(void **state)
{
	static const struct row rows[] = {
		{"plain text", "abc", "\"abc\""},
		{"no text", "", "\"\""},
		{"escaped opening", "a $${b} c", "\"a ${b} c\""},
		{"dollars", "$5 and $$ and $", "\"$5 and $$ and $\""},
		{"dollars before an escape", "$$${x}", "\"$${x}\""},
		{"integer", "${42}", "42"},
		{"negative", "${-42}", "-42"},
		{"least integer", "${-9223372036854775808}", "-9223372036854775808"},
		{"greatest integer", "${9223372036854775807}", "9223372036854775807"},
		{"number", "${1.5}", "1.5"},
		{"exponent", "${25e-1}", "2.5"},
		{"true", "${true}", "true"},
		{"false", "${false}", "false"},
		{"null", "${null}", "null"},
		{"string", "${\"a b\"}", "\"a b\""},
		{"escapes", "${\"\\\"\\\\\\n\\t\\r\\u00e9\\U0001F600\"}", "\"\\\"\\\\\\n\\t\\ré😀\""},
		{"escaped opening in a string", "${\"$${x}\"}", "\"${x}\""},
		{"string in a string", "${\"a${\"b${1}\"}c\"}", "\"ab1c\""},
		{"empty list", "${[]}", "[]"},
		{"list", "${[1, \"a\", [true]]}", "[1,\"a\",[true]]"},
		{"list with a last comma", "${[1, 2,]}", "[1,2]"},
		{"empty map", "${{}}", "{}"},
		{"map", "${{b: 1, \"a b\": [2], true: {}}}", "{\"a b\":[2],\"b\":1,\"true\":{}}"},
		{"map with a made key", "${{\"${var.region}-${var.n}\": 1, \"${var.n}\": 2,}}",
		 "{\"3\":2,\"us-west-2-3\":1}"},
		{"white space", "${ \n\t 1 \r\n }", "1"},
		{"lines", "a\n${1}\nb", "\"a\\n1\\nb\""},
	};

	(void)state;
	check_values(rows, COUNT(rows));
}

static void test_operators(void **state)
{
	static const struct row rows[] = {
		{"sum", "${1 + 2 + 3}", "6"},
		{"precedence", "${1 + 2 * 3 - 4 / 2}", "5"},
		{"from the left", "${10 - 4 - 3}", "3"},
		{"parentheses", "${(1 + 2) * 3}", "9"},
		{"division without a rest", "${6 / 3}", "2"},
		{"division with a rest", "${5 / 2}", "2.5"},
		{"division below zero", "${-6 / 3}", "-2"},
		{"remainder", "${7 % 3}", "1"},
		{"remainder below zero", "${-7 % 3}", "-1"},
		{"remainder of the least", "${-9223372036854775808 % -1}", "0"},
		{"mixed numbers", "${1 + 0.5}", "1.5"},
		{"whole sum of numbers", "${0.5 + 0.5}", "1.0"},
		{"negation", "${-(1 + 2)}", "-3"},
		{"double negation", "${--3}", "3"},
		{"minus minus", "${1 - -3}", "4"},
		{"minus without spaces", "${3-1}", "2"},
		{"equal", "${1 == 1}", "true"},
		{"equal numbers of two types", "${1 == 1.0}", "true"},
		{"unequal", "${\"a\" != \"b\"}", "true"},
		{"equal lists", "${[1, {a: 2}] == [1, {a: 2}]}", "true"},
		{"null is not a string", "${\"a\" == null}", "false"},
		{"null is null", "${var.nothing == null}", "true"},
		{"less", "${1 < 2}", "true"},
		{"less or equal", "${2 <= 2}", "true"},
		{"more", "${1 > 2}", "false"},
		{"more or equal", "${1.5 >= 1}", "true"},
		{"past the digits of a double", "${9223372036854775807 > 9223372036854775806}", "true"},
		{"past the digits of a double, the other way", "${9223372036854775806 < 9223372036854775807}", "true"},
		{"a whole number and a double beside it", "${9223372036854775807 < 9223372036854775808.0}", "true"},
		{"a double beyond", "${-9223372036854775808 > -1e300}", "true"},
		{"a fraction above", "${2 < 2.5 && 2.5 < 3 && -2 > -2.5}", "true"},
		{"a double of equal value", "${-9223372036854775808 == -9223372036854775808.0}", "true"},
		{"strings in order", "${\"a\" < \"b\"}", "true"},
		{"and", "${true && false}", "false"},
		{"or", "${false || true}", "true"},
		{"not", "${!true}", "false"},
		{"and before or", "${true || false && false}", "true"},
		{"comparison before and", "${1 < 2 && 2 < 3}", "true"},
		{"order before equality", "${1 < 2 == true}", "true"},
		{"or decides", "${true || 1 / 0 == 1}", "true"},
		{"and decides", "${false && 1 / 0 == 1}", "false"},
		{"conditional", "${1 < 2 ? \"a\" : \"b\"}", "\"a\""},
		{"conditional does not look at the other", "${false ? 1 / 0 : 2}", "2"},
		{"conditionals from the right", "${false ? 1 : false ? 2 : 3}", "3"},
	};

	(void)state;
	check_values(rows, COUNT(rows));
}

static void test_names(void **state)
{
	static const struct row rows[] = {
		{"variable", "${var.region}", "\"us-west-2\""},
		{"type is kept", "${var.n}", "3"},
		{"within text", "${var.region}a", "\"us-west-2a\""},
		{"number within text", "n=${var.n} h=${var.half} y=${var.yes}", "\"n=3 h=0.5 y=true\""},
		{"index", "${var.list[1]}", "\"b\""},
		{"member", "${var.tags.team}", "\"research\""},
		{"member with a hyphen", "${var.tags.cost-center}", "\"7\""},
		{"member by text", "${var.tags[\"odd key\"]}", "1"},
		{"member by an expression", "${var.tags[lower(\"TEAM\")]}", "\"research\""},
		{"deep", "${var.nodes[0].disks[1].size}", "2"},
		{"index of a literal", "${[1, 2][1]}", "2"},
		{"member of a literal", "${{a: {b: 5}}.a.b}", "5"},
		{"index of a call", "${split(\",\", \"a,b\")[1]}", "\"b\""},
		{"splat", "${var.nodes.*.name}", "[\"x\",\"y\"]"},
		{"splat in brackets", "${var.nodes[*].name}", "[\"x\",\"y\"]"},
		{"splat in a splat", "${var.nodes.*.disks.*.size}", "[[1,2],[]]"},
		{"splat with nothing behind", "${var.list.*}", "[\"a\",\"b\",\"c\"]"},
		{"splat and index", "${[[1, 2], [3, 4]].*[0]}", "[1,3]"},
		{"list of open parts", "${[aws.vpc.a.id, 1 + 1]}", "[{\"$deferred\":\"${aws.vpc.a.id}\"},2]"},
		{"map of open parts", "${{a: \"x${aws.vpc.a.id}\", b: var.n}}",
		 "{\"a\":{\"$deferred\":\"x${aws.vpc.a.id}\"},\"b\":3}"},
		{"known item of an open list", "${[aws.vpc.a.id, 2][1]}", "2"},
		{"known member of an open map", "${{a: aws.vpc.a.id, b: 2}.b}", "2"},
		{"value with open parts", "${var.mixed}", "[\"a\",{\"$deferred\":\"${aws.vpc.a.id}\"}]"},
		{"item of a value with open parts", "${var.mixed[0]}", "\"a\""},
		{"splat over open parts", "${[{a: aws.vpc.a.id}, {a: 1}].*.a}",
		 "[{\"$deferred\":\"${aws.vpc.a.id}\"},1]"},
	};

	(void)state;
	check_values(rows, COUNT(rows));
}

static void test_functions(void **state)
{
	static const struct row rows[] = {
		{"lower", "${lower(\"aBÇ1\")}", "\"abÇ1\""},
		{"upper", "${upper(\"aBz1\")}", "\"ABZ1\""},
		{"trim", "${trim(\" \\n a b\\t \")}", "\"a b\""},
		{"join", "${join(\"-\", [\"a\", 1, true])}", "\"a-1-true\""},
		{"join nothing", "${join(\"-\", [])}", "\"\""},
		{"split", "${split(\", \", \"a, b, , c\")}", "[\"a\",\"b\",\"\",\"c\"]"},
		{"split nothing", "${split(\",\", \"\")}", "[\"\"]"},
		{"split at the ends", "${split(\",\", \",a,\")}", "[\"\",\"a\",\"\"]"},
		{"replace", "${replace(\"a.b.c\", \".\", \"--\")}", "\"a--b--c\""},
		{"replace at the ends", "${replace(\"xxaxx\", \"xx\", \"\")}", "\"a\""},
		{"replace nothing", "${replace(\"\", \"a\", \"b\")}", "\"\""},
		{"format",
		 "${format(\"%s-%03d|%-4s|%4s|%x|%X|%.2f|%%|%+d\", \"a\", 7, \"b\", \"é\", 255, 255, 1.5, 3)}",
		 "\"a-007|b   |   é|ff|FF|1.50|%|+3\""},
		{"format below zero", "${format(\"%05d\", -42)}", "\"-0042\""},
		{"format cuts characters", "${format(\"%.2s\", \"éèê\")}", "\"éè\""},
		{"length of a string", "${length(\"aé😀\")}", "3"},
		{"length of a list", "${length([1, 2])}", "2"},
		{"length of a map", "${length({a: 1})}", "1"},
		{"concat", "${concat([1], [], [2, 3])}", "[1,2,3]"},
		{"merge", "${merge({a: 1, b: 2}, {b: 3}, {c: 4})}", "{\"a\":1,\"b\":3,\"c\":4}"},
		{"keys", "${keys({b: 1, a: 2})}", "[\"a\",\"b\"]"},
		{"values", "${values({b: 1, a: 2})}", "[2,1]"},
		{"contains", "${contains(var.list, \"b\")}", "true"},
		{"contains a number of another type", "${contains([1], 1.0)}", "true"},
		{"contains not", "${contains(var.list, 1)}", "false"},
		{"get a member", "${get(var.tags, \"team\", 0)}", "\"research\""},
		{"get a default", "${get(var.tags, \"none\", 0)}", "0"},
		{"get an item", "${get([5, 6], 1, 0)}", "6"},
		{"get past the end", "${get([5, 6], 2, \"none\")}", "\"none\""},
		{"get below", "${get([5, 6], -1, \"none\")}", "\"none\""},
		{"element", "${element([5, 6, 7], 4)}", "6"},
		{"flatten", "${flatten([1, [2, [3, []]], 4])}", "[1,2,3,4]"},
		{"distinct", "${distinct([\"b\", \"a\", \"b\", 1, 1, \"a\"])}", "[\"b\",\"a\",1]"},
		{"sort strings", "${sort([\"b\", \"a\", \"B\"])}", "[\"B\",\"a\",\"b\"]"},
		{"sort numbers", "${sort([3, 1.5, 2])}", "[1.5,2,3]"},
		{"range", "${range(3)}", "[0,1,2]"},
		{"range from", "${range(2, 4)}", "[2,3]"},
		{"range by steps", "${range(0, 10, 4)}", "[0,4,8]"},
		{"range down", "${range(3, 0, -2)}", "[3,1]"},
		{"empty range", "${range(0)}", "[]"},
		{"range at the edge", "${range(9223372036854775806, 9223372036854775807)}", "[9223372036854775806]"},
		{"range of great steps", "${range(-9223372036854775807, 9223372036854775807, 9223372036854775807)}",
		 "[-9223372036854775807,0]"},
		{"min", "${min(3, 1, 2)}", "1"},
		{"max of a list", "${max(var.numbers)}", "3"},
		{"max of two types", "${max(1, 1.5)}", "1.5"},
		{"abs", "${abs(-3)}", "3"},
		{"abs of a number", "${abs(-1.5)}", "1.5"},
		{"floor", "${floor(-1.5)}", "-2"},
		{"floor of a whole", "${floor(7)}", "7"},
		{"ceil", "${ceil(-1.5)}", "-1"},
		{"ceil above", "${ceil(1.2)}", "2"},
		{"coalesce", "${coalesce(null, var.nothing, \"a\")}", "\"a\""},
		{"tostring", "${tostring(1.5)}", "\"1.5\""},
		{"tonumber", "${tonumber(\"12\") + tonumber(\"0.5\")}", "12.5"},
		{"cidr_subnet", "${cidr_subnet(\"10.0.0.0/16\", 4, 15)}", "\"10.0.240.0/20\""},
		{"cidr_subnet of IPv6", "${cidr_subnet(\"fd00::/48\", 16, 65535)}", "\"fd00:0:0:ffff::/64\""},
		{"cidr_host", "${cidr_host(\"10.0.1.0/24\", 5)}", "\"10.0.1.5\""},
		{"cidr_host from the end", "${cidr_host(\"10.0.1.0/24\", -2)}", "\"10.0.1.254\""},
		{"cidr_host of IPv6 from the end", "${cidr_host(\"fd00::/32\", -1)}",
		 "\"fd00:0:ffff:ffff:ffff:ffff:ffff:ffff\""},
		{"cidr_host of IPv6", "${cidr_host(\"fd00::/64\", 258)}", "\"fd00::102\""},
		{"cidr_netmask", "${cidr_netmask(\"10.0.0.0/20\")}", "\"255.255.240.0\""},
		{"cidr_contains", "${cidr_contains(\"10.0.0.0/8\", \"10.2.0.0/16\")}", "true"},
		{"cidr_contains an address", "${cidr_contains(\"10.0.0.0/8\", \"11.0.0.1\")}", "false"},
		{"json_encode", "${json_encode({b: [1, null], a: \"x\"})}",
		 "\"{\\\"a\\\":\\\"x\\\",\\\"b\\\":[1,null]}\""},
		{"json_decode", "${json_decode(\"{\\\"a\\\": [1, 2.5]}\").a[1]}", "2.5"},
		{"base64_encode", "${base64_encode(\"hello\")}", "\"aGVsbG8=\""},
		{"base64_decode", "${base64_decode(\"aGVsbG8=\")}", "\"hello\""},
		{"sha256", "${sha256(\"abc\")}",
		 "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\""},
	};

	(void)state;
	check_values(rows, COUNT(rows));
}

/* What is secret shows as {"$secret":""}. */
static void test_secrets(void **state)
{
	static const struct row rows[] = {
		{"itself", "${var.password}", "{\"$secret\":\"\"}"},
		{"a segment", "bob:${var.password}@host", "{\"$segments\":[\"bob:\",{\"$secret\":\"\"},\"@host\"]}"},
		{"a segment of a segment", "<${\"b:${var.password}\"}>",
		 "{\"$segments\":[\"<b:\",{\"$secret\":\"\"},\">\"]}"},
		{"arithmetic", "${var.code + 1}", "{\"$secret\":\"\"}"},
		{"comparison", "${var.code == 7}", "{\"$secret\":\"\"}"},
		{"function", "${upper(var.password)}", "{\"$secret\":\"\"}"},
		{"one of several arguments", "${join(\",\", [\"a\", var.password])}", "{\"$secret\":\"\"}"},
		{"condition", "${var.flag ? 1 : 2}", "{\"$secret\":\"\"}"},
		{"condition that is not secret", "${var.yes ? 1 : var.code}", "1"},
		{"logic", "${var.flag && true}", "{\"$secret\":\"\"}"},
		{"not", "${!var.flag}", "{\"$secret\":\"\"}"},
		{"item beside it", "${[1, var.code][0]}", "1"},
		{"item", "${[1, var.code][1]}", "{\"$secret\":\"\"}"},
		{"member", "${var.vault.user}", "{\"$secret\":\"\"}"},
		{"index", "${[5, 6, 7, 8, 9, 10, 11, 12][var.code]}", "{\"$secret\":\"\"}"},
		{"parts keep their marks", "${concat([1], [var.code])}", "[1,{\"$secret\":\"\"}]"},
		{"what is made of parts", "${merge({a: 1}, {b: var.code})}", "{\"a\":1,\"b\":{\"$secret\":\"\"}}"},
		{"length of a list with one", "${length([1, var.code])}", "2"},
		{"length of one", "${length(var.password)}", "{\"$secret\":\"\"}"},
		{"decoded", "${json_decode(json_encode({a: var.code})).a}", "{\"$secret\":\"\"}"},
		{"split", "${split(\"n\", var.password)[0]}", "{\"$secret\":\"\"}"},
		{"in a list", "${[var.password, \"a\"]}", "[{\"$secret\":\"\"},\"a\"]"},
	};

	(void)state;
	check_values(rows, COUNT(rows));
}

/* The text of what is left, with only var.* known; it is read again and must print the same. */
static void test_deferred(void **state)
{
	static const struct row rows[] = {
		{"reference", "${aws.vpc.a.id}", "${aws.vpc.a.id}"},
		{"reference in text", "a-${ aws.vpc.a.id }", "a-${aws.vpc.a.id}"},
		{"kind of another provider", "${metal.machine.m.serial}", "${metal.machine.m.serial}"},
		{"name with a hyphen", "${aws.vpc.my-vpc.id}", "${aws.vpc.my-vpc.id}"},
		{"name that begins with a digit", "${aws.vpc.1a.id}", "${aws.vpc.1a.id}"},
		{"member of an output", "${aws.vpc.a.tags.name}", "${aws.vpc.a.tags.name}"},
		{"member by text", "${aws.vpc.a.tags[\"name\"]}", "${aws.vpc.a.tags.name}"},
		{"member that is no plain name", "${aws.vpc.a.tags[\"a b\"]}", "${aws.vpc.a.tags[\"a b\"]}"},
		{"index folds", "${aws.vpc.a.zones[var.n - 3]}", "${aws.vpc.a.zones[0]}"},
		{"splat", "${aws.vpc.a.zones[*]}", "${aws.vpc.a.zones.*}"},
		{"splat with a body", "${aws.vpc.a.zones.*.x[var.n]}", "${aws.vpc.a.zones.*.x[3]}"},
		{"variables fold", "${var.region}-${aws.vpc.a.id}-${var.n}", "us-west-2-${aws.vpc.a.id}-3"},
		{"spaces", "${aws.vpc.a.port+1*2}", "${aws.vpc.a.port + 2}"},
		{"needless parentheses", "${((aws.vpc.a.port)) + (1)}", "${aws.vpc.a.port + 1}"},
		{"parentheses on the right", "${1 - (aws.vpc.a.port - 2)}", "${1 - (aws.vpc.a.port - 2)}"},
		{"parentheses on the left", "${(1 - aws.vpc.a.port) - 2}", "${1 - aws.vpc.a.port - 2}"},
		{"precedence", "${(aws.vpc.a.port + 1) * 2}", "${(aws.vpc.a.port + 1) * 2}"},
		{"negation of a sum", "${-(aws.vpc.a.port + 1)}", "${-(aws.vpc.a.port + 1)}"},
		{"negation", "${ - aws.vpc.a.port}", "${-aws.vpc.a.port}"},
		{"not of a comparison", "${!(aws.vpc.a.port == 1)}", "${!(aws.vpc.a.port == 1)}"},
		{"conditional in an operand", "${(aws.vpc.a.on ? 1 : 2) + 1}", "${(aws.vpc.a.on ? 1 : 2) + 1}"},
		{"conditional in a condition", "${(aws.vpc.a.on ? true : false) ? 1 : 2}",
		 "${(aws.vpc.a.on ? true : false) ? 1 : 2}"},
		{"conditional in a branch", "${aws.vpc.a.on ? (var.yes ? aws.vpc.a.id : 2) : (3)}",
		 "${aws.vpc.a.on ? aws.vpc.a.id : 3}"},
		{"known condition", "${var.n == 3 ? aws.vpc.a.id : \"x\"}", "${aws.vpc.a.id}"},
		{"branch that fails", "${aws.vpc.a.on ? var.list[7] : \"x\"}",
		 "${aws.vpc.a.on ? [\"a\", \"b\", \"c\"][7] : \"x\"}"},
		{"right side that fails", "${aws.vpc.a.on && 1 / var.zero == 1}", "${aws.vpc.a.on && 1 / 0 == 1}"},
		{"items of a splat within a splat that fails",
		 "${json_encode([{a: [1]}].*.a[aws.vpc.a.on ? [aws.vpc.a.zones.*.x, 1 / 0][1] : 0])}",
		 "${json_encode([[1][aws.vpc.a.on ? [aws.vpc.a.zones.*.x, 1 / 0][1] : 0]])}"},
		{"true and", "${var.yes && aws.vpc.a.port == 1}", "${aws.vpc.a.port == 1}"},
		{"true and what may be no truth", "${var.yes && aws.vpc.a.on}", "${true && aws.vpc.a.on}"},
		{"call", "${cidr_subnet(aws.vpc.a.cidr,4,var.n)}", "${cidr_subnet(aws.vpc.a.cidr, 4, 3)}"},
		{"list and map", "${json_encode({b:[1,aws.vpc.a.id],a:{}})}",
		 "${json_encode({a: {}, b: [1, aws.vpc.a.id]})}"},
		{"strange keys", "${json_encode({\"a b\": 1, \"${aws.vpc.a.id}\": 2})}",
		 "${json_encode({\"a b\": 1, \"${aws.vpc.a.id}\": 2})}"},
		{"strings", "${format(\"a\\\"\\\\\\n$${%s}\", aws.vpc.a.id)}",
		 "${format(\"a\\\"\\\\\\n$${%s}\", aws.vpc.a.id)}"},
		{"control characters", "${format(\"\\u0001%s\", aws.vpc.a.id)}",
		 "${format(\"\\u0001%s\", aws.vpc.a.id)}"},
		{"string in a string", "a${\"b${aws.vpc.a.id}\"}c", "ab${aws.vpc.a.id}c"},
		{"a dollar before", "${\"$\"}${aws.vpc.a.id}", "${\"$\"}${aws.vpc.a.id}"},
		{"dollars before", "a${\"$$\"}${aws.vpc.a.id}$", "a${\"$$\"}${aws.vpc.a.id}$"},
		{"a dollar and a brace", "${\"$\"}{b}${aws.vpc.a.id}", "$${b}${aws.vpc.a.id}"},
		{"text that became empty", "${var.empty}${aws.vpc.a.port}", "${tostring(aws.vpc.a.port)}"},
		{"numbers", "${aws.vpc.a.port * 1.50 - -2}", "${aws.vpc.a.port * 1.5 - -2}"},
		{"index of a sum", "${[aws.vpc.a.port][aws.vpc.a.port + 1]}",
		 "${[aws.vpc.a.port][aws.vpc.a.port + 1]}"},
		{"index of a number", "${aws.vpc.a.on ? (-1)[0] : (1).x}", "${aws.vpc.a.on ? (-1)[0] : (1).x}"},
		{"a value that waits", "${var.waits}-x", "${aws.vpc.a.id}-x"},
		{"a part that waits", "${join(\",\", var.mixed)}", "${join(\",\", [\"a\", aws.vpc.a.id])}"},
		{"unread", "${var.unread}-x", "${var.unread}-x"},
		{"a secret is not spelled out", "${aws.vpc.a.id}-${var.password}", "${aws.vpc.a.id}-${var.password}"},
		{"what is made of a secret", "${aws.vpc.a.id}-${upper(\"${var.region}${var.password}\")}",
		 "${aws.vpc.a.id}-${upper(\"us-west-2${var.password}\")}"},
		{"a string around a secret", "${aws.vpc.a.id}${\"<${var.password}>\"}",
		 "${aws.vpc.a.id}<${var.password}>"},
		{"a secret condition", "${var.flag ? aws.vpc.a.id : var.n}", "${var.flag ? aws.vpc.a.id : 3}"},
		{"a secret index", "${[aws.vpc.a.id, 2][var.code]}", "${[aws.vpc.a.id, 2][var.code]}"},
		{"a secret logic", "${var.flag && aws.vpc.a.port == 1}", "${var.flag && aws.vpc.a.port == 1}"},
		{"a member of a secret", "${aws.vpc.a.id}${var.vault.key}", "${aws.vpc.a.id}${var.vault.key}"},
		{"a splat over a secret", "${aws.vpc.a.id}${join(\",\", [var.vault].*.key)}",
		 "${aws.vpc.a.id}${join(\",\", [var.vault.key])}"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct bench bench;
		const struct expression *again = NULL;
		struct value value;

		bench_init(&bench);
		value = bench_evaluated(&bench, rows[i].name, slice_of(rows[i].text));
		if (value.type != VALUE_DEFERRED)
			fail_msg("%s: is %s", rows[i].name, value_type_name((enum value_type)value.type));
		check_slice(rows[i].name, value.deferred->text, rows[i].wanted);
		assert_non_null(value.deferred->program);
		if (!expression_compile(&bench.arena, value.deferred->text, NOWHERE, NULL, NULL, &again,
					&bench.diagnostics))
			fail_msg("%s: its text is refused: %s", rows[i].name, bench_message(&bench));
		check_slice(rows[i].name, again->text, rows[i].wanted);
		bench_release(&bench);
	}
}

static void test_references(void **state)
{
	static const struct {
		const char *text;
		struct {
			const char *address, *attribute;
			uint16_t column;
		} wanted[4];
	} rows[] = {
		{"${var.region}", {{"var", "region", 12}}},
		{"${aws.vpc.train.id}", {{"aws.vpc.train", "id", 12}}},
		{"${aws.vpc.train.tags.name[0]}", {{"aws.vpc.train", "tags", 12}}},
		{"a${cluster.west.id}", {{"cluster.west", "id", 13}}},
		{"${aws.subnet.train.*.id}", {{"aws.subnet.train", "id", 12}}},
		{"${aws.subnet.train.*.tags.name}", {{"aws.subnet.train", "tags", 12}}},
		{"${aws.vpx.train.id}", {{"aws.vpx.train", "id", 12}}},
		{"${other.name}", {{"other", "name", 12}}},
		{"${each.value.x.y}", {{"each", "value", 12}}},
		{"${cidr_subnet(aws.vpc.a.cidr, var.n, 1)}-${var.n}",
		 {{"aws.vpc.a", "cidr", 24}, {"var", "n", 40}, {"var", "n", 53}}},
		{"${[var.a, {b: var.b, a: var.c}][var.d]}",
		 {{"var", "a", 13}, {"var", "b", 24}, {"var", "c", 34}, {"var", "d", 42}}},
		{"none", {{NULL, NULL, 0}}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct expression_reference *references;
		struct bench bench;
		size_t count;

		bench_init(&bench);
		expression_references(bench_compiled(&bench, rows[i].text, slice_of(rows[i].text)), &references,
				      &count);
		for (size_t j = 0; j < count; j++) {
			if (j == COUNT(rows[i].wanted) || !rows[i].wanted[j].address)
				fail_msg("%s: %zu references", rows[i].text, count);
			check_slice(rows[i].text, references[j].address, rows[i].wanted[j].address);
			check_slice(rows[i].text, references[j].attribute, rows[i].wanted[j].attribute);
			assert_int_equal(references[j].position.line, bench_start.line);
			assert_int_equal(references[j].position.column, rows[i].wanted[j].column);
		}
		if (count < COUNT(rows[i].wanted) && rows[i].wanted[count].address)
			fail_msg("%s: only %zu references", rows[i].text, count);
		bench_release(&bench);
	}
}

static void test_of_reference(void **state)
{
	struct position position = {7, 8, 0};
	struct slice before;
	struct bench bench;
	struct value value, result;

	(void)state;
	bench_init(&bench);
	value = expression_of_reference(&bench.arena, SLICE("aws.vpc.a"), SLICE("id"), position);
	assert_int_equal(value.type, VALUE_DEFERRED);
	check_slice("text", value.deferred->text, "${aws.vpc.a.id}");
	assert_int_equal(value.position.line, 7);
	result = bench_resolved(&bench, &value);
	assert_ptr_equal(result.deferred, value.deferred);
	bench.everything = true;
	result = bench_resolved(&bench, &value);
	check_slice("value", value_slice(&result), "vpc-1");
	assert_int_equal(result.position.line, 7);
	before = value.deferred->text;
	value = bench_evaluated(&bench, "compiled", before);
	check_slice("compiled", value_slice(&value), "vpc-1");
	bench_release(&bench);
}

/* A spec of 100,000 typed references has to stay small. */
static void test_of_reference_size(void **state)
{
	struct bench bench;
	size_t before;

	(void)state;
	bench_init(&bench);
	before = bench.arena.used_bytes;
	for (int i = 0; i < 1000; i++)
		(void)expression_of_reference(&bench.arena, SLICE("aws.vpc.train"), SLICE("id"), bench_start);
	assert_true(bench.arena.used_bytes - before <= (size_t)1000 * 192);
	bench_release(&bench);
}

static void test_resolver(void **state)
{
	static const struct json_style style = {0};
	struct bench bench;
	struct value value, first, second;

	(void)state;
	bench_init(&bench);
	assert_true(json_read(&bench.arena,
			      SLICE("{\"same\":[1,{\"a\":\"x\"}],\"waits\":[{\"$deferred\":\"${aws.vpc.none.id}\"}],"
				    "\"deep\":{\"l\":[{\"$deferred\":\"a-${aws.vpc.a.port + 1}\"},\"k\"]},"
				    "\"part\":{\"$deferred\":\"${aws.vpc.a.port + aws.vpc.none.port}\"},"
				    "\"again\":{\"$deferred\":\"a-${aws.vpc.a.port + 1}\"}}"),
			      true, 4096, "the test", &value, &bench.diagnostics));
	first = bench_resolved(&bench, &value);
	assert_ptr_equal(first.members, value.members);
	bench.everything = true;
	bench.asked = 0;
	second = bench_resolved(&bench, &value);
	check_slice("second", json_canonical(&bench.arena, &second, &style),
		    "{\"again\":\"a-8081\",\"deep\":{\"l\":[\"a-8081\",\"k\"]},"
		    "\"part\":{\"$deferred\":\"${8080 + aws.vpc.none.port}\"},\"same\":[1,{\"a\":\"x\"}],"
		    "\"waits\":[{\"$deferred\":\"${aws.vpc.none.id}\"}]}");
	assert_ptr_equal(value_get_named(&second, "same")->items, value_get_named(&value, "same")->items);
	assert_ptr_equal(value_get_named(&second, "waits")->items, value_get_named(&value, "waits")->items);
	/* The text that stands twice was evaluated once. */
	assert_int_equal(bench.asked, 4);
	bench_release(&bench);
}

static void test_resolver_fails(void **state)
{
	struct resolver resolver = expression_resolver(NULL);
	struct value value, result = value_text("untouched");
	struct output_source source;
	struct bench bench;

	(void)state;
	bench_init(&bench);
	bench.everything = true;
	source = bench_source(&bench);
	assert_true(json_read(&bench.arena,
			      SLICE("[{\"$deferred\":\"${aws.vpc.a.zones[5]}\"},{\"$deferred\":\"${1 +}\"},"
				    "{\"b\":{\"$deferred\":\"${aws.vpc.a.id + 1}\"}}]"),
			      true, 4096, "the test", &value, &bench.diagnostics));
	assert_false(resolver.resolve(&resolver, &value, &source, &bench.arena, &result, &bench.diagnostics));
	assert_int_equal(bench.diagnostics.count, 3);
	check_slice("output", value_slice(&result), "untouched");
	bench_release(&bench);
}

static void test_resolver_keeps_marks(void **state)
{
	struct bench bench;
	struct value value, result;

	(void)state;
	bench_init(&bench);
	value = bench_evaluated(&bench, "secret", SLICE("${aws.vpc.a.id}:${var.password}"));
	bench.everything = true;
	result = bench_resolved(&bench, &value);
	check_slice("whole", value_slice(&result), "vpc-1:hunter2");
	assert_true(result.secret && result.segmented);
	value = expression_of_reference(&bench.arena, SLICE("aws.vpc.a"), SLICE("id"), bench_start);
	value.secret = true;
	result = bench_resolved(&bench, &value);
	assert_true(result.secret);
	bench_release(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_literals),
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_secrets),
		cmocka_unit_test(test_deferred),
		cmocka_unit_test(test_references),
		cmocka_unit_test(test_of_reference),
		cmocka_unit_test(test_of_reference_size),
		cmocka_unit_test(test_resolver),
		cmocka_unit_test(test_resolver_fails),
		cmocka_unit_test(test_resolver_keeps_marks),
	};

	return cmocka_run_group_tests_name("expression", tests, NULL, NULL);
}
