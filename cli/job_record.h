#ifndef TRUEUP_CLI_JOB_RECORD_H
#define TRUEUP_CLI_JOB_RECORD_H

#include "cli/job.h"

/* What is recorded of a job's stack, as far as it was read. */

/* Where its state lies. */
const char *job_state_path(const struct job *job);
/* Whether a state lies beside the spec already. */
bool job_has_store(const struct job *job);
/* Whether nothing was ever recorded: the stack is new, or its state was lost. */
bool job_is_first(const struct job *job);
/* Heads anew, after somebody has written; bodies are to be loaded again. */
__attribute__((warn_unused_result)) bool job_read_heads(struct job *job);
/* The same, and open intents. */
__attribute__((warn_unused_result)) bool job_reload(struct job *job);
/* Loads the bodies of all objects that have none yet, at once. */
__attribute__((warn_unused_result)) bool job_load_bodies(struct job *job);
/* For plan_input, apply, and whoever else needs the body of an object; context: the job. */
bool job_load_body(void *context, struct object *object, struct diagnostics *diagnostics);

#endif
