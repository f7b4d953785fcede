#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "providers/aws/kinds/kinds.h"
#include "tests/unit/support_aws.h"

/* What the driver sends for VPN connections. */

#define BY_ID(filter, id) "{\"Filters\":[{\"Name\":\"" filter "\",\"Values\":[\"" id "\"]}]}"

#define CONNECTION(state, first, second)                                                                               \
	{                                                                                                              \
		"DescribeVpnConnections", BY_ID("vpn-connection-id", "vpn-1"),                                         \
			"{\"VpnConnections\":[{\"VpnConnectionId\":\"vpn-1\",\"State\":\"" state                       \
			"\",\"CustomerGatewayId\":\"cgw-1\","                                                          \
			"\"VpnGatewayId\":\"vgw-1\",\"Options\":{\"TunnelOptions\":["                                  \
			"{\"OutsideIpAddress\":\"203.0.113.1\",\"DpdTimeoutSeconds\":" first                           \
			"},{\"OutsideIpAddress\":\"203.0.113.2\",\"DpdTimeoutSeconds\":" second "}]}}]}",              \
			NULL, 0                                                                                        \
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

static const struct scenario connections[] = {
	{"tunnels change one after the other, each by its outside address",
	 &aws_vpn_connection,
	 PHASE_MAKE,
	 "vpn-1",
	 TUNNELS("40", "40"),
	 TUNNELS("50", "60"),
	 NULL,
	 false,
	 false,
	 {CONNECTION("available", "40", "40"), CHANGE_TUNNEL("203.0.113.1", "50"), CONNECTION("modifying", "40", "40"),
	  CONNECTION("modifying", "40", "40"), CONNECTION("modifying", "40", "40"), CONNECTION("modifying", "40", "40"),
	  CONNECTION("modifying", "40", "40"), CONNECTION("modifying", "40", "40"), CONNECTION("available", "50", "40"),
	  CHANGE_TUNNEL("203.0.113.2", "60"), CONNECTION("modifying", "50", "40"), CONNECTION("available", "50", "60"),
	  CONNECTION("available", "50", "60")},
	 STEP_DONE,
	 NULL,
	 NULL,
	 false,
	 true},
	{"a tunnel that nobody lists cannot be changed",
	 &aws_vpn_connection,
	 PHASE_MAKE,
	 "vpn-1",
	 TUNNELS("40", "40"),
	 TUNNELS("50", "40"),
	 NULL,
	 false,
	 false,
	 {{"DescribeVpnConnections", NULL,
	   "{\"VpnConnections\":[{\"VpnConnectionId\":\"vpn-1\",\"State\":\"available\"}]}", NULL, 0}},
	 STEP_FAILED,
	 "the service does not list them",
	 NULL,
	 false,
	 false},
};

static void test_connections(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(connections) / sizeof(connections[0]); i++)
		scenario_run(&connections[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_connections)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
