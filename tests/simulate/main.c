#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests/simulate/story.h"

/*
 * simulate [--first N] [--count N] [--jobs N] [--verbose] [--check N] [--report FILE]
 *
 * Tells the stories of `count` seeds. One that breaks a promise prints its seed, what
 * happened, and which promise; the exit status is then 1. --check: so many seeds are told
 * twice and must come out the same to the byte.
 */

enum { JOBS_MOST = 64 };

struct options {
	uint64_t first, count, jobs, check;
	bool verbose;
	const char *report;
};

struct outcome {
	uint64_t seeds, broken;
	struct tally tally;
};

/* One seed. Returns the digest of all that happened; *ret_broken: a promise was. */
static uint64_t tell(uint64_t seed, bool keep, struct tally *tally, bool *ret_broken, FILE *to)
{
	struct universe *universe = memory_get(sizeof(*universe));
	uint64_t hash;

	universe_open(universe, seed, keep, tally);
	story_tell(universe);
	hash = universe->trace.hash;
	*ret_broken = universe->failure[0] != '\0';
	if (keep && to)
		fprintf(to, "seed %" PRIu64 "\n%.*sseed %" PRIu64 ": %s, trace %016" PRIx64 "\n", seed,
			(int)universe->trace.text.size, universe->trace.text.data, seed,
			*ret_broken ? universe->failure : "all promises kept", hash);
	else if (*ret_broken && to)
		fprintf(to, "broken %" PRIu64 " %s\n%.*s", seed, universe->failure, (int)universe->schedule.size,
			universe->schedule.data);
	universe_close(universe);
	free(universe);
	return hash;
}

/* Whether seeds come out the same twice. */
static bool check(const struct options *options)
{
	bool good = true;

	for (uint64_t i = 0; i < options->check; i++) {
		uint64_t seed = options->first + i, hashes[2];
		struct tally tally;
		bool broken;

		tally_init(&tally);
		hashes[0] = tell(seed, false, &tally, &broken, NULL);
		hashes[1] = tell(seed, true, &tally, &broken, NULL);
		tally_release(&tally);
		if (hashes[0] == hashes[1])
			continue;
		good = false;
		printf("seed %" PRIu64 " came out in two ways: %016" PRIx64 " and %016" PRIx64 "\n", seed, hashes[0],
		       hashes[1]);
	}
	return good;
}

/* Tells each jobs-th seed and writes lines for the one who gathers. */
static void work(const struct options *options, uint64_t job, FILE *to)
{
	struct tally tally;

	tally_init(&tally);
	for (uint64_t i = job; i < options->count; i += options->jobs) {
		bool broken;

		fprintf(to, "seed %" PRIu64 "\n", options->first + i);
		fflush(to);
		tell(options->first + i, false, &tally, &broken, to);
	}
	tally_write(&tally, to);
	fprintf(to, "done 0\n");
	fclose(to);
	tally_release(&tally);
}

/* Every word of "RATHER LONG: it is ..." up to the colon. */
static void take_broken(struct outcome *outcome, const char *line)
{
	const char *text = strchr(line, ' ');
	char name[32] = "broken";
	size_t size = text ? strcspn(text + 1, ":,\n") : 0;

	outcome->broken++;
	printf("seed %s", line);
	fflush(stdout);
	if (size > 0 && size < sizeof(name))
		(void)snprintf(name, sizeof(name), "%.*s", (int)size, text + 1);
	for (char *at = name; *at; at++)
		*at = *at == ' ' ? '-' : *at;
	tally_add(&outcome->tally, "promises-broken", name, 1);
}

/* One line of a worker; *seed: the one that it was at last. */
static void take_line(struct outcome *outcome, const char *line, uint64_t *seed, bool *done)
{
	char operation[NAME_BYTES], mishap[NAME_BYTES], count[NAME_BYTES];

	if (strncmp(line, "seed ", 5) == 0) {
		*seed = strtoull(line + 5, NULL, 10);
		outcome->seeds++;
	} else if (strncmp(line, "broken ", 7) == 0)
		take_broken(outcome, line + 7);
	else if (sscanf(line, "pair %63s %63s %63s", operation, mishap, count) == 3)
		tally_add(&outcome->tally, operation, mishap, strtoull(count, NULL, 10));
	else if (strcmp(line, "done 0\n") == 0)
		*done = true;
	else if (line[0] == ' ')
		fputs(line, stdout);
}

