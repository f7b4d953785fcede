#ifndef TRUEUP_CLI_WORLD_PROGRAM_H
#define TRUEUP_CLI_WORLD_PROGRAM_H

#include "base/world.h"

/* The part of the real world that is other programs; see struct world for the contract. The program is ended
 * where it runs longer, says more, is called off, or is interrupted. */
bool world_run_program(struct world *world, struct arena *arena, const struct program *program, struct slice *ret,
		       struct diagnostics *diagnostics);
bool world_has_program(struct world *world, struct arena *arena, const char *folder, const char *name);

#endif
