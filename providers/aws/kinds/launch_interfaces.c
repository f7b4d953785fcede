#include "providers/aws/kinds/launch_interfaces.h"

#include "base/cidr.h"

const char *const aws_interface_types[] = {"interface", "efa", "efa-only", NULL};

/* "The IPv4 prefix that you can specify is /28. The IPv6 prefix that you can specify is /80."
 * (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-prefix-eni.html) */
bool aws_check_prefix(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	enum { BITS_4 = 28, BITS_6 = 80 };
	uint8_t bits = field->type == FIELD_CIDR4 ? BITS_4 : BITS_6;
	struct cidr prefix;

	if (!cidr_read(value_slice(value), &prefix) || prefix.bits == bits)
		return true;
	diag_error(diagnostics, FAULT_USER, value->position, "'%s' has a /%u, but AWS takes a /%u", field->name,
		   prefix.bits, bits);
	return false;
}

const struct aws_field aws_interface_address6 = {
	.field = {.name = "addresses6",
		  .type = FIELD_ADDRESS,
		  .range_parent = "subnet",
		  .taken_of = "subnet.ipv6_cidr"},
	.member = "Ipv6Address",
};
