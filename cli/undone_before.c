#include "cli/undone_before.h"

#include "cli/past_run.h"
#include "reconcile/undo_again.h"

/* Whether it undoes the run, or one that undoes it, and so on: they all change the same, one way or the other. */
static bool undoes(struct job *job, const struct run_record *later, const struct slice *undone, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (slice_equal(later->command, past_run_undoing(job->arena, undone[i])))
			return true;
	return false;
}

static bool read_found(struct job *job, const struct undo_later *later)
{
	for (size_t i = 0; i < later->past_count; i++)
		if (!past_run_read_body(job, &later->past[i].before, later->past[i].before_body))
			return false;
	return true;
}

bool undone_before(struct job *job, const struct run_record *runs, const struct run_record *run,
		   struct undo_touched **ret, size_t *ret_count)
{
	size_t most = (size_t)(run - runs), undone_count = 1, count = 0;
	struct undo_later *later = arena_new_array(job->arena, most + 1, struct undo_later);
	struct slice *undone = arena_new_array(job->arena, most + 1, struct slice);

	undone[0] = run->id;
	for (const struct run_record *at = run; at-- > runs;) {
		struct undo_later *one = &later[count];

		one->undoes = undoes(job, at, undone, undone_count);
		/* What others changed before any undoing does not matter here. */
		if (!one->undoes && undone_count == 1)
			continue;
		if (!job->store->ops->changed(job->store, job->arena, at->id, &one->past, &one->past_count,
					      job->diagnostics) ||
		    (one->undoes && !read_found(job, one)))
			return false;
		if (one->undoes)
			undone[undone_count++] = at->id;
		count++;
	}
	undo_again_gather(later, count, job->arena, ret, ret_count);
	return true;
}

bool changed_since(struct job *job, const struct run_record *runs, const struct run_record *run,
		   const struct undo_since **ret, size_t *ret_count)
{
	size_t most = (size_t)(run - runs), count = 0;
	struct undo_since *all = arena_new_array(job->arena, most + 1, struct undo_since);

	for (const struct run_record *at = run; at-- > runs;) {
		const struct command *command = command_of_run(at->command);
		struct past_object *past;
		size_t past_count;

		if (!job->store->ops->changed(job->store, job->arena, at->id, &past, &past_count, job->diagnostics))
			return false;
		for (size_t i = 0; i < past_count; i++)
			if (!past_run_read_bodies(job, &past[i]))
				return false;
		all[count++] = (struct undo_since){
			.run = at->id,
			.command = at->command,
			.records_only = command && !command->undoable,
			.past = past,
			.past_count = past_count,
		};
	}
	*ret = all;
	*ret_count = count;
	return true;
}
