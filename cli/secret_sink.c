#include "cli/secret_sink.h"

#include <string.h>

#include "cli/job.h"
#include "cli/program_environment.h"

enum {
	FILE_MODE = 0600,
	PROGRAM_MOST_MS = 60 * 1000,
	/* A program may say something, which nobody wants to know. */
	PROGRAM_SAYS_MOST_BYTES = 64 * 1024,
};

/* Every line of a key is one, however short the last: whoever shows it again may break it elsewhere. */
static void redact(struct redaction *redaction, struct slice secret)
{
	redaction_add(redaction, secret);
	redaction_add_lines(redaction, secret, REDACTION_LEAST_BYTES);
}

static bool write_file(struct job *job, const struct value *file, const struct task *task)
{
	const struct written_file written = {
		.as = WRITTEN_SECRET,
		.path = written_secret_path(job->folder, value_slice(file), job->arena),
		.name = task->object->address,
	};

	return written_put(job->invocation->written, &written, task->shown, FILE_MODE, task->diagnostics);
}

static char *word_of(struct arena *arena, struct slice text)
{
	char *word = (char *)arena_get(arena, text.size + 1);

	memcpy(word, text.data, text.size);
	word[text.size] = '\0';
	return word;
}

/*
 * Not ours themselves: a shell that shows what it does, or a program that fails, may repeat its input there. A secret
 * that is struck out takes the end of its last line with it.
 */
static void tell_errors(struct job *job, struct slice errors)
{
	BUFFER_AUTO shown;

	buffer_init(&shown, SIZE_MAX);
	redaction_apply(&job->invocation->simulated->redaction, errors, &shown);
	buffer_end_line(&shown);
	(void)world_tell(job->world, buffer_slice(&shown));
}

static bool run_program(struct job *job, const struct value *command, const struct task *task,
			const struct watch *watch)
{
	struct world *world = job->world;
	struct slice text, errors = {NULL, 0};
	char **words = arena_new_array(job->arena, (size_t)command->count + 1, char *);
	struct program program = {
		.arguments = words,
		.variables = program_environment(world, &job->stack, job->arena),
		.folder = job->folder,
		.input = task->shown,
		.limit_bytes = PROGRAM_SAYS_MOST_BYTES,
		.ret_errors = &errors,
		.timeout_ms = PROGRAM_MOST_MS,
		.survives_interrupt = true,
		.watch = *watch,
	};
	struct arena said;
	bool good;

	if (!world->run_program)
		return diag_error(task->diagnostics, FAULT_UNSUPPORTED, NOWHERE, "no programs can be run here");
	for (uint32_t i = 0; i < command->count; i++)
		words[i] = word_of(job->arena, value_slice(&command->items[i]));
	arena_init(&said);
	good = world->run_program(world, &said, &program, &text, task->diagnostics);
	tell_errors(job, errors);
	arena_wipe(&said);
	return good;
}

/* Found out only by running it, the pair that it is for would be made, and one before it deleted, for nothing. */
static bool check_program(const struct job *job, struct slice address, const struct value *desired,
			  struct diagnostics *diagnostics)
{
	const struct value *to = value_get_named(desired, SECRET_TO);
	const struct value *command = to ? value_get_named(to, "command") : NULL;
	const struct value *name = value_is(command, VALUE_LIST) ? &command->items[0] : NULL;

	if (!value_is(name, VALUE_STRING) || !job->world->has_program ||
	    job->world->has_program(job->world, job->arena, job->folder, word_of(job->arena, value_slice(name))))
		return true;
	diag_error(diagnostics, FAULT_USER, name->position,
		   "'%.*s' cannot be run, and the secret of '%.*s' is shown only once, to it",
		   SLICE_ARGUMENTS(value_slice(name)), SLICE_ARGUMENTS(address));
	diag_address(diagnostics, address);
	diag_hint(diagnostics,
		  "name a file that may be executed: a relative path with '/' begins in the stack's folder, "
		  "any other name is looked for in PATH");
	return false;
}

bool secret_sink_check_programs(const struct job *job)
{
	bool good = true;

	for (size_t i = 0; i < job->plan.action_count; i++) {
		const struct action *action = &job->plan.actions[i];

		if (operation_makes(action->operation))
			good &= check_program(job, action->address, &action->known, job->diagnostics);
	}
	return good;
}

bool secret_sink_may_make(void *context, const struct action *action, const struct value *desired,
			  struct diagnostics *diagnostics)
{
	const struct job *job = context;

	return written_add_secret(job->invocation->written, action->address, desired, diagnostics) &&
	       check_program(job, action->address, desired, diagnostics);
}

bool secret_sink_give(void *context, const struct task *task, const struct watch *watch)
{
	struct job *job = context;
	const struct value *file = value_get_named(task->shown_to, "file");
	const struct value *command = value_get_named(task->shown_to, "command");
	bool good = false;

	redact(&job->invocation->simulated->redaction, task->shown);
	if (task->shown.size == 0)
		diag_error(task->diagnostics, FAULT_INTERNAL, NOWHERE, "the service has not shown the secret");
	else if (file)
		good = write_file(job, file, task);
	else if (command)
		good = run_program(job, command, task, watch);
	if (good)
		return true;
	diag_error(task->diagnostics, FAULT_USER, NOWHERE, "the secret of '%.*s' is lost: it is shown only once",
		   SLICE_ARGUMENTS(task->object->address));
	diag_address(task->diagnostics, task->object->address);
	diag_hint(task->diagnostics, "see to it that '" SECRET_TO "' can be written, and run again: what was made is "
				     "deleted, and another is made");
	return false;
}
