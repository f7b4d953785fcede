#include "tests/simulate/disk_locks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static struct disk_handle *handle_of(sqlite3_file *base)
{
	return (struct disk_handle *)(void *)base;
}

/* Whether another handle holds at least that lock. */
static bool others_hold(const struct disk_handle *handle, int level)
{
	for (const struct disk_handle *each = handle->file->handles; each; each = each->next)
		if (each != handle && each->lock >= level)
			return true;
	return false;
}

/* https://sqlite.org/lockingv3.html */
int disk_lock(sqlite3_file *base, int level)
{
	struct disk_handle *handle = handle_of(base);

	if (handle->access->dead)
		return SQLITE_IOERR_LOCK;
	if (handle->access->observer)
		return level > SQLITE_LOCK_SHARED ? SQLITE_BUSY : SQLITE_OK;
	if (handle->lock >= level)
		return SQLITE_OK;
	if (level == SQLITE_LOCK_SHARED && others_hold(handle, SQLITE_LOCK_PENDING))
		return SQLITE_BUSY;
	if (level > SQLITE_LOCK_SHARED && others_hold(handle, SQLITE_LOCK_RESERVED))
		return SQLITE_BUSY;
	if (level == SQLITE_LOCK_EXCLUSIVE && others_hold(handle, SQLITE_LOCK_SHARED)) {
		handle->lock = SQLITE_LOCK_PENDING;
		return SQLITE_BUSY;
	}
	handle->lock = level;
	return SQLITE_OK;
}

int disk_unlock(sqlite3_file *base, int level)
{
	struct disk_handle *handle = handle_of(base);

	if (handle->lock > level)
		handle->lock = level;
	return SQLITE_OK;
}

int disk_check_reserved(sqlite3_file *base, int *ret)
{
	const struct disk_handle *handle = handle_of(base);

	*ret = handle->lock >= SQLITE_LOCK_RESERVED || others_hold(handle, SQLITE_LOCK_RESERVED);
	return SQLITE_OK;
}

int disk_shared_map(sqlite3_file *base, int region, int size, int extend, void volatile **ret)
{
	struct disk_handle *handle = handle_of(base);
	struct disk_file *file = handle->file;

	if (!handle->mapped) {
		handle->mapped = true;
		file->mapped++;
	}
	*ret = NULL;
	while (extend && file->region_count <= (size_t)region) {
		file->regions = memory_resize(file->regions, (file->region_count + 1) * sizeof(void *));
		file->regions[file->region_count++] = memory_get((size_t)size);
	}
	if ((size_t)region < file->region_count)
		*ret = file->regions[region];
	return SQLITE_OK;
}

/* The system may refuse any lock, as where it has none left (ENOLCK in fcntl(2)). */
static bool is_granted(const struct disk_handle *handle)
{
	struct disk_access *access = handle->access;

	return !access->ask || access->ask(access, DISK_STEP_LOCK, handle->path.data) == DISK_DONE;
}

int disk_shared_lock(sqlite3_file *base, int offset, int count, int flags)
{
	struct disk_handle *handle = handle_of(base);
	unsigned bits = ((1u << count) - 1) << offset;

	if (handle->access->observer)
		return SQLITE_OK;
	if (flags & SQLITE_SHM_UNLOCK) {
		handle->shared &= ~bits;
		handle->exclusive &= ~bits;
		return SQLITE_OK;
	}
	if (handle->access->dead || !is_granted(handle))
		return SQLITE_IOERR_SHMLOCK;
	for (const struct disk_handle *each = handle->file->handles; each; each = each->next)
		if (each != handle &&
		    ((each->exclusive & bits) || ((flags & SQLITE_SHM_EXCLUSIVE) && (each->shared & bits))))
			return SQLITE_BUSY;
	if (flags & SQLITE_SHM_EXCLUSIVE)
		handle->exclusive |= bits;
	else
		handle->shared |= bits;
	return SQLITE_OK;
}

void disk_shared_barrier(sqlite3_file *base)
{
	(void)base;
	__sync_synchronize();
}

/* The last to leave takes it away: the next one to come would begin it anew anyway. */
int disk_shared_unmap(sqlite3_file *base, int remove)
{
	struct disk_handle *handle = handle_of(base);
	struct disk_file *file = handle->file;

	(void)remove;
	if (!handle->mapped)
		return SQLITE_OK;
	handle->mapped = false;
	handle->shared = handle->exclusive = 0;
	if (--file->mapped > 0)
		return SQLITE_OK;
	for (size_t i = 0; i < file->region_count; i++)
		free(file->regions[i]);
	file->region_count = 0;
	return SQLITE_OK;
}

void disk_locks_end(struct disk_handle *handle)
{
	(void)disk_shared_unmap(&handle->base, 0);
	handle->lock = SQLITE_LOCK_NONE;
	handle->shared = handle->exclusive = 0;
}

void disk_vfs_die(struct disk_access *access)
{
	access->dead = true;
	for (struct disk_file *file = access->disk->files; file; file = file->next) {
		for (struct disk_handle *each = file->handles; each; each = each->next) {
			if (each->access != access)
				continue;
			each->lock = SQLITE_LOCK_NONE;
			each->shared = each->exclusive = 0;
		}
	}
}
