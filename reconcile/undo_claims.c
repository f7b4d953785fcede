#include "reconcile/ranges.h"
#include "reconcile/undo_room.h"
#include "reconcile/unique.h"
#include "reconcile/visit.h"

/*
 * What goes back needs its name, its range, its address and what it is attached to for itself alone, whether it is made
 * anew or gets that back in place: nobody else has it by now, be it only left behind by a replace.
 */

/* Who is to have something, or has it now. */
struct claimant {
	struct slice address;
	const struct kind *kind;
	const struct entry *entry;   /* NULL: it is left behind there */
	const struct object *behind; /* that; or NULL */
	struct value fields;	     /* MAP: what it is to have */
	const struct live *live;     /* what it has besides; NULL: that is not known, or not to be kept */
	const struct identity *place;
	bool is_made;
	struct value now; /* of what goes back in place, MAP: the fields that are recorded; of others null */
};

struct claims {
	struct room *room;
	struct claimant *claimants;
	size_t count;
	struct map wanted;    /* what goes back needs that for itself alone: to struct claim */
	struct map twins;     /* what is to be made, by what tells it apart as a whole */
	struct map kinds;     /* of both */
	struct ranges ranges; /* of what goes back, and of others; by the number of the claimant */
};

/* What a claimant needs for itself alone. */
struct claim {
	const struct claimant *by;
	const struct field *whole; /* of the resource */
	const struct field *field; /* the same, or what is within it */
	const struct value *value;
};

/* What one is to have in a field, or has without that anybody asks for it; NULL: nothing, or it is not known. */
static const struct value *value_of(const struct room *room, const struct claimant *by, const char *name)
{
	const struct value *value = value_if_set(room_settled(room, value_get_named(&by->fields, name)));

	return value || !by->live ? value : value_if_set(value_get_named(&by->live->fields, name));
}

/* Nothing brings back what has moved outside, where nothing goes back. */
static const struct value *value_in(const struct room *room, const struct claimant *by, const struct field *field)
{
	return by->live && !(field->flags & (IMMUTABLE | WRITE_ONLY))
		       ? value_if_set(value_get_named(&by->live->fields, field->name))
		       : value_of(room, by, field->name);
}

/* What tells a thing apart from others of its kind, in fields of its table; a MAP. */
static struct value told_apart(const struct room *room, const struct claimant *by)
{
	VALUE_BUILDER_AUTO fields;

	value_builder_init(&fields);
	for (const char *const *name = by->kind->told_apart_by; name && *name; name++) {
		const struct value *value = value_of(room, by, *name);

		if (value)
			value_builder_set(&fields, slice_of(*name), *value);
	}
	return value_builder_map(&fields, room->work->arena);
}

/* What a reference leads to has its address, whatever its id will be; reference may be NULL. */
static const struct value *by_address(const struct room *room, const struct claimant *by, const struct value *reference)
{
	const struct entry *target = room_target(room, by->entry, reference);
	struct value *address = target ? arena_new(room->work->arena, struct value) : NULL;

	if (!address)
		return reference;
	*address = value_string(target->address);
	return address;
}

/* The value, and within what there is but one of it: a MAP of both fields. */
static struct value claimed(const struct room *room, const struct claim *claim, const struct scope *scope)
{
	const char *name = unique_scope(claim->field);
	const struct value *within = name ? scope_nearest(scope, slice_of(name)) : NULL;

	if (name && !within)
		within = value_of(room, claim->by, name);
	within = by_address(room, claim->by, within);
	struct value_member *members = arena_new_array(room->work->arena, 2, struct value_member);
	uint32_t count = 0;

	members[count++] = (struct value_member){value_text(claim->field->name), *claim->value};
	if (within && value_is(within, VALUE_STRING))
		members[count++] = (struct value_member){value_text(name), *within};
	return value_map(members, count);
}

static struct slice holder_text(const struct room *room, const struct claimant *by)
{
	if (by->entry)
		return arena_format(room->work->arena, "'%.*s'", SLICE_ARGUMENTS(by->address));
	return arena_format(room->work->arena, "%.*s, which is left behind at '%.*s',",
			    SLICE_ARGUMENTS(by->behind->provider_id), SLICE_ARGUMENTS(by->address));
}

/* What is to be done first about who has it; run: that gave it that, or NULL. */
static void hint_at_holder(struct room *room, const struct claimant *by, const struct undo_since *run)
{
	if (by->entry)
		undo_hint(room->work, run, "undo the run that gave it that first");
	else
		diag_hint(room->work->diagnostics, "an apply deletes that: do it first");
}

