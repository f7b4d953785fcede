#include "reconcile/own_items.h"

#include "base/buffer.h"

void own_items_init(struct own_items *items, const struct object *object, const struct field *set, struct arena *arena)
{
	const struct value *wanted = value_get_named(&object->resolved, set->name);
	const struct value *seen = value_get_named(&object->observed, set->name);

	items->is_seen = value_is(seen, VALUE_LIST);
	items->is_unknown = object->role == OBJECT_INCOMPLETE && wanted && value_has_deferred(wanted);
	diff_index_init(&items->wanted, set, wanted, arena);
	diff_index_init(&items->seen, set, seen, arena);
}

void own_items_release(struct own_items *items)
{
	diff_index_release(&items->wanted);
	diff_index_release(&items->seen);
}

bool own_items_have(const struct own_items *items, const struct value *item)
{
	return items->is_unknown ||
	       (diff_index_find(&items->wanted, item) && (!items->is_seen || diff_index_find(&items->seen, item)));
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
