#include "cli/past_run.h"

enum { PREFIX_LEAST = 4 };

const struct run_record *past_run_find(struct job *job, const struct run_record *runs, size_t count,
				       struct slice wanted)
{
	const struct run_record *found = NULL;

	for (size_t i = 0; wanted.size >= PREFIX_LEAST && i < count; i++) {
		if (!slice_starts_with(runs[i].id, wanted))
			continue;
		if (found) {
			diag_error(job->diagnostics, FAULT_USAGE, NOWHERE, "more than one run's id begins with '%.*s'",
				   SLICE_ARGUMENTS(wanted));
			diag_hint(job->diagnostics, "give more of its digits");
			return NULL;
		}
		found = &runs[i];
	}
	if (!found) {
		diag_error(job->diagnostics, FAULT_ABSENT, NOWHERE, "no run is recorded whose id begins with '%.*s'",
			   SLICE_ARGUMENTS(wanted));
		diag_hint(job->diagnostics, "'trueup state history' lists the runs");
	}
	return found;
}
