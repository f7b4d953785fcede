#include "providers/aws/work.h"

/* What is told of a work that cannot go on. */

enum step aws_fail(struct work *work, enum fault fault, const char *what, const char *hint)
{
	diag_error(work->task.diagnostics, fault, NOWHERE, "'%.*s' %s%s%.*s",
		   SLICE_ARGUMENTS(work->task.object->address), what, work->now.state.size ? ", state " : "",
		   SLICE_ARGUMENTS(work->now.state));
	diag_address(work->task.diagnostics, work->task.object->address);
	if (hint)
		diag_hint(work->task.diagnostics, "%s", hint);
	return STEP_FAILED;
}

enum step aws_refused(struct work *work, const struct aws_call *call, const struct answer *answer, const char *doing)
{
	aws_call_failed(&work->task, answer, doing, work->task.object->address);
	diag_address(work->task.diagnostics, work->task.object->address);
	for (const char *const *hint = call->hints; hint && hint[0]; hint += 2)
		if (slice_is(answer->code, hint[0]))
			diag_hint(work->task.diagnostics, "%s", hint[1]);
	return STEP_FAILED;
}

enum step aws_change_refused(struct work *work, const struct answer *answer, const char *doing)
{
	return aws_refused(work, aws_change_of(work)->call, answer, doing);
}

enum step aws_too_late(struct work *work)
{
	bool goes = work->awaits_gone || work->phase == PHASE_DELETE;
	return aws_fail(work, FAULT_TRANSIENT, goes ? "is not gone yet" : "is not finished yet",
			work->awaits_gone ? "run again: it is waited for again, and then made anew"
			: goes		  ? "run again: it is waited for again"
					  : "run again: it is waited for again, not made anew");
}
