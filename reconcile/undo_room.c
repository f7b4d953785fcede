#include "reconcile/ranges.h"
#include "reconcile/undo_room.h"
#include "reconcile/visit.h"

/*
 * What goes back needs room where it was: its range and its address lie in what it is in, and nobody else has them, or
 * its name, by now. A service tells otherwise only once what is there has gone, and then neither comes again.
 */

size_t room_number(const struct room *room, const struct entry *entry)
{
	return (size_t)(entry - room->entries->items);
}

const struct object *room_recorded(const struct room *room, const struct entry *entry)
{
	return map_get(&room->work->now, entry->address);
}

bool room_is_there(const struct entry *entry)
{
	return entry->is_there && entry->resource.kind && (undo_goes_back(entry) || !entry->is_gone);
}

static void survey(struct room *room)
{
	const struct undo_input *input = room->work->input;

	for (size_t i = 0; i < room->entries->count; i++)
		room->makes[i] = undo_goes_back(&room->entries->items[i]) &&
				 undo_is_made_anew(room->work, &room->entries->items[i]);
	for (size_t i = 0; i < input->object_count; i++) {
		struct object *object = input->objects[i];
		struct entry *entry = map_get(&room->entries->by_address, object->address);

		if (!entry || room_recorded(room, entry) != object)
			continue;
		room->live[room_number(room, entry)] = input->live ? input->live[i] : NULL;
		if (object->provider_id.size > 0 && room_is_there(entry) && !room->makes[room_number(room, entry)])
			map_set(&room->by_id, object->provider_id, entry);
	}
}

/* From each entry to those that refer to it for good. */
static void gather_lying(const struct room *room, struct graph *ret)
{
	const struct entries *entries = room->entries;

	graph_init(ret, entries->count);
	for (size_t i = 0; i < entries->count; i++) {
		const struct resource *resource = &entries->items[i].resource;

		for (size_t k = 0; entries->items[i].is_there && k < resource->dependency_count; k++) {
			const struct dependency *dependency = &resource->dependencies[k];
			const struct entry *target =
				dependency->immutable ? map_get(&entries->by_address, dependency->address) : NULL;

			if (target)
				graph_add(ret, room_number(room, target), i);
		}
	}
	graph_close(ret);
}

static void find_followers(struct room *room)
{
	struct graph lying;

	gather_lying(room, &lying);
	for (size_t i = 0; i < room->entries->count; i++)
		room->follows[i] = room->makes[i];
	graph_reach(&lying, room->follows);
	graph_release(&lying);
}

/* Whether one of these fields of what is there is to change. */
static bool changes_any(const struct room *room, const struct entry *entry, const char *const *names)
{
	const struct value opened =
		names ? undo_opened(room->work, &room_recorded(room, entry)->applied) : value_map(NULL, 0);

	for (; names && *names; names++) {
		const struct field *field = field_named(&entry->resource.kind->fields, slice_of(*names));

		if (!field || !undo_same_field(&entry->resource.desired, &opened, field))
			return true;
	}
	return false;
}

/* Of what stays the object that it is: what it will have. */
static const struct value *output_of(void *context, struct slice address, struct slice name)
{
	const struct room *room = context;
	const struct entry *entry = map_get(&room->entries->by_address, address);
	bool is_same =
		entry && room_is_there(entry) && !room->follows[room_number(room, entry)] && room_recorded(room, entry);
	const struct output *output = is_same ? output_named(&entry->resource.kind->outputs, name) : NULL;

	if (!output || output->secret || changes_any(room, entry, output->renewed_by) ||
	    changes_any(room, entry, output->ended_by))
		return NULL;
	return value_get_given(&room_recorded(room, entry)->outputs, name);
}

const struct value *room_settled(const struct room *room, const struct value *value)
{
	const struct resolver *resolver = room->work->input->resolver;
	struct arena *arena = room->work->arena;
	struct diagnostics unheard; /* of a mistake is told where the value is used */

	if (!value || !value_has_deferred(value))
		return value;
	struct value *result = arena_new(arena, struct value);

	diagnostics_init(&unheard, arena);
	bool good = resolver->resolve(resolver, value, &room->outputs, arena, result, &unheard);
	diagnostics_release(&unheard);
	return good ? result : value;
}

const struct entry *room_target(const struct room *room, const struct entry *entry, const struct value *reference)
{
	const struct entry *found = NULL;

	if (reference && value_is(reference, VALUE_STRING))
		return map_get(&room->by_id, value_slice(reference));
	for (size_t i = 0; reference && entry && i < entry->resource.dependency_count; i++) {
		struct slice address = entry->resource.dependencies[i].address;

		if (!undo_mentions(reference, address) || (found && slice_equal(found->address, address)))
			continue;
		if (found)
			return NULL;
		found = map_get(&room->entries->by_address, address);
	}
	return found;
}

/* A range, or an address, of an entry. */
struct part {
	const struct entry *entry;
	const struct field *whole; /* of the resource */
	const struct field *field; /* the same, or what is within it */
	struct cidr cidr;
};

/* What looks for parts of an entry. */
struct looking {
	struct room *room;
	const struct entry *entry;
};

