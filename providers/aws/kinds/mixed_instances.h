#ifndef TRUEUP_PROVIDERS_AWS_KINDS_MIXED_INSTANCES_H
#define TRUEUP_PROVIDERS_AWS_KINDS_MIXED_INSTANCES_H

#include "providers/aws/kind.h"

/* A group's instances of several types, on demand and spot
 * (https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_MixedInstancesPolicy.html). */
enum { AWS_MIXED_FIELDS = 9 };
extern const struct aws_field aws_mixed_fields[AWS_MIXED_FIELDS];

/* policy: the value of such a field, or NULL. */
bool aws_check_mixed(const struct value *policy, struct diagnostics *diagnostics);

#endif
