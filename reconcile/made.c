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

bool made_has_seen(const struct field *field)
{
	const struct field *item = made_is_kept(field) && field->type == FIELD_SET ? field->item : NULL;
	for (size_t i = 0; item && i < item->members.count; i++)
		if (field_at(&item->members, i)->flags & SEEN)
			return true;
	return false;
}

/* An item with what another one tells of it: of what is SEEN also that there is none, as of an empty text. said: it as
 * it is wanted, or NULL. */
static struct value see(const struct field *item, const struct value *said, const struct value *known,
			const struct value *seen, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (size_t i = 0; i < item->members.count; i++) {
		const struct field *member = field_at(&item->members, i);
		const struct value *told = value_if_set(value_get_named(seen, member->name));
		const struct value *its = value_get_named(known, member->name);
		bool is_known = its || value_get_named(said, member->name);
		if ((seen && (member->flags & SEEN)) || (told && member->read_where_shown && is_known))
			its = told;
		if (its)
			value_builder_member(&builder, slice_of(member->name), *its);
	}
	return value_at(value_builder_map(&builder, arena), known->position);
}

/* Whether nothing is known of it that only a new object could have otherwise. */
static bool is_all_seen(const struct field *item, const struct value *known)
{
	for (size_t i = 0; i < item->members.count; i++) {
		const struct field *member = field_at(&item->members, i);
		if (!(member->flags & (KEY | SEEN)) && value_if_set(value_get_named(known, member->name)))
			return false;
	}
	return true;
}

bool made_was_seen(const struct field *item, const struct value *known)
{
	for (size_t i = 0; i < item->members.count; i++) {
		const struct field *member = field_at(&item->members, i);
		if ((member->flags & SEEN) && value_if_set(value_get_named(known, member->name)))
			return true;
	}
	return false;
}

static const struct value *list_of(const struct value *value)
{
	return value_is(value, VALUE_LIST) ? value : NULL;
}

const struct value *made_now(const struct field *field, const struct value *wanted, const struct value *known,
			     const struct value *live, struct arena *arena)
{
	struct diff_index mine, there, told;
	if (known && !list_of(known))
		return known;
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	diff_index_init(&mine, field, wanted, arena);
	diff_index_init(&there, field, known, arena);
	diff_index_init(&told, field, live, arena);
	for (uint32_t i = 0; known && i < known->count; i++) {
		const struct value *item = &known->items[i], *seen = diff_index_find(&told, item);
		const struct value *said = diff_index_find(&mine, item);
		bool is_let_go = list_of(wanted) && !said && is_all_seen(field->item, item);
		if (!is_let_go)
			value_builder_item(&builder, see(field->item, said, item, seen, arena));
	}
	for (uint32_t i = 0; list_of(wanted) && i < wanted->count; i++) {
		const struct value *seen = diff_index_find(&told, &wanted->items[i]);
		if (seen && !diff_index_find(&there, &wanted->items[i]))
			value_builder_item(&builder, *seen);
	}
	diff_index_release(&mine);
	diff_index_release(&there);
	diff_index_release(&told);
	struct value *now = arena_new(arena, struct value);
	*now = value_builder_list(&builder, arena);
	return now->count > 0 ? now : NULL;
}

const struct value *made_left(const struct field *field, const struct value *said, const struct value *known,
			      const struct value *live, struct arena *arena)
{
	struct diff_index wanted, told;
	if (!list_of(known))
		return NULL;
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	diff_index_init(&wanted, field, said, arena);
	diff_index_init(&told, field, live, arena);
	for (uint32_t i = 0; i < known->count; i++) {
		const struct value *item = &known->items[i];
		if (!made_was_seen(field->item, item) || diff_index_find(&told, item) || diff_index_find(&wanted, item))
			value_builder_item(&builder, *item);
	}
	diff_index_release(&wanted);
	diff_index_release(&told);
	struct value *left = arena_new(arena, struct value);
	*left = value_at(value_builder_list(&builder, arena), known->position);
	return left;
}

const struct value *made_lost(const struct field *field, const struct value *said, const struct value *known,
			      const struct value *live, struct arena *arena)
{
	struct diff_index there, told;
	if (!list_of(said))
		return NULL;
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	diff_index_init(&there, field, known, arena);
	diff_index_init(&told, field, live, arena);
	for (uint32_t i = 0; i < said->count; i++) {
		const struct value *was = diff_index_find(&there, &said->items[i]);
		if (was && made_was_seen(field->item, was) && !diff_index_find(&told, &said->items[i]))
			value_builder_item(&builder, said->items[i]);
	}
	diff_index_release(&there);
	diff_index_release(&told);
	struct value *lost = arena_new(arena, struct value);
	*lost = value_builder_list(&builder, arena);
	return lost;
}

/* An item, with what only a new object has otherwise. said: as it is wanted, or NULL. */
static struct value fixed_of(const struct field *field, const struct value *said, const struct value *item,
			     struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (size_t i = 0; i < field->members.count; i++) {
		const struct field *member = field_at(&field->members, i);
		const struct value *its = value_get_named(item, member->name);
		bool comes = field_comes_in_place(member, value_get_named(said, member->name));
		if (its && !(member->flags & SEEN) && !comes)
			value_builder_member(&builder, slice_of(member->name), *its);
	}
	return value_builder_map(&builder, arena);
}

static struct value all_fixed_of(const struct field *field, const struct diff_index *wanted, const struct value *items,
				 struct arena *arena)
{
	VALUE_BUILDER_AUTO list;
	value_builder_init(&list);
	for (uint32_t i = 0; i < items->count; i++)
		value_builder_item(&list, fixed_of(field->item, diff_index_find(wanted, &items->items[i]),
						   &items->items[i], arena));
	return value_builder_list(&list, arena);
}

bool made_changes_in_place(const struct field *field, const struct value *wanted, const struct value *now,
			   struct arena *arena)
{
	if (!made_has_seen(field) || !list_of(wanted) || !list_of(now))
		return false;
	struct diff_index index;
	diff_index_init(&index, field, wanted, arena);
	struct value fixed = all_fixed_of(field, &index, wanted, arena);
	struct value there = all_fixed_of(field, &index, now, arena);
	diff_index_release(&index);
	return diff_field(field, &fixed, &there) == LIKE;
}

/* What has gone was told of, and the record follows, but for what is said to be there. */
static const struct value *seen_last(const struct field *field, const struct value *said, const struct value *known,
				     const struct value *live, struct arena *arena)
{
	const struct value *now = made_now(field, NULL, known, live, arena);
	if (live && value_is(live, VALUE_UNREAD))
		return now;
	const struct value *left = made_left(field, said, now, live, arena);
	return left && left->count > 0 ? left : NULL;
}

struct value made_observed(const struct kind *kind, const struct value *observed, const struct value *resolved,
			   const struct value *former, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; value_is(observed, VALUE_MAP) && i < observed->count; i++) {
		const struct field *field = field_named(&kind->fields, value_slice(&observed->members[i].key));
		if (!field || !made_is_kept(field))
			value_builder_member(&builder, value_slice(&observed->members[i].key),
					     observed->members[i].value);
	}
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);
		if (!made_is_kept(field))
			continue;
		const struct value *said = value_get_named(resolved, field->name);
		const struct value *known = made_known(field, said, value_get_named(former, field->name), arena);
		if (made_has_seen(field))
			known = seen_last(field, said, known, value_get_named(observed, field->name), arena);
		/* What nobody knows is not worth keeping. */
		if (known && !value_has_unread(known))
			value_builder_set(&builder, slice_of(field->name), *known);
	}
	return value_builder_map(&builder, arena);
}
