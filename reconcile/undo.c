#include "reconcile/undo.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "reconcile/schema.h"
#include "reconcile/undo_parts.h"
#include "reconcile/unfinished.h"

enum { NOTE_LARGEST_BYTES = 1024 };

__attribute__((format(printf, 4, 0))) static void add_note(struct undo_work *work, struct slice address, bool stays,
							   const char *format, va_list arguments)
{
	struct undoing *undoing = work->undoing;
	char text[NOTE_LARGEST_BYTES];

	vsnprintf(text, sizeof(text), format, arguments);
	undoing->notes = arena_room(work->arena, undoing->notes, undoing->note_count, &undoing->note_capacity,
				    sizeof(*undoing->notes));
	undoing->notes[undoing->note_count++] = (struct plan_note){
		.address = address,
		.what = arena_copy(work->arena, slice_of(text)),
		.stays = stays,
	};
}

void undo_note(struct undo_work *work, struct slice address, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add_note(work, address, false, format, arguments);
	va_end(arguments);
}

void undo_stays(struct undo_work *work, struct slice address, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add_note(work, address, true, format, arguments);
	va_end(arguments);
}

bool undo_leaves(const struct plan *plan)
{
	for (size_t i = 0; i < plan->note_count; i++)
		if (plan->notes[i].stays)
			return true;
	return false;
}

/* Whether a run that began to make it, or to change it, has left something of that to be done. */
static bool is_half_done(const struct object *now)
{
	return now && (now->role == OBJECT_INCOMPLETE || unfinished_owed(now) || unfinished_before(now) ||
		       unfinished_is_deletion(now));
}

/* What a run that did not end was about to make or to delete is not there by its doing. */
static bool is_gone(const struct object *now, const struct live *live)
{
	return live && (live->presence == PRESENCE_ABSENT || live->presence == PRESENCE_LEAVING) && !is_half_done(now);
}

/* What a run began with it may have come, or may not. */
static bool is_unknown(const struct object *now, const struct live *live)
{
	return live && live->presence == PRESENCE_UNREAD &&
	       (now->role == OBJECT_INCOMPLETE || unfinished_has_note(now));
}

static void index_live(struct undo_work *work)
{
	const struct undo_input *input = work->input;

	map_init_in(&work->gone, work->arena);
	map_init_in(&work->gone_behind, work->arena);
	map_init_in(&work->unknown, work->arena);
	for (size_t i = 0; input->live && i < input->object_count; i++) {
		struct object *object = input->objects[i];
		const struct live *live = input->live[i];
		bool is_now = map_get(&work->now, object->address) == object;

		if (is_now && is_unknown(object, live))
			map_mark(&work->unknown, object->address);
		else if (is_now && is_gone(object, live))
			map_mark(&work->gone, object->address);
		else if (object->role == OBJECT_DEPOSED && is_gone(object, live))
			map_mark(&work->gone_behind, object->object_id);
	}
}

static void index_now(struct undo_work *work)
{
	map_init_in(&work->now, work->arena);
	map_init_in(&work->now_id, work->arena);
	map_reserve(&work->now, work->input->object_count);
	map_reserve(&work->now_id, work->input->object_count);
	for (size_t i = 0; i < work->input->object_count; i++) {
		struct object *object = work->input->objects[i];
		const struct object *known = map_get(&work->now, object->address);

		map_set(&work->now_id, object->object_id, object);
		if (object->role == OBJECT_CURRENT || (object->role == OBJECT_INCOMPLETE && !known))
			map_set(&work->now, object->address, object);
	}
}

bool undo_is_target(const struct undo_work *work, struct slice address)
{
	for (size_t i = 0; i < work->input->target_count; i++)
		if (slice_equal(work->input->targets[i], address))
			return true;
	return work->input->target_count == 0;
}

/* Of several objects at an address the current one speaks for it, or else the one that was begun. */
static void take_form(const struct object **slot, const struct object *form)
{
	if (form->role == OBJECT_CURRENT || (form->role == OBJECT_INCOMPLETE && !*slot))
		*slot = form;
}

/* Whether something was there before the run. A record whose create never showed anything does not count: what has come
 * of that create since is the run's, and a record that the run merely forgot does not come back. */
static bool was_there(const struct past_object *past)
{
	return past->was && !object_was_never_seen(&past->before);
}

