#include "cli/unfinished.h"

#include "base/map.h"
#include "cli/job_record.h"
#include "cli/providers.h"
#include "reconcile/recover.h"
#include "reconcile/unfinished.h"

/* The run that sent an open call about each object: the last one. */
static void index_runs(const struct job *job, struct map *ret)
{
	map_init(ret);
	for (size_t i = 0; i < job->intent_count; i++)
		map_set(ret, job->intents[i].object_id, &job->intents[i]);
}

static void take(struct job *job, struct object *object, const struct live *live, const struct map *runs,
		 const struct map *resources)
{
	const struct kind *kind = kinds_find(&job->kinds, object->kind);
	const struct intent *intent = map_get(runs, object->object_id);

	if (!kind || !live)
		return;
	/* What was begun with the recorded one tells nothing of this one, which is compared with all that is recorded.
	 */
	if (recover_finds_another(object, kind, live, &job->style, job->arena)) {
		unfinished_end(object);
		return;
	}
	const struct unfinished_reading reading = {kind, providers_find(&all_providers, kind_provider(kind)), live,
						   map_get(resources, object->address)};
	const struct unfinished_outcome outcome = unfinished_settle(object, &reading, job->secrets, job->arena);
	if (!outcome.taken && !outcome.owes && !outcome.at_it)
		return;
	job->unfinished[job->unfinished_count++] = (struct unfinished_item){
		.address = object->address,
		.fields = unfinished_names(outcome.taken || outcome.at_it ? unfinished_resolved(object) : NULL,
					   job->arena),
		.owed = unfinished_names(outcome.owes ? unfinished_owed(object) : NULL, job->arena),
		.moved = unfinished_names(unfinished_left(object) ? unfinished_before(object) : NULL, job->arena),
		.leaves = unfinished_is_deletion(object),
		.run = intent ? intent->run : (struct slice){NULL, 0},
	};
}

static struct object *copy_of(const struct job *job, const struct object *object)
{
	struct object *copy = arena_new(job->arena, struct object);

	*copy = *object;
	return copy;
}

void job_take_unfinished(struct job *job)
{
	struct map runs, spare;

	job->unfinished = arena_new_array(job->arena, job->object_count + 1, struct unfinished_item);
	job->unfinished_count = 0;
	if (!recover_has_unfinished(job->objects, job->object_count))
		return;
	index_runs(job, &runs);
	map_init(&spare);
	const struct map *resources = stack_addresses(&job->stack, &spare);
	for (size_t i = 0; i < job->object_count; i++) {
		if (!unfinished_has_note(job->objects[i]))
			continue;
		struct object *copy = copy_of(job, job->objects[i]);
		take(job, copy, job->seen_live[i], &runs, resources);
		/* What is held back is told, and is no matter of the plan: that has it as it is recorded. */
		if (job->seen_live[i] == job->refresh.live[i])
			job->objects[i] = copy;
	}
	map_release(&spare);
	map_release(&runs);
}

void job_put_back_unfinished(struct job *job)
{
	struct map recorded;

	if (!job->seen)
		return;
	map_init(&recorded);
	for (size_t i = 0; i < job->seen_count; i++)
		map_set(&recorded, job->seen[i]->object_id, job->seen[i]);
	for (size_t i = 0; i < job->object_count; i++) {
		struct object *object = map_get(&recorded, job->objects[i]->object_id);

		if (object)
			job->objects[i] = object;
	}
	map_release(&recorded);
}

void job_list_half_made(struct job *job)
{
	struct map runs;

	index_runs(job, &runs);
	for (size_t i = 0; i < job->object_count; i++) {
		const struct object *object = job->objects[i];
		bool told = unfinished_has_note(object) || map_get(&runs, object->object_id);

		if (object->role == OBJECT_INCOMPLETE && object->provider_id.size > 0 && !told)
			job->unfinished[job->unfinished_count++] =
				(struct unfinished_item){.address = object->address, .makes = true};
	}
	map_release(&runs);
}

/* Whether it stands for its address: a create of which nothing came has left a record without an id. */
static bool is_or_may_be(const struct object *object, const struct map *runs)
{
	bool may_come = object->provider_id.size > 0 || map_get(runs, object->object_id);

	return object->role == OBJECT_CURRENT || (object->role == OBJECT_INCOMPLETE && may_come);
}

/* Of the spec, and not recorded. */
static size_t count_unrecorded(const struct job *job, const struct map *runs, struct map *recorded)
{
	size_t count = 0;

	for (size_t i = 0; i < job->object_count; i++)
		if (is_or_may_be(job->objects[i], runs))
			map_mark(recorded, job->objects[i]->address);
	for (size_t i = 0; i < job->stack.resource_count; i++)
		count += !map_has(recorded, job->stack.resources[i].address);
	return count;
}

