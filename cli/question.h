#ifndef TRUEUP_CLI_QUESTION_H
#define TRUEUP_CLI_QUESTION_H

#include "cli/invocation.h"

/*
 * Whether the user wants it: --yes, or "yes" typed out on a terminal. False after a diagnostic.
 * question: "Apply this?"; what: "apply this", for the message where nobody can be asked; hint:
 * what to do then; about: the plan that it asks about, or NULL where what was written to standard error tells it all.
 */
__attribute__((warn_unused_result)) bool question_ask(struct invocation *invocation, const char *question,
						      const char *what, const char *hint, const struct report *about);

#endif
