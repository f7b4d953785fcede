#include "cli/job_record.h"

#include "base/http.h"
#include "cli/record_secrets.h"

const char *job_state_path(const struct job *job)
{
	if (strcmp(job->folder, ".") == 0)
		return ".trueup/state.db";
	return arena_text(job->arena, "%s/.trueup/state.db", job->folder);
}

bool job_has_store(const struct job *job)
{
	return state_is_there(job->world, job_state_path(job));
}

bool job_is_first(const struct job *job)
{
	return job->object_count == 0 && job->record->serial == 0;
}

/* By the name that it has today: older records spell a simulator as the user did. Neighbours share their place. */
static void name_endpoints(struct job *job)
{
	struct slice recorded = {NULL, 0}, named = recorded;

	for (size_t i = 0; i < job->object_count; i++) {
		struct slice *endpoint = &job->objects[i]->identity.endpoint;

		if (!slice_equal(*endpoint, recorded)) {
			recorded = named = *endpoint;
			if (endpoint_is_simulated(recorded))
				named = world_endpoint(job->world, recorded, job->arena);
		}
		*endpoint = named;
	}
}

bool job_read_heads(struct job *job)
{
	struct object *heads = NULL;

	if (!job->store->ops->heads(job->store, job->arena, &heads, &job->object_count, job->diagnostics))
		return false;
	job->objects = arena_new_array(job->arena, job->object_count + 1, struct object *);
	for (size_t i = 0; i < job->object_count; i++)
		job->objects[i] = &heads[i];
	name_endpoints(job);
	return true;
}

bool job_reload(struct job *job)
{
	job->seen = NULL;
	return job_read_heads(job) &&
	       job->store->ops->intents(job->store, job->arena, &job->intents, &job->intent_count, job->diagnostics);
}

static bool read_bodies(struct job *job, struct object *const *objects, size_t count, struct diagnostics *diagnostics)
{
	struct slice *texts = arena_new_array(job->arena, count + 1, struct slice);
	const struct object **wanted = arena_new_array(job->arena, count + 1, const struct object *);

	for (size_t i = 0; i < count; i++)
		wanted[i] = objects[i];
	if (!job->store->ops->bodies(job->store, job->arena, wanted, count, texts, diagnostics))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (texts[i].size > 0 &&
		    (!object_body_read(objects[i], texts[i], job->arena, diagnostics) ||
		     !object_check_id(objects[i], kinds_find(&job->kinds, objects[i]->kind), job->arena, diagnostics)))
			return false;
		record_secrets_hide(job, objects[i]);
	}
	return true;
}

bool job_load_bodies(struct job *job)
{
	struct object **bare = arena_new_array(job->arena, job->object_count + 1, struct object *);
	size_t count = 0;

	for (size_t i = 0; i < job->object_count; i++)
		if (!job->objects[i]->has_body)
			bare[count++] = job->objects[i];
	return count == 0 || read_bodies(job, bare, count, job->diagnostics);
}

bool job_load_body(void *context, struct object *object, struct diagnostics *diagnostics)
{
	struct job *job = context;

	return object->has_body || read_bodies(job, &object, 1, diagnostics);
}
