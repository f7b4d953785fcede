#include "cli/command_list.h"
#include "cli/job_run.h"
#include "cli/recorded.h"
#include "reconcile/unfinished.h"
#include "specs/expression.h"
#include "specs/loading.h"

/* One object that is called otherwise from now on, and all that refer to it. */
struct moving {
	struct job *job;
	struct slice from, to;
	const struct object **upserts;
	struct slice *bodies;
	size_t count;
	size_t moved_count; /* of these */
};

static bool check_target(const struct moving *moving)
{
	const struct job *job = moving->job;
	struct slice kind = {NULL, 0};

	for (size_t i = 0; i < job->object_count; i++) {
		if (slice_equal(job->objects[i]->address, moving->from))
			kind = job->objects[i]->kind;
		if (!slice_equal(job->objects[i]->address, moving->to))
			continue;
		diag_error(job->diagnostics, FAULT_CONFLICT, NOWHERE, "something is recorded at '%.*s' already",
			   SLICE_ARGUMENTS(moving->to));
		diag_hint(job->diagnostics, "move that away first, or choose another name");
		return false;
	}
	if (slice_starts_with(moving->to, kind) && moving->to.size > kind.size && moving->to.data[kind.size] == '.' &&
	    loading_is_name(slice_from(moving->to, kind.size + 1)))
		return true;
	diag_error(job->diagnostics, FAULT_USER, NOWHERE, "'%.*s' is no address for what is recorded at '%.*s'",
		   SLICE_ARGUMENTS(moving->to), SLICE_ARGUMENTS(moving->from));
	diag_hint(job->diagnostics, "it is of the kind '%.*s': name it %.*s.NAME", SLICE_ARGUMENTS(kind),
		  SLICE_ARGUMENTS(kind));
	return false;
}

/* The new name of the moved object's outputs; all others stay as they are. */
static const struct value *new_name(void *context, struct slice address, struct slice output)
{
	struct moving *moving = context;

	if (!slice_equal(address, moving->from))
		return NULL;
	struct value *value = arena_new(moving->job->arena, struct value);
	*value = expression_of_reference(moving->job->arena, moving->to, output, NOWHERE);
	return value;
}

static bool names_it(const struct moving *moving, const struct dependency *dependencies, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (slice_equal(dependencies[i].address, moving->from))
			return true;
	return false;
}

static const struct dependency *renamed(const struct moving *moving, const struct dependency *dependencies,
					size_t count)
{
	struct dependency *all = arena_new_array(moving->job->arena, count, struct dependency);

	for (size_t i = 0; i < count; i++) {
		all[i] = dependencies[i];
		if (slice_equal(all[i].address, moving->from))
			all[i].address = moving->to;
	}
	return all;
}

/* Of an object as it is, and of what an unfinished change is to make of it. */
struct references {
	const struct dependency *noted;
	size_t noted_count;
	bool any;
};

static struct references references_of(const struct moving *moving, const struct object *object)
{
	struct references ret = {.noted = NULL};

	if (object->has_body)
		ret.noted_count = unfinished_wanted(object, moving->job->arena, &ret.noted);
	ret.any = names_it(moving, object->dependencies, object->dependency_count) ||
		  names_it(moving, ret.noted, ret.noted_count);
	return ret;
}

static bool rewrite_references(struct moving *moving, struct object *object, const struct references *references)
{
	struct job *job = moving->job;
	struct output_source source = {moving, new_name};

	object->dependencies = renamed(moving, object->dependencies, object->dependency_count);
	/* Of a text that names the old address; the next plan compares the long way. */
	object->symbolic = (struct digest){0};
	if (!job->resolver.resolve(&job->resolver, &object->applied, &source, job->arena, &object->applied,
				   job->diagnostics) ||
	    (value_is(&object->let_go, VALUE_MAP) &&
	     !job->resolver.resolve(&job->resolver, &object->let_go, &source, job->arena, &object->let_go,
				    job->diagnostics)))
		return false;
	if (references->noted_count == 0)
		return true;
	unfinished_put_wanted(object, renamed(moving, references->noted, references->noted_count),
			      references->noted_count, job->arena);
	return job->resolver.resolve(&job->resolver, &object->unfinished, &source, job->arena, &object->unfinished,
				     job->diagnostics);
}

