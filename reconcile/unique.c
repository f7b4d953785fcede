#include "reconcile/unique.h"

#include "base/json.h"

bool unique_field(const struct field *field)
{
	return (field->flags & (NAMES | SOLE)) || field->range == RANGE_WITHIN;
}

bool unique_is_handed_on(const struct field *field)
{
	return (field->flags & SOLE) && !(field->flags & IMMUTABLE);
}

bool unique_is_kept(const struct field *field)
{
	return unique_field(field) && !unique_is_handed_on(field) && (field->flags & IMMUTABLE);
}

bool unique_items(const struct field *field)
{
	return field->type == FIELD_SET && (field->item->flags & SOLE);
}

static bool is_member_range(const struct field *field)
{
	return field->range == RANGE_WITHIN;
}

bool unique_members(const struct field *field)
{
	const struct field *item = field->type == FIELD_LIST ? field->item : NULL;

	for (size_t i = 0; item && i < item->members.count; i++)
		if (is_member_range(field_at(&item->members, i)))
			return true;
	return false;
}

static void each_member(const struct field *item, const struct value *value, unique_found *found, void *context)
{
	for (size_t i = 0; i < item->members.count; i++) {
		const struct field *member = field_at(&item->members, i);
		const struct value *own = is_member_range(member) ? value_get_named(value, member->name) : NULL;

		if (value_if_set(own))
			found(context, member, own);
	}
}

void unique_each(const struct field *top, const struct value *value, unique_found *found, void *context)
{
	bool has_members = unique_members(top);

	value = value_if_set(value);
	if (value && unique_field(top))
		found(context, top, value);
	for (uint32_t i = 0; value_is(value, VALUE_LIST) && i < value->count; i++) {
		if (has_members)
			each_member(top->item, &value->items[i], found, context);
		else if (unique_items(top))
			found(context, top, &value->items[i]);
	}
}

struct unique_words unique_words(const struct field *field)
{
	const struct field *each = field->item ? field->item : field;

	if (each->type == FIELD_ADDRESS)
		return (struct unique_words){"address", "one at a time has"};
	return (struct unique_words){"target", "takes only one of them"};
}

const char *unique_scope(const struct field *field)
{
	return field->range == RANGE_WITHIN ? field->range_parent : field->unique_in;
}

enum { TEXT_MOST_BYTES = 64 * 1024 };

static struct slice known_text(const struct value *fields, const char *name)
{
	const struct value *value = value_is(fields, VALUE_MAP) ? value_get_named(fields, name) : NULL;

	return value && value_is(value, VALUE_STRING) ? value_slice(value) : (struct slice){0};
}

const char *unique_where_not_given(const struct kind *kind, const char *name)
{
	const struct field *field = field_named(&kind->fields, slice_of(name));

	return field && field->where_not_given ? field->where_not_given : "";
}

struct slice unique_whole(const struct kind *kind, const struct value *fields, const struct identity *place,
			  const struct json_style *style, struct arena *arena)
{
	bool given = false;
	BUFFER_AUTO text;

	buffer_init(&text, TEXT_MOST_BYTES);
	if (kind->found || !value_is(fields, VALUE_MAP))
		return (struct slice){0};
	buffer_format(&text, "%s\n%.*s", kind->name, SLICE_ARGUMENTS(identity_text(arena, place)));
	for (const char *const *name = kind->told_apart_by; name && *name; name++) {
		const struct value *value = value_if_set(value_get_named(fields, *name));

		buffer_byte(&text, '\n');
		if (!value && kind->told_apart_by_all)
			return (struct slice){0};
		if (!value) {
			buffer_string(&text, unique_where_not_given(kind, *name));
			continue;
		}
		given = true;
		if (!json_write(&text, value, style))
			return (struct slice){0};
	}
	return given ? arena_copy(arena, buffer_slice(&text)) : (struct slice){0};
}

struct slice unique_names(const struct kind *kind, const struct value *one, const struct value *other,
			  struct arena *arena)
{
	struct slice names = {0};

	for (const char *const *name = kind->told_apart_by; name && *name; name++) {
		const char *not_given = unique_where_not_given(kind, *name);
		bool by_one = value_if_set(value_get_named(one, *name)) != NULL;
		bool by_other = value_if_set(value_get_named(other, *name)) != NULL;

		if (!by_one && !by_other)
			continue;
		names = arena_format(arena, "%.*s%s'%s'", SLICE_ARGUMENTS(names), names.size > 0 ? ", " : "", *name);
		if (by_one != by_other && *not_given)
			names = arena_format(arena, "%.*s (%s where it is not given)", SLICE_ARGUMENTS(names),
					     not_given);
	}
	return names;
}

struct slice unique_letters(const struct field *field, struct slice text, struct arena *arena)
{
	char *letters;

	if (!field->any_case)
		return text;
	letters = arena_new_array(arena, text.size + 1, char);
	for (size_t i = 0; i < text.size; i++)
		letters[i] = lower_case(text.data[i]);
	return (struct slice){letters, text.size};
}

struct slice unique_within(const struct kind *kind, const struct field *field, const struct value *fields,
			   const struct identity *place, struct arena *arena)
{
	const char *scope = unique_scope(field);
	struct slice within = scope ? known_text(fields, scope) : (struct slice){0};

	if (within.size == 0 && field->range == RANGE_WITHIN && field->range_parent_id)
		within = known_text(fields, field->range_parent_id);
	if (scope && within.size == 0)
		return (struct slice){0};
	return arena_format(arena, "%s\n%s\n%.*s\n%.*s", kind->name, field->name,
			    SLICE_ARGUMENTS(identity_text(arena, place)), SLICE_ARGUMENTS(within));
}

struct slice unique_value(const struct kind *kind, const struct field *field, const struct value *value,
			  const struct value *fields, const struct identity *place, struct arena *arena)
{
	struct slice text = value && value_is(value, VALUE_STRING) ? value_slice(value) : (struct slice){0};
	struct slice within = text.size > 0 ? unique_within(kind, field, fields, place, arena) : (struct slice){0};

	if (within.size == 0)
		return (struct slice){0};
	text = unique_letters(field, text, arena);
	return arena_format(arena, "%.*s\n%.*s", SLICE_ARGUMENTS(within), SLICE_ARGUMENTS(text));
}

struct slice unique_text(const struct kind *kind, const struct field *field, const struct value *fields,
			 const struct identity *place, struct arena *arena)
{
	const struct value *value = value_is(fields, VALUE_MAP) ? value_get_named(fields, field->name) : NULL;

	return unique_value(kind, field, value, fields, place, arena);
}
