#include "reconcile/plan_items.h"

/*
 * Objects that lie where what they refer to does, and cannot go over to another such place (field.stays_in): whether a
 * change of the reference takes them there.
 */

/* Whether, for certain, it comes anew in another of what it lies in, which its field `within` refers to. */
static bool comes_elsewhere(struct planning *planning, const struct item *target, const char *within)
{
	bool follows = false;

	if (!target || !plan_is_new_for_certain(target))
		return false;
	for (size_t i = 0; i < target->resource->dependency_count; i++) {
		const struct dependency *dependency = &target->resource->dependencies[i];
		follows |= slice_is(dependency->field, within) &&
			   plan_is_new_for_certain(plan_item_at(planning, dependency->address));
	}
	for (size_t i = 0; target->fields && i < target->fields->count; i++) {
		const struct change *change = &target->fields->changes[i];
		follows |=
			change->field && strcmp(change->field->name, within) == 0 && change->effect == EFFECT_REPLACE;
	}
	return follows;
}

/* What it will lie in; NULL: not known. */
static const struct value *place_to_be(const struct item *target, const char *within)
{
	const struct value *place = value_if_set(value_get_named(&target->wanted, within));

	if (place && !value_has_deferred(place))
		return place;
	return operation_makes(target->operation) ? NULL : plan_field_now(target->object, target->live, within);
}

/* Whether nothing that the field is recorded to refer to lies where that target will. */
static bool lies_elsewhere(struct planning *planning, const struct item *item, const struct field *field,
			   const struct item *target, const char *within)
{
	const struct value *to_be = target ? place_to_be(target, within) : NULL;
	size_t apart = 0;

	for (size_t i = 0; to_be && i < item->object->dependency_count; i++) {
		const struct dependency *dependency = &item->object->dependencies[i];
		if (!slice_is(dependency->field, field->name))
			continue;
		const size_t *number = plan_object_at(planning, dependency->address);
		struct object *was = number ? planning->input->objects[*number] : NULL;
		const struct live *live = number && planning->input->live ? planning->input->live[*number] : NULL;
		if (!was || !plan_load_body(planning, was))
			return false;
		const struct value *place = plan_field_now(was, live, within);
		if (!place || value_equal(place, to_be))
			return false;
		apart++;
	}
	return apart > 0;
}

/* Whether something that the field is recorded to refer to is still there afterwards. */
static bool leaves_any(struct planning *planning, const struct item *item, const struct field *field)
{
	for (size_t i = 0; i < item->object->dependency_count; i++) {
		const struct dependency *dependency = &item->object->dependencies[i];
		const struct item *target = plan_item_at(planning, dependency->address);
		if (slice_is(dependency->field, field->name) && target && !plan_is_new_for_certain(target))
			return true;
	}
	return false;
}

bool plan_is_uprooted(struct planning *planning, const struct item *item, const struct field *field)
{
	const char *within = field_stays_in(field);
	const struct value *wanted = value_get_named(&item->wanted, field->name);
	size_t coming = 0, certain = 0;

	if (!within || !wanted || !item->object)
		return false;
	for (size_t i = 0; i < item->resource->dependency_count; i++) {
		const struct dependency *dependency = &item->resource->dependencies[i];
		const struct item *target = plan_item_at(planning, dependency->address);
		/* One item may be made of two outputs of its target. */
		bool again = dependency_repeats(item->resource->dependencies, i) &&
			     slice_equal(item->resource->dependencies[i - 1].field, dependency->field);
		if (!slice_is(dependency->field, field->name) || again)
			continue;
		bool anew = comes_elsewhere(planning, target, within);
		coming += anew || lies_elsewhere(planning, item, field, target, within);
		certain += anew;
	}
	return coming == (value_is(wanted, VALUE_LIST) ? wanted->count : 1) &&
	       (certain < coming || !leaves_any(planning, item, field));
}
