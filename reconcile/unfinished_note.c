#include "reconcile/unfinished.h"

#include "base/buffer.h"
#include "reconcile/diff_field.h"
#include "reconcile/made.h"
#include "reconcile/schema.h"

/* The note of what was begun: the members of object.unfinished. */
#define APPLIED "applied"
#define BEFORE "before"
#define CALL "call"
#define COMES "comes"
#define DEPENDENCIES "dependencies"
#define RESOLVED "resolved"
#define GOES "goes"
#define LEAVES "leaves"
#define LEFT "left"
#define OPERATION "operation"
#define OWED "owed"
#define SINCE "since"
#define SWITCHED "switched"
#define TAGS "tags"

enum {
	FIELDS_LARGEST_BYTES = 4096,
	/* The record is not written anew for each of many quick calls. */
	RENEWED_AFTER_MS = 1000,
};

bool unfinished_is_sound(const struct value *note, struct arena *arena)
{
	static const struct {
		const char *name;
		enum value_type type;
	} members[] = {
		{APPLIED, VALUE_MAP},	{BEFORE, VALUE_MAP},   {CALL, VALUE_MAP},  {DEPENDENCIES, VALUE_LIST},
		{LEAVES, VALUE_BOOL},	{LEFT, VALUE_MAP},     {OWED, VALUE_MAP},  {RESOLVED, VALUE_MAP},
		{SINCE, VALUE_INTEGER}, {SWITCHED, VALUE_MAP}, {TAGS, VALUE_BOOL},
	};
	const struct value *wanted, *since;
	struct dependency *dependencies;

	if (!value_if_set(note))
		return true;
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const struct value *member = value_if_set(value_get_named(note, members[i].name));

		if (member && member->type != members[i].type)
			return false;
	}
	wanted = value_get_given(note, SLICE(DEPENDENCIES));
	since = value_get_given(note, SLICE(SINCE));
	return value_is(note, VALUE_MAP) && (!since || since->integer >= 0) &&
	       (!wanted || dependencies_read(wanted, arena, &dependencies));
}

bool unfinished_change_fields(struct value *note, unfinished_fields *change, void *context, struct arena *arena)
{
	static const char *const fields[] = {APPLIED, BEFORE, COMES, GOES, LEFT, OWED, RESOLVED, SWITCHED};
	struct value_member *members;
	bool changed = false;

	if (!value_is(note, VALUE_MAP))
		return false;
	members = arena_new_array(arena, note->count, struct value_member);
	for (uint32_t i = 0; i < note->count; i++) {
		members[i] = note->members[i];
		if (slice_is(value_slice(&members[i].key), CALL))
			changed |= unfinished_change_fields(&members[i].value, change, context, arena);
		for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++)
			if (slice_is(value_slice(&members[i].key), fields[k]))
				changed |= change(context, &members[i].value);
	}
	note->members = members;
	return changed;
}

/* Of what was begun. */
struct begun {
	struct value applied, resolved;
	struct value before, dependencies; /* null where there are none */
	bool leaves, tags;
};

static bool note(struct object *object, const struct begun *begun, int64_t wall_ms, struct arena *arena)
{
	const struct value *known = value_get_named(&object->unfinished, RESOLVED);
	const struct value *owed = unfinished_owed(object), *left = unfinished_left(object);
	const struct value *switched = unfinished_switched(object);
	const struct value *before = begun->leaves ? value_if_set(&begun->before) : unfinished_before(object);
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	if (known && begun->leaves == unfinished_is_deletion(object) && begun->tags == unfinished_sets_tags(object) &&
	    value_equal(known, &begun->resolved) && !(begun->leaves && left))
		return false;
	value_builder_member(&builder, SLICE(APPLIED), begun->applied);
	if (before)
		value_builder_member(&builder, SLICE(BEFORE), *before);
	if (value_is(&begun->dependencies, VALUE_LIST))
		value_builder_member(&builder, SLICE(DEPENDENCIES), begun->dependencies);
	value_builder_member(&builder, SLICE(LEAVES), value_bool(begun->leaves));
	if (before && left && !begun->leaves)
		value_builder_member(&builder, SLICE(LEFT), *left);
	if (owed)
		value_builder_member(&builder, SLICE(OWED), *owed);
	value_builder_member(&builder, SLICE(RESOLVED), begun->resolved);
	value_builder_member(&builder, SLICE(SINCE), value_integer(wall_ms));
	if (switched && !begun->leaves)
		value_builder_member(&builder, SLICE(SWITCHED), *switched);
	if (begun->tags)
		value_builder_member(&builder, SLICE(TAGS), value_bool(true));
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

	*ret = (struct set_field){change->field, name, value_get_given(update->symbolic, name),
				  value_get_given(update->resolved, name)};
	return true;
}

