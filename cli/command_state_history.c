#include "base/time_text.h"
#include "base/value_put.h"
#include "cli/command_list.h"
#include "cli/past_run.h"
#include "cli/progress.h"
#include "cli/recorded.h"

enum { OUTCOME_COLUMNS = 11 };

/* A run without an outcome holds the lease, or has died. */
static struct slice outcome_of(const struct run_record *run, const struct lease_holder *holder)
{
	if (run->outcome.size > 0)
		return run->outcome;
	return holder->held && holder->left_ms > 0 && slice_equal(holder->run, run->id) ? SLICE("running")
											: SLICE("lost");
}

static struct value run_value(struct arena *arena, const struct run_record *run, struct slice outcome)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	put(&builder, "id", value_string(run->id));
	put(&builder, "command", value_string(run->command));
	put(&builder, "host", value_string(run->host));
	put(&builder, "process", value_integer(run->process));
	put(&builder, "plan_digest", run->plan_digest.size > 0 ? value_string(run->plan_digest) : value_null());
	put(&builder, "since", time_value(arena, run->started_ms));
	put(&builder, "ended", time_value(arena, run->ended_ms));
	put(&builder, "duration_ms", run->ended_ms > 0 ? value_integer(run->ended_ms - run->started_ms) : value_null());
	put(&builder, "outcome", value_string(outcome));
	put(&builder, "calls", value_integer(run->call_count));
	put(&builder, "open", value_integer(run->open_count));
	return value_builder_map(&builder, arena);
}

static void print_run(struct buffer *text, struct arena *arena, const struct run_record *run, struct slice outcome)
{
	BUFFER_AUTO took;

	buffer_init(&took, 64);
	if (run->ended_ms >= run->started_ms)
		print_duration(&took, run->ended_ms - run->started_ms);
	else
		buffer_byte(&took, '-');
	buffer_format(text, "%.*s  %.*s  %-13.*s", SLICE_ARGUMENTS(slice_first(run->id, RUN_ID_SHORT)),
		      SLICE_ARGUMENTS(time_text(arena, run->started_ms)), SLICE_ARGUMENTS(buffer_slice(&took)));
	buffer_string(text, "  ");
	size_t used = paint_safe(text, &palette_plain, PAINT_PLAIN, outcome);
	buffer_format(text, "%*s", 2 + (used < OUTCOME_COLUMNS ? OUTCOME_COLUMNS - (int)used : 0), "");
	buffer_format(text, "%6lld call%s  ", (long long)run->call_count, run->call_count == 1 ? " " : "s");
	if (run->open_count > 0)
		buffer_format(text, "%lld open  ", (long long)run->open_count);
	print_safe(text, run->command);
	buffer_string(text, "  ");
	print_safe(text, run->host);
	buffer_byte(text, '\n');
}

static void list_runs(struct recorded *recorded, const struct run_record *runs, size_t count,
		      const struct lease_holder *holder)
{
	struct arena *arena = recorded->job->arena;
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (size_t i = 0; i < count; i++) {
		struct slice outcome = outcome_of(&runs[i], holder);

		print_run(&recorded->text, arena, &runs[i], outcome);
		value_builder_item(&list, run_value(arena, &runs[i], outcome));
	}
	recorded_put(recorded, "runs", value_builder_list(&list, arena));
}

static struct value call_value(struct arena *arena, const struct call_record *call)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	put(&builder, "address", value_string(call->address));
	put(&builder, "object_id", value_string(call->object_id));
	put(&builder, "kind", value_string(call->kind));
	put(&builder, "operation", value_string(call->operation));
	put(&builder, "outcome", value_string(call->outcome));
	put(&builder, "note", value_string(call->note));
	put(&builder, "sent", time_value(arena, call->sent_ms));
	put(&builder, "ended", time_value(arena, call->ended_ms));
	return value_builder_map(&builder, arena);
}

static void print_call(struct buffer *text, const struct call_record *call, size_t address_width)
{
	buffer_string(text, "  ");
	print_safe(text, call->address);
	buffer_format(text, "%*s  ", (int)(address_width - call->address.size), "");
	print_safe(text, call->operation);
	buffer_string(text, "  ");
	print_safe(text, call->outcome);
	if (call->note.size > 0) {
		buffer_string(text, "  ");
		print_safe(text, call->note);
	}
	buffer_byte(text, '\n');
}

static bool show_run(struct recorded *recorded, const struct run_record *run, const struct lease_holder *holder)
{
	struct job *job = recorded->job;
	struct slice outcome = outcome_of(run, holder);
	struct call_record *calls;
	size_t count, width = 0;
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	if (!job->store->ops->calls(job->store, job->arena, run->id, run->id, &calls, &count, job->diagnostics))
		return false;
	print_run(&recorded->text, job->arena, run, outcome);
	for (size_t i = 0; i < count; i++)
		if (calls[i].address.size > width)
			width = calls[i].address.size;
	for (size_t i = 0; i < count; i++) {
		print_call(&recorded->text, &calls[i], width);
		value_builder_item(&list, call_value(job->arena, &calls[i]));
	}
	recorded_put(recorded, "run", run_value(job->arena, run, outcome));
	recorded_put(recorded, "calls", value_builder_list(&list, job->arena));
	return true;
}

static int history(struct recorded *recorded)
{
	struct job *job = recorded->job;
	struct lease_holder holder;
	struct run_record *runs;
	size_t count;

	if (!job->store->ops->holder(job->store, job->arena, &holder, job->diagnostics) ||
	    !job->store->ops->runs(job->store, job->arena, &runs, &count, job->diagnostics))
		return STATUS_ERROR;
	if (recorded->arguments->operand_count == 0) {
		list_runs(recorded, runs, count, &holder);
		return STATUS_FINE;
	}
	const struct run_record *run = past_run_find(job, runs, count, recorded->arguments->operands[0]);
	return run && show_run(recorded, run, &holder) ? STATUS_FINE : STATUS_ERROR;
}

static int run_state_history(struct invocation *invocation)
{
	return recorded_run(invocation, STATE_READ, history);
}

const struct command command_state_history = {
	.name = "state history",
	.about = "list the runs, the newest first, or the calls of one run",
	.operands = "[RUN]",
	.details = "RUN is a run's id, or at least 4 of its first digits. A run that never ended is lost: the next run "
		   "settles\n"
		   "what it had sent, and is named behind the outcome. A call without an outcome is unknown.\n",
	.most_operands = 1,
	.run = run_state_history,
};
