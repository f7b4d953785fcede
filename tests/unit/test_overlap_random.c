#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/cidr.h"
#include "specs/expression.h"
#include "tests/unit/support_overlap.h"

static unsigned pick(uint64_t *seed, unsigned count)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(*seed >> 33) % count;
}

/* One random range and what the slow check knows of it. */
struct sample {
	struct cidr cidr;
	uint32_t line;
	int domain; /* -1: of address_space */
	int parent; /* the network a subnet is in, or -1 */
	char what;  /* 'o' own, 'b' beyond, 's' subnet, 'r' reserved, 'n' network */
};

/* The definition of overlap_check(), pair by pair. */
static bool must_not_overlap(const struct sample *a, const struct sample *b, const bool *joined)
{
	if (a->what > b->what) {
		const struct sample *first = a;

		a = b;
		b = first;
	}
	/* Letters in order: b n o r s. */
	switch (a->what << 8 | b->what) {
	case 'b' << 8 | 'b':
		return a->domain == b->domain &&
		       !(cidr_contains(&a->cidr, &b->cidr) && cidr_contains(&b->cidr, &a->cidr));
	case 'b' << 8 | 'o':
	case 'o' << 8 | 'o':
		return a->domain == b->domain;
	case 'n' << 8 | 'o':
		return joined[b->domain];
	case 'n' << 8 | 'n':
	case 'n' << 8 | 'r':
	case 'o' << 8 | 'r':
		return true;
	case 's' << 8 | 's':
		return a->parent == b->parent;
	default:
		return false;
	}
}

static struct cidr random_of_family(uint64_t *seed, uint8_t family)
{
	struct cidr cidr = {.family = family, .bits = (uint8_t)(8 + pick(seed, 9))};

	cidr.bytes[0] = family == 4 ? 10 : 0xfd;
	cidr.bytes[1] = (uint8_t)pick(seed, 256);
	/* A range of one address: the first or the last of wider ones. */
	if (pick(seed, 4) == 0) {
		cidr.bits = family == 4 ? 32 : 128;
		memset(cidr.bytes + 2, pick(seed, 2) ? 0xff : 0, cidr.bits / 8 - 2);
	}
	return cidr_network(cidr);
}

static struct cidr random_cidr(uint64_t *seed)
{
	return random_of_family(seed, pick(seed, 4) ? 4 : 6);
}

enum { MANY_NETS = 12, MANY_SAMPLES = 200 };

struct scene {
	struct sample samples[MANY_SAMPLES];
	size_t count;
	int domain[MANY_NETS];
	bool joined[MANY_NETS];
};

static void take_sample(struct scene *scene, struct cidr cidr, size_t line, int domain, int parent, char what)
{
	scene->samples[scene->count++] = (struct sample){cidr, (uint32_t)line, domain, parent, what};
}

static const char *cidr_string(struct plan *plan, const struct cidr *cidr)
{
	return cidr_text(&plan->arena, cidr).data;
}

static void add_peerings(struct plan *plan, struct scene *scene, uint64_t *seed)
{
	for (unsigned i = pick(seed, 5); i > 0; i--) {
		int first = (int)pick(seed, MANY_NETS), second = (int)pick(seed, MANY_NETS);
		int from = scene->domain[first], to = scene->domain[second];

		plan_add(plan, "test.peering", arena_text(&plan->arena, "p%u", i),
			 arena_text(&plan->arena,
				    "{\"ends\":[{\"$deferred\":\"${test.net.n%d.id}\"},"
				    "{\"$deferred\":\"${test.net.n%d.id}\"}]}",
				    first, second));
		for (int j = 0; j < MANY_NETS; j++)
			scene->domain[j] = scene->domain[j] == from ? to : scene->domain[j];
		scene->joined[to] = true;
	}
}

