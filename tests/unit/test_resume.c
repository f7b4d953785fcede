#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "cli/exit_status.h"
#include "tests/unit/support_cloud.h"

/* A create that a run did not see to its end is waited for by the next one. */

#define IN_VPC(rest) "stack: slow\naws.vpc: {main: {cidr: 10.0.0.0/16}}\n" rest

static const struct {
	const char *name;
	const char *spec;
	const char *create, *look;	      /* the first run is cut off at the first look after the create */
	const char *type, *attribute, *value; /* of the thing, as long as it is not ready */
} slow_creates[] = {
	{"an instance",
	 IN_VPC("aws.subnet: {a: {vpc: main, cidr: 10.0.1.0/24}}\n"
		"aws.instance: {m: {subnet: a, image: ami-0123456789abcdef0, instance_type: t3.micro}}\n"),
	 "RunInstances", "DescribeInstances", "instance", "instanceState.name", "pending"},
	{"a VPN connection",
	 IN_VPC("aws.vpn_gateway: {g: {vpc: main}}\n"
		"aws.customer_gateway: {c: {address: 203.0.113.1, asn: 65010}}\n"
		"aws.vpn_connection: {v: {vpn_gateway: g, customer_gateway: c}}\n"),
	 "CreateVpnConnection", "DescribeVpnConnections", "vpn-connection", "state", "pending"},
};

static void cut_off(struct cloud *cloud, const void *what)
{
	(void)what;
	cloud->interrupts = 2;
}

static void await_look(struct cloud *cloud, const void *look)
{
	cloud->moment = look;
	cloud->happening = cut_off;
}

