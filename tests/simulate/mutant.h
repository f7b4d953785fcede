#ifndef TRUEUP_TESTS_SIMULATE_MUTANT_H
#define TRUEUP_TESTS_SIMULATE_MUTANT_H

/*
 * The program broken on purpose, in one way at a time: an oracle that lets it pass is none. The
 * linker puts functions of mutant.c before the program's own (-Wl,--wrap, see the Makefile).
 */
enum mutant {
	MUTANT_NONE,
	MUTANT_CONVERGE,
	MUTANT_TAG,
	MUTANT_TOKEN,
	MUTANT_NATURAL,
	MUTANT_DISCARD,
	MUTANT_SNAPSHOT,
	MUTANT_UNSEEN,
	MUTANT_SWEEP,
	MUTANT_FENCE,
	MUTANT_FAILED,
	MUTANT_GRACE,
	MUTANT_LIFE,
	MUTANT_RESENT,
	MUTANT_BARE,
	MUTANT_GATE,
	MUTANT_DOUBT,
	MUTANT_COUNT,
};

const char *mutant_name(enum mutant mutant);
const char *mutant_about(enum mutant mutant);
/* From now on, in this process and those it starts. */
void mutant_become(enum mutant mutant);

#endif
