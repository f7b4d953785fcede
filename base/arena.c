#include "base/arena.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

/*
 * Under AddressSanitizer what is not handed out may not be touched, and a gap keeps
 * neighbours apart; it tracks memory in units of 8 bytes.
 */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
enum { TEXT_ALIGNMENT = 8, GAP_BYTES = 8 };
#define arena_hide(bytes, size_bytes) ASAN_POISON_MEMORY_REGION((bytes), (size_bytes))
#define arena_show(bytes, size_bytes) ASAN_UNPOISON_MEMORY_REGION((bytes), (size_bytes))
#else
enum { TEXT_ALIGNMENT = 1, GAP_BYTES = 0 };
#define arena_hide(bytes, size_bytes) ((void)(bytes), (void)(size_bytes))
#define arena_show(bytes, size_bytes) ((void)(bytes), (void)(size_bytes))
#endif

enum {
	ROOM_FIRST = 8,		      /* items of an array that grows */
	BLOCK_FIRST_BYTES = 4 * 1024, /* every task has an arena, and most hold little */
	/* What of the last one is never touched costs nothing: its pages are not there. */
	BLOCK_LARGEST_BYTES = 16 * 1024 * 1024,
	/* From here on the system mostly has cleared it already, and what is not used of it is left alone. */
	BLOCK_CLEARED_BYTES = 1024 * 1024,
	/* Longer texts are formatted twice: once to learn their length. */
	FORMAT_SHORT_BYTES = 512,
};

struct arena_block {
	struct arena_block *older;
	size_t size_bytes;
	size_t used_bytes;
	bool is_clear; /* everything behind used_bytes is zero; else what is handed out is cleared where that matters */
	alignas(max_align_t) char bytes[];
};

void arena_init(struct arena *arena)
{
	*arena = (struct arena){0};
}

static void blocks_free(struct arena_block *block)
{
	while (block) {
		struct arena_block *older = block->older;

		free(block);
		block = older;
	}
}

void arena_release(struct arena *arena)
{
	blocks_free(arena->newest);
	*arena = (struct arena){0};
}

void arena_wipe(struct arena *arena)
{
	for (struct arena_block *block = arena->newest; block; block = block->older) {
		arena_show(block->bytes, block->used_bytes);
		memory_wipe(block->bytes, block->used_bytes);
	}
	arena_release(arena);
}

void arena_reset(struct arena *arena)
{
	struct arena_block *kept = arena->newest;

	arena->used_bytes = 0;
	if (!kept)
		return;
	blocks_free(kept->older);
	kept->older = NULL;
	arena_show(kept->bytes, kept->used_bytes);
	if (kept->is_clear)
		memset(kept->bytes, 0, kept->used_bytes);
	arena_hide(kept->bytes, kept->size_bytes);
	kept->used_bytes = 0;
}

static struct arena_block *block_new(size_t size_bytes)
{
	/* No heap has that much, so an absurd size ends in memory_get() as any other failure does. */
	size_t whole_bytes = size_bytes <= PTRDIFF_MAX - sizeof(struct arena_block)
				     ? sizeof(struct arena_block) + size_bytes
				     : PTRDIFF_MAX;
	bool is_clear = size_bytes >= BLOCK_CLEARED_BYTES;
	struct arena_block *block =
		(struct arena_block *)(is_clear ? memory_get(whole_bytes) : memory_raw(whole_bytes));

	*block = (struct arena_block){.size_bytes = size_bytes, .is_clear = is_clear};
	arena_hide(block->bytes, size_bytes);
	return block;
}

static size_t next_block_bytes(const struct arena_block *newest)
{
	if (!newest)
		return BLOCK_FIRST_BYTES;
	return newest->size_bytes < BLOCK_LARGEST_BYTES / 2 ? newest->size_bytes * 2 : BLOCK_LARGEST_BYTES;
}

/*
 * The newest block has no room. What would fill a good part of a new block gets one of its
 * own behind the newest, which so goes on serving small requests.
 */
__attribute__((noinline, returns_nonnull)) static char *arena_take_slowly(struct arena *arena, size_t size_bytes,
									  bool clear)
{
	size_t block_bytes = next_block_bytes(arena->newest);
	struct arena_block *block;

	if (!arena->newest || size_bytes <= block_bytes / 4) {
		block = block_new(block_bytes);
		block->older = arena->newest;
		arena->newest = block;
	}
	if (size_bytes > block_bytes / 4) {
		block = block_new(size_bytes);
		block->older = arena->newest->older;
		arena->newest->older = block;
	} else {
		block = arena->newest;
	}
	block->used_bytes = size_bytes;
	arena_show(block->bytes, size_bytes);
	if (clear && !block->is_clear)
		memset(block->bytes, 0, size_bytes);
	return block->bytes;
}

