#include "reconcile/ranges.h"
#include "reconcile/undo_room.h"
#include "reconcile/visit.h"

/*
 * What was seen of a field that no spec had set goes back as it was seen: as ids and addresses, which follow nothing.
 * Where what they name has ended since, or lies in another network than what they would be set on, no service takes
 * them, and tells so only once what is there has gone. Then the field's own rule is all that is left.
 */

struct search {
	const struct room *room;
	/* Ids of what is or was recorded, to NULL where they were forgotten since. NULL before one is asked for: few
	 * undoings need them. */
	struct map *ours;
};

/* What was seen of an entry, and how it stood then. */
struct seen {
	struct search *search;
	const struct entry *entry;
	const struct object *was;
	const struct value *lost; /* the first text of a field that could not be set again; NULL: there is none */
};

/* What was recorded at an address once the run had begun; NULL: nothing, or nobody knows. */
static const struct object *form_then(const struct room *room, struct slice address)
{
	struct undo_work *work = room->work;
	const struct undo_case *one = map_get(&work->cases_by_address, address);
	const struct object *found = NULL;

	if (one && one->was)
		return one->was;
	return undo_found_since(work, address, &found) ? found : map_get(&work->now, address);
}

static const struct value *resolved_of(const struct object *object, const char *name)
{
	const struct value *value =
		object && value_is(&object->resolved, VALUE_MAP) ? value_get_named(&object->resolved, name) : NULL;

	return value_is(value_if_set(value), VALUE_STRING) ? value : NULL;
}

/* Whether an entry will be the object still that had this id. */
static bool is_still(const struct room *room, const struct entry *entry, struct slice id)
{
	const struct object *now = room_recorded(room, entry);

	return now && room_is_there(entry) && !room->follows[room_number(room, entry)] &&
	       slice_equal(now->provider_id, id);
}

/* Whether that field of an entry will lead to the very object that it led to in the form of then; of what nothing was
 * said, or will be, nobody can tell, and it is left to the service. */
static bool leads_as_then(const struct room *room, const struct entry *entry, const char *name,
			  const struct object *then)
{
	const struct value *wanted = value_if_set(value_get_named(&entry->resource.desired, name));
	const struct value *led = resolved_of(then, name);
	const struct entry *target = room_target(room, entry, wanted);

	if (!wanted || !led)
		return !wanted && !led;
	return target ? is_still(room, target, value_slice(led)) : value_equal(wanted, led);
}

/* What a field of then referred to, of ours; NULL: nothing that is known. */
static const struct object *target_then(const struct room *room, const struct object *was, const char *name)
{
	const struct value *led = resolved_of(was, name);

	for (size_t i = 0; led && i < was->dependency_count; i++) {
		const struct object *then = slice_is(was->dependencies[i].field, name)
						    ? form_then(room, was->dependencies[i].address)
						    : NULL;

		if (then && slice_equal(then->provider_id, value_slice(led)))
			return then;
	}
	return NULL;
}

/* Whether it will lie in the same thing as then, be it by a field of its own or by what it lies in. */
static bool lies_as_then(const struct seen *seen, const char *whole)
{
	const struct kind *kind = seen->entry->resource.kind;

	if (field_named(&kind->fields, slice_of(whole)))
		return leads_as_then(seen->search->room, seen->entry, whole, seen->was);
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);

		if (!field->beside || !slice_is(slice_of(field->beside), whole) ||
		    leads_as_then(seen->search->room, seen->entry, field->name, seen->was))
			continue;
		const struct entry *target = room_target(seen->search->room, seen->entry,
							 value_get_named(&seen->entry->resource.desired, field->name));

		return target && leads_as_then(seen->search->room, target, whole,
					       target_then(seen->search->room, seen->was, field->name));
	}
	return true;
}

static void note_ours(struct search *search, bool is_there, const struct object *object, void *item)
{
	if (is_there && object->provider_id.size > 0)
		map_set(search->ours, object->provider_id, item);
}

static void gather_ours(struct search *search)
{
	struct undo_work *work = search->room->work;
	const struct undo_input *input = work->input;
	size_t count = 0;
	const struct undo_since *since = undo_since(work, &count);

	search->ours = map_new(work->arena);
	for (size_t i = 0; i < input->object_count; i++)
		note_ours(search, true, input->objects[i], search);
	for (size_t i = 0; i < input->past_count; i++) {
		note_ours(search, input->past[i].was, &input->past[i].before, search);
		note_ours(search, input->past[i].is, &input->past[i].after, search);
	}
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < since[i].past_count; k++) {
			const struct past_object *past = &since[i].past[k];

			/* What is merely out of the record is there still. */
			note_ours(search, past->was, &past->before, since[i].records_only && !past->is ? NULL : search);
		}
	}
}

