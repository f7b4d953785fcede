#ifndef TRUEUP_PROVIDERS_AWS_KINDS_HOLDING_INSTANCES_H
#define TRUEUP_PROVIDERS_AWS_KINDS_HOLDING_INSTANCES_H

#include "providers/aws/kind.h"

/* The instances of which an interface has a group, or lies in a subnet, whoever has put it there. */
extern const struct aws_holders aws_group_holders;
extern const struct aws_holders aws_subnet_holders;

#endif
