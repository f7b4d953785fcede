#include "reconcile/unfinished.h"

#include "reconcile/diff_field.h"
#include "reconcile/made.h"
#include "reconcile/schema.h"
#include "reconcile/secret_marks.h"
#include "reconcile/secret_places.h"
#include "reconcile/unfinished_agreed.h"
#include "reconcile/unfinished_moved.h"
#include "reconcile/unfinished_outputs.h"
#include "reconcile/unset.h"

/*
 * One field or a part of it; NULL: not set. What is recorded becomes `target` where what is there is the goal, and what
 * is there where the update passes through that.
 */
struct part {
	const struct field *field;
	const struct value *recorded, *target;
	const struct value *former, *goal, *live; /* former: recorded, resolved */
	bool in_steps;				  /* provider.h */
};

static bool is_true(const struct part *part)
{
	return diff_field(part->field, part->goal, part->live) == LIKE;
}

static bool all_are(const struct part *part, enum value_type type)
{
	const struct value *all[] = {part->recorded, part->target, part->goal, part->live};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i] && !value_is(all[i], type))
			return false;
	return true;
}

static struct value or_null(const struct value *value)
{
	return value ? *value : value_null();
}

/* Switched off, to be given another value or to be switched on again. */
static bool is_between(const struct part *part)
{
	bool is_one = part->field->type != FIELD_LIST && part->field->type != FIELD_SET;

	return part->in_steps && is_one && !unfinished_is_off(part->former) && unfinished_is_off(part->live);
}

static struct value take_whole(const struct part *part)
{
	return or_null(is_true(part) ? part->target : is_between(part) ? part->live : part->recorded);
}

/* A member of a map or of an object; what is nested deeper counts as a whole. */
static void take_member(struct value_builder *builder, const struct part *part, struct slice name)
{
	const struct field *field =
		part->field->type == FIELD_MAP ? part->field->item : field_named(&part->field->members, name);
	const struct part member = {
		.field = field,
		.recorded = value_get_given(part->recorded, name),
		.target = value_get_given(part->target, name),
		.goal = value_get_given(part->goal, name),
		.live = value_get_given(part->live, name),
	};

	if (!field)
		return;
	struct value value = take_whole(&member);
	if (!value_is(&value, VALUE_NULL))
		value_builder_member(builder, name, value);
}

static struct value take_members(const struct part *part, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; part->recorded && i < part->recorded->count; i++)
		take_member(&builder, part, value_slice(&part->recorded->members[i].key));
	for (uint32_t i = 0; part->target && i < part->target->count; i++)
		if (!part->recorded || !value_get(part->recorded, value_slice(&part->target->members[i].key)))
			take_member(&builder, part, value_slice(&part->target->members[i].key));
	return builder.count > 0 ? value_builder_map(&builder, arena) : value_null();
}

struct item_index {
	struct diff_index former, goal, live;
};

static bool item_is_true(const struct part *part, const struct item_index *index, const struct value *item)
{
	const struct value *goal = diff_index_find(&index->goal, item), *live = diff_index_find(&index->live, item);

	/* One that is told apart by what it refers to is found among none of those that are resolved. */
	return goal && live ? diff_field(part->field->item, goal, live) == LIKE
			    : goal == live && !value_has_deferred(item);
}

/* It makes room for another one of its key, or goes with what it refers to until that is made anew. */
static bool item_is_away(const struct part *part, const struct item_index *index, const struct value *item)
{
	const struct value *goal = diff_index_find(&index->goal, item);
	const struct value *former = diff_index_find(&index->former, item);

	if (!goal || !former || diff_index_find(&index->live, item))
		return false;
	return value_has_deferred(goal) || (part->in_steps && diff_field(part->field->item, goal, former) == UNLIKE);
}

