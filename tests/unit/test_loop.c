#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/support_loop.h"

enum { INTERRUPT_AFTER_MS = 500, MINUTE_MS = 60 * 1000 };

/* What the loop promises of calls: when they are sent, sent again, given up and waited for. */

static const struct interruption {
	const char *name;
	bool mutating;
	int64_t answered_after_ms; /* negative: never */
	int64_t ends_after_ms;
	bool answered;
	size_t told; /* calls that the user hears are waited for */
} interruptions[] = {
	{"a read on a server that hangs", false, -1, 500, false, 0},
	{"a read that would be answered soon", false, 600, 500, false, 0},
	{"a change that is answered later", true, 3000, 3000, true, 1},
	{"a change that was answered before", true, 100, 100, true, 0},
};

static void test_interrupts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(interruptions) / sizeof(interruptions[0]); i++) {
		const struct interruption *row = &interruptions[i];
		const struct reply replies[] = {{.after_ms = row->answered_after_ms, .repeat = -1}};
		struct staged staged;
		struct errand errand;

		stage_open(&staged, replies);
		int64_t began_ms = staged.now_ms;
		staged.interrupt_ms = began_ms + INTERRUPT_AFTER_MS;
		errand_make(&errand, &staged, row->mutating, NULL);
		loop_add(&staged.loop, &errand.task);
		bool drained = loop_run(&staged.loop);
		if (drained != (row->ends_after_ms < INTERRUPT_AFTER_MS) || !errand.ended ||
		    errand.ended_ms - began_ms != row->ends_after_ms || errand.answered != row->answered ||
		    staged.told_calls != row->told || staged.pending_count != 0)
			fail_msg("%s: ended after %lld ms, %s, %zu told, %zu in flight", row->name,
				 (long long)(errand.ended_ms - began_ms), errand.answered ? "answered" : "not answered",
				 staged.told_calls, staged.pending_count);
		stage_close(&staged);
	}
}

/* A call that was not answered, and whose turn to be sent again never comes, may have changed something. */
static void test_interrupted_retry(void **state)
{
	static const enum fault faults[] = {FAULT_AMBIGUOUS, FAULT_TRANSIENT, FAULT_THROTTLED};

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		const struct reply replies[] = {
			{.after_ms = 1, .fault = faults[i], .code = "No", .message = "no", .repeat = -1}};
		struct staged staged;
		struct errand errand;

		stage_open(&staged, replies);
		staged.interrupt_ms = staged.now_ms + 2;
		errand_make(&errand, &staged, true, NULL);
		errand.task.call.recipe = RECIPE_CONVERGE;
		loop_add(&staged.loop, &errand.task);
		assert_false(loop_run(&staged.loop));
		if (errand.answered || errand.task.changed != (faults[i] == FAULT_AMBIGUOUS))
			fail_msg("fault %d: changed %d", (int)faults[i], errand.task.changed);
		stage_close(&staged);
	}
}

static const struct lease_row {
	const char *name;
	int64_t left_ms;
	int64_t term_ms;
	int64_t total_timeout_ms;
	bool taken_away;
	bool cannot_beat;
	bool mutating;
	bool sent;
	int beats;
	enum fault heard; /* where it is not sent */
} leases[] = {
	{"enough left", 80000, 90000, 60000, false, false, true, true, 0, FAULT_USER},
	{"less left than the request may take", 59000, 90000, 60000, false, false, true, true, 1, FAULT_USER},
	{"just as much left: an answer takes its time too", 60000, 90000, 60000, false, false, true, true, 1,
	 FAULT_USER},
	{"a short request needs less", 20000, 90000, 10000, false, false, true, true, 0, FAULT_USER},
	{"taken away", 30000, 90000, 60000, true, false, true, false, 1, FAULT_LEASE},
	{"the disk is full", 30000, 90000, 60000, false, true, true, false, 1, FAULT_USER},
	{"the disk was full until the lease ended", 0, 90000, 60000, false, true, true, false, 1, FAULT_LEASE},
	{"a term too short for any such request", 30000, 30000, 60000, false, false, true, false, 1, FAULT_LEASE},
	{"reading needs no lease", 0, 90000, 60000, true, false, false, true, 0, FAULT_USER},
};

