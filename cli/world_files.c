#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_TMPFILE */
#endif

#include "cli/world_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/memory.h"

enum {
	FIRST_READ_BYTES = 4096,
	FOLDER_NAMES_MOST = 1000000,
	TEMPORARY_NAME_BYTES = 32,
	MIB = 1024 * 1024,
};

/* A system error as its user meets it. */
struct reason {
	int number;
	enum fault fault;
	const char *words;
	const char *hint;
};

static const struct reason reasons[] = {
	{ENOENT, FAULT_ABSENT, "it, or a folder on the way to it, does not exist",
	 "check the spelling, and the folder the command runs in"},
	{ENOTDIR, FAULT_USER, "a part of its path is not a folder", "check the spelling of the path"},
	{EISDIR, FAULT_USER, "it is a folder", "name a file"},
	{ELOOP, FAULT_USER, "its links lead round in a circle", "name the file itself"},
	{ENAMETOOLONG, FAULT_USER, "its name is too long", "use a shorter name"},
	{EACCES, FAULT_USER, "permission denied", "look at the owner and mode of it and of its folder (ls -ld)"},
	{EPERM, FAULT_USER, "the system does not permit it", "look at the owner and attributes of it (ls -ld, lsattr)"},
	{EROFS, FAULT_USER, "the file system is read-only", "name a place that can be written"},
	{ENOSPC, FAULT_USER, "the disk is full", "free some space on that file system"},
	{EDQUOT, FAULT_USER, "the disk quota is used up", "free some space"},
	{EFBIG, FAULT_USER, "it would be larger than the limit for files", "raise the limit (ulimit -f)"},
	{EMFILE, FAULT_USER, "too many files are open", "raise the limit (ulimit -n)"},
	{ENFILE, FAULT_USER, "too many files are open on this machine", "run the command again later"},
	{EIO, FAULT_USER, "the disk does not work", "look at the system's log (dmesg)"},
	{ESTALE, FAULT_USER, "the network file system lost it", "run the command again"},
};

static bool fail(struct diagnostics *diagnostics, const char *what, const char *path, int error)
{
	for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
		if (reasons[i].number != error)
			continue;
		diag_error(diagnostics, reasons[i].fault, NOWHERE, "cannot %s '%s': %s", what, path, reasons[i].words);
		diag_hint(diagnostics, "%s", reasons[i].hint);
		return false;
	}
	return diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot %s '%s': %s", what, path, strerror(error));
}

const char *world_file_type(mode_t mode)
{
	static const struct {
		mode_t type;
		const char *words;
	} types[] = {
		{S_IFDIR, "a folder"}, {S_IFLNK, "a symbolic link"}, {S_IFIFO, "a pipe"},
		{S_IFCHR, "a device"}, {S_IFBLK, "a device"},	     {S_IFSOCK, "a socket"},
	};

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if ((mode & S_IFMT) == types[i].type)
			return types[i].words;
	return NULL;
}

static bool fail_other(struct diagnostics *diagnostics, const char *what, const char *path, const char *other)
{
	diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot %s '%s': it is %s", what, path, other);
	diag_hint(diagnostics, "name a regular file");
	return false;
}

static void close_file(const int *file)
{
	if (*file >= 0)
		close(*file);
}

#define FILE_AUTO __attribute__((cleanup(close_file))) int

/* Like read(), but goes on after a signal. */
static ssize_t read_some(int file, char *ret, size_t size)
{
	ssize_t count;

	do
		count = read(file, ret, size);
	while (count < 0 && errno == EINTR);
	return count;
}

/* Until the end or one byte past the limit, whatever the file's size was said to be. The
 * text is followed by a NUL that does not count. */
static bool read_whole(int file, struct arena *arena, size_t expected_bytes, size_t limit_bytes, struct slice *ret)
{
	size_t capacity = expected_bytes < FIRST_READ_BYTES ? FIRST_READ_BYTES : expected_bytes + 1;
	char *data;
	size_t size = 0;
	ssize_t count;

	if (capacity > limit_bytes)
		capacity = limit_bytes + 1;
	data = arena_get(arena, capacity + 1);
	while ((count = read_some(file, data + size, capacity - size)) > 0) {
		size += (size_t)count;
		if (size == capacity && capacity <= limit_bytes) {
			char *old = data;

			capacity = capacity > limit_bytes / 2 ? limit_bytes + 1 : capacity * 2;
			data = arena_get(arena, capacity + 1);
			memcpy(data, old, size);
		}
		if (size > limit_bytes)
			break;
	}
	if (count < 0)
		return false;
	*ret = (struct slice){data, size};
	return true;
}

bool world_read_file(struct world *world, struct arena *arena, const char *path, size_t limit_bytes, struct slice *ret,
		     struct diagnostics *diagnostics)
{
	/* Opening a pipe without O_NONBLOCK would wait for a writer. */
	FILE_AUTO file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	struct slice text;

