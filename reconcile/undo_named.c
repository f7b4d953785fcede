#include "reconcile/schema.h"
#include "reconcile/undo_parts.h"

/*
 * What a run that was cut off had half done is recorded by the ids that it referred to (unfinished.c). What the run
 * then removed, or replaced, comes back under another id: what the run found refers to it, not to the id that it had.
 */

/* What a field is to refer to again. */
struct naming {
	struct undo_work *work;
	const struct object *target; /* as the run found it */
	struct slice id;	     /* the output of it that the field had */
	struct value reference;	     /* in place of that */
	bool any;
};

static struct value refer(struct naming *naming, const struct field *field, const struct value *value);

static struct value refer_in_members(struct naming *naming, const struct field *field, const struct value *value)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; i < value->count; i++) {
		struct slice name = value_slice(&value->members[i].key);
		const struct field *member = field_named(&field->members, name);
		const struct value *old = &value->members[i].value;

		value_builder_member(&builder, name, member ? refer(naming, member, old) : *old);
	}
	return value_builder_map(&builder, naming->work->arena);
}

static struct value refer_in_items(struct naming *naming, const struct field *field, const struct value *value)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; i < value->count; i++)
		value_builder_item(&builder, refer(naming, field->item, &value->items[i]));
	const struct value list = value_builder_list(&builder, naming->work->arena);
	return schema_canonical(field, &list, naming->work->arena);
}

static struct value refer(struct naming *naming, const struct field *field, const struct value *value)
{
	if (field->type == FIELD_REFERENCE && value_is(value, VALUE_STRING) &&
	    slice_equal(value_slice(value), naming->id) && slice_is(naming->target->kind, field->target)) {
		naming->any = true;
		return naming->reference;
	}
	if (field->type == FIELD_OBJECT && value_is(value, VALUE_MAP))
		return refer_in_members(naming, field, value);
	if (field->item && value_is(value, VALUE_LIST))
		return refer_in_items(naming, field, value);
	return *value;
}

/* ended: by address, to const struct object. */
static void take_reference(struct undo_work *work, const struct map *ended, struct object *form,
			   const struct kind *kind, const struct dependency *dependency)
{
	const struct object *target = map_get(ended, dependency->address);
	const struct field *field = field_named(&kind->fields, dependency->field);
	const struct value *old = value_get_given(&form->applied, dependency->field);
	const struct value *id = target ? value_get(&target->outputs, dependency->output) : NULL;
	struct deferred *deferred;

	if (!field || !old || !value_is(id, VALUE_STRING))
		return;
	deferred = arena_new(work->arena, struct deferred);
	deferred->text = arena_format(work->arena, "${%.*s.%.*s}", SLICE_ARGUMENTS(dependency->address),
				      SLICE_ARGUMENTS(dependency->output));
	struct naming naming = {work, target, value_slice(id), value_deferred(deferred), false};
	const struct value new = refer(&naming, field, old);

	if (naming.any)
		form->applied = value_with(&form->applied, dependency->field, new, work->arena);
}

static void take_references(struct undo_work *work, const struct map *ended, struct undo_case *one)
{
	const struct kind *kind = one->was ? kinds_find(work->input->kinds, one->was->kind) : NULL;
	struct object *form;

	if (!kind)
		return;
	form = arena_new(work->arena, struct object);
	*form = *one->was;
	for (size_t i = 0; i < form->dependency_count; i++)
		take_reference(work, ended, form, kind, &form->dependencies[i]);
	one->was = form;
}

void undo_take_references(struct undo_work *work)
{
	struct map ended;

	map_init(&ended);
	for (size_t i = 0; i < work->input->past_count; i++) {
		const struct past_object *past = &work->input->past[i];

		/* What a replace had left behind speaks for no address. */
		if (past->was && !past->is && past->before.role != OBJECT_DEPOSED)
			map_set(&ended, past->before.address, &past->before);
	}
	for (size_t i = 0; ended.count > 0 && i < work->case_count; i++)
		take_references(work, &ended, &work->cases[i]);
	map_release(&ended);
}
