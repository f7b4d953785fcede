#include "cli/saved_comparison.h"

#include "base/map.h"
#include "base/time_text.h"
#include "cli/providers.h"
#include "cli/saved_references.h"
#include "cli/saved_refusal.h"

/* Where the actions of an address begin, or would. */
static size_t first_action(const struct plan *plan, struct slice address)
{
	size_t low = 0, high = plan->action_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (slice_compare(plan->actions[middle].address, address) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct action *saved_plan_action(const struct plan *plan, const struct action *wanted)
{
	size_t low = first_action(plan, wanted->address);

	for (; low < plan->action_count && slice_equal(plan->actions[low].address, wanted->address); low++)
		if (plan->actions[low].role == wanted->role &&
		    slice_equal(plan->actions[low].object_id, wanted->object_id))
			return &plan->actions[low];
	return NULL;
}

/* Whether one of the plan's actions is carried out at the address, on what it stands for or also on what a replace has
 * left behind there. */
static bool touches(const struct plan *plan, struct slice address, bool left_behind_too)
{
	size_t low = first_action(plan, address);

	for (; low < plan->action_count && slice_equal(plan->actions[low].address, address); low++)
		if (action_is_carried_out(&plan->actions[low]) &&
		    (left_behind_too || plan->actions[low].role != OBJECT_DEPOSED))
			return true;
	return false;
}

bool saved_plan_touches_own(const struct plan *saved, struct slice address)
{
	return touches(saved, address, false);
}

/* What is said of an action that the saved plan has, by what would be done now instead. */
static const char *const stale_words[OPERATION_COUNT] = {
	[OPERATION_NONE] = "nothing is left to be done to it",
	[OPERATION_CREATE] = "it would have to be created now",
	[OPERATION_UPDATE] = "it would be changed in place now",
	[OPERATION_REPLACE] = "it would have to be replaced now",
	[OPERATION_DELETE] = "it would be deleted now",
	[OPERATION_FORGET] = "it is gone already, and only its record is left to go",
	[OPERATION_ADOPT] = "it exists by now and would be adopted",
	[OPERATION_CONFLICT] = "nothing may be done to it now",
	[OPERATION_INCOMPLETE] = "it cannot be read now",
	[OPERATION_TAKE_BACK] = "a replace has left one behind that would be taken back now",
	[OPERATION_RECORD] = "it is as the plan wants it already, and only its record would follow",
};

/* Where the unread ones of an address begin, or would. */
static size_t first_unread(const struct plan *plan, struct slice address)
{
	size_t low = 0, high = plan->unread_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (slice_compare(plan->unread[middle].address, address) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct plan *plan, size_t unread, struct slice address)
{
	return unread < plan->unread_count && slice_equal(plan->unread[unread].address, address);
}

static bool was_unread(const struct plan *saved, const struct unread *now)
{
	for (size_t i = first_unread(saved, now->address); is_at(saved, i, now->address); i++)
		if (slice_equal(saved->unread[i].field, now->field))
			return true;
	return false;
}

/* A field of the object that cannot be read now, and could be when the plan was made; NULL: none. */
static const struct unread *newly_unread(const struct plan *now, const struct plan *saved, struct slice address)
{
	for (size_t i = first_unread(now, address); is_at(now, i, address); i++)
		if (now->unread[i].field.size > 0 && !was_unread(saved, &now->unread[i]))
			return &now->unread[i];
	return NULL;
}

/* Whether the plan of now refuses what would be done at the address: it has no action then. */
static bool is_refused(const struct job *job, struct slice address)
{
	const struct diagnostics *told = job->diagnostics;

	for (size_t i = 0; i < told->count; i++)
		if (told->items[i].severity == SEVERITY_ERROR && slice_equal(told->items[i].address, address))
			return true;
	return false;
}

/* A field that the plan sets, and that no read tells by now as the thing stands still; NULL: none. */
static const struct field *newly_unshown(const struct action *now, const struct action *then)
{
	for (size_t i = 0; now && value_is(&now->live, VALUE_MAP) && i < then->change_count; i++) {
		const struct field *field = then->changes[i].effect == EFFECT_SET ? then->changes[i].field : NULL;

		if (field && field->shown_running && !value_if_set(value_get_named(&now->live, field->name)) &&
		    !changes_set(now->changes, now->change_count, slice_of(field->name)))
			return field;
	}
	return NULL;
}

static bool report_change(struct job *job, const struct action *action, const char *what)
{
	return saved_plan_refuse(job, action->address, slice_of(what));
}

/* Whether a value that the record does not have may be there all the same: it takes a call of its own to read it. */
static bool is_never_recorded(const struct action *action, const struct change *change)
{
	struct slice rest = slice_of(action->kind->name);
	const struct provider *provider = providers_find(&all_providers, slice_cut(&rest, '.'));

	if (!provider || !change->field || !value_is(&change->before, VALUE_NULL))
		return false;
	struct value_member member = {value_text(change->field->name), change->after};
	struct value matters = value_map(&member, 1);
	return provider->needs_detail(action->kind, &matters);
}

/* What is never made, only taken on, is there already: who read nothing takes it for new, and knows nothing of what it
 * is like. */
static bool is_taken_on(const struct action *now, const struct action *then)
{
	bool adopts = now->operation == OPERATION_ADOPT && then->operation == OPERATION_CREATE;
	bool replaces = now->operation == OPERATION_REPLACE && then->operation == OPERATION_REPLACE;

	return now->kind->found && (adopts || replaces);
}

/* The action as it would have been planned by whoever read nothing, and so did not know all that is known now. */
static struct action as_if_unread(struct job *job, const struct action *now, const struct action *then)
{
	struct action blind = *now;
	struct map unknown; /* paths of changes whose former value the record does not have */

	if (then->identity.provider.size == 0)
		blind.identity = then->identity;
	if (is_taken_on(now, then)) {
		blind.operation = then->operation;
		blind.provider_id = then->provider_id;
		blind.changes = then->changes;
		blind.change_count = then->change_count;
		return blind;
	}
	map_init(&unknown);
	for (size_t i = 0; i < then->change_count; i++)
		if (is_never_recorded(then, &then->changes[i]))
			map_set(&unknown, then->changes[i].path, &then->changes[i]);
	blind.changes = arena_new_array(job->arena, now->change_count + 1, struct change);
	for (size_t i = 0; i < now->change_count; i++) {
		const struct change *blindly = map_get(&unknown, now->changes[i].path);

		blind.changes[i] = now->changes[i];
		if (!blindly)
			continue;
		blind.changes[i].before = value_null();
		/* It is there as the plan wants it already: who did not know that was to set it. */
		if (now->changes[i].effect == EFFECT_RECORD) {
			blind.changes[i].effect = blindly->effect;
			if (now->operation == OPERATION_RECORD)
				blind.operation = then->operation;
		}
	}
	map_release(&unknown);
	return blind;
}

static bool approves(struct job *job, const struct plan *saved, const struct action *then, const struct action *now,
		     struct arena *scratch)
{
	struct action blind = saved->refreshed ? *now : as_if_unread(job, now, then);
	struct digest then_digest = action_approval(then, scratch, &job->style);
	struct digest now_digest = action_approval(&blind, scratch, &job->style);

	arena_reset(scratch);
	return digest_equal(&then_digest, &now_digest);
}

/* But for what is recorded of how it is kept, which no call sets. */
static struct action without_lifecycle(struct job *job, const struct action *action)
{
	struct action rest = *action;
	size_t kept = 0;

	rest.changes = arena_new_array(job->arena, action->change_count + 1, struct change);
	for (size_t i = 0; i < action->change_count; i++)
		if (action->changes[i].effect != EFFECT_LIFECYCLE)
			rest.changes[kept++] = action->changes[i];
	rest.change_count = kept;
	return rest;
}

/* What one of them has recorded otherwise than the other; NULL: nothing. */
static const struct change *kept_otherwise(const struct action *one, const struct action *other)
{
	for (size_t i = 0; i < one->change_count; i++) {
		const struct change *change = &one->changes[i];
		bool same = change->effect != EFFECT_LIFECYCLE;

		for (size_t k = 0; !same && k < other->change_count; k++)
			same = other->changes[k].effect == EFFECT_LIFECYCLE &&
			       slice_equal(other->changes[k].path, change->path) &&
			       value_equal(&other->changes[k].before, &change->before);
		if (!same)
			return change;
	}
	return NULL;
}

/* What has changed of an action that does the same as it did: what is there, or no more than the record. */
static const char *moved_words(struct job *job, const struct plan *saved, const struct action *now,
			       const struct action *then, struct arena *scratch)
{
	const struct change *change = kept_otherwise(now, then);
	const struct action rest_now = without_lifecycle(job, now), rest_then = without_lifecycle(job, then);

	if (!change)
		change = kept_otherwise(then, now);
	if (!change || !approves(job, saved, &rest_then, &rest_now, scratch))
		return "other values are there now";
	return arena_text(job->arena, "another run has recorded its '%.*s' since, and nothing else of it is otherwise",
			  SLICE_ARGUMENTS(change->path));
}

/* Why the action is not what it was. now: NULL where nothing would be done. */
static const char *staleness(struct job *job, const struct plan *saved, const struct action *now,
			     const struct action *then, struct arena *scratch)
{
	enum operation operation = now				    ? now->operation
				   : is_refused(job, then->address) ? OPERATION_CONFLICT
								    : OPERATION_NONE;
	const struct unread *field = newly_unread(&job->plan, saved, then->address);
	size_t first = first_unread(&job->plan, then->address);
	const struct unread *item = operation == OPERATION_INCOMPLETE && is_at(&job->plan, first, then->address)
					    ? &job->plan.unread[first]
					    : NULL;

	if (field)
		return arena_text(job->arena, "its '%.*s' cannot be read now: %.*s", SLICE_ARGUMENTS(field->field),
				  SLICE_ARGUMENTS(field->reason));
	const struct field *unshown = newly_unshown(now, then);
	if (unshown)
		return arena_text(job->arena, "its '%s' does not show while it stands still", unshown->name);
	if (now && operation == then->operation)
		return moved_words(job, saved, now, then, scratch);
	return item ? arena_text(job->arena, "%s: %.*s", stale_words[operation], SLICE_ARGUMENTS(item->reason))
		    : stale_words[operation];
}

/* Whether nothing is to be done now about what an action of the saved plan does something to. */
static bool is_gone(const struct job *job, const struct action *then)
{
	return action_is_carried_out(then) && !action_only_waits(then) && !saved_plan_action(&job->plan, then);
}

/* An action that is gone, and why: a run may have begun it, and made an object that the plan does not know. */
static bool report_gone(struct job *job, const struct plan *saved, const struct action *then, struct arena *scratch)
{
	return report_change(job, then,
			     touches(&job->plan, then->address, true)
				     ? "a run has worked at it since, and something else is left to be done now"
				     : staleness(job, saved, NULL, then, scratch));
}

/* Whether what would be done now at an address has been told of with what the saved plan does there. */
static bool is_told(const struct job *job, const struct plan *saved, struct slice address)
{
	size_t i = first_action(saved, address);

	for (; i < saved->action_count && slice_equal(saved->actions[i].address, address); i++)
		if (is_gone(job, &saved->actions[i]))
			return true;
	return false;
}

/* Whether it would be made elsewhere now, and told so: nothing has changed where the plan was made for. Whoever read
 * nothing did not know who answers. */
static bool report_elsewhere(struct job *job, const struct action *now, const struct action *then)
{
	const struct {
		const char *name;
		struct slice then, now;
	} parts[] = {
		{"account", then->identity.account, now->identity.account},
		{"region", then->identity.region, now->identity.region},
		{"endpoint", then->identity.endpoint, now->identity.endpoint},
	};
	const struct slice usual = SLICE("of the service's own");
	size_t i = 0;

	while (i < sizeof(parts) / sizeof(parts[0]) && slice_equal(parts[i].then, parts[i].now))
		i++;
	if (then->identity.provider.size == 0 || i == sizeof(parts) / sizeof(parts[0]))
		return false;
	diag_error(job->diagnostics, FAULT_STALE, NOWHERE,
		   "the plan has '%.*s' in the %s %.*s, and provider '%.*s' reaches the %s %.*s",
		   SLICE_ARGUMENTS(then->address), parts[i].name,
		   SLICE_ARGUMENTS(parts[i].then.size > 0 ? parts[i].then : usual), SLICE_ARGUMENTS(now->provider),
		   parts[i].name, SLICE_ARGUMENTS(parts[i].now.size > 0 ? parts[i].now : usual));
	diag_address(job->diagnostics, then->address);
	diag_hint(job->diagnostics, "apply it with the credentials and endpoint that it was made with, or plan again");
	return true;
}

/* Whether an action of the saved plan would be the same now; scratch is left empty. */
static bool stands(struct job *job, const struct plan *saved, const struct action *then, struct arena *scratch)
{
	const struct action *now = saved_plan_action(&job->plan, then);

	if (is_gone(job, then))
		return report_gone(job, saved, then, scratch);
	if (!now || !action_is_carried_out(then))
		return true;
	const char *another = plan_marks_moved(&then->marks, &now->marks, job->arena, &job->style);
	if (another)
		return report_change(job, now, another);
	if (!approves(job, saved, then, now, scratch))
		return !report_elsewhere(job, now, then) &&
		       report_change(job, now, staleness(job, saved, now, then, scratch));
	if (saved_references_moved(job, then, now))
		return report_change(job, now, "it would be given another value than the one that is shown");
	return true;
}

/* Whether all that the plan was to do is so already, and nothing else is to be done there now: as far as can be told,
 * and is not refused. */
static bool is_carried_out_already(const struct job *job, const struct plan *saved)
{
	for (size_t i = 0; i < saved->action_count; i++) {
		const struct action *then = &saved->actions[i];

		if (action_is_carried_out(then) && (!is_gone(job, then) || touches(&job->plan, then->address, true) ||
						    newly_unread(&job->plan, saved, then->address)))
			return false;
	}
	return job->diagnostics->error_count == 0;
}

/* The last run that has carried out such a plan to its end; NULL: none is recorded. */
static const struct run_record *carried_out_by(struct job *job, struct slice digest)
{
	struct run_record *runs;
	size_t count;

	if (!job->store->ops->runs(job->store, job->arena, &runs, &count, job->diagnostics))
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (slice_equal(runs[i].plan_digest, digest) && slice_is(runs[i].outcome, "done"))
			return &runs[i];
	return NULL;
}

/* As a pipeline comes upon that begins again after its last step: one thing to tell, not one for each object. */
static void report_carried_out(struct job *job, const struct run_record *run)
{
	diag_error(job->diagnostics, FAULT_STALE, NOWHERE,
		   "nothing is left to be done of this plan: run %.*s carried it out at %.*s",
		   SLICE_ARGUMENTS(slice_first(run->id, RUN_ID_SHORT)),
		   SLICE_ARGUMENTS(time_text(job->arena, run->started_ms)));
	diag_hint(job->diagnostics, "there is nothing to apply; for what the spec says by now, plan again");
}

bool saved_plan_compare(struct job *job, const struct plan *saved, struct slice digest)
{
	bool good = true;
	struct arena scratch;

	const struct run_record *run = is_carried_out_already(job, saved) ? carried_out_by(job, digest) : NULL;

	if (run) {
		report_carried_out(job, run);
		return false;
	}
	arena_init(&scratch);
	for (size_t i = 0; i < saved->action_count; i++)
		good &= stands(job, saved, &saved->actions[i], &scratch);
	for (size_t i = 0; i < job->plan.action_count; i++) {
		const struct action *now = &job->plan.actions[i];
		const struct action *then = saved_plan_action(saved, now);

		if (action_is_carried_out(now) && (!then || !action_is_carried_out(then)) &&
		    !is_told(job, saved, now->address))
			good = report_change(job, now, "the plan does nothing to it");
	}
	arena_release(&scratch);
	return good;
}
