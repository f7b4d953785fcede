#include "state/lease.h"

#include <inttypes.h>
#include "base/time_text.h"
#include "state/machine.h"

enum {
	/* No honest run asks for more: a damaged row must not lock the stack for ever. */
	TERM_MOST_MS = 10 * 60 * 1000,
};

struct holder {
	int64_t fencing;
	bool held;
	struct slice run;
	struct slice command;
	struct slice host;
	struct slice machine;
	int64_t process;
	struct slice process_start;
	int64_t since_ms;
	int64_t beat_boot_ms;
	int64_t beat_wall_ms;
	int64_t beats;
	int64_t term_ms;
};

static int64_t clamp(int64_t number, int64_t least, int64_t most)
{
	if (number < least)
		return least;
	return number > most ? most : number;
}

static bool holder_read(struct database *database, struct arena *arena, struct holder *ret,
			struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_LEASE_READ);
	bool row;
	char run[ID_HEX];

	if (!query_next(&query, &row, diagnostics))
		return false;
	if (!row)
		return database_damaged(database, diagnostics, "the row of the lease is missing");
	*ret = (struct holder){
		.fencing = query_column_integer(&query, 0),
		.command = query_column_copy(&query, 2, arena),
		.host = query_column_copy(&query, 3, arena),
		.machine = query_column_copy(&query, 4, arena),
		.process = query_column_integer(&query, 5),
		.process_start = query_column_copy(&query, 6, arena),
		.since_ms = clamp(query_column_integer(&query, 7), 0, DATABASE_LATEST_MS),
		.beat_boot_ms = clamp(query_column_integer(&query, 8), 0, DATABASE_LATEST_MS),
		.beat_wall_ms = clamp(query_column_integer(&query, 9), 0, DATABASE_LATEST_MS),
		.beats = query_column_integer(&query, 10),
		.term_ms = clamp(query_column_integer(&query, 11), 1, TERM_MOST_MS),
	};
	ret->held = query_column_blob(&query, 1).size == ID_BYTES;
	if (ret->held) {
		id_write((const uint8_t *)query_column_blob(&query, 1).data, run);
		ret->run = arena_copy(arena, (struct slice){run, sizeof(run)});
	}
	if (ret->fencing < 0 || ret->fencing == INT64_MAX)
		return database_damaged(database, diagnostics, "the lease's fencing number is %" PRId64, ret->fencing);
	return true;
}

/* How long the holder's lease still lasts, as far as this process can tell; 0: it has ended. *ret_unwatched: the same
 * for one that does not watch it meanwhile. */
static int64_t holder_left_ms(struct lease *lease, const struct holder *holder, struct world *world,
			      struct arena *scratch, int64_t *ret_unwatched)
{
	struct slice machine = machine_instance(world, scratch);
	struct lease_sight *sight = lease->sight;
	int64_t boot_ms = world_lease_ms(world);
	int64_t wall_left_ms, seen_left_ms;

	*ret_unwatched = 0;
	if (machine.size > 0 && slice_equal(machine, holder->machine)) {
		if (machine_process_gone(world, holder->process, holder->process_start, scratch) ||
		    holder->beat_boot_ms > boot_ms)
			return 0;
		*ret_unwatched = clamp(holder->beat_boot_ms + holder->term_ms - boot_ms, 0, TERM_MOST_MS);
		return *ret_unwatched;
	}
	if (sight->fencing != holder->fencing || sight->beats != holder->beats)
		*sight = (struct lease_sight){holder->fencing, holder->beats, boot_ms};
	seen_left_ms = clamp(sight->boot_ms + holder->term_ms - boot_ms, 0, TERM_MOST_MS);
	wall_left_ms = clamp(holder->beat_wall_ms + 2 * holder->term_ms - world_lease_wall_ms(world), 0, INT64_MAX);
	if (wall_left_ms == 0 || seen_left_ms == 0)
		return 0;
	*ret_unwatched = wall_left_ms;
	return wall_left_ms < seen_left_ms ? wall_left_ms : seen_left_ms;
}

static bool refuse(const struct holder *holder, int64_t left_ms, int64_t unwatched_ms, struct slice stack,
		   struct diagnostics *diagnostics)
{
	struct slice since = time_text(diagnostics->arena, holder->since_ms);

