#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "cli/exit_status.h"
#include "tests/unit/support_cloud.h"

/* Reading takes calls for each kind, not for each object; and what is not ours does not cost much. */

static const char REGION[] = "eu-central-1";

/* "name: [many times] TEXT" with the number of each in place of '#'. */
static void add_each(struct buffer *text, const char *kind, int count, const char *each)
{
	buffer_format(text, "%s:\n", kind);
	for (int i = 0; i < count; i++) {
		buffer_format(text, "  x%d: {", i);
		for (const char *at = each; *at; at++) {
			if (*at == '#')
				buffer_format(text, "%d", i);
			else
				buffer_byte(text, *at);
		}
		buffer_string(text, "}\n");
	}
}

static const struct {
	const char *kind;
	const char *each;
	/* Calls of a plan without changes, however many there are. */
	const char *operation;
	unsigned calls;
	/* One more for each object, where a field is set that no listing gives. */
	const char *detail;
	unsigned details_each;
} kinds[] = {
	{"aws.vpc", "cidr: 10.#.0.0/16, dns_hostnames: true", "DescribeVpcs", 1, "DescribeVpcAttribute", 1},
	{"aws.subnet", "vpc: x#, cidr: 10.#.1.0/24, public: true, tags: {n: \"#\"}", "DescribeSubnets", 1, NULL, 0},
	{"aws.security_group",
	 "vpc: x#, name: g#, description: g#, ingress: [{protocol: tcp, from_port: 80, to_port: 80, cidr: 10.0.0.0/8}]",
	 "DescribeSecurityGroups", 1, NULL, 0},
	{"aws.internet_gateway", "vpc: x#", "DescribeInternetGateways", 1, NULL, 0},
	{"aws.route_table", "vpc: x#, subnets: [x#], routes: [{destination: 0.0.0.0/0, internet_gateway: x#}]",
	 "DescribeRouteTables", 1, NULL, 0},
	{"aws.vpn_gateway", "vpc: x#", "DescribeVpnGateways", 1, NULL, 0},
	{"aws.customer_gateway", "address: 203.0.113.#, asn: 65010", "DescribeCustomerGateways", 1, NULL, 0},
	{"aws.vpn_connection", "vpn_gateway: x#, customer_gateway: x#, static_routes_only: true",
	 "DescribeVpnConnections", 1, NULL, 0},
	{"aws.launch_template", "name: template#, image: ami-0123456789abcdef0, instance_type: t3.micro",
	 "DescribeLaunchTemplates", 1, "DescribeLaunchTemplateVersions", 0},
	{"aws.instance", "subnet: x#, image: ami-0123456789abcdef0, instance_type: t3.micro", "DescribeInstances", 1,
	 NULL, 0},
	{"aws.autoscaling_group",
	 "name: a#, launch_template: x#, launch_template_version: x#, subnets: [x#], min: 0, max: 0",
	 "DescribeAutoScalingGroups", 1, NULL, 0},
};

enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]) };

static uint64_t count_of(const struct cloud *cloud, const char *operation)
{
	return sim_requests(cloud->sim, slice_of(operation));
}

static void write_stack(struct cloud *cloud, int count)
{
	BUFFER_AUTO text;

	buffer_init(&text, 1 << 20);
	buffer_string(&text, "stack: calls\n");
	for (size_t i = 0; i < KIND_COUNT; i++)
		add_each(&text, kinds[i].kind, count, kinds[i].each);
	cloud_write(cloud, "calls.yaml", arena_string(&cloud->arena, buffer_slice(&text)));
}

static void check_calls(struct cloud *cloud, int count)
{
	uint64_t lists[KIND_COUNT], details[KIND_COUNT];

	for (size_t i = 0; i < KIND_COUNT; i++) {
		lists[i] = count_of(cloud, kinds[i].operation);
		details[i] = kinds[i].detail ? count_of(cloud, kinds[i].detail) : 0;
	}
	uint64_t all = count_of(cloud, "*");
	cloud_expect(cloud, "plan --detailed-exitcode", STATUS_FINE);
	all = count_of(cloud, "*") - all;
	for (size_t i = 0; i < KIND_COUNT; i++) {
		lists[i] = count_of(cloud, kinds[i].operation) - lists[i];
		details[i] = kinds[i].detail ? count_of(cloud, kinds[i].detail) - details[i] : 0;
		if (lists[i] != kinds[i].calls ||
		    (kinds[i].details_each && details[i] != kinds[i].details_each * (unsigned)count))
			fail_msg("%d of %s: %llu calls and %llu for details", count, kinds[i].kind,
				 (unsigned long long)lists[i], (unsigned long long)details[i]);
	}
	struct slice shown = arena_format(&cloud->arena, "read %zu of %zu in %llu calls\n", (size_t)count * KIND_COUNT,
					  (size_t)count * KIND_COUNT, (unsigned long long)all);
	if (!cloud_says(cloud, shown.data))
		fail_msg("not '%s':\n%.*s", shown.data, (int)cloud->output.size, cloud->output.data);
}

