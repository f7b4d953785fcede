#include "cli/saved_refusal.h"

bool saved_plan_refuse(struct job *job, struct slice address, struct slice what)
{
	diag_error(job->diagnostics, FAULT_STALE, NOWHERE, "'%.*s' has changed since the plan was made: %.*s",
		   SLICE_ARGUMENTS(address), SLICE_ARGUMENTS(what));
	diag_address(job->diagnostics, address);
	diag_hint(job->diagnostics, "plan again, and review that");
	return false;
}
