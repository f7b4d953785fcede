#include "base/cidr.h"
#include "reconcile/plan_items.h"
#include "reconcile/shed.h"

/*
 * A range that a network loses has to be empty by then, also where it only becomes a wider or a narrower one: the
 * service takes none away under what lies in it, and has no two that overlap. What lies in it and ends goes before
 * (shed.c). What stays there, with a range that the spec may have within the new one, is told here.
 */

static void note_owners(struct planning *planning, struct map *owners)
{
	for (size_t i = 0; i < planning->item_count; i++) {
		struct item *item = &planning->items[i];
		bool loses = item->operation == OPERATION_UPDATE && item->object && item->fields &&
			     shed_change(item->fields->changes, item->fields->count, NULL);

		if (loses && item->object->provider_id.size > 0)
			map_set(owners, item->object->provider_id, item);
	}
}

static void look_within(struct planning *planning, const struct map *owners, size_t number, plan_shed_visit *visit,
			void *context)
{
	struct object *object = planning->input->objects[number];
	const struct live *live = planning->input->live ? planning->input->live[number] : NULL;
	const struct kind *kind = kinds_find(planning->input->kinds, object->kind);

	for (size_t i = 0; kind && i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);
		bool lies = field->range == RANGE_WITHIN && field->range_parent && plan_load_body(planning, object);
		const struct value *range = lies ? plan_field_now(object, live, field->name) : NULL;
		const struct value *within = range ? plan_field_now(object, live, field->range_parent) : NULL;
		const struct item *owner =
			within && value_is(within, VALUE_STRING) ? map_get(owners, value_slice(within)) : NULL;
		const struct change *loss;
		struct cidr own;

		if (!owner || !identity_equal(&owner->object->identity, &object->identity) ||
		    !value_is(range, VALUE_STRING) || !cidr_read(value_slice(range), &own))
			continue;
		loss = shed_change(owner->fields->changes, owner->fields->count, &own);
		if (loss)
			visit(context, &(struct plan_shed){owner, loss, number, field, range});
	}
}

void plan_each_shed(struct planning *planning, plan_shed_visit *visit, void *context)
{
	struct map owners; /* by id */

	map_init(&owners);
	note_owners(planning, &owners);
	for (size_t i = 0; owners.count > 0 && i < planning->input->object_count; i++) {
		const struct live *live = planning->input->live ? planning->input->live[i] : NULL;

		if (!live || live->presence != PRESENCE_ABSENT)
			look_within(planning, &owners, i, visit, context);
	}
	map_release(&owners);
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

static void report(void *context, const struct plan_shed *shed)
{
	struct planning *planning = context;
	const struct item *owner = shed->owner, *item = planning->of_objects[shed->number];
	struct slice address = planning->input->objects[shed->number]->address;
	struct slice lost = value_shown(&shed->loss->before, SIZE_MAX);

	if (!owner->in_focus || !stays(planning, shed->number))
		return;
	diag_error(planning->diagnostics, FAULT_CONFLICT, position_of(owner, shed->loss->field),
		   "'%.*s' cannot let go of %.*s: '%.*s' lies in it, with the '%s' %.*s, and stays under this plan",
		   SLICE_ARGUMENTS(owner->address), SLICE_ARGUMENTS(lost), SLICE_ARGUMENTS(address), shed->field->name,
		   SLICE_ARGUMENTS(value_shown(shed->range, SIZE_MAX)));
	diag_address(planning->diagnostics, owner->address);
	if (item)
		diag_related(planning->diagnostics, position_of(item, shed->field), "that one is here");
	if (item && item->operation != OPERATION_INCOMPLETE)
		diag_hint(planning->diagnostics,
			  "keep %.*s, or give '%.*s' another '%s' in the same edit: then it goes first, and comes anew",
			  SLICE_ARGUMENTS(lost), SLICE_ARGUMENTS(address), shed->field->name);
	else
		diag_hint(planning->diagnostics, "keep %.*s until that is gone", SLICE_ARGUMENTS(lost));
}

void plan_tell_shed(struct planning *planning)
{
	plan_each_shed(planning, report, planning);
}
