#ifndef TRUEUP_PROVIDERS_AWS_KINDS_GROUP_EMPTYING_H
#define TRUEUP_PROVIDERS_AWS_KINDS_GROUP_EMPTYING_H

#include "providers/aws/work.h"

/* An Auto Scaling group is emptied before it is deleted. */

/* aws_kind.readiness: a group that may hold nothing and still does is being emptied. */
enum readiness aws_group_readiness(const struct value *item, enum readiness by_state);
/* aws_kind.before_delete. */
enum step aws_group_empty(struct work *work, const struct answer *answer);

#endif
