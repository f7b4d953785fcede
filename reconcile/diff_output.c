#include "reconcile/diff.h"

#include <string.h>

/* What changes of fields make of values, outputs and ranges. */

bool changes_renew(const struct change *changes, size_t count, const struct output *output)
{
	for (size_t i = 0; i < count; i++) {
		const struct change *change = &changes[i];
		if (change->effect == EFFECT_SET && (change->field ? output_renewed_by(output, change->field->name)
								   : slice_is(change->path, output->name)))
			return true;
	}
	return false;
}

bool changes_take_away(const struct change *changes, size_t count, const struct output *output)
{
	for (size_t i = 0; output->needs && i < count; i++) {
		const struct change *change = &changes[i];
		if (change->field && strcmp(change->field->name, output->needs) == 0 && change->effect == EFFECT_SET)
			return value_is(&change->after, VALUE_NULL) ||
			       (value_is(&change->after, VALUE_BOOL) && !change->after.boolean);
	}
	return false;
}

bool changes_set(const struct change *changes, size_t count, struct slice field)
{
	for (size_t i = 0; i < count; i++)
		if (changes[i].effect == EFFECT_SET && changes[i].field && slice_is(field, changes[i].field->name))
			return true;
	return false;
}

bool changes_end(const struct change *changes, size_t count, const struct field *field, const struct value *value)
{
	for (size_t i = 0; i < count; i++) {
		const struct change *change = &changes[i];

		if (change->field && strcmp(change->field->name, field->name) == 0 && change->effect == EFFECT_SET &&
		    value_equal(&change->before, value))
			return true;
	}
	return false;
}

bool change_widens(const struct change *change)
{
	return change->field && change->field->range == RANGE_DOMAIN && change->effect == EFFECT_SET &&
	       !value_is(&change->after, VALUE_NULL);
}
