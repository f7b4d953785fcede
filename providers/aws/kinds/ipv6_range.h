#ifndef TRUEUP_PROVIDERS_AWS_KINDS_IPV6_RANGE_H
#define TRUEUP_PROVIDERS_AWS_KINDS_IPV6_RANGE_H

#include "providers/aws/kind.h"

/* The IPv6 ranges of VPCs and subnets, which their listings tell in one form. */

/* The association of the range that an item has from Amazon, or NULL. One that goes or is gone does not count. */
const struct value *aws_ipv6_association(const struct value *item);
/* That range, or null while there is none yet. */
struct value aws_ipv6_range(const struct value *item, struct arena *arena);
/* The id of its association. */
struct value aws_ipv6_association_id(const struct value *item, struct arena *arena);
/* Whether an association in the list `set` comes or goes; `state` is the path of its state. */
bool aws_ranges_move(const struct value *item, const char *set, const char *state);
/* Pending while an IPv6 range comes or goes. */
enum readiness aws_ipv6_readiness(const struct value *item, enum readiness by_state);

#endif
