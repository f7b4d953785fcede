#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/support_loop.h"

/* What the loop promises of calls that wait for a rate, and of those that came too fast all the same. */

static const struct {
	const char *name;
	int errands, pages; /* of each */
	int throttled;	    /* calls from the first on */
	int64_t least_ms, most_ms;
} rates[] = {
	/* Ten a second, and ten at once. */
	{"at the documented rate", 1, 610, 0, 59 * 1000, 62 * 1000},
	{"slowed down once, and then faster again", 1, 610, 1, 65 * 1000, 85 * 1000},
	{"refused side by side: slowed down once", 8, 76, 8, 62 * 1000, 90 * 1000},
	{"refused again and again", 1, 100, 10, 20 * 1000, 200 * 1000},
	{"refused long before the rate: what was left of it is gone", 1, 10, 1, 1200, 3000},
};

static void test_rates(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		const struct reply replies[] = {
			{.after_ms = 5,
			 .fault = FAULT_THROTTLED,
			 .code = "RequestLimitExceeded",
			 .message = "too fast",
			 .repeat = rates[i].throttled - 1},
			{.after_ms = 5, .repeat = -1},
		};
		struct staged staged;
		struct errand errands[8] = {0};

		stage_open(&staged, rates[i].throttled ? replies : replies + 1);
		staged.limits = (struct provider_limits){10, 10};
		int64_t began_ms = staged.now_ms;
		for (int k = 0; k < rates[i].errands; k++) {
			errand_make(&errands[k], &staged, false, NULL);
			errands[k].pages = rates[i].pages;
			loop_add(&staged.loop, &errands[k].task);
		}
		assert_true(loop_run(&staged.loop));
		int64_t took_ms = staged.now_ms - began_ms;
		for (int k = 0; k < rates[i].errands; k++)
			if (!errands[k].done)
				fail_msg("%s: not done", rates[i].name);
		if (took_ms < rates[i].least_ms || took_ms > rates[i].most_ms)
			fail_msg("%s: %lld ms", rates[i].name, (long long)took_ms);
		stage_close(&staged);
	}
}

enum { MANY = 600 };

static const struct {
	const char *name;
	bool mutating;
	int done, refused; /* calls, before all others are done */
	int64_t least_ms, most_ms;
} crowds[] = {
	/* Ten a second, and ten at once: 59 s. */
	{"never refused", true, 0, 0, 59 * 1000, 63 * 1000},
	{"refused once", true, 20, 1, 65 * 1000, 80 * 1000},
	{"refused for some seconds", true, 30, 30, 90 * 1000, 130 * 1000},
	{"the same of reads", false, 30, 30, 90 * 1000, 130 * 1000},
	{"refused for half a minute", true, 30, 60, 90 * 1000, 150 * 1000},
	{"refused at the end, when few wait", true, 590, 10, 60 * 1000, 90 * 1000},
};

/* However many wait for the rate: it slows all of them while it is slowed, and none of them once it is back. */
static void test_refused_while_many_wait(void **state)
{
	static struct errand errands[MANY];

	(void)state;
	for (size_t i = 0; i < sizeof(crowds) / sizeof(crowds[0]); i++) {
		const struct reply replies[] = {
			{.after_ms = 5, .repeat = crowds[i].done - 1},
			{.after_ms = 5,
			 .fault = FAULT_THROTTLED,
			 .code = "RequestLimitExceeded",
			 .message = "too fast",
			 .repeat = crowds[i].refused - 1},
			{.after_ms = 5, .repeat = -1},
		};
		struct staged staged;

		stage_open(&staged, crowds[i].refused == 0 ? replies + 2 : replies);
		staged.limits = (struct provider_limits){10, 10};
		int64_t began_ms = staged.now_ms;
		for (size_t k = 0; k < MANY; k++) {
			errand_make(&errands[k], &staged, crowds[i].mutating, NULL);
			loop_add(&staged.loop, &errands[k].task);
		}
		assert_true(loop_run(&staged.loop));
		int64_t took_ms = staged.now_ms - began_ms;
		for (size_t k = 0; k < MANY; k++)
			if (!errands[k].done)
				fail_msg("%s: number %zu is not done, fault %d", crowds[i].name, k,
					 (int)errands[k].fault);
		if (took_ms < crowds[i].least_ms || took_ms > crowds[i].most_ms)
			fail_msg("%s: %lld ms", crowds[i].name, (long long)took_ms);
		stage_close(&staged);
	}
}

/* What is sent once more goes before what was never sent, except what waits for others to come or go. */
static void test_who_goes_first(void **state)
{
	static const struct {
		const char *name;
		enum fault fault;
		const char *code;
		bool before;
	} rows[] = {
		{"who was told to slow down", FAULT_THROTTLED, "RequestLimitExceeded", true},
		{"who was not answered", FAULT_TRANSIENT, "Failed", true},
		{"who waits for others to let go", FAULT_CONFLICT, "DependencyViolation", false},
	};
	static struct errand errands[MANY];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct reply replies[] = {
			{.after_ms = 5, .fault = rows[i].fault, .code = rows[i].code, .message = "no"},
			{.after_ms = 5, .repeat = -1},
		};
		struct staged staged;

		stage_open(&staged, replies);
		staged.limits = (struct provider_limits){10, 10};
		for (size_t k = 0; k < MANY; k++) {
			errand_make(&errands[k], &staged, true, NULL);
			loop_add(&staged.loop, &errands[k].task);
		}
		assert_true(loop_run(&staged.loop));
		if (!errands[0].done || (errands[0].ended_ms < errands[MANY / 2].ended_ms) != rows[i].before)
			fail_msg("%s: done after %lld ms, and those behind after %lld ms", rows[i].name,
				 (long long)errands[0].ended_ms, (long long)errands[MANY / 2].ended_ms);
		stage_close(&staged);
	}
}