/* Networks, some peered, with subnets and connections, and address_space. */
static void make_scene(struct plan *plan, struct scene *scene, uint64_t *seed)
{
	for (int i = 0; i < MANY_NETS; i++) {
		struct cidr cidr = random_cidr(seed);

		scene->domain[i] = i;
		scene->joined[i] = false;
		plan_add(plan, "test.net", arena_text(&plan->arena, "n%d", i),
			 arena_text(&plan->arena, "{\"more\":[\"%s\"]}", cidr_string(plan, &cidr)));
		take_sample(scene, cidr, plan->count, i, -1, 'o');
	}
	add_peerings(plan, scene, seed);
	for (size_t i = 0; i < MANY_NETS; i++)
		scene->samples[i].domain = scene->domain[i];
	for (unsigned i = 0; i < 12; i++) {
		int parent = (int)pick(seed, MANY_NETS);
		struct cidr cidr = random_of_family(seed, scene->samples[parent].cidr.family);

		plan_add(plan, "test.subnet", arena_text(&plan->arena, "s%u", i),
			 arena_text(&plan->arena, "{\"net\":{\"$deferred\":\"${test.net.n%d.id}\"},\"cidr\":\"%s\"}",
				    parent, cidr_string(plan, &cidr)));
		take_sample(scene, cidr, plan->count, -1, parent, 's');
	}
	for (unsigned i = 0; i < 4; i++) {
		int net = (int)pick(seed, MANY_NETS), domain = scene->domain[net];
		struct cidr cidr = random_cidr(seed);

		/* A gateway with routes of its own is a connection in one. */
		plan_add(plan, "test.connection", arena_text(&plan->arena, "c%u", i),
			 arena_text(&plan->arena,
				    "{\"gateway\":{\"$deferred\":\"${test.net.n%d.id}\"},\"routes\":[\"%s\"]}", net,
				    cidr_string(plan, &cidr)));
		scene->joined[domain] = true;
		take_sample(scene, cidr, plan->count, domain, -1, 'b');
	}
	for (unsigned i = 0; i < 3; i++) {
		struct cidr reserved = random_cidr(seed), network = random_cidr(seed);

		plan->reserved[plan->reserved_count++] =
			(struct named_range){SLICE("r"), value_text(cidr_string(plan, &reserved))};
		plan->networks[plan->network_count++] =
			(struct named_range){SLICE("n"), value_text(cidr_string(plan, &network))};
		take_sample(scene, reserved, 101 + i, -1, -1, 'r');
		take_sample(scene, network, 201 + i, -1, -1, 'n');
	}
}

static bool is_told(const struct plan *plan, const struct sample *a, const struct sample *b)
{
	for (size_t i = 0; i < plan->diagnostics.count; i++) {
		const struct diag *diag = &plan->diagnostics.items[i];

		if ((diag->position.line == a->line && diag->related.line == b->line) ||
		    (diag->position.line == b->line && diag->related.line == a->line))
			return slice_contains(diag->message, SLICE(" overlaps "));
	}
	return false;
}

static bool is_told_outside(const struct plan *plan, const struct sample *subnet)
{
	for (size_t i = 0; i < plan->diagnostics.count; i++) {
		if (plan->diagnostics.items[i].position.line == subnet->line &&
		    slice_contains(plan->diagnostics.items[i].message, SLICE("lies outside")))
			return true;
	}
	return false;
}

static bool is_equal(const struct cidr *a, const struct cidr *b)
{
	return cidr_contains(a, b) && cidr_contains(b, a);
}

/* Whether one more way to the same place, which was met before, stands for this one with what is narrower. */
static bool is_stood_for(const struct scene *scene, const struct sample *way, const struct sample *other)
{
	if (way->what != 'b' || !cidr_contains(&way->cidr, &other->cidr) || is_equal(&way->cidr, &other->cidr))
		return false;
	for (const struct sample *first = scene->samples; first < way; first++)
		if (first->what == 'b' && first->domain == way->domain && is_equal(&first->cidr, &way->cidr))
			return true;
	return false;
}

