#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memalign() */
#endif

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

/*
 * Runs the program again and again, each time in a child, with something that fails in it.
 *
 * A line of standard input is one run, its words separated by tabs:
 *   WHAT FIRST COUNT FOLDER OUTPUT ERRORS [NAME=VALUE...] ARGUMENT...
 * WHAT is one of the names below; of its calls the one numbered FIRST, from 0, and those behind it fail, COUNT in all
 * (0: every one). FIRST of -1 lets none fail. OUTPUT and ERRORS are files for the two streams. The answer is
 *   STATUS CALLS
 * the exit status, or the signal as a negative number, and how many calls there were that could have failed.
 */

enum {
	WORDS_MOST = 64,
	FAULT_MEMORY,
	FAULT_DISK_ERROR,
	FAULT_DISK_FULL,
	FAULT_LOCKED,
};

static const struct {
	const char *name;
	int fault;
} faults[] = {
	{"memory", FAULT_MEMORY},   /* an allocation, of the program's or of any library's */
	{"disk", FAULT_DISK_ERROR}, /* any call of SQLite's to the system */
	{"full", FAULT_DISK_FULL},  /* a write of SQLite's */
	{"locked", FAULT_LOCKED},   /* a lock that SQLite asks for */
};

/* One for parent and child: the child may end without a word. */
struct plan {
	atomic_long calls;
	long first;
	long count;
	int fault;
	atomic_bool armed;
};

/* Not in the code under test: its callers give it no context. */
static struct plan *plan;

static bool fails(int fault)
{
	if (!plan || !atomic_load(&plan->armed) || plan->fault != fault)
		return false;
	long number = atomic_fetch_add(&plan->calls, 1);
	return plan->first >= 0 && number >= plan->first && (plan->count == 0 || number < plan->first + plan->count);
}

/*
 * The C library's own, under the names by which it is called while these stand before it; those names, and
 * what it calls its parameters, are not ours to choose.
 */
// NOLINTBEGIN(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name)
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static bool no_memory(void)
{
	if (!fails(FAULT_MEMORY))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return no_memory() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return no_memory() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return no_memory() ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size)
{
	return no_memory() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return no_memory() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
	void *bytes = no_memory() ? NULL : __libc_memalign(alignment, size);

	if (!bytes)
		return ENOMEM;
	*ret = bytes;
	return 0;
}

// NOLINTEND(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name)

/* A file of SQLite's, and behind it that of the real VFS. */
struct faulty_file {
	sqlite3_file base;
	sqlite3_file real[];
};

static sqlite3_file *real_file(sqlite3_file *file)
{
	return ((struct faulty_file *)(void *)file)->real;
}

static sqlite3_vfs *real_vfs(sqlite3_vfs *vfs)
{
	return (sqlite3_vfs *)vfs->pAppData;
}

/* The call through, or the error. */
#define TRY(code, call) (fails(FAULT_DISK_ERROR) ? (code) : (call))

static int faulty_close(sqlite3_file *file)
{
	return real_file(file)->pMethods->xClose(real_file(file));
}

static int faulty_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset)
{
	return TRY(SQLITE_IOERR_READ, real_file(file)->pMethods->xRead(real_file(file), bytes, size, offset));
}

static int faulty_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
	if (fails(FAULT_DISK_FULL))
		return SQLITE_FULL;
	return TRY(SQLITE_IOERR_WRITE, real_file(file)->pMethods->xWrite(real_file(file), bytes, size, offset));
}

static int faulty_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	return TRY(SQLITE_IOERR_TRUNCATE, real_file(file)->pMethods->xTruncate(real_file(file), size));
}

static int faulty_sync(sqlite3_file *file, int flags)
{
	return TRY(SQLITE_IOERR_FSYNC, real_file(file)->pMethods->xSync(real_file(file), flags));
}

static int faulty_size(sqlite3_file *file, sqlite3_int64 *ret)
{
	return TRY(SQLITE_IOERR_FSTAT, real_file(file)->pMethods->xFileSize(real_file(file), ret));
}

static int faulty_lock(sqlite3_file *file, int level)
{
	if (fails(FAULT_LOCKED))
		return SQLITE_BUSY;
	return TRY(SQLITE_IOERR_LOCK, real_file(file)->pMethods->xLock(real_file(file), level));
}

static int faulty_unlock(sqlite3_file *file, int level)
{
	return TRY(SQLITE_IOERR_UNLOCK, real_file(file)->pMethods->xUnlock(real_file(file), level));
}

static int faulty_reserved(sqlite3_file *file, int *ret)
{
	return TRY(SQLITE_IOERR_CHECKRESERVEDLOCK, real_file(file)->pMethods->xCheckReservedLock(real_file(file), ret));
}

static int faulty_control(sqlite3_file *file, int operation, void *argument)
{
	return real_file(file)->pMethods->xFileControl(real_file(file), operation, argument);
}

static int faulty_sector_size(sqlite3_file *file)
{
	return real_file(file)->pMethods->xSectorSize(real_file(file));
}

static int faulty_characteristics(sqlite3_file *file)
{
	return real_file(file)->pMethods->xDeviceCharacteristics(real_file(file));
}

