#include "base/cidr.h"
#include "providers/aws/kinds/ipv6_range.h"
#include "providers/aws/kinds/kinds.h"

/* https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpc.html */

/* A VPC's range is a /16 to a /28
 * (https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html). */
static bool check_range(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	struct cidr range;
	if (!cidr_read(value_slice(value), &range) || (range.bits >= 16 && range.bits <= 28))
		return true;
	diag_error(diagnostics, FAULT_USER, value->position, "'%s' is a /%u, but AWS takes a /16 to a /28", field->name,
		   range.bits);
	return false;
}

/* Which families of ranges do not go together in one VPC: "IPv4 CIDR block association restrictions" on that page. */
static const char *const families[] = {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "198.19.0.0/16"};

/* NULL: none of them. */
static const char *family_of(const struct cidr *range)
{
	struct cidr family;
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (cidr_read(slice_of(families[i]), &family) && cidr_overlap(&family, range))
			return families[i];
	return NULL;
}

static bool check_link_local(const struct value *value, const struct cidr *range, struct diagnostics *diagnostics)
{
	struct cidr link_local;
	if (!cidr_read(SLICE("169.254.0.0/16"), &link_local) || !cidr_overlap(&link_local, range))
		return true;
	diag_error(diagnostics, FAULT_USER, value->position, "no VPC takes the link-local range %.*s",
		   SLICE_ARGUMENTS(value_shown(value, SIZE_MAX)));
	diag_hint(diagnostics, "take one of 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16");
	return false;
}

/* Besides, on that page: a VPC with a range of the one is not given another of the other. */
static const struct apart {
	const char *there, *added;
} aparts[] = {{"10.0.0.0/15", "10.0.0.0/16"}, {"172.16.0.0/12", "172.31.0.0/16"}};

static bool is_of(const struct value *value, const char *block)
{
	struct cidr range, outer;
	return value_is(value, VALUE_STRING) && cidr_read(value_slice(value), &range) &&
	       cidr_read(slice_of(block), &outer) && cidr_overlap(&outer, &range);
}

static bool do_overlap(const struct value *a, const struct value *b)
{
	struct cidr first, second;
	return cidr_read(value_slice(a), &first) && cidr_read(value_slice(b), &second) && cidr_overlap(&first, &second);
}

/* Of two that are added one comes second, whatever the order. Those that overlap are told of as such. */
static bool check_apart(const struct apart *apart, const struct value *first, const struct value *added,
			struct diagnostics *diagnostics)
{
	const struct value *there = is_of(first, apart->there) ? first : NULL;
	bool good = true;
	for (uint32_t i = 0; i < added->count; i++) {
		const struct value *range = &added->items[i];
		if (!is_of(range, apart->added))
			continue;
		if (there && !do_overlap(there, range)) {
			good = diag_error(diagnostics, FAULT_USER, range->position,
					  "AWS does not add %.*s, of %s, to a VPC that has a range of %s",
					  SLICE_ARGUMENTS(value_slice(range)), apart->added, apart->there);
			diag_related(diagnostics, there->position, "that one is here");
			diag_hint(diagnostics, "take a range outside of %s", apart->added);
		}
		there = range;
	}
	return good;
}

static bool check_together(const struct value *first, const struct value *added, struct diagnostics *diagnostics)
{
	struct cidr primary, range;
	if (!value_is(first, VALUE_STRING) || !value_is(added, VALUE_STRING) ||
	    !cidr_read(value_slice(first), &primary) || !cidr_read(value_slice(added), &range))
		return true;
	const char *family = family_of(&range), *home = family_of(&primary);
	if (!check_link_local(added, &range, diagnostics))
		return false;
	if (!family || family == home)
		return true;
	diag_error(diagnostics, FAULT_USER, added->position, "AWS does not add %.*s, of %s, to a VPC of %.*s",
		   SLICE_ARGUMENTS(value_slice(added)), family, SLICE_ARGUMENTS(value_shown(first, SIZE_MAX)));
	diag_related(diagnostics, first->position, "its first range is here");
	diag_hint(diagnostics, "take a range of %s%s100.64.0.0/10", home ? home : "", home ? " or of " : "");
	return false;
}

/* https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyVpcAttribute.html: "You can only enable DNS
 * hostnames if you've enabled DNS support." */
