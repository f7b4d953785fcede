#ifndef TRUEUP_CLI_RECORD_SECRETS_H
#define TRUEUP_CLI_RECORD_SECRETS_H

#include "cli/job.h"

/*
 * What the record has in clear, of this run and of those before, and is a secret by now (reconcile/object_secrets.h):
 * here it is one as soon as it was read, and in the state once a run carries anything out, or finds nothing to do.
 */

/* The job's spec tells what is one; before the first body is read. Without it, and where it has none, nothing is looked
 * at. */
void record_secrets_of_spec(struct job *job);
/* So does a saved plan, of what it is about, and of nothing else; hidden: as of struct secrets_said. */
void record_secrets_of_plan(struct job *job, const struct plan *plan, const struct value *hidden);
/* Hides them in an object whose body was just read. */
void record_secrets_hide(const struct job *job, struct object *object);
/* And in the state, all at once; it is open for writing. */
__attribute__((warn_unused_result)) bool record_secrets_hide_all(struct job *job);

#endif
