#include "providers/sim/sim_parts.h"
#include "providers/sim/sim_query.h"
#include "providers/sim/sim_vpn.h"

/* VPN connections and their static routes; tunnels are in sim_vpn_tunnel.c. */

enum {
	READY_MS = 180 * 1000,
	MODIFY_MS = 120 * 1000,
	DELETE_MS = 60 * 1000,
	LISTED_MS = 20 * 60 * 1000,
	ROUTE_MS = 5 * 1000,
	ROUTES_MOST = 100,
};

static struct sim_object *gateway_of(const struct sim_object *connection)
{
	return sim_find(connection->region, SIM_VPN_GATEWAY, node_text(&connection->body, "vpnGatewayId"));
}

/* A route that is new is there, one that is going is gone. */
static void settle_routes(struct node *routes)
{
	for (uint32_t i = routes ? routes->count : 0; i-- > 0;) {
		if (node_is(&routes->items[i], "state", "deleting"))
			node_remove(routes, i);
		else
			node_set(&routes->items[i], "state", "available");
	}
}

static void tick(struct sim *sim, struct sim_object *connection)
{
	struct sim_object *gateway = gateway_of(connection);
	struct node *body;

	if (node_is(&connection->body, "state", "deleted")) {
		sim_delete(sim, connection);
		return;
	}
	body = sim_edit(sim, connection);
	bool is_given_up = node_is(body, "state", "pending") && node_is(body, "_failsLater", "true");

	if (node_is(body, "state", "deleting") || is_given_up) {
		node_set(body, "state", "deleted");
		sim_schedule(sim, connection, sim_pace(sim, LISTED_MS));
	} else {
		/* A route alone is ready sooner than a connection that is being changed. */
		int64_t ready_ms = node_integer(body, "_readyMs", 0);

		settle_routes(node_find(body, "routes"));
		if (sim->now_ms >= ready_ms)
			node_set(body, "state", "available");
		else
			sim_schedule(sim, connection, ready_ms - sim->now_ms);
	}
	if (gateway)
		sim_routes_propagate(sim, gateway);
}

static bool holds(const struct sim_object *connection, const struct sim_object *target)
{
	(void)target;
	return !sim_vpn_gone(connection);
}

static const char *const references[] = {"customerGatewayId", "vpnGatewayId", NULL};

const struct sim_type sim_vpn_connection_type = {
	.number = SIM_VPN_CONNECTION,
	.name = "vpn-connection",
	.prefix = "vpn",
	.id_name = "vpnConnectionId",
	.references = references,
	.holds = holds,
	.gone = sim_vpn_gone,
	.tick = tick,
	.absent_code = "InvalidVpnConnectionID.NotFound",
	.absent_message = "The vpnConnection ID '%s' does not exist",
	.malformed_code = "InvalidVpnConnectionID.Malformed",
};

struct sim_object *sim_vpn_connection_of(const struct sim_object *gateway)
{
	struct sim_object *connection;
	size_t cursor = 0;

	while ((connection = sim_referrer(gateway, SIM_VPN_CONNECTION, &cursor)) != NULL)
		if (!node_is(&connection->body, "state", "deleted"))
			return connection;
	return NULL;
}

void sim_vpn_gateway_routes(const struct sim_object *vpn_gateway,
			    void (*visit)(void *context, struct slice destination), void *context)
{
	struct sim_object *connection;
	size_t cursor = 0;

	while ((connection = sim_referrer(vpn_gateway, SIM_VPN_CONNECTION, &cursor)) != NULL) {
		const struct node *routes = node_get(&connection->body, "routes");

		for (uint32_t i = 0; !sim_vpn_gone(connection) && routes && i < routes->count; i++)
			if (node_is(&routes->items[i], "state", "available"))
				visit(context, node_text(&routes->items[i], "destinationCidrBlock"));
	}
}

static void write(struct sim_call *call, const struct sim_object *connection, const struct node *body)
{
	const struct node *tunnels = node_get(node_get(body, "options"), "tunnelOptionSet");
	char changed[32];

	sim_out_members(call, body);
	if (node_is(body, "state", "deleted"))
		return;
	sim_out_text(call, "customerGatewayConfiguration", sim_vpn_configuration(call, connection, body));
	sim_time_text(connection->created_ms, changed);
	sim_out_open(call, "vgwTelemetry");
	for (uint32_t i = 0; tunnels && i < tunnels->count; i++) {
		sim_out_open(call, "item");
		sim_out_text(call, "outsideIpAddress", node_text(&tunnels->items[i], "outsideIpAddress"));
		sim_out_string(call, "status", "DOWN");
		sim_out_string(call, "statusMessage", "");
		sim_out_string(call, "lastStatusChange", changed);
		sim_out_string(call, "acceptedRouteCount", "0");
		sim_out_close(call, "item");
	}
	sim_out_close(call, "vgwTelemetry");
}

