#ifndef TRUEUP_CLI_UNDONE_BEFORE_H
#define TRUEUP_CLI_UNDONE_BEFORE_H

#include "cli/job.h"
#include "reconcile/undo.h"

/* What earlier undoings of a run, one of those given, the newest first, were the last to change. */
__attribute__((warn_unused_result)) bool undone_before(struct job *job, const struct run_record *runs,
						       const struct run_record *run, struct undo_touched **ret,
						       size_t *ret_count);
/* What each run after one of those given changed, with bodies, the oldest first. */
__attribute__((warn_unused_result)) bool changed_since(struct job *job, const struct run_record *runs,
						       const struct run_record *run, const struct undo_since **ret,
						       size_t *ret_count);
/* The last run before one of those given that changed a field of what is at the address; NULL: none is known. */
const struct undo_since *changed_before(struct job *job, const struct run_record *runs, size_t count,
					const struct run_record *run, struct slice address, const char *field);

#endif
