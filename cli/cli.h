#ifndef TRUEUP_CLI_CLI_H
#define TRUEUP_CLI_CLI_H

#include "base/world.h"

/* Runs one command in a world and gives the exit status. Nothing outlives the call, and it
 * shares nothing with another one, so several may run in one process. */
int cli_run(struct world *world, int count, char *const *texts);

/* The same in the real world: the whole of the program. count and texts are main()'s. */
int cli_main(int count, char *const *texts);

#endif
