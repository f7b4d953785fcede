#include "cli/carry_out.h"

#include "cli/command_list.h"
#include "cli/job_record.h"
#include "cli/job_run.h"
#include "cli/lost_state.h"
#include "cli/past_run.h"
#include "cli/progress.h"
#include "cli/question.h"
#include "cli/record_secrets.h"
#include "cli/recovery.h"
#include "cli/secret_sink.h"
#include "cli/secrets.h"
#include "reconcile/undo.h"

/* What to do where nobody can be asked: the same plan, saved. */
static const char *hint_to_save(const struct job *job)
{
	const struct option *targets = &job->invocation->arguments->options[FLAG_TARGET];
	BUFFER_AUTO hint;

	buffer_init(&hint, SIZE_MAX);
	buffer_string(&hint, "say --yes, or save a plan with 'trueup ");
	if (job->plan.undoes.size > 0)
		buffer_format(&hint, "undo %.8s", job->plan.undoes.data);
	else
		buffer_string(&hint, job->plan.destroy ? "plan --destroy" : "plan");
	for (size_t i = 0; i < targets->count; i++) {
		buffer_string(&hint, " --target ");
		print_word(&hint, targets->values[i]);
	}
	buffer_string(&hint, " --out FILE' and apply that");
	return arena_string(job->arena, buffer_slice(&hint));
}

/* Whether the user wants it: a reviewed plan, or the answer; that holds for the same plan made again. */
static bool is_wanted(struct job *job, bool reviewed, const struct report *report)
{
	struct invocation *invocation = job->invocation;
	bool destroy = job->plan.destroy;

	/* Nobody is asked. */
	if (reviewed || !plan_changes_reality(&job->plan) || arguments_has(invocation->arguments, FLAG_YES))
		return true;
	struct digest digest = plan_shown(&job->plan, job->arena, &job->style);
	struct slice shown = digest_text(invocation->arena, &digest);
	if (!slice_equal(invocation->wanted, shown) &&
	    !question_ask(invocation, destroy ? "\nDestroy all this?" : "\nApply this?",
			  destroy ? "destroy all this" : "apply this", hint_to_save(job), report))
		return false;
	invocation->wanted = shown;
	return true;
}

/* How long the plan's steps took in earlier runs. */
static bool read_times(struct job *job, struct forecast *ret)
{
	struct step_time *times;
	size_t count;

	if (!job->store->ops->times(job->store, job->arena, &times, &count, job->diagnostics))
		return false;
	forecast_init(ret, &job->plan, times, count, job->arena);
	return true;
}

/* And this one tells the next. */
static void note_times(struct job *job, const struct forecast *forecast)
{
	struct step_time *times;
	size_t count;

	forecast_times(forecast, &times, &count);
	job->store->ops->note_times(job->store, times, count);
}

static bool run_apply(struct job *job, const struct map *resends, struct forecast *forecast, struct apply *apply)
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
		.live = job->refresh.live,
		.load_body = job_load_body,
		.load_context = job,
		.read_ms = job->refresh.began_ms,
		.give_shown = secret_sink_give,
		.may_make = secret_sink_may_make,
		.give_context = job,
		.parallelism = job->parallelism,
		.secrets = job->secrets,
		.vault = &job->vault,
		.grace_ms = job_grace_ms(job),
		.resends = resends,
		.force = arguments_has(job->invocation->arguments, FLAG_FORCE),
		.progress = progress_tell,
		.stopping = progress_stopping,
		.refused = progress_refused,
		.progress_context = &view,
		.forecast = forecast,
		.arena = job->arena,
	};
	progress_open(&view, job->invocation, forecast, job->phase_counts);
	bool good = apply_run(apply, job->diagnostics);
	progress_close(&view);
	note_times(job, forecast);
	return good;
}

static struct slice outcome_of(const struct apply *apply, bool good)
{
	if (good)
		return SLICE("done");
	if (apply->interrupted)
		return SLICE("interrupted");
	return apply_has_changed(apply) ? SLICE("partly") : SLICE("failed");
}