/* alignment is a power of two no larger than that of max_align_t; size_bytes > 0. clear: what is handed out is zero. */
__attribute__((returns_nonnull)) static inline char *arena_take(struct arena *arena, size_t size_bytes,
								size_t alignment, bool clear)
{
	struct arena_block *block = arena->newest;

	arena->used_bytes += size_bytes;
	if (block) {
		size_t start = (block->used_bytes + GAP_BYTES + alignment - 1) & ~(alignment - 1);

		if (start <= block->size_bytes && size_bytes <= block->size_bytes - start) {
			block->used_bytes = start + size_bytes;
			arena_show(block->bytes + start, size_bytes);
			if (clear && !block->is_clear)
				memset(block->bytes + start, 0, size_bytes);
			return block->bytes + start;
		}
	}
	return arena_take_slowly(arena, size_bytes, clear);
}

/* Room for a text, all of which its caller writes but the NUL behind it. */
__attribute__((returns_nonnull)) static inline char *arena_take_text(struct arena *arena, size_t size_bytes)
{
	char *text = arena_take(arena, size_bytes + 1, TEXT_ALIGNMENT, false);

	text[size_bytes] = '\0';
	return text;
}

void *arena_get(struct arena *arena, size_t size_bytes)
{
	return arena_take(arena, size_bytes > 0 ? size_bytes : 1, alignof(max_align_t), true);
}

void *arena_raw(struct arena *arena, size_t size_bytes)
{
	return arena_take(arena, size_bytes > 0 ? size_bytes : 1, alignof(max_align_t), false);
}

void *arena_array(struct arena *arena, size_t count, size_t size_bytes)
{
	size_t product;

	if (__builtin_mul_overflow(count, size_bytes, &product))
		product = PTRDIFF_MAX;
	return arena_get(arena, product);
}

void *arena_grow(struct arena *arena, const void *items, size_t *capacity, size_t item_bytes)
{
	size_t grown = *capacity > 0 ? *capacity * 2 : ROOM_FIRST;
	void *moved = arena_array(arena, grown, item_bytes);

	if (*capacity > 0)
		memcpy(moved, items, *capacity * item_bytes);
	*capacity = grown;
	return moved;
}

struct slice arena_copy(struct arena *arena, struct slice text)
{
	char *copy;

	if (text.size == 0)
		return (struct slice){"", 0};
	copy = arena_take_text(arena, text.size);
	memcpy(copy, text.data, text.size);
	return (struct slice){copy, text.size};
}

struct slice arena_join(struct arena *arena, const struct slice *parts, size_t count)
{
	size_t size = 0, at = 0;
	char *joined;

	for (size_t i = 0; i < count; i++)
		size += parts[i].size;
	if (size == 0)
		return (struct slice){"", 0};
	joined = arena_take_text(arena, size);
	for (size_t i = 0; i < count; i++) {
		if (parts[i].size > 0)
			memcpy(joined + at, parts[i].data, parts[i].size);
		at += parts[i].size;
	}
	return (struct slice){joined, size};
}

const char *arena_string(struct arena *arena, struct slice text)
{
	return arena_copy(arena, text).data;
}

struct slice arena_format(struct arena *arena, const char *format, ...)
{
	va_list arguments;
	struct slice text;

	va_start(arguments, format);
	text = arena_vformat(arena, format, arguments);
	va_end(arguments);
	return text;
}

const char *arena_text(struct arena *arena, const char *format, ...)
{
	va_list arguments;
	struct slice text;

	va_start(arguments, format);
	text = arena_vformat(arena, format, arguments);
	va_end(arguments);
	return text.data;
}

__attribute__((format(printf, 2, 0))) struct slice arena_vformat(struct arena *arena, const char *format,
								 va_list arguments)
{
	char brief[FORMAT_SHORT_BYTES];
	va_list again;
	int length;
	char *text;

	va_copy(again, arguments);
	length = vsnprintf(brief, sizeof(brief), format, arguments);
	if (length < (int)sizeof(brief)) {
		va_end(again);
		return arena_copy(arena, (struct slice){brief, length > 0 ? (size_t)length : 0});
	}
	text = arena_take_text(arena, (size_t)length);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return (struct slice){text, (size_t)length};
}
