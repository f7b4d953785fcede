#ifndef TRUEUP_TESTS_UNIT_SUPPORT_ROUNDS_H
#define TRUEUP_TESTS_UNIT_SUPPORT_ROUNDS_H

#include <stdlib.h>

/* How often something random is tried, or how much grows: a quarter of it where each step is watched (run.sh). */
static inline int rounds_of(int usual)
{
	return getenv("TRUEUP_SLOW_RUN") && getenv("TRUEUP_SLOW_RUN")[0] ? usual / 4 : usual;
}

#endif
