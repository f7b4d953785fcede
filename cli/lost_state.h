#ifndef TRUEUP_CLI_LOST_STATE_H
#define TRUEUP_CLI_LOST_STATE_H

#include "cli/job.h"

/*
 * A state that was lost: the record is empty, and what is there carries this stack's name at addresses of the spec.
 * Where a kind of the spec could not be listed nobody can tell, and it is dealt with as if. Or a part of it was lost,
 * for an older one was put back: what was made since is there and not recorded. Known after a refresh.
 */

/* Tells so as a warning; what an older state lacks is told by job_tell_strays(). */
void lost_state_warn(struct job *job);
/* How much that is. */
size_t lost_state_count(const struct job *job);
/* False, after saying so, where what the plan makes would be there twice, or may be, or where something would stay that
 * a destroy knows nothing of; --force does it all the same. */
__attribute__((warn_unused_result)) bool lost_state_permits(struct job *job);
/* The same where the plan is to be saved, which takes no --force: whoever applies it later is not told. */
__attribute__((warn_unused_result)) bool lost_state_permits_saving(struct job *job);

#endif
