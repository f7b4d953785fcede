#include "reconcile/schema.h"
#include "reconcile/undo_room.h"
#include "reconcile/visit.h"

/*
 * What can only be used within the thing that it lies in itself (field.beside), as the groups of a machine in the
 * network of its subnet, is there still once something has gone back: a later run may have made one of them elsewhere,
 * and a service refuses that only once what is there has gone. Where two such things may be joined
 * (field.beside_or_joined), as networks that are peered, that is asked of what a later run has parted.
 */

/* Where one entry is found to lie, and by what. */
struct inside {
	struct room *room;
	const struct entry *entry;
	const struct field *whole_field; /* of the resource */
	struct slice whole;		 /* address of what all has to lie in, or its id; empty: not known yet */
	const struct entry *witness;	 /* what is known to lie in it: the entry itself, or what it refers to */
	bool is_left_out;		 /* that field stays as it is */
};

/* What an entry is to lie in, by such a field: its address, or an id that leads to nothing of ours; empty: it lies in
 * nothing, or nobody knows. */
static struct slice whole_of(const struct room *room, const struct entry *entry, const char *name)
{
	const struct value *reference = value_if_set(value_get_named(&entry->resource.desired, name));
	const struct entry *whole = room_target(room, entry, reference);

	if (whole)
		return whole->address;
	return reference && value_is(reference, VALUE_STRING) ? value_slice(reference) : (struct slice){0};
}

/* The run of which it comes that one of them does not lie where the entry does: one that the undoing leaves as it is.
 */
static const struct undo_since *blamed(const struct inside *inside, const struct field *field,
				       const struct entry *target)
{
	const struct entry *among[] = {target, inside->witness};
	const struct undo_since *run = NULL;

	for (size_t i = 0; !run && i < sizeof(among) / sizeof(among[0]); i++)
		if (!undo_goes_back(among[i]))
			run = room_given_by(inside->room, among[i],
					    field_named(&among[i]->resource.kind->fields, slice_of(field->beside)));
	return run ? run : room_given_by(inside->room, inside->entry, inside->whole_field);
}

/* Whether the entry comes to refer so, and does not merely go on with it. */
static bool takes(const struct inside *inside)
{
	const struct entry *entry = inside->entry;

	if (!undo_goes_back(entry) || inside->room->makes[room_number(inside->room, entry)])
		return undo_goes_back(entry);
	const struct value now = undo_opened(inside->room->work, &room_recorded(inside->room, entry)->applied);

	return !undo_same_field(&entry->resource.desired, &now, inside->whole_field);
}

/* The run after which they do not lie in the same one any more; NULL: they did not before. */
static const struct undo_since *parted_by(const struct inside *inside, const struct field *field,
					  const struct entry *target)
{
	const struct entry *among[] = {target, inside->entry};
	const struct undo_since *run = NULL;

	for (size_t i = 0; !run && i < sizeof(among) / sizeof(among[0]); i++)
		run = room_given_by(inside->room, among[i],
				    field_named(&among[i]->resource.kind->fields, slice_of(field->beside_or_joined)));
	return run || takes(inside) ? run : room_given_by(inside->room, inside->entry, inside->whole_field);
}

/* An earlier undoing, which left the same out, is none. */
static bool is_later(const struct undo_since *run)
{
	return run && !run->undoes;
}

/* What is recorded of the field, where the entry stays what it is; NULL: nothing. */
static const struct value *kept_value(const struct inside *inside)
{
	const struct room *room = inside->room;
	const struct object *now = room_recorded(room, inside->entry);

	return now && !room->makes[room_number(room, inside->entry)]
		       ? value_if_set(value_get_named(&now->applied, inside->whole_field->name))
		       : NULL;
}

/* Whether all that refers to is there still. */
static bool can_be_kept(const struct inside *inside, const struct value *kept)
{
	const struct room *room = inside->room;
	const struct object *now = kept ? room_recorded(room, inside->entry) : NULL;

	for (size_t i = 0; now && i < now->dependency_count; i++) {
		struct slice address = now->dependencies[i].address;
		const struct entry *target = map_get(&room->entries->by_address, address);

		if (undo_mentions(kept, address) && !(target && room_is_there(target)))
			return false;
	}
	return true;
}

