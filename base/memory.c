#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noreturn, cold)) static void memory_exhausted(void)
{
	static const char line[] = "trueup: out of memory\n";
	ssize_t written = write(STDERR_FILENO, line, sizeof(line) - 1);

	/* Where standard error cannot take the line there is nobody to tell. */
	(void)written;
	_exit(1);
}

void *memory_get(size_t size_bytes)
{
	void *bytes = calloc(1, size_bytes);

	if (!bytes)
		memory_exhausted();
	return bytes;
}

void *memory_resize(void *old, size_t size_bytes)
{
	void *bytes = realloc(old, size_bytes);

	if (!bytes)
		memory_exhausted();
	return bytes;
}

void memory_wipe(void *bytes, size_t size_bytes)
{
	if (size_bytes > 0)
		explicit_bzero(bytes, size_bytes);
}
