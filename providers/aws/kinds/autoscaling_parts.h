#ifndef TRUEUP_PROVIDERS_AWS_KINDS_AUTOSCALING_PARTS_H
#define TRUEUP_PROVIDERS_AWS_KINDS_AUTOSCALING_PARTS_H

#include "providers/aws/kind.h"

/* What belongs to an Auto Scaling group and has calls of its own. */
extern const struct aws_part aws_group_tags, aws_group_hooks, aws_group_targets, aws_group_suspended, aws_group_metrics;
extern const struct aws_field aws_group_tag, aws_group_hook, aws_group_process, aws_group_metric, aws_arn;
extern const struct aws_detail aws_group_hook_detail;
/* Codes of a group that is not there. */
extern const char *const aws_group_absent[];
/* Codes that pass: another change of the group is under way. */
extern const char *const aws_group_busy[];

struct value aws_decode_group_tags(const struct aws_field *field, const struct value *item, struct arena *arena);
struct value aws_own_group_tags(const struct work *work, const struct value *tags, struct arena *arena);
void aws_complete_group(struct work *work, struct aws_parameters *parameters);

#endif
