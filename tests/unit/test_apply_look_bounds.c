#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/exit_status.h"
#include "tests/unit/support_cloud.h"

/* A capacity that others go on changing while a plan waits that would bring it within its bounds. */

enum { LATE_MS = 61 * 1000 };

#define GROUP(most)                                                                                                    \
	"stack: look\n"                                                                                                \
	"aws.vpc: {main: {cidr: 10.0.0.0/16}}\n"                                                                       \
	"aws.subnet: {a: {vpc: main, cidr: 10.0.1.0/24}}\n"                                                            \
	"aws.launch_template: {t: {name: nodes, image: ami-0123456789abcdef0, instance_type: t3.micro}}\n"             \
	"aws.autoscaling_group: {g: {name: g, launch_template: t, subnets: [a], min: 0, max: " most "}}\n"

static void scale_meanwhile(struct cloud *cloud, const void *what)
{
	struct slice id = cloud_find(cloud, "auto-scaling-group", "AutoScalingGroupName", "g");

	sim_advance(cloud->sim, LATE_MS);
	cloud_change(cloud, "auto-scaling-group", id, "DesiredCapacity", what);
}

/* What the bounds of its spec make of a capacity that others set is planned, and so is nothing beyond. */
static void test_bounds(void **state)
{
	static const struct {
		const char *planned, *meanwhile;
		int status;
		const char *says;
	} rows[] = {
		{"5", "5", STATUS_FINE, "1 done"},
		{"5", "3", STATUS_FINE, "1 done"},
		{"3", "2", STATUS_FINE, "1 done"},
		{"5", "6", STATUS_REFUSED, "other values are there now (desired)"},
		{"3", "5", STATUS_REFUSED, "other values are there now (desired)"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cloud cloud;

		cloud_open(&cloud, *state);
		cloud_write(&cloud, "look.yaml", GROUP("6"));
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		struct slice id = cloud_find(&cloud, "auto-scaling-group", "AutoScalingGroupName", "g");
		cloud_change(&cloud, "auto-scaling-group", id, "DesiredCapacity", rows[i].planned);
		cloud_write(&cloud, "look.yaml", GROUP("4"));
		cloud.moment = "question";
		cloud.happening = scale_meanwhile;
		cloud.what = rows[i].meanwhile;
		int status = cloud_run(&cloud, "apply");
		if (status != rows[i].status || !cloud_says(&cloud, rows[i].says))
			fail_msg("%s, then %s: status %d:\n%.*s", rows[i].planned, rows[i].meanwhile, status,
				 (int)cloud.output.size, cloud.output.data);
		cloud_close(&cloud);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {WORLD_TEST(test_bounds)};

	return cmocka_run_group_tests_name("bounds that move what others set", tests, NULL, NULL);
}
