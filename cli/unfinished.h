#ifndef TRUEUP_CLI_UNFINISHED_H
#define TRUEUP_CLI_UNFINISHED_H

#include "cli/job.h"
#include "cli/past_run.h"

/*
 * After reading: what a run that did not end has set or deleted is taken into copies of the objects, which stand among
 * job->objects from then on, so that a plan takes it for the stack's own doing; recovery is who records it.
 * job->unfinished lists what was taken.
 */
void job_take_unfinished(struct job *job);
/* Before reading anew: the objects are again as they are recorded. */
void job_put_back_unfinished(struct job *job);
/* For a drift: adds to that what a run has made and not finished, and no open call tells of: its fields are compared
 * with nothing. */
void job_list_half_made(struct job *job);
/* Likewise what a run that changed something was to change (left->halfway), where it did not come to its end and the
 * spec asks for more than the record has: recovery has recorded as much as was done of it. To be called while the
 * record is as it was loaded. */
void job_list_halfway(struct job *job, const struct leavings *left);
/* Likewise what a replace that did not come to its end has left: the old object, or no object at all (left->gone). What
 * has left the spec by now is not missed. */
void job_list_half_replaced(struct job *job, const struct leavings *left);

#endif
