#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/support_loop.h"

/* How long a call is sent once more that is refused for what passes: what is not there yet, or is held for now. */

enum { MINUTE_MS = 60 * 1000 };

static const struct {
	const char *name;
	int64_t age_ms;
	enum fault fault;
	const char *code;
	int refusals; /* before it is done; -1: always refused */
	bool done;
	int64_t least_ms, most_ms;
	int64_t retry_after_ms; /* as the service asks */
} settlings[] = {
	{"what is new comes", 1000, FAULT_ABSENT, "Thing.NotFound", 4, true, 0, MINUTE_MS, 0},
	{"what is old does not", 6 * MINUTE_MS, FAULT_ABSENT, "Thing.NotFound", 4, false, 0, 1000, 0},
	{"what is not ours does not", INT64_MAX, FAULT_ABSENT, "Thing.NotFound", 4, false, 0, 1000, 0},
	{"what is new and never comes", 0, FAULT_ABSENT, "Thing.NotFound", -1, false, 5 * MINUTE_MS, 6 * MINUTE_MS, 0},
	{"what grows old meanwhile", 4 * MINUTE_MS, FAULT_ABSENT, "Thing.NotFound", -1, false, MINUTE_MS, 2 * MINUTE_MS,
	 0},
	{"what is held is let go, however old", 9 * MINUTE_MS, FAULT_CONFLICT, "DependencyViolation", 4, true, 0,
	 MINUTE_MS, 0},
	{"what is held for ever", INT64_MAX, FAULT_CONFLICT, "DependencyViolation", -1, false, 5 * MINUTE_MS,
	 6 * MINUTE_MS, 0},
	{"another refusal of something new", 1000, FAULT_ABSENT, "Other.NotFound", 4, false, 0, 1000, 0},
	{"who asks for time gets it", 0, FAULT_THROTTLED, "SlowDown", 3, true, MINUTE_MS, MINUTE_MS + 1000, 20 * 1000},
};

static void test_settling(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(settlings) / sizeof(settlings[0]); i++) {
		struct reply replies[] = {
			{.after_ms = 10, .fault = settlings[i].fault, .code = settlings[i].code, .message = "no"},
			{.after_ms = 10, .repeat = -1},
		};
		struct staged staged;
		struct errand errand;

		replies[0].repeat = settlings[i].refusals < 0 ? -1 : settlings[i].refusals - 1;
		replies[0].retry_after_ms = settlings[i].retry_after_ms;
		stage_open(&staged, replies);
		staged.age_ms = settlings[i].age_ms;
		int64_t began_ms = staged.now_ms;
		errand_make(&errand, &staged, true, NULL);
		loop_add(&staged.loop, &errand.task);
		assert_true(loop_run(&staged.loop));
		int64_t took_ms = errand.ended_ms - began_ms;
		if (errand.done != settlings[i].done || took_ms < settlings[i].least_ms ||
		    took_ms > settlings[i].most_ms)
			fail_msg("%s: %s after %lld ms and %zu calls", settlings[i].name,
				 errand.done ? "done" : "not done", (long long)took_ms, staged.sent_count);
		stage_close(&staged);
	}
}

/* What waits for its object until then, with a look each minute. */
struct wait {
	struct task task;
	int64_t until_ms;
};

static enum step wait_step(struct task *task, const struct answer *answer)
{
	const struct wait *wait = (const struct wait *)task;

	(void)answer;
	if (task->now_ms >= wait->until_ms)
		return STEP_DONE;
	task->wake_ms = task->now_ms + MINUTE_MS;
	return STEP_READ;
}

static void read_at_once(struct loop *loop, struct task *const *tasks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		loop_wake(loop, tasks[i], NULL);
}

/* What is held may be held by what the run itself is still waiting for. */
static void test_settling_beside_others(void **state)
{
	static const struct {
		const char *name;
		enum fault fault;
		const char *code;
		int refusals; /* -1: always refused */
		bool done;
		int64_t least_ms, most_ms;
	} rows[] = {
		{"let go once another one has ended", FAULT_CONFLICT, "DependencyViolation", 60, true, 6 * MINUTE_MS,
		 15 * MINUTE_MS},
		{"held on after that", FAULT_CONFLICT, "DependencyViolation", -1, false, 15 * MINUTE_MS,
		 18 * MINUTE_MS},
		{"what is wrong", FAULT_USER, "InvalidParameterValue", -1, false, 5 * MINUTE_MS, 6 * MINUTE_MS},
		{"what is not there", FAULT_ABSENT, "Thing.NotFound", -1, false, 5 * MINUTE_MS, 6 * MINUTE_MS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reply replies[] = {
			{.after_ms = 10,
			 .fault = rows[i].fault,
			 .code = rows[i].code,
			 .message = "no",
			 .repeat = rows[i].refusals < 0 ? -1 : rows[i].refusals - 1},
			{.after_ms = 10, .repeat = -1},
		};
		struct wait wait = {.task.step = wait_step};
		struct staged staged;
		struct errand errand;

		stage_open(&staged, replies);
		staged.loop.settings.read = read_at_once;
		int64_t began_ms = staged.now_ms;
		wait.task.diagnostics = &staged.diagnostics;
		wait.until_ms = began_ms + 12 * MINUTE_MS;
		errand_make(&errand, &staged, true, NULL);
		loop_add(&staged.loop, &errand.task);
		loop_add(&staged.loop, &wait.task);
		assert_true(loop_run(&staged.loop));
		int64_t took_ms = errand.ended_ms - began_ms;
		if (errand.done != rows[i].done || took_ms < rows[i].least_ms || took_ms > rows[i].most_ms)
			fail_msg("%s: %s after %lld ms", rows[i].name, errand.done ? "done" : "not done",
				 (long long)took_ms);
		stage_close(&staged);
	}
}

/* Looks before each call, and once more after a minute, as the work on an object does. */
struct looking {
	struct errand errand;
	bool has_looked;
};

static enum step look_and_call(struct task *task, const struct answer *answer)
{
	struct looking *looking = (struct looking *)task;

	if (answer)
		return answer->fault ? STEP_FAILED : STEP_DONE;
	looking->has_looked = !looking->has_looked;
	task->good_until_ms = task->now_ms + MINUTE_MS;
	return looking->has_looked ? STEP_READ : STEP_CALL;
}

/* A look at what refuses the call is no wait for another one: else it would be called for ever. */
static void test_settling_beside_its_own_looks(void **state)
{
	static const struct reply replies[] = {
		{.after_ms = 10, .fault = FAULT_CONFLICT, .code = "DependencyViolation", .message = "no", .repeat = 99},
		{.after_ms = 10, .repeat = -1},
	};
	struct staged staged;
	struct looking looking = {.has_looked = false};

	(void)state;
	stage_open(&staged, replies);
	staged.loop.settings.read = read_at_once;
	int64_t began_ms = staged.now_ms;
	errand_make(&looking.errand, &staged, true, NULL);
	looking.errand.task.step = look_and_call;
	loop_add(&staged.loop, &looking.errand.task);
	assert_true(loop_run(&staged.loop));
	assert_true(looking.errand.ended && !looking.errand.done);
	assert_in_range(looking.errand.ended_ms - began_ms, 5 * MINUTE_MS, 6 * MINUTE_MS);
	stage_close(&staged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settling),
		cmocka_unit_test(test_settling_beside_others),
		cmocka_unit_test(test_settling_beside_its_own_looks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
