#include "state/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
	/* Longer than the kernel's coarse clock stands still, by which it stamps files. */
	SETTLED_MS = 30,
	SETTLED_TRIES = 10,
	/* https://www.sqlite.org/fileformat2.html#walformat */
	LOG_HEADER_BYTES = 32,
	NUMBER_DIGITS = 16,
	/* Nobody takes so long to fill a file. */
	LEFT_BEHIND_S = 60 * 60,
};

/* Of a temporary file, and of those that SQLite puts beside it. */
static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};

#define TEMPORARY_MARK ".new-"

/*
 * Numbers from statfs(2) and linux/magic.h; those of BeeGFS, PanFS, ACFS, IBRIX, SNFS and Parallels from human_fstype()
 * in coreutils' src/stat.c.
 */
struct network {
	uint32_t magic;
	const char *name;
};

static const struct network networks[] = {
	{0x00006969, "NFS"},
	{0xff534d42, "CIFS"},
	{0xfe534d42, "SMB"},
	{0x0000517b, "SMB"},
	{0x01021997, "9P"},
	{0x65735546, "FUSE"},
	{0x00c36400, "Ceph"},
	{0x5346414f, "AFS"},
	{0x6b414653, "AFS"},
	{0x73757245, "Coda"},
	{0x0000564c, "NCP"},
	{0x0bd00bd0, "Lustre"},
	{0x01161970, "GFS2"},
	{0x7461636f, "OCFS2"},
	{0x20030528, "OrangeFS"},
	{0x47504653, "GPFS"},
	{0x19830326, "BeeGFS"},
	{0xaad7aaea, "PanFS"},
	{0x61636673, "ACFS"},
	{0x013111a8, "IBRIX"},
	{0xbeefdead, "SNFS"},
	{0x786f4256, "VirtualBox shared folder"},
	{0xbacbacbc, "VMware shared folder"},
	{0x7c7c6673, "Parallels shared folder"},
};

static bool fail(const char *doing, const char *path, int error, struct diagnostics *diagnostics)
{
	diag_error(diagnostics, error == ENOENT ? FAULT_ABSENT : FAULT_USER, NOWHERE, "cannot %s '%s': %s", doing, path,
		   strerror(error));
	diag_hint(diagnostics, "look at it and its folder (ls -ld)");
	return false;
}

/* The folder that path lies in, in arena. */
static const char *folder_of(const char *path, struct arena *arena)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return ".";
	return slash == path ? "/" : arena_string(arena, (struct slice){path, (size_t)(slash - path)});
}

/* What has the folder's name and is none. */
static bool refuse_folder(const char *path, const char *folder, mode_t mode, struct diagnostics *diagnostics)
{
	diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot open the state file '%s': '%s' is %s, and no folder", path,
		   folder, S_ISREG(mode) ? "a file" : "something else");
	diag_hint(diagnostics, "move it away: a folder of that name is made where there is none");
	return false;
}

/* There is no file of that name, for a reason other than that nobody made one. */
static bool fail_to_look(const char *path, int error, struct diagnostics *diagnostics)
{
	const char *folder = folder_of(path, diagnostics->arena);
	struct stat status;

	if (error == ENOTDIR && stat(folder, &status) == 0)
		return refuse_folder(path, folder, status.st_mode, diagnostics);
	return fail("open the state file", path, error, diagnostics);
}

bool place_look(const char *path, bool *ret_there, struct diagnostics *diagnostics)
{
	struct stat status;
	bool dangling = lstat(path, &status) == 0;

	if (stat(path, &status) < 0) {
		if (errno != ENOENT)
			return fail_to_look(path, errno, diagnostics);
		if (dangling)
			return diag_error(diagnostics, FAULT_USER, NOWHERE,
					  "cannot open the state file '%s': it is a link to a file that does not exist",
					  path);
		*ret_there = false;
		return true;
	}
	if (!S_ISREG(status.st_mode)) {
		diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot open the state file '%s': it is %s", path,
			   S_ISDIR(status.st_mode) ? "a folder" : "no regular file");
		diag_hint(diagnostics, "move it away: a file of that name is made where there is none");
		return false;
	}
	if (status.st_size == 0) {
		diag_error(diagnostics, FAULT_USER, NOWHERE, "the state file '%s' is empty, and a state file never is",
			   path);
		diag_hint(diagnostics,
			  "put back its newest backup; where there is none, remove it: 'trueup state rebuild' "
			  "makes the state anew");
		return false;
	}
	*ret_there = true;
	return true;
}

