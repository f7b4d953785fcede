#ifndef TRUEUP_TESTS_UNIT_SUPPORT_WORLD_H
#define TRUEUP_TESTS_UNIT_SUPPORT_WORLD_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/world.h"

/* What the tests of the real world share: an open one, and a folder that goes away with it. */
struct world_fixture {
	struct world world;
	struct arena arena;
	struct diagnostics diagnostics;
	char folder[64];
};

/* For cmocka: *state is the fixture. */
int world_fixture_set_up(void **state);
int world_fixture_tear_down(void **state);

#define WORLD_TEST(name) cmocka_unit_test_setup_teardown(name, world_fixture_set_up, world_fixture_tear_down)

#endif
