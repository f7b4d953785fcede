#include "specs/yaml_dropped.h"

#include <string.h>

enum { SHOWN_BYTES = 60 };

struct dropped_member {
	size_t depth;
	struct value_member member;
};

void yaml_dropped_report(struct diagnostics *diagnostics, const struct value *key, const struct value *earlier)
{
	diag_error(diagnostics, FAULT_USER, key->position, "'%.*s' is given twice",
		   SLICE_ARGUMENTS(slice_first(value_slice(key), SHOWN_BYTES)));
	diag_related(diagnostics, earlier->position, "it is given here as well");
	diag_hint(diagnostics, "remove one of them, or bring them into one");
}

void yaml_dropped_add(struct yaml_dropped *dropped, size_t depth, const struct value *key, const struct value *value)
{
	dropped->waiting = (struct dropped_member *)arena_room(dropped->arena, dropped->waiting, dropped->waiting_count,
							       &dropped->waiting_capacity, sizeof(*dropped->waiting));
	dropped->waiting[dropped->waiting_count++] = (struct dropped_member){depth, {*key, *value}};
}

static void keep(struct yaml_dropped *dropped, const struct value *value)
{
	dropped->values = (struct value *)arena_room(dropped->arena, dropped->values, dropped->count,
						     &dropped->capacity, sizeof(*dropped->values));
	dropped->values[dropped->count++] = *value;
}

/* Of the members that wait those of one map, which are the last ones. */
static size_t count_of(const struct yaml_dropped *dropped, size_t depth)
{
	size_t count = 0;

	while (count < dropped->waiting_count && dropped->waiting[dropped->waiting_count - count - 1].depth == depth)
		count++;
	return count;
}

void yaml_dropped_close(struct yaml_dropped *dropped, size_t depth, const struct value *map)
{
	size_t count = count_of(dropped, depth);
	struct value_member *members;

	if (count == 0)
		return;
	members = arena_new_array(dropped->arena, map->count + count, struct value_member);
	if (map->count > 0)
		memcpy(members, map->members, map->count * sizeof(*members));
	dropped->waiting_count -= count;
	for (size_t i = 0; i < count; i++)
		members[map->count + i] = dropped->waiting[dropped->waiting_count + i].member;
	struct value whole = value_map(members, map->count + count);
	keep(dropped, &whole);
}

void yaml_dropped_cut(struct yaml_dropped *dropped, size_t depth, const struct value *begun)
{
	keep(dropped, begun);
	if (begun->type == VALUE_MAP)
		yaml_dropped_close(dropped, depth, begun);
}