/* The size of path with suffix behind it, or -1 where there is no such file. */
static int64_t size_beside(const char *path, const char *suffix)
{
	char beside[PATH_MAX];
	struct stat status;
	int size = snprintf(beside, sizeof(beside), "%s%s", path, suffix);

	return size > 0 && (size_t)size < sizeof(beside) && stat(beside, &status) == 0 ? (int64_t)status.st_size : -1;
}

const char *place_find_log(const char *path, struct arena *arena)
{
	/* A header alone changes nothing. */
	static const struct {
		const char *suffix;
		int64_t idle_bytes;
	} logs[] = {{"-wal", LOG_HEADER_BYTES}, {"-journal", 0}};

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		if (size_beside(path, logs[i].suffix) > logs[i].idle_bytes)
			return arena_text(arena, "%s%s", path, logs[i].suffix);
	}
	return NULL;
}

bool place_refuse_log(const char *path, const char *log, struct diagnostics *diagnostics)
{
	diag_error(diagnostics, FAULT_USER, NOWHERE,
		   "the state file '%s' is gone, and its log '%s' is still there, which holds the last of what was "
		   "recorded",
		   path, log);
	diag_hint(diagnostics,
		  "put the file back beside it; if it is lost, move the log away as well, and 'trueup state "
		  "rebuild' makes the state anew");
	return false;
}

static bool cannot_write(const char *path)
{
	return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0 && errno != ENOENT;
}

bool place_is_read_only(const char *path, struct arena *arena)
{
	const char *real_path = place_real_path(path, arena);

	return place_has_name(real_path) && (cannot_write(real_path) || cannot_write(folder_of(real_path, arena)));
}

bool place_refuse_read_only(const char *path, struct diagnostics *diagnostics)
{
	const char *folder = folder_of(place_real_path(path, diagnostics->arena), diagnostics->arena);

	if (!cannot_write(folder) || errno != EROFS)
		return true;
	diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot write the state file '%s': its folder is read-only", path);
	diag_hint(diagnostics, "mount it so that it can be written, or use another folder (-C DIR)");
	return false;
}

bool place_has_name(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 || errno != ENOENT;
}

static void close_file(const int *file)
{
	if (*file >= 0)
		close(*file);
}

#define FILE_AUTO __attribute__((cleanup(close_file))) int

/* Some file systems cannot sync a folder and say EINVAL; there is nothing more to do there. */
static bool sync_folder(const char *folder)
{
	FILE_AUTO opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return opened >= 0 && (fsync(opened) == 0 || errno == EINVAL);
}

/* Whoever may write the folder can put another state into it. Of a folder of another user nothing is changed. */
static void close_to_others(const char *folder, mode_t mode, struct diagnostics *diagnostics)
{
	if ((mode & (S_IRWXG | S_IRWXO)) == 0 || chmod(folder, mode & S_IRWXU) < 0 || (mode & (S_IWGRP | S_IWOTH)) == 0)
		return;
	diag_add(diagnostics, SEVERITY_WARNING, FAULT_USER, NOWHERE,
		 "other users could write the state's folder '%s' (mode %03o); it is yours alone now", folder,
		 (unsigned)(mode & 0777));
	diag_hint(diagnostics, "should somebody else have been at it, 'trueup state check' looks the state through");
}

