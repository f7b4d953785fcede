#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/support_loop.h"

/* What the loop promises of secrets that are shown once: when they are put away, and what goes on meanwhile. */

enum { SECOND_MS = 1000, LOOK_MS = 100, ERRANDS_MOST = 4 };

/* What becomes of one secret after another, and of the world meanwhile. */
struct giving {
	const char *name;
	size_t shown;		/* calls that show something, answered at once */
	int64_t takes_ms;	/* each, to be put away */
	int64_t taken_after_ms; /* since the first was begun: the lease is somebody else's then; negative: never */
	bool taken_before;	/* already when the first answer comes */
	int64_t interrupt_ms;	/* since the start; 0: never */
	bool interrupted_twice;
	int64_t other_after_ms; /* a change that shows nothing is answered then; negative: there is none */
	/* What is expected. */
	size_t begun, ended; /* of them, to be put away */
	size_t closed;	     /* intents */
	int beats_least;
	size_t told; /* calls that an interrupt waits for */
};

struct giver {
	struct staged staged;
	const struct giving *row;
	size_t begun, ended;
	int64_t first_ms;	/* when the first was begun */
	int64_t longest_ms;	/* between two signs of life */
	bool other_was_late;	/* its answer lay there while a secret was put away */
	bool begun_before_kept; /* before all that was answered before was recorded */
	struct errand other;
};

static enum step show(struct task *task, const struct answer *answer)
{
	static const struct value place = {.type = VALUE_MAP};
	struct errand *errand = (struct errand *)task;
	struct giver *giver = (struct giver *)(void *)errand->staged;

	if (!answer)
		return STEP_CALL;
	if (!answer->ok)
		return STEP_FAILED;
	if (giver->row->taken_before)
		giver->staged.lease_taken_away = true;
	task->shown_to = &place;
	task->shown = SLICE("secret");
	return STEP_DONE;
}

static void pass(struct giver *giver, int64_t now_ms)
{
	struct staged *staged = &giver->staged;

	staged->now_ms = now_ms;
	if (giver->row->taken_after_ms >= 0 && now_ms - giver->first_ms >= giver->row->taken_after_ms)
		staged->lease_taken_away = true;
	for (size_t i = 0; i < staged->pending_count; i++)
		giver->other_was_late |= now_ms - staged->pending[i].due_ms > SECOND_MS;
	if (!staged->lease_taken_away && staged->lease_term_ms - (staged->lease_until_ms - now_ms) > giver->longest_ms)
		giver->longest_ms = staged->lease_term_ms - (staged->lease_until_ms - now_ms);
}

static bool give(void *context, const struct task *task, const struct watch *watch)
{
	struct giver *giver = context;
	struct staged *staged = &giver->staged;
	int64_t began_ms = staged->now_ms;

	assert_true(slice_is(task->shown, "secret"));
	giver->begun_before_kept |= staged->closes < giver->ended + giver->other.answered;
	if (giver->begun++ == 0)
		giver->first_ms = began_ms;
	while (staged->now_ms - began_ms < giver->row->takes_ms) {
		pass(giver, staged->now_ms + LOOK_MS);
		if (!watch->go_on(watch->context))
			return false;
	}
	giver->ended++;
	return true;
}

static void run(struct giver *giver, const struct giving *row)
{
	struct reply replies[] = {
		{.after_ms = row->other_after_ms, .repeat = 0},
		{.after_ms = 10, .repeat = -1},
	};
	struct errand errands[ERRANDS_MOST];
	struct staged *staged = &giver->staged;

	*giver = (struct giver){.row = row};
	stage_open(staged, row->other_after_ms < 0 ? replies + 1 : replies);
	staged->loop.settings.give_shown = give;
	staged->loop.settings.give_context = giver;
	if (row->interrupt_ms > 0)
		staged->interrupt_ms = staged->now_ms + row->interrupt_ms;
	staged->interrupted_twice = row->interrupted_twice;
	errand_make(&giver->other, staged, true, NULL);
	if (row->other_after_ms >= 0)
		loop_add(&staged->loop, &giver->other.task);
	for (size_t i = 0; i < row->shown; i++) {
		errand_make(&errands[i], staged, true, NULL);
		errands[i].task.step = show;
		loop_add(&staged->loop, &errands[i].task);
	}
	(void)!loop_run(&staged->loop);
}

static const struct giving givings[] = {
	{"one", 1, 0, -1, false, 0, false, -1, 1, 1, 1, 1, 0},
	{"somebody else has the stack when it is shown", 2, 0, -1, true, 0, false, -1, 0, 0, 0, 1, 0},
	{"each is recorded before the next is begun", 4, SECOND_MS, -1, false, 0, false, -1, 4, 4, 4, 4, 0},
	{"the lease is kept while one takes long", 1, 55 * SECOND_MS, -1, false, 0, false, -1, 1, 1, 1, 6, 0},
	{"and while several do", 3, 55 * SECOND_MS, -1, false, 0, false, -1, 3, 3, 3, 20, 0},
	{"lost while the first is put away: called off, and no other is begun", 3, 30 * SECOND_MS, 5 * SECOND_MS, false,
	 0, false, -1, 1, 0, 0, 2, 0},
	{"lost at the end of the first, unnoticed: no other is begun", 3, 2 * SECOND_MS, 2 * SECOND_MS, false, 0, false,
	 -1, 1, 1, 0, 1, 0},
	{"an interrupt ends none, and begins none but what was answered", 2, 20 * SECOND_MS, -1, false, 5 * SECOND_MS,
	 false, -1, 2, 2, 2, 4, 1},
	{"a second interrupt ends the run before another is begun", 2, 20 * SECOND_MS, -1, false, 5 * SECOND_MS, true,
	 -1, 1, 1, 1, 2, 1},
	{"what else is answered meanwhile is taken in", 1, 20 * SECOND_MS, -1, false, 0, false, 5 * SECOND_MS, 1, 1, 2,
	 2, 0},
	{"what was answered just before is recorded first", 1, 20 * SECOND_MS, -1, false, 0, false, 5, 1, 1, 2, 2, 0},
	{"an interrupt counts what else is out", 1, 20 * SECOND_MS, -1, false, SECOND_MS, false, 5 * SECOND_MS, 1, 1, 2,
	 2, 2},
};

static void test_givings(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(givings) / sizeof(givings[0]); i++) {
		const struct giving *row = &givings[i];
		struct giver giver;
		const struct staged *staged = &giver.staged;

		run(&giver, row);
		if (giver.begun != row->begun || giver.ended != row->ended || staged->closes != row->closed ||
		    staged->beats < row->beats_least || staged->told_calls != row->told || giver.begun_before_kept ||
		    giver.other_was_late || giver.longest_ms > 10 * SECOND_MS)
			fail_msg("%s: %zu begun, %zu ended, %zu recorded, %d beats, %lld ms without, %zu told%s%s",
				 row->name, giver.begun, giver.ended, staged->closes, staged->beats,
				 (long long)giver.longest_ms, staged->told_calls,
				 giver.begun_before_kept ? ", one before the last was recorded" : "",
				 giver.other_was_late ? ", an answer was left lying" : "");
		stage_close(&giver.staged);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_givings),
	};

	return cmocka_run_group_tests_name("loop_give", tests, NULL, NULL);
}