/* Who waits for a rate goes out with others, and hardly later than alone. */
static void test_rate_together(void **state)
{
	static const struct reply replies[] = {{.after_ms = 5, .repeat = -1}};
	enum { ERRANDS = 600, RATE = 10, ALONE_MS = (ERRANDS - RATE) * 1000 / RATE };
	static struct errand errands[ERRANDS];
	struct staged staged;

	(void)state;
	stage_open(&staged, replies);
	staged.limits = (struct provider_limits){RATE, RATE};
	int64_t began_ms = staged.now_ms;
	for (size_t k = 0; k < ERRANDS; k++) {
		errand_make(&errands[k], &staged, true, NULL);
		loop_add(&staged.loop, &errands[k].task);
	}
	assert_true(loop_run(&staged.loop));
	int64_t took_ms = staged.now_ms - began_ms;
	assert_int_equal(staged.closes, ERRANDS);
	assert_true(staged.commits < ERRANDS / 2);
	if (took_ms < ALONE_MS || took_ms > ALONE_MS + ALONE_MS / 16)
		fail_msg("%d ms alone, %lld ms together", ALONE_MS, (long long)took_ms);
	for (size_t k = 0; k < ERRANDS; k++)
		if (!errands[k].done || errands[k].ended_ms - began_ms > (int64_t)(k + 1) * 1000 * 17 / RATE / 16)
			fail_msg("number %zu ended after %lld ms", k, (long long)(errands[k].ended_ms - began_ms));
	stage_close(&staged);
}

/* How long tasks waited for their turn, and how much of that for a rate. */
static void test_crowd(void **state)
{
	enum { ERRANDS_MOST = 20 };
	static const struct {
		const char *name;
		size_t count;
		int answered_after_ms;
		struct provider_limits limits;
		int64_t lasted_ms;
		int64_t last_held_ms;
	} rows[] = {
		{"one alone", 1, 1000, {0, 0}, 0, 0},
		{"as many as may be in flight", 8, 1000, {0, 0}, 0, 0},
		{"one more waits until the first are answered", 9, 1000, {0, 0}, 1000, 0},
		{"twice", 17, 1000, {0, 0}, 2000, 0},
		{"a rate of one a second", 3, 5, {1, 1}, 2008, 2008},
		{"a rate that is enough", 3, 5, {3, 1}, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct reply replies[] = {{.after_ms = rows[i].answered_after_ms, .repeat = -1}};
		struct errand errands[ERRANDS_MOST] = {0};
		struct staged staged;

		stage_open(&staged, replies);
		staged.limits = rows[i].limits;
		for (size_t k = 0; k < rows[i].count; k++) {
			errand_make(&errands[k], &staged, false, NULL);
			loop_add(&staged.loop, &errands[k].task);
		}
		assert_true(loop_run(&staged.loop));
		int64_t held_ms = errands[rows[i].count - 1].task.held_ms;
		if (staged.crowd.lasted_ms != rows[i].lasted_ms || held_ms != rows[i].last_held_ms || staged.crowd.now)
			fail_msg("%s: %lld ms, and the last waited %lld ms for the rate", rows[i].name,
				 (long long)staged.crowd.lasted_ms, (long long)held_ms);
		stage_close(&staged);
	}
}

/* A server that failed may say of what it knows that it does not: once more, it is believed. */
static void test_doubted(void **state)
{
	static const struct {
		const char *name;
		bool doubted;
		int said; /* so many times */
		size_t sent;
		bool done;
	} doubts[] = {
		{"believed", false, 1, 1, false},
		{"said by accident", true, 1, 2, true},
		{"said again", true, 2, 2, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(doubts) / sizeof(doubts[0]); i++) {
		const struct reply replies[] = {{.after_ms = 5,
						 .fault = FAULT_UNSUPPORTED,
						 .code = "",
						 .message = "unknown",
						 .repeat = doubts[i].said - 1,
						 .doubted = doubts[i].doubted},
						{.after_ms = 5, .repeat = -1}};
		struct staged staged;
		struct errand errand;

		stage_open(&staged, replies);
		errand_make(&errand, &staged, false, NULL);
		loop_add(&staged.loop, &errand.task);
		assert_true(loop_run(&staged.loop));
		if (staged.sent_count != doubts[i].sent || errand.done != doubts[i].done)
			fail_msg("%s: %zu calls, %s", doubts[i].name, staged.sent_count,
				 errand.done ? "done" : "not done");
		stage_close(&staged);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rates),	       cmocka_unit_test(test_refused_while_many_wait),
		cmocka_unit_test(test_who_goes_first), cmocka_unit_test(test_rate_together),
		cmocka_unit_test(test_crowd),	       cmocka_unit_test(test_doubted),
	};

	return cmocka_run_group_tests_name("rates", tests, NULL, NULL);
}
