#include "reconcile/unfinished.h"

#include "reconcile/diff_field.h"
#include "reconcile/made.h"
#include "reconcile/own_items.h"
#include "reconcile/secret_marks.h"
#include "reconcile/secret_places.h"
#include "reconcile/unfinished_agreed.h"
#include "reconcile/unfinished_moved.h"
#include "reconcile/unfinished_outputs.h"
#include "reconcile/unfinished_take.h"
#include "reconcile/unset.h"

/* Of an object that is being settled. */
struct settling {
	struct object *object;
	const struct unfinished_reading *reading;
	struct run_secrets secrets;
	struct arena *arena;
	const struct value *models[4]; /* of marks, see secret_marks.h; the last is what is there */
	size_t model_count;
	struct value live; /* MAP, as it would be recorded */
	bool taken;
};

/* value of a field with the marks of all that is known: a text that is marked where it was read may be said in clear by
 * the spec. */
static struct value sealed(const struct settling *settling, const struct field *field, const struct value *value)
{
	struct value_member member = {value_text(field->name), *value};
	const struct value one = value_map(&member, 1);
	const struct value marked =
		secret_marks_put(settling->arena, settling->secrets, &settling->reading->kind->fields, &one,
				 settling->models, settling->model_count);

	return json_seal(settling->arena, &marked.members[0].value, settling->secrets.style);
}

static bool differs(const struct settling *settling, const struct field *field, const struct value *recorded,
		    const struct value *live)
{
	struct value told = sealed(settling, field, recorded);

	return diff_field(field, &told, live) == UNLIKE;
}

static bool is_same(const struct value *a, const struct value *b)
{
	return a && b ? value_equal(a, b) : a == b;
}

static void put(struct settling *settling, struct value *map, struct slice name, const struct value *value)
{
	const struct value *given = value_if_set(value);
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	if (is_same(value_get_given(map, name), given))
		return;
	for (uint32_t i = 0; map->type == VALUE_MAP && i < map->count; i++)
		if (!slice_equal(value_slice(&map->members[i].key), name))
			value_builder_member(&builder, value_slice(&map->members[i].key), map->members[i].value);
	if (given)
		value_builder_member(&builder, name, *given);
	*map = value_builder_map(&builder, settling->arena);
	settling->taken = true;
}

/*
 * What takes a call of its own, and is not set any more, is not read again, and would seem to have gone. Everything
 * else that is recorded as set is recorded as seen, too.
 */
static void put_observed(struct settling *settling, const struct field *field, const struct value *value)
{
	const struct unfinished_reading *reading = settling->reading;
	struct object *object = settling->object;
	struct slice name = slice_of(field->name);
	const struct value_member one = {value_text(field->name), value ? *value : value_null()};
	const struct value fields = value_map(&one, 1);
	bool is_apart = reading->provider->needs_detail(reading->kind, &fields);

	put(settling, &object->observed, name, is_apart && !value_get_given(&object->resolved, name) ? NULL : value);
}

/* What a field that the update sets is to show in the end; null: nothing. */
static struct value goal_of(const struct settling *settling, const struct field *field, const struct value *resolved,
			    const struct value *recorded)
{
	struct value goal = unset_goal(field, resolved, recorded, settling->arena);

	return sealed(settling, field, &goal);
}

static bool takes_steps(const struct settling *settling, const struct field *field)
{
	const struct unfinished_reading *reading = settling->reading;
	const struct value *resolved = unfinished_resolved(settling->object);

	return reading->provider->takes_steps && reading->provider->takes_steps(reading->kind, field, resolved);
}

/* No read tells whether it was done: recorded is that nobody knows, so that what is wanted now is sent once more. */
static void settle_blind(struct settling *settling, struct slice name, const struct value *resolved,
			 const struct value *recorded)
{
	const struct value unknown = value_unread();

	if (is_same(recorded, resolved))
		return;
	put(settling, &settling->object->applied, name, &unknown);
	put(settling, &settling->object->resolved, name, &unknown);
}

/* Whether a read tells nothing of the field, as others have taken the object from where it is to be (read_by). Where
 * the run itself was to take it elsewhere, what it has given up by then is its own doing. */
static bool is_out_of_sight(const struct settling *settling, const struct field *field)
{
	const struct value *goal, *was;

	if (!field->read_by)
		return false;
	const struct slice name = slice_of(field->read_by);
	goal = value_get_given(unfinished_resolved(settling->object), name);
	was = value_get_given(&settling->object->resolved, name);
	if (!goal)
		goal = was;
	return goal && (!was || is_same(was, goal)) && !is_same(value_get_given(&settling->live, name), goal);
}

