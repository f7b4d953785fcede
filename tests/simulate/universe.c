#include "tests/simulate/universe.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "tests/simulate/slip.h"

enum {
	WORDS_MOST = 16,
	LINE_MOST_BYTES = 512,
	OUTPUT_MOST_BYTES = 16 * 1024 * 1024,
	SCHEDULE_MOST_BYTES = 64 * 1024,
	START_STEP_MS = 1000,
	POWER_CYCLE_MS = 30000,
	PACE_OF_LIFE_ONE_IN = 8,
};

/* Of what things take at AWS to become ready, percent. */
static const char pace_usual[] = "5";
/* How long listings lag behind at most, ms. */
static const char lag_usual[] = "100";

/* 2026-03-01T00:00:00Z, so that every run of a seed signs the same texts. */
static const int64_t BEGINNING_MS = INT64_C(1772323200000);

enum stream {
	STREAM_RANDOM,
	STREAM_FATE,
	STREAM_PLOT,
	STREAM_RUIN,
	STREAM_CLOUD,
};

/* A command is handed a copy of the world, so its address tells nothing. */
static struct process *of_world(struct world *world)
{
	return world->context;
}

int64_t universe_wall_ms(const struct universe *universe)
{
	return sim_wall_ms(universe->sim) + universe->wall_ahead_ms;
}

static int64_t universe_boot_ms(const struct universe *universe)
{
	return sim_boot_ms(universe->sim) - universe->booted_ms;
}

static int64_t wall_ms(struct world *world)
{
	return universe_wall_ms(of_world(world)->universe);
}

static int64_t boot_ms(struct world *world)
{
	return universe_boot_ms(of_world(world)->universe);
}

static void fill_random(struct world *world, void *bytes, size_t size)
{
	chance_fill(&of_world(world)->universe->random, bytes, size);
}

static const char *environment(struct world *world, const char *name)
{
	if (strcmp(name, "TRUEUP_SEALING_KEY") == 0)
		return of_world(world)->universe->sealing_key;
	for (size_t i = 0; universe_environment[i][0]; i++)
		if (strcmp(universe_environment[i][0], name) == 0)
			return universe_environment[i][1];
	return NULL;
}

static int interrupted(struct world *world)
{
	const struct process *process = of_world(world);

	return process->dead ? 2 : process->interrupts;
}

static int interrupting_signal(struct world *world)
{
	enum { SIGNAL_INTERRUPT = 2 };

	return of_world(world)->interrupts > 0 ? SIGNAL_INTERRUPT : 0;
}

static bool write_stream(struct world *world, int stream, struct slice text)
{
	struct process *process = of_world(world);

	(void)stream;
	if (process->dead)
		return false;
	trace_text(&process->universe->trace, text);
	return buffer_append(&process->output, text);
}

static bool read_line(struct world *world, struct arena *arena, struct slice *ret)
{
	const struct process *process = of_world(world);

	(void)arena;
	if (process->dead || process->misfortune.think_ms == 0)
		return false;
	trace_line(&process->universe->trace, "somebody thinks for %" PRId64 " ms, and says yes",
		   process->misfortune.think_ms);
	universe_pass(process->universe, process->misfortune.think_ms);
	*ret = SLICE("yes");
	return true;
}

static bool is_terminal(struct world *world, int stream)
{
	(void)stream;
	return of_world(world)->misfortune.think_ms > 0;
}

static int64_t beginning_ms(struct world *world)
{
	(void)world;
	return BEGINNING_MS;
}

static int64_t no_uptime_ms(struct world *world)
{
	enum { SINCE_BOOT_MS = 3600000 };

	(void)world;
	return SINCE_BOOT_MS;
}

static void seed_bytes(struct world *world, void *bytes, size_t size)
{
	struct chance chance = chance_of(*(const uint64_t *)world->context, STREAM_CLOUD);

	chance_fill(&chance, bytes, size);
}

static void random_of_disk(struct disk_access *access, void *bytes, size_t size)
{
	struct process *process = access->context;

	chance_fill(&process->universe->random, bytes, size);
}

static int64_t wall_of_disk(struct disk_access *access)
{
	const struct process *process = access->context;

	return universe_wall_ms(process->universe);
}

/* A lock is waited for: another process of the same machine would have to run, and each runs to its end. */
static void sleep_of_disk(struct disk_access *access, int64_t ms)
{
	struct process *process = access->context;

	network_pass(process->universe, sim_boot_ms(process->universe->sim) + ms);
}

/* Most worlds are quick: a long wait shows nothing that a short one does not, and takes more looks. */
static void set_pace(struct universe *universe, struct diagnostics *diagnostics)
{
	struct value_member members[] = {
		{value_text("lag_ms"), value_text(lag_usual)},
		{value_text("pace_percent"), value_text(pace_usual)},
	};
	struct value attributes = value_map(members, sizeof(members) / sizeof(members[0]));

	if (!chance_one_in(&universe->plot, PACE_OF_LIFE_ONE_IN) &&
	    !sim_change(universe->sim, SLICE(""), SLICE("settings"), SLICE("settings"), &attributes, diagnostics))
		universe_fail(universe, "the simulator does not take a pace");
}

