#ifndef TRUEUP_TESTS_SIMULATE_SLIP_H
#define TRUEUP_TESTS_SIMULATE_SLIP_H

#include "tests/simulate/universe.h"

/*
 * MISHAP_FORGOTTEN: for a single call its kind forgets that it changes something, so that no
 * intent is made for it. The linker puts a function of slip.c before the program's own, as it
 * does for mutants.
 */

extern const char slip_refusal[]; /* what the program says of it */

/* In this universe, from now on; NULL: nowhere. */
void slip_watch(struct universe *universe);

#endif
