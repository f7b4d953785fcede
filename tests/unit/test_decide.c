#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/slice.h"
#include "reconcile/decide.h"

/* Calls check for every combination of the table's inputs. */
static void for_every_situation(void (*check)(const struct situation *situation, struct decision decision))
{
	for (int spec = 0; spec < 2; spec++)
		for (int record = 0; record < 2; record++)
			for (int live = 0; live < LIVE_STATE_COUNT; live++)
				for (int difference = 0; difference < DIFFERENCE_CLASS_COUNT; difference++)
					for (int flags = 0; flags < 4; flags++) {
						struct situation situation = {spec,
									      record,
									      (enum live_state)live,
									      (enum difference_class)difference,
									      (flags & 1) != 0,
									      (flags & 2) != 0};
						check(&situation, decide(&situation));
					}
}

static void has_a_rule(const struct situation *situation, struct decision decision)
{
	(void)situation;
	assert_string_not_equal(decision.reason, "no rule covers this situation");
	assert_non_null(operation_name(decision.operation));
}

static void test_every_situation_has_a_rule(void **state)
{
	(void)state;
	for_every_situation(has_a_rule);
}

static bool ends_object(enum operation operation)
{
	return operation == OPERATION_DELETE || operation == OPERATION_REPLACE;
}

static void keeps_protected(const struct situation *situation, struct decision decision)
{
	if (situation->protect)
		assert_false(ends_object(decision.operation));
}

static void test_what_is_protected_is_never_deleted(void **state)
{
	(void)state;
	for_every_situation(keeps_protected);
}

static void leaves_unread(const struct situation *situation, struct decision decision)
{
	/* To forget what was only found takes no look at it. */
	bool forgotten = situation->found && !situation->in_spec && !situation->protect;
	if (situation->live == LIVE_UNREAD && (situation->in_spec || situation->in_record) && !forgotten)
		assert_int_equal(decision.operation, OPERATION_INCOMPLETE);
}

static void test_unread_is_neither_absent_nor_fine(void **state)
{
	(void)state;
	for_every_situation(leaves_unread);
}

static void leaves_others(const struct situation *situation, struct decision decision)
{
	if (situation->live != LIVE_NOT_OURS && situation->live != LIVE_NAMESAKE && situation->live != LIVE_TAKEN)
		return;
	bool gone = situation->found || situation->live == LIVE_TAKEN;
	bool forgotten = gone && !situation->in_spec && decision.operation == OPERATION_FORGET;
	assert_true(decision.operation == OPERATION_CONFLICT || decision.operation == OPERATION_NONE || forgotten);
}

static void test_what_is_not_ours_is_not_touched(void **state)
{
	(void)state;
	for_every_situation(leaves_others);
}

static void deletes_only_recorded(const struct situation *situation, struct decision decision)
{
	if (ends_object(decision.operation))
		assert_true(situation->in_record);
	if (decision.operation == OPERATION_DELETE)
		assert_false(situation->in_spec);
	if (decision.operation == OPERATION_CREATE)
		assert_true(situation->in_spec && situation->live != LIVE_PRESENT);
}

static void test_only_what_is_recorded_is_deleted(void **state)
{
	(void)state;
	for_every_situation(deletes_only_recorded);
}

static void acts_on_no_contradiction(const struct situation *situation, struct decision decision)
{
	bool lost = situation->difference == DIFFERENCE_LOST && situation->in_record;
	if ((situation->difference == DIFFERENCE_FIXED || lost) && situation->in_spec &&
	    situation->live == LIVE_PRESENT) {
		assert_int_equal(decision.operation, OPERATION_CONFLICT);
		assert_null(decide_hint(situation, &decision));
	}
}

static void test_what_contradicts_the_spec_is_a_conflict(void **state)
{
	(void)state;
	for_every_situation(acts_on_no_contradiction);
}

static void never_destroys_found(const struct situation *situation, struct decision decision)
{
	if (situation->found && !situation->in_spec && !situation->protect)
		assert_int_equal(decision.operation, situation->in_record ? OPERATION_FORGET : OPERATION_NONE);
}

static void test_what_was_found_is_forgotten_not_deleted(void **state)
{
	(void)state;
	for_every_situation(never_destroys_found);
}

