#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

enum step_action { ADD, SET, GET };

static void test_steps(void **state)
{
	static char first[] = "first", second[] = "second";
	static const struct {
		const char *name;
		enum step_action action;
		const char *key;
		size_t size;
		char *item;
		char *result;
		size_t count;
	} rows[] = {
		{"get from nothing", GET, "a", 1, NULL, NULL, 0},
		{"add a new key", ADD, "a", 1, first, NULL, 1},
		{"get it", GET, "a", 1, NULL, first, 1},
		{"add it again", ADD, "a", 1, second, first, 1},
		{"it is as it was", GET, "a", 1, NULL, first, 1},
		{"set it", SET, "a", 1, second, NULL, 1},
		{"it is replaced", GET, "a", 1, NULL, second, 1},
		{"set a new key", SET, "b", 1, first, NULL, 2},
		{"get that", GET, "b", 1, NULL, first, 2},
		{"the empty key is not there", GET, "", 0, NULL, NULL, 2},
		{"add the empty key", ADD, "", 0, first, NULL, 3},
		{"get the empty key", GET, NULL, 0, NULL, first, 3},
		{"a NUL makes another key", GET, "a\0", 2, NULL, NULL, 3},
		{"add that", ADD, "a\0", 2, first, NULL, 4},
		{"and it is another", GET, "a", 1, NULL, second, 4},
		{"eight bytes", ADD, "12345678", 8, first, NULL, 5},
		{"nine bytes", ADD, "12345678\0", 9, second, NULL, 6},
		{"eight bytes again", GET, "12345678", 8, NULL, first, 6},
	};
	struct map map;

	(void)state;
	map_init(&map);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct slice key = {rows[i].key, rows[i].size};
		void *result = NULL;

		switch (rows[i].action) {
		case ADD:
			result = map_add(&map, key, rows[i].item);
			break;
		case SET:
			map_set(&map, key, rows[i].item);
			break;
		case GET:
			result = map_get(&map, key);
			break;
		}
		if (result != rows[i].result || map.count != rows[i].count)
			fail_msg("%s", rows[i].name);
	}
	map_release(&map);
	assert_null(map_get(&map, SLICE("a")));
	assert_null(map_add(&map, SLICE("a"), first));
	assert_ptr_equal(map_get(&map, SLICE("a")), first);
	map_release(&map);
}

static void test_marks(void **state)
{
	struct arena arena;
	struct map *map;

	(void)state;
	arena_init(&arena);
	map = map_new(&arena);
	assert_false(map_has(map, SLICE("a")));
	assert_true(map_mark(map, SLICE("a")));
	assert_false(map_mark(map, SLICE("a")));
	assert_true(map_has(map, SLICE("a")));
	assert_false(map_has(map, SLICE("b")));
	assert_int_equal(map->count, 1);
	arena_release(&arena);
}

/* A number that is not there is SIZE_MAX; 0 is one like any other. */
static void test_numbers(void **state)
{
	struct map map;

	(void)state;
	map_init(&map);
	assert_int_equal(map_number(&map, SLICE("a")), SIZE_MAX);
	assert_int_equal(map_add_number(&map, SLICE("a"), 0), SIZE_MAX);
	assert_int_equal(map_number(&map, SLICE("a")), 0);
	assert_int_equal(map_add_number(&map, SLICE("a"), 7), 0);
	assert_int_equal(map_number(&map, SLICE("a")), 0);
	map_set_number(&map, SLICE("a"), 7);
	assert_int_equal(map_number(&map, SLICE("a")), 7);
	map_set_number(&map, SLICE("b"), SIZE_MAX - 2);
	assert_int_equal(map_number(&map, SLICE("b")), SIZE_MAX - 2);
	assert_int_equal(map_number(&map, SLICE("c")), SIZE_MAX);
	assert_int_equal(map.count, 2);
	map_release(&map);
}

