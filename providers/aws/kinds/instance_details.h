#ifndef TRUEUP_PROVIDERS_AWS_KINDS_INSTANCE_DETAILS_H
#define TRUEUP_PROVIDERS_AWS_KINDS_INSTANCE_DETAILS_H

#include "providers/aws/kind.h"

/* What no listing tells of an instance: each takes a call of its own. */
extern const struct aws_detail aws_instance_user_data;
extern const struct aws_detail aws_instance_termination;
extern const struct aws_detail aws_instance_stop;
extern const struct aws_detail aws_instance_shutdown;
extern const struct aws_detail aws_instance_credits;

/* As struct aws_field's decode has it: what a listing tells by the names of states. */
struct value aws_decode_running(const struct aws_field *field, const struct value *item, struct arena *arena);
struct value aws_decode_monitoring(const struct aws_field *field, const struct value *item, struct arena *arena);

#endif
