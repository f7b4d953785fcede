#include "reconcile/unset.h"

#include <assert.h>

#include "base/json.h"
#include "reconcile/diff_field.h"
#include "reconcile/made.h"
#include "reconcile/schema.h"

static const struct value *typed(const struct value *value, enum value_type type)
{
	return value && value_is(value, type) ? value : NULL;
}

static const struct value *member_of(const struct value *map, const char *name)
{
	return value_if_set(value_get_named(map, name));
}

/* Whether there are members within, so that looking for them is worth it. */
static bool has_members(const struct field *field)
{
	for (; field; field = field->item)
		if (field->type == FIELD_OBJECT)
			return true;
	return false;
}

struct value unset_constant(const struct field *field, struct arena *arena)
{
	struct value constant = value_null();
	struct diagnostics bugs;

	diagnostics_init(&bugs, arena);
	bool read = json_read(arena, slice_of(field->unset_value), false, 4096, field->name, &constant, &bugs);
	assert(read);
	(void)read;
	diagnostics_release(&bugs);
	return constant;
}

/* The item of a LIST or MAP that stands in the same place as an item of another one. */
struct places {
	const struct field *field;
	const struct value *whole; /* NULL: none */
	struct diff_index index;   /* of a set */
};

static void places_init(struct places *places, const struct field *field, const struct value *whole,
			struct arena *arena)
{
	places->field = field;
	places->whole = typed(whole, field->type == FIELD_MAP ? VALUE_MAP : VALUE_LIST);
	if (field->type == FIELD_SET)
		diff_index_init(&places->index, field, places->whole, arena);
}

static void places_release(struct places *places)
{
	if (places->field->type == FIELD_SET)
		diff_index_release(&places->index);
}

static const struct value *place_of(const struct places *places, const struct value *others, uint32_t index)
{
	if (!places->whole)
		return NULL;
	if (places->field->type == FIELD_SET)
		return diff_index_find(&places->index, &others->items[index]);
	if (places->field->type == FIELD_MAP)
		return value_get(places->whole, value_slice(&others->members[index].key));
	return index < places->whole->count ? &places->whole->items[index] : NULL;
}

static const struct value *item_of(const struct value *whole, uint32_t index)
{
	return value_is(whole, VALUE_MAP) ? &whole->members[index].value : &whole->items[index];
}

static struct value complete_object(const struct field *field, const struct value *wanted, const struct value *applied,
				    struct arena *arena, bool *ret_dropped)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; i < wanted->count; i++) {
		struct slice name = value_slice(&wanted->members[i].key);
		const struct field *member = field_named(&field->members, name);
		const struct value *value = &wanted->members[i].value;

		value_builder_member(
			&builder, name,
			member ? unset_complete(member, value, value_get(applied, name), arena, ret_dropped) : *value);
	}
	for (size_t i = 0; i < field->members.count; i++) {
		const struct field *member = field_at(&field->members, i);

		if (!member_of(applied, member->name) || member_of(wanted, member->name))
			continue;
		*ret_dropped = true;
		if (member->when_unset == UNSET_CONSTANT)
			value_builder_set(&builder, slice_of(member->name), unset_constant(member, arena));
		else if (member->when_unset == UNSET_CLEAR)
			value_builder_set(&builder, slice_of(member->name), value_null());
	}
	return value_at(value_builder_map(&builder, arena), wanted->position);
}

static struct value complete_items(const struct field *field, const struct value *wanted, const struct value *applied,
				   struct arena *arena, bool *ret_dropped)
{
	struct places places;
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	places_init(&places, field, applied, arena);
	for (uint32_t i = 0; i < wanted->count; i++) {
		struct value item = unset_complete(field->item, item_of(wanted, i), place_of(&places, wanted, i), arena,
						   ret_dropped);

		if (value_is(wanted, VALUE_MAP))
			value_builder_member(&builder, value_slice(&wanted->members[i].key), item);
		else
			value_builder_item(&builder, item);
	}
	places_release(&places);
	struct value all =
		value_is(wanted, VALUE_MAP) ? value_builder_map(&builder, arena) : value_builder_list(&builder, arena);
	return value_at(all, wanted->position);
}

struct value unset_complete(const struct field *field, const struct value *wanted, const struct value *applied,
			    struct arena *arena, bool *ret_dropped)
{
	applied = value_if_set(applied);
	if (!applied || wanted->type != applied->type || !has_members(field) || value_equal(wanted, applied))
		return *wanted;
	if (field->type == FIELD_OBJECT && value_is(wanted, VALUE_MAP))
		return complete_object(field, wanted, applied, arena, ret_dropped);
	bool items = field->type == FIELD_LIST || field->type == FIELD_SET;
	if ((items && value_is(wanted, VALUE_LIST)) || (field->type == FIELD_MAP && value_is(wanted, VALUE_MAP)))
		return complete_items(field, wanted, applied, arena, ret_dropped);
	return *wanted;
}

