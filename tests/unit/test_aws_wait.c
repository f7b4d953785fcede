#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "providers/aws/work.h"

/* When a work looks again, by how long ago the last answer came. */

enum { BEGIN_MS = 7000, PATIENCE_MS = 1800 * 1000 };

static const struct {
	const char *name;
	enum step (*wait)(struct work *work);
	int64_t poll_ms;
	int64_t waited_ms;
	int64_t delay_ms;
} rows[] = {
	{"the first look misses what was just made", aws_look_later, 0, 60, 50},
	{"a lag of a moment", aws_look_later, 0, 960, 60},
	{"a lag of seconds", aws_look_later, 0, 6400, 800},
	{"a lag of minutes", aws_look_later, 0, 100000, 12500},
	{"work that has begun", aws_poll_later, 0, 60, 240},
	{"work that may be done", aws_poll_later, 0, 320, 25},
	{"work of a moment", aws_poll_later, 0, 960, 30},
	{"work of seconds", aws_poll_later, 0, 8000, 1000},
	{"work of minutes", aws_poll_later, 0, 200000, 25000},
	{"work of hours", aws_poll_later, 0, 7200000, 30000},
	{"work of a slow kind that has begun", aws_poll_later, 5000, 60, 5000},
	{"work of a slow kind, of minutes", aws_poll_later, 5000, 200000, 25000},
};

static void test_delays(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct aws_kind kind = {.poll_ms = rows[i].poll_ms};
		struct work work = {
			.kind = &kind.kind,
			.patience_ms = PATIENCE_MS,
			.deadline_ms = BEGIN_MS + PATIENCE_MS,
			.task = {.now_ms = BEGIN_MS + rows[i].waited_ms},
		};

		assert_int_equal(rows[i].wait(&work), STEP_READ);
		if (work.task.wake_ms - work.task.now_ms != rows[i].delay_ms)
			fail_msg("%s: %lld ms", rows[i].name, (long long)(work.task.wake_ms - work.task.now_ms));
	}
}

static const struct {
	const char *name;
	bool (*may)(struct work *work);
	struct aws_change change;
	int64_t waited_ms;
	bool wanted;
} lags[] = {
	{"made a moment ago", aws_may_appear, {.created_ms = BEGIN_MS, .absences = 100}, 299 * 1000, true},
	{"made long ago", aws_may_appear, {.created_ms = BEGIN_MS}, 300 * 1000, false},
	{"there before, and untouched", aws_may_appear, {0}, 0, false},
	{"changed, and missed in few looks", aws_may_appear, {.sent_any = true, .absences = 4}, 60 * 1000, true},
	{"changed a moment ago", aws_may_appear, {.sent_any = true, .absences = 5}, 19 * 1000, true},
	{"changed, and missed for long", aws_may_appear, {.sent_any = true, .absences = 5}, 20 * 1000, false},
	{"shown as it was in few looks", aws_may_show, {.looks = 4}, 60 * 1000, true},
	{"shown as it was for a moment", aws_may_show, {.looks = 5}, 19 * 1000, true},
	{"shown as it was for long", aws_may_show, {.looks = 5}, 20 * 1000, false},
};

/* How long a listing may lag: both so many looks and so much time are needed to believe it. */
static void test_lags(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lags) / sizeof(lags[0]); i++) {
		struct aws_change change = lags[i].change;
		struct work work = {
			.detail = &change,
			.patience_ms = PATIENCE_MS,
			.deadline_ms = BEGIN_MS + PATIENCE_MS,
			.task = {.now_ms = BEGIN_MS + lags[i].waited_ms},
		};

		if (lags[i].may(&work) != lags[i].wanted)
			fail_msg("%s", lags[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_delays),
		cmocka_unit_test(test_lags),
	};

	return cmocka_run_group_tests_name("aws_wait", tests, NULL, NULL);
}
