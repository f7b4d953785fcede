#include "base/cidr.h"
#include "providers/aws/kinds/kinds.h"

/*
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpnConnection.html
 * Rules of tunnel options: https://docs.aws.amazon.com/vpn/latest/s2svpn/VPNTunnels.html
 *
 * A connection has two tunnels. AWS names each by its outside address, and promises no order: they are known
 * again by their inner range or key, and else by the address that was recorded. A change of one takes it down for
 * minutes, so the next call waits until the connection is ready again.
 */

static const char *const type[] = {"Type", "ipsec.1", NULL};

static bool check_inside_range(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	static const char *const reserved[] = {"169.254.0.0/30",    "169.254.1.0/30", "169.254.2.0/30",
					       "169.254.3.0/30",    "169.254.4.0/30", "169.254.5.0/30",
					       "169.254.169.252/30"};
	struct slice text = value_slice(value);
	if (!slice_starts_with(text, SLICE("169.254.")) || !slice_ends_with(text, SLICE("/30")))
		return diag_error(diagnostics, FAULT_USER, value->position, "'%s' is a /30 within 169.254.0.0/16",
				  field->name);
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (slice_is(text, reserved[i]))
			return diag_error(diagnostics, FAULT_USER, value->position, "%s is reserved by AWS",
					  reserved[i]);
	return true;
}

/* A transit gateway's tunnels have these within them
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_VpnTunnelOptionsSpecification.html). */
static bool check_inside_range6(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	struct cidr range, local;
	if (cidr_read(value_slice(value), &range) && cidr_read(SLICE("fd00::/8"), &local) && range.bits == 126 &&
	    cidr_contains(&local, &range))
		return true;
	return diag_error(diagnostics, FAULT_USER, value->position, "'%s' is a /126 within fd00::/8", field->name);
}

static const char *const ciphers[] = {"AES128", "AES256", "AES128-GCM-16", "AES256-GCM-16", NULL};
static const char *const digests[] = {"SHA1", "SHA2-256", "SHA2-384", "SHA2-512", NULL};
static const char *const versions[] = {"ikev1", "ikev2", NULL};
static const char *const groups1[] = {"2",  "14", "15", "16", "17", "18", "19",
				      "20", "21", "22", "23", "24", "35", NULL};
static const char *const groups2[] = {"2",  "5",  "14", "15", "16", "17", "18", "19", "20",
				      "21", "22", "23", "24", "35", "36", "37", NULL};

#define WRAPPED(of_type, list)                                                                                         \
	{                                                                                                              \
		.field = {.name = "value", .type = (of_type), .choices = (list)}, .member = "Value"                    \
	}
static const struct aws_field cipher = WRAPPED(FIELD_STRING, ciphers);
static const struct aws_field digest = WRAPPED(FIELD_STRING, digests);
static const struct aws_field version = WRAPPED(FIELD_STRING, versions);
static const struct aws_field group1 = WRAPPED(FIELD_INTEGER, groups1);
static const struct aws_field group2 = WRAPPED(FIELD_INTEGER, groups2);

/* What AWS agrees to. */
#define OFFER(text, wire, of_item, description)                                                                        \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = FIELD_SET,                                                                           \
			  .item = &(of_item).field,                                                                    \
			  .when_unset = UNSET_RELEASE,                                                                 \
			  .about = (description)},                                                                     \
		.member = (wire)                                                                                       \
	}
#define NUMBER(text, wire, low, high, fixed, description)                                                              \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = FIELD_INTEGER,                                                                       \
			  .least = (low),                                                                              \
			  .most = (high),                                                                              \
			  .when_unset = UNSET_CONSTANT,                                                                \
			  .unset_value = (fixed),                                                                      \
			  .about = (description)},                                                                     \
		.member = (wire)                                                                                       \
	}

#define OPTION(text, of_type, wire, description)                                                                       \
	{                                                                                                              \
		.field = {.name = (text), .type = (of_type), .when_unset = UNSET_RELEASE, .about = (description)},     \
		.member = (wire)                                                                                       \
	}
