#include "cli/twins.h"

#include <stdlib.h>

#include "cli/recovery.h"
#include "cli/saved_refusal.h"
#include "cli/secrets.h"
#include "cli/strays.h"

/* An object with what was read of it; NULL: nothing was yet. */
struct entry {
	struct object *object;
	const struct live *live;
};

static int compare_entries(const void *a, const void *b)
{
	return object_compare(((const struct entry *)a)->object, ((const struct entry *)b)->object);
}

static void put_entries(struct job *job, const struct entry *entries, size_t count)
{
	struct object **objects = arena_new_array(job->arena, count + 1, struct object *);
	const struct live **live = arena_new_array(job->arena, count + 1, const struct live *);

	for (size_t i = 0; i < count; i++) {
		objects[i] = entries[i].object;
		live[i] = entries[i].live;
	}
	job->objects = objects;
	job->object_count = count;
	if (job->refresh.live)
		job->refresh.live = live;
}

static struct entry entry_of(const struct job *job, size_t index)
{
	return (struct entry){job->objects[index], job->refresh.live ? job->refresh.live[index] : NULL};
}

static void add_entries(struct job *job, const struct entry *twins, size_t count)
{
	struct entry *entries = arena_new_array(job->arena, job->object_count + count + 1, struct entry);

	job->twins = arena_new_array(job->arena, count + 1, struct slice);
	job->twin_count = count;
	if (count == 0)
		return;
	for (size_t i = 0; i < job->object_count; i++)
		entries[i] = entry_of(job, i);
	for (size_t i = 0; i < count; i++) {
		entries[job->object_count + i] = twins[i];
		job->twins[i] = twins[i].object->object_id;
	}
	qsort(entries, job->object_count + count, sizeof(*entries), compare_entries);
	put_entries(job, entries, job->object_count + count);
}

struct foreseeing {
	struct job *job;
	struct entry *twins;
	size_t count;
};

static void foresee(void *context, enum stray_origin origin, const struct stray *stray, const struct past_call *past,
		    const struct object *recorded)
{
	struct foreseeing *foreseeing = (struct foreseeing *)context;
	struct job *job = foreseeing->job;

	if (origin == STRAY_TWIN)
		foreseeing->twins[foreseeing->count++] = (struct entry){
			recover_twin(past, stray, recorded, job->world->wall_ms(job->world), job->arena), stray->live};
}

bool twins_foresee(struct job *job)
{
	size_t most = job->refresh.stray_count;
	struct foreseeing foreseeing = {job, arena_new_array(job->arena, most + 1, struct entry), 0};

	if (!strays_visit(job, job->refresh.strays, most, foresee, &foreseeing))
		return false;
	add_entries(job, foreseeing.twins, foreseeing.count);
	if (foreseeing.count > 0)
		secrets_redact_live(job);
	return true;
}

/* As far as it has to be known to read it; what it is to be recorded as is told by what is read. */
static struct object *object_to_read(const struct action *action, struct arena *arena)
{
	struct object *object = arena_new(arena, struct object);

	*object = (struct object){
		.address = action->address,
		.object_id = action->object_id,
		.role = OBJECT_DEPOSED,
		.kind = slice_of(action->kind->name),
		.provider_id = action->provider_id,
		.identity = action->identity,
		.provider = action->provider,
		.has_body = true,
		.outputs = value_map(NULL, 0),
		.applied = value_map(NULL, 0),
		.resolved = value_map(NULL, 0),
		.observed = value_map(NULL, 0),
	};
	return object;
}

void twins_of_saved(struct job *job, const struct plan *saved, struct map *ids)
{
	struct entry *twins = arena_new_array(job->arena, saved->action_count + 1, struct entry);
	struct map recorded, addresses;
	size_t count = 0;

	map_init(&recorded);
	map_init(&addresses);
	for (size_t i = 0; i < job->object_count; i++)
		map_mark(&recorded, job->objects[i]->object_id);
	for (size_t i = 0; i < saved->action_count; i++) {
		const struct action *action = &saved->actions[i];

		if (action->operation != OPERATION_DELETE || action->role != OBJECT_DEPOSED ||
		    map_has(&recorded, action->object_id))
			continue;
		twins[count] = (struct entry){object_to_read(action, job->arena), NULL};
		map_mark(&addresses, action->address);
		map_mark(ids, action->object_id);
		count++;
	}
	/* Whether it is a twin is told by what it is one of, too. */
	for (size_t i = 0; i < job->object_count; i++)
		if (map_has(&addresses, job->objects[i]->address))
			map_mark(ids, job->objects[i]->object_id);
	map_release(&recorded);
	map_release(&addresses);
	add_entries(job, twins, count);
}

