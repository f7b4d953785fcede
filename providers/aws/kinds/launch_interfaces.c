#include "providers/aws/kinds/launch_interfaces.h"

const char *const aws_interface_types[] = {"interface", "efa", "efa-only", NULL};

const struct aws_field aws_interface_address6 = {
	.field = {.name = "addresses6",
		  .type = FIELD_ADDRESS,
		  .range_parent = "subnet",
		  .taken_of = "subnet.ipv6_cidr"},
	.member = "Ipv6Address",
};
