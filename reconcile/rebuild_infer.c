#include "reconcile/named.h"
#include "reconcile/rebuild_parts.h"

/* References, told from the ids in live fields. */

struct inferring {
	const struct rebuilding *rebuilding;
	const struct object *object;
	const struct map *by_id;
	const struct field *top; /* the field of the resource itself */
	struct dependency *items;
	size_t count, capacity;
};

struct slice rebuild_id_key(struct arena *arena, struct slice kind, struct slice provider_id)
{
	return arena_format(arena, "%.*s %.*s", SLICE_ARGUMENTS(kind), SLICE_ARGUMENTS(provider_id));
}

static void add(struct inferring *inferring, const struct field *field, const struct object *target)
{
	const struct kind *kind = kinds_find(inferring->rebuilding->kinds, target->kind);
	const struct output *output = kind ? kind_output(kind, field->output) : NULL;
	struct dependency dependency = {
		.address = target->address,
		.output = slice_of(output ? output->name : field->output),
		.field = slice_of(inferring->top->name),
		.binding = (inferring->top->flags & SETTLES) ? BINDS_SETTLE : BINDS_MAKE,
		.immutable = (inferring->top->flags & IMMUTABLE) != 0,
	};

	if (dependencies_have(inferring->items, inferring->count, &dependency))
		return;
	inferring->items = arena_room(inferring->rebuilding->arena, inferring->items, inferring->count,
				      &inferring->capacity, sizeof(*inferring->items));
	inferring->items[inferring->count++] = dependency;
}

static void look(void *context, const struct field *field, struct slice text)
{
	struct inferring *inferring = context;
	struct slice key = rebuild_id_key(inferring->rebuilding->arena, slice_of(field->target), text);
	const struct object *target = map_get(inferring->by_id, key);

	if (target && target != inferring->object)
		add(inferring, field, target);
}

void rebuild_infer_dependencies(const struct rebuilding *rebuilding, struct object *object, const struct kind *kind,
				const struct map *by_id, const struct value *fields)
{
	struct inferring inferring = {
		.rebuilding = rebuilding,
		.object = object,
		.by_id = by_id,
		.items = arena_new_array(rebuilding->arena, object->dependency_count, struct dependency),
		.count = object->dependency_count,
		.capacity = object->dependency_count,
	};

	for (size_t i = 0; i < object->dependency_count; i++)
		inferring.items[i] = object->dependencies[i];
	for (size_t i = 0; i < kind->fields.count; i++) {
		inferring.top = field_at(&kind->fields, i);
		named_each(inferring.top, value_get_named(fields, inferring.top->name), look, &inferring);
	}
	object->dependencies = inferring.items;
	object->dependency_count = inferring.count;
}

static struct value refer_to(const struct rebuilding *rebuilding, const struct map *by_id, const struct field *field,
			     const struct value *id)
{
	struct slice key = rebuild_id_key(rebuilding->arena, slice_of(field->target), value_slice(id));
	const struct object *target = map_get(by_id, key);
	/* What a replace has left behind has the address of what took its place. */
	bool is_current = target && target->role == OBJECT_CURRENT;
	const struct kind *kind = is_current ? kinds_find(rebuilding->kinds, target->kind) : NULL;
	const struct output *output = kind ? kind_output(kind, field->output) : NULL;

	return output ? rebuilding->resolver->refer(rebuilding->arena, target->address, slice_of(output->name)) : *id;
}

struct value rebuild_refer(const struct rebuilding *rebuilding, const struct map *by_id, const struct field *field,
			   const struct value *value)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	if (field->type == FIELD_REFERENCE && value_is(value, VALUE_STRING))
		return refer_to(rebuilding, by_id, field, value);
	for (uint32_t i = 0; value_is(value, VALUE_MAP) && i < value->count; i++) {
		const struct value_member *member = &value->members[i];
		const struct field *of = field->type == FIELD_OBJECT
						 ? field_named(&field->members, value_slice(&member->key))
						 : field->item;

		value_builder_member(&builder, value_slice(&member->key),
				     of ? rebuild_refer(rebuilding, by_id, of, &member->value) : member->value);
	}
	if (value_is(value, VALUE_MAP))
		return value_builder_map(&builder, rebuilding->arena);
	if (!field->item || !value_is(value, VALUE_LIST))
		return *value;
	for (uint32_t i = 0; i < value->count; i++)
		value_builder_item(&builder, rebuild_refer(rebuilding, by_id, field->item, &value->items[i]));
	return value_builder_list(&builder, rebuilding->arena);
}
