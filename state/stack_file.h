#ifndef TRUEUP_STATE_STACK_FILE_H
#define TRUEUP_STATE_STACK_FILE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/slice.h"
#include "base/world.h"
#include "state/database.h"
#include "state/place.h"
#include "state/sqlite_store.h"

/* The file of one stack, opened for writing or for reading. */
struct stack_file {
	struct world *world;
	struct state_options options; /* without zeros for defaults */
	const char *name;	      /* path as the user gave it */
	const char *real_path;	      /* without links */
	bool local;		      /* SQLite's own VFS: place.h may be asked */
	enum database_mode mode;
	struct stamp stamp; /* DATABASE_READ_IMMUTABLE: of the file that is read */
	struct database database;
};

/* world, options, name and local are set; texts go into arena. stack_name: of a stack that
 * is made anew. The caller closes the database, also after a failure. */
__attribute__((warn_unused_result)) bool stack_file_open(struct stack_file *file, struct arena *arena,
							 struct slice stack_name, struct diagnostics *diagnostics);
/* Does body within one snapshot; again where a run wrote meanwhile in a way that the
 * snapshot does not withstand, so body sets its results anew each time. */
__attribute__((warn_unused_result)) bool stack_file_read(struct stack_file *file, database_body *body, void *context,
							 struct diagnostics *diagnostics);

#endif
