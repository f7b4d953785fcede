#include "reconcile/diff_before.h"

#include "reconcile/diff_field.h"

bool diff_ignores(const struct diff_input *input, struct slice name)
{
	for (size_t i = 0; i < input->ignored_count; i++)
		if (slice_equal(input->ignored[i], name))
			return true;
	return false;
}

bool diff_is_for_spec(const struct diff_input *input, const struct field *field, const struct value *wanted,
		      const struct value *sealed)
{
	const struct value *said = value_if_set(value_get_named(input->spec, field->name));
	if (field->flags & OBSERVED)
		return wanted &&
		       diff_field(field, sealed, value_if_set(value_get_named(input->applied, field->name))) != LIKE;
	/* What it referred to may have gone with the same deletion. */
	return !diff_ignores(input, slice_of(field->name)) || (said && value_has_deferred(said));
}

bool diff_goes_with_rest(const struct diff_input *input, const struct field *field, const struct value *value,
			 struct arena *arena)
{
	struct diagnostics unheard;
	if (!input->kind->check)
		return true;
	VALUE_BUILDER_AUTO whole;
	value_builder_init(&whole);
	for (uint32_t i = 0; i < input->wanted->count; i++)
		value_builder_member(&whole, value_slice(&input->wanted->members[i].key),
				     input->wanted->members[i].value);
	for (uint32_t i = 0; i < input->before->count; i++)
		if (diff_ignores(input, value_slice(&input->before->members[i].key)))
			value_builder_set(&whole, value_slice(&input->before->members[i].key),
					  input->before->members[i].value);
	value_builder_set(&whole, slice_of(field->name), *value);
	struct value all = value_builder_map(&whole, arena);
	diagnostics_init(&unheard, arena);
	bool good = input->kind->check(input->kind, &all, &unheard);
	diagnostics_release(&unheard);
	return good;
}
