#include "base/time_text.h"
#include "cli/command_list.h"
#include "cli/holder_view.h"
#include "cli/job_run.h"
#include "cli/progress.h"
#include "cli/question.h"
#include "cli/recorded.h"

enum {
	PREFIX_LEAST = 8,
	/* Whoever is at work has given several heartbeats in that time. */
	SILENT_MS = STATE_LEASE_TERM_MS / 3,
};

static void print_line(struct buffer *text, const char *name, struct slice value)
{
	buffer_format(text, "  %-11s", name);
	print_safe(text, value);
	buffer_byte(text, '\n');
}

static void print_age(struct recorded *recorded, const char *name, int64_t moment_ms)
{
	struct world *world = recorded->job->world;
	int64_t age_ms = world_lease_wall_ms(world) - moment_ms;
	BUFFER_AUTO line;

	buffer_init(&line, 256);
	buffer_append(&line, time_text(recorded->job->arena, moment_ms));
	if (age_ms >= 0) {
		buffer_string(&line, ", ");
		print_duration(&line, age_ms);
		buffer_string(&line, " ago");
	}
	print_line(&recorded->text, name, buffer_slice(&line));
}

static void print_expiry(struct buffer *text, const struct lease_holder *holder)
{
	BUFFER_AUTO line;

	buffer_init(&line, 256);
	if (holder->left_ms > 0) {
		buffer_string(&line, "in ");
		print_duration(&line, holder->unwatched_ms);
		if (holder->left_ms < holder->unwatched_ms) {
			buffer_string(&line, ", for a run that waits for it (--lease-timeout) in ");
			print_duration(&line, holder->left_ms);
		}
		buffer_string(&line, ", unless there is another heartbeat");
	} else {
		buffer_string(&line, "the next run takes the lease at once");
		if (holder->sign != PROCESS_GONE)
			buffer_string(&line, ", and until then this one may go on");
	}
	print_line(text, holder->left_ms > 0 ? "expires" : "expired", buffer_slice(&line));
}

/* One that is suspended, or whose disk hangs, has not ended: it goes on where nobody has taken its lease by then. */
static const char *state_of(const struct lease_holder *holder)
{
	static const char *const signs[] = {
		[PROCESS_UNKNOWN] = "whether it still runs cannot be told from here",
		[PROCESS_ALIVE] = "still running",
		[PROCESS_GONE] = "gone",
	};

	if (holder->sign == PROCESS_ALIVE && holder->left_ms < STATE_LEASE_TERM_MS - SILENT_MS)
		return "has not ended, but gives no heartbeat: it may be suspended";
	return signs[holder->sign];
}

static void print_holder(struct recorded *recorded, const struct lease_holder *holder)
{
	struct arena *arena = recorded->job->arena;
	struct buffer *text = &recorded->text;

	buffer_string(text, "the stack '");
	print_safe(text, recorded->job->record->name);
	buffer_string(text, "' is held\n");
	print_line(text, "run", holder->run);
	print_line(text, "command", holder->command);
	print_line(text, "host", holder->host);
	print_line(text, "process", arena_format(arena, "%lld, %s", (long long)holder->process, state_of(holder)));
	print_age(recorded, "since", holder->since_ms);
	print_age(recorded, "heartbeat", holder->beat_ms);
	print_line(text, "fencing", arena_format(arena, "%lld", (long long)holder->fencing));
	print_expiry(text, holder);
}

static int show(struct recorded *recorded)
{
	struct job *job = recorded->job;
	struct lease_holder holder;

	if (!job->store->ops->holder(job->store, job->arena, &holder, job->diagnostics))
		return STATUS_ERROR;
	if (holder.held) {
		print_holder(recorded, &holder);
	} else {
		buffer_string(&recorded->text, "no run holds the stack '");
		print_safe(&recorded->text, job->record->name);
		buffer_string(&recorded->text, "'\n");
	}
	recorded_put(recorded, "held", value_bool(holder.held));
	recorded_put(recorded, "holder", holder_value(job->arena, &holder));
	return STATUS_FINE;
}