struct value unset_goal(const struct field *field, const struct value *wanted, const struct value *applied,
			struct arena *arena)
{
	bool dropped;

	if (wanted)
		return unset_complete(field, wanted, applied, arena, &dropped);
	return field->when_unset == UNSET_CONSTANT ? unset_constant(field, arena) : value_null();
}

struct value unset_complete_fields(const struct fields *fields, const struct value *wanted, const struct value *applied,
				   struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	bool dropped = false;

	value_builder_init(&builder);
	for (uint32_t i = 0; i < wanted->count; i++) {
		struct slice name = value_slice(&wanted->members[i].key);
		const struct field *field = field_named(fields, name);
		const struct value *value = &wanted->members[i].value;

		value_builder_member(&builder, name,
				     field ? unset_complete(field, value, value_get(applied, name), arena, &dropped)
					   : *value);
	}
	return dropped ? value_builder_map(&builder, arena) : *wanted;
}

struct walking {
	struct arena *arena;
	void (*visit)(void *context, const struct unset_member *member);
	void *context;
};

static void walk(const struct walking *walking, const struct field *field, struct slice path,
		 const struct unset_sides *sides);

static void walk_object(const struct walking *walking, const struct field *field, struct slice path,
			const struct unset_sides *sides)
{
	const struct value *observed = typed(sides->observed, VALUE_MAP), *live = typed(sides->live, VALUE_MAP);

	for (size_t i = 0; i < field->members.count; i++) {
		const struct field *member = field_at(&field->members, i);
		struct unset_sides within = {
			.wanted = member_of(sides->wanted, member->name),
			.applied = member_of(typed(sides->applied, VALUE_MAP), member->name),
			.observed = member_of(observed, member->name),
			.live = member_of(live, member->name),
		};

		if (within.wanted ? !has_members(member) : !within.applied && !within.observed && !within.live)
			continue;
		struct slice name = arena_format(walking->arena, "%.*s.%s", SLICE_ARGUMENTS(path), member->name);
		struct unset_member unset = {
			.field = member,
			.path = name,
			.applied = within.applied,
			.observed = within.observed,
			.live = within.live,
			.recorded = observed && live && (!(member->flags & SEEN) || made_was_seen(field, observed)),
		};
		if (within.wanted)
			walk(walking, member, name, &within);
		else
			walking->visit(walking->context, &unset);
	}
}

static struct slice item_path(const struct walking *walking, const struct field *field, struct slice path,
			      const struct value *wanted, uint32_t index)
{
	if (field->type == FIELD_SET)
		return diff_item_path(field, path, &wanted->items[index], walking->arena);
	if (field->type == FIELD_MAP)
		return arena_format(walking->arena, "%.*s.%.*s", SLICE_ARGUMENTS(path),
				    SLICE_ARGUMENTS(value_slice(&wanted->members[index].key)));
	return arena_format(walking->arena, "%.*s[%u]", SLICE_ARGUMENTS(path), index);
}

static void walk_items(const struct walking *walking, const struct field *field, struct slice path,
		       const struct unset_sides *sides)
{
	struct places applied, observed, live;

	places_init(&applied, field, sides->applied, walking->arena);
	places_init(&observed, field, sides->observed, walking->arena);
	places_init(&live, field, sides->live, walking->arena);
	for (uint32_t i = 0; i < sides->wanted->count; i++) {
		struct unset_sides within = {
			.wanted = item_of(sides->wanted, i),
			.applied = place_of(&applied, sides->wanted, i),
			.observed = place_of(&observed, sides->wanted, i),
			.live = place_of(&live, sides->wanted, i),
		};

		if (within.applied || (within.observed && within.live))
			walk(walking, field->item, item_path(walking, field, path, sides->wanted, i), &within);
	}
	places_release(&applied);
	places_release(&observed);
	places_release(&live);
}

static void walk(const struct walking *walking, const struct field *field, struct slice path,
		 const struct unset_sides *sides)
{
	if (field->type == FIELD_OBJECT && value_is(sides->wanted, VALUE_MAP))
		walk_object(walking, field, path, sides);
	else if (field->item && has_members(field->item) &&
		 value_is(sides->wanted, field->type == FIELD_MAP ? VALUE_MAP : VALUE_LIST))
		walk_items(walking, field, path, sides);
}

void unset_walk(const struct field *field, struct slice path, const struct unset_sides *sides, struct arena *arena,
		void (*visit)(void *context, const struct unset_member *member), void *context)
{
	const struct walking walking = {arena, visit, context};

	if (sides->wanted && has_members(field))
		walk(&walking, field, path, sides);
}