static void test_what_is_said_when_everything_goes(void **state)
{
	static const struct {
		const char *name;
		struct situation situation;
		enum going going;
		const char *reason, *hint; /* hint: the beginning, or NULL */
	} rows[] = {
		{"deleted",
		 {false, true, LIVE_PRESENT, DIFFERENCE_NONE, false, false},
		 GOING_WITH_ALL,
		 "everything is to go",
		 NULL},
		{"named",
		 {false, true, LIVE_PRESENT, DIFFERENCE_NONE, false, false},
		 GOING_BY_NAME,
		 "named as a target",
		 NULL},
		{"taken along",
		 {false, true, LIVE_PRESENT, DIFFERENCE_NONE, false, false},
		 GOING_WITH_ANOTHER,
		 "refers to what is to go",
		 NULL},
		{"protected",
		 {false, true, LIVE_PRESENT, DIFFERENCE_NONE, true, false},
		 GOING_WITH_ALL,
		 "is protected, so it is not destroyed",
		 "apply it once without 'protect'"},
		{"undone",
		 {false, true, LIVE_PRESENT, DIFFERENCE_NONE, false, false},
		 GOING_WITH_RUN,
		 "the run made it",
		 NULL},
		{"gone",
		 {false, true, LIVE_ABSENT, DIFFERENCE_NONE, false, false},
		 GOING_WITH_ALL,
		 "gone already",
		 NULL},
		{"found",
		 {false, true, LIVE_PRESENT, DIFFERENCE_NONE, false, true},
		 GOING_WITH_ALL,
		 "only its record goes; the thing itself is left alone",
		 NULL},
		{"unread",
		 {false, true, LIVE_UNREAD, DIFFERENCE_NONE, false, false},
		 GOING_WITH_ALL,
		 "could not be read, so it is not destroyed",
		 NULL},
		{"another's",
		 {false, true, LIVE_NOT_OURS, DIFFERENCE_NONE, false, false},
		 GOING_WITH_ALL,
		 "is recorded here, but its tags name another owner",
		 NULL},
	};
	struct situation changed = {true, true, LIVE_PRESENT, DIFFERENCE_REPLACE, true, false};
	struct decision decision = decide(&changed);

	(void)state;
	assert_true(slice_starts_with(slice_of(decide_hint(&changed, &decision)), SLICE("take 'protect' out")));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		decision = decide(&rows[i].situation);
		struct slice hint = slice_of(decide_hint(&rows[i].situation, &decision));

		if (strcmp(decide_destroying(&rows[i].situation, &decision, rows[i].going), rows[i].reason) != 0)
			fail_msg("%s: %s", rows[i].name,
				 decide_destroying(&rows[i].situation, &decision, rows[i].going));
		if ((hint.size > 0) != (rows[i].hint != NULL) || !slice_starts_with(hint, slice_of(rows[i].hint)))
			fail_msg("%s: hint '%.*s'", rows[i].name, SLICE_ARGUMENTS(hint));
	}
}

