#include "cli/past_run.h"

#include <string.h>

#include "cli/command_list.h"
#include "cli/record_secrets.h"
#include "reconcile/unfinished.h"

enum { PREFIX_LEAST = 4, NAME_DIGITS = 8 };

const struct run_record *past_run_find(struct job *job, const struct run_record *runs, size_t count,
				       struct slice wanted)
{
	const struct run_record *found = NULL;

	if (wanted.size < PREFIX_LEAST) {
		diag_error(job->diagnostics, FAULT_USAGE, NOWHERE, "'trueup %s' takes at least %d digits of a run's id",
			   job->invocation->arguments->command->name, (int)PREFIX_LEAST);
		diag_hint(job->diagnostics, "'trueup state history' lists the runs");
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
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
	return arena_format(arena, "%s %.*s", command_undo.name, SLICE_ARGUMENTS(slice_first(id, NAME_DIGITS)));
}

struct slice past_run_undoing_of(struct slice command)
{
	return slice_first(command, strlen(command_undo.name) + 1 + NAME_DIGITS);
}

struct slice past_run_of_part(struct arena *arena, struct slice command)
{
	return arena_format(arena, "%.*s --target", SLICE_ARGUMENTS(command));
}

struct slice past_run_of_most(struct arena *arena, struct slice command)
{
	return arena_format(arena, "%.*s in part", SLICE_ARGUMENTS(command));
}

static bool is_unexplained(const struct action *action)
{
	return action->operation == OPERATION_CREATE && action->in_spec && action->object_id.size == 0;
}

/* What a run did, as the history has it. */
struct past_run {
	struct run_record *run;
	struct past_object *objects;
	size_t object_count;
	struct map touched; /* by object id, each a struct touch; empty where the run did all that it was to do */
	/* Of an undoing that came to its end later, by address: what the run that it undoes found there, or made of
	 * nothing. */
	struct map undone;
	bool undoes_more; /* something that the other run made is recorded still */
	bool has_changed; /* anything, or perhaps */
};

/* The calls of a run that did not do all that it was to do. */
struct sent {
	const struct call_record *calls;
	size_t count;
};

/* What became of a run's calls about one object. */
struct touch {
	struct slice object_id;
	bool missed;   /* any was not answered, or refused */
	bool finished; /* all was done that was to be done to it */
};

static struct touch *touch_of(struct past_run *past, struct slice object_id, struct arena *arena)
{
	struct touch *touch = map_get(&past->touched, object_id);