/* Whether the run left anything. Where its create showed nothing, what has come of that since was made by a later run,
 * with its own call or by sending that one again; the mere record is the run's. */
static bool is_left(const struct undo_work *work, const struct past_object *past)
{
	const struct object *now = past->is ? map_get(&work->now_id, past->after.object_id) : NULL;

	return past->is && (!object_was_never_seen(&past->after) || (now && object_was_never_seen(now)));
}

struct undo_case *undo_case_at(struct undo_work *work, struct slice address)
{
	struct undo_case *one = map_get(&work->cases_by_address, address);

	if (one)
		return one;
	one = &work->cases[work->case_count++];
	one->address = address;
	one->now = one->base = map_get(&work->now, address);
	map_add(&work->cases_by_address, address, one);
	return one;
}

/* What the run did not change, and an undoing replaced because it refers to what goes back: as the undoing found it. */
static void add_touched(struct undo_work *work, const struct undo_touched *touched)
{
	struct undo_case *one = map_get(&work->cases_by_address, touched->address);
	const struct object *found = touched->found ? undo_as_whole(work, touched->found) : NULL;

	if (!one && !found)
		return;
	if (!one) {
		one = undo_case_at(work, touched->address);
		one->was = one->left = found;
		one->touched_alone = true;
	}
	one->touched = touched;
	if (found)
		one->base = found;
}

/* With --target those that the run changed stay out of it, but for what was named. */
static void gather_touched(struct undo_work *work)
{
	const struct undo_input *input = work->input;
	struct map changed;

	map_init(&changed);
	for (size_t i = 0; i < input->past_count; i++)
		map_mark(&changed, past_address(&input->past[i]));
	for (size_t i = 0; i < input->touched_count; i++)
		if (undo_is_target(work, input->touched[i].address) || !map_has(&changed, input->touched[i].address))
			add_touched(work, &input->touched[i]);
	map_release(&changed);
}

static bool gather_cases(struct undo_work *work)
{
	const struct undo_input *input = work->input;

	size_t most = input->past_count + input->touched_count + undo_count_followers(work);

	work->cases = arena_new_array(work->arena, most + 1, struct undo_case);
	map_init_in(&work->cases_by_address, work->arena);
	for (size_t i = 0; i < input->past_count; i++) {
		const struct past_object *past = &input->past[i];
		struct slice address = past_address(past);
		struct undo_case *one;

		if ((!past->was && !past->is) || !undo_is_target(work, address))
			continue;
		one = undo_case_at(work, address);
		if (was_there(past))
			take_form(&one->was, &past->before);
		if (is_left(work, past))
			take_form(&one->left, &past->after);
		if (past->next_run.size > 0 && !one->next)
			one->next = past;
	}
	undo_find_behind(work);
	for (size_t i = 0; i < work->case_count; i++)
		undo_make_whole(work, &work->cases[i]);
	gather_touched(work);
	for (size_t i = 0; i < work->case_count; i++)
		undo_take_begun(work, &work->cases[i]);
	undo_take_references(work);
	bool good = undo_find_followers(work);
	undo_find_homes(work);
	return good;
}

static bool check_targets(const struct undo_work *work)
{
	bool good = true;

	for (size_t i = 0; i < work->input->target_count; i++) {
		if (map_get(&work->cases_by_address, work->input->targets[i]))
			continue;
		good = diag_error(work->diagnostics, FAULT_USER, NOWHERE, "the run did not change '%.*s'",
				  SLICE_ARGUMENTS(work->input->targets[i]));
		diag_hint(work->diagnostics, "'trueup state history RUN' lists what it did");
	}
	return good;
}

static bool conflict_with(struct undo_work *work, const struct undo_case *one, const struct undo_since *run,
			  const char *what, const char *hint)
{
	diag_error(work->diagnostics, FAULT_CONFLICT, NOWHERE, "'%.*s' %s%.*s", SLICE_ARGUMENTS(one->address), what,
		   SLICE_ARGUMENTS(undo_since_text(work, run)));
	diag_address(work->diagnostics, one->address);
	undo_hint(work, hint ? NULL : run, hint ? hint : "undo the later run first");
	return false;
}

/* hint: what is to be done first; NULL: the later run is to be undone. */
static bool conflict(struct undo_work *work, const struct undo_case *one, const char *what, const char *hint)
{
	return conflict_with(work, one, undo_blamed(work, one, NULL), what, hint);
}

