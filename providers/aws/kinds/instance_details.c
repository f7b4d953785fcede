#include "providers/aws/kinds/instance_details.h"

/*
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceAttribute.html
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceCreditSpecifications.html
 */

static const char *const user_data[] = {"Attribute", "userData", NULL};
static const char *const termination[] = {"Attribute", "disableApiTermination", NULL};
static const char *const stop[] = {"Attribute", "disableApiStop", NULL};
static const char *const shutdown[] = {"Attribute", "instanceInitiatedShutdownBehavior", NULL};

#define ATTRIBUTE(name, always)                                                                                        \
	{                                                                                                              \
		.operation = "DescribeInstanceAttribute", .id = "InstanceId", .fixed = (name),                         \
		.is_always_set = (always)                                                                              \
	}
const struct aws_detail aws_instance_user_data = ATTRIBUTE(user_data, false);
const struct aws_detail aws_instance_termination = ATTRIBUTE(termination, true);
const struct aws_detail aws_instance_stop = ATTRIBUTE(stop, true);
const struct aws_detail aws_instance_shutdown = ATTRIBUTE(shutdown, true);
const struct aws_detail aws_instance_credits = {.operation = "DescribeInstanceCreditSpecifications",
						.id = "InstanceIds.0",
						.list = "InstanceCreditSpecifications"};

static struct value decode_state(const struct value *item, const char *path, const char *on, const char *coming)
{
	struct slice state = value_slice(value_path(item, path));
	return state.size > 0 ? value_bool(slice_is(state, on) || slice_is(state, coming)) : value_null();
}

struct value aws_decode_running(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	(void)arena;
	return decode_state(item, field->read, "running", "pending");
}

struct value aws_decode_monitoring(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	(void)arena;
	return decode_state(item, field->read, "enabled", "pending");
}
