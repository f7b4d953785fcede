/*
 * Runs a program and tells what it took:  measure RESULT PROGRAM [ARGUMENT ...]
 *
 * A process's peak memory begins with that of the process it was forked from (Linux takes over
 * the old image's peak when the new one starts), so whoever measures small programs must be small itself:
 * a script's interpreter would be all that shows. Writes one line into RESULT: wall and CPU time
 * in microseconds, peak memory in KiB, exit status (128 and the signal's number where one ended it).
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static long long microseconds(struct timeval time)
{
	return (long long)time.tv_sec * 1000000 + time.tv_usec;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;

	if (argc < 3)
		return EXIT_FAILURE;
	long long began_us = now_us();
	pid_t child = fork();
	if (child < 0)
		return EXIT_FAILURE;
	if (child == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (wait4(child, &status, 0, &usage) != child)
		return EXIT_FAILURE;
	long long wall_us = now_us() - began_us;
	FILE *result = fopen(argv[1], "w");
	if (!result)
		return EXIT_FAILURE;
	fprintf(result, "%lld %lld %ld %d\n", wall_us, microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
		usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return fclose(result) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
