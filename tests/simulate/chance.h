#ifndef TRUEUP_TESTS_SIMULATE_CHANCE_H
#define TRUEUP_TESTS_SIMULATE_CHANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Random numbers that follow from a seed alone. Each part of a simulation has a stream of
 * its own, so that what one part draws does not move what the others draw. */
struct chance {
	uint64_t state;
};

struct chance chance_of(uint64_t seed, uint64_t stream);
uint64_t chance_bits(struct chance *chance);
/* From low to high, both included. */
int64_t chance_between(struct chance *chance, int64_t low, int64_t high);
/* True once in `times`; never where that is 0. */
bool chance_one_in(struct chance *chance, unsigned times);
void chance_fill(struct chance *chance, void *bytes, size_t size);

#endif
