#include "reconcile/plan_items.h"

#include <stdlib.h>

/*
 * What objects run is in no spec, and no action is about it. But it is what a change is mostly made for, and what may
 * stand in its way, so the plan says what it means for that: of a group that is as the spec says, too.
 */

static const char *const effect_words[] = {
	[RUNNING_KEEPS] = "keeps",
	[RUNNING_ENDS] = "ends",
	[RUNNING_STARTS] = "starts",
	[RUNNING_HOLDS] = "holds",
};
const struct names running_effect_names = NAMES(effect_words);

/* One object that runs something. */
struct runner {
	const struct item *item; /* NULL: its address is not in the spec */
	const struct object *object;
	const struct kind *kind;
	const struct value *things; /* LIST */
};

static const char *noun_of(const struct kind *kind, size_t count)
{
	return count == 1 ? kind->runs->one : kind->runs->many;
}

static void tell(struct planning *planning, struct slice address, enum running_effect effect, size_t count,
		 struct slice what)
{
	planning->running = arena_room(planning->arena, planning->running, planning->running_count,
				       &planning->running_capacity, sizeof(*planning->running));
	planning->running[planning->running_count++] = (struct running){address, effect, count, what};
}

/* runs.source: its outputs, without those that will be others. */
static void add_source(struct planning *planning, const struct item *item, struct value_builder *fields)
{
	const char *source = item->resource->kind->runs->source;
	const struct item *from = NULL;
	VALUE_BUILDER_AUTO builder;

	for (size_t i = 0; source && !from && i < item->resource->dependency_count; i++) {
		from = plan_item_at(planning, item->resource->dependencies[i].address);
		if (from && strcmp(from->resource->kind->name, source) != 0)
			from = NULL;
	}
	value_builder_init(&builder);
	for (size_t i = 0; from && i < from->resource->kind->outputs.count; i++) {
		const char *name = output_at(&from->resource->kind->outputs, i)->name;
		const struct value *output = plan_item_output(planning, from->address, slice_of(name));
		if (output)
			value_builder_member(&builder, slice_of(name), *output);
	}
	if (from)
		value_builder_member(fields, slice_of(source), value_builder_map(&builder, planning->arena));
}

/* The fields that the object is to have: what the spec says nothing of, or leaves alone, stays as it is. */
static struct value fields_to_be(struct planning *planning, const struct item *item)
{
	const struct fields *fields = &item->resource->kind->fields;
	const struct value *released = item->fields ? &item->fields->released : NULL;
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (size_t i = 0; i < fields->count; i++) {
		const char *name = field_at(fields, i)->name;
		const struct value *wanted = value_if_set(value_get_named(&item->wanted, name));
		const struct value *live = value_if_set(value_get_named(&item->live->fields, name));

		bool ignored = slice_is_among(name, item->ignored, item->ignored_count);

		if (ignored || (!wanted && !(released && value_get_named(released, name))))
			wanted = live;
		if (wanted)
			value_builder_member(&builder, slice_of(name), *wanted);
	}
	add_source(planning, item, &builder);
	return value_builder_map(&builder, planning->arena);
}

/* "2 instances keep version 1 until they are replaced", for each of what they keep. */
static void tell_kept(struct planning *planning, const struct runner *runner)
{
	struct value fields = fields_to_be(planning, runner->item);
	struct slice *kept = arena_new_array(planning->arena, runner->things->count, struct slice);
	size_t count = 0;

	for (uint32_t i = 0; i < runner->things->count; i++) {
		kept[count] = runner->kind->runs->keeps(&runner->things->items[i], &fields, planning->arena);
		count += kept[count].size > 0;
	}
	if (count > 1)
		qsort(kept, count, sizeof(*kept), slice_order);
	for (size_t i = 0, alike; i < count; i += alike) {
		for (alike = 1; i + alike < count && slice_equal(kept[i], kept[i + alike]);)
			alike++;
		tell(planning, runner->object->address, RUNNING_KEEPS, alike,
		     arena_format(planning->arena, "%zu %s %s %.*s until %s replaced", alike,
				  noun_of(runner->kind, alike), alike == 1 ? "keeps" : "keep", SLICE_ARGUMENTS(kept[i]),
				  alike == 1 ? "it is" : "they are"));
	}
}

