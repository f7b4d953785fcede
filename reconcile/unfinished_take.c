#include "reconcile/unfinished_take.h"

#include "reconcile/diff_field.h"
#include "reconcile/schema.h"
#include "reconcile/unfinished.h"

bool unfinished_has_arrived(const struct unfinished_part *part)
{
	return diff_field(part->field, part->goal, part->live) == LIKE;
}

static bool all_are(const struct unfinished_part *part, enum value_type type)
{
	const struct value *all[] = {part->recorded, part->target, part->goal, part->live};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i] && !value_is(all[i], type))
			return false;
	return true;
}

static struct value or_null(const struct value *value)
{
	return value ? *value : value_null();
}

bool unfinished_is_between(const struct unfinished_part *part)
{
	bool is_one = part->field->type != FIELD_LIST && part->field->type != FIELD_SET;

	return part->in_steps && is_one && !unfinished_is_off(part->former) && unfinished_is_off(part->live);
}

static struct value take_whole(const struct unfinished_part *part)
{
	return or_null(unfinished_has_arrived(part)  ? part->target
		       : unfinished_is_between(part) ? part->live
						     : part->recorded);
}

/* A member of a map or of an object; what is nested deeper counts as a whole. */
static void take_member(struct value_builder *builder, const struct unfinished_part *part, struct slice name)
{
	const struct field *field =
		part->field->type == FIELD_MAP ? part->field->item : field_named(&part->field->members, name);
	const struct unfinished_part member = {
		.field = field,
		.recorded = value_get_given(part->recorded, name),
		.target = value_get_given(part->target, name),
		.goal = value_get_given(part->goal, name),
		.live = value_get_given(part->live, name),
	};

	if (!field)
		return;
	struct value value = take_whole(&member);
	if (!value_is(&value, VALUE_NULL))
		value_builder_member(builder, name, value);
}

static struct value take_members(const struct unfinished_part *part, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; part->recorded && i < part->recorded->count; i++)
		take_member(&builder, part, value_slice(&part->recorded->members[i].key));
	for (uint32_t i = 0; part->target && i < part->target->count; i++)
		if (!part->recorded || !value_get(part->recorded, value_slice(&part->target->members[i].key)))
			take_member(&builder, part, value_slice(&part->target->members[i].key));
	return builder.count > 0 ? value_builder_map(&builder, arena) : value_null();
}

struct item_index {
	struct diff_index former, goal, live;
};

static bool item_is_true(const struct unfinished_part *part, const struct item_index *index, const struct value *item)
{
	const struct value *goal = diff_index_find(&index->goal, item), *live = diff_index_find(&index->live, item);

	/* One that is told apart by what it refers to is found among none of those that are resolved. */
	return goal && live ? diff_field(part->field->item, goal, live) == LIKE
			    : goal == live && !value_has_deferred(item);
}

/* It makes room for another one of its key, or goes with what it refers to until that is made anew. */
static bool item_is_away(const struct unfinished_part *part, const struct item_index *index, const struct value *item)
{
	const struct value *goal = diff_index_find(&index->goal, item);
	const struct value *former = diff_index_find(&index->former, item);

	if (!goal || !former || diff_index_find(&index->live, item))
		return false;
	return value_has_deferred(goal) || (part->in_steps && diff_field(part->field->item, goal, former) == UNLIKE);
}

static struct value take_items(const struct unfinished_part *part, struct arena *arena)
{
	struct item_index index;
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	diff_index_init(&index.former, part->field, part->former, arena);
	diff_index_init(&index.goal, part->field, part->goal, arena);
	diff_index_init(&index.live, part->field, part->live, arena);
	for (uint32_t i = 0; part->recorded && i < part->recorded->count; i++)
		if (!item_is_true(part, &index, &part->recorded->items[i]) &&
		    !item_is_away(part, &index, &part->recorded->items[i]))
			value_builder_item(&builder, part->recorded->items[i]);
	for (uint32_t i = 0; part->target && i < part->target->count; i++)
		if (item_is_true(part, &index, &part->target->items[i]))
			value_builder_item(&builder, part->target->items[i]);
	diff_index_release(&index.former);
	diff_index_release(&index.goal);
	diff_index_release(&index.live);
	struct value list = value_builder_list(&builder, arena);
	return list.count > 0 ? schema_canonical(part->field, &list, arena) : value_null();
}

/* A list whose items change by a call each. */
static struct value take_each(const struct unfinished_part *part, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; i < part->live->count; i++) {
		const struct unfinished_part item = {
			.field = part->field->item,
			.recorded = &part->recorded->items[i],
			.target = &part->target->items[i],
			.goal = &part->goal->items[i],
			.live = &part->live->items[i],
		};

		value_builder_item(&builder, take_whole(&item));
	}
	return value_builder_list(&builder, arena);
}

/* Whether the lists have their items place by place. */
static bool all_are_as_long(const struct unfinished_part *part)
{
	const struct value *all[] = {part->recorded, part->target, part->goal, part->live};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!all[i] || all[i]->count != part->live->count)
			return false;
	return true;
}

struct value unfinished_take(const struct unfinished_part *part, struct arena *arena)
{
	enum field_type type = part->field->type;
	bool waiting = value_has_deferred(part->recorded) ||
		       (type != FIELD_SET && (value_has_deferred(part->target) || value_has_deferred(part->goal)));

	if (unfinished_has_arrived(part) || waiting)
		return take_whole(part);
	if ((type == FIELD_MAP || type == FIELD_OBJECT) && all_are(part, VALUE_MAP))
		return take_members(part, arena);
	if (type == FIELD_SET && all_are(part, VALUE_LIST))
		return take_items(part, arena);
	if (type == FIELD_LIST && part->in_steps && part->live && all_are(part, VALUE_LIST) && all_are_as_long(part))
		return take_each(part, arena);
	return take_whole(part);
}

bool unfinished_is_emptied(const struct unfinished_part *part, const struct value *observed, const struct value *taken)
{
	bool is_less = observed && observed->count > 0 && !value_equal(observed, taken);

	return part->field->type == FIELD_SET && part->field->when_unset == UNSET_RELEASE && part->goal &&
	       !unfinished_has_arrived(part) && (part->recorded || is_less);
}
