#ifndef TRUEUP_TESTS_SIMULATE_DISK_VFS_H
#define TRUEUP_TESTS_SIMULATE_DISK_VFS_H

#include <sqlite3.h>
#include <stdbool.h>

#include "tests/simulate/disk.h"

/*
 * SQLite's way to a disk in memory: one for each process, under a name of its own, because
 * locks belong to processes and end with them.
 */

/* What a process is about to do to the disk. */
enum disk_step {
	DISK_STEP_CREATE,
	DISK_STEP_WRITE,
	DISK_STEP_TRUNCATE,
	DISK_STEP_SYNC,
	DISK_STEP_REMOVE,
	DISK_STEP_RENAME,
	DISK_STEP_LOCK, /* of SQLite's shared memory */
	DISK_STEP_COUNT,
};

/* And what becomes of it. */
enum disk_outcome {
	DISK_DONE,
	DISK_FULL,    /* nothing of it, or of a write its first half */
	DISK_ERROR,   /* nothing of it */
	DISK_SHORT,   /* the first half of a write, and an error */
	DISK_NOTHING, /* the process is dead: no effect at all, and an error */
};

struct disk_access {
	struct disk *disk;
	struct sqlite3_vfs vfs; /* SQLite's; .zName names it */
	char name[32];
	/* Asked before each step; NULL: every step is done. */
	enum disk_outcome (*ask)(struct disk_access *access, enum disk_step step, const char *path);
	void (*random)(struct disk_access *access, void *bytes, size_t size);
	int64_t (*wall_ms)(struct disk_access *access);
	void (*sleep)(struct disk_access *access, int64_t ms);
	void *context;
	bool dead;     /* takes no lock any more */
	bool observer; /* takes no lock ever, and is seen by nobody; only reads */
	size_t open_count;
};

/* One open file; SQLite's sqlite3_file is its first member. */
struct disk_handle {
	sqlite3_file base;
	struct disk_handle *next; /* of the same file */
	struct disk_access *access;
	struct disk_file *file;
	struct slice path; /* borrowed from SQLite; empty: none */
	bool removed_on_close;
	bool folder_synced; /* of a new journal, with its first sync, as SQLite's own does */
	bool mapped;
	int lock;		    /* SQLITE_LOCK_... */
	unsigned shared, exclusive; /* bits of locks of the shared memory */
};

/* Fills in access->vfs and tells SQLite; the rest of access is set. */
void disk_vfs_register(struct disk_access *access);
void disk_vfs_unregister(struct disk_access *access);
/* Ends every lock of the process, as death does. */
void disk_vfs_die(struct disk_access *access);

#endif