static void test_leases(void **state)
{
	static const struct reply replies[] = {{.after_ms = 1, .repeat = -1}};

	(void)state;
	for (size_t i = 0; i < sizeof(leases) / sizeof(leases[0]); i++) {
		const struct lease_row *row = &leases[i];
		struct staged staged;
		struct errand errand;

		stage_open(&staged, replies);
		staged.lease_until_ms = staged.now_ms + row->left_ms;
		staged.lease_term_ms = row->term_ms;
		staged.lease_taken_away = row->taken_away;
		staged.cannot_beat = row->cannot_beat;
		staged.total_timeout_ms = row->total_timeout_ms;
		errand_make(&errand, &staged, row->mutating, NULL);
		loop_add(&staged.loop, &errand.task);
		bool drained = loop_run(&staged.loop);
		if (drained == ((row->taken_away || row->cannot_beat) && row->mutating) || !errand.ended ||
		    (staged.sent_count == 1) != row->sent || errand.done != row->sent || staged.beats != row->beats ||
		    (!row->sent && errand.fault != row->heard))
			fail_msg("%s: sent %zu, %d beats, %s", row->name, staged.sent_count, staged.beats,
				 errand.done ? "done" : "not done");
		stage_close(&staged);
	}
}

static const struct {
	const char *name;
	bool records, holds; /* with a store; under a lease */
	bool mutating, taken_away;
	bool sent, done;
	int beats;
	int64_t most_ms;
} readings[] = {
	{"nobody holds the stack", false, false, false, false, true, true, 0, 100000},
	{"it holds the stack, and records nothing", false, true, false, false, true, true, 12, 100000},
	{"it lost the stack meanwhile", false, true, false, true, true, false, 1, 16000},
	{"it works on the stack", true, true, false, false, true, true, 12, 100000},
	{"it records nothing, so it changes nothing", false, true, true, false, false, false, 0, 0},
};

/* An answer may come later than the lease would end: that is kept by whoever only reads, too, and has it. */
static void test_leases_of_readings(void **state)
{
	static const struct reply replies[] = {{.after_ms = 100000, .repeat = -1}};

	(void)state;
	for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
		struct staged staged;
		struct errand errand;

		stage_open(&staged, replies);
		staged.loop.settings.store = readings[i].records ? &staged.store : NULL;
		staged.loop.settings.lease = readings[i].holds ? &staged.store : NULL;
		staged.lease_taken_away = readings[i].taken_away;
		int64_t began_ms = staged.now_ms;
		errand_make(&errand, &staged, readings[i].mutating, NULL);
		loop_add(&staged.loop, &errand.task);
		if (loop_run(&staged.loop) != readings[i].done || errand.done != readings[i].done ||
		    (staged.sent_count == 1) != readings[i].sent || staged.beats != readings[i].beats ||
		    errand.ended_ms - began_ms > readings[i].most_ms)
			fail_msg("%s: sent %zu, %d beats, %s after %lld ms", readings[i].name, staged.sent_count,
				 staged.beats, errand.done ? "done" : "not done",
				 (long long)(errand.ended_ms - began_ms));
		if (readings[i].holds && readings[i].done)
			assert_true(staged.lease_until_ms > staged.now_ms);
		stage_close(&staged);
	}
}

static const struct {
	const char *name;
	int pages;
	int64_t page_ms;
	bool fails; /* what is read, each time, as a server does that answers too late */
	bool mutating;
	bool done;
	int64_t most_ms;
	bool is_told; /* that nothing comes */
} slow_answers[] = {
	{"a long listing", 500, 1000, false, false, true, 500 * 1000, false},
	{"a listing that drips", 100000, 59000, false, false, false, 11 * 60 * 1000, true},
	{"a server that never answers in time", 1, 150000, true, false, false, 11 * 60 * 1000, true},
	{"a long piece of work", 500, 2000, false, true, true, 1000 * 1000, false},
};

struct silence {
	int told;
	int64_t longest_ms;
};

static void note_silence(void *context, int64_t lasted_ms)
{
	struct silence *silence = context;

	silence->told++;
	silence->longest_ms = lasted_ms > silence->longest_ms ? lasted_ms : silence->longest_ms;
}

