#ifndef TRUEUP_PROVIDERS_AWS_KINDS_INSTANCE_SPOT_H
#define TRUEUP_PROVIDERS_AWS_KINDS_INSTANCE_SPOT_H

#include "providers/aws/kind.h"

/* aws_kind.before_delete of an instance: its spot request would launch another in its place. */
enum step aws_end_spot_request(struct work *work, const struct answer *answer);

/* kind.unstoppable of an instance: of a spot instance, unless its request is persistent. */
const char *aws_spot_never_stops(const struct value *market);

#endif
