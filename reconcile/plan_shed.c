#include "base/cidr.h"
#include "reconcile/plan_items.h"
#include "reconcile/shed.h"

/*
 * A range that a network loses has to be empty by then, also where it only becomes a wider or a narrower one: the
 * service takes none away under what lies in it, and has no two that overlap. What lies in it and ends goes before
 * (shed.c). What stays there, with a range that the spec may have within the new one, is told here. So is an address
 * that stays in the range of a subnet, as of a machine of which the spec does not say that it gives it up.
 */

/* The change by which an output goes that is a range around `own`, with that range as what was there; own: NULL: any
 * output. NULL: none does. */
static const struct change *output_loss(struct planning *planning, const struct item *item, const struct cidr *own)
{
	const struct difference *fields = item->fields;
	const struct outputs *outputs = &item->resource->kind->outputs;

	for (size_t i = 0; i < outputs->count; i++) {
		const struct output *output = output_at(outputs, i);
		const struct value *range = value_get_named(&item->object->outputs, output->name);
		struct cidr around;

		if (!changes_take_away(fields->changes, fields->count, output) || !value_is(range, VALUE_STRING) ||
		    !cidr_read(value_slice(range), &around) || (own && !cidr_contains(&around, own)))
			continue;
		struct change *loss = arena_new(planning->arena, struct change);
		*loss = (struct change){.path = slice_of(output->needs),
					.field = field_named(&item->resource->kind->fields, slice_of(output->needs)),
					.effect = EFFECT_SET,
					.before = *range,
					.after = value_null()};
		return loss;
	}
	return NULL;
}

static void note_owners(struct planning *planning, struct map *owners)
{
	for (size_t i = 0; i < planning->item_count; i++) {
		struct item *item = &planning->items[i];
		const struct difference *fields = item->fields;
		bool loses = item->operation == OPERATION_UPDATE && item->object && fields &&
			     (shed_change(fields->changes, fields->count, NULL) ||
			      shed_within(fields->changes, fields->count, NULL) || output_loss(planning, item, NULL));

		if (loses && item->object->provider_id.size > 0)
			map_set(owners, item->object->provider_id, item);
	}
}

struct look {
	struct planning *planning;
	struct map owners; /* by id */
	plan_shed_visit *visit;
	void *context;
};

/* The item that loses the range which the field names or lies in (shed_part()); NULL: none does. */
static const struct item *owner_of(const struct look *look, const struct object *object, const struct live *live,
				   const struct field *field)
{
	const struct value *within = field->range_parent ? plan_field_now(object, live, field->range_parent) : NULL;
	const struct item *owner =
		within && value_is(within, VALUE_STRING) ? map_get(&look->owners, value_slice(within)) : NULL;

	return owner && identity_equal(&owner->object->identity, &object->identity) ? owner : NULL;
}

static void look_at_range(const struct look *look, size_t number, const struct live *live, const struct field *field)
{
	const struct object *object = look->planning->input->objects[number];
	const struct item *owner = owner_of(look, object, live, field);
	const struct value *range = owner ? plan_field_now(object, live, field->name) : NULL;
	const struct change *loss;
	struct cidr own;

	if (!range || !value_is(range, VALUE_STRING) || !cidr_read(value_slice(range), &own))
		return;
	loss = shed_change(owner->fields->changes, owner->fields->count, &own);
	if (!loss)
		loss = output_loss(look->planning, owner, &own);
	if (loss)
		look->visit(look->context, &(struct plan_shed){owner, loss, number, field, range, 0});
}

static void look_at_part(const struct look *look, size_t number, const struct live *live, const struct field *field,
			 const struct field *part)
{
	const struct object *object = look->planning->input->objects[number];
	const struct item *owner = owner_of(look, object, live, part);
	const struct value *held = owner ? plan_field_now(object, live, field->name) : NULL;
	bool is_list = held && value_is(held, VALUE_LIST);
	int64_t before = 0;

	for (uint32_t i = 0; held && i < (is_list ? held->count : 1); i++) {
		const struct value *one = is_list ? &held->items[i] : held;
		const struct change *loss = shed_meets(owner->fields->changes, owner->fields->count, part, one);

		if (loss)
			look->visit(look->context, &(struct plan_shed){owner, loss, number, field, one, before++});
	}
}

static void look_within(const struct look *look, size_t number)
{
	struct planning *planning = look->planning;
	struct object *object = planning->input->objects[number];
	const struct live *live = planning->input->live ? planning->input->live[number] : NULL;
	const struct kind *kind = kinds_find(planning->input->kinds, object->kind);

	for (size_t i = 0; kind && i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i), *part = shed_part(field);

		if (!(part || field->range == RANGE_WITHIN) || !plan_load_body(planning, object))
			continue;
		if (part)
			look_at_part(look, number, live, field, part);
		else
			look_at_range(look, number, live, field);
	}
}

void plan_each_shed(struct planning *planning, plan_shed_visit *visit, void *context)
{
	struct look look = {.planning = planning, .visit = visit, .context = context};

	map_init(&look.owners);
	note_owners(planning, &look.owners);
	for (size_t i = 0; look.owners.count > 0 && i < planning->input->object_count; i++) {
		const struct live *live = planning->input->live ? planning->input->live[i] : NULL;

		if (!live || live->presence != PRESENCE_ABSENT)
			look_within(&look, i);
	}
	map_release(&look.owners);
}

/* What somebody is deleting already is waited for; of what would go, and may not, that is told. */
static bool stays(const struct planning *planning, size_t number)
{
	const struct item *item = planning->of_objects[number];

	if (item && item->object == planning->input->objects[number])
		return !item->in_focus || !(operation_ends(item->operation) || item->operation == OPERATION_CREATE ||
					    item->operation == OPERATION_CONFLICT);
	return !planning->leaves[number] || (planning->held && planning->held[number]);
}

