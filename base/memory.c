#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LARGE_PAGE_BYTES = 2 * 1024 * 1024 };

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
	uintptr_t start = ((uintptr_t)bytes + LARGE_PAGE_BYTES - 1) & ~(uintptr_t)(LARGE_PAGE_BYTES - 1);
	uintptr_t end = ((uintptr_t)bytes + size_bytes) & ~(uintptr_t)(LARGE_PAGE_BYTES - 1);

	if (start < end)
		(void)madvise((void *)start, end - start, MADV_HUGEPAGE);
}

void *memory_get(size_t size_bytes)
{
	void *bytes = calloc(1, size_bytes);

	if (!bytes)
		memory_exhausted(out_of_memory);
	if (size_bytes >= LARGE_PAGE_BYTES)
		prefer_large_pages(bytes, size_bytes);
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

void memory_wipe(void *bytes, size_t size_bytes)
{
	if (size_bytes > 0)
		explicit_bzero(bytes, size_bytes);
}
