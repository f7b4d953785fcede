#include "tests/simulate/disk.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The largest is a log, which each run makes anew, of some hundred KB: nothing is copied while it grows. What is not
 * written takes no time. */
enum { FIRST_BYTES = 512 * 1024, LARGER = 4 };

void disk_init(struct disk *disk)
{
	*disk = (struct disk){0};
}

static void forget_undos(struct disk_file *file)
{
	for (size_t i = 0; i < file->undo_count; i++)
		free(file->undos[i].old);
	file->undo_count = 0;
}

void disk_release(struct disk *disk)
{
	while (disk->files) {
		struct disk_file *file = disk->files;

		disk->files = file->next;
		forget_undos(file);
		for (size_t i = 0; i < file->region_count; i++)
			free(file->regions[i]);
		free(file->regions);
		free(file->undos);
		free(file->bytes);
		free(file);
	}
	for (size_t i = 0; i < disk->name_count; i++)
		free(disk->names[i].path);
	free(disk->names);
}

static struct disk_name *find_name(const struct disk *disk, struct slice path)
{
	for (size_t i = 0; i < disk->name_count; i++)
		if (slice_is(path, disk->names[i].path))
			return &disk->names[i];
	return NULL;
}

static struct disk_name *need_name(struct disk *disk, struct slice path)
{
	struct disk_name *name = find_name(disk, path);

	if (name)
		return name;
	disk->names = memory_room(disk->names, disk->name_count, &disk->name_capacity, sizeof(*disk->names));
	name = &disk->names[disk->name_count++];
	*name = (struct disk_name){.path = memory_get(path.size + 1)};
	memcpy(name->path, path.data, path.size);
	return name;
}

struct disk_file *disk_find(const struct disk *disk, struct slice path)
{
	const struct disk_name *name = find_name(disk, path);

	return name ? name->written : NULL;
}

struct disk_file *disk_create_unnamed(struct disk *disk)
{
	struct disk_file *file = memory_get(sizeof(*file));

	file->next = disk->files;
	disk->files = file;
	return file;
}

struct disk_file *disk_create(struct disk *disk, struct slice path)
{
	struct disk_file *file = disk_create_unnamed(disk);

	need_name(disk, path)->written = file;
	return file;
}

size_t disk_name_offset(struct slice path)
{
	size_t at = path.size;

	while (at > 0 && path.data[at - 1] != '/')
		at--;
	return at;
}

bool disk_make_folder(struct disk *disk, struct slice path)
{
	size_t at = disk_name_offset(path);

	if (at > 1 && !disk_find(disk, slice_first(path, at - 1)))
		return false;
	disk_create(disk, path)->is_folder = true;
	return true;
}

void disk_remove(struct disk *disk, struct slice path)
{
	struct disk_name *name = find_name(disk, path);

	if (name)
		name->written = NULL;
}

void disk_rename(struct disk *disk, struct slice from, struct slice to)
{
	struct disk_file *file = disk_find(disk, from);

	need_name(disk, to)->written = file;
	disk_remove(disk, from);
}

void disk_sync_folder_of(struct disk *disk, struct slice path)
{
	size_t at = disk_name_offset(path);

	for (size_t i = 0; i < disk->name_count; i++) {
		struct disk_name *name = &disk->names[i];
		struct slice other = slice_of(name->path);

		if (disk_name_offset(other) == at && slice_equal(slice_first(other, at), slice_first(path, at)))
			name->synced = name->written;
	}
}

static void reserve(struct disk_file *file, size_t size)
{
	size_t capacity = file->capacity ? file->capacity : FIRST_BYTES;

	while (capacity < size)
		capacity *= LARGER;
	if (capacity == file->capacity)
		return;
	file->bytes = memory_resize(file->bytes, capacity);
	file->capacity = capacity;
}

/* Remembers what stands at a place that is about to change. */
static void remember(struct disk_file *file, size_t offset, size_t size)
{
	size_t count = offset < file->size ? file->size - offset : 0;
	struct disk_undo *undo;

	if (count > size)
		count = size;
	file->undos = memory_room(file->undos, file->undo_count, &file->undo_capacity, sizeof(*file->undos));
	undo = &file->undos[file->undo_count++];
	*undo = (struct disk_undo){.offset = offset, .size = size, .old_size = file->size, .old_count = count};
	if (count == 0)
		return;
	undo->old = memory_raw(count);
	memcpy(undo->old, file->bytes + offset, count);
}

