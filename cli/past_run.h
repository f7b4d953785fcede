#ifndef TRUEUP_CLI_PAST_RUN_H
#define TRUEUP_CLI_PAST_RUN_H

#include "cli/job.h"

/* The one run of those whose id begins as the user says; NULL after a diagnostic where there is none, or more. */
const struct run_record *past_run_find(struct job *job, const struct run_record *runs, size_t count,
				       struct slice wanted);

#endif
