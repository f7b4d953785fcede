#ifndef TRUEUP_BASE_MAP_H
#define TRUEUP_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
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
	/* Owned. 0: empty; else index + 1 into entries, and in the bits that leaves a part of the hash, so
	 * that what lies in the way of another key is seldom looked at. */
	uint32_t *slots;
	size_t count;
	size_t capacity;
	size_t slot_count;
	uint64_t seed;
	struct arena *arena; /* that entries and slots lie in; NULL: on the heap */
};

void map_init(struct map *map);
/* One that lives in an arena and is not released; map_reserve() spares the copies of growing. */
void map_init_in(struct map *map, struct arena *arena);
/* Such a one, in that arena itself. */
struct map *map_new(struct arena *arena);
void map_release(struct map *map);
/* Makes room for count entries at once. */
void map_reserve(struct map *map, size_t count);
/* The item, or NULL. */
void *map_get(const struct map *map, struct slice key);
/* Returns NULL and stores item where the key is new; otherwise returns the item that is
 * there and changes nothing. item must not be NULL. The map writes to no item: whoever stores
 * one that is constant takes it out as such. */
void *map_add(struct map *map, struct slice key, const void *item);
/* Stores item under key, replacing what was there. */
void map_set(struct map *map, struct slice key, const void *item);

/* A map can be a set of keys. map_mark() adds one; false: it was there. */
bool map_mark(struct map *map, struct slice key);
bool map_has(const struct map *map, struct slice key);

/* A map can keep numbers instead, each below SIZE_MAX: that is what stands for none. */
size_t map_number(const struct map *map, struct slice key);
/* As map_add(): the number that is there. */
size_t map_add_number(struct map *map, struct slice key, size_t number);
void map_set_number(struct map *map, struct slice key, size_t number);

#endif