void disk_write(struct disk_file *file, size_t offset, const void *bytes, size_t size)
{
	if (size == 0)
		return;
	file->writes++;
	remember(file, offset, size);
	reserve(file, offset + size);
	if (offset > file->size)
		memset(file->bytes + file->size, 0, offset - file->size);
	memcpy(file->bytes + offset, bytes, size);
	if (offset + size > file->size)
		file->size = offset + size;
}

size_t disk_read(const struct disk_file *file, size_t offset, void *ret, size_t size)
{
	size_t count = offset < file->size ? file->size - offset : 0;

	if (count > size)
		count = size;
	if (count > 0)
		memcpy(ret, file->bytes + offset, count);
	return count;
}

void disk_truncate(struct disk_file *file, size_t size)
{
	if (size >= file->size)
		return;
	file->writes++;
	remember(file, size, file->size - size);
	file->size = size;
}

void disk_sync(struct disk_file *file)
{
	forget_undos(file);
}

bool disk_is_synced(const struct disk_file *file)
{
	return file->undo_count == 0;
}

/* Which sectors have a newer write that came through. */
struct kept {
	bool *sectors; /* owned */
	size_t count;
};

static bool is_kept(const struct kept *kept, size_t sector)
{
	return sector < kept->count && kept->sectors[sector];
}

static void keep(struct kept *kept, size_t sector)
{
	if (sector >= kept->count) {
		size_t count = (sector + 1) * 2;

		kept->sectors = memory_resize(kept->sectors, count * sizeof(bool));
		memset(kept->sectors + kept->count, 0, (count - kept->count) * sizeof(bool));
		kept->count = count;
	}
	kept->sectors[sector] = true;
}

/* Puts back what an undo holds of one sector. */
static void take_back(struct disk_file *file, const struct disk_undo *undo, size_t sector)
{
	size_t begin = sector * DISK_SECTOR_BYTES, end = begin + DISK_SECTOR_BYTES;

	if (begin < undo->offset)
		begin = undo->offset;
	if (end > undo->offset + undo->size)
		end = undo->offset + undo->size;
	for (size_t at = begin; at < end; at++)
		file->bytes[at] = at - undo->offset < undo->old_count ? undo->old[at - undo->offset] : 0;
}

/* Newest first: a sector whose newer write came through has nothing of the older ones. */
static void lose_writes(struct disk_file *file, struct chance *chance)
{
	struct kept kept = {NULL, 0};
	size_t least = file->undo_count > 0 ? file->undos[0].old_size : file->size, most = file->size;

	for (size_t i = 0; i < file->undo_count; i++) {
		size_t end = file->undos[i].offset + file->undos[i].old_count;

		if (file->undos[i].old_size > most)
			most = file->undos[i].old_size;
		most = end > most ? end : most;
	}
	file->writes++;
	reserve(file, most);
	if (most > file->size)
		memset(file->bytes + file->size, 0, most - file->size);
	for (size_t i = file->undo_count; i-- > 0;) {
		const struct disk_undo *undo = &file->undos[i];
		size_t last = (undo->offset + undo->size - 1) / DISK_SECTOR_BYTES;

		for (size_t sector = undo->offset / DISK_SECTOR_BYTES; sector <= last; sector++) {
			if (is_kept(&kept, sector))
				continue;
			if (chance_one_in(chance, 2))
				keep(&kept, sector);
			else
				take_back(file, undo, sector);
		}
	}
	/* The length is as old, as new, or between. */
	if (file->undo_count > 0)
		file->size = (size_t)chance_between(chance, (int64_t)(least < file->size ? least : file->size),
						    (int64_t)(least < file->size ? file->size : least));
	free(kept.sectors);
	forget_undos(file);
}

void disk_lose_power(struct disk *disk, struct chance *chance)
{
	for (size_t i = 0; i < disk->name_count; i++) {
		struct disk_name *name = &disk->names[i];

		if (name->written != name->synced && chance_one_in(chance, 2))
			name->written = name->synced;
		name->synced = name->written;
	}
	for (struct disk_file *file = disk->files; file; file = file->next)
		lose_writes(file, chance);
}

const char *disk_search(const struct disk *disk, struct slice text)
{
	for (size_t i = 0; i < disk->name_count; i++) {
		const struct disk_file *file = disk->names[i].written;

		if (file && slice_contains((struct slice){file->bytes, file->size}, text))
			return disk->names[i].path;
	}
	return NULL;
}
