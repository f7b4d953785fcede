#include "reconcile/diff_field.h"
#include "reconcile/made.h"
#include "reconcile/named.h"
#include "reconcile/own_items.h"
#include "reconcile/plan_items.h"
#include "reconcile/ranges.h"
#include "reconcile/released.h"
#include "reconcile/unique.h"

/*
 * Replaces: which of two orders. Destroy first is the default, because most names and
 * ranges can exist but once. The new object comes first where the spec or the kind asks,
 * where something that stays refers to the old one (it is moved over in between), and for
 * everything replaced that such a replace depends on. Where both cannot be there at once
 * that is so only of what blocks the old one's deletion and does not let go before.
 */

/* What stays names the one that is replaced, no record says so, and it is to have the new one in its place. */
struct naming {
	const struct map *replaced; /* by id, to struct item */
	const struct item *item;
	const struct field *field; /* that is looked at */
};

static bool is_to_have(const struct item *item, const struct item *target)
{
	for (size_t i = 0; i < item->resource->dependency_count; i++)
		if (slice_equal(item->resource->dependencies[i].address, target->address) &&
		    item->resource->dependencies[i].binding != BINDS_SETTLE)
			return true;
	return false;
}

static void make_first(struct item *target, const struct item *user)
{
	if (!target->create_before_destroy)
		target->first_for = user;
	target->create_before_destroy = true;
}

/* What has the target to the end of a change needs the new one first. */
static void mark_one(const struct item *item, struct item *target, bool ends)
{
	if (ends && target && identity_equal(&target->object->identity, &item->object->identity) &&
	    is_to_have(item, target))
		make_first(target, item);
}

static void mark_named(void *context, const struct value *part, const struct field *reference, struct slice text)
{
	const struct naming *naming = context;
	const struct item *item = naming->item;
	struct item *target = reference->flags & PINS ? map_get(naming->replaced, text) : NULL;

	if (target && slice_is(slice_of(target->resource->kind->name), reference->target))
		mark_one(item, target, changes_end(item->fields->changes, item->fields->count, naming->field, part));
}

/* The same of what no field tells. */
static void mark_used(const struct map *replaced, const struct item *item)
{
	const struct value *uses = &item->live->uses;

	for (uint32_t i = 0; value_is(uses, VALUE_LIST) && i < uses->count; i++)
		mark_one(item, map_get(replaced, value_slice(value_get_named(&uses->items[i], "id"))),
			 changes_end_use(item->fields->changes, item->fields->count, &uses->items[i]));
}

/* A part is taken out beforehand instead. */
static void mark_named_targets(const struct map *replaced, const struct item *item)
{
	const struct fields *fields = &item->resource->kind->fields;
	bool changes = operation_keeps(item->operation) && item->object && item->fields && item->live &&
		       item->live->presence == PRESENCE_PRESENT;

	if (changes)
		mark_used(replaced, item);
	for (size_t i = 0; changes && i < fields->count; i++) {
		const struct field *field = field_at(fields, i);

		if (!(field->flags & SETTLES))
			named_each_part(field, value_get_named(&item->live->fields, field->name), mark_named,
					&(struct naming){replaced, item, field});
	}
}

static void mark_named_by_any(struct planning *planning)
{
	struct map replaced;

	map_init(&replaced);
	for (size_t i = 0; i < planning->order_count; i++) {
		struct item *item = planning->order[i];

		if (item->operation == OPERATION_REPLACE && item->object && item->object->provider_id.size > 0)
			map_set(&replaced, item->object->provider_id, item);
	}
	for (size_t i = 0; replaced.count > 0 && i < planning->order_count; i++)
		mark_named_targets(&replaced, planning->order[i]);
	map_release(&replaced);
}

