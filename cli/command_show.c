#include "cli/command_list.h"
#include "cli/saved_plan.h"

static int run_show(struct invocation *invocation)
{
	struct job job;
	int status = STATUS_ERROR;

	job_init(&job, invocation);
	if (saved_plan_read(&job, invocation->arguments->operands[0])) {
		struct report report = job_report(&job);

		report.spec = job.plan.spec;
		sinks_plan(invocation->sinks, &report);
		status = invocation_end(invocation, &report,
					job.plan.unread_count > 0 ? STATUS_INCOMPLETE : STATUS_FINE);
	} else {
		status = invocation_fail(invocation, status);
	}
	job_release(&job);
	return status;
}

const struct command command_show = {
	.name = "show",
	.about = "show a saved plan again, in any output format",
	.operands = "PLANFILE",
	.least_operands = 1,
	.most_operands = 1,
	.run = run_show,
};
