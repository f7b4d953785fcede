#include "reconcile/own_items.h"

#include "base/buffer.h"
#include "reconcile/unique.h"

/* What the run that makes it was to put there was not known yet when that was recorded. */
static bool is_unknown(const struct object *object, const struct value *wanted)
{
	return object->role == OBJECT_INCOMPLETE && wanted && value_has_deferred(wanted);
}

void own_items_init(struct own_items *items, const struct object *object, const struct field *set, struct arena *arena)
{
	const struct value *wanted = value_get_named(&object->resolved, set->name);
	const struct value *seen = value_get_named(&object->observed, set->name);
	const struct value *beside = value_get_named(&object->own, set->name);

	items->is_seen = value_is(seen, VALUE_LIST);
	items->is_unknown = is_unknown(object, wanted);
	diff_index_init(&items->wanted, set, wanted, arena);
	diff_index_init(&items->beside, set, beside, arena);
	diff_index_init(&items->seen, set, seen, arena);
}

void own_items_release(struct own_items *items)
{
	diff_index_release(&items->wanted);
	diff_index_release(&items->beside);
	diff_index_release(&items->seen);
}

bool own_items_have(const struct own_items *items, const struct value *item)
{
	bool is_recorded = diff_index_find(&items->wanted, item) || diff_index_find(&items->beside, item);

	return items->is_unknown || (is_recorded && (!items->is_seen || diff_index_find(&items->seen, item)));
}

bool own_is_attachment(const struct field *field)
{
	return field->type == FIELD_REFERENCE && unique_is_handed_on(field);
}

static bool is_so(const struct value *fields, const char *name, const struct value *place)
{
	const struct value *value = value_get_named(fields, name);

	return value && value_equal(value, place);
}

bool own_place(const struct object *object, const struct field *field, const struct value *place)
{
	return is_unknown(object, value_get_named(&object->resolved, field->name)) ||
	       is_so(&object->resolved, field->name, place) || is_so(&object->own, field->name, place);
}

/* What of a list is the object's own, and goes without being said. */
struct beside {
	struct own_items own;
	struct diff_index said;
	struct value_builder items;
};

static void add_own(struct beside *beside, const struct value *list)
{
	for (uint32_t i = 0; value_is(list, VALUE_LIST) && i < list->count; i++)
		if (own_items_have(&beside->own, &list->items[i]) && !diff_index_find(&beside->said, &list->items[i]))
			value_builder_item(&beside->items, list->items[i]);
}

/* What is left to others is not looked at where that takes a call of its own, */
static bool is_overlooked(const struct field *set, const struct object *object)
{
	return !value_get_named(&object->observed, set->name) && ignored_has(&object->ignored, slice_of(set->name));
}

/* nor is what the spec says nothing of, and said nothing of before. */
static bool is_unasked(const struct provider *provider, const struct kind *kind, const struct field *set,
		       const struct object *former, const struct object *object)
{
	struct value_member alone = {value_text(set->name), value_text("")};
	const struct value matters = value_map(&alone, 1);

	return provider && !value_get_named(&object->observed, set->name) &&
	       !value_get_named(&former->resolved, set->name) && !value_get_named(&object->resolved, set->name) &&
	       provider->needs_detail(kind, &matters);
}

/* Of a set. */
static struct value items_beside(const struct provider *provider, const struct kind *kind, const struct field *set,
				 const struct object *former, const struct object *object, struct arena *arena)
{
	struct beside beside;

	value_builder_init(&beside.items);
	own_items_init(&beside.own, former, set, arena);
	diff_index_init(&beside.said, set, value_get_named(&object->resolved, set->name), arena);
	if (is_overlooked(set, object) || is_unasked(provider, kind, set, former, object)) {
		add_own(&beside, value_get_named(&former->resolved, set->name));
		add_own(&beside, value_get_named(&former->own, set->name));
	} else {
		add_own(&beside, value_get_named(&object->observed, set->name));
	}
	const struct value list = value_builder_list(&beside.items, arena);
	value_builder_release(&beside.items);
	diff_index_release(&beside.said);
	own_items_release(&beside.own);
	return list.count > 0 ? list : value_null();
}

struct value own_beside(const struct provider *provider, const struct kind *kind, const struct object *former,
			const struct object *object, struct arena *arena)
{
	VALUE_BUILDER_AUTO all;

	value_builder_init(&all);
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);
		const struct value *now = value_if_set(value_get_named(&object->observed, field->name));
		struct value beside = value_null();

		if (field->type == FIELD_SET && (field->flags & SETTLES))
			beside = items_beside(provider, kind, field, former, object, arena);
		else if (now && own_is_attachment(field) && own_place(former, field, now) &&
			 !is_so(&object->resolved, field->name, now))
			beside = *now;
		if (!value_is(&beside, VALUE_NULL))
			value_builder_member(&all, slice_of(field->name), beside);
	}
	const struct value map = value_builder_map(&all, arena);
	return map.count > 0 ? map : value_null();
}

struct slice others_items(const struct object *object, const struct kind *kind, const struct value *now,
			  others_item_goes *goes, void *context, struct arena *arena)
{
	BUFFER_AUTO text;

	buffer_init(&text, SIZE_MAX);
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *set = field_at(&kind->fields, i);
		const struct value *items = set->flags & HOLDS ? value_get_named(now, set->name) : NULL;
		struct own_items own;

		if (!value_is(items, VALUE_LIST) || items->count == 0)
			continue;
		own_items_init(&own, object, set, arena);
		for (uint32_t k = 0; k < items->count; k++) {
			const struct value *item = &items->items[k];

			if (own_items_have(&own, item) || goes(context, set, item))
				continue;
			buffer_string(&text, text.size > 0 ? ", " : "");
			buffer_append(&text, diff_item_path(set, slice_of(set->name), item, arena));
		}
		own_items_release(&own);
	}
	return arena_copy(arena, buffer_slice(&text));
}