/* The object ids of those that the plan foresees. */
static void index_foreseen(const struct job *job, struct map *ret)
{
	map_init(ret);
	for (size_t i = 0; i < job->twin_count; i++)
		map_set(ret, job->twins[i], &job->twins[i]);
}

static bool is_foreseen(const struct map *foreseen, const struct object *object)
{
	return object->role == OBJECT_DEPOSED && map_get(foreseen, object->object_id);
}

struct judging {
	struct job *job;
	struct object **objects; /* parallel to the strays that are visited */
	size_t count, visited;
	bool good;
};

static void judge(void *context, enum stray_origin origin, const struct stray *stray, const struct past_call *past,
		  const struct object *recorded)
{
	struct judging *judging = (struct judging *)context;
	struct job *job = judging->job;
	struct object *object = judging->objects[judging->visited++];
	struct slice lineage = stray->live->ownership.lineage;
	const struct object *twin = recover_twin(past, stray, recorded, job->world->wall_ms(job->world), job->arena);

	if (origin == STRAY_TWIN && slice_equal(lineage, job->record->lineage) &&
	    slice_equal(twin->address, object->address))
		*object = *twin;
	else
		judging->good = saved_plan_refuse(job, object->address,
						  arena_format(job->arena,
							       "%.*s is not recorded, and nothing tells any more that "
							       "a call of this stack made it late",
							       SLICE_ARGUMENTS(object->provider_id)));
}

/* What is there of it, as something that is not recorded; false where nothing is, or it could not be read. Each that is
 * to be judged was asked for. */
static bool find_stray(const struct job *job, const struct entry *entry, struct stray *ret)
{
	const struct kind *kind = kinds_find(&job->kinds, entry->object->kind);
	struct slice reason;

	if (entry->live->presence != PRESENCE_PRESENT)
		return false;
	*ret = (struct stray){
		entry->live, kind,
		sessions_of_identity(&job->sessions, &entry->object->identity, entry->object->provider, &reason)};
	return ret->session != NULL;
}

bool twins_judge(struct job *job)
{
	struct entry *kept = arena_new_array(job->arena, job->object_count + 1, struct entry);
	struct stray *strays = arena_new_array(job->arena, job->twin_count + 1, struct stray);
	struct judging judging = {job, arena_new_array(job->arena, job->twin_count + 1, struct object *), 0, 0, true};
	struct map foreseen;
	size_t count = 0;

	if (job->twin_count == 0)
		return true;
	index_foreseen(job, &foreseen);
	for (size_t i = 0; i < job->object_count; i++) {
		/* It was all read by now. */
		const struct entry entry = {job->objects[i], job->refresh.live[i]};
		bool is_twin = is_foreseen(&foreseen, entry.object);

		if (is_twin && find_stray(job, &entry, &strays[judging.count]))
			judging.objects[judging.count++] = entry.object;
		else if (is_twin && entry.live->presence != PRESENCE_UNREAD)
			continue;
		kept[count++] = entry;
	}
	map_release(&foreseen);
	put_entries(job, kept, count);
	return strays_visit(job, strays, judging.count, judge, &judging) && judging.good;
}

bool twins_record(struct job *job)
{
	struct object **twins = arena_new_array(job->arena, job->twin_count + 1, struct object *);
	struct map foreseen;
	size_t count = 0;

	index_foreseen(job, &foreseen);
	for (size_t i = 0; job->twin_count > 0 && i < job->object_count; i++)
		if (is_foreseen(&foreseen, job->objects[i]))
			twins[count++] = job->objects[i];
	map_release(&foreseen);
	if (count == 0)
		return true;
	if (!job_begin_recovery(job, &job->plan.serial) || !job_end_recovery(job, strays_record(job, twins, count)))
		return false;
	job->plan.serial = job->record->serial;
	return true;
}
