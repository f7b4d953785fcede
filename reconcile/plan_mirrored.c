#include "reconcile/plan_items.h"

/*
 * What either of two resources may say, each by a field of its own (MIRRORED): a route table names the gateways whose
 * routes it takes in, or a gateway the tables that take in its. What the other end's spec has is not this end's to
 * take away, nor drift of it: one that says it no longer has handed it to the other, and nothing is called for that.
 * Where this end was never set, all that the other end looks after is told there. Of the rest it is told that it comes,
 * but not that it goes: the record may have it from a time when another end of ours said it.
 */

static bool is_mirrored(const struct field *field)
{
	return (field->flags & MIRRORED) && field->item && field->item->target;
}

/* The field by which resources of one kind say it of those of another; NULL: none. */
static const struct field *field_about(const struct kind *kind, const char *target)
{
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);
		if (is_mirrored(field) && strcmp(field->item->target, target) == 0)
			return field;
	}
	return NULL;
}

static bool mirrors(const struct kind *kind)
{
	for (size_t i = 0; kind && i < kind->fields.count; i++)
		if (is_mirrored(field_at(&kind->fields, i)))
			return true;
	return false;
}

/* What is recorded under the id, of those kinds that have another end; NULL: nothing is. ret: its item, or NULL. */
static struct object *other_end(struct planning *planning, struct slice provider_id, const struct item **ret)
{
	const struct plan_input *input = planning->input;
	size_t number;

	if (!planning->mirrors) {
		planning->mirrors = map_new(planning->arena);
		for (size_t i = 0; i < input->object_count; i++)
			if (input->objects[i]->provider_id.size > 0 &&
			    mirrors(kinds_find(input->kinds, input->objects[i]->kind)))
				map_set_number(planning->mirrors, input->objects[i]->provider_id, i);
	}
	number = map_number(planning->mirrors, provider_id);
	*ret = number != SIZE_MAX ? planning->of_objects[number] : NULL;
	return number != SIZE_MAX ? input->objects[number] : NULL;
}

static bool names_it(const struct value *list, struct slice provider_id)
{
	for (uint32_t i = 0; list && value_is(list, VALUE_LIST) && i < list->count; i++)
		if (value_is(&list->items[i], VALUE_STRING) && slice_equal(value_slice(&list->items[i]), provider_id))
			return true;
	return false;
}

/* Of whom the other end says it. */
struct asked {
	struct planning *planning;
	const struct item *item;
	struct value id;
};

/* Also when the item is made anew: the other end says it of whatever has the address. */
static const struct value *output_of(void *context, struct slice address, struct slice name)
{
	struct asked *asked = context;
	const struct item *item = asked->item;

	if (slice_equal(address, item->address) && slice_is(name, output_at(&item->resource->kind->outputs, 0)->name))
		return &asked->id;
	return plan_item_output(asked->planning, address, name);
}

/* Whether the spec of what the id is of says the same of this item. */
static bool is_said_there(struct planning *planning, const struct item *item, struct slice provider_id)
{
	const struct item *other;
	const struct object *object = other_end(planning, provider_id, &other);
	const struct field *field = object && other && other->object == object
					    ? field_about(other->resource->kind, item->resource->kind->name)
					    : NULL;
	const struct value *said = field ? value_get_named(&other->resource->desired, field->name) : NULL;
	struct asked asked = {planning, item, value_string(item->object->provider_id)};
	struct output_source source = {&asked, output_of};
	struct diagnostics ignored;
	struct value resolved;
	bool good;

	if (!said || !identity_equal(&object->identity, &item->object->identity))
		return false;
	/* What cannot be worked out is reported where that one is judged itself. */
	diagnostics_init(&ignored, planning->arena);
	good = planning->input->resolver->resolve(planning->input->resolver, said, &source, planning->arena, &resolved,
						  &ignored);
	diagnostics_release(&ignored);
	return good && names_it(&resolved, item->object->provider_id);
}

/* What its own spec has as well stays: it has it. */
static struct value without_said(struct planning *planning, const struct item *item, const struct field *field,
				 const struct value *list)
{
	const struct value *wanted = value_get_named(&item->wanted, field->name);
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; i < list->count; i++)
		if (!value_is(&list->items[i], VALUE_STRING) || names_it(wanted, value_slice(&list->items[i])) ||
		    !is_said_there(planning, item, value_slice(&list->items[i])))
			value_builder_item(&builder, list->items[i]);
	return value_builder_list(&builder, planning->arena);
}

/* Whether it is for the other end, be it that its spec sets its field or that it is recorded as set, or this as its own
 * from when it was. */
static bool is_for_other_end(struct planning *planning, const struct item *item, struct slice provider_id)
{
	const struct item *other;
	struct object *object = other_end(planning, provider_id, &other);
	const struct kind *kind = object ? kinds_find(planning->input->kinds, object->kind) : NULL;
	const struct field *field = kind ? field_about(kind, item->resource->kind->name) : NULL;

	if (!field || !identity_equal(&object->identity, &item->object->identity) || !plan_load_body(planning, object))
		return false;
	return value_get_given(&object->resolved, slice_of(field->name)) ||
	       names_it(value_get_named(&object->own, field->name), item->object->provider_id) ||
	       (other && value_get_given(&other->resource->desired, slice_of(field->name)));
}

/* What this end has to tell, which was never set: what is no more there by now is left out. */
static struct value only_told_here(struct planning *planning, const struct item *item, const struct value *list,
				   const struct value *live)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; i < list->count; i++)
		if (names_it(live, value_slice(&list->items[i])) &&
		    !is_for_other_end(planning, item, value_slice(&list->items[i])))
			value_builder_item(&builder, list->items[i]);
	return value_builder_list(&builder, planning->arena);
}

static bool was_ever_set(const struct item *item, const struct field *field)
{
	struct slice name = slice_of(field->name);

	return value_get_given(&item->wanted, name) || value_get_given(&item->object->resolved, name) ||
	       value_get_given(&item->resource->restores, name);
}

const struct value *plan_less_mirrored(struct planning *planning, const struct item *item, const struct value *fields,
				       const struct value *live)
{
	const struct fields *of_kind = &item->resource->kind->fields;

	if (!item->object || !fields)
		return fields;
	for (size_t i = 0; i < of_kind->count; i++) {
		const struct field *field = field_at(of_kind, i);
		const struct value *list = is_mirrored(field) ? value_get_named(fields, field->name) : NULL;
		if (!list || !value_is(list, VALUE_LIST) || list->count == 0)
			continue;
		VALUE_BUILDER_AUTO builder;
		value_builder_init(&builder);
		for (uint32_t k = 0; k < fields->count; k++)
			value_builder_member(&builder, value_slice(&fields->members[k].key), fields->members[k].value);
		value_builder_set(&builder, slice_of(field->name),
				  was_ever_set(item, field)
					  ? without_said(planning, item, field, list)
					  : only_told_here(planning, item, list, value_get_named(live, field->name)));
		struct value *less = arena_new(planning->arena, struct value);
		*less = value_builder_map(&builder, planning->arena);
		fields = less;
	}
	return fields;
}
