#include "base/id.h"

#include "base/hex.h"

struct slice id_new(struct world *world, struct arena *arena)
{
	uint8_t bytes[ID_BYTES];

	world->random(world, bytes, sizeof(bytes));
	return hex_encode(arena, (struct slice){(const char *)bytes, sizeof(bytes)});
}
