#ifndef TRUEUP_PROVIDERS_AWS_KINDS_INSTANCE_PROFILE_H
#define TRUEUP_PROVIDERS_AWS_KINDS_INSTANCE_PROFILE_H

#include "providers/aws/kind.h"

/* The IAM instance profile of an instance. */

extern const struct aws_call aws_profile_associate;
extern const struct aws_call aws_profile_replace;
extern const struct aws_call aws_profile_disassociate;

struct value aws_decode_profile(const struct aws_field *field, const struct value *item, struct arena *arena);

#endif