/* All that was to be done is done. */
static int status_of_rest(const struct job *job)
{
	if (job->intent_count > 0 || undo_leaves(&job->plan))
		return STATUS_PARTLY;
	return job->plan.unread_count > 0 ? STATUS_INCOMPLETE : STATUS_FINE;
}

/* Of what could not be read, and of what other runs have left since the plan was made, it tells nothing. */
static bool is_about_all(const struct job *job)
{
	return job->plan.unread_count == 0 && job->intent_count == job->resend_count && !job->plan.older;
}

/* What the run is called in the history: by what it does, where that was planned before. */
static struct slice run_name(const struct job *job)
{
	struct slice command =
		slice_of(job->plan.destroy ? command_destroy.name : job->invocation->arguments->command->name);

	if (job->plan.undoes.size > 0)
		command = past_run_undoing(job->arena, job->plan.undoes);
	if (job->plan.targeted)
		return past_run_of_part(job->arena, command);
	return is_about_all(job) ? command : past_run_of_most(job->arena, command);
}

static void show_outputs(struct job *job, struct report *report)
{
	report->outputs = job_outputs(job, job->plan.outputs, job->plan.output_count);
	report->all_outputs = job->plan.outputs;
	report->all_output_count = job->plan.output_count;
}

/* With the lease held. */
static int act(struct job *job, const struct map *resends, struct forecast *forecast, struct report *report,
	       struct apply *apply)
{
	int64_t began_ms = job->world->boot_ms(job->world);
	bool good = run_apply(job, resends, forecast, apply);

	report->applied = apply;
	report->elapsed_ms = job->world->boot_ms(job->world) - began_ms;
	good &= job_end_run(job, outcome_of(apply, good));
	if (job->resend_count > 0) {
		good &= job_drop_settled(job);
		report->outlook = job_outlook(job);
	}
	if (!job->plan.destroy)
		show_outputs(job, report);
	if (good)
		return status_of_rest(job);
	return apply_has_changed(apply) ? STATUS_PARTLY : STATUS_ERROR;
}

/* Of a destroy: there may be much to destroy, and nobody knows it. Another plan was approved than to do nothing. */
static int end_without(struct job *job, struct report *report)
{
	bool all_told = (!job->plan.destroy || lost_state_permits(job)) && job_is_approved(job);

	sinks_plan(job->invocation->sinks, report);
	if (!job->plan.destroy) {
		lost_state_warn(job);
		show_outputs(job, report);
	}
	if (!record_secrets_hide_all(job) || !all_told)
		return invocation_end(job->invocation, report, STATUS_ERROR);
	return invocation_end(job->invocation, report,
			      job->refresh.unlisted_count > 0 ? STATUS_INCOMPLETE : status_of_rest(job));
}

/* With the plan approved. */
static int begin_and_act(struct job *job, struct forecast *forecast, struct report *report, struct apply *apply)
{
	struct map resends;
	int status = STATUS_ERROR;

	map_init(&resends);
	if (job_take_resends(job, &resends) && job_begin_run(job, run_name(job), job->digest, &job->plan.serial)) {
		/* What the run finds of each object is kept as it is recorded then. */
		if (record_secrets_hide_all(job))
			status = act(job, &resends, forecast, report, apply);
		else
			(void)!job_end_run(job, SLICE("failed"));
	}
	map_release(&resends);
	return status;
}

int job_carry_out(struct job *job, bool reviewed)
{
	struct report report = job_report(job);
	struct apply apply = {0};
	struct forecast forecast;
	int status;

	report.applied_saved = reviewed;
	if (plan_is_empty(&job->plan))
		return end_without(job, &report);
	sinks_plan(job->invocation->sinks, &report);
	if (!lost_state_permits(job) || !job_is_approved(job) || !job_within_budget(job) ||
	    !secret_sink_check_programs(job) || !is_wanted(job, reviewed, &report) ||
	    !secrets_find_key_for_apply(job) || !read_times(job, &forecast))
		return invocation_end(job->invocation, &report, STATUS_ERROR);
	status = begin_and_act(job, &forecast, &report, &apply);
	return job->moved ? status : invocation_end(job->invocation, &report, status);
}
