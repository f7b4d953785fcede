#include "providers/sim/sim_vpn.h"

#include <stdio.h>

#include "providers/sim/sim_parts.h"

/* The two ends of a VPN: our gateways, attached to VPCs, and the customers'. */

enum {
	ATTACH_MS = 15 * 1000,
	DETACH_MS = 20 * 1000,
	DELETE_MS = 3 * 1000,
	LISTED_MS = 20 * 60 * 1000, /* a deleted thing */
	ASN_DEFAULT = 64512,
	CUSTOMER_ASN_DEFAULT = 65000,
	ASN_RESERVED = 7224, /* page "Customer gateway options": in all regions */
};

bool sim_vpn_gone(const struct sim_object *object)
{
	return node_is(&object->body, "state", "deleted") || node_is(&object->body, "state", "deleting");
}

struct sim_object *sim_vpn_need(struct sim_call *call, enum sim_type_number type, const char *parameter)
{
	struct sim_object *object = sim_need(call, type, parameter);

	if (object && node_is(&object->body, "state", "deleted")) {
		sim_absent(call, object->type, object->id);
		return NULL;
	}
	return object;
}

/* Deleting, deleted, gone. */
static bool tick_deletion(struct sim *sim, struct sim_object *object)
{
	if (node_is(&object->body, "state", "deleted")) {
		sim_delete(sim, object);
		return true;
	}
	if (node_is(&object->body, "state", "deleting")) {
		node_set(sim_edit(sim, object), "state", "deleted");
		sim_schedule(sim, object, sim_pace(sim, LISTED_MS));
		return true;
	}
	return false;
}

static void tick_gateway(struct sim *sim, struct sim_object *gateway)
{
	struct node *list;

	if (tick_deletion(sim, gateway))
		return;
	list = node_list(sim_edit(sim, gateway), "attachments");
	for (uint32_t i = 0; i < list->count; i++) {
		if (node_is(&list->items[i], "state", "attaching"))
			node_set(&list->items[i], "state", "attached");
		else if (node_is(&list->items[i], "state", "detaching"))
			node_set(&list->items[i], "state", "detached");
	}
	sim_routes_propagate(sim, gateway);
}

static bool holds(const struct sim_object *gateway, const struct sim_object *target)
{
	const struct node *list = node_get(&gateway->body, "attachments");

	for (uint32_t i = 0; list && i < list->count; i++)
		if (slice_equal(node_text(&list->items[i], "vpcId"), target->id) &&
		    !node_is(&list->items[i], "state", "detached"))
			return true;
	return false;
}

static const char *const references[] = {"attachments.vpcId", NULL};

const struct sim_type sim_vpn_gateway_type = {
	.number = SIM_VPN_GATEWAY,
	.name = "vpn-gateway",
	.prefix = "vgw",
	.id_name = "vpnGatewayId",
	.references = references,
	.holds = holds,
	.gone = sim_vpn_gone,
	.leave = sim_routes_forget,
	.tick = tick_gateway,
	.absent_code = "InvalidVpnGatewayID.NotFound",
	.absent_message = "The vpnGateway ID '%s' does not exist",
	.malformed_code = "InvalidVpnGatewayID.Malformed",
};

static void customer_key(const struct sim_object *gateway, char ret[512])
{
	const struct node *body = &gateway->body;

	(void)snprintf(ret, 512, "%.*s|%.*s|%.*s|%.*s|%.*s|%.*s", SLICE_ARGUMENTS(node_text(body, "type")),
		       SLICE_ARGUMENTS(node_text(body, "ipAddress")), SLICE_ARGUMENTS(node_text(body, "bgpAsn")),
		       SLICE_ARGUMENTS(node_text(body, "bgpAsnExtended")),
		       SLICE_ARGUMENTS(node_text(body, "deviceName")),
		       SLICE_ARGUMENTS(node_text(body, "certificateArn")));
}

static void tick_customer(struct sim *sim, struct sim_object *gateway)
{
	(void)tick_deletion(sim, gateway);
}

const struct sim_type sim_customer_gateway_type = {
	.number = SIM_CUSTOMER_GATEWAY,
	.name = "customer-gateway",
	.prefix = "cgw",
	.id_name = "customerGatewayId",
	.key = customer_key,
	.gone = sim_vpn_gone,
	.tick = tick_customer,
	.absent_code = "InvalidCustomerGatewayID.NotFound",
	.absent_message = "The customerGateway ID '%s' does not exist",
	.malformed_code = "InvalidCustomerGatewayId.Malformed",
};

