#include "reconcile/unique.h"

#include "base/json.h"
#include "reconcile/made.h"
#include "reconcile/scope.h"

bool unique_field(const struct field *field)
{
	return (field->flags & (NAMES | SOLE)) || field->range == RANGE_WITHIN;
}

bool unique_is_handed_on(const struct field *field)
{
	return (field->flags & SOLE) && !(field->flags & IMMUTABLE);
}

bool unique_is_shared(const struct field *field)
{
	return unique_field(field) && !unique_is_handed_on(field);
}

bool unique_is_kept(const struct field *field)
{
	return unique_is_shared(field) && (field->flags & IMMUTABLE);
}

bool unique_items(const struct field *field)
{
	return field->type == FIELD_SET && (field->item->flags & SOLE);
}

bool unique_members(const struct field *field)
{
	const struct field *item = field->item;

	for (size_t i = 0; item && i < item->members.count; i++) {
		const struct field *member = field_at(&item->members, i);

		if (unique_field(member) || unique_items(member) || unique_members(member))
			return true;
	}
	return false;
}

static const struct value *scope_of(const struct field *field, const struct scope *around)
{
	const char *scope = unique_scope(field);

	while (around->outer && !(scope && value_if_set(value_get_named(around->map, scope))))
		around = around->outer;
	return around->map;
}

struct finding {
	unique_found *found;
	void *context;
};

static void find(const struct finding *finding, const struct field *field, const struct value *value,
		 const struct scope *around)
{
	finding->found(finding->context, field, value, scope_of(field, around));
}

/* as: the field that stands for each item of the set. */
static void find_items(const struct finding *finding, const struct field *set, const struct field *as,
		       const struct value *list, const struct scope *around)
{
	for (uint32_t i = 0; unique_items(set) && value_is(list, VALUE_LIST) && i < list->count; i++)
		find(finding, as, &list->items[i], around);
}

static void find_members(const struct finding *finding, const struct field *field, const struct value *list,
			 const struct scope *outer)
{
	bool has_any = unique_members(field);

	for (uint32_t i = 0; has_any && value_is(list, VALUE_LIST) && i < list->count; i++) {
		const struct scope around = {&list->items[i], outer};

		for (size_t k = 0; k < field->item->members.count; k++) {
			const struct field *member = field_at(&field->item->members, k);
			const struct value *value = value_if_set(value_get_named(around.map, member->name));

			if (!value)
				continue;
			if (unique_field(member))
				find(finding, member, value, &around);
			find_items(finding, member, member->item, value, &around);
			find_members(finding, member, value, &around);
		}
	}
}

void unique_each(const struct field *top, const struct value *fields, unique_found *found, void *context)
{
	const struct finding finding = {found, context};
	const struct scope around = {fields, NULL};
	const struct value *value = value_if_set(value_get_named(fields, top->name));

	if (!value)
		return;
	if (unique_field(top))
		find(&finding, top, value, &around);
	find_items(&finding, top, top, value, &around);
	find_members(&finding, top, value, &around);
}

static bool is_recorded(const struct field *field)
{
	return made_is_kept(field) && unique_members(field);
}

bool unique_is_recorded(const struct kind *kind)
{
	for (size_t i = 0; i < kind->fields.count; i++)
		if (is_recorded(field_at(&kind->fields, i)))
			return true;
	return false;
}

struct value unique_had(const struct kind *kind, const struct value *read, const struct object *object,
			struct arena *arena)
{
	VALUE_BUILDER_AUTO made;

	value_builder_init(&made);
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);
		const struct value *known = is_recorded(field)
						    ? made_known(field, value_get_named(&object->resolved, field->name),
								 value_get_named(&object->observed, field->name), arena)
						    : NULL;

		if (known)
			value_builder_member(&made, slice_of(field->name), *known);
	}
	const struct value all = value_builder_map(&made, arena);

	return all.count > 0 ? value_overlaid(read, &all, arena) : *read;
}

struct unique_words unique_words(const struct field *field)
{
	const struct field *each = field->item ? field->item : field;

	if (each->type == FIELD_ADDRESS)
		return (struct unique_words){"address", "one at a time has"};
	if (field_is_range(each))
		return (struct unique_words){"range", "one at a time has"};
	return (struct unique_words){"target", "takes only one of them"};
}

const char *unique_scope(const struct field *field)
{
	return field->range == RANGE_WITHIN ? field->range_parent : field->unique_in;
}

enum { TEXT_MOST_BYTES = 64 * 1024 };

/* An address is one and the same by whichever field a thing has it. */
static const char *name_of(const struct field *field)
{
	const struct field *each = field->item ? field->item : field;

	return each->type == FIELD_ADDRESS ? "address" : field->name;
}

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
	return arena_format(arena, "%s\n%s\n%.*s\n%.*s", kind->name, name_of(field),
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
