#ifndef TRUEUP_STATE_PLACE_H
#define TRUEUP_STATE_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/world.h"
#include "state/database.h"

/*
 * Where the file lies, as the operating system has it. Only for SQLite's own VFS: a world
 * with another one has files that nothing here can see.
 */

/* Whether there is a file; what is none (folder, device, pipe), or empty, is refused: a
 * state file gets its name only when it is complete, so an empty one has lost its contents. */
__attribute__((warn_unused_result)) bool place_look(const char *path, bool *ret_there, struct diagnostics *diagnostics);
/* The log that SQLite left beside a file of that name and would play into any file that gets the name, in arena, or
 * NULL. To be looked for before the file is: whoever makes both makes the log last. */
const char *place_find_log(const char *path, struct arena *arena);
/* Refuses to make a file beside such a log. */
__attribute__((warn_unused_result)) bool place_refuse_log(const char *path, const char *log,
							  struct diagnostics *diagnostics);
/* Whether there is a file, and it or the folder that it lies in can only be read. */
bool place_is_read_only(const char *path, struct arena *arena);
/* Refuses a file that lies where nobody can write. */
__attribute__((warn_unused_result)) bool place_refuse_read_only(const char *path, struct diagnostics *diagnostics);
/* Whether the name is taken, by whatever; true where that cannot be told. */
bool place_has_name(const char *path);
/* Makes the last folder of path, 0700, where it is missing; one that is there is made so, with a warning where others
 * could write it. Refuses what has its name and is no folder. */
__attribute__((warn_unused_result)) bool place_make_folder(struct world *world, const char *path,
							   struct diagnostics *diagnostics);
/* Warns of a file of ours that others can open; closes: it is made 0600, and so is what SQLite has beside it. */
void place_tell_open_file(const char *real_path, bool closes, struct diagnostics *diagnostics);
/* The name of a network file system by the magic number that statfs(2) gives, or NULL. */
const char *place_network_name(uint32_t magic);
/* Refuses network file systems, also for what path is a link to, which SQLite writes and locks beside: their locks and
 * shared memory do not join two machines. */
__attribute__((warn_unused_result)) bool place_refuse_network(const char *path, struct diagnostics *diagnostics);

/* An empty file of mode 0600 beside path, under a name of its own; *ret in arena. doing: what cannot be done where it
 * fails, such as "create the copy". */
__attribute__((warn_unused_result)) bool place_begin(struct world *world, const char *doing, const char *path,
						     struct arena *arena, const char **ret,
						     struct diagnostics *diagnostics);
/* Gives the finished file its name, durably. Where another program has been faster its file
 * stays, and that is no error. The temporary name is gone in any case. */
__attribute__((warn_unused_result)) bool place_finish(const char *temporary, const char *path,
						      struct diagnostics *diagnostics);
/* Whether a copy of source can be given that name, which is not source itself. */
__attribute__((warn_unused_result)) bool place_check_target(const char *path, const char *source, bool replaces,
							    struct diagnostics *diagnostics);
/* Gives a finished copy its name, durably: an error where there is one and it is not to be
 * replaced. The temporary name is gone in any case. */
__attribute__((warn_unused_result)) bool place_publish(const char *temporary, const char *path, bool replaces,
						       struct diagnostics *diagnostics);
/* Removes what place_begin() made. */
void place_abandon(const char *temporary);

/* Refuses a file whose full path SQLite would not take, with what it puts beside it, and beside a new one. */
__attribute__((warn_unused_result)) bool place_check_length(const char *path, bool is_new,
							    struct diagnostics *diagnostics);

/* Refuses a file that has another name (a hard link): beside each SQLite would keep a log of its own, and of what is
 * written under the one nothing would be known under the other. */
__attribute__((warn_unused_result)) bool place_refuse_names(const char *real_path, struct diagnostics *diagnostics);

/* The path without links, in arena: SQLite keeps its other files beside the file itself. */
const char *place_real_path(const char *path, struct arena *arena);

/* What a file looked like at one moment; equal stamps mean that nobody wrote in between. */
struct stamp {
	uint64_t device;
	uint64_t inode;
	int64_t size_bytes;
	struct timespec changed;
};

/*
 * How a file can be read right now without writing anything beside it, and its stamp. The
 * stamp means something only under DATABASE_READ_IMMUTABLE. Waits some milliseconds where
 * the file was written a moment ago: its time could not tell that from the next write.
 */
enum database_mode place_way_to_read(const char *real_path, struct stamp *ret);
/* Whether the file is no longer what the stamp says. */
bool place_moved(const char *real_path, const struct stamp *stamp);

#endif