static struct value take_items(const struct part *part, struct arena *arena)
{
	struct item_index index;
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	diff_index_init(&index.former, part->field, part->former, arena);
	diff_index_init(&index.goal, part->field, part->goal, arena);
	diff_index_init(&index.live, part->field, part->live, arena);
	for (uint32_t i = 0; part->recorded && i < part->recorded->count; i++)
		if (!item_is_true(part, &index, &part->recorded->items[i]) &&
		    !item_is_away(part, &index, &part->recorded->items[i]))
			value_builder_item(&builder, part->recorded->items[i]);
	for (uint32_t i = 0; part->target && i < part->target->count; i++)
		if (item_is_true(part, &index, &part->target->items[i]))
			value_builder_item(&builder, part->target->items[i]);
	diff_index_release(&index.former);
	diff_index_release(&index.goal);
	diff_index_release(&index.live);
	struct value list = value_builder_list(&builder, arena);
	return list.count > 0 ? schema_canonical(part->field, &list, arena) : value_null();
}

/* A list whose items change by a call each. */
static struct value take_each(const struct part *part, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; i < part->live->count; i++) {
		const struct part item = {
			.field = part->field->item,
			.recorded = &part->recorded->items[i],
			.target = &part->target->items[i],
			.goal = &part->goal->items[i],
			.live = &part->live->items[i],
		};

		value_builder_item(&builder, take_whole(&item));
	}
	return value_builder_list(&builder, arena);
}

/* Whether the lists have their items place by place. */
static bool all_are_as_long(const struct part *part)
{
	const struct value *all[] = {part->recorded, part->target, part->goal, part->live};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!all[i] || all[i]->count != part->live->count)
			return false;
	return true;
}

static bool waits(const struct value *value)
{
	return value && value_has_deferred(value);
}

static struct value take(const struct part *part, struct arena *arena)
{
	enum field_type type = part->field->type;
	bool waiting = waits(part->recorded) || (type != FIELD_SET && (waits(part->target) || waits(part->goal)));

	if (is_true(part) || waiting)
		return take_whole(part);
	if ((type == FIELD_MAP || type == FIELD_OBJECT) && all_are(part, VALUE_MAP))
		return take_members(part, arena);
	if (type == FIELD_SET && all_are(part, VALUE_LIST))
		return take_items(part, arena);
	if (type == FIELD_LIST && part->in_steps && part->live && all_are(part, VALUE_LIST) && all_are_as_long(part))
		return take_each(part, arena);
	return take_whole(part);
}

/* Of an object that is being settled. */
struct settling {
	struct object *object;
	const struct unfinished_reading *reading;
	const struct json_style *style;
	struct arena *arena;
	const struct value *models[4]; /* of marks, see secret_marks.h; the last is what is there */
	size_t model_count;
	struct value live; /* MAP, as it would be recorded */
	bool taken;
};

/* With the marks of all that is known: a text that is marked where it was read may be said in clear by the spec. */
static struct value sealed(const struct settling *settling, const struct value *value)
{
	struct value marked =
		secret_marks_put(settling->arena, settling->style, value, settling->models, settling->model_count);

	return json_seal(settling->arena, &marked, settling->style);
}

static bool differs(const struct settling *settling, const struct field *field, const struct value *recorded,
		    const struct value *live)
{
	struct value told = sealed(settling, recorded);

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
	struct value goal = or_null(resolved);
	bool dropped;

	if (resolved && recorded)
		goal = unset_complete(field, resolved, recorded, settling->arena, &dropped);
	else if (!resolved && field->when_unset == UNSET_CONSTANT)
		goal = unset_constant(field, settling->arena);
	return sealed(settling, &goal);
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
	if (made_has_seen(field)) {
		const struct value *known =
			made_known(field, recorded, value_get_given(&object->observed, name), settling->arena);
		live = made_now(field, goal, known, live, settling->arena);
	} else if (field->flags & WRITE_ONLY) {
		settle_blind(settling, name, set, recorded);
		return false;
	}
	struct part parts[] = {
		{field, value_get_given(&object->applied, name), applied, recorded, goal, live, in_steps},
		{field, recorded, set, recorded, goal, live, in_steps},
		{field, value_get_given(&object->observed, name), live, recorded, goal, live, in_steps},
	};
	struct value values[sizeof(parts) / sizeof(parts[0])];

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		values[i] = take(&parts[i], settling->arena);
	/* What refers to others cannot be told part by part: it is recorded by what it referred to. */
	bool refers = waits(parts[0].recorded) || waits(parts[0].target);
	if (refers && !is_true(&parts[0]) && !(recorded && value_equal(recorded, &values[1])))
		values[0] = values[1];
	put(settling, &object->applied, name, &values[0]);
	put(settling, &object->resolved, name, &values[1]);
	put_observed(settling, field, &values[2]);
	if (is_true(&parts[0]))
		put(settling, &object->let_go, name, NULL);
	return is_true(&parts[0]);
}

