#include "reconcile/diff_field.h"
#include "reconcile/undo_parts.h"

/*
 * What a run began to make is recorded with all that it is to be, from its first call on. What it then found or left
 * there is less: what refers to something that was not there yet cannot have come.
 */

/* What was at an address that the run changed. */
struct moment {
	bool found, left;
};

static bool stands(bool is_there, const struct object *form)
{
	return undo_speaks(is_there, form) && !object_was_never_seen(form);
}

static void index_changed(struct undo_work *work)
{
	const struct undo_input *input = work->input;

	work->changed = map_new(work->arena);
	for (size_t i = 0; i < input->past_count; i++) {
		const struct past_object *past = &input->past[i];
		struct slice address = past_address(past);
		struct moment *moment = map_get(work->changed, address);

		if (!past->was && !past->is)
			continue;
		if (!moment) {
			moment = arena_new(work->arena, struct moment);
			*moment = (struct moment){0};
			map_set(work->changed, address, moment);
		}
		moment->found |= stands(past->was, &past->before);
		moment->left |= stands(past->is, &past->after);
	}
}

/* Whether something was there when the run began, or when it had ended: what a later run found, or what is there now,
 * where it changed nothing. */
static bool stood(struct undo_work *work, struct slice address, bool in_the_end)
{
	const struct object *form = map_get(&work->now, address);

	if (!work->changed)
		index_changed(work);
	const struct moment *moment = map_get(work->changed, address);

	if (moment)
		return in_the_end ? moment->left : moment->found;
	(void)undo_found_since(work, address, &form);
	return form && stands(true, form);
}

struct begun {
	struct undo_work *work;
	const struct object *form;
	const struct object *base; /* what is there of it that could not have come has come since; or NULL */
	bool in_the_end;
};

/* Whether a part of the field refers to something that was not there, and had no id to be sent. */
static bool is_to_come(const struct begun *begun, const struct field *field, const struct value *part)
{
	const struct object *form = begun->form;
	const struct value *sent = value_get_named(&form->resolved, field->name);

	for (size_t i = 0; sent && i < form->dependency_count; i++) {
		const struct dependency *dependency = &form->dependencies[i];

		if (slice_is(dependency->field, field->name) && undo_mentions(part, dependency->address) &&
		    undo_mentions(sent, dependency->address) &&
		    !stood(begun->work, dependency->address, begun->in_the_end))
			return true;
	}
	return false;
}

static void take_items(const struct begun *begun, const struct field *field, const struct value *items,
		       struct value_builder *fields)
{
	const struct value *base = begun->base ? value_get_named(&begun->base->applied, field->name) : NULL;
	struct arena *arena = begun->work->arena;
	struct diff_index index;
	VALUE_BUILDER_AUTO taken;

	diff_index_init(&index, field, value_is(base, VALUE_LIST) ? base : NULL, arena);
	value_builder_init(&taken);
	for (uint32_t i = 0; i < items->count; i++)
		if (!is_to_come(begun, field, &items->items[i]) || diff_index_find(&index, &items->items[i]))
			value_builder_item(&taken, items->items[i]);
	diff_index_release(&index);
	/* Where it would only be let go of, it says that nothing was there. */
	if (taken.count > 0 || items->count == 0 || field->when_unset == UNSET_RELEASE)
		value_builder_member(fields, slice_of(field->name), value_builder_list(&taken, arena));
}

static void take_field(const struct begun *begun, const struct field *field, struct value_builder *fields)
{
	const struct value *value = value_get_named(&begun->form->applied, field->name);
	const struct value *base = begun->base ? value_get_named(&begun->base->applied, field->name) : NULL;

	if (!value)
		return;
	if (field->type == FIELD_SET && value_is(value, VALUE_LIST))
		take_items(begun, field, value, fields);
	else if (!is_to_come(begun, field, value) || (base && value_equal(base, value)))
		value_builder_member(fields, slice_of(field->name), *value);
}

static const struct object *as_begun(const struct begun *begun)
{
	const struct kind *kind = kinds_find(begun->work->input->kinds, begun->form->kind);
	struct object *less;

	if (begun->form->role != OBJECT_INCOMPLETE || !kind || !value_has_deferred(&begun->form->resolved))
		return begun->form;
	VALUE_BUILDER_AUTO fields;
	value_builder_init(&fields);
	for (size_t i = 0; i < kind->fields.count; i++)
		take_field(begun, field_at(&kind->fields, i), &fields);
	less = arena_new(begun->work->arena, struct object);
	*less = *begun->form;
	less->applied = value_builder_map(&fields, begun->work->arena);
	return less;
}

const struct object *undo_as_begun(struct undo_work *work, const struct object *found)
{
	return as_begun(&(struct begun){.work = work, .form = found});
}

void undo_take_begun(struct undo_work *work, struct undo_case *one)
{
	/* Of what the run only went on with it has done no more than it left: a later one has finished that. */
	bool goes_on = one->was && one->left && slice_equal(one->was->object_id, one->left->object_id);

	if (one->left && one->base && one->left != one->was)
		one->left = as_begun(&(struct begun){
			.work = work,
			.form = one->left,
			.base = goes_on ? NULL : one->base,
			.in_the_end = true,
		});
}
