#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "state/place.h"
#include "tests/unit/support_state_file.h"

/* Where a state file lies, who else holds it, and who may touch it. */

/* Another program holds the file. */
static void test_locked(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store;
	sqlite3 *other = NULL;

	state_file_make(fixture);
	assert_int_equal(sqlite3_open(fixture->path, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other,
				      "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE;"
				      "UPDATE stack SET serial = 5; COMMIT",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	assert_false(state_file_open(fixture, STATE_WRITE, &store));
	assert_true(state_fixture_said(fixture, FAULT_CONFLICT, "another program has locked it"));
	assert_true(state_fixture_said(fixture, FAULT_CONFLICT, fixture->path));
	sqlite3_close(other);

	/* Only writing is locked: reading goes on. */
	assert_true(state_file_open(fixture, STATE_WRITE, &store));
	assert_int_equal(sqlite3_open(fixture->path, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	assert_false(fixture_try_begin(fixture, store));
	assert_true(state_fixture_said(fixture, FAULT_CONFLICT, "another program has locked it"));
	assert_null(state_file_use(fixture, STATE_READ));
	sqlite3_close(other);
	state_fixture_forget(fixture);
	assert_true(fixture_try_begin(fixture, store));
	store->ops->close(store);
}

/* What a process of a user that may not write says; root may always, so it becomes another. */
static void test_not_writable(void **state)
{
	static const struct {
		const char *name;
		mode_t folder_mode, file_mode;
		bool there;
		const char *says;
	} rows[] = {
		{"file and folder", 0555, 0444, true, "read"},
		{"the file", 0777, 0444, true, "read"},
		{"the folder", 0555, 0666, true, "read"},
		{"the folder, and no file", 0555, 0666, false, "Permission denied"},
		{"not even readable", 0777, 0000, true, "ermission denied"},
	};
	struct state_fixture *fixture = (struct state_fixture *)*state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		char folder[128];
		pid_t child;
		int status;

		snprintf(folder, sizeof(folder), "%s/%zu", fixture->folder, i);
		snprintf(fixture->path, sizeof(fixture->path), "%s/state.db", folder);
		state_file_make(fixture);
		if (!rows[i].there)
			state_file_remove(fixture);
		else
			assert_int_equal(chmod(fixture->path, rows[i].file_mode), 0);
		assert_int_equal(chmod(folder, rows[i].folder_mode), 0);
		assert_int_equal(chmod(fixture->folder, 0755), 0);
		child = fork();
		if (child == 0) {
			struct store *store;

			if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
				_exit(2);
			if (state_file_open(fixture, STATE_WRITE, &store))
				_exit(3);
			if (!state_fixture_said(fixture, FAULT_USER, rows[i].says) ||
			    fixture->diagnostics.items[0].hint.size == 0) {
				fprintf(stderr, "%s", state_fixture_told(fixture));
				_exit(4);
			}
			_exit(0);
		}
		waitpid(child, &status, 0);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
			fail_msg("%s: status %d", rows[i].name, status);
		assert_int_equal(chmod(folder, 0700), 0);
	}
}

/* The world's VFS is used, and nothing else is asked: the file lies where only the VFS finds it. */
static void test_vfs(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store;

	fixture->world.sqlite_vfs = "no such thing";
	assert_false(state_file_open(fixture, STATE_WRITE, &store));
	assert_true(state_fixture_said(fixture, FAULT_INTERNAL, "no such vfs"));
	fixture->world.sqlite_vfs = "unix-none";
	snprintf(fixture->path, sizeof(fixture->path), "%s/none/state.db", fixture->folder);
	/* No folder is made for a file of which only the VFS knows where it is. */
	assert_false(state_file_open(fixture, STATE_WRITE, &store));
	assert_int_equal(access(arena_text(&fixture->arena, "%s/none", fixture->folder), F_OK), -1);
	/* This VFS has no shared memory, which the write-ahead log needs. */
	snprintf(fixture->path, sizeof(fixture->path), "%s/state.db", fixture->folder);
	assert_false(state_file_open(fixture, STATE_WRITE, &store));
	assert_true(state_fixture_said(fixture, FAULT_USER, "write-ahead log"));
}

/* Numbers from statfs(2): what joins machines is refused, what does not is not. */
static void test_networks(void **state)
{
	static const struct {
		const char *name;
		uint32_t magic;
		bool refused;
	} rows[] = {
		{"nfs", 0x6969, true},	      {"cifs", 0xff534d42, true},     {"smb2", 0xfe534d42, true},
		{"9p", 0x01021997, true},     {"fuse", 0x65735546, true},     {"ceph", 0x00c36400, true},
		{"beegfs", 0x19830326, true}, {"panfs", 0xaad7aaea, true},    {"lustre", 0x0bd00bd0, true},
		{"ext4", 0xef53, false},      {"xfs", 0x58465342, false},     {"btrfs", 0x9123683e, false},
		{"tmpfs", 0x01021994, false}, {"overlay", 0x794c7630, false}, {"zfs", 0x2fc12fc1, false},
	};
	struct state_fixture *fixture = (struct state_fixture *)*state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		if ((place_network_name(rows[i].magic) != NULL) != rows[i].refused)
			fail_msg("%s", rows[i].name);
	}
	/* A folder that is not there cannot be judged. */
	assert_false(place_refuse_network(fixture->path, &fixture->diagnostics));
	assert_true(state_fixture_said(fixture, FAULT_ABSENT, "No such file"));
}

/* Beneath a folder of that name, everything lies on another machine. Stands before the C library's own. */
int statfs(const char *file, // NOLINT(readability-inconsistent-declaration-parameter-name)
	   struct statfs *buf)
{
	char resolved[PATH_MAX];
	int folder = open(file, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int result = folder < 0 ? -1 : fstatfs(folder, buf);

	if (folder >= 0)
		close(folder);
	if (result == 0 && realpath(file, resolved) && strstr(resolved, "/elsewhere"))
		buf->f_type = 0x6969;
	return result;
}

/* What counts is where the file itself lies: SQLite has its log and its locks beside that. */
static void test_network_links(void **state)
{
	static const struct {
		const char *name, *file, *link;
		bool refused;
	} rows[] = {
		{"a file there", "elsewhere/a.db", NULL, true},
		{"a link here to a file there", "elsewhere/b.db", "here/b.db", true},
		{"a link there to a file here", "here/c.db", "elsewhere/c.db", true},
		{"both here", "here/d.db", "here/e.db", false},
	};
	struct state_fixture *fixture = (struct state_fixture *)*state;

	assert_int_equal(mkdir(arena_text(&fixture->arena, "%s/here", fixture->folder), 0700), 0);
	assert_int_equal(mkdir(arena_text(&fixture->arena, "%s/elsewhere", fixture->folder), 0700), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *path = arena_text(&fixture->arena, "%s/%s", fixture->folder, rows[i].file);

		assert_int_equal(close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600)), 0);
		if (rows[i].link) {
			const char *link = arena_text(&fixture->arena, "%s/%s", fixture->folder, rows[i].link);

			assert_int_equal(symlink(path, link), 0);
			path = link;
		}
		if (place_refuse_network(path, &fixture->diagnostics) == rows[i].refused)
			fail_msg("%s: %s", rows[i].name, state_fixture_told(fixture));
		if (rows[i].refused)
			assert_true(state_fixture_said(fixture, FAULT_USER, "is on a network file system (NFS)"));
		state_fixture_forget(fixture);
	}
}

/* A file in place of the folder stays as it is, and is told of by whoever writes or reads. */
static void test_no_folder(void **state)
{
	static const enum state_access accesses[] = {STATE_WRITE, STATE_READ, STATE_READ_OR_BLANK};
	struct state_fixture *fixture = (struct state_fixture *)*state;
	const char *file = arena_text(&fixture->arena, "%s/.trueup", fixture->folder);
	struct stat status;
	struct store *store;

	assert_true(file_write(file, SLICE("mine")));
	assert_int_equal(chmod(file, 0644), 0);
	for (size_t i = 0; i < COUNT(accesses); i++) {
		assert_false(state_file_open(fixture, accesses[i], &store));
		if (!state_fixture_said(fixture, FAULT_USER, "/.trueup' is a file, and no folder") ||
		    !state_fixture_said(fixture, FAULT_USER, "move it away"))
			fail_msg("%zu: %s", i, state_fixture_told(fixture));
		state_fixture_forget(fixture);
	}
	assert_int_equal(stat(file, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0644);
}

/* Odd names of files reach the file that they name. */
static void test_names(void **state)
{
	static const char *const rows[] = {
		"a b.db", "100%41.db", "what?immutable=1", "x#y", "\xc3\xa4.db", "a&b=c", "file:z.db", "-", "a\nb",
		"%",	  "./q.db"};
	struct state_fixture *fixture = (struct state_fixture *)*state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		snprintf(fixture->path, sizeof(fixture->path), "%s/%s", fixture->folder, rows[i]);
		state_file_make(fixture);
		if (access(fixture->path, F_OK) != 0 || state_file_use(fixture, STATE_READ))
			fail_msg("%s: %s", rows[i], state_fixture_told(fixture));
	}
	/* Relative to where the program runs, in a folder of its own or not. */
	assert_int_equal(chdir(fixture->folder), 0);
	snprintf(fixture->path, sizeof(fixture->path), "relative.db");
	state_file_make(fixture);
	assert_int_equal(access("relative.db", F_OK), 0);
	snprintf(fixture->path, sizeof(fixture->path), "below/relative.db");
	state_file_make(fixture);
	assert_int_equal(access("below/relative.db", F_OK), 0);
	assert_null(state_file_use(fixture, STATE_READ));
	assert_int_equal(chdir("/"), 0);
}

/* A link leads to the file, whose -wal lies beside the file. */
static void test_link(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	const char *target = arena_text(&fixture->arena, "%s/target.db", fixture->folder);
	char link[128];
	struct store *store;
	struct object *heads;
	size_t count = 0;
	pid_t child;

	snprintf(link, sizeof(link), "%s/link.db", fixture->folder);
	snprintf(fixture->path, sizeof(fixture->path), "%s", target);
	state_file_make(fixture);
	assert_int_equal(symlink("target.db", link), 0);
	snprintf(fixture->path, sizeof(fixture->path), "%s", link);
	child = fork();
	if (child == 0) {
		state_fixture_fork(fixture);
		if (!state_file_open(fixture, STATE_WRITE, &store) || !fixture_try_begin(fixture, store) ||
		    fixture_try_put(fixture, store, OBJECTS, 5) != COMMIT_DONE)
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	waitpid(child, NULL, 0);
	assert_true(state_file_open(fixture, STATE_READ, &store));
	assert_true(store->ops->heads(store, &fixture->arena, &heads, &count, &fixture->diagnostics));
	assert_int_equal(count, OBJECTS + 5);
	store->ops->close(store);
}

/* Who reads warns, who writes closes it as well, with the log that a killed run left. */
static void test_open_to_others(void **state)
{
	static const struct {
		const char *name;
		mode_t mode;
		bool linked, told;
	} rows[] = {
		{"ours alone", 0600, false, false},	     {"read by all", 0644, false, true},
		{"written by the group", 0660, false, true}, {"written by all", 0666, false, true},
		{"behind a link", 0644, true, true},
	};
	struct state_fixture *fixture = (struct state_fixture *)*state;
	const char *file = arena_text(&fixture->arena, "%s/target.db", fixture->folder);
	const char *log = arena_text(&fixture->arena, "%s-wal", file);
	struct stat status;
	struct store *store;

	snprintf(fixture->path, sizeof(fixture->path), "%s", file);
	state_file_make(fixture);
	assert_int_equal(symlink("target.db", arena_text(&fixture->arena, "%s/link.db", fixture->folder)), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		snprintf(fixture->path, sizeof(fixture->path), "%s/%s.db", fixture->folder,
			 rows[i].linked ? "link" : "target");
		assert_int_equal(close(open(log, O_CREAT | O_WRONLY | O_CLOEXEC, 0600)), 0);
		assert_int_equal(chmod(log, rows[i].mode), 0);
		assert_int_equal(chmod(file, rows[i].mode), 0);
		for (size_t j = 0; j < 3; j++) {
			bool writes = j == 1, told = rows[i].told && j < 2;

			assert_true(state_file_open(fixture, writes ? STATE_WRITE : STATE_READ, &store));
			assert_int_equal(stat(file, &status), 0);
			if ((strstr(state_fixture_told(fixture), "was open to other users") != NULL) != told ||
			    (status.st_mode & 0777) != (j == 0 ? rows[i].mode : 0600) ||
			    (writes && (stat(log, &status) < 0 || (status.st_mode & 0777) != 0600)))
				fail_msg("%s, %zu: %o, %s", rows[i].name, j, (unsigned)status.st_mode,
					 state_fixture_told(fixture));
			store->ops->close(store);
		}
	}
}

/* With a second name it would have a second log; a name that a run was killed under is no second one. */
static void test_names_of_one_file(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	const char *left = arena_text(&fixture->arena, "%s.new-0123456789abcdef", fixture->path);
	const char *copy = arena_text(&fixture->arena, "%s/copy.db", fixture->folder);
	struct store *store;

	state_file_make(fixture);
	assert_int_equal(link(fixture->path, left), 0);
	assert_true(state_file_open(fixture, STATE_WRITE, &store));
	store->ops->close(store);
	assert_false(place_has_name(left));
	assert_int_equal(link(fixture->path, copy), 0);
	assert_false(state_file_open(fixture, STATE_WRITE, &store));
	assert_true(slice_contains(fixture->diagnostics.items[0].message, SLICE("has 2 names (hard links)")));
	assert_true(state_file_open(fixture, STATE_READ, &store));
	store->ops->close(store);
	assert_int_equal(unlink(copy), 0);
	assert_true(state_file_open(fixture, STATE_WRITE, &store));
	store->ops->close(store);
}

/* An error of nothing but a missing stack name is none: then any stack will do. */
static void test_any_stack(void **state)
{
	static const struct state_options options = {.access = STATE_READ, .busy_timeout_ms = 50};
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store;

	state_file_make(fixture);
	assert_true(state_open(&fixture->world, fixture->path, &options, (struct slice){NULL, 0}, &store,
			       &fixture->diagnostics));
	assert_true(slice_is(store->ops->record(store)->name, "lab"));
	store->ops->close(store);
}

/* What was left by those that were killed goes, and nothing else. */
static void test_left_behind(void **state)
{
	static const struct {
		const char *name; /* behind that of the file */
		int64_t age_s;
		bool stays;
	} rows[] = {
		{".new-0123456789abcdef", 7200, false},
		{".new-0123456789abcdef-journal", 7200, false},
		{".new-0123456789abcdef-wal", 7200, false},
		{".new-fedcba9876543210", 1800, true},
		{".new-0123456789abcdef-mine", 7200, true},
		{".new-0123456789abcde", 7200, true},
		{".new-0123456789ABCDEF", 7200, true},
		{".old-0123456789abcdef", 7200, true},
		{"2.new-0123456789abcdef", 7200, true},
		{"-journal", 7200, true},
		{"", 7200, true},
	};
	struct state_fixture *fixture = (struct state_fixture *)*state;
	const char *temporary;
	char path[300];

	assert_true(place_make_folder(&fixture->world, fixture->path, &fixture->diagnostics));
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct timespec times[2] = {{.tv_sec = time(NULL) - rows[i].age_s}};
		FILE *file;

		(void)snprintf(path, sizeof(path), "%s%s", fixture->path, rows[i].name);
		file = fopen(path, "we");
		assert_non_null(file);
		assert_int_equal(fclose(file), 0);
		times[1] = times[0];
		assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	}
	assert_true(place_begin(&fixture->world, "create the state file", fixture->path, &fixture->arena, &temporary,
				&fixture->diagnostics));
	for (size_t i = 0; i < COUNT(rows); i++) {
		(void)snprintf(path, sizeof(path), "%s%s", fixture->path, rows[i].name);
		if (place_has_name(path) != rows[i].stays)
			fail_msg("'%s' %s", rows[i].name, rows[i].stays ? "is gone" : "is still there");
	}
	place_abandon(temporary);
}

/* Killed, a run leaves its log. Without its file that is put into no other: one that was made beside it would be
 * damaged. */
static void test_log_without_file(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;
	struct store *store;
	const char *log = arena_text(&fixture->arena, "%s-wal", fixture->path);
	pid_t child;

	state_file_make(fixture);
	child = fork();
	if (child == 0) {
		state_fixture_fork(fixture);
		if (!state_file_open(fixture, STATE_WRITE, &store) || !fixture_try_begin(fixture, store) ||
		    fixture_try_put(fixture, store, OBJECTS, 5) != COMMIT_DONE)
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	waitpid(child, NULL, 0);
	assert_int_equal(unlink(fixture->path), 0);
	assert_false(state_file_open(fixture, STATE_WRITE, &store));
	assert_true(state_fixture_said(fixture, FAULT_USER, log));
	assert_true(state_fixture_said(fixture, FAULT_USER, "move the log away as well"));
	assert_int_equal(access(fixture->path, F_OK), -1);
	/* Nothing of a commit is in it. */
	assert_int_equal(truncate(log, 32), 0);
	assert_null(state_file_use(fixture, STATE_WRITE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STATE_TEST(test_locked),
		STATE_TEST(test_not_writable),
		STATE_TEST(test_vfs),
		STATE_TEST(test_networks),
		STATE_TEST(test_names),
		STATE_TEST(test_link),
		STATE_TEST(test_open_to_others),
		STATE_TEST(test_names_of_one_file),
		STATE_TEST(test_any_stack),
		STATE_TEST(test_left_behind),
		STATE_TEST(test_network_links),
		STATE_TEST(test_no_folder),
		STATE_TEST(test_log_without_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