/* What was only begun is of no use to anybody yet: it makes way for the next. */
static bool is_asked_for(const struct item *item)
{
	if (item->object->role == OBJECT_INCOMPLETE)
		return false;
	switch (item->resource->create_before_destroy) {
	case CHOICE_YES:
		return true;
	case CHOICE_NO:
		return false;
	case CHOICE_UNSET:
		break;
	}
	return item->resource->kind->create_before_destroy;
}

/* A name or range that is unique within a parent alone: a new parent makes room for the same one. */
static bool is_same_scope(const struct item *item, const struct object *object, const char *scope)
{
	const struct value *new = scope ? value_get_named(&item->wanted, scope) : NULL;
	const struct value *old = scope ? value_get_named(&object->resolved, scope) : NULL;
	return !new || (!value_has_deferred(new) && old && value_equal(new, old));
}

static bool is_same_value(const struct field *field, const struct value *a, const struct value *b)
{
	return value_equal(a, b) || (field->any_case && slice_equal_caseless(value_slice(a), value_slice(b)));
}

static bool is_shared(const struct field *field, const struct value *new, const struct value *old)
{
	return is_same_value(field, new, old) || (field->range == RANGE_WITHIN && ranges_differ(new, old));
}

/* What else can be done about a new object that has to come first. */
static void hint_at_user(struct planning *planning, const struct item *item, const char *change)
{
	struct diagnostics *diagnostics = planning->diagnostics;

	if (!item->first_for) {
		diag_hint(diagnostics, "%s, or have the old one deleted first: lifecycle.create_before_destroy: false",
			  change);
		return;
	}
	diag_related(diagnostics, item->first_for->resource->position, "this one has the old one until then");
	diag_hint(diagnostics, "%s, or have '%.*s' do without it and apply that first", change,
		  SLICE_ARGUMENTS(item->first_for->address));
}

/* What old and new both have. */
struct shared {
	const struct field *field; /* of the new one: a top-level one, or a member of its items */
	const struct value *new, *old;
};

static void report_shared(struct planning *planning, const struct item *item, const struct shared *shared)
{
	const struct field *field = shared->field;
	const struct value *new = shared->new, *old = shared->old;
	bool same = is_same_value(field, new, old);
	struct slice what = same ? arena_format(planning->arena, "both would have the same '%s'", field->name)
				 : arena_format(planning->arena, "its new '%s' overlaps %.*s, which that one has",
						field->name, SLICE_ARGUMENTS(value_shown(old, SIZE_MAX)));

	diag_error(planning->diagnostics, FAULT_USER, new->position,
		   "'%.*s' must be replaced by a new object before the old one is deleted, but %.*s",
		   SLICE_ARGUMENTS(item->address), SLICE_ARGUMENTS(what));
	diag_address(planning->diagnostics, item->address);
	hint_at_user(planning, item,
		     same ? arena_text(planning->arena, "change '%s' too", field->name)
			  : "take a range apart from that");
}

struct sharing {
	const struct kind *kind;
	const struct identity *place;
	struct arena *arena;
	struct map old; /* what must be unique of it, as texts */
	struct shared *result;
};

static void note_old(void *context, const struct field *field, const struct value *value, const struct value *fields)
{
	struct sharing *sharing = context;

	if (unique_is_shared(field))
		map_mark(&sharing->old,
			 unique_value(sharing->kind, field, value, fields, sharing->place, sharing->arena));
}

static void look_at_new(void *context, const struct field *field, const struct value *value, const struct value *fields)
{
	struct sharing *sharing = context;
	struct slice text = unique_value(sharing->kind, field, value, fields, sharing->place, sharing->arena);

	if (unique_is_shared(field) && text.size > 0 && map_has(&sharing->old, text) && !sharing->result->field)
		*sharing->result = (struct shared){field, value, value};
}

