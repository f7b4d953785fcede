#include "cli/strays.h"

#include "base/map.h"
#include "cli/job_record.h"
#include "cli/recovery.h"

bool strays_visit(struct job *job, const struct stray *strays, size_t count, stray_visit *visit, void *context)
{
	int64_t now_ms = job->recovered ? job->recovered_ms : job->world->wall_ms(job->world);
	struct past_question *questions = arena_new_array(job->arena, count + 1, struct past_question);
	struct past_call *past = arena_new_array(job->arena, count + 1, struct past_call);
	struct map recorded;

	if (count == 0)
		return true;
	for (size_t i = 0; i < count; i++)
		questions[i] = recover_ask(&strays[i]);
	if (!job->store->ops->past(job->store, job->arena, questions, count, past, job->diagnostics))
		return false;
	map_init(&recorded);
	for (size_t i = 0; i < job->object_count; i++)
		map_set(&recorded, job->objects[i]->object_id, &job->objects[i]);
	for (size_t i = 0; i < count; i++) {
		const struct stray *stray = &strays[i];
		struct object *const *place = map_get(&recorded, stray->live->ownership.object_id);
		const struct object *object = place ? *place : NULL;
		const struct live *live = place ? job->refresh.live[place - job->objects] : NULL;

		visit(context, recover_stray_origin(&past[i], stray, object, live, now_ms, job->arena), stray, &past[i],
		      object);
	}
	map_release(&recorded);
	return true;
}

/* Records under which twins are deleted, and those of what came after it was given up. */
struct sweeping {
	struct job *job;
	struct object **items;
	size_t count;
};

static void add_twin(void *context, enum stray_origin origin, const struct stray *stray, const struct past_call *past,
		     const struct object *recorded)
{
	struct sweeping *sweeping = (struct sweeping *)context;
	struct job *job = sweeping->job;

	if (origin != STRAY_TWIN)
		return;
	talk(job->invocation, "%.*s was made for '%.*s' by a call that came late: it is recorded as left over",
	     SLICE_ARGUMENTS(stray->live->provider_id), SLICE_ARGUMENTS(recorded ? recorded->address : past->address));
	sweeping->items[sweeping->count++] =
		recover_twin(past, stray, recorded, job->world->wall_ms(job->world), job->arena);
}

/* Its id is recorded before anything is done to it: should it be deleted, a listing that lags shows it as ours. */
static void add_found(struct sweeping *sweeping)
{
	struct job *job = sweeping->job;

	for (size_t i = 0; i < job->object_count; i++)
		if (job->objects[i]->is_found)
			sweeping->items[sweeping->count++] = job->objects[i];
}

/* What is said of a stray: its id and address stand between the words. Without words nothing is. */
struct told {
	const char *words, *more, *hint;
};

static const struct told told_of_origins[STRAY_ORIGIN_COUNT] = {
	[STRAY_TWIN] = {"was made for", " by a call that came late: the next apply of the whole stack deletes it",
			NULL},
	[STRAY_UNKNOWN] = {"carries the tags of this stack, as", ", and is not recorded: it is left alone",
			   "if an older state was put back it was made since: get the newer one, or record it with "
			   "'trueup state rebuild --force' beside the spec that has it; if a lost call left it behind, "
			   "delete it; if it is somebody's own, take the 'trueup:' tags off it, which were copied"},
};

/* The same of what is missed, which STRAY_UNKNOWN always is. */
static const char *const more_of_missed[AIM_COUNT] = {
	[AIM_MAKE] = ", and is not recorded: what the spec has there would be made twice",
	[AIM_DESTROY] = ", and is not recorded: a destroy would leave it where it is",
	[AIM_LOOK] = ", and is not recorded: an apply is refused, for it would make it twice",
};
/* Of what a replace made that the record does not know, while what it was to replace is there, too. */
static const char more_of_newer[] = ", and is not recorded: it was made in the place of what is recorded there";
static const char hint_at_missed[] =
	"if an older state was put back, 'trueup state rebuild --force' records what is there; if it is somebody's "
	"own, take the 'trueup:' tags off it, which were copied";

struct telling {
	struct job *job;
	const struct map *addresses; /* of the stack */
	struct map spare;
	struct map own; /* addresses to their own entry of job->objects */
};

/* What was read of what is recorded at an address; NULL: nothing is, or it was not read. */
static const struct live *live_of(const struct telling *telling, struct object *const *own)
{
	return own ? telling->job->refresh.live[own - telling->job->objects] : NULL;
}

