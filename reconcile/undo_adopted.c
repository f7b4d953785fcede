#include "reconcile/undo_parts.h"

/*
 * What the run adopted (a kind that is found) is let go of as it is: of how it was before nobody recorded anything. So
 * what the run changed of it stays, and what it merely found is none of the run's.
 */

void undo_tell_adopted(struct undo_work *work, const struct undo_case *one)
{
	if (!undo_sent_about(work, one->left->object_id))
		return;
	for (size_t i = 0; i < one->kind->fields.count; i++) {
		const struct field *field = field_at(&one->kind->fields, i);

		if ((field->flags & (IMMUTABLE | FIXED)) == 0 && value_get_named(&one->left->applied, field->name))
			undo_stays(work, one->address, "keeps its '%s': nobody recorded how it was before",
				   field->name);
	}
}
