#include "cli/sim_tags.h"

void attribute_of_tag(struct value_builder *attributes, const struct value *thing, struct slice name,
		      struct slice value, size_t *added, struct arena *arena)
{
	const struct value *tags = value_get_named(thing, "tagSet");
	size_t count = value_is(tags, VALUE_LIST) ? tags->count : 0;
	size_t index = 0;

	while (index < count && !slice_equal(value_slice(value_get_named(&tags->items[index], "key")), name))
		index++;
	if (slice_is(value, "null")) {
		if (index < count)
			value_builder_set(attributes, arena_format(arena, "tagSet.%zu", index), value_null());
		return;
	}
	if (index == count)
		index += (*added)++;
	value_builder_set(attributes, arena_format(arena, "tagSet.%zu.key", index), value_string(name));
	value_builder_set(attributes, arena_format(arena, "tagSet.%zu.value", index), value_string(value));
}
