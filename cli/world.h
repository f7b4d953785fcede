#ifndef TRUEUP_CLI_WORLD_H
#define TRUEUP_CLI_WORLD_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/world.h"

/*
 * The real world: POSIX files and clocks, the process's environment and standard streams,
 * signals, and the curl transport.
 *
 * While it is open, SIGINT, SIGTERM and SIGHUP are counted for interrupted() unless whoever
 * started the process had them ignored (nohup, a shell's background job), those that come
 * within 0.25 s of each other once; once two have come, the next one ends the process. A gone
 * reader and a file size limit become failed writes instead of signals. No core is dumped from
 * here on: memory may hold secrets.
 */

/* Fills *world, which then needs real_world_close(). On failure *world is untouched. */
__attribute__((warn_unused_result)) bool real_world_open(struct world *world, struct diagnostics *diagnostics);
/* Gives signals back as they were. */
void real_world_close(struct world *world);

#endif