static void answer(struct sim_call *call, const struct sim_object *connection)
{
	sim_out_open(call, "vpnConnection");
	write(call, connection, &connection->body);
	sim_out_close(call, "vpnConnection");
}

static const char *const cidr_options[][2] = {
	{"LocalIpv4NetworkCidr", "localIpv4NetworkCidr"},
	{"RemoteIpv4NetworkCidr", "remoteIpv4NetworkCidr"},
	{"LocalIpv6NetworkCidr", "localIpv6NetworkCidr"},
	{"RemoteIpv6NetworkCidr", "remoteIpv6NetworkCidr"},
};

/* Sets the network ranges and the bandwidth that given says; with options NULL, only checks them. */
static bool network_options(struct sim_call *call, const struct node *given, struct node *options)
{
	struct slice bandwidth = node_text(given, "TunnelBandwidth");
	struct cidr range;

	for (size_t i = 0; i < sizeof(cidr_options) / sizeof(cidr_options[0]); i++) {
		struct slice text = node_text(given, cidr_options[i][0]);

		if (!node_get(given, cidr_options[i][0]))
			continue;
		if (!cidr_read(text, &range) || range.host_bits || range.family != (i < 2 ? 4 : 6))
			sim_fail(call, "InvalidParameterValue", "Value (%.*s) for parameter %s is invalid.",
				 SLICE_ARGUMENTS(text), cidr_options[i][1]);
		else if (options)
			node_put(options, cidr_options[i][1], text);
	}
	if (bandwidth.size > 0 && !slice_is(bandwidth, "standard") && !slice_is(bandwidth, "large"))
		sim_fail(call, "InvalidParameterValue", "Value (%.*s) for parameter tunnelBandwidth is invalid.",
			 SLICE_ARGUMENTS(bandwidth));
	else if (bandwidth.size > 0 && options)
		node_put(options, "tunnelBandwidth", bandwidth);
	return !call->failed;
}

/* A virtual private gateway has no IPv6 (page "How Site-to-Site VPN works"), and no large tunnels (page
 * "ModifyVpnConnectionOptions"). */
static bool fits_gateway(struct sim_call *call, const struct sim_object *gateway, const struct node *given)
{
	if (gateway && slice_is(node_text(given, "TunnelBandwidth"), "large"))
		sim_fail(call, "InvalidParameterCombination", "Large bandwidth needs a transit gateway");
	if (gateway && (node_get(given, "LocalIpv6NetworkCidr") || node_get(given, "RemoteIpv6NetworkCidr")))
		sim_fail(call, "InvalidParameterCombination", "IPv6 network ranges need a transit gateway");
	return !call->failed;
}

static bool check_options(struct sim_call *call, const struct sim_object *gateway)
{
	const struct node *options = node_get(&call->request, "Options");
	struct slice version = node_text(options, "TunnelInsideIpVersion");
	struct slice outside = node_text(options, "OutsideIpAddressType");

	if (version.size > 0 && !slice_is(version, "ipv4") && !slice_is(version, "ipv6"))
		sim_fail(call, "InvalidParameterValue", "Value (%.*s) for parameter tunnelInsideIpVersion is invalid.",
			 SLICE_ARGUMENTS(version));
	if (gateway && slice_is(version, "ipv6"))
		sim_fail(call, "InvalidParameterCombination", "IPv6 inside addresses need a transit gateway");
	if (gateway && slice_is(outside, "Ipv6"))
		sim_fail(call, "InvalidParameterCombination", "IPv6 outside addresses need a transit gateway");
	if (gateway && sim_truth(node_text(options, "EnableAcceleration")))
		sim_fail(call, "InvalidParameterCombination", "Acceleration needs a transit gateway");
	if (outside.size > 0 && !slice_is(outside, "PublicIpv4") && !slice_is(outside, "PrivateIpv4") &&
	    !slice_is(outside, "Ipv6"))
		sim_fail(call, "InvalidParameterValue", "Value (%.*s) for parameter outsideIpAddressType is invalid.",
			 SLICE_ARGUMENTS(outside));
	(void)network_options(call, options, NULL);
	return !call->failed && fits_gateway(call, gateway, options) && sim_vpn_tunnels_check(call, gateway);
}

