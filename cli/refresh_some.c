#include "cli/refresh_some.h"

#include "cli/recovery.h"
#include "cli/secrets.h"
#include "cli/unfinished.h"

bool job_refresh_some(struct job *job, const struct map *object_ids, const struct stack *expected,
		      const struct map *sought)
{
	struct object **some = arena_new_array(job->arena, job->object_count + 1, struct object *);
	const struct live **live = arena_new_array(job->arena, job->object_count + 1, const struct live *);
	size_t *places = arena_new_array(job->arena, job->object_count + 1, size_t);
	size_t count = 0;

	job_put_back_unfinished(job);
	for (size_t i = 0; i < job->object_count; i++) {
		if (!map_has(object_ids, job->objects[i]->object_id))
			continue;
		places[count] = i;
		some[count++] = job->objects[i];
	}
	job->refresh = (struct refresh){
		.loop = &job->loop,
		.sessions = &job->sessions,
		.kinds = &job->kinds,
		.stack = &job->stack,
		.objects = some,
		.object_count = count,
		.arena = job->arena,
		.by_id = true,
		.recorded = job->objects,
		.recorded_count = job->object_count,
		.expected = expected,
		.sought = sought,
		.is_first = expected && job_is_first(job),
	};
	if (!refresh_run(&job->refresh, job->diagnostics))
		return false;
	for (size_t i = 0; i < count; i++)
		live[places[i]] = job->refresh.live[i];
	job->refresh.live = live;
	secrets_redact_live(job);
	if (!job_note_open(job))
		return false;
	job_take_unfinished(job);
	return true;
}
