#ifndef TRUEUP_BASE_ARENA_H
#define TRUEUP_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include "base/slice.h"

/*
 * Memory that is given back all at once. Specs, graph and plan live in one arena a
 * command; a task has a scratch arena that is reset when the task ends. Nothing in an
 * arena is freed alone.
 */

struct arena_block;

struct arena {
	struct arena_block *newest;
	size_t used_bytes; /* handed out since init or reset, without alignment waste */
};

void arena_init(struct arena *arena);
void arena_release(struct arena *arena);
/* Releases what held key material: all that was handed out is wiped first. */
void arena_wipe(struct arena *arena);
/* Forgets everything handed out but keeps the newest block for reuse. */
void arena_reset(struct arena *arena);

/* Zeroed, aligned for any type, never NULL; size 0 gives a valid unique pointer. */
__attribute__((returns_nonnull, warn_unused_result)) void *arena_get(struct arena *arena, size_t size_bytes);
/* The same, but what is in it is left from before: for who writes all of it. */
__attribute__((returns_nonnull, warn_unused_result)) void *arena_raw(struct arena *arena, size_t size_bytes);
/* An array; a product that overflows ends the process as running out of memory does. */
__attribute__((returns_nonnull, warn_unused_result)) void *arena_array(struct arena *arena, size_t count,
								       size_t size_bytes);
/* For arena_room() alone. */
__attribute__((returns_nonnull, warn_unused_result)) void *arena_grow(struct arena *arena, const void *items,
								      size_t *capacity, size_t item_bytes);

/* As memory_room() of base/memory.h; what the array grew out of stays in the arena. */
__attribute__((returns_nonnull, warn_unused_result)) static inline void *
arena_room(struct arena *arena, void *items, size_t count, size_t *capacity, size_t item_bytes)
{
	return count < *capacity ? items : arena_grow(arena, items, capacity, item_bytes);
}

/* Copies; the copy is followed by a NUL that does not count in its size. */
struct slice arena_copy(struct arena *arena, struct slice text);
/* One behind the other, as arena_copy() does it. */
struct slice arena_join(struct arena *arena, const struct slice *parts, size_t count);
const char *arena_string(struct arena *arena, struct slice text);
__attribute__((format(printf, 2, 3))) struct slice arena_format(struct arena *arena, const char *format, ...);
/* The same as a string. */
__attribute__((format(printf, 2, 3))) const char *arena_text(struct arena *arena, const char *format, ...);
struct slice arena_vformat(struct arena *arena, const char *format, va_list arguments);

#define arena_new(arena, type) ((type *)arena_get((arena), sizeof(type)))
#define arena_new_array(arena, count, type) ((type *)arena_array((arena), (count), sizeof(type)))

#endif