/* Whether all that was to become of the field is there. resolved: also what it goes back to, where it is not set. */
static bool settle_field(struct settling *settling, const struct field *field, const struct value *applied,
			 const struct value *resolved)
{
	struct object *object = settling->object;
	struct slice name = slice_of(field->name);
	const struct value *recorded = value_get_given(&object->resolved, name);
	const struct value *live = value_get_given(&settling->live, name);
	const struct value whole = goal_of(settling, field, resolved, recorded), *goal = value_if_set(&whole);
	const struct value *set = applied ? resolved : NULL;
	bool in_steps = takes_steps(settling, field);
	if (is_out_of_sight(settling, field))
		return false;
	if (made_has_seen(field)) {
		const struct value *known =
			made_known(field, recorded, value_get_given(&object->observed, name), settling->arena);
		live = made_now(field, goal, known, live, settling->arena);
	} else if (field->flags & WRITE_ONLY) {
		settle_blind(settling, name, set, recorded);
		return false;
	}
	struct unfinished_part parts[] = {
		{field, value_get_given(&object->applied, name), applied, recorded, goal, live, in_steps},
		{field, recorded, set, recorded, goal, live, in_steps},
		{field, value_get_given(&object->observed, name), live, recorded, goal, live, in_steps},
	};
	struct value values[sizeof(parts) / sizeof(parts[0])];

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		values[i] = unfinished_take(&parts[i], settling->arena);
	/* What refers to others cannot be told part by part: it is recorded by what it referred to. */
	bool refers = value_has_deferred(parts[0].recorded) || value_has_deferred(parts[0].target);
	if (refers && !unfinished_has_arrived(&parts[0]) && !(recorded && value_equal(recorded, &values[1])))
		values[0] = values[1];
	bool emptied = unfinished_is_emptied(&parts[1], parts[2].recorded, &values[2]);
	for (size_t i = 0; emptied && i < sizeof(values) / sizeof(values[0]); i++)
		values[i] = value_is(&values[i], VALUE_NULL) ? value_list(NULL, 0) : values[i];
	put(settling, &object->applied, name, &values[0]);
	put(settling, &object->resolved, name, &values[1]);
	put_observed(settling, field, &values[2]);
	if (unfinished_has_arrived(&parts[0]))
		put(settling, &object->let_go, name, NULL);
	return unfinished_has_arrived(&parts[0]);
}

/* Of what the spec sets the record follows. What it leaves to others stays recorded as it says. */
static bool is_heeded(const struct settling *settling, const struct field *field)
{
	const struct resource *resource = settling->reading->resource;
	const struct object *object = settling->object;
	struct slice name = slice_of(field->name);
	bool ignored = resource ? resource_leaves(resource, name) : ignored_has(&object->ignored, name);

	return value_get_given(&object->resolved, name) && !ignored;
}

static void put_whole(struct settling *settling, const struct field *field, const struct value *value)
{
	struct slice name = slice_of(field->name);

	if (is_heeded(settling, field)) {
		put(settling, &settling->object->applied, name, value);
		put(settling, &settling->object->resolved, name, value);
	}
	put_observed(settling, field, value);
}

/* Whether all is again as it was before the update switched it off. */
static bool settle_owed(struct settling *settling, const struct kind *kind)
{
	const struct value *owed = unfinished_owed(settling->object);
	uint32_t left = owed ? owed->count : 0;

	for (uint32_t i = 0; owed && i < owed->count; i++) {
		struct slice name = value_slice(&owed->members[i].key);
		const struct field *field = field_named(&kind->fields, name);
		const struct value *live = value_get_given(&settling->live, name);

		if (field && diff_field(field, &owed->members[i].value, live) != LIKE)
			continue;
		if (field)
			put_whole(settling, field, live);
		unfinished_owe(settling->object, name, NULL, settling->arena);
		settling->taken = true;
		left--;
	}
	return left == 0;
}

/* How it was before the update: an older program has not noted that, and the record may say otherwise. */
static const struct value *former_of(const struct object *object, struct slice name)
{
	const struct value *switched = unfinished_switched(object);
	const struct value *recorded = value_get_given(&object->resolved, name);

	if (switched)
		return value_get_given(switched, name);
	return recorded ? recorded : value_get_given(&object->observed, name);
}

/*
 * What the update does not set, but switches off as long as it is under way, because it rests on what is set. How it
 * was is not recorded any more, or never was as something to be brought about: the note keeps that.
 */
