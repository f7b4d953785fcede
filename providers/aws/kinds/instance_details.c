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
