#include "reconcile/ranges.h"
#include "reconcile/undo_room.h"
#include "reconcile/unique.h"

/* What goes back needs its name, its range and its address for itself alone, and nobody else has these by now. */

struct claims {
	struct room *room;
	struct map wanted;    /* what is to be made needs that for itself alone: to struct claim */
	struct map twins;     /* what is to be made, by what tells it apart as a whole */
	struct map kinds;     /* of that */
	struct ranges ranges; /* of that, and of others; by the number of the entry */
};

/* What an entry is to have in a field, or has without that anybody asks for it; NULL: nothing, or it is not known. */
static const struct value *value_of(const struct room *room, const struct entry *entry, const char *name)
{
	const struct value *value = value_if_set(room_settled(room, value_get_named(&entry->resource.desired, name)));
	const struct live *live = room->live[room_number(room, entry)];

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
	const struct entry *target = room_target(room, claim->entry, within);
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
	const struct object *now = room_recorded(room, entry);
	const struct object *was = undo_goes_back(entry) ? entry->one->was : NULL;

	return was && (!now || slice_equal(entry->resource.provider, was->provider)) ? &was->identity : &now->identity;
}

static void refuse_claim(struct room *room, const struct claim *wanted, const struct claim *had)
{
	struct undo_work *work = room->work;
	const struct undo_since *run = room_given_by(room, had->entry, had->whole);
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
		run = room_given_by(room, holder, field_named(&kind->fields, slice_of(*name)));
	room->good = diag_error(work->diagnostics, FAULT_CONFLICT, NOWHERE,
				"'%.*s' cannot be had again: '%.*s' has the same %.*s by now%.*s",
				SLICE_ARGUMENTS(maker->address), SLICE_ARGUMENTS(holder->address),
				SLICE_ARGUMENTS(unique_names(kind, &wanted, &held, work->arena)),
				SLICE_ARGUMENTS(undo_since_text(work, run)));
	diag_address(work->diagnostics, maker->address);
	undo_hint(work, run, "undo the run that gave it that first");
}

/* Names, ranges and addresses, also those that can change in place: the others are handed on. */
static bool is_claim(const struct field *field)
{
	return unique_field(field) && (field->type == FIELD_ADDRESS || !unique_is_handed_on(field));
}

/* Nothing brings back what has moved outside, where nothing goes back. */
static const struct value *value_in(const struct room *room, const struct entry *entry, const struct field *field)
{
	const struct live *live = room->live[room_number(room, entry)];
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

static void note_range(struct claims *claims, const struct claim *claim, const struct value *fields, bool wanted)
{
	const struct ranged ranged = {.owner = room_number(claims->room, claim->entry),
				      .wanted = wanted,
				      .field = claim->field,
				      .value = claim->value};

	/* Of what is within a field only equal ones are told. */
	if (claim->field == claim->whole)
		(void)ranges_add(&claims->ranges, claim->entry->resource.kind, fields,
				 place_of(claims->room, claim->entry), ranged);
}

/* Those who have it now come after all who want it. */
static void note_claim(struct claims *claims, const struct claim *claim, const struct scope *scope, bool wanted)
{
	const struct kind *kind = claim->entry->resource.kind;
	const struct value fields = claimed(claims->room, claim, scope);
	struct slice text = unique_text(kind, claim->field, &fields, place_of(claims->room, claim->entry),
					claims->room->work->arena);
	const struct claim *other = text.size > 0 && !wanted ? map_get(&claims->wanted, text) : NULL;

	if (text.size == 0)
		return;
	if (other)
		refuse_claim(claims->room, other, claim);
	note_range(claims, claim, &fields, wanted);
	if (wanted) {
		struct claim *kept = arena_new(claims->room->work->arena, struct claim);

		*kept = *claim;
		(void)map_add(&claims->wanted, text, kept);
		map_set(&claims->kinds, slice_of(kind->name), kept);
	}
}

static void claim_value(struct claims *claims, struct claim claim, const struct scope *scope, bool wanted)
{
	const struct field *field = claim.field;
	const struct value *value = claim.value;
	const struct scope within = {value, scope};

	if (is_claim(field))
		note_claim(claims, &claim, scope, wanted);
	for (uint32_t i = 0; field->item && value_is(value, VALUE_LIST) && i < value->count; i++) {
		claim.field = field->item;
		claim.value = &value->items[i];
		claim_value(claims, claim, scope, wanted);
	}
	for (size_t i = 0; value_is(value, VALUE_MAP) && i < field->members.count; i++) {
		claim.field = field_at(&field->members, i);
		claim.value = value_if_set(value_get_named(value, claim.field->name));
		if (claim.value)
			claim_value(claims, claim, &within, wanted);
	}
}

static void claim_fields(struct claims *claims, const struct entry *entry, bool wanted)
{
	const struct fields *fields = &entry->resource.kind->fields;

	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = field_at(fields, i);
		const struct value *value = has_claims(field) ? value_in(claims->room, entry, field) : NULL;

		if (value)
			claim_value(claims, (struct claim){entry, field, field, value}, NULL, wanted);
	}
}

/* The same of what only several fields together tell apart. */
static void claim_whole(struct claims *claims, struct entry *entry, bool wanted)
{
	const struct kind *kind = entry->resource.kind;
	const struct value fields = told_apart(claims->room, entry);
	struct slice text = unique_whole(kind, &fields, place_of(claims->room, entry), claims->room->work->arena);
	const struct entry *maker = text.size > 0 && !wanted ? map_get(&claims->twins, text) : NULL;

	if (maker)
		refuse_twin(claims->room, maker, entry);
	if (text.size > 0 && wanted) {
		(void)map_add(&claims->twins, text, entry);
		map_set(&claims->kinds, slice_of(kind->name), entry);
	}
}

static void claim_all(struct claims *claims, struct entry *entry, bool wanted)
{
	claim_fields(claims, entry, wanted);
	claim_whole(claims, entry, wanted);
}

/* Those that are equal are told already. */
static void look_at_range(void *context, const struct ranged *had, const struct ranged *wanted)
{
	struct claims *claims = context;
	const struct claim has = {&claims->room->entries->items[had->owner], had->field, had->field, had->value};
	const struct claim wants = {&claims->room->entries->items[wanted->owner], wanted->field, wanted->field,
				    wanted->value};

	if (ranges_differ(had->value, wanted->value))
		refuse_claim(claims->room, &wants, &has);
}

void undo_check_claims(struct room *room)
{
	const struct entries *entries = room->entries;
	struct claims claims = {.room = room};

	map_init(&claims.wanted);
	map_init(&claims.twins);
	map_init(&claims.kinds);
	ranges_init(&claims.ranges, room->work->arena);
	for (size_t i = 0; i < entries->count; i++)
		if (room->makes[i])
			claim_all(&claims, &entries->items[i], true);
	for (size_t i = 0; claims.kinds.count > 0 && i < entries->count; i++) {
		struct entry *entry = &entries->items[i];

		if (!room->makes[i] && room_is_there(entry) &&
		    map_get(&claims.kinds, slice_of(entry->resource.kind->name)))
			claim_all(&claims, entry, false);
	}
	ranges_meet(&claims.ranges, look_at_range, &claims);
	map_release(&claims.wanted);
	map_release(&claims.twins);
	map_release(&claims.kinds);
	ranges_release(&claims.ranges);
}
