#include "base/cidr.h"
#include "providers/aws/kinds/field_rules.h"
#include "providers/aws/kinds/holding_instances.h"
#include "providers/aws/kinds/ipv6_range.h"
#include "providers/aws/kinds/kinds.h"

/* https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSubnet.html */

static bool check_range(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	struct cidr range;
	if (!cidr_read(value_slice(value), &range) || (range.bits >= 16 && range.bits <= 28))
		return true;
	diag_error(diagnostics, FAULT_USER, value->position, "'%s' is a /%u, but AWS takes a /16 to a /28", field->name,
		   range.bits);
	return false;
}

/* A /44 to a /64 in steps of 4 (https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html). */
static bool check_range6(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	struct cidr range;
	if (!cidr_read(value_slice(value), &range) || (range.bits >= 44 && range.bits <= 64 && range.bits % 4 == 0))
		return true;
	diag_error(diagnostics, FAULT_USER, value->position,
		   "'%s' is a /%u, but AWS takes a /44, /48, /52, /56, /60 or /64", field->name, range.bits);
	return false;
}

static bool refuse(const struct value *value, const char *message, const char *hint, struct diagnostics *diagnostics)
{
	diag_error(diagnostics, FAULT_USER, value->position, "%s", message);
	diag_hint(diagnostics, "%s", hint);
	return false;
}

static const char *const ip_name[] = {"ip-name", NULL};

/* What needs IPv4. "For IPv6 only subnets, an instance DNS name must be based on the instance ID (resource-name)."
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifySubnetAttribute.html) */
static const struct field_rule alone[] = {
	{{{"hostname_type", ip_name, false}, {"ipv6_native", aws_true, false}},
	 "in a subnet of IPv6 alone no host name can come from an IPv4 address",
	 "take 'resource-name'"},
	{{{"resource_name_dns_a", aws_true, false}, {"ipv6_native", aws_true, false}},
	 "in a subnet of IPv6 alone no name resolves to an IPv4 address",
	 "leave it out: 'resource_name_dns_aaaa' is for IPv6"},
	{{{"public", aws_true, false}, {"ipv6_native", aws_true, false}},
	 "in a subnet of IPv6 alone no instance gets a public IPv4 address",
	 "leave it out"},
};

/* https://docs.aws.amazon.com/vpc/latest/userguide/create-subnets.html: subnets of IPv6 alone */
static bool check_alone(const struct value *native, const struct value *desired, struct diagnostics *diagnostics)
{
	const struct value *cidr = value_get_named(desired, "cidr");
	if (cidr)
		return refuse(cidr, "a subnet of IPv6 alone has no 'cidr'", "leave out 'cidr' or 'ipv6_native'",
			      diagnostics);
	if (!value_get_named(desired, "ipv6_cidr"))
		return refuse(native, "a subnet of IPv6 alone needs the field 'ipv6_cidr'",
			      "add 'ipv6_cidr': its IPv6 range within the VPC's", diagnostics);
	return aws_check_rules(alone, sizeof(alone) / sizeof(alone[0]), desired, diagnostics);
}

/* ModifySubnetAttribute refuses, with InvalidParameterValue, what rests on a range that the subnet has not. */
static bool check_rests(const struct kind *kind, const struct value *desired, struct diagnostics *diagnostics)
{
	bool good = true;
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct aws_field *field = aws_field_at(&kind->fields, i);
		const struct value *value = value_get_named(desired, field->field.name);
		if (!field->rests_on || !value_is_true(value) || value_get_named(desired, field->rests_on))
			continue;
		diag_error(diagnostics, FAULT_USER, value->position, "'%s' needs the field '%s'", field->field.name,
			   field->rests_on);
		diag_hint(diagnostics, "add '%s', or leave out '%s'", field->rests_on, field->field.name);
		good = false;
	}
	return good;
}

static bool check(const struct kind *kind, const struct value *desired, struct diagnostics *diagnostics)
{
	const struct value *native = value_get_named(desired, "ipv6_native");
	if (value_is_true(native))
		return check_alone(native, desired, diagnostics);
	if (!value_get_named(desired, "cidr") && (!native || value_is(native, VALUE_BOOL)))
		return refuse(
			desired, "a subnet needs the field 'cidr'",
			"add 'cidr': its IPv4 range within the VPC's; a subnet of IPv6 alone says 'ipv6_native: true'",
			diagnostics);
	return check_rests(kind, desired, diagnostics);
}

static struct value decode_range6(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	(void)field;
	return aws_ipv6_range(item, arena);
}

/* One attribute a call, each wrapped in a structure of its own. */
static const struct aws_call modify = {
	.operation = "ModifySubnetAttribute",
	.id = "SubnetId",
	.recipe = RECIPE_CONVERGE,
	.one_field = true,
};