/* Looks for what both have, by an item of either. */
static void find_in_items(const struct item *item, const struct object *object, struct shared *ret)
{
	const struct kind *kind = item->resource->kind;
	struct arena scratch;
	bool has = false;

	for (size_t i = 0; !has && i < kind->fields.count; i++)
		has = unique_members(field_at(&kind->fields, i));
	if (!has)
		return;
	arena_init(&scratch);
	struct sharing sharing = {kind, &object->identity, &scratch, .result = ret};
	const struct value had = unique_had(kind, &object->resolved, object, &scratch);

	map_init(&sharing.old);
	for (size_t i = 0; i < kind->fields.count; i++)
		unique_each(field_at(&kind->fields, i), &had, note_old, &sharing);
	for (size_t i = 0; i < kind->fields.count; i++)
		unique_each(field_at(&kind->fields, i), &item->wanted, look_at_new, &sharing);
	map_release(&sharing.old);
	arena_release(&scratch);
}

/* Old and new side by side cannot share what must be unique, nor any part of a range. */
static bool find_shared(const struct item *item, const struct object *object, struct shared *ret)
{
	const struct kind *kind = item->resource->kind;

	*ret = (struct shared){0};
	for (size_t i = 0; !item->moved && i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);
		if (!unique_is_shared(field))
			continue;
		const struct value *new = value_get_named(&item->wanted, field->name);
		const struct value *old = value_get_named(&object->resolved, field->name);
		if (!new || !old || !is_shared(field, new, old) || !is_same_scope(item, object, unique_scope(field)))
			continue;
		*ret = (struct shared){field, new, old};
		return true;
	}
	if (!item->moved)
		find_in_items(item, object, ret);
	return ret->field != NULL;
}

static void check_unique(struct planning *planning, const struct item *item)
{
	struct shared shared;
	if (find_shared(item, item->object, &shared))
		report_shared(planning, item, &shared);
}

static bool shares_any(const struct item *item, const struct object *object)
{
	struct shared shared;
	return find_shared(item, object, &shared);
}

/* The same of what a service tells apart by several fields together: it would answer with the old one. */
static bool is_taken_for(const struct planning *planning, const struct item *item, const struct object *object)
{
	const struct kind *kind = item->resource->kind;
	const struct json_style *style = planning->input->secrets.style;
	struct slice new = unique_whole(kind, &item->wanted, &object->identity, style, planning->arena);
	struct slice old = unique_whole(kind, &object->resolved, &object->identity, style, planning->arena);
	return !item->moved && new.size > 0 && slice_equal(new, old);
}

static void check_whole(struct planning *planning, const struct item *item)
{
	const struct kind *kind = item->resource->kind;
	struct slice names;
	if (!is_taken_for(planning, item, item->object))
		return;
	names = unique_names(kind, &item->wanted, &item->object->resolved, planning->arena);
	diag_error(planning->diagnostics, FAULT_USER, item->resource->position,
		   "'%.*s' must be replaced by a new object before the old one is deleted, but the service would take "
		   "both for one: they have the same %.*s",
		   SLICE_ARGUMENTS(item->address), SLICE_ARGUMENTS(names));
	diag_address(planning->diagnostics, item->address);
	hint_at_user(planning, item, "change one of these too");
}

/* Whether its address has what it is to have, changed or replaced as it may be: something whole, and not gone. */
static bool has_whole(const struct item *item)
{
	bool is_gone =
		item->live && item->live->presence != PRESENCE_PRESENT && item->live->presence != PRESENCE_UNREAD;
	return item->object && object_was_finished(item->object) && !is_gone;
}

/* Whether it has to be gone before the new one can be there. */
static bool is_in_the_way(const struct planning *planning, const struct item *item, const struct object *object)
{
	bool elsewhere = item->identity && !identity_equal(item->identity, &object->identity);
	return !elsewhere && (shares_any(item, object) || is_taken_for(planning, item, object));
}

static bool runs_anything(const struct item *item)
{
	const struct live *live = item->live;

	return item->resource->kind->runs && live && live->presence != PRESENCE_ABSENT &&
	       (live->presence != PRESENCE_PRESENT || live->running.count > 0);
}