#define FORMAT(text, wire)                                                                                             \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = FIELD_STRING,                                                                        \
			  .choices = log_formats,                                                                      \
			  .when_unset = UNSET_RELEASE,                                                                 \
			  .about = "json or text"},                                                                    \
		.member = (wire)                                                                                       \
	}
#define LOGS "LogOptions.CloudWatchLogOptions."

static const char *const timeout_actions[] = {"clear", "none", "restart", NULL};
static const char *const log_formats[] = {"json", "text", NULL};
static const char *const startup_actions[] = {"add", "start", NULL};

static const struct aws_field tunnel_fields[] = {
	{.field = {.name = "inside_cidr",
		   .type = FIELD_CIDR4,
		   .check = check_inside_range,
		   .range = RANGE_WITHIN,
		   .range_parent = "vpn_gateway",
		   .range_parent_id = "transit_gateway",
		   .when_unset = UNSET_RELEASE,
		   .about = "/30 of the tunnel's inner addresses"},
	 .member = "TunnelInsideCidr"},
	{.field = {.name = "pre_shared_key",
		   .type = FIELD_STRING,
		   .flags = SECRET,
		   .pattern = "[A-Za-z1-9._][A-Za-z0-9._]{7,63}",
		   .in_words = "8 to 64 letters, digits, dots and underscores, the first of them not 0",
		   .when_unset = UNSET_RELEASE,
		   .about = "8 to 64 letters, digits, dots and underscores, not beginning with 0"},
	 .member = "PreSharedKey"},
	NUMBER("phase1_lifetime_s", "Phase1LifetimeSeconds", 900, 28800, "28800", "lifetime of phase 1, seconds"),
	NUMBER("phase2_lifetime_s", "Phase2LifetimeSeconds", 900, 3600, "3600", "lifetime of phase 2, seconds"),
	NUMBER("rekey_margin_s", "RekeyMarginTimeSeconds", 60, 1800, "270", "before phase 2 ends, seconds"),
	NUMBER("rekey_fuzz_percent", "RekeyFuzzPercentage", 0, 100, "100", "spread of the margin, percent"),
	NUMBER("replay_window_packets", "ReplayWindowSize", 64, 2048, "1024", "packets in the replay window"),
	/* Answers spell some names otherwise. */
	{.field = {.name = "dpd_timeout_s",
		   .type = FIELD_INTEGER,
		   .least = 30,
		   .most = 3600,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "40",
		   .about = "until a silent peer counts as dead, seconds"},
	 .member = "DPDTimeoutSeconds",
	 .read = "DpdTimeoutSeconds"},
	{.field = {.name = "dpd_action",
		   .type = FIELD_STRING,
		   .choices = timeout_actions,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "\"clear\"",
		   .about = "what a dead peer leads to"},
	 .member = "DPDTimeoutAction",
	 .read = "DpdTimeoutAction"},
	OFFER("phase1_encryption", "Phase1EncryptionAlgorithms", cipher, "ciphers of phase 1"),
	OFFER("phase2_encryption", "Phase2EncryptionAlgorithms", cipher, "ciphers of phase 2"),
	OFFER("phase1_integrity", "Phase1IntegrityAlgorithms", digest, "digests of phase 1"),
	OFFER("phase2_integrity", "Phase2IntegrityAlgorithms", digest, "digests of phase 2"),
	OFFER("phase1_dh_groups", "Phase1DHGroupNumbers", group1, "Diffie-Hellman groups of phase 1"),
	OFFER("phase2_dh_groups", "Phase2DHGroupNumbers", group2, "Diffie-Hellman groups of phase 2"),
	{.field = {.name = "ike_versions",
		   .type = FIELD_SET,
		   .item = &version.field,
		   .when_unset = UNSET_RELEASE,
		   .about = "ikev1, ikev2"},
	 .member = "IKEVersions",
	 .read = "IkeVersions"},
	{.field = {.name = "startup_action",
		   .type = FIELD_STRING,
		   .choices = startup_actions,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "\"add\"",
		   .about = "who begins: add waits, start needs ikev2"},
	 .member = "StartupAction"},
	{.field = {.name = "inside_cidr6",
		   .type = FIELD_CIDR6,
		   .check = check_inside_range6,
		   .range = RANGE_WITHIN,
		   .range_parent = "vpn_gateway",
		   .range_parent_id = "transit_gateway",
		   .when_unset = UNSET_RELEASE,
		   .about = "/126 of the tunnel's inner IPv6 addresses, within fd00::/8; needs a transit gateway"},
	 .member = "TunnelInsideIpv6Cidr"},
	OPTION("lifecycle_control", FIELD_BOOL, "EnableTunnelLifecycleControl",
	       "whether AWS asks before it replaces the tunnel's end"),
	OPTION("log", FIELD_BOOL, LOGS "LogEnabled", "whether events go to a log"),
	OPTION("log_group", FIELD_STRING, LOGS "LogGroupArn", "ARN of the log group"),
	FORMAT("log_format", LOGS "LogOutputFormat"),
	OPTION("bgp_log", FIELD_BOOL, LOGS "BgpLogEnabled", "whether BGP's events go to a log"),
	OPTION("bgp_log_group", FIELD_STRING, LOGS "BgpLogGroupArn", "ARN of its log group"),
	FORMAT("bgp_log_format", LOGS "BgpLogOutputFormat"),
};