/* Of what the spec sets the record follows. What it leaves to others stays recorded as it says. */
static bool is_heeded(const struct settling *settling, const struct field *field)
{
	const struct resource *resource = settling->reading->resource;
	const struct object *object = settling->object;
	struct slice name = slice_of(field->name);
	bool ignored = resource ? slice_is_among(field->name, resource->ignored, resource->ignored_count)
				: ignored_has(&object->ignored, name);

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
	const struct part part = {.field = field,
				  .recorded = former,
				  .former = former,
				  .live = value_get_given(&settling->live, name),
				  .in_steps = true};

	if ((field->flags & WRITE_ONLY) || !takes_steps(settling, field) || !is_between(&part))
		return true;
	unfinished_owe(object, name, former, settling->arena);
	put_whole(settling, field, part.live);
	settling->taken = true;
	return false;
}

/*
 * What a field refers to comes into the record with it. before: MAP of the fields, as they were recorded. Of a field
 * that was settled in part, what it referred to until then stays, too.
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

		if (is_same(taken, value_get_given(before, name)) || !is_same(taken, value_get_given(goal, name)))
			all[count++] = object->dependencies[i];
	}
	for (size_t i = 0; i < wanted_count; i++) {
		struct slice name = wanted[i].field;

		if (!is_same(value_get_given(&object->applied, name), value_get_given(before, name)) &&
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

	return (field->flags & OBSERVED) || !resource ||
	       slice_is_among(field->name, resource->ignored, resource->ignored_count);
}

/* Of what was there before a deletion that is kept which no spec brings back, until it is set again. */
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
		struct part parts[] = {
			{.field = field, .recorded = value_get_given(&object->applied, name), .live = live},
			{.field = field, .recorded = value_get_given(&object->resolved, name), .live = live},
		};
		if (!parts[1].recorded || !differs(settling, field, parts[1].recorded, live))
			continue;
		struct value symbolic = take(&parts[0], settling->arena), resolved = take(&parts[1], settling->arena);
		const struct value *left = differs(settling, field, &resolved, live) ? NULL : &resolved;
		/* What refers to something else says nothing of what is there then: that stands in its place. */
		bool is_said = !differs(settling, field, &symbolic, live);
		if (!value_get_given(&object->let_go, name))
			put(settling, &object->let_go, name, parts[0].recorded);
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

	object->outputs = sealed(settling, &taken);
	object->outputs_digest = digest_of(json_canonical(settling->arena, &object->outputs, settling->style));
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
					    const struct json_style *style, struct arena *arena)
{
	const struct kind *kind = reading->kind;
	const struct live *live = reading->live;
	const struct value *resolved = unfinished_resolved(object);
	struct settling settling = {.object = object,
				    .reading = reading,
				    .style = style,
				    .arena = arena,
				    .models = {&object->resolved, &object->observed, resolved, &live->fields},
				    .model_count = resolved ? 4 : 0};
	bool leaves = unfinished_leaves(object), whole = false;

	if (live->presence != PRESENCE_PRESENT)
		return (struct unfinished_outcome){.taken = leaves && live->presence != PRESENCE_UNREAD,
						   .whole = live->presence == PRESENCE_ABSENT};
	struct value marked = secret_marks_put(arena, style, &live->fields, settling.models, settling.model_count);
	marked = secret_places_hide(arena, style, &kind->fields, &marked, settling.models,
				    resolved ? SECRET_PLACES_MODELS_MOST : 0);
	settling.live = json_seal(arena, &marked, style);
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
