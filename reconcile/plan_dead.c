#include "base/json.h"
#include "reconcile/diff_field.h"
#include "reconcile/plan_items.h"

/*
 * What is there as it is wanted and yet does nothing, as what it needs is gone (live.dead): a route to a gateway that
 * somebody has deleted. No difference of fields tells of it, and no call brings back what is in no spec. So a plan
 * warns, and what only looks ends as with any drift, each time: nothing of it is recorded.
 */

/* An object of which such an item is told. */
struct dead {
	struct planning *planning;
	struct item *item;
	const struct field *field;
};

/* Whether the text is what refers to that target, which is to change, or stands still as it is to. */
static bool waits_for(const struct dead *dead, const struct dependency *dependency, struct slice text)
{
	const struct item *target = plan_item_at(dead->planning, dependency->address);
	const char *running = target && target->resource ? target->resource->kind->running : NULL;
	const struct value *runs = running ? value_if_set(value_get_named(&target->wanted, running)) : NULL;
	bool stands = runs && value_is(runs, VALUE_BOOL) && !runs->boolean;

	if (!target || !target->object || !(stands || plan_item_acts(target)) ||
	    !plan_load_body(dead->planning, target->object))
		return false;
	const struct value *output = value_get(&target->object->outputs, dependency->output);
	return output && value_is(output, VALUE_STRING) && slice_equal(value_slice(output), text);
}

/* Whether what the item names is about to change by this plan, or told by itself where it only looks. */
static bool is_seen_to(const struct dead *dead, const struct value *mine)
{
	const struct resource *resource = dead->item->resource;

	for (uint32_t i = 0; value_is(mine, VALUE_MAP) && i < mine->count; i++)
		for (size_t k = 0; k < resource->dependency_count; k++)
			if (value_is(&mine->members[i].value, VALUE_STRING) &&
			    waits_for(dead, &resource->dependencies[k], value_slice(&mine->members[i].value)))
				return true;
	return false;
}

static void warn(const struct dead *dead, const struct value *mine, struct slice path)
{
	static const struct json_style style = {.clear = false};
	struct diagnostics *diagnostics = dead->planning->diagnostics;
	struct position own = mine->position.line > 0 ? mine->position : dead->item->resource->position;
	struct slice shown = json_canonical(dead->planning->arena, mine, &style);

	diag_add(diagnostics, SEVERITY_WARNING, FAULT_CONFLICT, own, "'%.*s': %.*s %s",
		 SLICE_ARGUMENTS(dead->item->address), SLICE_ARGUMENTS(path), dead->field->dead);
	diag_address(diagnostics, dead->item->address);
	diag_cause(diagnostics, arena_format(dead->planning->arena, "it is to be %.*s", SLICE_ARGUMENTS(shown)));
	diag_hint(diagnostics, "%s", dead->field->revived_by);
}

/* Where nothing will be done, it stands among what has moved. */
static void show(const struct dead *dead, const struct value *mine, struct slice path)
{
	struct item *item = dead->item;
	const struct change change = {path, dead->field, CAUSE_DRIFT, EFFECT_DEAD, *mine, *mine, false, false};

	if (!item->parts) {
		item->parts = arena_new(dead->planning->arena, struct difference);
		*item->parts = (struct difference){0};
	}
	difference_add(item->parts, &change, dead->planning->arena);
	item->parts->drifted = true;
	if (item->operation != OPERATION_NONE && item->operation != OPERATION_RECORD)
		return;
	item->operation = OPERATION_CONFLICT;
	item->reason = "is as recorded, and not all of it has an effect";
}

static void look_at(const struct dead *dead)
{
	struct planning *planning = dead->planning;
	const struct value *items = value_get_named(&dead->item->live->dead, dead->field->name);
	const struct value *wanted = value_get_named(&dead->item->wanted, dead->field->name);
	struct diff_index index;

	if (!value_is(items, VALUE_LIST) || !value_is(wanted, VALUE_LIST))
		return;
	diff_index_init(&index, dead->field, wanted, planning->arena);
	for (uint32_t i = 0; i < items->count; i++) {
		const struct value *mine = diff_index_find(&index, &items->items[i]);

		if (!mine || diff_field(dead->field->item, mine, &items->items[i]) != LIKE || is_seen_to(dead, mine))
			continue;
		struct slice path = diff_item_path(dead->field, slice_of(dead->field->name), mine, planning->arena);
		warn(dead, mine, path);
		if (planning->input->scope.looks)
			show(dead, mine, path);
	}
	diff_index_release(&index);
}

/* Whether it stays: what is made anew has other items, and what another one has taken is not ours. */
static bool stays(const struct item *item)
{
	return item->in_focus && item->resource && item->object && item->live &&
	       item->live->presence == PRESENCE_PRESENT && !operation_makes(item->operation) && !item->resource->stands;
}

void plan_tell_dead(struct planning *planning)
{
	for (size_t i = 0; i < planning->item_count; i++) {
		struct item *item = &planning->items[i];

		for (size_t k = 0; stays(item) && k < item->resource->kind->fields.count; k++) {
			const struct field *field = field_at(&item->resource->kind->fields, k);
			const struct dead dead = {planning, item, field};

			if (field->dead && !slice_is_among(field->name, item->ignored, item->ignored_count))
				look_at(&dead);
		}
	}
}