static const struct aws_field tunnel = {
	.field = {.name = "tunnel", .type = FIELD_OBJECT, .members = FIELDS(tunnel_fields)},
};

/* A deleted route stays listed for a while. */
static struct value decode_routes(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	const struct value *routes = value_get_named(item, "Routes");
	VALUE_BUILDER_AUTO builder;
	(void)field;
	value_builder_init(&builder);
	for (uint32_t i = 0; routes && value_is(routes, VALUE_LIST) && i < routes->count; i++) {
		struct slice state = value_slice(value_get_named(&routes->items[i], "State"));
		const struct value *range = value_get_named(&routes->items[i], "DestinationCidrBlock");
		if (range && !slice_is(state, "deleting") && !slice_is(state, "deleted"))
			value_builder_item(&builder, *range);
	}
	return value_builder_list(&builder, arena);
}

static struct value decode_outside(const struct value *item, struct arena *arena)
{
	const struct value *tunnels = value_path(item, "Options.TunnelOptions");
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; tunnels && value_is(tunnels, VALUE_LIST) && i < tunnels->count; i++) {
		const struct value *address = value_get_named(&tunnels->items[i], "OutsideIpAddress");
		if (address)
			value_builder_item(&builder, *address);
	}
	return value_builder_list(&builder, arena);
}

static const char *const busy[] = {"IncorrectState", "InvalidVpnConnection.InvalidState", NULL};
/* One end a call. From a gateway of one sort to one of the other it goes by naming the new one
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyVpnConnection.html). */
static const struct aws_call move = {
	.operation = "ModifyVpnConnection",
	.id = "VpnConnectionId",
	.recipe = RECIPE_CONVERGE,
	.settling = busy,
	.one_field = true,
	.waits = true,
};
static const struct aws_call modify_options = {
	.operation = "ModifyVpnConnectionOptions",
	.id = "VpnConnectionId",
	.recipe = RECIPE_CONVERGE,
	.settling = busy,
	.waits = true,
};
static const char *const told_by[] = {"inside_cidr", "inside_cidr6", "pre_shared_key", NULL};
static const struct aws_each tunnels = {
	.change = {.operation = "ModifyVpnTunnelOptions",
		   .id = "VpnConnectionId",
		   .recipe = RECIPE_CONVERGE,
		   .settling = busy,
		   .waits = true},
	.item = "TunnelOptions",
	.name = "VpnTunnelOutsideIpAddress",
	.names_output = "outside_addresses",
	.told_by = told_by,
};

