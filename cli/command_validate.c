#include "cli/command_list.h"
#include "cli/job.h"

static int run_validate(struct invocation *invocation)
{
	struct job job;
	struct report report;

	job_init(&job, invocation);
	bool good = job_load_spec(&job);
	report = invocation_report(invocation);
	report.spec = job.spec_digest;
	if (good)
		report.text = arena_format(invocation->arena, "%.*s: %zu resource%s in %zu file%s, no errors\n",
					   SLICE_ARGUMENTS(job.stack.name), job.stack.resource_count,
					   job.stack.resource_count == 1 ? "" : "s", invocation->sources->count,
					   invocation->sources->count == 1 ? "" : "s");
	job_release(&job);
	return invocation_end(invocation, &report, good ? STATUS_FINE : STATUS_ERROR);
}

static const enum flag_id validate_flags[] = {FLAG_VAR};

const struct command command_validate = {
	.name = "validate",
	.about = "check the spec: everything that can be known without credentials, all errors at once",
	.operands = "",
	.flags = validate_flags,
	.flag_count = sizeof(validate_flags) / sizeof(validate_flags[0]),
	.run = run_validate,
};
