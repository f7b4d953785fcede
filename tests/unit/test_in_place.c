#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/exit_status.h"
#include "tests/unit/support_cloud.h"

/* Fields whose way of changing hangs on their value. */

#define VPC(rest) "stack: fields\naws.vpc: {main: {cidr: 10.0.0.0/16" rest "}}\n"
#define GATEWAY(asn) "stack: fields\naws.customer_gateway: {c: {address: 203.0.113.1, asn: " asn "}}\n"
#define VPN(rest) "stack: fields\naws.vpn_gateway: {g: {tags: {team: a}" rest "}}\n"
#define MACHINE(rest)                                                                                                  \
	"stack: fields\naws.vpc: {v: {cidr: 10.0.0.0/16}}\naws.subnet: {s: {vpc: v, cidr: 10.0.1.0/24}}\n"             \
	"aws.instance: {i: {image: ami-0123456789abcdef0, instance_type: t3.small, tags: {team: a}" rest "}}\n"
#define BARE MACHINE(", subnet: s")
#define DISKS(rest) MACHINE(", subnet: s, block_devices: [" rest "]")
#define DISK(letter, rest) "{device: /dev/sd" letter ", size_gib: 8" rest "}"
#define ROOT(rest) "{device: /dev/xvda" rest "}"
#define STAYS ", delete_on_termination: false"
#define GOES ", delete_on_termination: true"
#define CARDS(rest) ", interfaces: [{device_index: 0, subnet: s" rest "}, {device_index: 1, subnet: s}]"

static const struct {
	const char *name;
	const char *before, *between, *after; /* between: NULL where there is nothing in between */
	const char *says;		      /* the last plan */
	const char *operation;		      /* is called once for it */
	const char *never;		      /* is not called */
	const char *type, *attribute, *value; /* what is there then, where it shows */
} rows[] = {
	{"tenancy to default", VPC(", tenancy: dedicated"), NULL, VPC(", tenancy: default"), "~ aws.vpc.main",
	 "ModifyVpcTenancy", "CreateVpc", "vpc", "instanceTenancy", "default"},
	{"tenancy to dedicated", VPC(", tenancy: default"), NULL, VPC(", tenancy: dedicated"), "! aws.vpc.main",
	 "CreateVpc", "ModifyVpcTenancy", "vpc", "instanceTenancy", "dedicated"},
	{"tenancy let go of", VPC(", tenancy: dedicated"), NULL, VPC(""), "* aws.vpc.main", NULL, "ModifyVpcTenancy",
	 "vpc", "instanceTenancy", "dedicated"},
	{"usage measured", VPC(""), NULL, VPC(", usage_metrics: true"), "~ aws.vpc.main", "ModifyVpcAttribute",
	 "CreateVpc", NULL, NULL, NULL},
	{"usage not measured any more", VPC(", usage_metrics: true"), NULL, VPC(""), "~ aws.vpc.main",
	 "ModifyVpcAttribute", "CreateVpc", NULL, NULL, NULL},
	{"the largest BGP number of the old kind", GATEWAY("65010"), NULL, GATEWAY("2147483647"),
	 "! aws.customer_gateway.c", "CreateCustomerGateway", NULL, "customer-gateway", "bgpAsn", "2147483647"},
	{"the smallest of the new kind", GATEWAY("65010"), NULL, GATEWAY("2147483648"), "! aws.customer_gateway.c",
	 "CreateCustomerGateway", NULL, "customer-gateway", "bgpAsnExtended", "2147483648"},
	{"the largest of all", GATEWAY("65010"), NULL, GATEWAY("4294967295"), "! aws.customer_gateway.c",
	 "CreateCustomerGateway", NULL, "customer-gateway", "bgpAsnExtended", "4294967295"},
	/* What no read gives back is there as it was made, also once the spec lets go of it. */
	{"a zone let go of and put back", VPN(", zone: eu-central-1a"), VPN(""), VPN(", zone: eu-central-1a"),
	 "* aws.vpn_gateway.g", NULL, "CreateVpnGateway", NULL, NULL, NULL},
	{"a zone let go of, and another one", VPN(", zone: eu-central-1a"), VPN(""), VPN(", zone: eu-central-1b"),
	 "! aws.vpn_gateway.g", "CreateVpnGateway", NULL, NULL, NULL, NULL},
	{"interfaces let go of and put back", MACHINE(CARDS("")), MACHINE(""), MACHINE(CARDS("")), "* aws.instance.i",
	 NULL, "RunInstances", NULL, NULL, NULL},
	{"interfaces let go of, and others", MACHINE(CARDS("")), MACHINE(""), MACHINE(CARDS(STAYS)), "! aws.instance.i",
	 "RunInstances", NULL, NULL, NULL, NULL},
	{"a member of them put back", MACHINE(CARDS(STAYS)), MACHINE(CARDS("")), MACHINE(CARDS(STAYS)),
	 "* aws.instance.i", NULL, "RunInstances", NULL, NULL, NULL},
	{"another member than before", MACHINE(CARDS(STAYS)), MACHINE(CARDS("")), MACHINE(CARDS(GOES)),
	 "! aws.instance.i", "RunInstances", NULL, NULL, NULL, NULL},
	/* Of an interface its groups and its description change in place. */
	{"another description", MACHINE(CARDS(", description: x")), MACHINE(CARDS("")),
	 MACHINE(CARDS(", description: y")), "~ aws.instance.i", "ModifyNetworkInterfaceAttribute", "RunInstances",
	 "instance", "networkInterfaceSet.0.description", "y"},
	{"and another member", MACHINE(CARDS(", description: x")), NULL, MACHINE(CARDS(", description: y" STAYS)),
	 "! aws.instance.i", "RunInstances", "ModifyNetworkInterfaceAttribute", NULL, NULL, NULL},
	/* Of a volume it changes in place whether it goes with its machine, and nothing else. */
	{"a volume that is to stay", DISKS(DISK("f", GOES)), NULL, DISKS(DISK("f", STAYS)), "~ aws.instance.i",
	 "ModifyInstanceAttribute", "RunInstances", "volume", "attachmentSet.0.deleteOnTermination", "false"},
	{"one of several", DISKS(DISK("f", STAYS) ", " DISK("g", STAYS) ", " DISK("h", "")), NULL,
	 DISKS(DISK("f", STAYS) ", " DISK("g", GOES) ", " DISK("h", "")), "~ aws.instance.i", "ModifyInstanceAttribute",
	 "RunInstances", NULL, NULL, NULL},
	{"said as it is", DISKS(DISK("f", "")), NULL, DISKS(DISK("f", GOES)), "* aws.instance.i", NULL,
	 "ModifyInstanceAttribute", NULL, NULL, NULL},
	{"said for the first time", DISKS(DISK("f", "")), NULL, DISKS(DISK("f", STAYS)), "~ aws.instance.i",
	 "ModifyInstanceAttribute", "RunInstances", NULL, NULL, NULL},
	{"let go of", DISKS(DISK("f", STAYS)), NULL, DISKS(DISK("f", "")), "* aws.instance.i", NULL,
	 "ModifyInstanceAttribute", "volume", "attachmentSet.0.deleteOnTermination", "false"},
	{"let go of, and to be otherwise", DISKS(DISK("f", STAYS)), DISKS(DISK("f", "")), DISKS(DISK("f", GOES)),
	 "~ aws.instance.i", "ModifyInstanceAttribute", "RunInstances", NULL, NULL, NULL},
	{"a volume of the image, named later", BARE, NULL, DISKS(ROOT(STAYS)), "~ aws.instance.i",
	 "ModifyInstanceAttribute", "RunInstances", "volume", "attachmentSet.0.deleteOnTermination", "false"},
	{"and let go of", BARE, DISKS(ROOT(STAYS)), BARE, "* aws.instance.i", NULL, "ModifyInstanceAttribute", "volume",
	 "attachmentSet.0.deleteOnTermination", "false"},
	{"one of two", DISKS(DISK("f", STAYS)), DISKS(DISK("f", STAYS) ", " ROOT(STAYS)), DISKS(DISK("f", STAYS)),
	 "* aws.instance.i", NULL, "RunInstances", NULL, NULL, NULL},
	{"another size as well", DISKS(DISK("f", STAYS)), NULL, DISKS("{device: /dev/sdf, size_gib: 9" GOES "}"),
	 "! aws.instance.i", "RunInstances", "ModifyInstanceAttribute", NULL, NULL, NULL},
	{"a size of the image's volume", BARE, NULL, DISKS("{device: /dev/xvda, size_gib: 8" STAYS "}"),
	 "! aws.instance.i", "RunInstances", "ModifyInstanceAttribute", NULL, NULL, NULL},
	{"a volume more", DISKS(DISK("f", STAYS)), NULL, DISKS(DISK("f", STAYS) ", " DISK("g", STAYS)),
	 "! aws.instance.i", "RunInstances", "ModifyInstanceAttribute", NULL, NULL, NULL},
	{"a volume less", DISKS(DISK("f", STAYS) ", " DISK("g", STAYS)), NULL, DISKS(DISK("f", STAYS)),
	 "! aws.instance.i", "RunInstances", "ModifyInstanceAttribute", NULL, NULL, NULL},
};

