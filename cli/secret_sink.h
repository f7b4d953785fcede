#ifndef TRUEUP_CLI_SECRET_SINK_H
#define TRUEUP_CLI_SECRET_SINK_H

#include "reconcile/plan.h"
#include "reconcile/task.h"

struct job;

/*
 * Puts what a service shows once where `secret_to` says: into a file of mode 0600, or into a
 * program. It is kept nowhere else, and struck out of all that is written from here on.
 * context: the job. False after a diagnostic of the task's.
 */
__attribute__((warn_unused_result)) bool secret_sink_give(void *context, const struct task *task,
							  const struct watch *watch);
/* Whether that may be put where `secret_to` says, asked before what shows it is made. */
__attribute__((warn_unused_result)) bool secret_sink_may_make(void *context, const struct action *action,
							      const struct value *desired,
							      struct diagnostics *diagnostics);
/* Whether the programs are there that the plan will give secrets to, asked before anything is changed: what shows a
 * secret may go before another is made. False after a diagnostic. */
__attribute__((warn_unused_result)) bool secret_sink_check_programs(const struct job *job);

#endif
