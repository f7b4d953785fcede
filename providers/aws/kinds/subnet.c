#include "base/cidr.h"
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

/* One attribute a call, each wrapped in a structure of its own. */
static const struct aws_call modify = {
	.operation = "ModifySubnetAttribute",
	.id = "SubnetId",
	.recipe = RECIPE_CONVERGE,
	.one_field = true,
};

static const char *const hostname_types[] = {"ip-name", "resource-name", NULL};

#define ATTRIBUTE(text, wire, description)                                                                             \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = FIELD_BOOL,                                                                          \
			  .when_unset = UNSET_CONSTANT,                                                                \
			  .unset_value = "false",                                                                      \
			  .about = (description)},                                                                     \
		.read = (wire), .update = &modify, .change = wire ".Value"                                             \
	}

static const struct aws_field fields[] = {
	{.field = {.name = "vpc",
		   .type = FIELD_REFERENCE,
		   .target = "aws.vpc",
		   .flags = REQUIRED | IMMUTABLE,
		   .about = "the VPC it lies in"},
	 .member = "VpcId"},
	{.field = {.name = "cidr",
		   .type = FIELD_CIDR4,
		   .flags = REQUIRED | IMMUTABLE,
		   .check = check_range,
		   .range = RANGE_WITHIN,
		   .range_parent = "vpc",
		   .about = "IPv4 range within the VPC's"},
	 .member = "CidrBlock"},
	{.field = {.name = "zone",
		   .type = FIELD_STRING,
		   .flags = IMMUTABLE | REGIONAL,
		   .when_unset = UNSET_RELEASE,
		   .pattern = "[a-z]{2}[a-z0-9-]*-[0-9][a-z0-9-]*",
		   .about = "availability zone"},
	 .member = "AvailabilityZone"},
	ATTRIBUTE("public", "MapPublicIpOnLaunch", "whether instances get a public address at launch"),
	ATTRIBUTE("dns64", "EnableDns64", "whether the resolver makes up IPv6 addresses for IPv4 names"),
	{.field = {.name = "hostname_type",
		   .type = FIELD_STRING,
		   .choices = hostname_types,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "\"ip-name\"",
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
	AWS_TAGS_FIELD,
};

static const struct aws_output outputs[] = {
	{.output = {.name = "id", .pattern = "subnet-[0-9a-f]{8,17}", .about = "id of the subnet"}, .read = "SubnetId"},
	{.output = {.name = "arn", .about = "Amazon resource name"}, .read = "SubnetArn"},
	{.output = {.name = "zone_id", .about = "id of its zone, the same in every account"},
	 .read = "AvailabilityZoneId"},
};

static const char *const pending[] = {"pending", NULL};
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
	{"CreateSubnet", "Ipv6CidrBlock", "IPv6 ranges of subnets are not managed yet"},
	{"CreateSubnet", "Ipv6Native", "IPv6 ranges of subnets are not managed yet"},
	{"CreateSubnet", "OutpostArn", "Outposts are not managed"},
	{"CreateSubnet", "Ipv4IpamPoolId", "ranges come from the address plan, not from Amazon's IPAM"},
	{"CreateSubnet", "Ipv4NetmaskLength", "ranges come from the address plan, not from Amazon's IPAM"},
	{"CreateSubnet", "Ipv6IpamPoolId", "ranges come from the address plan, not from Amazon's IPAM"},
	{"CreateSubnet", "Ipv6NetmaskLength", "ranges come from the address plan, not from Amazon's IPAM"},
	{"ModifySubnetAttribute", "AssignIpv6AddressOnCreation", "IPv6 ranges of subnets are not managed yet"},
	{"ModifySubnetAttribute", "EnableResourceNameDnsAAAARecordOnLaunch",
	 "IPv6 ranges of subnets are not managed yet"},
	{"ModifySubnetAttribute", "MapCustomerOwnedIpOnLaunch", "Outposts are not managed"},
	{"ModifySubnetAttribute", "CustomerOwnedIpv4Pool", "Outposts are not managed"},
	{"ModifySubnetAttribute", "EnableLniAtDeviceIndex", "Outposts are not managed"},
	{"ModifySubnetAttribute", "DisableLniAtDeviceIndex", "Outposts are not managed"},
	{"AssociateSubnetCidrBlock", NULL, "IPv6 ranges of subnets are not managed yet"},
};

const struct aws_kind aws_subnet = {
	.kind = {.name = "aws.subnet",
		 .about = "a range of a VPC in one zone",
		 .version = 1,
		 .fields = FIELDS(fields),
		 .outputs = FIELDS(outputs)},
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
	.list = {.operation = "DescribeSubnets", .items = "Subnets", .page = 1000, .filter = "subnet-id"},
	.states = {.member = "State", .pending = pending},
	.tags_member = "Tags",
	.omitted = omitted,
	.omitted_count = sizeof(omitted) / sizeof(omitted[0]),
};
