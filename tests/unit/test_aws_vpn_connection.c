#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/json.h"
#include "providers/aws/aws.h"
#include "providers/aws/kinds/kinds.h"
#include "tests/unit/support_aws.h"

/* What the driver sends for VPN connections. */

#define OURS                                                                                                           \
	"{\"Key\":\"trueup:stack\",\"Value\":\"stack\"},{\"Key\":\"trueup:object\",\"Value\":\"object\"},"             \
	"{\"Key\":\"trueup:intent\",\"Value\":\"intent\"},{\"Key\":\"trueup:generation\",\"Value\":\"1\"},{\"Key\":"   \
	"\"trueup:address\",\"Value\":\"aws.x.test\"}"
#define BY_ID(filter, id) "{\"Filters\":[{\"Name\":\"" filter "\",\"Values\":[\"" id "\"]}]}"

#define CONNECTION(state, first, second) CONNECTIONS(state, first, second, 0)
#define CONNECTIONS(state, first, second, more)                                                                        \
	{                                                                                                              \
		"DescribeVpnConnections", BY_ID("vpn-connection-id", "vpn-1"),                                         \
			"{\"VpnConnections\":[{\"VpnConnectionId\":\"vpn-1\",\"State\":\"" state                       \
			"\",\"CustomerGatewayId\":\"cgw-1\","                                                          \
			"\"VpnGatewayId\":\"vgw-1\",\"Options\":{\"TunnelOptions\":["                                  \
			"{\"OutsideIpAddress\":\"203.0.113.1\",\"DpdTimeoutSeconds\":" first                           \
			"},{\"OutsideIpAddress\":\"203.0.113.2\",\"DpdTimeoutSeconds\":" second "}]}}]}",              \
			NULL, more                                                                                     \
	}
#define TUNNELS(first, second)                                                                                         \
	"{\"customer_gateway\":\"cgw-1\",\"vpn_gateway\":\"vgw-1\",\"tunnels\":[{\"dpd_timeout_s\":" first             \
	"},{\"dpd_timeout_s\":" second "}]}"
#define CHANGE_TUNNEL(address, value)                                                                                  \
	{                                                                                                              \
		"ModifyVpnTunnelOptions",                                                                              \
			"{\"VpnConnectionId\":\"vpn-1\",\"VpnTunnelOutsideIpAddress\":\"" address                      \
			"\",\"TunnelOptions\":{\"DPDTimeoutSeconds\":" value "}}",                                     \
			"{}", NULL, 0                                                                                  \
	}

#define ATTACHED(state, gateway, more)                                                                                 \
	{                                                                                                              \
		"DescribeVpnConnections", BY_ID("vpn-connection-id", "vpn-1"),                                         \
			"{\"VpnConnections\":[{\"VpnConnectionId\":\"vpn-1\",\"State\":\"" state                       \
			"\",\"CustomerGatewayId\":\"cgw-1\"," gateway "}]}",                                           \
			NULL, more                                                                                     \
	}
#define TO_VIRTUAL "\"VpnGatewayId\":\"vgw-1\""
#define TO_TRANSIT "\"TransitGatewayId\":\"tgw-1\""
#define MOVE(gateway)                                                                                                  \
	{                                                                                                              \
		"ModifyVpnConnection", "{\"VpnConnectionId\":\"vpn-1\"," gateway "}", "{}", NULL, 0                    \
	}

enum { LOOKS = 12 }; /* within the 20 s that a listing may lag */

