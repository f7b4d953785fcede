#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/exit_status.h"
#include "tests/unit/support_cloud.h"

/* What waits, for a rate limit or to be sent once more, is looked at again when its turn comes. */

enum { LATE_MS = 61 * 1000 };

static uint64_t reads(const struct cloud *cloud)
{
	return sim_requests(cloud->sim, SLICE("DescribeSubnets"));
}

enum { CROWD = 400 }; /* of which 50 are changed at once, and then 5 each second: Amazon EC2 API request throttling */

static void write_crowd(struct cloud *cloud, const char *is_public)
{
	struct buffer text;

	buffer_init(&text, 1 << 20);
	buffer_string(&text, "stack: look\naws.vpc: {main: {cidr: 10.0.0.0/16}}\naws.subnet:\n");
	for (unsigned i = 0; i < CROWD; i++)
		buffer_format(&text, "  s%03u: {vpc: main, cidr: 10.0.%u.%u/28, public: %s, tags: {team: red}}\n", i,
			      i / 16, i % 16 * 16, is_public);
	cloud_write(cloud, "look.yaml", arena_string(&cloud->arena, buffer_slice(&text)));
	buffer_release(&text);
}

/* The last of them is 10.0.24.240/28. */
static void while_they_queue(struct cloud *cloud, const void *what)
{
	struct diagnostics diagnostics;

	if (!*(const bool *)what)
		return;
	diagnostics_init(&diagnostics, &cloud->arena);
	assert_true(sim_remove(cloud->sim, SLICE("eu-central-1"), SLICE("subnet"),
			       cloud_find(cloud, "subnet", "cidrBlock", "10.0.24.240/28"), &diagnostics));
	diagnostics_release(&diagnostics);
}

/* What waits for a rate limit is looked at when its turn comes, and keeps its turn. */
static void test_queues(void **state)
{
	static const struct {
		bool meddled;
		int status;
		const char *says;
	} queues[] = {
		{false, STATUS_FINE, "applied: 400 done"},
		{true, STATUS_PARTLY,
		 "'aws.subnet.s399' has changed since the plan was made: it is not there any more"},
	};

	for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++) {
		struct cloud cloud;

		cloud_open(&cloud, *state);
		cloud.at_aws = true;
		write_crowd(&cloud, "false");
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		write_crowd(&cloud, "true");
		cloud.moment = "ModifySubnetAttribute";
		cloud.happening = while_they_queue;
		cloud.what = &queues[i].meddled;
		int64_t began_ms = cloud.world.wall_ms(&cloud.world);
		uint64_t count = reads(&cloud);
		int status = cloud_run(&cloud, "apply --yes");
		int64_t took_ms = cloud.world.wall_ms(&cloud.world) - began_ms;
		if (status != queues[i].status || !cloud_says(&cloud, queues[i].says))
			fail_msg("row %zu: status %d:\n%.*s", i, status, (int)cloud.output.size, cloud.output.data);
		assert_in_range(took_ms, LATE_MS, 80 * 1000);
		assert_in_range(reads(&cloud) - count, 2, CROWD / 5);
		cloud_expect(&cloud, "plan --detailed-exitcode", queues[i].meddled ? STATUS_CHANGES : STATUS_FINE);
		cloud_close(&cloud);
	}
}

/* Somebody takes away what is to be changed, long after it was read and just before the service refuses the change. */
static void while_it_is_refused(struct cloud *cloud, const void *what)
{
	struct diagnostics diagnostics;

	sim_advance(cloud->sim, LATE_MS);
	if (!*(const bool *)what)
		return;
	diagnostics_init(&diagnostics, &cloud->arena);
	assert_true(sim_remove(cloud->sim, SLICE("eu-central-1"), SLICE("subnet"),
			       cloud_find(cloud, "subnet", "cidrBlock", "10.0.3.0/24"), &diagnostics));
	diagnostics_release(&diagnostics);
}

