#include "cli/lost_state.h"

static void tell_lost(struct job *job, enum severity severity, const char *hint)
{
	const struct refresh *refresh = &job->refresh;
	size_t others = refresh->lost_count - 1;

	diag_add(job->diagnostics, severity, FAULT_STALE, NOWHERE,
		 "nothing is recorded, and yet '%.*s' is there as %.*s, made under this stack's name%s",
		 SLICE_ARGUMENTS(refresh->lost_address), SLICE_ARGUMENTS(refresh->lost_id),
		 others > 0 ? arena_format(job->arena, ", and %zu more of the spec", others).data : "");
	diag_hint(job->diagnostics, "if the state was lost, 'trueup state rebuild' makes it anew; %s", hint);
}

static void tell_unlisted(struct job *job, enum severity severity, const char *hint)
{
	const struct refresh *refresh = &job->refresh;
	size_t others = refresh->unlisted_count - 1;

	diag_add(job->diagnostics, severity, FAULT_UNREAD, NOWHERE,
		 "nothing is recorded, and whether a state was lost cannot be told: '%s'%s could not be listed: %.*s",
		 refresh->unlisted_kind->name, others > 0 ? arena_format(job->arena, " and %zu more", others).data : "",
		 SLICE_ARGUMENTS(refresh->unlisted_reason));
	diag_hint(job->diagnostics, "see that it can be listed, and run this again; %s", hint);
}

void lost_state_warn(struct job *job)
{
	if (job->refresh.lost_count > 0)
		tell_lost(job, SEVERITY_WARNING, "an apply would make everything twice");
	if (job->refresh.unlisted_count > 0)
		tell_unlisted(job, SEVERITY_WARNING, "where the state was lost an apply would make everything twice");
}

bool lost_state_permits(struct job *job)
{
	bool forced = arguments_has(job->invocation->arguments, FLAG_FORCE);
	enum severity severity = forced ? SEVERITY_WARNING : SEVERITY_ERROR;

	if (job->refresh.lost_count > 0)
		tell_lost(job, severity, "to make everything once more all the same, apply with --force");
	if (job->refresh.unlisted_count > 0)
		tell_unlisted(job, severity, "to make everything all the same, apply with --force");
	return forced || job->refresh.lost_count + job->refresh.unlisted_count == 0;
}

bool lost_state_permits_saving(struct job *job)
{
	if (job->refresh.lost_count > 0)
		return diag_error(job->diagnostics, FAULT_STALE, NOWHERE,
				  "the plan is not saved: it would make what is there a second time");
	return job->refresh.unlisted_count == 0 ||
	       diag_error(job->diagnostics, FAULT_UNREAD, NOWHERE,
			  "the plan is not saved: it may make what is there a second time");
}
