#include "reconcile/decide.h"

#include <stddef.h>

/* One bit a value, so that a row covers several. */
#define LIVE(state) (1u << (state))
#define ANY_LIVE ((1u << LIVE_STATE_COUNT) - 1u)
#define DIFFERENCE(class) (1u << (class))
#define ANY_DIFFERENCE ((1u << DIFFERENCE_CLASS_COUNT) - 1u)
#define GOING(going) (1u << (going))
#define ANY_GOING (GOING(GOING_WITH_ALL) | GOING(GOING_BY_NAME) | GOING(GOING_WITH_ANOTHER))
#define NO 1u
#define YES 2u
#define EITHER 3u

static unsigned bit_of(bool truth)
{
	return truth ? YES : NO;
}

/* The first row that fits decides. */
static const struct row {
	unsigned in_spec, in_record, live, difference, protect, found;
	struct decision decision;
} rows[] = {
	{NO, NO, ANY_LIVE, ANY_DIFFERENCE, EITHER, EITHER, {OPERATION_NONE, "not managed by this stack"}},

	{YES, NO, LIVE(LIVE_ABSENT), ANY_DIFFERENCE, EITHER, EITHER, {OPERATION_CREATE, "new in the spec"}},
	{YES,
	 NO,
	 LIVE(LIVE_PRESENT),
	 DIFFERENCE(DIFFERENCE_FIXED),
	 EITHER,
	 EITHER,
	 {OPERATION_CONFLICT, "is another thing than the spec describes"}},
	{YES,
	 NO,
	 LIVE(LIVE_PRESENT),
	 ANY_DIFFERENCE,
	 EITHER,
	 EITHER,
	 {OPERATION_ADOPT, "exists and is not recorded yet"}},
	{YES,
	 NO,
	 LIVE(LIVE_LEAVING),
	 ANY_DIFFERENCE,
	 EITHER,
	 EITHER,
	 {OPERATION_INCOMPLETE, "the name is taken by one that is being deleted"}},
	{YES,
	 NO,
	 LIVE(LIVE_UNREAD),
	 ANY_DIFFERENCE,
	 EITHER,
	 EITHER,
	 {OPERATION_INCOMPLETE, "could not be read, so it cannot be told whether it exists"}},
	{YES,
	 NO,
	 LIVE(LIVE_NOT_OURS),
	 ANY_DIFFERENCE,
	 EITHER,
	 EITHER,
	 {OPERATION_CONFLICT, "exists already and does not belong to this stack"}},

	{YES,
	 YES,
	 LIVE(LIVE_PRESENT),
	 DIFFERENCE(DIFFERENCE_FIXED),
	 EITHER,
	 EITHER,
	 {OPERATION_CONFLICT, "is another thing than the spec describes"}},
	{YES,
	 YES,
	 LIVE(LIVE_PRESENT),
	 DIFFERENCE(DIFFERENCE_NONE),
	 EITHER,
	 EITHER,
	 {OPERATION_NONE, "as the spec says"}},
	{YES,
	 YES,
	 LIVE(LIVE_PRESENT),
	 DIFFERENCE(DIFFERENCE_IN_PLACE),
	 EITHER,
	 EITHER,
	 {OPERATION_UPDATE, "can change in place"}},
	{YES,
	 YES,
	 LIVE(LIVE_PRESENT),
	 DIFFERENCE(DIFFERENCE_REPLACE),
	 NO,
	 EITHER,
	 {OPERATION_REPLACE, "cannot change in place"}},
	{YES,
	 YES,
	 LIVE(LIVE_PRESENT),
	 DIFFERENCE(DIFFERENCE_REPLACE),
	 YES,
	 EITHER,
	 {OPERATION_CONFLICT, "is protected, and the change needs a new object"}},
	{YES,
	 YES,
	 LIVE(LIVE_ABSENT),
	 ANY_DIFFERENCE,
	 EITHER,
	 EITHER,
	 {OPERATION_CREATE, "was deleted outside of this stack"}},
	{YES,
	 YES,
	 LIVE(LIVE_LEAVING),
	 ANY_DIFFERENCE,
	 EITHER,
	 EITHER,
	 {OPERATION_CREATE, "is being deleted outside of this stack"}},
	{YES, YES, LIVE(LIVE_UNREAD), ANY_DIFFERENCE, EITHER, EITHER, {OPERATION_INCOMPLETE, "could not be read"}},
	{YES,
	 YES,
	 LIVE(LIVE_NOT_OURS),
	 ANY_DIFFERENCE,
	 EITHER,
	 EITHER,
	 {OPERATION_CONFLICT, "is recorded here, but its tags name another owner"}},

	/* Whatever can be read of it: nothing is done to the thing itself. */
	{NO,
	 YES,
	 ANY_LIVE,
	 ANY_DIFFERENCE,
	 NO,
	 YES,
	 {OPERATION_FORGET, "no longer in the spec; the thing itself is left alone"}},
	{NO,
	 YES,
	 LIVE(LIVE_PRESENT) | LIVE(LIVE_LEAVING),
	 ANY_DIFFERENCE,
	 NO,
	 EITHER,
	 {OPERATION_DELETE, "no longer in the spec"}},
	{NO,
	 YES,
	 LIVE(LIVE_PRESENT) | LIVE(LIVE_LEAVING),
	 ANY_DIFFERENCE,
	 YES,
	 EITHER,
	 {OPERATION_CONFLICT, "is protected and no longer in the spec"}},
	{NO,
	 YES,
	 LIVE(LIVE_ABSENT),
	 ANY_DIFFERENCE,
	 EITHER,
	 EITHER,
	 {OPERATION_FORGET, "no longer in the spec, and gone already"}},
	{NO,
	 YES,
	 LIVE(LIVE_UNREAD),
	 ANY_DIFFERENCE,
	 EITHER,
	 EITHER,
	 {OPERATION_INCOMPLETE, "no longer in the spec, and could not be read"}},
	{NO,
	 YES,
	 LIVE(LIVE_NOT_OURS),
	 ANY_DIFFERENCE,
	 EITHER,
	 EITHER,
	 {OPERATION_CONFLICT, "is recorded here, but its tags name another owner"}},
};

