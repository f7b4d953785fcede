#ifndef TRUEUP_PROVIDERS_AWS_KINDS_INSTANCE_DEVICES_H
#define TRUEUP_PROVIDERS_AWS_KINDS_INSTANCE_DEVICES_H

#include "providers/aws/kind.h"

/* The volumes that an instance starts with, and what of them changes later. */

/* The item of the field 'block_devices'. */
extern const struct aws_field aws_instance_device;
extern const struct aws_each aws_instance_devices;
/* What people can do where one of them is detached: no call of ours attaches a volume that has a life of its own. */
extern const char aws_device_brought_back[];

/* All volumes that are attached, by what is SEEN of them: those of the image and those that came later too. */
struct value aws_decode_devices(const struct aws_field *field, const struct value *item, struct arena *arena);

#endif
