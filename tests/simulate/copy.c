#include <stdio.h>

#include "state/store_parts.h"
#include "tests/simulate/universe.h"

/*
 * `state backup`, and what `state rebuild --force` does first: the program makes its copy beside the real file, and the
 * simulated disk is none of those. The linker puts this before the program's own, as it does for mutants; its own is
 * tried with real files.
 */

enum { PATH_BYTES = 128 };

/* By the name that the linker knows it under, see --wrap in ld(1). */
bool copy_store_backup(struct store *store, const char *path, bool replaces,
		       struct diagnostics *diagnostics) __asm__("__wrap_store_backup");

/* The log first: the copy is there once the file is. */
bool copy_store_backup(struct store *store, const char *path, bool replaces, struct diagnostics *diagnostics)
{
	static const char *const ends[] = {"-wal", ""};
	const struct stack_file *file = &sqlite_store_of(store)->file;
	struct process *process = file->world->context;
	bool copied = true;

	(void)replaces;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]) && copied; i++) {
		char from[PATH_BYTES], to[PATH_BYTES];

		(void)snprintf(from, sizeof(from), "%s%s", file->name, ends[i]);
		(void)snprintf(to, sizeof(to), "%s%s", path, ends[i]);
		const struct disk_file *there = disk_find(&process->universe->disk, slice_of(from));

		copied = !there || file->world->write_file(file->world, to, (struct slice){there->bytes, there->size},
							   0600, diagnostics);
	}
	return copied;
}