static void make_options(struct sim_call *call, struct sim_object *connection)
{
	const struct node *given = node_get(&call->request, "Options");
	struct node *options = node_map(&connection->body, "options");

	node_set(options, "enableAcceleration", sim_truth(node_text(given, "EnableAcceleration")) ? "true" : "false");
	node_set(options, "staticRoutesOnly", sim_truth(node_text(given, "StaticRoutesOnly")) ? "true" : "false");
	node_set(options, "localIpv4NetworkCidr", "0.0.0.0/0");
	node_set(options, "remoteIpv4NetworkCidr", "0.0.0.0/0");
	(void)network_options(call, given, options);
	node_put(options, "outsideIpAddressType",
		 node_get(given, "OutsideIpAddressType") ? node_text(given, "OutsideIpAddressType")
							 : SLICE("PublicIpv4"));
	node_put(options, "tunnelInsideIpVersion",
		 node_get(given, "TunnelInsideIpVersion") ? node_text(given, "TunnelInsideIpVersion") : SLICE("ipv4"));
	if (!node_get(options, "tunnelBandwidth"))
		node_set(options, "tunnelBandwidth", "standard");
	sim_vpn_tunnels_make(call, options);
}

/* One connection between two gateways: a second request gives the first one back. */
static struct sim_object *same_connection(const struct sim_object *customer, const struct sim_object *gateway)
{
	struct sim_object *connection;
	size_t cursor = 0;

	while (gateway && (connection = sim_referrer(customer, SIM_VPN_CONNECTION, &cursor)) != NULL)
		if (!sim_vpn_gone(connection) && slice_equal(node_text(&connection->body, "vpnGatewayId"), gateway->id))
			return connection;
	return NULL;
}

static bool room_at(struct sim_call *call, const struct sim_object *gateway)
{
	struct sim_object *connection;
	size_t cursor = 0;
	int64_t count = 0;

	while (gateway && (connection = sim_referrer(gateway, SIM_VPN_CONNECTION, &cursor)) != NULL)
		count += !sim_vpn_gone(connection);
	if (count >= sim_setting(call->sim, SIM_SETTING_CONNECTIONS_PER_VPN_GATEWAY))
		sim_fail(call, "VpnConnectionLimitExceeded",
			 "The maximum number of VPN connections for the virtual private gateway has been reached.");
	return !call->failed && sim_within_quota(call, SIM_VPN_CONNECTION, SIM_SETTING_VPN_CONNECTIONS,
						 "VpnConnectionLimitExceeded", "VPN connections");
}

static void create_vpn_connection(struct sim_call *call)
{
	struct sim_object *customer = sim_vpn_need(call, SIM_CUSTOMER_GATEWAY, "CustomerGatewayId"), *gateway = NULL;
	struct slice storage = sim_text(call, "PreSharedKeyStorage");

	if (customer && sim_given(call, "VpnGatewayId"))
		gateway = sim_vpn_need(call, SIM_VPN_GATEWAY, "VpnGatewayId");
	if (sim_given(call, "TransitGatewayId"))
		sim_fail(call, "InvalidTransitGatewayID.NotFound",
			 "Transit Gateway %.*s was deleted or does not exist.",
			 SLICE_ARGUMENTS(sim_text(call, "TransitGatewayId")));
	if (!slice_is(sim_text(call, "Type"), "ipsec.1"))
		sim_fail(call, "InvalidParameterValue",
			 "Value (%.*s) for parameter type is invalid. Valid values: ipsec.1",
			 SLICE_ARGUMENTS(sim_text(call, "Type")));
	if (storage.size > 0 && !slice_is(storage, "Standard") && !slice_is(storage, "SecretsManager"))
		sim_fail(call, "InvalidParameterValue", "Value (%.*s) for parameter preSharedKeyStorage is invalid.",
			 SLICE_ARGUMENTS(storage));
	sim_tag_new(call, "vpn-connection", NULL);
	if (!customer || call->failed || !check_options(call, gateway))
		return;
	struct sim_object *connection = same_connection(customer, gateway);
	if (!connection) {
		if (!room_at(call, gateway))
			return;
		connection = sim_create(call->sim, call->region, SIM_VPN_CONNECTION, (struct slice){NULL, 0});
		node_set(&connection->body, "state", "pending");
		if (call->fails_later)
			node_set(&connection->body, "_failsLater", "true");
		node_set(&connection->body, "type", "ipsec.1");
		node_set(&connection->body, "category", "VPN");
		node_put(&connection->body, "customerGatewayId", customer->id);
		if (gateway)
			node_put(&connection->body, "vpnGatewayId", gateway->id);
		node_set(&connection->body, "gatewayAssociationState", gateway ? "associated" : "not-associated");
		make_options(call, connection);
		node_list(&connection->body, "routes");
		sim_tag_new(call, "vpn-connection", connection);
		int64_t ready_ms = sim_pace(call->sim, READY_MS) + call->lingers_ms;

		node_number(&connection->body, "_readyMs", call->sim->now_ms + ready_ms);
		sim_schedule(call->sim, connection, ready_ms);
	}
	answer(call, connection);
}

