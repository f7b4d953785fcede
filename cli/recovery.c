#include "cli/recovery.h"

#include "base/map.h"
#include "cli/job_record.h"
#include "cli/job_run.h"
#include "cli/providers.h"
#include "cli/refresh_some.h"
#include "cli/secrets.h"
#include "reconcile/recover_resend.h"
#include "reconcile/unfinished.h"

enum {
	LOOK_FIRST_MS = 1000,
	LOOK_MOST_MS = 15 * 1000,
};

bool job_begin_recovery(struct job *job, const int64_t *read_serial)
{
	const struct slice command = SLICE("recover");
	bool begun = read_serial ? job_begin_on_read(job, command, *read_serial)
				 : job_begin_run(job, command, (struct slice){NULL, 0}, NULL);

	/* Answers may take longer than the lease lasts. */
	job->loop.settings.lease = begun ? job->store : NULL;
	return begun;
}

bool job_end_recovery(struct job *job, bool good)
{
	job->loop.settings.lease = NULL;
	return job->store->ops->end(job->store, good ? SLICE("done") : SLICE("partly"), job->diagnostics) && good;
}

/* Reads just what the open intents are about, and what was begun and not finished; live is parallel to job->objects.
 * *ret_began_ms: by the boot clock. */
static bool read_subjects(struct job *job, const struct live ***ret, int64_t *ret_began_ms)
{
	struct refresh refresh = {0};
	struct map wanted;

	map_init(&wanted);
	for (size_t i = 0; i < job->intent_count; i++)
		map_mark(&wanted, job->intents[i].object_id);
	for (size_t i = 0; i < job->object_count; i++)
		if (unfinished_has_note(job->objects[i]))
			map_mark(&wanted, job->objects[i]->object_id);
	bool good = job_refresh_subset(job, &wanted, &refresh, ret);
	map_release(&wanted);
	*ret_began_ms = refresh.began_ms;
	return good;
}

/* live: parallel to job->objects; NULL, and entries of it too, where nothing was read. began_ms: when that began. */
static struct recovery begin_to_judge(struct job *job, const struct live *const *live, int64_t began_ms)
{
	struct world *world = job->world;
	int64_t now_ms = world->wall_ms(world);

	return (struct recovery){
		.intents = job->intents,
		.intent_count = job->intent_count,
		.objects = job->objects,
		.object_count = job->object_count,
		.live = live,
		.kinds = &job->kinds,
		.providers = &all_providers,
		.stack = &job->stack,
		.now_ms = now_ms,
		.looked_ms = now_ms - (world->boot_ms(world) - began_ms),
		.grace_ms = job_grace_ms(job),
		.vault = &job->vault,
		.lacks_key = diagnostics_first_error(&job->unfound) != NULL,
		.secrets = job->secrets,
		.arena = job->arena,
	};
}

static bool is_looked_for(const struct job *job, const struct object *object)
{
	const struct invocation *invocation = job->invocation;

	for (size_t i = 0; i < invocation->looked_for_count; i++)
		if (slice_equal(invocation->looked_for[i], object->object_id))
			return true;
	return false;
}

/* The plan tells, once there is one. */
static bool is_left_to_plan(void *context, const struct object *object)
{
	const struct job *job = context;

	return !is_looked_for(job, object);
}

/* What a plan does, by object id. */
struct planned {
	const struct job *job;
	struct map actions;
};

/* Whether what the alias has made now is made where the object was to be. */
static bool is_reached(const struct job *job, const struct object *object)
{
	const struct session *session = sessions_of_alias(&job->sessions, &job->stack, object->provider);

	return session && identity_equal(&session->identity, &object->identity);
}

static bool is_in_plan(void *context, const struct object *object)
{
	const struct planned *planned = context;
	const struct job *job = planned->job;
	const struct action *action = map_get(&planned->actions, object->object_id);

	return action && is_reached(job, object) && recover_is_planned(object, action, &job->style, job->arena);
}

