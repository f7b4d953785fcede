#include "base/map.h"

#include <endian.h>
#include <stdlib.h>

#include "base/memory.h"

enum { MAP_FIRST_ENTRIES = 8 };

/* The finaliser of SplitMix64: every bit of the address reaches every bit of the seed. */
static uint64_t mixed(uint64_t word)
{
	word += UINT64_C(0x9e3779b97f4a7c15);
	word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
	return word ^ (word >> 31);
}

void map_init(struct map *map)
{
	*map = (struct map){.seed = mixed((uint64_t)(uintptr_t)map)};
}

void map_init_in(struct map *map, struct arena *arena)
{
	map_init(map);
	map->arena = arena;
}

struct map *map_new(struct arena *arena)
{
	struct map *map = arena_new(arena, struct map);

	map_init_in(map, arena);
	return map;
}

void map_release(struct map *map)
{
	if (!map->arena) {
		free(map->entries);
		free(map->slots);
	}
	*map = (struct map){.seed = map->seed, .arena = map->arena};
}

static inline uint64_t rotated(uint64_t word, unsigned bits)
{
	return (word << bits) | (word >> (64 - bits));
}

struct sip {
	uint64_t v0, v1, v2, v3;
};

static inline void sip_round(struct sip *sip)
{
	sip->v0 += sip->v1;
	sip->v1 = rotated(sip->v1, 13) ^ sip->v0;
	sip->v0 = rotated(sip->v0, 32);
	sip->v2 += sip->v3;
	sip->v3 = rotated(sip->v3, 16) ^ sip->v2;
	sip->v0 += sip->v3;
	sip->v3 = rotated(sip->v3, 21) ^ sip->v0;
	sip->v2 += sip->v1;
	sip->v1 = rotated(sip->v1, 17) ^ sip->v2;
	sip->v2 = rotated(sip->v2, 32);
}

static inline void sip_word(struct sip *sip, uint64_t word)
{
	sip->v3 ^= word;
	sip_round(sip);
	sip->v0 ^= word;
}

/*
 * SipHash-1-3 (Aumasson, Bernstein: "SipHash: a fast short-input PRF"), keyed by two words
 * made from the seed.
 */
static uint64_t hash_of(uint64_t seed, struct slice key)
{
	uint64_t second = mixed(seed);
	struct sip sip = {
		seed ^ UINT64_C(0x736f6d6570736575),
		second ^ UINT64_C(0x646f72616e646f6d),
		seed ^ UINT64_C(0x6c7967656e657261),
		second ^ UINT64_C(0x7465646279746573),
	};
	uint64_t last = 0;
	size_t i = 0;

	for (; key.size - i >= 8; i += 8) {
		uint64_t word;

		memcpy(&word, key.data + i, sizeof(word));
		sip_word(&sip, le64toh(word));
	}
	if (i < key.size)
		memcpy(&last, key.data + i, key.size - i);
	sip_word(&sip, le64toh(last) | (uint64_t)key.size << 56);
	sip.v2 ^= 0xff;
	for (int round = 0; round < 3; round++)
		sip_round(&sip);
	return sip.v0 ^ sip.v1 ^ sip.v2 ^ sip.v3;
}

/* What a slot says of the entry at index. At most half of the slots are taken: index + 1 needs no bit of the mask's
 * complement. */
static inline uint32_t slot_word(const struct map *map, size_t index, uint64_t hash)
{
	uint32_t mask = (uint32_t)(map->slot_count - 1);

	return ((uint32_t)(hash >> 32) & ~mask) | (uint32_t)(index + 1);
}

static void slots_rebuild(struct map *map, size_t slot_count)
{
	size_t size_bytes = slot_count * sizeof(*map->slots);

	if (!map->arena)
		free(map->slots);
	map->slots = (uint32_t *)(map->arena ? arena_get(map->arena, size_bytes) : memory_get(size_bytes));
	map->slot_count = slot_count;
	for (size_t i = 0; i < map->count; i++) {
		size_t slot = (size_t)map->entries[i].hash & (slot_count - 1);

		while (map->slots[slot] != 0)
			slot = (slot + 1) & (slot_count - 1);
		map->slots[slot] = slot_word(map, i, map->entries[i].hash);
	}
}