static bool is_ipsec(struct sim_call *call)
{
	if (slice_is(sim_text(call, "Type"), "ipsec.1"))
		return true;
	sim_fail(call, "InvalidParameterValue", "Value (%.*s) for parameter type is invalid. Valid values: ipsec.1",
		 SLICE_ARGUMENTS(sim_text(call, "Type")));
	return false;
}

static void create_vpn_gateway(struct sim_call *call)
{
	int64_t asn = sim_number(call, "AmazonSideAsn", ASN_DEFAULT);
	char id[48];

	if (!is_ipsec(call))
		return;
	sim_tag_new(call, "vpn-gateway", NULL);
	if ((asn < 64512 || asn > 65534) && (asn < 4200000000 || asn > 4294967294))
		sim_fail(call, "InvalidParameterValue",
			 "Value (%lld) for parameter amazonSideAsn is invalid. It must be in 64512-65534 or "
			 "4200000000-4294967294",
			 (long long)asn);
	if (sim_given(call, "AvailabilityZone") && !sim_zone_id(call->region, sim_text(call, "AvailabilityZone"), id))
		sim_fail(call, "InvalidParameterValue", "Value (%.*s) for parameter availabilityZone is invalid.",
			 SLICE_ARGUMENTS(sim_text(call, "AvailabilityZone")));
	if (call->failed || !sim_within_quota(call, SIM_VPN_GATEWAY, SIM_SETTING_VPN_GATEWAYS,
					      "VpnGatewayLimitExceeded", "virtual private gateways"))
		return;
	struct sim_object *gateway = sim_create(call->sim, call->region, SIM_VPN_GATEWAY, (struct slice){NULL, 0});
	node_set(&gateway->body, "state", "available");
	node_set(&gateway->body, "type", "ipsec.1");
	node_number(&gateway->body, "amazonSideAsn", asn);
	if (sim_given(call, "AvailabilityZone"))
		node_put(&gateway->body, "availabilityZone", sim_text(call, "AvailabilityZone"));
	node_list(&gateway->body, "attachments");
	sim_tag_new(call, "vpn-gateway", gateway);
	sim_out_node(call, "vpnGateway", &gateway->body);
}

static bool in_use(const struct node *attachment)
{
	return !node_is(attachment, "state", "detached");
}

static bool vpc_is_free(struct sim_call *call, const struct sim_object *vpc)
{
	struct sim_object *other;
	size_t cursor = 0;

	while ((other = sim_referrer(vpc, SIM_VPN_GATEWAY, &cursor)) != NULL) {
		if (!holds(other, vpc))
			continue;
		sim_fail(call, "InvalidVpcState", "The vpc '%.*s' already has an attached virtual private gateway",
			 SLICE_ARGUMENTS(vpc->id));
		return false;
	}
	return true;
}

static void attach_vpn_gateway(struct sim_call *call)
{
	struct sim_object *gateway = sim_vpn_need(call, SIM_VPN_GATEWAY, "VpnGatewayId");
	struct sim_object *vpc = gateway ? sim_need(call, SIM_VPC, "VpcId") : NULL;
	const struct node *held = gateway ? node_get(&gateway->body, "attachments") : NULL;

	if (!vpc)
		return;
	for (uint32_t i = 0; held && i < held->count; i++)
		if (in_use(&held->items[i]))
			sim_fail(call, "VpnGatewayAttachmentLimitExceeded",
				 "The virtual private gateway '%.*s' is attached to a VPC already",
				 SLICE_ARGUMENTS(gateway->id));
	if (call->failed || !vpc_is_free(call, vpc))
		return;
	struct node *list = node_list(sim_edit(call->sim, gateway), "attachments");
	node_reset(list, NODE_LIST);
	struct node *item = node_append(list, NODE_MAP);
	node_put(item, "vpcId", vpc->id);
	node_set(item, "state", "attaching");
	sim_routes_to(call->sim, gateway, true);
	sim_out_node(call, "attachment", item);
	sim_schedule(call->sim, gateway, sim_pace(call->sim, ATTACH_MS));
}