bool unfinished_note_update(struct object *object, const struct unfinished_update *update, int64_t wall_ms,
			    struct arena *arena)
{
	VALUE_BUILDER_AUTO applied;
	VALUE_BUILDER_AUTO resolved;

	value_builder_init(&applied);
	value_builder_init(&resolved);
	bool tags = false;
	for (size_t i = 0; i < update->change_count; i++) {
		struct set_field set;

		tags |= change_is_of_tags(&update->changes[i]);
		if (!set_field_of(update, i, &set))
			continue;
		const struct value *constant = value_get_given(update->constants, set.name);
		/* What is owed stands there in place of what a spec says that leaves the field to others. */
		bool is_said = set.resolved && !(constant && value_get_given(unfinished_owed(object), set.name));
		const struct value *goal = is_said ? set.resolved : constant;
		value_builder_set(&applied, set.name, set.symbolic ? *set.symbolic : value_null());
		value_builder_set(&resolved, set.name, goal ? *goal : value_null());
	}
	struct begun begun = {.applied = value_builder_map(&applied, arena),
			      .resolved = value_builder_map(&resolved, arena),
			      .tags = tags};
	if (update->wanted_count > 0)
		begun.dependencies = dependencies_write(update->wanted, update->wanted_count, arena);
	return note(object, &begun, wall_ms, arena);
}

/* Sizes, what it is attached to, and parts: nothing else is taken off before something is deleted. */
static bool may_be_let_go_of(const struct field *field)
{
	return field->type == FIELD_INTEGER || field->type == FIELD_REFERENCE || (field->flags & SETTLES);
}

/* What is read comes without marks, and a record has no more of a secret than its fingerprint. */
static bool has_secret(const struct object *object, struct slice name, const struct value *live)
{
	const struct value *maps[] = {&object->applied, &object->resolved, &object->observed,
				      unfinished_resolved(object)};
	bool secret = value_has_secret(live);

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		const struct value *known = maps[i] ? value_get(maps[i], name) : NULL;

		secret |= known && value_has_secret(known);
	}
	return secret;
}

/* The fields that a note can bring back. What an earlier attempt has moved was otherwise before that. */
static struct value to_set_back(const struct object *object, const struct unfinished_reading *reading,
				struct arena *arena)
{
	const struct value *earlier = unfinished_before(object);
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (size_t i = 0; i < reading->kind->fields.count; i++) {
		const struct field *field = field_at(&reading->kind->fields, i);
		const struct value *live = value_get_given(&reading->live->fields, slice_of(field->name));

		if (live && may_be_let_go_of(field) && !value_has_unread(live) &&
		    !has_secret(object, slice_of(field->name), live))
			value_builder_member(&builder, slice_of(field->name), *live);
	}
	value_builder_overlay(&builder, earlier);
	return builder.count > 0 ? value_builder_map(&builder, arena) : value_null();
}

bool unfinished_note_delete(struct object *object, const struct unfinished_reading *before, int64_t wall_ms,
			    struct arena *arena)
{
	const struct begun begun = {.applied = value_map(NULL, 0),
				    .resolved = value_map(NULL, 0),
				    .before = to_set_back(object, before, arena),
				    .leaves = true};

	return note(object, &begun, wall_ms, arena);
}

/* What a field may be by then: the new value, or the former one, of whose items none is somebody else's yet. */
static struct value with_former(const struct field *field, const struct value *value, const struct value *former,
				struct arena *arena)
{
	struct diff_index index;
	VALUE_BUILDER_AUTO items;