static uint64_t count_of(const struct cloud *cloud, const char *operation)
{
	return operation ? sim_requests(cloud->sim, slice_of(operation)) : 0;
}

static void test_fields(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cloud cloud;

		cloud_open(&cloud, *state);
		cloud_write(&cloud, "fields.yaml", rows[i].before);
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		if (rows[i].between) {
			cloud_write(&cloud, "fields.yaml", rows[i].between);
			cloud_expect(&cloud, "apply --yes", STATUS_FINE);
			cloud_expect(&cloud, "plan --detailed-exitcode", STATUS_FINE);
		}
		uint64_t called = count_of(&cloud, rows[i].operation), never = count_of(&cloud, rows[i].never);
		cloud_write(&cloud, "fields.yaml", rows[i].after);
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		called = count_of(&cloud, rows[i].operation) - called;
		never = count_of(&cloud, rows[i].never) - never;
		if (!cloud_says(&cloud, rows[i].says) || called != (rows[i].operation ? 1 : 0) || never != 0 ||
		    (rows[i].type && !cloud_has(&cloud, rows[i].type, rows[i].attribute, rows[i].value)))
			fail_msg("%s: %llu calls of %s, %llu of %s:\n%.*s", rows[i].name, (unsigned long long)called,
				 rows[i].operation ? rows[i].operation : "-", (unsigned long long)never,
				 rows[i].never ? rows[i].never : "-", (int)cloud.output.size, cloud.output.data);
		cloud_expect(&cloud, "plan --detailed-exitcode", STATUS_FINE);
		cloud_close(&cloud);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_fields),
	};

	return cmocka_run_group_tests_name("fields", tests, NULL, NULL);
}
