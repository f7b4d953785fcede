#include <inttypes.h>

#include "providers/aws/kinds/attached_vpc.h"
#include "providers/aws/kinds/kinds.h"
#include "providers/aws/kinds/propagation.h"
#include "reconcile/schema.h"

/* https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpnGateway.html */

static const char *const type[] = {"Type", "ipsec.1", NULL};

#define ATTACHMENTS "VpcAttachments"

static enum readiness readiness(const struct value *item, enum readiness by_state)
{
	return aws_attachment_readiness(item, ATTACHMENTS, by_state);
}

static const char *const not_attached[] = {"InvalidVpnGatewayAttachment.NotFound", "InvalidVpnGatewayID.NotFound",
					   "Gateway.NotAttached", NULL};
/* Another one that is being detached still takes the place: a run that was cut off may have begun that. */
static const char *const young[] = {"InvalidVpnGatewayID.NotFound", "InvalidVpcID.NotFound", "InvalidVpcState", NULL};

/* "The specified VPC already has a virtual private gateway attached to it": Error codes for the Amazon EC2 API */
static const char *const occupied[] = {
	"InvalidVpcState", "detach the VPN gateway that is attached to the VPC first: a VPC takes one", NULL};
static const struct aws_attachment attachment = {
	.attach = {.operation = "AttachVpnGateway",
		   .id = "VpnGatewayId",
		   .recipe = RECIPE_NATURAL,
		   .settling = young,
		   .hints = occupied},
	.detach = {.operation = "DetachVpnGateway",
		   .id = "VpnGatewayId",
		   .recipe = RECIPE_CONVERGE,
		   .absent = not_attached},
	.member = "VpcId",
};

/* The tables of the VPC that take in its routes. One may still name a gateway that was there before. */
static const char *const of_vpc[] = {"Filters.0.Name", "vpc-id", NULL};
static const struct aws_detail tables = {
	.operation = "DescribeRouteTables",
	.id = "Filters.0.Values.0",
	.fixed = of_vpc,
	.list = "RouteTables",
	.of = "vpc",
};

static struct value decode_tables(const struct aws_field *field, const struct value *answer, struct arena *arena)
{
	const struct value *all = value_get_named(answer, "RouteTables");
	struct slice own = value_slice(value_get_named(answer, AWS_OWN_ID));
	VALUE_BUILDER_AUTO builder;
	(void)field;
	value_builder_init(&builder);
	for (uint32_t i = 0; all && value_is(all, VALUE_LIST) && i < all->count; i++) {
		const struct value *id = value_get_named(&all->items[i], "RouteTableId");
		const struct value *gateways = value_get_named(&all->items[i], "PropagatingVgws");
		for (uint32_t k = 0; id && gateways && value_is(gateways, VALUE_LIST) && k < gateways->count; k++)
			if (slice_equal(value_slice(value_get_named(&gateways->items[k], "GatewayId")), own))
				value_builder_item(&builder, *id);
	}
	return value_builder_list(&builder, arena);
}

static const struct aws_part propagation = {
	.add = {.operation = "EnableVgwRoutePropagation",
		.id = "GatewayId",
		.recipe = RECIPE_CONVERGE,
		.settling = aws_propagation_young},
	.remove = {.operation = "DisableVgwRoutePropagation",
		   .id = "GatewayId",
		   .recipe = RECIPE_CONVERGE,
		   .absent = aws_propagation_gone},
};
static const struct aws_field table_item = {
	.field = {.name = "table",
		  .type = FIELD_REFERENCE,
		  .flags = DEPARTS,
		  .target = "aws.route_table",
		  .beside = "vpc"},
	.member = "RouteTableId",
};

/*
 * "If you're using a 16-bit ASN, it must be in the 64512 to 65534 range. If you're using a 32-bit ASN, it must be in
 * the 4200000000 to 4294967294 range": the page above. Gateways of before July 2018 have the number that Amazon gave
 * them by region (https://github.com/hashicorp/terraform-provider-aws/issues/5263), and whoever describes one says
 * that.
 */
#define ASN32_LEAST INT64_C(4200000000)
#define ASN32_MOST INT64_C(4294967294)
enum { ASN16_LEAST = 64512, ASN16_MOST = 65534 };
static const int64_t former_numbers[] = {7224, 9059, 10124, 17493};

