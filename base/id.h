#ifndef TRUEUP_BASE_ID_H
#define TRUEUP_BASE_ID_H

#include "base/arena.h"
#include "base/slice.h"
#include "base/world.h"

enum { ID_BYTES = 16, ID_HEX = 2 * ID_BYTES };

/* An id that nothing else has: ID_BYTES random bytes as ID_HEX digits, in arena. Objects, intents and runs have one. */
struct slice id_new(struct world *world, struct arena *arena);

#endif
