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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