static void entries_grow(struct map *map, size_t count)
{
	size_t size_bytes = count * sizeof(*map->entries);
	struct map_entry *entries;

	if (map->arena) {
		entries = (struct map_entry *)arena_get(map->arena, size_bytes);
		if (map->count > 0)
			memcpy(entries, map->entries, map->count * sizeof(*entries));
	} else {
		entries = (struct map_entry *)memory_resize(map->entries, size_bytes);
	}
	map->entries = entries;
	map->capacity = count;
}

void map_reserve(struct map *map, size_t count)
{
	size_t slot_count = map->slot_count > 0 ? map->slot_count : 2 * (size_t)MAP_FIRST_ENTRIES;

	/* A slot names an entry in 32 bits. */
	if (count >= UINT32_MAX / 2)
		count = PTRDIFF_MAX / sizeof(*map->entries);
	if (count > map->capacity)
		entries_grow(map, count);
	/* At most half full, so that a search ends after one or two steps. */
	while (slot_count < count * 2)
		slot_count *= 2;
	if (slot_count > map->slot_count)
		slots_rebuild(map, slot_count);
}

/* Of a slot that is taken. */
static inline struct map_entry *entry_at(const struct map *map, size_t slot)
{
	return &map->entries[(map->slots[slot] & (uint32_t)(map->slot_count - 1)) - 1];
}

/* The slot that holds key, or the empty one where it belongs. There are slots. */
static inline size_t slot_find(const struct map *map, struct slice key, uint64_t hash)
{
	size_t mask = map->slot_count - 1;
	size_t slot = (size_t)hash & mask;
	uint32_t tag = (uint32_t)(hash >> 32) & ~(uint32_t)mask;

	for (; map->slots[slot] != 0; slot = (slot + 1) & mask) {
		const struct map_entry *entry;

		if ((map->slots[slot] & ~(uint32_t)mask) != tag)
			continue;
		entry = entry_at(map, slot);
		if (entry->hash == hash && slice_equal(entry->key, key))
			break;
	}
	return slot;
}

/* The entry of key, or NULL after storing item under it. */
static struct map_entry *entry_add(struct map *map, struct slice key, const void *item)
{
	uint64_t hash = hash_of(map->seed, key);
	size_t slot;

	if (map->count == map->capacity)
		map_reserve(map, map->capacity > 0 ? map->capacity * 2 : MAP_FIRST_ENTRIES);
	slot = slot_find(map, key, hash);
	if (map->slots[slot] != 0)
		return entry_at(map, slot);
	map->entries[map->count] = (struct map_entry){.key = key, .item = (void *)(uintptr_t)item, .hash = hash};
	map->slots[slot] = slot_word(map, map->count++, hash);
	return NULL;
}

void *map_get(const struct map *map, struct slice key)
{
	size_t slot;

	if (map->count == 0)
		return NULL;
	slot = slot_find(map, key, hash_of(map->seed, key));
	return map->slots[slot] != 0 ? entry_at(map, slot)->item : NULL;
}

void *map_add(struct map *map, struct slice key, const void *item)
{
	struct map_entry *there = entry_add(map, key, item);

	return there ? there->item : NULL;
}

void map_set(struct map *map, struct slice key, const void *item)
{
	struct map_entry *there = entry_add(map, key, item);

	if (there)
		there->item = (void *)(uintptr_t)item;
}

bool map_mark(struct map *map, struct slice key)
{
	return !map_add(map, key, map);
}

bool map_has(const struct map *map, struct slice key)
{
	return map_get(map, key) != NULL;
}

/* NULL stands for no number. */
static void *number_item(size_t number)
{
	return (void *)(uintptr_t)(number + 1);
}

static size_t item_number(const void *item)
{
	return (size_t)(uintptr_t)item - 1;
}

size_t map_number(const struct map *map, struct slice key)
{
	return item_number(map_get(map, key));
}

size_t map_add_number(struct map *map, struct slice key, size_t number)
{
	return item_number(map_add(map, key, number_item(number)));
}

void map_set_number(struct map *map, struct slice key, size_t number)
{
	map_set(map, key, number_item(number));
}