	value_builder_init(&items);
	if (value_is(former, VALUE_MAP) && value_is(value, VALUE_MAP))
		return value_overlaid(former, value, arena);
	if (field->type != FIELD_SET || !value_is(former, VALUE_LIST) || !value_is(value, VALUE_LIST))
		return *value;
	diff_index_init(&index, field, value, arena);
	for (uint32_t i = 0; i < value->count; i++)
		value_builder_item(&items, value->items[i]);
	for (uint32_t i = 0; i < former->count; i++)
		if (!diff_index_find(&index, &former->items[i]))
			value_builder_item(&items, former->items[i]);
	diff_index_release(&index);
	const struct value list = value_builder_list(&items, arena);
	return schema_canonical(field, &list, arena);
}

bool unfinished_take_more(struct object *object, const struct unfinished_update *update, struct arena *arena)
{
	const struct value unknown = value_unread();
	bool taken = false;
	VALUE_BUILDER_AUTO applied;
	VALUE_BUILDER_AUTO resolved;

	value_builder_init(&applied);
	value_builder_init(&resolved);
	value_builder_members(&applied, &object->applied);
	value_builder_members(&resolved, &object->resolved);
	for (size_t i = 0; i < update->change_count; i++) {
		struct set_field set;

		if (!set_field_of(update, i, &set) || !set.symbolic || !set.resolved)
			continue;
		const struct value *known = value_get_given(&object->resolved, set.name);
		const struct value *said = value_get_given(&object->applied, set.name);
		bool blind = (set.field->flags & WRITE_ONLY) && !made_has_seen(set.field);
		/* A read gives it back in clear, and nothing else than the record tells that it is one. */
		bool hides = known && !blind && value_has_secret(set.resolved);
		const struct value symbolic =
			hides && said ? with_former(set.field, set.symbolic, said, arena) : *set.symbolic;
		const struct value whole = hides ? with_former(set.field, set.resolved, known, arena) : *set.resolved;
		bool stays = known && (!hides || value_equal(&whole, known));
		if (stays && (!blind || value_is(known, VALUE_UNREAD)))
			continue;
		value_builder_set(&applied, set.name, blind ? unknown : symbolic);
		value_builder_set(&resolved, set.name, blind ? unknown : whole);
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

bool unfinished_stay(struct object *object, struct arena *arena)
{
	static const char *const kept[] = {BEFORE, CALL, LEFT, OWED, SINCE};
	bool owes = unfinished_before(object) || unfinished_owed(object);

	if (!unfinished_is_deletion(object))
		return false;
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	value_builder_member(&builder, SLICE(LEAVES), value_bool(false));
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		const struct value *member = value_get_named(&object->unfinished, kept[i]);

		if (member)
			value_builder_member(&builder, slice_of(kept[i]), *member);
	}
	object->unfinished = owes ? value_builder_map(&builder, arena) : value_null();
	return true;
}

bool unfinished_has_note(const struct object *object)
{
	/* Of what is being made it tells the last call at most. */
	return value_is(value_get_named(&object->unfinished, LEAVES), VALUE_BOOL);
}

bool unfinished_is_deletion(const struct object *object)
{
	return value_is_true(value_get_named(&object->unfinished, LEAVES));
}

bool unfinished_sets_tags(const struct object *object)
{
	return value_is_true(value_get_named(&object->unfinished, TAGS));
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
	return value_get_given(&object->unfinished, SLICE(OWED));
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

/* A clock that was set back since tells nothing. */
static int64_t age_ms(const struct object *object, int64_t now_ms)
{
	const struct value *since = value_get_given(&object->unfinished, SLICE(SINCE));

	return since && now_ms >= since->integer ? now_ms - since->integer : INT64_MAX;
}

bool unfinished_is_young(const struct object *object, int64_t now_ms, int64_t grace_ms)
{
	return age_ms(object, now_ms) < grace_ms;
}

bool unfinished_renew(struct object *object, int64_t wall_ms, struct arena *arena)
{
	const struct value now = value_integer(wall_ms);

	if (!unfinished_has_note(object) || age_ms(object, wall_ms) <= RENEWED_AFTER_MS)
		return false;
	object->unfinished = with(&object->unfinished, SLICE(SINCE), &now, arena);
	return true;
}

bool unfinished_note_call(struct object *object, const struct call *call, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	if ((!unfinished_has_note(object) && object->role != OBJECT_INCOMPLETE) ||
	    (!call->comes && !value_get_given(&object->unfinished, SLICE(CALL))))
		return false;
	if (call->comes) {
		value_builder_member(&builder, SLICE(COMES), value_copy(arena, call->comes));
		value_builder_member(&builder, SLICE(GOES), value_copy(arena, call->goes));
		value_builder_member(&builder, SLICE(OPERATION), value_text(call->operation));
	}
	const struct value told = value_builder_map(&builder, arena);
	object->unfinished = with(&object->unfinished, SLICE(CALL), call->comes ? &told : NULL, arena);
	return true;
}

bool unfinished_is_off(const struct value *value)
{
	const struct value *set = value_if_set(value);

	return !set || (set->type == VALUE_BOOL && !set->boolean);
}

const struct value *unfinished_switched(const struct object *object)
{
	return value_get_given(&object->unfinished, SLICE(SWITCHED));
}

/* By the call that the note tells of, which was answered since. */
static bool is_on_again(const struct object *object, struct slice name, const struct value *now)
{
	const struct value *comes = value_get_named(value_get_named(&object->unfinished, CALL), COMES);

	return !unfinished_is_off(value_get_given(comes, name)) && !unfinished_is_off(value_get_given(now, name));
}

bool unfinished_note_switched(struct object *object, const struct value *comes, const struct value *now,
			      struct arena *arena)
{
	const struct value *known = unfinished_switched(object), *sets = unfinished_resolved(object);
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	if (!unfinished_has_note(object) || unfinished_is_deletion(object))
		return false;
	for (uint32_t i = 0; known && i < known->count; i++)
		if (!is_on_again(object, value_slice(&known->members[i].key), now))
			value_builder_member(&builder, value_slice(&known->members[i].key), known->members[i].value);
	for (uint32_t i = 0; comes && i < comes->count; i++) {
		struct slice name = value_slice(&comes->members[i].key);
		const struct value *former = value_get_given(now, name);

		if (unfinished_is_off(&comes->members[i].value) && !unfinished_is_off(former) && !value_get(sets, name))
			value_builder_set(&builder, name, value_copy(arena, former));
	}
	const struct value all = value_builder_map(&builder, arena);
	if (known && value_equal(known, &all))
		return false;
	object->unfinished = with(&object->unfinished, SLICE(SWITCHED), &all, arena);
	return true;
}

bool unfinished_effect(const struct object *object, struct slice operation, const struct value **ret_comes,
		       const struct value **ret_goes)
{
	const struct value *call = value_get_given(&object->unfinished, SLICE(CALL));

	*ret_comes = value_get_named(call, COMES);
	*ret_goes = value_get_named(call, GOES);
	return value_is(*ret_comes, VALUE_MAP) && value_is(*ret_goes, VALUE_MAP) &&
	       slice_equal(value_slice(value_get_named(call, OPERATION)), operation);
}

const struct value *unfinished_comes(const struct object *object)
{
	const struct value *comes = value_get_named(value_get_given(&object->unfinished, SLICE(CALL)), COMES);

	return value_is(comes, VALUE_MAP) ? comes : NULL;
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
	return value_get_given(&object->unfinished, SLICE(BEFORE));
}

const struct value *unfinished_left(const struct object *object)
{
	return value_get_given(&object->unfinished, SLICE(LEFT));
}

void unfinished_put_before(struct object *object, const struct value *before, const struct value *left,
			   struct arena *arena)
{
	bool any = before->count > 0;

	object->unfinished = with(&object->unfinished, SLICE(BEFORE), any ? before : NULL, arena);
	object->unfinished = with(&object->unfinished, SLICE(LEFT), any ? left : NULL, arena);
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
