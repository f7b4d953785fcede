#include "cli/rebuild_look.h"

#include "base/id.h"

enum { UNLISTED_SHOWN = 5 };

static bool spec_uses(const struct job *job, const struct kind *kind)
{
	for (size_t i = 0; i < job->stack.resource_count; i++)
		if (job->stack.resources[i].kind == kind)
			return true;
	return false;
}

static struct slice listing_key(struct job *job, struct slice kind, const struct identity *place)
{
	return arena_format(job->arena, "%.*s %.*s", SLICE_ARGUMENTS(kind),
			    SLICE_ARGUMENTS(identity_text(job->arena, place)));
}

/* By kind and place, to one of its objects; also of those whose record cannot be relied on. */
static void index_recorded(struct job *job, const struct rebuild_past *past, struct map *ret)
{
	map_init(ret);
	for (size_t i = 0; i < past->count; i++)
		map_set(ret, listing_key(job, past->objects[i]->kind, &past->objects[i]->identity), past->objects[i]);
}

/* What could not be listed would be made a second time by the next apply, or be recorded nowhere any more. */
static bool judge_unlisted(struct job *job, const struct unlisted *unlisted, const struct object *recorded,
			   bool is_shown)
{
	const struct identity *place = &unlisted->session->identity;
	bool is_used = spec_uses(job, unlisted->kind) || recorded;

	if (!is_used && !is_shown)
		return true;
	diag_add(job->diagnostics, is_used ? SEVERITY_ERROR : SEVERITY_WARNING, FAULT_AUTH, NOWHERE,
		 "what there is of '%s' in %.*s could not be listed: %.*s", unlisted->kind->name,
		 SLICE_ARGUMENTS(identity_told(job->arena, place)), SLICE_ARGUMENTS(unlisted->reason));
	if (recorded)
		diag_hint(job->diagnostics,
			  "'%.*s' is recorded there: see that it can be listed; of a record that can be read 'trueup "
			  "state rm' lets go",
			  SLICE_ARGUMENTS(recorded->address));
	return !is_used;
}

bool job_take_inventory(struct job *job, const struct rebuild_past *past, struct inventory *ret)
{
	struct map recorded;
	bool good = true;

	*ret = (struct inventory){.loop = &job->loop, .sessions = &job->sessions, .arena = job->arena};
	if (!inventory_take(ret, job->diagnostics))
		return false;
	rebuild_join_ways(ret, &job->stack, past);
	if (ret->unlisted_count == 0)
		return true;
	index_recorded(job, past, &recorded);
	for (size_t i = 0; i < ret->unlisted_count; i++) {
		const struct unlisted *unlisted = &ret->unlisted[i];
		struct slice key = listing_key(job, slice_of(unlisted->kind->name), &unlisted->session->identity);

		good &= judge_unlisted(job, unlisted, map_get(&recorded, key), i < UNLISTED_SHOWN);
	}
	map_release(&recorded);
	return good;
}

bool job_read_rebuilt(struct job *job, const struct rebuilding *rebuilding)
{
	struct map ids;

	job->objects = rebuilding->objects;
	job->object_count = rebuilding->object_count;
	map_init(&ids);
	for (size_t i = 0; i < job->object_count; i++)
		map_mark(&ids, job->objects[i]->object_id);
	bool good = job_refresh_some(job, &ids, NULL, NULL);
	map_release(&ids);
	return good;
}

void job_add_found(struct job *job, struct rebuilding *rebuilding)
{
	for (size_t i = 0; i < job->stack.resource_count; i++) {
		const struct resource *resource = &job->stack.resources[i];
		const struct live *live = job->refresh.unrecorded[i];
		const struct session *session = sessions_of_alias(&job->sessions, &job->stack, resource->provider);

		if (live && session && live->presence == PRESENCE_PRESENT)
			rebuild_add_found(rebuilding, resource, live, session, id_new(job->world, job->arena));
	}
}
