#ifndef TRUEUP_TESTS_SIMULATE_TALLY_H
#define TRUEUP_TESTS_SIMULATE_TALLY_H

#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/map.h"

/* How often each pair of an operation and a mishap occurred, over many seeds. */
struct tally {
	struct map counts; /* "operation mishap" to uint64_t */
	struct arena arena;
};

/* In place of an operation: promises that were broken, in place of a mishap which. */
#define TALLY_BROKEN "promises-broken"

void tally_init(struct tally *tally);
void tally_release(struct tally *tally);
void tally_add(struct tally *tally, const char *operation, const char *mishap, uint64_t count);
/* A line for each pair: "pair OPERATION MISHAP COUNT". */
void tally_write(const struct tally *tally, FILE *to);
/* A table for people: a line for each operation, sorted, a column for each mishap. */
void tally_show(const struct tally *tally, FILE *to);

struct tally_rarity {
	uint64_t pairs; /* that there are */
	uint64_t rare;	/* of these, that occurred less often than asked for */
	uint64_t least; /* how often the rarest occurred */
};

/* Pairs that occurred less than `least` times are named, a line each, and those that cannot occur, with the reason; to:
 * NULL where they need not be. */
struct tally_rarity tally_rarity(const struct tally *tally, uint64_t least, FILE *to);

#endif