static bool holds(const struct field *field, const struct cidr *range, const struct part *part)
{
	bool is_kept = part->field->type == FIELD_ADDRESS && (field->flags & KEEPS_ENDS);

	return cidr_contains(range, &part->cidr) && !(is_kept && range_keeps(range, &part->cidr));
}

/* Whether what is not known yet of a field can be a range of that family. */
static bool may_be(const struct field *field, uint8_t family)
{
	const enum field_type type = (field->item ? field->item : field)->type;

	return type != (family == 4 ? FIELD_CIDR6 : FIELD_CIDR4);
}

/* Whether ranges have that part, or may, not being known yet; *ret_any is set where one of them is of its family. */
static bool has_within(const struct field *field, const struct value *value, const struct part *part, bool *ret_any)
{
	struct cidr range;
	bool within = false;

	for (uint32_t i = 0; value_is(value, VALUE_LIST) && i < value->count; i++)
		within |= has_within(field, &value->items[i], part, ret_any);
	if (value_is(value, VALUE_DEFERRED))
		return within || may_be(field, part->cidr.family);
	if (!value_is(value, VALUE_STRING) || !cidr_read(value_slice(value), &range) ||
	    range.family != part->cidr.family)
		return within;
	*ret_any = true;
	return within || holds(field, &range, part);
}

/* The field that tells that there is no room for it; NULL: there is, or nobody knows. */
static const struct field *tells_no_room(const struct resource *around, const struct part *part)
{
	const struct field *tells = NULL;
	bool any = false;

	for (size_t i = 0; i < around->kind->fields.count; i++) {
		const struct field *field = field_at(&around->kind->fields, i);
		const struct value *value = value_get_named(&around->desired, field->name);

		if (field->range == RANGE_NONE || !value)
			continue;
		if (has_within(field, value, part, &any))
			return NULL;
		if (any && !tells)
			tells = field;
	}
	return tells;
}

const struct undo_since *room_given_by(const struct room *room, const struct entry *entry, const struct field *field)
{
	const struct undo_case recorded = {.address = entry->address, .base = room_recorded(room, entry)};
	const struct undo_place place = {.field = field};

	return undo_blamed(room->work, &recorded, &place);
}

static void refuse_part(struct room *room, const struct part *part, const struct entry *around,
			const struct field *around_field)
{
	struct undo_work *work = room->work;
	bool goes_back = undo_goes_back(around), follows = room->makes[room_number(room, around)];
	const struct undo_since *run =
		goes_back ? room_given_by(room, part->entry, part->whole) : room_given_by(room, around, around_field);

	room->good = diag_error(work->diagnostics, FAULT_CONFLICT, NOWHERE,
				"'%.*s' would %s '%.*s', and its '%s' %s%.*s", SLICE_ARGUMENTS(part->entry->address),
				follows	    ? "follow"
				: goes_back ? "stay in"
					    : "be made in",
				SLICE_ARGUMENTS(around->address), part->field->name,
				goes_back ? "does not lie in what that goes back to"
					  : "is not to be had in what that is by now",
				SLICE_ARGUMENTS(undo_since_text(work, run)));
	diag_address(work->diagnostics, part->entry->address);
	undo_hint(work, run, "undo the run that gave it that first");
}

static void check_part(void *context, const struct visited *visited)
{
	const struct looking *looking = context;
	struct room *room = looking->room;
	const struct field *field = visited->field;
	struct part part = {.entry = looking->entry, .whole = visited->top, .field = field};
	const struct value *within =
		field->range_parent ? scope_nearest(visited->scope, slice_of(field->range_parent)) : NULL;

	if (!within || !range_read(field, visited->value, &part.cidr))
		return;
	const struct entry *around = room_target(room, part.entry, within);
	bool meets = around && room_is_there(around) &&
		     (undo_goes_back(around) || room->makes[room_number(room, part.entry)]);
	const struct field *tells = meets ? tells_no_room(&around->resource, &part) : NULL;

	if (tells)
		refuse_part(room, &part, around, tells);
}

/* What is in something that goes back has to fit there, as has what is made anew itself. */
static void check_parts(struct room *room)
{
	for (size_t i = 0; i < room->entries->count; i++) {
		const struct entry *entry = &room->entries->items[i];
		const struct kind *kind = entry->is_planned && room_is_there(entry) ? entry->resource.kind : NULL;
		struct looking looking = {room, entry};

		for (size_t k = 0; kind && k < kind->fields.count; k++)
			visit_field(field_at(&kind->fields, k), &entry->resource.desired, check_part, &looking);
	}
}

bool undo_check_room(struct entries *entries)
{
	struct arena *arena = entries->work->arena;
	struct room room = {
		.work = entries->work,
		.entries = entries,
		.makes = arena_new_array(arena, entries->count + 1, bool),
		.follows = arena_new_array(arena, entries->count + 1, bool),
		.live = arena_new_array(arena, entries->count + 1, const struct live *),
		.good = true,
	};

	map_init(&room.by_id);
	room.outputs = (struct output_source){&room, output_of};
	survey(&room);
	find_followers(&room);
	undo_drop_lost(&room);
	check_parts(&room);
	undo_check_beside(&room);
	/* Only what was read tells who has something still. */
	if (entries->work->input->live)
		undo_check_claims(&room);
	map_release(&room.by_id);
	return room.good;
}
