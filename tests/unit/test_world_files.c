#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_TMPFILE */
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/support_world.h"

enum { UNPRIVILEGED_USER = 65534, LARGE_BYTES = 3 * 1024 * 1024 };

/* A path that begins with '/' is taken as it is, others lie in the test's folder. */
static const char *path_of(struct world_fixture *fixture, const char *name)
{
	return name[0] == '/' ? name : arena_text(&fixture->arena, "%s/%s", fixture->folder, name);
}

static void make_file(const char *path, struct slice text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(text.data, 1, text.size, file), text.size);
	assert_int_equal(fclose(file), 0);
}

static struct slice repeated(struct world_fixture *fixture, char byte, size_t size)
{
	char *text = arena_get(&fixture->arena, size);

	memset(text, byte, size);
	return (struct slice){text, size};
}

/* The last diagnostic: its fault and words in its message; has a hint; then forgets it. */
static void check_error(const char *row, struct world_fixture *fixture, enum fault fault, const char *words)
{
	const struct diag *diag;

	if (fixture->diagnostics.error_count != 1)
		fail_msg("%s: %zu errors", row, fixture->diagnostics.error_count);
	diag = &fixture->diagnostics.items[0];
	if (diag->fault != fault || !slice_contains(diag->message, slice_of(words)) || diag->hint.size == 0)
		fail_msg("%s: fault %d: %.*s (hint: %.*s)", row, (int)diag->fault, SLICE_ARGUMENTS(diag->message),
			 SLICE_ARGUMENTS(diag->hint));
	diagnostics_release(&fixture->diagnostics);
	diagnostics_init(&fixture->diagnostics, &fixture->arena);
}

/* How many names are in the test's folder. */
static size_t count_names(struct world_fixture *fixture)
{
	struct slice *names = NULL;
	size_t count = 0;

	assert_true(fixture->world.list_folder(&fixture->world, &fixture->arena, fixture->folder, &names, &count,
					       &fixture->diagnostics));
	return count;
}

static struct slice content_of(struct world_fixture *fixture, const char *name)
{
	struct slice text = {NULL, 0};

	assert_true(fixture->world.read_file(&fixture->world, &fixture->arena, path_of(fixture, name), SIZE_MAX / 4,
					     &text, &fixture->diagnostics));
	return text;
}

static void make_things_to_read(struct world_fixture *fixture)
{
	make_file(path_of(fixture, "plain"), SLICE("kind: aws.vpc\n"));
	make_file(path_of(fixture, "-"), SLICE("dash"));
	make_file(path_of(fixture, "empty"), SLICE(""));
	make_file(path_of(fixture, "zeros"), SLICE("a\0b\0"));
	make_file(path_of(fixture, "large"), repeated(fixture, 'x', LARGE_BYTES));
	make_file(path_of(fixture, "sparse"), SLICE(""));
	assert_int_equal(truncate(path_of(fixture, "sparse"), (off_t)1 << 40), 0);
	assert_int_equal(mkdir(path_of(fixture, "folder"), 0700), 0);
	assert_int_equal(mkfifo(path_of(fixture, "pipe"), 0600), 0);
	assert_int_equal(symlink("plain", path_of(fixture, "link")), 0);
	assert_int_equal(symlink("round", path_of(fixture, "round")), 0);
	assert_int_equal(symlink("folder", path_of(fixture, "link-to-folder")), 0);
}