static bool check_names(const struct value *desired, struct diagnostics *diagnostics)
{
	const struct value *support = value_get_named(desired, "dns_support");
	const struct value *names = value_get_named(desired, "dns_hostnames");
	if (!value_is_true(names) || !value_is(support, VALUE_BOOL) || support->boolean)
		return true;
	diag_error(diagnostics, FAULT_USER, names->position, "'dns_hostnames' needs 'dns_support'");
	diag_related(diagnostics, support->position, "that one is false here");
	diag_hint(diagnostics, "set 'dns_support: true', or 'dns_hostnames: false'");
	return false;
}

static bool check(const struct kind *kind, const struct value *desired, struct diagnostics *diagnostics)
{
	const struct value *first = value_get_named(desired, "cidr");
	const struct value *added = value_get_named(desired, "secondary_cidrs");
	struct cidr primary;
	bool good = true;
	(void)kind;
	if (first && value_is(first, VALUE_STRING) && cidr_read(value_slice(first), &primary))
		good = check_link_local(first, &primary, diagnostics);
	for (uint32_t i = 0; good && first && added && value_is(added, VALUE_LIST) && i < added->count; i++)
		good = check_together(first, &added->items[i], diagnostics);
	for (size_t i = 0; good && first && value_is(added, VALUE_LIST) && i < sizeof(aparts) / sizeof(aparts[0]); i++)
		good = check_apart(&aparts[i], first, added, diagnostics);
	return check_names(desired, diagnostics) && good;
}

/* One on its way out is as good as gone. */
static bool is_range_there(const struct value *association)
{
	struct slice state = value_slice(value_path(association, "CidrBlockState.State"));
	return slice_is(state, "associated") || slice_is(state, "associating");
}

static struct value decode_ranges(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	const struct value *sets = value_get_named(item, "CidrBlockAssociationSet");
	struct slice first = value_slice(value_get_named(item, "CidrBlock"));
	VALUE_BUILDER_AUTO builder;
	(void)field;
	value_builder_init(&builder);
	for (uint32_t i = 0; sets && value_is(sets, VALUE_LIST) && i < sets->count; i++) {
		struct slice range = value_slice(value_get_named(&sets->items[i], "CidrBlock"));
		if (is_range_there(&sets->items[i]) && !slice_equal(range, first))
			value_builder_item(&builder, value_string(range));
	}
	return value_builder_list(&builder, arena);
}

static struct value decode_range_associations(const struct value *item, struct arena *arena)
{
	const struct value *sets = value_get_named(item, "CidrBlockAssociationSet");
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; sets && value_is(sets, VALUE_LIST) && i < sets->count; i++) {
		const struct value *id = value_get_named(&sets->items[i], "AssociationId");
		struct slice range = value_slice(value_get_named(&sets->items[i], "CidrBlock"));
		if (id && range.size && is_range_there(&sets->items[i]))
			value_builder_set(&builder, range, *id);
	}
	return value_builder_map(&builder, arena);
}

/* A subnet in a range can be made only once that is there. */
static enum readiness readiness(const struct value *item, enum readiness by_state)
{
	if (aws_ranges_move(item, "CidrBlockAssociationSet", "CidrBlockState.State"))
		return READY_PENDING;
	return aws_ipv6_readiness(item, by_state);
}

static struct value decode_ipv6(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	(void)field;
	(void)arena;
	return value_bool(aws_ipv6_association(item) != NULL);
}

static const char *const dns_support_detail[] = {"Attribute", "enableDnsSupport", NULL};
static const char *const dns_hostnames_detail[] = {"Attribute", "enableDnsHostnames", NULL};
static const char *const usage_metrics_detail[] = {"Attribute", "enableNetworkAddressUsageMetrics", NULL};
static const struct aws_detail dns_support = {
	.operation = "DescribeVpcAttribute", .id = "VpcId", .fixed = dns_support_detail, .is_always_set = true};
static const struct aws_detail dns_hostnames = {
	.operation = "DescribeVpcAttribute", .id = "VpcId", .fixed = dns_hostnames_detail, .is_always_set = true};

static const struct aws_detail usage_metrics = {
	.operation = "DescribeVpcAttribute", .id = "VpcId", .fixed = usage_metrics_detail, .is_always_set = true};

/* The API takes one of them a call. */
static const struct aws_call modify = {
	.operation = "ModifyVpcAttribute",
	.id = "VpcId",
	.recipe = RECIPE_CONVERGE,
	.one_field = true,
};

static const struct aws_call associate_dhcp = {
	.operation = "AssociateDhcpOptions",
	.id = "VpcId",
	.recipe = RECIPE_CONVERGE,
};

static const struct aws_call modify_tenancy = {
	.operation = "ModifyVpcTenancy",
	.id = "VpcId",
	.recipe = RECIPE_CONVERGE,
};

