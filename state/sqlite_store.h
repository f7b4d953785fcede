#ifndef TRUEUP_STATE_SQLITE_STORE_H
#define TRUEUP_STATE_SQLITE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"
#include "base/world.h"
#include "reconcile/store.h"

/*
 * The store in one SQLite file a stack.
 *
 * The file has mode 0600 and its folder 0700 from the moment they exist; SQLite gives the
 * files beside it (-wal, -shm) the mode of the file. A commit is on the disk when it
 * returns. Where world->sqlite_vfs is set nothing but that VFS is asked for files: mode,
 * kind of file system and length of the file are then the VFS's matter.
 */

enum {
	/* Longer than any request may take: a run sends only what is answered while the lease is its own. */
	STATE_LEASE_TERM_MS = 90000,
	STATE_BUSY_TIMEOUT_MS = 5000,
};

enum state_access {
	STATE_WRITE, /* made where it is missing, brought up to this program's format */
	/* As above; but where there is a file that can only be read, or the disk is full, as below. */
	STATE_WRITE_OR_READ,
	/* Nothing is written: works in a folder that can only be read, and leaves no file
	 * behind. What a run that died has left in the -wal file is read too. */
	STATE_READ,
	/* The same; where there is no file it is as if a new one were there. */
	STATE_READ_OR_BLANK,
};

/* What a holder on another machine showed when it was seen first: how long it is silent is told by that. */
struct lease_sight {
	int64_t fencing; /* 0: none was seen */
	int64_t beats;
	int64_t boot_ms;
};

struct state_options {
	enum state_access access;
	bool network_allowed;	   /* on a file system whose locks cannot be relied on */
	int64_t lease_term_ms;	   /* 0: STATE_LEASE_TERM_MS */
	int64_t busy_timeout_ms;   /* how long to wait for another program's lock; 0: STATE_BUSY_TIMEOUT_MS */
	struct lease_sight *sight; /* goes on from one opening to the next; NULL: begins anew */
	struct slice program; /* "trueup 0.1.0": kept in the file, so that an older program can name the one it needs */
};

/* Whether there is anything by that name, a state or not: where it cannot be looked for it counts as there, and
 * state_open() says why it is none. */
bool state_is_there(struct world *world, const char *path);
/* Whether a file that begins so is a state file: as every database of SQLite does
 * (https://www.sqlite.org/fileformat2.html#magic_header_string). */
bool state_is_file(struct slice first);

/*
 * Opens the state at path; of its folders only the last may be missing. stack_name: the
 * stack that the state must belong to, and that a new one is made for; empty: any.
 * Faults: FAULT_ABSENT (STATE_READ and no file), FAULT_CONFLICT (locked by another program),
 * FAULT_USER (no state file, damaged, empty, of a newer format, of another stack, read-only,
 * disk full, a folder, a network file system).
 * *ret is closed with ops->close(), which keeps a lease that was not ended: as death does.
 * But under STATE_WRITE begin, end, heartbeat and commit fail with FAULT_INTERNAL.
 */
__attribute__((warn_unused_result)) bool state_open(struct world *world, const char *path,
						    const struct state_options *options, struct slice stack_name,
						    struct store **ret, struct diagnostics *diagnostics);

#endif