/* A renamed object is not looked for under its other name: what refers to it was rewritten, too. */
static const struct object *renamed(const struct undo_work *work, const struct undo_case *one)
{
	const struct object *form = one->left ? one->left : one->was;
	const struct object *now = form ? map_get(&work->now_id, form->object_id) : NULL;

	return now && !slice_equal(now->address, one->address) ? now : NULL;
}

bool undo_reaches_place(const struct undo_work *work, const struct object *was)
{
	const struct undo_input *input = work->input;

	for (size_t i = 0; i < input->provider_count; i++)
		if (slice_equal(input->providers[i].name, was->provider))
			return !input->identities || identity_equal(&input->identities[i], &was->identity);
	return false;
}

/* What a rebuild recorded by its tags alone, no record tells what it was made with. */
static bool is_whole(struct undo_work *work, const struct undo_case *one)
{
	struct diagnostics findings;
	struct value canonical;

	diagnostics_init(&findings, work->arena);
	bool good = schema_check(one->kind, &one->resource.desired, work->arena, &canonical, &findings) &&
		    (!one->kind->check || one->kind->check(one->kind, &canonical, &findings));
	if (!good)
		undo_stays(work, one->address, "is not made again: by what is recorded of it, %.*s",
			   SLICE_ARGUMENTS(diagnostics_first_error(&findings)->message));
	diagnostics_release(&findings);
	return good;
}

static bool can_be_made(struct undo_work *work, struct undo_case *one)
{
	if (!undo_reaches_place(work, one->was)) {
		undo_stays(work, one->address, "is not made again: provider '%.*s' does not reach %.*s any more",
			   SLICE_ARGUMENTS(one->was->provider),
			   SLICE_ARGUMENTS(identity_text(work->arena, &one->was->identity)));
		return false;
	}
	for (uint32_t i = 0; i < one->resource.desired.count; i++) {
		if (!value_has_fingerprint(&one->resource.desired.members[i].value))
			continue;
		undo_stays(work, one->address,
			   "is not made again: its '%.*s' is a secret, of which only the fingerprint is recorded",
			   SLICE_ARGUMENTS(value_slice(&one->resource.desired.members[i].key)));
		return false;
	}
	return is_whole(work, one);
}

/* As the first undoing was to make it, whatever became of that: what is there now may be half of a change, or nothing.
 */
static bool judge_again(struct undo_work *work, struct undo_case *one)
{
	if (!undo_merge(work, one))
		return false;
	one->verdict = UNDO_CHANGE;
	if (one->now)
		return true;
	one->resource.ignored_count = one->resource.follows_count = 0;
	one->verdict = can_be_made(work, one) ? UNDO_MAKE : UNDO_NOTHING;
	return true;
}

/* What the run made or changed may be another one by now, though it looks the same. */
static struct undo_fate fate_of(struct undo_work *work, const struct undo_case *one)
{
	bool is_same = one->now && one->base && slice_equal(one->left->object_id, one->base->object_id);

	if (is_same)
		return (struct undo_fate){0};
	return undo_fate_at(work, one->address);
}

/* Where another one has its place by now both would claim that. */
static const char no_way_back[] = "no run gives back what was forgotten";
static const char record_again[] =
	"where it is still there, 'trueup state rebuild --force' records it again: do that before";

/* What changed the record alone cannot be undone. */
static bool was_forgotten(struct undo_work *work, const struct undo_case *one)
{
	const struct undo_since *run = undo_blamed(work, one, NULL);

	return run && run->forgets;
}

/* The run made it anew in another place, and a later one has done so again. */
static bool has_moved_on(const struct undo_case *one)
{
	return !identity_equal(&one->was->identity, &one->left->identity) &&
	       !identity_equal(&one->left->identity, &one->base->identity) &&
	       !identity_equal(&one->was->identity, &one->base->identity);
}

