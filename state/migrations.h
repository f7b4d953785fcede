#ifndef TRUEUP_STATE_MIGRATIONS_H
#define TRUEUP_STATE_MIGRATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"
#include "state/database.h"

/*
 * The format of the file: which tables it has, and how an older file becomes a newer one.
 * Its number is PRAGMA user_version; PRAGMA application_id says that it is ours at all.
 */

enum file_kind {
	FILE_OURS,  /* of the newest format */
	FILE_OLDER, /* of a format that migrations_run() brings up */
	FILE_BLANK, /* without a single table: a file that is being made */
};

/* Refuses what is not ours, and what a newer program than this one (program) wrote, without changing a byte. */
__attribute__((warn_unused_result)) bool migrations_check(struct database *database, struct slice program,
							  enum file_kind *ret, struct diagnostics *diagnostics);
/* Brings a blank or older file to the newest format; within the caller's transaction.
 * program and wall_ms are noted in the file with each step; a blank one takes a single step. */
__attribute__((warn_unused_result)) bool migrations_run(struct database *database, struct slice program,
							int64_t wall_ms, struct diagnostics *diagnostics);
/* "is of format 1, older than ..." for a file that may only be read. Returns false. */
bool migrations_refuse_older(struct database *database, struct diagnostics *diagnostics);

#endif
