#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reconcile/apply_parts.h"
#include "tests/unit/support_loop.h"

/* What tasks wait for is listed once for all of a kind in a place, and in an order that any run has again. */

enum { PLACES = 3, TASKS = 2 * PLACES };

static char listed[PLACES + 1];
static size_t listed_count;

static enum step list(struct reading *reading, const struct answer *answer)
{
	(void)answer;
	assert_true(listed_count < PLACES);
	listed[listed_count++] = reading->session->name.data[0];
	return STEP_DONE;
}

static bool needs_detail(const struct kind *kind, const struct value *matters)
{
	(void)kind;
	(void)matters;
	return false;
}

static enum step wait_for_object(struct task *task, const struct answer *answer)
{
	(void)answer;
	return ((struct node *)task)->work.has_now ? STEP_DONE : STEP_READ;
}

static const struct {
	const char *name;
	size_t numbers[PLACES]; /* of the sessions, as they lie in memory */
	const char *wanted;
} orders[] = {
	{"opened as they lie", {0, 1, 2}, "abc"},
	{"opened the other way round", {2, 1, 0}, "cba"},
	{"opened anyhow", {1, 2, 0}, "cab"},
};

static void test_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		const struct kind kind = {.name = "aws.thing"};
		struct session sessions[PLACES];
		struct object object = {.provider_id = SLICE("thing-1")};
		struct node nodes[TASKS];
		struct staged staged;

		stage_open(&staged, NULL);
		struct apply apply = {.arena = &staged.arena};
		struct applying applying = {.apply = &apply};
		const struct action action = {.kind = &kind};
		struct target target = {.applying = &applying, .action = &action};

		listed_count = 0;
		staged.provider.list = list;
		staged.provider.needs_detail = needs_detail;
		staged.loop.settings.read = applying_read;
		for (size_t k = 0; k < PLACES; k++)
			sessions[k] = (struct session){.provider = &staged.provider,
						       .name = (struct slice){&"abc"[k], 1},
						       .number = orders[i].numbers[k]};
		for (size_t k = 0; k < TASKS; k++) {
			nodes[k] = (struct node){.work = {.session = &sessions[k % PLACES], .kind = &kind},
						 .target = &target};
			nodes[k].work.task.step = wait_for_object;
			nodes[k].work.task.object = &object;
			nodes[k].work.task.diagnostics = &staged.diagnostics;
			loop_add(&staged.loop, &nodes[k].work.task);
		}
		assert_true(loop_run(&staged.loop));
		listed[listed_count] = '\0';
		if (strcmp(listed, orders[i].wanted) != 0)
			fail_msg("%s: listed in the order %s", orders[i].name, listed);
		stage_close(&staged);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests_name("apply_read", tests, NULL, NULL);
}
