#ifndef TRUEUP_TESTS_SIMULATE_CREW_H
#define TRUEUP_TESTS_SIMULATE_CREW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "tests/simulate/tally.h"

/* Tells many seeds in several processes at once, and goes on after a seed that ends its process. SIGINT and SIGTERM
 * have each process end with the seed that it is at. */

enum { CREW_JOBS_MOST = 64 };

struct crew {
	uint64_t first, count, jobs;
	uint64_t seconds;  /* no seed is begun later than that; 0: any time */
	bool until_broken; /* stop at the first seed that breaks a promise */
	bool quiet;	   /* says nothing of it */
	/* Tells a seed; what broke goes to `to` as "broken SEED PROMISE" and lines that begin with a blank. */
	void (*tell)(uint64_t seed, struct tally *tally, FILE *to);

	time_t end_s; /* set by crew_run() */
	/* What came of it. */
	uint64_t seeds, broken;
	bool stopped;	    /* by a signal */
	struct tally tally; /* set up by the caller */
};

void crew_run(struct crew *crew);

#endif