static void judge_by_plan(struct job *job, struct recovery *recovery)
{
	struct planned planned = {.job = job};

	map_init(&planned.actions);
	for (size_t i = 0; i < job->plan.action_count; i++)
		if (job->plan.actions[i].object_id.size > 0)
			map_set(&planned.actions, job->plan.actions[i].object_id, &job->plan.actions[i]);
	recovery->is_wanted = is_in_plan;
	recovery->context = &planned;
	recover_all(recovery);
	recovery->is_wanted = NULL;
	recovery->context = NULL;
	map_release(&planned.actions);
}

static bool judge(struct job *job, bool leaves, struct recovery *ret)
{
	const struct live **live = NULL;
	int64_t began_ms;

	if (!job_load_bodies(job) || !read_subjects(job, &live, &began_ms))
		return false;
	*ret = begin_to_judge(job, live, began_ms);
	ret->is_wanted = leaves ? is_left_to_plan : NULL;
	ret->context = job;
	recover_all(ret);
	return true;
}

static void tell_waiting(struct job *job, const struct recovery *recovery)
{
	for (size_t i = 0; i < recovery->intent_count; i++)
		if (recovery->verdicts[i].settlement == SETTLEMENT_WAIT)
			talk(job->invocation, "looking for what %.*s for '%.*s' may have %s",
			     SLICE_ARGUMENTS(recovery->intents[i].operation),
			     SLICE_ARGUMENTS(recovery->intents[i].address),
			     recovery->intents[i].creates ? "made" : "done");
}

/* False where it was interrupted. For LOOK_MOST_MS at most: the look that comes next keeps the lease alive, or finds it
 * lost. */
static bool sleep_until(struct job *job, int64_t until_ms)
{
	struct world *world = job->world;

	while (world->boot_ms(world) < until_ms) {
		if (world->interrupted(world) > 0)
			return diag_error(job->diagnostics, FAULT_TRANSIENT, NOWHERE,
					  "interrupted while waiting for what calls of an earlier run may still do");
		world->transport->wait(world->transport, until_ms);
	}
	return true;
}

/* Looks again and again, until all that may come has come or could have. */
static bool wait_for_late(struct job *job, bool leaves, struct recovery *recovery)
{
	struct world *world = job->world;
	int64_t deadline_ms = world->boot_ms(world) + recovery->grace_ms;
	int64_t delay_ms = LOOK_FIRST_MS;

	if (recovery->waiting_count > 0)
		tell_waiting(job, recovery);
	while (recovery->waiting_count > 0) {
		int64_t next_ms = world->boot_ms(world) + delay_ms;

		if (!sleep_until(job, next_ms < deadline_ms ? next_ms : deadline_ms))
			return false;
		/* The wall clock may have been set back since: no more than the grace is waited in any case. */
		bool is_last = world->boot_ms(world) >= deadline_ms;
		if (!judge(job, leaves, recovery))
			return false;
		if (is_last) {
			recovery->waited = true;
			recover_all(recovery);
		}
		delay_ms = delay_ms * 2 < LOOK_MOST_MS ? delay_ms * 2 : LOOK_MOST_MS;
	}
	return true;
}

static void tell_unknown(struct job *job, const struct intent *intent, const struct object *subject, const char *why)
{
	struct slice id = subject ? subject->provider_id : (struct slice){NULL, 0};

	diag_add(job->diagnostics, SEVERITY_WARNING, FAULT_AMBIGUOUS, NOWHERE,
		 "it is not known what became of %.*s for '%.*s' (%.*s, intent %.*s): %s",
		 SLICE_ARGUMENTS(intent->operation), SLICE_ARGUMENTS(intent->address),
		 SLICE_ARGUMENTS(id.size > 0 ? id : SLICE("no id")), SLICE_ARGUMENTS(intent->id), why);
	diag_address(job->diagnostics, intent->address);
}

static void tell_open(struct job *job, const struct recovery *recovery)
{
	for (size_t i = 0; i < recovery->intent_count; i++)
		if (recovery->verdicts[i].settlement == SETTLEMENT_NONE)
			tell_unknown(job, &recovery->intents[i], recovery->subjects[i], recovery->verdicts[i].why);
}