/* Whether nothing that is there to stay is recorded at the address, and a plan would make such a thing or forget its
 * record. */
static bool is_missed(const struct telling *telling, struct slice address, struct slice kind)
{
	const struct resource *resource = map_get(telling->addresses, address);
	struct object *const *own = map_get(&telling->own, address);
	const struct live *live = live_of(telling, own);

	if (own)
		return slice_equal((*own)->kind, kind) && live &&
		       (live->presence == PRESENCE_ABSENT || live->presence == PRESENCE_LEAVING);
	return resource && slice_is(kind, resource->kind->name);
}

/* Whether a replace newer than the recorded one made it: copied tags would say the same number. */
static bool is_newer(const struct telling *telling, const struct stray *stray)
{
	struct object *const *own = map_get(&telling->own, stray->live->ownership.address);
	const struct live *live = live_of(telling, own);

	return live && live->presence != PRESENCE_ABSENT && slice_is((*own)->kind, stray->kind->name) &&
	       ownership_generation(&stray->live->ownership) > (*own)->generation;
}

static void tell_stray(void *context, enum stray_origin origin, const struct stray *stray, const struct past_call *past,
		       const struct object *recorded)
{
	const struct telling *telling = (const struct telling *)context;
	struct job *job = telling->job;
	struct slice address = stray->live->ownership.address;
	struct told told = told_of_origins[origin];

	(void)past;
	(void)recorded;
	job->stray_counts[origin]++;
	bool newer = origin == STRAY_UNKNOWN && is_newer(telling, stray);
	if (newer || (origin == STRAY_UNKNOWN && is_missed(telling, address, slice_of(stray->kind->name)))) {
		job->missed[job->missed_count++] = (struct missed){address, stray->live->provider_id, {NULL, 0}};
		told.more = newer				   ? more_of_newer
			    : map_get(telling->addresses, address) ? more_of_missed[job->aim]
								   : more_of_missed[AIM_DESTROY];
		told.hint = hint_at_missed;
	}
	if (!told.words)
		return;
	if (address.size == 0)
		address = slice_of(stray->kind->name);
	diag_add(job->diagnostics, SEVERITY_WARNING, FAULT_CONFLICT, NOWHERE, "%.*s %s '%.*s'%s",
		 SLICE_ARGUMENTS(stray->live->provider_id), told.words, SLICE_ARGUMENTS(address), told.more);
	if (told.hint)
		diag_hint(job->diagnostics, "%s", told.hint);
}

/* The address in the tags of what is recorded at another one; else empty. */
static struct slice other_address(const struct job *job, size_t index)
{
	const struct object *object = job->objects[index];
	const struct live *live = job->refresh.live[index];

	if (object->role == OBJECT_DEPOSED || !live || live->presence != PRESENCE_PRESENT ||
	    !slice_equal(live->ownership.lineage, job->record->lineage) ||
	    slice_equal(live->ownership.address, object->address))
		return (struct slice){NULL, 0};
	return live->ownership.address;
}

static size_t count_renamed(const struct job *job)
{
	size_t count = 0;

	for (size_t i = 0; job->aim == AIM_MAKE && i < job->object_count; i++)
		count += other_address(job, i).size > 0;
	return count;
}

/* What an older state has under the address of then: a plan would delete it there, and make another. */
static void tell_renamed(const struct telling *telling)
{
	struct job *job = telling->job;

	for (size_t i = 0; job->aim == AIM_MAKE && i < job->object_count; i++) {
		struct slice address = other_address(job, i);

		if (address.size == 0 || map_get(telling->addresses, job->objects[i]->address) ||
		    !map_get(telling->addresses, address) || !is_missed(telling, address, job->objects[i]->kind))
			continue;
		job->missed[job->missed_count++] =
			(struct missed){address, job->objects[i]->provider_id, job->objects[i]->address};
		diag_add(job->diagnostics, SEVERITY_WARNING, FAULT_CONFLICT, NOWHERE,
			 "%.*s carries the tags of this stack, as '%.*s', and is recorded as '%.*s'",
			 SLICE_ARGUMENTS(job->objects[i]->provider_id), SLICE_ARGUMENTS(address),
			 SLICE_ARGUMENTS(job->objects[i]->address));
		diag_hint(job->diagnostics,
			  "if an older state was put back, 'trueup state mv %.*s %.*s' renames it once more",
			  SLICE_ARGUMENTS(job->objects[i]->address), SLICE_ARGUMENTS(address));
	}
}

