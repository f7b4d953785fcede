#include "tests/simulate/chance.h"

#include <string.h>

uint64_t chance_bits(struct chance *chance)
{
	/* SplitMix64 (Steele, Lea, Flood 2014): every seed gives a full period. */
	uint64_t z = chance->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

struct chance chance_of(uint64_t seed, uint64_t stream)
{
	struct chance mixed = {seed};

	mixed.state = chance_bits(&mixed) ^ (stream * 0xd1342543de82ef95u);
	return mixed;
}

int64_t chance_between(struct chance *chance, int64_t low, int64_t high)
{
	if (high <= low)
		return low;
	return low + (int64_t)(chance_bits(chance) % (uint64_t)(high - low + 1));
}

bool chance_one_in(struct chance *chance, unsigned times)
{
	return times > 0 && chance_bits(chance) % times == 0;
}

void chance_fill(struct chance *chance, void *bytes, size_t size)
{
	unsigned char *next = bytes;

	while (size > 0) {
		uint64_t bits = chance_bits(chance);
		size_t count = size < sizeof(bits) ? size : sizeof(bits);

		memcpy(next, &bits, count);
		next += count;
		size -= count;
	}
}