/* Both were there: as it was, or field by field. */
static bool judge_change(struct undo_work *work, struct undo_case *one)
{
	bool again = one->base != one->now, others = false;
	bool follows =
		one->base && slice_equal(one->base->object_id, one->left->object_id) && undo_names_others(work, one);

	/* Of what is gone nothing more is recorded. */
	if (one->base)
		(void)undo_left_to_others(work, one, &others);
	if (!again && !others && !follows && !is_half_done(one->now) &&
	    (undo_same_form(one->was, one->left) || undo_same_form(one->was, one->now)))
		return true;
	/* Of what the run replaced the old one is made anew; what it only changed it left there. */
	if (map_has(&work->gone, one->address) && slice_equal(one->was->object_id, one->left->object_id)) {
		bool as_before = undo_same_form(one->was, one->left) || undo_same_form(one->was, one->now);

		if (!as_before || others)
			undo_stays(work, one->address, "does not go back: it was deleted outside of this stack");
		return true;
	}
	const struct undo_fate fate = fate_of(work, one);

	if (!one->base)
		return conflict(work, one, "is gone since", was_forgotten(work, one) ? record_again : NULL);
	if (one->now && fate.another)
		return fate.forgot ? conflict_with(work, one, fate.forgot, "is gone since", no_way_back)
				   : conflict_with(work, one, fate.another, "is another one since", NULL);
	if (has_moved_on(one))
		return conflict(work, one, "has changed again since", NULL);
	if (one->now && !identity_equal(&one->was->identity, &one->now->identity) &&
	    !undo_reaches_place(work, one->was)) {
		undo_stays(work, one->address, "stays where it is: provider '%.*s' does not reach %.*s any more",
			   SLICE_ARGUMENTS(one->was->provider),
			   SLICE_ARGUMENTS(identity_text(work->arena, &one->was->identity)));
		return true;
	}
	return again ? judge_again(work, one) : undo_merge(work, one);
}

/* The run removed it. */
static bool judge_removed(struct undo_work *work, struct undo_case *one)
{
	bool made_again = one->touched && !one->touched->found;
	bool same = undo_same_form(one->was, one->base);

	/* Others have made it as the run found it: there is nothing of the run's left in that. */
	if (!same && one->base && !made_again)
		same = undo_is_found(work, one);
	if (one->base && !same && !made_again)
		return conflict(work, one, "is there again, and otherwise", NULL);
	one->resource = undo_resource_of(work, one->was, one->kind);
	if (!one->now)
		one->verdict = can_be_made(work, one) ? UNDO_MAKE : UNDO_NOTHING;
	else if (!same || is_half_done(one->now))
		one->verdict = UNDO_CHANGE;
	return true;
}

/* The run made it. */
static bool judge_made(struct undo_work *work, struct undo_case *one)
{
	const struct undo_fate fate = fate_of(work, one);

	if (one->now && !undo_is_as_left(one))
		return conflict(work, one, "has changed again since", NULL);
	if (one->now && fate.another)
		return conflict_with(work, one, fate.another, "is another one since", NULL);
	/* What was adopted would only have been let go of. */
	if (!one->now && fate.forgot && !one->kind->found)
		undo_stays(work, one->address, "is left as it is, if it is still there: nothing is recorded of it%.*s",
			   SLICE_ARGUMENTS(undo_since_text(work, fate.forgot)));
	one->verdict = one->now ? UNDO_REMOVE : UNDO_NOTHING;
	if (one->kind->found)
		undo_tell_adopted(work, one);
	return true;
}

static bool judge(struct undo_work *work, struct undo_case *one)
{
	const struct object *form = one->was ? one->was : one->left;
	const struct object *elsewhere = renamed(work, one);

	if (!form)
		return true;
	if (elsewhere)
		return conflict(work, one,
				arena_text(work->arena, "is called '%.*s' since", SLICE_ARGUMENTS(elsewhere->address)),
				"give it back its name with 'trueup state mv'");
	one->kind = kinds_find(work->input->kinds, form->kind);
	if (!one->kind)
		return conflict(work, one, "is of a kind that this version does not know",
				"use the version that made it");
	if (one->was && one->left)
		return judge_change(work, one);
	if (one->was)
		return judge_removed(work, one);
	return judge_made(work, one);
}

bool undo_judge(struct undo_work *work, struct undo_case *one)
{
	one->first_note = work->undoing->note_count;
	bool good = judge(work, one);
	one->notes_after = work->undoing->note_count;
	/* It is told with what could not be read, not as something that there is nothing of. */
	if (one->verdict == UNDO_NOTHING && map_has(&work->unknown, one->address))
		one->verdict = UNDO_UNKNOWN;
	return good;
}

static int compare_notes(const void *a, const void *b)
{
	const struct plan_note *left = (const struct plan_note *)a, *right = (const struct plan_note *)b;
	int order = slice_compare(left->address, right->address);

	return order != 0 ? order : slice_compare(left->what, right->what);
}

