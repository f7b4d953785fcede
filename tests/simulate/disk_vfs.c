#include "tests/simulate/disk_vfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/simulate/disk_locks.h"

enum { PATH_MOST_BYTES = 512 };

static struct disk_access *access_of(sqlite3_vfs *vfs)
{
	return vfs->pAppData;
}

static struct disk_handle *handle_of(sqlite3_file *base)
{
	return (struct disk_handle *)(void *)base;
}

static enum disk_outcome ask(struct disk_access *access, enum disk_step step, const char *path)
{
	return access->ask ? access->ask(access, step, path) : DISK_DONE;
}

static int on_close(sqlite3_file *base)
{
	struct disk_handle *handle = handle_of(base);

	disk_locks_end(handle);
	for (struct disk_handle **link = &handle->file->handles; *link; link = &(*link)->next) {
		if (*link == handle) {
			*link = handle->next;
			break;
		}
	}
	if (handle->removed_on_close && handle->path.size > 0 && !handle->access->dead)
		disk_remove(handle->access->disk, handle->path);
	handle->access->open_count--;
	return SQLITE_OK;
}

static int on_read(sqlite3_file *base, void *ret, int size, sqlite3_int64 offset)
{
	const struct disk_handle *handle = handle_of(base);
	size_t count = disk_read(handle->file, (size_t)offset, ret, (size_t)size);

	if (count == (size_t)size)
		return SQLITE_OK;
	memset((char *)ret + count, 0, (size_t)size - count);
	return SQLITE_IOERR_SHORT_READ;
}

static int on_write(sqlite3_file *base, const void *bytes, int size, sqlite3_int64 offset)
{
	struct disk_handle *handle = handle_of(base);
	enum disk_outcome outcome = ask(handle->access, DISK_STEP_WRITE, handle->path.data);

	if (outcome == DISK_DONE)
		disk_write(handle->file, (size_t)offset, bytes, (size_t)size);
	if (outcome == DISK_SHORT || outcome == DISK_FULL)
		disk_write(handle->file, (size_t)offset, bytes, (size_t)size / 2);
	if (outcome == DISK_DONE)
		return SQLITE_OK;
	return outcome == DISK_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

static int on_truncate(sqlite3_file *base, sqlite3_int64 size)
{
	struct disk_handle *handle = handle_of(base);

	if (ask(handle->access, DISK_STEP_TRUNCATE, handle->path.data) != DISK_DONE)
		return SQLITE_IOERR_TRUNCATE;
	disk_truncate(handle->file, (size_t)size);
	return SQLITE_OK;
}

static int on_sync(sqlite3_file *base, int flags)
{
	struct disk_handle *handle = handle_of(base);

	(void)flags;
	if (ask(handle->access, DISK_STEP_SYNC, handle->path.data) != DISK_DONE)
		return SQLITE_IOERR_FSYNC;
	disk_sync(handle->file);
	if (!handle->folder_synced && handle->path.size > 0)
		disk_sync_folder_of(handle->access->disk, handle->path);
	handle->folder_synced = true;
	return SQLITE_OK;
}

static int on_file_size(sqlite3_file *base, sqlite3_int64 *ret)
{
	*ret = (sqlite3_int64)handle_of(base)->file->size;
	return SQLITE_OK;
}

static int on_file_control(sqlite3_file *base, int operation, void *argument)
{
	(void)base;
	(void)operation;
	(void)argument;
	return SQLITE_NOTFOUND;
}

static int on_sector_size(sqlite3_file *base)
{
	(void)base;
	return DISK_SECTOR_BYTES;
}

/* As SQLite's own has it: a torn write leaves the bytes beside it alone, and promises no more. */
static int on_characteristics(sqlite3_file *base)
{
	(void)base;
	return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
	.iVersion = 2,
	.xClose = on_close,
	.xRead = on_read,
	.xWrite = on_write,
	.xTruncate = on_truncate,
	.xSync = on_sync,
	.xFileSize = on_file_size,
	.xLock = disk_lock,
	.xUnlock = disk_unlock,
	.xCheckReservedLock = disk_check_reserved,
	.xFileControl = on_file_control,
	.xSectorSize = on_sector_size,
	.xDeviceCharacteristics = on_characteristics,
	.xShmMap = disk_shared_map,
	.xShmLock = disk_shared_lock,
	.xShmBarrier = disk_shared_barrier,
	.xShmUnmap = disk_shared_unmap,
};

static int find_or_create(struct disk_access *access, const char *path, int flags, struct disk_file **ret)
{
	struct slice name = slice_of(path);

	*ret = path ? disk_find(access->disk, name) : NULL;
	if (*ret)
		return (*ret)->is_folder ? SQLITE_CANTOPEN : SQLITE_OK;
	if (!(flags & SQLITE_OPEN_CREATE) || ask(access, DISK_STEP_CREATE, path) != DISK_DONE)
		return SQLITE_CANTOPEN;
	*ret = path ? disk_create(access->disk, name) : disk_create_unnamed(access->disk);
	return SQLITE_OK;
}

/* As SQLite's own has it (unixOpen): with the first sync of a journal or log that may have been made, by whomever. */
static bool syncs_folder(int flags)
{
	return (flags & SQLITE_OPEN_CREATE) &&
	       (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL));
}

