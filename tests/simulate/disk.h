#ifndef TRUEUP_TESTS_SIMULATE_DISK_H
#define TRUEUP_TESTS_SIMULATE_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "tests/simulate/chance.h"

/*
 * A disk in memory. What is written is there at once for every process, and outlasts the
 * death of the one that wrote it; what is synced outlasts a loss of power too. Of what was
 * not synced a loss of power keeps some, sector by sector. The same holds for names: made,
 * renamed and removed ones are certain only once their folder is synced.
 */

enum {
	DISK_SECTOR_BYTES = 512,
	DISK_SHARED_LOCKS = 8, /* of SQLite's shared memory */
};

/* What was at a place before a write that is not synced yet. */
struct disk_undo {
	size_t offset;
	size_t size;	 /* bytes that the write touched */
	size_t old_size; /* of the file, before */
	char *old;	 /* owned: the bytes from offset on that were there, at most size */
	size_t old_count;
};

struct disk_file {
	struct disk_file *next; /* of all files */
	bool is_folder;
	char *bytes; /* owned */
	size_t size, capacity;
	uint64_t writes;	 /* how often it was changed */
	struct disk_undo *undos; /* owned; oldest first */
	size_t undo_count, undo_capacity;
	/* Of SQLite's: memory that its processes share while one of them has the file open. */
	void **regions; /* owned */
	size_t region_count;
	unsigned mapped; /* handles that have it */
	struct disk_handle *handles;
};

/* A name: what it means now, and what it would mean after a loss of power. */
struct disk_name {
	char *path; /* owned */
	struct disk_file *written;
	struct disk_file *synced;
};

struct disk {
	struct disk_file *files;
	struct disk_name *names; /* owned */
	size_t name_count, name_capacity;
};

void disk_init(struct disk *disk);
void disk_release(struct disk *disk);

/* NULL where there is none. */
struct disk_file *disk_find(const struct disk *disk, struct slice path);
/* Empty, replacing what has the name. */
struct disk_file *disk_create(struct disk *disk, struct slice path);
/* One without a name. */
struct disk_file *disk_create_unnamed(struct disk *disk);
/* A folder; false where its own folder is missing. */
bool disk_make_folder(struct disk *disk, struct slice path);
void disk_remove(struct disk *disk, struct slice path);
void disk_rename(struct disk *disk, struct slice from, struct slice to);
/* Makes certain which names are in the folder that path lies in. */
void disk_sync_folder_of(struct disk *disk, struct slice path);
/* Where path's last part begins. */
size_t disk_name_offset(struct slice path);

void disk_write(struct disk_file *file, size_t offset, const void *bytes, size_t size);
/* Bytes read; fewer than size at the end. */
size_t disk_read(const struct disk_file *file, size_t offset, void *ret, size_t size);
void disk_truncate(struct disk_file *file, size_t size);
void disk_sync(struct disk_file *file);
bool disk_is_synced(const struct disk_file *file);

/* Everything that is not synced comes through or does not, as chance has it. No handle is open any more. */
void disk_lose_power(struct disk *disk, struct chance *chance);
/* Whether text stands in any file that has a name, and in which; NULL: in none. */
const char *disk_search(const struct disk *disk, struct slice text);

#endif