	diag_error(diagnostics, FAULT_LEASE, NOWHERE,
		   "another run holds the stack '%.*s': '%.*s', process %" PRId64
		   " on host '%.*s', run %.*s, since %.*s",
		   SLICE_ARGUMENTS(stack), SLICE_ARGUMENTS(holder->command), holder->process,
		   SLICE_ARGUMENTS(holder->host), SLICE_ARGUMENTS(holder->run), SLICE_ARGUMENTS(since));
	diag_hint(diagnostics, "wait until it has ended (--lease-timeout 10m does); should it have died, %.*s",
		  SLICE_ARGUMENTS(lease_end_text(diagnostics->arena, holder->run, left_ms, unwatched_ms)));
	return false;
}

/* The row of the run that went before is still open: it never ended. */
static bool close_lost_run(const struct holder *holder, struct database *database, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_RUN_LOST);

	query_integer(&query, holder->beat_wall_ms);
	query_id(&query, holder->run);
	return query_run(&query, diagnostics);
}

static bool open_run(struct database *database, struct world *world, const struct run *run,
		     struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_RUN_INSERT);

	query_id(&query, run->id);
	query_text(&query, run->command);
	query_text(&query, run->plan_digest);
	query_text(&query, slice_of(world->host_name));
	query_integer(&query, world->process_id);
	query_integer(&query, world->wall_ms(world));
	return query_run(&query, diagnostics);
}

static bool write_holder(const struct lease *taken, struct database *database, struct world *world,
			 const struct run *run, struct arena *scratch, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_LEASE_TAKE);
	int64_t wall_ms = world_lease_wall_ms(world);

	query_integer(&query, taken->fencing);
	query_id(&query, run->id);
	query_text(&query, run->command);
	query_text(&query, slice_of(world->host_name));
	query_text(&query, machine_instance(world, scratch));
	query_integer(&query, world->process_id);
	query_text(&query, machine_process_start(world, world->process_id, scratch));
	query_integer(&query, wall_ms);
	query_integer(&query, taken->beat_boot_ms);
	query_integer(&query, wall_ms);
	query_integer(&query, taken->term_ms);
	return query_run(&query, diagnostics);
}

bool lease_take(struct lease *lease, struct database *database, struct world *world, struct slice stack,
		const struct run *run, struct arena *arena, struct diagnostics *diagnostics)
{
	struct lease taken = *lease;
	struct holder holder = {0};
	int64_t left_ms, unwatched_ms;

	if (!holder_read(database, arena, &holder, diagnostics))
		return false;
	left_ms = holder.held ? holder_left_ms(lease, &holder, world, arena, &unwatched_ms) : 0;
	if (left_ms > 0)
		return refuse(&holder, left_ms, unwatched_ms, stack, diagnostics);
	taken.held = true;
	taken.lost = false;
	taken.fencing = holder.fencing + 1;
	taken.beat_boot_ms = world_lease_ms(world);
	if ((holder.held && !close_lost_run(&holder, database, diagnostics)) ||
	    !write_holder(&taken, database, world, run, arena, diagnostics) ||
	    !open_run(database, world, run, diagnostics))
		return false;
	taken.run_number = sqlite3_last_insert_rowid(database->handle);
	taken.run = arena_copy(arena, run->id);
	*lease = taken;
	return true;
}

/* Says who has the lease now. */
static bool tell_lost(struct lease *lease, struct database *database, struct slice stack,
		      struct diagnostics *diagnostics)
{
	struct holder holder = {0};

	if (!holder_read(database, diagnostics->arena, &holder, diagnostics))
		return false;
	lease->lost = true;
	if (holder.held) {
		struct slice since = time_text(diagnostics->arena, holder.since_ms);

		diag_error(diagnostics, FAULT_LEASE, NOWHERE,
			   "this run lost its lease on the stack '%.*s' to '%.*s', process %" PRId64
			   " on host '%.*s', run %.*s, since %.*s",
			   SLICE_ARGUMENTS(stack), SLICE_ARGUMENTS(holder.command), holder.process,
			   SLICE_ARGUMENTS(holder.host), SLICE_ARGUMENTS(holder.run), SLICE_ARGUMENTS(since));
	} else {
		diag_error(diagnostics, FAULT_LEASE, NOWHERE,
			   "this run lost its lease on the stack '%.*s': it was taken away", SLICE_ARGUMENTS(stack));
	}
	diag_hint(diagnostics, "nothing more is recorded by this run; the next one settles what it had sent");
	return false;
}