static void add_upsert(struct moving *moving, const struct object *object)
{
	struct job *job = moving->job;

	moving->bodies[moving->count] =
		object->has_body ? object_body_write(object, job->arena, &job->style) : (struct slice){NULL, 0};
	moving->upserts[moving->count++] = object;
}

static bool collect(struct moving *moving)
{
	struct job *job = moving->job;

	moving->upserts = arena_new_array(job->arena, job->object_count, const struct object *);
	moving->bodies = arena_new_array(job->arena, job->object_count, struct slice);
	if (!job_load_bodies(job))
		return false;
	for (size_t i = 0; i < job->object_count; i++) {
		struct object *object = job->objects[i];
		bool is_moved = slice_equal(object->address, moving->from);
		const struct references references = references_of(moving, object);

		if (references.any && !rewrite_references(moving, object, &references))
			return false;
		if (is_moved)
			object->address = moving->to;
		moving->moved_count += is_moved;
		if (is_moved || references.any)
			add_upsert(moving, object);
	}
	return true;
}

static bool commit(const struct moving *moving)
{
	struct job *job = moving->job;
	struct renaming renaming = {moving->from, moving->to};
	struct commit all = {
		.upserts = moving->upserts,
		.bodies = moving->bodies,
		.upsert_count = moving->count,
		.renamings = &renaming,
		.renaming_count = 1,
	};

	return job_begin_run(job, SLICE("state mv"), (struct slice){NULL, 0}, &job->record->serial) &&
	       job_commit_and_end(job, &all);
}

static int move(struct recorded *recorded)
{
	struct job *job = &recorded->job;
	struct moving moving = {
		.job = job,
		.from = recorded->arguments->operands[0],
		.to = recorded->arguments->operands[1],
	};

	if (!recorded_has(recorded, moving.from) || !check_target(&moving) || !collect(&moving) || !commit(&moving))
		return STATUS_ERROR;
	size_t referring = moving.count - moving.moved_count;
	buffer_string(&recorded->text, "moved ");
	print_safe(&recorded->text, moving.from);
	buffer_string(&recorded->text, " to ");
	print_safe(&recorded->text, moving.to);
	buffer_format(&recorded->text,
		      "; %zu that refer%s to it %s rewritten\nwhere the spec still has the old address, rename it "
		      "there too\n",
		      referring, referring == 1 ? "s" : "", referring == 1 ? "was" : "were");
	recorded_put(recorded, "from", value_string(moving.from));
	recorded_put(recorded, "to", value_string(moving.to));
	recorded_put(recorded, "moved", value_integer((int64_t)moving.moved_count));
	recorded_put(recorded, "rewritten", value_integer((int64_t)referring));
	return STATUS_FINE;
}

static int run_state_mv(struct invocation *invocation)
{
	return recorded_run_read(invocation, STATE_WRITE, move);
}

static const enum flag_id mv_flags[] = {FLAG_LEASE_TIMEOUT, FLAG_FORCE_NETWORK_STATE};

const struct command command_state_mv = {
	.name = "state mv",
	.about = "give a recorded object another address, as the spec will have it",
	.operands = "FROM TO",
	.details = "Renames it in the record, and wherever other records refer to it. Nothing is called. Rename it in "
		   "the\n"
		   "spec too: the plan after that changes at most the tag that holds the address.\n",
	.least_operands = 2,
	.most_operands = 2,
	.flags = mv_flags,
	.flag_count = sizeof(mv_flags) / sizeof(mv_flags[0]),
	.run = run_state_mv,
};