static void test_read_file(void **state)
{
	static const struct {
		const char *name;
		const char *path;
		size_t limit_bytes;
		size_t size; /* of what is read, where words is NULL */
		enum fault fault;
		const char *words;
	} rows[] = {
		{"a file", "plain", 1000, 14, FAULT_USER, NULL},
		{"exactly at the limit", "plain", 14, 14, FAULT_USER, NULL},
		{"one byte past the limit", "plain", 13, 0, FAULT_USER, "/plain': it is larger than 13 bytes"},
		{"limit of nothing", "plain", 0, 0, FAULT_USER, "it is larger than 0 bytes"},
		{"empty", "empty", 1000, 0, FAULT_USER, NULL},
		{"empty with a limit of nothing", "empty", 0, 0, FAULT_USER, NULL},
		{"NUL bytes", "zeros", 1000, 4, FAULT_USER, NULL},
		{"large", "large", LARGE_BYTES, LARGE_BYTES, FAULT_USER, NULL},
		{"large and more room", "large", LARGE_BYTES * 4, LARGE_BYTES, FAULT_USER, NULL},
		{"large past the limit", "large", LARGE_BYTES - 1, 0, FAULT_USER, "it is larger than"},
		{"past a round limit", "sparse", 2 * 1024 * 1024, 0, FAULT_USER, "it is larger than 2 MiB"},
		{"a terabyte", "sparse", 100000, 0, FAULT_USER, "it is larger than 100000 bytes"},
		{"its size is told as 0", "/proc/self/status", 10, 0, FAULT_USER, "it is larger than 10 bytes"},
		{"dash is a name", "-", 1000, 4, FAULT_USER, NULL},
		{"link", "link", 1000, 14, FAULT_USER, NULL},
		{"missing", "missing", 1000, 0, FAULT_ABSENT, "/missing': it, or a folder on the way"},
		{"missing folder", "missing/file", 1000, 0, FAULT_ABSENT, "it, or a folder on the way to it"},
		{"through a file", "plain/file", 1000, 0, FAULT_USER, "a part of its path is not a folder"},
		{"round", "round", 1000, 0, FAULT_USER, "its links lead round in a circle"},
		{"folder", "folder", 1000, 0, FAULT_USER, "/folder': it is a folder"},
		{"link to a folder", "link-to-folder", 1000, 0, FAULT_USER, "it is a folder"},
		{"pipe", "pipe", 1000, 0, FAULT_USER, "/pipe': it is a pipe"},
		{"device", "/dev/zero", 1000, 0, FAULT_USER, "cannot read '/dev/zero': it is a device"},
	};
	struct world_fixture *fixture = *state;

	make_things_to_read(fixture);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		static const char untouched[] = "untouched";
		struct slice text = SLICE(untouched);
		bool fine = fixture->world.read_file(&fixture->world, &fixture->arena, path_of(fixture, rows[i].path),
						     rows[i].limit_bytes, &text, &fixture->diagnostics);

		if (fine != (rows[i].words == NULL))
			fail_msg("%s: read or not", rows[i].name);
		if (!fine && text.data != untouched)
			fail_msg("%s: the output was touched", rows[i].name);
		if (!fine)
			check_error(rows[i].name, fixture, rows[i].fault, rows[i].words);
		if (fine && (text.size != rows[i].size || text.data[text.size] != '\0'))
			fail_msg("%s: %zu bytes", rows[i].name, text.size);
	}
	assert_true(slice_equal(content_of(fixture, "plain"), SLICE("kind: aws.vpc\n")));
	assert_true(slice_equal(content_of(fixture, "zeros"), SLICE("a\0b\0")));
	assert_true(slice_equal(content_of(fixture, "large"), repeated(fixture, 'x', LARGE_BYTES)));
	/* Its size is told as 0 and it takes several reads; where it cannot be read, the kernel hides it. */
	if (access("/proc/kallsyms", R_OK) == 0) {
		struct slice symbols = content_of(fixture, "/proc/kallsyms");

		assert_true(symbols.size > 100000);
		assert_null(memchr(symbols.data, '\0', symbols.size));
	}
}

/* As root every file can be read, so another user is played. */
static void test_not_permitted(void **state)
{
	struct world_fixture *fixture = *state;
	const char *secret = path_of(fixture, "secret");
	const char *closed = path_of(fixture, "closed");
	const char *inside = path_of(fixture, "closed/file");
	bool root = geteuid() == 0;
	struct slice text;
	struct slice *names;
	size_t count;

	make_file(secret, SLICE("x"));
	assert_int_equal(chmod(secret, 0), 0);
	assert_int_equal(chmod(fixture->folder, 0711), 0);
	assert_int_equal(mkdir(closed, 0), 0);
	if (root)
		assert_int_equal(seteuid(UNPRIVILEGED_USER), 0);
	if (fixture->world.read_file(&fixture->world, &fixture->arena, secret, 10, &text, &fixture->diagnostics))
		fail_msg("a file of mode 0 was read");
	check_error("read", fixture, FAULT_USER, "/secret': permission denied");
	if (fixture->world.write_file(&fixture->world, inside, SLICE("x"), 0600, &fixture->diagnostics))
		fail_msg("a file was written into a folder of mode 0");
	check_error("write", fixture, FAULT_USER, "cannot write '");
	if (fixture->world.list_folder(&fixture->world, &fixture->arena, closed, &names, &count, &fixture->diagnostics))
		fail_msg("a folder of mode 0 was listed");
	check_error("list", fixture, FAULT_USER, "/closed': permission denied");
	if (fixture->world.make_folder(&fixture->world, inside, 0700, &fixture->diagnostics))
		fail_msg("a folder was made in a folder of mode 0");
	check_error("make", fixture, FAULT_USER, "/closed/file': permission denied");
	if (root)
		assert_int_equal(seteuid(0), 0);
}