/* Whether the narrower of two ways is to just what address_space names. */
static bool is_meant(const struct scene *scene, const struct sample *a, const struct sample *b)
{
	const struct cidr *narrower = a->cidr.bits > b->cidr.bits ? &a->cidr : &b->cidr;

	for (size_t i = 0; a->what == 'b' && b->what == 'b' && i < scene->count; i++)
		if ((scene->samples[i].what == 'r' || scene->samples[i].what == 'n') &&
		    is_equal(&scene->samples[i].cidr, narrower))
			return true;
	return false;
}

/* Whether the one is a way beyond that is wider than the other, an own range: what lies nearer is taken. */
static bool is_wider_way(const struct sample *way, const struct sample *own)
{
	return way->what == 'b' && own->what == 'o' && way->cidr.bits < own->cidr.bits;
}

static void check_scene(struct plan *plan, const struct scene *scene, uint64_t seed, size_t *wanted)
{
	size_t pairs = 0;

	for (size_t i = 0; i < scene->count; i++) {
		const struct sample *a = &scene->samples[i];

		if (a->what == 's') {
			bool outside = !cidr_contains(&scene->samples[a->parent].cidr, &a->cidr);

			pairs += outside;
			if (outside != is_told_outside(plan, a))
				fail_msg("seed %llu: line %u lies within or not", (unsigned long long)seed, a->line);
		}
		for (size_t j = i + 1; j < scene->count; j++) {
			const struct sample *b = &scene->samples[j];
			bool want = cidr_overlap(&a->cidr, &b->cidr) && must_not_overlap(a, b, scene->joined) &&
				    !is_meant(scene, a, b) && !is_stood_for(scene, a, b) &&
				    !is_stood_for(scene, b, a) && !is_wider_way(a, b) && !is_wider_way(b, a);

			pairs += want;
			if (want != is_told(plan, a, b))
				fail_msg("seed %llu: lines %u (%c) and %u (%c): %s", (unsigned long long)seed, a->line,
					 a->what, b->line, b->what, want ? "not told" : "told");
		}
	}
	assert_int_equal(plan->diagnostics.error_count, pairs);
	*wanted += pairs;
}

static void test_random(void **state)
{
	size_t wanted = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct scene scene = {.count = 0};
		uint64_t random = seed;
		struct plan plan;

		plan_init(&plan);
		make_scene(&plan, &scene, &random);
		plan_check(&plan);
		check_scene(&plan, &scene, seed, &wanted);
		plan_release(&plan);
	}
	/* Random ranges that never overlap would prove nothing. */
	assert_true(wanted > 3000);
}

/* What the hint names is free, and of the same size. */
static void test_random_hints(void **state)
{
	size_t hints = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		uint64_t random = seed;
		struct cidr cidrs[40], named;
		struct slice text = SLICE("");
		struct plan plan;

		plan_init(&plan);
		for (size_t i = 0; i < COUNT(cidrs); i++) {
			cidrs[i] = random_cidr(&random);
			text = arena_format(&plan.arena, "%.*s%s\"%s\"", SLICE_ARGUMENTS(text), i > 0 ? "," : "",
					    cidr_string(&plan, &cidrs[i]));
		}
		plan_add(&plan, "test.net", "a", arena_text(&plan.arena, "{\"more\":[%.*s]}", SLICE_ARGUMENTS(text)));
		plan_check(&plan);
		for (size_t i = 0; i < plan.diagnostics.count; i++) {
			const struct diag *diag = &plan.diagnostics.items[i];
			struct slice hint = diag->hint;

			if (hint.size == 0)
				continue;
			while (slice_contains(hint, SLICE(" ")))
				(void)slice_cut(&hint, ' ');
			assert_true(cidr_read(hint, &named));
			assert_int_equal(named.bits, cidrs[diag->position.column - 1].bits);
			for (size_t j = 0; j < COUNT(cidrs); j++) {
				if (cidr_overlap(&named, &cidrs[j]))
					fail_msg("seed %llu: %.*s is not free", (unsigned long long)seed,
						 SLICE_ARGUMENTS(hint));
			}
			hints++;
		}
		plan_release(&plan);
	}
	assert_true(hints > 500);
}