static void refuse_claim(struct room *room, const struct claim *wanted, const struct claim *had)
{
	struct undo_work *work = room->work;
	const struct undo_since *run = had->by->entry ? room_given_by(room, had->by->entry, had->whole) : NULL;
	bool differ = ranges_differ(wanted->value, had->value);

	room->good =
		diag_error(work->diagnostics, FAULT_CONFLICT, NOWHERE,
			   "'%.*s' cannot have '%.*s' as its '%s' again: %.*s has %.*s by now%.*s",
			   SLICE_ARGUMENTS(wanted->by->address), SLICE_ARGUMENTS(value_shown(wanted->value, SIZE_MAX)),
			   wanted->field->name, SLICE_ARGUMENTS(holder_text(room, had->by)),
			   SLICE_ARGUMENTS(differ ? value_shown(had->value, SIZE_MAX) : SLICE("it")),
			   SLICE_ARGUMENTS(undo_since_text(work, run)));
	diag_address(work->diagnostics, wanted->by->address);
	hint_at_holder(room, had->by, run);
}

static void refuse_twin(struct room *room, const struct claimant *maker, const struct claimant *holder)
{
	struct undo_work *work = room->work;
	const struct kind *kind = maker->kind;
	const struct value wanted = told_apart(room, maker), held = told_apart(room, holder);
	const struct undo_since *run = NULL;

	for (const char *const *name = kind->told_apart_by; holder->entry && !run && *name; name++)
		run = room_given_by(room, holder->entry, field_named(&kind->fields, slice_of(*name)));
	room->good = diag_error(work->diagnostics, FAULT_CONFLICT, NOWHERE,
				"'%.*s' cannot be had again: %.*s has the same %.*s by now%.*s",
				SLICE_ARGUMENTS(maker->address), SLICE_ARGUMENTS(holder_text(room, holder)),
				SLICE_ARGUMENTS(unique_names(kind, &wanted, &held, work->arena)),
				SLICE_ARGUMENTS(undo_since_text(work, run)));
	diag_address(work->diagnostics, maker->address);
	hint_at_holder(room, holder, run);
}

static void note_range(struct claims *claims, const struct claim *claim, const struct value *fields, bool wanted)
{
	const struct ranged ranged = {.owner = (size_t)(claim->by - claims->claimants),
				      .wanted = wanted,
				      .field = claim->field,
				      .value = claim->value};

	/* Of what is within a field only equal ones are told. */
	if (claim->field == claim->whole)
		(void)ranges_add(&claims->ranges, claim->by->kind, fields, claim->by->place, ranged);
}

/* Those who have it now come after all who want it. */
static void note_claim(struct claims *claims, const struct claim *claim, const struct scope *scope, bool wanted)
{
	struct arena *arena = claims->room->work->arena;
	const struct kind *kind = claim->by->kind;
	const struct value fields = claimed(claims->room, claim, scope);
	struct slice text = unique_text(kind, claim->field, &fields, claim->by->place, arena);
	const struct claim *other = text.size > 0 && !wanted ? map_get(&claims->wanted, text) : NULL;

	if (text.size == 0)
		return;
	if (other)
		refuse_claim(claims->room, other, claim);
	note_range(claims, claim, &fields, wanted);
	if (wanted) {
		struct claim *kept = arena_new(arena, struct claim);

		*kept = *claim;
		(void)map_add(&claims->wanted, text, kept);
		map_mark(&claims->kinds, slice_of(kind->name));
	}
}

/* Whose claims are noted. */
struct claiming {
	struct claims *claims;
	const struct claimant *by;
	bool wanted;
};

static void claim_value(void *context, const struct visited *visited)
{
	const struct claiming *claiming = context;
	const struct room *room = claiming->claims->room;
	struct claim claim = {claiming->by, visited->top, visited->field, visited->value};

	if (!unique_field(claim.field))
		return;
	if (claim.field->type == FIELD_REFERENCE)
		claim.value = by_address(room, claim.by, claim.value);
	note_claim(claiming->claims, &claim, visited->scope, claiming->wanted);
}

/* Whether it takes that, and does not merely keep it. */
static bool wants(const struct claimant *by, const struct field *field)
{
	return by->is_made || (value_is(&by->now, VALUE_MAP) && !undo_same_field(&by->fields, &by->now, field));
}

static void claim_fields(struct claims *claims, const struct claimant *by, bool wanted)
{
	struct claiming claiming = {claims, by, wanted};

	for (size_t i = 0; i < by->kind->fields.count; i++) {
		const struct field *field = field_at(&by->kind->fields, i);
		const struct value *value = field_any(field, unique_field) && wants(by, field) == wanted
						    ? value_in(claims->room, by, field)
						    : NULL;

		visit_value(field, field, value, NULL, claim_value, &claiming);
	}
}