static void test_write_file(void **state)
{
	static const struct {
		const char *name;
		const char *path;
		size_t size;
		unsigned mode;
	} rows[] = {
		{"new", "new", 100, 0600},
		{"replaced by a shorter one", "new", 10, 0600},
		{"replaced with another mode", "new", 10, 0644},
		{"readable in spite of the umask", "shared", 10, 0664},
		{"empty", "nothing", 0, 0600},
		{"large", "large", LARGE_BYTES, 0600},
		{"a name of the greatest length",
		 "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
		 "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
		 "0123456789012345678901234567890123456789012345678901234",
		 10, 0600},
		{"in a folder", "folder/file", 10, 0600},
		{"in a folder behind a link", "link-to-folder/file", 20, 0600},
	};
	struct world_fixture *fixture = *state;
	mode_t old_mask = umask(077);

	assert_int_equal(mkdir(path_of(fixture, "folder"), 0700), 0);
	assert_int_equal(symlink("folder", path_of(fixture, "link-to-folder")), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *path = path_of(fixture, rows[i].path);
		struct slice text = repeated(fixture, (char)('a' + i), rows[i].size);
		struct stat status;

		if (!fixture->world.write_file(&fixture->world, path, text, rows[i].mode, &fixture->diagnostics))
			fail_msg("%s: %s", rows[i].name, fixture->diagnostics.items[0].message.data);
		if (lstat(path, &status) < 0 || !S_ISREG(status.st_mode) || (status.st_mode & 07777) != rows[i].mode)
			fail_msg("%s: not a file of mode %o", rows[i].name, rows[i].mode);
		if (!slice_equal(content_of(fixture, rows[i].path), text))
			fail_msg("%s: other content", rows[i].name);
	}
	umask(old_mask);
	/* new, shared, nothing, large, the long name, folder and its link: no temporary file. */
	assert_int_equal(count_names(fixture), 7);
}

/* The names that come up in the folder, in their order, each followed by a space. */
static struct slice names_until_now(struct world_fixture *fixture, int watch)
{
	_Alignas(struct inotify_event) char events[4096];
	struct slice names = SLICE("");
	ssize_t size;

	while ((size = read(watch, events, sizeof events)) > 0) {
		for (ssize_t at = 0; at < size;) {
			const struct inotify_event *event = (const struct inotify_event *)(const void *)(events + at);

			names = arena_format(&fixture->arena, "%.*s%s ", SLICE_ARGUMENTS(names), event->name);
			at += (ssize_t)(sizeof *event + event->len);
		}
	}
	return names;
}

