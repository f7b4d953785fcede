#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "cli/job.h"

/* What is promised of a job when it ends, however far it came. */

/* The key that it has found lies in it alone, and the process may have more to do, or leave its memory to others. */
static void test_wipes_the_sealing_key(void **state)
{
	struct seal_key none;
	struct arena arena;
	struct job job = {.arena = &arena, .sealing.from = "TRUEUP_SEALING_KEY"};

	(void)state;
	arena_init(&arena);
	diagnostics_init(&job.unfound, &arena);
	memset(&job.sealing.key, 0x5e, sizeof(job.sealing.key));
	job.vault.key = &job.sealing.key;
	job_release(&job);
	memset(&none, 0, sizeof(none));
	assert_memory_equal(&job.sealing.key, &none, sizeof(none));
	assert_null(job.sealing.from);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wipes_the_sealing_key),
	};

	return cmocka_run_group_tests_name("job", tests, NULL, NULL);
}
