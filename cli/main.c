#include <stdio.h>

#include "cli/cli.h"
#include "cli/exit_status.h"
#include "cli/world.h"

int main(int argc, char **argv)
{
	struct arena arena;
	struct diagnostics diagnostics;
	struct world world;
	int status = STATUS_ERROR;

	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	if (real_world_open(&world, &diagnostics)) {
		status = cli_run(&world, argc, argv);
		real_world_close(&world);
	} else {
		const struct diag *first = diagnostics_first_error(&diagnostics);

		fprintf(stderr, "error: %.*s\n", first ? (int)first->message.size : 0,
			first ? first->message.data : "");
	}
	diagnostics_release(&diagnostics);
	arena_release(&arena);
	return status;
}