	(void)world;
	if (file < 0 || fstat(file, &status) < 0)
		return fail(diagnostics, "read", path, errno);
	if (world_file_type(status.st_mode) != NULL)
		return fail_other(diagnostics, "read", path, world_file_type(status.st_mode));
	if (!read_whole(file, arena, status.st_size > 0 ? (size_t)status.st_size : 0, limit_bytes, &text))
		return fail(diagnostics, "read", path, errno);
	if (text.size > limit_bytes) {
		bool round = limit_bytes > 0 && limit_bytes % MIB == 0;

		diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot read '%s': it is larger than %zu %s", path,
			   round ? limit_bytes / MIB : limit_bytes, round ? "MiB" : "bytes");
		diag_hint(diagnostics, "check that this is the file you mean, or split it");
		return false;
	}
	*ret = text;
	return true;
}

static bool write_whole(int file, struct slice text)
{
	while (text.size > 0) {
		ssize_t count = write(file, text.data, text.size);

		if (count > 0)
			text = slice_from(text, (size_t)count);
		else if (count == 0 || errno != EINTR)
			return false;
	}
	return true;
}

/* Some file systems cannot sync a folder and say EINVAL; there is nothing more to do there. */
static bool sync_folder(int folder)
{
	return fsync(folder) == 0 || errno == EINVAL;
}

/* All that belongs into the file before it gets its name. */
static bool fill_file(int file, struct slice text, unsigned mode)
{
	return fchmod(file, (mode_t)mode) == 0 && write_whole(file, text) && fsync(file) == 0;
}

/* The folder a path is in, opened, and *ret_name where its last part begins. */
static int open_folder_of(const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	size_t size = slash != NULL ? (size_t)(slash - path) : 0;
	char *folder = memory_get(size + 2);
	int opened;

	if (slash == NULL)
		memcpy(folder, ".", 1);
	else
		memcpy(folder, path, size > 0 ? size : 1);
	opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*ret_name = slash != NULL ? slash + 1 : path;
	free(folder);
	return opened;
}

/* A name of its own, which whoever writes the same file again finds and removes. */
static void name_draft(const char *name, char ret[TEMPORARY_NAME_BYTES])
{
	struct digest digest = digest_of(slice_of(name));
	uint64_t number;

	memcpy(&number, digest.bytes, sizeof number);
	snprintf(ret, TEMPORARY_NAME_BYTES, ".trueup-%016llx", (unsigned long long)number);
}

/* open(2) has this way of linking a file that was opened with O_TMPFILE. */
static bool link_file(int file, int folder, const char *name)
{
	char path[TEMPORARY_NAME_BYTES];

	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	return linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW) == 0;
}

/* Has no name while it is filled: whoever is killed meanwhile leaves nothing. False where that cannot be had, too. */
static bool replace_unnamed(int folder, const char *name, struct slice text, unsigned mode)
{
	FILE_AUTO file = openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
	char draft[TEMPORARY_NAME_BYTES];

	if (file < 0 || !fill_file(file, text, mode))
		return false;
	if (link_file(file, folder, name))
		return true;
	/* Only a name can take the place of another. */
	name_draft(name, draft);
	unlinkat(folder, draft, 0);
	if (!link_file(file, folder, draft))
		return false;
	if (renameat(folder, draft, folder, name) == 0)
		return true;
	unlinkat(folder, draft, 0);
	return false;
}

/* For file systems that know no files without names; false with errno set. */
static bool replace_named(struct world *world, int folder, const char *name, struct slice text, unsigned mode)
{
	char temporary[TEMPORARY_NAME_BYTES];
	uint64_t number = 0;
	int file;
	int error = 0;

	world->random(world, &number, sizeof number);
	snprintf(temporary, sizeof temporary, ".trueup-%016llx", (unsigned long long)number);
	file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
	if (file < 0)
		return false;
	if (!fill_file(file, text, mode))
		error = errno;
	/* Network file systems report a full disk here. */
	if (close(file) < 0 && error == 0 && errno != EINTR)
		error = errno;
	if (error == 0 && renameat(folder, temporary, folder, name) < 0)
		error = errno;
	if (error != 0) {
		unlinkat(folder, temporary, 0);
		errno = error;
		return false;
	}
	return true;
}

/* Puts the text into place under name; false with errno set, and nothing left behind. */
static bool replace_file(struct world *world, int folder, const char *name, struct slice text, unsigned mode)
{
	return (replace_unnamed(folder, name, text, mode) || replace_named(world, folder, name, text, mode)) &&
	       sync_folder(folder);
}

bool world_write_file(struct world *world, const char *path, struct slice text, unsigned mode,
		      struct diagnostics *diagnostics)
{
	const char *name = NULL;
	FILE_AUTO folder = open_folder_of(path, &name);
	struct stat status;

