#include "reconcile/unfinished.h"

#include "reconcile/diff_field.h"
#include "reconcile/secret_marks.h"
#include "reconcile/unset.h"

/*
 * Whether what a call was to do is there. Its note says what the call that was sent last does to fields, where the
 * provider can tell; then nothing else counts. Else all that is to become of the object has to be there: as long as any
 * of it is missing, the call that is open may be what is missing. So it is with calls that only prepare another (a
 * stop, a detachment), which no field tells from what others may have done.
 */

/* A field, with what a call was to bring or to take away, and what is there. */
struct touched {
	const struct field *field;
	const struct value *goal, *live;
};

static bool have_keys_come(const struct touched *touched)
{
	for (uint32_t i = 0; i < touched->goal->count; i++) {
		const struct value_member *member = &touched->goal->members[i];
		const struct value *now = value_get(touched->live, value_slice(&member->key));

		if (diff_field(touched->field->item, &member->value, now) != LIKE)
			return false;
	}
	return true;
}

static bool have_items_come(const struct touched *touched, struct arena *arena)
{
	const struct value *goal = touched->goal;
	struct diff_index index;
	bool all = true;

	diff_index_init(&index, touched->field, touched->live, arena);
	for (uint32_t i = 0; all && i < goal->count; i++) {
		const struct value *now = diff_index_find(&index, &goal->items[i]);

		all = now && diff_field(touched->field->item, &goal->items[i], now) == LIKE;
	}
	diff_index_release(&index);
	return all;
}

static bool has_come(const struct touched *touched, struct arena *arena)
{
	if (touched->field->flags & WRITE_ONLY)
		return false;
	if (touched->field->type == FIELD_MAP && value_is(touched->goal, VALUE_MAP))
		return have_keys_come(touched);
	if (touched->field->type == FIELD_SET && value_is(touched->goal, VALUE_LIST))
		return have_items_come(touched, arena);
	return diff_field(touched->field, touched->goal, touched->live) == LIKE;
}

static bool have_keys_gone(const struct touched *touched)
{
	for (uint32_t i = 0; i < touched->goal->count; i++)
		if (value_get_given(touched->live, value_slice(&touched->goal->members[i].key)))
			return false;
	return true;
}

static bool have_items_gone(const struct touched *touched, struct arena *arena)
{
	struct diff_index index;
	bool all = true;

	diff_index_init(&index, touched->field, touched->live, arena);
	for (uint32_t i = 0; all && i < touched->goal->count; i++)
		all = !diff_index_find(&index, &touched->goal->items[i]);
	diff_index_release(&index);
	return all;
}

static bool has_gone(const struct touched *touched, struct arena *arena)
{
	if ((touched->field->flags & WRITE_ONLY) || (touched->live && value_has_unread(touched->live)))
		return false;
	return value_is(touched->goal, VALUE_MAP) ? have_keys_gone(touched) : have_items_gone(touched, arena);
}

/* What the field is to show in the end: what is not said of it any more goes with what comes. */
static const struct value *goal_of(const struct object *object, const struct field *field, const struct value *comes,
				   struct arena *arena)
{
	struct value *goal = arena_new(arena, struct value);

	*goal = unset_goal(field, value_if_set(comes), value_get_named(&object->resolved, field->name), arena);
	return goal;
}

/* As unfinished_effect() tells it; live: MAP of fields. */
struct effect {
	const struct value *comes, *goes;
	const struct value *live;
};

/* goal: as the note has it. */
static struct touched touched_of(const struct kind *kind, const struct effect *effect,
				 const struct value_member *member)
{
	struct slice name = value_slice(&member->key);

	return (struct touched){field_named(&kind->fields, name), &member->value, value_get_given(effect->live, name)};
}

static bool is_there(const struct object *object, const struct kind *kind, const struct effect *effect,
		     struct arena *arena)
{
	for (uint32_t i = 0; i < effect->comes->count; i++) {
		struct touched touched = touched_of(kind, effect, &effect->comes->members[i]);

		if (!touched.field)
			return false;
		touched.goal = goal_of(object, touched.field, touched.goal, arena);
		if (!has_come(&touched, arena))
			return false;
	}
	for (uint32_t i = 0; i < effect->goes->count; i++) {
		const struct touched touched = touched_of(kind, effect, &effect->goes->members[i]);

		if (!touched.field || !has_gone(&touched, arena))
			return false;
	}
	return true;
}

