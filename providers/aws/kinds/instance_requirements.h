#ifndef TRUEUP_PROVIDERS_AWS_KINDS_INSTANCE_REQUIREMENTS_H
#define TRUEUP_PROVIDERS_AWS_KINDS_INSTANCE_REQUIREMENTS_H

#include "providers/aws/kind.h"

/*
 * What an instance type must offer, where the API chooses one
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceRequirementsRequest.html).
 * Auto Scaling has all of them but the last.
 */
enum { AWS_REQUIREMENT_FIELDS = 35 };
extern const struct aws_field aws_requirement_fields[AWS_REQUIREMENT_FIELDS];
/* Rules across them; requirements NULL: none are given. */
bool aws_check_requirements(const struct value *requirements, struct diagnostics *diagnostics);

#endif