static void list_resends(struct job *job, const struct recovery *recovery)
{
	job->resend_ids = arena_new_array(job->arena, recovery->resend_count + 1, struct slice);
	job->resend_count = 0;
	for (size_t i = 0; i < recovery->intent_count; i++)
		if (recovery->verdicts[i].settlement == SETTLEMENT_RESEND)
			job->resend_ids[job->resend_count++] = recovery->intents[i].id;
}

static size_t count_settled(const struct recovery *recovery)
{
	return recovery->intent_count - recovery->waiting_count - recovery->resend_count - recovery->open_count;
}

/* With the lease held. stands: nobody has written since the record was read. *ret_count: how many calls are settled. */
static bool settle(struct job *job, bool stands, bool leaves, size_t *ret_count)
{
	struct recovery recovery;

	if ((!stands && !job_reload(job)) || !judge(job, leaves, &recovery) || !wait_for_late(job, leaves, &recovery) ||
	    !recover_commit(&recovery, job->store, job->diagnostics))
		return false;
	*ret_count = count_settled(&recovery);
	list_resends(job, &recovery);
	tell_open(job, &recovery);
	return true;
}

bool job_recover(struct job *job)
{
	size_t count = 0;
	int64_t serial = job->record->serial;
	int64_t began_ms = job->world->wall_ms(job->world);
	bool leaves = job->aim == AIM_MAKE;

	if (job->intent_count == 0 && !recover_has_unfinished(job->objects, job->object_count))
		return true;
	/* Another run may have left more that is sealed since, or replaced the key. */
	if ((leaves && !secrets_find_key_for_intents(job)) || !job_begin_recovery(job, leaves ? &serial : NULL))
		return false;
	bool good = settle(job, job->record->serial == serial, leaves, &count);
	if (!job_end_recovery(job, good) || !job_reload(job))
		return false;
	job->recovered = true;
	job->recovered_ms = began_ms;
	if (count > 0)
		talk(job->invocation, "%zu unfinished call%s of an earlier run settled", count, count == 1 ? "" : "s");
	return true;
}

/* A plan has what of these is sent once more: nobody else sends anything. */
static struct recovery *judge_by_aim(struct job *job)
{
	struct recovery *recovery = arena_new(job->arena, struct recovery);

	*recovery = begin_to_judge(job, job->refresh.live, job->refresh.began_ms);
	if (job->seen) {
		recovery->objects = job->seen;
		recovery->object_count = job->seen_count;
		recovery->live = job->seen_live;
	}
	if (job->aim == AIM_MAKE)
		judge_by_plan(job, recovery);
	else
		recover_all(recovery);
	return recovery;
}

const struct recovery *job_outlook(struct job *job)
{
	if (job->intent_count == 0)
		return NULL;
	return judge_by_aim(job);
}

static void keep_seen(struct job *job)
{
	job->seen_count = job->object_count;
	job->seen = arena_new_array(job->arena, job->seen_count + 1, struct object *);
	job->seen_live = arena_new_array(job->arena, job->seen_count + 1, const struct live *);
	for (size_t i = 0; i < job->seen_count; i++) {
		job->seen[i] = job->objects[i];
		job->seen_live[i] = job->refresh.live[i];
	}
}

static void map_resends(const struct job *job, struct map *ret)
{
	map_init(ret);
	for (size_t i = 0; i < job->resend_count; i++)
		map_mark(ret, job->resend_ids[i]);
}

/* What became of these cannot be told, by this run or by any that reads the same. */
static void hold_unknown(struct job *job)
{
	struct intent *unknown = arena_new_array(job->arena, job->intent_count + 1, struct intent);
	size_t count = 0;
	struct map resends;

	map_resends(job, &resends);
	for (size_t i = 0; i < job->intent_count; i++)
		if (!map_has(&resends, job->intents[i].id))
			unknown[count++] = job->intents[i];
	map_release(&resends);
	recover_hold(unknown, count, job->objects, job->object_count, job->refresh.live, job->arena);
}

