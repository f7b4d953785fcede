#include "cli/refresh_some.h"

bool job_refresh_subset(struct job *job, const struct map *object_ids, struct refresh *refresh,
			const struct live ***ret)
{
	struct object **some = arena_new_array(job->arena, job->object_count + 1, struct object *);
	const struct live **live = arena_new_array(job->arena, job->object_count + 1, const struct live *);
	size_t *places = arena_new_array(job->arena, job->object_count + 1, size_t);
	size_t count = 0;

	for (size_t i = 0; i < job->object_count; i++) {
		if (!map_has(object_ids, job->objects[i]->object_id))
			continue;
		places[count] = i;
		some[count++] = job->objects[i];
	}
	refresh->loop = &job->loop;
	refresh->sessions = &job->sessions;
	refresh->kinds = &job->kinds;
	refresh->stack = &job->stack;
	refresh->objects = some;
	refresh->object_count = count;
	refresh->arena = job->arena;
	refresh->by_id = true;
	if (!refresh_run(refresh, job->diagnostics))
		return false;
	for (size_t i = 0; i < count; i++)
		live[places[i]] = refresh->live[i];
	*ret = live;
	return true;
}