/* A stack of `count` networks of their own, all with one range or each with another, in one domain. */
static void check_many(size_t count, bool same, bool nested)
{
	struct resource *resources = (struct resource *)calloc(count + 1, sizeof(*resources));
	struct arena arena;
	struct diagnostics diagnostics;
	struct value_member *members;
	struct stack stack = {.resources = resources, .resource_count = count};
	struct address_space space = {0};
	struct sources sources;

	assert_non_null(resources);
	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	sources_init(&sources);
	members = arena_new_array(&arena, 2 * count, struct value_member);
	for (size_t i = 0; i < count; i++) {
		struct cidr cidr = {.family = 6, .bits = 64, .bytes = {0xfd}};
		struct position position = {(uint32_t)i + 1, 1, 0};

		for (size_t j = 0; !same && j < 4; j++)
			cidr.bytes[7 - j] = (uint8_t)(i >> (8 * j));
		cidr.bits = nested ? (uint8_t)(8 + i % 120) : cidr.bits;
		members[2 * i].key = value_text("cidr6");
		members[2 * i].value = value_at(value_string(cidr_text(&arena, &cidr)), position);
		resources[i] = (struct resource){
			.address = arena_format(&arena, "test.net.n%zu", i),
			.kind = plan_kind("test.net"),
			.desired = value_map(&members[2 * i], 1),
		};
	}
	/* One peering of all. */
	{
		struct value *ends = arena_new_array(&arena, count, struct value);
		struct value_member *peering = arena_new(&arena, struct value_member);

		for (size_t i = 0; i < count; i++)
			ends[i] = expression_of_reference(&arena, resources[i].address, SLICE("id"), NOWHERE);
		*peering = (struct value_member){value_text("ends"), value_list(ends, count)};
		resources[count] = (struct resource){.address = SLICE("test.peering.p"),
						     .kind = plan_kind("test.peering"),
						     .desired = value_map(peering, 1)};
		stack.resource_count++;
	}
	assert_int_equal(overlap_check(&stack, &space, &sources, &diagnostics), !same);
	assert_int_equal(diagnostics.error_count, same ? DIAGNOSTICS_MOST : 0);
	diagnostics_release(&diagnostics);
	sources_release(&sources);
	arena_release(&arena);
	free(resources);
}

/* As many ways to one place, which is no error, so that nothing stops the walk. */
static void check_many_ways(size_t count)
{
	struct resource *resources = (struct resource *)calloc(count, sizeof(*resources));
	struct stack stack = {.resources = resources, .resource_count = count};
	struct value route = value_text("10.0.0.0/8");
	struct value_member members[] = {{value_text("gateway"), value_text("vgw-1")},
					 {value_text("routes"), value_list(&route, 1)}};
	struct address_space space = {0};
	struct diagnostics diagnostics;
	struct sources sources;
	struct arena arena;

	assert_non_null(resources);
	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	sources_init(&sources);
	for (size_t i = 0; i < count; i++)
		resources[i] = (struct resource){
			.address = arena_format(&arena, "test.connection.c%zu", i),
			.kind = plan_kind("test.connection"),
			.desired = value_map(members, COUNT(members)),
		};
	assert_true(overlap_check(&stack, &space, &sources, &diagnostics));
	diagnostics_release(&diagnostics);
	sources_release(&sources);
	arena_release(&arena);
	free(resources);
}

/* Pair by pair these would take minutes, and the tests have a limit on time. */
static void test_many(void **state)
{
	(void)state;
	check_many(100000, false, false);
	check_many(100000, true, false);
	check_many(100000, true, true);
	check_many_ways(100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_random_hints),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests_name("overlap random", tests, NULL, NULL);
}
