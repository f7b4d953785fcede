#include "cli/planning.h"

#include "cli/job_record.h"
#include "cli/lost_state.h"
#include "cli/providers.h"
#include "cli/record_secrets.h"
#include "cli/recovery.h"
#include "cli/strays.h"
#include "cli/twins.h"

static struct plan_scope scope_of(const struct job *job)
{
	const struct option *targets = &job->invocation->arguments->options[FLAG_TARGET];

	return (struct plan_scope){.targets = targets->values, .target_count = targets->count};
}

static bool load_spec(struct job *job)
{
	if (!job_load_spec(job))
		return false;
	record_secrets_of_spec(job);
	return true;
}

/* Before anything is read: a slip of the pen is told at once. */
static bool check_targets(struct job *job)
{
	struct plan_scope scope = scope_of(job);

	return plan_check_targets(&scope, &job->stack, job->objects, job->object_count, job->diagnostics);
}

/*
 * State, bodies and sessions. A state that is not there yet is made only once it is known who answers, so that a
 * first plan that fails for its credentials or its endpoint leaves nothing behind.
 */
static bool open_all(struct job *job, enum state_access access)
{
	bool is_first = !job_has_store(job);

	if ((is_first && (!check_targets(job) || !job_open_sessions(job))) ||
	    !job_open_state(job, access, job->stack.name) || !check_targets(job) || !job_load_bodies(job))
		return false;
	if (is_first && job->object_count == 0) {
		job->loop.settings.lineage = job->record->lineage;
		return true;
	}
	/* Where another run made it meanwhile, the sessions lack the places that it recorded. */
	job_close_sessions(job);
	return job_open_sessions(job);
}

/* Asks nobody: what the alias reaches is what settings and environment say. */
static bool prepare_unread(struct job *job, enum state_access access)
{
	if (!load_spec(job) || !job_open_state(job, access, job->stack.name) || !check_targets(job) ||
	    !sessions_account_recorded(&all_providers, job->world, &job->stack, job->objects, job->object_count,
				       job->arena, job->diagnostics))
		return false;
	job->expected = sessions_expect(&all_providers, job->world, &job->stack, job->arena);
	return true;
}

bool job_prepare(struct job *job, bool refresh, enum job_aim aim)
{
	/* A plan that is only shown writes nothing but a state that is new or of an older format; one that is saved
	 * records its sealing key. */
	enum state_access access =
		arguments_has(job->invocation->arguments, FLAG_OUT) ? STATE_WRITE : STATE_WRITE_OR_READ;

	job->aim = aim;
	if (!refresh)
		return prepare_unread(job, access);
	if (!load_spec(job) || !open_all(job, access) || !job_refresh(job) || !job_tell_strays(job) ||
	    !twins_foresee(job))
		return false;
	lost_state_warn(job);
	return true;
}

bool job_prepare_to_act(struct job *job, enum job_aim aim)
{
	job->aim = aim;
	return load_spec(job) && open_all(job, STATE_WRITE) && job_recover(job) && job_load_bodies(job) &&
	       job_refresh(job) && job_sweep(job);
}

bool job_plan_as_asked(struct job *job, bool destroy)
{
	struct plan_scope scope = scope_of(job);

	return job_plan(job, &job->stack, destroy, &scope);
}
