#include "cli/past_run.h"

#include "base/map.h"

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

/* The addresses of what the run deleted, and nobody has made anew since. */
static bool note_deleted(struct job *job, const struct run_record *run, struct map *deleted)
{
	struct past_object *past;
	size_t count;

	if (!job->store->ops->changed(job->store, job->arena, run->id, &past, &count, job->diagnostics))
		return false;
	for (size_t i = 0; i < count; i++)
		if (past[i].was && !past[i].is && past[i].next_run.size == 0 && past[i].before.role != OBJECT_DEPOSED)
			map_set(deleted, past[i].before.address, &past[i]);
	return true;
}

/* Back to the last run that did all that it was to do. */
static bool note_all_deleted(struct job *job, struct map *deleted)
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
		if (!note_deleted(job, &runs[i], deleted))
			return false;
	}
	return true;
}

bool past_run_explain(struct job *job)
{
	struct map deleted;
	bool any = false;

	for (size_t i = 0; i < job->plan.action_count && !any; i++)
		any = is_unexplained(&job->plan.actions[i]);
	if (!any || job->record->serial == 0)
		return true;
	map_init(&deleted);
	bool good = note_all_deleted(job, &deleted);
	for (size_t i = 0; good && deleted.count > 0 && i < job->plan.action_count; i++)
		if (is_unexplained(&job->plan.actions[i]) && map_get(&deleted, job->plan.actions[i].address))
			job->plan.actions[i].reason = "was deleted by a run that did not make it anew";
	map_release(&deleted);
	return good;
}
