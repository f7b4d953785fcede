#include "cli/past_run.h"

#include "cli/command_list.h"

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

struct slice past_run_of_part(struct arena *arena, const char *command)
{
	return arena_format(arena, "%s --target", command);
}

struct slice past_run_of_most(struct arena *arena, const char *command)
{
	return arena_format(arena, "%s in part", command);
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

struct search {
	struct leavings *found;
	struct map settled; /* addresses of which a later run did what it was to do */
};

static void leave(struct job *job, const struct run_record *run, struct slice address, const char *why, struct map *to)
{
	struct leaving *leaving = arena_new(job->arena, struct leaving);

	*leaving = (struct leaving){address, why, run->id};
	map_set(to, address, leaving);
}

/* Of what was begun alone nothing was there that could go. */
static bool has_gone(const struct past_object *past)
{
	return past->was && !past->is && past->before.role != OBJECT_DEPOSED && past->before.provider_id.size > 0;
}

/* What went with the run, and nobody has made anew since, and why it went. */
static void note_gone(struct job *job, const struct run_record *run, const struct past_object *past,
		      const struct call_record *calls, size_t call_count, struct search *search)
{
	if (!has_gone(past) || past->next_run.size > 0 || map_get(&search->settled, past->before.address))
		return;
	leave(job, run, past->before.address,
	      was_called(calls, call_count, past->before.object_id)
		      ? "was deleted by a run that did not make it anew"
		      : "was deleted outside of this stack, and not made anew since",
	      &search->found->gone);
}

/* One that changed nothing has left everything as it was. */
static void note_halfway(struct job *job, const struct run_record *run, const struct call_record *calls, size_t count,
			 struct search *search)
{
	for (size_t i = 0; i < count && !slice_is(run->outcome, "failed"); i++)
		if (!map_get(&search->settled, calls[i].address))
			leave(job, run, calls[i].address, "was to be changed by a run that did not come to its end",
			      &search->found->halfway);
}

/* To delete what was left over settles nothing of what has its address. */
static void note_settled(struct past_object *past, struct search *search)
{
	bool was_its_own = past->was && past->before.role != OBJECT_DEPOSED;
	bool is_its_own = past->is && past->after.role != OBJECT_DEPOSED;

	if (was_its_own || is_its_own)
		map_set(&search->settled, past->was ? past->before.address : past->after.address, past);
}

/* What a run did, as the history has it. */
struct past_run {
	const struct run_record *run;
	struct past_object *objects;
	size_t object_count;
	struct call_record *calls;
	size_t call_count;
};

static bool read_run(struct job *job, const struct run_record *run, struct past_run *ret)
{
	const struct store_ops *ops = job->store->ops;

	*ret = (struct past_run){.run = run};
	return ops->changed(job->store, job->arena, run->id, &ret->objects, &ret->object_count, job->diagnostics) &&
	       ops->calls(job->store, job->arena, run->id, &ret->calls, &ret->call_count, job->diagnostics);
}

/* However it ended. */
static bool has_deleted_anything(const struct past_run *past)
{
	for (size_t i = 0; i < past->object_count; i++)
		if (has_gone(&past->objects[i]))
			return true;
	return false;
}

static void search_run(struct job *job, const struct past_run *past, bool settles, struct search *search)
{
	for (size_t i = 0; i < past->object_count; i++)
		if (settles)
			note_settled(&past->objects[i], search);
		else
			note_gone(job, past->run, &past->objects[i], past->calls, past->call_count, search);
	if (!settles)
		note_halfway(job, past->run, past->calls, past->call_count, search);
}

static bool search_runs(struct job *job, struct search *search)
{
	struct run_record *runs;
	size_t count;

	if (!job->store->ops->runs(job->store, job->arena, &runs, &count, job->diagnostics))
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct command *command = command_of_run(runs[i].command);
		struct past_run past;

		if (!command || !command->undoable)
			continue;
		/* One about a part (an undo, too) tells nothing of the rest. */
		bool is_whole = slice_is(runs[i].command, command->name), is_done = slice_is(runs[i].outcome, "done");
		if (is_whole && is_done)
			break;
		if (!read_run(job, &runs[i], &past))
			return false;
		/* What a destroy deletes is not to come back; one that deleted nothing leaves all as it was. */
		bool deletes = command == &command_destroy && has_deleted_anything(&past);
		if (is_whole && deletes)
			break;
		search_run(job, &past, is_done || deletes, search);
	}
	return true;
}

bool past_run_leavings(struct job *job, struct leavings *ret)
{
	struct search search = {.found = ret};

	map_init(&ret->gone);
	map_init(&ret->halfway);
	map_init(&search.settled);
	bool good = job->record->serial == 0 || search_runs(job, &search);
	map_release(&search.settled);
	return good;
}

void leavings_release(struct leavings *leavings)
{
	map_release(&leavings->gone);
	map_release(&leavings->halfway);
}

bool past_run_explain(struct job *job)
{
	struct leavings left;
	bool any = false;

	for (size_t i = 0; i < job->plan.action_count && !any; i++)
		any = is_unexplained(&job->plan.actions[i]);
	if (!any)
		return true;
	bool good = past_run_leavings(job, &left);
	for (size_t i = 0; good && left.gone.count > 0 && i < job->plan.action_count; i++) {
		struct action *action = &job->plan.actions[i];
		const struct leaving *leaving = is_unexplained(action) ? map_get(&left.gone, action->address) : NULL;

		if (leaving)
			action->reason = leaving->why;
	}
	leavings_release(&left);
	return good;
}
