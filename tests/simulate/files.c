#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/simulate/universe.h"

enum { HIDDEN_ONE_IN = 4 };

/* Files of a process: those of the disk in memory, and the few of /proc that the program asks for. */

/* A command is handed a copy of the world, so its address tells nothing. */
static struct process *of_world(struct world *world)
{
	return world->context;
}

static const char *const steps[DISK_STEP_COUNT] = {
	[DISK_STEP_CREATE] = "disk-create", [DISK_STEP_WRITE] = "disk-write",	[DISK_STEP_TRUNCATE] = "disk-truncate",
	[DISK_STEP_SYNC] = "disk-sync",	    [DISK_STEP_REMOVE] = "disk-remove", [DISK_STEP_RENAME] = "disk-rename",
	[DISK_STEP_LOCK] = "disk-lock",
};

static enum disk_outcome suffer(struct process *process, enum disk_step step, enum mishap mishap)
{
	process_suffer(process, mishap, steps[step]);
	switch ((int)mishap) {
	case MISHAP_DISK_FULL:
		return DISK_FULL;
	case MISHAP_DISK_SHORT:
		return DISK_SHORT;
	case MISHAP_DISK_CRASH:
		process_die(process, false);
		/* What was under way may be half done. */
		return chance_one_in(&process->universe->fate, 2) ? DISK_SHORT : DISK_NOTHING;
	case MISHAP_POWER:
		process_die(process, true);
		return DISK_NOTHING;
	default:
		return DISK_ERROR;
	}
}

/* Whether so much was sent that steps count. */
static bool is_counted(const struct process *process)
{
	const struct misfortune *misfortune = &process->misfortune;

	if (!misfortune->after_change)
		return process->requests >= misfortune->disk_after;
	return process->first_change > 0 && process->requests - process->first_change >= misfortune->disk_after;
}

enum disk_outcome files_ask(struct disk_access *access, enum disk_step step, const char *path)
{
	struct process *process = access->context;

	(void)path;
	if (process->dead)
		return DISK_NOTHING;
	process->steps++;
	if (is_counted(process) && (step == DISK_STEP_LOCK || !process->misfortune.locks_alone) &&
	    ++process->steps_after == process->misfortune.disk_step)
		return suffer(process, step, process->misfortune.disk_mishap);
	if (process->misfortune.aimed && process->universe->changes > 0 &&
	    target_strikes(&process->universe->target, steps[step], &process->universe->fate))
		return suffer(process, step, process->universe->target.mishap);
	return DISK_DONE;
}

static bool fail(struct diagnostics *diagnostics, enum fault fault, const char *what, const char *path, const char *why)
{
	return diag_error(diagnostics, fault, NOWHERE, "cannot %s '%s': %s", what, path, why);
}

/*
 * Process ids are not given again, and nobody but the runs of the program is on the machine. Most that died are still
 * shown as such; of the others it cannot be told, so that their leases have to end by themselves.
 */
static bool read_process_file(struct process *process, struct arena *arena, const char *path, struct slice *ret)
{
	struct slice rest = slice_of(path);
	int64_t number;

	if (strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) {
		*ret = arena_format(arena, "00000000-0000-4000-8000-%012u\n", process->universe->boots);
		return true;
	}
	if (!slice_starts_with(rest, SLICE("/proc/")))
		return false;
	rest = slice_from(rest, strlen("/proc/"));
	if (!slice_integer(slice_cut(&rest, '/'), &number))
		return false;
	const struct process *each = process;

	while (each && (each->world.process_id != number || each->dead))
		each = each->outer;
	if (!each && (number > process->universe->last_process || number % HIDDEN_ONE_IN == 0))
		return false;
	*ret = arena_format(arena, "%lld (trueup) %c 1 1 1 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 %lld 0 0\n",
			    (long long)number, each ? 'R' : 'Z', (long long)number);
	return true;
}

static bool read_file(struct world *world, struct arena *arena, const char *path, size_t limit_bytes, struct slice *ret,
		      struct diagnostics *diagnostics)
{
	struct process *process = of_world(world);
	const struct disk_file *file = disk_find(&process->universe->disk, slice_of(path));

	if (strncmp(path, "/proc/", 6) == 0)
		return read_process_file(process, arena, path, ret) ||
		       fail(diagnostics, FAULT_ABSENT, "read", path, "it does not exist");
	if (!file)
		return fail(diagnostics, FAULT_ABSENT, "read", path, "it does not exist");
	if (file->is_folder || file->size > limit_bytes)
		return fail(diagnostics, FAULT_USER, "read", path,
			    file->is_folder ? "it is a folder" : "it is too large");
	*ret = arena_copy(arena, (struct slice){file->bytes, file->size});
	return true;
}