static const char *const route_gone[] = {"InvalidRoute.NotFound", "InvalidVpnConnectionID.NotFound", NULL};
static const char *const route_there[] = {"RouteAlreadyExists", NULL};
static const struct aws_part routes = {
	.add = {.operation = "CreateVpnConnectionRoute",
		.id = "VpnConnectionId",
		.recipe = RECIPE_CONVERGE,
		.present = route_there,
		.settling = busy},
	.remove = {.operation = "DeleteVpnConnectionRoute",
		   .id = "VpnConnectionId",
		   .recipe = RECIPE_CONVERGE,
		   .absent = route_gone,
		   .settling = busy},
};
static const struct aws_field route_item = {
	.field = {.name = "range", .type = FIELD_CIDR4},
	.member = "DestinationCidrBlock",
};

static const char *const bandwidths[] = {"standard", "large", NULL};
static const char *const inside_versions[] = {"ipv4", "ipv6", NULL};

/* The third type is a private address, which needs what is left out below. */
static struct value encode_outside_ipv6(const struct aws_field *field, const struct value *value, struct arena *arena)
{
	(void)field;
	(void)arena;
	return value_is_true(value) ? value_text("Ipv6") : value_null();
}

static struct value decode_outside_ipv6(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	(void)arena;
	return slice_is(value_slice(value_path(item, field->member)), "Ipv6") ? value_bool(true) : value_null();
}

#define NETWORK(text, wire, family, description)                                                                       \
	{                                                                                                              \
		.field = {.name = (text), .type = (family), .when_unset = UNSET_RELEASE, .about = (description)},      \
		.member = "Options." wire, .update = &modify_options, .change = wire                                   \
	}

static const struct aws_field fields[] = {
	{.field = {.name = "customer_gateway",
		   .type = FIELD_REFERENCE,
		   .target = "aws.customer_gateway",
		   .flags = REQUIRED | JOINS | PINS,
		   .about = "the customer's end"},
	 .member = "CustomerGatewayId",
	 .update = &move},
	{.field = {.name = "vpn_gateway",
		   .type = FIELD_REFERENCE,
		   .target = "aws.vpn_gateway",
		   .flags = JOINS | PINS,
		   .when_unset = UNSET_CLEAR,
		   .about = "Amazon's end"},
	 .member = "VpnGatewayId",
	 .update = &move},
	{.field = {.name = "transit_gateway",
		   .type = FIELD_STRING,
		   .pattern = "tgw-[0-9a-f]{8,17}",
		   .in_words = "an id such as tgw-0123456789abcdef0",
		   .when_unset = UNSET_CLEAR,
		   .about = "Amazon's end, by its id; AWS moves no connection to one while it has 'routes'"},
	 .member = "TransitGatewayId",
	 .update = &move},
	{.field = {.name = "static_routes_only",
		   .type = FIELD_BOOL,
		   .flags = IMMUTABLE,
		   .when_unset = UNSET_RELEASE,
		   .about = "static routes in place of BGP; needed for 'routes'"},
	 .member = "Options.StaticRoutesOnly"},
	{.field = {.name = "acceleration",
		   .type = FIELD_BOOL,
		   .flags = IMMUTABLE,
		   .when_unset = UNSET_RELEASE,
		   .about = "through Global Accelerator; needs a transit gateway"},
	 .member = "Options.EnableAcceleration"},
	{.field = {.name = "inside_version",
		   .type = FIELD_STRING,
		   .flags = IMMUTABLE,
		   .choices = inside_versions,
		   .when_unset = UNSET_RELEASE,
		   .about = "addresses within the tunnels; ipv6 needs a transit gateway"},
	 .member = "Options.TunnelInsideIpVersion"},
	{.field = {.name = "outside_ipv6",
		   .type = FIELD_BOOL,
		   .flags = IMMUTABLE,
		   .none = "false",
		   .when_unset = UNSET_REPLACE,
		   .about = "whether the customer's address is one of IPv6; needs a transit gateway"},
	 .member = "Options.OutsideIpAddressType",
	 .encode = encode_outside_ipv6,
	 .decode = decode_outside_ipv6},
	{.field = {.name = "bandwidth",
		   .type = FIELD_STRING,
		   .choices = bandwidths,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "\"standard\"",
		   .about = "of each tunnel: standard, or with a transit gateway large"},
	 .member = "Options.TunnelBandwidth",
	 .update = &modify_options,
	 .change = "TunnelBandwidth",
	 .missing = "\"standard\""},
	NETWORK("local_cidr", "LocalIpv4NetworkCidr", FIELD_CIDR4, "IPv4 range of the customer's side"),
	NETWORK("remote_cidr", "RemoteIpv4NetworkCidr", FIELD_CIDR4, "IPv4 range of Amazon's side"),
	NETWORK("local_cidr6", "LocalIpv6NetworkCidr", FIELD_CIDR6,
		"IPv6 range of the customer's side; needs a transit gateway"),
	NETWORK("remote_cidr6", "RemoteIpv6NetworkCidr", FIELD_CIDR6,
		"IPv6 range of Amazon's side; needs a transit gateway"),
	{.field = {.name = "routes",
		   .type = FIELD_SET,
		   .flags = SETTLES | COMPARED,
		   .item = &route_item.field,
		   .range = RANGE_DOMAIN,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "[]",
		   .about = "static routes to the customer's side"},
	 .decode = decode_routes,
	 .part = &routes},
	{.field = {.name = "tunnels",
		   .type = FIELD_LIST,
		   .item = &tunnel.field,
		   .least = 2,
		   .most = 2,
		   .when_unset = UNSET_RELEASE,
		   .about = "options of the two tunnels; {} leaves one as it is"},
	 .member = "Options.TunnelOptions",
	 .each = &tunnels},
	AWS_TAGS_FIELD,
};

