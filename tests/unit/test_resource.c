#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <time.h>

#include "base/arena.h"
#include "base/diag.h"
#include "reconcile/resource.h"
#include "reconcile/store.h"
#include "tests/unit/support_rounds.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void whole_fingerprint(void *context, struct slice secret, char ret[65])
{
	struct digest digest = digest_keyed(SLICE("key"), secret);
	(void)context;
	digest_hex(&digest, ret);
}

static const struct json_style keyed = {.fingerprint = whole_fingerprint};

static int setup(void **state)
{
	static struct arena arena;

	arena_init(&arena);
	*state = &arena;
	return 0;
}

static int teardown(void **state)
{
	arena_release((struct arena *)*state);
	return 0;
}

#define S(literal)                                                                                                     \
	{                                                                                                              \
		(literal), sizeof(literal) - 1                                                                         \
	}

static void test_identity_text(void **state)
{
	static const struct {
		const char *name;
		struct identity identity;
		const char *text;
	} rows[] = {
		{"aws", {S("aws"), S("aws"), S("123456789012"), S("us-west-2"), S("")}, "aws:123456789012:us-west-2"},
		{"another partition",
		 {S("aws"), S("aws-cn"), S("123456789012"), S("cn-north-1"), S("")},
		 "aws:123456789012:cn-north-1:aws-cn"},
		{"a simulator",
		 {S("aws"), S("aws"), S("000000000000"), S("us-west-2"), S("sim:world.json")},
		 "aws:000000000000:us-west-2@sim%3Aworld.json"},
		{"nothing but a provider", {S("metal"), S(""), S(""), S(""), S("")}, "metal:::"},
		{"nothing at all", {S(""), S(""), S(""), S(""), S("")}, "::"},
		{"an address as endpoint",
		 {S("metal"), S(""), S(""), S("r12"), S("https://[fd00::1]:443/a%20b@c")},
		 "metal::r12:@https%3A//[fd00%3A%3A1]%3A443/a%2520b%40c"},
		{"separators in every part",
		 {S("a:"), S("b@"), S("c%"), S("d "), S("e\n")},
		 "a%3A:c%25:d%20:b%40@e%0A"},
		{"bytes beyond ASCII", {S("x"), S("x"), S("\xc3\xa4"), S("\x7f"), S("")}, "x:\xc3\xa4:%7F"},
	};
	struct arena *arena = (struct arena *)*state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice text = identity_text(arena, &rows[i].identity);
		struct identity back;

		if (!slice_is(text, rows[i].text))
			fail_msg("%s: '%.*s'", rows[i].name, SLICE_ARGUMENTS(text));
		if (!identity_read(arena, text, &back) || !identity_equal(&rows[i].identity, &back))
			fail_msg("%s: does not come back", rows[i].name);
	}
}

static void test_endpoint_spellings(void **state)
{
	static const struct {
		const char *given, *known;
	} rows[] = {
		{"", ""},
		{"http://[::1]:5019", "http://[::1]:5019"},
		{"http://[::1]:5019/", "http://[::1]:5019"},
		{"HTTPS://Api.Example:8443//", "https://api.example:8443"},
		{"https://api.example/Stage/V1/", "https://api.example/Stage/V1"},
		{"ec2=http://A/ sts=HTTP://b", "ec2=http://a sts=http://b"},
		{"sim:/tmp/A//World/", "sim:/tmp/A//World/"},
		{"http:/", "http:/"},
		{" x//Y/", " x//Y/"},
	};
	struct arena *arena = (struct arena *)*state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice known = identity_endpoint(arena, slice_of(rows[i].given));
		struct identity recorded = {.provider = SLICE("aws"), .partition = SLICE("aws")}, back;

		if (!slice_is(known, rows[i].known))
			fail_msg("'%s': '%.*s'", rows[i].given, SLICE_ARGUMENTS(known));
		/* As a record has it that was made before there was one spelling. */
		recorded.endpoint = slice_of(rows[i].given);
		if (!identity_read(arena, identity_text(arena, &recorded), &back) ||
		    !slice_is(back.endpoint, rows[i].known))
			fail_msg("'%s': not taken from a record", rows[i].given);
	}
}

