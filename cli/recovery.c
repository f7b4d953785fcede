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

static bool judge(struct job *job, struct recovery *ret)
{
	const struct live **live = NULL;

	if (!job_load_bodies(job) || !read_subjects(job, &live))
		return false;
	*ret = (struct recovery){
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
	return good && job_reload(job);
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
static bool wait_for_late(struct job *job, struct recovery *recovery)
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
		    !judge(job, recovery))
			return false;
		delay_ms = delay_ms * 2 < LOOK_MOST_MS ? delay_ms * 2 : LOOK_MOST_MS;
	}
	return true;
}

static bool can_send_again(const struct recovery *recovery)
{
	for (size_t i = 0; i < recovery->intent_count; i++)
		if (recover_can_send_again(recovery, i))
			return true;
	return false;
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
static bool settle(struct job *job, bool stands)
{
	struct recovery recovery;

	if ((!stands && !job_reload(job)) || !judge(job, &recovery) ||
	    (can_send_again(&recovery) && (!send_again(job, &recovery) || !judge(job, &recovery))) ||
	    !wait_for_late(job, &recovery) || !recover_commit(&recovery, job->store, job->diagnostics))
		return false;
	tell_open(job, &recovery);
	return true;
}

bool job_recover(struct job *job)
{
	size_t count = job->intent_count;
	int64_t serial = job->record->serial;
	int64_t began_ms = job->world->wall_ms(job->world);

	if (count == 0 && !recover_has_unfinished(job->objects, job->object_count))
		return true;
	if (!job_begin_recovery(job))
		return false;
	bool good = settle(job, job->record->serial == serial);
	if (!job_end_recovery(job, good) || !job_reload(job))
		return false;
	job->recovered = true;
	job->recovered_ms = began_ms;
	count -= job->intent_count;
	if (count > 0)
		talk(job->invocation, "%zu unfinished call%s of an earlier run settled", count, count == 1 ? "" : "s");
	return true;
}

const struct recovery *job_outlook(struct job *job)
{
	struct recovery *recovery = arena_new(job->arena, struct recovery);

	if (job->intent_count == 0)
		return NULL;
	*recovery = (struct recovery){
		.intents = job->intents,
		.intent_count = job->intent_count,
		.objects = job->objects,
		.object_count = job->object_count,
		.live = job->refresh.live,
		.kinds = &job->kinds,
		.now_ms = job->world->wall_ms(job->world),
		.grace_ms = job_grace_ms(job),
		.arena = job->arena,
	};
	recover_all(recovery);
	return recovery;
}