/* By their names: to close a descriptor of the file would drop the locks that SQLite has on it in this process. */
static bool close_file_to_others(const char *real_path, mode_t mode, struct arena *arena)
{
	for (size_t i = sizeof(suffixes) / sizeof(suffixes[0]); i-- > 1;)
		(void)chmod(arena_text(arena, "%s%s", real_path, suffixes[i]), mode);
	return chmod(real_path, mode) == 0;
}

void place_tell_open_file(const char *real_path, bool closes, struct diagnostics *diagnostics)
{
	struct stat status;

	if (stat(real_path, &status) < 0 || status.st_uid != geteuid() || (status.st_mode & (S_IRWXG | S_IRWXO)) == 0 ||
	    (closes && !close_file_to_others(real_path, status.st_mode & (S_IRUSR | S_IWUSR), diagnostics->arena)))
		return;
	/* The same words from both, so that a command that reads it first and then writes it says so once. */
	diag_add(diagnostics, SEVERITY_WARNING, FAULT_USER, NOWHERE,
		 "the state file '%s' was open to other users (mode %03o)", real_path,
		 (unsigned)(status.st_mode & 0777));
	diag_hint(diagnostics,
		  "the next run that writes it makes it yours alone; whoever could read it can try guesses "
		  "at its secrets, and should somebody else have been at it, 'trueup state check' looks "
		  "it through");
}

bool place_make_folder(struct world *world, const char *path, struct diagnostics *diagnostics)
{
	const char *folder = folder_of(path, diagnostics->arena);
	struct stat status;

	if (stat(folder, &status) == 0) {
		if (!S_ISDIR(status.st_mode))
			return refuse_folder(path, folder, status.st_mode, diagnostics);
		close_to_others(folder, status.st_mode, diagnostics);
		return true;
	}
	return world->make_folder(world, folder, S_IRWXU, diagnostics);
}

const char *place_network_name(uint32_t magic)
{
	for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++) {
		if (networks[i].magic == magic)
			return networks[i].name;
	}
	return NULL;
}

static bool refuse_network_of(const char *path, struct diagnostics *diagnostics)
{
	struct statfs status;
	const char *network;

	if (statfs(folder_of(path, diagnostics->arena), &status) < 0)
		return fail("open the state file", path, errno, diagnostics);
	network = place_network_name((uint32_t)status.f_type);
	if (!network)
		return true;
	diag_error(
		diagnostics, FAULT_USER, NOWHERE,
		"the folder of the state file '%s' is on a network file system (%s), where two runs may both believe "
		"that they hold its lock",
		path, network);
	diag_hint(diagnostics, "keep the state on a disk of this machine; where only one machine ever uses it, say "
			       "--force-network-state");
	return false;
}

bool place_refuse_network(const char *path, struct diagnostics *diagnostics)
{
	return refuse_network_of(path, diagnostics) &&
	       refuse_network_of(place_real_path(path, diagnostics->arena), diagnostics);
}

/* Whether place_begin() gave such a name for base. */
static bool is_temporary(struct slice name, struct slice base)
{
	struct slice rest = slice_from(name, base.size);

	if (!slice_starts_with(name, base) || !slice_starts_with(rest, SLICE(TEMPORARY_MARK)))
		return false;
	rest = slice_from(rest, sizeof(TEMPORARY_MARK) - 1);
	for (size_t i = 0; i < NUMBER_DIGITS; i++)
		if (i >= rest.size || !strchr("0123456789abcdef", rest.data[i]))
			return false;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (slice_is(slice_from(rest, NUMBER_DIGITS), suffixes[i]))
			return true;
	return false;
}

static void close_folder(DIR **folder)
{
	if (*folder)
		closedir(*folder);
}