/* What nobody could read may run anything. */
static void find_runners(struct planning *planning)
{
	for (size_t i = 0; i < planning->order_count; i++) {
		struct item *item = planning->order[i];

		if (!runs_anything(item))
			continue;
		item->runner = item;
		for (size_t k = 0; k < item->resource->dependency_count; k++) {
			struct item *target = plan_item_at(planning, item->resource->dependencies[k].address);

			if (target)
				target->runner = item;
		}
	}
}

/* Whether a user of the target keeps that from being deleted: by what it is, or by what it runs. */
static bool holds(const struct item *user, const struct dependency *dependency, const struct item *target)
{
	const struct kind *kind = target->resource->kind;

	return dependency_is_explicit(dependency) || named_pins(user->resource->kind, dependency->field, kind->name) ||
	       (user->runner && runs_hold(user->runner->resource->kind->runs, kind));
}

/* Whether the user but mentions the old one of the target, which can go first where both cannot be there at once. */
static bool gives_way(const struct item *user, const struct dependency *dependency, const struct item *target)
{
	return target->goes_first && !holds(user, dependency, target);
}

/* Whether old and new cannot be there at once, or those of something that the old one holds: that comes before it in
 * the order. A part is taken out ahead of all that. */
static void find_first_to_go(struct planning *planning)
{
	for (size_t i = 0; i < planning->order_count; i++) {
		struct item *item = planning->order[i];

		if (item->operation != OPERATION_REPLACE)
			continue;
		item->goes_first = is_in_the_way(planning, item, item->object);
		for (size_t k = 0; k < item->resource->dependency_count && !item->goes_first; k++) {
			const struct dependency *dependency = &item->resource->dependencies[k];
			const struct item *target = plan_item_at(planning, dependency->address);

			item->goes_first = target && target->goes_first && dependency->binding != BINDS_SETTLE &&
					   holds(item, dependency, target);
		}
	}
}

/* Users come after what they use in the order, so one walk backwards spreads it all the way down. What was left behind
 * refers to what the new one would have referred to before it, and goes after it. */
static void spread(struct planning *planning)
{
	for (size_t i = planning->order_count; i-- > 0;) {
		const struct item *item = planning->order[i];
		bool replaces_first = item->operation == OPERATION_REPLACE && item->create_before_destroy;
		if (!replaces_first && !item->stood_for)
			continue;
		for (size_t k = 0; k < item->resource->dependency_count; k++) {
			const struct dependency *dependency = &item->resource->dependencies[k];
			struct item *target = plan_item_at(planning, dependency->address);
			if (target && target->operation == OPERATION_REPLACE && !gives_way(item, dependency, target))
				make_first(target, item);
		}
	}
}

static bool item_stays(const struct item *item)
{
	return item->object && item->resource && item->operation != OPERATION_REPLACE &&
	       item->operation != OPERATION_CREATE && item->operation != OPERATION_CONFLICT;
}

/*
 * Whether it is what a user's record means by its address. What a run that was cut off had only begun to put in the
 * place of another is not: that other one is held, under the same address, and goes once nobody refers to it.
 */
static bool is_meant(struct planning *planning, const struct object *user, const struct dependency *dependency,
		     const struct item *target)
{
	const struct value *output, *field;

	if (!target->object || target->object->role != OBJECT_INCOMPLETE)
		return true;
	if (!plan_load_body(planning, target->object))
		return false;
	output = value_get(&target->object->outputs, dependency->output);
	field = value_get(&user->resolved, dependency->field);
	return output && field && value_holds(field, output);
}

/*
 * Whether the item lets go of the old object before that goes, so that the new one need not come first: where the item
 * no longer refers to it, and waits for nothing of the same run, as that might wait for the new one.
 */
