#include "reconcile/lineage.h"

#include <string.h>

#include "base/digest.h"

enum {
	/* The rest is random: 96 bits, of which no two are alike. */
	MARK_BYTES = 4,
	MARK_HEX = 2 * MARK_BYTES,
};

static struct digest mark_of(struct slice stack_name)
{
	return digest_keyed(SLICE("trueup lineage of a stack"), stack_name);
}

void lineage_new(struct world *world, struct slice stack_name, uint8_t ret[ID_BYTES])
{
	struct digest mark = mark_of(stack_name);

	world->random(world, ret, ID_BYTES);
	memcpy(ret + ID_BYTES - MARK_BYTES, mark.bytes, MARK_BYTES);
}

bool lineage_is_of(struct slice lineage, struct slice stack_name)
{
	struct digest mark = mark_of(stack_name);
	char hex[DIGEST_HEX + 1];

	digest_hex(&mark, hex);
	return lineage.size == ID_HEX &&
	       slice_equal(slice_from(lineage, ID_HEX - MARK_HEX), (struct slice){hex, MARK_HEX});
}

struct slice lineage_pattern(struct slice stack_name, struct arena *arena)
{
	struct digest mark = mark_of(stack_name);
	char hex[DIGEST_HEX + 1];

	digest_hex(&mark, hex);
	return arena_format(arena, "*%.*s", (int)MARK_HEX, hex);
}
