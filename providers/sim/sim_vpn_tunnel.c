#include <ctype.h>
#include <stdio.h>

#include "providers/sim/sim_parts.h"
#include "providers/sim/sim_vpn.h"

/* Tunnels of a VPN connection: what their options may be (page "Tunnel options"), and what a device needs of them. */

enum { TUNNELS = 2 };

static const struct {
	const char *name, *answer;
	int64_t least, most;
} numbers[] = {
	{"Phase1LifetimeSeconds", "phase1LifetimeSeconds", 900, 28800},
	{"Phase2LifetimeSeconds", "phase2LifetimeSeconds", 900, 3600},
	{"RekeyMarginTimeSeconds", "rekeyMarginTimeSeconds", 60, 1800},
	{"RekeyFuzzPercentage", "rekeyFuzzPercentage", 0, 100},
	{"ReplayWindowSize", "replayWindowSize", 64, 2048},
	{"DPDTimeoutSeconds", "dpdTimeoutSeconds", 30, 86400},
};

static const struct {
	const char *name;
	const char *allowed; /* between '|' */
	bool list;
} choices[] = {
	{"DPDTimeoutAction", "|clear|none|restart|", false},
	{"StartupAction", "|add|start|", false},
	{"IKEVersion", "|ikev1|ikev2|", true},
	{"Phase1EncryptionAlgorithm", "|AES128|AES256|AES128-GCM-16|AES256-GCM-16|", true},
	{"Phase2EncryptionAlgorithm", "|AES128|AES256|AES128-GCM-16|AES256-GCM-16|", true},
	{"Phase1IntegrityAlgorithm", "|SHA1|SHA2-256|SHA2-384|SHA2-512|", true},
	{"Phase2IntegrityAlgorithm", "|SHA1|SHA2-256|SHA2-384|SHA2-512|", true},
	{"Phase1DHGroupNumber", "|2|14|15|16|17|18|19|20|21|22|23|24|35|", true},
	{"Phase2DHGroupNumber", "|2|5|14|15|16|17|18|19|20|21|22|23|24|35|36|37|", true},
};

static const char *const reserved_ranges[] = {
	"169.254.0.0/30", "169.254.1.0/30", "169.254.2.0/30",	  "169.254.3.0/30",
	"169.254.4.0/30", "169.254.5.0/30", "169.254.169.252/30",
};

static void bad_value(struct sim_call *call, const char *name, struct slice text)
{
	sim_fail(call, "InvalidParameterValue", "Value (%.*s) for parameter %s is invalid.", SLICE_ARGUMENTS(text),
		 name);
}

static bool is_allowed(struct slice text, const char *allowed)
{
	char wanted[64];

	(void)snprintf(wanted, sizeof(wanted), "|%.*s|", (int)(text.size > 60 ? 60 : text.size), text.data);
	return strstr(allowed, wanted) != NULL;
}

static void check_choices(struct sim_call *call, const struct node *tunnel)
{
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		const struct node *given = node_get(tunnel, choices[i].name);

		if (given && !choices[i].list && !is_allowed(node_slice(given), choices[i].allowed))
			bad_value(call, choices[i].name, node_slice(given));
		for (uint32_t at = 0; given && choices[i].list && at < given->count; at++)
			if (!is_allowed(node_text(&given->items[at], "Value"), choices[i].allowed))
				bad_value(call, choices[i].name, node_text(&given->items[at], "Value"));
	}
}

static void check_logs(struct sim_call *call, const struct node *tunnel)
{
	static const char *const formats[] = {"LogOutputFormat", "BgpLogOutputFormat"};
	const struct node *logs = node_get(node_get(tunnel, "LogOptions"), "CloudWatchLogOptions");

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (node_get(logs, formats[i]) && !is_allowed(node_text(logs, formats[i]), "|json|text|"))
			bad_value(call, formats[i], node_text(logs, formats[i]));
}

/* 8 to 64 letters, digits, dots and underscores, not starting with 0. */
static void check_key(struct sim_call *call, const struct node *tunnel)
{
	struct slice key = node_text(tunnel, "PreSharedKey");
	bool valid = key.size >= 8 && key.size <= 64 && key.data[0] != '0';

	for (size_t i = 0; valid && i < key.size; i++)
		valid = isalnum((unsigned char)key.data[i]) || key.data[i] == '.' || key.data[i] == '_';
	if (node_get(tunnel, "PreSharedKey") && !valid)
		sim_fail(call, "InvalidParameterValue",
			 "The pre-shared key must be 8 to 64 letters, digits, periods and underscores and not start "
			 "with 0");
}