	if (!touch) {
		touch = arena_new(arena, struct touch);
		touch->object_id = object_id;
		map_set(&past->touched, object_id, touch);
	}
	return touch;
}

/* The calls alone: what changed nothing in the record has no more to tell. */
static void read_calls(struct past_run *past, const struct sent *sent, struct arena *arena)
{
	for (size_t i = 0; i < sent->count; i++) {
		const struct call_record *call = &sent->calls[i];
		struct touch *touch = touch_of(past, call->object_id, arena);
		bool answered = slice_is(call->outcome, "done") && !call->settled_later;

		touch->missed |= !answered;
		touch->finished = !touch->missed;
		past->has_changed |= answered || slice_is(call->outcome, "unknown");
	}
}

/*
 * Whether the run has recorded the object as it was to be. A call that is sent again is refused where it was carried
 * out before, so its outcome alone tells little. What was only begun is noted in the record, and what recovery takes
 * over has no digest of what was to be.
 */
static bool is_finished(const struct past_object *object, const struct touch *touch)
{
	static const struct digest never;
	const struct digest *after = &object->after.symbolic;
	bool is_other = !object->was || !digest_equal(after, &object->before.symbolic);

	return object->is && object->after.role == OBJECT_CURRENT && !unfinished_has_note(&object->after) &&
	       !digest_equal(after, &never) && (is_other || !touch->missed);
}

bool past_run_read_body(struct job *job, struct object *object, struct slice body)
{
	if (body.size > 0 && !object_body_read(object, body, job->arena, job->diagnostics))
		return false;
	record_secrets_hide(job, object);
	return true;
}

bool past_run_read_bodies(struct job *job, struct past_object *past)
{
	return past_run_read_body(job, &past->before, past->before_body) &&
	       past_run_read_body(job, &past->after, past->after_body);
}

bool past_run_has_kept(const struct past_object *object)
{
	return object->was && object->is && slice_equal(object->before_body, object->after_body);
}

static bool read_objects(struct job *job, struct past_run *past)
{
	for (size_t i = 0; i < past->object_count; i++) {
		struct past_object *object = &past->objects[i];
		struct touch *touch = object->is ? map_get(&past->touched, object->after.object_id) : NULL;

		past->has_changed |= !past_run_has_kept(object);
		if (!touch)
			continue;
		if (object->after_body.size > 0 &&
		    !object_body_read(&object->after, object->after_body, job->arena, job->diagnostics))
			return false;
		touch->finished = is_finished(object, touch);
	}
	return true;
}

static void past_run_release(struct past_run *past)
{
	map_release(&past->touched);
	map_release(&past->undone);
}

static bool read_run(struct job *job, struct run_record *run, const struct sent *sent, struct past_run *ret)
{
	*ret = (struct past_run){.run = run};
	map_init(&ret->touched);
	map_init(&ret->undone);
	if (!job->store->ops->changed(job->store, job->arena, run->id, &ret->objects, &ret->object_count,
				      job->diagnostics))
		return false;
	if (!sent)
		return true;
	read_calls(ret, sent, job->arena);
	return read_objects(job, ret);
}

/* Whether the run asked for it, of something that went with the run: what is dropped without a call was gone when it
 * looked. */
static bool was_called(const struct past_run *past, struct slice object_id)
{
	return map_get(&past->touched, object_id) != NULL;
}

struct search {
	struct leavings *found;
	struct run_record *runs;
	size_t run_count;
	struct map sent;	    /* by run id, each a struct sent */
	struct map settled;	    /* by address, the struct run_record of the last run that did what it was to do */
	struct map settled_objects; /* the objects of such runs, by id */
	/* Undoings that came to their end, by past_run_undoing_of(); and those of them that left nothing to do. */
	struct map finished, concluded;
};

static void leave(struct job *job, const struct run_record *run, struct slice key, const char *why, struct map *to)
{
	struct leaving *leaving = arena_new(job->arena, struct leaving);

	*leaving = (struct leaving){why, run->id};
	map_set(to, key, leaving);
}

/* Of what was begun alone nothing was there that could go. */
static bool has_gone(const struct past_object *past)
{
	return past->was && !past->is && past->before.role != OBJECT_DEPOSED && past->before.provider_id.size > 0;
}

static void note_undone(const struct job *job, struct past_object *objects, size_t count, struct past_run *past)
{
	struct map recorded; /* by object id */

	map_init(&recorded);
	for (size_t i = 0; i < job->object_count; i++)
		map_mark(&recorded, job->objects[i]->object_id);
	for (size_t i = 0; i < count; i++) {
		const struct past_object *object = &objects[i];

		if (object->was || !map_get(&past->undone, past_address(object)))
			map_set(&past->undone, past_address(object), &objects[i]);
		past->undoes_more |= !object->was && object->is && map_has(&recorded, object->after.object_id);
	}
	map_release(&recorded);
}

/* What the run did that this one undoes, if it is known still. */
static bool read_undone(struct job *job, const struct search *search, struct past_run *past)
{
	const struct run_record *undone = NULL;
	struct past_object *objects;
	size_t count;

	for (size_t i = 0; i < search->run_count && !undone; i++)
		if (slice_equal(past_run_undoing_of(past->run->command),
				past_run_undoing(job->arena, search->runs[i].id)))
			undone = &search->runs[i];
	if (!undone)
		return true;
	if (!job->store->ops->changed(job->store, job->arena, undone->id, &objects, &count, job->diagnostics))
		return false;
	note_undone(job, objects, count, past);
	return true;
}

/* What is made of nothing goes for good where its run is undone, and all else with it that the run made: the undoing
 * that came to its end may have been about one target. */
static bool was_to_go(const struct past_run *past, struct slice address)
{
	const struct past_object *undone = map_get(&past->undone, address);

	return undone && !undone->was && !past->undoes_more;
}

/* What went with the run, and nobody has made anew since, and why it went. */
static void note_gone(struct job *job, const struct past_run *past, const struct past_object *object,
		      struct search *search)
{
	if (!has_gone(object) || object->next_run.size > 0 || map_get(&search->settled, object->before.address) ||
	    was_to_go(past, object->before.address))
		return;
	leave(job, past->run, object->before.address,
	      was_called(past, object->before.object_id) ? "was deleted by a run that did not make it anew"
							 : "was deleted outside of this stack, and not made anew since",
	      &search->found->gone);
}

/* Whether what it changed was taken back, by an undoing that nothing undid, and the rest done anew since. */
static bool is_undone(struct job *job, const struct past_run *past, const struct search *search)
{
	struct slice undoing = past_run_undoing(job->arena, past->run->id);
	bool any = false;

	for (size_t i = 0; i < past->object_count; i++) {
		const struct run_record *later = map_get(&search->settled, past_address(&past->objects[i]));

		if (past_run_has_kept(&past->objects[i]))
			continue;
		if (!later)
			return false;
		if (slice_equal(past_run_undoing_of(later->command), undoing))
			any = true;
		else if (command_of_run(later->command) == &command_undo)
			return false;
	}
	return any;
}

/*
 * What it sent calls about and did not bring to its end. A run that changed nothing, or was taken back, has left
 * everything as it was.
 */
static void note_halfway(struct job *job, const struct past_run *past, struct search *search)
{
	bool undoes = command_of_run(past->run->command) == &command_undo;

	if (!past->has_changed || is_undone(job, past, search) ||
	    map_has(&search->concluded, past_run_undoing_of(past->run->command)))
		return;
	for (size_t i = 0; i < past->touched.count; i++) {
		const struct touch *touch = past->touched.entries[i].item;

		if (map_has(&search->settled_objects, touch->object_id))
			continue;
		if (touch->finished)
			/* Nor is it what an earlier run has left of it. */
			map_mark(&search->settled_objects, touch->object_id);
		else
			leave(job, past->run, touch->object_id,
			      undoes ? "was to be changed by an undoing that did not come to its end, which the same "
				       "'trueup undo' finishes"
				     : "was to be changed by a run that did not come to its end",
			      &search->found->halfway);
	}
}

/* The last run about something stays. To delete what was left over settles nothing of what has its address. */
static void note_settled(struct run_record *run, const struct past_object *object, struct search *search)
{
	bool was_its_own = object->was && object->before.role != OBJECT_DEPOSED;
	bool is_its_own = object->is && object->after.role != OBJECT_DEPOSED;

	if (!was_its_own && !is_its_own)
		return;
	if (!map_get(&search->settled, past_address(object)))
		map_set(&search->settled, past_address(object), run);
	map_mark(&search->settled_objects, past_object_id(object));
}

/* However it ended. What is only found is let go of without a call. */
static bool has_deleted_anything(const struct job *job, const struct past_run *past)
{
	for (size_t i = 0; i < past->object_count; i++) {
		const struct object *before = &past->objects[i].before;
		const struct kind *kind = has_gone(&past->objects[i]) ? kinds_find(&job->kinds, before->kind) : NULL;

		if (kind && (kind->found || was_called(past, before->object_id)))
			return true;
	}
	return false;
}

static void settle(const struct past_run *past, struct search *search)
{
	for (size_t i = 0; i < past->object_count; i++)
		note_settled(past->run, &past->objects[i], search);
}

static void take_leavings(struct job *job, const struct past_run *past, struct search *search)
{
	for (size_t i = 0; i < past->object_count; i++)
		note_gone(job, past, &past->objects[i], search);
	note_halfway(job, past, search);
}

/* The command of a run that carried out a plan; NULL of any other. */
static const struct command *command_carried_out(const struct run_record *run)
{
	const struct command *command = command_of_run(run->command);

	return command && command->undoable ? command : NULL;
}

static bool is_done(const struct run_record *run)
{
	return slice_is(run->outcome, "done");
}

/* One about a part (an undo, too) tells nothing of the rest. */
static bool is_whole(const struct run_record *run, const struct command *command)
{
	return slice_is(run->command, command->name);
}

/* What came before one that did all that there was to do does not matter any more. */
static bool has_settled_all(const struct run_record *run)
{
	const struct command *command = command_carried_out(run);

	return command && is_done(run) && is_whole(run, command);
}

/* Reads one and takes what it tells; *ret_ends: as of one that has settled all. */
static bool search_run(struct job *job, struct run_record *run, struct search *search, bool *ret_ends)
{
	const struct command *command = command_carried_out(run);
	struct past_run past;

	if (!command)
		return true;
	*ret_ends = has_settled_all(run);
	if (*ret_ends)
		return true;
	struct slice undoing = past_run_undoing_of(run->command);
	bool is_finished_later = !is_done(run) && map_has(&search->finished, undoing);
	if (is_done(run) && command == &command_undo)
		map_mark(&search->finished, undoing);
	bool good = read_run(job, run, map_get(&search->sent, run->id), &past) &&
		    (!is_finished_later || read_undone(job, search, &past));
	/* What was before it recovery has settled, or there was nothing to settle. */
	if (good && is_done(run) && command == &command_undo && slice_equal(run->command, undoing))
		map_mark(&search->concluded, undoing);
	/* What a destroy deletes is not to come back; one that deleted nothing leaves all as it was. */
	bool deletes = good && command == &command_destroy && has_deleted_anything(job, &past);
	*ret_ends = deletes && is_whole(run, command);
	if (good && !*ret_ends && (is_done(run) || deletes))
		settle(&past, search);
	else if (good && !*ret_ends)
		take_leavings(job, &past, search);
	past_run_release(&past);
	return good;
}

/* Whether its calls tell what it has left: one that did all that it was to do has left nothing. */
static bool is_to_be_read(const struct run_record *run)
{
	return command_carried_out(run) && !is_done(run) && run->call_count + run->open_count > 0;
}

/* Of all runs at once: each reading takes as long as the whole history, which only grows. */
static bool read_sent(struct job *job, struct search *search)
{
	const struct run_record *oldest = NULL, *newest = NULL;
	struct call_record *calls;
	size_t count;

	for (size_t i = 0; i < search->run_count && !has_settled_all(&search->runs[i]); i++) {
		const struct run_record *run = &search->runs[i];

		if (!is_to_be_read(run))
			continue;
		map_set(&search->sent, run->id, arena_new(job->arena, struct sent));
		newest = newest ? newest : run;
		oldest = run;
	}
	if (!oldest)
		return true;
	if (!job->store->ops->calls(job->store, job->arena, oldest->id, newest->id, &calls, &count, job->diagnostics))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct sent *sent = map_get(&search->sent, calls[i].run);

		if (sent && sent->count++ == 0)
			sent->calls = &calls[i];
	}
	return true;
}

static bool search_runs(struct job *job, struct search *search)
{
	bool ends = false;

	if (!job->store->ops->runs(job->store, job->arena, &search->runs, &search->run_count, job->diagnostics) ||
	    !read_sent(job, search))
		return false;
	for (size_t i = 0; i < search->run_count && !ends; i++)
		if (!search_run(job, &search->runs[i], search, &ends))
			return false;
	return true;
}

bool past_run_leavings(struct job *job, struct leavings *ret)
{
	struct search search = {.found = ret};

	map_init(&ret->gone);
	map_init(&ret->halfway);
	map_init(&search.sent);
	map_init(&search.settled);
	map_init(&search.settled_objects);
	map_init(&search.finished);
	map_init(&search.concluded);
	bool good = job->record->serial == 0 || search_runs(job, &search);
	map_release(&search.sent);
	map_release(&search.settled);
	map_release(&search.settled_objects);
	map_release(&search.finished);
	map_release(&search.concluded);
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
