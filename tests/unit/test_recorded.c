#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/recorded.h"

/* What is recorded, as the commands on the record look for it. */

enum { OBJECTS = 1000 };

struct fixture {
	struct arena arena;
	struct diagnostics diagnostics;
	struct object objects[OBJECTS];
	struct object *list[OBJECTS];
	struct job job;
	struct recorded recorded;
};

static void fixture_init(struct fixture *fixture)
{
	arena_init(&fixture->arena);
	diagnostics_init(&fixture->diagnostics, &fixture->arena);
	for (size_t i = 0; i < OBJECTS; i++) {
		fixture->objects[i] = (struct object){.address = arena_format(&fixture->arena, "t.net.n%04zu", i)};
		fixture->list[i] = &fixture->objects[i];
	}
	fixture->job = (struct job){.arena = &fixture->arena,
				    .diagnostics = &fixture->diagnostics,
				    .objects = fixture->list,
				    .object_count = OBJECTS};
	fixture->recorded = (struct recorded){.job = &fixture->job};
}

static void fixture_release(struct fixture *fixture)
{
	diagnostics_release(&fixture->diagnostics);
	arena_release(&fixture->arena);
}

static void test_hint(void **state)
{
	static const struct {
		const char *address;
		const char *hint; /* NULL: it is there */
	} rows[] = {
		{"t.net.n0000", NULL},
		{"t.net.n0999", NULL},
		{"t.net.n1000", "did you mean 't.net.n0000'?"},
		{"t.net.n0999x", "did you mean 't.net.n0999'?"},
		{"", "'trueup state list' shows what is recorded"},
		{"u.elsewhere", "'trueup state list' shows what is recorded"},
	};
	static struct fixture fixture;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fixture_init(&fixture);
		bool found = recorded_has(&fixture.recorded, slice_of(rows[i].address));
		if (found != !rows[i].hint || fixture.diagnostics.count != !found ||
		    (!found && !slice_is(fixture.diagnostics.items[0].hint, rows[i].hint)))
			fail_msg("'%s'", rows[i].address);
		fixture_release(&fixture);
	}
}

/* A stack's whole list may be given: what one address takes is not to be the size of the record. */
static void test_memory(void **state)
{
	static struct fixture fixture;

	(void)state;
	fixture_init(&fixture);
	size_t before_bytes = fixture.arena.used_bytes;
	for (size_t i = 0; i < OBJECTS; i++)
		assert_true(recorded_has(&fixture.recorded, fixture.objects[i].address));
	assert_int_equal(fixture.arena.used_bytes, before_bytes);
	assert_false(recorded_has(&fixture.recorded, SLICE("t.net.m0")));
	size_t first_bytes = fixture.arena.used_bytes - before_bytes;
	before_bytes = fixture.arena.used_bytes;
	assert_false(recorded_has(&fixture.recorded, SLICE("t.net.m1")));
	assert_true(fixture.arena.used_bytes - before_bytes < first_bytes / 2);
	fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hint),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests_name("recorded", tests, NULL, NULL);
}