static FILE *start_worker(const struct options *options, uint64_t job)
{
	int ends[2];
	pid_t child;

	if (pipe(ends) < 0 || (child = fork()) < 0) {
		perror("simulate");
		exit(1);
	}
	if (child > 0) {
		close(ends[1]);
		return fdopen(ends[0], "r");
	}
	close(ends[0]);
	work(options, job, fdopen(ends[1], "w"));
	exit(0);
}

/* Lines come at their own pace; a pipe holds what waits, and workers that wait do no harm. */
static void gather(FILE *from, struct outcome *outcome)
{
	char line[FAILURE_BYTES + NAME_BYTES];
	uint64_t seed = 0;
	bool done = false;

	while (fgets(line, sizeof(line), from))
		take_line(outcome, line, &seed, &done);
	fclose(from);
	if (!done) {
		printf("seed %" PRIu64 " ended the program\n", seed);
		outcome->broken++;
	}
}

static void gather_all(const struct options *options, struct outcome *outcome)
{
	FILE *workers[JOBS_MOST];

	for (uint64_t i = 0; i < options->jobs; i++)
		workers[i] = start_worker(options, i);
	for (uint64_t i = 0; i < options->jobs; i++)
		gather(workers[i], outcome);
	while (wait(NULL) > 0)
		;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool write_report(const struct options *options, const struct outcome *outcome, double elapsed_s)
{
	FILE *to = fopen(options->report, "w");

	if (!to) {
		perror(options->report);
		return false;
	}
	fprintf(to, "seeds %" PRIu64 " from %" PRIu64 ", broken %" PRIu64 ", %.1f s, %.2f ms a seed\n\n",
		outcome->seeds, options->first, outcome->broken, elapsed_s,
		elapsed_s * 1000 / (double)(outcome->seeds + !outcome->seeds));
	tally_show(&outcome->tally, to);
	return fclose(to) == 0;
}

static int run(const struct options *options)
{
	struct outcome outcome = {0};
	double began_s = seconds(), elapsed_s;
	bool good = true;

	tally_init(&outcome.tally);
	if (options->verbose) {
		for (uint64_t i = 0; i < options->count; i++) {
			bool broken;

			tell(options->first + i, true, &outcome.tally, &broken, stdout);
			outcome.broken += broken;
		}
		tally_release(&outcome.tally);
		return outcome.broken > 0;
	}
	gather_all(options, &outcome);
	elapsed_s = seconds() - began_s;
	printf("%" PRIu64 " seeds in %.1f s (%.2f ms each), %" PRIu64 " broke a promise\n", outcome.seeds, elapsed_s,
	       elapsed_s * 1000 / (double)(outcome.seeds + !outcome.seeds), outcome.broken);
	if (outcome.broken > 0)
		printf("to see one: simulate --verbose --count 1 --first SEED\n");
	if (options->report)
		good = write_report(options, &outcome, elapsed_s);
	tally_release(&outcome.tally);
	good &= check(options);
	return outcome.broken > 0 || !good;
}

int main(int count, char **words)
{
	struct options options = {.first = 1, .count = 100, .jobs = 2, .check = 2};
	const struct {
		const char *name;
		uint64_t *number;
	} numbers[] = {
		{"--first", &options.first},
		{"--count", &options.count},
		{"--jobs", &options.jobs},
		{"--check", &options.check},
	};

	for (int i = 1; i < count; i++) {
		bool known = strcmp(words[i], "--verbose") == 0;

		options.verbose |= known;
		for (size_t at = 0; i + 1 < count && at < sizeof(numbers) / sizeof(numbers[0]); at++) {
			if (known || strcmp(words[i], numbers[at].name) != 0)
				continue;
			*numbers[at].number = strtoull(words[++i], NULL, 10);
			known = true;
		}
		if (!known && i + 1 < count && strcmp(words[i], "--report") == 0) {
			options.report = words[++i];
			known = true;
		}
		if (!known) {
			fprintf(stderr, "simulate [--first N] [--count N] [--jobs N] [--verbose] [--check N] [--report "
					"FILE]\n");
			return 64;
		}
	}
	if (options.jobs == 0)
		options.jobs = 1;
	if (options.jobs > JOBS_MOST)
		options.jobs = JOBS_MOST;
	/* There are no threads here to lock anything against. */
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	return run(&options);
}