static struct sim_object *need_available(struct sim_call *call)
{
	struct sim_object *connection = sim_vpn_need(call, SIM_VPN_CONNECTION, "VpnConnectionId");

	if (connection && !node_is(&connection->body, "state", "available")) {
		sim_fail(call, "IncorrectState", "The vpnConnection '%.*s' is not in the available state",
			 SLICE_ARGUMENTS(connection->id));
		return NULL;
	}
	return connection;
}

static void begin_change(struct sim_call *call, struct sim_object *connection)
{
	struct node *body = sim_edit(call->sim, connection);

	node_set(body, "state", "modifying");
	node_number(body, "_readyMs", call->sim->now_ms + sim_pace(call->sim, MODIFY_MS));
	sim_schedule(call->sim, connection, sim_pace(call->sim, MODIFY_MS));
	answer(call, connection);
}

static void modify_vpn_connection(struct sim_call *call)
{
	struct sim_object *connection = need_available(call), *gateway = NULL;
	bool customer = sim_given(call, "CustomerGatewayId"), ours = sim_given(call, "VpnGatewayId");

	if (!connection)
		return;
	if (sim_given(call, "TransitGatewayId"))
		sim_fail(call, "InvalidTransitGatewayID.NotFound",
			 "Transit Gateway %.*s was deleted or does not exist.",
			 SLICE_ARGUMENTS(sim_text(call, "TransitGatewayId")));
	else if (customer == ours)
		sim_fail(
			call, customer ? "InvalidParameterCombination" : "MissingParameter",
			"The request must contain exactly one of customerGatewayId, vpnGatewayId and transitGatewayId");
	if (call->failed)
		return;
	if (customer)
		gateway = sim_vpn_need(call, SIM_CUSTOMER_GATEWAY, "CustomerGatewayId");
	else
		gateway = sim_vpn_need(call, SIM_VPN_GATEWAY, "VpnGatewayId");
	if (!gateway)
		return;
	node_put(sim_edit(call->sim, connection), customer ? "customerGatewayId" : "vpnGatewayId", gateway->id);
	begin_change(call, connection);
}

static void modify_vpn_connection_options(struct sim_call *call)
{
	struct sim_object *connection = need_available(call);

	if (!connection || !network_options(call, &call->request, NULL) ||
	    !fits_gateway(call, gateway_of(connection), &call->request))
		return;
	(void)network_options(call, &call->request, node_map(sim_edit(call->sim, connection), "options"));
	begin_change(call, connection);
}

static void modify_vpn_tunnel_options(struct sim_call *call)
{
	struct sim_object *connection = need_available(call);

	if (!connection)
		return;
	sim_vpn_tunnel_change(call, connection);
	if (!call->failed)
		begin_change(call, connection);
}

static void delete_vpn_connection(struct sim_call *call)
{
	struct sim_object *connection = sim_vpn_need(call, SIM_VPN_CONNECTION, "VpnConnectionId");
	struct sim_object *gateway = connection ? gateway_of(connection) : NULL;

	if (!connection)
		return;
	if (!sim_vpn_gone(connection)) {
		node_set(sim_edit(call->sim, connection), "state", "deleting");
		sim_schedule(call->sim, connection, sim_pace(call->sim, DELETE_MS));
	}
	if (gateway)
		sim_routes_propagate(call->sim, gateway);
	sim_out_return(call);
}