void universe_open(struct universe *universe, uint64_t seed, bool keep_trace, struct tally *tally)
{
	struct arena arena;
	struct diagnostics diagnostics;

	*universe = (struct universe){
		.seed = seed,
		.tally = tally,
		.random = chance_of(seed, STREAM_RANDOM),
		.fate = chance_of(seed, STREAM_FATE),
		.plot = chance_of(seed, STREAM_PLOT),
		.ruin = chance_of(seed, STREAM_RUIN),
		.target = target_of(seed),
		.last_process = 1000,
	};
	arena_init(&arena);
	arena_init(&universe->lasting);
	diagnostics_init(&diagnostics, &arena);
	trace_init(&universe->trace, keep_trace);
	buffer_init(&universe->schedule, SCHEDULE_MOST_BYTES);
	shown_init(&universe->shown);
	disk_init(&universe->disk);
	/* SQLite's own generator outlives a universe, and would carry over from one to the next. */
	sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, (int)(seed & 0x7fffffff) | 1, NULL);
	audit_open(&universe->audit, &universe->disk);
	slip_watch(universe);
	universe->sim_world = (struct world){
		.context = &universe->seed,
		.wall_ms = beginning_ms,
		.boot_ms = no_uptime_ms,
		.random = seed_bytes,
	};
	if (!sim_open("sim:", &universe->sim_world, &universe->sim, &diagnostics))
		universe_fail(universe, "the simulator did not open");
	else
		set_pace(universe, &diagnostics);
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

void universe_close(struct universe *universe)
{
	slip_watch(NULL);
	network_release(universe);
	sim_close(universe->sim);
	audit_close(&universe->audit);
	disk_release(&universe->disk);
	shown_release(&universe->shown);
	trace_release(&universe->trace);
	buffer_release(&universe->schedule);
	arena_release(&universe->lasting);
}

void universe_fail(struct universe *universe, const char *format, ...)
{
	va_list arguments;

	if (universe->failure[0])
		return;
	va_start(arguments, format);
	(void)vsnprintf(universe->failure, sizeof(universe->failure), format, arguments);
	va_end(arguments);
	trace_line(&universe->trace, "BROKEN: %s", universe->failure);
}

void universe_pass(struct universe *universe, int64_t ms)
{
	network_pass(universe, sim_boot_ms(universe->sim) + ms);
	sim_advance(universe->sim, 0);
}

void process_suffer(struct process *process, enum mishap mishap, const char *operation)
{
	struct universe *universe = process->universe;

	char line[256];

	(void)snprintf(line, sizeof(line),
		       "[%" PRId64 "] %s at %s (request %" PRIu64 ", change %" PRIu64 ", disk step %" PRIu64 ")",
		       process->world.process_id, mishap_name(mishap), operation, process->requests, process->changes,
		       process->steps);
	universe->may_double |= mishap_doubles(mishap, operation);
	universe->mishaps_after_change += universe->changes > 0;
	trace_line(&universe->trace, "%s", line);
	buffer_format(&universe->schedule, "  %s\n", line);
	tally_add(universe->tally, operation, mishap_name(mishap), 1);
	if (audit_is_recovering(&universe->audit, process->world.process_id))
		tally_add(universe->tally, "within-recovery", mishap_name(mishap), 1);
}

/* Without power every process of the machine dies. */
void process_die(struct process *process, bool power)
{
	struct universe *universe = process->universe;

	for (struct process *each = process; each; each = power ? each->outer : NULL) {
		if (each->dead)
			continue;
		each->dead = true;
		disk_vfs_die(&each->access);
		network_orphan(each);
	}
	if (power && !universe->powerless) {
		universe->powerless = true;
		audit_leave(&universe->audit);
		disk_lose_power(&universe->disk, &universe->ruin);
	}
}

/* The machine starts again, with clocks and an identity of its boot anew. */
static void restart_machine(struct universe *universe)
{
	universe->powerless = false;
	universe_pass(universe, POWER_CYCLE_MS);
	universe->booted_ms = sim_boot_ms(universe->sim) - START_STEP_MS;
	universe->boots++;
	trace_line(&universe->trace, "the machine starts again");
}

/* It holds up another one: does it take the lease from that one? */
static void note_overtaking(struct process *outer, const struct audit_lease *before)
{
	struct universe *universe = outer->universe;
	struct audit_lease now;

	if (before->process != outer->world.process_id || !audit_lease(&universe->audit, &now) ||
	    now.fencing == before->fencing)
		return;
	outer->overtaken = true;
	outer->overtaken_at = now;
	tally_add(universe->tally, "lease", "overtaken", 1);
}

/* Whoever lost the lease changes nothing in the record any more, unless it takes it once more. */
static void judge_overtaken(struct process *process)
{
	struct universe *universe = process->universe;
	struct audit_lease now;

	if (!process->overtaken || process->dead || !audit_lease(&universe->audit, &now))
		return;
	if (now.fencing == process->overtaken_at.fencing && now.serial != process->overtaken_at.serial)
		universe_fail(universe, "fence: process %" PRId64 " changed the record when it had lost the lease",
			      process->world.process_id);
}

