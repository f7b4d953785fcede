#ifndef TRUEUP_PROVIDERS_AWS_KINDS_SECURITY_RULE_H
#define TRUEUP_PROVIDERS_AWS_KINDS_SECURITY_RULE_H

#include "reconcile/kind.h"

/*
 * What protocols and ports of a rule mean, after
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpPermission.html
 */

/* Whether protocol and ports go together; the rule's members are canonical, deferred ones possible. */
bool aws_check_rule(const struct field *field, const struct value *rule, struct diagnostics *diagnostics);
/* The protocol by its name where it has one; ports where the protocol has them, and there both. */
struct value aws_rule_form(const struct value *rule, struct arena *arena);

#endif
