#include "cli/recovery.h"

#include "base/map.h"
#include "cli/job_run.h"
#include "cli/providers.h"
#include "cli/secrets.h"
#include "reconcile/recover_again.h"
#include "reconcile/unfinished.h"

enum {
	LOOK_FIRST_MS = 1000,
	LOOK_MOST_MS = 15 * 1000,
};

bool job_begin_recovery(struct job *job)
{
	return job_begin_run(job, SLICE("recover"), (struct slice){NULL, 0}, NULL);
}

bool job_end_recovery(struct job *job, bool good)
{
	return job->store->ops->end(job->store, good ? SLICE("done") : SLICE("partly"), job->diagnostics) && good;
}

static bool has_token(const struct intent *intent)
{
	return intent->creates && intent->recipe == RECIPE_TOKEN;
}

/* A create that can be sent once more names others, which may have gone since. */
static void want_named(const struct job *job, struct map *wanted)
{
	struct map intents, addresses;

	map_init(&intents);
	map_init(&addresses);
	for (size_t i = 0; i < job->intent_count; i++)
		if (has_token(&job->intents[i]))
			map_set(&intents, job->intents[i].object_id, &job->intents[i]);
	for (size_t i = 0; intents.count > 0 && i < job->object_count; i++)
		if (job->objects[i]->role == OBJECT_CURRENT)
			map_set(&addresses, job->objects[i]->address, job->objects[i]);
	for (size_t i = 0; intents.count > 0 && i < job->object_count; i++) {
		const struct object *object = job->objects[i];

		for (size_t k = 0; map_get(&intents, object->object_id) && k < object->dependency_count; k++) {
			struct object *named = map_get(&addresses, object->dependencies[k].address);

			if (named)
				map_set(wanted, named->object_id, named);
		}
	}
	map_release(&intents);
	map_release(&addresses);
}

/* Reads just what the open intents are about, and what was begun and not finished; live is parallel to job->objects. */
static bool read_subjects(struct job *job, const struct live ***ret)
{
	const struct live **live = arena_new_array(job->arena, job->object_count + 1, const struct live *);
	struct object **subjects = arena_new_array(job->arena, job->object_count + 1, struct object *);
	size_t *places = arena_new_array(job->arena, job->object_count + 1, size_t);
	size_t count = 0;
	struct map wanted;

	map_init(&wanted);
	for (size_t i = 0; i < job->intent_count; i++)
		map_set(&wanted, job->intents[i].object_id, &job->intents[i]);
	want_named(job, &wanted);
	for (size_t i = 0; i < job->object_count; i++) {
		if (!map_get(&wanted, job->objects[i]->object_id) && !unfinished_is(job->objects[i]))
			continue;
		places[count] = i;
		subjects[count++] = job->objects[i];
	}
	map_release(&wanted);
	struct refresh refresh = {
		.loop = &job->loop,
		.sessions = &job->sessions,
		.kinds = &job->kinds,
		.stack = &job->stack,
		.objects = subjects,
		.object_count = count,
		.arena = job->arena,
		.by_id = true,
	};
	if (!refresh_run(&refresh, job->diagnostics))
		return false;
	for (size_t i = 0; i < count; i++)
		live[places[i]] = refresh.live[i];
	*ret = live;
	return true;
}

/* Parallel to job->objects; NULL, and entries of it too, where nothing was read. */
static struct recovery begin_to_judge(struct job *job, const struct live *const *live)
{
	return (struct recovery){
		.intents = job->intents,
		.intent_count = job->intent_count,
		.objects = job->objects,
		.object_count = job->object_count,
		.live = live,
		.kinds = &job->kinds,
		.providers = &all_providers,
		.stack = &job->stack,
		.now_ms = job->world->wall_ms(job->world),
		.grace_ms = job_grace_ms(job),
		.vault = &job->vault,
		.style = &job->style,
		.arena = job->arena,
	};
}

/* What is to be made, by address or object id. */
struct wanting {
	const struct job *job;
	const struct map *items;
};

/* The plan tells, once there is one. */
static bool is_left_to_plan(void *context, const struct object *object)
{
	(void)context;
	(void)object;
	return true;
}

