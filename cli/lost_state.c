#include "cli/lost_state.h"

static void tell(struct job *job, enum severity severity)
{
	const struct refresh *refresh = &job->refresh;
	size_t others = refresh->lost_count - 1;

	diag_add(job->diagnostics, severity, FAULT_STALE, NOWHERE,
		 "nothing is recorded, and yet '%.*s' is there as %.*s, made under this stack's name%s",
		 SLICE_ARGUMENTS(refresh->lost_address), SLICE_ARGUMENTS(refresh->lost_id),
		 others > 0 ? arena_format(job->arena, ", and %zu more of the spec", others).data : "");
}

void lost_state_warn(struct job *job)
{
	if (job->refresh.lost_count == 0)
		return;
	tell(job, SEVERITY_WARNING);
	diag_hint(job->diagnostics, "if the state was lost, 'trueup state rebuild' makes it anew; an apply would make "
				    "everything twice");
}

bool lost_state_permits(struct job *job)
{
	bool forced = arguments_has(job->invocation->arguments, FLAG_FORCE);

	if (job->refresh.lost_count == 0)
		return true;
	tell(job, forced ? SEVERITY_WARNING : SEVERITY_ERROR);
	diag_hint(job->diagnostics, "if the state was lost, 'trueup state rebuild' makes it anew; to make everything "
				    "once more all the same, apply with --force");
	return forced;
}

bool lost_state_permits_saving(struct job *job)
{
	return job->refresh.lost_count == 0 ||
	       diag_error(job->diagnostics, FAULT_STALE, NOWHERE,
			  "the plan is not saved: it would make what is there a second time");
}