static bool lets_go_before(struct planning *planning, const struct item *item, const struct dependency *dependency)
{
	if (item->operation != OPERATION_UPDATE || !difference_sets(item->fields, dependency->field))
		return false;
	for (size_t i = 0; i < item->resource->dependency_count; i++) {
		struct slice address = item->resource->dependencies[i].address;
		const struct item *other = plan_item_at(planning, address);

		if (slice_equal(address, dependency->address) || (other && plan_item_acts(other)))
			return false;
	}
	return true;
}

static void mark_held_targets(struct planning *planning, const struct item *item)
{
	if (!item_stays(item) || !plan_load_body(planning, item->object))
		return;
	for (size_t i = 0; i < item->object->dependency_count; i++) {
		const struct dependency *dependency = &item->object->dependencies[i];
		struct item *target = plan_item_at(planning, dependency->address);
		if (target && target->operation == OPERATION_REPLACE && dependency->binding == BINDS_MAKE &&
		    !dependency->immutable && !plan_output_stays(planning, dependency) &&
		    is_meant(planning, item->object, dependency, target) && !gives_way(item, dependency, target) &&
		    !(is_in_the_way(planning, target, target->object) && lets_go_before(planning, item, dependency)))
			make_first(target, item);
	}
}

/* A twin, which came late, never was in its place. */
bool plan_awaits_successor(struct planning *planning, size_t number)
{
	struct object *object = planning->input->objects[number];
	const struct item *item = planning->of_objects[number];

	return object->role == OBJECT_DEPOSED && item && item->object != object && !has_whole(item) &&
	       plan_load_body(planning, object) && !object_is_twin(object);
}

/* Whether an object stands in for what its address is still to have: the new one is made before it goes, as in the
 * replace that left it behind. What has something that the new one needs goes first. */
static bool stands_in(struct planning *planning, size_t number)
{
	return plan_awaits_successor(planning, number) &&
	       !is_in_the_way(planning, planning->of_objects[number], planning->input->objects[number]);
}

static void find_stand_ins(struct planning *planning)
{
	size_t count = planning->input->object_count;
	planning->stands_in = arena_new_array(planning->arena, count + 1, bool);
	for (size_t i = 0; i < count; i++) {
		if (!stands_in(planning, i))
			continue;
		planning->stands_in[i] = true;
		planning->of_objects[i]->stood_for = true;
	}
}

bool plan_goes_last(const struct planning *planning, size_t number, enum operation operation)
{
	/* Where what it stands in for is out of focus, nothing is made. */
	return operation == OPERATION_DELETE && planning->stands_in && planning->stands_in[number] &&
	       planning->of_objects[number]->in_focus;
}

/* Whether the new one is to be made first. What only an undoing brings back, no spec can have say otherwise: it goes by
 * the order of the run where that of the spec cannot be. */
static bool is_made_first(const struct planning *planning, const struct item *item)
{
	return is_asked_for(item) && !(item->resource->ended_first &&
				       (shares_any(item, item->object) || is_taken_for(planning, item, item->object)));
}

void plan_items_order_replaces(struct planning *planning)
{
	bool replaces = false;
	find_runners(planning);
	find_stand_ins(planning);
	for (size_t i = 0; i < planning->order_count; i++) {
		struct item *item = planning->order[i];
		if (item->operation != OPERATION_REPLACE)
			continue;
		replaces = true;
		item->create_before_destroy |= is_made_first(planning, item);
	}
	if (!replaces)
		return;
	find_first_to_go(planning);
	for (size_t i = 0; i < planning->order_count; i++)
		mark_held_targets(planning, planning->order[i]);
	mark_named_by_any(planning);
	spread(planning);
	for (size_t i = 0; i < planning->order_count; i++) {
		const struct item *item = planning->order[i];
		if (item->operation != OPERATION_REPLACE || !item->create_before_destroy)
			continue;
		check_unique(planning, item);
		check_whole(planning, item);
	}
}

