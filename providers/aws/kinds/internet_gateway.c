#include "providers/aws/kinds/attached_vpc.h"
#include "providers/aws/kinds/kinds.h"

/* https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateInternetGateway.html */

static const char *const not_attached[] = {"Gateway.NotAttached", "InvalidInternetGatewayID.NotFound", NULL};
static const char *const young[] = {"InvalidInternetGatewayID.NotFound", "InvalidVpcID.NotFound", NULL};
static const char *const held[] = {"DependencyViolation", NULL};

static const char *const attached[] = {"Resource.AlreadyAssociated", NULL};
/* "Network vpc-1a2b3c4d already has an internet gateway attached" */
static const char *const occupied[] = {
	"InvalidParameterValue",
	"where another internet gateway is attached to the VPC, detach that one first: a VPC takes one", NULL};
static const struct aws_attachment attachment = {
	.attach = {.operation = "AttachInternetGateway",
		   .id = "InternetGatewayId",
		   .recipe = RECIPE_NATURAL,
		   .present = attached,
		   .settling = young,
		   .hints = occupied},
	.detach = {.operation = "DetachInternetGateway",
		   .id = "InternetGatewayId",
		   .recipe = RECIPE_CONVERGE,
		   .absent = not_attached,
		   .settling = held},
	.member = "VpcId",
};

/* The state of one is "available" while it is there
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InternetGatewayAttachment.html). */
#define ATTACHMENTS "Attachments"

static enum readiness readiness(const struct value *item, enum readiness by_state)
{
	return aws_attachment_readiness(item, ATTACHMENTS, by_state);
}

static const struct aws_field fields[] = {
	{.field = {.name = "vpc",
		   .type = FIELD_REFERENCE,
		   .target = "aws.vpc",
		   .flags = SOLE | PINS,
		   .when_unset = UNSET_CLEAR,
		   .about = "the VPC it is attached to"},
	 .read = ATTACHMENTS,
	 .decode = aws_decode_attached_vpc,
	 .attachment = &attachment},
	AWS_TAGS_FIELD,
};

static const struct aws_output outputs[] = {
	{.output = {.name = "id", .pattern = "igw-[0-9a-f]{8,17}", .about = "id of the gateway"},
	 .read = "InternetGatewayId"},
};

static const char *const absent[] = {"InvalidInternetGatewayID.NotFound", NULL};

const struct aws_kind aws_internet_gateway = {
	.kind = {.name = "aws.internet_gateway",
		 .about = "the way from a VPC to the internet",
		 .version = 1,
		 .fields = FIELDS(fields),
		 .outputs = FIELDS(outputs)},
	.service = "ec2",
	.create = {.operation = "CreateInternetGateway",
		   .recipe = RECIPE_TAG,
		   .tagged = "internet-gateway",
		   .result = "InternetGateway.InternetGatewayId"},
	.delete = {.operation = "DeleteInternetGateway",
		   .id = "InternetGatewayId",
		   .recipe = RECIPE_CONVERGE,
		   .absent = absent,
		   .settling = held},
	.list = {.operation = "DescribeInternetGateways",
		 .items = "InternetGateways",
		 .page = 1000,
		 .filter = "internet-gateway-id"},
	.tags_member = "Tags",
	.readiness = readiness,
};