static const char *const range_absent[] = {"InvalidVpcCidrBlockAssociationID.NotFound", NULL};
static const char *const range_used[] = {
	"InvalidCidr.InUse",
	"a subnet that this stack does not manage, or that it keeps, lies in it: see which, or keep the range", NULL};
static const struct aws_part ranges = {
	.add = {.operation = "AssociateVpcCidrBlock", .id = "VpcId", .recipe = RECIPE_NATURAL},
	/* It counts, and stands in the way of others, until it is gone. */
	.remove = {.operation = "DisassociateVpcCidrBlock",
		   .recipe = RECIPE_CONVERGE,
		   .absent = range_absent,
		   .waits = true,
		   .hints = range_used},
	.removal_member = "AssociationId",
	.removal_output = "range_associations",
};
static const struct aws_field range_item = {
	.field = {.name = "range", .type = FIELD_CIDR4, .check = check_range},
	.member = "CidrBlock",
};

static const struct aws_call associate_ipv6 = {
	.operation = "AssociateVpcCidrBlock",
	.id = "VpcId",
	.recipe = RECIPE_SNAPSHOT,
	.waits = true,
};
static const char *const ipv6_used[] = {
	"InvalidCidrBlock.InUse",
	"subnets still have ranges of it: take 'ipv6_cidr' out of those that keep one, and run again", NULL};
static const struct aws_call disassociate_ipv6 = {
	.operation = "DisassociateVpcCidrBlock",
	.id = "AssociationId",
	.id_output = "ipv6_association",
	.recipe = RECIPE_CONVERGE,
	.absent = range_absent,
	.waits = true,
	.hints = ipv6_used,
};

static const char *const tenancies[] = {"default", "dedicated", NULL};

static const struct aws_field fields[] = {
	{.field = {.name = "cidr",
		   .type = FIELD_CIDR4,
		   .flags = REQUIRED | IMMUTABLE,
		   .check = check_range,
		   .range = RANGE_DOMAIN,
		   .about = "first IPv4 range, a /16 to a /28"},
	 .member = "CidrBlock"},
	{.field = {.name = "secondary_cidrs",
		   .type = FIELD_SET,
		   .flags = COMPARED,
		   .item = &range_item.field,
		   .range = RANGE_DOMAIN,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "[]",
		   .about = "further IPv4 ranges"},
	 .decode = decode_ranges,
	 .part = &ranges},
	{.field = {.name = "ipv6",
		   .type = FIELD_BOOL,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "false",
		   .about = "whether it has a /56 of IPv6 addresses from Amazon, which the output ipv6_cidr tells"},
	 .member = "AmazonProvidedIpv6CidrBlock",
	 .update = &associate_ipv6,
	 .update_off = &disassociate_ipv6,
	 .decode = decode_ipv6},
	{.field = {.name = "tenancy",
		   .type = FIELD_STRING,
		   .choices = tenancies,
		   .flags = IMMUTABLE,
		   .when_unset = UNSET_RELEASE,
		   .in_place_to = "default",
		   .about = "hardware tenancy of instances; from dedicated to default it changes in place, and never "
			    "back"},
	 .member = "InstanceTenancy",
	 .update = &modify_tenancy},
	{.field = {.name = "dns_support",
		   .type = FIELD_BOOL,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "true",
		   .about = "whether the resolver of Amazon answers"},
	 .read = "EnableDnsSupport.Value",
	 .update = &modify,
	 .change = "EnableDnsSupport.Value",
	 .detail = &dns_support},
	{.field = {.name = "dns_hostnames",
		   .type = FIELD_BOOL,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "false",
		   .about = "whether instances get public host names; needs dns_support"},
	 .read = "EnableDnsHostnames.Value",
	 .update = &modify,
	 .change = "EnableDnsHostnames.Value",
	 .detail = &dns_hostnames},
	{.field = {.name = "dhcp_options",
		   .type = FIELD_STRING,
		   .pattern = "default|dopt-[0-9a-f]{8,17}",
		   .in_words = "default, or an id such as dopt-0123456789abcdef0",
		   .when_unset = UNSET_RELEASE,
		   .about = "id of its DHCP options; default: none, and instances are told of no name server"},
	 .read = "DhcpOptionsId",
	 .update = &associate_dhcp,
	 .change = "DhcpOptionsId"},
	{.field = {.name = "usage_metrics",
		   .type = FIELD_BOOL,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "false",
		   .about = "whether the use of its addresses is measured"},
	 .read = "EnableNetworkAddressUsageMetrics.Value",
	 .update = &modify,
	 .change = "EnableNetworkAddressUsageMetrics.Value",
	 .detail = &usage_metrics},
	AWS_TAGS_FIELD,
};

