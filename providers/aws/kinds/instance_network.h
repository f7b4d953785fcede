#ifndef TRUEUP_PROVIDERS_AWS_KINDS_INSTANCE_NETWORK_H
#define TRUEUP_PROVIDERS_AWS_KINDS_INSTANCE_NETWORK_H

#include "providers/aws/parameters.h"

/* The network interfaces that an instance starts with, and what of them changes later. */

/* The path of what can be said of the first interface alone. */
#define INSTANCE_PUBLIC_ADDRESS "NetworkInterfaces.0.AssociatePublicIpAddress"

/* The item of the field 'interfaces'. */
extern const struct aws_field aws_instance_interface;

/* The item of the field 'addresses6'. */
extern const struct aws_field aws_instance_address6;
/* What changes of the first interface: an attribute, its IPv6 addresses and their number. */
extern const struct aws_call aws_modify_interface;
extern const struct aws_part aws_instance_addresses6;
extern const struct aws_amount aws_instance_address6_amount;

/* What changes of any of them: its groups and its description. */
extern const struct aws_each aws_instance_interfaces;
/* What people can do where one is detached: no call of ours attaches an interface that has a life of its own. */
extern const char aws_interface_brought_back[];
/* All that are attached, by what is SEEN of them and their ids. */
struct value aws_decode_interfaces(const struct aws_field *field, const struct value *item, struct arena *arena);

/* Refuses what RunInstances would of interfaces: as `check` of struct kind. */
bool aws_instance_network_check(const struct kind *kind, const struct value *desired, struct diagnostics *diagnostics);

/*
 * RunInstances takes subnet, groups and addresses beside the interfaces or within the first one, and refuses a
 * mixture: where something is said of an interface itself, the rest goes into the first one.
 */
void aws_instance_network(struct aws_parameters *parameters, struct arena *arena);

/* The id of the first interface of a listed instance: the listing is in no order. */
struct value aws_decode_first_interface(const struct value *item, struct arena *arena);

/* Whether it has a public address of its own; null where that does not show, as while it is stopped, or where an
 * elastic one takes its place. */
struct value aws_decode_public_ip(const struct aws_field *field, const struct value *item, struct arena *arena);

/* The IPv6 addresses of that interface, the one that stays with it first; null where it has none. */
struct value aws_decode_addresses6_output(const struct value *item, struct arena *arena);
/* The same as fields: which they are, and how many. */
struct value aws_decode_addresses6(const struct aws_field *field, const struct value *item, struct arena *arena);
struct value aws_decode_address6_count(const struct aws_field *field, const struct value *item, struct arena *arena);

/* Whether one of them stays with it; null where it has none. */
struct value aws_decode_primary_ipv6(const struct aws_field *field, const struct value *item, struct arena *arena);

/* What is said of the instance, and is its first interface's: groups, and the check of source and destination. */
struct value aws_decode_groups(const struct aws_field *field, const struct value *item, struct arena *arena);
struct value aws_decode_source_check(const struct aws_field *field, const struct value *item, struct arena *arena);

/* What its further interfaces lie in and belong to, whoever has attached them: as live.uses. Of the first one fields
 * tell that. */
struct value aws_instance_uses(const struct value *item, struct arena *arena);

#endif
