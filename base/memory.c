#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	LARGE_PAGE_BYTES = 2 * 1024 * 1024,
	/* In front of a piece that is a mapping of its own (glibc). */
	MALLOC_KEPT_BYTES = 2 * sizeof(size_t),
	ROOM_FIRST = 8, /* items of an array that grows */
};

static const char out_of_memory[] = "out of memory";

void memory_exhausted(const char *problem)
{
	char line[256];
	int size = snprintf(line, sizeof(line), "trueup: %s\n", problem);
	ssize_t written = write(STDERR_FILENO, line, (size_t)size < sizeof(line) ? (size_t)size : sizeof(line) - 1);

	/* Where standard error cannot take the line there is nobody to tell. */
	(void)written;
	_exit(1);
}

/*
 * Asks for large pages where a block holds some whole ones: a spec of 100,000 resources fills
 * more than 100 MB, which are 40,000 faults in pages of 4 KB. The system is free to decline
 * (madvise(2)), and then nothing is lost but the call.
 */
static void prefer_large_pages(void *bytes, size_t size_bytes)
{
	/* A mapping of its own begins with what malloc() keeps, at a large page where the system is kind. */
	uintptr_t start =
		((uintptr_t)bytes - MALLOC_KEPT_BYTES + LARGE_PAGE_BYTES - 1) & ~(uintptr_t)(LARGE_PAGE_BYTES - 1);
	uintptr_t end = ((uintptr_t)bytes + size_bytes) & ~(uintptr_t)(LARGE_PAGE_BYTES - 1);

	if (start < end)
		(void)madvise((void *)start, end - start, MADV_HUGEPAGE);
}

/*
 * As much as fills whole large pages together with what malloc() keeps in front of a mapping. Linux puts a mapping
 * where a large page begins only if it is made of whole ones (since 6.7), and what is never touched costs nothing.
 */
static size_t whole_pages(size_t size_bytes)
{
	if (size_bytes > PTRDIFF_MAX - 2 * (size_t)LARGE_PAGE_BYTES)
		return size_bytes;
	return ((size_bytes + MALLOC_KEPT_BYTES + LARGE_PAGE_BYTES - 1) & ~(size_t)(LARGE_PAGE_BYTES - 1)) -
	       MALLOC_KEPT_BYTES;
}

void *memory_get(size_t size_bytes)
{
	bool large = size_bytes >= LARGE_PAGE_BYTES;
	void *bytes;

	if (large)
		size_bytes = whole_pages(size_bytes);
	bytes = calloc(1, size_bytes);
	if (!bytes)
		memory_exhausted(out_of_memory);
	if (large)
		prefer_large_pages(bytes, size_bytes);
	return bytes;
}

void *memory_raw(size_t size_bytes)
{
	void *bytes = malloc(size_bytes);

	if (!bytes)
		memory_exhausted(out_of_memory);
	return bytes;
}

void *memory_resize(void *old, size_t size_bytes)
{
	/* Not in large pages: a mapping that is advised of in part is several to the kernel, which mremap(2) does not
	 * take as one, and then each growth copies all of it and has it twice. */
	void *bytes = realloc(old, size_bytes);

	if (!bytes)
		memory_exhausted(out_of_memory);
	return bytes;
}

void *memory_grow(void *items, size_t *capacity, size_t item_bytes)
{
	size_t grown = *capacity > 0 ? *capacity : ROOM_FIRST / 2, size_bytes;

	if (__builtin_mul_overflow(grown, 2 * item_bytes, &size_bytes))
		memory_exhausted(out_of_memory);
	items = memory_resize(items, size_bytes);
	*capacity = grown * 2;
	return items;
}

void memory_wipe(void *bytes, size_t size_bytes)
{
	if (size_bytes > 0)
		explicit_bzero(bytes, size_bytes);
}
