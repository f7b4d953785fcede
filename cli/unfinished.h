#ifndef TRUEUP_CLI_UNFINISHED_H
#define TRUEUP_CLI_UNFINISHED_H

#include "cli/job.h"

/*
 * After reading: what a run that did not end has set or deleted is taken into the objects in memory, so that a plan
 * takes it for the stack's own doing; recovery is who records it. job->unfinished lists what was taken.
 */
void job_take_unfinished(struct job *job);

#endif
