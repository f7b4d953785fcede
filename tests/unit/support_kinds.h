#ifndef TRUEUP_TESTS_UNIT_SUPPORT_KINDS_H
#define TRUEUP_TESTS_UNIT_SUPPORT_KINDS_H

#include "reconcile/kind.h"

/*
 * Kinds for the tests of schema and loader: between them they have a field of every type,
 * parts that settle, and outputs that share the name of a field.
 *
 *   net.vpc       cidr (required, immutable), cidr6, ranges, dns, tags; outputs id, arn, cidr, version
 *   net.subnet    vpc (required, immutable), cidr, zone, size, weight, tags; output id
 *   net.group     vpc, about, rules (a part that settles; each names a group or a range)
 *   net.gateway   vpc, subnets, options, policy, password, address, owner (a vpc's arn)
 *   box.machine   address (required)
 */
extern const struct kind support_vpc;
extern const struct kind support_subnet;
extern const struct kind support_group;
extern const struct kind support_gateway;
extern const struct kind support_machine;

extern const struct kinds support_kinds;

#endif