/* Each of them as the real one does it: the file under a name of its own, synced, renamed, the folder synced. */
static bool replace(struct process *process, const char *path, struct slice text)
{
	struct disk_access *access = &process->access;
	struct disk *disk = access->disk;
	char temporary[256];
	size_t at = disk_name_offset(slice_of(path));
	uint64_t number = chance_bits(&process->universe->random);
	enum disk_outcome outcome;
	struct disk_file *file;

	(void)snprintf(temporary, sizeof(temporary), "%.*s.trueup-%016" PRIx64, (int)at, path, number);
	if (files_ask(access, DISK_STEP_CREATE, temporary) != DISK_DONE)
		return false;
	file = disk_create(disk, slice_of(temporary));
	outcome = files_ask(access, DISK_STEP_WRITE, temporary);
	if (outcome == DISK_DONE || outcome == DISK_SHORT || outcome == DISK_FULL)
		disk_write(file, 0, text.data, outcome == DISK_DONE ? text.size : text.size / 2);
	if (outcome == DISK_DONE)
		outcome = files_ask(access, DISK_STEP_SYNC, temporary);
	if (outcome == DISK_DONE) {
		disk_sync(file);
		outcome = files_ask(access, DISK_STEP_RENAME, path);
	}
	if (outcome != DISK_DONE) {
		if (!process->dead)
			disk_remove(disk, slice_of(temporary));
		return false;
	}
	disk_rename(disk, slice_of(temporary), slice_of(path));
	if (files_ask(access, DISK_STEP_SYNC, path) != DISK_DONE)
		return false;
	disk_sync_folder_of(disk, slice_of(path));
	return true;
}

static bool write_file(struct world *world, const char *path, struct slice text, unsigned mode,
		       struct diagnostics *diagnostics)
{
	(void)mode;
	return replace(of_world(world), path, text) ||
	       fail(diagnostics, FAULT_USER, "write", path, "the disk does not work");
}

static int compare_names(const void *a, const void *b)
{
	return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

static bool list_folder(struct world *world, struct arena *arena, const char *path, struct slice **ret_names,
			size_t *ret_count, struct diagnostics *diagnostics)
{
	const struct disk *disk = &of_world(world)->universe->disk;
	struct slice whole = slice_of(path);
	const struct disk_file *folder = disk_find(disk, whole);
	struct slice *names = arena_new_array(arena, disk->name_count, struct slice);
	size_t count = 0;

	if (!folder || !folder->is_folder)
		return fail(diagnostics, FAULT_ABSENT, "list", path, "there is no such folder");
	for (size_t i = 0; i < disk->name_count; i++) {
		struct slice name = slice_of(disk->names[i].path);
		size_t at = disk_name_offset(name);

		if (disk->names[i].written && at == whole.size + 1 && slice_starts_with(name, whole))
			names[count++] = arena_copy(arena, slice_from(name, at));
	}
	qsort(names, count, sizeof(*names), compare_names);
	*ret_names = names;
	*ret_count = count;
	return true;
}

static bool make_folder(struct world *world, const char *path, unsigned mode, struct diagnostics *diagnostics)
{
	struct process *process = of_world(world);
	struct disk *disk = &process->universe->disk;
	const struct disk_file *there = disk_find(disk, slice_of(path));

	(void)mode;
	if (there)
		return there->is_folder ||
		       fail(diagnostics, FAULT_USER, "make the folder", path, "a file has that name");
	if (files_ask(&process->access, DISK_STEP_CREATE, path) != DISK_DONE || !disk_make_folder(disk, slice_of(path)))
		return fail(diagnostics, FAULT_USER, "make the folder", path, "the disk does not work");
	disk_sync_folder_of(disk, slice_of(path));
	return true;
}

/* "keep PATH" puts its input into a file, as carefully as the program itself would. */
static bool run_program(struct world *world, struct arena *arena, const struct program *program, struct slice *ret,
			struct diagnostics *diagnostics)
{
	char *const *arguments = program->arguments;

	(void)arena;
	if (strcmp(arguments[0], "keep") != 0 || !arguments[1])
		return fail(diagnostics, FAULT_ABSENT, "run", arguments[0], "there is no such program");
	if (program->watch.go_on && !program->watch.go_on(program->watch.context))
		return fail(diagnostics, FAULT_USER, "run", arguments[0], "it was called off");
	*ret = (struct slice){NULL, 0};
	return replace(of_world(world), arguments[1], program->input) ||
	       fail(diagnostics, FAULT_USER, "run", arguments[0], "the disk does not work");
}

void files_init(struct world *world)
{
	world->read_file = read_file;
	world->write_file = write_file;
	world->list_folder = list_folder;
	world->make_folder = make_folder;
	world->run_program = run_program;
}
