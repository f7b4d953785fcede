#include "providers/aws/work.h"

static const char USE_ITS_ID[] = "change the resource so that it differs, or take it out and use the id of what exists";
static const char KEEP_ONE[] = "keep one of the two, or change one so that they differ";
static const char GOES_FIRST[] = "run again: it is taken back where it is what is wanted, and else deleted first";

/* Some creates hand back what was there before. The record knows best whose it is, as tags may have been changed. */
void aws_report_stranger(struct work *work)
{
	const struct object *object = work->task.object;
	const struct ownership *owner = &work->now.ownership;
	const struct object *recorded = work->find_recorded ? work->find_recorded(work, object->provider_id) : NULL;
	bool tagged = slice_equal(owner->lineage, work->tagging.lineage);
	struct slice address = recorded ? recorded->address : tagged ? owner->address : (struct slice){0};
	const char *hint = KEEP_ONE;

	if (recorded && recorded->role == OBJECT_DEPOSED) {
		hint = GOES_FIRST;
		diag_error(work->task.diagnostics, FAULT_CONFLICT, NOWHERE,
			   "'%.*s' was not made: the service takes it for %.*s, which a replace of '%.*s' left behind",
			   SLICE_ARGUMENTS(object->address), SLICE_ARGUMENTS(object->provider_id),
			   SLICE_ARGUMENTS(address));
	} else if (address.size > 0) {
		diag_error(work->task.diagnostics, FAULT_CONFLICT, NOWHERE,
			   "'%.*s' was not made: the service takes it for %.*s, which is '%.*s' of this stack",
			   SLICE_ARGUMENTS(object->address), SLICE_ARGUMENTS(object->provider_id),
			   SLICE_ARGUMENTS(address));
	} else {
		hint = USE_ITS_ID;
		diag_error(work->task.diagnostics, FAULT_CONFLICT, NOWHERE,
			   "'%.*s' was not made: %.*s exists already and is not of this stack",
			   SLICE_ARGUMENTS(object->address), SLICE_ARGUMENTS(object->provider_id));
	}
	diag_hint(work->task.diagnostics, "%s", hint);
	diag_address(work->task.diagnostics, object->address);
}
