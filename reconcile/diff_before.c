#include "reconcile/diff_before.h"

#include "reconcile/diff_field.h"

bool diff_ignores(const struct diff_input *input, const struct field *field)
{
	return slice_is_among(field->name, input->ignored, input->ignored_count);
}

bool diff_is_for_spec(const struct diff_input *input, const struct field *field, const struct value *wanted,
		      const struct value *sealed)
{
	const struct value *said = value_if_set(value_get_named(input->spec, field->name));
	if (field->flags & OBSERVED)
		return wanted &&
		       diff_field(field, sealed, value_if_set(value_get_named(input->applied, field->name))) != LIKE;
	/* What it referred to may have gone with the same deletion. */
	return !diff_ignores(input, field) || (said && value_has_deferred(said));
}

bool diff_goes_with_rest(const struct diff_input *input, const struct field *field, const struct value *value,
			 struct arena *arena)
{
	struct diagnostics unheard;
	if (!input->kind->check)
		return true;
	VALUE_BUILDER_AUTO whole;
	value_builder_init(&whole);
	value_builder_members(&whole, input->wanted);
	for (size_t i = 0; i < input->kind->fields.count; i++) {
		const struct field *other = field_at(&input->kind->fields, i);
		const struct value *moved = value_get_named(input->before, other->name);
		if (moved && diff_ignores(input, other))
			value_builder_set(&whole, slice_of(other->name), *moved);
	}
	value_builder_set(&whole, slice_of(field->name), *value);
	struct value all = value_builder_map(&whole, arena);
	diagnostics_init(&unheard, arena);
	bool good = input->kind->check(input->kind, &all, &unheard);
	diagnostics_release(&unheard);
	return good;
}