static const struct scenario connections[] = {
	{.name = "it goes over from a virtual private gateway to a transit gateway",
	 .kind = &aws_vpn_connection,
	 .phase = PHASE_MAKE,
	 .provider_id = "vpn-1",
	 .applied = "{\"customer_gateway\":\"cgw-1\",\"vpn_gateway\":\"vgw-1\"}",
	 .wanted = "{\"customer_gateway\":\"cgw-1\",\"transit_gateway\":\"tgw-1\"}",
	 .script = {ATTACHED("available", TO_VIRTUAL, 0), MOVE(TO_TRANSIT), ATTACHED("modifying", TO_VIRTUAL, 1),
		    ATTACHED("available", TO_TRANSIT, 1)},
	 .ends = STEP_DONE},
	{.name = "and back",
	 .kind = &aws_vpn_connection,
	 .phase = PHASE_MAKE,
	 .provider_id = "vpn-1",
	 .applied = "{\"customer_gateway\":\"cgw-1\",\"transit_gateway\":\"tgw-1\"}",
	 .wanted = "{\"customer_gateway\":\"cgw-1\",\"vpn_gateway\":\"vgw-1\"}",
	 .script = {ATTACHED("available", TO_TRANSIT, 0), MOVE(TO_VIRTUAL), ATTACHED("modifying", TO_TRANSIT, 1),
		    ATTACHED("available", TO_VIRTUAL, 1)},
	 .ends = STEP_DONE},
	{.name = "to a customer's device by IPv6",
	 .kind = &aws_vpn_connection,
	 .phase = PHASE_MAKE,
	 .wanted = "{\"customer_gateway\":\"cgw-1\",\"transit_gateway\":\"tgw-1\",\"outside_ipv6\":true}",
	 .script = {{"CreateVpnConnection",
		     "{\"CustomerGatewayId\":\"cgw-1\",\"Options\":{\"OutsideIpAddressType\":\"Ipv6\"},"
		     "\"TagSpecifications\":[{\"ResourceType\":\"vpn-connection\",\"Tags\":[" OURS "]}],"
		     "\"TransitGatewayId\":\"tgw-1\",\"Type\":\"ipsec.1\"}",
		     "{\"VpnConnection\":{\"VpnConnectionId\":\"vpn-1\"}}", NULL, 0},
		    ATTACHED("available",
			     TO_TRANSIT ",\"Tags\":[" OURS "],\"Options\":{\"OutsideIpAddressType\":\"Ipv6\"}", 0)},
	 .ends = STEP_DONE,
	 .fields = "{\"outside_ipv6\":true}"},
	{.name = "the customer's end changes by a call of its own",
	 .kind = &aws_vpn_connection,
	 .phase = PHASE_MAKE,
	 .provider_id = "vpn-1",
	 .applied = "{\"customer_gateway\":\"cgw-0\",\"vpn_gateway\":\"vgw-1\"}",
	 .wanted = "{\"customer_gateway\":\"cgw-1\",\"transit_gateway\":\"tgw-1\"}",
	 .script = {{"DescribeVpnConnections", NULL,
		     "{\"VpnConnections\":[{\"VpnConnectionId\":\"vpn-1\",\"State\":\"available\","
		     "\"CustomerGatewayId\":\"cgw-0\"," TO_VIRTUAL "}]}",
		     NULL, 0},
		    MOVE("\"CustomerGatewayId\":\"cgw-1\""),
		    ATTACHED("available", TO_VIRTUAL, 0),
		    MOVE(TO_TRANSIT),
		    ATTACHED("available", TO_TRANSIT, 1)},
	 .ends = STEP_DONE},
	{.name = "tunnels change one after the other, each by its outside address",
	 .kind = &aws_vpn_connection,
	 .phase = PHASE_MAKE,
	 .provider_id = "vpn-1",
	 .applied = TUNNELS("40", "40"),
	 .wanted = TUNNELS("50", "60"),
	 .script = {CONNECTION("available", "40", "40"), CHANGE_TUNNEL("203.0.113.1", "50"),
		    CONNECTIONS("modifying", "40", "40", 50), CONNECTION("available", "50", "40"),
		    CHANGE_TUNNEL("203.0.113.2", "60"), CONNECTION("modifying", "50", "40"),
		    CONNECTION("available", "50", "60"), CONNECTION("available", "50", "60")},
	 .ends = STEP_DONE,
	 .waits = true},
	{.name = "calls that take back what another did are sent once more, not for ever",
	 .kind = &aws_vpn_connection,
	 .phase = PHASE_MAKE,
	 .provider_id = "vpn-1",
	 .applied = TUNNELS("40", "40"),
	 .wanted = TUNNELS("50", "60"),
	 .script = {CONNECTION("available", "40", "40"), CHANGE_TUNNEL("203.0.113.1", "50"),
		    CONNECTION("available", "50", "40"), CHANGE_TUNNEL("203.0.113.2", "60"),
		    CONNECTIONS("available", "40", "60", LOOKS), CHANGE_TUNNEL("203.0.113.1", "50"),
		    CONNECTIONS("available", "50", "40", LOOKS)},
	 .ends = STEP_FAILED,
	 .message = "still shows its old 'tunnels', though ModifyVpnTunnelOptions was accepted"},
	{.name = "a tunnel that nobody lists cannot be changed",
	 .kind = &aws_vpn_connection,
	 .phase = PHASE_MAKE,
	 .provider_id = "vpn-1",
	 .applied = TUNNELS("40", "40"),
	 .wanted = TUNNELS("50", "40"),
	 .script = {{"DescribeVpnConnections", NULL,
		     "{\"VpnConnections\":[{\"VpnConnectionId\":\"vpn-1\",\"State\":\"available\"}]}", NULL, 0}},
	 .ends = STEP_FAILED,
	 .message = "the service does not list them"},
};