/* What would become of some addresses. */
static void plan_the_rest(struct job *job, const struct slice *addresses, size_t count, struct plan *ret)
{
	const struct plan_input input = {
		.stack = &job->stack,
		.kinds = &job->kinds,
		.record = job->record,
		.objects = job->objects,
		.object_count = job->object_count,
		.live = job->refresh.live,
		.resolver = &job->resolver,
		.secrets = job->secrets,
		.load_body = job_load_body,
		.context = job,
		.scope = {.targets = addresses, .target_count = count, .exact = true},
		.arena = job->arena,
	};
	struct diagnostics unheard;

	/* What is wrong with the spec is the matter of a plan. */
	diagnostics_init(&unheard, job->arena);
	(void)!plan_make(&input, ret, &unheard);
	diagnostics_release(&unheard);
}

/* The recorded ones among what was left of which nothing is told yet: no open call, and nothing begun. */
static size_t list_addresses(const struct job *job, const struct map *left, struct slice *ret)
{
	size_t count = 0;
	struct map told;

	map_init(&told);
	for (size_t i = 0; i < job->unfinished_count; i++)
		map_mark(&told, job->unfinished[i].address);
	for (size_t i = 0; i < job->intent_count; i++)
		map_mark(&told, job->intents[i].address);
	for (size_t i = 0; i < job->object_count; i++) {
		const struct object *object = job->objects[i];

		if (object->role == OBJECT_CURRENT && map_get(left, object->object_id) &&
		    !map_has(&told, object->address))
			ret[count++] = object->address;
	}
	map_release(&told);
	return count;
}

/* Whether the spec asks for more than is recorded, whatever others have done since. */
static bool is_asked_for(const struct action *action)
{
	for (size_t i = 0; i < action->change_count; i++)
		if (action->changes[i].cause == CAUSE_INTENT)
			return action_is_carried_out(action);
	return false;
}

static void list_the_rest(struct job *job, const struct map *left)
{
	struct slice *addresses = arena_new_array(job->arena, job->object_count + 1, struct slice);
	size_t count = list_addresses(job, left, addresses);
	struct plan plan;

	if (count == 0)
		return;
	plan_the_rest(job, addresses, count, &plan);
	for (size_t i = 0; i < plan.action_count; i++) {
		const struct action *action = &plan.actions[i];
		const struct leaving *leaving = map_get(left, action->object_id);

		if (leaving && is_asked_for(action))
			job->unfinished[job->unfinished_count++] = (struct unfinished_item){
				.address = action->address, .why = leaving->why, .run = leaving->run};
	}
}

void job_list_halfway(struct job *job, const struct leavings *left)
{
	if (left->halfway.count > 0)
		list_the_rest(job, &left->halfway);
}

/* What is not recorded any more, and was there before a run that did not come to its end. */
static void list_gone(struct job *job, const struct map *recorded, const struct map *gone)
{
	for (size_t i = 0; i < job->stack.resource_count; i++) {
		struct slice address = job->stack.resources[i].address;
		const struct leaving *leaving = map_has(recorded, address) ? NULL : map_get(gone, address);

		if (leaving)
			job->unfinished[job->unfinished_count++] = (struct unfinished_item){
				.address = address, .makes = true, .why = leaving->why, .run = leaving->run};
	}
}

/* What could not be read is told as that, and what a call is open about as well. */
static void list_left_behind(struct job *job, const struct map *runs)
{
	for (size_t i = 0; i < job->object_count; i++) {
		const struct object *object = job->objects[i];
		const struct live *live = job->refresh.live[i];

		if (object->role == OBJECT_DEPOSED && live->presence == PRESENCE_PRESENT &&
		    !map_get(runs, object->object_id))
			job->unfinished[job->unfinished_count++] = (struct unfinished_item){
				.address = object->address,
				.leaves = true,
				.why = object_is_twin(object) ? "was made by a call that came late"
							      : "was left behind by a replace",
				.provider_id = object->provider_id};
	}
}

void job_list_half_replaced(struct job *job, const struct leavings *left)
{
	const struct unfinished_item *known = job->unfinished;
	struct map runs, recorded;

	index_runs(job, &runs);
	map_init(&recorded);
	size_t unrecorded = count_unrecorded(job, &runs, &recorded);
	size_t most = job->unfinished_count + job->object_count + unrecorded;
	job->unfinished = arena_new_array(job->arena, most + 1, struct unfinished_item);
	for (size_t i = 0; i < job->unfinished_count; i++)
		job->unfinished[i] = known[i];
	list_left_behind(job, &runs);
	list_gone(job, &recorded, &left->gone);
	map_release(&recorded);
	map_release(&runs);
}