bool undo_make(const struct undo_input *input, struct undoing *ret, struct diagnostics *diagnostics)
{
	struct undo_work work = {.input = input, .undoing = ret, .diagnostics = diagnostics, .arena = input->arena};

	*ret = (struct undoing){0};
	map_init_in(&ret->made, work.arena);
	map_init_in(&work.stood_behind, work.arena);
	map_init_in(&work.stood, work.arena);
	map_init_in(&work.awaited, work.arena);
	index_now(&work);
	index_live(&work);
	map_init_in(&work.spare, work.arena);
	work.spec = stack_addresses(input->spec, &work.spare);
	bool good = gather_cases(&work);
	good &= check_targets(&work);
	for (size_t i = 0; i < work.case_count; i++)
		good &= undo_judge(&work, &work.cases[i]);
	good &= undo_check_references(&work);
	undo_find_awaited(&work);
	if (good)
		good = undo_build(&work);
	if (good)
		undo_choose_leaving(&work);
	ret->cases = work.cases_by_address;
	return good;
}

/* Instead of those of the decision, which speak of a spec. NULL: it stays. */
static const char *const reasons[OPERATION_COUNT] = {
	[OPERATION_CREATE] = "the run removed it",
	[OPERATION_UPDATE] = "as before the run",
	[OPERATION_RECORD] = "as before the run",
};

/* To be replaced: the run itself left it there. */
static bool was_deleted_meanwhile(const struct undoing *undoing, const struct action *action)
{
	const struct undo_case *made = map_get(&undoing->made, action->address);

	return action->operation == OPERATION_CREATE && made && made->verdict == UNDO_MAKE && made->left;
}

/* To be deleted: not what the run made, but what came in the place of that. */
static bool stands_for_made(const struct undoing *undoing, const struct action *action)
{
	const struct undo_case *one = map_get(&undoing->cases, action->address);

	return action->operation == OPERATION_DELETE && one && one->verdict == UNDO_REMOVE &&
	       !slice_equal(one->left->object_id, action->object_id);
}

/* What keeps its value is not sent, but for a text that follows what it refers to. */
static bool sets_unknown(const struct action *action)
{
	for (uint32_t i = 0; i < action->desired.count; i++) {
		const struct value *value = &action->desired.members[i].value;

		if (value_has_deferred(value) && value_has_fingerprint(value))
			return true;
	}
	for (size_t i = 0; i < action->change_count; i++)
		if (action->changes[i].effect == EFFECT_SET && value_has_fingerprint(&action->changes[i].after))
			return true;
	return false;
}

static bool check_secrets(const struct action *action, struct diagnostics *diagnostics)
{
	bool makes = operation_makes(action->operation);

	if (makes ? !value_has_fingerprint(&action->desired)
		  : action->operation != OPERATION_UPDATE || !sets_unknown(action))
		return true;
	diag_error(diagnostics, FAULT_USER, NOWHERE,
		   "'%.*s' would have to be %s, and of a secret that it needs only the fingerprint is recorded",
		   SLICE_ARGUMENTS(action->address), makes ? "made anew" : "set anew");
	diag_address(diagnostics, action->address);
	diag_hint(diagnostics, "give the spec the secret that it had, or name what is to go back with --target");
	return false;
}

bool undo_finish(struct undoing *undoing, const struct undo_input *input, struct plan *plan,
		 struct diagnostics *diagnostics)
{
	struct undo_work work = {.input = input, .undoing = undoing, .arena = input->arena};
	bool good = true;

	for (size_t i = 0; i < plan->action_count; i++) {
		struct action *action = &plan->actions[i];

		undo_note_losses(&work, action);
		good &= check_secrets(action, diagnostics);
		if (action->role == OBJECT_CURRENT && reasons[action->operation])
			action->reason = was_deleted_meanwhile(undoing, action)
						 ? "was deleted by an undoing that did not make it anew"
						 : reasons[action->operation];
		if (action->role == OBJECT_CURRENT && stands_for_made(undoing, action))
			action->reason = "stands for what the run made";
	}
	if (undoing->note_count > 1)
		qsort(undoing->notes, undoing->note_count, sizeof(*undoing->notes), compare_notes);
	plan->notes = undoing->notes;
	plan->note_count = undoing->note_count;
	return good;
}
