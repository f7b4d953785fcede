#ifndef TRUEUP_CLI_PROGRAM_ENVIRONMENT_H
#define TRUEUP_CLI_PROGRAM_ENVIRONMENT_H

#include "base/world.h"
#include "reconcile/resource.h"

/*
 * The variables of a program that the user names: ours, without those that hold a secret of trueup's own. Credentials
 * of a cloud stay, because the program may be there to use them. stack: whose providers name further ones, or NULL.
 * In arena; NULL where the world cannot list its own.
 */
char *const *program_environment(const struct world *world, const struct stack *stack, struct arena *arena);

#endif