/* Whoever is killed while a file is filled leaves nothing; of one that has its text, what is written next removes. */
static void test_write_file_leaves_nothing(void **state)
{
	struct world_fixture *fixture = *state;
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	const char *path = path_of(fixture, "file");
	struct slice names, draft;
	int unnamed = open(fixture->folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	if (unnamed < 0)
		skip();
	close(unnamed);
	assert_true(inotify_add_watch(watch, fixture->folder, IN_CREATE) >= 0);
	assert_true(fixture->world.write_file(&fixture->world, path, SLICE("x"), 0600, &fixture->diagnostics));
	names = names_until_now(fixture, watch);
	if (!slice_is(names, "file "))
		fail_msg("a new file: %.*s", SLICE_ARGUMENTS(names));
	assert_true(fixture->world.write_file(&fixture->world, path, SLICE("y"), 0600, &fixture->diagnostics));
	names = names_until_now(fixture, watch);
	draft = slice_cut(&names, ' ');
	assert_true(slice_starts_with(draft, SLICE(".trueup-")));
	make_file(path_of(fixture, arena_string(&fixture->arena, draft)), SLICE("of a run that was killed"));
	assert_true(fixture->world.write_file(&fixture->world, path, SLICE("z"), 0600, &fixture->diagnostics));
	assert_true(slice_equal(content_of(fixture, "file"), SLICE("z")));
	assert_int_equal(count_names(fixture), 1);
	close(watch);
}

/* A relative path without a folder in it. */
static void test_write_file_here(void **state)
{
	struct world_fixture *fixture = *state;
	char before[4096];

	assert_non_null(getcwd(before, sizeof before));
	assert_int_equal(chdir(fixture->folder), 0);
	assert_true(fixture->world.write_file(&fixture->world, "here", SLICE("x"), 0600, &fixture->diagnostics));
	assert_int_equal(chdir(before), 0);
	assert_true(slice_equal(content_of(fixture, "here"), SLICE("x")));
}

static void test_write_file_fails(void **state)
{
	static const struct {
		const char *name;
		const char *path;
		enum fault fault;
		const char *words;
	} rows[] = {
		{"missing folder", "missing/file", FAULT_ABSENT, "cannot write '"},
		{"through a file", "kept/file", FAULT_USER, "a part of its path is not a folder"},
		{"folder", "folder", FAULT_USER, "/folder': it is a folder"},
		{"folder with a slash", "folder/", FAULT_USER, "/folder/': it is a folder"},
		{"pipe", "pipe", FAULT_USER, "/pipe': it is a pipe"},
		{"link to a file", "link", FAULT_USER, "/link': it is a symbolic link"},
		{"link to nothing", "dangling", FAULT_USER, "/dangling': it is a symbolic link"},
		{"too long a name",
		 "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
		 "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
		 "01234567890123456789012345678901234567890123456789012345",
		 FAULT_USER, "its name is too long"},
	};
	struct world_fixture *fixture = *state;

	make_file(path_of(fixture, "kept"), SLICE("kept"));
	assert_int_equal(mkdir(path_of(fixture, "folder"), 0700), 0);
	assert_int_equal(mkfifo(path_of(fixture, "pipe"), 0600), 0);
	assert_int_equal(symlink("kept", path_of(fixture, "link")), 0);
	assert_int_equal(symlink("nothing", path_of(fixture, "dangling")), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (fixture->world.write_file(&fixture->world, path_of(fixture, rows[i].path), SLICE("x"), 0600,
					      &fixture->diagnostics))
			fail_msg("%s: written", rows[i].name);
		check_error(rows[i].name, fixture, rows[i].fault, rows[i].words);
		if (count_names(fixture) != 5)
			fail_msg("%s: something was left behind", rows[i].name);
	}
	assert_true(slice_equal(content_of(fixture, "kept"), SLICE("kept")));
}

/* The limit on a file's size stands for a disk that fills up amid the text. */
static void test_write_file_runs_out_of_room(void **state)
{
	struct world_fixture *fixture = *state;
	struct rlimit before;
	struct rlimit tight;
	bool fine;

	make_file(path_of(fixture, "kept"), SLICE("kept"));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	tight = (struct rlimit){.rlim_cur = 4096, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
	fine = fixture->world.write_file(&fixture->world, path_of(fixture, "kept"), repeated(fixture, 'x', 10000), 0600,
					 &fixture->diagnostics);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_false(fine);
	check_error("size limit", fixture, FAULT_USER, "/kept': it would be larger than the limit for files");
	assert_int_equal(count_names(fixture), 1);
	assert_true(slice_equal(content_of(fixture, "kept"), SLICE("kept")));
}

static void test_list_folder(void **state)
{
	static const char *const sorted[] = {".hidden", "B", "a", "a.yaml", "ab", "b", "folder", "\xc3\xa9"};
	static const struct {
		const char *name;
		const char *path;
		enum fault fault;
		const char *words;
	} rows[] = {
		{"missing", "missing", FAULT_ABSENT, "cannot list '"},
		{"file", "a", FAULT_USER, "a part of its path is not a folder"},
	};
	enum { COUNT = sizeof(sorted) / sizeof(sorted[0]) };
	struct world_fixture *fixture = *state;
	struct slice *names = NULL;
	size_t count = 1;

	assert_true(fixture->world.list_folder(&fixture->world, &fixture->arena, fixture->folder, &names, &count,
					       &fixture->diagnostics));
	assert_int_equal(count, 0);
	for (size_t i = COUNT; i-- > 0;) {
		if (strcmp(sorted[i], "folder") == 0)
			assert_int_equal(mkdir(path_of(fixture, sorted[i]), 0700), 0);
		else
			make_file(path_of(fixture, sorted[i]), SLICE(""));
	}
	assert_true(fixture->world.list_folder(&fixture->world, &fixture->arena, fixture->folder, &names, &count,
					       &fixture->diagnostics));
	assert_int_equal(count, COUNT);
	for (size_t i = 0; i < COUNT; i++)
		if (!slice_is(names[i], sorted[i]))
			fail_msg("'%.*s' where '%s' belongs", SLICE_ARGUMENTS(names[i]), sorted[i]);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		count = 77;
		if (fixture->world.list_folder(&fixture->world, &fixture->arena, path_of(fixture, rows[i].path), &names,
					       &count, &fixture->diagnostics) ||
		    count != 77)
			fail_msg("%s: listed", rows[i].name);
		check_error(rows[i].name, fixture, rows[i].fault, rows[i].words);
	}
}

static void test_list_many(void **state)
{
	struct world_fixture *fixture = *state;
	struct slice *names = NULL;
	size_t count = 0;

	for (int i = 0; i < 1000; i++)
		make_file(arena_text(&fixture->arena, "%s/%d", fixture->folder, i), SLICE(""));
	assert_true(fixture->world.list_folder(&fixture->world, &fixture->arena, fixture->folder, &names, &count,
					       &fixture->diagnostics));
	assert_int_equal(count, 1000);
	for (size_t i = 1; i < count; i++)
		assert_true(slice_compare(names[i - 1], names[i]) < 0);
}

/* Of what was synced last; in the place of the system's. */
static struct stat synced;

int fsync(int file) // NOLINT(readability-inconsistent-declaration-parameter-name)
{
	assert_int_equal(fstat(file, &synced), 0);
	return (int)syscall(SYS_fsync, file);
}

static void test_make_folder(void **state)
{
	static const struct {
		const char *name;
		const char *path;
		mode_t umask;
		enum fault fault;
		const char *words; /* NULL: made, or there already */
	} rows[] = {
		{"in spite of the umask", "masked", 0777, FAULT_USER, NULL},
		{"in spite of a part of it", "unwritten", 0277, FAULT_USER, NULL},
		{"new", "new", 077, FAULT_USER, NULL},
		{"there already", "new", 077, FAULT_USER, NULL},
		{"there behind a link", "link", 077, FAULT_USER, NULL},
		{"inside", "new/inside", 077, FAULT_USER, NULL},
		{"missing parent", "missing/new", 077, FAULT_ABSENT, "/missing/new': it, or a folder on the way to it"},
		{"a file has the name", "file", 077, FAULT_USER, "/file': a file has that name"},
		{"a dangling link has the name", "dangling", 077, FAULT_ABSENT, "cannot make the folder '"},
	};
	struct world_fixture *fixture = *state;
	struct stat status;

	make_file(path_of(fixture, "file"), SLICE(""));
	assert_int_equal(symlink("new", path_of(fixture, "link")), 0);
	assert_int_equal(symlink("nothing", path_of(fixture, "dangling")), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		mode_t old_mask = umask(rows[i].umask);
		bool fine = fixture->world.make_folder(&fixture->world, path_of(fixture, rows[i].path), 0700,
						       &fixture->diagnostics);

		umask(old_mask);
		if (fine && (stat(path_of(fixture, rows[i].path), &status) < 0 || (status.st_mode & 07777) != 0700))
			fail_msg("%s: mode %o", rows[i].name, (unsigned)status.st_mode);
		if (fine != (rows[i].words == NULL))
			fail_msg("%s: made or not", rows[i].name);
		if (!fine)
			check_error(rows[i].name, fixture, rows[i].fault, rows[i].words);
	}
	assert_int_equal(stat(path_of(fixture, "new/inside"), &status), 0);
	assert_true(S_ISDIR(status.st_mode));
	/* The last one that was made; it would be gone with the power where its name is not on the disk. */
	assert_int_equal(stat(path_of(fixture, "new"), &status), 0);
	assert_true(synced.st_ino == status.st_ino && synced.st_dev == status.st_dev);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_read_file),
		WORLD_TEST(test_not_permitted),
		WORLD_TEST(test_write_file_leaves_nothing),
		WORLD_TEST(test_write_file),
		WORLD_TEST(test_write_file_here),
		WORLD_TEST(test_write_file_fails),
		WORLD_TEST(test_write_file_runs_out_of_room),
		WORLD_TEST(test_list_folder),
		WORLD_TEST(test_list_many),
		WORLD_TEST(test_make_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