static void test_identity_refused(void **state)
{
	static const struct {
		const char *name;
		struct slice text;
	} rows[] = {
		{"nothing", S("")},
		{"two parts", S("aws:1")},
		{"five parts", S("aws:1:r:p:q")},
		{"an escape that is cut", S("aws:1:r%3")},
		{"an escape that is none", S("aws:1:r%3G")},
		{"an escape in lower case", S("aws:1:r%3a")},
		{"an escape of what needs none", S("aws:1:r%41")},
		{"a separator of an endpoint that is not there", S("aws:1:r@")},
		{"a colon in the endpoint", S("aws:1:r@a:b")},
		{"two endpoints", S("aws:1:r@a@b")},
		{"a partition that goes without saying", S("aws:1:r:aws")},
		{"a space", S("aws:1:r x")},
		{"a NUL", S("aws:1:r\0")},
	};
	struct arena *arena = (struct arena *)*state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct identity untouched = {.region = SLICE("here")};

		if (identity_read(arena, rows[i].text, &untouched))
			fail_msg("%s: taken", rows[i].name);
		if (!slice_is(untouched.region, "here"))
			fail_msg("%s: output changed", rows[i].name);
	}
}

static void test_identity_equal(void **state)
{
	static const struct identity base = {S("a"), S("b"), S("c"), S("d"), S("e")};
	static const struct {
		const char *name;
		struct identity other;
		bool equal;
	} rows[] = {
		{"same", {S("a"), S("b"), S("c"), S("d"), S("e")}, true},
		{"provider", {S("x"), S("b"), S("c"), S("d"), S("e")}, false},
		{"partition", {S("a"), S("x"), S("c"), S("d"), S("e")}, false},
		{"account", {S("a"), S("b"), S("x"), S("d"), S("e")}, false},
		{"region", {S("a"), S("b"), S("c"), S("x"), S("e")}, false},
		{"endpoint", {S("a"), S("b"), S("c"), S("d"), S("")}, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (identity_equal(&base, &rows[i].other) != rows[i].equal)
			fail_msg("%s", rows[i].name);
	}
}

static void test_recipes(void **state)
{
	static const struct {
		enum recipe recipe;
		const char *name;
	} rows[] = {
		{RECIPE_CONVERGE, "converge"}, {RECIPE_TAG, "tag"},	    {RECIPE_TOKEN, "token"},
		{RECIPE_NATURAL, "natural"},   {RECIPE_DISCARD, "discard"}, {RECIPE_SNAPSHOT, "snapshot"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_string_equal(recipe_name(rows[i].recipe), rows[i].name);
		assert_int_equal(recipe_named(slice_of(rows[i].name)), rows[i].recipe);
	}
	assert_int_equal(recipe_named(SLICE("unheard of")), RECIPE_CONVERGE);
	assert_int_equal(recipe_named(SLICE("")), RECIPE_CONVERGE);
}

static const struct kind subnet = {.name = "aws.subnet", .version = 1};
static const struct kind newer_subnet = {.name = "aws.subnet", .version = 2};
static const struct kind vpc = {.name = "aws.vpc", .version = 1};

static const struct value_member plain_members[] = {
	{{.type = VALUE_STRING, .count = 4, .text = "cidr"}, {.type = VALUE_STRING, .count = 8, .text = "10.0.0.0"}},
	{{.type = VALUE_STRING, .count = 4, .text = "zone"}, {.type = VALUE_STRING, .count = 1, .text = "a"}},
};
static const struct value_member turned_members[] = {
	{{.type = VALUE_STRING, .count = 4, .text = "zone", .position = {9, 9, 9}},
	 {.type = VALUE_STRING, .count = 1, .text = "a", .style = VALUE_STYLE_QUOTED}},
	{{.type = VALUE_STRING, .count = 4, .text = "cidr"}, {.type = VALUE_STRING, .count = 8, .text = "10.0.0.0"}},
};
static const struct value_member other_members[] = {
	{{.type = VALUE_STRING, .count = 4, .text = "cidr"}, {.type = VALUE_STRING, .count = 8, .text = "10.0.0.1"}},
	{{.type = VALUE_STRING, .count = 4, .text = "zone"}, {.type = VALUE_STRING, .count = 1, .text = "a"}},
};
static const struct value_member secret_members[] = {
	{{.type = VALUE_STRING, .count = 4, .text = "cidr"},
	 {.type = VALUE_STRING, .count = 8, .text = "10.0.0.0", .secret = true}},
	{{.type = VALUE_STRING, .count = 4, .text = "zone"}, {.type = VALUE_STRING, .count = 1, .text = "a"}},
};
static const struct value_member other_secret_members[] = {
	{{.type = VALUE_STRING, .count = 4, .text = "cidr"},
	 {.type = VALUE_STRING, .count = 8, .text = "10.0.0.1", .secret = true}},
	{{.type = VALUE_STRING, .count = 4, .text = "zone"}, {.type = VALUE_STRING, .count = 1, .text = "a"}},
};

#define MAP(array)                                                                                                     \
	{                                                                                                              \
		.type = VALUE_MAP, .count = COUNT(array), .members = (array)                                           \
	}

static const struct slice ab[] = {S("a"), S("b")}, ba[] = {S("b"), S("a")}, aab[] = {S("a"), S("a"), S("b")};
static const struct dependency whole_x[] = {{.address = S("aws.vpc.x"), .binding = BINDS_WHOLE}};
static const struct dependency whole_y[] = {{.address = S("aws.vpc.y"), .binding = BINDS_WHOLE}};
static const struct dependency make_x[] = {{.address = S("aws.vpc.x"), .binding = BINDS_MAKE}};

/* Which edits of a resource change its digest: each row against the first. */
static void test_symbolic(void **state)
{
	static const struct {
		const char *name;
		struct resource resource;
		bool same;
	} rows[] = {
		{"itself", {.kind = &subnet, .desired = MAP(plain_members)}, true},
		{"order, positions, quotes", {.kind = &subnet, .desired = MAP(turned_members)}, true},
		{"its own place, name and address",
		 {.kind = &subnet,
		  .desired = MAP(plain_members),
		  .name = S("n"),
		  .address = S("a"),
		  .position = {3, 4, 5}},
		 true},
		{"the provider's alias",
		 {.kind = &subnet, .desired = MAP(plain_members), .provider = S("aws.east")},
		 true},
		{"a reference, which stands in the fields",
		 {.kind = &subnet, .desired = MAP(plain_members), .dependencies = make_x, .dependency_count = 1},
		 true},
		{"a field", {.kind = &subnet, .desired = MAP(other_members)}, false},
		{"a field that becomes secret", {.kind = &subnet, .desired = MAP(secret_members)}, false},
		{"the kind", {.kind = &vpc, .desired = MAP(plain_members)}, false},
		{"the kind's version", {.kind = &newer_subnet, .desired = MAP(plain_members)}, false},
		{"protect", {.kind = &subnet, .desired = MAP(plain_members), .protect = true}, false},
		{"create_before_destroy: true",
		 {.kind = &subnet, .desired = MAP(plain_members), .create_before_destroy = CHOICE_YES},
		 false},
		{"create_before_destroy: false",
		 {.kind = &subnet, .desired = MAP(plain_members), .create_before_destroy = CHOICE_NO},
		 false},
		{"ignore", {.kind = &subnet, .desired = MAP(plain_members), .ignored = ab, .ignored_count = 2}, false},
		{"depends_on",
		 {.kind = &subnet, .desired = MAP(plain_members), .dependencies = whole_x, .dependency_count = 1},
		 false},
	};
	struct arena *arena = (struct arena *)*state;
	struct digest first = resource_symbolic(&rows[0].resource, &keyed, arena);

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct digest digest = resource_symbolic(&rows[i].resource, &keyed, arena);

		if (digest_equal(&first, &digest) != rows[i].same)
			fail_msg("%s", rows[i].name);
	}
}

/* Pairs that have no common base. */
static void test_symbolic_pairs(void **state)
{
	static const struct {
		const char *name;
		struct resource a;
		struct resource b;
		bool same;
	} rows[] = {
		{"a secret that changed",
		 {.kind = &subnet, .desired = MAP(secret_members)},
		 {.kind = &subnet, .desired = MAP(other_secret_members)},
		 false},
		{"order of ignore",
		 {.kind = &subnet, .ignored = ab, .ignored_count = 2},
		 {.kind = &subnet, .ignored = ba, .ignored_count = 2},
		 true},
		{"repeats in ignore",
		 {.kind = &subnet, .ignored = aab, .ignored_count = 3},
		 {.kind = &subnet, .ignored = ab, .ignored_count = 2},
		 true},
		{"part of ignore",
		 {.kind = &subnet, .ignored = ab, .ignored_count = 2},
		 {.kind = &subnet, .ignored = ab, .ignored_count = 1},
		 false},
		{"whom it depends on",
		 {.kind = &subnet, .dependencies = whole_x, .dependency_count = 1},
		 {.kind = &subnet, .dependencies = whole_y, .dependency_count = 1},
		 false},
	};
	struct arena *arena = (struct arena *)*state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct digest a = resource_symbolic(&rows[i].a, &keyed, arena),
			      b = resource_symbolic(&rows[i].b, &keyed, arena);

		if (digest_equal(&a, &b) != rows[i].same)
			fail_msg("%s", rows[i].name);
	}
}

