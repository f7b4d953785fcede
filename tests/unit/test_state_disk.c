#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "state/sqlite_store.h"
#include "tests/unit/support_state_store.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct state_options to_write = {.access = STATE_WRITE};
static const struct state_options to_read = {.access = STATE_READ};

static bool open_state(struct state_fixture *fixture, enum state_access access, struct store **ret)
{
	state_fixture_forget(fixture);
	return state_open(&fixture->world, fixture->path, access == STATE_WRITE ? &to_write : &to_read, SLICE("lab"),
			  ret, &fixture->diagnostics);
}

/* Whether the state can be opened and used again. */
static bool works(struct state_fixture *fixture, enum state_access access)
{
	struct store *store;
	struct object *heads;
	size_t count;
	bool used;

	if (!open_state(fixture, access, &store))
		return false;
	used = store->ops->heads(store, &fixture->arena, &heads, &count, &fixture->diagnostics) &&
	       (access == STATE_READ ||
		(fixture_try_begin(fixture, store) && fixture_try_put(fixture, store, 0, 10) == COMMIT_DONE));
	store->ops->close(store);
	return used;
}

/* Files may grow no further: each thing that is begun then fails as a whole, and says so. */
static void test_file_limit(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct store *store, *other;
		size_t done = 0;

		signal(SIGXFSZ, SIG_IGN);
		state_fixture_fork(fixture);
		if (!open_state(fixture, STATE_WRITE, &store) || !fixture_try_begin(fixture, store))
			_exit(2);
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){300000, 300000});
		while (done < 1000 && fixture_try_put(fixture, store, done * 10, 10) == COMMIT_DONE)
			done++;
		if (done < 2 || done == 1000 || !state_fixture_said(fixture, FAULT_USER, "limit for files"))
			_exit(3);
		snprintf(fixture->path, sizeof(fixture->path), "%s/new.db", fixture->folder);
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){10000, 300000});
		if (open_state(fixture, STATE_WRITE, &other) ||
		    !state_fixture_said(fixture, FAULT_USER, "limit for files") || access(fixture->path, F_OK) == 0)
			_exit(4);
		store->ops->close(store);
		_exit(0);
	}
	waitpid(child, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		fail_msg("status %d", status);
	assert_true(works(fixture, STATE_WRITE));
}

/*
 * A VFS whose disk fails. sqlite3_vfs has no place for a test's own data in its files, so
 * the plan of failures is one, and the files' methods are exchanged as they are opened.
 */
static struct {
	long countdown; /* writes and syncs until one fails; negative: none does */
	int code;
	size_t syncs; /* that were done */
	bool forgets; /* all but the first page */
	sqlite3_io_methods changed[8];
	const sqlite3_io_methods *original[8];
} failing;

static const sqlite3_io_methods *original_of(const sqlite3_file *file)
{
	return failing.original[file->pMethods - failing.changed];
}

static int tick(void)
{
	return failing.countdown >= 0 && failing.countdown-- == 0 ? failing.code : SQLITE_OK;
}

static int failing_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
	static const char blank[1 << 16];
	int code = tick();

	if (failing.forgets && offset > 0 && (size_t)size <= sizeof(blank))
		bytes = blank;
	return code != SQLITE_OK ? code : original_of(file)->xWrite(file, bytes, size, offset);
}

static int failing_sync(sqlite3_file *file, int flags)
{
	int code = tick();

	failing.syncs += code == SQLITE_OK;
	return code == SQLITE_OK ? original_of(file)->xSync(file, flags)
				 : (code == SQLITE_FULL ? SQLITE_IOERR_FSYNC : code);
}

