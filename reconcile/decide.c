#include "reconcile/decide.h"

#include <stddef.h>

/* What a column may hold: one bit a value, so that a row covers several. */
#define ANY (~0u)
#define N (1u << false)
#define Y (1u << true)

#define PRESENT (1u << LIVE_PRESENT)
#define ABSENT (1u << LIVE_ABSENT)
#define LEAVING (1u << LIVE_LEAVING)
#define THERE (PRESENT | LEAVING)
#define UNREAD (1u << LIVE_UNREAD)
#define NAMESAKE (1u << LIVE_NAMESAKE)
#define FOREIGN (1u << LIVE_NOT_OURS | NAMESAKE)
#define TAKEN (1u << LIVE_TAKEN)

#define NONE (1u << DIFFERENCE_NONE)
#define IN_PLACE (1u << DIFFERENCE_IN_PLACE)
#define REPLACE (1u << DIFFERENCE_REPLACE)
#define FIXED (1u << DIFFERENCE_FIXED)
#define LOST (1u << DIFFERENCE_LOST)

/* clang-format off */
#define ROW(spec, record, live, difference, protect, found, operation, reason) \
	{spec, record, live, difference, protect, found, {OPERATION_##operation, reason}}

/* The first row that fits decides. */
static const struct row {
	unsigned in_spec, in_record, live, difference, protect, found;
	struct decision decision;
} rows[] = {
	/*  in the spec
	 *  |  in the record
	 *  |  |  live     difference
	 *  |  |  |        |         protected
	 *  |  |  |        |         |    only found
	 *  |  |  |        |         |    |    OPERATION_  the reason that is shown */
	ROW(N, N, ANY,     ANY,      ANY, ANY, NONE,       "not managed by this stack"),

	ROW(Y, N, ABSENT,  ANY,      ANY, ANY, CREATE,     "new in the spec"),
	ROW(Y, N, PRESENT, FIXED,    ANY, ANY, CONFLICT,   "is another thing than the spec describes"),
	ROW(Y, N, PRESENT, ANY,      ANY, ANY, ADOPT,      "exists and is not recorded yet"),
	ROW(Y, N, LEAVING, ANY,      ANY, ANY, INCOMPLETE, "the name is taken by one that is being deleted"),
	ROW(Y, N, UNREAD,  ANY,      ANY, ANY, INCOMPLETE, "could not be read, so it cannot be told whether it exists"),
	ROW(Y, N, NAMESAKE, ANY,     ANY, ANY, CONFLICT,   "was made under this stack's name, and is not recorded"),
	ROW(Y, N, FOREIGN | TAKEN, ANY, ANY, ANY, CONFLICT, "exists already and does not belong to this stack"),

	ROW(Y, Y, PRESENT, FIXED,    ANY, ANY, CONFLICT,   "is another thing than the spec describes"),
	ROW(Y, Y, PRESENT, LOST,     ANY, ANY, CONFLICT,   "lacks what no call brings back"),
	ROW(Y, Y, PRESENT, NONE,     ANY, ANY, NONE,       "as the spec says"),
	ROW(Y, Y, PRESENT, IN_PLACE, ANY, ANY, UPDATE,     "can change in place"),
	ROW(Y, Y, PRESENT, REPLACE,  N,   ANY, REPLACE,    "cannot change in place"),
	ROW(Y, Y, PRESENT, REPLACE,  Y,   ANY, CONFLICT,   "is protected, and the change needs a new object"),
	ROW(Y, Y, ABSENT,  ANY,      ANY, ANY, CREATE,     "was deleted outside of this stack"),
	ROW(Y, Y, TAKEN,   ANY,      ANY, ANY, CONFLICT,   "is gone, and another one, which does not belong to this stack, has its name"),
	ROW(Y, Y, LEAVING, ANY,      ANY, ANY, CREATE,     "is being deleted outside of this stack, and is made anew after that"),
	ROW(Y, Y, UNREAD,  ANY,      ANY, ANY, INCOMPLETE, "could not be read"),
	ROW(Y, Y, FOREIGN, ANY,      ANY, ANY, CONFLICT,   "is recorded here, but its tags name another owner"),

	/* Whatever can be read of it: nothing is done to the thing itself. */
	ROW(N, Y, ANY,     ANY,      N,   Y,   FORGET,     "no longer in the spec; the thing itself is left alone"),
	ROW(N, Y, THERE,   ANY,      N,   ANY, DELETE,     "no longer in the spec"),
	ROW(N, Y, THERE,   ANY,      Y,   ANY, CONFLICT,   "is protected and no longer in the spec"),
	ROW(N, Y, ABSENT | TAKEN, ANY, ANY, ANY, FORGET,     "no longer in the spec, and gone already"),
	ROW(N, Y, UNREAD,  ANY,      ANY, ANY, INCOMPLETE, "no longer in the spec, and could not be read"),
	ROW(N, Y, FOREIGN, ANY,      ANY, ANY, CONFLICT,   "is recorded here, but its tags name another owner"),
};
/* clang-format on */

static bool fits(unsigned column, unsigned value)
{
	return column & 1u << value;
}

struct decision decide(const struct situation *situation)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		if (fits(row->in_spec, situation->in_spec) && fits(row->in_record, situation->in_record) &&
		    fits(row->live, situation->live) && fits(row->difference, situation->difference) &&
		    fits(row->protect, situation->protect) && fits(row->found, situation->found))
			return row->decision;
	}
	/* The test over every combination proves that this is never reached. */
	return (struct decision){OPERATION_CONFLICT, "no rule covers this situation"};
}