bool lease_beat(struct lease *lease, struct database *database, struct world *world, struct slice stack,
		struct diagnostics *diagnostics)
{
	int64_t boot_ms = world_lease_ms(world);
	QUERY_AUTO query = query_start(database, STATEMENT_LEASE_BEAT);

	query_integer(&query, boot_ms);
	query_integer(&query, world_lease_wall_ms(world));
	query_integer(&query, lease->fencing);
	query_id(&query, lease->run);
	if (!query_run(&query, diagnostics))
		return false;
	if (query_changes(&query) != 1)
		return tell_lost(lease, database, stack, diagnostics);
	lease->beat_boot_ms = boot_ms;
	return true;
}

bool lease_end(struct lease *lease, struct database *database, struct world *world, struct slice stack,
	       struct slice outcome, struct diagnostics *diagnostics)
{
	QUERY_AUTO release = query_start(database, STATEMENT_LEASE_RELEASE);
	QUERY_AUTO end = query_start(database, STATEMENT_RUN_END);

	query_integer(&release, lease->fencing);
	query_id(&release, lease->run);
	if (!query_run(&release, diagnostics))
		return false;
	if (query_changes(&release) != 1)
		return tell_lost(lease, database, stack, diagnostics);
	query_integer(&end, world->wall_ms(world));
	query_text(&end, outcome);
	query_integer(&end, lease->run_number);
	return query_run(&end, diagnostics);
}

int64_t lease_left_ms(const struct lease *lease, struct world *world)
{
	if (!lease->held || lease->lost)
		return 0;
	return clamp(lease->beat_boot_ms + lease->term_ms - world_lease_ms(world), 0, lease->term_ms);
}

static enum process_sign sign_of(const struct holder *holder, struct world *world, struct arena *scratch)
{
	struct slice machine = machine_instance(world, scratch);

	if (machine.size == 0 || !slice_equal(machine, holder->machine) || holder->process_start.size == 0)
		return PROCESS_UNKNOWN;
	if (machine_process_gone(world, holder->process, holder->process_start, scratch))
		return PROCESS_GONE;
	return machine_process_start(world, holder->process, scratch).size > 0 ? PROCESS_ALIVE : PROCESS_UNKNOWN;
}

bool lease_look(struct lease *lease, struct database *database, struct world *world, struct arena *arena,
		struct lease_holder *ret, struct diagnostics *diagnostics)
{
	struct holder holder = {0};

	if (!holder_read(database, arena, &holder, diagnostics))
		return false;
	*ret = (struct lease_holder){
		.held = holder.held,
		.fencing = holder.fencing,
		.run = holder.run,
		.command = holder.command,
		.host = holder.host,
		.process = holder.process,
		.sign = holder.held ? sign_of(&holder, world, arena) : PROCESS_UNKNOWN,
		.since_ms = holder.since_ms,
		.beat_ms = holder.beat_wall_ms,
	};
	if (holder.held)
		ret->left_ms = holder_left_ms(lease, &holder, world, arena, &ret->unwatched_ms);
	return true;
}

bool lease_break(struct database *database, struct slice stack, struct slice run, struct diagnostics *diagnostics)
{
	struct holder holder = {0};
	QUERY_AUTO query = query_start(database, STATEMENT_LEASE_BREAK);

	if (!holder_read(database, diagnostics->arena, &holder, diagnostics))
		return false;
	if (!holder.held || !slice_equal(holder.run, run)) {
		diag_error(diagnostics, FAULT_ABSENT, NOWHERE, "run %.*s does not hold the stack '%.*s'",
			   SLICE_ARGUMENTS(run), SLICE_ARGUMENTS(stack));
		diag_hint(diagnostics, "'trueup lease show' tells which run does");
		return false;
	}
	query_id(&query, run);
	return query_run(&query, diagnostics) && close_lost_run(&holder, database, diagnostics);
}
