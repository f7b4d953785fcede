#ifndef TRUEUP_CLI_CARRY_OUT_H
#define TRUEUP_CLI_CARRY_OUT_H

#include "cli/job.h"

/*
 * From a plan to its end: asks where that is called for, takes the lease, settles what an
 * earlier run left open, applies, records, and reports. Gives the exit status.
 * reviewed: the plan was looked at before (it comes from a file), so nobody is asked.
 * Where job->moved is set afterwards nothing was done or reported, and the caller plans again.
 */
int job_carry_out(struct job *job, bool reviewed);

#endif
