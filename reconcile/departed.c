#include "reconcile/departed.h"

#include <string.h>

#include "base/digest.h"

static bool departs(const struct field *set)
{
	return set->type == FIELD_SET && set->item && (set->item->flags & DEPARTS);
}

bool departed_has(const struct kind *kind, const char *target)
{
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);

		if (departs(field) && (!target || strcmp(field->item->target, target) == 0))
			return true;
	}
	return false;
}

void departed_each(const struct kind *kind, const struct value *fields,
		   void (*visit)(void *context, struct slice provider_id), void *context)
{
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);
		const struct value *items = departs(field) && fields ? value_get_named(fields, field->name) : NULL;

		for (uint32_t k = 0; value_is(items, VALUE_LIST) && k < items->count; k++)
			if (value_is(&items->items[k], VALUE_STRING))
				visit(context, value_slice(&items->items[k]));
	}
}

static bool is_gone(const struct map *gone, const struct value *id)
{
	return value_is(id, VALUE_STRING) && map_has(gone, value_slice(id));
}

/* LIST without the ids. */
static struct value items_left(const struct value *items, const struct map *gone, struct arena *arena)
{
	VALUE_BUILDER_AUTO left;

	value_builder_init(&left);
	for (uint32_t i = 0; i < items->count; i++)
		if (!is_gone(gone, &items->items[i]))
			value_builder_item(&left, items->items[i]);
	return value_builder_list(&left, arena);
}

/* MAP without what has them as its key. */
static struct value members_left(const struct value *members, const struct map *gone, struct arena *arena)
{
	VALUE_BUILDER_AUTO left;

	value_builder_init(&left);
	for (uint32_t i = 0; i < members->count; i++)
		if (!is_gone(gone, &members->members[i].key))
			value_builder_member(&left, value_slice(&members->members[i].key), members->members[i].value);
	return value_builder_map(&left, arena);
}

/* True where less is left of the member: it is put in its place. */
static bool put_left(struct value *map, const char *name, const struct value *all, struct value left,
		     struct arena *arena)
{
	if (left.count < all->count)
		*map = value_with(map, slice_of(name), left, arena);
	return left.count < all->count;
}

static bool take_out_of_fields(struct object *object, const struct kind *kind, const struct map *gone,
			       struct arena *arena)
{
	bool any = false;

	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);
		const struct value *items = departs(field) ? value_get_named(&object->observed, field->name) : NULL;

		if (value_is(items, VALUE_LIST))
			any |= put_left(&object->observed, field->name, items, items_left(items, gone, arena), arena);
	}
	return any;
}

static bool take_out_of_outputs(struct object *object, const struct kind *kind, const struct map *gone,
				struct arena *arena)
{
	bool any = false;

	for (size_t i = 0; i < kind->outputs.count; i++) {
		const struct output *output = output_at(&kind->outputs, i);
		const struct value *members = output->keyed_by ? value_get_named(&object->outputs, output->name) : NULL;

		if (value_is(members, VALUE_MAP))
			any |= put_left(&object->outputs, output->name, members, members_left(members, gone, arena),
					arena);
	}
	return any;
}

bool departed_take_out(struct object *object, const struct kind *kind, const struct map *gone,
		       const struct json_style *style, struct arena *arena)
{
	if (gone->count == 0 || !object->has_body)
		return false;
	bool fields = take_out_of_fields(object, kind, gone, arena);
	bool outputs = take_out_of_outputs(object, kind, gone, arena);

	if (outputs)
		object->outputs_digest = digest_of(json_canonical(arena, &object->outputs, style));
	return fields || outputs;
}