/* Gives what the entry is to be the references that the kept field has now. */
static void keep_dependencies(const struct inside *inside, struct resource *resource, const struct value *kept)
{
	const struct room *room = inside->room;
	const struct object *now = kept ? room_recorded(room, inside->entry) : NULL;
	size_t most = resource->dependency_count + (now ? now->dependency_count : 0), count = 0;
	struct dependency *all = arena_new_array(room->work->arena, most + 1, struct dependency);
	struct slice name = slice_of(inside->whole_field->name);

	for (size_t i = 0; i < resource->dependency_count; i++)
		if (!slice_equal(resource->dependencies[i].field, name))
			all[count++] = resource->dependencies[i];
	for (size_t i = 0; now && i < now->dependency_count; i++)
		if (slice_equal(now->dependencies[i].field, name) && undo_mentions(kept, now->dependencies[i].address))
			all[count++] = now->dependencies[i];
	resource->dependencies = all;
	resource->dependency_count = count;
}

static const struct slice *with_name(struct arena *arena, const struct slice *names, size_t count, struct slice name)
{
	struct slice *all = arena_new_array(arena, count + 1, struct slice);

	for (size_t i = 0; i < count; i++)
		all[i] = names[i];
	all[count] = name;
	return all;
}

/* What refers to others follows them; what has moved in it since is none of the undoing's business. */
static void leave_be(struct resource *resource, struct slice name, bool refers, struct arena *arena)
{
	const struct slice **names = refers ? &resource->follows : &resource->ignored;
	size_t *count = refers ? &resource->follows_count : &resource->ignored_count;

	*names = with_name(arena, *names, *count, name);
	(*count)++;
}

/* Of the entry as it is to be, the field stays as it is, or is not set. */
static void leave_out(struct inside *inside, const struct value *kept)
{
	const struct room *room = inside->room;
	struct arena *arena = room->work->arena;
	struct resource *resource = &room->entries->items[room_number(room, inside->entry)].resource;
	struct slice name = slice_of(inside->whole_field->name);
	VALUE_BUILDER_AUTO desired;

	value_builder_init(&desired);
	for (uint32_t i = 0; i < resource->desired.count; i++)
		if (!slice_equal(value_slice(&resource->desired.members[i].key), name))
			value_builder_member(&desired, value_slice(&resource->desired.members[i].key),
					     resource->desired.members[i].value);
	if (kept)
		value_builder_member(&desired, name, undo_opened(room->work, kept));
	resource->desired = value_builder_map(&desired, arena);
	keep_dependencies(inside, resource, kept);
	if (!room->makes[room_number(room, inside->entry)])
		leave_be(resource, name, kept && value_has_deferred(kept), arena);
	inside->is_left_out = true;
}

/*
 * The run found the target elsewhere already, as an earlier one had left it that was cut off. The undoing of that one
 * waits for what comes with this one; so the field, where it is a part, is left out until then. False: it is not.
 */
static bool does_without(struct inside *inside, const struct field *field, const struct entry *target)
{
	const struct undo_input *input = inside->room->work->input;
	const struct value *kept = kept_value(inside);
	const struct undo_since *run;

	if (!(inside->whole_field->flags & SETTLES) || !takes(inside) || !can_be_kept(inside, kept))
		return false;
	run = input->earlier ? input->earlier(input->context, target->address, field->beside) : NULL;
	undo_stays(inside->room->work, inside->entry->address,
		   "'%s' does not come back: it refers to '%.*s', which the run found in another '%s', or in "
		   "none%.*s; %s, and then undo this one again with --target %.*s",
		   inside->whole_field->name, SLICE_ARGUMENTS(target->address), field->beside,
		   SLICE_ARGUMENTS(undo_since_text(inside->room->work, run)),
		   run ? "undo that earlier run" : "bring that back", SLICE_ARGUMENTS(inside->entry->address));
	leave_out(inside, kept);
	return true;
}

static const char no_run[] = "change the spec instead, and apply that";

/* run: a later one as of which it cannot, or NULL. */
static void report_apart(const struct inside *inside, const struct entry *target, struct slice whole,
			 const struct undo_since *run, const char *hint)
{
	struct undo_work *work = inside->room->work;

	inside->room->good =
		diag_error(work->diagnostics, FAULT_CONFLICT, NOWHERE,
			   "'%.*s' would refer to '%.*s', which lies in '%.*s' then, but '%.*s' lies in '%.*s'%.*s",
			   SLICE_ARGUMENTS(inside->entry->address), SLICE_ARGUMENTS(target->address),
			   SLICE_ARGUMENTS(whole), SLICE_ARGUMENTS(inside->witness->address),
			   SLICE_ARGUMENTS(inside->whole), SLICE_ARGUMENTS(undo_since_text(work, run)));
	diag_address(work->diagnostics, inside->entry->address);
	undo_hint(work, run, hint);
}