static int on_open(sqlite3_vfs *vfs, sqlite3_filename path, sqlite3_file *base, int flags, int *ret_flags)
{
	struct disk_access *access = access_of(vfs);
	struct disk_handle *handle = handle_of(base);
	struct disk_file *file;
	int code = find_or_create(access, path, flags, &file);

	*handle = (struct disk_handle){0};
	if (code != SQLITE_OK)
		return code;
	*handle = (struct disk_handle){
		.base = {&methods},
		.access = access,
		.file = file,
		.path = slice_of(path),
		.removed_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0,
		.folder_synced = !syncs_folder(flags),
		.next = file->handles,
	};
	file->handles = handle;
	access->open_count++;
	if (ret_flags)
		*ret_flags = flags;
	return SQLITE_OK;
}

static int on_delete(sqlite3_vfs *vfs, const char *path, int sync_folder)
{
	struct disk_access *access = access_of(vfs);

	if (!disk_find(access->disk, slice_of(path)))
		return SQLITE_IOERR_DELETE_NOENT;
	if (ask(access, DISK_STEP_REMOVE, path) != DISK_DONE)
		return SQLITE_IOERR_DELETE;
	disk_remove(access->disk, slice_of(path));
	if (!sync_folder)
		return SQLITE_OK;
	if (ask(access, DISK_STEP_SYNC, path) != DISK_DONE)
		return SQLITE_IOERR_DIR_FSYNC;
	disk_sync_folder_of(access->disk, slice_of(path));
	return SQLITE_OK;
}

static int on_access(sqlite3_vfs *vfs, const char *path, int flags, int *ret)
{
	const struct disk_file *file = disk_find(access_of(vfs)->disk, slice_of(path));

	/* SQLite takes an empty journal for none. */
	*ret = file && (flags != SQLITE_ACCESS_EXISTS || file->size > 0 || file->is_folder);
	return SQLITE_OK;
}

static int on_full_path(sqlite3_vfs *vfs, const char *path, int size, char *ret)
{
	(void)vfs;
	return snprintf(ret, (size_t)size, "%s", path) < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

static int on_randomness(sqlite3_vfs *vfs, int size, char *ret)
{
	struct disk_access *access = access_of(vfs);

	access->random(access, ret, (size_t)size);
	return size;
}

static int on_sleep(sqlite3_vfs *vfs, int microseconds)
{
	struct disk_access *access = access_of(vfs);

	access->sleep(access, (microseconds + 999) / 1000);
	return microseconds;
}

static int on_current_time(sqlite3_vfs *vfs, sqlite3_int64 *ret)
{
	struct disk_access *access = access_of(vfs);

	/* Milliseconds of the Julian day at 1970-01-01. */
	*ret = INT64_C(210866760000000) + access->wall_ms(access);
	return SQLITE_OK;
}

static int on_current_day(sqlite3_vfs *vfs, double *ret)
{
	sqlite3_int64 now_ms = 0;
	int code = on_current_time(vfs, &now_ms);

	*ret = (double)now_ms / 86400000.0;
	return code;
}

static int on_last_error(sqlite3_vfs *vfs, int size, char *ret)
{
	(void)vfs;
	if (size > 0)
		ret[0] = '\0';
	return 0;
}

void disk_vfs_register(struct disk_access *access)
{
	access->vfs = (sqlite3_vfs){
		.iVersion = 2,
		.szOsFile = (int)sizeof(struct disk_handle),
		.mxPathname = PATH_MOST_BYTES,
		.zName = access->name,
		.pAppData = access,
		.xOpen = on_open,
		.xDelete = on_delete,
		.xAccess = on_access,
		.xFullPathname = on_full_path,
		.xRandomness = on_randomness,
		.xSleep = on_sleep,
		.xCurrentTime = on_current_day,
		.xCurrentTimeInt64 = on_current_time,
		.xGetLastError = on_last_error,
	};
	sqlite3_vfs_register(&access->vfs, 0);
}

void disk_vfs_unregister(struct disk_access *access)
{
	sqlite3_vfs_unregister(&access->vfs);
}