/* A secret has its mark in one of these alone: as the spec says it, as it was read, or as the record has it. */
static struct value sealed(const struct value *value, const struct object *object, const struct value *comes,
			   const struct unfinished_reading *reading, struct run_secrets secrets, struct arena *arena)
{
	const struct value *models[] = {&object->resolved, &object->observed, comes, &reading->live->fields};
	const struct value marked = secret_marks_put(arena, secrets, &reading->kind->fields, value, models,
						     sizeof(models) / sizeof(models[0]));

	return json_seal(arena, &marked, secrets.style);
}

static bool bears_its_tags(const struct object *object, const struct ownership *now)
{
	return !now->is_stripped && slice_equal(now->object_id, object->object_id) &&
	       slice_equal(now->address, slice_first(object->address, ADDRESS_TAG_MOST));
}

/*
 * Whether there is anything by which a look could tell that all is there. A record from before there were notes has
 * nothing, nor has that of an object which is being made: what a later run goes on to set of it may be otherwise there.
 */
static bool can_be_told(const struct object *object)
{
	const struct value *resolved = unfinished_resolved(object);

	return resolved && !unfinished_is_deletion(object) && (unfinished_sets_tags(object) || resolved->count > 0);
}

static bool is_shown(const struct object *object, struct slice operation, const struct unfinished_reading *reading,
		     struct run_secrets secrets, struct arena *arena)
{
	const struct live *live = reading->live;
	const struct value *comes, *goes;

	if (unfinished_effect(object, operation, &comes, &goes)) {
		const struct value now = sealed(&live->fields, object, comes, reading, secrets, arena);
		const struct value goal = sealed(comes, object, comes, reading, secrets, arena);
		const struct effect effect = {.comes = &goal, .goes = goes, .live = &now};

		return is_there(object, reading->kind, &effect, arena);
	}
	if (!can_be_told(object) || (unfinished_sets_tags(object) && !bears_its_tags(object, &live->ownership)))
		return false;
	/* What is settled in the copy is recorded nowhere. */
	struct object tried = *object;
	return unfinished_settle(&tried, reading, secrets, arena).whole;
}

/* What is there, taking what could not be read for what it is to be. goal: NULL: nothing of it is to come. */
static struct value suppose(const struct value *live, const struct value *goal, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	if (!value_has_unread(live))
		return *live;
	if (live->type != VALUE_MAP)
		return goal ? *goal : value_null();
	for (uint32_t i = 0; i < live->count; i++) {
		struct slice name = value_slice(&live->members[i].key);

		value_builder_member(&builder, name, suppose(&live->members[i].value, value_get(goal, name), arena));
	}
	return value_builder_map(&builder, arena);
}

/* The same of all fields, but for those that no read will ever tell there. */
static struct value suppose_fields(const struct object *object, struct slice operation,
				   const struct unfinished_reading *reading, struct arena *arena)
{
	const struct live *live = reading->live;
	const struct value *comes, *goes;
	bool told = unfinished_effect(object, operation, &comes, &goes);
	/* What was switched off for it is to be as it was, too. */
	const struct value all =
		told ? *comes : value_overlaid(unfinished_resolved(object), unfinished_owed(object), arena);
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; i < live->fields.count; i++) {
		struct slice name = value_slice(&live->fields.members[i].key);
		const struct field *field = field_named(&reading->kind->fields, name);
		const struct value *to_come = value_get(&all, name), *is = &live->fields.members[i].value;
		const struct value *goal = field && to_come ? goal_of(object, field, to_come, arena) : NULL;
		bool unsupported = value_get(&live->unsupported, name) != NULL;

		value_builder_member(&builder, name, unsupported ? *is : suppose(is, goal, arena));
	}
	return value_builder_map(&builder, arena);
}

enum call_shown unfinished_shows(const struct object *object, struct slice operation,
				 const struct unfinished_reading *reading, struct run_secrets secrets,
				 struct arena *arena)
{
	if (reading->live->presence != PRESENCE_PRESENT)
		return SHOWS_NOTHING;
	if (is_shown(object, operation, reading, secrets, arena))
		return SHOWS_DONE;
	if (!value_has_unread(&reading->live->fields))
		return SHOWS_NOTHING;
	struct live supposed = *reading->live;
	struct unfinished_reading supposing = *reading;

	supposed.fields = suppose_fields(object, operation, reading, arena);
	supposing.live = &supposed;
	return is_shown(object, operation, &supposing, secrets, arena) ? SHOWS_UNREAD : SHOWS_NOTHING;
}
