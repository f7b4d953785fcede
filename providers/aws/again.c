#include "providers/aws/aws.h"

/*
 * The token is among the parameters. What the same token and parameters have made already is
 * answered with again, and nothing more is done (EC2 API Reference, "Ensuring idempotency").
 */
enum step aws_create_again(struct task *task, struct session *session, const struct kind *kind,
			   const struct value *parameters, struct arena *keep, const struct answer *answer)
{
	const struct aws_kind *own = aws_kind_of(kind);
	struct aws_parameters none = {.count = 0};

	if (!answer) {
		aws_call_set(task, session, own, &own->create, &none, true);
		task->call.parameters = parameters;
		task->call.creates = true;
		return STEP_CALL;
	}
	/* A refusal has no body, and no id either. */
	struct slice id = value_slice(value_path(&answer->body, own->create.result));
	if (id.size == 0)
		return STEP_FAILED;
	task->object->provider_id = arena_copy(keep, id);
	return STEP_DONE;
}
