#include "providers/aws/kinds/instance_spot.h"

#include "providers/aws/work.h"

/*
 * A persistent request outlives its instance: once that is terminated the request is open again, and EC2 launches
 * another, which nobody knows of. So it is cancelled first, which leaves the instance as it is
 * (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cancel-spot-request.html).
 */

#define SPOT_REQUEST "spot_request"

static const char *const gone[] = {"InvalidSpotInstanceRequestID.NotFound", NULL};
static const struct aws_call cancel = {
	.operation = "CancelSpotInstanceRequests",
	.id = "SpotInstanceRequestIds.0",
	.id_output = SPOT_REQUEST,
	.recipe = RECIPE_CONVERGE,
	.absent = gone,
};

/* A request of one time ends with its instance. No listing tells which it is, and a record that was rebuilt neither. */
static bool ends_by_itself(const struct work *work)
{
	const struct value *market = value_get_named(&work->task.object->resolved, "market");

	return market && value_is(market, VALUE_MAP) &&
	       !slice_is(value_slice(value_get_named(market, "spot_type")), "persistent");
}

enum step aws_end_spot_request(struct work *work, const struct answer *answer)
{
	struct aws_parameters parameters = {.count = 0};

	if (answer)
		return aws_is_done(&cancel, answer) ? STEP_DONE
						    : aws_change_refused(work, answer, "cancel the spot request of");
	if (aws_change_of(work)->sent_any || ends_by_itself(work) ||
	    !value_if_set(value_get_named(&work->now.outputs, SPOT_REQUEST)))
		return STEP_DONE;
	aws_call_begin(work, &cancel, &parameters);
	aws_choose(work, &cancel, &parameters);
	return aws_send(work, STAGE_CHANGED);
}

/* https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-requests.html; StopInstances answers UnsupportedOperation.
 */
const char *aws_spot_never_stops(const struct value *market)
{
	if (!value_is(market, VALUE_MAP) || !slice_is(value_slice(value_get_named(market, "type")), "spot") ||
	    slice_is(value_slice(value_get_named(market, "spot_type")), "persistent"))
		return NULL;
	return "it is the spot instance of a one-time request";
}
