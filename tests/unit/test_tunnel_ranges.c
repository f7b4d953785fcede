#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/exit_status.h"
#include "tests/unit/support_cloud.h"

/* The inner addresses of tunnels that end at one device differ. */

#define TWO_SITES                                                                                                      \
	"stack: tunnels\naws.vpc: {a: {cidr: 10.0.0.0/16}, b: {cidr: 10.1.0.0/16}}\n"                                  \
	"aws.vpn_gateway: {a: {vpc: a}, b: {vpc: b}}\n"                                                                \
	"aws.customer_gateway: {x: {address: 203.0.113.1, asn: 65010}, z: {address: 203.0.113.2, asn: 65011}}\n"       \
	"aws.vpn_connection:\n"
#define CONNECTION(name, gateway, customer, first, second)                                                             \
	"  " name ": {vpn_gateway: " gateway ", customer_gateway: " customer ", tunnels: [{" first "}, {" second "}]}" \
	"\n"
#define TRANSIT(name, gateway, customer, first, second)                                                                \
	"  " name ": {transit_gateway: tgw-0123456789abcde" gateway ", customer_gateway: " customer                    \
	", tunnels: [{" first "}, {" second "}]}\n"
#define INSIDE(range) "inside_cidr: 169.254." range
#define INSIDE6(range) "inside_cidr6: \"fd00:" range "\""

static const struct {
	const char *name;
	const char *spec;
	int status;
	const char *says;
} rows[] = {
	{"all different",
	 TWO_SITES CONNECTION("m", "a", "x", INSIDE("10.0/30"), INSIDE("10.4/30"))
		 CONNECTION("o", "a", "z", INSIDE("10.8/30"), INSIDE("10.12/30")),
	 STATUS_FINE, ""},
	{"twice in one connection", TWO_SITES CONNECTION("m", "a", "x", INSIDE("10.0/30"), INSIDE("10.0/30")),
	 STATUS_ERROR, "169.254.10.0/30 of 'aws.vpn_connection.m' overlaps 169.254.10.0/30"},
	{"at one gateway",
	 TWO_SITES CONNECTION("m", "a", "x", INSIDE("10.0/30"), INSIDE("10.4/30"))
		 CONNECTION("o", "a", "z", INSIDE("10.4/30"), INSIDE("10.8/30")),
	 STATUS_ERROR, "169.254.10.4/30 of 'aws.vpn_connection.o' overlaps 169.254.10.4/30 of 'aws.vpn_connection.m'"},
	{"at one device of the customer",
	 TWO_SITES CONNECTION("m", "a", "x", INSIDE("10.0/30"), INSIDE("10.4/30"))
		 CONNECTION("o", "b", "x", INSIDE("10.4/30"), INSIDE("10.8/30")),
	 STATUS_ERROR, "169.254.10.4/30 of 'aws.vpn_connection.o' overlaps"},
	{"in two places that nothing joins",
	 TWO_SITES CONNECTION("m", "a", "x", INSIDE("10.0/30"), INSIDE("10.4/30"))
		 CONNECTION("o", "b", "z", INSIDE("10.0/30"), INSIDE("10.4/30")),
	 STATUS_FINE, ""},
	{"not given: Amazon chooses", TWO_SITES CONNECTION("m", "a", "x", "", "") CONNECTION("o", "a", "z", "", ""),
	 STATUS_FINE, ""},
	{"at one transit gateway",
	 TWO_SITES TRANSIT("m", "f0", "x", INSIDE("10.0/30"), INSIDE("10.4/30"))
		 TRANSIT("o", "f0", "z", INSIDE("10.4/30"), INSIDE("10.8/30")),
	 STATUS_ERROR, "169.254.10.4/30 of 'aws.vpn_connection.o' overlaps 169.254.10.4/30 of 'aws.vpn_connection.m'"},
	{"at two transit gateways",
	 TWO_SITES TRANSIT("m", "f0", "x", INSIDE("10.0/30"), INSIDE("10.4/30"))
		 TRANSIT("o", "f1", "z", INSIDE("10.4/30"), INSIDE("10.8/30")),
	 STATUS_FINE, ""},
	{"at two transit gateways and one device",
	 TWO_SITES TRANSIT("m", "f0", "x", INSIDE("10.0/30"), INSIDE("10.4/30"))
		 TRANSIT("o", "f1", "x", INSIDE("10.4/30"), INSIDE("10.8/30")),
	 STATUS_ERROR, "169.254.10.4/30 of 'aws.vpn_connection.o' overlaps 169.254.10.4/30 of 'aws.vpn_connection.m'"},
	{"twice in one connection of a transit gateway, told once",
	 TWO_SITES TRANSIT("m", "f0", "x", INSIDE("10.0/30"), INSIDE("10.0/30")), STATUS_ERROR,
	 "hint: give one of the two another range\n"},
	{"IPv6",
	 TWO_SITES TRANSIT("m", "f0", "x", INSIDE6(":/126"), INSIDE6(":4/126"))
		 TRANSIT("o", "f0", "z", INSIDE6(":4/126"), INSIDE6(":8/126")),
	 STATUS_ERROR, "fd00::4/126 of 'aws.vpn_connection.o' overlaps"},
};

static size_t overlaps_in(struct slice output)
{
	size_t count = 0;

	for (; output.size > 0; output = slice_from(output, 1))
		count += slice_starts_with(output, SLICE(" overlaps "));
	return count;
}

static void test_tunnel_ranges(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cloud cloud;

		cloud_open(&cloud, *state);
		cloud_write(&cloud, "tunnels.yaml", rows[i].spec);
		int status = cloud_run(&cloud, "validate");
		/* Each row has one mistake at most. */
		if (status != rows[i].status || !cloud_says(&cloud, rows[i].says) ||
		    overlaps_in(buffer_slice(&cloud.output)) > 1)
			fail_msg("%s: status %d:\n%.*s", rows[i].name, status, (int)cloud.output.size,
				 cloud.output.data);
		cloud_close(&cloud);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_tunnel_ranges),
	};

	return cmocka_run_group_tests_name("tunnel ranges", tests, NULL, NULL);
}
