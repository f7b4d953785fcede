#include "reconcile/unfinished_moved.h"

#include "reconcile/diff_field.h"

/* A set before a deletion, as that left it, and now. */
struct sets {
	struct diff_index before, left, now;
};

static bool has(const struct diff_index *index, const struct map_entry *item)
{
	const struct value *found = map_get(&index->items, item->key);

	return found && diff_field(index->set->item, found, item->item) == LIKE;
}

/* Nothing is in it but what was there before or was left, and what both had. */
static bool is_between(const struct sets *sets)
{
	const struct map *left = &sets->left.items, *now = &sets->now.items;

	for (size_t i = 0; i < now->count; i++)
		if (!has(&sets->before, &now->entries[i]) && !has(&sets->left, &now->entries[i]))
			return false;
	for (size_t i = 0; i < left->count; i++)
		if (has(&sets->before, &left->entries[i]) && !has(&sets->now, &left->entries[i]))
			return false;
	return true;
}

static bool is_back_in_part(const struct field *field, const struct value *before, const struct value *left,
			    const struct value *live, struct arena *arena)
{
	struct sets sets;

	if (field->type != FIELD_SET)
		return false;
	diff_index_init(&sets.before, field, before, arena);
	diff_index_init(&sets.left, field, left, arena);
	diff_index_init(&sets.now, field, live, arena);
	bool is_so = is_between(&sets);
	diff_index_release(&sets.before);
	diff_index_release(&sets.left);
	diff_index_release(&sets.now);
	return is_so;
}

bool unfinished_is_moved(const struct field *field, const struct value *before, const struct value *left,
			 const struct value *live, struct arena *arena)
{
	const struct value *then = value_get_named(left, field->name);

	if (diff_field(field, before, live) == LIKE)
		return false;
	return !left || diff_field(field, then, live) != UNLIKE || is_back_in_part(field, before, then, live, arena);
}