static void tell_ended(struct planning *planning, const struct runner *runner)
{
	size_t count = runner->things->count;

	if (count > 0)
		tell(planning, runner->object->address, RUNNING_ENDS, count,
		     arena_format(planning->arena, "%zu %s %s with it", count, noun_of(runner->kind, count),
				  count == 1 ? "ends" : "end"));
}

static size_t count_ending(const struct runner *runner)
{
	size_t count = 0;

	for (uint32_t i = 0; i < runner->things->count; i++)
		count += !runner->kind->runs->may_end || runner->kind->runs->may_end(&runner->things->items[i]);
	return count;
}

/* Those that end or start because the object is to have another number of them, be that said or brought about. */
static void tell_number(struct planning *planning, const struct runner *runner, const struct change *change)
{
	const struct runs *runs = runner->kind->runs;
	int64_t now = runner->things->count,
		before = value_is(&change->before, VALUE_INTEGER) ? change->before.integer : 0;
	int64_t after = change->after.integer, count = 0;
	struct value fields = fields_to_be(planning, runner->item);

	if (!runs->is_number(&fields))
		return;
	if (after < now) {
		int64_t most = (int64_t)count_ending(runner);
		count = now - after < most ? now - after : most;
	} else if (after > before) {
		count = after - before;
	}
	if (count > 0)
		tell(planning, runner->object->address, after < now ? RUNNING_ENDS : RUNNING_STARTS, (size_t)count,
		     arena_format(planning->arena, "%lld %s %s%s, as '%s' becomes %lld", (long long)count,
				  noun_of(runner->kind, (size_t)count), after < now ? "end" : "start",
				  count == 1 ? "s" : "", runs->number, (long long)after));
}

static const struct change *change_of_number(const struct planning *planning, const struct runner *runner)
{
	const struct difference *fields = runner->item->fields;
	const char *number = runner->kind->runs->number;
	bool changes = fields && number && !planning->input->scope.looks;

	for (size_t i = 0; changes && i < fields->count; i++) {
		const struct change *change = &fields->changes[i];

		if (change->field && strcmp(change->field->name, number) == 0 &&
		    (change->effect == EFFECT_SET || change->effect == EFFECT_BOUND) &&
		    value_is(&change->after, VALUE_INTEGER))
			return change;
	}
	return NULL;
}

/* Whether the runner goes over to others of the kind, none of which lies where this one does. */
static bool moves_away(struct planning *planning, const struct runner *runner, struct slice field, const char *lies_in,
		       const struct value *here)
{
	const struct resource *resource = runner->item->resource;
	size_t elsewhere = 0;

	for (size_t i = 0; i < resource->dependency_count; i++) {
		const struct item *target = slice_equal(resource->dependencies[i].field, field)
						    ? plan_item_at(planning, resource->dependencies[i].address)
						    : NULL;
		const struct value *there = target ? value_if_set(value_get_named(&target->wanted, lies_in)) : NULL;

		if (!target)
			continue;
		if (!there)
			there = plan_field_now(target->object, target->live, lies_in);
		if (!there || value_has_deferred(there) || value_equal(there, here))
			return false;
		elsewhere++;
	}
	return elsewhere > 0;
}

/* What a dependency is on, in the spec or not. */
struct target {
	struct object *object; /* NULL: not recorded */
	const struct live *live;
	const struct kind *kind;
	bool ends;
};

static struct target target_at(struct planning *planning, struct slice address)
{
	const struct item *item = plan_item_at(planning, address);
	const size_t *index = item ? NULL : plan_object_at(planning, address);
	struct target target = {0};