/* What an apply would hold back. Where it is about a create, that was not read. */
static void foresee_unknown(struct job *job)
{
	struct intent *unknown = arena_new_array(job->arena, job->intent_count + 1, struct intent);
	struct recovery recovery = begin_to_judge(job, job->seen_live, job->refresh.began_ms);
	size_t count = 0;

	recover_all(&recovery);
	for (size_t i = 0; i < job->intent_count; i++)
		if (recovery.verdicts[i].settlement == SETTLEMENT_NONE)
			unknown[count++] = job->intents[i];
	recover_hold(unknown, count, job->objects, job->object_count, job->refresh.live, job->arena);
}

/* What was to be made stays unknown, whatever was read of it since: recovery could not have that. */
static void forget_missing(struct job *job)
{
	for (size_t i = 0; i < job->seen_count; i++)
		if (job->seen_live[i] && job->seen_live[i]->presence == PRESENCE_ABSENT)
			job->seen_live[i] = job->refresh.live[i];
}

bool job_note_open(struct job *job)
{
	keep_seen(job);
	if (job->intent_count == 0)
		return true;
	if (job->recovered) {
		hold_unknown(job);
		forget_missing(job);
		return true;
	}
	/* A drift tells of all that could be read. */
	if (job->aim != AIM_LOOK)
		foresee_unknown(job);
	return job->aim != AIM_MAKE || secrets_seek_key_for_intents(job);
}

/* The command is to begin anew, and looks for what these may have made. */
static void begin_anew(struct job *job, const struct intent *const *unsent, size_t count)
{
	struct invocation *invocation = job->invocation;
	struct slice *ids = arena_new_array(invocation->arena, invocation->looked_for_count + count + 1, struct slice);

	for (size_t i = 0; i < invocation->looked_for_count; i++)
		ids[i] = invocation->looked_for[i];
	for (size_t i = 0; i < count; i++)
		ids[invocation->looked_for_count + i] = arena_copy(invocation->arena, unsent[i]->object_id);
	invocation->looked_for = ids;
	invocation->looked_for_count += count;
	job->moved = true;
}

/* Whether the plan has all that was left to it sent once more. */
static bool has_resends(struct job *job, const struct recovery *recovery)
{
	const struct intent **unsent = arena_new_array(job->arena, job->resend_count + 1, const struct intent *);
	size_t count = 0;
	struct map resends;

	map_resends(job, &resends);
	for (size_t i = 0; i < recovery->intent_count; i++)
		if (recovery->verdicts[i].settlement != SETTLEMENT_RESEND && map_has(&resends, recovery->intents[i].id))
			unsent[count++] = &recovery->intents[i];
	map_release(&resends);
	if (count > 0)
		begin_anew(job, unsent, count);
	return count == 0;
}

bool job_plan_has_resends(struct job *job)
{
	return job->resend_count == 0 || has_resends(job, judge_by_aim(job));
}

bool job_take_resends(struct job *job, struct map *ret)
{
	if (job->resend_count == 0)
		return true;
	const struct recovery *recovery = judge_by_aim(job);

	/* Whoever thought the plan over may have taken too long. */
	if (!has_resends(job, recovery))
		return false;
	recover_resends(recovery, ret);
	return true;
}

bool job_drop_settled(struct job *job)
{
	struct intent *open;
	size_t open_count, count = 0;
	struct map still;

	if (!job->store->ops->intents(job->store, job->arena, &open, &open_count, job->diagnostics))
		return false;
	map_init(&still);
	for (size_t i = 0; i < open_count; i++)
		map_mark(&still, open[i].id);
	for (size_t i = 0; i < job->intent_count; i++)
		if (map_has(&still, job->intents[i].id))
			job->intents[count++] = job->intents[i];
	map_release(&still);
	job->intent_count = count;
	job->resend_count = 0;
	return true;
}

void job_tell_unasked(struct job *job)
{
	struct map by_id;

	map_init(&by_id);
	for (size_t i = 0; i < job->object_count; i++)
		map_set(&by_id, job->objects[i]->object_id, job->objects[i]);
	for (size_t i = 0; i < job->intent_count; i++) {
		const struct intent *intent = &job->intents[i];

		if (job->at_work.held && slice_equal(intent->run, job->at_work.run))
			continue;
		tell_unknown(job, intent, map_get(&by_id, intent->object_id), "nobody could be asked");
		job->unasked_count++;
	}
	map_release(&by_id);
}
