#ifndef TRUEUP_STATE_MACHINE_H
#define TRUEUP_STATE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"
#include "base/world.h"

/* What tells this machine, since its last start, from others; and its processes. */

/*
 * The same text means: the boot clock and process numbers mean the same. Boot id, and the
 * namespaces of processes and time, so that two containers are told apart. Empty where the
 * system does not say.
 */
struct slice machine_instance(struct world *world, struct arena *arena);
/* When a process started, in the system's ticks (proc(5), field 22 of /proc/PID/stat), or
 * "ended" for one that only waits to be buried; empty where that cannot be read. */
struct slice machine_process_start(struct world *world, int64_t process, struct arena *arena);
/* Whether the process of that number and start is certainly no more. For numbers of this
 * machine instance only. */
bool machine_process_gone(struct world *world, int64_t process, struct slice start, struct arena *scratch);

#endif