static void check_inside(struct sim_call *call, const struct node *tunnel)
{
	struct slice text = node_text(tunnel, "TunnelInsideCidr");
	struct cidr range, other;
	bool valid;

	if (!node_get(tunnel, "TunnelInsideCidr"))
		return;
	valid = cidr_read(text, &range) && range.family == 4 && range.bits == 30 && !range.host_bits &&
		range.bytes[0] == 169 && range.bytes[1] == 254;
	for (size_t i = 0; valid && i < sizeof(reserved_ranges) / sizeof(reserved_ranges[0]); i++)
		valid = !cidr_read(slice_of(reserved_ranges[i]), &other) || !cidr_overlap(&range, &other);
	if (!valid)
		bad_value(call, "TunnelInsideCidr", text);
}

/* A /126 of fd00::/8. */
static void check_inside6(struct sim_call *call, const struct node *tunnel)
{
	struct slice text = node_text(tunnel, "TunnelInsideIpv6Cidr");
	struct cidr range;
	bool valid = cidr_read(text, &range) && range.family == 6 && range.bits == 126 && !range.host_bits &&
		     range.bytes[0] == 0xfd;

	if (node_get(tunnel, "TunnelInsideIpv6Cidr") && !valid)
		bad_value(call, "TunnelInsideIpv6Cidr", text);
}

/* versions: NULL for the service's own choice, which is both. */
static bool takes_version_2(const struct node *versions)
{
	for (uint32_t i = 0; versions && i < versions->count; i++)
		if (node_is(&versions->items[i], "Value", "ikev2"))
			return true;
	return !versions || versions->count == 0;
}

/* before: what the tunnel has, where it is being changed; numbers are judged together with it. */
static void check_tunnel(struct sim_call *call, const struct node *tunnel, const struct node *before)
{
	int64_t value[sizeof(numbers) / sizeof(numbers[0])] = {28800, 3600, 270, 100, 1024, 30};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		value[i] = node_integer(before, numbers[i].answer, value[i]);
		value[i] = node_integer(tunnel, numbers[i].name, value[i]);
		if (node_get(tunnel, numbers[i].name) && (value[i] < numbers[i].least || value[i] > numbers[i].most))
			bad_value(call, numbers[i].name, node_text(tunnel, numbers[i].name));
	}
	if (value[1] >= value[0])
		sim_fail(call, "InvalidParameterValue",
			 "Phase2LifetimeSeconds must be less than Phase1LifetimeSeconds");
	if (value[2] > value[1] / 2)
		sim_fail(call, "InvalidParameterValue",
			 "RekeyMarginTimeSeconds must be at most half of Phase2LifetimeSeconds");
	if (node_is(tunnel, "StartupAction", "start") && !takes_version_2(node_get(tunnel, "IKEVersion")))
		sim_fail(call, "InvalidParameterValue", "StartupAction start is supported for IKEv2 only");
	check_choices(call, tunnel);
	check_logs(call, tunnel);
	check_key(call, tunnel);
	check_inside(call, tunnel);
	check_inside6(call, tunnel);
}

static bool inside_taken(const struct sim_object *gateway, struct slice range, const struct node *except)
{
	struct sim_object *connection;
	size_t cursor = 0;

	while (gateway && (connection = sim_referrer(gateway, SIM_VPN_CONNECTION, &cursor)) != NULL) {
		const struct node *list = node_get(node_get(&connection->body, "options"), "tunnelOptionSet");

		if (sim_vpn_gone(connection))
			continue;
		for (uint32_t i = 0; list && i < list->count; i++)
			if (&list->items[i] != except &&
			    slice_equal(node_text(&list->items[i], "tunnelInsideCidr"), range))
				return true;
	}
	return false;
}

static const struct node *tunnels_of(const struct sim_call *call)
{
	return node_get(node_get(&call->request, "Options"), "TunnelOptions");
}

bool sim_vpn_tunnels_check(struct sim_call *call, const struct sim_object *vpn_gateway)
{
	const struct node *tunnels = tunnels_of(call);

	if (tunnels && tunnels->count > TUNNELS)
		sim_fail(call, "InvalidParameterValue", "A VPN connection has at most %d tunnels", TUNNELS);
	for (uint32_t i = 0; tunnels && i < tunnels->count && !call->failed; i++) {
		struct slice inside = node_text(&tunnels->items[i], "TunnelInsideCidr");

		check_tunnel(call, &tunnels->items[i], NULL);
		if (inside.size > 0 &&
		    (inside_taken(vpn_gateway, inside, NULL) ||
		     (i > 0 && slice_equal(inside, node_text(&tunnels->items[0], "TunnelInsideCidr")))))
			sim_fail(call, "InvalidParameterValue", "The tunnel inside CIDR %.*s is in use",
				 SLICE_ARGUMENTS(inside));
	}
	return !call->failed;
}