/* The same of what only several fields together tell apart. */
static void claim_whole(struct claims *claims, struct claimant *by, bool wanted)
{
	const struct value fields = told_apart(claims->room, by);
	struct slice text =
		unique_whole(by->kind, &fields, by->place, claims->room->work->input->style, claims->room->work->arena);
	const struct claimant *maker = text.size > 0 && !wanted ? map_get(&claims->twins, text) : NULL;

	if (by->is_made != wanted)
		return;
	if (maker)
		refuse_twin(claims->room, maker, by);
	if (text.size > 0 && wanted) {
		(void)map_add(&claims->twins, text, by);
		map_mark(&claims->kinds, slice_of(by->kind->name));
	}
}

static void claim_all(struct claims *claims, struct claimant *by, bool wanted)
{
	claim_fields(claims, by, wanted);
	claim_whole(claims, by, wanted);
}

/* Those that are equal are told already. */
static void look_at_range(void *context, const struct ranged *had, const struct ranged *wanted)
{
	struct claims *claims = context;
	const struct claim has = {&claims->claimants[had->owner], had->field, had->field, had->value};
	const struct claim wants = {&claims->claimants[wanted->owner], wanted->field, wanted->field, wanted->value};

	if (ranges_differ(had->value, wanted->value))
		refuse_claim(claims->room, &wants, &has);
}

static const struct identity *place_of(const struct room *room, const struct entry *entry)
{
	const struct object *now = room_recorded(room, entry);
	const struct object *was = undo_goes_back(entry) ? entry->one->was : NULL;

	return was && (!now || slice_equal(entry->resource.provider, was->provider)) ? &was->identity : &now->identity;
}

static bool is_present(const struct live *live)
{
	return live && live->presence == PRESENCE_PRESENT;
}

static struct claimant claimant_of(const struct room *room, const struct entry *entry)
{
	const struct resource *resource = &entry->resource;
	const struct live *live = room->live[room_number(room, entry)];
	bool is_made = room->makes[room_number(room, entry)];

	return (struct claimant){
		.address = entry->address,
		.kind = resource->kind,
		.entry = entry,
		.fields = value_overlaid(&resource->desired, &resource->restores, room->work->arena),
		.live = !entry->is_planned && is_present(live) ? live : NULL,
		.place = place_of(room, entry),
		.is_made = is_made,
		.now = undo_goes_back(entry) && !is_made ? undo_opened(room->work, &room_recorded(room, entry)->applied)
							 : value_null(),
	};
}

/*
 * Whether it stays, left behind as it is since the run that is undone or a later one: what was so before did not stand
 * in the way of what goes back, and at an address that is planned it goes, or is taken back.
 */
static bool is_left(const struct room *room, const struct object *object, const struct live *live)
{
	const struct entry *entry = map_get(&room->entries->by_address, object->address);

	return object->role == OBJECT_DEPOSED && is_present(live) && !(entry && entry->is_planned) &&
	       !map_has(&room->work->stood_behind, object->object_id);
}

static void gather_claimants(struct claims *claims)
{
	const struct room *room = claims->room;
	const struct undo_input *input = room->work->input;
	const struct entries *entries = room->entries;

	claims->claimants =
		arena_new_array(room->work->arena, entries->count + input->object_count + 1, struct claimant);
	for (size_t i = 0; i < entries->count; i++)
		if (room_is_there(&entries->items[i]))
			claims->claimants[claims->count++] = claimant_of(room, &entries->items[i]);
	for (size_t i = 0; i < input->object_count; i++) {
		const struct object *object = input->objects[i];
		const struct kind *kind = kinds_find(input->kinds, object->kind);

		if (kind && is_left(room, object, input->live[i]))
			claims->claimants[claims->count++] = (struct claimant){.address = object->address,
									       .kind = kind,
									       .behind = object,
									       .fields = input->live[i]->fields,
									       .place = &object->identity};
	}
}

void undo_check_claims(struct room *room)
{
	struct claims claims = {.room = room};

	map_init(&claims.wanted);
	map_init(&claims.twins);
	map_init(&claims.kinds);
	ranges_init(&claims.ranges, room->work->arena);
	gather_claimants(&claims);
	for (size_t i = 0; i < claims.count; i++)
		claim_all(&claims, &claims.claimants[i], true);
	for (size_t i = 0; claims.kinds.count > 0 && i < claims.count; i++)
		if (map_has(&claims.kinds, slice_of(claims.claimants[i].kind->name)))
			claim_all(&claims, &claims.claimants[i], false);
	ranges_meet(&claims.ranges, look_at_range, &claims);
	map_release(&claims.wanted);
	map_release(&claims.twins);
	map_release(&claims.kinds);
	ranges_release(&claims.ranges);
}
