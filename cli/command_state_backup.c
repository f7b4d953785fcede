#include "cli/command_list.h"
#include "cli/record_check.h"
#include "cli/recorded.h"

/* The first part of the record that nobody can read; is_there: there is one. */
struct unreadable {
	struct slice address, what;
	bool is_there;
};

static void note_unreadable(void *context, struct slice address, struct slice what, bool is_unreadable)
{
	struct unreadable *unreadable = context;

	if (is_unreadable && !unreadable->is_there)
		*unreadable = (struct unreadable){address, what, true};
}

/* A copy of a record that cannot be read helps whoever mends it, but must not take the place of a readable one. */
static bool is_readable(struct job *job)
{
	struct unreadable unreadable = {.is_there = false};

	record_check(job, note_unreadable, &unreadable);
	if (!unreadable.is_there)
		return true;
	diag_add(job->diagnostics, SEVERITY_WARNING, FAULT_USER, NOWHERE, "the record cannot be read in full: %.*s",
		 SLICE_ARGUMENTS(unreadable.what));
	diag_address(job->diagnostics, unreadable.address);
	diag_hint(job->diagnostics, "no more can its copy, which takes no other file's place, --force or not; "
				    "'trueup state check' lists it all");
	return false;
}

/* To who has said --force the store would hint at it. */
static int refuse_to_replace(struct job *job, const char *path)
{
	diag_error(job->diagnostics, FAULT_USER, NOWHERE, "cannot write '%s': there is a file of that name", path);
	diag_hint(job->diagnostics, "name another file: this one may be the last that can be read");
	return STATUS_ERROR;
}

static int backup(struct recorded *recorded)
{
	struct job *job = recorded->job;
	const char *path = arena_string(job->arena, recorded->arguments->operands[0]);
	bool is_forced = arguments_has(recorded->arguments, FLAG_FORCE), is_sound = is_readable(job);

	if (is_forced && !is_sound && state_is_there(job->world, path))
		return refuse_to_replace(job, path);
	if (!job->store->ops->backup(job->store, path, is_forced && is_sound, job->diagnostics))
		return STATUS_ERROR;
	buffer_string(&recorded->text, "backed up to ");
	print_safe(&recorded->text, slice_of(path));
	buffer_string(&recorded->text, ", and read back\n");
	recorded_put(recorded, "path", value_text(path));
	return STATUS_FINE;
}

static int run_state_backup(struct invocation *invocation)
{
	const struct written_file file = {
		.as = WRITTEN_BACKUP,
		.path = arena_string(invocation->arena, invocation->arguments->operands[0]),
		.name = SLICE("state backup"),
	};

	if (!written_add(invocation->written, &file, invocation->diagnostics))
		return invocation_fail(invocation, STATUS_ERROR);
	return recorded_run(invocation, STATE_READ, backup);
}

static const enum flag_id backup_flags[] = {FLAG_FORCE};

const struct command command_state_backup = {
	.name = "state backup",
	.about = "copy the state to a file, also while a run is at work",
	.operands = "FILE",
	.details =
		"The copy holds one moment of the state, is checked before it gets its name, and has mode 0600. A\n"
		"file that is there is replaced only with --force, and never by a copy of what cannot be read. To put\n"
		"it back, end all runs and copy it over the state file; delete state.db-wal and state.db-shm beside\n"
		"that first.\n",
	.least_operands = 1,
	.most_operands = 1,
	.flags = backup_flags,
	.flag_count = 1,
	.force = "replace a file that is there",
	.run = run_state_backup,
};