static bool settle_beside(struct settling *settling, const struct field *field)
{
	struct object *object = settling->object;
	struct slice name = slice_of(field->name);
	const struct value *former = former_of(object, name);
	const struct unfinished_part part = {.field = field,
					     .recorded = former,
					     .former = former,
					     .live = value_get_given(&settling->live, name),
					     .in_steps = true};

	if ((field->flags & WRITE_ONLY) || !takes_steps(settling, field) || !unfinished_is_between(&part))
		return true;
	unfinished_owe(object, name, former, settling->arena);
	put_whole(settling, field, part.live);
	settling->taken = true;
	return false;
}

/* Of a set nothing may be left, all of its items were taken away. */
static bool names_nothing(const struct value *taken)
{
	return !taken || (value_is(taken, VALUE_LIST) && taken->count == 0);
}

/*
 * What a field refers to comes into the record with it. before: MAP of the fields, as they were recorded. Of a field
 * that was settled in part, what it referred to until then stays, too, unless nothing is left in it.
 */
static void settle_dependencies(struct settling *settling, const struct value *before)
{
	struct object *object = settling->object;
	const struct value *goal = unfinished_applied(object);
	const struct dependency *wanted = NULL;
	size_t wanted_count = unfinished_wanted(object, settling->arena, &wanted), count = 0;
	struct dependency *all =
		arena_new_array(settling->arena, object->dependency_count + wanted_count + 1, struct dependency);

	for (size_t i = 0; i < object->dependency_count; i++) {
		struct slice name = object->dependencies[i].field;
		const struct value *taken = value_get_given(&object->applied, name);

		if (is_same(taken, value_get_given(before, name)) ||
		    (!is_same(taken, value_get_given(goal, name)) && !names_nothing(taken)))
			all[count++] = object->dependencies[i];
	}
	for (size_t i = 0; i < wanted_count; i++) {
		struct slice name = wanted[i].field;
		const struct value *taken = value_get_given(&object->applied, name);

		if (!is_same(taken, value_get_given(before, name)) && !names_nothing(taken) &&
		    !dependencies_have(all, count, &wanted[i]))
			all[count++] = wanted[i];
	}
	object->dependencies = all;
	object->dependency_count = count;
}

static bool settle_update(struct settling *settling, const struct kind *kind)
{
	const struct value *applied = unfinished_applied(settling->object);
	const struct value *resolved = unfinished_resolved(settling->object);
	const struct value *owed = unfinished_owed(settling->object);
	const struct value before = settling->object->applied;
	bool whole = settle_owed(settling, kind);

	for (uint32_t i = 0; resolved && i < resolved->count; i++) {
		struct slice name = value_slice(&resolved->members[i].key);
		const struct field *field = field_named(&kind->fields, name);

		if (field && !value_get_given(owed, name))
			whole &= settle_field(settling, field, value_get_given(applied, name),
					      value_get_given(resolved, name));
	}
	for (size_t i = 0; resolved && i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);

		if (!value_get_named(resolved, field->name) && !value_get_named(owed, field->name))
			whole &= settle_beside(settling, field);
	}
	settle_dependencies(settling, &before);
	return whole;
}

/* Nobody knows what a spec that is not at hand leaves to others. */
static bool is_left_to_others(const struct settling *settling, const struct field *field)
{
	const struct resource *resource = settling->reading->resource;

	return (field->flags & OBSERVED) || !resource || resource_leaves(resource, slice_of(field->name));
}

/* Keeps, of the values from before a deletion, those that no spec brings back, until they are set again. */
static void settle_before(struct settling *settling, const struct kind *kind)
{
	const struct value *before = unfinished_before(settling->object);
	const struct value *known = unfinished_left(settling->object);

	if (!before)
		return;
	VALUE_BUILDER_AUTO kept, left;
	value_builder_init(&kept);
	value_builder_init(&left);
	for (uint32_t i = 0; i < before->count; i++) {
		const struct value_member *member = &before->members[i];
		const struct field *field = field_named(&kind->fields, value_slice(&member->key));
		const struct value *live = value_get_given(&settling->live, value_slice(&member->key));

		/* How the deletion left it is not known then: that is for the next time. */
		if (live && value_has_unread(live))
			return;
		if (!field || !is_left_to_others(settling, field) ||
		    !unfinished_is_moved(field, &member->value, known, live, settling->arena))
			continue;
		value_builder_member(&kept, value_slice(&member->key), member->value);
		if (live)
			value_builder_member(&left, value_slice(&member->key), *live);
	}
	struct value all = value_builder_map(&kept, settling->arena), gone = value_builder_map(&left, settling->arena);
	unfinished_put_before(settling->object, &all, known ? known : &gone, settling->arena);
	settling->taken |= all.count > 0 && !known;
}

