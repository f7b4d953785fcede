#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "tests/simulate/crew.h"
#include "tests/simulate/mutant.h"
#include "tests/simulate/repertoire.h"
#include "tests/simulate/story.h"

/*
 * simulate [--first N] [--count N] [--jobs N] [--storm] [--long] [--verbose] [--check N] [--least N] [--seconds N]
 *          [--report FILE] [--mutant NAME]
 *
 * Tells the stories of `count` seeds. One that breaks a promise prints its seed, what happened, and which promise; the
 * exit status is then 1. --storm: of the same seeds other stories, in which several mishaps befall most commands.
 * --long: likewise, each of them a long one. --seconds: no seed is begun later; SIGINT and SIGTERM end a run with its
 * report, and the status 1. --check: so many seeds are told twice and must come out the same to the byte. --least: how
 * often each pair of an operation and a mishap should occur; those that do not are counted. --mutant: the program is
 * broken on purpose, `all` in each of the ways in turn: the status is 1 where no seed notices.
 */

struct options {
	uint64_t first, count, jobs, check, least, seconds;
	bool verbose;
	const char *report, *mutant;
};

/* As in struct universe; of all seeds. */
static bool storm, all_long;

/* One seed. Returns the digest of all that happened; *ret_broken: a promise was. */
static uint64_t tell(uint64_t seed, bool keep, struct tally *tally, bool *ret_broken, FILE *to)
{
	struct universe *universe = memory_get(sizeof(*universe));
	uint64_t hash;

	universe_open(universe, seed, keep, tally);
	universe->storm = storm;
	universe->all_long = all_long;
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

static void tell_one(uint64_t seed, struct tally *tally, FILE *to)
{
	bool broken;

	tell(seed, false, tally, &broken, to);
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

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* An operation that the program can send and no seed is about. */
static void show_untold(void *context, const char *kind, const char *operation)
{
	bool *good = context;

	if (target_has(operation))
		return;
	fprintf(stderr, "simulate: no seed is about %s of %s: target.c needs a row\n", operation, kind);
	*good = false;
}

static bool write_report(const struct options *options, const struct crew *crew, double elapsed_s)
{
	FILE *to = fopen(options->report, "w");

	if (!to) {
		perror(options->report);
		return false;
	}
	fprintf(to, "seeds %" PRIu64 " from %" PRIu64 ", broken %" PRIu64 ", %.1f s, %.2f ms a seed\n\n", crew->seeds,
		options->first, crew->broken, elapsed_s, elapsed_s * 1000 / (double)(crew->seeds + !crew->seeds));
	tally_show(&crew->tally, to);
	(void)tally_rarity(&crew->tally, options->least, to);
	return fclose(to) == 0;
}

/* With a mutant: by a program that is broken that way. */
static int run_aloud(const struct options *options)
{
	struct tally tally;
	uint64_t count = 0;

	tally_init(&tally);
	for (enum mutant mutant = MUTANT_NONE + 1; options->mutant && mutant < MUTANT_COUNT; mutant++)
		if (strcmp(options->mutant, mutant_name(mutant)) == 0)
			mutant_become(mutant);
	for (uint64_t i = 0; i < options->count; i++) {
		bool broken;

		tell(options->first + i, true, &tally, &broken, stdout);
		count += broken;
	}
	tally_release(&tally);
	mutant_become(MUTANT_NONE);
	return count > 0;
}

static struct crew crew_of(const struct options *options)
{
	return (struct crew){
		.first = options->first,
		.count = options->count,
		.jobs = options->jobs,
		.seconds = options->seconds,
		.tell = tell_one,
	};
}

static int run(const struct options *options)
{
	struct crew crew = crew_of(options);
	double began_s = seconds(), elapsed_s;
	struct tally_rarity rarity;
	bool good = true;

	tally_init(&crew.tally);
	crew_run(&crew);
	elapsed_s = seconds() - began_s;
	rarity = tally_rarity(&crew.tally, options->least, NULL);
	printf("%" PRIu64 " of %" PRIu64 " pairs of operation and mishap occurred less than %" PRIu64
	       " times, the rarest %" PRIu64 "\n",
	       rarity.rare, rarity.pairs, options->least, rarity.least);
	printf("%" PRIu64 " seeds in %.1f s (%.2f ms each), %" PRIu64 " broke a promise\n", crew.seeds, elapsed_s,
	       elapsed_s * 1000 / (double)(crew.seeds + !crew.seeds), crew.broken);
	if (crew.stopped)
		printf("stopped by a signal\n");
	if (crew.broken > 0)
		printf("to see one: simulate --verbose --count 1 --first SEED\n");
	if (options->report)
		good = write_report(options, &crew, elapsed_s);
	tally_release(&crew.tally);
	repertoire_each(show_untold, &good);
	good &= check(options);
	return crew.broken > 0 || crew.stopped || !good;
}

/* Whether a program that is broken in that way is caught. */
static bool is_caught(const struct options *options, enum mutant mutant)
{
	struct crew crew = crew_of(options);

	crew.until_broken = true;
	crew.quiet = true;
	tally_init(&crew.tally);
	mutant_become(mutant);
	crew_run(&crew);
	mutant_become(MUTANT_NONE);
	printf("%-12s %s after %" PRIu64 " seeds: %s", mutant_name(mutant), crew.broken > 0 ? "caught" : "NOT CAUGHT",
	       crew.seeds, mutant_about(mutant));
	for (size_t i = 0; i < crew.tally.counts.count; i++) {
		struct slice rest = crew.tally.counts.entries[i].key;

		if (slice_is(slice_cut(&rest, ' '), TALLY_BROKEN))
			printf(" [%.*s]", SLICE_ARGUMENTS(rest));
	}
	printf("\n");
	tally_release(&crew.tally);
	return crew.broken > 0;
}

static int run_mutants(const struct options *options)
{
	bool good = true, any = false;

	for (enum mutant mutant = MUTANT_NONE + 1; mutant < MUTANT_COUNT; mutant++) {
		if (strcmp(options->mutant, "all") != 0 && strcmp(options->mutant, mutant_name(mutant)) != 0)
			continue;
		any = true;
		good &= is_caught(options, mutant);
	}
	if (!any)
		fprintf(stderr, "simulate: there is no mutant '%s'\n", options->mutant);
	return !good || !any;
}

/* What is no number is refused: taken for 0, it would pass without a seed being told. */
static bool read_number(const char *word, uint64_t *ret)
{
	int64_t number;

	if (!slice_integer(slice_of(word), &number) || number < 0)
		return false;
	*ret = (uint64_t)number;
	return true;
}

static bool read_switch(struct options *options, const char *word)
{
	const struct {
		const char *name;
		bool *is_on;
	} known[] = {{"--verbose", &options->verbose}, {"--storm", &storm}, {"--long", &all_long}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(word, known[i].name) != 0)
			continue;
		*known[i].is_on = true;
		return true;
	}
	return false;
}

static bool read_options(struct options *options, int count, char **words)
{
	const struct {
		const char *name;
		uint64_t *number;
		const char **text;
	} known[] = {
		{"--first", &options->first, NULL},   {"--count", &options->count, NULL},
		{"--jobs", &options->jobs, NULL},     {"--check", &options->check, NULL},
		{"--least", &options->least, NULL},   {"--seconds", &options->seconds, NULL},
		{"--report", NULL, &options->report}, {"--mutant", NULL, &options->mutant},
	};

	for (int i = 1; i < count; i++) {
		size_t at = 0;

		if (read_switch(options, words[i]))
			continue;
		while (at < sizeof(known) / sizeof(known[0]) && strcmp(words[i], known[at].name) != 0)
			at++;
		if (at == sizeof(known) / sizeof(known[0]) || ++i == count)
			return false;
		if (known[at].text)
			*known[at].text = words[i];
		else if (!read_number(words[i], known[at].number))
			return false;
	}
	if (options->jobs == 0)
		options->jobs = 1;
	if (options->jobs > CREW_JOBS_MOST)
		options->jobs = CREW_JOBS_MOST;
	return true;
}

int main(int count, char **words)
{
	struct options options = {.first = 1, .count = 100, .jobs = 2, .check = 2, .least = 100};

	if (!read_options(&options, count, words)) {
		fprintf(stderr,
			"simulate [--first N] [--count N] [--jobs N] [--storm] [--long] [--verbose] [--check N] "
			"[--least N] [--seconds N] [--report FILE] [--mutant NAME]\n");
		return 64;
	}
	/* There are no threads here to lock anything against. */
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	if (options.mutant && !options.verbose)
		return run_mutants(&options);
	return options.verbose ? run_aloud(&options) : run(&options);
}