/* Whether what the alias has made now is made where the object was to be. */
static bool is_reached(const struct job *job, const struct object *object)
{
	const struct session *session = sessions_of_alias(&job->sessions, &job->stack, object->provider);

	return session && identity_equal(&session->identity, &object->identity);
}

static bool is_in_spec(void *context, const struct object *object)
{
	const struct wanting *wanting = context;
	const struct job *job = wanting->job;
	const struct resource *resource = map_get(wanting->items, object->address);

	return resource && is_reached(job, object) && recover_is_wanted(object, resource, &job->style, job->arena);
}

static bool is_in_plan(void *context, const struct object *object)
{
	const struct wanting *wanting = context;
	const struct job *job = wanting->job;
	const struct action *action = map_get(wanting->items, object->object_id);

	return action && is_reached(job, object) && recover_is_planned(object, action, &job->style, job->arena);
}

static void judge_by(struct recovery *recovery, bool (*is_wanted)(void *context, const struct object *object),
		     struct wanting *wanting)
{
	recovery->is_wanted = is_wanted;
	recovery->context = wanting;
	recover_all(recovery);
	recovery->is_wanted = NULL;
	recovery->context = NULL;
}

static void judge_by_spec(struct job *job, struct recovery *recovery)
{
	struct wanting wanting = {.job = job};
	struct map spare;

	map_init(&spare);
	wanting.items = stack_addresses(&job->stack, &spare);
	judge_by(recovery, is_in_spec, &wanting);
	map_release(&spare);
}

static void judge_by_plan(struct job *job, struct recovery *recovery)
{
	struct map actions;
	struct wanting wanting = {job, &actions};

	map_init(&actions);
	for (size_t i = 0; i < job->plan.action_count; i++)
		if (job->plan.actions[i].object_id.size > 0)
			map_set(&actions, job->plan.actions[i].object_id, &job->plan.actions[i]);
	judge_by(recovery, is_in_plan, &wanting);
	map_release(&actions);
}

static bool judge(struct job *job, enum resending resending, struct recovery *ret)
{
	const struct live **live = NULL;

	if (!job_load_bodies(job) || !read_subjects(job, &live))
		return false;
	*ret = begin_to_judge(job, live);
	ret->is_wanted = resending == RESEND_PLANNED ? is_left_to_plan : NULL;
	if (resending == RESEND_WANTED)
		judge_by_spec(job, ret);
	else
		recover_all(ret);
	return true;
}

static bool send_again(struct job *job, const struct recovery *recovery)
{
	struct loop_settings settings = job->loop.settings;
	struct recover_fresh fresh;
	struct loop loop;

	if (!secrets_find_key_for_intents(job))
		return false;
	recover_fresh_init(&fresh, recovery, job->world);
	settings.store = job->store;
	settings.age_ms = recover_fresh_age_ms;
	settings.age_context = &fresh;
	loop_init(&loop, &settings);
	bool good = recover_send_again(recovery, &loop, &job->sessions, &job->kinds);
	loop_release(&loop);
	recover_fresh_release(&fresh);
	return good;
}

static void tell_waiting(struct job *job, const struct recovery *recovery)
{
	for (size_t i = 0; i < recovery->intent_count; i++)
		if (recovery->verdicts[i].settlement == SETTLEMENT_WAIT)
			talk(job->invocation, "looking for what %.*s for '%.*s' may have made",
			     SLICE_ARGUMENTS(recovery->intents[i].operation),
			     SLICE_ARGUMENTS(recovery->intents[i].address));
}

/* Sleeps with the lease kept alive; false where it was interrupted or the lease lost. */
static bool sleep_until(struct job *job, int64_t until_ms)
{
	struct world *world = job->world;

	while (world->boot_ms(world) < until_ms) {
		if (world->interrupted(world) > 0)
			return diag_error(job->diagnostics, FAULT_TRANSIENT, NOWHERE,
					  "interrupted while waiting for what an earlier run may have made");
		world->transport->wait(world->transport, until_ms);
	}
	return job->store->ops->heartbeat(job->store, job->diagnostics);
}

