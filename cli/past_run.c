#include "cli/past_run.h"

enum { PREFIX_LEAST = 4, NAME_DIGITS = 8 };

const struct run_record *past_run_find(struct job *job, const struct run_record *runs, size_t count,
				       struct slice wanted)
{
	const struct run_record *found = NULL;

	for (size_t i = 0; wanted.size >= PREFIX_LEAST && i < count; i++) {
		if (!slice_starts_with(runs[i].id, wanted))
			continue;
		if (found) {
			diag_error(job->diagnostics, FAULT_USAGE, NOWHERE, "more than one run's id begins with '%.*s'",
				   SLICE_ARGUMENTS(wanted));
			diag_hint(job->diagnostics, "give more of its digits");
			return NULL;
		}
		found = &runs[i];
	}
	if (!found) {
		diag_error(job->diagnostics, FAULT_ABSENT, NOWHERE, "no run is recorded whose id begins with '%.*s'",
			   SLICE_ARGUMENTS(wanted));
		diag_hint(job->diagnostics, "'trueup state history' lists the runs");
	}
	return found;
}

struct slice past_run_undoing(struct arena *arena, struct slice id)
{
	return arena_format(arena, "undo %.*s", SLICE_ARGUMENTS(slice_first(id, NAME_DIGITS)));
}

static bool is_unexplained(const struct action *action)
{
	return action->operation == OPERATION_CREATE && action->in_spec && action->object_id.size == 0;
}

/* Whether a call about the object was carried out: what a run dropped without one was gone when it looked. */
static bool was_called(const struct call_record *calls, size_t count, struct slice object_id)
{
	for (size_t i = 0; i < count; i++)
		if (slice_equal(calls[i].object_id, object_id) && slice_is(calls[i].outcome, "done"))
			return true;
	return false;
}

/* Under the addresses of what went with the run, and nobody has made anew since, why it went. */
static bool note_gone(struct job *job, const struct run_record *run, struct map *gone)
{
	struct past_object *past;
	struct call_record *calls;
	size_t count, call_count;

	if (!job->store->ops->changed(job->store, job->arena, run->id, &past, &count, job->diagnostics) ||
	    !job->store->ops->calls(job->store, job->arena, run->id, &calls, &call_count, job->diagnostics))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct departure *departure = arena_new(job->arena, struct departure);

		if (!past[i].was || past[i].is || past[i].next_run.size > 0 || past[i].before.role == OBJECT_DEPOSED)
			continue;
		departure->address = past[i].before.address;
		departure->run = run->id;
		departure->why = was_called(calls, call_count, past[i].before.object_id)
					 ? "was deleted by a run that did not make it anew"
					 : "was deleted outside of this stack, and not made anew since";
		map_set(gone, past[i].before.address, departure);
	}
	return true;
}

bool past_run_departures(struct job *job, struct map *departures)
{
	struct run_record *runs;
	size_t count;

	if (!job->store->ops->runs(job->store, job->arena, &runs, &count, job->diagnostics))
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct command *command = command_of_run(runs[i].command);

		if (!command || !command->undoable)
			continue;
		/* What a destroy deletes is not to come back. */
		if (slice_is(runs[i].outcome, "done") || slice_is(runs[i].command, "destroy"))
			break;
		if (!note_gone(job, &runs[i], departures))
			return false;
	}
	return true;
}

bool past_run_explain(struct job *job)
{
	struct map gone;
	bool any = false;

	for (size_t i = 0; i < job->plan.action_count && !any; i++)
		any = is_unexplained(&job->plan.actions[i]);
	if (!any || job->record->serial == 0)
		return true;
	map_init(&gone);
	bool good = past_run_departures(job, &gone);
	for (size_t i = 0; good && gone.count > 0 && i < job->plan.action_count; i++) {
		struct action *action = &job->plan.actions[i];
		const struct departure *departure = is_unexplained(action) ? map_get(&gone, action->address) : NULL;

		if (departure)
			action->reason = departure->why;
	}
	map_release(&gone);
	return good;
}
