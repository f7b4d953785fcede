#include "reconcile/released.h"

#include <string.h>

bool released_is_unsaid(const struct value *desired, struct slice path, struct arena *arena)
{
	return !value_if_set(value_path(desired, arena_string(arena, path)));
}

struct paths {
	struct value *items;
	size_t count;
};

/* Each once. There are few. */
static void add(struct paths *paths, const struct value *desired, struct slice path, struct arena *arena)
{
	for (size_t i = 0; i < paths->count; i++)
		if (slice_equal(value_slice(&paths->items[i]), path))
			return;
	if (released_is_unsaid(desired, path, arena))
		paths->items[paths->count++] = value_string(path);
}

struct value released_after(const struct value *recorded, const struct change *changes, size_t count,
			    const struct value *desired, struct arena *arena)
{
	size_t kept = value_is(recorded, VALUE_LIST) ? recorded->count : 0;
	struct paths paths = {arena_new_array(arena, kept + count + 1, struct value), 0};

	for (size_t i = 0; i < kept; i++)
		add(&paths, desired, value_slice(&recorded->items[i]), arena);
	for (size_t i = 0; i < count; i++)
		if (changes[i].effect == EFFECT_RELEASE && !memchr(changes[i].path.data, '[', changes[i].path.size))
			add(&paths, desired, changes[i].path, arena);
	return paths.count > 0 ? value_list(paths.items, paths.count) : value_null();
}
