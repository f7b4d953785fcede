#include "cli/cli.h"

#include <stdio.h>

#include "cli/exit_status.h"
#include "cli/invocation.h"
#include "cli/variables.h"
#include "cli/world.h"

enum { TALK_LIMIT_BYTES = 64 * 1024 * 1024 };

void talk(struct invocation *invocation, const char *format, ...)
{
	va_list arguments;
	BUFFER_AUTO line;

	buffer_init(&line, TALK_LIMIT_BYTES);
	va_start(arguments, format);
	buffer_vformat(&line, format, arguments);
	va_end(arguments);
	buffer_byte(&line, '\n');
	(void)world_tell(invocation->world, buffer_slice(&line));
}

struct report invocation_report(struct invocation *invocation)
{
	return (struct report){
		.command = invocation->arguments->command ? invocation->arguments->command->name : "",
		.arena = invocation->arena,
		.sources = invocation->sources,
		.diagnostics = invocation->diagnostics,
		.redaction = &invocation->simulated->redaction,
	};
}

/* An interrupt that ended the work tells more than the errors that it left behind. */
static int final_status(const struct invocation *invocation, int status)
{
	struct world *world = invocation->world;
	int number = world->interrupting_signal ? world->interrupting_signal(world) : 0;

	status = exit_status_of(invocation->diagnostics, status);
	if (world->interrupted(world) > 0 && (status == STATUS_ERROR || status == STATUS_PARTLY))
		return number > 0 ? STATUS_SIGNAL + number : STATUS_INTERRUPTED;
	return invocation->sinks->unread && invocation->diagnostics->error_count == 0 ? STATUS_UNREAD_OUTPUT : status;
}

/* Here too, and not only when all is written: what a service escaped when it echoed it is escaped once more then. */
static void redact_diagnostics(struct invocation *invocation)
{
	const struct redaction *redaction = &invocation->simulated->redaction;

	for (size_t i = 0; i < invocation->diagnostics->count; i++) {
		struct diag *diag = &invocation->diagnostics->items[i];

		diag->message = redaction_shown(redaction, diag->message, invocation->arena);
		diag->hint = redaction_shown(redaction, diag->hint, invocation->arena);
		diag->cause = redaction_shown(redaction, diag->cause, invocation->arena);
		diag->related_message = redaction_shown(redaction, diag->related_message, invocation->arena);
	}
}

/* That there is more to be done says more than that it could not be told. Whoever reads nothing but the status must not
 * take what was done for undone. */
static int status_untold(struct invocation *invocation, const struct report *report, int status)
{
	if (status == STATUS_PARTLY || !report->applied || !apply_has_changed(report->applied))
		return status == STATUS_PARTLY ? status : STATUS_ERROR;
	diag_add(invocation->diagnostics, SEVERITY_NOTE, FAULT_USER, NOWHERE,
		 "all %s was applied, and is recorded: only the report of it could not be written",
		 status == STATUS_INCOMPLETE ? "that could be read" : "of the plan");
	diag_hint(invocation->diagnostics, "'trueup state history' has the run, and its calls");
	return STATUS_PARTLY;
}

int invocation_end(struct invocation *invocation, struct report *report, int status)
{
	report->status = final_status(invocation, status);
	redact_diagnostics(invocation);
	bool told = sinks_end(invocation->sinks, report, invocation->diagnostics);
	return told ? status : status_untold(invocation, report, status);
}

int invocation_fail(struct invocation *invocation, int status)
{
	struct report report = invocation_report(invocation);

	return invocation_end(invocation, &report, status);
}

/* With what else was told until now; false where that could not be written. */
static bool show_diagnostics(struct invocation *invocation)
{
	struct world *world = invocation->world;
	BUFFER_AUTO text;

	buffer_init(&text, TALK_LIMIT_BYTES);
	if (invocation->diagnostics->count == 0)
		return world_has_told(world) || world->write(world, 2, (struct slice){NULL, 0});
	redact_diagnostics(invocation);
	render_diagnostics(&text, invocation->sources, invocation->diagnostics, invocation->arena, invocation->talk,
			   &invocation->simulated->redaction);
	return world->write(world, 2, buffer_slice(&text));
}

