#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/memory.h"

/* So that running out of memory can be tested under AddressSanitizer, which else stops by itself. */
const char *__asan_default_options(void); // NOLINT(bugprone-reserved-identifier)
const char *__asan_default_options(void)  // NOLINT(bugprone-reserved-identifier)
{
	return "allocator_may_return_null=1";
}

static bool all_bytes(const char *bytes, size_t size, char byte)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] != byte)
			return false;
	}
	return true;
}

static void test_get(void **state)
{
	static const struct {
		const char *name;
		size_t size_bytes;
		unsigned times;
	} rows[] = {
		{"nothing", 0, 100},
		{"a byte", 1, 5000},
		{"odd", 17, 5000},
		{"a page", 4096, 100},
		{"just under a quarter of the first block", 16384, 20},
		{"over a quarter of the first block", 16385, 20},
		{"a whole first block", 65536, 5},
		{"larger than any block", 5 * 1024 * 1024, 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena arena;
		char *last = NULL;

		arena_init(&arena);
		for (unsigned k = 0; k < rows[i].times; k++) {
			char *bytes = (char *)arena_get(&arena, rows[i].size_bytes);

			if ((uintptr_t)bytes % _Alignof(max_align_t) != 0)
				fail_msg("%s: not aligned", rows[i].name);
			if (last && bytes == last)
				fail_msg("%s: handed out twice", rows[i].name);
			if (!all_bytes(bytes, rows[i].size_bytes, 0))
				fail_msg("%s: not zeroed", rows[i].name);
			memset(bytes, 0xaa, rows[i].size_bytes);
			last = (char *)arena_raw(&arena, rows[i].size_bytes);
			if (last == bytes || (uintptr_t)last % _Alignof(max_align_t) != 0)
				fail_msg("%s: raw memory is not aligned, or not its own", rows[i].name);
			memset(last, 0xaa, rows[i].size_bytes);
		}
		if (arena.used_bytes != (rows[i].size_bytes > 0 ? rows[i].size_bytes : 1) * rows[i].times * 2)
			fail_msg("%s: counted %zu bytes", rows[i].name, arena.used_bytes);
		arena_release(&arena);
		assert_null(arena.newest);
	}
}

/* Objects of many sizes at once keep what was written to them. */
static void test_no_overlap(void **state)
{
	enum { OBJECTS = 3000 };
	static struct slice objects[OBJECTS];
	struct arena arena;
	uint32_t random = 1;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < OBJECTS; i++) {
		size_t size;
		char *bytes;

		random = random * 1664525 + 1013904223;
		size = (random >> 8) % (i % 50 == 0 ? 40000 : 200);
		if (random >> 31) {
			bytes = (char *)arena_get(&arena, size);
			memset(bytes, (int)(i % 100), size);
			objects[i] = (struct slice){bytes, size};
		} else {
			char text[40000];

			memset(text, (int)(i % 100), size);
			objects[i] = arena_copy(&arena, (struct slice){text, size});
		}
	}
	for (size_t i = 0; i < OBJECTS; i++)
		assert_true(all_bytes(objects[i].data, objects[i].size, (char)(i % 100)));
	arena_release(&arena);
}

static void test_reset(void **state)
{
	struct arena arena;
	const struct arena_block *kept;

	(void)state;
	arena_init(&arena);
	arena_reset(&arena);
	for (int i = 0; i < 3000; i++)
		memset(arena_get(&arena, 100), 0xaa, 100);
	kept = arena.newest;
	arena_reset(&arena);
	assert_ptr_equal(arena.newest, kept);
	assert_int_equal(arena.used_bytes, 0);
	for (int i = 0; i < 3000; i++)
		assert_true(all_bytes((const char *)arena_get(&arena, 100), 100, 0));
	arena_release(&arena);
}

/* A large object gets a block of its own, and the small ones go on in theirs. */
static void test_large_apart(void **state)
{
	struct arena arena;
	const struct arena_block *newest;

	(void)state;
	arena_init(&arena);
	memset(arena_get(&arena, 1000000), 1, 1000000);
	newest = arena.newest;
	assert_non_null(newest);
	memset(arena_get(&arena, 10), 1, 10);
	memset(arena_get(&arena, 1000000), 1, 1000000);
	memset(arena_get(&arena, 10), 1, 10);
	assert_ptr_equal(arena.newest, newest);
	arena_release(&arena);
}

static void test_array(void **state)
{
	struct arena arena;
	uint64_t *numbers;

	(void)state;
	arena_init(&arena);
	numbers = arena_new_array(&arena, 1000, uint64_t);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(numbers[i], 0);
	assert_int_equal(arena.used_bytes, 8000);
	assert_non_null(arena_new_array(&arena, 0, uint64_t));
	arena_release(&arena);
}

static void test_copy(void **state)
{
	static const struct {
		const char *name;
		const char *data;
		size_t size;
	} rows[] = {
		{"nothing", NULL, 0},
		{"nothing, with a pointer", "x", 0},
		{"text", "text", 4},
		{"with a NUL in it", "a\0b", 3},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct slice from = {rows[i].data, rows[i].size};
		struct slice copy = arena_copy(&arena, from);
		const char *string = arena_string(&arena, from);

		if (!slice_equal(copy, from) || copy.data[copy.size] != '\0')
			fail_msg("%s: a wrong copy", rows[i].name);
		if (copy.size > 0 && copy.data == from.data)
			fail_msg("%s: no copy", rows[i].name);
		if (!slice_equal((struct slice){string, from.size}, from) || string[from.size] != '\0')
			fail_msg("%s: a wrong string", rows[i].name);
	}
	arena_release(&arena);
}