static void fill_tunnel(struct sim_call *call, struct node *tunnel)
{
	char key[33];

	node_format(tunnel, "outsideIpAddress", "%d.%d.%d.%d", (int)sim_random_between(call->sim, 34, 54),
		    (int)sim_random_between(call->sim, 1, 254), (int)sim_random_between(call->sim, 0, 255),
		    (int)sim_random_between(call->sim, 1, 254));
	if (!node_get(tunnel, "tunnelInsideCidr"))
		node_format(tunnel, "tunnelInsideCidr", "169.254.%d.%d/30", (int)sim_random_between(call->sim, 6, 168),
			    (int)sim_random_between(call->sim, 0, 63) * 4);
	if (!node_get(tunnel, "preSharedKey")) {
		sim_random_hex(call->sim, key, 31);
		node_format(tunnel, "preSharedKey", "k%s", key);
	}
}

void sim_vpn_tunnels_make(struct sim_call *call, struct node *options)
{
	const struct node *given = tunnels_of(call);
	const struct sim_shape *shape = sim_shape_member(call->shape, "Options.TunnelOptions");
	struct node *list = node_list(options, "tunnelOptionSet");

	node_reset(list, NODE_LIST);
	for (uint32_t i = 0; i < TUNNELS; i++) {
		struct node *tunnel = node_append(list, NODE_MAP);

		if (given && i < given->count)
			sim_copy_members(shape, &given->items[i], tunnel);
		fill_tunnel(call, tunnel);
	}
}

void sim_vpn_tunnel_change(struct sim_call *call, struct sim_object *connection)
{
	const struct node *wanted = node_get(&call->request, "TunnelOptions");
	struct slice address = sim_text(call, "VpnTunnelOutsideIpAddress");
	struct node *options = node_find(&connection->body, "options");
	struct node *tunnel = node_item(node_find(options, "tunnelOptionSet"), "outsideIpAddress", address);
	struct sim_object *gateway =
		sim_find(call->region, SIM_VPN_GATEWAY, node_text(&connection->body, "vpnGatewayId"));

	if (!tunnel) {
		sim_fail(call, "InvalidParameterValue", "The VPN connection has no tunnel with outside IP address %.*s",
			 SLICE_ARGUMENTS(address));
		return;
	}
	check_tunnel(call, wanted, tunnel);
	struct slice inside = node_text(wanted, "TunnelInsideCidr");
	if (inside.size > 0 && inside_taken(gateway, inside, tunnel))
		sim_fail(call, "InvalidParameterValue", "The tunnel inside CIDR %.*s is in use",
			 SLICE_ARGUMENTS(inside));
	if (call->failed)
		return;
	options = node_find(sim_edit(call->sim, connection), "options");
	tunnel = node_item(node_find(options, "tunnelOptionSet"), "outsideIpAddress", address);
	if (tunnel)
		sim_copy_members(sim_shape_member(call->shape, "TunnelOptions"), wanted, tunnel);
}

static void append_side(struct buffer *xml, const char *name, struct slice outside, const struct cidr *inside,
			uint8_t host, struct slice asn)
{
	struct cidr address = *inside;

	address.bytes[3] = (uint8_t)(address.bytes[3] + host);
	(void)buffer_format(xml,
			    "<%s><tunnel_outside_address><ip_address>%.*s</ip_address></tunnel_outside_address>"
			    "<tunnel_inside_address><ip_address>%d.%d.%d.%d</ip_address>"
			    "<network_mask>255.255.255.252</network_mask><network_cidr>30</network_cidr>"
			    "</tunnel_inside_address>",
			    name, SLICE_ARGUMENTS(outside), address.bytes[0], address.bytes[1], address.bytes[2],
			    address.bytes[3]);
	if (asn.size > 0)
		(void)buffer_format(xml, "<bgp><asn>%.*s</asn><hold_time>30</hold_time></bgp>", SLICE_ARGUMENTS(asn));
	(void)buffer_format(xml, "</%s>", name);
}

