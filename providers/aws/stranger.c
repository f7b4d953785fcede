#include "providers/aws/work.h"

/* Some creates hand back what was there before. */
void aws_report_stranger(struct work *work)
{
	const struct object *object = work->task.object;
	const struct ownership *owner = &work->now.ownership;
	if (slice_equal(owner->lineage, work->tagging.lineage) && owner->address.size > 0) {
		diag_error(work->task.diagnostics, FAULT_CONFLICT, NOWHERE,
			   "'%.*s' was not made: the service takes it for %.*s, which is '%.*s' of this stack",
			   SLICE_ARGUMENTS(object->address), SLICE_ARGUMENTS(object->provider_id),
			   SLICE_ARGUMENTS(owner->address));
		diag_hint(work->task.diagnostics, "keep one of the two, or change one so that they differ");
	} else {
		diag_error(work->task.diagnostics, FAULT_CONFLICT, NOWHERE,
			   "'%.*s' was not made: %.*s exists already and is not of this stack",
			   SLICE_ARGUMENTS(object->address), SLICE_ARGUMENTS(object->provider_id));
		diag_hint(work->task.diagnostics,
			  "change the resource so that it differs, or take it out and use the id of what exists");
	}
	diag_address(work->task.diagnostics, object->address);
}
