#include "cli/record_check.h"

#include "base/json.h"
#include "base/map.h"
#include "cli/job.h"
#include "cli/job_record.h"
#include "cli/past_run.h"
#include "reconcile/unfinished.h"

enum { INTENT_LIMIT_BYTES = 64 * 1024 * 1024 };

struct looking {
	struct job *job;
	record_finding *tell;
	void *context;
	bool told; /* something was */
	bool has_left;
	struct leavings left; /* with has_left */
};

static void add(struct looking *looking, struct slice address, struct slice what)
{
	looking->told = true;
	looking->tell(looking->context, address, what, false);
}

/* What could not be read is a finding, too; it may have been read into an arena that goes before who is told. */
static void add_diagnostics(struct looking *looking, struct slice address, const struct diagnostics *diagnostics)
{
	struct arena *arena = looking->job->arena;

	for (size_t i = 0; i < diagnostics->count; i++) {
		const struct diag *diag = &diagnostics->items[i];

		looking->told = true;
		looking->tell(looking->context, arena_copy(arena, address),
			      diag->cause.size > 0 ? arena_format(arena, "%.*s: %.*s", SLICE_ARGUMENTS(diag->message),
								  SLICE_ARGUMENTS(diag->cause))
						   : arena_copy(arena, diag->message),
			      true);
	}
}

/* The heads, for what follows; without them there is nothing to follow. */
static bool check_heads(struct looking *looking)
{
	struct job *job = looking->job;
	struct diagnostics own;

	diagnostics_init(&own, job->arena);
	job->diagnostics = &own;
	bool good = job_reload(job);
	job->diagnostics = job->invocation->diagnostics;
	add_diagnostics(looking, (struct slice){NULL, 0}, &own);
	diagnostics_release(&own);
	return good;
}

/* What an object merely comes after (depends_on) may go, and leaves it as it is; so may what it has let go of, or was
 * about to, when its own deletion was cut off or refused, and what a field that is left to others named when the stack
 * last looked after it. */
static bool may_be_gone(const struct object *object, const struct dependency *dependency)
{
	return dependency->output.size == 0 || unfinished_is_deletion(object) ||
	       ignored_has(&object->ignored, dependency->field) ||
	       (value_is(&object->let_go, VALUE_MAP) && value_get(&object->let_go, dependency->field));
}

/* A replace that was refused or cut off has deleted it, and the next apply makes it anew. Whether the history can be
 * read is looked at by itself. */
static bool is_still_to_come(struct looking *looking, struct slice address)
{
	struct job *job = looking->job;
	struct diagnostics unsaid;

	if (!looking->has_left) {
		diagnostics_init(&unsaid, job->arena);
		job->diagnostics = &unsaid;
		(void)!past_run_leavings(job, &looking->left);
		job->diagnostics = job->invocation->diagnostics;
		diagnostics_release(&unsaid);
		looking->has_left = true;
	}
	return map_get(&looking->left.gone, address) != NULL;
}

static void check_dependencies(struct looking *looking, const struct object *object, const struct map *addresses)
{
	struct slice told = {NULL, 0};

	for (size_t i = 0; i < object->dependency_count; i++) {
		const struct dependency *dependency = &object->dependencies[i];

		if (may_be_gone(object, dependency) || slice_equal(dependency->address, told) ||
		    map_has(addresses, dependency->address) || is_still_to_come(looking, dependency->address))
			continue;
		told = dependency->address;
		add(looking, object->address,
		    arena_format(looking->job->arena, "depends on '%.*s', where nothing is recorded",
				 SLICE_ARGUMENTS(told)));
	}
}

static void check_object(struct looking *looking, struct object *object, struct slice body, const struct map *addresses)
{
	struct job *job = looking->job;
	const struct kind *kind = kinds_find(&job->kinds, object->kind);
	struct diagnostics own;

	if (!kind)
		add(looking, object->address,
		    arena_format(job->arena, "is of the kind '%.*s', which this program does not know",
				 SLICE_ARGUMENTS(object->kind)));
	if (kind && object->kind_version > kind->version)
		add(looking, object->address,
		    slice_of("was recorded by a later version of this program, which knows more of its kind"));
	diagnostics_init(&own, job->arena);
	if (body.size == 0 ||
	    (object_body_read(object, body, job->arena, &own) && object_check_id(object, kind, job->arena, &own)))
		check_dependencies(looking, object, addresses);
	else
		add_diagnostics(looking, object->address, &own);
	diagnostics_release(&own);
}

