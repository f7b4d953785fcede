#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/id.h"
#include "tests/unit/support_loop.h"

/* What the loop promises of what is recorded before and after a call. */

/* An intent has all that recovery asks for. */
static void test_intent(void **state)
{
	static const struct reply replies[] = {{.after_ms = 5, .repeat = -1}};

	(void)state;
	for (int creates = 0; creates < 2; creates++) {
		const struct value_member name = {value_text("Name"), value_text("a")};
		const struct value parameters = value_map(&name, 1);
		struct staged staged;
		struct errand errand;

		stage_open(&staged, replies);
		errand_make(&errand, &staged, true, &parameters);
		errand.object.identity = (struct identity){.provider = SLICE("aws"), .account = SLICE("1")};
		errand.task.call.creates = creates != 0;
		errand.task.call.recipe = creates ? RECIPE_TOKEN : RECIPE_CONVERGE;
		errand.task.call.token = creates ? SLICE("token") : SLICE("");
		loop_add(&staged.loop, &errand.task);
		int64_t sent_ms = staged.now_ms;
		assert_true(loop_run(&staged.loop));
		assert_int_equal(staged.intents, 1);
		const struct intent *intent = &staged.intent;
		assert_int_equal(intent->id.size, ID_HEX);
		assert_true(slice_is(intent->object_id, "object"));
		assert_true(slice_is(intent->address, "aws.thing.a") && slice_is(intent->kind, "aws.thing"));
		assert_true(slice_is(intent->operation, "CreateThing"));
		assert_true(slice_is(intent->parameters, "{\"Name\":\"a\"}"));
		assert_true(slice_equal(intent->identity, identity_text(&staged.arena, &errand.object.identity)));
		assert_true(slice_is(intent->token, creates ? "token" : ""));
		assert_int_equal(intent->recipe, errand.task.call.recipe);
		assert_int_equal(intent->wall_ms, sent_ms);
		assert_int_equal(intent->creates, creates);
		stage_close(&staged);
	}
}

/* A service may answer with anything, what it was asked with too. */
static void test_note(void **state)
{
	static const struct {
		const char *code, *note;
	} rows[] = {{"No", "No"}, {"Bad.hunter-two", ""}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct reply replies[] = {
			{.after_ms = 5, .fault = FAULT_USER, .code = rows[i].code, .message = "no", .repeat = -1}};
		struct redaction secrets;
		struct staged staged;
		struct errand errand;

		stage_open(&staged, replies);
		redaction_init(&secrets);
		redaction_add(&secrets, SLICE("hunter-two"));
		staged.session.secrets = &secrets;
		errand_make(&errand, &staged, true, NULL);
		loop_add(&staged.loop, &errand.task);
		assert_true(loop_run(&staged.loop));
		assert_int_equal(staged.closes, 1);
		if (!slice_is(staged.note, rows[i].note))
			fail_msg("%s: '%.*s'", rows[i].code, SLICE_ARGUMENTS(staged.note));
		redaction_release(&secrets);
		stage_close(&staged);
	}
}

/* Changes twice, the second time only as long as that is young. */
struct changing {
	struct errand errand;
	int steps;
};

static enum step change_twice(struct task *task, const struct answer *answer)
{
	struct changing *changing = (struct changing *)task;

	(void)answer;
	task->good_until_ms = changing->steps == 1 ? task->now_ms + 500 : 0;
	return changing->steps++ < 2 ? STEP_CALL : STEP_DONE;
}

