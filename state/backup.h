#ifndef TRUEUP_STATE_BACKUP_H
#define TRUEUP_STATE_BACKUP_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "state/stack_file.h"

/*
 * Within a snapshot of file: copies that to a file beside path and proves the copy sound.
 * *ret_temporary, in arena, then waits for place_publish(). Where a reading is done again, the
 * copy of the one before is removed.
 */
__attribute__((warn_unused_result)) bool backup_copy(struct stack_file *file, const char *path, struct arena *arena,
						     const char **ret_temporary, struct diagnostics *diagnostics);
/* Refuses a path that is the state file itself, or that is there and not to be replaced. */
__attribute__((warn_unused_result)) bool backup_check_place(const struct stack_file *file, const char *path,
							    bool replaces, struct diagnostics *diagnostics);

#endif
