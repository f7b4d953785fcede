#include "base/cidr.h"
#include "reconcile/ranges.h"
#include "reconcile/undo_world.h"
#include "reconcile/unique.h"

/*
 * What goes back needs room where it was: its range and its address lie in what it is in, and nobody else has them, or
 * its name, by now. A service tells otherwise only once what is there has gone, and then neither comes again.
 */

struct room {
	struct undo_work *work;
	const struct entries *entries;
	bool *makes;		  /* of each entry: it goes back by another object than is there */
	bool *follows;		  /* of each entry: that, or it lies in such a one: it may be another object then */
	const struct live **live; /* of each entry that is recorded; or NULL */
	struct map by_id;	  /* by provider id, to the entries that keep what they have now */
	struct map wanted;	  /* what is to be made needs that for itself alone: to struct claim */
	struct map twins;	  /* what is to be made, by what tells it apart as a whole */
	struct map kinds;	  /* of that */
	struct ranges ranges;	  /* of that, and of others; by the number of the entry */
	struct output_source outputs;
	bool good;
};

static size_t number_of(const struct room *room, const struct entry *entry)
{
	return (size_t)(entry - room->entries->items);
}

static const struct object *recorded_of(const struct room *room, const struct entry *entry)
{
	return map_get(&room->work->now, entry->address);
}

/* Whether it will be there, whatever becomes of it before. */
static bool stays(const struct entry *entry)
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

		if (!entry || recorded_of(room, entry) != object)
			continue;
		room->live[number_of(room, entry)] = input->live ? input->live[i] : NULL;
		if (object->provider_id.size > 0 && stays(entry) && !room->makes[number_of(room, entry)])
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
				graph_add(ret, number_of(room, target), i);
		}
	}
	graph_close(ret);
}

static void find_followers(struct room *room)
{
	size_t count = 0, most = room->entries->count;
	uint32_t *queue = arena_new_array(room->work->arena, most + 1, uint32_t);
	struct graph lying;

	gather_lying(room, &lying);
	for (size_t i = 0; i < most; i++) {
		room->follows[i] = room->makes[i];
		if (room->makes[i])
			queue[count++] = (uint32_t)i;
	}
	for (size_t i = 0; i < count; i++) {
		for (uint32_t k = lying.first[queue[i]]; k < lying.first[queue[i] + 1]; k++) {
			uint32_t user = lying.successors[k];

			if (!room->follows[user])
				queue[count++] = user;
			room->follows[user] = true;
		}
	}
	graph_release(&lying);
}

/* Whether one of these fields of what is there is to change. */
static bool changes_any(const struct room *room, const struct entry *entry, const char *const *names)
{
	const struct value opened =
		names ? undo_opened(room->work, &recorded_of(room, entry)->applied) : value_map(NULL, 0);

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
	bool is_same = entry && stays(entry) && !room->follows[number_of(room, entry)] && recorded_of(room, entry);
	const struct output *output = is_same ? output_named(&entry->resource.kind->outputs, name) : NULL;

	if (!output || output->secret || changes_any(room, entry, output->renewed_by) ||
	    changes_any(room, entry, output->ended_by))
		return NULL;
	return value_get_given(&recorded_of(room, entry)->outputs, name);
}

/* A value with what it refers to in place, as far as that is known. */
static const struct value *settled(const struct room *room, const struct value *value)
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