/* What is recorded must be found again by every later version of the program. */
static void test_symbolic_vector(void **state)
{
	static const struct resource resource = {.kind = &subnet, .desired = MAP(plain_members)};
	struct arena *arena = (struct arena *)*state;
	struct digest digest = resource_symbolic(&resource, &keyed, arena);
	struct digest expected =
		digest_of(SLICE("{\"create_before_destroy\":0,\"depends_on\":[],"
				"\"desired\":{\"cidr\":\"10.0.0.0\",\"zone\":\"a\"},"
				"\"ignored\":[],\"kind\":\"aws.subnet\",\"protect\":false,\"version\":1}"));

	assert_memory_equal(digest.bytes, expected.bytes, DIGEST_BYTES);
}

/* Shows a figure; a time never fails a test. */
static void test_symbolic_speed(void **state)
{
	enum { RESOURCES = 100000 };
	const int resources = rounds_of(RESOURCES);
	static const struct deferred deferred = {.text = S("${aws.vpc.v17.id}")};
	struct arena *arena = (struct arena *)*state;
	struct resource resource = {.kind = &subnet};
	struct digest last = {0};
	struct timespec start, end;
	size_t different = 0;

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (int i = 0; i < resources; i++) {
		char cidr[32];
		struct slice text = {cidr,
				     (size_t)snprintf(cidr, sizeof(cidr), "10.%d.%d.0/24", i / 256 % 256, i % 256)};
		const struct value_member tags[] = {{value_text("Name"), value_string(text)},
						    {value_text("team"), value_text("research")}};
		const struct value_member members[] = {{value_text("vpc"), value_deferred(&deferred)},
						       {value_text("cidr"), value_string(text)},
						       {value_text("zone"), value_text("us-west-2a")},
						       {value_text("tags"), value_map(tags, 2)}};
		struct digest digest;

		resource.desired = value_map(members, COUNT(members));
		digest = resource_symbolic(&resource, &keyed, arena);
		different += !digest_equal(&digest, &last);
		last = digest;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	print_message("# %d digests of resources in %.0f ms\n", resources,
		      (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) / 1e6);
	assert_int_equal(different, resources);
}

/* An index is taken over with a copy of the stack, whose resources may then be others. */
static void test_addresses(void **state)
{
	static const struct resource resources[] = {{.address = S("aws.vpc.a")}, {.address = S("aws.vpc.b")}};
	static const struct resource others[] = {{.address = S("aws.vpc.b")}, {.address = S("aws.vpc.c")}};
	static const struct {
		const char *name;
		const struct resource *resources;
		size_t count;
		bool indexed, own;
	} rows[] = {
		{"its own", resources, 2, true, true},		{"none", resources, 2, false, false},
		{"of other resources", others, 2, true, false}, {"of more resources", resources, 1, true, false},
		{"of a stack with any", NULL, 0, true, false},
	};
	struct stack whole = {.resources = resources, .resource_count = 2};
	struct map index;

	(void)state;
	map_init(&index);
	assert_ptr_equal(stack_addresses(&whole, &index), &index);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct stack stack = {.resources = rows[i].resources, .resource_count = rows[i].count};
		const struct map *addresses;
		struct map spare;

		map_init(&spare);
		stack.addresses = rows[i].indexed ? &index : NULL;
		addresses = stack_addresses(&stack, &spare);
		if (addresses != (rows[i].own ? &index : &spare) || addresses->count != rows[i].count)
			fail_msg("%s", rows[i].name);
		for (size_t k = 0; k < rows[i].count; k++)
			assert_ptr_equal(map_get(addresses, stack.resources[k].address), &stack.resources[k]);
		map_release(&spare);
	}
	map_release(&index);
}

