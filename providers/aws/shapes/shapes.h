#ifndef TRUEUP_PROVIDERS_AWS_SHAPES_SHAPES_H
#define TRUEUP_PROVIDERS_AWS_SHAPES_SHAPES_H

#include "providers/aws/shape.h"

/* One generated table a service: tools/generate-shapes.py. */
extern const struct aws_service_shape aws_autoscaling_service;
extern const struct aws_service_shape aws_ec2_service;
extern const struct aws_service_shape aws_sts_service;

#endif
