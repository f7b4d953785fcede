#ifndef TRUEUP_PROVIDERS_AWS_KINDS_INSTANCE_RULES_H
#define TRUEUP_PROVIDERS_AWS_KINDS_INSTANCE_RULES_H

#include "reconcile/kind.h"

/* Refuses what RunInstances would of fields that do not go together, those of its interfaces too: as `check` of struct
 * kind. */
bool aws_instance_check(const struct kind *kind, const struct value *desired, struct diagnostics *diagnostics);

#endif
