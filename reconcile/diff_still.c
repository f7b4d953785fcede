#include "reconcile/diff.h"

/*
 * What a thing shows only while it runs is not known of one that stands still. Where a plan starts it, such a field is
 * set with that, be it so already: else the thing would run with what others have set meanwhile, and only the next look
 * would tell.
 */

static bool is_to_start(const struct kind *kind, const struct difference *difference)
{
	for (size_t i = 0; kind->running && i < difference->count; i++) {
		const struct change *change = &difference->changes[i];
		if (change->field && change->effect == EFFECT_SET && strcmp(change->field->name, kind->running) == 0)
			return value_is_true(&change->after);
	}
	return false;
}

/* Whether something shows of it all the same: an address of somebody else's giving, which a start takes nothing from.
 */
static bool is_stood_for(const struct kind *kind, const struct field *field, const struct value *outputs)
{
	for (size_t i = 0; i < kind->outputs.count; i++) {
		const struct output *output = output_at(&kind->outputs, i);
		if (output_renewed_by(output, field->name) && value_if_set(value_get_named(outputs, output->name)))
			return true;
	}
	return false;
}

void diff_still(const struct diff_input *input, struct arena *arena, struct difference *ret)
{
	const struct kind *kind = input->kind;
	bool starts = input->live && is_to_start(kind, ret);
	for (size_t i = 0; starts && i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);
		const struct value *wanted = value_if_set(value_get_named(input->wanted, field->name));
		if (!field->shown_running || !wanted || value_has_deferred(wanted) ||
		    value_if_set(value_get_named(input->live, field->name)) ||
		    slice_is_among(field->name, input->ignored, input->ignored_count) ||
		    changes_set(ret->changes, ret->count, slice_of(field->name)) ||
		    is_stood_for(kind, field, input->outputs))
			continue;
		const struct change again = {
			.path = slice_of(field->name),
			.field = field,
			.cause = CAUSE_TARGET,
			.effect = EFFECT_SET,
			.before = *wanted,
			.after = *wanted,
			.unread = true,
		};
		difference_add(ret, &again, arena);
	}
}