static void test_resumed(void **state)
{
	for (size_t i = 0; i < sizeof(slow_creates) / sizeof(slow_creates[0]); i++) {
		struct cloud cloud;

		cloud_open(&cloud, *state);
		cloud_write(&cloud, "slow.yaml", slow_creates[i].spec);
		cloud.moment = slow_creates[i].create;
		cloud.happening = await_look;
		cloud.what = slow_creates[i].look;
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

static void turn_off(struct cloud *cloud, const void *what)
{
	enum { LATE_MS = 61 * 1000 };

	(void)what;
	sim_advance(cloud->sim, LATE_MS);
	cloud_change(cloud, "subnet", cloud_find(cloud, "subnet", "cidrBlock", "10.0.1.0/24"), "mapPublicIpOnLaunch",
		     "false");
}

/* Whoever finishes it goes by what is there when its turn comes, not by what there was for the plan. */
static void test_finished_late(void **state)
{
	struct cloud cloud;

	cloud_open(&cloud, *state);
	cloud_write(&cloud, "slow.yaml", IN_VPC("aws.subnet: {a: {vpc: main, cidr: 10.0.1.0/24, public: true}}\n"));
	cloud.moment = "ModifySubnetAttribute";
	cloud.happening = await_look;
	cloud.what = "DescribeSubnets";
	cloud_expect(&cloud, "apply --yes", STATUS_INTERRUPTED);
	cloud.moment = "question";
	cloud.happening = turn_off;
	cloud_expect(&cloud, "apply", STATUS_FINE);
	assert_true(cloud_has(&cloud, "subnet", "mapPublicIpOnLaunch", "true"));
	cloud_close(&cloud);
}

static void take_vpc_away(struct cloud *cloud, const void *what)
{
	struct diagnostics diagnostics;

	(void)what;
	diagnostics_init(&diagnostics, &cloud->arena);
	assert_true(sim_remove(cloud->sim, SLICE("eu-central-1"), SLICE("vpc"),
			       cloud_find(cloud, "vpc", "cidrBlock", "10.0.0.0/16"), &diagnostics));
	diagnostics_release(&diagnostics);
}

/* A new object is waited for where a call names it, and an old one that has gone is not. */
static void test_named_object_is_gone(void **state)
{
	static const struct {
		const char *name;
		int64_t age_ms;
		int64_t least_ms, most_ms;
	} rows[] = {
		{"an old VPC", 6 * 60 * 1000, 0, 10 * 1000},
		{"a new VPC", 0, 4 * 60 * 1000, 6 * 60 * 1000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cloud cloud;

		cloud_open(&cloud, *state);
		cloud_write(&cloud, "slow.yaml", IN_VPC(""));
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		sim_advance(cloud.sim, rows[i].age_ms);
		cloud_write(&cloud, "slow.yaml", IN_VPC("aws.subnet: {a: {vpc: main, cidr: 10.0.1.0/24}}\n"));
		cloud.moment = "CreateSubnet";
		cloud.happening = take_vpc_away;
		int64_t began_ms = sim_boot_ms(cloud.sim);
		cloud_expect(&cloud, "apply --yes", STATUS_ERROR);
		int64_t took_ms = sim_boot_ms(cloud.sim) - began_ms;
		if (took_ms < rows[i].least_ms || took_ms > rows[i].most_ms || !cloud_says(&cloud, "InvalidVpcID"))
			fail_msg("%s: after %lld ms:\n%.*s", rows[i].name, (long long)took_ms, (int)cloud.output.size,
				 cloud.output.data);
		cloud_close(&cloud);
	}
}

#define SUBNET(rest) IN_VPC("aws.subnet: {a: {vpc: main, " rest "}}\n")

/* A run that changed something ends with 7, and one that changed nothing with 1, though the same action failed. What
 * it changed is no drift. */
static void test_halfway(void **state)
{
	static const char before[] = SUBNET("cidr: 10.0.1.0/24, public: false, tags: {team: red}");
	static const char another[] = SUBNET("cidr: 10.0.2.0/24, public: false, tags: {team: red}");
	static const char changed[] = SUBNET("cidr: 10.0.1.0/24, public: true, tags: {team: blue}");
	static const struct {
		const char *name, *after, *denied;
		int status;
		const char *says;
		int drift;
		const char *drift_says;
	} rows[] = {
		{"deleted, and not made anew", another, "CreateSubnet", STATUS_PARTLY,
		 "1 failed, 0 skipped (1 halfway)", STATUS_CHANGES, "was deleted by a run that did not make it anew"},
		{"not even deleted", another, "DeleteSubnet", STATUS_ERROR, "nothing was changed", STATUS_FINE,
		 "no drift: what is there is as recorded\n"},
		{"changed in part", changed, "CreateTags", STATUS_PARTLY, "1 failed, 0 skipped (1 halfway)",
		 STATUS_CHANGES,
		 "what is there is as recorded, but for what was begun and not finished: see BEGUN above"},
		{"not even changed in part", changed, "ModifySubnetAttribute", STATUS_ERROR, "nothing was changed",
		 STATUS_FINE, "no drift: what is there is as recorded\n"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cloud cloud;

		cloud_open(&cloud, *state);
		cloud_write(&cloud, "slow.yaml", before);
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		cloud_write(&cloud, "slow.yaml", rows[i].after);
		sim_fault(cloud.sim, (struct sim_fault){slice_of(rows[i].denied), SIM_FAULT_DENY, 1, 0});
		cloud_expect(&cloud, "apply --yes", rows[i].status);
		if (!cloud_says(&cloud, rows[i].says))
			fail_msg("%s:\n%.*s", rows[i].name, (int)cloud.output.size, cloud.output.data);
		cloud_expect(&cloud, "drift", rows[i].drift);
		if (!cloud_says(&cloud, rows[i].drift_says))
			fail_msg("%s:\n%.*s", rows[i].name, (int)cloud.output.size, cloud.output.data);
		cloud_close(&cloud);
	}
}

#define SAME SUBNET("cidr: 10.0.1.0/24, public: false")

/* Nobody knows what became of a call that no answer tells of: that is no failure, and what needs it waits. */
static void test_unknown_is_no_failure(void **state)
{
	static const struct {
		const char *name, *spec, *action;
		enum sim_fault_kind fault;
		uint32_t attempts;
		const char *says, *counts;
	} rows[] = {
		{"made, and not answered", SAME "aws.internet_gateway: {g: {vpc: main}}\n", "CreateInternetGateway",
		 SIM_FAULT_LOST_ANSWER, 1, "aws.internet_gateway.g  creating, outcome unknown after ",
		 "0 done, 0 failed, 0 skipped, 1 not finished (1 halfway)"},
		{"not made, and not answered", SAME "aws.vpn_gateway: {g: {vpc: main}}\n", "CreateVpnGateway",
		 SIM_FAULT_LOST_REQUEST, 1, "aws.vpn_gateway.g  creating, outcome unknown after ",
		 "0 done, 0 failed, 0 skipped, 1 not finished (1 halfway)"},
		{"what needs it",
		 SAME "aws.internet_gateway: {g: {vpc: main}}\n"
		      "aws.route_table: {r: {vpc: main, routes: [{destination: 0.0.0.0/0, internet_gateway: g}]}}\n",
		 "CreateInternetGateway", SIM_FAULT_LOST_ANSWER, 1,
		 "aws.route_table.r  skipped: what it needs is not done\n",
		 "0 done, 0 failed, 1 skipped, 1 not finished (2 halfway)"},
		{"what it does next itself", SUBNET("cidr: 10.0.2.0/24, public: false"), "DeleteSubnet",
		 SIM_FAULT_LOST_REQUEST, 3, "aws.subnet.a  replacing, outcome unknown after ",
		 "0 done, 0 failed, 0 skipped, 1 not finished (1 halfway)"},
		{"an error of the service", SUBNET("cidr: 10.0.1.0/24, public: true"), "ModifySubnetAttribute",
		 SIM_FAULT_ERROR, 3, "aws.subnet.a  changing, outcome unknown after ",
		 "0 done, 0 failed, 0 skipped, 1 not finished (1 halfway)"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cloud cloud;

		cloud_open(&cloud, *state);
		cloud_write(&cloud, "slow.yaml", SAME);
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		cloud_write(&cloud, "slow.yaml", rows[i].spec);
		sim_fault(cloud.sim, (struct sim_fault){slice_of(rows[i].action), rows[i].fault, 1, rows[i].attempts});
		cloud_expect(&cloud, "apply --yes", STATUS_PARTLY);
		if (!cloud_says(&cloud, rows[i].says) || !cloud_says(&cloud, rows[i].counts) ||
		    cloud_says(&cloud, "FAILED"))
			fail_msg("%s:\n%.*s", rows[i].name, (int)cloud.output.size, cloud.output.data);
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		cloud_close(&cloud);
	}
}

static void list_state(struct cloud *cloud, const void *what)
{
	struct slice id = cloud_find(cloud, "subnet", "cidrBlock", "10.0.1.0/24");

	cloud_expect(cloud, "state list --output json", STATUS_FINE);
	*(bool *)(uintptr_t)what = cloud_says(cloud, arena_string(&cloud->arena, id));
}

/* What comes after its call was given up is recorded before anything is done to it: it may be deleted, and a listing
 * that lags shows it as nobody's then. */
static void test_found_late(void **state)
{
	bool recorded = false;
	struct cloud cloud;

	cloud_open(&cloud, *state);
	cloud_write(&cloud, "slow.yaml", SUBNET("cidr: 10.0.1.0/24"));
	sim_fault(cloud.sim, (struct sim_fault){SLICE("CreateSubnet"), SIM_FAULT_LOST_ANSWER, 1, 1});
	sim_fault(cloud.sim, (struct sim_fault){SLICE("DescribeSubnets"), SIM_FAULT_STALE, 1, 0});
	cloud_expect(&cloud, "apply --yes", STATUS_PARTLY);
	cloud_expect(&cloud, "recover --grace 0", STATUS_FINE);
	sim_advance(cloud.sim, 2 * 60 * 1000);
	cloud_write(&cloud, "slow.yaml", SUBNET("cidr: 10.0.1.0/24, public: true"));
	cloud.moment = "question";
	cloud.happening = list_state;
	cloud.what = &recorded;
	cloud_expect(&cloud, "apply", STATUS_FINE);
	assert_true(recorded);
	cloud_close(&cloud);
}

static void recover_before(struct cloud *cloud, const void *what)
{
	*(int *)(uintptr_t)what = cloud_run(cloud, "recover");
}

/* What another run has settled since the record was read is settled. */
static void test_settled_meanwhile(void **state)
{
	int status = -1;
	struct cloud cloud;

	cloud_open(&cloud, *state);
	cloud_write(&cloud, "slow.yaml", SUBNET("cidr: 10.0.1.0/24"));
	sim_fault(cloud.sim, (struct sim_fault){SLICE("CreateSubnet"), SIM_FAULT_LOST_ANSWER, 1, 1});
	cloud_expect(&cloud, "apply --yes", STATUS_PARTLY);
	cloud.moment = "GetCallerIdentity";
	cloud.happening = recover_before;
	cloud.what = &status;
	cloud_expect(&cloud, "recover", STATUS_FINE);
	assert_int_equal(status, STATUS_FINE);
	cloud_expect(&cloud, "apply --yes", STATUS_FINE);
	cloud_close(&cloud);
}

static void cut_off_at_look(struct cloud *cloud, const char *spec, const char *call, const char *look)
{
	cloud_write(cloud, "slow.yaml", spec);
	cloud->moment = call;
	cloud->happening = await_look;
	cloud->what = look;
	cloud_expect(cloud, "apply --yes", STATUS_INTERRUPTED);
}

/* What an unfinished object takes over from a later spec is recorded with what it refers to. */
static void test_refers_to_more(void **state)
{
	struct cloud cloud;

	cloud_open(&cloud, *state);
	cut_off_at_look(&cloud, IN_VPC("aws.route_table: {t: {vpc: main}}\n"), "CreateRouteTable",
			"DescribeRouteTables");
	cut_off_at_look(&cloud,
			IN_VPC("aws.subnet: {a: {vpc: main, cidr: 10.0.1.0/24}}\n"
			       "aws.route_table: {t: {vpc: main, subnets: [a]}}\n"),
			"AssociateRouteTable", "DescribeRouteTables");
	cloud_expect(&cloud, "state show aws.route_table.t --output json", STATUS_FINE);
	if (!cloud_says(&cloud, "\"aws.vpc.main\",\n        \"aws.subnet.a\"\n"))
		fail_msg("%.*s", (int)cloud.output.size, cloud.output.data);
	cloud_expect(&cloud, "destroy --yes", STATUS_FINE);
	cloud_close(&cloud);
}

#define TUNNEL(timeout)                                                                                                \
	IN_VPC("aws.vpn_gateway: {g: {vpc: main}}\n"                                                                   \
	       "aws.customer_gateway: {c: {address: 203.0.113.1, asn: 65010}}\n"                                       \
	       "aws.vpn_connection: {v: {vpn_gateway: g, customer_gateway: c, tunnels: [{dpd_timeout_s: " timeout      \
	       "}, {}]}}\n")

/* A plan that only waits for what the service is at holds as well where the service has ended that by then. */
static void test_nothing_left_to_wait_for(void **state)
{
	for (int late = 0; late < 2; late++) {
		struct cloud cloud;

		cloud_open(&cloud, *state);
		cloud_write(&cloud, "slow.yaml", TUNNEL("40"));
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		cloud_write(&cloud, "slow.yaml", TUNNEL("50"));
		cloud.moment = "ModifyVpnTunnelOptions";
		cloud.happening = await_look;
		cloud.what = "DescribeVpnConnections";
		cloud_expect(&cloud, "apply --yes", STATUS_INTERRUPTED);
		/* Nothing is open any more, and the service is still at it. */
		cloud_expect(&cloud, "recover", STATUS_FINE);
		cloud_expect(&cloud, "drift", STATUS_CHANGES);
		if (!cloud_says(&cloud, "? aws.vpn_connection.v   tunnels"))
			fail_msg("%.*s", (int)cloud.output.size, cloud.output.data);
		char line[256];
		(void)snprintf(line, sizeof(line), "plan --out %s/saved.plan", cloud.folder);
		cloud_expect(&cloud, line, STATUS_FINE);
		if (late)
			sim_advance(cloud.sim, 60 * 60 * 1000);
		(void)snprintf(line, sizeof(line), "apply %s/saved.plan", cloud.folder);
		cloud_expect(&cloud, line, STATUS_FINE);
		cloud_expect(&cloud, "plan --detailed-exitcode", STATUS_FINE);
		cloud_close(&cloud);
	}
}

struct contest {
	int64_t began_ms;
	int status; /* of another run that wants the stack */
};

static void recover_too(struct cloud *cloud, const void *what)
{
	/* Longer than a lease lasts without a sign of life. */
	enum { WAITED_MS = 100 * 1000 };
	struct contest *contest = (struct contest *)(uintptr_t)what;

	if (sim_boot_ms(cloud->sim) - contest->began_ms >= WAITED_MS) {
		contest->status = cloud_run(cloud, "recover");
		return;
	}
	cloud->moment = "DescribeSubnets";
	cloud->happening = recover_too;
}

/* While it looks for what may still come, recovery keeps the stack for itself. */
static void test_lease_while_waiting(void **state)
{
	struct contest contest = {.status = -1};
	struct cloud cloud;

	cloud_open(&cloud, *state);
	cloud_write(&cloud, "slow.yaml", IN_VPC("aws.subnet: {a: {vpc: main, cidr: 10.0.1.0/24}}\n"));
	sim_fault(cloud.sim, (struct sim_fault){SLICE("CreateSubnet"), SIM_FAULT_LOST_REQUEST, 1, 1});
	cloud_expect(&cloud, "apply --yes", STATUS_PARTLY);
	contest.began_ms = sim_boot_ms(cloud.sim);
	cloud.what = &contest;
	recover_too(&cloud, &contest);
	cloud_expect(&cloud, "recover --grace 600", STATUS_FINE);
	assert_int_equal(contest.status, STATUS_LEASE);
	cloud_close(&cloud);
}

#define GATEWAY(address) "stack: slow\naws.customer_gateway: {c: {address: " address ", asn: 65010}}\n"

static void bring_back(struct cloud *cloud, const void *what)
{
	(void)what;
	cloud_change(cloud, "customer-gateway", cloud_find(cloud, "customer-gateway", "ipAddress", "203.0.113.1"),
		     "state", "\"available\"");
}

/* What was being deleted, and is not any more, is no matter of a plan that waits for its end. */
static void test_back_again(void **state)
{
	struct cloud cloud;

	cloud_open(&cloud, *state);
	cloud_write(&cloud, "slow.yaml", GATEWAY("203.0.113.1"));
	cloud_expect(&cloud, "apply --yes", STATUS_FINE);
	cloud_change(&cloud, "customer-gateway", cloud_find(&cloud, "customer-gateway", "ipAddress", "203.0.113.1"),
		     "state", "\"deleting\"");
	cloud.moment = "question";
	cloud.happening = bring_back;
	cloud_expect(&cloud, "apply", STATUS_REFUSED);
	if (!cloud_says(&cloud, "is not being deleted any more"))
		fail_msg("%.*s", (int)cloud.output.size, cloud.output.data);
	cloud_expect(&cloud, "plan --detailed-exitcode", STATUS_FINE);
	cloud_close(&cloud);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_resumed),
		WORLD_TEST(test_finished_late),
		WORLD_TEST(test_named_object_is_gone),
		WORLD_TEST(test_halfway),
		WORLD_TEST(test_unknown_is_no_failure),
		WORLD_TEST(test_lease_while_waiting),
		WORLD_TEST(test_found_late),
		WORLD_TEST(test_refers_to_more),
		WORLD_TEST(test_settled_meanwhile),
		WORLD_TEST(test_nothing_left_to_wait_for),
		WORLD_TEST(test_back_again),
	};

	return cmocka_run_group_tests_name("resume", tests, NULL, NULL);
}