	if (item)
		return (struct target){item->object, item->live, item->resource->kind,
				       operation_ends(item->operation) && item->in_focus};
	if (index && planning->leaves[*index]) {
		target.object = planning->input->objects[*index];
		target.live = planning->input->live[*index];
		target.kind = kinds_find(planning->input->kinds, target.object->kind);
		target.ends = !target.object->protect;
	}
	return target;
}

/* How many of its things need this target, and will go on needing it. */
static size_t count_holding(struct planning *planning, const struct runner *runner, struct slice field,
			    const struct target *target)
{
	const char *lies_in = runner->kind->runs->lies_in;
	const struct value *here = lies_in ? plan_field_now(target->object, target->live, lies_in) : NULL;
	size_t count = 0;

	if (!here)
		return runner->things->count;
	bool away = moves_away(planning, runner, field, lies_in, here);
	struct value fields = away ? fields_to_be(planning, runner->item) : value_null();
	for (uint32_t i = 0; i < runner->things->count; i++) {
		const struct value *thing = &runner->things->items[i];
		const struct value *there = value_get_named(thing, lies_in);
		bool moves = away && (!runner->kind->runs->moves || runner->kind->runs->moves(thing, &fields));
		count += there && value_equal(there, here) && !moves;
	}
	return count;
}

/* The same of what it refers to at a place of its list: any of the fields that do so may say that they move. */
static size_t count_held(struct planning *planning, const struct runner *runner, const struct object *from,
			 size_t first, const struct target *target)
{
	size_t least = SIZE_MAX;

	for (size_t i = first; i < from->dependency_count; i++) {
		if (i > first && !dependency_repeats(from->dependencies, i))
			break;
		size_t count = count_holding(planning, runner, from->dependencies[i].field, target);
		least = count < least ? count : least;
	}
	return least;
}

/* What is recorded as referred to counts: that is what there was when they were launched. */
static void tell_held(struct planning *planning, const struct runner *runner, struct object *from, bool further)
{
	if (!plan_load_body(planning, from))
		return;
	for (size_t i = 0; i < from->dependency_count; i++) {
		const struct dependency *dependency = &from->dependencies[i];
		struct target target = target_at(planning, dependency->address);
		size_t count = 0;

		if (!target.object || !target.kind || dependency_repeats(from->dependencies, i))
			continue;
		if (!runs_hold(runner->kind->runs, target.kind)) {
			if (further)
				tell_held(planning, runner, target.object, false);
			continue;
		}
		if (target.ends)
			count = count_held(planning, runner, from, i, &target);
		if (count > 0)
			tell(planning, dependency->address, RUNNING_HOLDS, count,
			     arena_format(planning->arena, "cannot be deleted before %zu %s of %.*s %s gone", count,
					  noun_of(runner->kind, count), SLICE_ARGUMENTS(runner->object->address),
					  count == 1 ? "is" : "are"));
	}
}

/* Whether they lie in the same, where the field of the runner says what its targets lie in. */
static bool lies_with(const struct field *field, const struct object *target, const struct object *leaving)
{
	const char *within = field_stays_in(field);
	const struct value *here = within ? plan_field_now(leaving, NULL, within) : NULL;
	const struct value *there = here ? plan_field_now(target, NULL, within) : NULL;

	return there && value_equal(there, here);
}

/* Whether it lies where the runner's things may: in what one of those lies in that the runner refers to now. */
static bool is_near(struct planning *planning, const struct runner *runner, const struct object *leaving)
{
	for (size_t i = 0; i < runner->object->dependency_count; i++) {
		const struct dependency *dependency = &runner->object->dependencies[i];
		const struct field *field = field_named(&runner->kind->fields, dependency->field);
		const struct item *target = plan_item_at(planning, dependency->address);

		if (field && target && target->object && plan_load_body(planning, target->object) &&
		    lies_with(field, target->object, leaving))
			return true;
	}
	return false;
}