/* Whether that id is one of ours that will not be there: those of others are not known. */
static bool has_ended(const struct seen *seen, struct slice id)
{
	const struct room *room = seen->search->room;
	const struct entry *entry = map_get(&room->by_id, id);

	if (entry)
		return room->follows[room_number(room, entry)];
	if (!seen->search->ours)
		gather_ours(seen->search);
	return map_has(seen->search->ours, id);
}

/* What an entry will have in a field of ranges: what nobody has set, or sets, it has as it was read. */
static const struct value *range_of(const struct room *room, const struct entry *entry, const char *name)
{
	const struct value *wanted = value_if_set(value_get_named(&entry->resource.desired, name));
	const struct object *now = room_recorded(room, entry);
	const struct live *live = room->live[room_number(room, entry)];

	if (wanted)
		return room_settled(room, wanted);
	if (!now || !live || room->follows[room_number(room, entry)] || live->presence != PRESENCE_PRESENT ||
	    value_if_set(value_get_named(&now->applied, name)))
		return NULL;
	return value_if_set(value_get_named(&live->fields, name));
}

/* Whether what an entry is to lie in has that address in one of its ranges, as far as these are known by then; what is
 * of a kind that has none is not asked. */
static bool has_address(const struct room *room, const struct entry *around, const struct cidr *address)
{
	const struct fields *fields = &around->resource.kind->fields;
	bool any = false;

	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = field_at(fields, i);
		const struct value *range = field->range == RANGE_NONE ? NULL : range_of(room, around, field->name);

		any |= field->range != RANGE_NONE;
		if (range && ranges_around(range, address))
			return true;
	}
	return !any;
}

static bool fits_address(const struct seen *seen, const struct field *field, const struct value *value)
{
	const struct value *parent = value_get_named(&seen->entry->resource.desired, field->range_parent);
	const struct entry *around = room_target(seen->search->room, seen->entry, value_if_set(parent));
	struct cidr cidr;

	if (!around || !around->resource.kind || !range_read(field, value, &cidr))
		return true;
	return has_address(seen->search->room, around, &cidr);
}

static void look_at(void *context, const struct visited *visited)
{
	struct seen *seen = context;
	const struct field *field = visited->field;
	const struct value *value = visited->value;
	const char *whole = field->beside ? field->beside : field->beside_or_joined;

	if (seen->lost || value->type != VALUE_STRING)
		return;
	if ((field->type == FIELD_REFERENCE && has_ended(seen, value_slice(value))) ||
	    (whole && !lies_as_then(seen, whole)) || (field->range_parent && !fits_address(seen, field, value)))
		seen->lost = value;
}

/* Of what stays the object that it is, the plan tells that the field keeps its value. */
static void tell(const struct seen *seen, struct slice field)
{
	if (seen->search->room->follows[room_number(seen->search->room, seen->entry)])
		undo_note(seen->search->room->work, seen->entry->address,
			  "'%.*s' is what the service makes of it where nothing is set: what was seen before the run "
			  "('%.*s') is gone, or in another network by now",
			  SLICE_ARGUMENTS(field), SLICE_ARGUMENTS(value_slice(seen->lost)));
}

static void drop_lost(struct search *search, struct entry *entry)
{
	struct seen seen = {.search = search, .entry = entry, .was = entry->one->was};
	const struct value *restores = &entry->resource.restores;
	VALUE_BUILDER_AUTO kept;

	value_builder_init(&kept);
	for (uint32_t i = 0; i < restores->count; i++) {
		const struct value_member *member = &restores->members[i];
		const struct field *field = field_named(&entry->resource.kind->fields, value_slice(&member->key));

		seen.lost = NULL;
		visit_value(field, field, &member->value, NULL, look_at, &seen);
		if (seen.lost)
			tell(&seen, value_slice(&member->key));
		else
			value_builder_member(&kept, value_slice(&member->key), member->value);
	}
	entry->resource.restores = value_builder_map(&kept, search->room->work->arena);
}

void undo_drop_lost(struct room *room)
{
	struct search search = {.room = room};

	for (size_t i = 0; i < room->entries->count; i++) {
		struct entry *entry = &room->entries->items[i];

		if (entry->is_planned && undo_goes_back(entry) && room_is_there(entry) && entry->one->was &&
		    value_is(&entry->resource.restores, VALUE_MAP))
			drop_lost(&search, entry);
	}
}
