#ifndef TRUEUP_PROVIDERS_AWS_KINDS_LAUNCH_RULES_H
#define TRUEUP_PROVIDERS_AWS_KINDS_LAUNCH_RULES_H

#include "base/diag.h"
#include "base/value.h"

/* Refuses what EC2 would of an instance and of a launch template alike. desired: the fields of either. */
bool aws_check_launch(const struct value *desired, struct diagnostics *diagnostics);

#endif