static void test_twin(void **state)
{
	static const struct object rows[] = {
		{.object_id = S("swept up"), .role = OBJECT_DEPOSED},
		{.object_id = S("left behind"), .role = OBJECT_DEPOSED, .applied = {.count = 1}},
		{.object_id = S("left behind, of a spec without fields"), .role = OBJECT_DEPOSED, .symbolic = {{1}}},
		{.object_id = S("left behind, and rebuilt"), .role = OBJECT_DEPOSED, .observed = {.count = 1}},
		{.object_id = S("an address's own"), .role = OBJECT_CURRENT},
		{.object_id = S("just begun"), .role = OBJECT_INCOMPLETE},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (object_is_twin(&rows[i]) != (i == 0))
			fail_msg("%s", rows[i].object_id.data);
}

static void test_address_of_kind(void **state)
{
	static const struct {
		struct slice address;
		const char *name; /* NULL: it is of another kind */
	} rows[] = {
		{S("aws.vpc.main"), "main"}, {S("aws.vpc.m"), "m"},	   {S("aws.vpc."), NULL}, {S("aws.vpc"), NULL},
		{S("aws.vpcs.main"), NULL},  {S("aws.subnet.main"), NULL}, {S(""), NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		bool is_of = address_is_of(rows[i].address, SLICE("aws.vpc"));

		if (is_of != (rows[i].name != NULL) ||
		    (is_of && !slice_is(address_name(rows[i].address, SLICE("aws.vpc")), rows[i].name)))
			fail_msg("%s", rows[i].address.data);
	}
}

static void test_dependency_is_explicit(void **state)
{
	(void)state;
	assert_true(dependency_is_explicit(&(struct dependency){.address = SLICE("aws.vpc.a")}));
	assert_false(dependency_is_explicit(&(struct dependency){.output = SLICE("id"), .field = SLICE("vpc")}));
}

static void test_order(void **state)
{
	static const struct object in_order[] = {
		{.address = S("aws.vpc.a"), .object_id = S("b"), .role = OBJECT_CURRENT},
		{.address = S("aws.vpc.a"), .object_id = S("c"), .role = OBJECT_CURRENT},
		{.address = S("aws.vpc.a"), .object_id = S("a"), .role = OBJECT_DEPOSED},
		{.address = S("aws.vpc.a"), .object_id = S("a"), .role = OBJECT_INCOMPLETE},
		{.address = S("aws.vpc.b"), .object_id = S("a"), .role = OBJECT_CURRENT},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(in_order); i++)
		for (size_t k = 0; k < COUNT(in_order); k++) {
			int order = object_compare(&in_order[i], &in_order[k]);

			if ((order > 0) - (order < 0) != (i > k) - (i < k))
				fail_msg("%zu against %zu: %d", i, k, order);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_dependency_is_explicit),
		cmocka_unit_test(test_twin),
		cmocka_unit_test(test_address_of_kind),
		cmocka_unit_test(test_order),
		cmocka_unit_test_setup_teardown(test_identity_text, setup, teardown),
		cmocka_unit_test_setup_teardown(test_endpoint_spellings, setup, teardown),
		cmocka_unit_test_setup_teardown(test_identity_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_identity_equal, setup, teardown),
		cmocka_unit_test_setup_teardown(test_recipes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_symbolic, setup, teardown),
		cmocka_unit_test_setup_teardown(test_symbolic_pairs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_symbolic_vector, setup, teardown),
		cmocka_unit_test_setup_teardown(test_symbolic_speed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
