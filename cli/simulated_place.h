#ifndef TRUEUP_CLI_SIMULATED_PLACE_H
#define TRUEUP_CLI_SIMULATED_PLACE_H

#include "base/arena.h"
#include "base/slice.h"

/*
 * Where the file of "sim:FILE" lies: from the folder of the stack on, so that a stack has one world wherever it is
 * worked on from.
 */

/* The endpoint that opens it from the working directory. */
const char *simulated_place_open(const char *folder, struct slice endpoint, struct arena *arena);
/*
 * The one spelling by which it is known and recorded: without links and dots, and from the folder on where it lies
 * within, so that a folder that is moved, or copied with its world, still has what its state says.
 */
struct slice simulated_place_name(const char *folder, struct slice endpoint, struct arena *arena);

#endif
