#include "cli/drift.h"

#include <stdlib.h>

#include "base/map.h"
#include "cli/job_record.h"
#include "cli/lost_state.h"
#include "cli/strays.h"
#include "cli/unfinished.h"
#include "reconcile/secret_marks.h"
#include "reconcile/secret_places.h"

/* A block that has another name since is a way all the same: the spec says which it is. */
static struct slice alias_of(const struct job *job, const struct object *object, const struct resource *written)
{
	for (size_t i = 0; written && i < job->stack.provider_count; i++)
		if (slice_equal(job->stack.providers[i].name, object->provider))
			return object->provider;
	return written ? written->provider : object->provider;
}

/* The record, as if it were the spec: then a plan is drift and nothing else. What older programs recorded does not say
 * which fields are left to others: there the spec does. */
static struct stack recorded_stack(struct job *job)
{
	struct resource *resources = arena_new_array(job->arena, job->object_count + 1, struct resource);
	struct stack stack = job->stack;
	const struct map *addresses;
	struct map spare;
	size_t count = 0;

	map_init(&spare);
	addresses = stack_addresses(&job->stack, &spare);
	for (size_t i = 0; i < job->object_count; i++) {
		const struct object *object = job->objects[i];
		const struct kind *kind = kinds_find(&job->kinds, object->kind);
		const struct resource *written = map_get(addresses, object->address);

		if (!kind || object->role != OBJECT_CURRENT || !object->has_body)
			continue;
		resources[count] = (struct resource){
			.address = object->address,
			.name = slice_from(object->address, object->kind.size + 1),
			.kind = kind,
			.position = written ? written->position : NOWHERE,
			.desired = object->resolved,
			.provider = alias_of(job, object, written),
			.dependencies = object->dependencies,
			.dependency_count = object->dependency_count,
			.protect = object->protect,
			.ignored = written ? written->ignored : NULL,
			.ignored_count = written ? written->ignored_count : 0,
		};
		if (value_is(&object->ignored, VALUE_LIST)) {
			resources[count].ignored = ignored_read(&object->ignored, job->arena);
			resources[count].ignored_count = object->ignored.count;
		}
		count++;
	}
	map_release(&spare);
	stack.addresses = NULL;
	stack.resources = resources;
	stack.resource_count = count;
	stack.output_count = 0;
	return stack;
}

/*
 * The record holds fingerprints in place of secrets: what is there is compared as that, too. A text that a service
 * echoes is marked where it was read, and may stand in the record in clear, for the spec says it: so both sides get the
 * marks of both. A secret that somebody has written around is told only by what the spec has of it, in clear. spec:
 * what it says of the object, or NULL.
 */
static void seal(struct job *job, struct object *object, const struct kind *kind, const struct resource *spec,
		 const struct live **live)
{
	const struct value *models[] = {&object->resolved, &object->observed, spec ? &spec->desired : NULL,
					&(*live)->fields};
	const size_t count = sizeof(models) / sizeof(models[0]);
	struct arena *arena = job->arena;
	struct value fields = secret_marks_put(arena, job->secrets, &kind->fields, &(*live)->fields, models, count);
	struct value resolved = secret_marks_put(arena, job->secrets, &kind->fields, &object->resolved, models, count);
	struct value observed = secret_marks_put(arena, job->secrets, &kind->fields, &object->observed, models, count);

	fields = secret_places_hide(arena, &job->style, &kind->fields, &fields, models, SECRET_PLACES_MODELS_MOST);
	if (!value_has_secret(&fields))
		return;
	struct live *sealed = arena_new(job->arena, struct live);
	*sealed = **live;
	sealed->fields = json_seal(job->arena, &fields, &job->style);
	*live = sealed;
	object->resolved = json_seal(job->arena, &resolved, &job->style);
	object->observed = json_seal(job->arena, &observed, &job->style);
}

static void seal_all(struct job *job)
{
	const struct map *addresses;
	struct map spare;

	map_init(&spare);
	addresses = stack_addresses(&job->stack, &spare);
	for (size_t i = 0; i < job->object_count; i++) {
		const struct live *live = job->refresh.live[i];
		struct object *object = job->objects[i];
		const struct kind *kind = kinds_find(&job->kinds, object->kind);

		if (kind && live && live->presence == PRESENCE_PRESENT && object->has_body)
			seal(job, object, kind, map_get(addresses, object->address), &job->refresh.live[i]);
	}
	map_release(&spare);
}

/*
 * What is recorded is read, and no more: what the spec sets beside it was never seen, and would seem to have come.
 * Kinds of which the spec alone has something are looked through for what a lost or newer record would have held.
 */
static bool read_recorded(struct job *job)
{
	struct stack *spec = arena_new(job->arena, struct stack);

	*spec = job->stack;
	job->stack = recorded_stack(job);
	bool good = job_refresh_expecting(job, spec);
	job->stack = *spec;
	return good;
}