static bool is_private(int64_t number)
{
	return (number >= ASN16_LEAST && number <= ASN16_MOST) || (number >= ASN32_LEAST && number <= ASN32_MOST);
}

static bool check_number(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	bool taken = !value_is(value, VALUE_INTEGER) || is_private(value->integer);
	for (size_t i = 0; !taken && i < sizeof(former_numbers) / sizeof(former_numbers[0]); i++)
		taken = value->integer == former_numbers[i];
	if (taken)
		return true;
	diag_error(diagnostics, FAULT_USER, value->position,
		   "'%s' cannot be %.*s: Amazon's side takes a private number", field->name,
		   SLICE_ARGUMENTS(schema_number_shown(value, diagnostics->arena)));
	diag_hint(diagnostics, "take one from %d to %d, or from %" PRId64 " to %" PRId64, ASN16_LEAST, ASN16_MOST,
		  ASN32_LEAST, ASN32_MOST);
	return false;
}

static const struct aws_field fields[] = {
	{.field = {.name = "vpc",
		   .type = FIELD_REFERENCE,
		   .target = "aws.vpc",
		   .flags = JOINS | SOLE | PINS,
		   .when_unset = UNSET_CLEAR,
		   .about = "the VPC it is attached to"},
	 .read = ATTACHMENTS,
	 .decode = aws_decode_attached_vpc,
	 .attachment = &attachment},
	{.field = {.name = "asn",
		   .type = FIELD_INTEGER,
		   .flags = IMMUTABLE,
		   .least = 1,
		   .most = ASN32_MOST,
		   .check = check_number,
		   .when_unset = UNSET_RELEASE,
		   .about = "BGP number of Amazon's side: 64512 to 65534, or 4200000000 to 4294967294"},
	 .member = "AmazonSideAsn"},
	{.field = {.name = "zone",
		   .type = FIELD_STRING,
		   .flags = IMMUTABLE | WRITE_ONLY | REGIONAL,
		   .when_unset = UNSET_RELEASE,
		   .about = "availability zone it is placed in"},
	 .member = "AvailabilityZone",
	 .read = "-"},
	{.field = {.name = "propagate_to",
		   .type = FIELD_SET,
		   .flags = SETTLES | MIRRORED | COMPARED, /* by a route table's propagation */
		   .item = &table_item.field,
		   .read_by = "vpc",
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "[]",
		   .about = "route tables that take in its routes; or a table's own propagation says so"},
	 .decode = decode_tables,
	 .detail = &tables,
	 .part = &propagation},
	AWS_TAGS_FIELD,
};

static const struct aws_output outputs[] = {
	{.output = {.name = "id", .pattern = "vgw-[0-9a-f]{8,17}", .about = "id of the gateway"},
	 .read = "VpnGatewayId"},
};

static const char *const pending[] = {"pending", NULL};
static const char *const leaving[] = {"deleting", NULL};
static const char *const gone[] = {"deleted", NULL};
static const char *const absent[] = {"InvalidVpnGatewayID.NotFound", NULL};
static const char *const held[] = {"IncorrectState", NULL};

const struct aws_kind aws_vpn_gateway = {
	.kind = {.name = "aws.vpn_gateway",
		 .about = "Amazon's end of a VPN, on a VPC",
		 .version = 1,
		 .fields = FIELDS(fields),
		 .outputs = FIELDS(outputs)},
	.service = "ec2",
	.create = {.operation = "CreateVpnGateway",
		   .fixed = type,
		   .recipe = RECIPE_TAG,
		   .tagged = "vpn-gateway",
		   .result = "VpnGateway.VpnGatewayId"},
	.delete = {.operation = "DeleteVpnGateway",
		   .id = "VpnGatewayId",
		   .recipe = RECIPE_CONVERGE,
		   .absent = absent,
		   .settling = held},
	.list = {.operation = "DescribeVpnGateways", .items = "VpnGateways", .filter = "vpn-gateway-id"},
	.states = {.member = "State", .pending = pending, .leaving = leaving, .gone = gone},
	.tags_member = "Tags",
	.poll_ms = 1000,
	.readiness = readiness,
};