/* What lacks one is left empty, and was told of with the rest of the file. */
static void read_bodies(struct looking *looking, const struct object *const *objects, struct slice *ret)
{
	struct job *job = looking->job;
	struct diagnostics own;

	diagnostics_init(&own, job->arena);
	if (!job->store->ops->bodies(job->store, job->arena, objects, job->object_count, ret, &own) && !looking->told)
		add_diagnostics(looking, (struct slice){NULL, 0}, &own);
	diagnostics_release(&own);
}

static void check_records(struct looking *looking)
{
	struct job *job = looking->job;
	struct slice *bodies = arena_new_array(job->arena, job->object_count, struct slice);
	const struct object **objects = arena_new_array(job->arena, job->object_count, const struct object *);
	struct map addresses;

	for (size_t i = 0; i < job->object_count; i++)
		objects[i] = job->objects[i];
	read_bodies(looking, objects, bodies);
	map_init(&addresses);
	map_reserve(&addresses, job->object_count);
	for (size_t i = 0; i < job->object_count; i++)
		map_mark(&addresses, job->objects[i]->address);
	for (size_t i = 0; i < job->object_count; i++)
		check_object(looking, job->objects[i], bodies[i], &addresses);
	map_release(&addresses);
}

static void check_text(struct looking *looking, const struct intent *intent, struct slice text, const char *what)
{
	struct job *job = looking->job;
	struct diagnostics own;
	struct value value;

	diagnostics_init(&own, job->arena);
	if (text.size > 0 && !json_read(job->arena, text, true, INTENT_LIMIT_BYTES, what, &value, &own))
		add_diagnostics(looking, intent->address, &own);
	diagnostics_release(&own);
}

static void check_intents(struct looking *looking)
{
	struct job *job = looking->job;

	for (size_t i = 0; i < job->intent_count; i++) {
		const struct intent *intent = &job->intents[i];

		if (!kinds_find(&job->kinds, intent->kind))
			add(looking, intent->address,
			    arena_format(job->arena,
					 "has an open call of the kind '%.*s', which this program does not know",
					 SLICE_ARGUMENTS(intent->kind)));
		check_text(looking, intent, intent->parameters, "the parameters of an open call");
		check_text(looking, intent, intent->sealed, "the sealed secrets of an open call");
	}
}

/* What a run found, for whoever undoes that. What a rebuild found it has made anew, because it could not be read or all
 * the same: nobody undoes it, and no backup that is put back has more of it. */
static void check_former(struct looking *looking, const struct run_record *run, struct past_object *past,
			 struct arena *arena)
{
	const struct command *command = command_of_run(run->command);
	struct diagnostics own;

	if (!past->was || past->before_body.size == 0 || (command && command->remakes))
		return;
	diagnostics_init(&own, arena);
	if (!object_body_read(&past->before, past->before_body, arena, &own))
		add_diagnostics(looking, past->before.address, &own);
	diagnostics_release(&own);
}

static void check_formers(struct looking *looking)
{
	struct job *job = looking->job;
	struct run_record *runs = NULL;
	struct past_object *past;
	size_t count = 0, past_count;
	struct diagnostics own;
	struct arena scratch;

	arena_init(&scratch);
	diagnostics_init(&own, job->arena);
	bool good = job->store->ops->runs(job->store, job->arena, &runs, &count, &own);
	for (size_t i = 0; good && i < count; i++) {
		good = job->store->ops->changed(job->store, &scratch, runs[i].id, &past, &past_count, &own);
		for (size_t k = 0; good && k < past_count; k++)
			check_former(looking, &runs[i], &past[k], &scratch);
		arena_reset(&scratch);
	}
	add_diagnostics(looking, (struct slice){NULL, 0}, &own);
	diagnostics_release(&own);
	arena_release(&scratch);
}

void record_check(struct job *job, record_finding *tell, void *context)
{
	struct looking looking = {.job = job, .tell = tell, .context = context};

	if (!check_heads(&looking))
		return;
	check_records(&looking);
	check_intents(&looking);
	check_formers(&looking);
	if (looking.has_left)
		leavings_release(&looking.left);
}
