#include "reconcile/unfinished.h"

#include "base/buffer.h"
#include "reconcile/made.h"

/* The note of what was begun: the members of object.unfinished. */
#define APPLIED "applied"
#define BEFORE "before"
#define DEPENDENCIES "dependencies"
#define RESOLVED "resolved"
#define LEAVES "leaves"
#define OWED "owed"
#define SINCE "since"

enum { FIELDS_LARGEST_BYTES = 4096 };

static const struct value *member_of(const struct value *map, struct slice name)
{
	return value_if_set(value_get(map, name));
}

/* Of what was begun. */
struct begun {
	struct value applied, resolved;
	struct value before, dependencies; /* null where there are none */
	bool leaves;
};

static bool note(struct object *object, const struct begun *begun, int64_t wall_ms, struct arena *arena)
{
	const struct value *known = value_get_named(&object->unfinished, RESOLVED);
	const struct value *owed = unfinished_owed(object), *former = unfinished_before(object);
	/* A second attempt finds what the first has left. */
	const struct value *before = former ? former : value_if_set(&begun->before);
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	if (known && begun->leaves == unfinished_leaves(object) && value_equal(known, &begun->resolved))
		return false;
	value_builder_member(&builder, SLICE(APPLIED), begun->applied);
	if (before)
		value_builder_member(&builder, SLICE(BEFORE), *before);
	if (value_is(&begun->dependencies, VALUE_LIST))
		value_builder_member(&builder, SLICE(DEPENDENCIES), begun->dependencies);
	value_builder_member(&builder, SLICE(LEAVES), value_bool(begun->leaves));
	if (owed)
		value_builder_member(&builder, SLICE(OWED), *owed);
	value_builder_member(&builder, SLICE(RESOLVED), begun->resolved);
	value_builder_member(&builder, SLICE(SINCE), value_integer(wall_ms));
	object->unfinished = value_builder_map(&builder, arena);
	return true;
}

/* A field that an update sets; symbolic, resolved: NULL where the spec does not set it. */
struct set_field {
	const struct field *field;
	struct slice name;
	const struct value *symbolic, *resolved;
};

/* False where that change sets no field of its own. */
static bool set_field_of(const struct unfinished_update *update, size_t index, struct set_field *ret)
{
	const struct change *change = &update->changes[index];

	if (change->effect != EFFECT_SET || !change->field)
		return false;
	struct slice name = slice_of(change->field->name);

	*ret = (struct set_field){change->field, name, member_of(update->symbolic, name),
				  member_of(update->resolved, name)};
	return true;
}

bool unfinished_note_update(struct object *object, const struct unfinished_update *update, int64_t wall_ms,
			    struct arena *arena)
{
	VALUE_BUILDER_AUTO applied;
	VALUE_BUILDER_AUTO resolved;

	value_builder_init(&applied);
	value_builder_init(&resolved);
	for (size_t i = 0; i < update->change_count; i++) {
		struct set_field set;

		if (!set_field_of(update, i, &set))
			continue;
		value_builder_set(&applied, set.name, set.symbolic ? *set.symbolic : value_null());
		value_builder_set(&resolved, set.name, set.resolved ? *set.resolved : value_null());
	}
	struct begun begun = {.applied = value_builder_map(&applied, arena),
			      .resolved = value_builder_map(&resolved, arena)};
	if (update->wanted_count > 0)
		begun.dependencies = dependencies_write(update->wanted, update->wanted_count, arena);
	return note(object, &begun, wall_ms, arena);
}

/* Secrets cannot be set back from a note, which has no more of them than a fingerprint. */
static struct value in_clear(const struct value *fields, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; value_is(fields, VALUE_MAP) && i < fields->count; i++)
		if (!value_has_secret(&fields->members[i].value) && !value_has_unread(&fields->members[i].value))
			value_builder_member(&builder, value_slice(&fields->members[i].key), fields->members[i].value);
	return builder.count > 0 ? value_builder_map(&builder, arena) : value_null();
}

bool unfinished_note_delete(struct object *object, const struct value *before, int64_t wall_ms, struct arena *arena)
{
	const struct begun begun = {.applied = value_map(NULL, 0),
				    .resolved = value_map(NULL, 0),
				    .before = in_clear(before, arena),
				    .leaves = true};

	return note(object, &begun, wall_ms, arena);
}

static void copy_members(struct value_builder *builder, const struct value *map)
{
	for (uint32_t i = 0; value_is(map, VALUE_MAP) && i < map->count; i++)
		value_builder_member(builder, value_slice(&map->members[i].key), map->members[i].value);
}