static const struct aws_output outputs[] = {
	{.output = {.name = "id", .pattern = "vpn-[0-9a-f]{8,17}", .about = "id of the connection"},
	 .read = "VpnConnectionId"},
	{.output = {.name = "outside_addresses", .about = "public addresses of Amazon's tunnel ends"},
	 .decode = decode_outside},
	{.output = {.name = "configuration", .secret = true, .about = "configuration for the customer's device, XML"},
	 .read = "CustomerGatewayConfiguration"},
};

enum { PHASE1_LIFETIME_S = 28800, PHASE2_LIFETIME_S = 3600, REKEY_MARGIN_S = 270 };

static int64_t number_of(const struct value *tunnel_value, const char *name, int64_t where_unset)
{
	const struct value *number = value_get_named(tunnel_value, name);
	return value_is(number, VALUE_INTEGER) ? number->integer : where_unset;
}

/* https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpnConnectionRoute.html
 * A connection is made for BGP where nothing is said. One that was made for static routes by a spec that says so no
 * more has to say it again: who makes it anew would find out only after minutes. */
static bool check_routes(const struct value *desired, struct diagnostics *diagnostics)
{
	const struct value *given = value_get_named(desired, "routes");
	const struct value *only = value_get_named(desired, "static_routes_only");
	bool learns = !only || (value_is(only, VALUE_BOOL) && !only->boolean);
	if (!value_is(given, VALUE_LIST) || given->count == 0 || !learns)
		return true;
	diag_error(diagnostics, FAULT_USER, given->position,
		   "a connection that learns its routes by BGP has no 'routes'");
	diag_hint(diagnostics, "set 'static_routes_only: true', or leave out 'routes'");
	return false;
}

/* Nothing but IKE version 2 lets AWS begin
 * (https://docs.aws.amazon.com/vpn/latest/s2svpn/initiate-vpn-tunnels.html). Of both versions it may. */
