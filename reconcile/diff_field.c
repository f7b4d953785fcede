#include "reconcile/diff_field.h"

#include "reconcile/schema.h"

static enum likeness worse(enum likeness a, enum likeness b)
{
	/* A sure difference outweighs one that is not known; LIKE says least. */
	static const int rank[] = {[LIKE] = 0, [LIKE_UNREAD] = 1, [LIKE_UNKNOWN] = 2, [UNLIKE] = 3};
	return rank[a] >= rank[b] ? a : b;
}

static enum likeness compare_object(const struct field *field, const struct value *wanted, const struct value *live)
{
	enum likeness likeness = LIKE;
	for (size_t i = 0; i < field->members.count; i++) {
		const struct field *member = field_at(&field->members, i);
		/* A null is there for a purpose: the member is to be cleared. */
		const struct value *mine = value_get_named(wanted, member->name);
		const struct value *theirs = value_if_set(value_get_named(live, member->name));
		if (member->flags & WRITE_ONLY)
			continue;
		if (member->flags & KEY) {
			mine = schema_key_part(member, wanted);
			theirs = schema_key_part(member, live);
		}
		if (mine)
			likeness = worse(likeness, diff_field(member, mine, theirs));
		else if (theirs && value_is(theirs, VALUE_UNREAD))
			likeness = worse(likeness, LIKE_UNREAD);
		else if (theirs && (member->flags & KEY))
			return UNLIKE;
	}
	return likeness;
}

void diff_index_init(struct diff_index *index, const struct field *set, const struct value *items, struct arena *arena)
{
	*index = (struct diff_index){.set = set, .arena = arena};
	map_init(&index->items);
	for (uint32_t i = 0; items && value_is(items, VALUE_LIST) && i < items->count; i++)
		map_add(&index->items, schema_item_key(set->item, &items->items[i], arena), &items->items[i]);
}

void diff_index_release(struct diff_index *index)
{
	map_release(&index->items);
}

const struct value *diff_index_find(const struct diff_index *index, const struct value *item)
{
	return map_get(&index->items, schema_item_key(index->set->item, item, index->arena));
}

/* Canonical sets are sorted, but a deferred member can sort anywhere: match item by item. */
static enum likeness compare_set(const struct field *field, const struct value *wanted, const struct value *live)
{
	struct arena scratch;
	struct diff_index index;
	enum likeness likeness = LIKE;
	arena_init(&scratch);
	diff_index_init(&index, field, live, &scratch);
	for (uint32_t i = 0; i < wanted->count && likeness != UNLIKE; i++) {
		const struct value *mine = &wanted->items[i];
		if (value_has_deferred(mine)) {
			likeness = worse(likeness, LIKE_UNKNOWN);
			continue;
		}
		const struct value *theirs = diff_index_find(&index, mine);
		likeness = worse(likeness, theirs ? diff_field(field->item, mine, theirs) : UNLIKE);
	}
	if (likeness != UNLIKE && wanted->count != live->count)
		likeness = UNLIKE;
	diff_index_release(&index);
	arena_release(&scratch);
	return likeness;
}

static enum likeness compare_list(const struct field *field, const struct value *wanted, const struct value *live)
{
	enum likeness likeness = LIKE;
	if (wanted->count != live->count)
		return value_has_deferred(wanted) ? LIKE_UNKNOWN : UNLIKE;
	for (uint32_t i = 0; i < wanted->count; i++)
		likeness = worse(likeness, diff_field(field->item, &wanted->items[i], &live->items[i]));
	return likeness;
}

static enum likeness compare_map(const struct field *field, const struct value *wanted, const struct value *live)
{
	enum likeness likeness = wanted->count == live->count ? LIKE : UNLIKE;
	for (uint32_t i = 0; i < wanted->count; i++) {
		const struct value *theirs = value_get(live, value_slice(&wanted->members[i].key));
		likeness =
			worse(likeness, theirs ? diff_field(field->item, &wanted->members[i].value, theirs) : UNLIKE);
	}
	return likeness;
}

static bool is_same_text(const struct field *field, const struct value *wanted, const struct value *live)
{
	return field->same && value_is(wanted, VALUE_STRING) && value_is(live, VALUE_STRING) && !wanted->secret &&
	       !live->secret && field->same(value_slice(wanted), value_slice(live));
}

static bool is_empty(const struct value *value)
{
	return (value_is(value, VALUE_LIST) || value_is(value, VALUE_MAP)) && value->count == 0;
}

enum likeness diff_field(const struct field *field, const struct value *wanted, const struct value *live)
{
	wanted = value_if_set(wanted);
	live = value_if_set(live);
	if (live && value_is(live, VALUE_UNREAD))
		return LIKE_UNREAD;
	if (wanted && value_is(wanted, VALUE_DEFERRED))
		return LIKE_UNKNOWN;
	/* A service that has nothing to say of a list leaves it out. */
	if (!wanted || !live) {
		const struct value *only = wanted ? wanted : live;
		return !only || is_empty(only) ? LIKE : value_has_deferred(only) ? LIKE_UNKNOWN : UNLIKE;
	}
	if (wanted->type != live->type)
		return value_equal(wanted, live) ? LIKE : UNLIKE;
	if (field->type == FIELD_OBJECT && value_is(wanted, VALUE_MAP))
		return compare_object(field, wanted, live);
	if (field->type == FIELD_SET && value_is(wanted, VALUE_LIST))
		return compare_set(field, wanted, live);
	if (field->type == FIELD_LIST && value_is(wanted, VALUE_LIST))
		return compare_list(field, wanted, live);
	if (field->type == FIELD_MAP && value_is(wanted, VALUE_MAP))
		return compare_map(field, wanted, live);
	return value_equal(wanted, live) || is_same_text(field, wanted, live) ? LIKE : UNLIKE;
}

struct slice diff_item_path(const struct field *set, struct slice path_of_set, const struct value *item,
			    struct arena *arena)
{
	struct slice name = schema_item_name(set->item, item, arena);
	return arena_format(arena, "%.*s[%.*s]", SLICE_ARGUMENTS(path_of_set), SLICE_ARGUMENTS(name));
}