/* What was left of path by those that were killed while they filled it. */
static void remove_left_behind(const char *path, struct arena *arena)
{
	__attribute__((cleanup(close_folder))) DIR *folder = opendir(folder_of(path, arena));
	const char *slash = strrchr(path, '/');
	struct slice base = slice_of(slash ? slash + 1 : path);
	struct timespec now;
	struct stat status;
	struct dirent *entry;

	clock_gettime(CLOCK_REALTIME, &now);
	while (folder && (entry = readdir(folder)))
		if (is_temporary(slice_of(entry->d_name), base) &&
		    fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(status.st_mode) && now.tv_sec - status.st_mtim.tv_sec > LEFT_BEHIND_S)
			unlinkat(dirfd(folder), entry->d_name, 0);
}

bool place_begin(struct world *world, const char *doing, const char *path, struct arena *arena, const char **ret,
		 struct diagnostics *diagnostics)
{
	uint64_t number = 0;
	const char *temporary;

	world->random(world, &number, sizeof(number));
	temporary = arena_text(arena, "%s" TEMPORARY_MARK "%016llx", path, (unsigned long long)number);
	remove_left_behind(path, arena);
	FILE_AUTO file = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
	/* A umask may have taken from the mode what SQLite needs. */
	if (file < 0 || fchmod(file, S_IRUSR | S_IWUSR) < 0)
		return fail(doing, path, errno, diagnostics);
	*ret = temporary;
	return true;
}

void place_abandon(const char *temporary)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		int size = snprintf(path, sizeof(path), "%s%s", temporary, suffixes[i]);

		if (size > 0 && (size_t)size < sizeof(path))
			unlink(path);
	}
}

bool place_finish(const char *temporary, const char *path, struct diagnostics *diagnostics)
{
	const char *folder = folder_of(path, diagnostics->arena);
	int error = link(temporary, path) < 0 ? errno : 0;

	place_abandon(temporary);
	if (error != 0 && error != EEXIST)
		return fail("create the state file", path, error, diagnostics);
	return sync_folder(folder) || fail("create the state file", path, errno, diagnostics);
}

static bool refuse_existing(const char *path, struct diagnostics *diagnostics)
{
	diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot write '%s': there is a file of that name", path);
	diag_hint(diagnostics, "name another file, or say --force to replace it");
	return false;
}

bool place_check_target(const char *path, const char *source, bool replaces, struct diagnostics *diagnostics)
{
	struct stat target, own;

	if (stat(path, &target) < 0)
		return errno == ENOENT || fail("create the copy", path, errno, diagnostics);
	if (stat(source, &own) == 0 && own.st_dev == target.st_dev && own.st_ino == target.st_ino)
		return diag_error(diagnostics, FAULT_USER, NOWHERE, "'%s' is the state file itself", path);
	if (!S_ISREG(target.st_mode))
		return diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot write '%s': it is %s", path,
				  S_ISDIR(target.st_mode) ? "a folder" : "no regular file");
	return replaces || refuse_existing(path, diagnostics);
}

bool place_publish(const char *temporary, const char *path, bool replaces, struct diagnostics *diagnostics)
{
	int error = (replaces ? rename(temporary, path) : link(temporary, path)) < 0 ? errno : 0;

	place_abandon(temporary);
	if (error == EEXIST)
		return refuse_existing(path, diagnostics);
	if (error != 0)
		return fail("create the copy", path, error, diagnostics);
	return sync_folder(folder_of(path, diagnostics->arena)) || fail("create the copy", path, errno, diagnostics);
}

/* Of a run that gives a new file its name right now, or was killed when it did. */
static void remove_temporary_names(const char *path, const struct stat *file, struct arena *arena)
{
	__attribute__((cleanup(close_folder))) DIR *folder = opendir(folder_of(path, arena));
	const char *slash = strrchr(path, '/');
	struct slice base = slice_of(slash ? slash + 1 : path);
	struct stat status;
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (is_temporary(slice_of(entry->d_name), base) &&
		    fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		    status.st_dev == file->st_dev && status.st_ino == file->st_ino)
			unlinkat(dirfd(folder), entry->d_name, 0);
}