/* What was told to slow down for long is looked at before it is sent once more; that gives it no more tries. */
static void test_refusals(void **state)
{
	static const char before[] = "stack: look\n"
				     "aws.vpc: {main: {cidr: 10.0.0.0/16}}\n"
				     "aws.subnet:\n"
				     "  a: {vpc: main, cidr: 10.0.1.0/24, public: false, tags: {team: red}}\n"
				     "  c: {vpc: main, cidr: 10.0.3.0/24, public: false, tags: {team: red}}\n";
	static const char after[] = "stack: look\n"
				    "aws.vpc: {main: {cidr: 10.0.0.0/16}}\n"
				    "aws.subnet:\n"
				    "  a: {vpc: main, cidr: 10.0.1.0/24, public: false, tags: {team: blue}}\n"
				    "  c: {vpc: main, cidr: 10.0.3.0/24, public: true, tags: {team: red}}\n";
	static const struct {
		bool meddled;
		unsigned refusals; /* 0: for ever */
		int status;
		const char *says;
		unsigned sent;
	} rows[] = {
		{false, 1, STATUS_FINE, "applied: 2 done", 2},
		{false, 0, STATUS_PARTLY, "RequestLimitExceeded", 12},
		{true, 1, STATUS_PARTLY, "'aws.subnet.c' has changed since the plan was made: it is not there any more",
		 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cloud cloud;

		cloud_open(&cloud, *state);
		cloud_write(&cloud, "look.yaml", before);
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		cloud_write(&cloud, "look.yaml", after);
		sim_fault(cloud.sim,
			  (struct sim_fault){SLICE("ModifySubnetAttribute"), SIM_FAULT_THROTTLE, 1, rows[i].refusals});
		cloud.moment = "ModifySubnetAttribute";
		cloud.happening = while_it_is_refused;
		cloud.what = &rows[i].meddled;
		uint64_t sent = sim_requests(cloud.sim, SLICE("ModifySubnetAttribute"));
		int status = cloud_run(&cloud, "apply --yes");
		sent = sim_requests(cloud.sim, SLICE("ModifySubnetAttribute")) - sent;
		if (status != rows[i].status || !cloud_says(&cloud, rows[i].says) || sent != rows[i].sent)
			fail_msg("row %zu: status %d, sent %u times:\n%.*s", i, status, (unsigned)sent,
				 (int)cloud.output.size, cloud.output.data);
		cloud_expect(&cloud, "recover", STATUS_FINE);
		cloud_close(&cloud);
	}
}

/* Long after it was planned somebody gives the network that is to go to another stack. */
static void while_it_waits(struct cloud *cloud, const void *what)
{
	sim_advance(cloud->sim, LATE_MS);
	if (*(const bool *)what)
		cloud_change(cloud, "vpc", cloud_find(cloud, "vpc", "cidrBlock", "10.9.0.0/16"), "tagSet.0.value",
			     "\"0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f\"");
}

/* A deletion waits for those of what lies in it, and may be refused for a while: it is looked at when its turn comes.
 */
static void test_late_deletions(void **state)
{
	static const char with[] = "stack: look\naws.vpc: {main: {cidr: 10.0.0.0/16}, net: {cidr: 10.9.0.0/16}}\n"
				   "aws.subnet: {n: {vpc: net, cidr: 10.9.1.0/24}}\n";
	static const char without[] = "stack: look\naws.vpc: {main: {cidr: 10.0.0.0/16}}\n";
	static const struct {
		const char *name;
		const char *moment;
		bool throttled; /* once, just then */
		bool meddled;
		int status;
		const char *says;
	} rows[] = {
		{"what lies in it takes long", "DeleteSubnet", false, false, STATUS_FINE, "applied: 2 done"},
		{"and it is another's by then", "DeleteSubnet", false, true, STATUS_PARTLY,
		 "'aws.vpc.net' has changed since the plan was made: its tags name another owner"},
		{"refused for long", "DeleteVpc", true, false, STATUS_FINE, "applied: 2 done"},
		{"and it is another's by then", "DeleteVpc", true, true, STATUS_PARTLY,
		 "'aws.vpc.net' has changed since the plan was made: its tags name another owner"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cloud cloud;

		cloud_open(&cloud, *state);
		cloud_write(&cloud, "look.yaml", with);
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		cloud_write(&cloud, "look.yaml", without);
		if (rows[i].throttled)
			sim_fault(cloud.sim, (struct sim_fault){SLICE("DeleteVpc"), SIM_FAULT_THROTTLE, 1, 1});
		cloud.moment = rows[i].moment;
		cloud.happening = while_it_waits;
		cloud.what = &rows[i].meddled;
		int status = cloud_run(&cloud, "apply --yes");
		if (status != rows[i].status || !cloud_says(&cloud, rows[i].says))
			fail_msg("%s, %s: status %d:\n%.*s", rows[i].moment, rows[i].name, status,
				 (int)cloud.output.size, cloud.output.data);
		cloud_close(&cloud);
	}
}

/* Another change that is refused before it, each time, gives the one that is called off no more tries either. */
static void test_refusals_behind_another(void **state)
{
	static const char group[] =
		"stack: look\n"
		"aws.vpc:\n  main: {cidr: 10.0.0.0/16}\n"
		"aws.subnet:\n  a: {vpc: main, cidr: 10.0.1.0/24, zone: eu-central-1a}\n"
		"aws.key_pair:\n  k: {name: ops, public_key: ssh-ed25519 "
		"AAAAC3NzaC1lZDI1NTE5AAAAIM+uHtYE6fwDeJ2Up3vvQB/t4r2EaJdxIBpQmDpoOwgS}\n"
		"aws.launch_template:\n  t: {name: tpl, image: ami-0123456789abcdef0, instance_type: t3.micro, "
		"key: k}\n"
		"aws.autoscaling_group:\n  n: {name: n, min: 0, max: 1, subnets: [a], launch_template: t}\n";
	const bool meddled = false;
	struct diagnostics diagnostics;
	struct cloud cloud;

	cloud_open(&cloud, *state);
	cloud_write(&cloud, "look.yaml", group);
	cloud_expect(&cloud, "apply --yes", STATUS_FINE);
	diagnostics_init(&diagnostics, &cloud.arena);
	assert_true(sim_remove(cloud.sim, SLICE("eu-central-1"), SLICE("key-pair"),
			       cloud_find(&cloud, "key-pair", "keyName", "ops"), &diagnostics));
	diagnostics_release(&diagnostics);
	sim_fault(cloud.sim, (struct sim_fault){SLICE("DeleteAutoScalingGroup"), SIM_FAULT_THROTTLE, 1, 0});
	cloud.moment = "DeleteAutoScalingGroup";
	cloud.happening = while_it_is_refused;
	cloud.what = &meddled;
	cloud_expect(&cloud, "destroy --yes", STATUS_PARTLY);
	assert_true(cloud_says(&cloud, "Throttling"));
	assert_true(sim_requests(cloud.sim, SLICE("DeleteAutoScalingGroup")) <= 12);
	cloud_close(&cloud);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_queues),
		WORLD_TEST(test_refusals),
		WORLD_TEST(test_refusals_behind_another),
		WORLD_TEST(test_late_deletions),
	};

	return cmocka_run_group_tests_name("looks before what waited", tests, NULL, NULL);
}
