#ifndef TRUEUP_TESTS_SIMULATE_TARGET_H
#define TRUEUP_TESTS_SIMULATE_TARGET_H

#include "tests/simulate/blueprint.h"
#include "tests/simulate/mishap.h"

/*
 * The pair of operation and mishap that a seed is about, so that rare pairs come as often as
 * frequent ones: seeds take the pairs in turn, and the stack and its chapters are such that the
 * operation occurs. Other mishaps come besides.
 */

/* What brings the operation about. */
enum turn {
	TURN_NONE,     /* making the stack does */
	TURN_IN_PLACE, /* the dials of struct thing */
	TURN_PARTS,
	TURN_FEATURE, /* what the stack has beside the usual */
	TURN_RENEWAL,
	TURN_REMOVAL, /* taking it out of the spec */
	TURN_DESTROY,
};

struct target_row {
	const char *operation;
	struct blueprint_wish wish;
	enum turn turn;
	unsigned one_in; /* strikes at one of so many occurrences */
};

struct target {
	const struct target_row *row;
	enum mishap mishap;
	bool struck;
};

struct target target_of(uint64_t seed);
/* Whether it strikes at this operation now; then it will not any more. */
bool target_strikes(struct target *target, const char *operation, struct chance *fate);
/* Turns the dial that brings the operation about. */
void target_turn(const struct target *target, struct blueprint *blueprint);
/* Whether some seed is about the operation. */
bool target_has(const char *operation);
/* Calls visit with each operation and mishap. absence: why they cannot come together; NULL: they can. */
void target_each(void (*visit)(void *context, const char *operation, enum mishap mishap, const char *absence),
		 void *context);

#endif
