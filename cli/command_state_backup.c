#include "cli/command_list.h"
#include "cli/recorded.h"

static int backup(struct recorded *recorded)
{
	struct job *job = &recorded->job;
	const char *path = arena_string(job->arena, recorded->arguments->operands[0]);

	if (!job->store->ops->backup(job->store, path, arguments_has(recorded->arguments, FLAG_FORCE),
				     job->diagnostics))
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
	.details = "The copy holds one moment of the state, is checked before it gets its name, and has mode 0600. A\n"
		   "file that is there is replaced only with --force. To put it back, end all runs and copy it over\n"
		   "the state file; delete state.db-wal and state.db-shm beside that first.\n",
	.least_operands = 1,
	.most_operands = 1,
	.flags = backup_flags,
	.flag_count = 1,
	.force = "replace a file that is there",
	.run = run_state_backup,
};