static void detach_vpn_gateway(struct sim_call *call)
{
	struct sim_object *gateway = sim_vpn_need(call, SIM_VPN_GATEWAY, "VpnGatewayId");
	struct slice vpc_id = sim_text(call, "VpcId");
	struct node *item = gateway ? node_item(node_find(&gateway->body, "attachments"), "vpcId", vpc_id) : NULL;

	if (!gateway)
		return;
	if (!item || !in_use(item)) {
		sim_fail(call, "InvalidVpnGatewayAttachment.NotFound",
			 "The attachment with vpn gateway ID '%.*s' and vpc ID '%.*s' does not exist",
			 SLICE_ARGUMENTS(gateway->id), SLICE_ARGUMENTS(vpc_id));
		return;
	}
	item = node_item(node_find(sim_edit(call->sim, gateway), "attachments"), "vpcId", vpc_id);
	if (item)
		node_set(item, "state", "detaching");
	sim_routes_to(call->sim, gateway, false);
	sim_out_return(call);
	sim_schedule(call->sim, gateway, sim_pace(call->sim, DETACH_MS));
}

static void begin_deletion(struct sim_call *call, struct sim_object *object)
{
	node_set(sim_edit(call->sim, object), "state", "deleting");
	sim_schedule(call->sim, object, sim_pace(call->sim, DELETE_MS));
	sim_out_return(call);
}

static void delete_vpn_gateway(struct sim_call *call)
{
	struct sim_object *gateway = sim_vpn_need(call, SIM_VPN_GATEWAY, "VpnGatewayId");
	const struct node *held = gateway ? node_get(&gateway->body, "attachments") : NULL;

	if (!gateway)
		return;
	for (uint32_t i = 0; held && i < held->count; i++)
		if (in_use(&held->items[i]))
			sim_fail(call, "IncorrectState",
				 "The vpnGateway '%.*s' is attached to a VPC and cannot be deleted",
				 SLICE_ARGUMENTS(gateway->id));
	if (sim_vpn_connection_of(gateway))
		sim_fail(call, "IncorrectState",
			 "The vpnGateway '%.*s' is used by a VPN connection and cannot be deleted",
			 SLICE_ARGUMENTS(gateway->id));
	if (call->failed)
		return;
	sim_routes_forget(call->sim, gateway);
	begin_deletion(call, gateway);
}

static bool customer_address(struct sim_call *call, struct slice *ret)
{
	struct slice text = sim_given(call, "IpAddress") ? sim_text(call, "IpAddress") : sim_text(call, "PublicIp");
	struct cidr address;

	*ret = text;
	if (text.size == 0 && sim_given(call, "CertificateArn"))
		return true;
	if (text.size == 0)
		sim_fail(call, "MissingParameter", "The request must contain the parameter ipAddress");
	else if (!cidr_read_address(text, &address) ||
		 (address.family == 4 && (address.bytes[0] == 0 || address.bytes[0] == 127 || address.bytes[0] >= 224)))
		sim_fail(call, "InvalidParameterValue",
			 "Value (%.*s) for parameter ipAddress is invalid. Invalid IP address", SLICE_ARGUMENTS(text));
	return !call->failed;
}

static void customer_numbers(struct sim_call *call, struct node *body)
{
	int64_t asn = sim_number(call, "BgpAsn", CUSTOMER_ASN_DEFAULT);
	int64_t extended = sim_number(call, "BgpAsnExtended", 0);

	if (sim_given(call, "BgpAsn") && sim_given(call, "BgpAsnExtended"))
		sim_fail(call, "InvalidParameterCombination", "Only one of bgpAsn and bgpAsnExtended may be given");
	else if (sim_given(call, "BgpAsnExtended") && (extended < 2147483648 || extended > 4294967295))
		sim_fail(call, "InvalidParameterValue", "Value (%lld) for parameter bgpAsnExtended is invalid.",
			 (long long)extended);
	else if (asn < 1 || asn > 2147483647 || asn == ASN_RESERVED)
		sim_fail(call, "InvalidParameterValue", "Value (%lld) for parameter bgpAsn is invalid.",
			 (long long)asn);
	if (sim_given(call, "BgpAsnExtended"))
		node_number(body, "bgpAsnExtended", extended);
	else
		node_number(body, "bgpAsn", asn);
}

