#ifndef TRUEUP_CLI_UNFINISHED_H
#define TRUEUP_CLI_UNFINISHED_H

#include "cli/job.h"

/*
 * After reading: what a run that did not end has set or deleted is taken into the objects in memory, so that a plan
 * takes it for the stack's own doing; recovery is who records it. job->unfinished lists what was taken.
 */
void job_take_unfinished(struct job *job);
/* For a drift: adds to that what a run has made and not finished, and no open call tells of: its fields are compared
 * with nothing. */
void job_list_half_made(struct job *job);

#endif