/* The first of a list of choices, in the spelling of the configuration. */
static const char *first_choice(const struct node *tunnel, const char *list)
{
	const struct node *given = node_get(tunnel, list);
	struct slice value = given && given->count > 0 ? node_text(&given->items[0], "value") : SLICE("");

	return slice_starts_with(value, SLICE("AES256")) ? "aes-256-cbc"
	       : slice_is(value, "SHA2-256")		 ? "sha256"
	       : slice_is(value, "SHA2-384")		 ? "sha384"
	       : slice_is(value, "SHA2-512")		 ? "sha512"
	       : strstr(list, "Integrity")		 ? "sha1"
							 : "aes-128-cbc";
}

static void append_tunnel(struct buffer *xml, const struct node *tunnel, struct slice customer_address,
			  struct slice customer_asn, struct slice amazon_asn)
{
	struct cidr inside = {.family = 4};

	if (!cidr_read(node_text(tunnel, "tunnelInsideCidr"), &inside))
		inside = (struct cidr){.family = 4, .bits = 30};
	(void)buffer_string(xml, "<ipsec_tunnel>");
	append_side(xml, "customer_gateway", customer_address, &inside, 2, customer_asn);
	append_side(xml, "vpn_gateway", node_text(tunnel, "outsideIpAddress"), &inside, 1, amazon_asn);
	(void)buffer_format(xml,
			    "<ike><authentication_protocol>%s</authentication_protocol><encryption_protocol>%s"
			    "</encryption_protocol><lifetime>%lld</lifetime><perfect_forward_secrecy>group2"
			    "</perfect_forward_secrecy><mode>main</mode><pre_shared_key>%.*s</pre_shared_key></ike>",
			    first_choice(tunnel, "phase1IntegrityAlgorithmSet"),
			    first_choice(tunnel, "phase1EncryptionAlgorithmSet"),
			    (long long)node_integer(tunnel, "phase1LifetimeSeconds", 28800),
			    SLICE_ARGUMENTS(node_text(tunnel, "preSharedKey")));
	(void)buffer_format(
		xml,
		"<ipsec><protocol>esp</protocol><authentication_protocol>hmac-%s-96</authentication_protocol>"
		"<encryption_protocol>%s</encryption_protocol><lifetime>%lld</lifetime>"
		"<perfect_forward_secrecy>group2</perfect_forward_secrecy><mode>tunnel</mode>"
		"<clear_df_bit>true</clear_df_bit><fragmentation_before_encryption>true"
		"</fragmentation_before_encryption><tcp_mss_adjustment>1379</tcp_mss_adjustment>"
		"<dead_peer_detection><interval>10</interval><retries>3</retries></dead_peer_detection></ipsec>"
		"</ipsec_tunnel>",
		first_choice(tunnel, "phase2IntegrityAlgorithmSet"),
		first_choice(tunnel, "phase2EncryptionAlgorithmSet"),
		(long long)node_integer(tunnel, "phase2LifetimeSeconds", 3600));
}

struct slice sim_vpn_configuration(struct sim_call *call, const struct sim_object *connection, const struct node *body)
{
	const struct sim_object *customer =
		sim_find(call->region, SIM_CUSTOMER_GATEWAY, node_text(body, "customerGatewayId"));
	const struct sim_object *gateway = sim_find(call->region, SIM_VPN_GATEWAY, node_text(body, "vpnGatewayId"));
	const struct node *options = node_get(body, "options");
	const struct node *list = node_get(options, "tunnelOptionSet");
	bool is_static = node_is(options, "staticRoutesOnly", "true");
	struct slice none = {NULL, 0}, address = none, asn = none, amazon_asn = none;
	BUFFER_AUTO xml;

	if (customer)
		address = node_text(&customer->body, "ipAddress");
	if (customer && !is_static)
		asn = node_text(&customer->body, node_get(&customer->body, "bgpAsn") ? "bgpAsn" : "bgpAsnExtended");
	if (!is_static)
		amazon_asn = gateway ? node_text(&gateway->body, "amazonSideAsn") : SLICE("64512");
	buffer_init(&xml, 1 << 20);
	(void)buffer_format(
		&xml,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<vpn_connection id=\"%.*s\"><customer_gateway_id>%.*s"
		"</customer_gateway_id><vpn_gateway_id>%.*s</vpn_gateway_id><vpn_connection_type>ipsec.1"
		"</vpn_connection_type>",
		SLICE_ARGUMENTS(connection->id), SLICE_ARGUMENTS(node_text(body, "customerGatewayId")),
		SLICE_ARGUMENTS(node_text(body, "vpnGatewayId")));
	for (uint32_t i = 0; list && i < list->count; i++)
		append_tunnel(&xml, &list->items[i], address, asn, amazon_asn);
	(void)buffer_string(&xml, "</vpn_connection>");
	return arena_copy(call->arena, buffer_slice(&xml));
}