/* However slow the server, a plan ends, and says meanwhile that it waits. */
static void test_slow_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(slow_answers) / sizeof(slow_answers[0]); i++) {
		const struct reply replies[] = {{
			.after_ms = slow_answers[i].page_ms,
			.code = slow_answers[i].fails ? "TimedOut" : NULL,
			.message = "no answer in time",
			.fault = FAULT_TRANSIENT,
			.repeat = -1,
		}};
		struct staged staged;
		struct errand errand;

		stage_open(&staged, replies);
		struct silence silence = {0};
		int64_t began_ms = staged.now_ms;
		staged.loop.settings.silence = note_silence;
		staged.loop.settings.silence_context = &silence;
		errand_make(&errand, &staged, slow_answers[i].mutating, NULL);
		errand.pages = slow_answers[i].pages;
		loop_add(&staged.loop, &errand.task);
		assert_true(loop_run(&staged.loop));
		if (!errand.ended || errand.done != slow_answers[i].done ||
		    errand.ended_ms - began_ms > slow_answers[i].most_ms)
			fail_msg("%s: %s after %lld s", slow_answers[i].name, errand.done ? "done" : "not done",
				 (long long)(errand.ended_ms - began_ms) / 1000);
		if (slow_answers[i].is_told != (silence.told > 0) ||
		    (slow_answers[i].fails &&
		     errand.ended_ms - began_ms - silence.longest_ms >= LOOP_SILENCE_MS + slow_answers[i].page_ms))
			fail_msg("%s: told %d times, of %lld ms at most", slow_answers[i].name, silence.told,
				 (long long)silence.longest_ms);
		stage_close(&staged);
	}
}

/* How many calls of many errands are sent once more: of each tenth that fails, of the first ones, or of all. */
static void test_budget(void **state)
{
	enum { ERRANDS = 2000, EVERY = 10, FIRST = 400 };
	enum failures { SOMETIMES, AT_FIRST, ALWAYS };
	static const struct {
		const char *name;
		enum failures failures;
		enum fault fault;
		const char *code;
		bool all_done;
		size_t least_sent, most_sent;
	} rows[] = {
		{"a place that is down", ALWAYS, FAULT_TRANSIENT, "Failed", false, 2000, 2101},
		{"a place that is down, unanswered", ALWAYS, FAULT_AMBIGUOUS, "Failed", false, 2000, 2101},
		{"a place that fails now and then", SOMETIMES, FAULT_TRANSIENT, "Failed", true, 2200, 2400},
		{"a place that throttles now and then", SOMETIMES, FAULT_THROTTLED, "Failed", true, 2200, 2400},
		{"a place that fails for a while", AT_FIRST, FAULT_TRANSIENT, "Failed", false, 2000, 2399},
		{"a place that throttles for a while", AT_FIRST, FAULT_THROTTLED, "Failed", true, 2400, 2400},
		{"a place where all is new", AT_FIRST, FAULT_ABSENT, "Thing.NotFound", true, 2400, 2400},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reply replies[2 * ERRANDS];
		struct staged staged;
		static struct errand errands[ERRANDS];
		bool all_done = true;

		for (size_t k = 0; k < 2 * ERRANDS; k++) {
			bool fails = rows[i].failures == SOMETIMES ? k % EVERY == 0
				     : rows[i].failures == ALWAYS  ? true
								   : k < FIRST;
			replies[k] = (struct reply){
				.after_ms = 5,
				.fault = rows[i].fault,
				.code = fails ? rows[i].code : NULL,
				.message = "no",
				.repeat = rows[i].failures == ALWAYS ? -1 : 0,
			};
		}
		stage_open(&staged, replies);
		for (size_t k = 0; k < ERRANDS; k++) {
			errand_make(&errands[k], &staged, false, NULL);
			loop_add(&staged.loop, &errands[k].task);
		}
		assert_true(loop_run(&staged.loop));
		for (size_t k = 0; k < ERRANDS; k++)
			all_done &= errands[k].done;
		if (all_done != rows[i].all_done || staged.sent_count < rows[i].least_sent ||
		    staged.sent_count > rows[i].most_sent)
			fail_msg("%s: %zu calls, %s", rows[i].name, staged.sent_count,
				 all_done ? "all done" : "not all done");
		stage_close(&staged);
	}
}

