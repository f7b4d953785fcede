#ifndef TRUEUP_TESTS_SIMULATE_STORY_H
#define TRUEUP_TESTS_SIMULATE_STORY_H

#include "tests/simulate/blueprint.h"
#include "tests/simulate/oracle.h"
#include "tests/simulate/universe.h"

/* What happens under one seed: commands, edits, mishaps; then peace, and the judgement. */

struct story {
	struct universe *universe;
	struct blueprint blueprint;
	struct foreign foreign;
	char error[400]; /* the first that the last command told, or empty */
};

/* universe is open; what went wrong is in universe->failure. */
void story_tell(struct universe *universe);

#endif