/* Looks again and again, until all that may come has come or could have. */
static bool wait_for_late(struct job *job, enum resending resending, struct recovery *recovery)
{
	struct world *world = job->world;
	int64_t deadline_ms = world->boot_ms(world) + recovery->grace_ms;
	int64_t delay_ms = LOOK_FIRST_MS;

	if (recovery->waiting_count > 0)
		tell_waiting(job, recovery);
	while (recovery->waiting_count > 0) {
		int64_t now_ms = world->boot_ms(world);

		/* The wall clock may have been set back since: no more than the grace is waited in any case. */
		if (now_ms >= deadline_ms) {
			recovery->waited = true;
			recover_all(recovery);
			return true;
		}
		if (!sleep_until(job, now_ms + delay_ms < deadline_ms ? now_ms + delay_ms : deadline_ms) ||
		    !judge(job, resending, recovery))
			return false;
		delay_ms = delay_ms * 2 < LOOK_MOST_MS ? delay_ms * 2 : LOOK_MOST_MS;
	}
	return true;
}

static void tell_open(struct job *job, const struct recovery *recovery)
{
	for (size_t i = 0; i < recovery->intent_count; i++) {
		const struct intent *intent = &recovery->intents[i];

		if (recovery->verdicts[i].settlement != SETTLEMENT_NONE)
			continue;
		struct slice id = recovery->subjects[i]->provider_id;
		diag_add(job->diagnostics, SEVERITY_WARNING, FAULT_AMBIGUOUS, NOWHERE,
			 "it is not known what became of %.*s for '%.*s' (%.*s, intent %.*s): %s",
			 SLICE_ARGUMENTS(intent->operation), SLICE_ARGUMENTS(intent->address),
			 SLICE_ARGUMENTS(id.size > 0 ? id : SLICE("no id")), SLICE_ARGUMENTS(intent->id),
			 recovery->verdicts[i].why);
		diag_address(job->diagnostics, intent->address);
	}
}

/* With the lease held. stands: nobody has written since the record was read. */
static bool settle(struct job *job, bool stands, enum resending resending)
{
	struct recovery recovery;

	if ((!stands && !job_reload(job)) || !judge(job, resending, &recovery))
		return false;
	if (resending == RESEND_WANTED) {
		resending = RESEND_NOTHING;
		if (recovery.again_count > 0 &&
		    (!send_again(job, &recovery) || !job_reload(job) || !judge(job, resending, &recovery)))
			return false;
	}
	if (!wait_for_late(job, resending, &recovery) || !recover_commit(&recovery, job->store, job->diagnostics))
		return false;
	job->left_count = recovery.again_count;
	tell_open(job, &recovery);
	return true;
}

enum resending job_resends_planned(const struct job *job)
{
	return job->invocation->only_looks ? RESEND_NOTHING : RESEND_PLANNED;
}

bool job_recover(struct job *job, enum resending resending)
{
	size_t count = job->intent_count;
	int64_t serial = job->record->serial;
	int64_t began_ms = job->world->wall_ms(job->world);

	if (count == 0 && !recover_has_unfinished(job->objects, job->object_count))
		return true;
	if (!job_begin_recovery(job))
		return false;
	bool good = settle(job, job->record->serial == serial, resending);
	if (!job_end_recovery(job, good) || !job_reload(job))
		return false;
	job->recovered = true;
	job->recovered_ms = began_ms;
	count -= job->intent_count;
	if (count > 0)
		talk(job->invocation, "%zu unfinished call%s of an earlier run settled", count, count == 1 ? "" : "s");
	return true;
}

static struct recovery *judge_by_aim(struct job *job)
{
	struct recovery *recovery = arena_new(job->arena, struct recovery);

	*recovery = begin_to_judge(job, job->refresh.live);
	if (job->aim == AIM_LOOK)
		judge_by_spec(job, recovery);
	else
		judge_by_plan(job, recovery);
	return recovery;
}

const struct recovery *job_outlook(struct job *job)
{
	return job->intent_count > 0 ? judge_by_aim(job) : NULL;
}