static const char *const dhcp_fields[] = {"dhcp_options", NULL};
static const char *const ipv6_fields[] = {"ipv6", NULL};
static const struct aws_output outputs[] = {
	{.output = {.name = "id", .pattern = "vpc-[0-9a-f]{8,17}", .about = "id of the VPC"}, .read = "VpcId"},
	{.output = {.name = "owner", .about = "account that owns it"}, .read = "OwnerId"},
	{.output = {.name = "dhcp_options",
		    .repeats = true,
		    .renewed_by = dhcp_fields,
		    .about = "id of its DHCP options"},
	 .read = "DhcpOptionsId"},
	{.output = {.name = "range_associations", .about = "id of the association of each IPv4 range"},
	 .decode = decode_range_associations},
	/* https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html: of Amazon's it is a /56 */
	{.output = {.name = "ipv6_cidr",
		    .renewed_by = ipv6_fields,
		    .needs = "ipv6",
		    .shows_work_of = "AssociateVpcCidrBlock",
		    .prefix6_bits = 56,
		    .about = "its IPv6 range from Amazon, where 'ipv6' is true"},
	 .decode = aws_ipv6_range},
	{.output = {.name = "ipv6_association",
		    .renewed_by = ipv6_fields,
		    .needs = "ipv6",
		    .shows_work_of = "AssociateVpcCidrBlock",
		    .about = "id of the association of its IPv6 range"},
	 .decode = aws_ipv6_association_id},
};

static const char *const pending[] = {"pending", NULL};
static const char *const leaving[] = {"deleting", NULL};
static const char *const absent[] = {"InvalidVpcID.NotFound", NULL};
/* A deleted neighbour may hold on for a little. */
static const char *const held[] = {"DependencyViolation", NULL};

#define BOTH(path, reason)                                                                                             \
	{"CreateVpc", path, reason},                                                                                   \
	{                                                                                                              \
		"AssociateVpcCidrBlock", path, reason                                                                  \
	}

static const struct aws_omission omitted[] = {
	BOTH("Ipv6CidrBlock",
	     "a range of one's own needs a pool that Amazon has agreed to announce; 'ipv6' takes Amazon's"),
	BOTH("Ipv6Pool", "a range of one's own needs a pool that Amazon has agreed to announce; 'ipv6' takes Amazon's"),
	BOTH("Ipv6CidrBlockNetworkBorderGroup", "the range is the region's; those of Local Zones are not managed"),
	BOTH("Ipv6IpamPoolId", "ranges are written in the spec, not chosen by Amazon's IPAM"),
	BOTH("Ipv6NetmaskLength", "ranges are written in the spec, not chosen by Amazon's IPAM"),
	BOTH("Ipv4IpamPoolId", "ranges are written in the spec, not chosen by Amazon's IPAM"),
	BOTH("Ipv4NetmaskLength", "ranges are written in the spec, not chosen by Amazon's IPAM"),
	{"CreateVpc", "VpcEncryptionControl", "encryption control is a thing of its own, with an id of its own"},
	{"AttachClassicLinkVpc", NULL, "EC2-Classic is retired"},
	{"DetachClassicLinkVpc", NULL, "EC2-Classic is retired"},
	{"EnableVpcClassicLink", NULL, "EC2-Classic is retired"},
	{"DisableVpcClassicLink", NULL, "EC2-Classic is retired"},
	{"AssociateRouteServer", NULL, "route servers are not managed"},
	{"DisassociateRouteServer", NULL, "route servers are not managed"},
};

const struct aws_kind aws_vpc = {
	.kind = {.name = "aws.vpc",
		 .about = "a virtual network",
		 .version = 1,
		 .fields = FIELDS(fields),
		 .outputs = FIELDS(outputs),
		 .check = check},
	.service = "ec2",
	.create = {.operation = "CreateVpc", .recipe = RECIPE_TAG, .tagged = "vpc", .result = "Vpc.VpcId"},
	.delete = {.operation = "DeleteVpc",
		   .id = "VpcId",
		   .recipe = RECIPE_CONVERGE,
		   .absent = absent,
		   .settling = held},
	.list = {.operation = "DescribeVpcs", .items = "Vpcs", .page = 1000, .filter = "vpc-id"},
	.states = {.member = "State", .pending = pending, .leaving = leaving},
	.tags_member = "Tags",
	.readiness = readiness,
	.omitted = omitted,
	.omitted_count = sizeof(omitted) / sizeof(omitted[0]),
};