static void test_join(void **state)
{
	static const struct {
		const char *name;
		struct slice parts[3];
		size_t count;
		struct slice joined;
	} rows[] = {
		{"nothing", {{NULL, 0}}, 0, {"", 0}},
		{"nothing, of three", {{NULL, 0}, {"", 0}, {"x", 0}}, 3, {"", 0}},
		{"one", {{"ab", 2}}, 1, {"ab", 2}},
		{"three", {{"a", 1}, {"/", 1}, {"bc", 2}}, 3, {"a/bc", 4}},
		{"nothing between", {{"a", 1}, {NULL, 0}, {"b", 1}}, 3, {"ab", 2}},
		{"with a NUL in it", {{"a\0", 2}, {"b", 1}}, 2, {"a\0b", 3}},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct slice joined = arena_join(&arena, rows[i].parts, rows[i].count);

		if (!slice_equal(joined, rows[i].joined) || joined.data[joined.size] != '\0')
			fail_msg("%s: '%.*s'", rows[i].name, SLICE_ARGUMENTS(joined));
	}
	arena_release(&arena);
}

static void test_format(void **state)
{
	static const struct {
		const char *name;
		int width;
	} rows[] = {
		{"nothing", 0},	    {"short", 1},      {"just short", 511},
		{"just long", 512}, {"one more", 513}, {"long", 100000},
	};
	static char spaces[100001];
	struct arena arena;

	(void)state;
	memset(spaces, ' ', sizeof(spaces) - 1);
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct slice text = arena_format(&arena, "%*s", rows[i].width, "");

		if (!slice_equal(text, (struct slice){spaces, (size_t)rows[i].width}) || text.data[text.size] != '\0')
			fail_msg("%s: a wrong text of %zu bytes", rows[i].name, text.size);
	}
	assert_true(slice_is(arena_format(&arena, "%s-%d", "a", 7), "a-7"));
	assert_string_equal(arena_text(&arena, "%s-%d", "a", 7), "a-7");
	arena_release(&arena);
}

static void ask_too_much(void)
{
	void *volatile bytes = memory_get(PTRDIFF_MAX);

	(void)bytes;
}

static void resize_too_much(void)
{
	void *volatile bytes = memory_resize(NULL, PTRDIFF_MAX);

	(void)bytes;
}

static void ask_array_that_overflows(void)
{
	struct arena arena;
	void *volatile bytes;

	arena_init(&arena);
	bytes = arena_array(&arena, SIZE_MAX / 2 + 2, 2);
	(void)bytes;
}

static void ask_absurd_size(void)
{
	struct arena arena;
	void *volatile bytes;

	arena_init(&arena);
	bytes = arena_get(&arena, SIZE_MAX - 8);
	(void)bytes;
}

static void copy_absurd_size(void)
{
	struct arena arena;
	struct slice volatile copy;

	arena_init(&arena);
	copy = arena_copy(&arena, (struct slice){"", PTRDIFF_MAX});
	(void)copy;
}

static void test_out_of_memory(void **state)
{
	static const struct {
		const char *name;
		void (*act)(void);
	} rows[] = {
		{"memory_get", ask_too_much},
		{"memory_resize", resize_too_much},
		{"an array whose size overflows", ask_array_that_overflows},
		{"an absurd size", ask_absurd_size},
		{"a copy of an absurd size", copy_absurd_size},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int ends[2], status;
		char said[4096];
		size_t size = 0;
		ssize_t got;
		pid_t child;

		assert_int_equal(pipe(ends), 0);
		fflush(NULL);
		child = fork();
		assert_true(child >= 0);
		if (child == 0) {
			dup2(ends[1], STDERR_FILENO);
			rows[i].act();
			_exit(0);
		}
		close(ends[1]);
		while (size < sizeof(said) && (got = read(ends[0], said + size, sizeof(said) - size)) > 0)
			size += (size_t)got;
		close(ends[0]);
		assert_int_equal(waitpid(child, &status, 0), child);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 1)
			fail_msg("%s: ended with status %d", rows[i].name, status);
		if (!slice_ends_with((struct slice){said, size}, SLICE("trueup: out of memory\n")))
			fail_msg("%s: said '%.*s'", rows[i].name, (int)size, said);
	}
}

static void test_wipe(void **state)
{
	char key[] = "secret";

	(void)state;
	memory_wipe(key, sizeof(key));
	assert_true(all_bytes(key, sizeof(key), 0));
	memory_wipe(NULL, 0);
}

/* An array that grows keeps what it holds, and moves only when it is full. */
static void test_room(void **state)
{
	enum { ITEMS = 1000, MOVES_MOST = 8 };
	struct arena arena;
	unsigned *numbers = NULL, *others = NULL;
	size_t capacity = 0, other_capacity = 0, moves = 0;

	(void)state;
	arena_init(&arena);
	for (unsigned i = 0; i < ITEMS; i++) {
		const unsigned *before = numbers;

		numbers = arena_room(&arena, numbers, i, &capacity, sizeof(*numbers));
		others = memory_room(others, i, &other_capacity, sizeof(*others));
		if (capacity <= i || !numbers || other_capacity <= i || !others)
			abort();
		moves += numbers != before;
		numbers[i] = i;
		others[i] = i;
	}
	for (unsigned i = 0; i < ITEMS; i++) {
		assert_int_equal(numbers[i], i);
		assert_int_equal(others[i], i);
	}
	assert_true(moves <= MOVES_MOST);
	free(others);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_get),	      cmocka_unit_test(test_no_overlap),
		cmocka_unit_test(test_reset),	      cmocka_unit_test(test_large_apart),
		cmocka_unit_test(test_array),	      cmocka_unit_test(test_copy),
		cmocka_unit_test(test_join),	      cmocka_unit_test(test_format),
		cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_wipe),
		cmocka_unit_test(test_room),
	};

	return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