static void test_connections(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(connections) / sizeof(connections[0]); i++)
		scenario_run(&connections[i]);
}

/* "a2 b1": the inner ranges in their order, each with the last digit of the outside address that goes with it. */
static void test_tunnels_are_known_again(void **state)
{
	static const char answered[] = "[{\"inside_cidr\":\"a\",\"pre_shared_key\":\"x\"},{\"inside_cidr\":\"b\"}]";
	static const struct {
		const char *name, *wanted, *recorded, *expected;
	} rows[] = {
		{"as answered, where nobody says anything", "{}", "{}", "a1 b2"},
		{"by their ranges", "{\"tunnels\":[{\"inside_cidr\":\"b\"},{\"inside_cidr\":\"a\"}]}",
		 "{\"outside_addresses\":[\"1\",\"2\"]}", "b2 a1"},
		{"by one range", "{\"tunnels\":[{\"inside_cidr\":\"b\"},{}]}", "{}", "b2 a1"},
		{"one gets another range", "{\"tunnels\":[{\"inside_cidr\":\"c\"},{\"inside_cidr\":\"a\"}]}", "{}",
		 "b2 a1"},
		{"by a key", "{\"tunnels\":[{},{\"pre_shared_key\":\"x\"}]}", "{}", "b2 a1"},
		{"by the recorded addresses", "{\"tunnels\":[{},{}]}", "{\"outside_addresses\":[\"2\",\"1\"]}",
		 "b2 a1"},
		{"by the recorded address that is still there", "{}", "{\"outside_addresses\":[\"3\",\"1\"]}", "b2 a1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena arena;
		struct diagnostics diagnostics;
		struct live live = {.presence = PRESENCE_PRESENT};
		struct value list, addresses, wanted, recorded;
		char got[16] = "";
		arena_init(&arena);
		diagnostics_init(&diagnostics, &arena);
		assert_true(json_read(&arena, SLICE(answered), true, 1000, "test", &list, &diagnostics));
		assert_true(json_read(&arena, SLICE("[\"1\",\"2\"]"), true, 1000, "test", &addresses, &diagnostics));
		assert_true(json_read(&arena, slice_of(rows[i].wanted), true, 1000, "test", &wanted, &diagnostics));
		assert_true(json_read(&arena, slice_of(rows[i].recorded), true, 1000, "test", &recorded, &diagnostics));
		struct value_member field = {value_text("tunnels"), list};
		struct value_member output = {value_text("outside_addresses"), addresses};
		live.fields = value_map(&field, 1);
		live.outputs = value_map(&output, 1);
		aws_arrange(&aws_vpn_connection.kind, &live, &wanted, &recorded, &arena);
		const struct value *now = value_get_named(&live.fields, "tunnels");
		const struct value *names = value_get_named(&live.outputs, "outside_addresses");
		(void)snprintf(got, sizeof(got), "%.*s%.*s %.*s%.*s",
			       SLICE_ARGUMENTS(value_slice(value_get_named(&now->items[0], "inside_cidr"))),
			       SLICE_ARGUMENTS(value_slice(&names->items[0])),
			       SLICE_ARGUMENTS(value_slice(value_get_named(&now->items[1], "inside_cidr"))),
			       SLICE_ARGUMENTS(value_slice(&names->items[1])));
		if (strcmp(got, rows[i].expected) != 0)
			fail_msg("%s: '%s', not '%s'", rows[i].name, got, rows[i].expected);
		diagnostics_release(&diagnostics);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_connections),
					   cmocka_unit_test(test_tunnels_are_known_again)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
