/*
 * Runs a command as the program does, and tells how much of its CPU time the simulator took:
 *
 *   apply_cost RESULT trueup [ARGUMENT ...]
 *
 * Writes one line into RESULT: CPU time of the whole process and CPU time within the simulator, which stands
 * for the service and is no work of the program's, in microseconds. Counted as the simulator's is what it does with a
 * request from its arrival to its answer, its file included; its queue of requests under way is not. The linker puts
 * simulate() in the place of sim_http_execute() (ld's option --wrap).
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/world.h"
#include "providers/sim/sim_http.h"

/* Names that are the linker's, under others that are ours. */
void execute(struct sim *sim, struct arena *arena, const struct http_request *request,
	     struct sim_answer *answer) __asm__("__real_sim_http_execute");
void simulate(struct sim *sim, struct arena *arena, const struct http_request *request,
	      struct sim_answer *answer) __asm__("__wrap_sim_http_execute");

static long long simulator_ns;

static long long cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

void simulate(struct sim *sim, struct arena *arena, const struct http_request *request, struct sim_answer *answer)
{
	long long began_ns = cpu_ns();

	execute(sim, arena, request, answer);
	simulator_ns += cpu_ns() - began_ns;
}

int main(int argc, char **argv)
{
	struct diagnostics diagnostics;
	struct arena arena;
	struct world world;
	int status = EXIT_FAILURE;
	FILE *result = argc > 2 ? fopen(argv[1], "w") : NULL;

	if (!result)
		return EXIT_FAILURE;
	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	if (real_world_open(&world, &diagnostics)) {
		status = cli_run(&world, argc - 2, argv + 2);
		real_world_close(&world);
	}
	fprintf(result, "%lld %lld\n", cpu_ns() / 1000, simulator_ns / 1000);
	diagnostics_release(&diagnostics);
	arena_release(&arena);
	return fclose(result) == 0 ? status : EXIT_FAILURE;
}
