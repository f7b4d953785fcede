#include "base/json.h"
#include "base/map.h"
#include "cli/command_list.h"
#include "cli/recorded.h"
#include "reconcile/unfinished.h"

enum { INTENT_LIMIT_BYTES = 64 * 1024 * 1024 };

/* What was found so far. */
struct findings {
	struct recorded *recorded;
	struct value_builder list;
};

static void add(struct findings *findings, struct slice address, struct slice what)
{
	struct job *job = &findings->recorded->job;
	VALUE_BUILDER_AUTO one;

	value_builder_init(&one);
	put_member(&one, "address", address.size > 0 ? value_string(address) : value_null());
	put_member(&one, "finding", value_string(what));
	value_builder_item(&findings->list, value_builder_map(&one, job->arena));
	if (address.size > 0) {
		print_safe(&findings->recorded->text, address);
		buffer_string(&findings->recorded->text, ": ");
	}
	print_safe(&findings->recorded->text, what);
	buffer_byte(&findings->recorded->text, '\n');
}

/* What could not be read is a finding, too. */
static void add_diagnostics(struct findings *findings, struct slice address, const struct diagnostics *diagnostics)
{
	struct arena *arena = findings->recorded->job.arena;

	for (size_t i = 0; i < diagnostics->count; i++) {
		const struct diag *diag = &diagnostics->items[i];

		add(findings, address,
		    diag->cause.size > 0 ? arena_format(arena, "%.*s: %.*s", SLICE_ARGUMENTS(diag->message),
							SLICE_ARGUMENTS(diag->cause))
					 : diag->message);
	}
}

/* The heads, for what follows; without them there is nothing to follow. */
static bool check_heads(struct findings *findings)
{
	struct job *job = &findings->recorded->job;
	struct diagnostics own;

	diagnostics_init(&own, job->arena);
	job->diagnostics = &own;
	bool good = job_reload(job);
	job->diagnostics = job->invocation->diagnostics;
	add_diagnostics(findings, (struct slice){NULL, 0}, &own);
	diagnostics_release(&own);
	return good;
}

/* What an object merely comes after (depends_on) may go, and leaves it as it is; so may what it has let go of, or was
 * about to, when its own deletion was cut off or refused. */
static bool may_be_gone(const struct object *object, const struct dependency *dependency)
{
	return dependency->output.size == 0 || unfinished_leaves(object) ||
	       (value_is(&object->let_go, VALUE_MAP) && value_get(&object->let_go, dependency->field));
}

static void check_dependencies(struct findings *findings, const struct object *object, const struct map *addresses)
{
	struct slice told = {NULL, 0};

	for (size_t i = 0; i < object->dependency_count; i++) {
		const struct dependency *dependency = &object->dependencies[i];

		if (may_be_gone(object, dependency) || slice_equal(dependency->address, told) ||
		    map_get(addresses, dependency->address))
			continue;
		told = dependency->address;
		add(findings, object->address,
		    arena_format(findings->recorded->job.arena, "depends on '%.*s', where nothing is recorded",
				 SLICE_ARGUMENTS(told)));
	}
}

static void check_object(struct findings *findings, struct object *object, struct slice body,
			 const struct map *addresses)
{
	struct job *job = &findings->recorded->job;
	const struct kind *kind = kinds_find(&job->kinds, object->kind);
	struct diagnostics own;

	if (!kind)
		add(findings, object->address,
		    arena_format(job->arena, "is of the kind '%.*s', which this program does not know",
				 SLICE_ARGUMENTS(object->kind)));
	if (kind && object->kind_version > kind->version)
		add(findings, object->address,
		    slice_of("was recorded by a later version of this program, which knows more of its kind"));
	diagnostics_init(&own, job->arena);
	if (body.size == 0 ||
	    (object_body_read(object, body, job->arena, &own) && object_check_id(object, kind, job->arena, &own)))
		check_dependencies(findings, object, addresses);
	else
		add_diagnostics(findings, object->address, &own);
	diagnostics_release(&own);
}

/* What lacks one is left empty, and was told of with the rest of the file. */
static void read_bodies(struct findings *findings, const struct object *const *objects, struct slice *ret)
{
	struct job *job = &findings->recorded->job;
	struct diagnostics own;

	diagnostics_init(&own, job->arena);
	if (!job->store->ops->bodies(job->store, job->arena, objects, job->object_count, ret, &own) &&
	    findings->list.count == 0)
		add_diagnostics(findings, (struct slice){NULL, 0}, &own);
	diagnostics_release(&own);
}