	if (folder < 0)
		return fail(diagnostics, "write", path, errno);
	if (name[0] == '\0')
		return fail(diagnostics, "write", path, EISDIR);
	if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && world_file_type(status.st_mode) != NULL)
		return fail_other(diagnostics, "write", path, world_file_type(status.st_mode));
	if (!replace_file(world, folder, name, text, mode))
		return fail(diagnostics, "write", path, errno);
	return true;
}

bool world_can_write(const char *path, struct diagnostics *diagnostics)
{
	const char *name = NULL;
	FILE_AUTO folder = open_folder_of(path, &name);
	struct stat status;

	if (folder < 0 || faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) < 0 ||
	    (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) < 0 && name[0] != '\0' && errno != ENOENT))
		return fail(diagnostics, "write", path, errno);
	return name[0] != '\0' || fail(diagnostics, "write", path, EISDIR);
}

struct names {
	struct slice *items; /* owned */
	size_t count;
	size_t capacity;
};

static void release_names(struct names *names)
{
	free(names->items);
}

static void add_name(struct names *names, struct slice name)
{
	names->items = memory_room(names->items, names->count, &names->capacity, sizeof(*names->items));
	names->items[names->count++] = name;
}

static void close_folder(DIR **folder)
{
	if (*folder != NULL)
		closedir(*folder);
}

bool world_list_folder(struct world *world, struct arena *arena, const char *path, struct slice **ret_names,
		       size_t *ret_count, struct diagnostics *diagnostics)
{
	__attribute__((cleanup(close_folder))) DIR *folder = opendir(path);
	__attribute__((cleanup(release_names))) struct names names = {NULL, 0, 0};
	struct dirent *entry;

	(void)world;
	if (folder == NULL)
		return fail(diagnostics, "list", path, errno);
	while (errno = 0, (entry = readdir(folder)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (names.count == FOLDER_NAMES_MOST)
			return diag_error(diagnostics, FAULT_USER, NOWHERE,
					  "cannot list '%s': it holds more than %d files", path, FOLDER_NAMES_MOST);
		add_name(&names, arena_copy(arena, slice_of(entry->d_name)));
	}
	if (errno != 0)
		return fail(diagnostics, "list", path, errno);
	if (names.count > 1)
		qsort(names.items, names.count, sizeof names.items[0], slice_order);
	*ret_names = arena_new_array(arena, names.count, struct slice);
	if (names.count > 0)
		memcpy(*ret_names, names.items, names.count * sizeof names.items[0]);
	*ret_count = names.count;
	return true;
}

/* Where the folder above may not be read it cannot be synced either, and nothing is left to do. */
static bool sync_name(const char *path)
{
	const char *name;
	FILE_AUTO folder = open_folder_of(path, &name);

	return folder < 0 ? errno == EACCES : sync_folder(folder);
}

bool world_make_folder(struct world *world, const char *path, unsigned mode, struct diagnostics *diagnostics)
{
	struct stat status;

	(void)world;
	if (mkdir(path, (mode_t)mode) == 0)
		/* A umask may have taken from the mode what its owner needs. */
		return (chmod(path, (mode_t)mode) == 0 && sync_name(path)) ||
		       fail(diagnostics, "make the folder", path, errno);
	if (errno != EEXIST)
		return fail(diagnostics, "make the folder", path, errno);
	if (stat(path, &status) < 0)
		return fail(diagnostics, "make the folder", path, errno);
	if (!S_ISDIR(status.st_mode)) {
		diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot make the folder '%s': a file has that name", path);
		diag_hint(diagnostics, "move the file away, or choose another folder");
		return false;
	}
	return true;
}

bool world_check_private(struct world *world, const char *path, unsigned forbidden, struct diagnostics *diagnostics)
{
	struct stat status;

	(void)world;
	if (stat(path, &status) < 0)
		return fail(diagnostics, "look at", path, errno);
	if (status.st_uid != geteuid()) {
		diag_error(diagnostics, FAULT_USER, NOWHERE, "'%s' belongs to another user", path);
		diag_hint(diagnostics, "whoever owns it can change it: make it yours (chown), or use another");
		return false;
	}
	if ((status.st_mode & forbidden) != 0) {
		diag_error(diagnostics, FAULT_USER, NOWHERE, "'%s' is open to other users (mode %03o)", path,
			   (unsigned)(status.st_mode & 0777));
		diag_hint(diagnostics, "chmod go-rwx '%s', and ask who could read it until now", path);
		return false;
	}
	return true;
}

bool world_remove_file(struct world *world, const char *path, struct diagnostics *diagnostics)
{
	(void)world;
	return unlink(path) == 0 || fail(diagnostics, "remove", path, errno);
}