static bool check_startup(const struct value *one, struct diagnostics *diagnostics)
{
	const struct value *action = value_get_named(one, "startup_action");
	const struct value *given = value_get_named(one, "ike_versions");
	if (!value_is(action, VALUE_STRING) || !slice_is(value_slice(action), "start") ||
	    !value_is(given, VALUE_LIST) || given->count == 0)
		return true;
	for (uint32_t i = 0; i < given->count; i++)
		if (!slice_is(value_slice(&given->items[i]), "ikev1"))
			return true;
	diag_error(diagnostics, FAULT_USER, action->position, "with IKE version 1 'startup_action' cannot be 'start'");
	diag_hint(diagnostics, "add ikev2 to 'ike_versions', or leave it to the customer's device to begin");
	return false;
}

/* Rules of the guide above that span fields; AWS would name them only after much else was made. */
static bool check_tunnel(const struct value *one, struct diagnostics *diagnostics)
{
	int64_t lifetime = number_of(one, "phase2_lifetime_s", PHASE2_LIFETIME_S);
	const struct value *margin = value_get_named(one, "rekey_margin_s");
	bool good = true;
	if (!value_is(one, VALUE_MAP))
		return true;
	if (lifetime >= number_of(one, "phase1_lifetime_s", PHASE1_LIFETIME_S)) {
		good = diag_error(diagnostics, FAULT_USER, one->position,
				  "the lifetime of phase 2 must be shorter than that of phase 1");
		diag_hint(diagnostics, "where they are not given, phase 1 lasts 28800 and phase 2 lasts 3600 seconds");
	}
	if (number_of(one, "rekey_margin_s", REKEY_MARGIN_S) > lifetime / 2) {
		good = diag_error(diagnostics, FAULT_USER, margin ? margin->position : one->position,
				  "'rekey_margin_s' is more than half of what phase 2 lasts");
		diag_hint(diagnostics, "where they are not given, the margin is 270 and phase 2 lasts 3600 seconds");
	}
	return check_startup(one, diagnostics) && good;
}

/* What a virtual private gateway has not: IPv6
 * (https://docs.aws.amazon.com/vpn/latest/s2svpn/how_it_works.html), acceleration and large tunnels. */
static const struct {
	const char *field;
	const char *value; /* NULL: any */
} transit_only[] = {
	{"outside_ipv6", "true"}, {"acceleration", "true"}, {"inside_version", "ipv6"},
	{"bandwidth", "large"},	  {"local_cidr6", NULL},    {"remote_cidr6", NULL},
};

static bool refuse_virtual(const struct value *value, const char *name, struct diagnostics *diagnostics)
{
	diag_error(diagnostics, FAULT_USER, value->position, "'%s' needs a transit gateway", name);
	diag_hint(diagnostics, "take it out, or give 'transit_gateway' in place of 'vpn_gateway'");
	return false;
}

static bool check_virtual(const struct value *desired, struct diagnostics *diagnostics)
{
	const struct value *all = value_get_named(desired, "tunnels");
	bool good = true;
	if (!value_get_named(desired, "vpn_gateway"))
		return true;
	for (size_t i = 0; i < sizeof(transit_only) / sizeof(transit_only[0]); i++) {
		const struct value *given = value_get_named(desired, transit_only[i].field);
		const char *value = transit_only[i].value;
		bool is_meant = given && (!value || value_is_true(given) ||
					  (value_is(given, VALUE_STRING) && slice_is(value_slice(given), value)));
		if (is_meant)
			good = refuse_virtual(given, transit_only[i].field, diagnostics);
	}
	for (uint32_t i = 0; value_is(all, VALUE_LIST) && i < all->count; i++) {
		const struct value *inside = value_get_named(&all->items[i], "inside_cidr6");
		if (inside)
			good = refuse_virtual(inside, "inside_cidr6", diagnostics);
	}
	return good;
}

static bool check(const struct kind *kind, const struct value *desired, struct diagnostics *diagnostics)
{
	const struct value *all = value_get_named(desired, "tunnels");
	bool good = check_routes(desired, diagnostics);
	(void)kind;
	good &= check_virtual(desired, diagnostics);
	for (uint32_t i = 0; value_is(all, VALUE_LIST) && i < all->count; i++)
		good &= check_tunnel(&all->items[i], diagnostics);
	return good;
}