/* Whether others may have set there what a new object does not have: each has defaults of the service's. */
static bool may_be_others(const struct field *field, const struct value *now)
{
	bool holds = (value_is(now, VALUE_LIST) || value_is(now, VALUE_MAP)) && now->count > 0;

	return holds || (own_is_attachment(field) && value_is(now, VALUE_STRING));
}

/* What is there in a field, or is known to be; NULL: nothing, or nobody knows. */
static const struct value *there_now(struct planning *planning, const struct item *item, const struct field *field,
				     const struct value *wanted)
{
	const struct value *live = value_if_set(value_get_named(&item->live->fields, field->name));
	struct object *object = item->object;

	if (!(field->flags & WRITE_ONLY))
		return live;
	if (!made_has_seen(field) || !object || !plan_load_body(planning, object))
		return NULL;
	const struct value *known = made_known(field, value_get_named(&object->resolved, field->name),
					       value_get_named(&object->observed, field->name), planning->arena);
	return made_now(field, wanted, known, live, planning->arena);
}

static void tell_reset(struct planning *planning, const struct item *item, const struct field *field)
{
	static const char said[] =
		"'%.*s' is replaced: the new one has its '%s' as it is said, and what others have set there is lost";
	static const char unsaid[] =
		"'%.*s' is replaced: nobody says what '%s' the new one is to have, and what is set there now is lost";
	const struct value *wanted = value_if_set(value_get_named(&item->wanted, field->name));
	const struct value *now = there_now(planning, item, field, wanted);
	bool is_unknown = (field->flags & WRITE_ONLY) && !now;
	bool is_lost = wanted ? diff_field(field, wanted, now) == UNLIKE : may_be_others(field, now);

	if (is_unknown || !is_lost)
		return;
	diag_add(planning->diagnostics, SEVERITY_WARNING, FAULT_CONFLICT, item->resource->position,
		 wanted ? said : unsaid, SLICE_ARGUMENTS(item->address), field->name);
	diag_address(planning->diagnostics, item->address);
	diag_hint(planning->diagnostics,
		  "a field is left to others as long as the object stays: where what is there is to "
		  "stay, have the spec say it");
}

/* What it was made with and says no more: a new one has there what the service gives. */
static void tell_released(struct planning *planning, const struct item *item)
{
	const struct value *paths = item->object ? &item->object->released : NULL;

	for (uint32_t i = 0; value_is(paths, VALUE_LIST) && i < paths->count; i++) {
		struct slice path = value_slice(&paths->items[i]);

		/* Of what is left to others that is told by itself. */
		struct slice rest = path, name = slice_cut(&rest, '.');
		const struct value left = plan_left_to_others(planning, item->resource);
		if (!released_is_unsaid(&item->wanted, path, planning->arena) || ignored_has(&left, name))
			continue;
		diag_add(planning->diagnostics, SEVERITY_WARNING, FAULT_CONFLICT, item->resource->position,
			 "'%.*s' is replaced: the new one is without its '%.*s', which the spec has let go of",
			 SLICE_ARGUMENTS(item->address), SLICE_ARGUMENTS(path));
		diag_address(planning->diagnostics, item->address);
		diag_hint(planning->diagnostics, "a field that is no longer said is kept as long as the object stays: "
						 "where it is to stay, have the spec say it");
	}
}

/* No change shows what becomes of what the spec ignores, or has let go of: it is kept as long as the object stays. What
 * is found is not made: both stay as they are. */
void plan_tell_reset(struct planning *planning)
{
	for (size_t i = 0; i < planning->order_count; i++) {
		const struct item *item = planning->order[i];
		bool is_replaced =
			item->operation == OPERATION_REPLACE && item->in_focus && !item->resource->kind->found;

		if (is_replaced)
			tell_released(planning, item);
		for (size_t k = 0; is_replaced && item->live && k < item->ignored_count; k++) {
			struct slice name = item->ignored[k];
			const struct field *field = field_named(&item->resource->kind->fields, name);

			if (field)
				tell_reset(planning, item, field);
		}
	}
}
