#include "tests/unit/support_expression.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/json.h"

/* Every name that the tests use. later: known only in the second of two evaluations. */
static const struct name {
	const char *address, *attribute, *json;
	bool later, secret;
} names[] = {
	{"var", "region", "\"us-west-2\"", false, false},
	{"var", "n", "3", false, false},
	{"var", "zero", "0", false, false},
	{"var", "half", "0.5", false, false},
	{"var", "yes", "true", false, false},
	{"var", "no", "false", false, false},
	{"var", "nothing", "null", false, false},
	{"var", "empty", "\"\"", false, false},
	{"var", "list", "[\"a\",\"b\",\"c\"]", false, false},
	{"var", "numbers", "[3,1,2]", false, false},
	{"var", "tags", "{\"team\":\"research\",\"cost-center\":\"7\",\"odd key\":1}", false, false},
	{"var", "nodes", "[{\"name\":\"x\",\"disks\":[{\"size\":1},{\"size\":2}]},{\"name\":\"y\",\"disks\":[]}]",
	 false, false},
	{"var", "mixed", "[\"a\",{\"$deferred\":\"${aws.vpc.a.id}\"}]", false, false},
	{"var", "waits", "{\"$deferred\":\"${aws.vpc.a.id}\"}", false, false},
	{"var", "unread", "{\"$unread\":true}", false, false},
	{"var", "password", "\"hunter2\"", false, true},
	{"var", "code", "7", false, true},
	{"var", "flag", "true", false, true},
	{"var", "vault", "{\"user\":\"bob\",\"key\":\"k\"}", false, true},
	{"aws.vpc.a", "id", "\"vpc-1\"", true, false},
	{"aws.vpc.a", "cidr", "\"10.0.0.0/16\"", true, false},
	{"aws.vpc.my-vpc", "id", "\"vpc-2\"", true, false},
	{"aws.vpc.1a", "id", "\"vpc-3\"", true, false},
	{"aws.vpc.a", "port", "8080", true, false},
	{"aws.vpc.a", "on", "true", true, false},
	{"aws.vpc.a", "zones", "[\"z1\",\"z2\"]", true, false},
	{"aws.vpc.a", "tags", "{\"name\":\"main\"}", true, false},
	{"metal.machine.m", "serial", "\"S1\"", true, false},
};

_Static_assert(COUNT(names) == BENCH_NAMES, "a value for every name");

static const struct value *get(void *context, struct slice address, struct slice output)
{
	struct bench *bench = (struct bench *)context;

	bench->asked++;
	for (size_t i = 0; i < COUNT(names); i++) {
		if (slice_is(address, names[i].address) && slice_is(output, names[i].attribute))
			return names[i].later && !bench->everything ? NULL : &bench->values[i];
	}
	return NULL;
}

static bool is_kind(void *context, struct slice name)
{
	(void)context;
	return slice_is(name, "aws.vpc") || slice_is(name, "aws.subnet") || slice_is(name, "metal.machine") ||
	       slice_is(name, "cluster");
}

void bench_init(struct bench *bench)
{
	*bench = (struct bench){0};
	arena_init(&bench->arena);
	diagnostics_init(&bench->diagnostics, &bench->arena);
	for (size_t i = 0; i < COUNT(names); i++) {
		if (!json_read(&bench->arena, slice_of(names[i].json), true, 4096, "the table", &bench->values[i],
			       &bench->diagnostics))
			fail_msg("the value of %s.%s is no JSON", names[i].address, names[i].attribute);
		bench->values[i].secret = names[i].secret;
	}
}

void bench_release(struct bench *bench)
{
	diagnostics_release(&bench->diagnostics);
	arena_release(&bench->arena);
}

struct output_source bench_source(struct bench *bench)
{
	return (struct output_source){bench, get};
}

bool bench_compile(struct bench *bench, struct slice text, const struct expression **ret)
{
	return expression_compile(&bench->arena, text, bench_start, is_kind, NULL, ret, &bench->diagnostics);
}

bool bench_evaluate(struct bench *bench, const struct expression *expression, struct value *ret)
{
	struct output_source source = bench_source(bench);

	return expression_evaluate(expression, &source, &bench->arena, ret, &bench->diagnostics);
}

const char *bench_message(const struct bench *bench)
{
	return bench->diagnostics.count > 0 ? bench->diagnostics.items[0].message.data : "(no diagnostic)";
}

const struct expression *bench_compiled(struct bench *bench, const char *name, struct slice text)
{
	const struct expression *expression = NULL;

	if (!bench_compile(bench, text, &expression))
		fail_msg("%s: '%.*s' is refused: %s", name, SLICE_ARGUMENTS(text), bench_message(bench));
	return expression;
}

struct value bench_evaluated(struct bench *bench, const char *name, struct slice text)
{
	struct value value = value_null();

	if (!bench_evaluate(bench, bench_compiled(bench, name, text), &value))
		fail_msg("%s: '%.*s' fails: %s", name, SLICE_ARGUMENTS(text), bench_message(bench));
	return value;
}

void check_slice(const char *name, struct slice is, const char *wanted)
{
	if (!slice_is(is, wanted))
		fail_msg("%s: is '%.*s', not '%s'", name, SLICE_ARGUMENTS(is), wanted);
}

struct value bench_resolved(struct bench *bench, const struct value *value)
{
	struct resolver resolver = expression_resolver(NULL);
	struct output_source source = bench_source(bench);
	struct value result;

	if (!resolver.resolve(&resolver, value, &source, &bench->arena, &result, &bench->diagnostics))
		fail_msg("not resolved: %s", bench_message(bench));
	return result;
}

struct value *bench_value(struct bench *bench, const char *address, const char *attribute)
{
	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcmp(names[i].address, address) == 0 && strcmp(names[i].attribute, attribute) == 0)
			return &bench->values[i];
	}
	fail_msg("no name %s.%s", address, attribute);
	return NULL;
}
