#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* nftw(), CLOCK_BOOTTIME */
#endif

#include "tests/unit/support_state.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

static struct state_fixture *fixture_of(struct world *world)
{
	return (struct state_fixture *)world;
}

static int64_t clock_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t fixture_wall_ms(struct world *world)
{
	return clock_ms(CLOCK_REALTIME) + fixture_of(world)->wall_offset_ms;
}

static int64_t fixture_boot_ms(struct world *world)
{
	return clock_ms(CLOCK_BOOTTIME) + fixture_of(world)->boot_offset_ms;
}

static void fixture_random(struct world *world, void *bytes, size_t size)
{
	(void)world;
	if (getrandom(bytes, size, 0) != (ssize_t)size)
		abort();
}

static bool read_descriptor(int file, struct arena *arena, size_t limit_bytes, struct slice *ret)
{
	char *data = (char *)arena_get(arena, limit_bytes + 1);
	size_t size = 0;
	ssize_t count;

	while ((count = read(file, data + size, limit_bytes - size)) > 0)
		size += (size_t)count;
	*ret = (struct slice){data, size};
	return count == 0;
}

static bool fixture_read_file(struct world *world, struct arena *arena, const char *path, size_t limit_bytes,
			      struct slice *ret, struct diagnostics *diagnostics)
{
	const struct state_fixture *fixture = fixture_of(world);
	bool is_boot_id = strstr(path, "boot_id") != NULL, is_read;
	int file;

	if (is_boot_id && fixture->boot_id && fixture->boot_id[0]) {
		*ret = arena_copy(arena, slice_of(fixture->boot_id));
		return true;
	}
	if ((is_boot_id && fixture->boot_id) || (strstr(path, "/stat") && fixture->processes_hidden))
		return diag_error(diagnostics, FAULT_ABSENT, NOWHERE, "hidden");
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return diag_error(diagnostics, FAULT_ABSENT, NOWHERE, "cannot read '%s'", path);
	is_read = read_descriptor(file, arena, limit_bytes, ret);
	close(file);
	return is_read;
}

static bool fixture_make_folder(struct world *world, const char *path, unsigned mode, struct diagnostics *diagnostics)
{
	(void)world;
	if (mkdir(path, (mode_t)mode) == 0 || errno == EEXIST)
		return true;
	return diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot make the folder '%s': %s", path, strerror(errno));
}

int state_fixture_set_up(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)memory_get(sizeof(*fixture));

	alarm(250);
	snprintf(fixture->folder, sizeof(fixture->folder), "/tmp/test-state-XXXXXX");
	if (!mkdtemp(fixture->folder))
		return -1;
	snprintf(fixture->path, sizeof(fixture->path), "%s/.trueup/state.db", fixture->folder);
	arena_init(&fixture->arena);
	diagnostics_init(&fixture->diagnostics, &fixture->arena);
	fixture->world = (struct world){
		.wall_ms = fixture_wall_ms,
		.boot_ms = fixture_boot_ms,
		.random = fixture_random,
		.read_file = fixture_read_file,
		.make_folder = fixture_make_folder,
		.host_name = "workbench",
		.process_id = getpid(),
	};
	*state = fixture;
	return 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

int state_fixture_tear_down(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;

	diagnostics_release(&fixture->diagnostics);
	arena_release(&fixture->arena);
	nftw(fixture->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(fixture);
	return 0;
}

void state_fixture_fork(struct state_fixture *fixture)
{
	/* However the test ends, its children do not outlive it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fixture->world.process_id = getpid();
	fixture->is_child = true;
}

void state_fixture_end_child(struct state_fixture *fixture)
{
	if (!fixture->is_child)
		return;
	fprintf(stderr, "child: %s", state_fixture_told(fixture));
	_exit(99);
}

bool state_fixture_is_slow(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	return preloaded && strstr(preloaded, "vgpreload");
}

void state_fixture_forget(struct state_fixture *fixture)
{
	diagnostics_release(&fixture->diagnostics);
	diagnostics_init(&fixture->diagnostics, &fixture->arena);
}

bool state_fixture_said(const struct state_fixture *fixture, enum fault fault, const char *part)
{
	for (size_t i = 0; i < fixture->diagnostics.count; i++) {
		const struct diag *diag = &fixture->diagnostics.items[i];

		if (diag->severity == SEVERITY_ERROR && diag->fault == fault &&
		    (slice_contains(diag->message, slice_of(part)) || slice_contains(diag->hint, slice_of(part)) ||
		     slice_contains(diag->cause, slice_of(part))))
			return true;
	}
	return false;
}

const char *state_fixture_told(struct state_fixture *fixture)
{
	struct slice told = {NULL, 0};

	for (size_t i = 0; i < fixture->diagnostics.count; i++) {
		const struct diag *diag = &fixture->diagnostics.items[i];

		told = arena_format(&fixture->arena, "%.*s[fault %d] %.*s | hint: %.*s | cause: %.*s\n",
				    SLICE_ARGUMENTS(told), (int)diag->fault, SLICE_ARGUMENTS(diag->message),
				    SLICE_ARGUMENTS(diag->hint), SLICE_ARGUMENTS(diag->cause));
	}
	return told.size > 0 ? told.data : "(no diagnostics)";
}

struct slice file_read(struct state_fixture *fixture, const char *path)
{
	struct slice text = {NULL, 0};
	struct stat status;
	int file = open(path, O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return text;
	if (fstat(file, &status) < 0 || !read_descriptor(file, &fixture->arena, (size_t)status.st_size + 1, &text))
		text = (struct slice){NULL, 0};
	close(file);
	return text;
}

bool file_write(const char *path, struct slice text)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
	bool written;

	if (file < 0)
		return false;
	written = text.size == 0 || write(file, text.data, text.size) == (ssize_t)text.size;
	return close(file) == 0 && written;
}