static void test_calls_of_a_plan(void **state)
{
	static const int counts[] = {1, 2, 40};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct cloud cloud;

		cloud_open(&cloud, *state);
		write_stack(&cloud, counts[i]);
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		check_calls(&cloud, counts[i]);
		cloud_close(&cloud);
	}
}

/* What is not ready yet, and what goes, is looked at without what takes a call of its own. */
static void test_details_while_waiting(void **state)
{
	static const struct {
		const char *command;
		const char *listing;
		uint64_t looks; /* at least */
		const char *detail;
		uint64_t details; /* exactly */
	} rows[] = {
		{"apply --yes", "DescribeVpnGateways", 10, "DescribeRouteTables", 2},
		{"destroy --yes", "DescribeVpnGateways", 10, "DescribeRouteTables", 1},
	};
	struct cloud cloud;

	cloud_open(&cloud, *state);
	cloud_write(&cloud, "calls.yaml",
		    "stack: calls\naws.vpc: {x0: {cidr: 10.0.0.0/16}}\n"
		    "aws.vpn_gateway: {g: {vpc: x0, propagate_to: []}}\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t looks = count_of(&cloud, rows[i].listing), details = count_of(&cloud, rows[i].detail);

		cloud_expect(&cloud, rows[i].command, STATUS_FINE);
		looks = count_of(&cloud, rows[i].listing) - looks;
		details = count_of(&cloud, rows[i].detail) - details;
		if (looks < rows[i].looks || details != rows[i].details)
			fail_msg("%s: %llu looks, %llu details", rows[i].command, (unsigned long long)looks,
				 (unsigned long long)details);
	}
	cloud_close(&cloud);
}

/* That one cannot be looked for once more makes it unread, and leaves the others read whole. */
static void test_details_beside_what_is_unread(void **state)
{
	struct cloud cloud;
	struct diagnostics diagnostics;

	cloud_open(&cloud, *state);
	diagnostics_init(&diagnostics, &cloud.arena);
	cloud_write(&cloud, "calls.yaml",
		    "stack: calls\naws.vpc:\n  x0: {cidr: 10.0.0.0/16, dns_hostnames: true}\n"
		    "  x1: {cidr: 10.1.0.0/16, dns_hostnames: true}\n");
	cloud_expect(&cloud, "apply --yes", STATUS_FINE);
	struct slice gone = cloud_find(&cloud, "vpc", "cidrBlock", "10.1.0.0/16");
	assert_true(sim_remove(cloud.sim, slice_of(REGION), SLICE("vpc"), gone, &diagnostics));
	sim_fault(cloud.sim, (struct sim_fault){SLICE("DescribeVpcs"), SIM_FAULT_DENY, 2, 0});
	cloud_expect(&cloud, "drift", STATUS_INCOMPLETE);
	assert_true(cloud_says(&cloud, "read 1 of 2"));
	if (cloud_says(&cloud, "dns_hostnames"))
		fail_msg("%.*s", (int)cloud.output.size, cloud.output.data);
	diagnostics_release(&diagnostics);
	cloud_close(&cloud);
}

/* What the plan has read a moment ago is not read again before it is deleted; what may take its time is looked at
 * afterwards. */
static void test_calls_of_a_destroy(void **state)
{
	static const struct {
		const char *operation;
		unsigned calls;
	} listings[] = {{"DescribeVpcs", 2}, {"DescribeSubnets", 1}, {"DescribeSecurityGroups", 1}};
	uint64_t before[sizeof(listings) / sizeof(listings[0])];
	struct cloud cloud;

	cloud_open(&cloud, *state);
	cloud_write(&cloud, "calls.yaml",
		    "stack: calls\naws.vpc: {x0: {cidr: 10.0.0.0/16}}\n"
		    "aws.subnet: {a: {vpc: x0, cidr: 10.0.1.0/24}}\n"
		    "aws.security_group: {g: {vpc: x0, name: g, description: g}}\n");
	cloud_expect(&cloud, "apply --yes", STATUS_FINE);
	for (size_t i = 0; i < sizeof(listings) / sizeof(listings[0]); i++)
		before[i] = count_of(&cloud, listings[i].operation);
	cloud_expect(&cloud, "destroy --yes", STATUS_FINE);
	for (size_t i = 0; i < sizeof(listings) / sizeof(listings[0]); i++) {
		uint64_t calls = count_of(&cloud, listings[i].operation) - before[i];
		if (calls != listings[i].calls)
			fail_msg("%s: %llu calls", listings[i].operation, (unsigned long long)calls);
	}
	cloud_close(&cloud);
}

static void add_foreign(struct cloud *cloud, int count)
{
	struct diagnostics diagnostics;
	struct slice id;

	diagnostics_init(&diagnostics, &cloud->arena);
	for (int i = 0; i < count; i++) {
		struct slice range = arena_format(&cloud->arena, "10.200.%d.%d/28", i / 16, i % 16 * 16);
		struct value_member members[] = {{value_text("cidrBlock"), value_string(range)}};
		struct value attributes = value_map(members, 1);

		assert_true(sim_add(cloud->sim, &cloud->arena, slice_of(REGION), SLICE("subnet"), SLICE(""),
				    &attributes, &id, &diagnostics));
	}
	diagnostics_release(&diagnostics);
}

