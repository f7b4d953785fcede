#include "reconcile/plan_items.h"

/*
 * Two resources that turn out to be one thing, reached by two addresses. What the thing says of itself tells: all of
 * it, because there are boards of which each has the same serial number.
 */

/* Empty where the thing says nothing of the kind. */
static struct slice marks_of(const struct planning *planning, const struct item *item)
{
	const struct json_style style = {.pretty = false};
	const struct kind *kind = item->resource ? item->resource->kind : NULL;
	size_t count = 0;
	BUFFER_AUTO text;

	buffer_init(&text, SIZE_MAX);
	if (!kind || !kind->found || !item->live || item->live->presence != PRESENCE_PRESENT)
		return (struct slice){0};
	for (size_t i = 0; i < kind->outputs.count; i++) {
		const struct output *output = output_at(&kind->outputs, i);
		const struct value *value = value_get_named(&item->live->outputs, output->name);

		if (!output->tells_apart)
			continue;
		/* Two of which that is not known may well differ in it. */
		if (value && value_has_unread(value))
			return (struct slice){0};
		count += value && !value_is(value, VALUE_NULL) && json_write(&text, value, &style);
		(void)buffer_byte(&text, '\n');
	}
	return count > 0 ? arena_copy(planning->arena, buffer_slice(&text)) : (struct slice){0};
}

void plan_items_tell_apart(struct planning *planning)
{
	struct map seen;

	map_init(&seen);
	for (size_t i = 0; i < planning->item_count; i++) {
		struct item *item = &planning->items[i];
		struct slice marks = marks_of(planning, item);
		const struct item *earlier = marks.size > 0 ? map_get(&seen, marks) : NULL;

		if (marks.size > 0 && !earlier)
			map_set(&seen, marks, item);
		if (!earlier || earlier->resource->kind != item->resource->kind)
			continue;
		diag_error(planning->diagnostics, FAULT_CONFLICT, item->resource->position,
			   "'%.*s' is the same thing as '%.*s', reached in another way", SLICE_ARGUMENTS(item->address),
			   SLICE_ARGUMENTS(earlier->address));
		diag_address(planning->diagnostics, item->address);
		diag_related(planning->diagnostics, earlier->resource->position, "it is declared here");
		diag_hint(planning->diagnostics, "keep one of them: each would undo what the other asks for");
	}
	map_release(&seen);
}

struct value plan_marks(const struct kind *kind, const struct live *live, struct arena *arena)
{
	if (!kind->found || !live || live->presence != PRESENCE_PRESENT)
		return value_null();
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (size_t i = 0; i < kind->outputs.count; i++) {
		const struct output *output = output_at(&kind->outputs, i);
		const struct value *value = value_if_set(value_get_named(&live->outputs, output->name));

		if (output->tells_apart && value && !value_has_unread(value))
			value_builder_member(&builder, slice_of(output->name), *value);
	}
	return value_builder_map(&builder, arena);
}

struct value plan_item_marks(const struct planning *planning, const struct item *item)
{
	bool is_recorded = !item->live && item->object && operation_keeps(item->operation);
	const struct live recorded = {
		.presence = PRESENCE_PRESENT,
		.outputs = is_recorded ? item->object->outputs : value_null(),
	};
	return plan_marks(item->resource->kind, is_recorded ? &recorded : item->live, planning->arena);
}

const char *plan_marks_moved(const struct value *then, const struct value *now, struct arena *arena,
			     const struct json_style *style)
{
	bool is_known = !value_is(then, VALUE_MAP) || !value_is(now, VALUE_MAP), is_told = false;

	for (uint32_t i = 0; value_is(then, VALUE_MAP) && i < then->count; i++) {
		struct slice name = value_slice(&then->members[i].key);
		const struct value *value = value_get(now, name);
		struct slice was = json_canonical(arena, &then->members[i].value, style);
		struct slice is = value ? json_canonical(arena, value, style) : was;

		if (!slice_equal(was, is))
			return arena_text(arena, "another one is in its place, whose '%.*s' is %.*s, not %.*s",
					  SLICE_ARGUMENTS(name), SLICE_ARGUMENTS(is), SLICE_ARGUMENTS(was));
		is_told |= mark_tells(&then->members[i].value);
		is_known |= value && mark_tells(value);
	}
	return is_known || !is_told ? NULL : "nothing tells now that it is the same one";
}