/* Before something is deleted it is let go of, emptied or switched off: whatever has moved, the deletion moved. */
static void settle_leaving(struct settling *settling, const struct kind *kind)
{
	struct object *object = settling->object;

	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);
		struct slice name = slice_of(field->name);
		const struct value *live = value_get_given(&settling->live, name);

		if ((field->flags & (WRITE_ONLY | OBSERVED)) || (live && value_has_unread(live)) ||
		    (settling->reading->resource && is_left_to_others(settling, field)))
			continue;
		struct unfinished_part parts[] = {
			{.field = field, .recorded = value_get_given(&object->applied, name), .live = live},
			{.field = field, .recorded = value_get_given(&object->resolved, name), .live = live},
		};
		if (!parts[1].recorded || !differs(settling, field, parts[1].recorded, live))
			continue;
		struct value symbolic = unfinished_take(&parts[0], settling->arena),
			     resolved = unfinished_take(&parts[1], settling->arena);
		const struct value *left = differs(settling, field, &resolved, live) ? NULL : &resolved;
		/* What refers to something else says nothing of what is there then: that stands in its place. */
		bool is_said = !differs(settling, field, &symbolic, live);
		if (!value_get_given(&object->let_go, name))
			put(settling, &object->let_go, name, parts[0].recorded);
		/* A call that attaches it there may come late: that is its own place still. */
		if (own_is_attachment(field) && !value_if_set(left))
			put(settling, &object->own, name, parts[1].recorded);
		put(settling, &object->applied, name, is_said ? &symbolic : left);
		put(settling, &object->resolved, name, left);
		put_observed(settling, field, live);
	}
	settling->taken |= unfinished_agree(object, settling->reading->resource, settling->arena);
}

static void take_outputs(const struct settling *settling)
{
	struct object *object = settling->object;
	const struct value *live = &settling->reading->live->outputs;
	const struct value taken = unfinished_outputs(object, settling->reading->kind, live, settling->arena);

	const struct value marked =
		secret_marks_put_outputs(settling->arena, settling->secrets.style, settling->reading->kind, &taken,
					 settling->models, settling->model_count);

	object->outputs = json_seal(settling->arena, &marked, settling->secrets.style);
	object->outputs_digest = digest_of(json_canonical(settling->arena, &object->outputs, settling->secrets.style));
}

static bool is_any_unread(const struct value *live, const struct value *fields)
{
	for (uint32_t i = 0; fields && i < fields->count; i++) {
		const struct value *value = value_get(live, value_slice(&fields->members[i].key));
		if (value && value_is(value, VALUE_UNREAD))
			return true;
	}
	return false;
}

struct unfinished_outcome unfinished_settle(struct object *object, const struct unfinished_reading *reading,
					    struct run_secrets secrets, struct arena *arena)
{
	const struct kind *kind = reading->kind;
	const struct live *live = reading->live;
	const struct value *resolved = unfinished_resolved(object);
	struct settling settling = {.object = object,
				    .reading = reading,
				    .secrets = secrets,
				    .arena = arena,
				    .models = {&object->resolved, &object->observed, resolved, &live->fields},
				    .model_count = resolved ? 4 : 0};
	const struct value *known[] = {&object->resolved, &object->observed, resolved, unfinished_before(object),
				       reading->resource ? &reading->resource->desired : NULL};
	const size_t count = sizeof(known) / sizeof(known[0]);
	bool leaves = unfinished_is_deletion(object), whole = false;

	if (live->presence != PRESENCE_PRESENT)
		return (struct unfinished_outcome){.taken = leaves && live->presence != PRESENCE_UNREAD,
						   .whole = live->presence == PRESENCE_ABSENT};
	struct value marked = secret_marks_put(arena, secrets, &kind->fields, &live->fields, known, count);
	marked = secret_places_hide(arena, secrets.style, &kind->fields, &marked, settling.models,
				    resolved ? SECRET_PLACES_MODELS_MOST : 0);
	settling.live = json_seal(arena, &marked, secrets.style);
	settle_before(&settling, kind);
	/* What an update switched off is still to be switched on again, should the deletion have come to nothing. */
	if (leaves) {
		settle_leaving(&settling, kind);
		(void)settle_owed(&settling, kind);
	} else {
		whole = settle_update(&settling, kind) && unfinished_outputs_follow(kind, live);
	}
	if (settling.taken) {
		take_outputs(&settling);
		/* The record is of no spec's form any more. */
		object->symbolic = (struct digest){0};
	}
	return (struct unfinished_outcome){.taken = settling.taken,
					   .whole = whole && !unfinished_before(object),
					   .owes = unfinished_owed(object) || unfinished_before(object),
					   .at_it = live->readiness == READY_PENDING,
					   .unread = is_any_unread(&live->fields, resolved)};
}
