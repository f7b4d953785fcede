#ifndef TRUEUP_CLI_DRIFT_H
#define TRUEUP_CLI_DRIFT_H

#include "cli/job.h"

/*
 * Fills job->plan with what reality has moved away from the record: changed and missing
 * objects, and what could not be read. Only reads: the state is opened for reading. The
 * spec gives the ways to the providers, line numbers, and what is left to others.
 */
__attribute__((warn_unused_result)) bool drift_find(struct job *job);

#endif
