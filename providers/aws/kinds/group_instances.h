#ifndef TRUEUP_PROVIDERS_AWS_KINDS_GROUP_INSTANCES_H
#define TRUEUP_PROVIDERS_AWS_KINDS_GROUP_INSTANCES_H

#include "providers/aws/kind.h"

/* The instances of an Auto Scaling group. */
extern const struct runs aws_group_runs;
/* aws_kind.running. */
struct value aws_group_running(const struct value *item, struct arena *arena);
/* Whether instances of a group that may hold nothing are on their way out, or will be. */
bool aws_group_shrinks(const struct value *item);

#endif
