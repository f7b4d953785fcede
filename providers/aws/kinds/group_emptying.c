#include "providers/aws/kinds/group_emptying.h"

#include "providers/aws/kinds/autoscaling_parts.h"
#include "providers/aws/kinds/group_instances.h"
#include "providers/aws/parameters.h"

static bool is_zero(const struct value *number)
{
	return number && value_is(number, VALUE_INTEGER) && number->integer == 0;
}

enum readiness aws_group_readiness(const struct value *item, enum readiness by_state)
{
	return is_zero(value_get_named(item, "MaxSize")) && aws_group_shrinks(item) ? READY_PENDING : by_state;
}

static const char *const nothing[] = {"MinSize", "0", "MaxSize", "0", "DesiredCapacity", "0", NULL};
static const char *const unfit_codes[] = {"ValidationError.LaunchTemplateNotFound", "ValidationError.InvalidAMIID",
					  NULL};
static const char *const unfit_hints[] = {
	"ValidationError.LaunchTemplateNotFound",
	"put back what its launch template names, or give it another one; or delete it by force (--force)",
	"ValidationError.InvalidAMIID",
	"give it a launch template with an image that is there; or delete it by force (--force)", NULL};
static const struct aws_call empty = {
	.operation = "UpdateAutoScalingGroup",
	.id = "AutoScalingGroupName",
	.fixed = nothing,
	.recipe = RECIPE_CONVERGE,
	.absent = aws_group_absent,
	.settling = aws_group_busy,
	.hints = unfit_hints,
};

/* It would be emptied, and then stay: its deletion is refused, while its sizes may be set all the same
 * (https://docs.aws.amazon.com/autoscaling/ec2/userguide/resource-deletion-protection.html). */
static bool is_protected(const struct work *work)
{
	return slice_is(value_slice(value_get_named(&work->now.fields, "deletion_protection")), "prevent-all-deletion");
}

enum step aws_group_empty(struct work *work, const struct answer *answer)
{
	struct aws_parameters parameters = {.count = 0};
	struct aws_change *change = aws_change_of(work);
	const char *hint = NULL;
	if (answer) {
		change->looks = 0;
		if (answer->ok)
			return aws_read_again(work, 0);
		/* The service looks at its template too, which may be gone before it: what holds nothing goes without.
		 */
		bool unfit = slice_is_one_of(answer->code, unfit_codes) && work->now.running.count == 0;
		return unfit || slice_is_one_of(answer->code, empty.absent) ? STEP_DONE
									    : aws_change_refused(work, answer, "empty");
	}
	if (is_protected(work))
		return aws_fail(work, FAULT_CONFLICT, "is protected from deletion, and was left as it is",
				"set 'deletion_protection: none' and apply, then delete it");
	/* What was read for the plan does not tell of its instances. */
	if (!value_is(&work->now.running, VALUE_LIST))
		return aws_read_again(work, 0);
	const char *full = aws_group_runs.stay(&work->now.fields, &work->now.running, &hint);
	if (full)
		return aws_fail(work, FAULT_CONFLICT, full, hint);
	if (work->now.readiness == READY_PENDING)
		return aws_read_again(work, aws_poll_ms(work));
	if (is_zero(value_get_named(&work->now.fields, "max")))
		return STEP_DONE;
	/* A listing may lag behind what was sent. */
	if (change->sent_any && aws_count_look(work))
		return aws_look_later(work);
	if (change->sent_any && !aws_count_round(work))
		return aws_fail(work, FAULT_CONFLICT, "is given its size back each time that it is emptied",
				"see who or what scales it (a scheduled action?), then delete it; or delete it by "
				"force (--force)");
	aws_call_begin(work, &empty, &parameters);
	aws_choose(work, &empty, &parameters);
	return aws_send(work, STAGE_CHANGED);
}
