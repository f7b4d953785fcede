#include "state/store_parts.h"

#include "state/backup.h"
#include "state/check.h"
#include "state/history.h"
#include "state/intents.h"
#include "state/objects.h"
#include "state/past_calls.h"
#include "state/step_times.h"
#include "state/watched.h"

/* What a read operation works on, and where the caller has its results. */
struct reading {
	struct sqlite_store *self;
	struct arena *arena;
	const struct object *const *objects;
	const struct past_question *questions;
	size_t asked_count; /* of these */
	struct slice run, last_run;
	const char *path;

	struct object **heads;
	struct intent **intents;
	struct slice *bodies;
	struct past_call *past;
	struct watched **watched;
	struct lease_holder *holder;
	struct run_record **runs;
	struct call_record **calls;
	struct past_object **changed;
	struct step_time **times;
	struct slice **findings;
	size_t *count;
	const char *temporary;
};

static bool read_heads(void *context, struct diagnostics *diagnostics)
{
	struct reading *reading = (struct reading *)context;

	return objects_heads(&reading->self->file.database, reading->arena, reading->heads, reading->count,
			     diagnostics);
}

static bool read_bodies(void *context, struct diagnostics *diagnostics)
{
	struct reading *reading = (struct reading *)context;

	return objects_bodies(&reading->self->file.database, reading->arena, reading->objects, reading->asked_count,
			      reading->bodies, diagnostics);
}

static bool read_intents(void *context, struct diagnostics *diagnostics)
{
	struct reading *reading = (struct reading *)context;

	return intents_open(&reading->self->file.database, reading->arena, reading->intents, reading->count,
			    diagnostics);
}

bool store_heads(struct store *store, struct arena *arena, struct object **ret, size_t *ret_count,
		 struct diagnostics *diagnostics)
{
	struct reading reading = {.self = sqlite_store_of(store), .arena = arena, .heads = ret, .count = ret_count};

	return stack_file_read(&reading.self->file, read_heads, &reading, diagnostics);
}

bool store_bodies(struct store *store, struct arena *arena, const struct object *const *objects, size_t count,
		  struct slice *ret, struct diagnostics *diagnostics)
{
	struct reading reading = {.self = sqlite_store_of(store),
				  .arena = arena,
				  .objects = objects,
				  .asked_count = count,
				  .bodies = ret};

	return stack_file_read(&reading.self->file, read_bodies, &reading, diagnostics);
}

bool store_intents(struct store *store, struct arena *arena, struct intent **ret, size_t *ret_count,
		   struct diagnostics *diagnostics)
{
	struct reading reading = {.self = sqlite_store_of(store), .arena = arena, .intents = ret, .count = ret_count};

	return stack_file_read(&reading.self->file, read_intents, &reading, diagnostics);
}

static bool read_past(void *context, struct diagnostics *diagnostics)
{
	struct reading *reading = (struct reading *)context;

	return past_calls_find(&reading->self->file.database, reading->arena, reading->questions, reading->asked_count,
			       reading->past, diagnostics);
}

bool store_past(struct store *store, struct arena *arena, const struct past_question *questions, size_t count,
		struct past_call *ret, struct diagnostics *diagnostics)
{
	struct reading reading = {
		.self = sqlite_store_of(store),
		.arena = arena,
		.questions = questions,
		.asked_count = count,
		.past = ret,
	};

	return stack_file_read(&reading.self->file, read_past, &reading, diagnostics);
}

static bool read_watched(void *context, struct diagnostics *diagnostics)
{
	struct reading *reading = (struct reading *)context;
	struct world *world = reading->self->file.world;

	return watched_read(&reading->self->file.database, reading->arena, world->wall_ms(world), reading->watched,
			    reading->count, diagnostics);
}

bool store_watched(struct store *store, struct arena *arena, struct watched **ret, size_t *ret_count,
		   struct diagnostics *diagnostics)
{
	struct reading reading = {.self = sqlite_store_of(store), .arena = arena, .watched = ret, .count = ret_count};

	return stack_file_read(&reading.self->file, read_watched, &reading, diagnostics);
}

static bool read_holder(void *context, struct diagnostics *diagnostics)
{
	struct reading *reading = (struct reading *)context;
	struct sqlite_store *self = reading->self;

	return lease_look(&self->lease, &self->file.database, self->file.world, reading->arena, reading->holder,
			  diagnostics);
}

bool store_holder(struct store *store, struct arena *arena, struct lease_holder *ret, struct diagnostics *diagnostics)
{
	struct reading reading = {.self = sqlite_store_of(store), .arena = arena, .holder = ret};

	return stack_file_read(&reading.self->file, read_holder, &reading, diagnostics);
}

