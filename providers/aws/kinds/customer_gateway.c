#include "providers/aws/kinds/kinds.h"
#include "providers/aws/parameters.h"
#include "reconcile/schema.h"

/*
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateCustomerGateway.html
 *
 * Nothing of it changes in place but its tags. A create that repeats an existing gateway's
 * address, number and name hands back that one.
 */

static const char *const type[] = {"Type", "ipsec.1", NULL};

/* A 32 bit number past this goes under another member. */
enum { ASN_MOST = 2147483647 };

static struct value decode_number(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	int64_t number;
	struct slice extended = value_slice(value_get_named(item, "BgpAsnExtended"));
	struct slice text = extended.size ? extended : value_slice(value_get_named(item, "BgpAsn"));
	(void)field;
	(void)arena;
	return slice_integer(text, &number) ? value_integer(number) : value_null();
}

static struct value encode_number(const struct aws_field *field, const struct value *value, struct arena *arena)
{
	(void)field;
	(void)arena;
	return value->integer <= ASN_MOST ? *value : value_null();
}

static void complete(struct work *work, struct aws_parameters *parameters)
{
	const struct value *number = value_get_named(work->desired, "asn");
	if (number && number->integer > ASN_MOST)
		aws_parameter_add(parameters, "BgpAsnExtended", *number);
}

/* "7224 - Reserved in all Regions" (https://docs.aws.amazon.com/vpn/latest/s2svpn/cgw-options.html). Those that are
 * reserved in one region alone are left to the service. */
enum { ASN_RESERVED = 7224 };

static bool check_number(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	if (value->integer != ASN_RESERVED)
		return true;
	diag_error(diagnostics, FAULT_USER, value->position, "'%s' cannot be %.*s, which Amazon keeps for itself",
		   field->name, SLICE_ARGUMENTS(schema_number_shown(value, diagnostics->arena)));
	diag_hint(diagnostics, "give the device's own number, or a private one from 64512 to 65534");
	return false;
}

/* "You must provide the IP address of the customer gateway device's external interface"
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateCustomerGateway.html), but for one that is known by
 * its certificate (https://docs.aws.amazon.com/vpn/latest/s2svpn/cgw-options.html). It may have both. */
static bool check(const struct kind *kind, const struct value *desired, struct diagnostics *diagnostics)
{
	if (value_get_named(desired, "address") || value_get_named(desired, "certificate"))
		return true;
	diag_error(diagnostics, FAULT_USER, desired->position, "%s needs one of 'address', 'certificate'", kind->name);
	diag_hint(diagnostics, "add 'address': the public address of the customer's device");
	return false;
}

static const struct aws_field fields[] = {
	{.field = {.name = "address",
		   .type = FIELD_ADDRESS,
		   .flags = IMMUTABLE | JOINS,
		   .when_unset = UNSET_REPLACE,
		   .about = "public address of the customer's device; with an IPv6 one its connections say "
			    "'outside_ipv6: true'"},
	 .member = "IpAddress"},
	{.field = {.name = "asn",
		   .type = FIELD_INTEGER,
		   .flags = IMMUTABLE,
		   .least = 1,
		   .most = 4294967295,
		   .check = check_number,
		   .when_unset = UNSET_RELEASE,
		   .where_not_given = "65000",
		   .about = "BGP number of the customer's side; 65000 where it is not given"},
	 .member = "BgpAsn",
	 .encode = encode_number,
	 .decode = decode_number},
	{.field = {.name = "certificate",
		   .type = FIELD_STRING,
		   .flags = IMMUTABLE,
		   .when_unset = UNSET_REPLACE,
		   .pattern = "arn:.*",
		   .in_words = "an ARN, which begins with 'arn:'",
		   .about = "certificate that the customer's device shows, in place of a key"},
	 .member = "CertificateArn"},
	{.field = {.name = "device_name",
		   .type = FIELD_STRING,
		   .flags = IMMUTABLE,
		   .most = 255,
		   .when_unset = UNSET_REPLACE,
		   .about = "name of the customer's device"},
	 .member = "DeviceName"},
	AWS_TAGS_FIELD,
};

static const struct aws_output outputs[] = {
	{.output = {.name = "id", .pattern = "cgw-[0-9a-f]{8,17}", .about = "id of the gateway"},
	 .read = "CustomerGatewayId"},
};

static const char *const pending[] = {"pending", NULL};
static const char *const leaving[] = {"deleting", NULL};
static const char *const gone[] = {"deleted", NULL};
static const char *const absent[] = {"InvalidCustomerGatewayID.NotFound", NULL};
/* While a connection that used it is still being moved or deleted. */
static const char *const held[] = {"IncorrectState", NULL};

static const char *const which_gateway[] = {"address", "asn", "certificate", "device_name", NULL};

static const struct aws_omission omitted[] = {
	{"CreateCustomerGateway", "PublicIp", "the older name of IpAddress"},
	{"CreateCustomerGateway", "BgpAsnExtended", "takes the place of BgpAsn for a number past 2147483647"},
};

const struct aws_kind aws_customer_gateway = {
	.kind = {.name = "aws.customer_gateway",
		 .about = "the customer's end of a VPN",
		 .version = 1,
		 .fields = FIELDS(fields),
		 .outputs = FIELDS(outputs),
		 .told_apart_by = which_gateway,
		 .check = check},
	.service = "ec2",
	.create = {.operation = "CreateCustomerGateway",
		   .fixed = type,
		   .recipe = RECIPE_TAG,
		   .tagged = "customer-gateway",
		   .result = "CustomerGateway.CustomerGatewayId",
		   .hands_back = true},
	.delete = {.operation = "DeleteCustomerGateway",
		   .id = "CustomerGatewayId",
		   .recipe = RECIPE_CONVERGE,
		   .absent = absent,
		   .settling = held},
	.list = {.operation = "DescribeCustomerGateways", .items = "CustomerGateways", .filter = "customer-gateway-id"},
	.states = {.member = "State", .pending = pending, .leaving = leaving, .gone = gone},
	.tags_member = "Tags",
	.complete = complete,
	.omitted = omitted,
	.omitted_count = sizeof(omitted) / sizeof(omitted[0]),
};
