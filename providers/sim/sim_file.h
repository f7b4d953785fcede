#ifndef TRUEUP_PROVIDERS_SIM_FILE_H
#define TRUEUP_PROVIDERS_SIM_FILE_H

#include <stdbool.h>

#include "base/diag.h"

/*
 * The world in a file: a first line that says what it is, then one JSON line for each
 * transaction, holding what it changed, whole. The line is written with one write() under
 * a lock before the answer leaves, so a process may be killed at any instant: a torn last
 * line is a transaction that never was. Several processes may share the file; each reads
 * at the start of a transaction what the others appended.
 */
struct sim;

/* False only where it is known that there is none. */
bool sim_file_is_there(const char *path);
__attribute__((warn_unused_result)) bool sim_file_open(struct sim *sim, const char *path,
						       struct diagnostics *diagnostics);
void sim_file_close(struct sim *sim);
/* Locks the file and reads what others wrote. False where that fails: then sim_file_problem() says why. */
__attribute__((warn_unused_result)) bool sim_file_begin(struct sim *sim);
/* Writes what is dirty. A failure shows in sim_file_problem(). */
void sim_file_append(struct sim *sim);
/* The same of the time alone, which may pass without a change. */
void sim_file_append_time(struct sim *sim);
void sim_file_end(struct sim *sim);
/* Why the file is of no more use, or NULL. */
const char *sim_file_problem(const struct sim *sim);

#endif
