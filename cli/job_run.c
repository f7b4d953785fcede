#include "cli/job_run.h"

#include "base/id.h"
#include "cli/holder_view.h"
#include "cli/job_record.h"
#include "cli/progress.h"

enum {
	LOOK_EVERY_MS = 250,
	OVERTAKEN_MOST = 4, /* times that a command which only reads begins again */
};

/* Other runs live by the real clock, whatever is simulated here. */
static int64_t real_ms(const struct job *job)
{
	struct world *real = job->invocation->simulated->real;

	return real->boot_ms(real);
}

static int64_t timeout_ms(const struct job *job)
{
	return arguments_integer(job->invocation->arguments, FLAG_LEASE_TIMEOUT, 0);
}

static bool refuse(struct job *job, const struct lease_holder *holder)
{
	diag_error(job->diagnostics, FAULT_LEASE, NOWHERE, "another run holds the stack '%.*s': %.*s",
		   SLICE_ARGUMENTS(job->record->name), SLICE_ARGUMENTS(holder_text(job->arena, holder)));
	if (timeout_ms(job) > 0)
		diag_hint(job->diagnostics,
			  "it did not end within --lease-timeout; 'trueup lease show' tells more, and %.*s",
			  SLICE_ARGUMENTS(lease_break_text(job->arena, holder->run)));
	else
		diag_hint(job->diagnostics,
			  "wait until it has ended (--lease-timeout 10m does); should it have died, %.*s",
			  SLICE_ARGUMENTS(
				  lease_end_text(job->arena, holder->run, holder->left_ms, holder->unwatched_ms)));
	return false;
}

/* Says once for whom this waits; the next lease is waited for within the same time. */
static void begin_to_wait(struct job *job, const struct lease_holder *holder)
{
	struct invocation *invocation = job->invocation;
	BUFFER_AUTO text;

	buffer_init(&text, 256);
	if (invocation->lease_deadline_ms != 0)
		return;
	invocation->lease_deadline_ms = real_ms(job) + timeout_ms(job);
	print_duration(&text, timeout_ms(job));
	talk(invocation, "waiting up to %.*s for another run to end: %.*s", SLICE_ARGUMENTS(buffer_slice(&text)),
	     SLICE_ARGUMENTS(holder_text(job->arena, holder)));
}

static bool tell_interrupted(struct job *job)
{
	return diag_error(job->diagnostics, FAULT_USER, NOWHERE,
			  "interrupted while waiting for another run to end; nothing was done");
}

/* One look, in arena: whether to take another one. If not, *ret_free, or it was told why it is not free. */
static bool look_once(struct job *job, struct arena *arena, bool *ret_free)
{
	struct world *real = job->invocation->simulated->real;
	struct lease_holder holder;

	*ret_free = false;
	if (!job->store->ops->holder(job->store, arena, &holder, job->diagnostics))
		return false;
	*ret_free = !holder.held || holder.left_ms <= 0;
	if (*ret_free)
		return false;
	if (timeout_ms(job) == 0)
		return refuse(job, &holder);
	begin_to_wait(job, &holder);
	if (real->interrupted(real) > 0)
		return tell_interrupted(job);
	return real_ms(job) < job->invocation->lease_deadline_ms || refuse(job, &holder);
}

/* Looks until the lease is free. *ret_waited: it was not so at first. */
static bool wait_for(struct job *job, bool *ret_waited)
{
	struct world *real = job->invocation->simulated->real;
	struct arena seen; /* by one look: there may be hours of them */
	bool is_free;

	arena_init(&seen);
	while (look_once(job, &seen, &is_free)) {
		*ret_waited = true;
		real->transport->wait(real->transport, real_ms(job) + LOOK_EVERY_MS);
		arena_reset(&seen);
	}
	arena_release(&seen);
	return is_free;
}

static bool takes_lease(const struct job *job)
{
	return command_takes(job->invocation->arguments->command, FLAG_LEASE_TIMEOUT);
}

bool job_await_lease(struct job *job, bool *ret_waited)
{
	*ret_waited = false;
	return !takes_lease(job) || wait_for(job, ret_waited);
}

/* *ret_fencing: which run had the lease last. */
static bool look(struct job *job, int64_t *ret_fencing)
{
	struct lease_holder holder;

	if (!job->store->ops->holder(job->store, job->arena, &holder, job->diagnostics))
		return false;
	*ret_fencing = holder.fencing;
	if (!holder.held || holder.left_ms <= 0)
		return true;
	job->at_work = holder;
	diag_add(job->diagnostics, SEVERITY_WARNING, FAULT_LEASE, NOWHERE,
		 "another run is at work on the stack '%.*s', and what is shown may be half done: %.*s",
		 SLICE_ARGUMENTS(job->record->name), SLICE_ARGUMENTS(holder_text(job->arena, &holder)));
	diag_hint(job->diagnostics, "ask again when it has ended; 'trueup lease show' tells more");
	return true;
}

bool job_look_for_run(struct job *job)
{
	if (takes_lease(job))
		return true;
	job->was_stateless = !job_has_store(job);
	return look(job, &job->fencing_seen);
}

