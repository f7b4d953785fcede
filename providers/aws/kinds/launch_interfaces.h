#ifndef TRUEUP_PROVIDERS_AWS_KINDS_LAUNCH_INTERFACES_H
#define TRUEUP_PROVIDERS_AWS_KINDS_LAUNCH_INTERFACES_H

#include "providers/aws/kinds/launch_fields.h"

/* Network interfaces as a launch template and an instance describe them. */

extern const char *const aws_interface_types[];
field_check aws_check_prefix;
/* Items of sets. */
extern const struct aws_field aws_interface_address6;

#define INTERFACE_SET(text, path, of_item, more_flags, unset, description)                                             \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = FIELD_SET,                                                                           \
			  .item = &(of_item).field,                                                                    \
			  .flags = (more_flags),                                                                       \
			  .when_unset = (unset),                                                                       \
			  .about = (description)},                                                                     \
		.member = (path)                                                                                       \
	}

/* So many of the range of its subnet, beside those that the field `of` names. */
#define INTERFACE_NUMBER(text, path, range, of, unset, description)                                                    \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = FIELD_INTEGER,                                                                       \
			  .taken_of = (range),                                                                         \
			  .number_of = (of),                                                                           \
			  .least = 0,                                                                                  \
			  .most = 256,                                                                                 \
			  .when_unset = (unset),                                                                       \
			  .about = (description)},                                                                     \
		.member = (path)                                                                                       \
	}

#define PRIVATE_ADDRESS_FIELDS(held, unset)                                                                            \
	{.field = {.name = "address",                                                                                  \
		   .type = FIELD_ADDRESS,                                                                              \
		   .flags = REQUIRED | KEY | (held),                                                                   \
		   .range_parent = "subnet",                                                                           \
		   .taken_of = "subnet.cidr",                                                                          \
		   .unique_in = "subnet",                                                                              \
		   .about = "the address"},                                                                            \
	 .member = "PrivateIpAddress"},                                                                                \
		LAUNCH_FIELD("primary", FIELD_BOOL, "Primary", unset, "whether it is the first")

/* A prefix, the item of a set, which has no name but the set's; held: as below, of its range. */
#define INTERFACE_PREFIX(family, held)                                                                                 \
	{                                                                                                              \
		.field = {.name = (family) == 4 ? "prefixes" : "prefixes6",                                            \
			  .type = (family) == 4 ? FIELD_CIDR4 : FIELD_CIDR6,                                           \
			  .flags = (held),                                                                             \
			  .check = aws_check_prefix,                                                                   \
			  .range_parent = "subnet",                                                                    \
			  .taken_of = (family) == 4 ? "subnet.cidr" : "subnet.ipv6_cidr",                              \
			  .unique_in = "subnet"},                                                                      \
		.member = (family) == 4 ? "Ipv4Prefix" : "Ipv6Prefix"                                                  \
	}

/* Each of them has groups of the VPC that its own subnet lies in, which may be another one than that of the others
 * (https://aws.amazon.com/about-aws/whats-new/2023/10/multi-vpc-eni-attachments/).
 * held: IMMUTABLE | SOLE where the thing itself has the addresses; pins: PINS where it lies in the subnet itself; seen:
 * SEEN where an interface is read and changed by itself.
 * group: the item of its groups; private_address: that of PRIVATE_ADDRESS_FIELDS. */