static bool read_runs(void *context, struct diagnostics *diagnostics)
{
	struct reading *reading = (struct reading *)context;

	return history_runs(&reading->self->file.database, reading->arena, reading->runs, reading->count, diagnostics);
}

bool store_runs(struct store *store, struct arena *arena, struct run_record **ret, size_t *ret_count,
		struct diagnostics *diagnostics)
{
	struct reading reading = {.self = sqlite_store_of(store), .arena = arena, .runs = ret, .count = ret_count};

	return stack_file_read(&reading.self->file, read_runs, &reading, diagnostics);
}

static bool read_calls(void *context, struct diagnostics *diagnostics)
{
	struct reading *reading = (struct reading *)context;

	return history_calls(&reading->self->file.database, reading->arena, reading->run, reading->last_run,
			     reading->calls, reading->count, diagnostics);
}

bool store_calls(struct store *store, struct arena *arena, struct slice first, struct slice last,
		 struct call_record **ret, size_t *ret_count, struct diagnostics *diagnostics)
{
	struct reading reading = {.self = sqlite_store_of(store),
				  .arena = arena,
				  .run = first,
				  .last_run = last,
				  .calls = ret,
				  .count = ret_count};

	return stack_file_read(&reading.self->file, read_calls, &reading, diagnostics);
}

static bool read_changed(void *context, struct diagnostics *diagnostics)
{
	struct reading *reading = (struct reading *)context;

	return formers_of(&reading->self->file.database, reading->arena, reading->run, reading->changed, reading->count,
			  diagnostics);
}

bool store_changed(struct store *store, struct arena *arena, struct slice run, struct past_object **ret,
		   size_t *ret_count, struct diagnostics *diagnostics)
{
	struct reading reading = {
		.self = sqlite_store_of(store), .arena = arena, .run = run, .changed = ret, .count = ret_count};

	return stack_file_read(&reading.self->file, read_changed, &reading, diagnostics);
}

static bool read_beside(void *context, struct diagnostics *diagnostics)
{
	struct reading *reading = (struct reading *)context;

	return formers_beside(&reading->self->file.database, reading->arena, reading->run, reading->changed,
			      reading->count, diagnostics);
}

bool store_beside(struct store *store, struct arena *arena, struct slice run, struct past_object **ret,
		  size_t *ret_count, struct diagnostics *diagnostics)
{
	struct reading reading = {
		.self = sqlite_store_of(store), .arena = arena, .run = run, .changed = ret, .count = ret_count};

	return stack_file_read(&reading.self->file, read_beside, &reading, diagnostics);
}

static bool read_times(void *context, struct diagnostics *diagnostics)
{
	struct reading *reading = (struct reading *)context;

	return step_times_read(&reading->self->file.database, reading->arena, reading->times, reading->count,
			       diagnostics);
}

bool store_times(struct store *store, struct arena *arena, struct step_time **ret, size_t *ret_count,
		 struct diagnostics *diagnostics)
{
	struct reading reading = {.self = sqlite_store_of(store), .arena = arena, .times = ret, .count = ret_count};

	return stack_file_read(&reading.self->file, read_times, &reading, diagnostics);
}

static bool read_findings(void *context, struct diagnostics *diagnostics)
{
	struct reading *reading = (struct reading *)context;

	return check_file(&reading->self->file.database, reading->arena, reading->findings, reading->count,
			  diagnostics);
}

bool store_check(struct store *store, struct arena *arena, struct slice **ret, size_t *ret_count,
		 struct diagnostics *diagnostics)
{
	struct reading reading = {.self = sqlite_store_of(store), .arena = arena, .findings = ret, .count = ret_count};

	return stack_file_read(&reading.self->file, read_findings, &reading, diagnostics);
}

static bool read_backup(void *context, struct diagnostics *diagnostics)
{
	struct reading *reading = (struct reading *)context;
	struct sqlite_store *self = reading->self;

	return backup_copy(&self->file, reading->path, &self->arena, &reading->temporary, diagnostics);
}

bool store_backup(struct store *store, const char *path, bool replaces, struct diagnostics *diagnostics)
{
	struct reading reading = {.self = sqlite_store_of(store), .path = path};

	if (!backup_check_place(&reading.self->file, path, replaces, diagnostics))
		return false;
	if (stack_file_read(&reading.self->file, read_backup, &reading, diagnostics))
		return place_publish(reading.temporary, path, replaces, diagnostics);
	if (reading.temporary)
		place_abandon(reading.temporary);
	return false;
}
