#include "cli/carry_out.h"
#include "cli/command_list.h"
#include "cli/lost_state.h"
#include "cli/planning.h"
#include "cli/recovery.h"
#include "cli/saved_plan.h"

/* A plan with errors is shown with them, and not carried out. Where the state was lost, they come of that. */
static int show_only(struct job *job)
{
	struct report report = job_report(job);

	sinks_plan(job->invocation->sinks, &report);
	return invocation_end(job->invocation, &report, lost_state_permits(job) ? STATUS_ERROR : STATUS_REFUSED);
}

static int plan_once(struct job *job, const void *about)
{
	enum job_aim aim = *(const enum job_aim *)about;
	int status = STATUS_ERROR;

	if (!job_prepare_to_act(job, aim))
		status = job->moved ? status : invocation_fail(job->invocation, status);
	else if (!job_plan_as_asked(job, aim == AIM_DESTROY))
		status = show_only(job);
	else if (job_plan_has_resends(job))
		status = job_carry_out(job, false);
	return status;
}

/*
 * What decides what is planned cannot change a plan that was made already. On the line that is a mistake; in the
 * environment it stands for the commands that take it, and may be there since the plan was made with it.
 */
static bool check_saved_flags(const struct invocation *invocation)
{
	static const enum flag_id made_with[] = {FLAG_TARGET, FLAG_VAR};

	for (size_t i = 0; i < sizeof(made_with) / sizeof(made_with[0]); i++) {
		const struct flag *flag = &flags[made_with[i]];
		const struct option *option = &invocation->arguments->options[made_with[i]];

		if (option->count == 0)
			continue;
		if (option->from_environment)
			diag_add(invocation->diagnostics, SEVERITY_WARNING, FAULT_USAGE, NOWHERE,
				 "%s is not heeded: a saved plan is carried out as it was made",
				 flag_variable(flag, invocation->arena));
		else
			diag_error(invocation->diagnostics, FAULT_USAGE, NOWHERE, "a saved plan does not take --%s",
				   flag->name);
		diag_hint(invocation->diagnostics, "give it to 'trueup plan --out', or apply without the file");
	}
	return invocation->diagnostics->error_count == 0;
}

/* What another run left is compared with the plan again. */
static int carry_out_saved_once(struct job *job, const void *about)
{
	int status = STATUS_ERROR;

	(void)about;
	if (saved_plan_read(job, job->invocation->arguments->operands[0]) && job_is_approved(job) &&
	    saved_plan_prepare(job))
		status = job_carry_out(job, true);
	else if (!job->moved)
		status = invocation_fail(job->invocation, status);
	return status;
}

static int run_apply(struct invocation *invocation)
{
	static const enum job_aim aim = AIM_MAKE;

	if (invocation->arguments->operand_count == 0)
		return job_attempts(invocation, plan_once, &aim);
	if (!check_saved_flags(invocation))
		return invocation_fail(invocation, STATUS_USAGE);
	return job_attempts(invocation, carry_out_saved_once, NULL);
}

static int run_destroy(struct invocation *invocation)
{
	static const enum job_aim aim = AIM_DESTROY;

	return job_attempts(invocation, plan_once, &aim);
}

static const enum flag_id apply_flags[] = {
	FLAG_YES,	  FLAG_DIGEST, FLAG_TARGET, FLAG_VAR,		FLAG_MAX_DELETE,
	FLAG_PARALLELISM, FLAG_FORCE,  FLAG_GRACE,  FLAG_LEASE_TIMEOUT, FLAG_FORCE_NETWORK_STATE,
};

enum { APPLY_FLAG_COUNT = sizeof(apply_flags) / sizeof(apply_flags[0]) };

const struct command command_apply = {
	.name = "apply",
	.about = "carry out a saved plan, or plan, ask, and carry that out",
	.operands = "[PLANFILE]",
	.details = "With PLANFILE the saved plan is carried out without asking, also where the spec has changed\n"
		   "since: --digest pins the one that was reviewed. --target and --var are errors then; what the\n"
		   "environment says of them is ignored, with a warning. Without PLANFILE it plans, asks, and\n"
		   "applies; only 'yes' is taken for an answer.\n",
	.most_operands = 1,
	.undoable = true,
	.flags = apply_flags,
	.flag_count = APPLY_FLAG_COUNT,
	.run = run_apply,
};

const struct command command_destroy = {
	.name = "destroy",
	.about = "remove everything that is recorded: plan --destroy, ask, and carry that out",
	.operands = "",
	.target = "only this resource, and what refers to it, which goes with it (may be repeated)",
	.undoable = true,
	.flags = apply_flags,
	.flag_count = APPLY_FLAG_COUNT,
	.run = run_destroy,
};
