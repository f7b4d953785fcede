#ifndef TRUEUP_CLI_DRIFT_H
#define TRUEUP_CLI_DRIFT_H

#include "cli/job.h"

/*
 * Reads what is recorded, and what is there of it. The state is opened for reading. The spec gives the ways to the
 * providers, line numbers, and what is left to others.
 */
__attribute__((warn_unused_result)) bool drift_prepare(struct job *job);
/*
 * Fills job->plan with what reality has moved away from the record: changed and missing objects, and what could not be
 * read. False after an error; job->plan has what could be compared also then, so that it can be shown.
 */
__attribute__((warn_unused_result)) bool drift_find(struct job *job);

#endif
