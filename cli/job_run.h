#ifndef TRUEUP_CLI_JOB_RUN_H
#define TRUEUP_CLI_JOB_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/job.h"

/* Waits, as long as --lease-timeout says, until no other run holds the stack; false, FAULT_LEASE,
 * where one still does. At once true for a command that does not take the flag. *ret_waited: what
 * was read of the state before is old. */
__attribute__((warn_unused_result)) bool job_await_lease(struct job *job, bool *ret_waited);
/* For a command that takes no lease, before the record is read: whether another run is at work, which is told as a
 * warning, once. */
__attribute__((warn_unused_result)) bool job_look_for_run(struct job *job);
/*
 * The same when the world was read: a run may have begun meanwhile. Or it has come and gone, so that the record is
 * older than the world: false then, without a diagnostic, and job->moved; but if that was so again and again, true,
 * with a warning, and job->overtaken.
 */
__attribute__((warn_unused_result)) bool job_look_again(struct job *job);
/*
 * Takes the lease and begins a run, waiting as above. planned_serial: of the plan to be
 * carried out, or NULL. Where another run has changed the stack since, that is FAULT_STALE; but
 * job->moved, without a diagnostic, where it did so while this one waited.
 */
__attribute__((warn_unused_result)) bool job_begin_run(struct job *job, struct slice command, struct slice plan_digest,
						       const int64_t *planned_serial);
/* The same for a run that records what was read, before anybody was shown a plan: where another run has changed the
 * stack since it had that serial, job->moved in any case. */
__attribute__((warn_unused_result)) bool job_begin_on_read(struct job *job, struct slice command, int64_t serial);
/* Tells what came of an attempt to write the state: of a lock that it was a run which holds the stack and stands still
 * (FAULT_LEASE), where the process lives that holder names. False. */
bool job_blame_lock(struct job *job, const struct lease_holder *holder, const struct diagnostics *attempt);
/* Ends the run. outcome: as in store_ops.end. */
__attribute__((warn_unused_result)) bool job_end_run(struct job *job, struct slice outcome);
/* The same for a run that is one write, which was done or has failed: where it was done and the end cannot be recorded,
 * a warning says so. False where either failed. */
__attribute__((warn_unused_result)) bool job_end_after(struct job *job, bool done);
/* Makes one commit durable and ends the run, as done or as failed. */
__attribute__((warn_unused_result)) bool job_commit_and_end(struct job *job, const struct commit *commit);

#endif