#define INTERFACE_FIELDS(held, pins, seen, unset, group, private_address, address6, prefix4, prefix6)                  \
	{.field = {.name = "device_index",                                                                             \
		   .type = FIELD_INTEGER,                                                                              \
		   .flags = REQUIRED | KEY,                                                                            \
		   .least = 0,                                                                                         \
		   .most = 64,                                                                                         \
		   .about = "0 is the first interface of a card"},                                                     \
	 .member = "DeviceIndex"},                                                                                     \
		{.field = {.name = "network_card",                                                                     \
			   .type = FIELD_INTEGER,                                                                      \
			   .flags = KEY,                                                                               \
			   .when_unset = UNSET_CONSTANT,                                                               \
			   .unset_value = "0",                                                                         \
			   .least = 0,                                                                                 \
			   .most = 64,                                                                                 \
			   .about = "network card it is attached to"},                                                 \
		 .member = "NetworkCardIndex"},                                                                        \
		LAUNCH_CHOICE("type", "InterfaceType", aws_interface_types, unset, "interface, efa or efa-only"),      \
		LAUNCH_FIELD("interface", FIELD_STRING, "NetworkInterfaceId", unset,                                   \
			     "an existing interface, by its id"),                                                      \
		{.field = {.name = "subnet",                                                                           \
			   .type = FIELD_REFERENCE,                                                                    \
			   .target = "aws.subnet",                                                                     \
			   .beside = "vpc",                                                                            \
			   .alike = "zone",                                                                            \
			   .flags = (pins),                                                                            \
			   .when_unset = (unset),                                                                      \
			   .about = "the subnet it lies in"},                                                          \
		 .member = "SubnetId"},                                                                                \
		INTERFACE_SET("security_groups", "Groups", group, seen, unset, "groups it belongs to"),                \
		{.field = {.name = "description",                                                                      \
			   .type = FIELD_STRING,                                                                       \
			   .flags = (seen),                                                                            \
			   .when_unset = (unset),                                                                      \
			   .about = "what it is for"},                                                                 \
		 .member = "Description",                                                                              \
		 .change = "Description.Value"},                                                                       \
		LAUNCH_FIELD("delete_on_termination", FIELD_BOOL, "DeleteOnTermination", unset,                        \
			     "whether it goes with the instance"),                                                     \
		LAUNCH_FIELD("public_address", FIELD_BOOL, "AssociatePublicIpAddress", unset,                          \
			     "whether it gets a public IPv4 address"),                                                 \
		LAUNCH_FIELD("carrier_address", FIELD_BOOL, "AssociateCarrierIpAddress", unset,                        \
			     "whether it gets an address of the carrier"),                                             \
		{.field = {.name = "address",                                                                          \
			   .type = FIELD_ADDRESS,                                                                      \
			   .flags = (held),                                                                            \
			   .range_parent = "subnet",                                                                   \
			   .taken_of = "subnet.cidr",                                                                  \
			   .first_of = "addresses.primary",                                                            \
			   .unique_in = "subnet",                                                                      \
			   .when_unset = (unset),                                                                      \
			   .about = "first IPv4 address"},                                                             \
		 .member = "PrivateIpAddress"},                                                                        \
		INTERFACE_SET("addresses", "PrivateIpAddresses", private_address, 0, unset, "IPv4 addresses"),         \
		INTERFACE_NUMBER("secondary_addresses", "SecondaryPrivateIpAddressCount", "subnet.cidr", "address",    \
				 unset, "number of further IPv4 addresses"),                                           \
		INTERFACE_SET("addresses6", "Ipv6Addresses", address6, 0, unset, "IPv6 addresses"),                    \
		INTERFACE_NUMBER("address6_count", "Ipv6AddressCount", "subnet.ipv6_cidr", "addresses6", unset,        \
				 "number of IPv6 addresses"),                                                          \
		{.field = {.name = "primary_ipv6",                                                                     \
			   .type = FIELD_BOOL,                                                                         \
			   .flags = (seen) ? IMMUTABLE : 0,                                                            \
			   .read_where_shown = (seen) != 0,                                                            \
			   .in_place_to = (seen) ? "true" : NULL,                                                      \
			   .when_unset = (unset),                                                                      \
			   .about = "whether the first IPv6 address stays with it"},                                   \
		 .member = "PrimaryIpv6",                                                                              \
		 .change = (seen) ? "EnablePrimaryIpv6" : NULL},                                                       \
		INTERFACE_SET("prefixes", "Ipv4Prefixes", prefix4, 0, unset, "IPv4 prefixes"),                         \
		INTERFACE_NUMBER("prefix_count", "Ipv4PrefixCount", "subnet.cidr", "prefixes", unset,                  \
				 "number of IPv4 prefixes"),                                                           \
		INTERFACE_SET("prefixes6", "Ipv6Prefixes", prefix6, 0, unset, "IPv6 prefixes"),                        \
		INTERFACE_NUMBER("prefix6_count", "Ipv6PrefixCount", "subnet.ipv6_cidr", "prefixes6", unset,           \
				 "number of IPv6 prefixes"),                                                           \
		LAUNCH_FIELD("ena_express", FIELD_BOOL, "EnaSrdSpecification.EnaSrdEnabled", unset,                    \
			     "whether ENA Express is on"),                                                             \
		LAUNCH_FIELD("ena_express_udp", FIELD_BOOL,                                                            \
			     "EnaSrdSpecification.EnaSrdUdpSpecification.EnaSrdUdpEnabled", unset,                     \
			     "whether UDP uses it too"),                                                               \
		LAUNCH_NUMBER("ena_queues", "EnaQueueCount", 1, 256, unset, "number of queues"),                       \
		LAUNCH_NUMBER("tcp_timeout_s", "ConnectionTrackingSpecification.TcpEstablishedTimeout", 60, 432000,    \
			      unset, "until an idle TCP connection is forgotten"),                                     \
		LAUNCH_NUMBER("udp_timeout_s", "ConnectionTrackingSpecification.UdpTimeout", 30, 60, unset,            \
			      "until a one-way UDP flow is forgotten"),                                                \
		LAUNCH_NUMBER("udp_stream_timeout_s", "ConnectionTrackingSpecification.UdpStreamTimeout", 60, 180,     \
			      unset, "until a two-way UDP flow is forgotten")

#endif
