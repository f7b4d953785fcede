#ifndef TRUEUP_RECONCILE_DECIDE_H
#define TRUEUP_RECONCILE_DECIDE_H

#include <stdbool.h>

#include "base/names.h"

/*
 * The decision table: what to do with one object, and the reason that is shown. One
 * table, in one file, tested over every combination of its inputs.
 */

enum live_state {
	LIVE_PRESENT,
	LIVE_ABSENT,
	LIVE_LEAVING, /* somebody is deleting it */
	LIVE_UNREAD,
	LIVE_NOT_OURS, /* there, but it carries no tag of this stack, or another's */
	LIVE_NAMESAKE, /* there, made under this stack's name, but in no history that this record has */
	LIVE_TAKEN,    /* gone, and its name, which exists once, is that of something else by now */
};

enum { LIVE_STATE_COUNT = 7 };

enum difference_class {
	DIFFERENCE_NONE,
	DIFFERENCE_IN_PLACE,
	DIFFERENCE_REPLACE,
	DIFFERENCE_FIXED, /* in a fact that nothing can change */
	DIFFERENCE_LOST,  /* in something that is gone, and that only people bring back */
};

enum { DIFFERENCE_CLASS_COUNT = 5 };

enum operation {
	OPERATION_NONE,
	OPERATION_CREATE,
	OPERATION_UPDATE,
	OPERATION_REPLACE,
	OPERATION_DELETE,
	OPERATION_FORGET,     /* drop the record of what is gone, or was only found */
	OPERATION_ADOPT,      /* record what is there, then treat it as an update */
	OPERATION_CONFLICT,   /* nothing is done; an error tells why */
	OPERATION_INCOMPLETE, /* nothing is done, because it could not be read: exit 3 */
	OPERATION_RECORD,     /* nothing is called; the record follows what is live */
	OPERATION_TAKE_BACK,  /* what a replace left behind becomes the address's own again, and is changed as needed */
};

enum { OPERATION_COUNT = 11 };

struct situation {
	bool in_spec;
	bool in_record;
	enum live_state live;
	enum difference_class difference; /* meaningful where in spec and present */
	bool protect;			  /* by the spec or by the record */
	bool found;			  /* its kind is: nothing is made or destroyed */
};

struct decision {
	enum operation operation;
	const char *reason;
};

struct decision decide(const struct situation *situation);
/* The same where a replace has left something behind that differs so from what is wanted. */
struct decision decide_taking_back(const struct decision *decision, enum difference_class difference);
/* Why something goes whatever the spec says. */
enum going {
	GOING_WITH_ALL,
	GOING_BY_NAME,
	GOING_WITH_ANOTHER, /* that it refers to */
	GOING_WITH_RUN,	    /* that made it, and is undone */
};

/* The reason where that is so: "no longer in the spec" would not be true. */
const char *decide_destroying(const struct situation *situation, const struct decision *decision, enum going going);
/* What to do about a conflict, or NULL. */
const char *decide_hint(const struct situation *situation, const struct decision *decision);

/* Whether the object stays and is changed in place. */
bool operation_keeps(enum operation operation);
/* Whether a new object is made. */
bool operation_makes(enum operation operation);
/* Whether it is deleted, for good or to make room for another. */
bool operation_ends(enum operation operation);
extern const struct names operation_names;
const char *operation_name(enum operation operation);

#endif