static const char *const ends[] = {"vpn_gateway", "transit_gateway", NULL};
static const struct exclusive exclusives[] = {{NULL, ends, true}};

/* "This is an idempotent operation", the page above says: a second request for the same two ends gives the first
 * connection back. Of those of a transit gateway, over which traffic may be spread, no page says so. */
static const char *const which_connection[] = {"customer_gateway", "vpn_gateway", NULL};

static const char *const pending[] = {"pending", "modifying", NULL};
static const char *const leaving[] = {"deleting", NULL};
static const char *const gone[] = {"deleted", NULL};
static const char *const absent[] = {"InvalidVpnConnectionID.NotFound", NULL};
static const char *const young[] = {"InvalidVpnGatewayID.NotFound", "InvalidCustomerGatewayID.NotFound",
				    "InvalidCustomerGateway.NotFound", NULL};

#define KEY_EXCHANGES "post-quantum rounds come on top of the groups that tunnels agree on, and few devices know them"

static const struct aws_omission omitted[] = {
	{"CreateVpnConnection", "VpnConcentratorId", "VPN concentrators are not managed"},
	{"CreateVpnConnection", "PreSharedKeyStorage",
	 "keys are kept with the connection; Secrets Manager is not used"},
	{"CreateVpnConnection", "Options.TransportTransitGatewayAttachmentId",
	 "private outside addresses need Direct Connect, not managed"},
	{"CreateVpnConnection", "Options.TunnelOptions.Phase1AdditionalKeyExchanges", KEY_EXCHANGES},
	{"CreateVpnConnection", "Options.TunnelOptions.Phase2AdditionalKeyExchanges", KEY_EXCHANGES},
	{"ModifyVpnTunnelOptions", "TunnelOptions.Phase1AdditionalKeyExchanges", KEY_EXCHANGES},
	{"ModifyVpnTunnelOptions", "TunnelOptions.Phase2AdditionalKeyExchanges", KEY_EXCHANGES},
	{"ModifyVpnTunnelOptions", "SkipTunnelReplacement", "a change of options needs the replacement"},
	{"ModifyVpnTunnelOptions", "PreSharedKeyStorage",
	 "keys are kept with the connection; Secrets Manager is not used"},
	{"ModifyVpnTunnelCertificate", NULL, "renews a certificate once: nothing that stays"},
	{"ReplaceVpnTunnel", NULL, "starts maintenance once: nothing that stays"},
};

const struct aws_kind aws_vpn_connection = {
	.kind = {.name = "aws.vpn_connection",
		 .about = "two IPsec tunnels to a customer's device",
		 .version = 1,
		 .fields = FIELDS(fields),
		 .outputs = FIELDS(outputs),
		 .exclusives = exclusives,
		 .exclusive_count = sizeof(exclusives) / sizeof(exclusives[0]),
		 .told_apart_by = which_connection,
		 .told_apart_by_all = true,
		 .check = check},
	.service = "ec2",
	.create = {.operation = "CreateVpnConnection",
		   .fixed = type,
		   .recipe = RECIPE_TAG,
		   .tagged = "vpn-connection",
		   .result = "VpnConnection.VpnConnectionId",
		   .hands_back = true,
		   .settling = young},
	.delete = {.operation = "DeleteVpnConnection",
		   .id = "VpnConnectionId",
		   .recipe = RECIPE_CONVERGE,
		   .absent = absent,
		   .settling = busy},
	.list = {.operation = "DescribeVpnConnections", .items = "VpnConnections", .filter = "vpn-connection-id"},
	.states = {.member = "State", .pending = pending, .leaving = leaving, .gone = gone},
	.tags_member = "Tags",
	.omitted = omitted,
	.omitted_count = sizeof(omitted) / sizeof(omitted[0]),
	.poll_ms = 5000,
};