/* What a reference leads to; NULL: nothing that is known, or one of several. */
static const struct entry *target_of(const struct room *room, const struct entry *entry, const struct value *reference)
{
	const struct entry *found = NULL;

	if (reference && value_is(reference, VALUE_STRING))
		return map_get(&room->by_id, value_slice(reference));
	for (size_t i = 0; reference && i < entry->resource.dependency_count; i++) {
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

/* Which run gave a recorded resource what it has in that field. */
static const struct undo_since *given_by(const struct room *room, const struct entry *entry, const struct field *field)
{
	const struct undo_case recorded = {.address = entry->address, .base = recorded_of(room, entry)};
	const struct undo_place place = {.field = field};

	return undo_blamed(room->work, &recorded, &place);
}

static void refuse_part(struct room *room, const struct part *part, const struct entry *around,
			const struct field *around_field)
{
	struct undo_work *work = room->work;
	bool goes_back = undo_goes_back(around), follows = room->makes[number_of(room, around)];
	const struct undo_since *run =
		goes_back ? given_by(room, part->entry, part->whole) : given_by(room, around, around_field);

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

/* Where a value stands: in a MAP, which stands in an outer one (NULL: in none). */
struct scope {
	const struct value *map;
	const struct scope *outer;
};

static void check_part(struct room *room, struct part part, const struct scope *scope, const struct value *value)
{
	struct slice text = value_is(value, VALUE_STRING) ? value_slice(value) : (struct slice){0};
	bool known =
		part.field->type == FIELD_ADDRESS ? cidr_read_address(text, &part.cidr) : cidr_read(text, &part.cidr);

	while (known && scope && !value_if_set(value_get_named(scope->map, part.field->range_parent)))
		scope = scope->outer;
	if (!known || !scope)
		return;
	const struct entry *around = target_of(room, part.entry, value_get_named(scope->map, part.field->range_parent));
	bool meets = around && stays(around) && (undo_goes_back(around) || room->makes[number_of(room, part.entry)]);
	const struct field *tells = meets ? tells_no_room(&around->resource, &part) : NULL;

	if (tells)
		refuse_part(room, &part, around, tells);
}

static void check_value(struct room *room, struct part part, const struct scope *scope, const struct value *value)
{
	const struct field *field = part.field;
	const struct scope within = {value, scope};

	if (field->range_parent)
		check_part(room, part, scope, value);
	for (uint32_t i = 0; field->item && value_is(value, VALUE_LIST) && i < value->count; i++) {
		part.field = field->item;
		check_value(room, part, scope, &value->items[i]);
	}
	for (size_t i = 0; value_is(value, VALUE_MAP) && i < field->members.count; i++) {
		part.field = field_at(&field->members, i);
		const struct value *held = value_get_named(value, part.field->name);

		if (held)
			check_value(room, part, &within, held);
	}
}

/* What is in something that goes back has to fit there, as has what is made anew itself. */
static void check_parts(struct room *room)
{
	for (size_t i = 0; i < room->entries->count; i++) {
		const struct entry *entry = &room->entries->items[i];
		const struct kind *kind = entry->is_planned && stays(entry) ? entry->resource.kind : NULL;
		const struct scope scope = {&entry->resource.desired, NULL};

		for (size_t k = 0; kind && k < kind->fields.count; k++) {
			const struct field *field = field_at(&kind->fields, k);
			const struct value *value = value_get_named(&entry->resource.desired, field->name);

			if (value)
				check_value(room, (struct part){.entry = entry, .whole = field, .field = field}, &scope,
					    value);
		}
	}
}

/* What an entry is to have in a field, or has without that anybody asks for it; NULL: nothing, or it is not known. */
static const struct value *value_of(const struct room *room, const struct entry *entry, const char *name)
{
	const struct value *value = value_if_set(settled(room, value_get_named(&entry->resource.desired, name)));
	const struct live *live = room->live[number_of(room, entry)];

	if (value || entry->is_planned || !live || live->presence != PRESENCE_PRESENT)
		return value;
	return value_if_set(value_get_named(&live->fields, name));
}

/* What tells a thing apart from others of its kind, in fields of its table; a MAP. */
static struct value told_apart(const struct room *room, const struct entry *entry)
{
	VALUE_BUILDER_AUTO fields;

	value_builder_init(&fields);
	for (const char *const *name = entry->resource.kind->told_apart_by; name && *name; name++) {
		const struct value *value = value_of(room, entry, *name);

		if (value)
			value_builder_set(&fields, slice_of(*name), *value);
	}
	return value_builder_map(&fields, room->work->arena);
}

/* What an entry needs for itself alone. */
struct claim {
	const struct entry *entry;
	const struct field *whole; /* of the resource */
	const struct field *field; /* the same, or what is within it */
	const struct value *value;
};

/* The value, and within what there is but one of it, by its address: a MAP of both fields. */
static struct value claimed(const struct room *room, const struct claim *claim, const struct scope *scope)
{
	const char *name = unique_scope(claim->field);
	const struct value *within = NULL;

	for (; name && scope && !within; scope = scope->outer)
		within = value_if_set(value_get_named(scope->map, name));
	if (name && !within)
		within = value_of(room, claim->entry, name);
	const struct entry *target = target_of(room, claim->entry, within);
	struct value_member *members = arena_new_array(room->work->arena, 2, struct value_member);
	uint32_t count = 0;

	members[count++] = (struct value_member){value_text(claim->field->name), *claim->value};
	if (target)
		members[count++] = (struct value_member){value_text(name), value_string(target->address)};
	else if (within && value_is(within, VALUE_STRING))
		members[count++] = (struct value_member){value_text(name), *within};
	return value_map(members, count);
}

static const struct identity *place_of(const struct room *room, const struct entry *entry)
{
	const struct object *now = recorded_of(room, entry);
	const struct object *was = undo_goes_back(entry) ? entry->one->was : NULL;

	return was && (!now || slice_equal(entry->resource.provider, was->provider)) ? &was->identity : &now->identity;
}

static void refuse_claim(struct room *room, const struct claim *wanted, const struct claim *had)
{
	struct undo_work *work = room->work;
	const struct undo_since *run = given_by(room, had->entry, had->whole);
	bool differ = ranges_differ(wanted->value, had->value);

	room->good = diag_error(work->diagnostics, FAULT_CONFLICT, NOWHERE,
				"'%.*s' cannot have '%.*s' as its '%s' again: '%.*s' has %.*s by now%.*s",
				SLICE_ARGUMENTS(wanted->entry->address),
				SLICE_ARGUMENTS(value_shown(wanted->value, SIZE_MAX)), wanted->field->name,
				SLICE_ARGUMENTS(had->entry->address),
				SLICE_ARGUMENTS(differ ? value_shown(had->value, SIZE_MAX) : SLICE("it")),
				SLICE_ARGUMENTS(undo_since_text(work, run)));
	diag_address(work->diagnostics, wanted->entry->address);
	undo_hint(work, run, "undo the run that gave it that first");
}

static void refuse_twin(struct room *room, const struct entry *maker, const struct entry *holder)
{
	struct undo_work *work = room->work;
	const struct kind *kind = maker->resource.kind;
	const struct value wanted = told_apart(room, maker), held = told_apart(room, holder);
	const struct undo_since *run = NULL;

	for (const char *const *name = kind->told_apart_by; !run && *name; name++)
		run = given_by(room, holder, field_named(&kind->fields, slice_of(*name)));
	room->good = diag_error(work->diagnostics, FAULT_CONFLICT, NOWHERE,
				"'%.*s' cannot be had again: '%.*s' has the same %.*s by now%.*s",
				SLICE_ARGUMENTS(maker->address), SLICE_ARGUMENTS(holder->address),
				SLICE_ARGUMENTS(unique_names(kind, &wanted, &held, work->arena)),
				SLICE_ARGUMENTS(undo_since_text(work, run)));
	diag_address(work->diagnostics, maker->address);
	undo_hint(work, run, "undo the run that gave it that first");
}

static void note_range(struct room *room, const struct claim *claim, const struct value *fields, bool wanted)
{
	const struct ranged ranged = {
		.owner = number_of(room, claim->entry), .wanted = wanted, .field = claim->field, .value = claim->value};

	/* Of what is within a field only equal ones are told. */
	if (claim->field == claim->whole)
		(void)ranges_add(&room->ranges, claim->entry->resource.kind, fields, place_of(room, claim->entry),
				 ranged);
}

/* Those who have it now come after all who want it. */
static void note_claim(struct room *room, const struct claim *claim, const struct scope *scope, bool wanted)
{
	const struct kind *kind = claim->entry->resource.kind;
	const struct value fields = claimed(room, claim, scope);
	struct slice text = unique_text(kind, claim->field, &fields, place_of(room, claim->entry), room->work->arena);
	const struct claim *other = text.size > 0 && !wanted ? map_get(&room->wanted, text) : NULL;

	if (text.size == 0)
		return;
	if (other)
		refuse_claim(room, other, claim);
	note_range(room, claim, &fields, wanted);
	if (wanted) {
		struct claim *kept = arena_new(room->work->arena, struct claim);

		*kept = *claim;
		(void)map_add(&room->wanted, text, kept);
		map_set(&room->kinds, slice_of(kind->name), kept);
	}
}

/* Names, ranges and addresses, also those that can change in place: the others are handed on. */
static bool is_claim(const struct field *field)
{
	return unique_field(field) && (field->type == FIELD_ADDRESS || !unique_is_handed_on(field));
}

/* Nothing brings back what has moved outside, where nothing goes back. */
static const struct value *value_in(const struct room *room, const struct entry *entry, const struct field *field)
{
	const struct live *live = room->live[number_of(room, entry)];
	bool is_seen = !entry->is_planned && live && live->presence == PRESENCE_PRESENT;

	return is_seen && !(field->flags & (IMMUTABLE | WRITE_ONLY))
		       ? value_if_set(value_get_named(&live->fields, field->name))
		       : value_of(room, entry, field->name);
}

static bool has_claims(const struct field *field)
{
	bool has = is_claim(field) || (field->item && has_claims(field->item));

	for (size_t i = 0; !has && i < field->members.count; i++)
		has = has_claims(field_at(&field->members, i));
	return has;
}

static void claim_value(struct room *room, struct claim claim, const struct scope *scope, bool wanted)
{
	const struct field *field = claim.field;
	const struct value *value = claim.value;
	const struct scope within = {value, scope};

	if (is_claim(field))
		note_claim(room, &claim, scope, wanted);
	for (uint32_t i = 0; field->item && value_is(value, VALUE_LIST) && i < value->count; i++) {
		claim.field = field->item;
		claim.value = &value->items[i];
		claim_value(room, claim, scope, wanted);
	}
	for (size_t i = 0; value_is(value, VALUE_MAP) && i < field->members.count; i++) {
		claim.field = field_at(&field->members, i);
		claim.value = value_if_set(value_get_named(value, claim.field->name));
		if (claim.value)
			claim_value(room, claim, &within, wanted);
	}
}

static void claim_fields(struct room *room, const struct entry *entry, bool wanted)
{
	const struct fields *fields = &entry->resource.kind->fields;

	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = field_at(fields, i);
		const struct value *value = has_claims(field) ? value_in(room, entry, field) : NULL;

		if (value)
			claim_value(room, (struct claim){entry, field, field, value}, NULL, wanted);
	}
}

/* The same of what only several fields together tell apart. */
static void claim_whole(struct room *room, struct entry *entry, bool wanted)
{
	const struct kind *kind = entry->resource.kind;
	const struct value fields = told_apart(room, entry);
	struct slice text = unique_whole(kind, &fields, place_of(room, entry), room->work->arena);
	const struct entry *maker = text.size > 0 && !wanted ? map_get(&room->twins, text) : NULL;

	if (maker)
		refuse_twin(room, maker, entry);
	if (text.size > 0 && wanted) {
		(void)map_add(&room->twins, text, entry);
		map_set(&room->kinds, slice_of(kind->name), entry);
	}
}

static void claim_all(struct room *room, struct entry *entry, bool wanted)
{
	claim_fields(room, entry, wanted);
	claim_whole(room, entry, wanted);
}

/* Those that are equal are told already. */
static void look_at_range(void *context, const struct ranged *had, const struct ranged *wanted)
{
	struct room *room = context;
	const struct claim has = {&room->entries->items[had->owner], had->field, had->field, had->value};
	const struct claim wants = {&room->entries->items[wanted->owner], wanted->field, wanted->field, wanted->value};

	if (ranges_differ(had->value, wanted->value))
		refuse_claim(room, &wants, &has);
}

static void check_claims(struct room *room)
{
	const struct entries *entries = room->entries;

	for (size_t i = 0; i < entries->count; i++)
		if (room->makes[i])
			claim_all(room, &entries->items[i], true);
	for (size_t i = 0; room->kinds.count > 0 && i < entries->count; i++) {
		struct entry *entry = &entries->items[i];

		if (!room->makes[i] && stays(entry) && map_get(&room->kinds, slice_of(entry->resource.kind->name)))
			claim_all(room, entry, false);
	}
	ranges_meet(&room->ranges, look_at_range, room);
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
	map_init(&room.wanted);
	map_init(&room.twins);
	map_init(&room.kinds);
	ranges_init(&room.ranges, arena);
	room.outputs = (struct output_source){&room, output_of};
	survey(&room);
	find_followers(&room);
	check_parts(&room);
	/* Only what was read tells who has something still. */
	if (entries->work->input->live)
		check_claims(&room);
	map_release(&room.by_id);
	map_release(&room.wanted);
	map_release(&room.twins);
	map_release(&room.kinds);
	ranges_release(&room.ranges);
	return room.good;
}