/* Ours among many: a page of all tells that there are more, and then ours are asked for. */
static void test_few_of_many(void **state)
{
	static const struct {
		const char *name;
		int others;
		unsigned calls;
		bool without_tags; /* somebody took the tags from one of ours */
	} rows[] = {
		{"less than a page", 900, 1, false},
		{"more than a page", 1100, 2, false},
		{"many pages", 3500, 2, false},
		{"one has lost its tags", 3500, 3, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cloud cloud;

		cloud_open(&cloud, *state);
		add_foreign(&cloud, rows[i].others);
		cloud_write(&cloud, "calls.yaml",
			    "stack: calls\naws.vpc: {x0: {cidr: 10.0.0.0/16}}\naws.subnet:\n"
			    "  a: {vpc: x0, cidr: 10.0.1.0/24}\n  b: {vpc: x0, cidr: 10.0.2.0/24}\n");
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		struct slice first = cloud_find(&cloud, "subnet", "cidrBlock", "10.0.1.0/24");
		if (rows[i].without_tags)
			cloud_change(&cloud, "subnet", first, "tagSet", "[]");
		/* Old enough for one look to be proof. */
		sim_advance(cloud.sim, 11 * 60 * 1000);
		uint64_t calls = count_of(&cloud, "DescribeSubnets");
		cloud_expect(&cloud, "plan --detailed-exitcode", rows[i].without_tags ? STATUS_CHANGES : STATUS_FINE);
		calls = count_of(&cloud, "DescribeSubnets") - calls;
		if (calls != rows[i].calls || !cloud_says(&cloud, "read 3 of 3"))
			fail_msg("%s: %llu calls", rows[i].name, (unsigned long long)calls);
		cloud_close(&cloud);
	}
}

/* Whose things are there is not known yet when a state is made anew: all are looked at. */
static void test_rebuilt_among_many(void **state)
{
	struct cloud cloud;

	cloud_open(&cloud, *state);
	add_foreign(&cloud, 3500);
	cloud_write(&cloud, "calls.yaml",
		    "stack: calls\naws.vpc: {x0: {cidr: 10.0.0.0/16}}\naws.subnet:\n"
		    "  a: {vpc: x0, cidr: 10.0.1.0/24}\n  b: {vpc: x0, cidr: 10.0.2.0/24}\n");
	cloud_expect(&cloud, "apply --yes", STATUS_FINE);
	char path[160];
	snprintf(path, sizeof(path), "%s/.trueup/state.db", cloud.folder);
	assert_int_equal(unlink(path), 0);
	cloud_expect(&cloud, "plan --detailed-exitcode", STATUS_CHANGES);
	cloud_expect(&cloud, "state rebuild --yes", STATUS_FINE);
	assert_true(cloud_says(&cloud, "recorded 3 objects"));
	cloud_expect(&cloud, "plan --detailed-exitcode", STATUS_FINE);
	cloud_close(&cloud);
}

/* Names are not ours alone: whoever has one is seen among however many. */
static void test_a_name_among_many(void **state)
{
	struct cloud cloud;
	struct diagnostics diagnostics;
	struct slice id;

	cloud_open(&cloud, *state);
	diagnostics_init(&diagnostics, &cloud.arena);
	cloud_write(&cloud, "calls.yaml", "stack: calls\naws.vpc: {x0: {cidr: 10.0.0.0/16}}\n");
	cloud_expect(&cloud, "apply --yes", STATUS_FINE);
	struct slice vpc = cloud_find(&cloud, "vpc", "cidrBlock", "10.0.0.0/16");
	for (int i = 0; i < 1100; i++) {
		struct value_member members[] = {
			{value_text("vpcId"), value_string(vpc)},
			{value_text("groupName"), value_string(arena_format(&cloud.arena, "g%d", i))},
		};
		struct value attributes = value_map(members, 2);

		assert_true(sim_add(cloud.sim, &cloud.arena, slice_of(REGION), SLICE("security-group"), SLICE(""),
				    &attributes, &id, &diagnostics));
	}
	static const char *const names[] = {"g0", "g1099", "mine"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct slice text = arena_format(&cloud.arena,
						 "stack: calls\naws.vpc: {x0: {cidr: 10.0.0.0/16}}\n"
						 "aws.security_group: {m: {vpc: x0, name: %s, description: mine}}\n",
						 names[i]);
		cloud_write(&cloud, "calls.yaml", arena_string(&cloud.arena, text));
		cloud_expect(&cloud, "plan", i < 2 ? STATUS_ERROR : STATUS_FINE);
	}
	diagnostics_release(&diagnostics);
	cloud_close(&cloud);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_calls_of_a_plan),
		WORLD_TEST(test_details_while_waiting),
		WORLD_TEST(test_details_beside_what_is_unread),
		WORLD_TEST(test_calls_of_a_destroy),
		WORLD_TEST(test_few_of_many),
		WORLD_TEST(test_rebuilt_among_many),
		WORLD_TEST(test_a_name_among_many),
	};

	return cmocka_run_group_tests_name("calls of reading", tests, NULL, NULL);
}