/* "An identical request returns information about the existing customer gateway" (page "CreateCustomerGateway"). */
static void create_customer_gateway(struct sim_call *call)
{
	struct sim_object draft = {.body.type = NODE_MAP}, *known;
	struct slice address;
	char key[512];

	sim_tag_new(call, "customer-gateway", NULL);
	if (!is_ipsec(call) || !customer_address(call, &address))
		return;
	node_set(&draft.body, "type", "ipsec.1");
	if (address.size > 0)
		node_put(&draft.body, "ipAddress", address);
	customer_numbers(call, &draft.body);
	if (sim_given(call, "DeviceName"))
		node_put(&draft.body, "deviceName", sim_text(call, "DeviceName"));
	if (sim_given(call, "CertificateArn"))
		node_put(&draft.body, "certificateArn", sim_text(call, "CertificateArn"));
	customer_key(&draft, key);
	known = sim_find_key(call->region, SIM_CUSTOMER_GATEWAY, slice_of(key));
	if ((!known || sim_vpn_gone(known)) && !call->failed &&
	    sim_within_quota(call, SIM_CUSTOMER_GATEWAY, SIM_SETTING_CUSTOMER_GATEWAYS, "CustomerGatewayLimitExceeded",
			     "customer gateways")) {
		known = sim_create(call->sim, call->region, SIM_CUSTOMER_GATEWAY, (struct slice){NULL, 0});
		node_set(&known->body, "state", "available");
		for (uint32_t i = 0; i < draft.body.count; i++)
			node_put_copy(&known->body, draft.body.items[i].name, &draft.body.items[i]);
		sim_tag_new(call, "customer-gateway", known);
	}
	node_release(&draft.body);
	if (!call->failed && known)
		sim_out_node(call, "customerGateway", &known->body);
}

static void delete_customer_gateway(struct sim_call *call)
{
	struct sim_object *gateway = sim_vpn_need(call, SIM_CUSTOMER_GATEWAY, "CustomerGatewayId");

	if (!gateway)
		return;
	if (sim_vpn_connection_of(gateway)) {
		sim_fail(call, "IncorrectState", "The customer gateway '%.*s' is in use.",
			 SLICE_ARGUMENTS(gateway->id));
		return;
	}
	begin_deletion(call, gateway);
}

static const struct sim_filter gateway_filters[] = {
	{"vpn-gateway-id", "vpnGatewayId", NULL},
	{"state", "state", NULL},
	{"type", "type", NULL},
	{"amazon-side-asn", "amazonSideAsn", NULL},
	{"availability-zone", "availabilityZone", NULL},
	{"attachment.vpc-id", "attachments.vpcId", NULL},
	{"attachment.state", "attachments.state", NULL},
};

static const struct sim_listing gateway_listing = {
	.type = SIM_VPN_GATEWAY,
	.set = "vpnGatewaySet",
	.ids = "VpnGatewayId",
	.filters = gateway_filters,
	.filter_count = sizeof(gateway_filters) / sizeof(gateway_filters[0]),
};

static const struct sim_filter customer_filters[] = {
	{"customer-gateway-id", "customerGatewayId", NULL},
	{"state", "state", NULL},
	{"type", "type", NULL},
	{"ip-address", "ipAddress", NULL},
	{"bgp-asn", "bgpAsn", NULL},
};

static const struct sim_listing customer_listing = {
	.type = SIM_CUSTOMER_GATEWAY,
	.set = "customerGatewaySet",
	.ids = "CustomerGatewayId",
	.filters = customer_filters,
	.filter_count = sizeof(customer_filters) / sizeof(customer_filters[0]),
};

#define TAGS "TagSpecification[]{ResourceType Tag[]{Key Value}}"

static const struct sim_action actions[] = {
	{"CreateVpnGateway", create_vpn_gateway, "Type! AvailabilityZone AmazonSideAsn:i " TAGS, NULL},
	{"DescribeVpnGateways", sim_describe, "Filter[]{Name Value[]} VpnGatewayId[]", &gateway_listing},
	{"AttachVpnGateway", attach_vpn_gateway, "VpcId! VpnGatewayId!", NULL},
	{"DetachVpnGateway", detach_vpn_gateway, "VpcId! VpnGatewayId!", NULL},
	{"DeleteVpnGateway", delete_vpn_gateway, "VpnGatewayId!", NULL},
	{"CreateCustomerGateway", create_customer_gateway,
	 "Type! BgpAsn:i PublicIp CertificateArn DeviceName IpAddress BgpAsnExtended:i " TAGS, NULL},
	{"DescribeCustomerGateways", sim_describe, "Filter[]{Name Value[]} CustomerGatewayId[]", &customer_listing},
	{"DeleteCustomerGateway", delete_customer_gateway, "CustomerGatewayId!", NULL},
};

const struct sim_family sim_vpn_gateway_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