static const struct {
	const char *name;
	enum recipe recipe;
	bool unseen; /* the first attempt was not answered */
	enum fault fault, heard;
} refusals[] = {
	{"refused", RECIPE_TOKEN, false, FAULT_BUDGET, FAULT_BUDGET},
	{"refused after one that may have been carried out", RECIPE_TOKEN, true, FAULT_BUDGET, FAULT_AMBIGUOUS},
	{"throttled after one that may have been carried out", RECIPE_TOKEN, true, FAULT_THROTTLED, FAULT_AMBIGUOUS},
	{"refused when it may be there already", RECIPE_CONVERGE, true, FAULT_BUDGET, FAULT_BUDGET},
};

/* What the last attempt hears is no word about the ones before. */
static void test_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct reply replies[] = {
			{.after_ms = 1, .fault = FAULT_AMBIGUOUS, .code = "Cut", .message = "no answer"},
			{.after_ms = 1, .fault = refusals[i].fault, .code = "No", .message = "no", .repeat = -1},
		};
		struct staged staged;
		struct errand errand;

		stage_open(&staged, refusals[i].unseen ? replies : replies + 1);
		errand_make(&errand, &staged, true, NULL);
		errand.task.call.recipe = refusals[i].recipe;
		loop_add(&staged.loop, &errand.task);
		assert_true(loop_run(&staged.loop));
		if (!errand.ended || errand.done || errand.fault != refusals[i].heard)
			fail_msg("%s: heard fault %d", refusals[i].name, (int)errand.fault);
		/* What may have been carried out may have changed something, whatever was heard last. */
		if (errand.task.changed != refusals[i].unseen || errand.unsure != refusals[i].unseen)
			fail_msg("%s: changed %d, unsure %d", refusals[i].name, errand.task.changed, errand.unsure);
		/* Nor is it an outcome of theirs: that is left open. */
		if (staged.closes != !refusals[i].unseen)
			fail_msg("%s: %zu outcomes", refusals[i].name, staged.closes);
		stage_close(&staged);
	}
}

static const struct {
	const char *name, *parameters;
	bool mutating;
	size_t sent;
} unsendable[] = {
	{"no secret", "{\"UserData\":\"9c1e\"}", true, 1},
	{"a fingerprint", "{\"UserData\":{\"$secret\":\"9c1e\"}}", true, 0},
	{"a fingerprint within a text", "{\"Tags\":[{\"$segments\":[\"x-\",{\"$secret\":\"9c1e\"}]}]}", true, 0},
	{"a reading", "{\"Filter\":{\"$secret\":\"9c1e\"}}", false, 1},
};

/* No service is given the fingerprint of a secret for the secret. */
static void test_fingerprints_stay(void **state)
{
	static const struct reply replies[] = {{.after_ms = 1, .repeat = -1}};

	(void)state;
	for (size_t i = 0; i < sizeof(unsendable) / sizeof(unsendable[0]); i++) {
		struct staged staged;
		struct errand errand;
		struct value parameters;

		stage_open(&staged, replies);
		assert_true(json_read(&staged.arena, slice_of(unsendable[i].parameters), true, 4096, "the test",
				      &parameters, &staged.diagnostics));
		errand_make(&errand, &staged, unsendable[i].mutating, &parameters);
		loop_add(&staged.loop, &errand.task);
		assert_true(loop_run(&staged.loop));
		if (staged.sent_count != unsendable[i].sent || errand.done != (unsendable[i].sent > 0) ||
		    (!errand.done && errand.fault != FAULT_USER) ||
		    errand.task.changed != (unsendable[i].mutating && errand.done))
			fail_msg("%s: sent %zu, fault %d", unsendable[i].name, staged.sent_count, (int)errand.fault);
		stage_close(&staged);
	}
}

enum { HOUR_MS = 60 * 60 * 1000 };

