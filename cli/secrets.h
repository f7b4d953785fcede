#ifndef TRUEUP_CLI_SECRETS_H
#define TRUEUP_CLI_SECRETS_H

#include "cli/job.h"

/*
 * The secrets of a stack where they have to rest: sealed in plan files, so that these apply
 * without the spec's folder, and in open intents, so that a call can be sent again. Nothing
 * here asks for a key where there is no secret.
 */

/* What waiting_open() says while a key is looked for; a program that gives one speaks for itself. */
#define WAITING_FOR_KEY "waiting for the sealing key"

/*
 * The stack's key in job->sealing and job->vault, where the job's plan sets a secret, and so will its
 * intents; made and recorded where the stack has none yet. The state is open for writing. Where no key
 * is at hand job->vault.key stays NULL; false, after a diagnostic, where there is another one.
 */
__attribute__((warn_unused_result)) bool secrets_find_key_for_apply(struct job *job);
/* The same where an open call may be sent once more, and has sealed secrets. Also false where the key that is set
 * cannot be had: what came of the call is not for a guess then. */
__attribute__((warn_unused_result)) bool secrets_find_key_for_intents(struct job *job);
/* The same for who only shows: a warning there, once, and job->unfound says why. False, after a diagnostic, where the
 * look was interrupted. */
__attribute__((warn_unused_result)) bool secrets_seek_key_for_intents(struct job *job);
/* Fills in what a saved plan needs of secrets; a warning where no key is at hand. */
__attribute__((warn_unused_result)) bool secrets_seal_plan(struct job *job);
/*
 * Puts back the secrets of a plan from a file, in place of their fingerprints; some stay
 * fingerprints where they were not sealed or no key is at hand.
 */
__attribute__((warn_unused_result)) bool secrets_open_plan(struct job *job, struct plan *plan);
/* Notes the secrets that were read, so that nothing that is written from here on tells them. */
void secrets_redact_live(struct job *job);
/* Whether the action does anything, and needs secrets for it. */
bool secrets_are_set(const struct action *action);

#endif
