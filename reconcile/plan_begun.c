#include "reconcile/diff_field.h"
#include "reconcile/plan_items.h"
#include "reconcile/unfinished.h"

/*
 * A run that was cut off has not seen what its last call brings, though the service has answered that: reads lag behind
 * it. Where the spec sets the field no more by now, what is read looks as if it had gone back already, and nobody would
 * ever take it away: what the call has brought shows later, as something of others. So it counts as there, and goes;
 * where it is not, that does nothing.
 */

/* Whether the field goes back to something where the spec does not set it, by a call that leaves all else alone. */
static bool goes_back(const struct item *item, const struct field *field)
{
	const struct value *owed = unfinished_owed(item->object);

	return !(field->flags & (IMMUTABLE | WRITE_ONLY | PAUSES)) &&
	       (field->when_unset == UNSET_CONSTANT || field->when_unset == UNSET_CLEAR) &&
	       !value_if_set(value_get_named(&item->wanted, field->name)) &&
	       !(owed && value_get_named(owed, field->name));
}

static bool is_plain(const struct value *value)
{
	return value_if_set(value) && !value_has_secret(value) && !value_has_deferred(value) &&
	       !value_has_unread(value);
}

/* Of a set: the items that are there, and those that come; NULL: all are there. */
static const struct value *items_with(struct planning *planning, const struct field *field, const struct value *comes,
				      const struct value *there)
{
	size_t count = value_is(there, VALUE_LIST) ? there->count : 0;
	struct diff_index shown;
	VALUE_BUILDER_AUTO all;

	value_builder_init(&all);
	diff_index_init(&shown, field, there, planning->arena);
	for (size_t i = 0; i < count; i++)
		value_builder_item(&all, there->items[i]);
	for (uint32_t i = 0; value_is(comes, VALUE_LIST) && i < comes->count; i++)
		if (!diff_index_find(&shown, &comes->items[i]))
			value_builder_item(&all, comes->items[i]);
	diff_index_release(&shown);
	if (all.count == count)
		return NULL;
	struct value *list = arena_new(planning->arena, struct value);
	*list = value_builder_list(&all, planning->arena);
	return list;
}

/* What the field counts as; NULL: as it was read. */
static const struct value *counts_as(struct planning *planning, const struct item *item, const struct field *field,
				     const struct value *comes)
{
	const struct value *there = value_get_named(&item->live->fields, field->name);

	if (!goes_back(item, field) || !is_plain(comes) || (there && value_is(there, VALUE_UNREAD)))
		return NULL;
	if (field->type == FIELD_SET)
		return items_with(planning, field, comes, value_if_set(there));
	return diff_field(field, comes, there) == UNLIKE ? comes : NULL;
}

void plan_count_begun(struct planning *planning, struct item *item)
{
	const struct value *comes = item->object ? unfinished_comes(item->object) : NULL;
	const struct fields *fields = &item->resource->kind->fields;
	VALUE_BUILDER_AUTO begun;
	struct live *live;

	value_builder_init(&begun);
	if (!comes || !item->live || item->live->presence != PRESENCE_PRESENT)
		return;
	for (uint32_t i = 0; i < comes->count; i++) {
		const struct slice name = value_slice(&comes->members[i].key);
		const struct field *field = field_named(fields, name);
		const struct value *as = field ? counts_as(planning, item, field, &comes->members[i].value) : NULL;

		if (as)
			value_builder_member(&begun, name, *as);
	}
	if (begun.count == 0)
		return;
	const struct value all = value_builder_map(&begun, planning->arena);
	live = arena_new(planning->arena, struct live);
	*live = *item->live;
	live->fields = value_overlaid(&live->fields, &all, planning->arena);
	item->live = live;
}
