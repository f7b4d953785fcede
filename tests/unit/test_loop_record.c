#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/support_loop.h"

/* What the loop promises of what is recorded before and after a call. */

/* What cannot be recorded is not begun, and what was not recorded does not count as done. */
static void test_unrecorded(void **state)
{
	static const struct reply replies[] = {{.after_ms = 5, .repeat = -1}};

	(void)state;
	for (size_t commit = 1; commit <= 2; commit++) {
		struct staged staged;
		struct errand errand;

		stage_open(&staged, replies);
		staged.failing_commit = commit;
		errand_make(&errand, &staged, true, NULL);
		loop_add(&staged.loop, &errand.task);
		assert_false(loop_run(&staged.loop));
		if (!errand.ended || errand.done || staged.sent_count != commit - 1 || staged.beats != 0)
			fail_msg("commit %zu: sent %zu, %s", commit, staged.sent_count,
				 errand.done ? "done" : "not done");
		stage_close(&staged);
	}
}

/* Whoever stops sends nothing more, so an intent of that would tell of a call that there never was. */
static void test_stopped_in_a_commit(void **state)
{
	static const struct reply replies[] = {{.after_ms = 5, .repeat = -1}};
	struct staged staged;
	struct errand errand;

	(void)state;
	stage_open(&staged, replies);
	/* The second call waits for its turn when the outcome of the first is recorded, and not any more after that. */
	staged.limits = (struct provider_limits){1, 1};
	staged.slow_commit = 2;
	staged.interrupt_ms = staged.now_ms + 500;
	errand_make(&errand, &staged, true, NULL);
	errand.pages = 2;
	loop_add(&staged.loop, &errand.task);
	assert_false(loop_run(&staged.loop));
	assert_true(errand.ended && !errand.done);
	assert_int_equal(staged.closes, 1);
	assert_int_equal(staged.sent_count, 1);
	assert_int_equal(staged.intents, 1);
	stage_close(&staged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unrecorded),
		cmocka_unit_test(test_stopped_in_a_commit),
	};

	return cmocka_run_group_tests_name("loop record", tests, NULL, NULL);
}
