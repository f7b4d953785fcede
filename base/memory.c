#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

void *memory_get(size_t size_bytes)
{
	void *bytes = calloc(1, size_bytes);

	if (!bytes)
		memory_exhausted(out_of_memory);
	return bytes;
}

void *memory_resize(void *old, size_t size_bytes)
{
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
