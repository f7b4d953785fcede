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
	struct dependency dependency = {
		.address = target->address,
		.output = slice_of(field->output ? field->output : "id"),
		.field = slice_of(inferring->top->name),
		.binding = (inferring->top->flags & SETTLES) ? BINDS_SETTLE : BINDS_MAKE,
		.immutable = (inferring->top->flags & IMMUTABLE) != 0,
		.loose = (field->flags & LOOSE) != 0,
	};

	for (size_t i = 0; i < inferring->count; i++)
		if (slice_equal(inferring->items[i].address, dependency.address) &&
		    inferring->items[i].binding == dependency.binding)
			return;
	inferring->items = arena_room(inferring->rebuilding->arena, inferring->items, inferring->count,
				      &inferring->capacity, sizeof(*inferring->items));
	inferring->items[inferring->count++] = dependency;
}

static void look(struct inferring *inferring, const struct field *field, const struct value *value)
{
	if (!value)
		return;
	if (field->type == FIELD_REFERENCE && value_is(value, VALUE_STRING)) {
		const struct object *target =
			map_get(inferring->by_id, rebuild_id_key(inferring->rebuilding->arena, slice_of(field->target),
								 value_slice(value)));

		if (target && target != inferring->object)
			add(inferring, field, target);
	}
	for (size_t i = 0; field->type == FIELD_OBJECT && i < field->members.count; i++) {
		const struct field *member = field_at(&field->members, i);

		look(inferring, member, value_get_named(value, member->name));
	}
	for (uint32_t i = 0; field->item && value_is(value, VALUE_LIST) && i < value->count; i++)
		look(inferring, field->item, &value->items[i]);
	for (uint32_t i = 0; field->item && value_is(value, VALUE_MAP) && i < value->count; i++)
		look(inferring, field->item, &value->members[i].value);
}

void rebuild_infer_dependencies(const struct rebuilding *rebuilding, struct object *object, const struct kind *kind,
				const struct map *by_id)
{
	struct inferring inferring = {.rebuilding = rebuilding, .object = object, .by_id = by_id};

	for (size_t i = 0; i < kind->fields.count; i++) {
		inferring.top = field_at(&kind->fields, i);
		look(&inferring, inferring.top, value_get_named(&object->observed, inferring.top->name));
	}
	object->dependencies = inferring.items;
	object->dependency_count = inferring.count;
}
