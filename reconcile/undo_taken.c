#include "reconcile/undo_parts.h"

/*
 * What the run took on (a kind that is found) is let go of as it is: of how it was before nobody recorded anything. So
 * what the run changed of it stays, and what it merely found is none of the run's.
 */

static void index_called(struct undo_work *work)
{
	const struct undo_input *input = work->input;

	work->has_called = true;
	map_init_in(&work->called, work->arena);
	for (size_t i = 0; i < input->call_count; i++)
		if (!slice_is(input->calls[i].outcome, "failed"))
			map_set(&work->called, input->calls[i].object_id, work);
}

void undo_tell_taken(struct undo_work *work, const struct undo_case *one)
{
	if (!work->has_called)
		index_called(work);
	if (!map_get(&work->called, one->left->object_id))
		return;
	for (size_t i = 0; i < one->kind->fields.count; i++) {
		const struct field *field = field_at(&one->kind->fields, i);

		if ((field->flags & (IMMUTABLE | FIXED)) == 0 && value_get_named(&one->left->applied, field->name))
			undo_stays(work, one->address, "keeps its '%s': nobody recorded how it was before",
				   field->name);
	}
}