static int failing_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *ret_flags)
{
	sqlite3_vfs *original = (sqlite3_vfs *)vfs->pAppData;
	int code = original->xOpen(original, name, file, flags, ret_flags);
	size_t i = 0;

	if (!file->pMethods)
		return code;
	while (failing.original[i] && failing.original[i] != file->pMethods)
		i++;
	failing.original[i] = file->pMethods;
	failing.changed[i] = *file->pMethods;
	failing.changed[i].xWrite = failing_write;
	failing.changed[i].xSync = failing_sync;
	file->pMethods = &failing.changed[i];
	return code;
}

static sqlite3_vfs *install_failing(void)
{
	static sqlite3_vfs vfs;
	sqlite3_vfs *original = sqlite3_vfs_find("unix");

	vfs = *original;
	vfs.zName = "failing";
	vfs.pAppData = original;
	vfs.xOpen = failing_open;
	failing.countdown = -1;
	sqlite3_vfs_register(&vfs, 0);
	return &vfs;
}

/* Write n fails, for every n of a commit: all of it is there afterwards or nothing, and the next one works. */
static void test_failing_writes(void **state)
{
	static const struct {
		const char *name;
		int code;
		const char *says;
	} rows[] = {{"full", SQLITE_FULL, "the disk"}, {"broken", SQLITE_IOERR_WRITE, "the disk does not work"}};
	struct state_fixture *fixture = (struct state_fixture *)*state;
	sqlite3_vfs *vfs = install_failing();

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct store *store;
		long failures = 0;
		size_t expected = 0;

		snprintf(fixture->path, sizeof(fixture->path), "%s/%zu.db", fixture->folder, i);
		fixture->world.sqlite_vfs = "failing";
		failing.code = rows[i].code;
		if (!open_state(fixture, STATE_WRITE, &store) || !fixture_try_begin(fixture, store))
			fail_msg("%s: %s", rows[i].name, state_fixture_told(fixture));
		for (;; failures++) {
			enum commit_state done;
			struct object *heads;
			size_t count = 0;

			state_fixture_forget(fixture);
			failing.countdown = failures;
			done = fixture_try_put(fixture, store, expected, 50);
			failing.countdown = -1;
			expected += done == COMMIT_DONE ? 50 : 0;
			if (done != COMMIT_DONE && !state_fixture_said(fixture, FAULT_USER, rows[i].says))
				fail_msg("%s, write %ld: %s", rows[i].name, failures, state_fixture_told(fixture));
			assert_true(store->ops->heads(store, &fixture->arena, &heads, &count, &fixture->diagnostics));
			if (count != expected || store->ops->record(store)->serial != (int64_t)(expected / 50))
				fail_msg("%s, write %ld: %zu objects instead of %zu", rows[i].name, failures, count,
					 expected);
			if (done == COMMIT_DONE)
				break;
		}
		assert_true(failures > 10);
		store->ops->close(store);
		fixture->world.sqlite_vfs = NULL;
		assert_true(works(fixture, STATE_READ));
	}
	sqlite3_vfs_unregister(vfs);
}

/* A commit, and all else that another run may rely on, is on the disk when it returns. */
static void test_synced(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	sqlite3_vfs *vfs = install_failing();
	struct store *store;

	snprintf(fixture->path, sizeof(fixture->path), "%s/state.db", fixture->folder);
	fixture->world.sqlite_vfs = "failing";
	assert_true(open_state(fixture, STATE_WRITE, &store));
	failing.syncs = 0;
	assert_true(fixture_try_begin(fixture, store));
	assert_in_range(failing.syncs, 1, 3);
	for (size_t i = 0; i < 5; i++) {
		failing.syncs = 0;
		fixture_put(fixture, store, i, 1);
		/* One for the log; more only where it starts anew. */
		assert_int_equal(failing.syncs, 1);
	}
	failing.syncs = 0;
	assert_true(store->ops->heartbeat(store, &fixture->diagnostics));
	assert_int_equal(failing.syncs, 1);
	failing.syncs = 0;
	assert_true(store->ops->end(store, SLICE("done"), &fixture->diagnostics));
	assert_int_equal(failing.syncs, 1);
	store->ops->close(store);
	fixture->world.sqlite_vfs = NULL;
	sqlite3_vfs_unregister(vfs);
}

