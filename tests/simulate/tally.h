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

void tally_init(struct tally *tally);
void tally_release(struct tally *tally);
void tally_add(struct tally *tally, const char *operation, const char *mishap, uint64_t count);
/* A line for each pair: "pair OPERATION MISHAP COUNT". */
void tally_write(const struct tally *tally, FILE *to);
/* A table for people: a line for each operation, sorted, with its mishaps. */
void tally_show(const struct tally *tally, FILE *to);

#endif
