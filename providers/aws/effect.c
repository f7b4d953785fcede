#include "providers/aws/work.h"

#include <string.h>

#include "providers/aws/parameters.h"
#include "reconcile/diff_field.h"
#include "reconcile/made.h"

/*
 * What a change brings and takes away, told with its call: by that a look tells whether it came, whatever else has
 * become of the object. Nothing of it is taken from what was read, where a secret may stand unmarked, but the names of
 * keys, and what tells items apart.
 */

struct effect {
	struct value_builder comes, goes;
	struct arena *arena;
};

static void tell_keys(struct effect *effect, const struct field *field, const struct value *now,
		      const struct value *after)
{
	VALUE_BUILDER_AUTO comes;
	VALUE_BUILDER_AUTO goes;
	value_builder_init(&comes);
	value_builder_init(&goes);
	for (uint32_t i = 0; value_is(after, VALUE_MAP) && i < after->count; i++) {
		const struct value *there = now ? value_get(now, value_slice(&after->members[i].key)) : NULL;
		if (!there || !value_equal(there, &after->members[i].value))
			value_builder_member(&comes, value_slice(&after->members[i].key), after->members[i].value);
	}
	for (uint32_t i = 0; value_is(now, VALUE_MAP) && i < now->count; i++)
		if (!value_get(after, value_slice(&now->members[i].key)))
			value_builder_member(&goes, value_slice(&now->members[i].key), value_bool(true));
	if (comes.count > 0)
		value_builder_member(&effect->comes, slice_of(field->name), value_builder_map(&comes, effect->arena));
	if (goes.count > 0)
		value_builder_member(&effect->goes, slice_of(field->name), value_builder_map(&goes, effect->arena));
}

/* What tells the item of a set from the others. */
static struct value key_of(const struct field *item, const struct value *value, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	if (item->type != FIELD_OBJECT)
		return *value;
	for (size_t i = 0; i < item->members.count; i++) {
		const struct field *member = field_at(&item->members, i);
		const struct value *told = value_get_named(value, member->name);
		if ((member->flags & KEY) && told)
			value_builder_member(&builder, slice_of(member->name), *told);
	}
	return value_builder_map(&builder, arena);
}

static void tell_items(struct effect *effect, const struct field *field, const struct value *now,
		       const struct value *after)
{
	struct diff_index before, then;
	VALUE_BUILDER_AUTO comes;
	VALUE_BUILDER_AUTO goes;
	value_builder_init(&comes);
	value_builder_init(&goes);
	diff_index_init(&before, field, now, effect->arena);
	diff_index_init(&then, field, after, effect->arena);
	for (uint32_t i = 0; value_is(after, VALUE_LIST) && i < after->count; i++) {
		const struct value *there = diff_index_find(&before, &after->items[i]);
		if (!there || !value_equal(there, &after->items[i]))
			value_builder_item(&comes, after->items[i]);
	}
	for (uint32_t i = 0; value_is(now, VALUE_LIST) && i < now->count; i++)
		if (!diff_index_find(&then, &now->items[i]))
			value_builder_item(&goes, key_of(field->item, &now->items[i], effect->arena));
	diff_index_release(&before);
	diff_index_release(&then);
	if (comes.count > 0)
		value_builder_member(&effect->comes, slice_of(field->name), value_builder_list(&comes, effect->arena));
	if (goes.count > 0)
		value_builder_member(&effect->goes, slice_of(field->name), value_builder_list(&goes, effect->arena));
}

/* False where it cannot be told: what is put together of what was read, or is read in part alone. */
static bool tell_field(struct effect *effect, const struct work *work, const struct aws_change *change, size_t index)
{
	const struct aws_field *own = change->fields[index];
	const struct field *field = &own->field;
	const struct value *after = change->has_after ? &change->after : aws_wanted(work, own);
	const struct value *now = aws_now(work, own);
	if (own->each || made_has_seen(field) || (now && value_has_unread(now)))
		return false;
	if (field->type == FIELD_MAP)
		tell_keys(effect, field, now, value_if_set(after));
	else if (field->type == FIELD_SET)
		tell_items(effect, field, now, value_if_set(after));
	else
		value_builder_member(&effect->comes, slice_of(field->name), after ? *after : value_null());
	return true;
}

/* What the kind's table has the call set whatever is wanted: the sizes of a group that is emptied before it goes. */
static void tell_fixed(struct effect *effect, const struct work *work, const struct aws_change *change)
{
	const struct value sent = aws_parameters_value(&change->parameters, effect->arena);
	const struct fields *fields = &work->kind->fields;
	for (const char *const *fixed = change->call->fixed; fixed && fixed[0]; fixed += 2)
		for (size_t i = 0; i < fields->count; i++) {
			const struct aws_field *own = aws_field_at(fields, i);
			if (own->member && strcmp(own->member, fixed[0]) == 0)
				value_builder_member(&effect->comes, slice_of(own->field.name),
						     aws_decode(own, &sent, effect->arena));
		}
}

static const struct value *told(struct value_builder *builder, struct arena *arena)
{
	struct value *map = arena_new(arena, struct value);
	*map = value_builder_map(builder, arena);
	return map;
}

void aws_tell_effect(struct work *work, const struct aws_change *change)
{
	struct effect effect = {.arena = &work->task.scratch};
	bool all = true;
	value_builder_init(&effect.comes);
	value_builder_init(&effect.goes);
	if (change->field_count == 0)
		tell_fixed(&effect, work, change);
	for (size_t i = 0; all && i < change->field_count; i++)
		all = tell_field(&effect, work, change, i);
	if (all && effect.comes.count + effect.goes.count > 0) {
		work->task.call.comes = told(&effect.comes, effect.arena);
		work->task.call.goes = told(&effect.goes, effect.arena);
	}
	value_builder_release(&effect.comes);
	value_builder_release(&effect.goes);
}