static void create_vpn_connection_route(struct sim_call *call)
{
	struct sim_object *connection = need_available(call);
	struct cidr range;

	if (!connection || !sim_range(call, "DestinationCidrBlock", 4, &range))
		return;
	if (!node_is(node_get(&connection->body, "options"), "staticRoutesOnly", "true")) {
		sim_fail(call, "InvalidParameterValue", "The vpnConnection '%.*s' does not support static routes",
			 SLICE_ARGUMENTS(connection->id));
		return;
	}
	struct slice text = sim_range_text(call, &range);
	if (node_item(node_find(&connection->body, "routes"), "destinationCidrBlock", text)) {
		sim_out_return(call);
		return;
	}
	if (node_count(&connection->body, "routes") >= ROUTES_MOST) {
		sim_fail(call, "VpnConnectionRouteLimitExceeded",
			 "The maximum number of static routes has been reached.");
		return;
	}
	struct node *route = node_append(node_list(sim_edit(call->sim, connection), "routes"), NODE_MAP);
	node_put(route, "destinationCidrBlock", text);
	node_set(route, "source", "Static");
	node_set(route, "state", "pending");
	sim_schedule(call->sim, connection, sim_pace(call->sim, ROUTE_MS));
	sim_out_return(call);
}

static void delete_vpn_connection_route(struct sim_call *call)
{
	struct sim_object *connection = need_available(call);
	struct cidr range;

	if (!connection || !sim_range(call, "DestinationCidrBlock", 4, &range))
		return;
	struct slice text = sim_range_text(call, &range);
	struct node *route =
		node_item(node_find(sim_edit(call->sim, connection), "routes"), "destinationCidrBlock", text);
	if (!route) {
		sim_fail(call, "InvalidRoute.NotFound",
			 "no route with destination-cidr-block %.*s in vpn connection %.*s", SLICE_ARGUMENTS(text),
			 SLICE_ARGUMENTS(connection->id));
		return;
	}
	node_set(route, "state", "deleting");
	sim_schedule(call->sim, connection, sim_pace(call->sim, ROUTE_MS));
	sim_out_return(call);
}

static const struct sim_filter filters[] = {
	{"vpn-connection-id", "vpnConnectionId", NULL},
	{"customer-gateway-id", "customerGatewayId", NULL},
	{"vpn-gateway-id", "vpnGatewayId", NULL},
	{"transit-gateway-id", "transitGatewayId", NULL},
	{"state", "state", NULL},
	{"type", "type", NULL},
	{"option.static-routes-only", "options.staticRoutesOnly", NULL},
	{"route.destination-cidr-block", "routes.destinationCidrBlock", NULL},
};

static const struct sim_listing listing = {
	.type = SIM_VPN_CONNECTION,
	.set = "vpnConnectionSet",
	.ids = "VpnConnectionId",
	.filters = filters,
	.filter_count = sizeof(filters) / sizeof(filters[0]),
	.write = write,
};

#define NETWORKS                                                                                                       \
	"LocalIpv4NetworkCidr RemoteIpv4NetworkCidr LocalIpv6NetworkCidr RemoteIpv6NetworkCidr TunnelBandwidth "

static const struct sim_action actions[] = {
	{"CreateVpnConnection", create_vpn_connection,
	 "CustomerGatewayId! Type! VpnGatewayId TransitGatewayId VpnConcentratorId PreSharedKeyStorage "
	 "TagSpecification[]{ResourceType Tag[]{Key Value}} "
	 "Options{EnableAcceleration:b TunnelInsideIpVersion StaticRoutesOnly:b OutsideIpAddressType "
	 "TransportTransitGatewayAttachmentId " NETWORKS "TunnelOptions[]{" SIM_VPN_TUNNEL "}}",
	 NULL},
	{"DescribeVpnConnections", sim_describe, "Filter[]{Name Value[]} VpnConnectionId[]", &listing},
	{"DeleteVpnConnection", delete_vpn_connection, "VpnConnectionId!", NULL},
	{"ModifyVpnConnection", modify_vpn_connection,
	 "VpnConnectionId! TransitGatewayId CustomerGatewayId VpnGatewayId", NULL},
	{"ModifyVpnConnectionOptions", modify_vpn_connection_options, "VpnConnectionId! " NETWORKS, NULL},
	{"ModifyVpnTunnelOptions", modify_vpn_tunnel_options,
	 "VpnConnectionId! VpnTunnelOutsideIpAddress! SkipTunnelReplacement:b PreSharedKeyStorage "
	 "TunnelOptions!{" SIM_VPN_TUNNEL "}",
	 NULL},
	{"CreateVpnConnectionRoute", create_vpn_connection_route, "DestinationCidrBlock! VpnConnectionId!", NULL},
	{"DeleteVpnConnectionRoute", delete_vpn_connection_route, "DestinationCidrBlock! VpnConnectionId!", NULL},
};

const struct sim_family sim_vpn_connection_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