/* Whether tell_held() has judged of it, or even told of it. */
static bool is_judged(const struct planning *planning, const struct runner *runner, size_t since,
		      struct object *leaving)
{
	for (size_t i = 0; leaving->role != OBJECT_DEPOSED && i < runner->object->dependency_count; i++)
		if (slice_equal(runner->object->dependencies[i].address, leaving->address))
			return true;
	for (size_t i = since; i < planning->running_count; i++)
		if (slice_equal(planning->running[i].address, leaving->address))
			return true;
	return false;
}

/* What an earlier run could not delete, and no record of the runner refers to any more: it may need it all the same. */
static void tell_left(struct planning *planning, const struct runner *runner, size_t since)
{
	const struct plan_input *input = planning->input;

	for (size_t i = 0; i < planning->left_count; i++) {
		struct object *object = input->objects[planning->left[i]];
		const struct kind *kind = kinds_find(input->kinds, object->kind);
		struct target target = {.object = object, .kind = kind};

		if ((object->protect && object->role != OBJECT_DEPOSED) || !kind ||
		    !runs_hold(runner->kind->runs, kind) || is_judged(planning, runner, since, object) ||
		    !plan_load_body(planning, object) || !is_near(planning, runner, object))
			continue;
		target.live = input->live[planning->left[i]];
		size_t count = count_holding(planning, runner, (struct slice){0}, &target);
		if (count > 0)
			tell(planning, object->address, RUNNING_HOLDS, count,
			     arena_format(planning->arena, "may be held by %zu %s of %.*s until %s gone", count,
					  noun_of(runner->kind, count), SLICE_ARGUMENTS(runner->object->address),
					  count == 1 ? "it is" : "they are"));
	}
}

static int compare_running(const void *a, const void *b)
{
	const struct running *left = a, *right = b;
	int order = slice_compare(left->address, right->address);

	if (order == 0)
		order = (int)left->effect - (int)right->effect;
	return order ? order : slice_compare(left->what, right->what);
}

static void tell_of(struct planning *planning, size_t index)
{
	struct object *object = planning->input->objects[index];
	const struct live *live = planning->input->live[index];
	const struct item *item = planning->of_objects[index];
	const struct kind *kind = kinds_find(planning->input->kinds, object->kind);
	struct runner runner = {item, object, kind, &live->running};

	if (!kind || !kind->runs || live->presence != PRESENCE_PRESENT)
		return;
	if (!item || item->object != object) {
		if (planning->leaves[index] && !object->protect)
			tell_ended(planning, &runner);
		return;
	}
	if (!item->in_focus || item->operation == OPERATION_CONFLICT || item->operation == OPERATION_INCOMPLETE)
		return;
	if (operation_ends(item->operation)) {
		tell_ended(planning, &runner);
		return;
	}
	const struct change *number = change_of_number(planning, &runner);
	if (number)
		tell_number(planning, &runner, number);
	tell_kept(planning, &runner);
	size_t since = planning->running_count;
	tell_held(planning, &runner, object, true);
	tell_left(planning, &runner, since);
}

/* One that runs nothing now may be to begin with it. */
static bool may_run(const struct live *live)
{
	return live && value_is(&live->running, VALUE_LIST);
}

/* The numbers of all objects that go and are not their address's own. */
static void list_left(struct planning *planning)
{
	planning->left = arena_new_array(planning->arena, planning->input->object_count, size_t);
	for (size_t i = 0; i < planning->input->object_count; i++) {
		const struct item *item = planning->of_objects[i];

		if (planning->leaves[i] && !(item && item->object == planning->input->objects[i]))
			planning->left[planning->left_count++] = i;
	}
}

void plan_tell_running(struct planning *planning)
{
	const struct plan_input *input = planning->input;

	for (size_t i = 0; input->live && i < input->object_count; i++) {
		if (!may_run(input->live[i]))
			continue;
		if (!planning->left && input->live[i]->running.count > 0)
			list_left(planning);
		tell_of(planning, i);
	}
	if (planning->running_count > 1)
		qsort(planning->running, planning->running_count, sizeof(struct running), compare_running);
}