static void check_records(struct findings *findings)
{
	struct job *job = &findings->recorded->job;
	struct slice *bodies = arena_new_array(job->arena, job->object_count, struct slice);
	const struct object **objects = arena_new_array(job->arena, job->object_count, const struct object *);
	struct map addresses;

	for (size_t i = 0; i < job->object_count; i++)
		objects[i] = job->objects[i];
	read_bodies(findings, objects, bodies);
	map_init(&addresses);
	map_reserve(&addresses, job->object_count);
	for (size_t i = 0; i < job->object_count; i++)
		map_set(&addresses, job->objects[i]->address, job->objects[i]);
	for (size_t i = 0; i < job->object_count; i++)
		check_object(findings, job->objects[i], bodies[i], &addresses);
	map_release(&addresses);
}

static void check_text(struct findings *findings, const struct intent *intent, struct slice text, const char *what)
{
	struct job *job = &findings->recorded->job;
	struct diagnostics own;
	struct value value;

	diagnostics_init(&own, job->arena);
	if (text.size > 0 && !json_read(job->arena, text, true, INTENT_LIMIT_BYTES, what, &value, &own))
		add_diagnostics(findings, intent->address, &own);
	diagnostics_release(&own);
}

static void check_intents(struct findings *findings)
{
	struct job *job = &findings->recorded->job;

	for (size_t i = 0; i < job->intent_count; i++) {
		const struct intent *intent = &job->intents[i];

		if (!kinds_find(&job->kinds, intent->kind))
			add(findings, intent->address,
			    arena_format(job->arena,
					 "has an open call of the kind '%.*s', which this program does not know",
					 SLICE_ARGUMENTS(intent->kind)));
		check_text(findings, intent, intent->parameters, "the parameters of an open call");
		check_text(findings, intent, intent->sealed, "the sealed secrets of an open call");
	}
}

/* What a run found, for whoever undoes that. */
static void check_former(struct findings *findings, struct past_object *past, struct arena *arena)
{
	struct diagnostics own;

	diagnostics_init(&own, arena);
	if (past->was && past->before_body.size > 0 && !object_body_read(&past->before, past->before_body, arena, &own))
		add_diagnostics(findings, past->before.address, &own);
	diagnostics_release(&own);
}

static void check_formers(struct findings *findings)
{
	struct job *job = &findings->recorded->job;
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
			check_former(findings, &past[k], &scratch);
		arena_reset(&scratch);
	}
	add_diagnostics(findings, (struct slice){NULL, 0}, &own);
	diagnostics_release(&own);
	arena_release(&scratch);
}

static int check(struct recorded *recorded)
{
	struct job *job = &recorded->job;
	struct findings findings = {.recorded = recorded};
	struct slice *damages;
	size_t damage_count;

	value_builder_init(&findings.list);
	if (!job->store->ops->check(job->store, job->arena, &damages, &damage_count, job->diagnostics))
		return STATUS_ERROR;
	for (size_t i = 0; i < damage_count; i++)
		add(&findings, (struct slice){NULL, 0}, damages[i]);
	if (check_heads(&findings)) {
		check_records(&findings);
		check_intents(&findings);
		check_formers(&findings);
	}
	size_t count = findings.list.count;
	if (count == 0)
		buffer_format(&recorded->text, "sound: %zu object%s, %zu open call%s, serial %lld\n", job->object_count,
			      job->object_count == 1 ? "" : "s", job->intent_count, job->intent_count == 1 ? "" : "s",
			      (long long)job->record->serial);
	recorded_put(recorded, "sound", value_bool(count == 0));
	recorded_put(recorded, "findings", value_builder_list(&findings.list, job->arena));
	value_builder_release(&findings.list);
	return count == 0 ? STATUS_FINE : STATUS_ERROR;
}

static int run_state_check(struct invocation *invocation)
{
	return recorded_run(invocation, STATE_READ, check);
}

const struct command command_state_check = {
	.name = "state check",
	.about = "tell whether the state file is sound, and all that it records",
	.operands = "",
	.details =
		"Looks at every page and index, at what refers to what, and decodes every record. Ends with 0 where\n"
		"all is sound, with 1 after a list of what is not. Changes nothing.\n",
	.run = run_state_check,
};