/*
 * What has no intent is not sent: the command says so, unless the disk or the loss of its lease ended it before, and
 * does not end well.
 */
static void judge_forgotten(struct process *process, const char *line, int status)
{
	if (!process->forgot || process->dead || process->interrupts > 0)
		return;
	struct slice output = buffer_slice(&process->output);
	bool ended_before = slice_contains(output, SLICE("error: cannot write the state file")) ||
			    (process->overtaken && slice_contains(output, SLICE("error: this run lost its lease")));
	if (status == 0 || (!ended_before && !slice_contains(output, slice_of(slip_refusal))))
		universe_fail(process->universe,
			      "refusal: 'trueup %s' ends with %d and tells of no call without intent", line, status);
}

/* Only what carries out a plan sends a call that changes something. */
static void judge_changes(struct process *process, const char *line)
{
	static const char *const carrying_out[] = {"apply", "destroy", "undo"};
	bool may = false;

	for (size_t i = 0; i < sizeof(carrying_out) / sizeof(carrying_out[0]); i++)
		may |= slice_starts_with(slice_of(line), slice_of(carrying_out[i]));
	if (!may && process->changes > 0)
		universe_fail(process->universe, "looking: 'trueup %s' sends a call that changes something", line);
}

static void process_open(struct process *process, struct universe *universe, const struct misfortune *misfortune)
{
	*process = (struct process){
		.world = {.context = process,
			  .wall_ms = wall_ms,
			  .boot_ms = boot_ms,
			  .random = fill_random,
			  .environment = environment,
			  .interrupted = interrupted,
			  .interrupting_signal = interrupting_signal,
			  .write = write_stream,
			  .read_line = read_line,
			  .is_terminal = is_terminal,
			  .host_name = "workshop",
			  .process_id = ++universe->last_process},
		.universe = universe,
		.outer = universe->running,
		.access = {.disk = &universe->disk,
			   .ask = files_ask,
			   .random = random_of_disk,
			   .wall_ms = wall_of_disk,
			   .sleep = sleep_of_disk,
			   .context = process},
	};
	if (misfortune)
		process->misfortune = *misfortune;
	if (misfortune && misfortune->denied)
		(void)snprintf(process->denied, sizeof(process->denied), "%s", misfortune->denied);
	(void)snprintf(process->access.name, sizeof(process->access.name), "simulate-%" PRId64,
		       process->world.process_id);
	disk_vfs_register(&process->access);
	process->world.sqlite_vfs = process->access.name;
	buffer_init(&process->output, OUTPUT_MOST_BYTES);
	files_init(&process->world);
	network_init(process);
	universe->running = process;
}

static void process_close(struct process *process)
{
	struct universe *universe = process->universe;

	network_orphan(process);
	audit_leave(&universe->audit);
	if (process->access.open_count > 0)
		universe_fail(universe, "%zu files were left open", process->access.open_count);
	disk_vfs_unregister(&process->access);
	buffer_release(&process->output);
	universe->running = process->outer;
}

/* "trueup -C /stack" and the words of line. */
static int run_words(struct process *process, const char *line)
{
	char start[LINE_MOST_BYTES];
	char *words[WORDS_MOST + 1];
	int count = 0;
	char *rest = start, *word;

	(void)snprintf(start, sizeof(start), "trueup -C /stack %s", line);
	while ((word = strsep(&rest, " ")) != NULL && count < WORDS_MOST)
		words[count++] = word;
	words[count] = NULL;
	return cli_run(&process->world, count, words);
}

int universe_run(struct universe *universe, const char *line, const struct misfortune *misfortune,
		 struct buffer *output)
{
	struct process *process = memory_get(sizeof(*process));
	struct audit_lease before = {.process = -1};
	int status;

	if (universe->powerless && !universe->running)
		restart_machine(universe);
	if (universe->running)
		(void)audit_lease(&universe->audit, &before);
	process_open(process, universe, misfortune);
	trace_line(&universe->trace, "[%" PRId64 "] trueup %s at %" PRId64 " ms", process->world.process_id, line,
		   universe_boot_ms(universe));
	buffer_format(&universe->schedule, "  [%" PRId64 "] trueup %s\n", process->world.process_id, line);
	status = run_words(process, line);
	trace_line(&universe->trace, "[%" PRId64 "] %s %d after %" PRIu64 " requests at %" PRId64 " ms",
		   process->world.process_id, process->dead ? "died, status" : "ended with status", status,
		   process->requests, universe_boot_ms(universe));
	buffer_clear(output);
	buffer_append(output, buffer_slice(&process->output));
	judge_overtaken(process);
	judge_forgotten(process, line, status);
	judge_changes(process, line);
	process_close(process);
	if (universe->running)
		note_overtaking(universe->running, &before);
	free(process);
	return status;
}
