#include "cli/carry_out.h"

#include "base/digest.h"
#include "cli/progress.h"
#include "cli/recovery.h"

/* Whether the user wants it: --yes, a reviewed plan, or "yes" typed out on a terminal. */
static bool is_wanted(struct job *job, bool reviewed)
{
	struct world *world = job->world;
	const char *question = "\nApply this? Only 'yes' will do: ";
	struct slice answer = {NULL, 0};

	if (reviewed || arguments_has(job->invocation->arguments, FLAG_YES) || !plan_changes_reality(&job->plan))
		return true;
	if (!world->is_terminal(world, 0) || !world->is_terminal(world, 2)) {
		diag_error(job->diagnostics, FAULT_USAGE, NOWHERE, "nobody can be asked here whether to apply this");
		diag_hint(job->diagnostics, "say --yes, or save a plan with 'trueup plan --out FILE' and apply that");
		return false;
	}
	world->write(world, 2, slice_of(question));
	bool answered = world->read_line(world, job->arena, &answer);
	if (answered && slice_is(slice_trim(answer), "yes"))
		return true;
	if (answered)
		return diag_error(job->diagnostics, FAULT_USER, NOWHERE, "not applied: the answer was not 'yes'");
	/* The cursor still stands behind the question. */
	world->write(world, 2, SLICE("\n"));
	return diag_error(job->diagnostics, FAULT_USER, NOWHERE,
			  world->interrupted(world) > 0 ? "not applied: interrupted" : "not applied: no answer");
}

/* Takes the lease. What was planned must still be the latest word of the state. */
static bool begin(struct job *job)
{
	uint8_t bytes[16];
	int64_t planned = job->plan.serial;
	struct run run = {.command = slice_of(job->invocation->arguments->command->name), .plan_digest = job->digest};

	job->world->random(job->world, bytes, sizeof(bytes));
	run.id = hex_encode(job->arena, (struct slice){(const char *)bytes, sizeof(bytes)});
	if (!job->store->ops->begin(job->store, &run, job->diagnostics))
		return false;
	job->record = job->store->ops->record(job->store);
	if (job->record->serial == planned)
		return true;
	diag_error(job->diagnostics, FAULT_STALE, NOWHERE,
		   "another run has changed the stack since this plan was made");
	diag_hint(job->diagnostics, "plan again");
	(void)job->store->ops->end(job->store, SLICE("failed"), job->diagnostics);
	return false;
}

static bool run_apply(struct job *job, struct apply *apply)
{
	struct progress_view view;

	*apply = (struct apply){
		.world = job->world,
		.store = job->store,
		.plan = &job->plan,
		.kinds = &job->kinds,
		.sessions = &job->sessions,
		.stack = &job->stack,
		.resolver = &job->resolver,
		.objects = job->objects,
		.object_count = job->object_count,
		.load_body = job_load_body,
		.load_context = job,
		.parallelism = job->parallelism,
		.style = &job->style,
		.force = arguments_has(job->invocation->arguments, FLAG_FORCE),
		.progress = progress_tell,
		.progress_context = &view,
		.arena = job->arena,
	};
	progress_open(&view, job->invocation, &job->plan, job->phase_counts);
	bool good = apply_run(apply, job->diagnostics);
	progress_close(&view);
	return good;
}

static struct slice outcome_of(const struct apply *apply, bool good)
{
	if (good)
		return SLICE("done");
	if (apply->interrupted)
		return SLICE("interrupted");
	return apply->done_count > 0 ? SLICE("partly") : SLICE("failed");
}

/* All that was to be done is done. */
static int status_of_rest(const struct job *job)
{
	if (job->intent_count > 0)
		return STATUS_PARTLY;
	return job->plan.unread_count > 0 ? STATUS_INCOMPLETE : STATUS_FINE;
}

/* With the lease held. */
static int act(struct job *job, struct report *report, struct apply *apply)
{
	int64_t began_ms = job->world->boot_ms(job->world);
	bool good = run_apply(job, apply);

	report->applied = apply;
	report->elapsed_ms = job->world->boot_ms(job->world) - began_ms;
	good &= job->store->ops->end(job->store, outcome_of(apply, good), job->diagnostics);
	if (!job->plan.destroy)
		report->outputs = job_outputs(job, job->plan.outputs, job->plan.output_count);
	if (good)
		return status_of_rest(job);
	return apply->done_count > 0 ? STATUS_PARTLY : STATUS_ERROR;
}

int job_carry_out(struct job *job, bool reviewed)
{
	struct report report = job_report(job);
	struct apply apply = {0};

	sinks_plan(job->invocation->sinks, &report);
	if (plan_is_empty(&job->plan)) {
		if (!job->plan.destroy)
			report.outputs = job_outputs(job, job->plan.outputs, job->plan.output_count);
		return invocation_end(job->invocation, &report, status_of_rest(job));
	}
	if (!job_is_approved(job) || !job_within_budget(job) || !is_wanted(job, reviewed) || !begin(job))
		return invocation_end(job->invocation, &report, STATUS_ERROR);
	return invocation_end(job->invocation, &report, act(job, &report, &apply));
}