static int faulty_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **ret)
{
	return TRY(SQLITE_IOERR_SHMMAP, real_file(file)->pMethods->xShmMap(real_file(file), page, size, extend, ret));
}

static int faulty_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
	if ((flags & SQLITE_SHM_LOCK) && fails(FAULT_LOCKED))
		return SQLITE_BUSY;
	return TRY(SQLITE_IOERR_SHMLOCK, real_file(file)->pMethods->xShmLock(real_file(file), offset, count, flags));
}

static void faulty_shm_barrier(sqlite3_file *file)
{
	real_file(file)->pMethods->xShmBarrier(real_file(file));
}

static int faulty_shm_unmap(sqlite3_file *file, int remove)
{
	return real_file(file)->pMethods->xShmUnmap(real_file(file), remove);
}

/* Version 2: without the mapping of files into memory, which no read would be seen of. */
static const sqlite3_io_methods methods = {
	2,
	faulty_close,
	faulty_read,
	faulty_write,
	faulty_truncate,
	faulty_sync,
	faulty_size,
	faulty_lock,
	faulty_unlock,
	faulty_reserved,
	faulty_control,
	faulty_sector_size,
	faulty_characteristics,
	faulty_shm_map,
	faulty_shm_lock,
	faulty_shm_barrier,
	faulty_shm_unmap,
	NULL,
	NULL,
};

static int faulty_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *ret_flags)
{
	int code;

	file->pMethods = NULL;
	code = TRY(SQLITE_CANTOPEN, real_vfs(vfs)->xOpen(real_vfs(vfs), name, real_file(file), flags, ret_flags));
	if (code == SQLITE_OK)
		file->pMethods = &methods;
	return code;
}

static int faulty_delete(sqlite3_vfs *vfs, const char *name, int sync_folder)
{
	return TRY(SQLITE_IOERR_DELETE, real_vfs(vfs)->xDelete(real_vfs(vfs), name, sync_folder));
}

static int faulty_access(sqlite3_vfs *vfs, const char *name, int flags, int *ret)
{
	return TRY(SQLITE_IOERR_ACCESS, real_vfs(vfs)->xAccess(real_vfs(vfs), name, flags, ret));
}

static int faulty_path(sqlite3_vfs *vfs, const char *name, int size, char *ret)
{
	return TRY(SQLITE_CANTOPEN_FULLPATH, real_vfs(vfs)->xFullPathname(real_vfs(vfs), name, size, ret));
}

/* A lock that never comes is waited for in no time. */
static int faulty_sleep(sqlite3_vfs *vfs, int microseconds)
{
	(void)vfs;
	return microseconds;
}

static void install_vfs(void)
{
	static sqlite3_vfs vfs;
	sqlite3_vfs *real = sqlite3_vfs_find(NULL);

	vfs = *real;
	vfs.zName = "faulty";
	vfs.pAppData = real;
	vfs.szOsFile = (int)sizeof(struct faulty_file) + real->szOsFile;
	vfs.xOpen = faulty_open;
	vfs.xDelete = faulty_delete;
	vfs.xAccess = faulty_access;
	vfs.xFullPathname = faulty_path;
	vfs.xSleep = faulty_sleep;
	sqlite3_vfs_register(&vfs, 1);
}

static bool redirect(const char *path, int stream)
{
	int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	return descriptor >= 0 && dup2(descriptor, stream) == stream;
}

/* In the child. words: FOLDER OUTPUT ERRORS and what follows. */
__attribute__((noreturn)) static void run_child(int count, char **words)
{
	static char name[] = "trueup";
	int null = open("/dev/null", O_RDONLY);

	if (null < 0 || dup2(null, 0) != 0 || !redirect(words[1], 1) || !redirect(words[2], 2) || chdir(words[0]) != 0)
		_exit(125);
	words += 2;
	count -= 2;
	for (; count > 1 && strchr(words[1], '='); words++, count--)
		putenv(words[1]);
	words[0] = name;
	if (plan->fault != FAULT_MEMORY)
		install_vfs();
	atomic_store(&plan->armed, true);
	int status = cli_main(count, words);
	atomic_store(&plan->armed, false);
	exit(status);
}

static int run_line(char *line)
{
	char *words[WORDS_MOST + 1];
	int count = 0;
	int status;

	for (char *word = strtok(line, "\t\n"); word && count < WORDS_MOST; word = strtok(NULL, "\t\n"))
		words[count++] = word;
	words[count] = NULL;
	if (count < 7)
		return 125;
	plan->fault = 0;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (strcmp(words[0], faults[i].name) == 0)
			plan->fault = faults[i].fault;
	plan->first = strtol(words[1], NULL, 10);
	plan->count = strtol(words[2], NULL, 10);
	atomic_store(&plan->calls, 0);
	atomic_store(&plan->armed, false);
	pid_t child = fork();
	if (child == 0)
		run_child(count - 3, words + 3);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 125;
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

int main(void)
{
	char *line = NULL;
	size_t capacity = 0;

	plan = mmap(NULL, sizeof(*plan), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (plan == MAP_FAILED)
		return 125;
	while (getline(&line, &capacity, stdin) > 0) {
		int status = run_line(line);

		printf("%d %ld\n", status, atomic_load(&plan->calls));
		fflush(stdout);
	}
	free(line);
	return 0;
}