static const struct aws_call associate = {
	.operation = "AssociateSubnetCidrBlock",
	.id = "SubnetId",
	.recipe = RECIPE_CONVERGE,
	.waits = true,
};

static const char *const range6_absent[] = {"InvalidSubnetCidrBlockAssociationID.NotFound", NULL};
static const char *const range6_used[] = {
	"InvalidCidrBlock.InUse",
	"addresses of the range are in use, or the subnet gives them to new interfaces: release them, set "
	"'assign_ipv6_on_creation: false' (where the spec ignores that field, switch it off by hand), and run again",
	NULL};
static const struct aws_call disassociate = {
	.operation = "DisassociateSubnetCidrBlock",
	.id = "AssociationId",
	.id_output = "ipv6_association",
	.recipe = RECIPE_CONVERGE,
	.absent = range6_absent,
	.waits = true,
	.hints = range6_used,
};

static const char *const hostname_types[] = {"ip-name", "resource-name", NULL};

#define ATTRIBUTE(text, wire, rest, kept, description)                                                                 \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = FIELD_BOOL,                                                                          \
			  .when_unset = UNSET_CONSTANT,                                                                \
			  .unset_value = "false",                                                                      \
			  .kept_where = (kept),                                                                        \
			  .about = (description)},                                                                     \
		.read = (wire), .update = &modify, .change = wire ".Value", .rests_on = (rest)                         \
	}

static const struct aws_field fields[] = {
	{.field = {.name = "vpc",
		   .type = FIELD_REFERENCE,
		   .target = "aws.vpc",
		   .flags = REQUIRED | IMMUTABLE | PINS,
		   .about = "the VPC it lies in"},
	 .member = "VpcId"},
	{.field = {.name = "cidr",
		   .type = FIELD_CIDR4,
		   .flags = IMMUTABLE | KEEPS_ENDS,
		   .when_unset = UNSET_REPLACE,
		   .check = check_range,
		   .range = RANGE_WITHIN,
		   .range_parent = "vpc",
		   .about = "IPv4 range within the VPC's; only a subnet of IPv6 alone has none"},
	 .member = "CidrBlock"},
	{.field = {.name = "ipv6_cidr",
		   .type = FIELD_CIDR6,
		   .flags = EXCHANGED | KEEPS_ENDS,
		   .when_unset = UNSET_CLEAR,
		   .check = check_range6,
		   .range = RANGE_WITHIN,
		   .range_parent = "vpc",
		   .about = "IPv6 range within the VPC's, a /44 to a /64 in steps of 4; of a VPC with 'ipv6: true' the "
			    "first /64 is ${cidr_subnet(aws.vpc.NAME.ipv6_cidr, 8, 0)}"},
	 .member = "Ipv6CidrBlock",
	 .update = &associate,
	 .update_off = &disassociate,
	 .decode = decode_range6},
	{.field = {.name = "ipv6_native",
		   .type = FIELD_BOOL,
		   .flags = IMMUTABLE,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "false",
		   .about = "whether it is of IPv6 alone"},
	 .member = "Ipv6Native",
	 .missing = "false"},
	{.field = {.name = "zone",
		   .type = FIELD_STRING,
		   .flags = IMMUTABLE | REGIONAL,
		   .when_unset = UNSET_RELEASE,
		   .pattern = "[a-z]{2}[a-z0-9-]*-[0-9][a-z0-9-]*",
		   .in_words = "the name of a zone, such as eu-central-1a",
		   .about = "availability zone"},
	 .member = "AvailabilityZone"},
	ATTRIBUTE("public", "MapPublicIpOnLaunch", NULL, NULL, "whether instances get a public IPv4 address at launch"),
	/* In one of IPv6 alone an instance has no other address: there it is on from the start. */
	ATTRIBUTE("assign_ipv6_on_creation", "AssignIpv6AddressOnCreation", "ipv6_cidr", "ipv6_native",
		  "whether new network interfaces get an IPv6 address; needs ipv6_cidr"),
	ATTRIBUTE("dns64", "EnableDns64", "ipv6_cidr", NULL,
		  "whether the resolver makes up IPv6 addresses for IPv4 names; needs ipv6_cidr"),
	{.field = {.name = "hostname_type",
		   .type = FIELD_STRING,
		   .choices = hostname_types,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "\"ip-name\"",
		   .kept_where = "ipv6_native",
		   .about = "host names of instances"},
	 .read = "PrivateDnsNameOptionsOnLaunch.HostnameType",
	 .update = &modify,
	 .change = "PrivateDnsHostnameTypeOnLaunch"},
	{.field = {.name = "resource_name_dns_a",
		   .type = FIELD_BOOL,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "false",
		   .about = "whether resource names resolve to IPv4 addresses"},
	 .read = "PrivateDnsNameOptionsOnLaunch.EnableResourceNameDnsARecord",
	 .update = &modify,
	 .change = "EnableResourceNameDnsARecordOnLaunch.Value"},
	{.field = {.name = "resource_name_dns_aaaa",
		   .type = FIELD_BOOL,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "false",
		   .about = "whether resource names resolve to IPv6 addresses; needs ipv6_cidr"},
	 .read = "PrivateDnsNameOptionsOnLaunch.EnableResourceNameDnsAAAARecord",
	 .update = &modify,
	 .change = "EnableResourceNameDnsAAAARecordOnLaunch.Value",
	 .rests_on = "ipv6_cidr"},
	AWS_TAGS_FIELD,
};