/* What is called off has the note of its own refusals: how a call before it was refused is no matter of it. */
static void test_note_of_called_off(void **state)
{
	static const struct reply first_refused[] = {
		{.after_ms = 1, .fault = FAULT_THROTTLED, .code = "Slow"},
		{.after_ms = 1, .repeat = -1},
	};
	static const struct reply second_refused[] = {
		{.after_ms = 1},
		{.after_ms = 1, .fault = FAULT_THROTTLED, .code = "Slow", .retry_after_ms = 1000},
		{.after_ms = 1, .repeat = -1},
	};
	static const struct {
		const char *name;
		const struct reply *replies;
		size_t slow_commit;
		const char *note;
	} rows[] = {
		{"recorded for so long that it is not sent", first_refused, 2, ""},
		{"refused, and not sent again", second_refused, 0, "Slow"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct changing changing = {0};
		struct staged staged;

		stage_open(&staged, rows[i].replies);
		staged.slow_commit = rows[i].slow_commit;
		errand_make(&changing.errand, &staged, true, NULL);
		changing.errand.task.step = change_twice;
		loop_add(&staged.loop, &changing.errand.task);
		assert_true(loop_run(&staged.loop));
		if (staged.closes != 2 || staged.sent_count != 2 || !slice_is(staged.note, rows[i].note))
			fail_msg("%s: %zu outcomes of %zu requests, the last '%.*s'", rows[i].name, staged.closes,
				 staged.sent_count, SLICE_ARGUMENTS(staged.note));
		stage_close(&staged);
	}
}

/* Asks until it is answered; then, or where it has asked so often, it has read whether it is so. */
struct asking {
	struct errand errand;
	int asks;
	bool is_so;
};

static enum step ask_and_look(struct task *task, const struct answer *answer)
{
	struct asking *asking = (struct asking *)task;

	if (!answer || (!answer->ok && --asking->asks > 0))
		return STEP_CALL;
	task->settles = asking->is_so;
	return asking->is_so ? STEP_DONE : STEP_FAILED;
}

/* Calls that were not answered are settled once their task has read that it is so; else they are for recovery. */
static void test_settled(void **state)
{
	static const struct reply replies[] = {
		{.after_ms = 1, .fault = FAULT_AMBIGUOUS, .code = "Cut", .message = "no answer", .repeat = 1},
		{.after_ms = 1, .repeat = -1},
	};
	static const struct {
		int asks;
		bool is_so;
		size_t closes;
		const char *note;
	} rows[] = {
		{1, true, 1, "settled by reading"},
		{2, true, 2, "settled by reading"},
		{3, true, 3, "settled by reading"},
		{1, false, 0, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct asking asking = {.asks = rows[i].asks, .is_so = rows[i].is_so};
		struct staged staged;

		stage_open(&staged, replies);
		errand_make(&asking.errand, &staged, true, NULL);
		asking.errand.task.step = ask_and_look;
		asking.errand.task.call.looked_after = true;
		loop_add(&staged.loop, &asking.errand.task);
		assert_true(loop_run(&staged.loop));
		if (asking.errand.done != rows[i].is_so || staged.closes != rows[i].closes ||
		    !slice_is(staged.note, rows[i].note))
			fail_msg("row %zu: %zu outcomes, the last '%.*s'", i, staged.closes,
				 SLICE_ARGUMENTS(staged.note));
		stage_close(&staged);
	}
}

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

/* A change of nothing that is recorded can have no intent, and is a mistake of the program. */
static void test_of_nothing(void **state)
{
	static const struct reply replies[] = {{.after_ms = 5, .repeat = -1}};
	struct staged staged;
	struct errand errand;

	(void)state;
	stage_open(&staged, replies);
	errand_make(&errand, &staged, true, NULL);
	errand.task.object = NULL;
	loop_add(&staged.loop, &errand.task);
	assert_true(loop_run(&staged.loop));
	assert_true(errand.ended && !errand.done);
	assert_int_equal(errand.fault, FAULT_INTERNAL);
	assert_int_equal(staged.sent_count + staged.commits, 0);
	stage_close(&staged);
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

static const struct renewal_row {
	const char *name;
	enum recipe recipe;
	enum fault fault; /* of the first answer */
	int64_t retry_after_ms, commit_ms;
	size_t intents;
	bool is_recorded; /* by an earlier run */
	bool is_in_use;	  /* its token: that is as old as it was, however late it is sent */
} renewals[] = {
	{"refused, and sent again at once", RECIPE_TAG, FAULT_THROTTLED, 5000, 0, 1, false, false},
	{"refused, and sent again after a while", RECIPE_TAG, FAULT_THROTTLED, 15000, 0, 2, false, false},
	{"the same with a token that nobody has seen", RECIPE_TOKEN, FAULT_THROTTLED, 15000, 0, 2, false, false},
	{"with a token that may be in use, at once", RECIPE_TOKEN, FAULT_AMBIGUOUS, 5000, 0, 1, false, false},
	{"the same after a while", RECIPE_TOKEN, FAULT_AMBIGUOUS, 15000, 0, 2, false, true},
	{"of an earlier run, however young", RECIPE_TOKEN, FAULT_THROTTLED, 5000, 0, 1, true, true},
	{"and again after a while", RECIPE_TOKEN, FAULT_AMBIGUOUS, 15000, 0, 2, true, true},
	{"a disk on which no intent is ever fresh", RECIPE_TAG, FAULT_THROTTLED, 1, 11000, 7, false, false},
};

/* Recovery counts from the last sending: an intent that a call is sent under much later is recorded anew. */
static void test_renewed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(renewals) / sizeof(renewals[0]); i++) {
		const struct renewal_row *row = &renewals[i];
		const struct reply replies[] = {{.after_ms = 5,
						 .fault = row->fault,
						 .code = "Later",
						 .message = "later",
						 .retry_after_ms = row->retry_after_ms},
						{.after_ms = 5, .repeat = -1}};
		struct staged staged;
		struct errand errand;

		stage_open(&staged, replies);
		staged.commit_ms = row->commit_ms;
		errand_make(&errand, &staged, true, NULL);
		errand.task.call.recipe = row->recipe;
		int64_t first_ms = staged.now_ms - (row->is_recorded ? 1 : 0);
		if (row->is_recorded) {
			errand.task.call.is_recorded = true;
			errand.task.call.intent = SLICE("0123456789abcdef0123456789abcdef");
			errand.task.call.intent_ms = first_ms;
		}
		loop_add(&staged.loop, &errand.task);
		assert_true(loop_run(&staged.loop));
		if (!errand.done || staged.sent_count != 2 || staged.closes != 1 || staged.intents != row->intents ||
		    staged.commits != row->intents + 1)
			fail_msg("%s: sent %zu, %zu intents", row->name, staged.sent_count, staged.intents);
		int64_t late_ms = staged.sent_ms - intent_sent_ms(&staged.intent);
		if (row->intents < 7 && late_ms > (row->intents == 2 ? 1000 : 10 * 1000))
			fail_msg("%s: the record is %d ms older than the call", row->name, (int)late_ms);
		if ((staged.intent.wall_ms == first_ms) != (row->is_in_use || row->intents == 1) ||
		    staged.intent.renewed != (row->is_recorded || row->intents > 1))
			fail_msg("%s: its token is %d ms old", row->name, (int)(staged.now_ms - staged.intent.wall_ms));
		stage_close(&staged);
	}
}

/* What was sent once more and refused is looked for from then on, for as long after the last sending as anything. */
static void test_past_sending(void **state)
{
	static const struct reply replies[] = {
		{.after_ms = 1, .fault = FAULT_AMBIGUOUS, .code = "Cut", .message = "no answer"},
		{.after_ms = 1, .fault = FAULT_AUTH, .code = "Denied", .message = "no"},
	};
	struct staged staged;
	struct errand errand;

	(void)state;
	stage_open(&staged, replies);
	errand_make(&errand, &staged, true, NULL);
	errand.task.call.recipe = RECIPE_TOKEN;
	errand.task.call.is_recorded = true;
	errand.task.call.intent = SLICE("0123456789abcdef0123456789abcdef");
	errand.task.call.intent_ms = 1;
	int64_t sent_ms = staged.now_ms;
	loop_add(&staged.loop, &errand.task);
	assert_true(loop_run(&staged.loop));
	assert_true(errand.ended && !errand.done && staged.closes == 0 && staged.sent_count == 2);
	assert_int_equal(staged.intents, 2);
	assert_true(staged.intent.renewed && slice_equal(staged.intent.id, errand.task.call.intent));
	assert_int_equal(staged.intent.recipe, RECIPE_TAG);
	assert_int_equal(staged.intent.wall_ms, 1);
	assert_int_equal(staged.intent.sent_ms, sent_ms);
	stage_close(&staged);
}

/* What the answer may have told of another's is looked at before any of it is recorded. */
struct doubting {
	struct errand errand;
	enum step ends;
	bool proven, answered;
};

static enum step doubt(struct task *task, const struct answer *answer)
{
	struct doubting *doubting = (struct doubting *)task;

	if (!answer && !doubting->answered)
		return STEP_CALL;
	task->in_doubt = answer || !doubting->proven;
	task->record_changed |= answer != NULL;
	doubting->answered = true;
	task->wake_ms = task->now_ms + 1000;
	return answer ? STEP_SLEEP : doubting->ends;
}

static void test_doubted(void **state)
{
	static const struct reply replies[] = {{.after_ms = 5, .repeat = -1}};
	static const struct {
		const char *name;
		enum step ends;
		bool proven, interrupted;
		size_t closes;
	} rows[] = {
		{"whose it is was seen", STEP_DONE, true, false, 1},
		{"so it was by a step that fails", STEP_FAILED, true, false, 1},
		{"it was not", STEP_FAILED, false, false, 0},
		{"the run ended before", STEP_DONE, true, true, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct staged staged;
		struct doubting doubting;

		stage_open(&staged, replies);
		staged.interrupt_ms = rows[i].interrupted ? staged.now_ms + 500 : 0;
		errand_make(&doubting.errand, &staged, true, NULL);
		doubting.errand.task.step = doubt;
		doubting.errand.task.call.creates = true;
		doubting.ends = rows[i].ends;
		doubting.proven = rows[i].proven;
		doubting.answered = false;
		loop_add(&staged.loop, &doubting.errand.task);
		assert_int_equal(loop_run(&staged.loop), !rows[i].interrupted);
		/* One commit is that of the intent. */
		if (staged.closes != rows[i].closes || staged.commits != 1 + rows[i].closes)
			fail_msg("%s: %zu outcomes, %zu commits", rows[i].name, staged.closes, staged.commits);
		assert_int_equal(doubting.errand.task.unanswered, rows[i].closes == 0);
		stage_close(&staged);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intent),
		cmocka_unit_test(test_note),
		cmocka_unit_test(test_note_of_called_off),
		cmocka_unit_test(test_settled),
		cmocka_unit_test(test_unrecorded),
		cmocka_unit_test(test_of_nothing),
		cmocka_unit_test(test_stopped_in_a_commit),
		cmocka_unit_test(test_renewed),
		cmocka_unit_test(test_doubted),
		cmocka_unit_test(test_past_sending),
	};

	return cmocka_run_group_tests_name("loop record", tests, NULL, NULL);
}
