#include "cli/simulated_place.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/http.h"

const char *simulated_place_open(const char *folder, struct slice endpoint, struct arena *arena)
{
	struct slice file = endpoint_file(endpoint);

	if (file.size == 0 || file.data[0] == '/' || strcmp(folder, ".") == 0)
		return arena_string(arena, endpoint);
	return arena_text(arena, "sim:%s/%.*s", folder, SLICE_ARGUMENTS(file));
}

/* Of a file that need not be there yet, in a folder that is; else as it stands. */
static struct slice real_path(const char *path, struct arena *arena)
{
	char resolved[PATH_MAX];
	const char *last = strrchr(path, '/');

	if (realpath(path, resolved))
		return arena_copy(arena, slice_of(resolved));
	if (!last)
		return realpath(".", resolved) ? arena_format(arena, "%s/%s", resolved, path) : slice_of(path);
	if (!realpath(arena_text(arena, "%.*s/", (int)(last - path), path), resolved))
		return slice_of(path);
	return arena_format(arena, "%s%s", strcmp(resolved, "/") == 0 ? "" : resolved, last);
}

struct slice simulated_place_name(const char *folder, struct slice endpoint, struct arena *arena)
{
	char home[PATH_MAX];

	if (endpoint_file(endpoint).size == 0 || !realpath(folder, home))
		return endpoint;
	const char *opened = simulated_place_open(folder, endpoint, arena);
	struct slice path = real_path(endpoint_file(slice_of(opened)).data, arena);
	size_t size = strlen(home);

	if (slice_starts_with(path, slice_of(home)) && path.size > size + 1 && path.data[size] == '/')
		path = slice_from(path, size + 1);
	return arena_format(arena, "sim:%.*s", SLICE_ARGUMENTS(path));
}
