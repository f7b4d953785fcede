#include "reconcile/made.h"

#include "reconcile/diff_field.h"

bool made_is_kept(const struct field *field)
{
	return (field->flags & IMMUTABLE) && (field->flags & WRITE_ONLY) && field->when_unset == UNSET_RELEASE;
}

static struct value join(const struct field *field, const struct value *said, const struct value *kept,
			 struct arena *arena);

static struct value join_members(const struct field *field, const struct value *said, const struct value *kept,
				 struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (size_t i = 0; i < field->members.count; i++) {
		const struct field *member = field_at(&field->members, i);
		const struct value *mine = value_if_set(value_get_named(said, member->name));
		const struct value *theirs = value_if_set(value_get_named(kept, member->name));
		if (mine)
			value_builder_member(&builder, slice_of(member->name), join(member, mine, theirs, arena));
		else if (theirs && member->when_unset == UNSET_RELEASE)
			value_builder_member(&builder, slice_of(member->name), *theirs);
	}
	return value_at(value_builder_map(&builder, arena), said->position);
}

static struct value join_items(const struct field *field, const struct value *said, const struct value *kept,
			       struct arena *arena)
{
	struct diff_index index;
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	diff_index_init(&index, field, kept, arena);
	for (uint32_t i = 0; i < said->count; i++)
		value_builder_item(&builder,
				   join(field->item, &said->items[i], diff_index_find(&index, &said->items[i]), arena));
	diff_index_release(&index);
	return value_at(value_builder_list(&builder, arena), said->position);
}

/* What is said, with the members that it lets go of. */
static struct value join(const struct field *field, const struct value *said, const struct value *kept,
			 struct arena *arena)
{
	if (!kept || kept->type != said->type || value_equal(said, kept))
		return *said;
	if (field->type == FIELD_OBJECT && value_is(said, VALUE_MAP))
		return join_members(field, said, kept, arena);
	if (field->type == FIELD_SET && value_is(said, VALUE_LIST))
		return join_items(field, said, kept, arena);
	return *said;
}

const struct value *made_known(const struct field *field, const struct value *applied, const struct value *observed,
			       struct arena *arena)
{
	applied = value_if_set(applied);
	observed = value_if_set(observed);
	if (!applied || !observed)
		return applied ? applied : observed;
	struct value *known = arena_new(arena, struct value);
	*known = join(field, applied, observed, arena);
	return known;
}

struct value made_observed(const struct kind *kind, const struct value *observed, const struct value *resolved,
			   const struct value *former, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; value_is(observed, VALUE_MAP) && i < observed->count; i++)
		value_builder_member(&builder, value_slice(&observed->members[i].key), observed->members[i].value);
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);
		if (!made_is_kept(field))
			continue;
		const struct value *known = made_known(field, value_get_named(resolved, field->name),
						       value_get_named(former, field->name), arena);
		/* What nobody knows is not worth keeping. */
		if (known && !value_has_unread(known))
			value_builder_set(&builder, slice_of(field->name), *known);
	}
	return value_builder_map(&builder, arena);
}