bool job_look_again(struct job *job)
{
	int64_t fencing;

	if (takes_lease(job) || job->at_work.held)
		return true;
	if (!look(job, &fencing))
		return false;
	if (job->at_work.held || (fencing == job->fencing_seen && job->was_stateless == !job_has_store(job)))
		return true;
	if (job->invocation->overtaken_count++ < OVERTAKEN_MOST) {
		job->moved = true;
		talk(job->invocation, "another run has changed the stack meanwhile: beginning again");
		return false;
	}
	job->overtaken = true;
	diag_add(job->diagnostics, SEVERITY_WARNING, FAULT_LEASE, NOWHERE,
		 "other runs changed the stack '%.*s' each time that it was read, and what is shown may be half done",
		 SLICE_ARGUMENTS(job->record->name));
	diag_hint(job->diagnostics,
		  "ask again when nobody else is at work on it; 'trueup state history' tells who was");
	return true;
}

static bool is_first(const struct diagnostics *diagnostics, enum fault fault)
{
	const struct diag *first = diagnostics_first_error(diagnostics);

	return first && first->fault == fault;
}

/* Whether a run that lives has the stack: it alone writes the state file for long. */
static bool is_alive(const struct lease_holder *holder)
{
	return holder->held && holder->sign == PROCESS_ALIVE;
}

bool job_blame_lock(struct job *job, const struct lease_holder *holder, const struct diagnostics *attempt)
{
	if (!is_first(attempt, FAULT_CONFLICT) || !is_alive(holder)) {
		diagnostics_join(job->diagnostics, attempt);
		return false;
	}
	diag_error(job->diagnostics, FAULT_LEASE, NOWHERE,
		   "another run holds the stack '%.*s', and stands still while it writes the state file: %.*s",
		   SLICE_ARGUMENTS(job->record->name), SLICE_ARGUMENTS(holder_text(job->arena, holder)));
	diag_hint(job->diagnostics,
		  "let it go on ('kill -CONT %lld'), or end it ('kill -9 %lld'): the next run settles what it sent",
		  (long long)holder->process, (long long)holder->process);
	return false;
}

/* Whether to try once more where the state file was locked, by a run whose lease is over: else that is told. */
static bool outlasts_lock(struct job *job, const struct diagnostics *attempt)
{
	struct world *real = job->invocation->simulated->real;
	struct lease_holder holder;

	if (!job->store->ops->holder(job->store, job->arena, &holder, job->diagnostics))
		return false;
	if (!is_alive(&holder) || timeout_ms(job) == 0)
		return job_blame_lock(job, &holder, attempt);
	begin_to_wait(job, &holder);
	if (real->interrupted(real) > 0)
		return tell_interrupted(job);
	return real_ms(job) < job->invocation->lease_deadline_ms || job_blame_lock(job, &holder, attempt);
}

/* reads_again: also where it has not waited, the command is to begin anew on what another run has changed. */
static bool begin(struct job *job, const struct run *run, bool reads_again)
{
	bool waited = false;

	while (wait_for(job, &waited)) {
		struct diagnostics own;

		diagnostics_init(&own, job->arena);
		bool begun = job->store->ops->begin(job->store, run, &own);
		bool again = !begun && timeout_ms(job) > 0 && is_first(&own, FAULT_LEASE);
		job->moved = !begun && (waited || reads_again) && is_first(&own, FAULT_STALE);
		if (job->moved)
			talk(job->invocation, waited ? "the other run has changed the stack: beginning again"
						     : "another run has changed the stack: beginning again");
		else if (!begun && is_first(&own, FAULT_CONFLICT))
			again = outlasts_lock(job, &own);
		else if (!again)
			diagnostics_join(job->diagnostics, &own);
		diagnostics_release(&own);
		if (begun)
			job->record = job->store->ops->record(job->store);
		if (!again)
			return begun;
		waited = true;
	}
	return false;
}

bool job_begin_run(struct job *job, struct slice command, struct slice plan_digest, const int64_t *planned_serial)
{
	const struct run run = {
		.id = id_new(job->world, job->arena),
		.command = command,
		.plan_digest = plan_digest,
		.is_planned = planned_serial != NULL,
		.serial = planned_serial ? *planned_serial : 0,
		.sealing_key = slice_of(planned_serial && job->vault.key ? job->sealing.id : ""),
	};

	return begin(job, &run, false);
}

bool job_begin_on_read(struct job *job, struct slice command, int64_t serial)
{
	const struct run run = {
		.id = id_new(job->world, job->arena),
		.command = command,
		.is_planned = true,
		.serial = serial,
		.sealing_key = slice_of(job->vault.key ? job->sealing.id : ""),
	};

	return begin(job, &run, true);
}

bool job_end_run(struct job *job, struct slice outcome)
{
	return job->store->ops->end(job->store, outcome, job->diagnostics);
}

bool job_commit_and_end(struct job *job, const struct commit *commit)
{
	return job_end_after(job, store_make_durable(job->store, commit, job->diagnostics));
}

bool job_end_after(struct job *job, bool done)
{
	bool ended = job_end_run(job, done ? SLICE("done") : SLICE("failed"));

	/* The error alone reads as if the command had done nothing. */
	if (done && !ended) {
		diag_add(job->diagnostics, SEVERITY_WARNING, FAULT_USER, NOWHERE,
			 "what this command was to record is recorded all the same; only the end of its run is not");
		diag_hint(job->diagnostics, "it is not to be run again");
	}
	return done && ended;
}