/* Many keys: each is found, what is not there is not, and the walk is in order of insertion. */
static void test_many(void **state)
{
	enum { KEYS = 50000, KEY_SIZE = 32 };
	static char keys[KEYS][KEY_SIZE];
	static const struct {
		const char *name;
		size_t reserved;
		bool in_arena;
	} rows[] = {
		{"growing", 0, false},
		{"reserved", KEYS, false},
		{"half reserved", KEYS / 2, false},
		{"growing in an arena", 0, true},
		{"reserved in an arena", KEYS, true},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (int i = 0; i < KEYS; i++)
		snprintf(keys[i], KEY_SIZE, "%s%d", i % 3 == 0 ? "a-rather-long-" : "k", i);
	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		struct map map;
		const struct map_entry *entries;

		if (rows[row].in_arena)
			map_init_in(&map, &arena);
		else
			map_init(&map);
		map_reserve(&map, rows[row].reserved);
		entries = map.entries;
		for (int i = 0; i < KEYS; i++)
			assert_null(map_add(&map, slice_of(keys[i]), keys[i]));
		if (rows[row].reserved == KEYS && map.entries != entries)
			fail_msg("%s: grew although reserved", rows[row].name);
		if (map.slot_count < 2 * map.count)
			fail_msg("%s: more than half full", rows[row].name);
		if (map.count != KEYS)
			fail_msg("%s: %zu entries", rows[row].name, map.count);
		for (int i = 0; i < KEYS; i++) {
			char absent[KEY_SIZE];

			if (map_get(&map, slice_of(keys[i])) != keys[i])
				fail_msg("%s: '%s' is lost", rows[row].name, keys[i]);
			if (map.entries[i].item != keys[i] || !slice_is(map.entries[i].key, keys[i]))
				fail_msg("%s: entry %d is out of order", rows[row].name, i);
			snprintf(absent, sizeof(absent), "x%d", i);
			if (map_get(&map, slice_of(absent)))
				fail_msg("%s: '%s' was never added", rows[row].name, absent);
		}
		map_release(&map);
	}
	arena_release(&arena);
}

/* The seed decides: what collides in one map does not in another. */
static void test_seed(void **state)
{
	struct map maps[2];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		map_init(&maps[i]);
		assert_null(map_add(&maps[i], SLICE("key"), maps));
	}
	assert_true(maps[0].seed != maps[1].seed);
	assert_true(maps[0].entries[0].hash != maps[1].entries[0].hash);
	for (size_t i = 0; i < 2; i++)
		map_release(&maps[i]);
}

/* Expected: a program apart, which gives the published vectors of SipHash-2-4 when told to do more rounds. */
static void test_hash(void **state)
{
	static const struct {
		const char *name, *key;
		size_t size;
		uint64_t hash;
	} rows[] = {
		{"nothing", NULL, 0, UINT64_C(0xbee75de47bd091ec)},
		{"a byte", "a", 1, UINT64_C(0xa7208ae7c7382dae)},
		{"a byte and a NUL", "a\0", 2, UINT64_C(0x019de2dbf2b074c3)},
		{"just under a word", "1234567", 7, UINT64_C(0x74553e31ccac54c3)},
		{"a word", "12345678", 8, UINT64_C(0x964de0e977a4bd31)},
		{"two words", "aws.vpc.train-01", 16, UINT64_C(0xdb20f586884e4c69)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct map map;

		map_init(&map);
		map.seed = 1;
		assert_null(map_add(&map, (struct slice){rows[i].key, rows[i].size}, &map));
		if (map.entries[0].hash != rows[i].hash)
			fail_msg("%s: %llx", rows[i].name, (unsigned long long)map.entries[0].hash);
		map_release(&map);
	}
}

/* Each bit of the key reaches the low bits of the hash, which choose the slot. */
static void test_spread(void **state)
{
	enum { KEYS = 4096, SLOTS = 256 };
	static const struct {
		const char *name;
		size_t size, varied;
	} rows[] = {{"in the first byte", 2, 0}, {"in the second word", 12, 9}, {"in the last byte", 16, 14}};

	(void)state;
	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		static char keys[KEYS][16];
		unsigned counts[SLOTS] = {0};
		struct map map;

		map_init(&map);
		memset(keys, 0, sizeof(keys));
		for (unsigned i = 0; i < KEYS; i++) {
			keys[i][rows[row].varied] = (char)(i & 0xff);
			keys[i][rows[row].varied + 1] = (char)(i >> 8);
			assert_null(map_add(&map, (struct slice){keys[i], rows[row].size}, keys[i]));
			counts[map.entries[i].hash % SLOTS]++;
		}
		/* 16 expected in each; by chance more than 48 or none in any happens less than once in 10,000 runs. */
		for (unsigned i = 0; i < SLOTS; i++) {
			if (counts[i] == 0 || counts[i] > 48)
				fail_msg("%s: %u of %d keys share a slot", rows[row].name, counts[i], KEYS);
		}
		map_release(&map);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),  cmocka_unit_test(test_marks), cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_many),   cmocka_unit_test(test_seed),  cmocka_unit_test(test_hash),
		cmocka_unit_test(test_spread),
	};

	return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
