#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/exit_status.h"
#include "tests/unit/support_cloud.h"

/* A create that a run did not see to its end is waited for by the next one. */

#define IN_VPC(rest) "stack: slow\naws.vpc: {main: {cidr: 10.0.0.0/16}}\n" rest

static const struct {
	const char *name;
	const char *spec;
	const char *moment;		      /* when the first run is cut off */
	const char *type, *attribute, *value; /* of the thing, as long as it is not ready */
} slow_creates[] = {
	{"an instance",
	 IN_VPC("aws.subnet: {a: {vpc: main, cidr: 10.0.1.0/24}}\n"
		"aws.instance: {m: {subnet: a, image: ami-0123456789abcdef0, instance_type: t3.micro}}\n"),
	 "DescribeInstances", "instance", "instanceState.name", "pending"},
	{"a VPN connection",
	 IN_VPC("aws.vpn_gateway: {g: {vpc: main}}\n"
		"aws.customer_gateway: {c: {address: 203.0.113.1, asn: 65010}}\n"
		"aws.vpn_connection: {v: {vpn_gateway: g, customer_gateway: c}}\n"),
	 "DescribeVpnConnections", "vpn-connection", "state", "pending"},
};

static void cut_off(struct cloud *cloud, const void *what)
{
	(void)what;
	cloud->interrupts = 2;
}

static void test_resumed(void **state)
{
	for (size_t i = 0; i < sizeof(slow_creates) / sizeof(slow_creates[0]); i++) {
		struct cloud cloud;

		cloud_open(&cloud, *state);
		cloud_write(&cloud, "slow.yaml", slow_creates[i].spec);
		cloud.moment = slow_creates[i].moment;
		cloud.happening = cut_off;
		cloud_expect(&cloud, "apply --yes", STATUS_INTERRUPTED);
		(void)cloud_find(&cloud, slow_creates[i].type, slow_creates[i].attribute, slow_creates[i].value);
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		if (cloud_has(&cloud, slow_creates[i].type, slow_creates[i].attribute, slow_creates[i].value))
			fail_msg("%s is still '%s':\n%.*s", slow_creates[i].name, slow_creates[i].value,
				 (int)cloud.output.size, cloud.output.data);
		cloud_expect(&cloud, "plan --detailed-exitcode", STATUS_FINE);
		cloud_close(&cloud);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_resumed),
	};

	return cmocka_run_group_tests_name("resume", tests, NULL, NULL);
}