bool place_refuse_names(const char *real_path, struct diagnostics *diagnostics)
{
	struct stat status;

	if (stat(real_path, &status) == 0 && status.st_nlink > 1)
		remove_temporary_names(real_path, &status, diagnostics->arena);
	if (stat(real_path, &status) < 0 || status.st_nlink <= 1)
		return true;
	diag_error(diagnostics, FAULT_USER, NOWHERE,
		   "the state file '%s' has %llu names (hard links), and what is recorded under one of them would be "
		   "lost under another",
		   real_path, (unsigned long long)status.st_nlink);
	diag_hint(diagnostics,
		  "keep one of them, where there is a '-wal' file the one beside it, and remove the others: 'find "
		  "FOLDER -samefile %s' lists them",
		  real_path);
	return false;
}

bool place_check_length(const char *path, bool is_new, struct diagnostics *diagnostics)
{
	enum { SUFFIX_BYTES = sizeof("-journal") - 1, NEW_BYTES = sizeof(TEMPORARY_MARK) - 1 + NUMBER_DIGITS };

	const sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	size_t most = vfs ? (size_t)vfs->mxPathname - SUFFIX_BYTES - (is_new ? NEW_BYTES : 0) : PATH_MAX;
	const char *slash = strrchr(path, '/');
	char resolved[PATH_MAX];

	if (realpath(folder_of(path, diagnostics->arena), resolved)
		    ? strlen(resolved) + strlen(slash ? slash : path) <= most
		    : errno != ENAMETOOLONG)
		return true;
	diag_error(diagnostics, FAULT_USER, NOWHERE,
		   "the path of the state file '%s' is too long: with all folders from '/' on SQLite takes %zu bytes",
		   path, most);
	diag_hint(diagnostics, "move the stack to a folder with a shorter path");
	return false;
}

const char *place_real_path(const char *path, struct arena *arena)
{
	char resolved[PATH_MAX];

	return realpath(path, resolved) ? arena_string(arena, slice_of(resolved)) : path;
}

static bool stamp_take(const char *path, struct stamp *ret)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return false;
	*ret = (struct stamp){(uint64_t)status.st_dev, (uint64_t)status.st_ino, (int64_t)status.st_size,
			      status.st_mtim};
	return true;
}

static bool is_settled(const struct stamp *stamp)
{
	struct timespec now;
	int64_t age_ms;

	clock_gettime(CLOCK_REALTIME, &now);
	age_ms = (now.tv_sec - stamp->changed.tv_sec) * 1000 + (now.tv_nsec - stamp->changed.tv_nsec) / 1000000;
	/* A time that lies ahead was set by another clock than the one that would stamp the next write. */
	return age_ms >= SETTLED_MS || age_ms < -SETTLED_MS;
}

enum database_mode place_way_to_read(const char *real_path, struct stamp *ret)
{
	for (int tries = 0; tries < SETTLED_TRIES; tries++) {
		/* Looked at before the -wal file: whoever writes makes that one first. */
		if (!stamp_take(real_path, ret))
			return DATABASE_READ;
		/* Of a header alone, which a run that died before its first commit leaves, SQLite waits 10 s for the
		 * rest and then gives up, where it may not write the -shm file. */
		if (size_beside(real_path, "-wal") > LOG_HEADER_BYTES)
			return size_beside(real_path, "-shm") >= 0 ? DATABASE_READ_SHARED : DATABASE_READ;
		if (is_settled(ret))
			break;
		nanosleep(&(struct timespec){.tv_nsec = SETTLED_MS * 1000000L / 2}, NULL);
	}
	return DATABASE_READ_IMMUTABLE;
}

bool place_moved(const char *real_path, const struct stamp *stamp)
{
	struct stamp now;

	return !stamp_take(real_path, &now) || now.device != stamp->device || now.inode != stamp->inode ||
	       now.size_bytes != stamp->size_bytes || now.changed.tv_sec != stamp->changed.tv_sec ||
	       now.changed.tv_nsec != stamp->changed.tv_nsec;
}