struct decision decide(const struct situation *situation)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		if ((row->in_spec & bit_of(situation->in_spec)) && (row->in_record & bit_of(situation->in_record)) &&
		    (row->live & LIVE(situation->live)) && (row->difference & DIFFERENCE(situation->difference)) &&
		    (row->protect & bit_of(situation->protect)) && (row->found & bit_of(situation->found)))
			return row->decision;
	}
	/* The test over every combination proves that this is never reached. */
	return (struct decision){OPERATION_CONFLICT, "no rule covers this situation"};
}

struct decision decide_taking_back(const struct decision *decision, enum difference_class difference)
{
	bool makes = decision->operation == OPERATION_CREATE || decision->operation == OPERATION_REPLACE;
	unsigned fitting = DIFFERENCE(DIFFERENCE_NONE) | DIFFERENCE(DIFFERENCE_IN_PLACE);

	if (!makes || !(DIFFERENCE(difference) & fitting))
		return *decision;
	return (struct decision){OPERATION_TAKE_BACK, "a replace left it behind, and it fits again"};
}

const char *decide_destroying(const struct situation *situation, const struct decision *decision, enum going going)
{
	static const struct {
		enum operation operation;
		unsigned live;
		unsigned going;
		const char *reason;
	} reasons[] = {
		{OPERATION_DELETE, ANY_LIVE, GOING(GOING_WITH_ALL), "everything is to go"},
		{OPERATION_DELETE, ANY_LIVE, GOING(GOING_BY_NAME), "named as a target"},
		{OPERATION_DELETE, ANY_LIVE, GOING(GOING_WITH_ANOTHER), "refers to what is to go"},
		{OPERATION_FORGET, LIVE(LIVE_ABSENT), ANY_GOING, "gone already"},
		{OPERATION_FORGET, ANY_LIVE, ANY_GOING, "only its record goes; the thing itself is left alone"},
		{OPERATION_CONFLICT, LIVE(LIVE_PRESENT) | LIVE(LIVE_LEAVING), ANY_GOING,
		 "is protected, so it is not destroyed"},
		{OPERATION_INCOMPLETE, ANY_LIVE, ANY_GOING, "could not be read, so it is not destroyed"},
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].operation == decision->operation && (reasons[i].live & LIVE(situation->live)) &&
		    (reasons[i].going & GOING(going)))
			return reasons[i].reason;
	return decision->reason;
}

const char *decide_hint(const struct situation *situation, const struct decision *decision)
{
	bool there = situation->live == LIVE_PRESENT || situation->live == LIVE_LEAVING;

	if (decision->operation != OPERATION_CONFLICT || !situation->protect || !there || !situation->in_record ||
	    situation->difference == DIFFERENCE_FIXED)
		return NULL;
	return situation->in_spec ? "take 'protect' out of its 'lifecycle', apply that first, and then the change"
				  : "apply it once without 'protect' in its 'lifecycle'; then it can go";
}

bool operation_keeps(enum operation operation)
{
	return operation == OPERATION_UPDATE || operation == OPERATION_TAKE_BACK;
}

static const char *const operation_words[OPERATION_COUNT] = {
	[OPERATION_NONE] = "none",	 [OPERATION_CREATE] = "create",	      [OPERATION_UPDATE] = "update",
	[OPERATION_REPLACE] = "replace", [OPERATION_DELETE] = "delete",	      [OPERATION_FORGET] = "forget",
	[OPERATION_ADOPT] = "adopt",	 [OPERATION_CONFLICT] = "conflict",   [OPERATION_INCOMPLETE] = "unread",
	[OPERATION_RECORD] = "record",	 [OPERATION_TAKE_BACK] = "take-back",
};
const struct names operation_names = NAMES(operation_words);

const char *operation_name(enum operation operation)
{
	return operation_words[operation];
}
