#include "tests/simulate/slip.h"

#include "providers/aws/aws.h"
#include "providers/aws/kind.h"

enum { FORGOTTEN_ONE_IN = 2000 };

const char slip_refusal[] = "a changing request was to be sent without an intent";

/* What is wrapped has no other way to learn whose call it is. */
static struct universe *watched;

void slip_watch(struct universe *universe)
{
	watched = universe;
}

/* By the names that the linker knows them under, see --wrap in ld(1). */
void real_aws_call_set(struct task *task, struct session *session, const struct aws_kind *kind,
		       const struct aws_call *call,
		       const struct aws_parameters *parameters) __asm__("__real_aws_call_set");
void slip_aws_call_set(struct task *task, struct session *session, const struct aws_kind *kind,
		       const struct aws_call *call,
		       const struct aws_parameters *parameters) __asm__("__wrap_aws_call_set");

/* What a run that was cut off has sent is sent by its successor under the intent that is recorded. */
static bool may_be_recorded(const struct aws_call *call)
{
	struct audit_intents recorded = {.count = 0};

	return !audit_intents(&watched->audit, call->operation, SLICE(""), SLICE(""), &recorded) || recorded.count > 0;
}

static bool is_forgotten(const struct aws_call *call, const struct aws_parameters *parameters)
{
	struct process *process = watched ? watched->running : NULL;

	/* What is sent once more has its intent, and its parameters from there. */
	if (!process || process->dead || parameters->count == 0 || !process->misfortune.aimed)
		return false;
	/* Also at what makes the first of all: the mishap that has to come after a change is another one then. */
	if ((watched->changes == 0 || !chance_one_in(&watched->fate, FORGOTTEN_ONE_IN)) &&
	    (watched->target.mishap != MISHAP_FORGOTTEN ||
	     !target_strikes(&watched->target, call->operation, &watched->fate)))
		return false;
	if (may_be_recorded(call))
		return false;
	process->forgot = true;
	process_suffer(process, MISHAP_FORGOTTEN, call->operation);
	return true;
}

void slip_aws_call_set(struct task *task, struct session *session, const struct aws_kind *kind,
		       const struct aws_call *call, const struct aws_parameters *parameters)
{
	real_aws_call_set(task, session, kind, call, parameters);
	task->call.mutating = !is_forgotten(call, parameters);
}
