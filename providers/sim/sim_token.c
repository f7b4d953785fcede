#include "base/digest.h"
#include "providers/sim/sim_convert.h"
#include "providers/sim/sim_parts.h"

/* Idempotency tokens: the same token and parameters again give the first call's result. */

/* The page tells no life of a token, so that nobody may count on more than this. */
enum { LIFE_MS = 60 * 60 * 1000 };

const struct sim_type sim_token_type = {
	.number = SIM_TOKEN,
	.name = "token",
	.untagged = true,
	.hidden = true,
};

static struct slice token_id(struct sim_call *call, struct slice token)
{
	return arena_format(call->arena, "%s:%.*s", call->action->name, SLICE_ARGUMENTS(token));
}

static struct slice parameters_digest(struct sim_call *call)
{
	BUFFER_AUTO text;
	struct digest digest;

	buffer_init(&text, (size_t)8 << 20);
	sim_node_json(&text, &call->request);
	digest = digest_of(buffer_slice(&text));
	return digest_text(call->arena, &digest);
}

/* That of an instance is known until a day after its end:
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Run_Instance_Idempotency.html */
static bool is_forgotten(struct sim_call *call, const struct sim_object *token)
{
	return call->sim->now_ms - token->created_ms >= LIFE_MS &&
	       !sim_find(call->region, SIM_INSTANCE, node_text(&token->body, "result"));
}

bool sim_token_fresh(struct sim_call *call, struct slice token, struct sim_object **ret)
{
	struct sim_object *known;

	*ret = NULL;
	if (token.size == 0)
		return true;
	if (token.size > 128) {
		sim_fail(call, "InvalidParameterValue", "The client token is longer than 128 characters");
		return false;
	}
	known = sim_find(call->region, SIM_TOKEN, token_id(call, token));
	if (!known || is_forgotten(call, known))
		return true;
	if (!slice_equal(node_text(&known->body, "parameters"), parameters_digest(call))) {
		sim_fail(call, "IdempotentParameterMismatch",
			 "Arguments on this idempotent request are inconsistent with arguments used in previous "
			 "request(s).");
		return false;
	}
	*ret = sim_find(call->region, SIM_TYPE_COUNT, node_text(&known->body, "result"));
	/* "Without performing any further actions", also where what it made was deleted since:
	 * https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html */
	if (!*ret)
		sim_fail(call, "InvalidParameterValue", "What was made with this client token is gone");
	return false;
}

void sim_token_record(struct sim_call *call, struct slice token, const struct sim_object *result)
{
	struct sim_object *known;

	if (token.size == 0)
		return;
	known = sim_find(call->region, SIM_TOKEN, token_id(call, token));
	if (!known)
		known = sim_create(call->sim, call->region, SIM_TOKEN, token_id(call, token));
	known->created_ms = call->sim->now_ms;
	node_put(&known->body, "parameters", parameters_digest(call));
	node_put(&known->body, "result", result->id);
}
