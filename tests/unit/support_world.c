#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* nftw() */
#endif

#include "tests/unit/support_world.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/world.h"

int world_fixture_set_up(void **state)
{
	struct world_fixture *fixture = memory_get(sizeof *fixture);

	/* What should not wait and does ends the program, not the patience of whoever runs it. */
	alarm(120);
	snprintf(fixture->folder, sizeof fixture->folder, "/tmp/test-world-XXXXXX");
	if (mkdtemp(fixture->folder) == NULL)
		return -1;
	arena_init(&fixture->arena);
	diagnostics_init(&fixture->diagnostics, &fixture->arena);
	if (!real_world_open(&fixture->world, &fixture->diagnostics))
		return -1;
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

int world_fixture_tear_down(void **state)
{
	struct world_fixture *fixture = *state;

	real_world_close(&fixture->world);
	diagnostics_release(&fixture->diagnostics);
	arena_release(&fixture->arena);
	nftw(fixture->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(fixture);
	return 0;
}
