#ifndef TRUEUP_BASE_MEMORY_H
#define TRUEUP_BASE_MEMORY_H

#include <stddef.h>

/*
 * The one door to the C heap. Running out of memory ends the process with one line on
 * standard error and status 1: an intent is on disk before every mutating call, so
 * nothing is lost by it, and no caller needs a second code path.
 */

/*
 * Ends the process in that way. Also for libraries that could not get memory of their own, and for what
 * cannot fail but for want of it. problem: one sentence for the user.
 */
__attribute__((noreturn, cold)) void memory_exhausted(const char *problem);

/* size_bytes > 0. Returns zeroed memory, never NULL; the caller frees it with free(). */
__attribute__((malloc, returns_nonnull, warn_unused_result)) void *memory_get(size_t size_bytes);

/* The same, not zeroed: for libraries, which clear what they want cleared. */
__attribute__((malloc, returns_nonnull, warn_unused_result)) void *memory_raw(size_t size_bytes);

/* Like realloc(), never NULL; size_bytes > 0. New bytes are not zeroed. */
__attribute__((returns_nonnull, warn_unused_result)) void *memory_resize(void *old, size_t size_bytes);

/* For memory_room() alone. */
__attribute__((returns_nonnull, warn_unused_result)) void *memory_grow(void *items, size_t *capacity,
								       size_t item_bytes);

/*
 * An array on the heap with room for one more behind its first count items: items itself, or what it moved to (its room
 * doubled, so that adding n costs O(n)). capacity counts items, 0 at first; the caller frees the array with free().
 */
__attribute__((returns_nonnull, warn_unused_result)) static inline void *
memory_room(void *items, size_t count, size_t *capacity, size_t item_bytes)
{
	return count < *capacity ? items : memory_grow(items, capacity, item_bytes);
}

/* Wipes key material in a way that no compiler removes. */
void memory_wipe(void *bytes, size_t size_bytes);

#endif
