#ifndef TRUEUP_BASE_MAP_H
#define TRUEUP_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

/*
 * From a key to a pointer; walks in the order of insertion, so that nothing a user sees
 * depends on a hash. The hash is seeded by the map's own address (which the loader
 * randomises), so that hostile keys cannot be chosen to collide.
 */
struct map_entry {
	struct slice key; /* borrowed: must outlive the map */
	void *item;
	uint64_t hash;
};

struct map {
	struct map_entry *entries; /* owned; in order of insertion */
	uint32_t *slots;	   /* owned; index + 1 into entries, 0 empty */
	size_t count;
	size_t capacity;
	size_t slot_count;
	uint64_t seed;
};

void map_init(struct map *map);
void map_release(struct map *map);
/* Makes room for count entries at once. */
void map_reserve(struct map *map, size_t count);
/* The item, or NULL. */
void *map_get(const struct map *map, struct slice key);
/* Returns NULL and stores item where the key is new; otherwise returns the item that is
 * there and changes nothing. item must not be NULL. */
void *map_add(struct map *map, struct slice key, void *item);
/* Stores item under key, replacing what was there. */
void map_set(struct map *map, struct slice key, void *item);

#endif