static const struct {
	const char *name;
	enum recipe recipe;
	int64_t unanswered_ms, suspended_ms;
	bool is_recorded; /* by an earlier run */
	int64_t recorded_ms;
	size_t sent;
	enum fault heard; /* where it was not done */
	bool throttled;	  /* the first attempt: so it made nothing */
	bool looked_after;
} repeated[] = {
	{"a token", RECIPE_TOKEN, 1, 0, false, 0, 2, 0, false, false},
	{"a token of nearly an hour", RECIPE_TOKEN, HOUR_MS - MINUTE_MS, 0, false, 0, 2, 0, false, false},
	{"a token of an hour", RECIPE_TOKEN, HOUR_MS, 0, false, 0, 1, FAULT_AMBIGUOUS, false, false},
	{"a token of a machine suspended for nearly an hour", RECIPE_TOKEN, 1, HOUR_MS - MINUTE_MS, false, 0, 2, 0,
	 false, false},
	{"a token of a machine suspended for an hour", RECIPE_TOKEN, 1, HOUR_MS, false, 0, 1, FAULT_AMBIGUOUS, false,
	 false},
	{"a token of an hour, and the clock was set back", RECIPE_TOKEN, HOUR_MS, -HOUR_MS, false, 0, 1,
	 FAULT_AMBIGUOUS, false, false},
	{"a token of an earlier run", RECIPE_TOKEN, 1, 0, true, 0, 2, 0, false, false},
	{"a token of an earlier run, suspended since", RECIPE_TOKEN, 1, HOUR_MS, true, 0, 1, FAULT_AMBIGUOUS, false,
	 false},
	{"a token of an earlier run that was too long ago", RECIPE_TOKEN, 1, 0, true, -HOUR_MS, 0, FAULT_AMBIGUOUS,
	 false, false},
	{"what converges, however late", RECIPE_CONVERGE, HOUR_MS, HOUR_MS, false, 0, 2, 0, false, false},
	{"what converges, where its task looks first", RECIPE_CONVERGE, 1, 0, false, 0, 1, FAULT_AMBIGUOUS, false,
	 true},
	{"and where nobody took it", RECIPE_CONVERGE, 1, 0, false, 0, 2, 0, true, true},
	{"what does as much again each time", RECIPE_SNAPSHOT, 1, 0, false, 0, 1, FAULT_AMBIGUOUS, false, false},
	{"what is looked for by its tag", RECIPE_TAG, 1, 0, false, 0, 1, FAULT_AMBIGUOUS, false, false},
	{"a token that nobody took for an hour", RECIPE_TOKEN, HOUR_MS, 0, false, 0, 2, 0, true, false},
	{"a token that nobody took, of a machine suspended for an hour", RECIPE_TOKEN, 1, HOUR_MS, false, 0, 2, 0, true,
	 false},
	{"a token of an earlier run that nobody takes for an hour", RECIPE_TOKEN, HOUR_MS, 0, true, 0, 1,
	 FAULT_AMBIGUOUS, true, false},
};

/* What was not answered is sent again only where that does nothing twice. */
static void test_repeated(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(repeated) / sizeof(repeated[0]); i++) {
		const struct reply replies[] = {
			{.after_ms = repeated[i].unanswered_ms,
			 .fault = repeated[i].throttled ? FAULT_THROTTLED : FAULT_AMBIGUOUS,
			 .code = "Cut",
			 .message = "no answer"},
			{.after_ms = 1, .repeat = -1},
		};
		struct staged staged;
		struct errand errand;

		stage_open(&staged, replies);
		staged.suspended_ms = repeated[i].suspended_ms;
		errand_make(&errand, &staged, true, NULL);
		errand.task.call.recipe = repeated[i].recipe;
		errand.task.call.looked_after = repeated[i].looked_after;
		if (repeated[i].is_recorded) {
			errand.task.call.is_recorded = true;
			errand.task.call.intent = SLICE("0123456789abcdef0123456789abcdef");
			errand.task.call.intent_ms = staged.now_ms + repeated[i].recorded_ms;
		}
		loop_add(&staged.loop, &errand.task);
		assert_true(loop_run(&staged.loop));
		if (!errand.ended || errand.done != (repeated[i].heard == 0) || staged.sent_count != repeated[i].sent ||
		    (!errand.done && errand.fault != repeated[i].heard))
			fail_msg("%s: sent %zu times, heard fault %d", repeated[i].name, staged.sent_count,
				 (int)errand.fault);
		/* A request of its own, with an intent of its own: its task was asked in between. */
		if (repeated[i].looked_after && repeated[i].throttled && (staged.intents != 2 || staged.closes != 2))
			fail_msg("%s: %zu intents", repeated[i].name, staged.intents);
		stage_close(&staged);
	}
}

static bool count_given(void *context, const struct task *task, const struct watch *watch)
{
	(void)task;
	(void)watch;
	++*(int *)context;
	return true;
}

static enum step show(struct task *task, const struct answer *answer)
{
	static const struct value place = {.type = VALUE_MAP};