static void refuse_beside(struct inside *inside, const struct field *field, const struct entry *target,
			  struct slice whole)
{
	const struct undo_since *run = blamed(inside, field, target);

	if (!is_later(run) && does_without(inside, field, target))
		return;
	report_apart(inside, target, whole, run,
		     run ? "they can be used together only where both lie in the same one: undo that run first"
			 : no_run);
}

/* What has them lie apart without a run of ours is no business of the undoing. */
static void refuse_parted(const struct inside *inside, const struct field *field, const struct entry *target,
			  struct slice whole)
{
	const struct undo_since *run = parted_by(inside, field, target);

	if (run)
		report_apart(inside, target, whole, run,
			     "undo that run first; or where people have joined the two, have the spec say so");
}

/* Whether the undoing changes anything between them. */
static bool is_concerned(const struct inside *inside, const struct entry *target)
{
	return undo_goes_back(inside->entry) || undo_goes_back(target) || undo_goes_back(inside->witness);
}

static const struct value *place_now(const struct room *room, const struct entry *entry, const char *name)
{
	const struct object *now = room_recorded(room, entry);

	return now ? value_if_set(value_get_named(&now->resolved, name)) : NULL;
}

/* Whether they do not lie in the same one before the undoing, either. */
static bool lies_apart(const struct inside *inside, const struct entry *target, const char *name)
{
	const struct value *here = place_now(inside->room, inside->entry, name);
	const struct value *there = place_now(inside->room, target, name);

	return here && !(there && value_equal(here, there));
}

/* Whether it goes on referring so, by an id that stays the same: then nothing is sent, and where others look after the
 * field, or both lay apart before, the undoing has no part in what is wrong with that. */
static bool is_no_part(const struct inside *inside, const struct field *field, const struct entry *target)
{
	const struct room *room = inside->room;

	if (takes(inside) || room->follows[room_number(room, inside->entry)] ||
	    room->follows[room_number(room, target)])
		return false;
	return ignored_has(&inside->entry->resource.left_to_others, slice_of(inside->whole_field->name)) ||
	       (field->beside && lies_apart(inside, target, field->beside));
}

/* Whether it could lie in one, and will lie in none: by the undoing, or as neither we nor others have put it anywhere.
 */
static bool lies_nowhere(const struct room *room, const struct entry *entry, const char *name)
{
	const struct resource *resource = &entry->resource;
	const struct live *live = room->live[room_number(room, entry)];
	const struct object *now = room_recorded(room, entry);

	if (!field_named(&resource->kind->fields, slice_of(name)) ||
	    value_if_set(value_get_named(&resource->desired, name)) || value_get(&resource->restores, slice_of(name)) ||
	    slice_is_among(name, resource->ignored, resource->ignored_count))
		return false;
	if (undo_goes_back(entry) && (!now || value_if_set(value_get_named(&now->applied, name))))
		return true;
	return live && live->presence == PRESENCE_PRESENT && !value_if_set(value_get_named(&live->fields, name));
}

static void refuse_nowhere(struct inside *inside, const struct field *field, const struct entry *target)
{
	const struct room *room = inside->room;
	const struct field *whole = field_named(&target->resource.kind->fields, slice_of(field->beside));
	const struct undo_since *run = undo_goes_back(target) ? room_given_by(room, inside->entry, inside->whole_field)
							      : room_given_by(room, target, whole);

	if (!is_later(run) && does_without(inside, field, target))
		return;
	inside->room->good =
		diag_error(room->work->diagnostics, FAULT_CONFLICT, NOWHERE,
			   "'%.*s' would refer to '%.*s', and needs the '%s' of that, which it does not have then%.*s",
			   SLICE_ARGUMENTS(inside->entry->address), SLICE_ARGUMENTS(target->address), field->beside,
			   SLICE_ARGUMENTS(undo_since_text(room->work, run)));
	diag_address(room->work->diagnostics, inside->entry->address);
	undo_hint(room->work, run, run ? "undo that run first" : no_run);
}

