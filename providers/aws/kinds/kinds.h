#ifndef TRUEUP_PROVIDERS_AWS_KINDS_KINDS_H
#define TRUEUP_PROVIDERS_AWS_KINDS_KINDS_H

#include "providers/aws/kind.h"

/* Every kind of the provider: one file, and one line here. In order of name. */
/* clang-format off */
#define AWS_KINDS(row) \
	row(aws_autoscaling_group) \
	row(aws_customer_gateway) \
	row(aws_instance) \
	row(aws_internet_gateway) \
	row(aws_key_pair) \
	row(aws_launch_template) \
	row(aws_route_table) \
	row(aws_security_group) \
	row(aws_subnet) \
	row(aws_vpc) \
	row(aws_vpn_connection) \
	row(aws_vpn_gateway)
/* clang-format on */

#define KIND_DECLARATION(name) extern const struct aws_kind name;
AWS_KINDS(KIND_DECLARATION)
#undef KIND_DECLARATION

#endif