static int run_lease_show(struct invocation *invocation)
{
	return recorded_run(invocation, STATE_READ, show);
}

/* The holder, where its run is the one that the user named. */
static bool find_holder(struct recorded *recorded, struct lease_holder *ret)
{
	struct job *job = recorded->job;
	struct slice wanted = recorded->arguments->operands[0];

	if (wanted.size < PREFIX_LEAST)
		return diag_error(job->diagnostics, FAULT_USAGE, NOWHERE,
				  "'trueup lease break' takes at least %d digits of the run's id", (int)PREFIX_LEAST);
	if (!job->store->ops->holder(job->store, job->arena, ret, job->diagnostics))
		return false;
	if (ret->held && slice_starts_with(ret->run, wanted))
		return true;
	if (!ret->held) {
		diag_error(job->diagnostics, FAULT_ABSENT, NOWHERE, "no run holds the stack '%.*s'",
			   SLICE_ARGUMENTS(job->record->name));
		return false;
	}
	diag_error(job->diagnostics, FAULT_ABSENT, NOWHERE, "run '%.*s' does not hold the stack '%.*s'",
		   SLICE_ARGUMENTS(wanted), SLICE_ARGUMENTS(job->record->name));
	diag_hint(job->diagnostics, "it is held by %.*s", SLICE_ARGUMENTS(holder_text(job->arena, ret)));
	return false;
}

static bool break_lease(struct job *job, const struct lease_holder *holder)
{
	struct diagnostics attempt;

	diagnostics_init(&attempt, job->arena);
	bool done =
		job->store->ops->take_away(job->store, holder->run, &attempt) || job_blame_lock(job, holder, &attempt);
	diagnostics_release(&attempt);
	return done;
}

static int take_away(struct recorded *recorded)
{
	struct job *job = recorded->job;
	struct lease_holder holder = {0};

	if (!find_holder(recorded, &holder))
		return STATUS_ERROR;
	if (holder.sign == PROCESS_ALIVE)
		diag_add(job->diagnostics, SEVERITY_WARNING, FAULT_LEASE, NOWHERE,
			 "process %lld of that run is still running: what it has sent already may still take effect, "
			 "and the next run settles it",
			 (long long)holder.process);
	const char *question = arena_text(job->arena,
					  "Take the lease away from %.*s?\nThat run records nothing more; what it "
					  "sent and nobody saw answered is settled by the next run.\n",
					  SLICE_ARGUMENTS(holder_text(job->arena, &holder)));
	if (!question_ask(job->invocation, question, "break the lease", "say --yes where you are sure", NULL) ||
	    !break_lease(job, &holder))
		return STATUS_ERROR;
	buffer_string(&recorded->text, "the lease is free; run ");
	print_safe(&recorded->text, holder.run);
	buffer_string(&recorded->text, " is recorded as lost\n");
	recorded_put(recorded, "broken", holder_value(job->arena, &holder));
	return STATUS_FINE;
}

static int run_lease_break(struct invocation *invocation)
{
	return recorded_run(invocation, STATE_WRITE, take_away);
}

const struct command command_lease_show = {
	.name = "lease show",
	.about = "tell which run holds the stack, and for how long",
	.operands = "",
	.details = "Ends with 0 also where no run does; in JSON, 'held' tells.\n",
	.run = run_lease_show,
};

static const enum flag_id break_flags[] = {FLAG_YES, FLAG_FORCE_NETWORK_STATE};

const struct command command_lease_break = {
	.name = "lease break",
	.about = "take the stack away from the run that holds it",
	.operands = "ID",
	.details =
		"ID is the run's id as 'trueup lease show' tells it, or its first 8 digits or more. It is seldom\n"
		"needed: the lease of a run that died ends by itself, at once where that can be told, else within\n"
		"three minutes. A run that still lives records nothing more, and the next run settles what it sent.\n",
	.least_operands = 1,
	.most_operands = 1,
	.flags = break_flags,
	.flag_count = sizeof(break_flags) / sizeof(break_flags[0]),
	.run = run_lease_break,
};