static void look_at(struct inside *inside, const struct field *field, const struct value *value)
{
	const struct entry *target = room_target(inside->room, inside->entry, value);
	struct slice whole =
		target && room_is_there(target) ? whole_of(inside->room, target, field->beside) : (struct slice){0};

	if (target && is_no_part(inside, field, target))
		return;
	if (target && lies_nowhere(inside->room, target, field->beside) && (undo_goes_back(target) || takes(inside)))
		refuse_nowhere(inside, field, target);
	if (whole.size == 0)
		return;
	if (inside->whole.size == 0) {
		inside->whole = whole_of(inside->room, inside->entry, field->beside);
		inside->witness = inside->entry;
	}
	if (inside->whole.size == 0) {
		inside->whole = whole;
		inside->witness = target;
	}
	if (!slice_equal(whole, inside->whole) && is_concerned(inside, target))
		refuse_beside(inside, field, target, whole);
}

/* Whether the undoing leaves it in what it lies in now. */
static bool stays_in(const struct room *room, const struct entry *entry, const char *name)
{
	const struct object *now = room_recorded(room, entry);

	if (!undo_goes_back(entry) || !now)
		return !undo_goes_back(entry);
	const struct value opened = undo_opened(room->work, &now->applied);

	return undo_same_field(&entry->resource.desired, &opened,
			       field_named(&entry->resource.kind->fields, slice_of(name)));
}

/* Whether it refers so now, and both stay where they are: then they are joined. */
static bool goes_on(const struct inside *inside, const struct field *field, const struct entry *target)
{
	const struct object *now = room_recorded(inside->room, inside->entry);
	bool refers = false;

	for (size_t i = 0; now && !refers && i < now->dependency_count; i++)
		refers = slice_equal(now->dependencies[i].address, target->address) &&
			 slice_is(now->dependencies[i].field, inside->whole_field->name);
	return refers && stays_in(inside->room, inside->entry, field->beside_or_joined) &&
	       stays_in(inside->room, target, field->beside_or_joined);
}

static void look_at_joined(const struct inside *inside, const struct field *field, const struct value *value)
{
	const struct room *room = inside->room;
	const struct entry *target = room_target(room, inside->entry, value);
	struct inside here = *inside;

	if (!target || !room_is_there(target) || goes_on(inside, field, target) || is_no_part(inside, field, target))
		return;
	struct slice whole = whole_of(room, target, field->beside_or_joined);
	here.whole = whole_of(room, inside->entry, field->beside_or_joined);
	here.witness = inside->entry;
	if (whole.size > 0 && here.whole.size > 0 && !slice_equal(whole, here.whole))
		refuse_parted(&here, field, target, whole);
}

/* What one entry refers to, and apart from that what an item of its does that lies somewhere by itself. */
struct looking {
	struct inside all, its;
	const struct value *item; /* of which `its` tells; NULL: of none yet */
};

static struct inside *turn_to(struct looking *looking, const struct visited *visited)
{
	if (!visited->item || !schema_item_is_apart(visited->list, visited->item, looking->all.room->work->arena))
		return &looking->all;
	if (looking->item != visited->item) {
		looking->item = visited->item;
		looking->its = looking->all;
		looking->its.whole = (struct slice){0};
	}
	return &looking->its;
}

static void check_value(void *context, const struct visited *visited)
{
	struct looking *looking = context;
	const struct field *field = visited->field;
	struct inside *inside;

	if (looking->all.is_left_out || (!field->beside && !field->beside_or_joined))
		return;
	inside = turn_to(looking, visited);
	if (field->beside)
		look_at(inside, field, visited->value);
	if (field->beside_or_joined)
		look_at_joined(inside, field, visited->value);
	looking->all.is_left_out = inside->is_left_out;
}

void undo_check_beside(struct room *room)
{
	for (size_t i = 0; i < room->entries->count; i++) {
		const struct entry *entry = &room->entries->items[i];
		const struct kind *kind = entry->is_planned && room_is_there(entry) ? entry->resource.kind : NULL;
		struct looking looking = {.all = {.room = room, .entry = entry}};

		for (size_t k = 0; kind && k < kind->fields.count; k++) {
			looking.all.whole_field = field_at(&kind->fields, k);
			looking.all.is_left_out = false;
			visit_field(looking.all.whole_field, &entry->resource.desired, check_value, &looking);
		}
	}
}
