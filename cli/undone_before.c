#include "cli/undone_before.h"

#include "cli/past_run.h"
#include "reconcile/undo_again.h"

static bool read_later(struct job *job, const struct run_record *run, bool bodies, struct undo_since *later)
{
	const struct command *command = command_of_run(run->command);
	struct past_object *past;

	if (!job->store->ops->changed(job->store, job->arena, run->id, &past, &later->past_count, job->diagnostics))
		return false;
	for (size_t i = 0; bodies && i < later->past_count; i++)
		if (!past_run_read_bodies(job, &past[i]))
			return false;
	later->run = run->id;
	later->command = run->command;
	later->records_only = command && !command->undoable;
	later->forgets = command && command->forgets;
	later->renames = command && command->renames;
	later->past = past;
	return true;
}

/* Which of the runs so far a later one undid; NULL: none of them. */
static const struct undo_since *undone_by(struct job *job, const struct run_record *run, struct map *undoings,
					  struct undo_since *later)
{
	const struct undo_since *undone = map_get(undoings, past_run_undoing_of(run->command));

	map_set(undoings, past_run_undoing(job->arena, run->id), later);
	return undone;
}

/* The runs after that one, the oldest first; all: with the bodies of all, else from the first undoing on, and with the
 * bodies of what the undoings changed. */
static bool gather_later(struct job *job, const struct run_record *runs, const struct run_record *run, bool all,
			 const struct undo_since **ret, size_t *ret_count)
{
	size_t most = (size_t)(run - runs), count = 0;
	struct undo_since *later = arena_new_array(job->arena, most + 1, struct undo_since);
	struct map undoings; /* to what each undoes, by past_run_undoing() */
	/* Likewise: of the run, of those that undo it, of those that undo these, and so on. They all change the same,
	 * one way or the other. */
	struct map undone;

	map_init_in(&undoings, job->arena);
	map_init_in(&undone, job->arena);
	map_set(&undone, past_run_undoing(job->arena, run->id), later);
	for (const struct run_record *at = run; at-- > runs;) {
		struct undo_since *one = &later[count];

		one->undoes = map_get(&undone, past_run_undoing_of(at->command)) != NULL;
		if (one->undoes)
			map_set(&undone, past_run_undoing(job->arena, at->id), one);
		if (!all && undone.count == 1)
			continue;
		if (!read_later(job, at, all || one->undoes, one))
			return false;
		one->undone = undone_by(job, at, &undoings, one);
		count++;
	}
	*ret = later;
	*ret_count = count;
	return true;
}

bool undone_before(struct job *job, const struct run_record *runs, const struct run_record *run,
		   struct undo_touched **ret, size_t *ret_count)
{
	const struct undo_since *later;
	size_t count;

	/* What others changed before any undoing does not matter here. */
	if (!gather_later(job, runs, run, false, &later, &count))
		return false;
	undo_again_gather(later, count, job->arena, ret, ret_count);
	return true;
}

bool changed_since(struct job *job, const struct run_record *runs, const struct run_record *run,
		   const struct undo_since **ret, size_t *ret_count)
{
	return gather_later(job, runs, run, true, ret, ret_count);
}

/* Whether the run left another value of the field at the address than it found. */
static bool changed_field(struct job *job, const struct run_record *run, struct slice address, const char *field)
{
	struct past_object *past;
	size_t count;
	bool changed = false;

	if (!job->store->ops->changed(job->store, job->arena, run->id, &past, &count, job->diagnostics))
		return false;
	for (size_t i = 0; i < count && !changed; i++) {
		if (!past[i].was || !past[i].is || !slice_equal(past[i].before.address, address) ||
		    !past_run_read_bodies(job, &past[i]))
			continue;
		const struct value *before = value_if_set(value_get_named(&past[i].before.applied, field));
		const struct value *after = value_if_set(value_get_named(&past[i].after.applied, field));

		changed = before && after ? !value_equal(before, after) : before != after;
	}
	return changed;
}

const struct undo_since *changed_before(struct job *job, const struct run_record *runs, size_t count,
					const struct run_record *run, struct slice address, const char *field)
{
	for (const struct run_record *at = run + 1; at < runs + count; at++) {
		const struct command *command = command_of_run(at->command);
		struct undo_since *found;

		if ((command && !command->undoable) || !changed_field(job, at, address, field))
			continue;
		found = arena_new(job->arena, struct undo_since);
		*found = (struct undo_since){.run = at->id, .command = at->command};
		return found;
	}
	return NULL;
}
