#include "cli/planning.h"

#include "cli/recovery.h"

bool job_prepare(struct job *job, bool refresh)
{
	if (!job_load_spec(job) || !job_open_state(job, STATE_WRITE, job->stack.name))
		return false;
	return !refresh || (job_load_bodies(job) && job_open_sessions(job) && job_refresh(job));
}

bool job_prepare_to_act(struct job *job)
{
	size_t swept;

	return job_prepare(job, false) && job_load_bodies(job) && job_open_sessions(job) && job_recover(job) &&
	       job_load_bodies(job) && job_refresh(job) && job_sweep(job, &swept);
}

bool job_plan_as_asked(struct job *job, bool destroy)
{
	const struct option *targets = &job->invocation->arguments->options[FLAG_TARGET];

	return job_plan(job, &job->stack, destroy, targets->values, targets->count);
}