	if (!answer)
		return STEP_CALL;
	task->shown_to = &place;
	task->shown = SLICE("secret");
	return STEP_DONE;
}

/* What is shown once goes to its place only from the run that has the stack, and can say so. */
static void test_shown(void **state)
{
	static const struct reply replies[] = {{.after_ms = 1, .repeat = -1}};
	static const struct {
		const char *name;
		bool taken_away, cannot_beat;
		enum fault told;
	} rows[] = {
		{"ours", false, false, FAULT_USER},
		{"taken away", true, false, FAULT_LEASE},
		{"the disk is full", false, true, FAULT_USER},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct staged staged;
		struct errand errand;
		int given = 0;

		stage_open(&staged, replies);
		staged.lease_taken_away = rows[i].taken_away;
		staged.cannot_beat = rows[i].cannot_beat;
		staged.loop.settings.give_shown = count_given;
		staged.loop.settings.give_context = &given;
		errand_make(&errand, &staged, true, NULL);
		errand.task.step = show;
		loop_add(&staged.loop, &errand.task);
		assert_true(loop_run(&staged.loop));
		bool fine = !rows[i].taken_away && !rows[i].cannot_beat;
		if (!errand.ended || errand.done != fine || given != fine)
			fail_msg("%s: given %d times, %s", rows[i].name, given, errand.done ? "done" : "not done");
		for (size_t k = 0; k < staged.diagnostics.error_count; k++)
			if (staged.diagnostics.items[k].fault != rows[i].told)
				fail_msg("%s: told as fault %d", rows[i].name, (int)staged.diagnostics.items[k].fault);
		stage_close(&staged);
	}
}

enum { TOGETHER_MOST = 3 };

static const struct {
	const char *name;
	int count;
	int64_t answered_after_ms[TOGETHER_MOST]; /* negative: never */
	int64_t interrupted_after_ms;		  /* twice; 0: not at all */
	size_t commits;				  /* the first is that of the intents */
	size_t closes;
	int64_t ended_after_ms[TOGETHER_MOST];
} together[] = {
	{"nothing else to come", 1, {100}, 0, 2, 1, {100}},
	{"answers side by side", 3, {100, 104, 108}, 0, 2, 3, {108, 108, 108}},
	{"an answer that comes too late", 2, {100, 150}, 0, 3, 2, {110, 150}},
	{"answers one after another", 3, {100, 107, 114}, 0, 3, 3, {110, 110, 114}},
	{"stopped at once while one waits", 2, {100, -1}, 105, 2, 1, {105, 105}},
};

/* An answer is recorded with those that come a few milliseconds after it, and never waits for nothing. */
static void test_together(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(together) / sizeof(together[0]); i++) {
		struct reply replies[TOGETHER_MOST] = {0};
		struct errand errands[TOGETHER_MOST] = {0};
		struct staged staged;

		for (int k = 0; k < together[i].count; k++)
			replies[k].after_ms = together[i].answered_after_ms[k];
		stage_open(&staged, replies);
		int64_t began_ms = staged.now_ms;
		staged.interrupted_twice = true;
		if (together[i].interrupted_after_ms > 0)
			staged.interrupt_ms = began_ms + together[i].interrupted_after_ms;
		for (int k = 0; k < together[i].count; k++) {
			errand_make(&errands[k], &staged, true, NULL);
			loop_add(&staged.loop, &errands[k].task);
		}
		assert_int_equal(loop_run(&staged.loop), together[i].interrupted_after_ms == 0);
		if (staged.commits != together[i].commits || staged.closes != together[i].closes)
			fail_msg("%s: %zu commits of %zu outcomes", together[i].name, staged.commits, staged.closes);
		for (int k = 0; k < together[i].count; k++)
			if (!errands[k].ended || errands[k].ended_ms - began_ms != together[i].ended_after_ms[k])
				fail_msg("%s: number %d ended after %lld ms", together[i].name, k,
					 (long long)(errands[k].ended_ms - began_ms));
		stage_close(&staged);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interrupts),
		cmocka_unit_test(test_interrupted_retry),
		cmocka_unit_test(test_leases),
		cmocka_unit_test(test_leases_of_readings),
		cmocka_unit_test(test_slow_answers),
		cmocka_unit_test(test_budget),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_repeated),
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_fingerprints_stay),
	};

	return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}