struct decision decide_taking_back(const struct decision *decision, enum difference_class difference)
{
	if (!operation_makes(decision->operation) || !fits(NONE | IN_PLACE, difference))
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
		/* clang-format off */
		{OPERATION_DELETE,     ANY,    1u << GOING_WITH_ALL,     "everything is to go"},
		{OPERATION_DELETE,     ANY,    1u << GOING_BY_NAME,      "named as a target"},
		{OPERATION_DELETE,     ANY,    1u << GOING_WITH_ANOTHER, "refers to what is to go"},
		{OPERATION_DELETE,     ANY,    1u << GOING_WITH_RUN,     "the run made it"},
		{OPERATION_FORGET,     ABSENT, ANY, "gone already"},
		{OPERATION_FORGET,     ANY,    ANY, "only its record goes; the thing itself is left alone"},
		{OPERATION_CONFLICT,   THERE,  ANY, "is protected, so it is not destroyed"},
		{OPERATION_INCOMPLETE, ANY,    ANY, "could not be read, so it is not destroyed"},
		/* clang-format on */
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].operation == decision->operation && fits(reasons[i].live, situation->live) &&
		    fits(reasons[i].going, going))
			return reasons[i].reason;
	return decision->reason;
}

const char *decide_hint(const struct situation *situation, const struct decision *decision)
{
	bool there = situation->live == LIVE_PRESENT || situation->live == LIVE_LEAVING;

	if (decision->operation != OPERATION_CONFLICT || !situation->protect || !there || !situation->in_record ||
	    fits(FIXED | LOST, situation->difference))
		return NULL;
	return situation->in_spec ? "take 'protect' out of its 'lifecycle', apply that first, and then the change"
				  : "apply it once without 'protect' in its 'lifecycle'; then it can go";
}

bool operation_keeps(enum operation operation)
{
	return operation == OPERATION_UPDATE || operation == OPERATION_TAKE_BACK;
}

bool operation_makes(enum operation operation)
{
	return operation == OPERATION_CREATE || operation == OPERATION_REPLACE;
}

bool operation_ends(enum operation operation)
{
	return operation == OPERATION_DELETE || operation == OPERATION_REPLACE;
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