static ino_t synced_folders[16];
static size_t synced_count;

/* In place of libc's, which it does the work of. */
int fsync(int fd) // NOLINT(readability-inconsistent-declaration-parameter-name)
{
	struct stat status;

	if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode) && synced_count < COUNT(synced_folders))
		synced_folders[synced_count++] = status.st_ino;
	return (int)syscall(SYS_fsync, fd);
}

static bool is_synced(const char *folder)
{
	struct stat status;

	assert_return_code(stat(folder, &status), 0);
	for (size_t i = 0; i < synced_count; i++)
		if (synced_folders[i] == status.st_ino)
			return true;
	return false;
}

/* Nor does what is made anew lose its name. */
static void test_names_are_synced(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	char folder[512], copies[512], copy[600];
	struct store *store;

	snprintf(folder, sizeof(folder), "%s/.trueup", fixture->folder);
	snprintf(copies, sizeof(copies), "%s/copies", fixture->folder);
	snprintf(copy, sizeof(copy), "%s/state.db", copies);
	synced_count = 0;
	assert_true(open_state(fixture, STATE_WRITE, &store));
	assert_true(is_synced(folder));
	assert_return_code(mkdir(copies, 0700), 0);
	for (int replaces = 0; replaces < 2; replaces++) {
		synced_count = 0;
		assert_true(store->ops->backup(store, copy, replaces != 0, &fixture->diagnostics));
		assert_true(is_synced(copies));
	}
	store->ops->close(store);
}

/* It is said which of the two is at fault, and no such copy is kept. */
static void test_copy_that_is_not_kept(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	sqlite3_vfs *vfs = install_failing();
	struct store *store;
	char copy[512];

	snprintf(copy, sizeof(copy), "%s/copy.db", fixture->folder);
	assert_true(open_state(fixture, STATE_WRITE, &store));
	assert_true(fixture_try_begin(fixture, store));
	fixture_put(fixture, store, 0, 50);
	sqlite3_vfs_register(vfs, 1);
	failing.forgets = true;
	assert_false(store->ops->backup(store, copy, false, &fixture->diagnostics));
	failing.forgets = false;
	sqlite3_vfs_unregister(vfs);
	if (!state_fixture_said(fixture, FAULT_USER, "copy.db' is not sound"))
		fail_msg("%s", state_fixture_told(fixture));
	assert_int_equal(access(copy, F_OK), -1);
	store->ops->close(store);
}

/* A new state is whole or not there, whichever write of its making fails. */
static void test_failing_creation(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	sqlite3_vfs *vfs = install_failing();
	long failures = 0;
	bool made = false;

	failing.code = SQLITE_FULL;
	for (; !made; failures++) {
		struct store *store;

		snprintf(fixture->path, sizeof(fixture->path), "%s/%ld.db", fixture->folder, failures);
		/* As the default, so that the path of a real disk is taken. */
		sqlite3_vfs_register(vfs, 1);
		failing.countdown = failures;
		made = open_state(fixture, STATE_WRITE, &store);
		failing.countdown = -1;
		if (made)
			store->ops->close(store);
		sqlite3_vfs_unregister(vfs);
		if (!made && !state_fixture_said(fixture, FAULT_USER, "the disk"))
			fail_msg("write %ld: %s", failures, state_fixture_told(fixture));
		if (access(fixture->path, F_OK) == 0 && !works(fixture, STATE_WRITE))
			fail_msg("write %ld: half a file: %s", failures, state_fixture_told(fixture));
	}
	assert_true(failures > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STATE_TEST(test_file_limit), STATE_TEST(test_failing_writes),	STATE_TEST(test_failing_creation),
		STATE_TEST(test_synced),     STATE_TEST(test_names_are_synced), STATE_TEST(test_copy_that_is_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