static void test_rows(void **state)
{
	static const struct {
		const char *name;
		struct situation situation;
		enum operation expected;
	} rows[] = {
		{"new", {true, false, LIVE_ABSENT, DIFFERENCE_NONE, false, false}, OPERATION_CREATE},
		{"same", {true, true, LIVE_PRESENT, DIFFERENCE_NONE, false, false}, OPERATION_NONE},
		{"changed", {true, true, LIVE_PRESENT, DIFFERENCE_IN_PLACE, true, false}, OPERATION_UPDATE},
		{"immutable", {true, true, LIVE_PRESENT, DIFFERENCE_REPLACE, false, false}, OPERATION_REPLACE},
		{"lost", {true, true, LIVE_PRESENT, DIFFERENCE_LOST, false, false}, OPERATION_CONFLICT},
		{"lost, deleted", {true, true, LIVE_ABSENT, DIFFERENCE_LOST, false, false}, OPERATION_CREATE},
		{"immutable, protected",
		 {true, true, LIVE_PRESENT, DIFFERENCE_REPLACE, true, false},
		 OPERATION_CONFLICT},
		{"gone", {true, true, LIVE_ABSENT, DIFFERENCE_NONE, true, false}, OPERATION_CREATE},
		{"removed", {false, true, LIVE_PRESENT, DIFFERENCE_NONE, false, false}, OPERATION_DELETE},
		{"removed, protected", {false, true, LIVE_PRESENT, DIFFERENCE_NONE, true, false}, OPERATION_CONFLICT},
		{"removed and gone", {false, true, LIVE_ABSENT, DIFFERENCE_NONE, false, false}, OPERATION_FORGET},
		{"found", {true, false, LIVE_PRESENT, DIFFERENCE_NONE, false, false}, OPERATION_ADOPT},
		{"somebody's", {true, false, LIVE_NOT_OURS, DIFFERENCE_NONE, false, false}, OPERATION_CONFLICT},
		{"another state's", {true, false, LIVE_NAMESAKE, DIFFERENCE_NONE, false, false}, OPERATION_CONFLICT},
		{"found, another one", {true, false, LIVE_PRESENT, DIFFERENCE_FIXED, false, true}, OPERATION_CONFLICT},
		{"found, removed", {false, true, LIVE_PRESENT, DIFFERENCE_NONE, false, true}, OPERATION_FORGET},
		{"found, removed, protected",
		 {false, true, LIVE_PRESENT, DIFFERENCE_NONE, true, true},
		 OPERATION_CONFLICT},
		{"unmanaged", {false, false, LIVE_PRESENT, DIFFERENCE_NONE, false, false}, OPERATION_NONE},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct decision decision = decide(&rows[i].situation);
		if (decision.operation != rows[i].expected)
			fail_msg("%s: %s, not %s", rows[i].name, operation_name(decision.operation),
				 operation_name(rows[i].expected));
	}
}

/* What was left behind saves a making, and nothing else. */
static void test_what_fits_is_taken_back(void **state)
{
	static const struct {
		const char *name;
		enum operation own;
		enum difference_class difference;
		enum operation expected;
	} rows[] = {
		{"in place of another", OPERATION_CREATE, DIFFERENCE_NONE, OPERATION_TAKE_BACK},
		{"and changed", OPERATION_CREATE, DIFFERENCE_IN_PLACE, OPERATION_TAKE_BACK},
		{"in place of a new one", OPERATION_REPLACE, DIFFERENCE_NONE, OPERATION_TAKE_BACK},
		{"unfit", OPERATION_CREATE, DIFFERENCE_REPLACE, OPERATION_CREATE},
		{"another thing", OPERATION_REPLACE, DIFFERENCE_FIXED, OPERATION_REPLACE},
		{"lacking", OPERATION_CREATE, DIFFERENCE_LOST, OPERATION_CREATE},
		{"nothing is wanted of it", OPERATION_NONE, DIFFERENCE_NONE, OPERATION_NONE},
		{"what is there can change", OPERATION_UPDATE, DIFFERENCE_NONE, OPERATION_UPDATE},
		{"what is there could not be read", OPERATION_INCOMPLETE, DIFFERENCE_NONE, OPERATION_INCOMPLETE},
		{"what is there is protected", OPERATION_CONFLICT, DIFFERENCE_NONE, OPERATION_CONFLICT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct decision own = {rows[i].own, "own"};
		struct decision decision = decide_taking_back(&own, rows[i].difference);

		if (decision.operation != rows[i].expected)
			fail_msg("%s: %s, not %s", rows[i].name, operation_name(decision.operation),
				 operation_name(rows[i].expected));
		assert_int_equal(strcmp(decision.reason, "own") == 0, decision.operation == own.operation);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_situation_has_a_rule),
		cmocka_unit_test(test_what_is_protected_is_never_deleted),
		cmocka_unit_test(test_unread_is_neither_absent_nor_fine),
		cmocka_unit_test(test_what_is_not_ours_is_not_touched),
		cmocka_unit_test(test_only_what_is_recorded_is_deleted),
		cmocka_unit_test(test_what_contradicts_the_spec_is_a_conflict),
		cmocka_unit_test(test_what_fits_is_taken_back),
		cmocka_unit_test(test_what_was_found_is_forgotten_not_deleted),
		cmocka_unit_test(test_what_is_said_when_everything_goes),
		cmocka_unit_test(test_rows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