void job_hold_unknown(struct job *job)
{
	struct intent *unknown = arena_new_array(job->arena, job->intent_count + 1, struct intent);
	struct recovery recovery = begin_to_judge(job, job->refresh.live);
	size_t count = 0;

	recovery.is_wanted = job->left_count > 0 ? is_left_to_plan : NULL;
	recover_all(&recovery);
	for (size_t i = 0; i < job->intent_count; i++)
		if (recovery.verdicts[i].settlement != SETTLEMENT_AGAIN)
			unknown[count++] = job->intents[i];
	recover_hold(unknown, count, job->objects, job->object_count, job->refresh.live, job->arena);
}

bool job_plan_takes_left(struct job *job)
{
	if (job->left_count == 0 || judge_by_aim(job)->again_count >= job->left_count)
		return true;
	job->moved = job->invocation->only_looks = true;
	return false;
}

static bool read_intents(struct job *job)
{
	return job->store->ops->intents(job->store, job->arena, &job->intents, &job->intent_count, job->diagnostics);
}

/* Whether the plan can go on: what is still open of the calls that it was to have sent once more may be there or not.
 */
static bool is_known(struct job *job, const struct recovery *planned, const struct recovery *recovery)
{
	bool good = true;
	struct map sent;

	map_init(&sent);
	for (size_t i = 0; i < planned->intent_count; i++)
		if (planned->verdicts[i].settlement == SETTLEMENT_AGAIN)
			map_set(&sent, planned->intents[i].id, &planned->verdicts[i]);
	for (size_t i = 0; i < recovery->intent_count; i++) {
		const struct intent *intent = &recovery->intents[i];

		if (recovery->verdicts[i].settlement != SETTLEMENT_NONE || !map_get(&sent, intent->id))
			continue;
		good = diag_error(job->diagnostics, FAULT_AMBIGUOUS, NOWHERE,
				  "it is not known what became of %.*s for '%.*s', which was sent once more (intent "
				  "%.*s): %s",
				  SLICE_ARGUMENTS(intent->operation), SLICE_ARGUMENTS(intent->address),
				  SLICE_ARGUMENTS(intent->id), recovery->verdicts[i].why);
		diag_address(job->diagnostics, intent->address);
		diag_hint(job->diagnostics, "nothing else of the plan was done: run again once that can be read");
	}
	map_release(&sent);
	return good;
}

/* What was refused is looked for, as it may have been made the first time. The objects stay those that were planned. */
static bool settle_planned(struct job *job, const struct recovery *planned)
{
	struct recovery recovery;

	if (!send_again(job, planned) || !read_intents(job))
		return false;
	if (job->intent_count == 0)
		return true;
	if (!judge(job, RESEND_NOTHING, &recovery) || !wait_for_late(job, RESEND_NOTHING, &recovery) ||
	    !recover_commit(&recovery, job->store, job->diagnostics))
		return false;
	return is_known(job, planned, &recovery);
}

bool job_send_again(struct job *job)
{
	if (job->left_count == 0)
		return true;
	if (!job_begin_run(job, SLICE("recover"), (struct slice){NULL, 0}, &job->plan.serial))
		return false;
	job->left_count = 0;
	bool good = settle_planned(job, judge_by_aim(job));
	if (!job_end_recovery(job, good) || !read_intents(job))
		return false;
	job->plan.serial = job->record->serial;
	return true;
}

void job_tell_unasked(struct job *job)
{
	for (size_t i = 0; i < job->intent_count; i++) {
		const struct intent *intent = &job->intents[i];

		if (job->at_work.held && slice_equal(intent->run, job->at_work.run))
			continue;
		diag_add(job->diagnostics, SEVERITY_WARNING, FAULT_AMBIGUOUS, NOWHERE,
			 "it is not known what became of %.*s for '%.*s' (intent %.*s): nobody could be asked",
			 SLICE_ARGUMENTS(intent->operation), SLICE_ARGUMENTS(intent->address),
			 SLICE_ARGUMENTS(intent->id));
		diag_address(job->diagnostics, intent->address);
	}
}
