#include "reconcile/unfinished_moved.h"

#include "reconcile/diff_field.h"

/* A set before a deletion, as that left it, and now. */
struct sets {
	const struct field *item;
	struct diff_index before, left, now;
};

static bool has(const struct sets *sets, const struct diff_index *index, const struct value *item)
{
	const struct value *found = diff_index_find(index, item);

	return found && diff_field(sets->item, found, item) == LIKE;
}

/* Nothing is in it but what was there before or was left, and what both had. */
static bool is_between(const struct sets *sets, const struct value *left, const struct value *now)
{
	for (uint32_t i = 0; i < now->count; i++)
		if (!has(sets, &sets->before, &now->items[i]) && !has(sets, &sets->left, &now->items[i]))
			return false;
	for (uint32_t i = 0; value_is(left, VALUE_LIST) && i < left->count; i++)
		if (has(sets, &sets->before, &left->items[i]) && !has(sets, &sets->now, &left->items[i]))
			return false;
	return true;
}

static bool is_back_in_part(const struct field *field, const struct value *before, const struct value *left,
			    const struct value *live, struct arena *arena)
{
	struct sets sets = {.item = field->item};

	if (field->type != FIELD_SET || !value_is(live, VALUE_LIST))
		return false;
	diff_index_init(&sets.before, field, before, arena);
	diff_index_init(&sets.left, field, left, arena);
	diff_index_init(&sets.now, field, live, arena);
	bool is_so = is_between(&sets, left, live);
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