bool unfinished_take_more(struct object *object, const struct unfinished_update *update, struct arena *arena)
{
	const struct value unknown = value_unread();
	bool taken = false;
	VALUE_BUILDER_AUTO applied;
	VALUE_BUILDER_AUTO resolved;

	value_builder_init(&applied);
	value_builder_init(&resolved);
	copy_members(&applied, &object->applied);
	copy_members(&resolved, &object->resolved);
	for (size_t i = 0; i < update->change_count; i++) {
		struct set_field set;

		if (!set_field_of(update, i, &set) || !set.symbolic || !set.resolved)
			continue;
		const struct value *known = member_of(&object->resolved, set.name);
		bool blind = (set.field->flags & WRITE_ONLY) && !made_has_seen(set.field);
		if (known && (!blind || value_is(known, VALUE_UNREAD)))
			continue;
		value_builder_set(&applied, set.name, blind ? unknown : *set.symbolic);
		value_builder_set(&resolved, set.name, blind ? unknown : *set.resolved);
		taken = true;
	}
	if (!taken)
		return false;
	object->applied = value_builder_map(&applied, arena);
	object->resolved = value_builder_map(&resolved, arena);
	return true;
}

void unfinished_end(struct object *object)
{
	object->unfinished = value_null();
}

bool unfinished_is(const struct object *object)
{
	return object->has_body && value_is(&object->unfinished, VALUE_MAP);
}

bool unfinished_leaves(const struct object *object)
{
	return value_is_true(value_get_named(&object->unfinished, LEAVES));
}

const struct value *unfinished_resolved(const struct object *object)
{
	const struct value *resolved = value_get_named(&object->unfinished, RESOLVED);

	return value_is(resolved, VALUE_MAP) ? resolved : NULL;
}

const struct value *unfinished_applied(const struct object *object)
{
	return value_get_named(&object->unfinished, APPLIED);
}

size_t unfinished_wanted(const struct object *object, struct arena *arena, const struct dependency **ret)
{
	const struct value *list = value_get_named(&object->unfinished, DEPENDENCIES);
	struct dependency *dependencies;

	if (!value_is(list, VALUE_LIST) || !dependencies_read(list, arena, &dependencies))
		return 0;
	*ret = dependencies;
	return list->count;
}

const struct value *unfinished_owed(const struct object *object)
{
	return member_of(&object->unfinished, SLICE(OWED));
}

/* The map with name set to value, or without it; null where nothing is left. */
static struct value with(const struct value *map, struct slice name, const struct value *value, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; map && i < map->count; i++)
		if (!slice_equal(value_slice(&map->members[i].key), name))
			value_builder_member(&builder, value_slice(&map->members[i].key), map->members[i].value);
	if (value && !value_is(value, VALUE_NULL))
		value_builder_member(&builder, name, *value);
	return builder.count > 0 ? value_builder_map(&builder, arena) : value_null();
}

void unfinished_put_wanted(struct object *object, const struct dependency *wanted, size_t count, struct arena *arena)
{
	struct value all = dependencies_write(wanted, count, arena);

	object->unfinished = with(&object->unfinished, SLICE(DEPENDENCIES), &all, arena);
}

void unfinished_owe(struct object *object, struct slice name, const struct value *value, struct arena *arena)
{
	struct value all = with(unfinished_owed(object), name, value, arena);

	object->unfinished = with(&object->unfinished, SLICE(OWED), &all, arena);
}

const struct value *unfinished_before(const struct object *object)
{
	return member_of(&object->unfinished, SLICE(BEFORE));
}

void unfinished_forget_before(struct object *object, struct slice name, struct arena *arena)
{
	struct value all = with(unfinished_before(object), name, NULL, arena);

	object->unfinished = with(&object->unfinished, SLICE(BEFORE), &all, arena);
}

struct slice unfinished_names(const struct value *fields, struct arena *arena)
{
	BUFFER_AUTO names;

	buffer_init(&names, FIELDS_LARGEST_BYTES);
	for (uint32_t i = 0; fields && i < fields->count; i++)
		buffer_format(&names, "%s%.*s", i > 0 ? ", " : "",
			      SLICE_ARGUMENTS(value_slice(&fields->members[i].key)));
	return arena_copy(arena, buffer_slice(&names));
}

bool unfinished_is_young(const struct object *object, int64_t now_ms, int64_t grace_ms)
{
	const struct value *since = value_get_named(&object->unfinished, SINCE);

	/* A clock that was set back since tells nothing. */
	return since && value_is(since, VALUE_INTEGER) && now_ms >= since->integer &&
	       now_ms - since->integer < grace_ms;
}