static const char *const range6_fields[] = {"ipv6_cidr", NULL};
static const struct aws_output outputs[] = {
	{.output = {.name = "id", .pattern = "subnet-[0-9a-f]{8,17}", .about = "id of the subnet"}, .read = "SubnetId"},
	{.output = {.name = "arn", .about = "Amazon resource name"}, .read = "SubnetArn"},
	{.output = {.name = "zone_id", .about = "id of its zone, the same in every account"},
	 .read = "AvailabilityZoneId"},
	{.output = {.name = "ipv6_association",
		    .renewed_by = range6_fields,
		    .about = "id of the association of its IPv6 range"},
	 .decode = aws_ipv6_association_id},
};

static const char *const pending[] = {"pending", NULL};
/* The only kind here whose model (SubnetState) has words for what AWS could not make, or cannot serve any more. */
static const char *const failed[] = {"failed", "failed-insufficient-capacity", "unavailable", NULL};
static const char *const absent[] = {"InvalidSubnetID.NotFound", NULL};
static const char *const held[] = {"DependencyViolation", NULL};
/* A group's instances leave a zone that the group has left, but not a subnet of a zone where it stays. */
static const char *const occupied[] = {
	"DependencyViolation",
	"something still lies in it; instances of an Auto Scaling group that has moved to another subnet of the zone "
	"stay until they are replaced: replace them, and run again",
	NULL};
static const char *const young[] = {"InvalidVpcID.NotFound", NULL};

static const struct aws_omission omitted[] = {
	{"CreateSubnet", "AvailabilityZoneId", "the zone is given by its name"},
	{"CreateSubnet", "OutpostArn", "Outposts are not managed"},
	{"CreateSubnet", "Ipv4IpamPoolId", "ranges are written in the spec, not chosen by Amazon's IPAM"},
	{"CreateSubnet", "Ipv4NetmaskLength", "ranges are written in the spec, not chosen by Amazon's IPAM"},
	{"CreateSubnet", "Ipv6IpamPoolId", "ranges are written in the spec, not chosen by Amazon's IPAM"},
	{"CreateSubnet", "Ipv6NetmaskLength", "ranges are written in the spec, not chosen by Amazon's IPAM"},
	{"AssociateSubnetCidrBlock", "Ipv6IpamPoolId", "ranges are written in the spec, not chosen by Amazon's IPAM"},
	{"AssociateSubnetCidrBlock", "Ipv6NetmaskLength",
	 "ranges are written in the spec, not chosen by Amazon's IPAM"},
	{"ModifySubnetAttribute", "MapCustomerOwnedIpOnLaunch", "Outposts are not managed"},
	{"ModifySubnetAttribute", "CustomerOwnedIpv4Pool", "Outposts are not managed"},
	{"ModifySubnetAttribute", "EnableLniAtDeviceIndex", "Outposts are not managed"},
	{"ModifySubnetAttribute", "DisableLniAtDeviceIndex", "Outposts are not managed"},
	{"ReplaceNetworkAclAssociation", NULL, "network ACLs are not managed"},
	{"DisassociateTrunkInterface", NULL, "trunk interfaces are not managed"},
	{"DisassociateClientVpnTargetNetwork", NULL, "endpoints of the client VPN are not managed"},
};

const struct aws_kind aws_subnet = {
	.kind = {.name = "aws.subnet",
		 .about = "a range of a VPC in one zone",
		 .version = 1,
		 .fields = FIELDS(fields),
		 .outputs = FIELDS(outputs),
		 .check = check},
	.service = "ec2",
	.create = {.operation = "CreateSubnet",
		   .recipe = RECIPE_TAG,
		   .tagged = "subnet",
		   .result = "Subnet.SubnetId",
		   .settling = young},
	.delete = {.operation = "DeleteSubnet",
		   .id = "SubnetId",
		   .recipe = RECIPE_CONVERGE,
		   .absent = absent,
		   .settling = held,
		   .hints = occupied},
	.holders = &aws_subnet_holders,
	.list = {.operation = "DescribeSubnets", .items = "Subnets", .page = 1000, .filter = "subnet-id"},
	.states = {.member = "State", .pending = pending, .failed = failed},
	.tags_member = "Tags",
	.readiness = aws_ipv6_readiness,
	.omitted = omitted,
	.omitted_count = sizeof(omitted) / sizeof(omitted[0]),
};