/* What would become of it is the matter of a plan. */
static void keep_moves(struct action *action)
{
	size_t count = 0;

	for (size_t i = 0; i < action->change_count; i++)
		if (action->changes[i].cause == CAUSE_DRIFT || action->changes[i].effect == EFFECT_UNREAD)
			action->changes[count++] = action->changes[i];
	action->change_count = count;
}

static void keep_drift(struct plan *plan)
{
	size_t count = 0;

	memset(plan->counts, 0, sizeof(plan->counts));
	plan->drift_count = 0;
	for (size_t i = 0; i < plan->action_count; i++) {
		/* What an earlier run left to be finished is no drift. */
		if (!plan->actions[i].drifted && plan->actions[i].operation != OPERATION_INCOMPLETE)
			continue;
		plan->counts[plan->actions[i].operation]++;
		plan->drift_count += plan->actions[i].drifted;
		keep_moves(&plan->actions[i]);
		plan->actions[count++] = plan->actions[i];
	}
	plan->action_count = count;
	count = 0;
	/* Nothing goes for what it found. */
	for (size_t i = 0; i < plan->running_count; i++)
		if (plan->running[i].effect == RUNNING_KEEPS)
			plan->running[count++] = plan->running[i];
	plan->running_count = count;
}

static struct unread never_compared(const struct job *job, const struct resource *resource)
{
	return (struct unread){
		.address = resource->address,
		.reason = SLICE("it is not recorded, and takes no tags that would tell whether it was ever applied"),
		.hint = SLICE("apply it, or put the state back that has it"),
		.position = resource->position,
		.place = job_place_to_go(job, resource->position),
	};
}

/*
 * What the spec has and no record names was never applied, or a state that had it is gone: the tags of what is there
 * tell which. What is found takes none, so nothing is claimed of it.
 */
static void add_never_compared(struct job *job)
{
	struct plan *plan = &job->plan;
	size_t most = plan->unread_count + job->stack.resource_count;
	struct unread *unread = arena_new_array(job->arena, most + 1, struct unread);
	struct map recorded;

	map_init(&recorded);
	for (size_t i = 0; i < job->object_count; i++)
		if (job->objects[i]->role != OBJECT_DEPOSED)
			map_mark(&recorded, job->objects[i]->address);
	for (size_t i = 0; i < plan->unread_count; i++)
		unread[i] = plan->unread[i];
	for (size_t i = 0; i < job->stack.resource_count; i++) {
		const struct resource *resource = &job->stack.resources[i];

		if (resource->kind->found && !map_has(&recorded, resource->address))
			unread[plan->unread_count++] = never_compared(job, resource);
	}
	map_release(&recorded);
	qsort(unread, plan->unread_count, sizeof(struct unread), unread_compare);
	plan->unread = unread;
}

/* A stack that was never applied, or the wrong folder: nothing was compared, and that is no good news. */
static bool refuse_nothing(struct job *job)
{
	diag_error(job->diagnostics, FAULT_ABSENT, NOWHERE,
		   "nothing is recorded yet: there is no state file '%s', and nothing that another one had is there",
		   job_state_path(job));
	diag_hint(job->diagnostics, "run 'trueup plan' or 'trueup apply' first, or name the folder of the stack");
	return false;
}

/* What is found takes no tags: whether a state that had it was lost nobody can tell. */
static bool has_found(const struct stack *stack)
{
	for (size_t i = 0; i < stack->resource_count; i++)
		if (stack->resources[i].kind->found)
			return true;
	return false;
}

bool drift_prepare(struct job *job)
{
	bool has_store = job_has_store(job);

	job->aim = AIM_LOOK;
	if (!job_load_spec(job) || !job_open_state(job, STATE_READ_OR_BLANK, job->stack.name) ||
	    !job_load_bodies(job) || !job_open_sessions(job) || !read_recorded(job) || !job_tell_strays(job))
		return false;
	lost_state_warn(job);
	if (!has_store && job->refresh.lost_count + job->refresh.unlisted_count == 0 && !has_found(&job->stack))
		return refuse_nothing(job);
	return true;
}

bool drift_find(struct job *job)
{
	static const struct plan_scope all = {.keeps_tags = true, .looks = true};
	struct stack *stack = arena_new(job->arena, struct stack);
	struct leavings left;
	bool told = past_run_leavings(job, &left);

	job_list_halfway(job, &left);
	seal_all(job);
	*stack = recorded_stack(job);
	/* Where an alias leads now is the spec's matter; the objects are looked for where they are recorded. */
	job->identities = NULL;
	bool good = job_plan(job, stack, false, &all);
	keep_drift(&job->plan);
	add_never_compared(job);
	job_list_half_made(job);
	job_list_half_replaced(job, &left);
	leavings_release(&left);
	return told && good;
}