/* Where the spec says what it is, of which it may say nothing. */
static struct position position_of(const struct item *item, const struct field *field)
{
	const struct value *wanted = value_get_named(&item->wanted, field->name);

	return wanted ? wanted->position : item->resource->position;
}

/* Of addresses that go one by one, or by their number, those that a change takes away do not lie there any more. */
static bool gives_up(const struct planning *planning, const struct plan_shed *shed)
{
	const struct item *item = planning->of_objects[shed->number];
	bool is_its = item && item->object == planning->input->objects[shed->number];
	bool changes = is_its && item->fields && item->in_focus && operation_keeps(item->operation);
	struct cidr own;

	if (!shed_part(shed->field))
		return changes && cidr_read(value_slice(shed->range), &own) &&
		       shed_within(item->fields->changes, item->fields->count, &own);
	return is_its && (!plan_item_keeps(item, shed->field, shed->range) ||
			  (changes && shed->before < shed_fewer(item->fields->changes, item->fields->count)));
}

/* The field by which a spec says that it is to have none of them: the one that it sets, or else the one of their
 * number.
 */
static const char *way_out(const struct item *item, const struct field *field)
{
	const struct fields *fields = &item->resource->kind->fields;

	for (size_t i = 0; i < fields->count && !value_get_named(&item->wanted, field->name); i++)
		if (field_counts(field_at(fields, i)))
			return field_at(fields, i)->name;
	return field->name;
}

static bool is_left_to_others(const struct planning *planning, const struct item *item, const char *field)
{
	const struct value left = item->resource ? plan_left_to_others(planning, item->resource) : value_null();

	return ignored_has(&left, slice_of(field));
}

static void hint(struct planning *planning, const struct plan_shed *shed, struct slice lost)
{
	const struct item *item = planning->of_objects[shed->number];
	struct slice address = planning->input->objects[shed->number]->address;

	if (!item || item->operation == OPERATION_INCOMPLETE) {
		diag_hint(planning->diagnostics, "keep %.*s until that is gone", SLICE_ARGUMENTS(lost));
		return;
	}
	const char *by = way_out(item, shed->field);
	/* What is ignored stays as it is, whatever the spec has there. */
	const char *first = is_left_to_others(planning, item, by)
				    ? arena_text(planning->arena, "take '%s' out of 'lifecycle.ignore' of '%.*s', and ",
						 by, SLICE_ARGUMENTS(address))
				    : "";

	if (shed_part(shed->field) || !(shed->field->flags & IMMUTABLE))
		diag_hint(planning->diagnostics,
			  "keep %.*s, or %shave '%.*s' give that up in the same edit, by its '%s': then it goes first",
			  SLICE_ARGUMENTS(lost), first, SLICE_ARGUMENTS(address), by);
	else
		diag_hint(planning->diagnostics,
			  "keep %.*s, or %sgive '%.*s' another '%s' in the same edit: then it goes first, and comes "
			  "anew",
			  SLICE_ARGUMENTS(lost), first, SLICE_ARGUMENTS(address), shed->field->name);
}

static struct plan_blamed blame(const struct planning *planning, const struct plan_shed *shed)
{
	const struct plan_blamer *blamer = planning->input->scope.blamer;
	const struct item *item = planning->of_objects[shed->number];

	return blamer ? blamer->blame(blamer->context, planning->input->objects[shed->number]->address,
				      item && item->resource ? way_out(item, shed->field) : shed->field->name)
		      : (struct plan_blamed){0};
}

/* No spec is to be edited. */
static void hint_undoing(struct planning *planning, struct slice address, struct slice first)
{
	if (first.size > 0)
		diag_hint(planning->diagnostics, "%.*s", SLICE_ARGUMENTS(first));
	else
		diag_hint(planning->diagnostics,
			  "have '%.*s' give that up first, or name what is to go back with --target",
			  SLICE_ARGUMENTS(address));
}

static void report(void *context, const struct plan_shed *shed)
{
	struct planning *planning = context;
	const struct item *owner = shed->owner, *item = planning->of_objects[shed->number];
	struct slice address = planning->input->objects[shed->number]->address;
	struct slice lost = value_shown(&shed->loss->before, SIZE_MAX);

	if (!owner->in_focus || !stays(planning, shed->number) || gives_up(planning, shed))
		return;
	const struct plan_blamed blamed = blame(planning, shed);

	diag_error(planning->diagnostics, FAULT_CONFLICT, position_of(owner, shed->loss->field),
		   "'%.*s' cannot let go of %.*s: '%.*s' %s, with the '%s' %.*s, and %s under this plan%.*s",
		   SLICE_ARGUMENTS(owner->address), SLICE_ARGUMENTS(lost), SLICE_ARGUMENTS(address),
		   shed_part(shed->field) ? "has an address there" : "lies in it", shed->field->name,
		   SLICE_ARGUMENTS(value_shown(shed->range, SIZE_MAX)), shed_part(shed->field) ? "keeps it" : "stays",
		   SLICE_ARGUMENTS(blamed.run));
	diag_address(planning->diagnostics, owner->address);
	if (item)
		diag_related(planning->diagnostics, position_of(item, shed->field), "that one is here");
	if (planning->input->scope.undoes.size > 0)
		hint_undoing(planning, address, blamed.hint);
	else
		hint(planning, shed, lost);
}

void plan_tell_shed(struct planning *planning)
{
	plan_each_shed(planning, report, planning);
}