struct written_file written_plan(const struct invocation *invocation)
{
	struct slice path = arguments_text(invocation->arguments, FLAG_OUT, "");

	return (struct written_file){
		.as = WRITTEN_PLAN,
		.path = arena_string(invocation->arena, path),
		.name = SLICE("--out"),
	};
}

/* Before anything is read or sent. */
static bool check_files(struct invocation *invocation)
{
	const struct written_file plan = written_plan(invocation);
	bool good = !arguments_has(invocation->arguments, FLAG_OUT) ||
		    written_add(invocation->written, &plan, invocation->diagnostics);

	return sinks_check(invocation->sinks, invocation->diagnostics) && good;
}

static int run_command(struct invocation *invocation, struct sinks *sinks)
{
	int status = STATUS_USAGE;

	if (sinks_open(sinks, invocation->world, invocation->arguments, invocation->arena, invocation->diagnostics)) {
		sinks->redaction = &invocation->simulated->redaction;
		sinks->written = invocation->written;
		if (check_files(invocation)) {
			status = invocation->arguments->command->run(invocation);
		} else {
			sinks_forget_files(sinks);
			status = invocation_fail(invocation, STATUS_ERROR);
		}
	}
	sinks_close(sinks);
	return status;
}

/* To a program that reads what it asked for: a line that was not understood names no file that may be written. */
static void report_line(struct invocation *invocation, struct sinks *sinks)
{
	struct diagnostics unheard;

	diagnostics_init(&unheard, invocation->arena);
	if (arguments_has(invocation->arguments, FLAG_OUTPUT) &&
	    sinks_open(sinks, invocation->world, invocation->arguments, invocation->arena, &unheard)) {
		sinks->redaction = &invocation->simulated->redaction;
		sinks_forget_files(sinks);
		(void)invocation_fail(invocation, STATUS_USAGE);
	}
	sinks_close(sinks);
	diagnostics_release(&unheard);
}

int cli_run(struct world *world, int count, char *const *texts)
{
	struct arena arena;
	struct diagnostics diagnostics;
	struct sources sources;
	struct simulated simulated;
	struct arguments arguments;
	struct sinks sinks = {0};
	struct written written;
	int status = STATUS_USAGE;

	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	sources_init(&sources);
	simulated_open(&simulated, world);
	struct invocation invocation = {
		.simulated = &simulated,
		.world = &simulated.world,
		.arguments = &arguments,
		.arena = &arena,
		.diagnostics = &diagnostics,
		.sources = &sources,
		.sinks = &sinks,
	};
	bool understood = arguments_parse(&simulated.world, count, texts, &arena, &arguments, &diagnostics);
	invocation.talk = palette_for(&simulated.world, &arguments, 2);
	variables_check(&simulated.world, &arena, &diagnostics);
	if (understood) {
		simulated.folder = arena_string(&arena, arguments_text(&arguments, FLAG_DIRECTORY, "."));
		simulated.world.folder = simulated.folder;
		written_open(&written, &simulated.world, simulated.folder, &arena);
		invocation.written = &written;
		status = run_command(&invocation, &sinks);
		written_close(&written);
	} else {
		report_line(&invocation, &sinks);
	}
	/* Where nobody is there to read them, the status is all that is left to tell. */
	if (!show_diagnostics(&invocation) && invocation.world->interrupted(invocation.world) > 0)
		status = STATUS_ERROR;
	status = final_status(&invocation, status);
	simulated_close(&simulated);
	sources_release(&sources);
	diagnostics_release(&diagnostics);
	arena_release(&arena);
	return status;
}

int cli_main(int count, char *const *texts)
{
	struct arena arena;
	struct diagnostics diagnostics;
	struct world world;
	int status = STATUS_ERROR;

	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	if (real_world_open(&world, &diagnostics)) {
		status = cli_run(&world, count, texts);
		real_world_close(&world);
	} else {
		const struct diag *first = diagnostics_first_error(&diagnostics);

		fprintf(stderr, "error: %.*s\n", first ? (int)first->message.size : 0,
			first ? first->message.data : "");
	}
	diagnostics_release(&diagnostics);
	arena_release(&arena);
	return status;
}
