#include "cli/command_list.h"
#include "cli/job_record.h"
#include "cli/job_run.h"
#include "cli/recorded.h"
#include "reconcile/renames.h"
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

static struct slice new_address(void *context, struct slice address)
{
	const struct moving *moving = context;

	return slice_equal(address, moving->from) ? moving->to : (struct slice){NULL, 0};
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
	const struct renames renames = {.resolver = &job->resolver, .new_address = new_address, .context = moving};

	moving->upserts = arena_new_array(job->arena, job->object_count, const struct object *);
	moving->bodies = arena_new_array(job->arena, job->object_count, struct slice);
	if (!job_load_bodies(job))
		return false;
	for (size_t i = 0; i < job->object_count; i++) {
		struct object *object = job->objects[i];
		bool is_moved = slice_equal(object->address, moving->from);
		bool refers = renames_concern(&renames, object, job->arena);

		if (refers && !renames_rewrite(&renames, object, job->arena, job->diagnostics))
			return false;
		if (is_moved)
			object->address = moving->to;
		moving->moved_count += is_moved;
		if (is_moved || refers)
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
	struct job *job = recorded->job;
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
	.renames = true,
	.run = run_state_mv,
};
