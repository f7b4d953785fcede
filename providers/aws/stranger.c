#include "providers/aws/work.h"

static const char USE_ITS_ID[] = "change the resource so that it differs, or take it out and use the id of what exists";
static const char KEEP_ONE[] = "keep one of the two, or change one so that they differ";
static const char FOUND_AGAIN[] = "run again: what the call made is found by its tags, and deleted";
static const char GOES_FIRST[] = "run again: it is taken back where it is what is wanted, and else deleted first";

static const struct object *find_other(const struct work *work)
{
	return work->find_recorded ? work->find_recorded(work, work->task.object->provider_id) : NULL;
}

/* Some creates hand back what was there before. The record knows best whose it is, as tags may have been changed. */
static void report_stranger(struct work *work)
{
	const struct object *object = work->task.object;
	const struct ownership *owner = &work->now.ownership;
	const struct object *recorded = find_other(work);
	bool tagged = slice_equal(owner->lineage, work->tagging.lineage);
	struct slice address = recorded ? recorded->address : tagged ? owner->address : (struct slice){0};
	const char *hint = KEEP_ONE;

	if (aws_change_of(work)->origin == ORIGIN_NEW) {
		hint = FOUND_AGAIN;
		diag_error(
			work->task.diagnostics, FAULT_CONFLICT, NOWHERE,
			"what became of '%.*s' is not known: the call that makes it was answered with %.*s, which is "
			"%s%.*s%s",
			SLICE_ARGUMENTS(object->address), SLICE_ARGUMENTS(object->provider_id),
			address.size > 0 ? "'" : "not of this stack", SLICE_ARGUMENTS(address),
			address.size > 0 ? "'" : "");
	} else if (recorded && recorded->role == OBJECT_DEPOSED) {
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

void aws_note_created(struct work *work, enum aws_origin origin)
{
	aws_change_of(work)->created_ms = work->task.now_ms;
	aws_change_of(work)->origin = origin;
	work->task.in_doubt = (origin != ORIGIN_NEW || find_other(work)) && aws_kind_of(work->kind)->tags_member;
}

/*
 * A listing may show what was just made without its tags, or with others than it was made with. Where no other object
 * can be what the create answered with, it is kept, and tagged anew: forgotten, it would be made once more by each run.
 */
bool aws_is_ours(struct work *work, enum step *ret_step)
{
	const struct aws_change *change = aws_change_of(work);
	struct slice owner = work->now.ownership.object_id;

	if (!aws_kind_of(work->kind)->tags_member || !change->created_ms)
		return true;
	if (slice_equal(owner, work->task.object->object_id)) {
		work->task.in_doubt = false;
		return true;
	}
	bool may_lag = change->origin == ORIGIN_NEW || (owner.size == 0 && change->origin == ORIGIN_REPEATED);
	/* What is not ready is waited for anyway, and its tags may come meanwhile. */
	if (may_lag && work->now.readiness == READY_PENDING)
		return true;
	if (may_lag && aws_count_look(work)) {
		*ret_step = aws_look_later(work);
		return false;
	}
	if (owner.size == 0 && change->origin == ORIGIN_NEW && !find_other(work))
		return true;
	report_stranger(work);
	work->task.in_doubt = false;
	work->task.record_removed = true;
	work->task.disowned = change->origin == ORIGIN_NEW;
	/* The create was the first of its calls, and made nothing. */
	work->task.changed &= work->task.disowned;
	*ret_step = STEP_FAILED;
	return false;
}
