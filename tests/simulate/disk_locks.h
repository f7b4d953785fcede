#ifndef TRUEUP_TESTS_SIMULATE_DISK_LOCKS_H
#define TRUEUP_TESTS_SIMULATE_DISK_LOCKS_H

#include "tests/simulate/disk_vfs.h"

/* Locks and shared memory of files on a disk in memory: methods of SQLite's files. */

int disk_lock(sqlite3_file *base, int level);
int disk_unlock(sqlite3_file *base, int level);
int disk_check_reserved(sqlite3_file *base, int *ret);
int disk_shared_map(sqlite3_file *base, int region, int size, int extend, void volatile **ret);
int disk_shared_lock(sqlite3_file *base, int offset, int count, int flags);
void disk_shared_barrier(sqlite3_file *base);
int disk_shared_unmap(sqlite3_file *base, int remove);
/* Gives up all that a handle holds. */
void disk_locks_end(struct disk_handle *handle);

#endif
