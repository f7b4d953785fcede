#include "reconcile/plan_items.h"

/* Outputs as they will be once the plan is carried out, as far as that is known. */

/* Whether it was recorded and is not there any more: the record follows. */
static bool has_ceased(const struct item *item, const struct output *output)
{
	for (size_t i = 0; item->fields && i < item->fields->count; i++) {
		const struct change *change = &item->fields->changes[i];
		if (!change->field && change->effect == EFFECT_RECORD && slice_is(change->path, output->name))
			return value_is(&change->after, VALUE_NULL);
	}
	return false;
}

/* Whether this plan gives it a value of its own, be it the same again. */
static bool is_made_anew(const struct item *item, const struct output *output)
{
	return operation_makes(item->operation) ||
	       (item->fields && changes_renew(item->fields->changes, item->fields->count, output));
}

/* What the spec says that it will be, or NULL. */
static const struct value *as_given(const struct item *item, const struct output *output)
{
	const struct value *given = output->repeats ? value_if_set(value_get_named(&item->wanted, output->name)) : NULL;

	return given && !value_has_deferred(given) ? given : NULL;
}

const struct value *plan_item_output(void *context, struct slice address, struct slice name)
{
	struct planning *planning = context;
	struct item *item = plan_item_at(planning, address);
	const struct output *output =
		item && item->resource ? output_named(&item->resource->kind->outputs, name) : NULL;
	if (!output)
		return NULL;
	if (is_made_anew(item, output))
		return as_given(item, output);
	if (!item->object || has_ceased(item, output))
		return NULL;
	if (output == output_at(&item->resource->kind->outputs, 0) && item->object->provider_id.size > 0) {
		struct value *id = arena_new(planning->arena, struct value);
		*id = value_string(item->object->provider_id);
		return id;
	}
	if (item->live && item->live->presence == PRESENCE_PRESENT) {
		const struct value *live = value_get(&item->live->outputs, name);
		if (live && !value_is(live, VALUE_UNREAD))
			return live;
	}
	if (!plan_load_body(planning, item->object))
		return NULL;
	return value_get(&item->object->outputs, name);
}

bool plan_output_stays(struct planning *planning, const struct dependency *dependency)
{
	const struct item *item = plan_item_at(planning, dependency->address);
	const struct value *to_be = plan_item_output(planning, dependency->address, dependency->output);
	const struct value *was;

	if (!to_be || !item->object || !plan_load_body(planning, item->object))
		return false;
	was = value_get(&item->object->outputs, dependency->output);
	return was && value_equal(was, to_be);
}