static const char *place_of(const struct job *job, const struct watched *watched)
{
	if (!watched->has_identity)
		return "";
	struct slice place = identity_told(job->arena, &watched->identity);

	return arena_text(job->arena, " in %.*s", SLICE_ARGUMENTS(place));
}

/* Nothing may have come of a call that was given up, nor be left of what was missed, and nobody has looked. */
static void tell_unwatched(struct job *job)
{
	for (size_t i = 0; i < job->refresh.unwatched_count; i++) {
		const struct unwatched *untold = &job->refresh.unwatched[i];
		const struct watched *watched = untold->watched;
		const char *what =
			watched->provider_id.size > 0
				? arena_text(job->arena,
					     "'%.*s' (%.*s), which was not found any more, is there after all",
					     SLICE_ARGUMENTS(watched->address), SLICE_ARGUMENTS(watched->provider_id))
				: arena_text(job->arena, "anything has come of a call for '%.*s' that was given up",
					     SLICE_ARGUMENTS(watched->address));

		diag_add(job->diagnostics, SEVERITY_WARNING, FAULT_UNREAD, NOWHERE,
			 "whether %s cannot be told: '%.*s' could not be listed%s: %.*s", what,
			 SLICE_ARGUMENTS(watched->kind), place_of(job, watched), SLICE_ARGUMENTS(untold->reason));
		if (untold->hint.size > 0)
			diag_hint(job->diagnostics, "%.*s", SLICE_ARGUMENTS(untold->hint));
		else
			diag_hint(job->diagnostics, "see that it can be listed there, and run this again");
		diag_address(job->diagnostics, watched->address);
	}
}

bool job_tell_strays(struct job *job)
{
	struct telling telling = {.job = job};

	memset(job->stray_counts, 0, sizeof(job->stray_counts));
	job->missed_count = 0;
	tell_unwatched(job);
	size_t most = job->refresh.stray_count + count_renamed(job);
	if (most == 0)
		return true;
	job->missed = arena_new_array(job->arena, most, struct missed);
	map_init(&telling.spare);
	map_init(&telling.own);
	telling.addresses = stack_addresses(job->refresh.expected, &telling.spare);
	for (size_t i = 0; i < job->object_count; i++)
		if (job->objects[i]->role != OBJECT_DEPOSED)
			map_set(&telling.own, job->objects[i]->address, &job->objects[i]);
	bool good = strays_visit(job, job->refresh.strays, job->refresh.stray_count, tell_stray, &telling);
	tell_renamed(&telling);
	map_release(&telling.spare);
	map_release(&telling.own);
	return good;
}

bool strays_record(struct job *job, struct object *const *swept, size_t count)
{
	struct slice *ids = arena_new_array(job->arena, count, struct slice);
	size_t twins = 0;
	const struct object **upserts = arena_new_array(job->arena, count, const struct object *);
	struct slice *bodies = arena_new_array(job->arena, count, struct slice);
	struct commit commit = {.upserts = upserts, .bodies = bodies, .upsert_count = count};

	for (size_t i = 0; i < count; i++) {
		upserts[i] = swept[i];
		if (!swept[i]->is_found)
			ids[twins++] = swept[i]->object_id;
		bodies[i] = object_body_write(swept[i], job->arena, &job->style);
	}
	if (!store_make_durable(job->store, &commit, job->diagnostics))
		return false;
	job->twins = ids;
	job->twin_count = twins;
	return true;
}

bool job_sweep(struct job *job)
{
	size_t most = job->refresh.stray_count + job->object_count;
	struct sweeping sweeping = {job, arena_new_array(job->arena, most + 1, struct object *), 0};
	/* What looks like a twin may be another run's own, should one have been at work since. */
	int64_t serial = job->record->serial;

	if (!strays_visit(job, job->refresh.strays, job->refresh.stray_count, add_twin, &sweeping))
		return false;
	add_found(&sweeping);
	if (sweeping.count == 0)
		return job_tell_strays(job);
	if (!job_begin_recovery(job, &serial))
		return false;
	bool good = strays_record(job, sweeping.items, sweeping.count);
	return job_end_recovery(job, good) && job_reload(job) && job_load_bodies(job) && job_refresh(job) &&
	       job_tell_strays(job);
}
