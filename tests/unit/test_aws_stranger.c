#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "providers/aws/kinds/kinds.h"
#include "tests/unit/support_aws.h"

/* A create that hands back what was there before: whose that is, and what to do. */

#define LINEAGE "{\"Key\":\"trueup:stack\",\"Value\":\"stack\"}"
#define OBJECT ",{\"Key\":\"trueup:object\",\"Value\":\"other\"}"
#define ADDRESS ",{\"Key\":\"trueup:address\",\"Value\":\"aws.customer_gateway.twin\"}"

static void test_rows(void **state)
{
	static const struct {
		const char *name;
		const char *tags;
		const char *address, *provider_id; /* of what is recorded; NULL: nothing is */
		enum object_role role;
		const char *message;
	} rows[] = {
		{"of nobody", "", NULL, NULL, OBJECT_CURRENT, "cgw-1 exists already and is not of this stack"},
		{"of nobody, and what to do", "", NULL, NULL, OBJECT_CURRENT, "use the id of what exists"},
		{"another resource's by its tags", LINEAGE OBJECT ADDRESS, NULL, NULL, OBJECT_CURRENT,
		 "takes it for cgw-1, which is 'aws.customer_gateway.twin' of this stack"},
		{"another resource's by the record, whatever its tags say", "", "aws.customer_gateway.b", "cgw-1",
		 OBJECT_CURRENT, "takes it for cgw-1, which is 'aws.customer_gateway.b' of this stack"},
		{"recorded under another id", "", "aws.customer_gateway.b", "cgw-2", OBJECT_CURRENT,
		 "is not of this stack"},
		{"left behind", LINEAGE OBJECT ADDRESS, "aws.x.test", "cgw-1", OBJECT_DEPOSED,
		 "takes it for cgw-1, which a replace of 'aws.x.test' left behind"},
		{"left behind, and what to do", "", "aws.x.test", "cgw-1", OBJECT_DEPOSED, "run again"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char listed[1024];
		struct scenario scenario = {
			.name = rows[i].name,
			.kind = &aws_customer_gateway,
			.phase = PHASE_MAKE,
			.wanted = "{\"address\":\"198.51.100.7\"}",
			.script = {{"CreateCustomerGateway", NULL,
				    "{\"CustomerGateway\":{\"CustomerGatewayId\":\"cgw-1\"}}", NULL, 0},
				   {"DescribeCustomerGateways", NULL, listed, NULL, -1}},
			.ends = STEP_FAILED,
			.message = rows[i].message,
			.record_removed = true,
		};
		const struct object recorded = {
			.address = slice_of(rows[i].address),
			.provider_id = slice_of(rows[i].provider_id),
			.role = rows[i].role,
		};

		(void)snprintf(listed, sizeof(listed),
			       "{\"CustomerGateways\":[{\"CustomerGatewayId\":\"cgw-1\",\"State\":\"available\","
			       "\"Tags\":[%s]}]}",
			       rows[i].tags);
		scenario_run_beside(&scenario, rows[i].address ? &recorded : NULL);
	}
}

#define MADE(operation, name)                                                                                          \
	{                                                                                                              \
		operation, NULL, name, NULL, 0                                                                         \
	}
#define MAKE_GATEWAY MADE("CreateCustomerGateway", "{\"CustomerGateway\":{\"CustomerGatewayId\":\"cgw-1\"}}")
#define MAKE_CONNECTION MADE("CreateVpnConnection", "{\"VpnConnection\":{\"VpnConnectionId\":\"vpn-1\"}}")
#define SHOW_GATEWAYS(gateways)                                                                                        \
	{                                                                                                              \
		"DescribeCustomerGateways", NULL, "{\"CustomerGateways\":[" gateways "]}", NULL, -1                    \
	}
#define SHOW_CONNECTION(state, tags)                                                                                   \
	{                                                                                                              \
		"DescribeVpnConnections", NULL,                                                                        \
			"{\"VpnConnections\":[{\"VpnConnectionId\":\"vpn-1\",\"State\":\"" state "\",\"Tags\":[" tags  \
			"]}]}",                                                                                        \
			NULL, -1                                                                                       \
	}
#define TAG(key, value) "{\"Key\":\"trueup:" key "\",\"Value\":\"" value "\"}"
#define OURS TAG("stack", "stack") "," TAG("object", "object") "," TAG("address", "aws.x.test")

/* As long as nobody has seen whose it is nothing may be recorded of it: the next run would take it for the stack's. */
static const struct scenario doubts[] = {
	{.name = "what is not seen stays in doubt",
	 .kind = &aws_customer_gateway,
	 .phase = PHASE_MAKE,
	 .wanted = "{\"address\":\"198.51.100.7\"}",
	 .script = {MAKE_GATEWAY, SHOW_GATEWAYS("")},
	 .ends = STEP_FAILED,
	 .message = "is not there any more",
	 .in_doubt = true},
	{.name = "so does what is on its way out",
	 .kind = &aws_customer_gateway,
	 .phase = PHASE_MAKE,
	 .wanted = "{\"address\":\"198.51.100.7\"}",
	 .script = {MAKE_GATEWAY, SHOW_GATEWAYS("{\"CustomerGatewayId\":\"cgw-1\",\"State\":\"deleting\"}")},
	 .ends = STEP_FAILED,
	 .message = "is being deleted by somebody else",
	 .in_doubt = true},
	{.name = "what has our tags does not",
	 .kind = &aws_customer_gateway,
	 .phase = PHASE_MAKE,
	 .wanted = "{\"address\":\"198.51.100.7\"}",
	 .script = {MAKE_GATEWAY, SHOW_GATEWAYS("{\"CustomerGatewayId\":\"cgw-1\",\"State\":\"available\","
						"\"IpAddress\":\"198.51.100.7\",\"Tags\":[" OURS "]}")},
	 .ends = STEP_DONE},
	{.name = "nor does it before it is ready",
	 .kind = &aws_vpn_connection,
	 .phase = PHASE_MAKE,
	 .wanted = "{\"customer_gateway\":\"cgw-1\",\"vpn_gateway\":\"vgw-1\"}",
	 .script = {MAKE_CONNECTION, SHOW_CONNECTION("pending", OURS)},
	 .ends = STEP_FAILED,
	 .message = "is not finished yet",
	 .waits = true},
	{.name = "what shows no tags until then does",
	 .kind = &aws_vpn_connection,
	 .phase = PHASE_MAKE,
	 .wanted = "{\"customer_gateway\":\"cgw-1\",\"vpn_gateway\":\"vgw-1\"}",
	 .script = {MAKE_CONNECTION, SHOW_CONNECTION("pending", "")},
	 .ends = STEP_FAILED,
	 .message = "is not finished yet",
	 .in_doubt = true,
	 .waits = true},
	{.name = "what is another's is not waited for until it is ready",
	 .kind = &aws_vpn_connection,
	 .phase = PHASE_MAKE,
	 .wanted = "{\"customer_gateway\":\"cgw-1\",\"vpn_gateway\":\"vgw-1\"}",
	 .script = {MAKE_CONNECTION, SHOW_CONNECTION("pending", TAG("stack", "another") "," TAG("object", "other"))},
	 .ends = STEP_FAILED,
	 .message = "is not of this stack",
	 .record_removed = true},
};

/* A create that hands nothing back was answered with another one's answer: what it made is to be found. */
static const struct scenario others_answers[] = {
	{.name = "of this stack",
	 .kind = &aws_internet_gateway,
	 .phase = PHASE_MAKE,
	 .wanted = "{}",
	 .script = {MADE("CreateInternetGateway", "{\"InternetGateway\":{\"InternetGatewayId\":\"igw-1\"}}"),
		    {"DescribeInternetGateways", NULL,
		     "{\"InternetGateways\":[{\"InternetGatewayId\":\"igw-1\",\"Tags\":[" LINEAGE OBJECT ADDRESS "]}]}",
		     NULL, -1}},
	 .ends = STEP_FAILED,
	 .message = "what became of 'aws.x.test' is not known: the call that makes it was answered with igw-1, which "
		    "is 'aws.customer_gateway.twin'",
	 .record_removed = true,
	 .disowned = true},
	{.name = "of another stack",
	 .kind = &aws_internet_gateway,
	 .phase = PHASE_MAKE,
	 .wanted = "{}",
	 .script = {MADE("CreateInternetGateway", "{\"InternetGateway\":{\"InternetGatewayId\":\"igw-1\"}}"),
		    {"DescribeInternetGateways", NULL,
		     "{\"InternetGateways\":[{\"InternetGatewayId\":\"igw-1\",\"Tags\":[" TAG("stack", "another") OBJECT
		     "]}]}",
		     NULL, -1}},
	 .ends = STEP_FAILED,
	 .message = "was answered with igw-1, which is not of this stack",
	 .record_removed = true,
	 .disowned = true},
};

static void test_others_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(others_answers) / sizeof(others_answers[0]); i++)
		scenario_run(&others_answers[i]);
}

static void test_doubts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(doubts) / sizeof(doubts[0]); i++)
		scenario_run(&doubts[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_doubts),
		cmocka_unit_test(test_others_answers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
